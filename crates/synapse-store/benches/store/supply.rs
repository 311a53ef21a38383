//! What is written: tasks like those of a real agent, and a plain file to write the same into.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use synapse_a2a::artifact::Body;
use synapse_a2a::event::{Event, Fact, Origin, Said, Source, Status, Timestamp};
use synapse_a2a::id::{ArtifactId, ContextId, MessageId, TaskId};
use synapse_a2a::message::{Message, Role};
use synapse_store::{Entry, Owner, Store};
use tokio::runtime::{Builder, Runtime};

/// A number from the environment.
pub(crate) fn number(name: &str, usual: usize) -> usize {
    let set = std::env::var(name).ok();
    set.and_then(|set| set.parse().ok()).unwrap_or(usual)
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// A host of this name.
pub(crate) fn store(path: PathBuf, handle: &str) -> Store {
    let owner = Owner {
        run: format!("run-of-{handle}"),
        agent: format!("agent-of-{handle}"),
        handle: handle.to_owned(),
        profile: "dummy".to_owned(),
        dir: PathBuf::from("/work"),
        pid: std::process::id(),
        started_at: Timestamp(1),
    };
    Store::start(path, owner, |_, error| assert_eq!(error, None)).unwrap()
}

/// The first event of a task.
pub(crate) fn submitted(handle: &str, number: usize) -> Entry {
    let id = task_id(handle, number);
    let text = format!("Please look at case {number} of the parser and say what goes wrong there.");
    let fact = Fact::Submitted {
        task: id.clone(),
        context: ContextId::new(format!("context-{}", number / 4)),
        message: Message::text(MessageId::new(format!("m-{id}")), Role::User, text),
        origin: Origin::default(),
    };
    entry(id, 1, number, fact)
}

/// A whole task: asked, at work, an artifact that grows, a reply, done.
pub(crate) fn task(handle: &str, number: usize, lines: usize) -> Vec<Entry> {
    let id = task_id(handle, number);
    let artifact = ArtifactId::new("a-1");
    let reply = format!("Case {number} fails because the lexer drops the last token of a line.");
    let mut facts = vec![
        Fact::Moved {
            status: Status::Working,
        },
        Fact::ArtifactOpened {
            artifact: artifact.clone(),
            body: Body::text(""),
        },
    ];
    facts.extend((0..lines).map(|line| Fact::ArtifactGrew {
        artifact: artifact.clone(),
        text: format!("{line}: what the agent says in this line of its reply, more or less\n"),
    }));
    facts.push(Fact::ArtifactClosed { artifact });
    facts.push(Fact::Replied {
        said: Said {
            text: reply,
            source: Source::Record,
            is_truncated: false,
        },
    });
    facts.push(Fact::Moved {
        status: Status::Completed,
    });
    let first = submitted(handle, number);
    let later = facts.into_iter().enumerate();
    let later = later.map(|(place, fact)| entry(id.clone(), place as u64 + 2, number, fact));
    std::iter::once(first).chain(later).collect()
}

pub(crate) fn task_id(handle: &str, number: usize) -> TaskId {
    TaskId::new(format!("0198c0de-{handle}-7000-8000-{number:012x}"))
}

/// When the first task was sent: some days ago, so that all of them are within what is kept.
pub(crate) static BEGAN: LazyLock<u64> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.saturating_sub(Duration::from_hours(24 * 10))
        .as_millis() as u64
});

fn entry(task: TaskId, number: u64, at: usize, fact: Fact) -> Entry {
    let at = Timestamp(*BEGAN + at as u64);
    Entry {
        task,
        number,
        event: Event { at, fact },
    }
}

/// The same bytes as the store writes of these entries.
pub(crate) fn bytes(entries: &[Entry]) -> Vec<u8> {
    let lines = entries
        .iter()
        .map(|entry| serde_json::to_string(&entry.event).unwrap() + "\n");
    lines.collect::<String>().into_bytes()
}

/// A plain file; each append is on the disk when it returns.
pub(crate) struct PlainFile(File);

impl PlainFile {
    pub(crate) fn new(path: &Path) -> Self {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        Self(
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .unwrap(),
        )
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
        self.0.sync_data().unwrap();
    }
}
