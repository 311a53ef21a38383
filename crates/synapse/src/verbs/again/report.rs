//! What is said of each agent that was to be started again: a line, or an object of JSON.

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Error, Result};
use serde_json::{Value, json};
use synapse_machine::handle::Handle;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;

use super::comeback::Comeback;
use super::unbegun::{Unbegun, unbegun};
use crate::verbs::{Failure, print, start, texts};

/// What came of an attempt to start an agent again.
pub(super) enum Attempt {
    /// It runs, or would be started so.
    Back(Value),
    /// Nothing was done.
    Refused(Error),
    /// It does not run. Whether it is written down that it is to be tried again.
    Failed(Error, io::Result<()>),
}

impl Attempt {
    /// Only says how it would be started.
    pub(super) fn plan(comeback: Result<Comeback>) -> Self {
        let planned = comeback.map(|it| it.plan());
        planned.map_or_else(|why| Self::Failed(why, Ok(())), Self::Back)
    }

    /// Starts it. A record that cannot be written changes nothing of what came of it.
    pub(super) fn start(comeback: Result<Comeback>, record: &LaunchRecord, paths: &Paths) -> Self {
        match comeback.and_then(|it| it.start()) {
            Ok(mut told) => {
                // Another version may have written it down in other words.
                if let Err(error) = record.forget(paths) {
                    start::warn(&mut told, &texts::is_not_noted(error));
                }
                Self::Back(told)
            }
            Err(why) => Self::Failed(why, record.keep_waiting(paths)),
        }
    }
}

/// An agent that was to be started again.
pub(super) struct Candidate<'a> {
    pub(super) handle: &'a Handle,
    pub(super) dir: &'a Path,
    /// How it was started, where that is known.
    pub(super) record: Option<&'a LaunchRecord>,
    /// What it is called from now on.
    pub(super) name: &'a Handle,
}

/// Says of one agent after the other what came of it.
pub(super) struct Report<'a> {
    paths: &'a Paths,
    json: bool,
    /// It was said that the store cannot be read.
    is_store_told: bool,
    /// The exit code.
    pub(super) code: u8,
}

impl<'a> Report<'a> {
    pub(super) fn new(paths: &'a Paths, json: bool) -> Self {
        Self {
            paths,
            json,
            is_store_told: false,
            code: 0,
        }
    }

    /// Records that cannot be read: nobody knows whose they are.
    pub(super) fn tell_unreadable(&mut self) -> io::Result<()> {
        for (path, why) in LaunchRecord::unreadable(self.paths)? {
            self.code = 1;
            note!(
                "synapse: {}",
                texts::record_cannot_be_read(path.display(), why)
            );
        }
        Ok(())
    }

    /// One that is not meant.
    pub(super) fn leave_out(&self, handle: &Handle, why: &str) -> io::Result<()> {
        if !self.json {
            note!("{}", texts::is_left_out(why));
            return Ok(());
        }
        let left = json!({ "handle": handle.as_str(), "left": why });
        writeln!(print::out(), "{left}")
    }

    /// What came of the attempt, and which of its messages were not begun.
    pub(super) fn tell(&mut self, agent: &Candidate<'_>, attempt: &Attempt) -> io::Result<()> {
        self.code = self.code.max(match attempt {
            Attempt::Back(_) => 0,
            Attempt::Refused(why) => Failure::code_of(why),
            Attempt::Failed(..) => 1,
        });
        let record = agent
            .record
            .filter(|_| !matches!(attempt, Attempt::Refused(_)));
        let waiting = record.and_then(|record| self.unbegun(record));
        if self.json {
            let mut shown = shown(agent, attempt);
            if let (Some(fields), true) = (shown.as_object_mut(), record.is_some()) {
                let ids = waiting.as_ref().map(|all| ids(all));
                fields.insert("not_begun".to_owned(), json!(ids));
            }
            return writeln!(print::out(), "{shown}");
        }
        match attempt {
            Attempt::Back(told) => say_back(agent.handle, told)?,
            Attempt::Refused(why) => note!("synapse: {}", texts::errors::told(why)),
            Attempt::Failed(why, kept) => say_failed(agent, why, kept),
        }
        for one in waiting.unwrap_or_default() {
            let words = format!("{:?}", one.words);
            note!("{}", texts::not_begun(words, agent.name, one.short_id()));
        }
        Ok(())
    }

    /// The messages that an agent had not begun. A store that cannot be read is told once, and stops nothing.
    fn unbegun(&mut self, record: &LaunchRecord) -> Option<Vec<Unbegun>> {
        let read = unbegun(record, self.paths);
        if let Err(error) = &read
            && !std::mem::replace(&mut self.is_store_told, true)
        {
            note!("synapse: {}", texts::store_cannot_be_used(error));
        }
        read.ok()
    }
}

fn ids(messages: &[Unbegun]) -> Vec<&str> {
    messages.iter().map(|one| one.id.as_str()).collect()
}

fn shown(agent: &Candidate<'_>, attempt: &Attempt) -> Value {
    let handle = agent.handle.as_str();
    match attempt {
        Attempt::Back(told) => {
            let mut told = told.clone();
            let is_renamed = text(&told, "handle").is_some_and(|name| !agent.handle.is(name));
            if let Some(fields) = told.as_object_mut().filter(|_| is_renamed) {
                fields.insert("was".to_owned(), json!(handle));
            }
            told
        }
        Attempt::Refused(why) | Attempt::Failed(why, _) => {
            json!({ "handle": handle, "dir": agent.dir, "error": texts::errors::told(why) })
        }
    }
}

fn say_back(handle: &Handle, told: &Value) -> io::Result<()> {
    let name = text(told, "handle").unwrap_or(handle.as_str());
    let dir = text(told, "dir").unwrap_or_default();
    let how = match (told.get("pid"), text(told, "conversation")) {
        (None, Some(conversation)) => texts::would_start_with(name, conversation, dir),
        (None, None) => texts::would_start(name, dir),
        (_, Some(conversation)) => texts::is_back_with(name, conversation, dir),
        (_, None) => texts::is_back(name, dir),
    };
    writeln!(print::out(), "{how}")?;
    if !handle.is(name) {
        note!("{}", texts::has_another_name(name, handle));
    }
    if let Some(warning) = text(told, "warning") {
        note!("synapse: {}", texts::warning(warning));
    }
    Ok(())
}

fn say_failed(agent: &Candidate<'_>, why: &Error, kept: &io::Result<()>) {
    let why = texts::errors::told(why);
    note!("synapse: {}", texts::cannot_be_started(agent.handle, why));
    if let Err(error) = kept {
        note!("{}", texts::is_not_noted(error));
        return;
    }
    // Its name leads to another agent, if one that runs has it.
    let other = agent.record.filter(|record| record.handle != *agent.name);
    note!(
        "{}",
        match other {
            Some(record) => texts::tried_again(record.agent_id.as_str()),
            None => texts::tried_again(agent.handle),
        }
    );
}

fn text<'a>(told: &'a Value, name: &str) -> Option<&'a str> {
    told.get(name).and_then(Value::as_str)
}
