//! From an answer to keystrokes: which option is meant, and the keys that pick it from where the
//! cursor is now.

use thiserror::Error;

use super::{Choice, Kind, Layout, Prompt};
use crate::keys::{Discipline, Key, KeyError, KeyboardMode, PasteError, encode, paste};

/// Words that agree.
const YES: [&str; 22] = [
    "yes", "y", "yep", "yeah", "allow", "approve", "accept", "ok", "okay", "proceed", "continue",
    "confirm", "trust", "run", "execute", "apply", "grant", "permit", "agree", "sure", "はい",
    "許可",
];

/// Words that refuse.
const NO: [&str; 22] = [
    "no",
    "n",
    "nope",
    "not",
    "never",
    "skip",
    "block",
    "disallow",
    "dismiss",
    "stop",
    "deny",
    "reject",
    "refuse",
    "cancel",
    "decline",
    "don't",
    "dont",
    "quit",
    "exit",
    "abort",
    "いいえ",
    "拒否",
];

/// Words that agree to more than this once.
const WIDER: [&str; 20] = [
    "yolo",
    "bypass",
    "without ask",
    "whole",
    "entire",
    "forever",
    "mode",
    "always",
    "don't ask",
    "dont ask",
    "session",
    "all ",
    "every",
    "remember",
    "never ask",
    "permanently",
    "project",
    "auto",
    "以降",
    "常に",
];

/// Words by which a refusal is meant for later, too.
const FOR_GOOD: [&str; 6] = [
    "always",
    "don't ask",
    "dont ask",
    "never ask",
    "forever",
    "permanently",
];

/// What an option means for what is asked, by its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assent {
    /// It may be done this once.
    Once,
    /// More may be done than what is asked for.
    Wider,
    /// It may not be done.
    Refused,
    /// It may not be done, and is not to be asked for again.
    RefusedForGood,
    /// Neither.
    Other,
}

impl Assent {
    pub fn of(label: &str) -> Self {
        let contains = |words: &[&str]| {
            let label = label.to_lowercase().replace('’', "'");
            words.iter().any(|word| label.contains(word))
        };
        if begins_with(label, &NO) {
            return if contains(&FOR_GOOD) {
                Self::RefusedForGood
            } else {
                Self::Refused
            };
        }
        // Whatever goes further than this once is never offered as if it did not.
        match (begins_with(label, &YES), contains(&WIDER)) {
            (_, true) if begins_with(label, &YES) || contains(&FOR_GOOD) => Self::Wider,
            (true, _) => Self::Once,
            (false, _) => Self::Other,
        }
    }
}

/// Why an answer cannot be given.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum AnswerError {
    /// The answer is none of the options.
    #[error("'{answer}' is none of the options: {options}")]
    NoSuchOption {
        answer: String,
        /// What could be said.
        options: String,
    },
    /// Several options fit.
    #[error("'{answer}' fits several options: {options}")]
    Ambiguous {
        answer: String,
        /// The options it fits.
        options: String,
    },
    /// Nobody knows how to answer this question.
    #[error("this question was not understood, so no key can be chosen for it: {question}")]
    NotUnderstood {
        /// Its last line.
        question: String,
    },
    /// An option whose key has no name we know.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The text cannot be typed.
    #[error(transparent)]
    Text(#[from] PasteError),
}

impl Prompt {
    /// The option that an answer picks, as it is labelled.
    pub fn label_of(&self, answer: &str) -> Option<&str> {
        let option = self.options.get(self.find(answer).ok()?)?;
        Some(option.label.as_str())
    }

    /// The bytes that give this answer from where the cursor is, each item in a write of its own.
    /// `yes` is the affirmative option of the narrowest scope, `no` the refusing one; else a
    /// label, its number or its key. At a line any text goes, but where a letter means yes or no.
    ///
    /// # Errors
    /// If the answer fits no option or several, or nobody knows the keys.
    pub fn keys_for(&self, answer: &str, mode: &KeyboardMode) -> Result<Vec<Vec<u8>>, AnswerError> {
        match self.layout {
            // What the screen says of a key is all that is known.
            Layout::Unknown => match self.find(answer).ok().and_then(|at| self.options.get(at)) {
                Some(option) if !option.key.is_empty() => {
                    Ok(vec![encode(&Key::parse(&option.key)?, mode)])
                }
                _ => Err(AnswerError::NotUnderstood {
                    question: self.question.clone(),
                }),
            },
            Layout::Line => {
                let text = match self.find(answer) {
                    Ok(option) => self.options.get(option).map_or(answer, |o| o.key.as_str()),
                    Err(error) if self.kind == Kind::Selection || self.takes_a_letter() => {
                        return Err(error);
                    }
                    Err(_) => answer,
                };
                // A line without anything in it.
                let text = if text == "Enter" { "" } else { text };
                let mut writes = vec![paste(text, mode, Discipline::Canonical, &[])?, vec![b'\r']];
                writes.retain(|bytes| !bytes.is_empty());
                Ok(writes)
            }
            Layout::Checklist { ticked } => {
                let press = |name: &str| Ok(encode(&Key::parse(name)?, mode));
                self.ticks(answer, ticked)?.into_iter().map(press).collect()
            }
            Layout::Menu { .. } | Layout::Buttons => {
                let option = self.find(answer)?;
                self.keys_to(option)
                    .split(' ')
                    .map(|name| Ok(encode(&Key::parse(name)?, mode)))
                    .collect()
            }
        }
    }

