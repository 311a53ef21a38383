//! A conversation with a program: write, wait for what it says, with a reason and a deadline.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use synapse_pty::{Exit, Output, Pty, Size, Spawn, State, Writer};
use tokio::time::timeout;

/// Long enough for a busy machine; reached only by a test that fails.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

pub(crate) struct Talk {
    pub(crate) pty: Pty,
    pub(crate) writer: Writer,
    pub(crate) output: Output,
    seen: Vec<u8>,
}

impl Talk {
    /// With a program as it stands.
    pub(crate) fn with<const N: usize>(argv: [&str; N]) -> Self {
        Self::begin(&Spawn::new(argv))
    }

    /// With bash, which runs a script.
    pub(crate) fn bash(script: &str) -> Self {
        Self::with(["bash", "-c", script])
    }

    pub(crate) fn begin(spawn: &Spawn) -> Self {
        let (pty, writer, output) = Pty::spawn(spawn).unwrap();
        Self {
            pty,
            writer,
            output,
            seen: Vec::new(),
        }
    }

    /// What it said and nobody has waited for yet.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    pub(crate) async fn write(&mut self, text: &str) {
        self.writer.push(text.as_bytes()).unwrap();
        within("the program takes what is typed", self.writer.flush())
            .await
            .unwrap();
    }

    /// Waits until it has said `text`, and returns all it said up to that.
    pub(crate) async fn wait_for(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = find(&self.seen, text.as_bytes()) {
                let said: Vec<u8> = self.seen.drain(..at + text.len()).collect();
                return String::from_utf8_lossy(&said).into_owned();
            }
            let Ok(chunk) = timeout(DEADLINE, self.output.recv()).await else {
                panic!("it never said {text:?}, but {:?}", self.text());
            };
            let Some(chunk) = chunk else {
                panic!(
                    "it ended before it said {text:?}, with {:?} {:?}",
                    self.text(),
                    self.pty.wait().await
                );
            };
            self.seen.extend(chunk);
        }
    }

    pub(crate) async fn wait_until_it_is(&self, state: State) {
        let mut now = self.pty.state();
        while now != state {
            now = within(&format!("it is {state:?}"), self.pty.state_after(now)).await;
        }
    }

    /// Waits for its end, and returns how it ended and what it said.
    pub(crate) async fn end(mut self) -> (Exit, String) {
        while let Some(chunk) = within("the output ends", self.output.recv()).await {
            self.seen.extend(chunk);
        }
        let exit = within("the program ends", self.pty.wait()).await;
        (exit, self.text())
    }
}

pub(crate) async fn within<T>(reason: &str, wait: impl Future<Output = T>) -> T {
    let Ok(done) = timeout(DEADLINE, wait).await else {
        panic!("waited in vain until {reason}");
    };
    done
}

/// Waits until a fact of the system is true that nobody announces.
pub(crate) async fn until(reason: &str, fact: impl Fn() -> bool) {
    within(reason, async {
        while !fact() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Whether a process lives. The dead that nobody has reaped do not.
pub(crate) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

pub(crate) fn size(cols: u16, rows: u16) -> Size {
    Size::new(cols, rows)
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|run| run == wanted)
}
