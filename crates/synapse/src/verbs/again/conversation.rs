//! Which conversation an agent goes on with.

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, bail};
use synapse_machine::handle::Handle;
use synapse_machine::launch_record::{LaunchRecord, is_conversation_name};
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_term::profile::{Backend, Profile};

use crate::cli::Start;
use crate::verbs::{Failure, conversations, lookup, texts};

/// The conversation that a start is to continue: the one it names, or the last of such an agent in this folder that
/// no agent has open.
pub(in crate::verbs) fn conversation(
    start: &Start,
    profile: &Profile,
    dir: &Path,
    paths: &Paths,
) -> Result<Option<String>> {
    let Some(asked) = start.resume.as_deref() else {
        return Ok(None);
    };
    let is_able = !profile.resume.is_empty() || profile.backend != Backend::Terminal;
    if !asked.is_empty() {
        let open = if is_able {
            open(&lookup::agents()?, paths)
        } else {
            Vec::new()
        };
        return match open.iter().find(|(name, _)| name == asked) {
            Some((name, handle)) => bail!("{}", texts::conversation_is_open(name, handle)),
            None => Ok(Some(asked.to_owned())),
        };
    }
    if !is_able {
        let error = conversations::not_continued_by(profile);
        return Err(Failure::new(Failure::USAGE, error).into());
    }
    let mut records = LaunchRecord::all(paths)?;
    records.retain(|record| record.dir == dir && record.words.first() == start.profile.as_ref());
    let recorded = records.iter().filter_map(|record| {
        let name = known(record)?;
        Some((name, SystemTime::from(record.started_at)))
    });
    // Also those that were never wrapped. What the program's own files say of a conversation is later than its start.
    let past = conversations::past(profile, dir).into_iter();
    let past = past.map(|one| (one.name, one.last_at));
    let mut found: Vec<(String, SystemTime)> = recorded.chain(past).collect();
    found.sort_by_key(|(_, at)| *at);
    let open = open(&lookup::agents()?, paths);
    let holder = |name: &str| open.iter().find(|(other, _)| other == name);
    let Some((newest, _)) = found.last() else {
        bail!("{}", texts::no_conversations(&profile.name, dir.display()));
    };
    if let Some((free, _)) = found.iter().rev().find(|(name, _)| holder(name).is_none()) {
        return Ok(Some(free.clone()));
    }
    let handle = holder(newest).map_or("", |(_, handle)| handle.as_str());
    bail!("{}", texts::conversation_is_open(newest, handle))
}

/// The conversations that these agents have open, as far as it is known what their programs call them, and whose each
/// is.
pub(in crate::verbs) fn open(running: &[Entry], paths: &Paths) -> Vec<(String, Handle)> {
    let records = running.iter();
    let records = records.filter_map(|entry| LaunchRecord::of_running(paths, entry));
    records
        .filter_map(|record| Some((known(&record)?, record.handle)))
        .collect()
}

/// The conversation that an agent had, as its program calls it.
pub(super) fn known(record: &LaunchRecord) -> Option<String> {
    let name = record.conversation.clone();
    name.filter(|name| is_conversation_name(name))
}
