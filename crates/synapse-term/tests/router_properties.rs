//! The laws of the router: any split gives the same steps, nothing is lost or added, and a key
//! means the same however the keyboard spells it.
#![cfg(test)]

use std::sync::LazyLock;

use proptest::prelude::*;
use synapse_term::keys::{Key, KeyboardMode, KittyFlags, OtherKeys, encode};
use synapse_term::router::{DEFAULT_PATTERN, LineFeed, Pattern, Router, Step};

static PATTERN: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::new(DEFAULT_PATTERN).expect("the default pattern compiles"));

fn router(line_feed: LineFeed) -> Router {
    Router::new(PATTERN.clone(), line_feed)
}

/// The steps with neighbouring passes joined, as they reach the program.
fn joined(steps: impl IntoIterator<Item = Step>) -> Vec<Step> {
    let mut all: Vec<Step> = Vec::new();
    for step in steps {
        match (all.last_mut(), step) {
            (Some(Step::Pass(bytes)), Step::Pass(more)) => bytes.extend(more),
            (_, step) => all.push(step),
        }
    }
    all
}

fn bytes_of(steps: &[Step]) -> Vec<u8> {
    let bytes = steps.iter().flat_map(|step| match step {
        Step::Pass(bytes) => bytes.clone(),
        Step::Line(line) => line.enter.clone(),
    });
    bytes.collect()
}

fn line_feed() -> impl Strategy<Value = LineFeed> {
    prop_oneof![Just(LineFeed::Submits), Just(LineFeed::Breaks)]
}

/// Input that leans towards commands, keys and the beginnings of sequences.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"@codex hi",
        b"@a --return x",
        b"\r",
        b"\n",
        b"\x1b",
        b"\x1b[",
        b"\x1b[13u",
        b"\x1b[13;1:1u",
        b"\x1b[13;2u",
        b"\x1b[57414u",
        b"\x1bOM",
        b"\x1b[D",
        b"\x1b[1;5D",
        b"\x1b[A",
        b"\x7f",
        b"\x15",
        b"\x03",
        b"\x1b[200~",
        b"\x1b[201~",
        b"\x1b]11;rgb:10/10/10\x1b\\",
        b"\x1bP>|x\x1b\\",
        b"\x1b[<0;1;2M",
        b"\x1b[M!!!",
        b"\x1b[97;2u",
        "日本語".as_bytes(),
        "\u{9b}".as_bytes(),
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 1..6),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_split_gives_the_same_steps(
        input in input(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        line_feed in line_feed(),
    ) {
        let mut whole = router(line_feed);
        let expected = joined(whole.feed(&input));

        let mut bytewise = router(line_feed);
        let single = joined(input.iter().flat_map(|byte| bytewise.feed(&[*byte])));
        prop_assert_eq!(&single, &expected);
        prop_assert_eq!(bytewise.shadow(), whole.shadow());

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
        cuts.extend([0, input.len()]);
        cuts.sort_unstable();
        let mut pieces = router(line_feed);
        let split = joined(cuts.windows(2).flat_map(|cut| pieces.feed(&input[cut[0]..cut[1]])));
        prop_assert_eq!(&split, &expected);
    }

    #[test]
    fn every_byte_comes_out_once_and_in_order(
        input in input(),
        releases in prop::collection::vec(any::<bool>(), 0..80),
        line_feed in line_feed(),
    ) {
        let mut router = router(line_feed);
        let mut steps = Vec::new();
        for (at, byte) in input.iter().enumerate() {
            steps.extend(router.feed(&[*byte]));
            if releases.get(at) == Some(&true) {
                steps.extend(router.release());
                prop_assert_eq!(bytes_of(&steps), &input[..=at], "a release holds nothing back");
            }
        }
        steps.extend(router.release());
        prop_assert_eq!(bytes_of(&steps), input);
    }

    #[test]
    fn a_shadow_is_always_whole_text(input in input(), line_feed in line_feed()) {
        let mut router = router(line_feed);
        router.feed(&input);
        let shadow = router.shadow();
        prop_assert!(shadow.text.is_char_boundary(shadow.cursor));
        prop_assert!(shadow.is_known || shadow.text.is_empty());
    }

    #[test]
    fn only_what_may_become_an_enter_is_held(input in input()) {
        let mut router = router(LineFeed::Breaks);
        let mut steps = Vec::new();
        for (at, byte) in input.iter().enumerate() {
            steps.extend(router.feed(&[*byte]));
            let sent = bytes_of(&steps).len();
            let held = &input[sent..=at];
            let is_start = b"\x1bOM".starts_with(held)
                || held.starts_with(b"\x1b[13")
                || b"\x1b[57414".starts_with(held)
                || held.starts_with(b"\x1b[57414")
                || b"\x1b[13".starts_with(held);
            prop_assert!(is_start, "{held:?}");
            prop_assert!(held.is_empty() || router.is_waiting());
        }
    }

    #[test]
    fn a_key_means_the_same_in_every_keyboard_mode(
        names in prop::collection::vec(prop::sample::select(KEYS.to_vec()), 0..20),
        mode in any_mode(),
    ) {
        let run = |mode: &KeyboardMode| {
            let mut router = router(LineFeed::Breaks);
            let mut texts = Vec::new();
            for step in router.feed("@codex one two".as_bytes()) {
                assert!(matches!(step, Step::Pass(_)));
            }
            for name in &names {
                let key = Key::parse(name).expect("a key");
                let mut steps = router.feed(&encode(&key, mode));
                steps.extend(router.release());
                texts.extend(steps.into_iter().filter_map(|step| match step {
                    Step::Line(line) => Some(line.text),
                    Step::Pass(_) => None,
                }));
            }
            (texts, router.shadow())
        };
        prop_assert_eq!(run(&mode), run(&KeyboardMode::default()));
    }
}

/// Keys whose legacy bytes belong to no other key.
const KEYS: &[&str] = &[
    "a", "A", "語", "Space", "@", "Left", "Right", "Home", "End", "BSpace", "DC", "C-a", "C-b",
    "C-c", "C-d", "C-e", "C-f", "C-k", "C-u", "C-w", "C-p", "M-b", "M-d", "M-f", "M-BSpace",
    "C-Left", "M-Right", "C-DC", "Up", "Tab", "Enter", "M-Enter", "KP5", "KPEnter", "Escape",
    "PageUp", "F5",
];

fn any_mode() -> impl Strategy<Value = KeyboardMode> {
    let levels = prop_oneof![
        Just(OtherKeys::Legacy),
        Just(OtherKeys::WithoutLegacy),
        Just(OtherKeys::Modified)
    ];
    (any::<bool>(), any::<bool>(), 0u8..32, levels).prop_map(
        |(application_cursor, application_keypad, flags, other_keys)| KeyboardMode {
            application_cursor,
            application_keypad,
            bracketed_paste: true,
            kitty: KittyFlags(flags),
            other_keys,
        },
    )
}
