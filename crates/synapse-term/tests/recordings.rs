//! All recordings of real programs, read and compared with the ground truth beside them.
//! `cargo test -p synapse-term --test recordings -- --nocapture` prints the tables; with `NOTES=1` also what was wrong where.
#![cfg(test)]
#![allow(
    clippy::print_stdout,
    clippy::format_push_string,
    reason = "this is a test that prints a table"
)]

mod score;

use std::sync::Arc;
use std::time::Duration;

use score::{Compare, Score, by_silence, head, load, name, play, recordings, score, truth};
use synapse_term::cast::{Event, What};
use synapse_term::chrome::Holds;
use synapse_term::profile::Profile;
use synapse_term::reply::{Outcome, Speaker};
use synapse_term::watch::Watcher;

/// The truth was taken by polling the screen: what differs by less is not known to be wrong.
const CLOCK: f64 = 0.02;

/// Programs that no rule was written with: only what they add up to is printed, so that nobody
/// writes one for them.
const HELD_OUT: &str = "recordings-held-out";

/// Reads every recording of a folder, each with the profile `choose` gives for its program.
fn read(folder: &str, compare: Compare, choose: impl Fn(&str) -> String) -> Vec<(String, Score)> {
    read_some(folder, compare, |program| Some(choose(program)))
}

/// The same, without the programs for which `choose` gives none.
fn read_some(
    folder: &str,
    compare: Compare,
    choose: impl Fn(&str) -> Option<String>,
) -> Vec<(String, Score)> {
    let mut rows = Vec::new();
    let mut silences = [(0.5, 0.0), (2.0, 0.0)];
    println!("\n{folder}\n{}", head());
    for path in recordings(folder) {
        let name = name(&path);
        let program = name.split('/').next().unwrap_or("").to_owned();
        let Some(choice) = choose(&program) else {
            continue;
        };
        let (cast, truth) = (load(&path), truth(&path));
        let profile = match &truth.submit {
            // A program in which another key submits: its user would say so.
            Some(submit) => {
                let text = format!("name: toy\nsubmit_sequence: {submit:?}");
                Profile::parse(&text, "a test", &|_| None)
            }
            None => Profile::builtin(&choice),
        };
        let profile = Arc::new(profile.unwrap());
        for (silence, right) in &mut silences {
            *right += score(&by_silence(&cast, *silence), &truth, compare).right;
        }
        let score = score(&play(&cast, &profile), &truth, compare);
        let is_shown = folder != HELD_OUT;
        if is_shown {
            println!("{}", score.row(&name));
        }
        if is_shown && std::env::var_os("NOTES").is_some() {
            println!("    {}", score.notes.join("\n    "));
        }
        rows.push((name, score));
    }
    let judged: f64 = rows.iter().map(|(_, s)| s.judged).sum();
    let right: f64 = rows.iter().map(|(_, s)| s.right).sum();
    let share = |right: f64| 100.0 * right / judged;
    let count = |of: &dyn Fn(&Score) -> usize| rows.iter().map(|(_, s)| of(s)).sum::<usize>();
    println!(
        "{folder}: {} recordings, state right {:.2} % of {judged:.0} s; dialogs {} of {}; replies {} of {}",
        rows.len(),
        share(right),
        count(&|s| s.prompts_right),
        count(&|s| s.prompts),
        count(&|s| s.replies_right),
        count(&|s| s.replies),
    );
    for (silence, right) in silences {
        println!(
            "  {silence} s of silence taken for rest: state right {:.2} %",
            share(right)
        );
    }
    assert!(
        !rows.is_empty(),
        "there are no recordings in fixtures/{folder}"
    );
    rows
}

