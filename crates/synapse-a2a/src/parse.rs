//! Reply text → artifacts, line by line as it arrives: fenced code, JSON blocks, file references, and the
//! text between. Any split of the input gives the same changes. It never makes an error artifact: the
//! word "error" in a reply is just a word.

mod fence;
mod json;
mod reference;

use std::collections::VecDeque;
use std::mem;

use crate::artifact::Body;
pub use fence::unfenced_lines;
use fence::{Fence, Lists};
use json::{Progress, Scan};

/// Cuts one reply into artifacts.
#[derive(Debug)]
pub struct Parser {
    switches: Switches,
    /// The line whose end has not arrived yet.
    unfinished: String,
    block: Block,
    lists: Lists,
    text: TextRun,
    /// Files named inside a sentence; they follow the text that names them.
    mentioned: Vec<String>,
}

impl Parser {
    /// A parser that looks for what the switches allow.
    pub fn new(switches: Switches) -> Self {
        Self {
            switches,
            unfinished: String::new(),
            block: Block::Prose,
            lists: Lists::default(),
            text: TextRun::default(),
            mentioned: Vec::new(),
        }
    }

    /// Takes the next piece of the reply and says what its finished lines became.
    pub fn feed(&mut self, piece: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        for segment in piece.split_inclusive('\n') {
            self.unfinished.push_str(segment);
            if self.unfinished.ends_with('\n') {
                let mut line = mem::take(&mut self.unfinished);
                line.pop();
                if line.ends_with('\r') {
                    line.pop();
                }
                self.take_lines(VecDeque::from([line]), &mut changes);
            }
        }
        changes
    }

    /// Ends the reply and settles what is still open or held back.
    pub fn finish(mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        let last = mem::take(&mut self.unfinished);
        if !last.is_empty() {
            self.take_lines(VecDeque::from([last]), &mut changes);
        }
        loop {
            match mem::replace(&mut self.block, Block::Prose) {
                // The lines behind the first may begin another block that never closes.
                Block::Json { held, .. } => {
                    let mut lines = VecDeque::new();
                    self.give_up_json(held, &mut lines, &mut changes);
                    self.take_lines(lines, &mut changes);
                }
                Block::Code { .. } => {
                    changes.push(Change::Close);
                    break;
                }
                Block::Prose | Block::Verbatim { .. } => {
                    self.end_text(&mut changes);
                    break;
                }
            }
        }
        changes
    }

    fn take_lines(&mut self, mut lines: VecDeque<String>, changes: &mut Vec<Change>) {
        while let Some(line) = lines.pop_front() {
            match mem::replace(&mut self.block, Block::Prose) {
                Block::Prose if self.switches.parse_json && json::may_begin(&line) => {
                    self.take_json(line, Scan::default(), Vec::new(), &mut lines, changes);
                }
                Block::Prose => self.take_prose(&line, changes),
                Block::Code { fence, is_empty } => self.take_code(&line, fence, is_empty, changes),
                Block::Verbatim { fence } => {
                    self.text.say(&line, changes);
                    if !fence.is_closed_by(&line) {
                        self.block = Block::Verbatim { fence };
                    }
                }
                Block::Json { scan, held } => {
                    self.take_json(line, scan, held, &mut lines, changes);
                }
            }
        }
    }

    fn take_prose(&mut self, line: &str, changes: &mut Vec<Change>) {
        let content = self.lists.enter(line);
        if let Some(fence) = Fence::open(&content) {
            if self.switches.parse_code_blocks {
                self.end_text(changes);
                changes.push(Change::Open(Body::code(fence.info(), "")));
                self.block = Block::Code {
                    fence,
                    is_empty: true,
                };
            } else {
                self.text.say(line, changes);
                self.block = Block::Verbatim { fence };
            }
            return;
        }
        if self.switches.parse_file_refs {
            if let Some(path) = reference::whole(content.text) {
                self.emit_whole(Body::file(path), changes);
                return;
            }
            self.mentioned
                .extend(reference::mentions(line).map(str::to_owned));
        }
        self.text.say(line, changes);
    }

    fn take_code(
        &mut self,
        line: &str,
        mut fence: Fence,
        is_empty: bool,
        changes: &mut Vec<Change>,
    ) {
        if fence.is_closed_by(line) {
            changes.push(Change::Close);
            return;
        }
        let mut text = String::from(if is_empty { "" } else { "\n" });
        text.push_str(&fence.without_indent(line));
        if !text.is_empty() {
            changes.push(Change::Append(text));
        }
        self.block = Block::Code {
            fence,
            is_empty: false,
        };
    }

