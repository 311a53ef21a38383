//! What is known of one CLI: command, keys, timings, and the rules by which its screen is read.
//!
//! Profiles are YAML (docs/profiles.md). A profile starts from another one (`extends`, by default
//! `generic`) and replaces the keys it names.

mod arguments;
mod backend;
mod builtin;
mod excerpt;
mod file;
mod rules;

use std::collections::BTreeMap;
use std::time::Duration;

use thiserror::Error;

pub use arguments::ArgumentRules;
pub use backend::{AcpCommand, Backend};
pub use rules::{
    AgentSignal, AskingRules, BusyRules, Form, IdleRules, InputBox, InputDetection, OutcomeRules,
    OutputRouting, Pattern, SpeechRules,
};

use file::ProfileFile;
pub use file::split_words;

/// A profile, complete.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each switch of a profile is independent"
)]
pub struct Profile {
    /// Its name, and the handle of its agents by default.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// Where it runs, if not here.
    pub cwd: Option<String>,
    /// Matches the cursor's line up to the cursor when the program waits for input.
    pub idle_regex: Option<Pattern>,
    /// What Enter is for this program.
    pub submit_sequence: String,
    /// The wait between the text and the submit key.
    pub submit_delay: Duration,
    /// The key that stops a running turn, if that is known.
    pub interrupt_key: Option<String>,
    /// How often it must be pressed: some programs ask for a second press.
    pub interrupt_presses: u8,
    /// The keys that empty the input box; where none are named, one Backspace for each character does.
    pub clear_input_keys: Vec<String>,
    /// The keys that end the program where it waits for input.
    pub exit_keys: Vec<String>,
    /// The keys that begin another line in its input, for a program that does not know pastes.
    pub newline_keys: Vec<String>,
    /// How a message is introduced; without one, messages of agents to programs that talk in prose are.
    pub prompt_template: Option<String>,
    /// The characters that make a command of a line they begin: no message may begin with one.
    pub command_chars: Option<String>,
    /// The questions of plain programs.
    pub input_detection: InputDetection,
    /// Whether lines of a reply may go to other agents.
    pub output_routing: OutputRouting,
    /// Text that ends a reply, for programs that were told to write it.
    pub response_end: Option<String>,
    /// How long a program may write nothing during a turn before what it has written counts as its reply.
    pub response_timeout: Option<Duration>,
    /// Whether code blocks of a reply become artifacts.
    pub parse_code_blocks: bool,
    /// Whether file references become artifacts.
    pub parse_file_refs: bool,
    /// Whether JSON blocks become artifacts.
    pub parse_json: bool,
    /// Whether the program may speak OSC 7710.
    pub channel: bool,
    /// What the program is reached by.
    pub backend: Backend,
    /// How it is reached by ACP, where it can be.
    pub acp: Option<AcpCommand>,
    /// Whether the program is given our MCP server.
    pub mcp: bool,
    /// The program's own hooks are used as a witness, where it has some.
    pub hooks: bool,
    /// Which record of the program gives exact replies; `none` for none.
    pub record: Option<String>,
    /// The command that installs the program, for people who do not have it.
    pub install: Option<String>,
    /// The arguments that continue an older conversation; `{session}` is its name.
    pub resume: Vec<String>,
    /// It shows its input box before it has read the conversation that it continues; what it is given meanwhile is not
    /// part of it.
    pub resumes_late: bool,
    /// Which of its arguments count for every start, where that is known.
    pub arguments: Option<ArgumentRules>,
    /// Signs of work.
    pub busy: BusyRules,
    /// Signs of rest.
    pub idle: IdleRules,
    /// Signs of a question.
    pub asking: AskingRules,
    /// Rows that are furniture, wherever they stand.
    pub chrome: Vec<Pattern>,
    /// How the conversation is painted.
    pub speech: SpeechRules,
    /// How a turn that went wrong says so.
    pub outcome: OutcomeRules,
}

