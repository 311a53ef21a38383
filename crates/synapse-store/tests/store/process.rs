//! Parts of a test that need a process of their own: this test binary, started again for one of its
//! tests, with an argument in the environment. Without the argument such a test does nothing.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const STORE: &str = "SYNAPSE_TEST_STORE";
const NAME: &str = "SYNAPSE_TEST_NAME";

/// What the process was started for.
pub(crate) struct Errand {
    pub(crate) store: PathBuf,
    pub(crate) name: String,
}

impl Errand {
    /// The errand of this process, if it was started for one.
    pub(crate) fn here() -> Option<Self> {
        Some(Self {
            store: std::env::var_os(STORE)?.into(),
            name: std::env::var(NAME).ok()?,
        })
    }
}

/// Starts a test of this binary on an errand; what it says comes through a pipe.
pub(crate) fn start(test: &str, store: &Path, name: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]);
    on_errand(&mut command, store, name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets a command know what it is started for.
pub(crate) fn on_errand<'a>(command: &'a mut Command, store: &Path, name: &str) -> &'a mut Command {
    command.env(STORE, store).env(NAME, name)
}

/// Says a line to whoever started this process.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}
