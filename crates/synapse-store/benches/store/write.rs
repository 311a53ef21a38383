//! Writing: one task at a time, in groups, and as fast as they come.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::supply::{PlainFile, bytes, runtime, store, submitted, task};
use crate::table::{Times, ratio, row, times, title};

const SINGLE: usize = 4_000;
const GROUPS: usize = 1_000;
const GROUP: usize = 32;
const FLOOD: usize = 5_000;
const LINES: usize = 26;

pub(crate) fn run(home: &Path) {
    single(home);
    groups(home);
    flood(home);
    memory(home);
}

fn single(home: &Path) {
    title("one task accepted after the other, each on the disk before the next");
    let mut file = PlainFile::new(&home.join("plain"));
    let floor = Times::of(SINGLE, |number| {
        file.append(&bytes(&[submitted("ada", number)]));
    });
    times("a plain file, appended and synced", &floor);
    let (runtime, store) = (runtime(), store(home.join("single.db"), "ada"));
    let ours = Times::of(SINGLE, |number| {
        runtime
            .block_on(store.commit(vec![submitted("ada", number)]))
            .unwrap();
    });
    times("the store", &ours);
    ratio("rate", ours.rate(), floor.rate());
    runtime.block_on(store.close());
}

fn groups(home: &Path) {
    title("groups of 32 events, each on the disk before the next");
    let entries = |number| task("ada", number, LINES);
    assert_eq!(entries(0).len(), GROUP);
    let mut file = PlainFile::new(&home.join("plain"));
    let floor = Times::of(GROUPS, |number| file.append(&bytes(&entries(number))));
    times("a plain file, appended and synced", &floor);
    let (runtime, store) = (runtime(), store(home.join("groups.db"), "ada"));
    let ours = Times::of(GROUPS, |number| {
        runtime.block_on(store.commit(entries(number))).unwrap();
    });
    times("the store", &ours);
    row(
        "events of the store",
        &format!("{:.0} /s", ours.rate() * GROUP as f64),
    );
    ratio("rate", ours.rate(), floor.rate());
    runtime.block_on(store.close());
}

fn flood(home: &Path) {
    title("events as fast as they come, until all are on the disk, folded and searchable");
    let (runtime, store) = (runtime(), store(home.join("flood.db"), "ada"));
    let began = Instant::now();
    let mut events = 0;
    for number in 0..FLOOD {
        let entries = task("ada", number, LINES);
        events += entries.len();
        for entry in entries {
            store.append(vec![entry]);
        }
        // What waits is bounded; an agent would not be so far ahead either.
        if number % 500 == 499 {
            runtime.block_on(store.commit(Vec::new())).unwrap();
        }
    }
    runtime.block_on(store.commit(Vec::new())).unwrap();
    let written = began.elapsed();
    runtime.block_on(store.close());
    let filed = began.elapsed();
    row(
        "events on the disk",
        &format!("{:.0} /s", events as f64 / written.as_secs_f64()),
    );
    row(
        "and filed",
        &format!("{:.0} /s", events as f64 / filed.as_secs_f64()),
    );
}

fn memory(home: &Path) {
    title("memory of a process that does nothing but keep a store");
    let status = Command::new(std::env::current_exe().unwrap())
        .arg("idle")
        .arg(home.join("idle.db"))
        .arg("ada")
        .status();
    assert!(status.unwrap().success());
}

/// Says how much memory this process takes, with and without a store.
pub(crate) fn idle(path: &Path, name: &str) {
    let say = |when: &str| {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
        row(when, &format!("{:.1} MB", pages as f64 * 4096.0 / 1e6));
    };
    let runtime = runtime();
    say("without a store");
    let store = store(path.to_owned(), name);
    runtime.block_on(store.commit(Vec::new())).unwrap();
    say("with a store that is open");
    for number in 0..1_000 {
        let entries = task(name, number, LINES);
        runtime.block_on(store.commit(entries)).unwrap();
    }
    say("after a thousand tasks");
    runtime.block_on(store.close());
}
