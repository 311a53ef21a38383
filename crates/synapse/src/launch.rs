//! How a program is started: its arguments, its environment, the hooks and tools it is given. What a version
//! of it does not know is not passed.

mod claude_settings;
pub mod probe;
mod tmux;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use synapse_term::profile::{Backend, Profile};

use crate::host::Agent;
use crate::mcp::{Attached, ToolServer, UserSettings, attached};
use claude_settings::ClaudeSettings;
use probe::Probe;
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::private_file::{self, Trust, read_text};
use synapse_platform::process;
use synapse_pty::Spawn;
use synapse_session::cli_hooks::{self, HookListener};
use synapse_session::{HookSetup, Voice};
use synapse_tmux::Adoption;
pub use tmux::{ProgramPlace, WindowWish, marks_pastes};

/// A start, ready to be made.
pub(crate) struct Launch {
    /// What is run.
    pub(crate) spawn: Spawn,
    /// The program's hooks, where it runs ours.
    pub(crate) hooks: Option<HookSetup>,
    /// Where the program keeps its transcripts, if we can read them.
    pub(crate) transcript: Option<synapse_transcript::Source>,
    /// What the person should know.
    pub(crate) notes: Vec<String>,
}

/// Prepares the start of an agent's program. `id` names the agent.
///
/// # Errors
/// If the tools it was to have cannot be given, or files of the start cannot be written.
pub(crate) fn prepare(agent: &Agent, id: &str, paths: &Paths) -> Result<Launch> {
    let profile = &agent.profile;
    let mut argv = profile.command.clone();
    // The dummy agent is this very program, wherever it is installed.
    if let (Some(program), Ok(own)) = (argv.first_mut(), synapse_machine::child::own_program())
        && program == "synapse"
    {
        *program = own.to_string_lossy().into_owned();
    }
    let mut notes = Vec::new();
    let (hooks, injection, tools) = if profile.backend == Backend::Acp {
        // Hooks, tools and older conversations are matters of the protocol there.
        (None, cli_hooks::Injection::default(), Attached::default())
    } else {
        leave_unknown_out(&mut argv, agent, paths, &mut notes);
        let (hooks, injection) = hooks(agent, paths, &mut notes);
        (hooks, injection, tools(agent, id, paths)?)
    };
    argv.extend(injection.args);
    argv.extend(tools.args);
    if profile.backend == Backend::Terminal {
        argv.extend(resumed(agent, &mut notes));
    }
    argv.extend(injection.user_args.unwrap_or_else(|| agent.args.clone()));
    let mut env = terminal_variables(agent);
    env.extend(profile.env.clone());
    env.extend(tools.env);
    env.push(("SYNAPSE_AGENT_ID".to_owned(), id.to_owned()));
    let dir = profile
        .cwd
        .as_ref()
        .map_or_else(|| agent.dir.clone(), PathBuf::from);
    Ok(Launch {
        transcript: transcript(profile, &dir),
        spawn: Spawn {
            env: env
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            // A CLI inside a CLI of its kind refuses to start; a window has the size it has.
            env_remove: vec!["CLAUDECODE".into(), "LINES".into(), "COLUMNS".into()],
            cwd: Some(dir),
            size: agent.size,
            modes: agent.terminal.as_ref().map(|tty| tty.modes.clone()),
            ..Spawn::new(argv)
        },
        hooks,
        notes,
    })
}

/// What a program is told of its terminal, where nobody has told us, or where we are that terminal.
fn terminal_variables(agent: &Agent) -> Vec<(String, String)> {
    let mut env = Vec::new();
    if std::env::var_os("TERM").is_none_or(|term| term == "dumb") {
        env.push(("TERM".to_owned(), "xterm-256color".to_owned()));
    }
    let is_ours = matches!(agent.place, ProgramPlace::Own) && agent.terminal.is_none();
    if is_ours {
        env.push(("COLORTERM".to_owned(), "truecolor".to_owned()));
    }
    env
}

