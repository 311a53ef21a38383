//! The command in a real terminal, whose screen is read by our own emulator.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::missing_panics_doc,
    reason = "this is a test"
)]

use std::ffi::OsString;
use std::fs;
use std::time::{Duration, Instant};

use synapse_pty::{Exit, Output, Pty, Size, Spawn, Writer};
use synapse_term::frame::join_wrapped;
use synapse_term::screen::{self, Screen};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::World;

/// Long enough for a busy machine; reached only by a test that fails.
const DEADLINE: Duration = Duration::from_secs(40);

/// How long a person looks at a Ctrl-C that does nothing.
const PATIENCE: Duration = Duration::from_secs(3);

pub struct Terminal {
    runtime: Runtime,
    pty: Pty,
    writer: Writer,
    output: Output,
    screen: Screen,
    /// All that was painted, byte for byte.
    pub raw: Vec<u8>,
    start: Instant,
}

impl Terminal {
    /// Runs the command in a window of 100x24.
    pub fn open(world: &World, args: &[&str]) -> Self {
        let command = world.command(args);
        let mut words = vec![command.get_program().to_owned()];
        words.extend(command.get_args().map(OsString::from));
        Self::run(world, words)
    }

    /// Runs a script of bash, in which `$synapse` is the command.
    pub fn bash(world: &World, script: &str) -> Self {
        Self::run(world, ["bash", "-c", script].map(OsString::from).to_vec())
    }

    fn run(world: &World, argv: Vec<OsString>) -> Self {
        let command = world.command(&[]);
        let mut spawn = Spawn::new(argv);
        spawn.size = Size::new(100, 24);
        spawn.cwd = command.get_current_dir().map(Into::into);
        spawn.env = vec![
            ("TERM".into(), "xterm-256color".into()),
            ("synapse".into(), command.get_program().to_owned()),
        ];
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => spawn.env.push((name.to_owned(), value.to_owned())),
                None => spawn.env_remove.push(name.to_owned()),
            }
        }
        Self::start(&spawn)
    }

    /// Runs any program.
    pub fn start(spawn: &Spawn) -> Self {
        let runtime = Runtime::new().unwrap();
        let (pty, writer, output) = runtime.block_on(async { Pty::spawn(spawn).unwrap() });
        let size = screen::Size::new(spawn.size.cols.into(), spawn.size.rows.into()).unwrap();
        Self {
            runtime,
            pty,
            writer,
            output,
            screen: Screen::new(size),
            raw: Vec::new(),
            start: Instant::now(),
        }
    }

    /// The process of the command.
    pub fn pid(&self) -> String {
        self.pty.pid().as_raw_pid().to_string()
    }

    pub fn press(&mut self, keys: &str) {
        self.press_bytes(keys.as_bytes());
    }

    pub fn press_bytes(&mut self, keys: &[u8]) {
        self.writer.push(keys).unwrap();
        let flushed = self
            .runtime
            .block_on(async { timeout(DEADLINE, self.writer.flush()).await });
        flushed.unwrap().unwrap();
    }

    /// Pastes text, as a terminal does where the program asked for it.
    pub fn paste(&mut self, text: &str) {
        self.press(&format!("\x1b[200~{text}\x1b[201~"));
    }

    /// Presses Ctrl-C as a person does: not before it waits for keys, and again if nothing happens.
    /// Shells lose one that comes in the moment before they wait.
    pub fn interrupt(&mut self) {
        let stat = format!("/proc/{}/stat", self.pid());
        let is_waiting = || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") S "));
        let deadline = Instant::now() + DEADLINE;
        while !is_waiting() {
            assert!(Instant::now() < deadline, "it never waits for keys");
            std::thread::yield_now();
        }
        let before = self.row();
        for _ in 0..5 {
            self.press("\x03");
            if self.watch(PATIENCE, |it| it.row() > before) {
                return;
            }
        }
        panic!("Ctrl-C does nothing\n{}", self.text());
    }

    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.pty.resize(Size::new(cols, rows)).unwrap();
        let size = screen::Size::new(cols.into(), rows.into()).unwrap();
        self.screen.resize(size);
    }

    /// The screen as ANSI bytes.
    pub fn snapshot(&mut self) -> Vec<u8> {
        self.screen.snapshot()
    }

    /// What is on the screen, line by line.
    pub fn text(&mut self) -> String {
        let frame = self.screen.frame();
        let rows: Vec<&str> = (0..frame.rows.len()).map(|row| frame.text(row)).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// All that was painted and is not gone, what scrolled away as well, wrapped lines joined.
    pub fn everything(&mut self) -> String {
        let above = self.screen.scrollback(self.screen.scrollback_len());
        let frame = self.screen.frame();
        let rows = above.iter().chain(&frame.rows).map(AsRef::as_ref);
        let lines = join_wrapped(rows);
        let lines: Vec<&str> = lines.iter().map(|(_, line)| line.trim_end()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// What stands before the cursor on its line.
    pub fn before_cursor(&mut self) -> String {
        self.screen.frame().before_cursor()
    }

    /// Where the cursor is, counted from the first row ever painted.
    pub fn row(&mut self) -> usize {
        self.screen.scrollback_len() + self.screen.frame().cursor.row
    }

    /// Waits until the terminal is so.
    pub fn wait(&mut self, what: &str, is_so: impl Fn(&mut Self) -> bool) {
        let is_seen = self.watch(DEADLINE, is_so);
        assert!(
            is_seen,
            "{what}: not within {DEADLINE:?}\n{}",
            self.everything()
        );
    }

    /// Whether the terminal is so, now or soon.
    fn watch(&mut self, patience: Duration, is_so: impl Fn(&mut Self) -> bool) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            if is_so(self) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let more = self
                .runtime
                .block_on(async { timeout(left, self.output.recv()).await });
            match more {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) | Err(_) => return false,
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.screen.feed(bytes, self.start.elapsed(), |_| {});
        self.writer.push(&self.screen.take_answers()).unwrap();
    }

    /// Waits until the screen is so.
    pub fn wait_until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let text = self.text();
            if is_so(&text) {
                return text;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what}: not within {DEADLINE:?}\n{text}");
            let more = self
                .runtime
                .block_on(async { timeout(left, self.output.recv()).await });
            match more {
                Ok(Some(bytes)) => self.take(&bytes),
                Ok(None) => panic!("{what}: it ended before\n{text}"),
                Err(_) => {}
            }
        }
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&mut self, text: &str) -> String {
        self.wait_until(&format!("{text:?} is shown"), |shown| shown.contains(text))
    }

    /// Waits for its end; how it ended, and all it painted.
    pub fn end(mut self) -> (Exit, String) {
        let exit = self.runtime.block_on(async {
            while let Some(bytes) = timeout(DEADLINE, self.output.recv()).await.unwrap() {
                self.raw.extend_from_slice(&bytes);
            }
            timeout(DEADLINE, self.pty.wait()).await.unwrap()
        });
        (exit, String::from_utf8_lossy(&self.raw).into_owned())
    }
}
