//! Recordings of terminal sessions: asciicast v2, a header line and one event per line.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::screen::{Size, SizeError};

/// A day: no recording is longer, and a clock far beyond would only hide a broken line.
const LONGEST: f64 = 86_400.0;

/// A recording, complete.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The size of the screen at the start.
    pub size: Size,
    /// How long the screen was watched, where the header says so.
    pub duration: Option<Duration>,
    pub events: Vec<Event>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Since the start.
    pub at: Duration,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The program wrote this.
    Output(String),
    /// This was written to the program.
    Input(String),
    /// The screen was resized.
    Resize(Size),
    /// The program exited.
    Exit(String),
    /// Something we have no use for, such as a marker.
    Other,
}

/// Why a recording cannot be read.
#[derive(Debug, Error)]
pub enum CastError {
    /// There is nothing in it.
    #[error("line 1: the recording is empty; the first line must be an asciicast v2 header")]
    Empty,
    /// The header is not one.
    #[error("line 1: not an asciicast v2 header: {0}")]
    Header(String),
    /// Not a version we can read.
    #[error("line 1: asciicast version {0}; only version 2 can be read")]
    Version(u64),
    /// No screen has this size.
    #[error("line {line}: {why}")]
    Size {
        /// The line that gives it.
        line: usize,
        /// What is wrong with it.
        why: SizeError,
    },
    /// A line that is no event.
    #[error(
        "line {line}: {problem}; an event is [seconds, \"o\"|\"i\"|\"r\"|\"x\"|\"m\", \"data\"]"
    )]
    Event {
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Deserialize)]
struct Header {
    version: u64,
    width: u64,
    height: u64,
    duration: Option<f64>,
}

impl Cast {
    /// Reads a recording.
    ///
    /// # Errors
    /// If a line is not what it should be, with its number.
    pub fn parse(text: &str) -> Result<Self, CastError> {
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines.next().ok_or(CastError::Empty)?;
        let header: Value =
            serde_json::from_str(first).map_err(|e| CastError::Header(e.to_string()))?;
        // Only an object names its fields: a list would be taken in their order.
        if !header.is_object() {
            return Err(CastError::Header("it is no object".to_owned()));
        }
        match header.get("version").and_then(Value::as_u64) {
            Some(2) | None => {}
            Some(other) => return Err(CastError::Version(other)),
        }
        let header = Header::deserialize(header).map_err(|e| CastError::Header(e.to_string()))?;
        debug_assert_eq!(header.version, 2);
        let size = Size::new(header.width, header.height)
            .map_err(|why| CastError::Size { line: 1, why })?;
        let duration = header
            .duration
            .map(|seconds| time(seconds, 1))
            .transpose()?;
        let mut events: Vec<Event> = Vec::new();
        for (index, line) in lines {
            let event = event(line, index + 1)?;
            if events.last().is_some_and(|before| before.at > event.at) {
                return Err(problem(index + 1, "the time goes back"));
            }
            events.push(event);
        }
        Ok(Self {
            size,
            duration,
            events,
        })
    }

    /// When the watching ended: the last event, or the header's duration if that is later.
    pub fn end(&self) -> Duration {
        let last = self.events.last().map_or(Duration::ZERO, |event| event.at);
        last.max(self.duration.unwrap_or_default())
    }
}

fn event(text: &str, line: usize) -> Result<Event, CastError> {
    let value: Value = serde_json::from_str(text).map_err(|e| problem(line, &e.to_string()))?;
    let Some([at, code, data]) = value.as_array().map(Vec::as_slice) else {
        return Err(problem(line, "not a list of three"));
    };
    let at = time(
        at.as_f64()
            .ok_or_else(|| problem(line, "the time is not a number"))?,
        line,
    )?;
    let code = code
        .as_str()
        .ok_or_else(|| problem(line, "the kind is not a string"))?;
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        _ => Err(problem(line, "the data is not a string")),
    };
    let what = match code {
        "o" => What::Output(text(data)?),
        "i" => What::Input(text(data)?),
        "r" => What::Resize(size(&text(data)?, line)?),
        "x" => What::Exit(
            data.as_str()
                .map_or_else(|| data.to_string(), str::to_owned),
        ),
        _ => What::Other,
    };
    Ok(Event { at, what })
}

fn size(text: &str, line: usize) -> Result<Size, CastError> {
    let numbers = text
        .split_once('x')
        .and_then(|(c, r)| Some((c.parse().ok()?, r.parse().ok()?)));
    let (cols, rows) = numbers.ok_or_else(|| problem(line, "the size is not COLSxROWS"))?;
    Size::new(cols, rows).map_err(|why| CastError::Size { line, why })
}

fn time(seconds: f64, line: usize) -> Result<Duration, CastError> {
    if !(0.0..=LONGEST).contains(&seconds) {
        return Err(problem(line, "the time must be 0 to 86400 seconds"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn problem(line: usize, problem: &str) -> CastError {
    CastError::Event {
        line,
        problem: problem.to_owned(),
    }
}
