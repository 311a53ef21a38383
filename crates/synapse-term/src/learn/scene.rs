//! The moments of a recording that can be learned from: the screen at rest before each message, with the message in
//! the box, during the work, and at rest after the reply.

use std::sync::Arc;
use std::time::Duration;

use super::Lesson;
use crate::cast::{Cast, What};
use crate::frame::Frame;
use crate::profile::Profile;
use crate::prompt::Prompt;
use crate::reading::Reading;
use crate::watch::{Event, Watcher};

/// Two pictures of the work are at least this far apart.
const STEP: Duration = Duration::from_millis(40);

/// How much of a line is looked for: the rest may be wrapped.
const HEAD: usize = 24;

/// What was seen of a recording.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub(super) exchanges: Vec<Exchange>,
    /// The questions that were asked.
    pub(super) prompts: Vec<Prompt>,
    /// The key that stops the program, in its own words.
    pub(super) interrupt_key: Option<&'static str>,
}

/// What was seen of one lesson.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) lesson: Lesson,
    /// When nobody had typed anything yet, and what the screen showed.
    pub(super) rest: (Duration, Frame),
    /// Just before the submit key.
    pub(super) submit: (Duration, Frame),
    /// Until the reply was there.
    pub(super) work: Vec<(Duration, Frame)>,
    /// When the whole reply was seen first.
    pub(super) replied: Option<Duration>,
    /// At the end, before anything else was typed.
    pub(super) after: (Duration, Frame),
}

impl Exchange {
    /// How long the program was seen at work.
    pub(super) fn span(&self) -> Duration {
        self.replied
            .map_or(Duration::ZERO, |at| at.saturating_sub(self.submit.0))
    }
}

/// The beginning of the first line of a text.
pub(super) fn head(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or("").trim().chars().take(HEAD).collect()
}

pub(super) fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

impl Scene {
    pub(super) fn of(cast: &Cast, lessons: &[Lesson]) -> Self {
        let Ok(profile) = Profile::builtin("generic") else {
            return Self::default();
        };
        let mut play = Play {
            watcher: Watcher::new(Arc::new(profile), cast.size),
            keys: TypedKeys::default(),
            lessons: lessons.iter(),
            rest: None,
            scene: Self::default(),
        };
        for event in &cast.events {
            play.step(event.at, &event.what);
        }
        play.finish(cast.end());
        play.scene
    }
}

struct Play<'a> {
    watcher: Watcher,
    keys: TypedKeys,
    lessons: std::slice::Iter<'a, Lesson>,
    /// The screen before the text that is being typed.
    rest: Option<(Duration, Frame)>,
    scene: Scene,
}

