//! What is printed for people. Much of it was written by others: replies, questions, errors of peers, names of
//! folders. A terminal must show all of that and obey none of it.
//!
//! On a terminal [`out`] and [`err`] show every control character but line feed and tab, and whatever turns the
//! direction of text, as a picture. Pipes and files get every byte as it is, and so does a terminal with
//! `--raw-output`; with `--json` the output is exact too.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal as _, Stderr, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use synapse_machine::bidi::is_bidi_control;

/// Standard output is exact, whatever it leads to.
static IS_OUT_EXACT: AtomicBool = AtomicBool::new(false);
/// Standard error is.
static IS_ERR_EXACT: AtomicBool = AtomicBool::new(false);

/// Takes note of what was asked for on the command line.
pub(crate) fn begin(is_raw: bool) {
    let is_json = std::env::args_os().any(|word| word == "--json");
    IS_OUT_EXACT.store(is_raw || is_json, Ordering::Relaxed);
    IS_ERR_EXACT.store(is_raw, Ordering::Relaxed);
}

/// Standard output as it is, for programs that read it.
pub(crate) fn exact() -> Stdout {
    io::stdout()
}

/// Standard output, for what others may have written.
pub(crate) fn out() -> Printer<Stdout> {
    let out = io::stdout();
    let is_safe = out.is_terminal() && !IS_OUT_EXACT.load(Ordering::Relaxed);
    Printer::new(out, is_safe)
}

/// Standard error, for what others may have written.
pub(crate) fn err() -> Printer<Stderr> {
    let err = io::stderr();
    let is_safe = err.is_terminal() && !IS_ERR_EXACT.load(Ordering::Relaxed);
    Printer::new(err, is_safe)
}

/// Standard output for what we paint ourselves. What others wrote goes into it only through [`shown`].
pub(crate) fn painted() -> Stdout {
    io::stdout()
}

/// Prints a document: indented where a person looks at it, a line where a program reads it.
pub(crate) fn json(document: &impl Serialize) -> io::Result<()> {
    let mut out = exact();
    if out.is_terminal() {
        serde_json::to_writer_pretty(&mut out, document)?;
    } else {
        serde_json::to_writer(&mut out, document)?;
    }
    writeln!(out)
}

/// Standard error for what we paint ourselves, alike.
pub(crate) fn painted_err() -> Stderr {
    io::stderr()
}

/// A line on standard error; nobody can be told that it cannot be written.
pub(crate) fn note(line: fmt::Arguments<'_>) {
    let _ = writeln!(err(), "{line}");
}

/// A text of others as it can stand among what we paint.
pub(crate) fn shown(text: &str) -> String {
    if io::stdout().is_terminal() && !IS_OUT_EXACT.load(Ordering::Relaxed) {
        harmless(text)
    } else {
        text.to_owned()
    }
}

/// The same for what is painted on standard error, which is a terminal there.
pub(crate) fn shown_on_err(text: &str) -> String {
    if IS_ERR_EXACT.load(Ordering::Relaxed) {
        text.to_owned()
    } else {
        harmless(text)
    }
}

/// A text in which nothing is obeyed by a terminal.
fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => safe.push(c),
            '\0'..='\u{1f}' => safe.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => safe.push('␡'),
            c if c.is_control() || is_bidi_control(c) => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "<U+{:04X}>", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// A writer that makes what passes through it harmless, if it leads to a terminal.
pub(crate) struct Printer<W> {
    to: W,
    is_safe: bool,
    /// The beginning of a character whose end has not come.
    partial: Vec<u8>,
}

impl<W: Write> Printer<W> {
    fn new(to: W, is_safe: bool) -> Self {
        Self {
            to,
            is_safe,
            partial: Vec::new(),
        }
    }
}

impl<W: Write> Write for Printer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_safe {
            return self.to.write(bytes);
        }
        let mut all = std::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let mut safe = String::with_capacity(all.len());
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            safe.push_str(&harmless(chunk.valid()));
            let broken = chunk.invalid();
            // The last one may be a character that goes on with the next write.
            if chunks.peek().is_none()
                && std::str::from_utf8(broken).is_err_and(|e| e.error_len().is_none())
            {
                self.partial = broken.to_vec();
            } else if !broken.is_empty() {
                safe.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.to.write_all(safe.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&[u8]]) -> String {
        let mut printer = Printer::new(Vec::new(), true);
        for piece in pieces {
            printer.write_all(piece).unwrap();
        }
        String::from_utf8(printer.to).unwrap()
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        let hostile = "a\x1b]52;c;cm0=\x07\rb\tc\n\u{9b}2J\u{202e}x\x7f日本";
        let shown = "a␛]52;c;cm0=␇␍b\tc\n<U+009B>2J<U+202E>x␡日本";
        assert_eq!(written(&[hostile.as_bytes()]), shown);
        for split in 1..hostile.len() {
            let (one, other) = hostile.as_bytes().split_at(split);
            assert_eq!(written(&[one, other]), shown, "split at {split}");
        }
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(written(&[b"a\x9b2J\xffb"]), "a\u{fffd}2J\u{fffd}b");
    }

    #[test]
    fn what_leads_to_no_terminal_is_exact() {
        let mut printer = Printer::new(Vec::new(), false);
        printer.write_all(b"\x1b]0;x\x07\xff").unwrap();
        assert_eq!(printer.to, b"\x1b]0;x\x07\xff");
    }
}
