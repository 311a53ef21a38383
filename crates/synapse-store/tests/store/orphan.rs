//! Tasks whose host died.

use std::cell::RefCell;

use synapse_a2a::error::FailureCode;
use synapse_a2a::event::Status;
use synapse_a2a::id::TaskId;
use synapse_store::fail_orphans;

use crate::shelf::{Shelf, Tale};

#[tokio::test]
async fn open_tasks_of_the_dead_fail_with_a_reason_and_those_of_the_living_go_on() {
    let shelf = Shelf::new();
    let queued = Tale::new("queued", "q");
    let working = Tale::new("working", "q").works().opens().grows("half");
    shelf
        .fill(
            "dead",
            [queued, working.clone(), Tale::new("done", "q").replies("r")],
        )
        .await;
    let living = shelf.store("alive");
    living.commit(Tale::new("open", "q").entries).await.unwrap();

    let asked = RefCell::new(Vec::new());
    let failed = fail_orphans(&shelf.path(), |agent, run| {
        asked.borrow_mut().push((agent.to_owned(), run.to_owned()));
        run == "run-of-alive"
    });
    assert_eq!(
        failed.unwrap(),
        [TaskId::new("queued"), TaskId::new("working")]
    );
    let dead = ("agent-of-dead".to_owned(), "run-of-dead".to_owned());
    assert!(asked.borrow().contains(&dead));

    let reader = shelf.reader();
    let kept = reader.task(&TaskId::new("working")).unwrap().unwrap();
    assert_eq!(
        kept.events[..4],
        working.events()[..],
        "its events are still there"
    );
    assert_eq!(kept.events.len(), 5, "and the end is the next of them");
    let Status::Failed { failure } = kept.task.status() else {
        panic!("{:?}", kept.task.status());
    };
    assert_eq!(failure.code, FailureCode::HostCrashed);
    assert_eq!(
        failure.message,
        "the host of dead died while the task was open"
    );
    let found = reader.search("half", 10, None).unwrap();
    assert_eq!(found.len(), 1, "it can be searched");

    living.commit(Tale::new("more", "q").entries).await.unwrap();
    living.append(Tale::new("open", "q").works().entries.split_off(1));
    living.close().await;
    assert_eq!(
        reader
            .task(&TaskId::new("open"))
            .unwrap()
            .unwrap()
            .events
            .len(),
        2
    );
    assert!(
        fail_orphans(&shelf.path(), |_, run| run == "run-of-alive")
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn the_end_of_a_task_stands_behind_all_that_was_written_while_its_reply_grew() {
    let shelf = Shelf::new();
    let store = shelf.store("dead");
    let tale = (0..20).fold(Tale::new("t", "q").works().opens(), |tale, _| {
        tale.grows("line\n")
    });
    // One at a time, as a program writes them: the row of the task is not written with each.
    for entry in tale.entries.clone() {
        store.commit(vec![entry]).await.unwrap();
    }
    store.close().await;
    let failed = fail_orphans(&shelf.path(), |_, _| false).unwrap();
    assert_eq!(failed, [TaskId::new("t")]);
    let kept = shelf.reader().task(&TaskId::new("t")).unwrap().unwrap();
    assert_eq!(kept.events[..23], tale.events()[..]);
    assert_eq!(
        (kept.events.len(), kept.task.state().name()),
        (24, "failed")
    );
    let row = rusqlite::Connection::open(shelf.path()).unwrap().query_row(
        "SELECT events, bytes FROM tasks WHERE id = 't'",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    );
    let (events, bytes): (i64, i64) = row.unwrap();
    assert_eq!(events, 24);
    assert!(bytes > 24 * 20, "{bytes} bytes for 24 events");
}

#[tokio::test]
async fn a_host_that_was_taken_for_dead_cannot_write_over_the_end() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    let tale = Tale::new("t1", "q").works().opens();
    let mut entries = tale.entries;
    let later = entries.split_off(1);
    store.commit(entries).await.unwrap();
    fail_orphans(&shelf.path(), |_, _| false).unwrap();
    assert!(store.commit(later).await.is_err());
    store.commit(Tale::new("t2", "q").entries).await.unwrap();
    assert_eq!(store.trouble(), None);
    store.close().await;
    let kept = shelf.reader().task(&TaskId::new("t1")).unwrap().unwrap();
    assert_eq!((kept.events.len(), kept.task.state().name()), (2, "failed"));
}

#[tokio::test]
async fn without_a_store_nobody_is_an_orphan() {
    let shelf = Shelf::new();
    assert!(
        fail_orphans(&shelf.path(), |_, _| false)
            .unwrap()
            .is_empty()
    );
    assert!(!shelf.path().exists());
}
