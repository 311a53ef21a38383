//! The line being typed, as two halves with the cursor between them.
//!
//! It only ever claims what it could follow. Once lost it stays so until the line is submitted or
//! the box is known to be empty.

use unicode_width::UnicodeWidthChar;

use super::{Edit, Shadow};

/// How many bytes of a line are kept; nobody addresses an agent with more.
const LIMIT: usize = 64 * 1024;

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// What a person has typed since the input box was last empty.
#[derive(Debug, Default)]
pub(super) struct Line {
    before: String,
    after: String,
    certainty: Certainty,
}

/// How much is known of the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Certainty {
    #[default]
    Known,
    /// Only that it is one line with the cursor at its end, so that Ctrl-U empties it.
    OneLine,
    Lost,
}

impl Line {
    pub(super) fn shadow(&self) -> Shadow {
        Shadow {
            text: format!("{}{}", self.before, self.after),
            cursor: self.before.len(),
            is_known: self.certainty == Certainty::Known,
        }
    }

    pub(super) fn is_known_empty(&self) -> bool {
        self.certainty == Certainty::Known && self.before.is_empty() && self.after.is_empty()
    }

    /// This text is in the box, with the cursor at a byte of it.
    pub(super) fn put_back(&mut self, text: &str, cursor: usize) {
        let (before, after) = text.split_at_checked(cursor).unwrap_or((text, ""));
        *self = Self {
            before: before.to_owned(),
            after: after.to_owned(),
            certainty: Certainty::Known,
        };
    }

    /// The text, if it is known and has no line break.
    pub(super) fn single(&self) -> Option<String> {
        (self.certainty == Certainty::Known && !self.spans_lines()).then(|| self.shadow().text)
    }

    /// Whether the cursor stands behind a backslash.
    pub(super) fn ends_in_backslash(&self) -> bool {
        self.certainty == Certainty::Known && self.before.ends_with('\\')
    }

    /// Types or pastes `c` at the cursor.
    pub(super) fn insert(&mut self, c: char) {
        if c.is_control() && c != '\n' && c != '\t' {
            return self.lose();
        }
        match self.certainty {
            Certainty::Known => self.before.push(c),
            Certainty::OneLine if c == '\n' => self.lose(),
            Certainty::OneLine | Certainty::Lost => {}
        }
        if self.before.len() + self.after.len() > LIMIT {
            self.lose();
        }
    }

    /// Does what a key did.
    pub(super) fn apply(&mut self, edit: Edit) {
        match (self.certainty, edit) {
            (_, Edit::Clear) => *self = Self::default(),
            (_, Edit::Lose) => self.lose(),
            (Certainty::Known, edit) => self.change(edit),
            (Certainty::OneLine, edit) => self.change_unseen(edit),
            (Certainty::Lost, _) => {}
        }
    }

    fn change(&mut self, edit: Edit) {
        let goes_by_line = matches!(
            edit,
            Edit::Start | Edit::End | Edit::KillToStart | Edit::KillToEnd
        );
        if goes_by_line && self.spans_lines() {
            return self.lose();
        }
        match edit {
            Edit::Left => self.step_back(last_cluster(&self.before)),
            Edit::Right => self.step_forward(first_cluster(&self.after)),
            Edit::WordLeft => self.step_back(last_word(&self.before)),
            Edit::WordRight => self.step_forward(first_word(&self.after)),
            Edit::Start => self.step_back(0),
            Edit::End => self.step_forward(self.after.len()),
            Edit::Rubout => self.before.truncate(last_cluster(&self.before)),
            Edit::RuboutWord => self.before.truncate(last_word(&self.before)),
            Edit::RuboutBlankWord => self.before.truncate(last_blank_word(&self.before)),
            Edit::Delete => drop(self.after.drain(..first_cluster(&self.after))),
            Edit::DeleteWord => drop(self.after.drain(..first_word(&self.after))),
            Edit::KillToStart => self.before.clear(),
            Edit::KillToEnd => self.after.clear(),
            Edit::Break => self.insert('\n'),
            Edit::Complete if self.after.is_empty() && !self.spans_lines() => {
                self.lose();
                self.certainty = Certainty::OneLine;
            }
            Edit::Doubt if self.is_known_empty() => {}
            Edit::Complete | Edit::Doubt | Edit::Lose | Edit::Clear => self.lose(),
        }
    }

    /// Keeps what is known of a line with unknown text: where the cursor is, and how it ends.
    fn change_unseen(&mut self, edit: Edit) {
        match edit {
            Edit::KillToStart => *self = Self::default(),
            Edit::Complete
            | Edit::End
            | Edit::KillToEnd
            | Edit::Rubout
            | Edit::RuboutWord
            | Edit::RuboutBlankWord => {}
            _ => self.lose(),
        }
    }

    fn lose(&mut self) {
        *self = Self {
            certainty: Certainty::Lost,
            ..Self::default()
        };
    }

    fn spans_lines(&self) -> bool {
        self.before.contains('\n') || self.after.contains('\n')
    }

    /// Moves the cursor back to byte `to` of what stands before it.
    fn step_back(&mut self, to: usize) {
        let moved = self.before.split_off(to);
        self.after.insert_str(0, &moved);
    }

    /// Moves the cursor over the first `len` bytes of what stands after it.
    fn step_forward(&mut self, len: usize) {
        self.before.extend(self.after.drain(..len));
    }
}

/// Where the last character begins, counted with the marks that sit on it.
fn last_cluster(text: &str) -> usize {
    let mut chars = text.char_indices().rev().peekable();
    while let Some((at, c)) = chars.next() {
        if !chars
            .peek()
            .is_some_and(|(_, previous)| joins(*previous, c))
        {
            return at;
        }
    }
    0
}

/// Where the first character ends, counted with the marks that sit on it.
fn first_cluster(text: &str) -> usize {
    let mut chars = text.chars().peekable();
    let mut len = 0;
    while let Some(c) = chars.next() {
        len += c.len_utf8();
        if !chars.peek().is_some_and(|next| joins(c, *next)) {
            break;
        }
    }
    len
}

/// Whether two characters show as one. Editors are not of one mind about flags and the like; the
/// comparison with the screen settles those.
fn joins(previous: char, next: char) -> bool {
    let is_skin_tone = ('\u{1f3fb}'..='\u{1f3ff}').contains(&next);
    previous != '\n' && (previous == ZERO_WIDTH_JOINER || is_skin_tone || next.width() == Some(0))
}

fn last_word(text: &str) -> usize {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    text.trim_end_matches(char::is_alphanumeric).len()
}

fn last_blank_word(text: &str) -> usize {
    text.trim_end()
        .trim_end_matches(|c: char| !c.is_whitespace())
        .len()
}

fn first_word(text: &str) -> usize {
    let rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    text.len() - rest.trim_start_matches(char::is_alphanumeric).len()
}
