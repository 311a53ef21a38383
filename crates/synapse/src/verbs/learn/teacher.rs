//! Types the lessons into a program that runs in front of the user, whose keys reach it as ever. Where there is no
//! terminal, the program gets one of the usual size that nobody sees.

use std::collections::VecDeque;
use std::fs::File;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use synapse_pty::tty::{self, Keyboard, RawMode};
use synapse_pty::{Output, Pty, Size, Spawn, Writer};
use synapse_term::keys::{Discipline, paste};
use synapse_term::learn::Lesson;
use synapse_term::profile::Profile;
use synapse_term::prompt::Prompt;
use synapse_term::reading::{Reading, State};
use synapse_term::watch::{Event, Watcher};

use crate::verbs::record::Tape;

/// How often the time is looked at.
const BEAT: Duration = Duration::from_millis(50);

/// A program must rest for this long before anything is typed.
const REST: Duration = Duration::from_millis(1_200);

/// Between the text and the submit key.
const SUBMIT_PAUSE: Duration = Duration::from_millis(500);

/// How long a program may take to start, and to answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// How long a question is left to the user before it is answered with no.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);

/// The same where there is no user.
const ALONE_PATIENCE: Duration = Duration::from_secs(2);

/// How long a question that keeps us from beginning may stand where there is no user.
const STUCK_PATIENCE: Duration = Duration::from_secs(5);

/// How long a program may take to rest after it was told no.
const REFUSED_PATIENCE: Duration = Duration::from_secs(10);

/// How long the program may take to end.
const END_PATIENCE: Duration = Duration::from_secs(3);

/// What came of the lessons.
pub(super) struct Taught {
    /// How many were not answered.
    pub(super) left: usize,
    /// The program ended before they did.
    pub(super) has_ended: bool,
}

/// Teaches with a program.
pub(super) fn teach(command: &[String], lessons: &[Lesson], file: File) -> Result<Taught> {
    let is_seen = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    if is_seen {
        tty::restore_on_panic();
    }
    if !is_seen {
        note!("starting the program in a terminal nobody sees; this takes a minute or two");
    }
    let taught = runtime.block_on(async {
        let raw = if is_seen {
            Some(RawMode::enter()?)
        } else {
            None
        };
        let size = if is_seen {
            tty::size()
        } else {
            Size::new(120, 40)
        };
        let spawn = Spawn {
            size,
            modes: raw.as_ref().map(|raw| raw.modes().clone()),
            ..Spawn::new(command)
        };
        let tape = Tape::begin(file, size, command.first().map_or("", String::as_str))?;
        let (pty, writer, output) = Pty::spawn(&spawn)?;
        let profile = Arc::new(Profile::builtin("generic")?);
        let screen = synapse_term::screen::Size::new(size.cols.into(), size.rows.into())?;
        let mut class = Class {
            watcher: Watcher::new(profile, screen),
            tape,
            pty,
            writer,
            is_seen,
            keys: VecDeque::new(),
            course: Course::new(lessons),
        };
        let done = Box::pin(class.run(output)).await;
        drop(raw);
        let taught = Taught {
            left: class.course.left(),
            has_ended: !class.course.is_over(),
        };
        // The rest after the last reply belongs to the recording.
        class.tape.event("m", "the lessons are over")?;
        class.tape.end()?;
        done.map(|()| taught)
    });
    if is_seen {
        tty::restore();
    }
    taught
}

/// The program, and what is seen of it.
struct Class<'a> {
    watcher: Watcher,
    tape: Tape,
    pty: Pty,
    writer: Writer,
    is_seen: bool,
    /// Keys that are pressed one at a time: some programs lose those that come at once.
    keys: VecDeque<Vec<u8>>,
    course: Course<'a>,
}

