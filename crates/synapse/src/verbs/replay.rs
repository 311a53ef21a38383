//! `synapse profile replay`: the window onto what the library reads.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Read as _, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::Serialize;
use synapse_term::cast::Cast;
use synapse_term::judge::Change;
use synapse_term::profile::Profile;
use synapse_term::prompt::{Kind, Prompt};
use synapse_term::reading::{Reading, State};
use synapse_term::reply::Outcome;
use synapse_term::watch::{Event, TurnReport, Watcher};

use crate::cli::Replay;
use crate::verbs::print;

/// The longest a viewer waits for the next thing to happen.
const LONGEST_PAUSE: Duration = Duration::from_millis(1_200);

/// How what was read is shown.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum View {
    /// JSON lines, as fast as it can.
    Json,
    /// Lines with the screen below each, as fast as it can.
    Text,
    /// The screen as it was, at this many times the recorded speed.
    Live {
        /// Times the recorded speed.
        speed: f64,
    },
}

pub(crate) fn run(args: &Replay, profile: Arc<Profile>) -> Result<()> {
    let text = read(&args.file)?;
    let cast = Cast::parse(&text).with_context(|| args.file.clone())?;
    let view = match (args.json, std::io::stdout().is_terminal()) {
        (true, _) => View::Json,
        (false, true) => View::Live { speed: args.speed },
        (false, false) => View::Text,
    };
    play(&cast, profile, view)
}

fn read(file: &str) -> Result<String> {
    let mut bytes = Vec::new();
    if file == "-" {
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .context("cannot read standard input")?;
    } else {
        bytes = std::fs::read(file).with_context(|| format!("cannot read {file}"))?;
    }
    String::from_utf8(bytes).with_context(|| format!("{file} is not UTF-8, so no asciicast"))
}

/// Plays a recording and shows what is read of it.
pub(crate) fn play(cast: &Cast, profile: Arc<Profile>, view: View) -> Result<()> {
    let mut player = Player {
        watcher: Watcher::new(profile, cast.size),
        view,
        painted: 0,
    };
    let mut out: Box<dyn Write> = match player.view {
        View::Live { .. } => Box::new(print::painted()),
        _ => Box::new(print::out()),
    };
    player.begin(&mut out)?;
    let mut clock = Duration::ZERO;
    for event in &cast.events {
        player.pause(event.at.saturating_sub(clock));
        clock = event.at;
        player.watcher.replay(event);
        player.show(&mut out, event.at)?;
    }
    player.watcher.finish(cast.end());
    player.show(&mut out, cast.end())?;
    out.flush()?;
    Ok(())
}

struct Player {
    watcher: Watcher,
    view: View,
    /// Rows of the live view on the terminal.
    painted: usize,
}

impl Player {
    fn begin(&mut self, out: &mut impl Write) -> Result<()> {
        let start = Line::Reading {
            t: 0.0,
            reading: State::Starting,
            evidence: self.watcher.evidence().to_string(),
            prompt: None,
        };
        self.print(out, &start)
    }

    fn pause(&self, span: Duration) {
        if let View::Live { speed } = self.view {
            std::thread::sleep(span.div_f64(speed).min(LONGEST_PAUSE));
        }
    }

    fn show(&mut self, out: &mut impl Write, now: Duration) -> Result<()> {
        for event in self.watcher.take_events() {
            let line = match event {
                Event::Reading(change) => Line::reading(&change),
                Event::Turn(turn) => Line::turn(&turn),
                Event::Channel(_) | Event::Contradiction(_) | Event::ScreenLost => continue,
            };
            self.erase(out)?;
            self.print(out, &line)?;
        }
        if let View::Live { .. } = self.view {
            self.repaint(out, now)?;
        }
        Ok(())
    }

    fn print(&mut self, out: &mut impl Write, line: &Line) -> Result<()> {
        if self.view == View::Json {
            serde_json::to_writer(&mut *out, line)?;
            writeln!(out)?;
            return Ok(());
        }
        writeln!(out, "{}", line.readable())?;
        if self.view == View::Text && matches!(line, Line::Reading { t, .. } if *t > 0.0) {
            let frame = self.watcher.frame();
            for row in 0..=frame.last_row().unwrap_or(0) {
                writeln!(out, "         │ {}", frame.text(row))?;
            }
        }
        Ok(())
    }

