//! Many hosts on one store, each a process of its own, accepting tasks all at once.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::supply::{PlainFile, bytes, runtime, store, submitted};
use crate::table::{Times, ratio, row, times, title};

const EACH: usize = 100;

/// Between two tasks of a host that is not in a hurry.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(home: &Path, hosts: usize) {
    title(&format!(
        "{hosts} processes, each accepting {EACH} tasks as fast as it can"
    ));
    let (floor, _) = all("file", &home.join("files"), hosts, "busy");
    times("each a plain file of its own, synced", &floor);
    let (ours, took) = all("host", &home.join("busy.db"), hosts, "busy");
    times("all one store", &ours);
    let total = (hosts * EACH) as f64 / took.as_secs_f64();
    row("tasks accepted by all together", &format!("{total:.0} /s"));
    ratio("p99", ours.micros(0.99), floor.micros(0.99));

    title(&format!(
        "{hosts} processes, each accepting five tasks a second"
    ));
    let (floor, _) = all("file", &home.join("files"), hosts, "calm");
    times("each a plain file of its own, synced", &floor);
    let (ours, _) = all("host", &home.join("calm.db"), hosts, "calm");
    times("all one store", &ours);
    ratio("p99", ours.micros(0.99), floor.micros(0.99));
}

/// Runs all processes to their end; how long each task took, and all of it.
fn all(errand: &str, place: &Path, hosts: usize, hurry: &str) -> (Times, Duration) {
    let began = Instant::now();
    let start = |number: usize| {
        Command::new(std::env::current_exe().unwrap())
            .arg(errand)
            .arg(place)
            .arg(format!("{hurry}{number}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..hosts).map(start).collect();
    let mut micros = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        micros.extend(
            text.lines()
                .map(|line| Duration::from_micros(line.parse().unwrap())),
        );
    }
    (Times::new(micros), began.elapsed())
}

pub(crate) fn host(place: &Path, name: &str) {
    let (runtime, store) = (runtime(), store(place.to_owned(), name));
    // To open the store is not what is measured.
    runtime.block_on(store.commit(Vec::new())).unwrap();
    each(name, |number| {
        runtime
            .block_on(store.commit(vec![submitted(name, number)]))
            .unwrap();
    });
    runtime.block_on(store.close());
}

pub(crate) fn file(place: &Path, name: &str) {
    let mut file = PlainFile::new(&place.join(name));
    each(name, |number| {
        file.append(&bytes(&[submitted(name, number)]));
    });
}

fn each(name: &str, mut work: impl FnMut(usize)) {
    let is_calm = name.starts_with("calm");
    let mut out = std::io::stdout().lock();
    let count = if is_calm { EACH / 4 } else { EACH };
    for number in 0..count {
        if is_calm {
            std::thread::sleep(PAUSE);
        }
        let began = Instant::now();
        work(number);
        writeln!(out, "{}", began.elapsed().as_micros()).unwrap();
    }
}