impl Class<'_> {
    async fn run(&mut self, mut output: Output) -> Result<()> {
        let mut keyboard = if self.is_seen {
            Some(Keyboard::open()?)
        } else {
            None
        };
        let mut display = if self.is_seen {
            Some(tty::display()?)
        } else {
            None
        };
        let mut beat = tokio::time::interval(BEAT);
        while !self.course.is_over() {
            tokio::select! {
                biased;
                keys = pressed(&mut keyboard) => {
                    let Some(keys) = keys else { break };
                    self.write(&keys)?;
                }
                painted = output.recv() => {
                    let Some(painted) = painted else { break };
                    self.tape.write("o", &painted)?;
                    self.watcher.feed(&painted, self.tape.elapsed());
                    let answers = self.watcher.screen().take_answers();
                    // A terminal that somebody looks at answers by itself.
                    if !self.is_seen && !answers.is_empty() {
                        self.writer.push(&answers)?;
                    }
                    if let Some(display) = &mut display {
                        display.push(&painted)?;
                    }
                }
                _ = beat.tick() => self.step()?,
            }
            self.writer.flush_some().await?;
            if let Some(display) = &mut display {
                display.flush().await?;
            }
        }
        let ended = self.pty.terminate(END_PATIENCE);
        tokio::pin!(ended);
        loop {
            // What it says at its end must be taken, or it never ends.
            tokio::select! {
                _ = &mut ended => break,
                painted = output.recv() => if painted.is_none() { break },
            }
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.tape.write("i", bytes)?;
        self.watcher.input(bytes, self.tape.elapsed());
        Ok(self.writer.push(bytes)?)
    }

    /// Tells how far we are, where the program itself is not to be seen.
    fn report(&self, step: &Step) {
        if self.is_seen {
            return;
        }
        let (number, all) = (self.course.number(), self.course.all);
        let seconds = self.tape.elapsed().as_secs();
        match step {
            Step::Wait => {}
            Step::Type(_) => note!("{seconds} s: message {number} of {all} is typed"),
            Step::Submit => note!("{seconds} s: it is submitted; waiting for the reply"),
            Step::Refuse(prompt) => {
                note!("{seconds} s: it asks «{}»; no is answered", prompt.question);
            }
        }
    }

    fn step(&mut self) -> Result<()> {
        let now = self.tape.elapsed();
        self.watcher.tick(now);
        for event in self.watcher.take_events() {
            self.course.note(&event);
        }
        if let Some(keys) = self.keys.pop_front() {
            return self.write(&keys);
        }
        let stuck = self.course.stuck_at(self.watcher.reading(), now);
        if let Some(question) = stuck.filter(|_| !self.is_seen) {
            note!(
                "it asks «{question}» before anything else: answer that in a terminal of your own first, or learn there"
            );
            self.course.give_up(true, now);
            return Ok(());
        }
        let mode = self.watcher.screen().modes().keyboard();
        let patience = if self.is_seen {
            ANSWER_PATIENCE
        } else {
            ALONE_PATIENCE
        };
        let step = self.course.next(self.watcher.reading(), patience, now);
        self.report(&step);
        match step {
            Step::Wait => Ok(()),
            Step::Type(text) => {
                let discipline = if self.pty.is_canonical() {
                    Discipline::Canonical
                } else {
                    Discipline::Raw
                };
                let bytes = paste(&text, &mode, discipline, &[])?;
                self.write(&bytes)
            }
            Step::Submit => self.write(b"\r"),
            Step::Refuse(prompt) => {
                // Who cannot be told no is left to the user; nothing else is ever pressed.
                self.keys
                    .extend(prompt.keys_for("no", &mode).unwrap_or_default());
                Ok(())
            }
        }
    }
}

async fn pressed(keyboard: &mut Option<Keyboard>) -> Option<Vec<u8>> {
    match keyboard {
        Some(keyboard) => keyboard.next().await,
        None => std::future::pending().await,
    }
}

/// What is to be done next.
enum Step {
    Wait,
    Type(String),
    Submit,
    Refuse(Box<Prompt>),
}