/// A program that somebody else has started, in a pane of tmux: nothing of ours is given to it.
pub(crate) fn adopted(profile: &Profile, adoption: &Adoption) -> Launch {
    let pid = adoption.program.as_raw_pid();
    let dir = process::folder(pid).unwrap_or_else(|| adoption.pane.dir.clone());
    let variable = |name: &str| process::variable(pid, name).map(PathBuf::from);
    let transcript = transcript_by(profile, &dir, variable);
    let age = process::age(pid).unwrap_or_default();
    let began = SystemTime::now().checked_sub(age);
    let began = began.unwrap_or(SystemTime::UNIX_EPOCH);
    let relied_on = if transcript.is_some() {
        "its screen and its transcript are relied on"
    } else {
        "its screen is relied on"
    };
    Launch {
        spawn: Spawn::default(),
        hooks: None,
        transcript: transcript.map(|source| source.started_at(began)),
        notes: vec![format!(
            "no hooks: the program ran before it was adopted; {relied_on}"
        )],
    }
}

/// The arguments with which the program goes on with an older conversation, if it is to.
fn resumed(agent: &Agent, notes: &mut Vec<String>) -> Vec<String> {
    let Some(session) = &agent.resume else {
        return Vec::new();
    };
    let words = &agent.profile.resume;
    if words.is_empty() {
        let name = &agent.profile.name;
        notes.push(format!(
            "the profile {name} does not say how a conversation is continued (`resume`); it starts a new one"
        ));
    }
    let words = words.iter();
    words
        .map(|word| word.replace("{session}", session))
        .collect()
}

/// The program's name, without the folder it is in.
pub(crate) fn program(profile: &Profile) -> Option<String> {
    let program = Path::new(profile.command.first()?).file_name()?;
    Some(program.to_string_lossy().into_owned())
}

/// Takes those of the profile's own flags out that this version of the program does not know.
fn leave_unknown_out(
    argv: &mut Vec<String>,
    agent: &Agent,
    paths: &Paths,
    notes: &mut Vec<String>,
) {
    let is_flag = |word: &String| word.starts_with("--") && word.len() > 2;
    let (Some(program), true) = (argv.first().cloned(), argv.iter().skip(1).any(is_flag)) else {
        return;
    };
    let probe = Probe::of(&program, &agent.profile, paths);
    let mut words = std::mem::take(argv).into_iter();
    argv.extend(words.next());
    for word in words {
        let is_refused = agent.refused_flags.contains(&word);
        let is_unknown = is_flag(&word) && probe.as_ref().is_some_and(|probe| !probe.knows(&word));
        if is_refused || is_unknown {
            notes.push(format!(
                "{program} does not know {word}; it is started without it"
            ));
        } else {
            argv.push(word);
        }
    }
}

/// The hooks of the program, where it takes ours by argument and nobody switched them off.
fn hooks(
    agent: &Agent,
    paths: &Paths,
    notes: &mut Vec<String>,
) -> (Option<HookSetup>, cli_hooks::Injection) {
    let none = || (None, cli_hooks::Injection::default());
    let Some(program) = program(&agent.profile).filter(|_| agent.profile.hooks) else {
        return none();
    };
    if agent
        .refused_flags
        .iter()
        .any(|flag| flag == "--settings" || flag == "-c")
    {
        notes.push(format!(
            "{program} takes no hooks by argument; its screen and transcript are relied on"
        ));
        return none();
    }
    let given = cli_hooks::UserArguments {
        args: &agent.args,
        read: &read_settings,
    };
    let waits = program == "claude";
    let settings = waits.then(|| ClaudeSettings::of(agent));
    // What stands in the way is known before anything is made.
    let trial = cli_hooks::inject(&program, "", &given);
    let by_settings = settings.as_ref().and_then(ClaudeSettings::obstacle);
    let is_promised = trial.is_promised && by_settings.is_none();
    if let Some(obstacle) = trial.obstacle.or(by_settings) {
        notes.push(format!("no hooks: {obstacle}"));
    }
    let Ok(own) = synapse_machine::child::own_program() else {
        return none();
    };
    if !is_promised {
        return none();
    }
    match HookListener::bind(&paths.hooks(), waits) {
        Ok(listener) => {
            let command = format!(
                "{} {} {}",
                quoted(&own),
                cli_hooks::VERB,
                quoted(listener.path())
            );
            let injection = cli_hooks::inject(&program, &command, &given);
            let setup = HookSetup {
                voice: Voice::Hooks(listener),
                waits,
                is_end_unsure: settings.is_some_and(|settings| settings.has_stop_hooks()),
            };
            (Some(setup), injection)
        }
        Err(error) => {
            notes.push(format!("no hooks: their socket cannot be made: {error}"));
            none()
        }
    }
}

