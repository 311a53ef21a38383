//! A store of its own, and tasks to put into it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use synapse_a2a::artifact::Body;
use synapse_a2a::event::{Event, Fact, Origin, Said, Source, Status, Timestamp};
use synapse_a2a::id::{ArtifactId, ContextId, MessageId, TaskId};
use synapse_a2a::message::{Message, Role};
use synapse_a2a::task::Task;
use synapse_store::{Entry, Owner, Reader, Store, StoreError};
use tempfile::TempDir;

/// What `seen` was called with: the entries by task and number, and the error.
pub(crate) type Seen = Vec<(Vec<(String, u64)>, Option<StoreError>)>;

/// A folder for a store, gone at the end.
pub(crate) struct Shelf {
    pub(crate) home: TempDir,
    pub(crate) seen: Arc<Mutex<Seen>>,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            seen: Arc::default(),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path().join("synapse").join("synapse.db")
    }

    /// A host of this name that writes here.
    pub(crate) fn store(&self, handle: &str) -> Store {
        let seen = self.seen.clone();
        Store::start(self.path(), owner(handle), move |entries, error| {
            let names = entries
                .iter()
                .map(|entry| (entry.task.to_string(), entry.number));
            seen.lock().unwrap().push((names.collect(), error.cloned()));
        })
        .unwrap()
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(self.path()).unwrap()
    }

    /// Tasks that are over, in a store that is closed.
    pub(crate) async fn fill(&self, handle: &str, tasks: impl IntoIterator<Item = Tale>) {
        let store = self.store(handle);
        for task in tasks {
            store.append(task.entries);
        }
        store.close().await;
        assert_eq!(store.trouble(), None);
    }

    /// The numbers that were seen of a task, with or without an error.
    pub(crate) fn seen_of(&self, task: &str) -> Vec<(u64, bool)> {
        let seen = self.seen.lock().unwrap();
        let all = seen.iter().flat_map(|(names, error)| {
            names
                .iter()
                .map(move |(name, number)| (name, *number, error.is_none()))
        });
        all.filter(|(name, ..)| *name == task)
            .map(|(_, number, ok)| (number, ok))
            .collect()
    }
}

pub(crate) fn owner(handle: &str) -> Owner {
    Owner {
        run: format!("run-of-{handle}"),
        agent: format!("agent-of-{handle}"),
        handle: handle.to_owned(),
        profile: "dummy".to_owned(),
        dir: PathBuf::from("/work"),
        pid: std::process::id(),
        started_at: Timestamp(1),
    }
}

/// The events of one task, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Tale {
    pub(crate) entries: Vec<Entry>,
    task: TaskId,
    at: u64,
}

impl Tale {
    /// A task that asks this, at time 1000.
    pub(crate) fn new(task: &str, asks: &str) -> Self {
        Self::of(task, asks, 1_000, "user", "context")
    }

    pub(crate) fn of(task: &str, asks: &str, at: u64, sender: &str, context: &str) -> Self {
        let id = TaskId::new(task);
        let origin = Origin {
            sender: sender.to_owned(),
            ..Origin::default()
        };
        let tale = Self {
            entries: Vec::new(),
            task: id.clone(),
            at: at - 1,
        };
        tale.then(Fact::Submitted {
            task: id,
            context: ContextId::new(context),
            message: Message::text(MessageId::new(format!("m-{task}")), Role::User, asks),
            origin,
        })
    }

    pub(crate) fn then(mut self, fact: Fact) -> Self {
        self.at += 1;
        let number = self.entries.len() as u64 + 1;
        self.entries.push(Entry {
            task: self.task.clone(),
            number,
            event: Event {
                at: Timestamp(self.at),
                fact,
            },
        });
        self
    }

    pub(crate) fn moves(self, status: Status) -> Self {
        self.then(Fact::Moved { status })
    }

    pub(crate) fn works(self) -> Self {
        self.moves(Status::Working)
    }

    pub(crate) fn opens(self) -> Self {
        let artifact = ArtifactId::new("a");
        let body = Body::text("");
        self.then(Fact::ArtifactOpened { artifact, body })
    }

    pub(crate) fn grows(self, text: &str) -> Self {
        let artifact = ArtifactId::new("a");
        let text = text.to_owned();
        self.then(Fact::ArtifactGrew { artifact, text })
    }

    /// Completed with this reply.
    pub(crate) fn replies(self, text: &str) -> Self {
        let said = Said {
            text: text.to_owned(),
            source: Source::Record,
            is_truncated: false,
        };
        self.works()
            .then(Fact::Replied { said })
            .moves(Status::Completed)
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        self.entries
            .iter()
            .map(|entry| entry.event.clone())
            .collect()
    }

    pub(crate) fn task(&self) -> Task {
        Task::fold(self.events()).unwrap()
    }
}
