//! Checks one agent: its host, its access, its state, its transcript and its log.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use synapse_client::client::Client;
use synapse_client::native::{StatusAnswer, WitnessShape};
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_transcript::Source;

use super::super::{logs, lookup, profile};
use super::check::Check;
use super::files;
use crate::verbs::texts::doctor as texts;

/// How many lines of the log are worth showing.
const LAST_LINES: usize = 5;

/// Looks at it.
pub(super) async fn look(entry: &Entry, paths: &Paths) -> Vec<Check> {
    let mut checks = vec![host(entry), folder(entry)];
    let token = entry.token_path.as_deref();
    checks.extend(token.and_then(|path| files::file("token", path)));
    match Client::of(entry) {
        Err(error) => checks.push(Check::fail(
            "token",
            format!("{error:#}"),
            texts::start_again(&entry.handle),
        )),
        Ok(client) => checks.extend(door(entry, &client).await),
    }
    checks.extend(record(entry));
    checks.push(log(entry, &paths.log(&entry.handle)));
    checks
}

fn host(entry: &Entry) -> Check {
    let (handle, pid, version) = (&entry.handle, entry.pid, &entry.version);
    let said = texts::host_is(handle, pid, version, &entry.profile);
    if synapse_platform::process::get(pid.cast_signed()).is_none() {
        let said = texts::no_such_process(said);
        return Check::fail("host", said, texts::next_list_removes());
    }
    if version != env!("CARGO_PKG_VERSION") {
        let advice = texts::bring_over(env!("CARGO_PKG_VERSION"), handle);
        return Check::warn("host", said, advice);
    }
    Check::ok("host", said)
}

fn folder(entry: &Entry) -> Check {
    let dir = entry.place().display();
    if entry.place().is_dir() {
        return Check::ok("directory", dir.to_string());
    }
    Check::warn(
        "directory",
        texts::folder_is_gone(dir),
        texts::start_elsewhere(),
    )
}

async fn door(entry: &Entry, client: &Client) -> Vec<Check> {
    let begin = Instant::now();
    let status = lookup::within(lookup::MOMENT, client.explained_status()).await;
    let took = begin.elapsed();
    match status {
        Err(error) => {
            let handle = &entry.handle;
            let said = texts::does_not_answer(&entry.endpoint, format!("{error:#}"));
            let advice = texts::is_stuck(handle);
            vec![Check::fail("http", said, advice)]
        }
        Ok(status) => {
            let millis = took.as_millis();
            let said = texts::answers_within(&entry.endpoint, millis);
            vec![Check::ok("http", said), state(entry, &status)]
        }
    }
}

fn state(entry: &Entry, status: &StatusAnswer) -> Check {
    let (standing, handle) = (&status.standing, &entry.handle);
    let mut said = crate::verbs::status::summary(standing);
    if let Some(held) = &standing.held {
        said = said + "\n" + held;
    }
    for WitnessShape { witness, says } in &status.witnesses {
        said = said + "\n" + witness + ": " + says;
    }
    match standing.status.as_str() {
        "INPUT_REQUIRED" => Check::warn("state", said, texts::answer_it(handle)),
        "STARTING" => Check::warn("state", said, texts::look_at_it(handle)),
        _ => Check::ok("state", said),
    }
}

/// Whether the program writes the record that gives exact replies.
fn record(entry: &Entry) -> Option<Check> {
    let Ok(profile) = profile::find(&entry.profile) else {
        return Some(Check::ok("record", texts::no_profile(&entry.profile)));
    };
    let Some(name) = profile.record.as_deref() else {
        return Some(Check::ok("record", texts::no_record()));
    };
    let variable = |name: &str| {
        let own = profile.env.get(name).map(PathBuf::from);
        own.or_else(|| std::env::var_os(name).map(PathBuf::from))
    };
    let record = Source::of(name, &variable("HOME")?, &entry.working_dir, variable)?;
    let since = entry.started_at.and_then(|at| {
        let seconds = u64::try_from(at.as_second()).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    });
    let since = since.unwrap_or(SystemTime::UNIX_EPOCH);
    Some(match record.newest(since) {
        Some(path) => Check::ok("record", path.display().to_string()),
        None => Check::warn(
            "record",
            texts::record_is_empty(record.root().display()),
            texts::before_first_turn(),
        ),
    })
}

fn log(entry: &Entry, path: &Path) -> Check {
    match logs::tail(path, LAST_LINES) {
        Ok(lines) => {
            let lines = String::from_utf8_lossy(&lines).trim_end().to_owned();
            Check::ok("log", format!("{}\n{lines}", path.display()))
        }
        Err(error) => Check::warn(
            "log",
            format!("{error:#}"),
            texts::log_is_missing(&entry.handle),
        ),
    }
}
