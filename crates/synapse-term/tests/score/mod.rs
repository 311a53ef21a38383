//! Plays a recording through the library and compares what was read with the ground truth beside
//! it: state over time, delay, spurious changes, prompts, replies.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses its own part of this"
)]
#![allow(
    clippy::cast_precision_loss,
    clippy::missing_panics_doc,
    reason = "this is a test"
)]

mod alike;
mod reply;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use synapse_term::cast::{Cast, What};
use synapse_term::profile::Profile;
use synapse_term::prompt::Prompt;
use synapse_term::reading::{Reading, State};
use synapse_term::watch::{Event, TurnReport, Watcher};

use alike::{exactly, loosely, same_key};
use reply::{replies, reply};

/// A true change is not held against us before this has passed.
const GRACE: f64 = 1.0;

/// What was read of one recording.
pub struct Run {
    pub readings: Vec<(f64, Reading, String)>,
    pub turns: Vec<TurnReport>,
    pub end: f64,
}

/// What the ground truth says of one recording.
pub struct Truth {
    pub states: Vec<TrueState>,
    pub prompts: Vec<TruePrompt>,
    pub replies: Vec<String>,
    /// What submits a message, where it is not Enter.
    pub submit: Option<String>,
}

pub struct TrueState {
    pub t: f64,
    pub settled: f64,
    pub state: State,
}

pub struct TruePrompt {
    pub question: String,
    pub options: Vec<(String, String)>,
}

/// How well one recording was read.
#[derive(Debug)]
pub struct Score {
    pub right: f64,
    pub judged: f64,
    pub worst_delay: f64,
    pub missed: usize,
    pub spurious: usize,
    pub prompts_right: usize,
    pub prompts: usize,
    pub recall: f64,
    pub precision: f64,
    /// Replies of which 99 words in 100 are right, and of which 99 in 100 belong there.
    pub replies_right: usize,
    pub replies: usize,
    pub notes: Vec<String>,
}

impl Score {
    /// The share of the judged time in which the state was right.
    pub fn share(&self) -> f64 {
        if self.judged > 0.0 {
            self.right / self.judged
        } else {
            1.0
        }
    }

    /// One row of the table.
    pub fn row(&self, name: &str) -> String {
        format!(
            "{name:36} {:7.2}% {:6.2} {:6} {:8} {:>7} {:7.2} {:9.2} {:>7}",
            100.0 * self.share(),
            self.worst_delay,
            self.missed,
            self.spurious,
            format!("{}/{}", self.prompts_right, self.prompts),
            self.recall,
            self.precision,
            format!("{}/{}", self.replies_right, self.replies),
        )
    }
}

/// The head of the table.
pub fn head() -> String {
    format!(
        "{:36} {:>8} {:>6} {:>6} {:>8} {:>7} {:>7} {:>9} {:>7}",
        "recording",
        "state",
        "delay",
        "missed",
        "spurious",
        "prompts",
        "recall",
        "precision",
        "replies"
    )
}

/// `claude/02_short`
pub fn name(path: &Path) -> String {
    let program = path
        .parent()
        .and_then(Path::file_name)
        .unwrap()
        .to_string_lossy();
    format!("{program}/{}", path.file_stem().unwrap().to_string_lossy())
}

