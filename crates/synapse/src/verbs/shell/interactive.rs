//! A person at a terminal, with a line editor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use synapse_machine::config::Config;
use synapse_machine::paths::{Paths, create_folder};
use synapse_pty::tty::{self, Event, Signals};
use synapse_shell::{CoShell, Editor, Known, Outcome, Program, Request, Rest, Typed, with_input};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::super::{Failure, lookup, tasks};
use super::{complain, deliver};

/// How long we may take to end after somebody asked for it.
const GRACE: Duration = Duration::from_secs(2);

/// Runs it until the shell behind it ends.
pub(super) fn run(program: Program) -> Result<u8> {
    let paths = Paths::from_env()?;
    let loaded = Config::load(&paths.config())?;
    let history = paths.shell_history();
    if let Some(folder) = history.parent() {
        create_folder(folder)?;
    }
    tty::restore_on_panic();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let is_over = Arc::new(AtomicBool::new(false));
    let prompt = loaded.config.shell_prompt;
    let known = Known {
        book: lookup::book()?,
        history: &history,
    };
    let editor = Editor::new(prompt, program.dialect(), known, Arc::clone(&is_over));
    runtime.spawn(end_when_asked(Arc::clone(&is_over)));
    let dialect = program.dialect();
    let (shell, outcome) = runtime.block_on(CoShell::start(program))?;
    let mut room = Room {
        runtime,
        editor,
        left: Vec::new(),
    };
    if let Outcome::Ended(code) = outcome {
        return Ok(code);
    }
    let mut shell = shell;
    loop {
        let (typed, back) = room.read(shell)?;
        shell = back;
        let request = match typed {
            Typed::Line(line) => Request::read(&line, dialect),
            Typed::Interrupt => {
                room.cancel_left();
                continue;
            }
            Typed::Over => return Ok(1),
            // It may mind: jobs that are stopped, a setting of the user.
            Typed::End => Request::Run("exit".to_owned()),
        };
        if request != Request::Nothing {
            room.left.clear();
        }
        if let Some(code) = room.obey(&mut shell, request)? {
            return Ok(code);
        }
    }
}

struct Room {
    runtime: Runtime,
    editor: Editor,
    /// Tasks that go on although Ctrl-C ended the wait for them.
    left: Vec<String>,
}

impl Room {
    /// The next line; jobs in the background may speak meanwhile.
    fn read(&mut self, shell: CoShell) -> Result<(Typed, CoShell)> {
        let (stop, stopped) = oneshot::channel();
        let rest = Rest {
            say: self.editor.aside(),
            stop: stopped,
        };
        let resting = self.runtime.spawn(shell.rest(rest));
        let typed = self.editor.read();
        drop(stop);
        let (shell, unsaid) = self.runtime.block_on(resting)?;
        for line in unsaid {
            note!("{line}");
        }
        Ok((typed?, shell))
    }

    /// Does what a line asks for; the exit code if that was the end.
    fn obey(&mut self, shell: &mut CoShell, request: Request) -> Result<Option<u8>> {
        let outcome = match request {
            Request::Nothing => return Ok(None),
            Request::Run(line) => self.runtime.block_on(shell.run(&line))?,
            Request::Message(message) => {
                shell.set_code(self.deliver(message));
                return Ok(None);
            }
            Request::Piped {
                before,
                command,
                mut message,
            } => {
                let capture = shell.capture(&before, &command);
                let (outcome, output) = self.runtime.block_on(capture)?;
                if let Outcome::Done(code) = outcome
                    && code != Failure::INTERRUPTED
                    && let Some(output) = output
                {
                    let output = String::from_utf8_lossy(&output);
                    message.message = with_input(&message.message, &output);
                    shell.set_code(self.deliver(message));
                }
                outcome
            }
            Request::Bad(error) => {
                note!("synapse: {error}");
                shell.set_code(Failure::USAGE);
                return Ok(None);
            }
        };
        Ok(match outcome {
            Outcome::Ended(code) => Some(code),
            Outcome::Done(_) => None,
        })
    }

    fn deliver(&mut self, message: synapse_term::router::Command) -> u8 {
        let code = deliver(message, &mut self.left);
        if !self.left.is_empty() {
            note!("Ctrl-C again cancels it");
        }
        code
    }

    /// The second Ctrl-C: what is no longer waited for is no longer wanted.
    fn cancel_left(&mut self) {
        for task in self.left.drain(..) {
            match tasks::cancel(&task, false) {
                Ok(_) => note!("the task {task} is canceled"),
                Err(error) => drop(complain(&error)),
            }
        }
    }
}

/// Lets the editor end when somebody asks us to, and ends whatever does not in time.
async fn end_when_asked(is_over: Arc<AtomicBool>) {
    let Ok(mut signals) = Signals::listen() else {
        return;
    };
    while !matches!(signals.next().await, Event::Terminated | Event::HungUp) {}
    is_over.store(true, Ordering::Relaxed);
    tokio::time::sleep(GRACE).await;
    // The editor's raw mode is its own; ours may be on instead.
    synapse_shell::leave_raw_mode();
    tty::restore();
    std::process::exit(1);
}
