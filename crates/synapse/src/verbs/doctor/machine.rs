//! This machine: our own program, the folders, the configuration, who runs, which ports are free,
//! the terminal.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use synapse_machine::config::Config;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_machine::registry::{Entry, Registry};
use synapse_store::Reader;

use super::check::Check;
use super::files;
use crate::verbs::texts::doctor as texts;

/// Where agents listen unless told otherwise.
const PORTS: std::ops::RangeInclusive<u16> = 8100..=8179;

/// Looks at all of it.
pub(super) fn look(paths: &Paths) -> Vec<Check> {
    let mut checks = vec![own()];
    let named = [("home", paths.config()), ("shared home", paths.registry())];
    let homes = named
        .iter()
        .filter_map(|(topic, path)| Some((*topic, path.parent()?)));
    checks.extend(
        homes
            .clone()
            .map(|(topic, path)| files::folder(topic, path)),
    );
    checks.extend(files::open_to_write("folders", homes.map(|(_, path)| path)));
    checks.push(files::folder("registry", &paths.registry()));
    checks.push(files::folder("logs", &paths.logs()));
    checks.extend(files::inside("entries", &paths.registry()));
    checks.extend(files::inside("tokens", &paths.tokens()));
    checks.extend(store(&paths.store()));
    checks.extend(records(paths));
    checks.extend(config(paths));
    checks.extend(agents(paths));
    checks.push(ports());
    checks.push(pseudo_terminal());
    checks.push(terminal(std::env::var("TERM").ok().as_deref()));
    checks
}

fn own() -> Check {
    let version = env!("CARGO_PKG_VERSION");
    match synapse_machine::child::own_program() {
        Ok(path) => Check::ok("synapse", format!("{version}, {}", path.display())),
        Err(error) => Check::fail(
            "synapse",
            texts::cannot_find_itself(version, error),
            texts::is_proc_mounted(),
        ),
    }
}

/// Whether it can be read, and by nobody else; nothing if there is none.
fn store(path: &Path) -> Option<Check> {
    let check = files::file("store", path)?;
    Some(match Reader::open(path) {
        Ok(_) => check,
        Err(error) => Check::fail("store", error.to_string(), texts::nothing_without_store()),
    })
}

/// Those of how agents were started that cannot be read.
fn records(paths: &Paths) -> Vec<Check> {
    let unreadable = LaunchRecord::unreadable(paths).unwrap_or_default();
    let warn = |(path, why): (PathBuf, std::io::Error)| {
        let said = texts::record_cannot_be_read(path.display(), why);
        Check::warn("records", said, texts::remove_record())
    };
    unreadable.into_iter().map(warn).collect()
}

fn config(paths: &Paths) -> Vec<Check> {
    let file = paths.config();
    match Config::load(&file) {
        Err(error) => {
            let advice = texts::correct(file.display());
            vec![Check::fail("config", error.to_string(), advice)]
        }
        Ok(loaded) if loaded.warnings.is_empty() => {
            let said = if file.exists() {
                file.display().to_string()
            } else {
                texts::config_is_missing(file.display())
            };
            vec![Check::ok("config", said)]
        }
        Ok(loaded) => {
            let warnings = loaded.warnings.iter();
            let warn = |said: String| Check::warn("config", said, texts::correct_line());
            warnings.map(|warning| warn(warning.to_string())).collect()
        }
    }
}

fn agents(paths: &Paths) -> Vec<Check> {
    let survey = match Registry::new(paths.registry()).survey() {
        Ok(survey) => survey,
        Err(error) => {
            let advice = texts::folder_is_yours();
            return vec![Check::fail("agents", error.to_string(), advice)];
        }
    };
    let names: Vec<String> = survey
        .entries
        .iter()
        .map(|entry| entry.handle.to_string())
        .collect();
    let mut checks = vec![match names.as_slice() {
        [] => Check::ok("agents", texts::none_runs()),
        names => Check::ok("agents", texts::agents_run(names.len(), names.join(", "))),
    }];
    checks.extend(of_another_version(&survey.entries));
    checks.extend(survey.entries.iter().filter_map(replaced_token));
    for entry in &survey.swept {
        let (handle, pid) = (&entry.handle, entry.pid);
        checks.push(Check::warn(
            "agents",
            texts::host_died(handle, pid),
            texts::logs_may_say(handle),
        ));
    }
    for odd in &survey.unreadable {
        let path = odd.path.display();
        checks.push(Check::warn(
            "agents",
            texts::not_understood(&path, &odd.reason),
            texts::remove_it(&path),
        ));
    }
    checks
}

/// Agents that were started before an upgrade.
fn of_another_version(entries: &[Entry]) -> Option<Check> {
    let own = env!("CARGO_PKG_VERSION");
    let others = entries.iter().filter(|entry| entry.version != own);
    let (told, handles): (Vec<String>, Vec<&str>) = others
        .map(|entry| {
            let version = Some(&*entry.version).filter(|version| !version.is_empty());
            let told = format!("{} ({})", entry.handle, version.unwrap_or("?"));
            (told, entry.handle.as_str())
        })
        .unzip();
    (!told.is_empty()).then(|| {
        let advice = texts::bring_over(own, handles.join(" "));
        Check::warn("agents", texts::of_another_version(told.join(", ")), advice)
    })
}

/// That those who were given the token cannot use it any more.
fn replaced_token(entry: &Entry) -> Option<Check> {
    let path = entry
        .token_path
        .as_ref()
        .filter(|_| entry.is_token_replaced)?;
    Some(Check::warn(
        "token",
        texts::token_replaced(&entry.handle),
        texts::give_new_token(path.display()),
    ))
}

fn ports() -> Check {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let free = PORTS.filter(is_free).count();
    let said = texts::ports_are_free(free, PORTS.count(), PORTS.start(), PORTS.end());
    if free == 0 {
        return Check::fail("ports", said, texts::let_system_choose());
    }
    Check::ok("ports", said)
}

fn pseudo_terminal() -> Check {
    match synapse_platform::pty::open() {
        Ok(_) => Check::ok("terminals", texts::terminals_given()),
        Err(error) => Check::fail(
            "terminals",
            texts::no_terminals(error),
            texts::is_pts_mounted(),
        ),
    }
}

fn terminal(term: Option<&str>) -> Check {
    let advice = texts::set_term();
    match term {
        Some("dumb") => Check::warn("TERM", texts::term_is_dumb(), advice),
        Some("") | None => Check::warn("TERM", texts::term_is_unset(), advice),
        Some(term) => Check::ok("TERM", term),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Level;
    use super::*;

    #[test]
    fn a_terminal_that_can_nothing_is_told() {
        assert_eq!(terminal(Some("xterm")).level, Level::Ok);
        assert_eq!(terminal(Some("dumb")).level, Level::Warn);
        assert_eq!(terminal(None).level, Level::Warn);
    }

    #[test]
    fn a_wrong_setting_fails_and_an_unknown_one_warns() {
        let place = tempfile::tempdir().unwrap();
        let paths = Paths::new(place.path().join("a"), place.path());
        let level = |text: &str| {
            std::fs::write(paths.config(), text).unwrap();
            config(&paths)[0].level
        };
        assert_eq!(config(&paths)[0].level, Level::Ok);
        assert_eq!(level("queue_limit: 8\n"), Level::Ok);
        assert_eq!(level("queue_limt: 8\n"), Level::Warn);
        assert_eq!(level("queue_limit: many\n"), Level::Fail);
    }
}
