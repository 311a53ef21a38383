//! Profiles learned from recordings of programs whose messages and replies are known.
#![cfg(test)]
#![allow(clippy::print_stdout, reason = "this is a test")]

mod score;

use serde_json::Value;
use synapse_term::learn::{LearnedProfile, Lesson, learn};
use synapse_term::profile::Profile;

fn learned(recording: &str) -> LearnedProfile {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let path = folder.join(recording);
    let truth = std::fs::read_to_string(path.with_extension("expect.json")).unwrap();
    let truth: Value = serde_json::from_str(&truth).unwrap();
    let texts = |value: &Value| -> Vec<String> {
        let list = value.as_array().into_iter().flatten();
        list.filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    };
    let typed = texts(&truth["typed"]);
    let mut replies = texts(&truth["replies"]);
    replies.extend(
        truth["reply_text"]
            .as_str()
            .filter(|_| replies.is_empty())
            .map(str::to_owned),
    );
    let lessons: Vec<Lesson> = typed
        .into_iter()
        .enumerate()
        .map(|(index, typed)| Lesson {
            typed,
            reply: replies.get(index).cloned(),
        })
        .collect();
    learn(&score::load(&path), &lessons).unwrap()
}

fn found(learned: &LearnedProfile, about: &str) -> Vec<String> {
    let found = learned
        .findings
        .iter()
        .filter(|finding| finding.about == about && finding.is_kept);
    found.map(|finding| finding.what.clone()).collect()
}

#[test]
fn what_is_learned_reads_no_worse_than_generic_and_is_a_profile() {
    for recording in [
        "recordings-others/qwen/15_three_turns.cast",
        "recordings-others/qwen/04_slow.cast",
        "recordings-others/aider/15_three_turns.cast",
        "recordings-others/cn/15_three_turns.cast",
        "recordings-others/pi/04_slow.cast",
        "recordings-others/vibe/04_slow.cast",
        "recordings-others/opencode/04_slow.cast",
        "recordings/claude/04_slow.cast",
        "toolkits/prompt_toolkit/chat.cast",
        "toolkits/ink/chat.cast",
    ] {
        let learned = learned(recording);
        let yaml = learned.yaml("it's mine", &["prog".to_owned(), "--a b".to_owned()]);
        if std::env::var_os("NOTES").is_some() {
            println!("== {recording}\n{yaml}");
        }
        assert!(
            learned.score.is_no_worse_than(learned.generic),
            "{recording}: {yaml}"
        );
        let profile = Profile::parse(&yaml, recording, &|_| None).unwrap();
        assert_eq!(profile.name, "it's mine");
        assert_eq!(profile.command, ["prog", "--a b"]);
    }
}

#[test]
fn the_marks_of_the_conversation_are_learned() {
    let learned = learned("recordings-others/qwen/15_three_turns.cast");
    assert_eq!(found(&learned, "echo"), ["a message stands behind «  > »"]);
    assert_eq!(found(&learned, "speech"), ["a reply begins with «  ✦ »"]);
    assert_eq!(learned.score.replies_right, 3);
}

#[test]
fn the_signs_of_work_and_the_box_are_learned_together() {
    let learned = learned("recordings-others/qwen/04_slow.cast");
    assert_eq!(found(&learned, "work"), ["a row with «esc to cancel»"]);
    assert!(
        found(&learned, "box")[0].starts_with("behind «>"),
        "{:?}",
        learned.findings
    );
    assert_eq!(found(&learned, "interrupt"), ["the screen names Escape"]);
    assert_eq!(
        learned.score.right(),
        learned.score.states + learned.score.replies
    );
}

#[test]
fn the_prompt_of_a_line_program_is_learned() {
    let learned = learned("recordings-others/aider/15_three_turns.cast");
    assert_eq!(
        found(&learned, "rest"),
        ["the cursor waits behind «diff> »"]
    );
}

#[test]
fn a_recording_without_the_messages_teaches_nothing() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let cast = score::load(&folder.join("recordings/claude/02_short.cast"));
    let lesson = Lesson {
        typed: "something else".to_owned(),
        reply: None,
    };
    assert!(learn(&cast, &[lesson]).is_none());
}