/// A settings file that a project may have brought along.
fn read_settings(path: &Path) -> Option<String> {
    read_text(path, Trust::Chosen).ok()
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// The program's own transcripts, below the home it will find.
pub fn transcript(profile: &Profile, dir: &Path) -> Option<synapse_transcript::Source> {
    let variable = |name: &str| {
        let own = profile.env.get(name).map(PathBuf::from);
        own.or_else(|| std::env::var_os(name).map(PathBuf::from))
    };
    transcript_by(profile, dir, variable)
}

fn transcript_by(
    profile: &Profile,
    dir: &Path,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Option<synapse_transcript::Source> {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    synapse_transcript::Source::of(
        profile.record.as_deref()?,
        &variable("HOME")?,
        &dir,
        variable,
    )
}

/// What gives the program our MCP server, if it is to have it.
fn tools(agent: &Agent, id: &str, paths: &Paths) -> Result<Attached> {
    if !agent.profile.mcp {
        return Ok(Attached::default());
    }
    let program = program(&agent.profile).unwrap_or_default();
    let server = tool_server(agent, id)?;
    let variable = |name: &str| variable(agent, name);
    let given = UserSettings {
        args: &agent.args,
        has_variable: &|name| variable(name).is_some(),
        read: &|path| std::fs::read_to_string(path).ok(),
        is_root: rustix::process::geteuid().is_root(),
    };
    let folder = paths.mcp().join(id);
    let tools = attached(&program, &server, &folder, &given)?;
    if let Some((path, text)) = &tools.file {
        create_folder(&folder)?;
        private_file::replace(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(tools)
}

/// Our MCP server, as `session/new` of ACP names it, if the program is to have it.
///
/// # Errors
/// If our own path cannot be found.
pub(crate) fn acp_servers(agent: &Agent, id: &str) -> Result<Vec<serde_json::Value>> {
    if !agent.profile.mcp {
        return Ok(Vec::new());
    }
    let server = tool_server(agent, id)?;
    let env = server.env.iter();
    let env: Vec<_> = env
        .map(|(name, value)| serde_json::json!({ "name": name, "value": value }))
        .collect();
    Ok(vec![serde_json::json!({
        "name": "synapse", "command": server.synapse, "args": ["mcp"], "env": env,
    })])
}

/// Our MCP server, as this agent starts it.
fn tool_server(agent: &Agent, id: &str) -> Result<ToolServer> {
    let moved = ["SYNAPSE_HOME", "A2A_HOME"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), variable(agent, name)?)));
    Ok(ToolServer {
        synapse: synapse_machine::child::own_program()
            .context("cannot find the path of this program")?,
        env: [("SYNAPSE_AGENT_ID".to_owned(), id.to_owned())]
            .into_iter()
            .chain(moved)
            .collect(),
    })
}

/// A variable as the program will find it.
fn variable(agent: &Agent, name: &str) -> Option<String> {
    let own = agent.profile.env.get(name).cloned();
    own.or_else(|| std::env::var(name).ok())
}
