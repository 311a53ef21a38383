//! Processes that die, and processes that write all at once.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};

use synapse_a2a::id::TaskId;
use synapse_store::{Filter, Reader, Store};

use crate::process::{Errand, say, start};
use crate::shelf::{Shelf, Tale, owner};

/// Acknowledged events after which the writer is killed: in the middle of its work.
const ENOUGH: usize = 5_000;

#[test]
fn writer_that_never_stops() {
    let Some(errand) = Errand::here() else {
        return;
    };
    let store = Store::start(errand.store, owner(&errand.name), |entries, error| {
        assert_eq!(error, None);
        for entry in entries {
            say(&format!("kept {} {}", entry.task, entry.number));
        }
    });
    let store = store.unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    for task in 0_u64.. {
        let tale = (0..20).fold(
            Tale::new(&format!("t{task}"), "q").works().opens(),
            |tale, line| tale.grows(&format!("line {line}\n")),
        );
        let mut entries = tale.entries.into_iter();
        runtime
            .block_on(store.commit(entries.by_ref().take(1).collect()))
            .unwrap();
        for entry in entries {
            store.append(vec![entry]);
        }
    }
}

#[test]
fn nothing_acknowledged_is_missing_after_a_kill() {
    let shelf = Shelf::new();
    let mut writer = start("crash::writer_that_never_stops", &shelf.path(), "ada");
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let mut acknowledged: HashMap<String, u64> = HashMap::new();
    let mut count = 0;
    let mut note = |line: String| {
        if let Some(kept) = line.strip_prefix("kept ")
            && let Some((task, number)) = kept.split_once(' ')
        {
            acknowledged.insert(task.to_owned(), number.parse().unwrap());
        }
    };
    for line in lines.by_ref() {
        note(line.unwrap());
        count += 1;
        if count == ENOUGH {
            writer.kill().unwrap();
        }
    }
    writer.wait().unwrap();
    assert!(count >= ENOUGH, "it ended by itself");

    let reader = Reader::open(shelf.path()).unwrap();
    for (task, number) in &acknowledged {
        let kept = reader.task(&TaskId::new(task.as_str())).unwrap();
        let kept = kept.unwrap_or_else(|| panic!("{task} is missing"));
        assert!(
            kept.events.len() as u64 >= *number,
            "{task} has {} events, {number} were acknowledged",
            kept.events.len()
        );
    }
    let all = reader
        .page(&Filter {
            limit: usize::MAX,
            ..Filter::default()
        })
        .unwrap();
    assert_eq!(all.total, all.tasks.len());
    for kept in &all.tasks {
        let kept = reader.task(kept.task.id()).unwrap().unwrap();
        assert!(kept.is_complete);
    }
    assert_no_holes(&shelf);
}

/// Reads the file as any other program would.
fn assert_no_holes(shelf: &Shelf) {
    let connection = rusqlite::Connection::open(shelf.path()).unwrap();
    let holes: i64 = connection
        .query_row(
            "SELECT count(*) FROM tasks JOIN
                (SELECT task, count(*) AS count, max(number) AS last FROM events GROUP BY task)
             ON task = key
             WHERE count <> last OR events > last OR (stage > 0 AND events <> last)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(holes, 0);
    let verdict: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok");
}

/// Tasks that each of several processes writes.
const EACH: usize = 100;

#[test]
fn writer_of_a_hundred_tasks() {
    let Some(errand) = Errand::here() else {
        return;
    };
    let store = Store::start(errand.store, owner(&errand.name), |_, error| {
        assert_eq!(error, None);
    });
    let store = store.unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    for task in 0..EACH {
        let tale = Tale::new(&format!("{}-{task}", errand.name), "q").replies("done");
        let mut entries = tale.entries.into_iter();
        runtime
            .block_on(store.commit(entries.by_ref().take(1).collect()))
            .unwrap();
        store.append(entries.collect());
    }
    runtime.block_on(store.close());
    assert_eq!(store.trouble(), None);
}

#[test]
fn eight_hosts_begin_and_fill_one_store_together() {
    let shelf = Shelf::new();
    let names: Vec<String> = (0..8).map(|number| format!("host{number}")).collect();
    let hosts: Vec<_> = names
        .iter()
        .map(|name| start("crash::writer_of_a_hundred_tasks", &shelf.path(), name))
        .collect();
    for host in hosts {
        let output = host.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    let reader = shelf.reader();
    for name in &names {
        let filter = Filter {
            handle: Some(name.clone()),
            limit: EACH * 2,
            ..Filter::default()
        };
        let page = reader.page(&filter).unwrap();
        assert_eq!((page.total, page.tasks.len()), (EACH, EACH), "{name}");
    }
    assert_no_holes(&shelf);
}
