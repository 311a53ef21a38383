//! Text from elsewhere, made safe to write to a program: it may say anything and press nothing.

use super::{Key, KeyboardMode, encode};

/// How many bytes a terminal in canonical mode keeps of one line; it drops the rest in silence.
pub const CANONICAL_LIMIT: usize = 4_095;

const OPEN: &str = "\x1b[200~";
const CLOSE: &str = "\x1b[201~";

/// Blanks for a tab that would otherwise press the Tab key.
const TAB_AS_BLANKS: &str = "    ";

/// Who gathers the program's input lines, as the terminal's `ICANON` flag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// The program reads keys itself. Between the marks of a paste a line break is LF; without them most
    /// programs take that for Enter, so it becomes a blank unless the profile names keys for it.
    Raw,
    /// The kernel hands it whole lines: a line break would submit, so it becomes a blank, and a
    /// line has a length limit.
    Canonical,
}

/// Why a text cannot be pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasteError {
    /// More than the kernel keeps of a line.
    #[error(
        "the message is {bytes} bytes long, but this program reads whole lines of at most \
         {CANONICAL_LIMIT} bytes"
    )]
    TooLongForALine {
        /// How many bytes would have been written.
        bytes: usize,
    },
}

/// The bytes that put `text` into the program's input, without submitting it. `newline_keys` are the keys that
/// begin another line in a program that does not know pastes.
///
/// Control characters are dropped, so that no text can end its own paste or press a key; line
/// ends of any kind count as one line break. Every other character, format characters too, is
/// text and stays.
///
/// # Errors
/// When the program reads whole lines and the text is longer than a line can be.
pub fn paste(
    text: &str,
    mode: &KeyboardMode,
    discipline: Discipline,
    newline_keys: &[String],
) -> Result<Vec<u8>, PasteError> {
    let line_break = match discipline {
        Discipline::Raw if mode.bracketed_paste => "\n".to_owned(),
        Discipline::Raw if !newline_keys.is_empty() => pressed(newline_keys, *mode),
        Discipline::Raw | Discipline::Canonical => " ".to_owned(),
    };
    let mut sent = String::with_capacity(text.len() + OPEN.len() + CLOSE.len());
    if mode.bracketed_paste {
        sent.push_str(OPEN);
    }
    let mut previous = None;
    for c in text.chars() {
        match c {
            '\n' if previous == Some('\r') => {}
            '\r' | '\n' => sent.push_str(&line_break),
            // Between the marks, and to the kernel, a tab is a character.
            '\t' if mode.bracketed_paste || discipline == Discipline::Canonical => sent.push(c),
            '\t' => sent.push_str(TAB_AS_BLANKS),
            c if c.is_control() => {}
            c => sent.push(c),
        }
        previous = Some(c);
    }
    if mode.bracketed_paste {
        sent.push_str(CLOSE);
    }
    if discipline == Discipline::Canonical && sent.len() > CANONICAL_LIMIT {
        return Err(PasteError::TooLongForALine { bytes: sent.len() });
    }
    Ok(sent.into_bytes())
}

/// What these keys send.
fn pressed(keys: &[String], mode: KeyboardMode) -> String {
    let keys = keys.iter().filter_map(|name| Key::parse(name).ok());
    let bytes: Vec<u8> = keys.flat_map(|key| encode(&key, &mode)).collect();
    String::from_utf8(bytes).unwrap_or_default()
}
