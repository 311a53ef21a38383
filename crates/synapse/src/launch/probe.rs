//! What one version of a program knows: asked of `--help` once, and kept until the program changes.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::Pid;
use serde::{Deserialize, Serialize};
use synapse_platform::process::Held;
use synapse_term::profile::Profile;

use synapse_machine::child;
use synapse_machine::paths::Paths;
use synapse_machine::private_file;

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most of an answer that is read: what a pipe holds, so that the program never waits for us.
const LONGEST: usize = 64 << 10;

/// What is known of one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// When the file was last changed, in nanoseconds, its size and its inode: npm gives all files the same time.
    stamp: (i64, u64, u64),
    /// The long options that its help names.
    flags: Vec<String>,
}

impl Probe {
    /// What the program that this profile would start knows; nothing if it cannot be asked.
    pub(super) fn of(program: &str, profile: &Profile, paths: &Paths) -> Option<Self> {
        let path = find(program, profile.env.get("PATH").map(String::as_str))?;
        let meta = std::fs::metadata(&path).ok()?;
        let stamp = (
            meta.mtime().wrapping_mul(1_000_000_000) + meta.mtime_nsec(),
            meta.len(),
            meta.ino(),
        );
        let mut known = kept(paths);
        let name = path.to_string_lossy().into_owned();
        if let Some(probe) = known.get(&name).filter(|probe| probe.stamp == stamp) {
            return Some(probe.clone());
        }
        let probe = Self {
            stamp,
            flags: flags(&ask(&path, "--help")?),
        };
        known.insert(name, probe.clone());
        // Who cannot keep it asks again the next time.
        if let Ok(text) = serde_json::to_vec(&known) {
            let _ = private_file::replace(&paths.programs(), &text);
        }
        Some(probe)
    }

    /// Whether the program knows an option. Help that names none says nothing.
    pub(super) fn knows(&self, flag: &str) -> bool {
        let name = flag.split('=').next().unwrap_or(flag);
        self.flags.is_empty() || self.flags.iter().any(|known| known == name)
    }
}

fn kept(paths: &Paths) -> BTreeMap<String, Probe> {
    let text = private_file::read(&paths.programs()).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The long options in a help text.
fn flags(help: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = help.split(|c: char| !is_part(c));
    let mut flags: Vec<String> = words
        .map(|word| word.trim_end_matches('-'))
        .filter(|word| word.starts_with("--"))
        .map(str::to_owned)
        .collect();
    flags.sort();
    flags.dedup();
    flags
}

/// Where a program is, by the `PATH` it would be looked for in.
pub fn find(program: &str, path: Option<&str>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| is_program(path));
    }
    let own = || std::env::var_os("PATH").unwrap_or_default();
    let folders = path.map_or_else(own, Into::into);
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(program));
    places.find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// What a program says to one option before it ends; nothing if it fails or does not end in time.
pub fn ask(path: &Path, flag: &str) -> Option<String> {
    let asked = child::command(path)
        .arg(flag)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    answer(asked.ok()?)
}

/// What it said; some programs write their help to where errors go.
fn answer(mut child: Child) -> Option<String> {
    let (out, error) = (child.stdout.take()?, child.stderr.take());
    let is_over = has_ended(&child, PATIENCE);
    if is_over != Some(true) {
        let _ = child.kill();
    }
    let code = child.wait().ok()?;
    if is_over != Some(true) || !code.success() {
        return None;
    }
    let said = all_of(out)?;
    match error.filter(|_| said.trim().is_empty()) {
        Some(error) => all_of(error),
        None => Some(said),
    }
}

/// What a program that is over has written into a pipe: that is there already, and what the program left running is
/// not waited for.
fn all_of(mut pipe: impl AsFd + io::Read) -> Option<String> {
    rustix::io::ioctl_fionbio(&pipe, true).ok()?;
    let mut text = vec![0; LONGEST];
    let length = match pipe.read(&mut text) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
        read => read.ok()?,
    };
    Some(String::from_utf8_lossy(text.get(..length)?).into_owned())
}

fn has_ended(child: &Child, patience: Duration) -> Option<bool> {
    let process = Held::of(Pid::from_child(child)).ok()?;
    process.ends_within(patience).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Child {
        let mut command = child::command("sh");
        command.args(["-c", script]);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    #[test]
    fn the_flags_of_a_help_text_are_found() {
        let help = "  -c, --config <key=value>  set\n      --no-daemon\n  --model=<M> (see --config-file)\n---";
        assert_eq!(
            flags(help),
            ["--config", "--config-file", "--model", "--no-daemon"]
        );
        let probe = Probe {
            stamp: (0, 0, 0),
            flags: flags(help),
        };
        assert!(probe.knows("--model=x") && !probe.knows("--no-alt-screen"));
    }

    #[test]
    fn help_that_goes_where_errors_go_is_read_unless_there_is_other() {
        let help = answer(sh("echo ' --model' >&2")).unwrap();
        assert_eq!(flags(&help), ["--model"]);
        let help = answer(sh("echo 'no flags'; echo ' --trace-warnings' >&2")).unwrap();
        assert_eq!(help, "no flags\n");
        assert_eq!(answer(sh("exec true")), Some(String::new()));
    }

    #[test]
    fn a_program_that_hangs_or_fails_is_not_waited_for() {
        assert_eq!(answer(sh("echo ' 1.2.3 '")), Some(" 1.2.3 \n".to_owned()));
        assert_eq!(answer(sh("echo 1; exit 3")), None);
        let left = answer(sh("sleep 600 & echo $!")).unwrap();
        let killed = child::command("kill").arg(left.trim()).status();
        assert!(killed.unwrap().success(), "what it left is not waited for");
        let mut hanging = sh("exec sleep 600");
        assert_eq!(has_ended(&hanging, Duration::from_millis(10)), Some(false));
        hanging.kill().unwrap();
        hanging.wait().unwrap();
    }
}
