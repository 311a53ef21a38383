//! What was typed since the last turn began, from the bytes written to the program: text and
//! pastes, but neither the terminal's own answers nor keys.

use crate::judge::Keys;
use crate::keys::{KeyCode, Modifiers};
use crate::router::lexer::{Input, Lexer, Verdict};

/// A message longer than this is kept only in part.
const LONGEST: usize = 256 * 1024;

/// How much of a message is searched for signs of work at every key.
const RECENT: usize = 4 * 1024;

/// The text in the making.
#[derive(Debug, Default)]
pub(super) struct Typed {
    lexer: Lexer,
    text: String,
    /// Where the text ended when a submit key was last pressed.
    submitted: usize,
}

impl Typed {
    /// Takes what was written; says which sort of keys was among it, if any. `submit` is what
    /// submits a message in this program: written by itself it does, whatever else it may mean.
    pub(super) fn feed(&mut self, bytes: &[u8], submit: &[u8]) -> Option<Keys> {
        if !submit.is_empty() && bytes == submit && !self.lexer.is_in_paste() {
            return Some(self.submit());
        }
        let mut keys = None;
        for byte in bytes {
            let mut verdict = self.lexer.push(*byte);
            loop {
                match verdict {
                    Verdict::More => break,
                    Verdict::Done(input) => {
                        keys = stronger(keys, self.take(&input));
                        break;
                    }
                    Verdict::Broken(input) => {
                        keys = stronger(keys, self.take(&input));
                        verdict = self.lexer.push(*byte);
                    }
                }
            }
        }
        // Nothing follows in this write: an Escape stands for itself.
        if let Some(input) = self.lexer.release() {
            keys = stronger(keys, self.take(&input));
        }
        keys
    }

    /// What was typed when the submit key was last pressed.
    pub(super) fn submitted(&self) -> &str {
        self.text
            .get(..self.submitted)
            .unwrap_or("")
            .trim_matches('\n')
    }

    /// The end of what was typed, submitted or not.
    pub(super) fn recent(&self) -> &str {
        let from = self.text.len().saturating_sub(RECENT);
        let from = (from..=self.text.len()).find(|at| self.text.is_char_boundary(*at));
        from.and_then(|at| self.text.get(at..)).unwrap_or("")
    }

    /// The message that was submitted; typing begins anew.
    pub(super) fn take_message(&mut self) -> String {
        let rest = self.text.split_off(self.submitted.min(self.text.len()));
        let message = std::mem::replace(&mut self.text, rest.trim_start_matches('\n').to_owned());
        self.submitted = 0;
        message.trim_matches('\n').to_owned()
    }

    /// Nothing of what was typed until now belongs to a message.
    pub(super) fn forget(&mut self) {
        self.text.clear();
        self.submitted = 0;
    }

    fn take(&mut self, input: &Input) -> Option<Keys> {
        match input {
            Input::Typed(text) => self.push(text),
            Input::Pasted(c) => self.push(c.encode_utf8(&mut [0; 4])),
            Input::LineFeed => self.push("\n"),
            Input::Key(key) => match (key.code, key.modifiers) {
                (KeyCode::Enter, Modifiers::NONE) => return Some(self.submit()),
                (KeyCode::Enter, _) => self.push("\n"),
                (KeyCode::Backspace, _) => {
                    self.text.pop();
                }
                (KeyCode::Escape, _) => return Some(Keys::Interrupt),
                (KeyCode::Char('c'), Modifiers::CTRL) => {
                    self.forget();
                    return Some(Keys::Interrupt);
                }
                (KeyCode::Char('u'), Modifiers::CTRL) => {
                    let line = self.text.rfind('\n').map_or(0, |at| at + 1);
                    self.text.truncate(line);
                }
                _ => {}
            },
            Input::Silent => return None,
            Input::Foreign => {}
        }
        Some(Keys::Editing)
    }

    fn submit(&mut self) -> Keys {
        self.submitted = self.text.len();
        self.push("\n");
        Keys::Submit
    }

    fn push(&mut self, text: &str) {
        if self.text.len() < LONGEST {
            self.text.push_str(text);
        }
    }
}

fn stronger(one: Option<Keys>, two: Option<Keys>) -> Option<Keys> {
    match (one, two) {
        (Some(Keys::Submit), _) | (_, Some(Keys::Submit)) => Some(Keys::Submit),
        (Some(Keys::Interrupt), _) | (_, Some(Keys::Interrupt)) => Some(Keys::Interrupt),
        (one, two) => two.or(one),
    }
}
