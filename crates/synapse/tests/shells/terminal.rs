//! A person at a terminal: types, and looks at the screen with our own emulator.

use std::fs;
use std::time::{Duration, Instant};

use synapse::pty::{Output, Pty, Spawn, Writer};
use synapse_term::frame::Frame;
use synapse_term::screen::{Screen, Size};
use tokio::time::timeout;

/// Long enough for a busy machine; reached only by a test that fails.
const DEADLINE: Duration = Duration::from_mins(1);

/// How long a person looks at a Ctrl-C that does nothing.
const PATIENCE: Duration = Duration::from_secs(3);

/// How large the window is: wide, so that few lines wrap.
pub(crate) const COLUMNS: u16 = 100;
pub(crate) const ROWS: u16 = 30;

pub(crate) struct Terminal {
    pub(crate) pty: Pty,
    writer: Writer,
    output: Output,
    screen: Screen,
    begun: Instant,
}

impl Terminal {
    pub(crate) fn start(spawn: Spawn) -> Self {
        let spawn = Spawn {
            size: synapse::pty::Size::new(COLUMNS, ROWS),
            ..spawn
        };
        let (pty, writer, output) = Pty::spawn(&spawn).unwrap();
        let size = Size::new(COLUMNS.into(), ROWS.into()).unwrap();
        Self {
            pty,
            writer,
            output,
            screen: Screen::new(size),
            begun: Instant::now(),
        }
    }

    /// Presses keys, as the terminal sends them.
    pub(crate) async fn press(&mut self, keys: &str) {
        self.writer.push(keys.as_bytes()).unwrap();
        let taken = timeout(DEADLINE, self.writer.flush()).await;
        taken.expect("the keys are taken").unwrap();
    }

    /// Presses Ctrl-C as a person does: not before it waits for keys, and again if nothing happens.
    /// Shells lose one that comes in the moment before they wait.
    pub(crate) async fn interrupt(&mut self) {
        let stat = format!("/proc/{}/stat", self.pty.pid());
        let is_waiting = || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") S "));
        let wait = async {
            while !is_waiting() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(DEADLINE, wait).await.expect("it waits for keys");
        let before = self.row();
        for _ in 0..5 {
            self.press("\x03").await;
            let moved = self.wait_until("Ctrl-C shows", |it| it.row() > before);
            if timeout(PATIENCE, moved).await.is_ok() {
                return;
            }
        }
        panic!("Ctrl-C does nothing; the screen:\n{}", self.text());
    }

    /// Pastes text, as a terminal does where the program asked for it.
    pub(crate) async fn paste(&mut self, text: &str) {
        self.press(&format!("\x1b[200~{text}\x1b[201~")).await;
    }

    /// Waits until the screen shows what it should.
    pub(crate) async fn wait_until(&mut self, reason: &str, is_so: impl Fn(&mut Self) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !is_so(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(painted) = timeout(left, self.output.recv()).await else {
                panic!(
                    "waited in vain until {reason}; the screen:\n{}",
                    self.text()
                );
            };
            let Some(painted) = painted else {
                panic!("it ended before {reason}; the screen:\n{}", self.text());
            };
            self.screen.feed(&painted, self.begun.elapsed(), |_| {});
            let answers = self.screen.take_answers();
            self.writer.push(&answers).unwrap();
        }
    }

    /// Waits until it shows a text.
    pub(crate) async fn wait_for(&mut self, text: &str) {
        let reason = format!("it shows {text:?}");
        self.wait_until(&reason, |it| it.text().contains(text))
            .await;
    }

    /// All that was painted and is not gone, wrapped lines joined.
    pub(crate) fn text(&mut self) -> String {
        let rows: Vec<_> = self.screen.scrollback(self.screen.scrollback_len());
        let frame = self.frame();
        let rows = rows.iter().chain(frame.rows.iter().map(AsRef::as_ref));
        let lines = synapse_term::frame::join_wrapped(rows);
        let lines: Vec<&str> = lines.iter().map(|(_, line)| line.trim_end()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Where the cursor is, counted from the first row ever painted.
    pub(crate) fn row(&mut self) -> usize {
        self.screen.scrollback_len() + self.frame().cursor.row
    }

    pub(crate) fn frame(&mut self) -> Frame {
        self.screen.frame()
    }
}
