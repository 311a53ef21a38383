//! What a longer history costs, in JSON, for `scripts/bench-growth`.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use synapse_store::{Filter, Reader, retain};

use crate::list::fill;
use crate::supply::BEGAN;
use crate::table::Times;

const LOOKS: usize = 50;

/// No limit but that of time.
const ANY_SIZE: u64 = u64::MAX;

/// Fills a store, and looks into it.
pub(crate) fn grow(path: &Path, tasks: usize) {
    let began = Instant::now();
    fill(path, tasks);
    let filled = began.elapsed().as_secs_f64();
    let reader = Reader::open(path).unwrap();
    let of_agent = Filter {
        agent: Some("agent-of-agent3".to_owned()),
        ..Filter::default()
    };
    let list = Times::of(LOOKS, |_| drop(reader.page(&of_agent).unwrap()));
    let rare = format!("case {}", tasks / 2);
    let search = Times::of(LOOKS, |_| drop(reader.search(&rare, 20, None).unwrap()));
    let common = Times::of(LOOKS, |_| {
        drop(reader.search("lexer drops", 20, None).unwrap());
    });
    let quiet = Times::of(LOOKS, |_| {
        let removed = retain(path, Duration::from_hours(24 * 90), ANY_SIZE);
        assert!(removed.unwrap().is_empty());
    });
    println!(
        "{}",
        serde_json::json!({
            "tasks": tasks,
            "began": *BEGAN,
            "fill_seconds": filled,
            "bytes": std::fs::metadata(path).unwrap().len(),
            "list_us": list.micros(0.5),
            "search_us": search.micros(0.5),
            "search_common_us": common.micros(0.5),
            "retention_quiet_us": quiet.micros(0.5),
        })
    );
}

/// Removes what was over by then, in milliseconds since 1970.
pub(crate) fn remove_before(path: &Path, time: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let began = Instant::now();
    let removed = retain(
        path,
        now.saturating_sub(Duration::from_millis(time)),
        ANY_SIZE,
    );
    println!(
        "{}",
        serde_json::json!({
            "removed": removed.unwrap().len(),
            "seconds": began.elapsed().as_secs_f64(),
        })
    );
}
