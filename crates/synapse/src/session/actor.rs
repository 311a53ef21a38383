//! The actor: sole owner of one agent's terminal, screen, queue and turn. One loop, bounded work
//! per pass, one re-armed timer; an idle agent wakes nobody.

mod interrupt;
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use synapse_a2a::id::TaskId;
use synapse_term::keys::{Discipline, paste};
use synapse_term::profile::Profile;
use synapse_term::reading::{Reading, State};
use synapse_term::screen;
use synapse_term::watch::{Event, Watcher};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::{Attached, Board, Command, Effect, Ending, Look, Queue, Refusal, SessionHandle, Turn};
use crate::pty::{Exit, Output, Pty, Signal, Size, Spawn, SpawnError, State as PtyState, Writer};
use crate::record::Record;
use interrupt::Pending;

/// How long a program may take to say goodbye.
const GRACE: Duration = Duration::from_secs(3);

/// Pieces of output a viewer may be behind before it must take a snapshot.
const VIEW_TAIL: usize = 256;

/// What an agent is made of.
pub struct Setup {
    /// What is known of its program.
    pub profile: Arc<Profile>,
    /// How the program is started.
    pub spawn: Spawn,
    /// How many tasks may wait.
    pub queue_limit: usize,
    /// Nobody else answers the program's questions to its terminal.
    pub answers_queries: bool,
    /// The program's own record, where it keeps one.
    pub record: Option<Record>,
}

/// A running agent.
pub struct Session {
    profile: Arc<Profile>,
    pty: Pty,
    writer: Writer,
    output: Output,
    watcher: Watcher,
    board: Arc<Board>,
    queue: Queue,
    running: Option<Running>,
    /// Somebody at a terminal has begun a line.
    has_draft: bool,
    pending: Vec<Pending>,
    /// Who waits for the program to be ready.
    unready: Vec<oneshot::Sender<Look>>,
    viewers: broadcast::Sender<Arc<[u8]>>,
    inbox: mpsc::Receiver<Command>,
    answers_queries: bool,
    record: Option<Record>,
    suspended: watch::Sender<bool>,
    pty_state: PtyState,
    start: Instant,
}

/// The task whose turn it is.
struct Running {
    task: TaskId,
    turn: Turn,
    /// The message as it was typed.
    typed: String,
    /// Why it was asked to stop, if it was.
    canceled: Option<String>,
    /// The screen says that it is over; the record has until then to say so too.
    late: Option<Late>,
    /// A key to stop it was pressed: what the record has of it is a torso.
    is_interrupted: bool,
    /// When to look into the record of a program that looks at rest.
    peek_at: Option<Duration>,
    /// What was told of the reply while it appears, and when.
    partial: Option<(String, Duration)>,
}

/// A turn that is over on the screen and not yet in the record.
struct Late {
    ending: Ending,
    until: Duration,
    look_at: Duration,
}

