//! Files that are not what they should be: said by name, and left as they are.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use synapse_a2a::id::TaskId;
use synapse_store::{Filter, Reader, StoreError, fail_orphans, retain};

use crate::shelf::{Shelf, Tale};

fn put(shelf: &Shelf, bytes: &[u8]) {
    fs::create_dir_all(shelf.path().parent().unwrap()).unwrap();
    fs::write(shelf.path(), bytes).unwrap();
}

fn change(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
}

/// Everything that touches the file says what is wrong with it and does not change it.
async fn assert_refused(shelf: &Shelf, is_right: impl Fn(&StoreError) -> bool) {
    let before = fs::read(shelf.path()).unwrap();
    let age = std::time::Duration::MAX;
    let store = shelf.store("ada");
    let task = TaskId::new("t1");
    let errors = [
        store
            .commit(Tale::new("t1", "q").entries)
            .await
            .unwrap_err(),
        Reader::open(shelf.path())
            .and_then(|reader| reader.task(&task))
            .unwrap_err(),
        fail_orphans(&shelf.path(), |_, _| true).unwrap_err(),
        retain(&shelf.path(), age, u64::MAX).unwrap_err(),
    ];
    for error in errors {
        assert!(is_right(&error), "{error:?}");
        assert!(error.to_string().contains("synapse.db"), "{error}");
    }
    assert!(store.trouble().is_some());
    store.close().await;
    assert_eq!(
        fs::read(shelf.path()).unwrap(),
        before,
        "the file was touched"
    );
}

#[tokio::test]
async fn a_file_that_is_no_database() {
    let shelf = Shelf::new();
    put(&shelf, &b"these are my notes, not a database\n".repeat(300));
    assert_refused(&shelf, |error| matches!(error, StoreError::Corrupt { .. })).await;
}

#[tokio::test]
async fn a_database_of_a_later_version() {
    let shelf = Shelf::new();
    shelf.fill("ada", [Tale::new("t0", "q")]).await;
    change(&shelf.path(), "PRAGMA user_version = 99");
    assert_refused(&shelf, |error| {
        matches!(error, StoreError::Newer { found: 99, .. })
    })
    .await;
}

#[tokio::test]
async fn a_database_of_an_earlier_version_is_brought_to_this_one_by_whoever_reads_it() {
    let shelf = Shelf::new();
    shelf.fill("ada", [Tale::new("t0", "q")]).await;
    let earlier = "DROP TABLE outbox;
        DROP TABLE flow_runs;
        DROP TABLE flow_events;
        DROP INDEX pushes_due;
        ALTER TABLE pushes DROP COLUMN due;
        ALTER TABLE pushes DROP COLUMN is_local;
        INSERT INTO pushes VALUES ('t0', 'a', 'https://example.com', NULL, NULL, NULL, 'v1');
        DROP TABLE usage;
        DROP TABLE lives;
        PRAGMA application_id = 0;
        PRAGMA user_version = 1";
    change(&shelf.path(), earlier);
    let t0 = TaskId::new("t0");
    let pushes = synapse_store::push::list(&shelf.path(), &t0).unwrap();
    assert_eq!(pushes.len(), 1);
    assert!(!pushes[0].is_local, "nobody knows, so the internet alone");
    assert!(shelf.reader().task(&t0).unwrap().is_some());
}

#[tokio::test]
async fn a_database_of_something_else() {
    let shelf = Shelf::new();
    put(&shelf, b"");
    change(&shelf.path(), "CREATE TABLE bookmarks (url TEXT)");
    assert_refused(&shelf, |error| matches!(error, StoreError::Foreign { .. })).await;
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let shelf = Shelf::new();
    put(&shelf, b"");
    assert_eq!(shelf.reader().page(&Filter::default()).unwrap().total, 0);
    shelf.fill("ada", [Tale::new("t1", "q")]).await;
    assert_eq!(shelf.reader().page(&Filter::default()).unwrap().total, 1);
}

#[tokio::test]
async fn a_damaged_database_is_an_error_and_never_a_panic() {
    let shelf = Shelf::new();
    let tasks = (0..200).map(|number| Tale::new(&format!("t{number}"), "question").replies("x"));
    shelf.fill("ada", tasks).await;
    let whole = fs::read(shelf.path()).unwrap();
    let pages = whole.len() / 4_096;
    for page in 1..pages {
        let mut damaged = whole.clone();
        damaged[page * 4_096..(page + 1) * 4_096].fill(0xa5);
        put(&shelf, &damaged);
        let Ok(reader) = Reader::open(shelf.path()) else {
            continue;
        };
        // Whatever these say, they say it.
        let _ = reader.page(&Filter {
            limit: 500,
            ..Filter::default()
        });
        let _ = reader.search("question", 500, None);
        let _ = reader.task(&TaskId::new("t7"));
        let _ = reader.find("t1");
    }
}

#[tokio::test]
async fn a_store_works_again_once_the_damaged_file_is_gone() {
    let shelf = Shelf::new();
    put(&shelf, &b"not a database".repeat(100));
    let store = shelf.store("ada");
    store.append(Tale::new("t1", "happened anyway").entries);
    assert!(store.commit(Tale::new("t2", "q").entries).await.is_err());
    fs::rename(shelf.path(), shelf.home.path().join("moved")).unwrap();
    store.commit(Tale::new("t2", "q").entries).await.unwrap();
    assert_eq!(store.trouble(), None);
    store.close().await;
    assert_eq!(shelf.reader().page(&Filter::default()).unwrap().total, 2);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let shelf = Shelf::new();
    fs::write(
        shelf.home.path().join("synapse"),
        "a file where the folder goes",
    )
    .unwrap();
    let store = shelf.store("ada");
    let error = store
        .commit(Tale::new("t1", "q").entries)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("synapse"), "{error}");
    store.close().await;
}
