//! The actor: sole owner of one agent's terminal, screen, queue and turn. One loop, bounded work
//! per pass, one re-armed timer; an idle agent wakes nobody.

mod answers;
mod channel;
mod conversation;
mod display;
mod end;
mod farewell;
mod feeding;
mod held;
mod human;
mod interrupt;
mod kernel;
mod look;
mod memory;
mod notices;
mod output;
mod questions;
mod routing;
mod steps;
mod streaming;
mod tasks;
mod turns;
mod usage;
mod witnesses;

use std::collections::{HashMap, VecDeque};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use synapse_a2a::id::TaskId;
use synapse_term::keys::Discipline;
use synapse_term::profile::Profile;
use synapse_term::reading::Reading;
use synapse_term::screen;
use synapse_term::watch::{Event, Watcher};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use super::front::Front;
use super::hold::{Hold, bare};
use super::own_messages::OwnMessages;
use super::turn::Input;
use super::{Command, Ledger, Look, Queue, SessionHandle, Standing, TerminalView};
use display::flush;
use feeding::PendingOutput;
use human::HumanTurn;
use interrupt::Pending;
use kernel::{Kernel, state_after};
use memory::Memory;
use notices::Notices;
use routing::Routing;
pub use routing::RoutingSetup;
use synapse_pty::{
    Exit, OpenTerminal, Output, Pty, Signal, Size, Spawn, SpawnError, State as PtyState, Tenure,
    Terminal, Writer,
};
use tasks::Open;
use turns::Running;
use usage::Usages;
use witnesses::Witnesses;
pub use witnesses::{HookSetup, Voice};

/// Pieces of output a viewer may be behind before it must take a snapshot.
const VIEW_TAIL: usize = 256;

/// What an agent is made of.
pub struct Setup {
    /// What is known of its program.
    pub profile: Arc<Profile>,
    /// What the program runs in.
    pub under: Under,
    /// The program continues an older conversation.
    pub is_resumed: bool,
    /// How many tasks may wait.
    pub queue_limit: usize,
    /// The human's terminal in front of it; it also answers the program's questions. Without one we do.
    pub display: Option<OwnedFd>,
    /// Where the program keeps its transcripts, if we can read them.
    pub transcript: Option<synapse_transcript::Source>,
    /// The program's hooks, where it runs ours.
    pub hooks: Option<HookSetup>,
    /// Where events go.
    pub ledger: Ledger,
    /// Where the files of tasks are put.
    pub files: PathBuf,
    /// Lines that are meant for other agents.
    pub routing: RoutingSetup,
}

/// What a program runs in.
#[derive(Debug)]
pub enum Under {
    /// A terminal of its own, in which it is to be started.
    Program(Box<Spawn>),
    /// One that is there, with the program in it.
    Terminal(OpenTerminal),
}

/// A running agent.
pub struct Session {
    profile: Arc<Profile>,
    pty: Box<dyn Terminal>,
    /// What the program does, as the kernel sees it.
    states: watch::Receiver<PtyState>,
    /// Its size, where somebody else decides on it.
    sizes: Option<watch::Receiver<Size>>,
    writer: Writer,
    output: Output,
    watcher: Watcher,
    /// What the program wrote and the screen has not taken yet.
    unfed: PendingOutput,
    ledger: Ledger,
    /// The tasks that are not over, as their events have made them.
    open: HashMap<TaskId, Open>,
    queue: Queue,
    running: Option<Running>,
    routing: Routing,
    notices: Notices,
    pending: Vec<Pending>,
    /// Who waits for the program to be ready.
    unready: Vec<oneshot::Sender<Arc<Look>>>,
    /// The human's terminal; gone when it is gone.
    front: Option<Front>,
    viewers: broadcast::Sender<Arc<[u8]>>,
    inbox: mpsc::Receiver<Command>,
    answers_queries: bool,
    witnesses: Witnesses,
    kernel: Kernel,
    memory: Memory,
    hold: Hold,
    own_messages: OwnMessages,
    /// A turn of the person's that is over on the screen.
    human: Option<HumanTurn>,
    /// When the program last began to work.
    busy_since: jiff::Timestamp,
    /// When it last began to do something else, or to ask something else.
    since: jiff::Timestamp,
    /// When the program last wrote anything.
    painted_at: Duration,
    /// What is still to be typed of an answer in one's own words, and when.
    own_words: VecDeque<(Duration, Vec<u8>)>,
    usages: Usages,
    suspended: watch::Sender<bool>,
    size: watch::Sender<Size>,
    pty_state: PtyState,
    /// How the program ended, once it did.
    exit: Option<Exit>,
    start: Instant,
}

