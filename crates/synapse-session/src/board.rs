//! What everybody may read without asking the actor: the tasks, their events, and the agent's state.
//! Written by the ledger and the actor; each reader has a cursor of its own.

use std::any::Any;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use synapse_a2a::event::Event;
use synapse_a2a::id::{MessageId, TaskId};
use synapse_a2a::task::{IllegalEvent, Task};
use synapse_machine::launch_record::is_conversation_name;
use synapse_term::reading::State;
use tokio::sync::{Notify, broadcast, watch};

use super::journal;
use super::{Follow, Look, Standing};

/// News a slow reader may be behind before it must take up its cursor again.
const TAIL: usize = 1_024;

/// Finished tasks that are kept at hand; older ones are in the store.
const KEPT: usize = 256;

/// The tasks of one agent, and how it stands.
#[derive(Debug)]
pub struct Board {
    records: RwLock<Records>,
    news: broadcast::Sender<News>,
    /// The last look at the agent, while nothing has changed since.
    look: RwLock<Option<Arc<Look>>>,
    /// Told when somebody begins to watch.
    watchers: Notify,
    /// What the agent does, for who wants to know nothing else.
    state: watch::Sender<Option<State>>,
    /// What the program calls its conversation, once its hooks or its files have said so.
    conversation: watch::Sender<Option<String>>,
    /// Bytes the program has written.
    painted: AtomicU64,
    /// How often witnesses contradicted each other.
    contradictions: AtomicU64,
    /// The program shows the alternate screen.
    is_alternate: AtomicBool,
    is_stopping: AtomicBool,
}

#[derive(Debug, Default)]
struct Records {
    by_id: HashMap<TaskId, Arc<Record>>,
    by_message: HashMap<MessageId, TaskId>,
    /// In the order of their arrival.
    order: VecDeque<TaskId>,
    standing: Option<Arc<Standing>>,
    /// How much news there has been.
    seq: u64,
    counts: Counts,
}

/// How much there has been since the host started.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Tasks taken in.
    pub accepted: u64,
    /// Tasks that ended, by how.
    pub ended: BTreeMap<&'static str, u64>,
    /// Events of tasks.
    pub events: u64,
    /// Bytes the program has written.
    pub painted: u64,
    /// How often the screen and another witness disagreed.
    pub contradictions: u64,
    /// Who watches now.
    pub watchers: usize,
}

/// A task and everything that happened to it.
#[derive(Clone, Debug)]
pub struct Record {
    /// As it stands.
    pub task: Task,
    /// How it came to stand so; the place in the list, from 1, is the number of an event.
    pub events: Vec<Arc<NumberedEvent>>,
}

impl Record {
    /// The record of a task that was kept elsewhere.
    pub fn of(task: Task, events: impl IntoIterator<Item = Event>) -> Self {
        let id = task.id().clone();
        let posted = |(number, event)| Arc::new(NumberedEvent::new(id.clone(), number, event));
        let events = (1..).zip(events).map(posted).collect();
        Self { task, events }
    }
}

/// An event of a task, with its number.
#[derive(Debug)]
pub struct NumberedEvent {
    pub task: TaskId,
    /// Which: they count from 1.
    pub number: u64,
    pub event: Event,
    /// What those who read the event made of it.
    memo: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl NumberedEvent {
    /// An event with its number.
    pub fn new(task: TaskId, number: u64, event: Event) -> Self {
        Self {
            task,
            number,
            event,
            memo: OnceLock::new(),
        }
    }

    /// What the first reader made of the event, so that no other need make it again. There is room for one type, the
    /// reader's own; the board knows nothing of it.
    pub fn memo<T: Any + Default + Send + Sync>(&self) -> Option<&T> {
        let memo = self.memo.get_or_init(|| Box::new(T::default()));
        memo.downcast_ref()
    }
}

/// One piece of news, numbered over all of them.
#[derive(Clone, Debug)]
pub struct News {
    pub seq: u64,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    /// To a task.
    Task(Arc<NumberedEvent>),
    /// To the agent.
    Standing(Arc<Standing>),
}

impl Default for Board {
    fn default() -> Self {
        let (news, _) = broadcast::channel(TAIL);
        Self {
            records: RwLock::default(),
            news,
            look: RwLock::default(),
            watchers: Notify::new(),
            state: watch::Sender::new(None),
            conversation: watch::Sender::new(None),
            painted: AtomicU64::new(0),
            contradictions: AtomicU64::new(0),
            is_alternate: AtomicBool::new(false),
            is_stopping: AtomicBool::new(false),
        }
    }
}

impl Board {
    /// A task, as it stands.
    pub fn record(&self, task: &TaskId) -> Option<Arc<Record>> {
        self.read().by_id.get(task).cloned()
    }

    /// The task a message has become already.
    pub fn task_of(&self, message: &MessageId) -> Option<Arc<Record>> {
        let records = self.read();
        records.by_id.get(records.by_message.get(message)?).cloned()
    }

    /// The tasks at hand, the newest first.
    pub fn records(&self) -> Vec<Arc<Record>> {
        let records = self.read();
        let newest_first = records.order.iter().rev();
        newest_first
            .filter_map(|id| records.by_id.get(id).cloned())
            .collect()
    }

    /// A task as it stands, and everything that happens to it after the event numbered `after`; without
    /// a number, after now.
    pub fn follow(self: &Arc<Self>, task: &TaskId, after: Option<u64>) -> Option<Follow> {
        // Subscribing first may show an event twice, which its number tells; never loses one.
        let live = self.news.subscribe();
        self.watchers.notify_one();
        let snapshot = self.record(task)?;
        Some(Follow::new(Arc::clone(self), snapshot, after, live))
    }

