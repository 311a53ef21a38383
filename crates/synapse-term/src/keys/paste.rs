//! Text from elsewhere, made safe to write to a program: it may say anything and press nothing.

use super::KeyboardMode;

/// How many bytes a terminal in canonical mode keeps of one line; it drops the rest in silence.
pub const CANONICAL_LIMIT: usize = 4_095;

const OPEN: &str = "\x1b[200~";
const CLOSE: &str = "\x1b[201~";

/// Blanks for a tab that would otherwise press the Tab key.
const TAB_AS_BLANKS: &str = "    ";

/// Who gathers the program's input lines, as the terminal's `ICANON` flag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// The program reads keys itself; a line break is sent as LF.
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

/// The bytes that put `text` into the program's input, without submitting it.
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
) -> Result<Vec<u8>, PasteError> {
    let mut sent = String::with_capacity(text.len() + OPEN.len() + CLOSE.len());
    if mode.bracketed_paste {
        sent.push_str(OPEN);
    }
    let mut previous = None;
    for c in text.chars() {
        match c {
            '\n' if previous == Some('\r') => {}
            '\r' | '\n' => sent.push(match discipline {
                Discipline::Raw => '\n',
                Discipline::Canonical => ' ',
            }),
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