impl Session {
    /// Starts the program. The session runs when [`Session::run`] is polled.
    pub fn start(setup: Setup) -> Result<(Self, SessionHandle), SpawnError> {
        let routing = Routing::new(setup.routing);
        let front = setup.display.map(Front::new).transpose();
        let (front, tap) = front.map_err(SpawnError::Terminal)?.unzip();
        let OpenTerminal {
            terminal: pty,
            writer,
            output,
            size: window,
        } = match setup.under {
            Under::Program(spawn) => {
                let (pty, writer, output) = Pty::spawn_tapped(&spawn, tap)?;
                OpenTerminal {
                    terminal: Box::new(pty),
                    writer,
                    output,
                    size: spawn.size,
                }
            }
            Under::Terminal(open) => open,
        };
        let size = screen_size(window);
        // Whoever has the terminal answers the program's queries.
        let answers_queries = front.is_none() && pty.tenure() == Tenure::Own;
        let program = pty.pid().as_raw_nonzero().get();
        let (suspended, is_suspended) = watch::channel(false);
        let (size_is, shown_size) = watch::channel(window);
        let ledger = setup.ledger;
        let (handle, inbox) = SessionHandle::new(
            ledger.clone(),
            setup.queue_limit,
            setup.files,
            is_suspended,
            shown_size,
        );
        let (viewers, _) = broadcast::channel(VIEW_TAIL);
        let kernel = Kernel::new(pty.foreground());
        let watcher = Watcher::new(Arc::clone(&setup.profile), size);
        let session = Self {
            watcher: if setup.is_resumed {
                watcher.resumed()
            } else {
                watcher
            },
            unfed: PendingOutput::default(),
            profile: setup.profile,
            states: pty.states(),
            sizes: pty.sizes(),
            pty,
            writer,
            output,
            ledger,
            open: HashMap::new(),
            queue: Queue::default(),
            running: None,
            routing,
            notices: Notices::default(),
            pending: Vec::new(),
            unready: Vec::new(),
            front,
            viewers,
            inbox,
            answers_queries,
            witnesses: Witnesses::new(setup.hooks, setup.transcript, program),
            kernel,
            memory: Memory::default(),
            hold: Hold::default(),
            own_messages: OwnMessages::default(),
            human: None,
            busy_since: jiff::Timestamp::now(),
            since: jiff::Timestamp::now(),
            painted_at: Duration::ZERO,
            own_words: VecDeque::new(),
            usages: Usages::default(),
            suspended,
            size: size_is,
            pty_state: PtyState::Running,
            exit: None,
            start: Instant::now(),
        };
        Ok((session, handle))
    }