    /// How the agent stands, the number of the last news, and the news to come.
    pub fn watch(&self) -> (Option<Arc<Standing>>, u64, broadcast::Receiver<News>) {
        let records = self.read();
        let live = self.news.subscribe();
        self.watchers.notify_one();
        (records.standing.clone(), records.seq, live)
    }

    /// The last look at the agent, if nothing has changed since.
    pub fn look(&self) -> Option<Arc<Look>> {
        let look = self.look.read().unwrap_or_else(PoisonError::into_inner);
        look.clone()
    }

    /// How the agent stands.
    pub fn standing(&self) -> Option<Arc<Standing>> {
        self.read().standing.clone()
    }

    /// What the program calls its conversation, as it changes.
    pub fn conversation(&self) -> watch::Receiver<Option<String>> {
        self.conversation.subscribe()
    }

    /// Notes what the program calls its conversation.
    pub(super) fn note_conversation(&self, name: &str) {
        if !is_conversation_name(name) {
            return;
        }
        self.conversation.send_if_modified(|known| {
            let is_news = known.as_deref() != Some(name);
            if is_news {
                *known = Some(name.to_owned());
            }
            is_news
        });
    }

    /// What the agent does, whenever that changes. Who follows this does not count as a watcher.
    pub fn state(&self) -> watch::Receiver<Option<State>> {
        self.state.subscribe()
    }

    /// Whether the agent is going away.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// The agent is going away: nobody answers for it any more.
    pub(super) fn set_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// How much there has been.
    pub fn counts(&self) -> Counts {
        Counts {
            painted: self.painted.load(Ordering::Relaxed),
            contradictions: self.contradictions.load(Ordering::Relaxed),
            watchers: self.news.receiver_count(),
            ..self.read().counts.clone()
        }
    }

    /// The program wrote so much.
    pub(super) fn set_alternate(&self, is_on: bool) {
        self.is_alternate.store(is_on, Ordering::Relaxed);
    }

    /// Whether the program shows the alternate screen.
    pub fn is_alternate(&self) -> bool {
        self.is_alternate.load(Ordering::Relaxed)
    }

    pub(super) fn add_contradiction(&self) {
        self.contradictions.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_painted(&self, bytes: usize) {
        self.painted.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Keeps a look, or forgets the one that is no longer true.
    pub(super) fn set_look(&self, look: Option<Arc<Look>>) {
        *self.look.write().unwrap_or_else(PoisonError::into_inner) = look;
    }

    /// Tells how the agent stands, if that is news.
    pub(super) fn set_standing(&self, standing: Standing) {
        let mut records = self.write();
        if records.standing.as_deref() == Some(&standing) {
            return;
        }
        journal::standing(records.standing.as_deref(), &standing);
        self.set_look(None);
        self.state.send_replace(Some(standing.state));
        let standing = Arc::new(standing);
        records.standing = Some(Arc::clone(&standing));
        self.announce(&mut records, What::Standing(standing));
    }

    /// Waits until somebody begins to watch. Safe to cancel.
    pub(super) async fn watcher_came(&self) {
        self.watchers.notified().await;
    }

    /// Whether anybody watches.
    pub(super) fn is_watched(&self) -> bool {
        self.news.receiver_count() > 0
    }

    /// Adds an event to its task.
    pub(super) fn post(&self, task: TaskId, number: u64, event: Event) -> Result<(), IllegalEvent> {
        let mut records = self.write();
        let posted = Arc::new(NumberedEvent::new(task, number, event.clone()));
        if let Some(record) = records.by_id.get_mut(&posted.task) {
            let record = Arc::make_mut(record);
            record.task.apply(event)?;
            record.events.push(Arc::clone(&posted));
            let state = record.task.state();
            if state.is_final() {
                *records.counts.ended.entry(state.name()).or_default() += 1;
                records.forget_oldest();
            }
        } else {
            let record = Record {
                task: Task::begin(event)?,
                events: vec![Arc::clone(&posted)],
            };
            records.counts.accepted += 1;
            let message = record.task.message().id.clone();
            records.by_message.insert(message, posted.task.clone());
            records.order.push_back(posted.task.clone());
            records.by_id.insert(posted.task.clone(), Arc::new(record));
        }
        records.counts.events += 1;
        self.announce(&mut records, What::Task(posted));
        Ok(())
    }

    /// Numbers and tells news; the lock keeps the numbers in the order in which they are told.
    fn announce(&self, records: &mut Records, what: What) {
        records.seq += 1;
        // Nobody may be listening.
        let _ = self.news.send(News {
            seq: records.seq,
            what,
        });
    }

    fn read(&self) -> RwLockReadGuard<'_, Records> {
        self.records.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Records> {
        self.records.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Records {
    /// Lets go of the oldest finished tasks past those that are kept.
    fn forget_oldest(&mut self) {
        let is_over = |id: &TaskId| {
            let record = self.by_id.get(id);
            record.is_none_or(|record| record.task.state().is_final())
        };
        if self.order.len() <= KEPT {
            return;
        }
        let Some(at) = self.order.iter().position(is_over) else {
            return;
        };
        if let Some(record) = self.order.remove(at).and_then(|id| self.by_id.remove(&id)) {
            self.by_message.remove(&record.task.message().id);
        }
    }
}
