//! A whole screen with a conversation, a spinner and an input box, as coding agents have it.

use std::io::Write;
use std::time::Duration;

use synapse_term::frame::width;

use super::Agent;
use super::PROMPT;
use super::directive::{Directive, WORDS};
use super::input::Stop;
use super::key::Key;
use super::modes::Modes;

/// The other screen, and pastes between marks; and the way back.
const BEGIN: &str = "\x1b[?1049h\x1b[?2004h";
const END: &str = "\x1b[?2004l\x1b[?25h\x1b[?1049l";

/// What a spinner is made of.
const SPINNER: [char; 6] = ['·', '✢', '✳', '✶', '✻', '✽'];

/// How long it thinks before it says anything, and between two turns of the spinner.
const THOUGHT: Duration = Duration::from_millis(400);
const PACE: Duration = Duration::from_millis(80);

/// What it says when it is left.
const GOODBYE: &str = "left the screen";

struct Screen {
    said: Vec<String>,
    draft: String,
    /// The place of the spinner, while it works.
    working: Option<usize>,
}

/// Shows the screen until somebody leaves it. Whether there was a terminal for it.
pub(super) fn show<W: Write>(agent: &mut Agent<W>) -> Result<bool, Stop> {
    let modes = Modes::keys().and_then(END);
    if !modes.is_terminal() {
        return Ok(false);
    }
    write!(agent.out, "{BEGIN}")?;
    let mut screen = Screen {
        said: vec!["A screen of its own. Say `leave` to come back.".to_owned()],
        draft: String::new(),
        working: None,
    };
    let end = talk(agent, &mut screen);
    drop(modes);
    agent.input.take_lines();
    end?;
    writeln!(agent.out, "{GOODBYE}")?;
    Ok(true)
}

fn talk<W: Write>(agent: &mut Agent<W>, screen: &mut Screen) -> Result<(), Stop> {
    loop {
        screen.paint(&mut agent.out)?;
        match agent.input.key(None) {
            Ok(Some(Key::Char(c))) => screen.draft.push(c),
            // A paste may have lines; the box has one.
            Ok(Some(Key::Paste(text))) => screen.draft.push_str(&text.replace(['\r', '\n'], " ")),
            Ok(Some(Key::Backspace)) => drop(screen.draft.pop()),
            Ok(Some(Key::Clear)) | Err(Stop::Interrupted) => screen.draft.clear(),
            Ok(Some(Key::End)) => return Ok(()),
            Ok(Some(Key::Enter)) => {
                let message = std::mem::take(&mut screen.draft);
                if message.trim() == "leave" {
                    return Ok(());
                }
                match screen.obey(agent, &message) {
                    Err(Stop::Interrupted) => {
                        agent.input.forget();
                        screen.said.push("^C interrupted".to_owned());
                    }
                    done => done?,
                }
                screen.working = None;
            }
            Ok(_) => {}
            Err(stop) => return Err(stop),
        }
    }
}

impl Screen {
    fn obey<W: Write>(&mut self, agent: &mut Agent<W>, message: &str) -> Result<(), Stop> {
        self.said.push(format!("> {message}"));
        self.work(agent, THOUGHT)?;
        match Directive::read(message) {
            Directive::Nothing => drop(self.said.pop()),
            Directive::Say(text) => self.said.extend(text.lines().map(str::to_owned)),
            Directive::Long(lines, pause) => {
                for n in 1..=lines {
                    self.said.push(format!("line {n} of {lines}"));
                    self.work(agent, pause)?;
                }
            }
            Directive::Slow(time) => {
                let step = time / WORDS.split(' ').count() as u32;
                self.said.push(String::new());
                for word in WORDS.split_inclusive(' ') {
                    if let Some(line) = self.said.last_mut() {
                        line.push_str(word);
                    }
                    self.work(agent, step)?;
                }
            }
            Directive::Wait(time) => {
                self.work(agent, time)?;
                self.said
                    .push(format!("waited {} seconds", time.as_secs_f64()));
            }
            Directive::Exit(code) => return Err(Stop::Exit(code)),
            Directive::Crash => std::process::abort(),
            _ => self
                .said
                .push("error: not on this screen; say `leave` first".to_owned()),
        }
        Ok(())
    }

    /// Turns the spinner for a while. Escape and Ctrl-C interrupt; other keys go into the box.
    fn work<W: Write>(&mut self, agent: &mut Agent<W>, time: Duration) -> Result<(), Stop> {
        let mut left = time;
        loop {
            self.working = Some(self.working.map_or(0, |at| at + 1));
            self.paint(&mut agent.out)?;
            if left.is_zero() {
                return Ok(());
            }
            let step = left.min(PACE);
            left -= step;
            match agent.input.key(Some(step))? {
                Some(Key::Escape) => return Err(Stop::Interrupted),
                Some(Key::Char(c)) => self.draft.push(c),
                _ => {}
            }
        }
    }

    /// Paints everything, in one go.
    fn paint(&self, out: &mut impl Write) -> Result<(), Stop> {
        let (cols, rows) = window();
        let mut lines: Vec<String> = self.said.iter().flat_map(|line| wrap(line, cols)).collect();
        if let Some(at) = self.working {
            let glyph = SPINNER
                .iter()
                .cycle()
                .nth(at % SPINNER.len())
                .unwrap_or(&'·');
            lines.push(String::new());
            lines.push(format!("{glyph} Working… (esc to interrupt)"));
        }
        let room = rows.saturating_sub(3);
        let lines = lines.split_off(lines.len().saturating_sub(room));
        let rule = "─".repeat(cols);
        let draft = tail(&self.draft, cols.saturating_sub(PROMPT.len() + 1));
        write!(out, "\x1b[?2026h\x1b[?25l\x1b[H\x1b[2J{}", lines.join("\n"))?;
        let box_row = rows.saturating_sub(1);
        write!(out, "\x1b[{box_row};1H{rule}\n{PROMPT}{draft}")?;
        let col = PROMPT.len() + width(draft) + 1;
        write!(out, "\x1b[{};{col}H\x1b[?25h\x1b[?2026l", box_row + 1)?;
        Ok(out.flush()?)
    }
}

/// The columns and rows there are; a terminal that does not say has the usual ones.
fn window() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdin()).ok();
    let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    size.map_or((80, 24), |size| (size.ws_col.into(), size.ws_row.into()))
}

/// Breaks a line at its blanks, and a word only if it is longer than a row.
fn wrap(line: &str, cols: usize) -> Vec<String> {
    let cols = cols.max(2);
    let mut rows = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let is_full = |row: &String| !row.is_empty() && width(row) + width(word.trim_end()) > cols;
        if rows.last().is_none_or(is_full) {
            rows.push(String::new());
        }
        for c in word.chars() {
            let wide = width(c.encode_utf8(&mut [0; 4]));
            match rows.last_mut() {
                Some(row) if width(row) + wide <= cols => row.push(c),
                // The blank at the end of a full row is not missed.
                Some(_) if c == ' ' => {}
                _ => rows.push(c.to_string()),
            }
        }
    }
    rows
}

/// The end of a text that fits.
fn tail(text: &str, cols: usize) -> &str {
    let mut starts = text.char_indices().map(|(at, _)| at);
    starts
        .find_map(|at| text.get(at..).filter(|rest| width(rest) <= cols))
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_and_drafts_cut_by_their_width() {
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("abc", 0), ["ab", "c"]);
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("  indented", 20), ["  indented"]);
        assert_eq!(tail("日本語", 4), "本語");
        assert_eq!(tail("abc", 0), "");
    }
}
