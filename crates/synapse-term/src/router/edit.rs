//! What a key does to the line: the bindings that shells and the agents' input boxes share.
//!
//! A key they disagree about, or that brings in text from elsewhere, loses the line.

use crate::keys::{Key, KeyCode, Modifiers};

/// One thing that happens to the line being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Left,
    Right,
    WordLeft,
    WordRight,
    Start,
    End,
    /// Delete the character before the cursor.
    Rubout,
    /// Delete the character under the cursor.
    Delete,
    /// Delete back to a blank.
    RuboutBlankWord,
    /// Delete back to what is neither letter nor digit.
    RuboutWord,
    DeleteWord,
    KillToStart,
    KillToEnd,
    /// The box is empty.
    Clear,
    /// A line break inside the box.
    Break,
    /// Something was added to what stands before the cursor.
    Complete,
    /// An empty box is still empty; any other may have changed.
    Doubt,
    /// Nothing is known any more.
    Lose,
}

impl Edit {
    /// What `key` does. A plain Enter is not an edit.
    pub(super) fn by(key: Key) -> Self {
        let held = Modifier::of(key.modifiers);
        match (key.code, held) {
            (KeyCode::Char(c), Modifier::Ctrl) => control(c),
            (KeyCode::Char(c), Modifier::Alt) => alt(c),
            (KeyCode::Left, Modifier::Nothing) => Self::Left,
            (KeyCode::Right, Modifier::Nothing) => Self::Right,
            (KeyCode::Left, Modifier::Ctrl | Modifier::Alt) => Self::WordLeft,
            (KeyCode::Right, Modifier::Ctrl | Modifier::Alt) => Self::WordRight,
            (KeyCode::Home, Modifier::Nothing | Modifier::Ctrl) => Self::Start,
            (KeyCode::End, Modifier::Nothing | Modifier::Ctrl) => Self::End,
            (KeyCode::Backspace, Modifier::Nothing | Modifier::Shift) => Self::Rubout,
            (KeyCode::Backspace, Modifier::Ctrl | Modifier::Alt) => Self::RuboutWord,
            (KeyCode::Delete, Modifier::Nothing) => Self::Delete,
            (KeyCode::Delete, Modifier::Ctrl | Modifier::Alt) => Self::DeleteWord,
            (KeyCode::Enter, Modifier::Shift | Modifier::Alt) => Self::Break,
            (KeyCode::Tab, Modifier::Nothing) => Self::Complete,
            // Shift selects in some boxes, and what is selected is replaced by the next key.
            (
                KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End | KeyCode::Escape,
                _,
            ) => Self::Doubt,
            _ => Self::Lose,
        }
    }
}

/// The modifiers, one at a time: bindings for several at once are nobody's common ground.
enum Modifier {
    Nothing,
    Shift,
    Alt,
    Ctrl,
    Several,
}

impl Modifier {
    fn of(modifiers: Modifiers) -> Self {
        match modifiers {
            Modifiers::NONE => Self::Nothing,
            Modifiers::SHIFT => Self::Shift,
            Modifiers::ALT => Self::Alt,
            Modifiers::CTRL => Self::Ctrl,
            _ => Self::Several,
        }
    }
}

fn control(c: char) -> Edit {
    match c {
        'a' => Edit::Start,
        'e' => Edit::End,
        'b' => Edit::Left,
        'f' => Edit::Right,
        'c' => Edit::Clear,
        'd' => Edit::Delete,
        'h' => Edit::Rubout,
        'j' => Edit::Break,
        'k' => Edit::KillToEnd,
        'u' => Edit::KillToStart,
        'w' => Edit::RuboutBlankWord,
        // Redraw, transpose, suspend, quit and mark: none can fill an empty box.
        'l' | 't' | 'z' | '\\' | ' ' | '[' => Edit::Doubt,
        // History, search, yank, quoting, editors, undo: all can.
        _ => Edit::Lose,
    }
}

fn alt(c: char) -> Edit {
    match c {
        'b' => Edit::WordLeft,
        'f' => Edit::WordRight,
        'd' => Edit::DeleteWord,
        _ => Edit::Lose,
    }
}
