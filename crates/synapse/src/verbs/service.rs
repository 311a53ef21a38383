//! `synapse install-service`: a systemd user unit that brings agents back at login, and ends them decently with the
//! session.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use synapse_machine::{child, private_file};
use synapse_platform::process;

use super::{lookup, print, stop, texts};

const UNIT: &str = "synapse.service";

/// Where programs and their files are. Agents need what follows, and the service manager does not know it.
const FOLDERS: [&str; 15] = [
    "SYNAPSE_HOME",
    "A2A_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "CONTINUE_GLOBAL_DIR",
    "GPTME_LOGS_HOME",
    "PI_CODING_AGENT_DIR",
    "CLINE_DATA_DIR",
    "KIMI_CODE_HOME",
    "KIMI_SHARE_DIR",
    "VIBE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Programs, languages and proxies. Keys to accounts are not for a file.
const VALUES: [&str; 11] = [
    "PATH",
    "SYNAPSE_NATS_SERVER",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// By it systemd names what it started together; everything below inherits it.
const INVOCATION: &str = "INVOCATION_ID";

/// `synapse install-service …`
#[derive(Args)]
pub(crate) struct InstallService {
    /// Take it away again
    #[arg(long)]
    remove: bool,
    /// Print the unit, and install nothing
    #[arg(long, conflicts_with = "remove")]
    print: bool,
    /// End the agents that the unit has started
    #[arg(long, hide = true, conflicts_with_all = ["remove", "print"])]
    stop: bool,
}

pub(crate) fn run(args: &InstallService) -> Result<u8> {
    if args.stop {
        return end_own_agents();
    }
    let mut out = print::out();
    let own = child::own_program().context("cannot find the path of this program")?;
    if args.print {
        write!(out, "{}", unit(&own)?)?;
        return Ok(0);
    }
    let folder = folder()?;
    let file = folder.join(UNIT);
    if args.remove {
        systemctl(&["disable", UNIT]);
        // Where systemd cannot be asked, its link stays.
        for path in [folder.join("default.target.wants").join(UNIT), file] {
            private_file::remove(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
        systemctl(&["daemon-reload"]);
        writeln!(out, "{}", texts::unit_is_removed())?;
        return Ok(0);
    }
    let unit = unit(&own)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    private_file::replace(&file, unit.as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))?;
    writeln!(out, "{}", texts::unit_is_written(file.display()))?;
    if systemctl(&["daemon-reload"]) && systemctl(&["enable", UNIT]) {
        writeln!(out, "{}", texts::unit_is_enabled())?;
    } else {
        note!("{}", texts::no_systemd(UNIT));
    }
    Ok(0)
}

/// Agents that were started elsewhere, in a terminal among others, do not live in the unit and go on.
fn end_own_agents() -> Result<u8> {
    let Some(own) = std::env::var_os(INVOCATION) else {
        return Ok(0);
    };
    let mut agents = lookup::agents()?;
    agents.retain(|entry| {
        process::variable(entry.pid.cast_signed(), INVOCATION).as_ref() == Some(&own)
    });
    stop::end(&agents)?;
    Ok(0)
}

/// The unit. Agents live in its group of processes. Whatever becomes of one of them, or of `up` itself, is no reason to
/// end the others: hence the `-`, and that memory may run out. At the end hosts are told first; only then does systemd
/// signal what is left, all at once.
fn unit(own: &Path) -> Result<String> {
    let own = text(own.as_os_str(), &own.display().to_string())?;
    // However it is quoted, systemd takes no such name of a program. A $ stands for itself in it.
    if own.contains(|letter: char| letter.is_control() || "\"'\\".contains(letter)) {
        bail!("{}", texts::unfit_for_systemd(format!("{own:?}")));
    }
    let own = quoted(own);
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let mut environment = String::new();
    let mut carry = |name: &str, value: &OsStr| {
        let line = format!("{name}={}", text(value, name)?);
        writeln!(environment, "Environment={}", quoted(&line)).map_err(anyhow::Error::from)
    };
    for name in VALUES {
        if let Some(value) = set(name) {
            carry(name, &value)?;
        }
    }
    for name in FOLDERS {
        if let Some(value) = set(name) {
            // Agents are started elsewhere.
            carry(name, std::path::absolute(value)?.as_os_str())?;
        }
    }
    Ok(format!(
        "[Unit]
Description=Synapse: the agents that ran before

[Service]
Type=oneshot
RemainAfterExit=yes
OOMPolicy=continue
{environment}ExecStart=-{own} up
ExecStop={own} install-service --stop

[Install]
WantedBy=default.target
"
    ))
}

fn text<'a>(value: &'a OsStr, what: &str) -> Result<&'a str> {
    value
        .to_str()
        .with_context(|| texts::unfit_for_systemd(what))
}

/// One word of a unit: systemd takes a % for the beginning of a specifier, and escapes as C has them.
fn quoted(word: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in word.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '%' => quoted.push_str("%%"),
            letter if letter.is_ascii_control() => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

fn folder() -> Result<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty());
    let config = config.map(PathBuf::from);
    let config = config.or_else(|| Some(std::env::home_dir()?.join(".config")));
    Ok(config.context("HOME is not set")?.join("systemd/user"))
}

/// Whether systemd did what it was told.
fn systemctl(args: &[&str]) -> bool {
    let mut command = child::command("systemctl");
    command.arg("--user").args(args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use synapse_term::profile::Profile;
    use synapse_transcript::Source;

    use super::*;

    #[test]
    fn a_path_is_one_word_of_the_unit() {
        let unit = unit(Path::new("/home/a b/100%/$c/synapse")).unwrap();
        let word = r#""/home/a b/100%%/$c/synapse""#;
        assert!(
            unit.contains(&format!("\nExecStart=-{word} up\n")),
            "{unit}"
        );
        let stop = format!("\nExecStop={word} install-service --stop\n");
        assert!(unit.contains(&stop), "{unit}");
    }

    #[test]
    fn a_path_that_systemd_refuses_is_refused_with_a_reason() {
        for path in ["/a\"b", "/it's", "/a\\b", "/a\nb"] {
            let error = unit(Path::new(path)).unwrap_err().to_string();
            assert!(error.contains("systemd"), "{error}");
        }
    }

    #[test]
    fn every_folder_that_transcripts_are_looked_for_in_is_carried() {
        let asked = RefCell::new(Vec::new());
        for name in Profile::builtin_names() {
            let record = Profile::builtin(name).unwrap().record.unwrap_or_default();
            Source::of(&record, Path::new("/h"), Path::new("/d"), |name| {
                asked.borrow_mut().push(name.to_owned());
                None
            });
        }
        let asked = asked.into_inner();
        assert!(asked.len() > 5, "{asked:?}");
        for name in asked {
            assert!(FOLDERS.contains(&name.as_str()), "{name}");
        }
    }
}