pub fn load(path: &Path) -> Cast {
    Cast::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// All recordings below a folder, in order.
pub fn recordings(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(folder);
    let mut found = Vec::new();
    for dir in std::fs::read_dir(&root)
        .unwrap()
        .flatten()
        .filter(|e| e.path().is_dir())
    {
        for file in std::fs::read_dir(dir.path()).unwrap().flatten() {
            if file.path().extension().is_some_and(|e| e == "cast") {
                found.push(file.path());
            }
        }
    }
    found.sort();
    found
}

pub fn play(cast: &Cast, profile: &Arc<Profile>) -> Run {
    play_in_pieces(cast, profile, usize::MAX)
}

/// Plays a recording with every output cut into pieces of at most `piece` bytes.
pub fn play_in_pieces(cast: &Cast, profile: &Arc<Profile>, piece: usize) -> Run {
    let mut watcher = Watcher::new(Arc::clone(profile), cast.size);
    for event in &cast.events {
        match &event.what {
            What::Output(text) => {
                for bytes in text.as_bytes().chunks(piece) {
                    watcher.feed(bytes, event.at);
                }
            }
            _ => watcher.replay(event),
        }
    }
    watcher.finish(cast.end());
    let mut run = Run {
        readings: Vec::new(),
        turns: Vec::new(),
        end: cast.end().as_secs_f64(),
    };
    for event in watcher.take_events() {
        match event {
            Event::Reading(change) => {
                run.readings.push((
                    seconds(change.at),
                    change.reading,
                    change.evidence.to_string(),
                ));
            }
            Event::Turn(turn) => run.turns.push(turn),
            Event::Channel(_) | Event::Contradiction(_) | Event::ScreenLost => {}
        }
    }
    run
}

pub fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

pub fn truth(path: &Path) -> Truth {
    let text = std::fs::read_to_string(path.with_extension("expect.json")).unwrap();
    let expect: Value = serde_json::from_str(&text).unwrap();
    let mut states: Vec<TrueState> = Vec::new();
    for entry in expect["states"].as_array().unwrap() {
        let state = match entry["state"].as_str().unwrap() {
            "starting" => State::Starting,
            "idle" => State::Idle,
            "busy" => State::Busy,
            "input_required" => State::Asking,
            "exited" => State::Exited,
            other => panic!("{}: unknown state {other}", path.display()),
        };
        let t = entry["t"].as_f64().unwrap();
        let settled = entry["settled_t"].as_f64().unwrap_or(t);
        // Some entries only mark a key or a resize.
        if states.last().is_none_or(|before| before.state != state) {
            states.push(TrueState { t, settled, state });
        }
    }
    let listed = expect["prompts"].as_array().cloned();
    let prompts = listed.unwrap_or_else(|| vec![expect["prompt"].clone()]);
    let prompts = prompts.iter().filter_map(true_prompt).collect();
    let replies = match expect["replies"].as_array() {
        Some(all) => all
            .iter()
            .filter_map(|r| r.as_str().map(str::to_owned))
            .collect(),
        None => expect["reply_text"]
            .as_str()
            .map(str::to_owned)
            .into_iter()
            .collect(),
    };
    Truth {
        states,
        prompts,
        replies,
        submit: expect["submit"].as_str().map(str::to_owned),
    }
}

fn true_prompt(value: &Value) -> Option<TruePrompt> {
    let options = value["options"].as_array()?;
    Some(TruePrompt {
        question: value["question"].as_str()?.to_owned(),
        options: options
            .iter()
            .map(|o| {
                (
                    o["label"].as_str().unwrap().to_owned(),
                    o["key"].as_str().unwrap().to_owned(),
                )
            })
            .collect(),
    })
}

/// How a prompt is compared with the truth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// Letter by letter; only `…` in the truth stands for anything.
    Exactly,
    /// Brackets, case and answers shown behind a question aside: the truth of the other programs
    /// spells these differently.
    Loosely,
}

pub fn score(run: &Run, truth: &Truth, compare: Compare) -> Score {
    let mut notes = Vec::new();
    let (right, judged) = time_right(run, truth, &mut notes);
    let (worst_delay, missed) = delays(run, truth, &mut notes);
    let spurious = spurious(run, truth, &mut notes);
    let prompts_right = truth
        .prompts
        .iter()
        .filter(|p| prompt_right(run, p, compare, &mut notes))
        .count();
    let (recall, precision) = reply(run, truth, &mut notes);
    let (replies_right, replies) = replies(run, truth, &mut notes);
    Score {
        right,
        judged,
        worst_delay,
        missed,
        spurious,
        prompts_right,
        prompts: truth.prompts.len(),
        recall,
        precision,
        replies_right,
        replies,
        notes,
    }
}

/// Our state at a time.
fn state_at(run: &Run, t: f64) -> State {
    run.readings
        .iter()
        .rev()
        .find(|(at, ..)| *at <= t)
        .map_or(State::Starting, |(_, r, _)| r.state())
}

fn time_right(run: &Run, truth: &Truth, notes: &mut Vec<String>) -> (f64, f64) {
    let (mut right, mut judged) = (0.0, 0.0);
    for (index, segment) in truth.states.iter().enumerate() {
        let from = if index == 0 {
            segment.t
        } else {
            segment.t + GRACE
        };
        let to = truth.states.get(index + 1).map_or(run.end, |next| next.t);
        if to <= from {
            continue;
        }
        judged += to - from;
        let mut cuts: Vec<f64> = run
            .readings
            .iter()
            .map(|(at, ..)| *at)
            .filter(|at| *at > from && *at < to)
            .collect();
        cuts.insert(0, from);
        cuts.push(to);
        for pair in cuts.windows(2) {
            let ours = state_at(run, pair[0]);
            if ours == segment.state {
                right += pair[1] - pair[0];
            } else {
                notes.push(format!(
                    "{:.2}–{:.2} read {ours}, was {}",
                    pair[0], pair[1], segment.state
                ));
            }
        }
    }
    (right, judged)
}

