//! Tells a client what happens to a task, one frame an event, numbered, so that it can be taken up where
//! it broke off. First the task as it stands, then what changes; nothing behind the end.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Bytes;
use axum::response::Response;
use futures_util::stream::{self, Stream, StreamExt as _};
use serde_json::Value;
use synapse_a2a::event::Fact;
use synapse_a2a::task::{Task, TaskState};
use synapse_a2a::wire::narrator::Narrator;
use synapse_a2a::wire::request::History;
use synapse_a2a::wire::{Dialect, jsonrpc};
use tokio::time::{Instant, timeout_at};

use super::super::ServerState;
use super::super::events::{self, Frames, Told};
#[cfg(feature = "grpc")]
use super::grpc;
use synapse_session::{Board, Follow, NumberedEvent, Record};

/// How long a stream may wait to begin, where the program may answer with a message instead of a task:
/// such a stream is that message and nothing else, so nothing may come before it.
const UNDECIDED: Duration = Duration::from_secs(1);

/// What is to be told to one client.
pub(super) struct TaskStream {
    source: Source,
    dialect: Dialect,
    /// The number of the last event the client has seen, if it goes on from there.
    seen: Option<u64>,
    end: StreamEnd,
    /// A task that has just been sent, whose answer may be a message.
    is_new: bool,
}

enum Source {
    /// A task at hand.
    Live(Follow),
    /// One that is over and only in the store.
    Past(Arc<Record>),
}

/// Where a stream ends, besides the end of the task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamEnd {
    /// Where the agent asks something: who sent a message has its answer.
    AtQuestion,
    WithTask,
}

/// What frames are wrapped in.
pub(super) enum Envelope {
    Bare,
    /// The answer to the JSON-RPC request of this id.
    JsonRpc(Value),
    /// A message of gRPC.
    #[cfg(feature = "grpc")]
    Grpc,
}

impl TaskStream {
    /// What follows on a message.
    pub(super) fn of_send(follow: Follow, dialect: Dialect, is_answer: bool) -> Self {
        Self {
            source: Source::Live(follow),
            dialect,
            seen: None,
            end: StreamEnd::AtQuestion,
            is_new: !is_answer,
        }
    }

    /// What happens to a task from here on, or from an earlier point.
    pub(super) fn of_subscription(follow: Follow, dialect: Dialect, seen: Option<u64>) -> Self {
        Self {
            source: Source::Live(follow),
            dialect,
            seen,
            end: StreamEnd::WithTask,
            is_new: false,
        }
    }

    /// What happened to a task that is over.
    pub(super) fn of_past(record: Arc<Record>, dialect: Dialect, seen: Option<u64>) -> Self {
        Self {
            source: Source::Past(record),
            dialect,
            seen,
            end: StreamEnd::WithTask,
            is_new: false,
        }
    }

    pub(super) fn respond(self, served: &ServerState, envelope: Envelope) -> Response {
        events::sse(self.start(served, envelope))
    }