    /// The keys that tick just the options that are named, parted by commas, and submit them.
    fn ticks(&self, answer: &str, ticked: u32) -> Result<Vec<&'static str>, AnswerError> {
        let names = answer
            .split([',', '、'])
            .filter(|name| !name.trim().is_empty());
        let wanted: Vec<usize> = names
            .map(|name| self.find(name))
            .collect::<Result<_, _>>()?;
        let mut at = self.selected.unwrap_or_default();
        let mut keys = Vec::new();
        for option in 0..self.options.len() {
            let is_ticked = ticked >> option & 1 == 1;
            if wanted.contains(&option) == is_ticked {
                continue;
            }
            let step = if option < at { "Up" } else { "Down" };
            keys.extend(std::iter::repeat_n(step, option.abs_diff(at)));
            keys.push("Space");
            at = option;
        }
        keys.push("Enter");
        Ok(keys)
    }

    /// The option that opens a field for words of one's own, if there is one.
    pub fn own_words(&self) -> Option<&Choice> {
        const INVITES: [&str; 5] = [
            "custom",
            "type something",
            "something else",
            "other",
            "own answer",
        ];
        let is_invitation = |option: &&Choice| {
            let label = option.label.to_lowercase();
            INVITES.iter().any(|words| label.contains(words))
        };
        self.options.iter().find(is_invitation)
    }

    /// The option an answer means.
    ///
    /// # Errors
    /// If it means none or several.
    pub fn find(&self, answer: &str) -> Result<usize, AnswerError> {
        let answer = answer.trim();
        let wanted = answer.to_lowercase();
        let exact = |is_it: &dyn Fn(&Choice) -> bool| self.options.iter().position(is_it);
        let found = exact(&|o| o.label == answer)
            .or_else(|| exact(&|o| o.label.to_lowercase() == wanted))
            .or_else(|| exact(&|o| o.key.to_lowercase() == wanted))
            .or_else(|| match wanted.as_str() {
                "yes" | "y" => narrowest_yes(&self.options),
                "no" | "n" => refusing(&self.options),
                _ => None,
            })
            .or_else(|| {
                let number: usize = wanted.parse().ok()?;
                number
                    .checked_sub(1)
                    .filter(|index| *index < self.options.len())
            });
        if let Some(found) = found {
            return Ok(found);
        }
        // Where there is one key to press, every word that agrees means it.
        let agrees = wanted.is_empty() || YES.contains(&wanted.as_str());
        if self.layout == Layout::Buttons && self.options.len() == 1 && agrees {
            return Ok(0);
        }
        let partial: Vec<usize> = (0..self.options.len())
            .filter(|i| {
                self.options
                    .get(*i)
                    .is_some_and(|o| o.label.to_lowercase().starts_with(&wanted))
            })
            .collect();
        match partial.as_slice() {
            [one] if !wanted.is_empty() => Ok(*one),
            [] => Err(AnswerError::NoSuchOption {
                answer: answer.to_owned(),
                options: names(&self.options),
            }),
            several => Err(AnswerError::Ambiguous {
                answer: answer.to_owned(),
                options: names(several.iter().filter_map(|i| self.options.get(*i))),
            }),
        }
    }

    /// Whether it is a question of yes or no that takes a letter: any other text would be taken for no.
    fn takes_a_letter(&self) -> bool {
        let is_letter = |option: &Choice| option.key.chars().count() == 1;
        self.kind == Kind::Confirmation
            && self.options.len() == 2
            && self.options.iter().all(is_letter)
    }

    /// The keys that pick an option: its own where it has one that works at once, else the way
    /// there from the present position.
    fn keys_to(&self, option: usize) -> String {
        let key = self.options.get(option).map_or("Enter", |o| o.key.as_str());
        let is_number = key.chars().all(|c| c.is_ascii_digit());
        let works_at_once = match self.layout {
            Layout::Menu { by_digit } => !is_number || (by_digit && key.len() == 1),
            _ => true,
        };
        match self.selected {
            Some(selected) if !works_at_once => super::menu::steps(option, selected, "Up", "Down"),
            _ => key.to_owned(),
        }
    }
}

/// Whether a list of options lets something be done or refused.
pub(super) fn is_permission(options: &[Choice]) -> bool {
    // What is refused first is no offer.
    matches!((narrowest_yes(options), refusing(options)), (Some(yes), Some(no)) if yes < no)
}

fn narrowest_yes(options: &[Choice]) -> Option<usize> {
    options
        .iter()
        .position(|o| Assent::of(&o.label) == Assent::Once)
}

fn refusing(options: &[Choice]) -> Option<usize> {
    options.iter().position(|o| begins_with(&o.label, &NO))
}

fn begins_with(label: &str, words: &[&str]) -> bool {
    let label = label.to_lowercase();
    let first = label
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'))
        .find(|w| !w.is_empty());
    first.is_some_and(|first| words.contains(&first.replace('’', "'").as_str()))
}

fn names<'a>(options: impl IntoIterator<Item = &'a Choice>) -> String {
    let names: Vec<String> = options
        .into_iter()
        .map(|o| format!("{} ({})", o.label, o.key))
        .collect();
    names.join(", ")
}
