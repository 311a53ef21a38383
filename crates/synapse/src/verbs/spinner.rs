//! A wait, shown on standard error with what is waited for and how long already. Only on a
//! terminal, and gone without a trace when the wait is over. Where words alone are wanted, each thing that is waited
//! for is a line.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use synapse_pty::tty;

use super::paint;
use crate::verbs::print;

/// How often it turns.
const PACE: Duration = Duration::from_millis(100);

/// A wait being shown, until dropped.
pub(super) struct Spinner {
    bar: ProgressBar,
    /// What was said last, where each thing is a line.
    told: Option<Mutex<String>>,
}

impl Spinner {
    /// Shows that something is waited for.
    pub(super) fn begin(what: impl Into<String>) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let target = if is_terminal && !paint::is_plain() {
            ProgressDrawTarget::term_like(Box::new(Stderr::default()))
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        turn(&bar);
        let told = is_terminal && paint::is_plain();
        let spinner = Self {
            bar,
            told: told.then(Mutex::default),
        };
        spinner.say(what);
        spinner
    }

    /// Shows that something else is waited for.
    pub(super) fn say(&self, what: impl Into<String>) {
        let what = what.into();
        self.bar.set_message(print::shown_on_err(&what));
        if let Some(told) = &self.told {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if *told != what {
                note!("{what}");
                *told = what;
            }
        }
    }

    /// Asks something. It stands still, so that what is typed behind it can be seen.
    pub(super) fn ask(&self, question: &str) {
        self.bar.disable_steady_tick();
        if let Ok(style) = ProgressStyle::with_template("{prefix}? {msg} ") {
            self.bar.set_style(style);
        }
        self.say(question);
    }

    /// Goes on after a question.
    pub(super) fn go_on(&self) {
        turn(&self.bar);
    }

    /// Takes back the line that a typed Enter has begun. A typed word is wiped with it.
    pub(super) fn entered(&self) {
        if self.bar.is_hidden() {
            return;
        }
        let _ = print::painted_err().write_all(b"\x1b[A");
        self.bar.tick();
    }

    /// Shows lines above it, in place of those before.
    pub(super) fn show(&self, lines: &[String]) {
        let text = lines.iter().map(|line| print::shown_on_err(line) + "\n");
        self.bar.set_prefix(text.collect::<String>());
    }

    /// Does something that writes to the terminal, out of its way.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Columns and rows there are for lines above it, if anybody can see them.
    pub(super) fn room(&self) -> Option<(usize, usize)> {
        let size = tty::size();
        let cols = size.cols.saturating_sub(1);
        let rows = size.rows.saturating_sub(2);
        (!self.bar.is_hidden()).then_some((cols.into(), rows.into()))
    }
}

fn turn(bar: &ProgressBar) {
    if let Ok(style) = ProgressStyle::with_template("{prefix}{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(PACE);
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Standard error as a terminal; what is painted at once is written at once.
#[derive(Debug, Default)]
struct Stderr(Mutex<String>);

impl Stderr {
    fn add(&self, text: &str) {
        let mut painted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        painted.push_str(text);
    }

    /// Moves the cursor, not at all for 0: a terminal takes that for 1.
    fn go(&self, count: usize, way: char) {
        if count > 0 {
            self.add(&format!("\x1b[{count}{way}"));
        }
    }
}

impl TermLike for Stderr {
    fn width(&self) -> u16 {
        tty::size().cols
    }

    fn height(&self) -> u16 {
        tty::size().rows
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.go(count, 'A');
        Ok(())
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.go(count, 'B');
        Ok(())
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.go(count, 'C');
        Ok(())
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.go(count, 'D');
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.add(text);
        self.add("\n");
        Ok(())
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add("\r\x1b[2K");
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let painted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        // Every line is filled with blanks. Behind those of the last, a terminal's `^C` would begin
        // a line that nobody clears. One blank stays where there are more: something may be typed behind it.
        let text = painted.trim_end_matches(' ');
        let blanks = painted.len() - text.len();
        let shown = painted.get(..text.len() + usize::from(blanks > 1));
        print::painted_err().write_all(shown.unwrap_or(text).as_bytes())
    }
}