    /// The frames as they come.
    pub(super) fn start(
        self,
        served: &ServerState,
        envelope: Envelope,
    ) -> impl Stream<Item = Bytes> + Send + 'static {
        let may_speak = self.is_new && served.a2a.has_channel;
        let board = Arc::clone(&served.session.board);
        stream::once(self.tell(board, envelope, may_speak)).flatten()
    }

    async fn tell(mut self, board: Arc<Board>, envelope: Envelope, may_speak: bool) -> FrameStream {
        let snapshot = match &self.source {
            Source::Live(follow) => Arc::clone(&follow.snapshot),
            Source::Past(record) => Arc::clone(record),
        };
        let mut speaker = Speaker {
            narrator: Narrator::after(&snapshot.task),
            board,
            snapshot,
            dialect: self.dialect,
            envelope,
            end: self.end,
        };
        let mut frames = FirstFrames::default();
        if let Some(seen) = self.seen {
            speaker.narrator = narrator_at(&speaker.snapshot, seen);
        } else {
            self.begin(&mut speaker, &mut frames, may_speak).await;
        }
        match self.source {
            Source::Live(follow) if !frames.is_all => {
                let still_here = speaker.still_here();
                let live = events::live(follow, still_here, move |posted| speaker.say(posted));
                return Box::pin(stream::iter(frames.frames).chain(live));
            }
            Source::Live(_) => {}
            Source::Past(record) => {
                let seen = self.seen.unwrap_or(record.events.len() as u64);
                let skip = usize::try_from(seen).unwrap_or(usize::MAX);
                for posted in record.events.iter().skip(skip) {
                    frames.add(speaker.say(posted));
                }
            }
        }
        Box::pin(stream::iter(frames.frames))
    }

    /// Tells the task as it stands, or the message that is the whole answer.
    async fn begin(&mut self, speaker: &mut Speaker, frames: &mut FirstFrames, may_speak: bool) {
        let mut held = Vec::new();
        if may_speak && let Source::Live(follow) = &mut self.source {
            held = hold(follow).await;
            if let Some(said) = speaker.spoken(&held) {
                return frames.add(Told::Last(said));
            }
        }
        let first = speaker.first();
        let is_whole = self.is_new && speaker.is_end(speaker.snapshot.task.state());
        frames.add(if is_whole {
            Told::Last(first)
        } else {
            Told::More(first)
        });
        for posted in held {
            frames.add(speaker.say(&posted));
        }
    }
}

type FrameStream = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// What a stream begins with.
#[derive(Default)]
struct FirstFrames {
    frames: Vec<Bytes>,
    /// Nothing comes behind them.
    is_all: bool,
}

impl FirstFrames {
    fn add(&mut self, told: Told) {
        if self.is_all {
            return;
        }
        match told {
            Told::Nothing => {}
            Told::More(frame) => self.frames.push(frame),
            Told::Last(frame) => {
                self.frames.push(frame);
                self.is_all = true;
            }
        }
    }
}

/// Who spells what happens.
struct Speaker {
    narrator: Narrator,
    board: Arc<Board>,
    snapshot: Arc<Record>,
    dialect: Dialect,
    envelope: Envelope,
    end: StreamEnd,
}

impl Speaker {
    /// The task as the stream begins.
    fn first(&self) -> Bytes {
        let number = self.snapshot.events.len() as u64;
        let task = self.dialect.sent_task(&self.snapshot.task, History::All);
        self.wrap(number, &task)
    }

    /// The message that is the whole answer, if it is one.
    fn spoken(&self, held: &[Arc<NumberedEvent>]) -> Option<Bytes> {
        let last = held.last()?;
        let record = self.board.record(&last.task)?;
        self.dialect.spoken(&record.task)?;
        let said = self.dialect.sent(&record.task, History::All);
        Some(self.wrap(last.number, &said))
    }

    /// What is told of an event, and whether the stream ends with it.
    fn say(&mut self, posted: &NumberedEvent) -> Told {
        let is_end = match &posted.event.fact {
            Fact::Moved { status } => self.is_end(status.state()),
            _ => false,
        };
        let said = match &self.envelope {
            #[cfg(feature = "grpc")]
            Envelope::Grpc => self.write_once(posted, |frames| &frames.grpc, grpc::frame),
            _ if self.dialect == Dialect::V1 => {
                let write = |said: &Value| Arc::from(said.to_string());
                let said = self.write_once(posted, |frames| &frames.current, write);
                said.map(|said| self.wrap_text(posted.number, &said))
            }
            _ => {
                let record = self.task(posted);
                let frame = self.narrator.tell(&record.task, &posted.event);
                let said = frame.map(|frame| self.dialect.frame(&frame, &record.task, is_end));
                said.map(|said| self.wrap(posted.number, &said))
            }
        };
        match said {
            None => Told::Nothing,
            Some(said) if is_end => Told::Last(said),
            Some(said) => Told::More(said),
        }
    }

