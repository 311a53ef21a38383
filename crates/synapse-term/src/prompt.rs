//! Questions: what is asked, the options, the key that picks each, and a fingerprint that tells
//! one question from the next.

mod answer;
mod buttons;
mod call;
mod checklist;
mod finder;
mod key_hint;
mod line;
mod list;
mod menu;
mod painted;
mod question;
mod unfinished;
mod window;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use answer::{AnswerError, Assent};
pub(crate) use menu::FORM_HINT;
pub(crate) use unfinished::unasked;

use crate::frame::Frame;
use crate::profile::Profile;

/// A question on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What sort of answer it wants.
    pub kind: Kind,
    /// The question, in its own words.
    pub question: String,
    /// What the dialog says beside it, row by row: the command or file it is about.
    pub detail: String,
    /// What would be done, where that is known by itself.
    pub call: Option<ToolCall>,
    /// What can be picked, in the order of the screen.
    pub options: Vec<Choice>,
    /// Which option the cursor is on.
    pub selected: Option<usize>,
    /// What an empty answer means.
    pub default: Option<String>,
    /// How an option is picked.
    pub layout: Layout,
    /// Tells it from every other question, however often it is repainted.
    pub fingerprint: Fingerprint,
}

/// What a program asks permission for: the call itself, without the model's words about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What it calls the tool, such as `Bash`.
    pub tool: String,
    /// The command or file, with its line breaks.
    pub input: String,
    /// Where it would be done, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Nothing of the input is missing.
    pub is_complete: bool,
}

/// What sort of answer a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Yes or no, at a line.
    Confirmation,
    /// One of several.
    Selection,
    /// Whether something may be done.
    Permission,
    Text,
    /// Text that must not be shown.
    Password,
    /// A question nobody recognised.
    Unknown,
}

/// Something that can be picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub label: String,
    /// The key that picks it, by name: `1`, `y`, `Escape`, `Down Enter`.
    pub key: String,
}

/// How an option is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A list with a mark: Up and Down, then Enter. Keys shown beside the options work too, the
    /// numbers of a list only where `by_digit` says that they were seen to.
    Menu {
        /// A digit picks at once.
        by_digit: bool,
    },
    /// A list with a box before each entry: Up and Down, Space to tick, Enter to submit.
    Checklist {
        /// Which entries are ticked, a bit each.
        ticked: u32,
    },
    /// A row of buttons: Left and Right, then Enter.
    Buttons,
    /// A line of text, then Enter.
    Line,
    /// Nothing is known of it.
    Unknown,
}

/// A short name for one question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of a question's texts. Where the cursor is does not matter.
    fn of<'a>(kind: Kind, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hash = Fnv::new();
        hash.add(&format!("{kind:?}"));
        for text in texts {
            for word in text.split_whitespace() {
                hash.add(word);
            }
            hash.add("\n");
        }
        Self(format!("{:016x}", hash.0))
    }

    /// The fingerprint of the same question where it is asked once more, after so many answers.
    pub(crate) fn again(&self, answers: u32) -> Self {
        match answers {
            0 => self.clone(),
            _ => Self::of(Kind::Text, [self.0.as_str(), &answers.to_string()]),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Fingerprint {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// FNV-1a, 64 bit: stable across builds and machines, which the standard hasher is not.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// How sure a prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sureness {
    /// A line that reads like a question: believed only when the program is quiet.
    Line,
    /// A shape that only questions have.
    Shape,
}

/// Reads the question on a screen, if there is one; the input box must be out of sight. `usual` is
/// the program's own prompt as the text before the cursor: the same text is no question.
pub fn read(frame: &Frame, profile: &Profile, usual: Option<&str>) -> Option<(Prompt, Sureness)> {
    menu::numbered(frame, profile)
        .or_else(|| menu::form(frame, profile))
        .or_else(|| window::read(frame))
        .or_else(|| checklist::read(frame))
        .or_else(|| finder::read(frame))
        .or_else(|| menu::marked(frame))
        .or_else(|| buttons::read(frame))
        .or_else(|| {
            // A program whose box is described has marks in its menus.
            let is_described = profile.idle.input_box.is_some();
            (!is_described).then(|| menu::lit(frame)).flatten()
        })
        .or_else(|| menu::hinted(frame))
        .or_else(|| painted::read(frame))
        .map(|prompt| (prompt, Sureness::Shape))
        .or_else(|| line::read(frame, profile, usual).map(|prompt| (prompt, Sureness::Line)))
}

/// Reads a field that a program wants filled in, where it asked before and has no prompt of its own.
pub(crate) fn read_field(frame: &Frame) -> Option<(Prompt, Sureness)> {
    line::field(frame).map(|prompt| (prompt, Sureness::Line))
}

/// A question that a program announced beside its screen. It has no keys: it is answered where it was asked.
pub fn announced(
    kind: Kind,
    question: String,
    options: &[&str],
    call: Option<ToolCall>,
    id: &str,
) -> Prompt {
    let choices = options.iter().map(|label| Choice {
        label: (*label).to_owned(),
        key: String::new(),
    });
    let texts = [id, question.as_str()].into_iter();
    let fingerprint = Fingerprint::of(kind, texts.chain(options.iter().copied()));
    Prompt {
        kind,
        question,
        detail: call
            .as_ref()
            .map_or_else(String::new, |call| call.input.clone()),
        options: choices.collect(),
        selected: None,
        default: None,
        layout: Layout::Unknown,
        call,
        fingerprint,
    }
}

/// The words with which a screen says what Escape does: `Esc to close`.
pub(crate) fn escape_hint(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let at = ["esc to ", "escape to "]
        .iter()
        .find_map(|hint| lower.find(hint))?;
    let hint = line.get(at..)?;
    let end = hint
        .find(['·', '•', '|', '│', ',', ')'])
        .unwrap_or(hint.len());
    let words = hint.get(..end)?.split_whitespace().take(4);
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Reads a dialog that stands above an input box which stays in sight: only what can be agreed to
/// and refused, for a list may well be a reply.
pub fn read_above(frame: &Frame, profile: &Profile, top: usize) -> Option<(Prompt, Sureness)> {
    let mut above = frame.clone();
    above.rows.truncate(top);
    above.cursor.is_visible = false;
    let prompt = menu::numbered(&above, profile)
        .or_else(|| menu::marked(&above))
        .or_else(|| buttons::read(&above))
        .or_else(|| menu::lit(&above))?;
    let is_offer = answer::is_permission(&prompt.options) && prompt.options.len() >= 2;
    is_offer.then_some((prompt, Sureness::Shape))
}

/// A question that was announced, or must be there, but that nobody can read.
pub fn unknown(frame: &Frame) -> Prompt {
    let screen: Vec<&str> = (0..frame.rows.len()).map(|row| frame.text(row)).collect();
    let last = screen.iter().rev().find(|text| !text.trim().is_empty());
    let hint = screen.iter().rev().find_map(|text| escape_hint(text));
    let options = hint.map(|label| Choice {
        label,
        key: "Escape".to_owned(),
    });
    Prompt {
        kind: Kind::Unknown,
        question: last.map_or_else(String::new, |text| text.trim().to_owned()),
        detail: screen.join("\n").trim().to_owned(),
        options: options.into_iter().collect(),
        selected: None,
        default: None,
        layout: Layout::Unknown,
        call: None,
        fingerprint: Fingerprint::of(Kind::Unknown, screen),
    }
}