    /// Runs until the program is gone; how it ended.
    pub async fn run(mut self) -> Exit {
        let mut others = pin!(yield_now());
        loop {
            // What is half painted is not judged, so that nothing is due until the screen has taken all of it.
            let deadline = self.deadline().filter(|_| self.unfed.is_empty());
            tokio::select! {
                biased;
                // Between two portions one of those below has a turn, and no more: who asks all the time holds up nothing.
                () = &mut others, if !self.unfed.is_empty() => {
                    others.set(yield_now());
                    self.feed();
                }
                command = self.inbox.recv() => match command {
                    Some(Command::Stop) | None => return self.stop().await,
                    Some(command) => self.handle(command),
                },
                flushed = self.writer.flush(), if !self.writer.is_empty() => {
                    // Nobody will read what is left; that the terminal is gone shows as the end of its output.
                    if flushed.is_err() {
                        self.writer.discard();
                    }
                }
                shown = flush(&mut self.front), if self.has_unshown() => {
                    if shown.is_err() {
                        self.front = None;
                    }
                    self.settle_display();
                }
                size = news(&mut self.sizes) => self.take_size(size),
                piece = self.output.next(), if self.takes_output() => match piece {
                    Some(piece) => self.take(piece),
                    None => return self.exited().await,
                },
                word = self.witnesses.next() => self.take_word(word),
                wait = self.kernel.answer() => self.take_wait(wait),
                // What was written before anybody watched is told to who does now.
                () = self.ledger.board.watcher_came(), if self.running.is_some() => {
                    let now = self.now();
                    self.advance(now);
                }
                state = state_after(&mut self.states, self.pty_state), if self.pty_state.exit().is_none() => {
                    self.pty_state = state;
                    if state == PtyState::Stopped {
                        self.clear_notices();
                    }
                    self.mute_display(state == PtyState::Stopped);
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

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn deadline(&self) -> Option<Duration> {
        let turn = self.running.as_ref().and_then(Running::deadline);
        let pending = self.pending.iter().map(|pending| pending.until).min();
        let human = self.human.as_ref().map(|human| human.until);
        [
            self.watcher.deadline(),
            self.inquiry_deadline(),
            self.held_deadline(),
            turn,
            pending,
            human,
            self.own_words.front().map(|(at, _)| *at),
            self.routing.deadline(),
            self.notices.deadline(),
            self.display_waits_until(),
            self.memory.deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Draws the consequences of what was seen, and of the time. The order is the contract: what the screen
    /// shows reaches the turn before the time does, so that an end is seen before a patience runs out; the
    /// turn is settled before anything is told of it; and the next message is typed last, when nothing of
    /// the turn before is left to do.
    fn advance(&mut self, now: Duration) {
        // What is half painted is not judged, and nothing is painted over it. It is soon whole.
        if !self.unfed.is_empty() {
            return;
        }
        for event in self.watcher.take_events() {
            match event {
                Event::Reading(change) => self.take_reading(&change.reading, now),
                Event::Turn(report) => self.take_report(report, now),
                Event::Channel(words) => self.hear(&words),
                Event::Contradiction(contradiction) => self.note_contradiction(&contradiction),
                Event::ScreenLost => {
                    tracing::warn!(
                        "the emulator failed; the screen is empty until it is painted anew"
                    );
                }
            }
        }
        self.step(Input::Tick, now);
        self.type_own_words(now);
        self.expire_human_turn(now);
        self.tell_partial(now);
        self.expire_interrupts(now);
        self.tell_ready();
        self.advance_routing(now);
        self.refresh_notices(now);
        self.begin_next(now);
        self.note_held(now);
        self.ask_kernel(now);
        self.settle_display();
        self.give_back_memory(now);
        self.ledger.board.set_standing(self.standing());
    }

    /// The program does something else now.
    fn take_reading(&mut self, reading: &Reading, now: Duration) {
        let known = self.ledger.board.standing();
        if known.is_none_or(|known| !is_same(&known, reading)) {
            self.since = jiff::Timestamp::now();
        }
        match reading {
            Reading::Idle => self.look_for_empty_box(),
            Reading::Busy => self.busy_since = self.since,
            Reading::Starting | Reading::Asking(_) | Reading::Exited => {}
        }
        self.note_reading(reading, now);
        self.settle_interrupts(reading.state());
        self.step(Input::Reading(reading), now);
    }

    fn write(&mut self, bytes: &[u8], now: Duration) {
        self.note_stop_key(bytes);
        self.watcher.input(bytes, now);
        if let Err(full) = self.writer.push(bytes) {
            tracing::warn!(%full, "the program does not read its input");
        }
    }

    fn handle(&mut self, command: Command) {
        let now = self.now();
        match command {
            Command::Keys(bytes) => {
                self.own_messages.note_person();
                self.type_keys(&bytes, now);
            }
            Command::Press(keys) => {
                self.own_messages.note_person();
                self.press_keys(&keys, now);
            }
            Command::Found(line, found) => self.take_found(line, found),
            Command::Notice(notice) => self.notify(notice, now),
            Command::Reply(text, done) => {
                let _ = done.send(self.reply_by_word(text));
            }
            Command::Accept(accepted) => self.accept(*accepted, now),
            Command::Answer(answer, done) => {
                let _ = done.send(self.answer(&answer, now));
            }
            Command::Cancel(task, done) => {
                let _ = done.send(self.cancel(&task, now));
            }
            Command::Interrupt(key, by, done) => {
                self.note_stop(by);
                self.interrupt(key, done, now);
            }
            // Who watches a terminal of somebody else's sees it in the size that it has.
            Command::Resize(_) if self.sizes.is_some() => {}
            Command::Resize(size) => {
                self.set_size(size, now);
                if let Err(error) = self.pty.resize(size) {
                    tracing::warn!(%error, "the window size could not be set");
                }
            }
            Command::Look(done) => {
                let _ = done.send(self.look());
            }
            Command::Explain(done) => {
                let _ = done.send(self.explain());
            }
            Command::Ready(done) => self.unready.push(done),
            Command::Attach(done) => {
                let live = self.viewers.subscribe();
                let snapshot = self.shown_screen();
                let _ = done.send(TerminalView { snapshot, live });
            }
            Command::Continue => {
                self.mute_display(false);
                if let Err(error) = self.pty.signal_group(Signal::CONT) {
                    tracing::warn!(%error, "the program could not be continued");
                }
            }
            Command::Stop => {}
        }
        self.advance(now);
    }

    /// Somebody else has given the terminal another size.
    fn take_size(&mut self, size: Size) {
        let now = self.now();
        self.set_size(size, now);
        self.advance(now);
    }

    fn set_size(&mut self, size: Size, now: Duration) {
        self.ledger.board.set_look(None);
        self.size.send_replace(size);
        let was_covered = self.forget_notices();
        self.watcher.resize(screen_size(size), now);
        if was_covered {
            self.repaint_all();
        }
    }

    /// How the program reads what is typed.
    fn discipline(&self) -> Discipline {
        if self.pty.is_canonical() {
            Discipline::Canonical
        } else {
            Discipline::Raw
        }
    }
}

/// The next value, where there is somebody who tells. Safe to cancel.
async fn news<T: Copy>(values: &mut Option<watch::Receiver<T>>) -> T {
    if let Some(values) = values
        && values.changed().await.is_ok()
    {
        return *values.borrow_and_update();
    }
    std::future::pending().await
}

/// A window no screen can have is shown on the nearest that can be.
fn screen_size(size: Size) -> screen::Size {
    screen::Size::nearest(size.cols.into(), size.rows.into())
}

/// Whether a reading says what was told last: a question may be painted anew, or its cursor move.
fn is_same(known: &Standing, reading: &Reading) -> bool {
    let asked = match reading {
        Reading::Asking(prompt) => Some(&prompt.fingerprint),
        _ => None,
    };
    let open = known.prompt.as_ref().map(|prompt| &prompt.fingerprint);
    known.state == reading.state() && open == asked
}