    /// Takes the live view off the terminal, so that lines can be printed above it.
    fn erase(&mut self, out: &mut impl Write) -> Result<()> {
        if self.painted > 0 {
            write!(out, "\x1b[{}A\r\x1b[J", self.painted)?;
            self.painted = 0;
        }
        Ok(())
    }

    /// The screen of the program, between two rules, under what was printed so far.
    fn repaint(&mut self, out: &mut impl Write, now: Duration) -> Result<()> {
        let frame = self.watcher.frame();
        let last = frame.last_row().unwrap_or(0);
        // What does not fit could not be painted over again: the bottom is what matters.
        let first = (last + FRAME_ROWS).saturating_sub(terminal_rows());
        let state = self.watcher.reading().state();
        // One write, so that the terminal never shows half a frame.
        let mut text = format!(
            "\x1b[?2026h\x1b[?7l┌─ {:7.2} s ─ {} ─\x1b[K\r\n",
            now.as_secs_f64(),
            state.word()
        );
        for row in first..=last {
            let _ = write!(text, "│ {}\x1b[K\r\n", frame.text(row));
        }
        text.push_str("└─\x1b[K\r\n\x1b[J\x1b[?7h\x1b[?2026l");
        if self.painted > 0 {
            write!(out, "\x1b[{}A\r", self.painted)?;
        }
        out.write_all(text.as_bytes())?;
        out.flush()?;
        self.painted = last - first + FRAME_ROWS;
        Ok(())
    }
}

/// Rows of the live view beside the screen's own: two rules and the line of the cursor.
const FRAME_ROWS: usize = 3;

/// The height of the terminal we print on.
fn terminal_rows() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(24, |size| usize::from(size.ws_row))
        .max(FRAME_ROWS + 1)
}

/// One line of the output.
#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Reading {
        t: f64,
        reading: State,
        evidence: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        prompt: Option<PromptLine>,
    },
    Turn {
        t: f64,
        turn: TurnLine,
    },
}

#[derive(Serialize)]
struct PromptLine {
    kind: Kind,
    question: String,
    options: Vec<OptionLine>,
    selected: Option<usize>,
    default: Option<String>,
    fingerprint: String,
}

#[derive(Serialize)]
struct OptionLine {
    label: String,
    key: String,
}

#[derive(Serialize)]
struct TurnLine {
    typed: String,
    reply: String,
    outcome: Outcome,
}

impl Line {
    fn reading(change: &Change) -> Self {
        let prompt = match &change.reading {
            Reading::Asking(prompt) => Some(PromptLine::from(&**prompt)),
            _ => None,
        };
        Self::Reading {
            t: seconds(change.at),
            reading: change.reading.state(),
            evidence: change.evidence.to_string(),
            prompt,
        }
    }

    fn turn(turn: &TurnReport) -> Self {
        Self::Turn {
            t: seconds(turn.at),
            turn: TurnLine {
                typed: turn.typed.clone(),
                reply: turn.reply.text.clone(),
                outcome: turn.outcome,
            },
        }
    }

    fn readable(&self) -> String {
        match self {
            Self::Reading {
                t,
                reading,
                evidence,
                prompt,
            } => {
                let mut text = format!("{t:8.3} {:8} {evidence}", reading.word());
                for option in prompt.iter().flat_map(|prompt| &prompt.options) {
                    let _ = write!(text, "\n             {:>6}  {}", option.key, option.label);
                }
                text
            }
            Self::Turn { t, turn } => {
                let outcome = match turn.outcome {
                    Outcome::Completed => "completed",
                    Outcome::Interrupted => "interrupted",
                    Outcome::Failed => "failed",
                    Outcome::Open => "open",
                };
                let reply = turn.reply.replace('\n', "\n             ");
                format!(
                    "{t:8.3} turn     {outcome}: {}\n             {reply}",
                    turn.typed
                )
            }
        }
    }
}

impl From<&Prompt> for PromptLine {
    fn from(prompt: &Prompt) -> Self {
        Self {
            kind: prompt.kind,
            question: prompt.question.clone(),
            options: prompt
                .options
                .iter()
                .map(|option| OptionLine {
                    label: option.label.clone(),
                    key: option.key.clone(),
                })
                .collect(),
            selected: prompt.selected,
            default: prompt.default.clone(),
            fingerprint: prompt.fingerprint.to_string(),
        }
    }
}

/// Seconds with three digits.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000.0).round() / 1_000.0
}
