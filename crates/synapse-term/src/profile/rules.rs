//! The rules a profile may give. Every pattern is a regular expression of linear cost.

use std::ops::Deref;

use regex::Regex;
use serde::Deserialize;

use crate::prompt::Kind;

/// A regular expression, compiled when the profile is read so that an error has its line.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// If it is not a regular expression.
    pub fn new(text: &str) -> Result<Self, regex::Error> {
        Regex::new(text).map(Self)
    }
}

impl From<Regex> for Pattern {
    fn from(regex: Regex) -> Self {
        Self(regex)
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

/// Signs of work.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BusyRules {
    /// The window title while working.
    pub title: Option<Pattern>,
    /// Rows beside the input box that are there only while working.
    pub lines: Vec<Pattern>,
}

/// Signs of rest.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IdleRules {
    /// The window title while waiting for a message. It is believed only with the input box in
    /// sight, or where the program was never seen to have one.
    pub title: Option<Pattern>,
    /// The input box.
    #[serde(rename = "box")]
    pub input_box: Option<InputBox>,
    /// Whether the program announces its state by OSC 7501.
    pub agent_signal: AgentSignal,
}

/// Whether a program announces its state by OSC 7501. What it says stands above its title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "AgentSignalText")]
pub enum AgentSignal {
    /// It does not, or is not believed.
    #[default]
    Never,
    /// Some versions do, in some terminals: then its idle title is not looked at.
    Sometimes,
    /// Until the first announcement it is starting.
    Always,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AgentSignalText {
    Flag(bool),
    Word(String),
}

impl TryFrom<AgentSignalText> for AgentSignal {
    type Error = String;

    fn try_from(text: AgentSignalText) -> Result<Self, String> {
        match text {
            AgentSignalText::Flag(false) => Ok(Self::Never),
            AgentSignalText::Flag(true) => Ok(Self::Always),
            AgentSignalText::Word(word) if word == "sometimes" => Ok(Self::Sometimes),
            AgentSignalText::Word(word) => Err(format!(
                "agent_signal is true, false or sometimes, not {word:?}"
            )),
        }
    }
}

/// Where a program's user types.
#[derive(Clone, Debug, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of its own in a profile"
)]
#[serde(deny_unknown_fields)]
pub struct InputBox {
    /// Its first row, from the left; what it matches is not part of the text.
    pub prompt: Pattern,
    /// It stands between two rules.
    #[serde(default)]
    pub is_ruled: bool,
    /// It stands, perhaps only in a terminal that has not all colours, between blank rows in its own colour.
    #[serde(default)]
    pub is_shaded: bool,
    /// The terminal's cursor is shown inside it.
    #[serde(default)]
    pub has_cursor: bool,
    /// The program has a mode in which there is no box, such as one for screen readers.
    #[serde(default)]
    pub is_optional: bool,
    /// The text it shows when it is empty, where it cannot be told by its colour.
    pub placeholder: Option<Pattern>,
}

/// Signs of a question. Menus need none: they are recognised by their shape.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskingRules {
    /// The window title while a question is open or coming.
    pub title: Option<Pattern>,
    /// Questions without options.
    pub forms: Vec<Form>,
    /// A digit picks an option of a numbered menu at once.
    pub by_digit: bool,
}

/// A question without options, told by one of its rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// The row that asks; its first group, if any, is the question.
    pub line: Pattern,
    #[serde(rename = "type")]
    pub kind: Kind,
}

/// How the conversation is painted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpeechRules {
    /// The first row of the user's own message; what it matches is the marker.
    pub echo: Option<Pattern>,
    /// The first row of something the model says; what it matches is the marker.
    pub say: Option<Pattern>,
    /// The first row of a tool call: what follows, up to the next speech, is not the reply.
    pub tool: Vec<Pattern>,
    /// The first row of something the program itself says.
    pub notice: Vec<Pattern>,
    /// The row under a tool call's first one: it tells a tool call where its head looks like
    /// speech.
    pub tool_output: Option<Pattern>,
    /// Columns by which the rows after the first are indented.
    pub indent: usize,
    /// Code is painted with line numbers.
    pub numbers_code: bool,
}

/// How a turn that went wrong says so, in rows of its own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomeRules {
    /// It was interrupted or refused.
    pub interrupted: Vec<Pattern>,
    pub failed: Vec<Pattern>,
}

/// The questions of plain programs.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InputDetection {
    /// Whether they are looked for at all.
    pub enabled: bool,
    /// Patterns beside the built-in ones, matched against the cursor's line.
    pub additional_patterns: Vec<ExtraPattern>,
}

impl Default for InputDetection {
    fn default() -> Self {
        Self {
            enabled: true,
            additional_patterns: Vec::new(),
        }
    }
}

/// A question of this program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtraPattern {
    /// Matched against the cursor's line.
    pub pattern: Pattern,
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The answers it takes.
    #[serde(default)]
    pub options: Vec<String>,
}

/// Whether lines of a reply that begin with `@handle` are sent on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputRouting {
    /// Off by default.
    pub enabled: bool,
    /// Lines that are never sent.
    pub ignore_patterns: Vec<Pattern>,
}
