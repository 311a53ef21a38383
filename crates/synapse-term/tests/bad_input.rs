//! Broken files are refused with the place at fault.
#![cfg(test)]

use synapse_term::cast::{Cast, What};
use synapse_term::profile::Profile;
use synapse_term::screen::Size;

const HEADER: &str = r#"{"version": 2, "width": 80, "height": 24}"#;

fn cast_error(text: &str) -> String {
    Cast::parse(text).unwrap_err().to_string()
}

#[test]
fn a_broken_cast_names_the_line() {
    for (text, place) in [
        (String::new(), "line 1: the recording is empty"),
        ("not json".to_owned(), "line 1: not an asciicast v2 header"),
        // A list in the order of the fields is no header.
        ("[3, 80, 24, 1]".to_owned(), "not an asciicast v2 header"),
        ("[2, 80, 24, 1]".to_owned(), "not an asciicast v2 header"),
        (
            r#"{"version": 1, "width": 80, "height": 24}"#.to_owned(),
            "asciicast version 1",
        ),
        (
            r#"{"version": 2, "width": 80}"#.to_owned(),
            "missing field `height`",
        ),
        (
            r#"{"version": 2, "width": 0, "height": 24}"#.to_owned(),
            "line 1: a screen of 0x24",
        ),
        (
            r#"{"version": 2, "width": 80, "height": 99999}"#.to_owned(),
            "line 1: a screen of 80x99999",
        ),
        (
            format!("{HEADER}\n[0.1, \"o\", \"hi\"]\n[0.2, \"o\""),
            "line 3: ",
        ),
        (
            format!("{HEADER}\n[0.1, \"o\"]"),
            "line 2: not a list of three",
        ),
        (
            format!("{HEADER}\n[\"x\", \"o\", \"hi\"]"),
            "line 2: the time is not a number",
        ),
        (
            format!("{HEADER}\n[-1, \"o\", \"hi\"]"),
            "line 2: the time must be",
        ),
        (
            format!("{HEADER}\n[2, \"o\", \"hi\"]\n[1, \"o\", \"hi\"]"),
            "line 3: the time goes back",
        ),
        (
            format!("{HEADER}\n[1, \"o\", 7]"),
            "line 2: the data is not a string",
        ),
        (
            format!("{HEADER}\n[1, \"r\", \"80-24\"]"),
            "line 2: the size is not COLSxROWS",
        ),
        (
            format!("{HEADER}\n[1, \"r\", \"0x0\"]"),
            "line 2: a screen of 0x0",
        ),
    ] {
        let error = cast_error(&text);
        assert!(
            error.contains(place),
            "{text}\n  gave: {error}\n  not:  {place}"
        );
    }
}

#[test]
fn what_a_cast_may_have_more_is_kept_or_passed_over() {
    let text =
        format!("{HEADER}\n\n[0.5, \"m\", \"here\"]\n[1, \"r\", \"100x30\"]\n[2, \"x\", 3]\n");
    let cast = Cast::parse(&text).unwrap();
    let whats: Vec<What> = cast.events.into_iter().map(|event| event.what).collect();
    assert_eq!(
        whats,
        [
            What::Other,
            What::Resize(Size::new(100, 30).unwrap()),
            What::Exit("3".into())
        ]
    );
}

fn profile_error(text: &str) -> String {
    Profile::parse(text, "my.yaml", &|_| None)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_broken_profile_names_file_line_and_cause() {
    for (text, parts) in [
        ("name: [", vec!["my.yaml", "line 1"]),
        (
            "name: a\nidle_regex: '('\n",
            vec!["my.yaml", "line 2", "unclosed group"],
        ),
        (
            "name: a\nbusy:\n  lines: ['ok', '[']\n",
            vec!["my.yaml", "line 3", "unclosed"],
        ),
        (
            "name: a\nidel_regex: x\n",
            vec!["my.yaml", "line 2", "idel_regex"],
        ),
        (
            "name: a\ninterrupt_key: esacpe\n",
            vec!["my.yaml", "line 2", "esacpe", "scape"],
        ),
        ("name: a\nsubmit_delay: soon\n", vec!["my.yaml", "line 2"]),
        (
            "name: a\nidle:\n  agent_signal: often\n",
            vec!["my.yaml", "line 3", "often", "sometimes"],
        ),
        (
            "name: a\ncommand: 'toy \"x'\n",
            vec!["my.yaml", "line 2", "not closed"],
        ),
        (
            "name: a\nextends: nobody\n",
            vec!["my.yaml", "nobody", "claude"],
        ),
        ("name: a\nextends: a\n", vec!["my.yaml", "itself"]),
        (
            "name: a\ninput_detection:\n  additional_patterns:\n    - {pattern: x, type: shout}\n",
            vec!["line 4", "shout"],
        ),
    ] {
        let error = profile_error(text);
        for part in parts {
            assert!(
                error.contains(part),
                "{text}\n  gave: {error}\n  without: {part}"
            );
        }
    }
}

#[test]
fn a_circle_of_profiles_is_refused() {
    let find = |name: &str| match name {
        "one" => Some("name: one\nextends: two\n".to_owned()),
        "two" => Some("name: two\nextends: one\n".to_owned()),
        _ => None,
    };
    let error = Profile::parse("name: mine\nextends: one\n", "mine.yaml", &find).unwrap_err();
    assert!(error.to_string().contains("extends itself"), "{error}");
}

#[test]
fn every_built_in_profile_loads_and_says_its_name() {
    for name in Profile::builtin_names() {
        assert_eq!(Profile::builtin(name).unwrap().name, name);
    }
}

#[test]
fn a_profile_starts_from_the_one_it_extends() {
    let yaml = "name: mine\nextends: claude\ncommand: claude --model best\nargs: ['--verbose']\nenv: {A: b}\n";
    let mine = Profile::parse(yaml, "mine.yaml", &|_| None).unwrap();
    assert_eq!(mine.command, ["claude", "--model", "best", "--verbose"]);
    assert!(mine.idle.title.is_some(), "the rules of claude are kept");
    assert_eq!(mine.env.get("A").map(String::as_str), Some("b"));
    let generic = Profile::parse("name: other\n", "other.yaml", &|_| None).unwrap();
    assert!(generic.idle.title.is_none() && generic.speech.say.is_none());
}

#[test]
fn sizes_no_screen_has_are_refused() {
    for (cols, rows) in [(0, 0), (1, 24), (80, 0), (4_097, 24), (u64::MAX, 1)] {
        let error = Size::new(cols, rows).unwrap_err().to_string();
        assert!(error.contains("columns must be 2 to 4096"), "{error}");
    }
}
