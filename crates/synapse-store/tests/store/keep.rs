//! What is handed over is found again, as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use synapse_a2a::event::Status;
use synapse_a2a::id::{MessageId, TaskId};
use synapse_store::{Entry, Reader, StoreError};

use crate::shelf::{Shelf, Tale};

#[tokio::test]
async fn a_task_that_was_committed_is_read_back_with_its_events() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    let tale = Tale::new("t1", "hello").works().opens().grows("a line");
    store.commit(tale.entries.clone()).await.unwrap();
    let kept = shelf.reader().task(&TaskId::new("t1")).unwrap().unwrap();
    assert_eq!(kept.events, tale.events());
    assert_eq!(kept.task, tale.task());
    assert_eq!(
        (kept.agent.as_str(), kept.handle.as_str(), kept.run.as_str()),
        ("agent-of-ada", "ada", "run-of-ada")
    );
    assert!(kept.is_complete);
}

#[tokio::test]
async fn a_task_that_is_over_reads_the_same_before_and_after_it_is_filed() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    let tale = Tale::new("t1", "hello").replies("hi there");
    store.commit(tale.entries.clone()).await.unwrap();
    let id = TaskId::new("t1");
    let before = shelf.reader().task(&id).unwrap();
    store.close().await;
    assert_eq!(shelf.reader().task(&id).unwrap(), before);
    assert_eq!(before.unwrap().task, tale.task());
}

#[tokio::test]
async fn events_are_seen_in_order_and_only_once_they_can_be_read() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    let tale = (0..200).fold(Tale::new("t1", "q").works().opens(), |tale, line| {
        tale.grows(&format!("line {line}\n"))
    });
    for entry in tale.entries.clone() {
        store.append(vec![entry]);
    }
    store.close().await;
    let numbers: Vec<(u64, bool)> = (1..=203).map(|number| (number, true)).collect();
    assert_eq!(shelf.seen_of("t1"), numbers);
    let kept = shelf.reader().task(&TaskId::new("t1")).unwrap().unwrap();
    assert_eq!(kept.events, tale.events());
}

#[tokio::test]
async fn a_number_left_out_is_an_error_and_nothing_of_it_is_kept() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    let mut entries = Tale::new("t1", "q").works().opens().entries;
    store.commit(entries.drain(..1).collect()).await.unwrap();
    let skipped: Vec<Entry> = entries.drain(1..).collect();
    assert_eq!(
        store.commit(skipped).await,
        Err(StoreError::OutOfOrder {
            task: TaskId::new("t1"),
            expected: 2,
            got: 3
        })
    );
    assert_eq!(
        store.trouble(),
        None,
        "a mistake of the caller is no trouble of the disk"
    );
    store.commit(entries).await.unwrap();
    let kept = shelf.reader().task(&TaskId::new("t1")).unwrap().unwrap();
    assert_eq!(kept.events.len(), 2);
}

#[tokio::test]
async fn an_event_that_may_not_happen_is_refused() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    let tale = Tale::new("t1", "q").moves(Status::Completed);
    let error = store.commit(tale.entries).await.unwrap_err();
    assert!(
        matches!(error, StoreError::Illegal { number: 2, .. }),
        "{error}"
    );
    let late = Tale::new("t2", "q").replies("done").works();
    let error = store.commit(late.entries).await.unwrap_err();
    assert!(
        matches!(error, StoreError::Illegal { number: 5, .. }),
        "{error}"
    );
    assert!(shelf.reader().find("t").unwrap().is_empty());
}

#[tokio::test]
async fn a_second_task_of_the_same_name_is_refused() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    store
        .commit(Tale::new("t1", "one").replies("1").entries)
        .await
        .unwrap();
    let error = store
        .commit(Tale::new("t1", "two").entries)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Taken { .. }), "{error}");
    store
        .commit(Tale::new("t2", "three").entries)
        .await
        .unwrap();
    let kept = shelf.reader().task(&TaskId::new("t1")).unwrap().unwrap();
    assert_eq!(kept.task.message().words(), "one");
}

