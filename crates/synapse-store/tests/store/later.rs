//! A host that runs while a later version of the program brings the store forward.

use std::time::Duration;

use rusqlite::Connection;
use synapse_a2a::id::TaskId;
use synapse_store::{Filter, StoreError, fail_orphans, push, retain};

use crate::shelf::{Shelf, Tale};

/// What a later version does to the store.
fn bring_forward(shelf: &Shelf, sql: &str) {
    let connection = Connection::open(shelf.path()).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn works_on_if_it_was_only_added_to() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    store.commit(Tale::new("t1", "q").entries).await.unwrap();
    bring_forward(
        &shelf,
        "CREATE TABLE later (key INTEGER PRIMARY KEY) STRICT;
         ALTER TABLE tasks ADD COLUMN colour TEXT;
         ALTER TABLE events ADD COLUMN colour TEXT;
         ALTER TABLE texts ADD COLUMN colour TEXT;
         ALTER TABLE usage ADD COLUMN colour TEXT;
         ALTER TABLE pushes ADD COLUMN colour TEXT;
         PRAGMA application_id = 99",
    );
    let other = shelf.store("bob");
    let tale = Tale::new("t2", "q").replies("x");
    store.commit(tale.entries).await.unwrap();
    other.commit(Tale::new("t3", "q").entries).await.unwrap();
    let task = TaskId::new("t2");
    assert!(shelf.reader().task(&task).unwrap().is_some());
    assert_eq!(shelf.reader().page(&Filter::default()).unwrap().total, 3);
    assert!(push::list(&shelf.path(), &task).unwrap().is_empty());
    retain(&shelf.path(), Duration::MAX, u64::MAX).unwrap();
    fail_orphans(&shelf.path(), |_, _| true).unwrap();
    store.close().await;
    other.close().await;
    assert_eq!((store.trouble(), other.trouble()), (None, None));
}

#[tokio::test]
async fn writes_nothing_more_into_tables_that_it_does_not_know() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    store.commit(Tale::new("t1", "q").entries).await.unwrap();
    bring_forward(&shelf, "PRAGMA user_version = 99");
    let refused = store
        .commit(Tale::new("t2", "q").entries)
        .await
        .unwrap_err();
    assert!(
        matches!(refused, StoreError::Newer { found: 99, .. }),
        "{refused:?}"
    );
    assert!(refused.to_string().contains("synapse restart"), "{refused}");
    bring_forward(&shelf, "PRAGMA user_version = 5");
    let tasks = shelf.reader().page(&Filter::default()).unwrap().tasks;
    assert_eq!(tasks.len(), 1);
}