/// Where in the lessons we are.
struct Course<'a> {
    lessons: std::slice::Iter<'a, Lesson>,
    all: usize,
    phase: Phase,
    /// Since when the program does what it does.
    since: Duration,
    state: State,
    /// When the present phase began.
    began: Duration,
}

#[derive(PartialEq, Eq)]
enum Phase {
    /// The program must rest before the next lesson.
    Waiting,
    Typed,
    /// It was submitted; whether a turn was seen to end.
    Submitted {
        is_answered: bool,
    },
    Refused,
    Over {
        is_complete: bool,
    },
}

impl<'a> Course<'a> {
    fn new(lessons: &'a [Lesson]) -> Self {
        Self {
            lessons: lessons.iter(),
            all: lessons.len(),
            phase: Phase::Waiting,
            since: Duration::ZERO,
            state: State::Starting,
            began: Duration::ZERO,
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over { .. })
    }

    /// The question with which the program keeps us from beginning a lesson.
    fn stuck_at(&self, reading: &Reading, now: Duration) -> Option<String> {
        match (&self.phase, reading) {
            (Phase::Waiting, Reading::Asking(prompt)) if now >= self.since + STUCK_PATIENCE => {
                Some(prompt.question.clone())
            }
            _ => None,
        }
    }

    /// The number of the lesson that was begun last.
    fn number(&self) -> usize {
        self.all - self.lessons.len()
    }

    /// How many lessons were not answered.
    fn left(&self) -> usize {
        // The one that was begun last is answered when the next one may begin.
        let is_open = !matches!(
            self.phase,
            Phase::Waiting | Phase::Over { is_complete: true }
        );
        self.lessons.len() + usize::from(is_open)
    }

    fn note(&mut self, event: &Event) {
        match event {
            Event::Reading(change) => {
                self.state = change.reading.state();
                self.since = change.at;
            }
            Event::Turn(turn) => {
                if let Phase::Submitted { is_answered } = &mut self.phase {
                    *is_answered |= !turn.reply.text.trim().is_empty();
                }
            }
            Event::Channel(_) | Event::Contradiction(_) | Event::ScreenLost => {}
        }
    }

    fn enter(&mut self, phase: Phase, now: Duration) {
        self.phase = phase;
        self.began = now;
    }

    fn next(&mut self, reading: &Reading, answer_patience: Duration, now: Duration) -> Step {
        let rests =
            self.state == State::Idle && now >= self.since + REST && now >= self.began + REST;
        let is_late = now >= self.began + PATIENCE;
        match &self.phase {
            Phase::Over { .. } => Step::Wait,
            Phase::Waiting if rests => {
                let Some(lesson) = self.lessons.next() else {
                    self.enter(Phase::Over { is_complete: true }, now);
                    return Step::Wait;
                };
                self.enter(Phase::Typed, now);
                Step::Type(lesson.typed.clone())
            }
            Phase::Typed if now >= self.began + SUBMIT_PAUSE => {
                self.enter(Phase::Submitted { is_answered: false }, now);
                Step::Submit
            }
            Phase::Submitted { is_answered: true } | Phase::Refused if rests => {
                self.enter(Phase::Waiting, now);
                Step::Wait
            }
            Phase::Refused if now >= self.began + REFUSED_PATIENCE => {
                let phase = match self.lessons.len() {
                    0 => Phase::Over { is_complete: true },
                    _ => Phase::Waiting,
                };
                self.enter(phase, now);
                Step::Wait
            }
            Phase::Submitted { .. } if now >= self.since + answer_patience => match reading {
                Reading::Asking(prompt) => {
                    self.enter(Phase::Refused, now);
                    Step::Refuse(prompt.clone())
                }
                _ => self.give_up(is_late, now),
            },
            _ => self.give_up(is_late, now),
        }
    }

    fn give_up(&mut self, is_late: bool, now: Duration) -> Step {
        if is_late {
            self.enter(Phase::Over { is_complete: false }, now);
        }
        Step::Wait
    }
}
