//! A disk that takes nothing, and one that takes something again. The limit on file sizes stands in for a
//! full disk where the moment matters; it holds for a whole process, so each test has one of its own.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use synapse_a2a::event::Status;
use synapse_a2a::id::TaskId;
use synapse_a2a::task::TaskState;
use synapse_store::{Entry, Reader, Store, StoreError};

use crate::process::{Errand, on_errand, start};
use crate::shelf::{Shelf, Tale, owner};

/// Runs a test of this module in a process of its own and expects it to succeed.
fn run(test: &str) {
    let shelf = Shelf::new();
    let child = start(&format!("trouble::{test}"), &shelf.path(), test);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// Lets no file of the store grow any more, until it is dropped.
struct FullDisk;

impl FullDisk {
    fn now(store: &Path) -> Self {
        let log = store.with_extension("db-wal");
        Self::limit(Some(fs::metadata(log).unwrap().len()));
        Self
    }

    fn limit(size: Option<u64>) {
        let maximum = getrlimit(Resource::Fsize).maximum;
        let limit = Rlimit {
            current: size,
            maximum,
        };
        setrlimit(Resource::Fsize, limit).unwrap();
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        Self::limit(None);
    }
}

/// A host in this process whose task `t1` is at work, and the rest of that task.
async fn host(shelf: &Shelf, rest: Tale) -> (Store, Vec<Entry>) {
    let store = shelf.store("ada");
    let mut entries = rest.entries;
    let later = entries.split_off(2);
    store.commit(entries).await.unwrap();
    (store, later)
}

/// Waits until everything handed over so far was tried.
async fn flush(store: &Store) {
    assert!(store.commit(Vec::new()).await.is_err(), "the disk is full");
}

fn here(test: &str) -> Option<Shelf> {
    let errand = Errand::here()?;
    (errand.name == test).then(Shelf::new)
}

fn events_of(shelf: &Shelf, task: &str) -> usize {
    let reader = Reader::open(shelf.path()).unwrap();
    reader
        .task(&TaskId::new(task))
        .unwrap()
        .map_or(0, |kept| kept.events.len())
}

#[tokio::test]
async fn full_then_empty() {
    let Some(shelf) = here("full_then_empty") else {
        return;
    };
    let tale = Tale::new("t1", "q").works().opens().grows("x").grows("y");
    let (store, mut later) = host(&shelf, tale).await;
    let full = FullDisk::now(&shelf.path());

    let refused = store.commit(Tale::new("t2", "no room").entries).await;
    assert!(refused.is_err(), "what was promised as durable is refused");
    let trouble = store.trouble().unwrap();
    assert!(trouble.contains("synapse.db"), "{trouble}");
    store.append(later.drain(..1).collect());
    store.append(later.drain(..1).collect());
    flush(&store).await;
    assert_eq!(
        shelf.seen_of("t1")[2..],
        [(3, false), (4, false)],
        "all is seen, in order"
    );
    assert_eq!(events_of(&shelf, "t1"), 2);

    drop(full);
    store.commit(later).await.unwrap();
    assert_eq!(store.trouble(), None);
    assert_eq!(
        events_of(&shelf, "t1"),
        5,
        "what was kept in memory came first"
    );
    assert_eq!(
        events_of(&shelf, "t2"),
        0,
        "what was refused never happened"
    );
    store
        .commit(Tale::new("t2", "again").entries)
        .await
        .unwrap();
    store.close().await;
}

#[tokio::test]
async fn empty_by_itself() {
    let Some(shelf) = here("empty_by_itself") else {
        return;
    };
    let (store, later) = host(&shelf, Tale::new("t1", "q").replies("done")).await;
    let full = FullDisk::now(&shelf.path());
    store.append(later);
    flush(&store).await;
    assert!(store.trouble().is_some());
    drop(full);
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.trouble().is_some() {
        assert!(
            Instant::now() < deadline,
            "the end of a task waits for somebody to ask"
        );
        tokio::task::yield_now().await;
    }
    assert_eq!(events_of(&shelf, "t1"), 4);
    store.close().await;
}

#[tokio::test]
async fn full_for_too_long() {
    let Some(shelf) = here("full_for_too_long") else {
        return;
    };
    let megabyte = "x".repeat(1 << 20);
    let tale = (0..12).fold(Tale::new("t1", "q").works().opens(), |tale, _| {
        tale.grows(&megabyte)
    });
    let tale = tale.moves(Status::Completed);
    let (store, mut later) = host(&shelf, tale).await;
    let end = later.pop().unwrap();
    let full = FullDisk::now(&shelf.path());
    for entry in later {
        store.append(vec![entry]);
    }
    flush(&store).await;
    drop(full);

    store.append(vec![end]);
    store.commit(Tale::new("t2", "q").entries).await.unwrap();
    store.close().await;
    let reader = Reader::open(shelf.path()).unwrap();
    let kept = reader.task(&TaskId::new("t1")).unwrap().unwrap();
    assert!(!kept.is_complete, "it says that something is missing");
    assert_eq!(
        kept.task.state(),
        TaskState::Completed,
        "but not that it still runs"
    );
    assert!(
        (5..15).contains(&kept.events.len()),
        "{} events",
        kept.events.len()
    );
    let last = shelf.seen.lock().unwrap().clone();
    let told = last
        .iter()
        .any(|(_, error)| matches!(error, Some(StoreError::Incomplete { .. })));
    assert!(told, "whoever listens knows");
}

#[test]
fn a_full_disk_refuses_honestly_and_what_happened_is_written_later() {
    run("full_then_empty");
}

#[test]
fn the_end_of_a_task_is_written_as_soon_as_there_is_room() {
    run("empty_by_itself");
}

#[test]
fn a_task_that_lost_events_says_so_and_has_no_hole() {
    run("full_for_too_long");
}

/// Runs in a small file system that is mounted on the folder of the store.
#[tokio::test]
async fn small_disk() {
    let Some(errand) = Errand::here().filter(|errand| errand.name == "small_disk") else {
        return;
    };
    let ballast = errand.store.with_file_name("ballast");
    fs::write(&ballast, vec![0; 1 << 20]).unwrap();
    let store = Store::start(errand.store.clone(), owner("ada"), |_, _| {}).unwrap();
    let mut accepted = Vec::new();
    let error = loop {
        let name = format!("t{}", accepted.len());
        match store
            .commit(Tale::new(&name, &"word ".repeat(400)).entries)
            .await
        {
            Ok(()) => accepted.push(name),
            Err(error) => break error,
        }
        assert!(accepted.len() < 10_000, "the disk is never full");
    };
    assert!(matches!(error, StoreError::NoRoom { .. }), "{error:?}");
    assert!(!accepted.is_empty());
    fs::remove_file(ballast).unwrap();
    store.commit(Tale::new("after", "q").entries).await.unwrap();
    store.close().await;
    let reader = Reader::open(&errand.store).unwrap();
    for name in accepted {
        let kept = reader.task(&TaskId::new(name.as_str())).unwrap();
        assert!(kept.is_some(), "{name} is missing");
    }
    assert!(reader.task(&TaskId::new("after")).unwrap().is_some());
}

#[test]
fn a_disk_that_is_really_full_is_called_full() {
    let shelf = Shelf::new();
    let folder = shelf.path().parent().unwrap().to_owned();
    fs::create_dir(&folder).unwrap();
    let mount = |then: &str| {
        let script = format!("mount -t tmpfs -o size=2m tmpfs \"$1\" && {then}");
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", &script, "sh"]);
        command.arg(&folder).arg(std::env::current_exe().unwrap());
        command
    };
    if !mount("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system lets us mount no file system of our own");
        return;
    }
    let mut command = mount("exec \"$2\" --exact trouble::small_disk --nocapture");
    let output = on_errand(&mut command, &shelf.path(), "small_disk")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