    /// What streams of 1.0 tell of an event: the same to all, so it is written once for each binding.
    fn write_once<T: Clone>(
        &mut self,
        posted: &NumberedEvent,
        kept: fn(&Frames) -> &OnceLock<Option<T>>,
        write: fn(&Value) -> T,
    ) -> Option<T> {
        let frames = posted.memo::<Frames>();
        if let Some(said) = frames.and_then(|frames| kept(frames).get()) {
            self.narrator.pass(&posted.event);
            return said.clone();
        }
        let record = self.task(posted);
        let frame = self.narrator.tell(&record.task, &posted.event);
        let said = frame.map(|frame| write(&self.dialect.frame(&frame, &record.task, false)));
        match frames {
            Some(frames) => kept(frames).get_or_init(|| said).clone(),
            None => said,
        }
    }

    /// What a stream says when it has nothing to tell. HTTP/2 has a way of its own to ask whether somebody is there.
    fn still_here(&self) -> Option<Bytes> {
        match self.envelope {
            #[cfg(feature = "grpc")]
            Envelope::Grpc => None,
            Envelope::Bare | Envelope::JsonRpc(_) => Some(events::STILL_HERE),
        }
    }

    /// The task, as it stands by now.
    fn task(&self, posted: &NumberedEvent) -> Arc<Record> {
        let now = self.board.record(&posted.task);
        now.unwrap_or_else(|| Arc::clone(&self.snapshot))
    }

    fn is_end(&self, state: TaskState) -> bool {
        state.is_final() || self.end == StreamEnd::AtQuestion && state == TaskState::InputRequired
    }

    fn wrap(&self, number: u64, said: &Value) -> Bytes {
        match &self.envelope {
            #[cfg(feature = "grpc")]
            Envelope::Grpc => grpc::frame(said),
            _ => self.wrap_text(number, &said.to_string()),
        }
    }

    /// A numbered event, of JSON that is written already.
    fn wrap_text(&self, number: u64, said: &str) -> Bytes {
        match &self.envelope {
            Envelope::JsonRpc(id) => {
                let said = jsonrpc::wrap(id, said);
                format!("id: {number}\ndata: {said}\n\n")
            }
            _ => format!("id: {number}\ndata: {said}\n\n"),
        }
        .into()
    }
}

/// Waits for the first thing that shows what kind of answer it will be. What happened meanwhile.
async fn hold(follow: &mut Follow) -> Vec<Arc<NumberedEvent>> {
    let until = Instant::now() + UNDECIDED;
    let mut held = Vec::new();
    let mut has_spoken = false;
    while let Ok(Some(posted)) = timeout_at(until, follow.next()).await {
        let is_decided = match &posted.event.fact {
            Fact::Spoke { .. } => {
                has_spoken = true;
                false
            }
            Fact::Moved { status } => {
                status.state() == TaskState::InputRequired || status.state().is_final()
            }
            Fact::Submitted { .. }
            | Fact::Answered { .. }
            | Fact::Acted { .. }
            | Fact::Replied { .. } => false,
            Fact::Noted { .. } => !has_spoken,
            Fact::Stepped { .. }
            | Fact::ArtifactOpened { .. }
            | Fact::ArtifactGrew { .. }
            | Fact::ArtifactExtended { .. }
            | Fact::ArtifactClosed { .. } => true,
        };
        held.push(posted);
        if is_decided {
            break;
        }
    }
    held
}

/// Where a client stands that has seen so many events.
fn narrator_at(record: &Record, seen: u64) -> Narrator {
    let count = usize::try_from(seen).unwrap_or(usize::MAX);
    let events = record.events.iter().take(count);
    let task = Task::fold(events.map(|posted| posted.event.clone()));
    Narrator::after(&task.unwrap_or_else(|_| record.task.clone()))
}