fn delays(run: &Run, truth: &Truth, notes: &mut Vec<String>) -> (f64, usize) {
    let (mut worst, mut missed) = (0.0f64, 0);
    for (index, segment) in truth.states.iter().enumerate().skip(1) {
        if !matches!(segment.state, State::Idle | State::Asking) {
            continue;
        }
        let end = truth.states.get(index + 1).map_or(run.end, |next| next.t);
        let seen = if state_at(run, segment.t) == segment.state {
            Some(segment.t)
        } else {
            run.readings
                .iter()
                .find(|(at, r, _)| {
                    *at >= segment.t && *at <= end + 0.3 && r.state() == segment.state
                })
                .map(|(at, ..)| *at)
        };
        match seen {
            Some(at) => worst = worst.max(at - segment.settled.max(segment.t)),
            // A state that was over before anybody could tell is no loss.
            None if end - segment.settled < 0.5 => {}
            None => {
                missed += 1;
                notes.push(format!("missed {} at {:.2}", segment.state, segment.t));
            }
        }
    }
    (worst, missed)
}

/// Changes into a state that was not true then, nor shortly before, nor shortly after; and changes
/// beyond the number of true ones.
fn spurious(run: &Run, truth: &Truth, notes: &mut Vec<String>) -> usize {
    let mut count = 0;
    for (at, reading, evidence) in &run.readings {
        let state = reading.state();
        let near = truth.states.iter().enumerate().any(|(index, segment)| {
            let to = truth.states.get(index + 1).map_or(f64::MAX, |next| next.t);
            segment.state == state && segment.t <= at + 0.1 && *at <= to + GRACE
        });
        if !near {
            count += 1;
            notes.push(format!("spurious {state} at {at:.2} ({evidence})"));
        }
    }
    for state in [State::Idle, State::Busy, State::Asking] {
        let ours = run
            .readings
            .iter()
            .filter(|(_, r, _)| r.state() == state)
            .count();
        let true_ones = truth.states.iter().filter(|s| s.state == state).count();
        if ours > true_ones {
            count += ours - true_ones;
            notes.push(format!("{ours} changes to {state}, {true_ones} in truth"));
        }
    }
    count
}

fn prompt_right(run: &Run, truth: &TruePrompt, compare: Compare, notes: &mut Vec<String>) -> bool {
    let like = |ours: &str, truth: &str| match compare {
        Compare::Exactly => exactly(ours, truth),
        Compare::Loosely => loosely(ours, truth),
    };
    let same_key = |ours: &str, truth: &str| match compare {
        Compare::Exactly => ours == truth,
        Compare::Loosely => same_key(ours, truth),
    };
    let ours: Vec<&Prompt> = run
        .readings
        .iter()
        .filter_map(|(_, reading, _)| match reading {
            Reading::Asking(prompt) => Some(&**prompt),
            _ => None,
        })
        .collect();
    let is_right = |prompt: &&&Prompt| {
        let options = prompt.options.iter().zip(&truth.options);
        like(&prompt.question, &truth.question)
            && prompt.options.len() == truth.options.len()
            && options
                .into_iter()
                .all(|(o, (label, key))| like(&o.label, label) && same_key(&o.key, key))
    };
    if ours.iter().any(|p| is_right(&p)) {
        return true;
    }
    for prompt in ours {
        let options: Vec<String> = prompt
            .options
            .iter()
            .map(|o| format!("{}={}", o.key, o.label))
            .collect();
        notes.push(format!(
            "prompt read «{}» {options:?}; true «{}» {:?}",
            prompt.question, truth.question, truth.options
        ));
    }
    false
}

/// What somebody would read who takes every silence of that length for rest.
pub fn by_silence(cast: &Cast, silence: f64) -> Run {
    let mut readings = Vec::new();
    let (mut last, mut state) = (0.0, State::Starting);
    let evidence = || String::from("silence");
    for event in &cast.events {
        let at = seconds(event.at);
        if state != State::Idle && at >= last + silence {
            state = State::Idle;
            readings.push((last + silence, Reading::Idle, evidence()));
        }
        if let What::Output(_) = &event.what {
            last = at;
            if state == State::Idle {
                state = State::Busy;
                readings.push((at, Reading::Busy, evidence()));
            }
        }
    }
    let end = seconds(cast.end());
    if state != State::Idle && end >= last + silence {
        readings.push((last + silence, Reading::Idle, evidence()));
    }
    Run {
        readings,
        turns: Vec::new(),
        end,
    }
}
