//! The router on the keys and answers that the recorded programs were really sent.
#![cfg(test)]

use std::path::{Path, PathBuf};

use synapse_term::router::{DEFAULT_PATTERN, LineFeed, Pattern, Router, Step};

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings")
}

/// The input events of a recording.
fn inputs(path: &Path) -> Vec<String> {
    let cast = std::fs::read_to_string(path).expect("a recording");
    let events = cast.lines().skip(1).map(|line| {
        serde_json::from_str::<(f64, String, serde_json::Value)>(line).expect("an event")
    });
    events
        .filter(|(_, kind, _)| kind == "i")
        .map(|(_, _, data)| data.as_str().expect("text").to_owned())
        .collect()
}

/// What stood in the box at each Enter that submitted something.
fn submitted(path: &Path) -> Vec<String> {
    let pattern = Pattern::new(DEFAULT_PATTERN).expect("the default pattern compiles");
    let mut router = Router::new(pattern, LineFeed::Breaks);
    let mut lines = Vec::new();
    for input in inputs(path) {
        let mut passed = Vec::new();
        for byte in input.bytes() {
            if byte == b'\r' && !router.is_at_rest() {
                lines.push(router.shadow().text);
            }
            for step in router.feed(&[byte]) {
                match step {
                    Step::Pass(bytes) => passed.extend(bytes),
                    Step::Line(line) => panic!("nobody was addressed: {line:?}"),
                }
            }
        }
        assert_eq!(passed, input.as_bytes(), "{}", path.display());
        router.release();
    }
    lines
}

#[test]
fn the_shadow_knows_what_was_typed() {
    let cases = [
        "02_short",
        "03_code",
        "10_paste_bracketed",
        "10_raw_lf",
        "10_single_nodelay",
        "10_typed_per_char",
    ];
    for cli in ["claude", "codex", "gemini"] {
        for case in cases {
            let path = recordings().join(cli).join(format!("{case}.cast"));
            let truth = std::fs::read_to_string(path.with_extension("expect.json")).unwrap();
            let truth: serde_json::Value = serde_json::from_str(&truth).unwrap();
            let typed: Vec<String> = serde_json::from_value(truth["typed"].clone()).unwrap();
            assert_eq!(submitted(&path).first(), typed.first(), "{cli} {case}");
        }
    }
}

#[test]
fn every_recorded_key_passes_at_once() {
    let mut seen = 0;
    for cli in ["claude", "codex", "gemini"] {
        for entry in std::fs::read_dir(recordings().join(cli)).unwrap() {
            let path = entry.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "cast")
            {
                submitted(&path);
                seen += 1;
            }
        }
    }
    assert!(seen > 60, "only {seen} recordings");
}
