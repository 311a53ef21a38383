//! `synapse install-service`: a systemd user unit that brings agents back at login.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};
use clap::Args;
use synapse_machine::child;

use super::{print, texts};

const UNIT: &str = "synapse.service";

/// `synapse install-service …`
#[derive(Args)]
pub(crate) struct InstallService {
    /// Take it away again
    #[arg(long)]
    remove: bool,
    /// Print the unit, and install nothing
    #[arg(long, conflicts_with = "remove")]
    print: bool,
}

pub(crate) fn run(args: &InstallService) -> Result<u8> {
    let own =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let mut out = print::out();
    if args.print {
        write!(out, "{}", unit(&own))?;
        return Ok(0);
    }
    let file = folder()?.join(UNIT);
    if args.remove {
        systemctl(&["disable", UNIT]);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", file.display()));
            }
            _ => writeln!(out, "{}", texts::unit_is_removed())?,
        }
        return Ok(0);
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    std::fs::write(&file, unit(&own))
        .with_context(|| format!("cannot write {}", file.display()))?;
    writeln!(out, "{}", texts::unit_is_written(file.display()))?;
    if systemctl(&["daemon-reload"]) && systemctl(&["enable", UNIT]) {
        writeln!(out, "{}", texts::unit_is_enabled())?;
    } else {
        note!("{}", texts::no_systemd(UNIT));
    }
    Ok(0)
}

/// The unit. Agents live in its group of processes, and are told to end when it is stopped.
fn unit(own: &Path) -> String {
    // systemd takes a % for the beginning of a specifier, and a quoted path as one word.
    let own = own
        .to_string_lossy()
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%");
    format!(
        "[Unit]
Description=Synapse: the agents that ran before

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=\"{own}\" up

[Install]
WantedBy=default.target
"
    )
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
    use super::*;

    #[test]
    fn a_path_is_one_word_of_the_unit() {
        let unit = unit(Path::new("/home/a b/100%/synapse"));
        assert!(
            unit.contains("ExecStart=\"/home/a b/100%%/synapse\" up\n"),
            "{unit}"
        );
    }
}