    fn take_json(
        &mut self,
        line: String,
        mut scan: Scan,
        mut held: Vec<String>,
        lines: &mut VecDeque<String>,
        changes: &mut Vec<Change>,
    ) {
        let progress = scan.feed(&line);
        held.push(line);
        let value = match progress {
            Progress::Open => {
                self.block = Block::Json { scan, held };
                return;
            }
            Progress::Done => json::value(&held.join("\n")),
            Progress::Broken => None,
        };
        match value {
            Some(data) => self.emit_whole(Body::Data { data }, changes),
            None => self.give_up_json(held, lines, changes),
        }
    }

    /// The first line is prose after all; those behind it are to be looked at afresh.
    fn give_up_json(
        &mut self,
        held: Vec<String>,
        lines: &mut VecDeque<String>,
        changes: &mut Vec<Change>,
    ) {
        for line in held.into_iter().rev() {
            lines.push_front(line);
        }
        if let Some(first) = lines.pop_front() {
            self.take_prose(&first, changes);
        }
    }

    fn emit_whole(&mut self, body: Body, changes: &mut Vec<Change>) {
        self.end_text(changes);
        changes.extend([Change::Open(body), Change::Close]);
    }

    fn end_text(&mut self, changes: &mut Vec<Change>) {
        self.text.end(changes);
        for path in self.mentioned.drain(..) {
            changes.extend([Change::Open(Body::file(path)), Change::Close]);
        }
    }
}

/// What to look for. What is switched off stays text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    pub parse_code_blocks: bool,
    /// Names of files.
    pub parse_file_refs: bool,
    /// Blocks of JSON outside fences.
    pub parse_json: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            parse_code_blocks: true,
            parse_file_refs: true,
            parse_json: true,
        }
    }
}

/// What a finished line did. At most one artifact is open at a time.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The next artifact begins with this.
    Open(Body),
    /// The open artifact grows by this text.
    Append(String),
    /// The open artifact is complete.
    Close,
}

/// Parses a whole reply at once.
///
/// ```
/// use synapse_a2a::artifact::Body;
/// use synapse_a2a::parse::{Switches, parse};
///
/// let bodies = parse("Result:\n```python\nprint('hello')\n```\n", Switches::default());
/// assert_eq!(bodies, [Body::text("Result:"), Body::code("python", "print('hello')")]);
/// ```
pub fn parse(reply: &str, switches: Switches) -> Vec<Body> {
    let mut parser = Parser::new(switches);
    let mut changes = parser.feed(reply);
    changes.extend(parser.finish());
    assemble(changes)
}

/// Folds changes into the artifacts they describe.
pub fn assemble(changes: impl IntoIterator<Item = Change>) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    for change in changes {
        match change {
            Change::Open(body) => bodies.push(body),
            Change::Append(more) => {
                if let Some(text) = bodies.last_mut().and_then(Body::growing_text) {
                    text.push_str(&more);
                }
            }
            Change::Close => {}
        }
    }
    bodies
}

/// What the next line belongs to.
#[derive(Debug)]
enum Block {
    Prose,
    Code {
        fence: Fence,
        is_empty: bool,
    },
    /// Fenced code that is to stay text.
    Verbatim {
        fence: Fence,
    },
    /// Lines that may turn out to be JSON, held back until that is decided.
    Json {
        scan: Scan,
        held: Vec<String>,
    },
}

/// The text between other artifacts, without the blank lines around it.
#[derive(Debug, Default)]
struct TextRun {
    is_open: bool,
    /// White space after the last word; it belongs to the text only if another word follows.
    held: String,
}

impl TextRun {
    fn say(&mut self, line: &str, changes: &mut Vec<Change>) {
        let words = line.trim_end();
        if !words.is_empty() {
            if self.is_open {
                changes.push(Change::Append(mem::take(&mut self.held) + words));
            } else {
                changes.push(Change::Open(Body::text(words)));
                self.is_open = true;
            }
        }
        if self.is_open {
            self.held
                .push_str(line.strip_prefix(words).unwrap_or_default());
            self.held.push('\n');
        }
    }

    fn end(&mut self, changes: &mut Vec<Change>) {
        if mem::take(&mut self.is_open) {
            changes.push(Change::Close);
        }
        self.held.clear();
    }
}

#[cfg(test)]
mod tests;
