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
            format!(
                "start it again: synapse stop {0} && synapse start …",
                entry.handle
            ),
        )),
        Ok(client) => checks.extend(door(entry, &client).await),
    }
    checks.extend(record(entry));
    checks.push(log(entry, &paths.log(&entry.handle)));
    checks
}

fn host(entry: &Entry) -> Check {
    let (handle, pid, version) = (&entry.handle, entry.pid, &entry.version);
    let said = format!(
        "{handle} is PID {pid}, version {version}, profile {}",
        entry.profile
    );
    if synapse_platform::process::get(pid.cast_signed()).is_none() {
        let said = format!("{said}; there is no such process");
        return Check::fail("host", said, "the next `synapse list` removes its entry");
    }
    if version != env!("CARGO_PKG_VERSION") {
        let advice = format!(
            "this is {}; to bring it over: synapse restart {handle}",
            env!("CARGO_PKG_VERSION")
        );
        return Check::warn("host", said, advice);
    }
    Check::ok("host", said)
}

fn folder(entry: &Entry) -> Check {
    let dir = entry.place().display();
    if entry.place().is_dir() {
        return Check::ok("directory", dir.to_string());
    }
    let advice = "stop it and start it where it can work";
    Check::warn("directory", format!("{dir} is gone"), advice)
}

async fn door(entry: &Entry, client: &Client) -> Vec<Check> {
    let begin = Instant::now();
    let status = lookup::within(lookup::MOMENT, client.explained_status()).await;
    let took = begin.elapsed();
    match status {
        Err(error) => {
            let handle = &entry.handle;
            let said = format!("{} does not answer: {error:#}", entry.endpoint);
            let advice = format!("is the host stopped or stuck? synapse stop {handle}");
            vec![Check::fail("http", said, advice)]
        }
        Ok(status) => {
            let millis = took.as_millis();
            let said = format!("{} answers within {millis} ms", entry.endpoint);
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
        "INPUT_REQUIRED" => {
            let advice = format!(
                "answer it: synapse answer {handle} … (synapse status {handle} shows the options)"
            );
            Check::warn("state", said, advice)
        }
        "STARTING" => {
            let advice = format!("if it stays so, look at it: synapse screen {handle}");
            Check::warn("state", said, advice)
        }
        _ => Check::ok("state", said),
    }
}

/// Whether the program writes the record that gives exact replies.
fn record(entry: &Entry) -> Option<Check> {
    let Ok(profile) = profile::find(&entry.profile) else {
        let said = format!("the profile {} cannot be found from here", entry.profile);
        return Some(Check::ok("record", said));
    };
    let Some(name) = profile.record.as_deref() else {
        return Some(Check::ok(
            "record",
            "none: replies are read from the screen",
        ));
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
            format!(
                "nothing below {} since it was started",
                record.root().display()
            ),
            "before the first turn that is as it should be; later, replies come from the screen",
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
            format!(
                "what {} does goes on; only its log is missing",
                entry.handle
            ),
        ),
    }
}