impl Session {
    /// Starts the program. The session runs when [`Session::run`] is polled.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(setup: Setup) -> Result<(Self, SessionHandle), SpawnError> {
        let size = screen_size(setup.spawn.size);
        let (pty, writer, output) = Pty::spawn(&setup.spawn)?;
        let board = Arc::new(Board::default());
        let (suspended, is_suspended) = watch::channel(false);
        let (handle, inbox) = SessionHandle::new(Arc::clone(&board), is_suspended);
        let (viewers, _) = broadcast::channel(VIEW_TAIL);
        let session = Self {
            watcher: Watcher::new(Arc::clone(&setup.profile), size),
            profile: setup.profile,
            pty,
            writer,
            output,
            board,
            queue: Queue::new(setup.queue_limit),
            running: None,
            has_draft: false,
            pending: Vec::new(),
            unready: Vec::new(),
            viewers,
            inbox,
            answers_queries: setup.answers_queries,
            record: setup.record,
            suspended,
            pty_state: PtyState::Running,
            start: Instant::now(),
        };
        Ok((session, handle))
    }

    /// Runs until the program is gone; how it ended.
    pub async fn run(mut self) -> Exit {
        loop {
            let deadline = self.deadline();
            tokio::select! {
                biased;
                command = self.inbox.recv() => match command {
                    Some(Command::Stop) | None => return self.stop().await,
                    Some(command) => self.handle(command),
                },
                flushed = self.writer.flush(), if !self.writer.is_empty() => {
                    // A terminal that is gone shows as the end of its output.
                    let _ = flushed;
                }
                bytes = self.output.recv() => match bytes {
                    Some(bytes) => self.take(&bytes),
                    None => return self.exited().await,
                },
                state = self.pty.state_after(self.pty_state), if self.pty_state.exit().is_none() => {
                    self.pty_state = state;
                    self.suspended.send_replace(state == PtyState::Stopped);
                    // In the background there is no shell that could continue it.
                    if state == PtyState::Stopped && self.answers_queries {
                        self.handle(Command::Continue);
                    }
                }
                () = sleep_until(self.start + deadline.unwrap_or_default()), if deadline.is_some() => {
                    let now = self.now();
                    self.watcher.tick(now);
                    self.advance(now);
                }
            }
        }
    }

    /// What the program paints from here on.
    pub fn viewer(&self) -> broadcast::Receiver<Arc<[u8]>> {
        self.viewers.subscribe()
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn deadline(&self) -> Option<Duration> {
        let turn = self
            .running
            .as_ref()
            .and_then(|running| running.turn.deadline());
        let running = self.running.as_ref();
        let late = running.and_then(|running| Some(running.late.as_ref()?.look_at));
        let peek = running.and_then(|running| running.peek_at);
        let pending = self.pending.iter().map(|pending| pending.until).min();
        [self.watcher.deadline(), turn, late, peek, pending]
            .into_iter()
            .flatten()
            .min()
    }

    /// The program wrote something.
    fn take(&mut self, bytes: &[u8]) {
        let now = self.now();
        // Nobody may be watching.
        let _ = self.viewers.send(Arc::from(bytes));
        self.watcher.feed(bytes, now);
        let answers = self.watcher.screen().take_answers();
        if self.answers_queries && !answers.is_empty() {
            self.write(&answers, now);
        }
        self.advance(now);
    }

    /// Draws the consequences of what was seen, and of the time.
    fn advance(&mut self, now: Duration) {
        for event in self.watcher.take_events() {
            match event {
                Event::Reading(change) => {
                    if change.reading == Reading::Idle {
                        self.has_draft = false;
                    }
                    self.settle_interrupts(change.reading.state());
                    self.step(|turn| turn.see(&change.reading));
                }
                Event::Turn(report) => self.step(|turn| turn.finish(&report)),
            }
        }
        self.step(|turn| turn.tick(now));
        self.end_by_record(now);
        self.look_for_record(now);
        self.tell_partial(now);
        self.expire_interrupts(now);
        self.tell_ready();
        self.begin_next(now);
    }

    /// Lets the running turn decide, and does what it decided.
    fn step(&mut self, decide: impl FnOnce(&mut Turn) -> Vec<Effect>) {
        let Some(running) = &mut self.running else {
            return;
        };
        for effect in decide(&mut running.turn) {
            match effect {
                Effect::Write(bytes) => {
                    let now = self.now();
                    self.write(&bytes, now);
                }
                effect => self.record(effect),
            }
        }
    }

    /// Types the next message, if the keyboard is free and the program waits for one.
    fn begin_next(&mut self, now: Duration) {
        let is_free = self.running.is_none() && self.watcher.reading() == &Reading::Idle;
        if !is_free || self.queue.is_empty() || self.has_draft || self.holds_text() {
            return;
        }
        let Some(order) = self.queue.pop() else {
            return;
        };
        let mode = self.watcher.screen().modes().keyboard();
        let is_line_program = self.pty.is_canonical();
        let discipline = if is_line_program {
            Discipline::Canonical
        } else {
            Discipline::Raw
        };
        match paste(&order.text, &mode, discipline) {
            Ok(bytes) => {
                self.write(&bytes, now);
                let submit = self.profile.submit_sequence.as_bytes().to_vec();
                // Only programs that read keys need time between the text and Enter.
                let delay = if is_line_program {
                    Duration::ZERO
                } else {
                    self.profile.submit_delay
                };
                let turn = Turn::begin(submit, delay, now);
                self.running = Some(Running {
                    task: order.task,
                    turn,
                    typed: order.text,
                    canceled: None,
                    late: None,
                    is_interrupted: false,
                    peek_at: None,
                    partial: None,
                });
                self.step(|turn| turn.tick(now));
            }
            Err(error) => self.refuse(&order.task, &error.to_string()),
        }
    }

    /// Whether the input box holds something that is not ours.
    fn holds_text(&self) -> bool {
        self.watcher
            .input_box()
            .is_some_and(|found| !found.text.is_empty())
    }

    fn write(&mut self, bytes: &[u8], now: Duration) {
        self.watcher.input(bytes, now);
        if let Err(full) = self.writer.push(bytes) {
            tracing::warn!(%full, "the program does not read its input");
        }
    }

    fn handle(&mut self, command: Command) {
        let now = self.now();
        match command {
            Command::Keys(bytes) => {
                self.has_draft = true;
                self.write(&bytes, now);
            }
            Command::Send(submission, done) => {
                let _ = done.send(self.submit(submission, now));
            }
            Command::Answer {
                task,
                value,
                fingerprint,
                done,
            } => {
                let _ = done.send(self.answer(task.as_ref(), &value, fingerprint.as_deref(), now));
            }
            Command::Cancel(task, done) => {
                let _ = done.send(self.cancel(&task, "canceled on request", now));
            }
            Command::Interrupt(key, done) => self.interrupt(key, Some(done), now),
            Command::Resize(size) => {
                self.watcher.resize(screen_size(size), now);
                if let Err(error) = self.pty.resize(size) {
                    tracing::warn!(%error, "the window size could not be set");
                }
            }
            Command::Look(done) => {
                let _ = done.send(self.look());
            }
            Command::Ready(done) => self.unready.push(done),
            Command::Attach(done) => {
                let live = self.viewers.subscribe();
                let snapshot = self.watcher.screen().snapshot();
                let _ = done.send(Attached { snapshot, live });
            }
            Command::Continue => {
                if let Err(error) = self.pty.signal_group(Signal::CONT) {
                    tracing::warn!(%error, "the program could not be continued");
                }
            }
            Command::Stop => {}
        }
        self.advance(now);
    }

    fn tell_ready(&mut self) {
        if self.unready.is_empty() || self.watcher.reading() == &Reading::Starting {
            return;
        }
        let look = self.look();
        for done in self.unready.drain(..) {
            let _ = done.send(look.clone());
        }
    }

    fn look(&mut self) -> Look {
        let prompt = match self.watcher.reading() {
            Reading::Asking(prompt) => Some((**prompt).clone()),
            _ => None,
        };
        Look {
            state: self.watcher.reading().state(),
            evidence: self.watcher.evidence().to_string(),
            prompt,
            queue: self.queue.len(),
            frame: self.watcher.frame(),
            snapshot: self.watcher.screen().snapshot(),
        }
    }

    fn answer(
        &mut self,
        task: Option<&TaskId>,
        value: &str,
        fingerprint: Option<&str>,
        now: Duration,
    ) -> Result<(), Refusal> {
        if let Some(task) = task
            && self.board.record(task).is_none()
        {
            return Err(Refusal::NoSuchTask(task.as_str().to_owned()));
        }
        let Reading::Asking(prompt) = self.watcher.reading() else {
            return Err(Refusal::NotAsking(self.watcher.reading().state()));
        };
        let is_other = |wanted: &str| wanted != prompt.fingerprint.to_string();
        let told = task.and_then(|task| self.told(task));
        if fingerprint.or(told.as_deref()).is_some_and(is_other) {
            return Err(Refusal::Changed {
                now: prompt.question.clone(),
                fingerprint: prompt.fingerprint.to_string(),
            });
        }
        let prompt = prompt.clone();
        let mode = self.watcher.screen().modes().keyboard();
        let writes = prompt.keys_for(value, &mode);
        for bytes in writes.map_err(|error| Refusal::BadAnswer(error.to_string()))? {
            self.write(&bytes, now);
        }
        Ok(())
    }

    /// The program closed its terminal: it is gone, or about to be.
    async fn exited(mut self) -> Exit {
        let exit = self.pty.wait().await;
        self.end(exit);
        exit
    }

    async fn stop(mut self) -> Exit {
        self.inbox.close();
        let reason = "the agent was stopped";
        for order in self.queue.drain() {
            self.cancel_waiting(&order.task, reason);
        }
        if let Some(running) = &mut self.running {
            running.canceled = Some(reason.to_owned());
        }
        let exit = {
            let (pty, output) = (&self.pty, &mut self.output);
            let ended = pty.terminate(GRACE);
            tokio::pin!(ended);
            loop {
                tokio::select! {
                    result = &mut ended => break result,
                    // Who says goodbye must be heard, or is stuck until it is killed.
                    bytes = output.recv() => if bytes.is_none() { break ended.await },
                }
            }
        };
        let exit = exit.unwrap_or_else(|survivors| {
            tracing::warn!(%survivors, "something is left");
            Exit::Signal(9)
        });
        self.end(exit);
        exit
    }

    fn end(&mut self, exit: Exit) {
        let now = self.now();
        self.watcher.exit(&exit.code().to_string(), now);
        self.advance(now);
        self.settle_interrupts(State::Exited);
        for order in self.queue.drain() {
            self.fail_exited(&order.task);
        }
    }
}

/// A window no screen can have is shown on the nearest that can be.
fn screen_size(size: Size) -> screen::Size {
    let (cols, rows) = (u64::from(size.cols.max(2)), u64::from(size.rows.max(1)));
    screen::Size::new(cols.min(4_096), rows.min(4_096)).unwrap_or(screen::Size::USUAL)
}
