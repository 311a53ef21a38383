//! What goes after a while, and what stays.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use synapse_a2a::id::TaskId;
use synapse_store::{Filter, retain};

use crate::shelf::{Shelf, Tale};

const DAY: Duration = Duration::from_hours(24);
const FOR_EVER: Duration = Duration::MAX;

fn days_ago(days: u32) -> u64 {
    let then = SystemTime::now() - DAY * days;
    then.duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

fn tale(id: &str, days: u32) -> Tale {
    Tale::of(id, "some question", days_ago(days), "user", "c")
}

fn names(shelf: &Shelf) -> Vec<String> {
    let page = shelf
        .reader()
        .page(&Filter {
            limit: 10_000,
            ..Filter::default()
        })
        .unwrap();
    assert_eq!(page.total, page.tasks.len());
    page.tasks
        .iter()
        .map(|kept| kept.task.id().to_string())
        .collect()
}

#[tokio::test]
async fn what_has_been_over_for_too_long_goes_with_all_that_belongs_to_it() {
    let shelf = Shelf::new();
    let old = tale("old", 40).replies("an answer");
    let open = tale("open", 50).works();
    shelf
        .fill("ada", [old, open, tale("young", 2).replies("an answer")])
        .await;
    let removed = retain(&shelf.path(), DAY * 30, u64::MAX).unwrap();
    assert_eq!(removed, [TaskId::new("old")]);
    assert_eq!(
        names(&shelf),
        ["young", "open"],
        "what is open stays, however old"
    );
    let found = shelf.reader().search("answer", 10, None).unwrap();
    assert_eq!(found.len(), 1);
    assert!(shelf.reader().task(&TaskId::new("old")).unwrap().is_none());
    let connection = rusqlite::Connection::open(shelf.path()).unwrap();
    for table in ["events", "texts"] {
        let sql =
            format!("SELECT count(*) FROM {table} WHERE rowid_of NOT IN (SELECT key FROM tasks)");
        let sql = sql.replace("rowid_of", if table == "events" { "task" } else { "key" });
        let left: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}

#[tokio::test]
async fn the_oldest_go_first_until_the_rest_fits() {
    let shelf = Shelf::new();
    let reply = "twelve thousand different words about parsers and their tests ".repeat(60);
    let tales = (0..150).map(|number| {
        tale(&format!("t{number:03}"), 150 - number).replies(&format!("{number} {reply}"))
    });
    shelf.fill("ada", tales).await;
    let size = || fs::metadata(shelf.path()).unwrap().len();
    let before = size();
    let limit = before / 2;
    let removed = retain(&shelf.path(), FOR_EVER, limit).unwrap();
    assert!(
        size() <= limit,
        "{} bytes are left of {before}, {limit} were allowed",
        size()
    );
    let left = names(&shelf);
    assert!(
        left.len() >= 40,
        "only {} tasks of 150 are left",
        left.len()
    );
    assert_eq!(removed.len() + left.len(), 150);
    assert!(
        removed
            .iter()
            .all(|gone| left.iter().all(|stays| gone.as_str() < stays.as_str()))
    );
    assert!(
        retain(&shelf.path(), FOR_EVER, limit).unwrap().is_empty(),
        "enough is enough"
    );
}

#[tokio::test]
async fn a_host_goes_on_when_all_its_tasks_were_removed() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    store
        .commit(tale("old", 40).replies("x").entries)
        .await
        .unwrap();
    // The task is filed right after it was told; only then may it go.
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while retain(&shelf.path(), DAY, 0).unwrap().is_empty() {
        assert!(std::time::Instant::now() < deadline, "it is never removed");
    }
    assert!(names(&shelf).is_empty());
    store.commit(tale("young", 0).entries).await.unwrap();
    assert_eq!(names(&shelf), ["young"]);
    store.close().await;
}

#[tokio::test]
async fn without_a_store_there_is_nothing_to_remove() {
    let shelf = Shelf::new();
    assert!(retain(&shelf.path(), DAY, 0).unwrap().is_empty());
    assert!(!shelf.path().exists());
}