/// Why a profile cannot be used.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// Not YAML, or not a profile.
    #[error("{origin}: {message}")]
    Syntax {
        /// The file, or the built-in profile.
        origin: String,
        /// What is wrong, with line and column.
        message: String,
    },
    /// `extends` names nothing.
    #[error("{origin}: extends '{base}', but there is no such profile; there are: {known}")]
    UnknownBase {
        /// The file that says so.
        origin: String,
        /// The name it gives.
        base: String,
        /// The names that exist.
        known: String,
    },
    /// `extends` goes round in a circle.
    #[error("{origin}: extends itself through '{base}'")]
    Circle {
        /// The file that closes the circle.
        origin: String,
        /// The profile it goes through.
        base: String,
    },
}

impl Profile {
    /// Whether it has the signs of one program: its title, its input box, its own announcements.
    pub fn knows_signs(&self) -> bool {
        self.idle.title.is_some()
            || self.idle.input_box.is_some()
            || self.idle.agent_signal == AgentSignal::Always
    }

    /// The built-in profile of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn builtin(name: &str) -> Result<Self, ProfileError> {
        Self::load(name, name, &|base| builtin::text(base).map(str::to_owned))
    }

    /// The names of the built-in profiles.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        builtin::names()
    }

    /// The YAML of a built-in profile.
    pub fn builtin_text(name: &str) -> Option<&'static str> {
        builtin::text(name)
    }

    /// A profile from YAML text. `origin` names it in errors; `find` gives the text of a profile
    /// it extends, the built-in ones are found anyway.
    ///
    /// # Errors
    /// If the text is not a profile, with the line and column at fault.
    pub fn parse(
        text: &str,
        origin: &str,
        find: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ProfileError> {
        let file = ProfileFile::parse(text, origin)?;
        let base = file.base(origin)?;
        Ok(file.over(Self::base_of(origin, base, find, &mut Vec::new())?))
    }

    fn load(
        name: &str,
        origin: &str,
        find: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ProfileError> {
        Self::base_of(origin, Some(name.to_owned()), find, &mut Vec::new())
    }

    /// The profile a name stands for, with all it extends. No name: the bare defaults.
    fn base_of(
        origin: &str,
        name: Option<String>,
        find: &dyn Fn(&str) -> Option<String>,
        path: &mut Vec<String>,
    ) -> Result<Self, ProfileError> {
        let Some(name) = name else {
            return Ok(Self::bare());
        };
        if path.contains(&name) {
            return Err(ProfileError::Circle {
                origin: origin.to_owned(),
                base: name,
            });
        }
        let Some(text) = find(&name).or_else(|| builtin::text(&name).map(str::to_owned)) else {
            let known = builtin::names().collect::<Vec<_>>().join(", ");
            return Err(ProfileError::UnknownBase {
                origin: origin.to_owned(),
                base: name,
                known,
            });
        };
        let file = ProfileFile::parse(&text, &name)?;
        let base = file.base(&name)?;
        path.push(name.clone());
        Ok(file.over(Self::base_of(&name, base, find, path)?))
    }

    /// What holds where no profile says anything.
    fn bare() -> Self {
        Self {
            name: "generic".to_owned(),
            command: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            idle_regex: None,
            submit_sequence: "\r".to_owned(),
            submit_delay: Duration::from_millis(250),
            interrupt_key: None,
            interrupt_presses: 1,
            clear_input_keys: Vec::new(),
            exit_keys: vec!["ctrl-d".to_owned()],
            newline_keys: Vec::new(),
            prompt_template: None,
            command_chars: None,
            input_detection: InputDetection::default(),
            output_routing: OutputRouting::default(),
            response_end: None,
            response_timeout: None,
            parse_code_blocks: true,
            parse_file_refs: true,
            parse_json: true,
            channel: false,
            backend: Backend::Terminal,
            acp: None,
            mcp: false,
            hooks: true,
            record: None,
            install: None,
            resume: Vec::new(),
            resumes_late: false,
            arguments: None,
            busy: BusyRules::default(),
            idle: IdleRules::default(),
            asking: AskingRules::default(),
            chrome: Vec::new(),
            speech: SpeechRules::default(),
            outcome: OutcomeRules::default(),
        }
    }
}