/// Everything that is wrong with one recording, in words.
fn complaints(score: &Score, longest_delay: f64) -> Vec<String> {
    let mut all = Vec::new();
    if score.judged - score.right > CLOCK {
        all.push(format!(
            "state wrong for {:.2} s",
            score.judged - score.right
        ));
    }
    if score.worst_delay > longest_delay {
        all.push(format!("seen {:.2} s late", score.worst_delay));
    }
    if score.missed > 0 || score.spurious > 0 {
        all.push(format!(
            "{} missed, {} spurious",
            score.missed, score.spurious
        ));
    }
    if score.prompts_right < score.prompts {
        all.push("a prompt was misread".to_owned());
    }
    if score.recall < 0.99 || score.precision < 0.99 {
        all.push(format!("reply {:.2}/{:.2}", score.recall, score.precision));
    }
    all
}

/// A floor under what has been reached: the share of time in the right state, and how many of a
/// hundred replies are read.
fn assert_floor(rows: &[(String, Score)], state: f64, replies: usize) {
    let (right, judged) = rows
        .iter()
        .fold((0.0, 0.0), |(r, j), (_, s)| (r + s.right, j + s.judged));
    assert!(
        right / judged >= state,
        "state right {:.4} of the time",
        right / judged
    );
    let (read, all) = rows.iter().fold((0, 0), |(r, a), (_, s)| {
        (r + s.replies_right, a + s.replies)
    });
    assert!(
        read * 100 >= all * replies,
        "{read} of {all} replies are read"
    );
}

