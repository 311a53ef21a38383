//! The human's keystrokes on their way to the program, with a shadow of the line being typed.
//!
//! Every byte passes at once and unchanged. Only the Enter that ends a line addressed to an agent
//! (`@handle message`) is handed out whole, for the caller to swallow or to pass; on such a line
//! bytes that may still become one are held until the next, or until [`Router::release`]. Where a
//! key may have done what the shadow cannot follow, the line is unknown and its Enter passes: a
//! wrong guess must never eat a person's text. Any split of the input gives the same steps.

use std::mem;

mod command;
mod csi;
mod edit;
pub(crate) mod lexer;
mod line;
mod utf8;

pub use command::{
    Command, CommandError, DEFAULT_PATTERN, Pattern, PatternError, Problem, ResponseMode,
    parse_line,
};

use edit::Edit;
use lexer::{Input, Lexer, Verdict};
use line::Line;

use crate::keys::KeyCode;

/// Follows what a person types into one program.
#[derive(Debug)]
pub struct Router {
    pattern: Pattern,
    line_feed: LineFeed,
    lexer: Lexer,
    line: Line,
    /// Bytes of an unfinished sequence that may turn out to be an Enter worth keeping back.
    held: Vec<u8>,
    /// How many bytes the lexer has taken since it last finished something.
    taken: usize,
}

impl Router {
    /// A router for a program with an empty input box.
    pub fn new(pattern: Pattern, line_feed: LineFeed) -> Self {
        Self {
            pattern,
            line_feed,
            lexer: Lexer::default(),
            line: Line::default(),
            held: Vec::new(),
            taken: 0,
        }
    }

    /// Follows a program that has changed what a bare LF does to it.
    pub fn set_line_feed(&mut self, line_feed: LineFeed) {
        self.line_feed = line_feed;
    }

    /// Takes what the terminal sent and says what to do with it.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Step> {
        let mut steps = Vec::new();
        for &byte in bytes {
            self.take(byte, &mut steps);
        }
        steps
    }

    /// Takes what the terminal sent, but nothing behind a line for another agent: what that does to
    /// the input box is not decided yet. Says how many bytes were taken.
    pub fn feed_to_line(&mut self, bytes: &[u8]) -> (Vec<Step>, usize) {
        let mut steps = Vec::new();
        for (index, &byte) in bytes.iter().enumerate() {
            self.take(byte, &mut steps);
            if matches!(steps.last(), Some(Step::Line(_))) {
                return (steps, index + 1);
            }
        }
        (steps, bytes.len())
    }

    /// The Enter of this line was swallowed and its text left in the input box.
    pub fn put_back(&mut self, candidate: &Candidate) {
        self.line.put_back(&candidate.text, candidate.cursor);
    }

    fn take(&mut self, byte: u8, steps: &mut Vec<Step>) {
        let mut verdict = self.lexer.push(byte);
        // What came before this byte was cut short by it; the byte begins anew. Each round
        // leaves the lexer with less begun, so this ends.
        while let Verdict::Broken(input) = verdict {
            self.taken = 0;
            self.follow(input);
            self.let_go(steps);
            verdict = self.lexer.push(byte);
        }
        self.held.push(byte);
        self.taken += 1;
        if let Verdict::Done(input) = verdict {
            let taken = mem::take(&mut self.taken);
            if let Some(candidate) = self.finish(input, taken) {
                steps.push(Step::Line(candidate));
            }
        }
        if !(self.lexer.may_become_enter() && self.command().is_some()) {
            self.let_go(steps);
        }
    }

    /// Whether the next byte decides what the last ones meant: a lone ESC is the Escape key only
    /// if nothing follows. The caller waits some tens of milliseconds, then calls
    /// [`release`](Self::release).
    pub fn is_waiting(&self) -> bool {
        !self.held.is_empty() || self.lexer.is_waiting()
    }

    /// Stops waiting: what was begun stands for itself, and what was held passes.
    pub fn release(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Some(input) = self.lexer.release() {
            self.taken = 0;
            self.follow(input);
        }
        self.let_go(&mut steps);
        steps
    }

    /// What the input box should hold.
    pub fn shadow(&self) -> Shadow {
        self.line.shadow()
    }

    /// Whether the input box is known to be empty, so that nobody is in the middle of a line.
    pub fn is_at_rest(&self) -> bool {
        self.line.is_known_empty() && !self.lexer.is_in_paste()
    }

    /// Says that the screen, settled after the last key, shows an empty input box: an unknown
    /// line is known again.
    pub fn saw_empty_box(&mut self) {
        if !self.lexer.is_in_paste() {
            self.line.apply(Edit::Clear);
        }
    }

    /// Ends a token of `taken` bytes: an Enter may make a candidate, anything else is followed.
    fn finish(&mut self, input: Input, taken: usize) -> Option<Candidate> {
        if !self.submits(&input) {
            self.follow(input);
            return None;
        }
        // In these programs a backslash before Enter asks for another line.
        if self.line.ends_in_backslash() {
            self.line.apply(Edit::Break);
            return None;
        }
        let is_whole = self.held.len() == taken;
        let command = self.command().filter(|_| is_whole);
        let Shadow { text, cursor, .. } = self.line.shadow();
        self.line.apply(Edit::Clear);
        command.map(|command| Candidate {
            text,
            cursor,
            command,
            enter: mem::take(&mut self.held),
        })
    }

    fn submits(&self, input: &Input) -> bool {
        match input {
            Input::LineFeed => self.line_feed == LineFeed::Submits,
            Input::Key(key) => key.code == KeyCode::Enter && key.modifiers.is_empty(),
            _ => false,
        }
    }

    fn follow(&mut self, input: Input) {
        match input {
            Input::Typed(text) => text.chars().for_each(|c| self.line.insert(c)),
            Input::Pasted(c) => self.line.insert(c),
            Input::Key(key) => self.line.apply(Edit::by(key)),
            Input::LineFeed => self.line.apply(Edit::Break),
            Input::Silent => {}
            Input::Foreign => self.line.apply(Edit::Lose),
        }
    }

    /// What the line asks for, if it is known, a single line, and addressed to somebody.
    fn command(&self) -> Option<Result<Command, CommandError>> {
        self.pattern.read(&self.line.single()?)
    }

    fn let_go(&mut self, steps: &mut Vec<Step>) {
        if self.held.is_empty() {
            return;
        }
        match steps.last_mut() {
            Some(Step::Pass(bytes)) => bytes.append(&mut self.held),
            _ => steps.push(Step::Pass(mem::take(&mut self.held))),
        }
    }
}

/// What a bare LF (Ctrl-J) does in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFeed {
    /// It ends the line, as in a shell or a line program.
    Submits,
    /// It breaks the line inside the input box, as in Claude, Codex and Gemini.
    Breaks,
}

/// What to do with a piece of the input, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Write these bytes to the program.
    Pass(Vec<u8>),
    /// A line for another agent was ended. Whatever follows must wait until its Enter is swallowed
    /// or passed.
    Line(Candidate),
}

/// A line that seems to be meant for another agent, and the Enter that ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The whole line as the shadow has it, to be compared with the screen.
    pub text: String,
    /// Where the cursor was, in bytes of `text`.
    pub cursor: usize,
    /// What it asks for.
    pub command: Result<Command, CommandError>,
    /// The bytes of the Enter. They were not passed.
    pub enter: Vec<u8>,
}

/// What the router believes to be in the input box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The text; empty when it is not known.
    pub text: String,
    /// Where the cursor is, in bytes of `text`.
    pub cursor: usize,
    /// Whether every key so far could be followed.
    pub is_known: bool,
}
