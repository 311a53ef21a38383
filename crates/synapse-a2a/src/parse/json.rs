//! Blocks of JSON that stand on lines of their own. A scan that costs nothing per line decides how long to
//! wait for the end; `serde_json` decides whether it is JSON.

use serde_json::Value;

/// `serde_json` gives up at this depth too, so waiting longer would be in vain.
const DEEPEST: usize = 128;

/// Follows brackets and strings until the first one closes.
#[derive(Debug, Default)]
pub(super) struct Scan {
    closers: Vec<u8>,
    is_in_string: bool,
}

/// What is known after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The block may go on.
    Open,
    /// The block ends with this line.
    Done,
    /// This was never JSON.
    Broken,
}

impl Scan {
    /// Reads one line, given without its line end.
    pub(super) fn feed(&mut self, line: &str) -> Progress {
        let mut bytes = line.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => self.is_in_string = !self.is_in_string,
                b'\\' if self.is_in_string => {
                    bytes.next();
                }
                _ if self.is_in_string => {}
                b'{' | b'[' if self.closers.len() == DEEPEST => return Progress::Broken,
                b'{' => self.closers.push(b'}'),
                b'[' => self.closers.push(b']'),
                b'}' | b']' if self.closers.pop() != Some(byte) => return Progress::Broken,
                b'}' | b']' if self.closers.is_empty() => {
                    let is_last = bytes.all(|behind| behind.is_ascii_whitespace());
                    return if is_last {
                        Progress::Done
                    } else {
                        Progress::Broken
                    };
                }
                _ if may_stand_outside_strings(byte) => {}
                _ => return Progress::Broken,
            }
        }
        // A string of JSON cannot go on in the next line.
        if self.is_in_string {
            Progress::Broken
        } else {
            Progress::Open
        }
    }
}

/// Whether a line could be the first of a block.
pub(super) fn may_begin(line: &str) -> bool {
    line.trim_start().starts_with(['{', '['])
}

/// The value of a complete block. A list counts only if it holds objects or lists: `[1]` is a footnote.
pub(super) fn value(block: &str) -> Option<Value> {
    let value = serde_json::from_str(block).ok()?;
    let is_data = match &value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    };
    is_data.then_some(value)
}

fn may_stand_outside_strings(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || byte.is_ascii_digit()
        || b",:]}+-.eE".contains(&byte)
        || b"truefalsenull".contains(&byte)
}