impl Play<'_> {
    fn step(&mut self, now: Duration, what: &What) {
        match what {
            What::Output(text) => {
                self.watcher.feed(text.as_bytes(), now);
                self.look(now);
            }
            What::Input(text) => {
                self.typed(text, now);
                self.watcher.input(text.as_bytes(), now);
            }
            What::Resize(size) => self.watcher.resize(*size, now),
            What::Exit(status) => self.watcher.exit(status, now),
            What::Other => {}
        }
        self.take_events();
    }

    fn take_events(&mut self) {
        for event in self.watcher.take_events() {
            if let Event::Reading(change) = event
                && let Reading::Asking(prompt) = change.reading
            {
                self.scene.prompts.push(*prompt);
            }
        }
        let key = self.watcher.interrupt_key();
        self.scene.interrupt_key = key.or(self.scene.interrupt_key);
    }

    fn typed(&mut self, text: &str, now: Duration) {
        let frame = self.watcher.frame();
        for submitted in self.keys.feed(text) {
            let Some(submitted) = submitted else {
                // The text begins.
                if self.rest.is_none() {
                    self.close(now, &frame);
                    self.rest = Some((now, frame.clone()));
                }
                continue;
            };
            let rest = self.rest.take();
            let Some(lesson) = self.lessons.as_slice().first() else {
                continue;
            };
            if let Some(rest) = rest.filter(|_| bare(&submitted) == bare(&lesson.typed)) {
                self.lessons.next();
                self.scene.exchanges.push(Exchange {
                    lesson: lesson.clone(),
                    rest,
                    submit: (now, frame.clone()),
                    work: Vec::new(),
                    replied: None,
                    after: (now, frame.clone()),
                });
            }
        }
    }

    /// The last exchange ends before something else is typed.
    fn close(&mut self, now: Duration, frame: &Frame) {
        if let Some(exchange) = self.scene.exchanges.last_mut() {
            exchange.after = (now, frame.clone());
        }
    }

    fn look(&mut self, now: Duration) {
        let Some(exchange) = self.scene.exchanges.last_mut() else {
            return;
        };
        if exchange.replied.is_some() || self.rest.is_some() {
            return;
        }
        let frame = self.watcher.frame();
        if let Some(reply) = &exchange.lesson.reply
            && has_reply(&frame, &exchange.lesson.typed, reply)
        {
            exchange.replied = Some(now);
            return;
        }
        let last = exchange.work.last().map_or(Duration::ZERO, |(at, _)| *at);
        if now >= last + STEP {
            exchange.work.push((now, frame));
        }
    }

    fn finish(&mut self, end: Duration) {
        self.watcher.finish(end);
        self.take_events();
        let frame = self.watcher.frame();
        if self.rest.is_none() {
            self.close(end, &frame);
        }
    }
}

/// The lines of a Markdown text that every program shows: neither blank ones nor the fences of code.
pub(super) fn shown_lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let is_shown = |line: &&str| !(line.trim().is_empty() || line.trim_start().starts_with("```"));
    text.lines().filter(is_shown)
}

/// Whether the end of the reply is on the screen, beside what the message itself says of it.
fn has_reply(frame: &Frame, typed: &str, reply: &str) -> bool {
    let Some(last) = shown_lines(reply).next_back() else {
        return false;
    };
    let last = bare(last);
    let rows: String = frame.rows.iter().map(|row| bare(&row.text)).collect();
    rows.matches(&last).count() > bare(typed).matches(&last).count()
}

/// What was typed, out of what was written to the program: without the marks of pastes and without the answers that
/// a terminal gives by itself.
#[derive(Debug, Default)]
struct TypedKeys {
    text: String,
    is_pasting: bool,
}

impl TypedKeys {
    /// For each thing that was pressed: nothing for a character, the text for the submit key.
    fn feed(&mut self, written: &str) -> Vec<Option<String>> {
        let mut found = Vec::new();
        let mut rest = written;
        while let Some(c) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("\x1b[200~") {
                (self.is_pasting, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix("\x1b[201~") {
                (self.is_pasting, rest) = (false, after);
            } else if c == '\x1b' {
                rest = after_sequence(rest);
            } else {
                rest = rest.get(c.len_utf8()..).unwrap_or("");
                match c {
                    '\r' | '\n' if !self.is_pasting => {
                        found.push(Some(std::mem::take(&mut self.text)));
                    }
                    '\x7f' => {
                        self.text.pop();
                    }
                    '\r' => self.text.push('\n'),
                    c if c.is_control() && c != '\n' => {}
                    c => {
                        self.text.push(c);
                        found.push(None);
                    }
                }
            }
        }
        found
    }
}

/// What follows an escape sequence.
fn after_sequence(text: &str) -> &str {
    let mut chars = text.char_indices().skip(1);
    let end = match chars.next() {
        Some((_, '[')) => chars.find(|(_, c)| matches!(c, '@'..='~')),
        Some((_, ']' | 'P' | '_' | '^')) => chars.find(|(_, c)| matches!(c, '\x07' | '\\')),
        other => other,
    };
    end.and_then(|(at, c)| text.get(at + c.len_utf8()..))
        .unwrap_or("")
}