#[tokio::test]
async fn a_store_that_is_closed_takes_nothing_more() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    store.append(Tale::new("t1", "q").entries);
    store.close().await;
    store.close().await;
    assert_eq!(
        store.commit(Tale::new("t2", "q").entries).await,
        Err(StoreError::Closed)
    );
    store.append(Tale::new("t3", "q").entries);
    assert_eq!(shelf.reader().find("t").unwrap(), [TaskId::new("t1")]);
}

#[tokio::test]
async fn tasks_are_found_by_the_ends_of_their_names() {
    let shelf = Shelf::new();
    let tasks = ["0198-aa%", "0198-bb_", "0199-aa%", "0199"].map(|id| Tale::new(id, "q"));
    shelf.fill("ada", tasks).await;
    let find = |part: &str| {
        let found = shelf.reader().find(part).unwrap();
        let mut found: Vec<String> = found.iter().map(ToString::to_string).collect();
        found.sort();
        found
    };
    assert_eq!(find("0198"), ["0198-aa%", "0198-bb_"]);
    assert_eq!(find("-aa%"), ["0198-aa%", "0199-aa%"]);
    assert_eq!(
        find("0199"),
        ["0199"],
        "a whole name stands for itself alone"
    );
    assert_eq!(find("%"), ["0198-aa%", "0199-aa%"]);
    assert_eq!(find("*"), [""; 0]);
    assert_eq!(find(""), [""; 0]);
}

#[tokio::test]
async fn a_task_is_found_by_the_message_that_began_it() {
    let shelf = Shelf::new();
    shelf.fill("ada", [Tale::new("t1", "q")]).await;
    let by = |agent, message| {
        let reader = shelf.reader();
        reader.by_message(agent, &MessageId::new(message)).unwrap()
    };
    assert_eq!(by("agent-of-ada", "m-t1"), Some(TaskId::new("t1")));
    assert_eq!(by("agent-of-bob", "m-t1"), None);
    assert_eq!(by("agent-of-ada", "m"), None);
}

#[tokio::test]
async fn the_latest_tasks_of_an_agent_come_back_with_their_events() {
    let shelf = Shelf::new();
    let tale = |id: &str, at| Tale::of(id, "q", at, "user", "c");
    shelf
        .fill("ada", [tale("t1", 10), tale("t2", 30), tale("t3", 20)])
        .await;
    shelf.fill("bob", [tale("t4", 40)]).await;
    let recent = shelf.reader().recent("agent-of-ada", 2).unwrap();
    let names: Vec<&str> = recent.iter().map(|kept| kept.task.id().as_str()).collect();
    assert_eq!(names, ["t2", "t3"]);
    assert!(recent.iter().all(|kept| kept.events.len() == 1));
}

#[tokio::test]
async fn files_are_for_their_owner_alone() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    store.commit(Tale::new("t1", "q").entries).await.unwrap();
    let folder = shelf.path().parent().unwrap().to_owned();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let mut names = Vec::new();
    for file in fs::read_dir(&folder).unwrap() {
        let file = file.unwrap();
        assert_eq!(mode(&file.path()), 0o600, "{}", file.path().display());
        names.push(file.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["synapse.db", "synapse.db-shm", "synapse.db-wal"]);
}

#[tokio::test]
async fn a_store_that_is_not_there_reads_as_empty_and_is_found_later() {
    let shelf = Shelf::new();
    let reader = Reader::open(shelf.path()).unwrap();
    assert_eq!(reader.task(&TaskId::new("t1")).unwrap(), None);
    assert!(!shelf.path().exists(), "looking makes nothing");
    shelf.fill("ada", [Tale::new("t1", "q")]).await;
    assert!(reader.task(&TaskId::new("t1")).unwrap().is_some());
}