fn assert_faultless(rows: &[(String, Score)]) {
    let mut faults = String::new();
    for (name, score) in rows {
        let complaints = complaints(score, 0.5);
        if !complaints.is_empty() {
            faults.push_str(&format!(
                "\n{name}: {}\n  {}",
                complaints.join(", "),
                score.notes.join("\n  ")
            ));
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn known_programs_are_read_without_a_fault() {
    assert_faultless(&read("recordings", Compare::Exactly, str::to_owned));
}

#[test]
fn known_programs_in_unusual_situations_are_read_without_a_fault() {
    assert_faultless(&read("recordings-extra", Compare::Exactly, str::to_owned));
}

#[test]
fn known_programs_are_read_well_without_their_profiles() {
    let rows = read("recordings", Compare::Exactly, |_| "generic".to_owned());
    let (right, judged) = rows
        .iter()
        .fold((0.0, 0.0), |(r, j), (_, s)| (r + s.right, j + s.judged));
    assert!(
        right / judged >= 0.97,
        "state right only {:.2} % of the time",
        100.0 * right / judged
    );
    for (name, score) in &rows {
        assert!(
            score.worst_delay <= 2.5,
            "{name}: seen {:.2} s late",
            score.worst_delay
        );
        assert_eq!(score.missed, 0, "{name}: {:?}", score.notes);
        assert_eq!(
            score.prompts_right, score.prompts,
            "{name}: {:?}",
            score.notes
        );
    }
}

/// Programs nobody has described: coding CLIs, shells, prompt libraries. Some of their states
/// cannot be told from the screen at all (a program that loads in silence), so this is a floor
/// under what has been reached, not a goal.
#[test]
fn unknown_programs_are_read_well() {
    let rows = read("recordings-others", Compare::Loosely, |_| {
        "generic".to_owned()
    });
    assert_floor(&rows, 0.97, 90);
    let (read, all) = rows.iter().fold((0, 0), |(r, a), (_, s)| {
        (r + s.prompts_right, a + s.prompts)
    });
    println!("prompts read, brackets and case aside: {read} of {all}");
    assert!(
        read * 100 >= all * 94,
        "only {read} of {all} prompts are read"
    );
}

/// Those of them that have a profile by now, read with it. Where the program keeps a record, its replies come from
/// there; this is what is left where it cannot be read.
#[test]
fn described_programs_are_read_well() {
    let described = |program: &str| {
        let is_described = Profile::builtin_names().any(|name| name == program);
        is_described.then(|| program.to_owned())
    };
    let rows = read_some("recordings-others", Compare::Loosely, described);
    assert_floor(&rows, 0.97, 85);
}

/// What a profile knows of how a turn says that it went wrong counts, whether or not the profile
/// describes how the program paints speech.
#[test]
fn a_turn_that_went_wrong_is_not_completed_and_says_nothing_of_its_own() {
    let cases = [
        ("cn/05_interrupt", ""),
        ("cn/06_tool_no", ""),
        ("pi/05_interrupt", "alpha bravo"),
    ];
    for (case, said) in cases {
        let path = recordings("recordings-others")
            .into_iter()
            .find(|path| name(path) == case);
        let path = path.unwrap();
        let program = case.split('/').next().unwrap_or("");
        let profile = Arc::new(Profile::builtin(program).unwrap());
        let run = play(&load(&path), &profile);
        let turn = run.turns.first().unwrap();
        assert_eq!(turn.reply.outcome, Outcome::Interrupted, "{case}: {turn:?}");
        assert_eq!(turn.outcome, Outcome::Interrupted, "{case}: {turn:?}");
        let mut blocks = turn.reply.blocks.iter();
        let reason = blocks.find(|block| block.speaker == Speaker::Program);
        assert!(reason.is_some(), "{case}: the program's own words are kept");
        let text = &turn.reply.text;
        assert!(text.starts_with(said), "{case}: {text:?}");
        assert!(
            !text.contains("Interrupted") && !text.contains("abort") && !text.contains("cancel"),
            "{case}: {text:?}"
        );
    }
}

/// Versions of the three CLIs that no rule was made for, and that nobody looks at to make one: how the rules do on
/// the next release.
#[test]
fn versions_nobody_looked_at_are_read_well() {
    let rows = read("versions-held-out", Compare::Loosely, str::to_owned);
    let faultless = rows
        .iter()
        .filter(|(_, score)| complaints(score, 0.5).is_empty())
        .count();
    println!("held out: {faultless} of {} without a fault", rows.len());
    let (right, judged) = rows
        .iter()
        .fold((0.0, 0.0), |(r, j), (_, s)| (r + s.right, j + s.judged));
    assert!(
        right / judged >= 0.97,
        "state right only {:.2} % of the time",
        100.0 * right / judged
    );
}

#[test]
fn programs_looked_at_since_are_read_well() {
    let rows = read("recordings-new", Compare::Loosely, |_| "generic".to_owned());
    assert_floor(&rows, 0.97, 85);
}

/// Small programs of our own, one for each toolkit: `fixtures/toolkits`.
#[test]
fn each_toolkit_is_read_well() {
    let rows = read("toolkits", Compare::Loosely, |_| "generic".to_owned());
    assert_floor(&rows, 0.97, 100);
    for (name, score) in &rows {
        assert_eq!(
            score.prompts_right, score.prompts,
            "{name}: {:?}",
            score.notes
        );
    }
}

#[test]
fn programs_nobody_looked_at_are_read_well() {
    let rows = read(HELD_OUT, Compare::Loosely, |_| "generic".to_owned());
    assert_floor(&rows, 0.95, 90);
}

/// Somebody has typed a letter and taken it back: whatever the box shows then is the program's own.
#[test]
fn a_placeholder_that_is_not_grey_was_typed_by_nobody() {
    let mut paths = recordings("recordings").into_iter();
    let path = paths.find(|path| name(path) == "gemini/23_sixteen_colours");
    let cast = load(&path.unwrap());
    let profile = Arc::new(Profile::builtin("gemini").unwrap());
    let mut watcher = Watcher::new(profile, cast.size);
    let is_message =
        |event: &&Event| matches!(&event.what, What::Input(keys) if keys.contains("say:"));
    let message = cast.events.iter().find(is_message).unwrap().at;
    for event in cast.events.iter().filter(|event| event.at < message) {
        watcher.replay(event);
    }
    watcher.input(b"x", message);
    watcher.input(b"\x7f", message);
    watcher.tick(message + Duration::from_secs(1));
    assert_eq!(watcher.box_holds(), Some(Holds::Placeholder));
}
