//! Laws that hold for any input: the pieces do not matter, a snapshot is the screen, nothing
//! panics.
#![cfg(test)]

mod score;

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use score::{load, play_in_pieces, recordings};
use synapse_term::frame::{Frame, Marks, Row, Style};
use synapse_term::profile::Profile;
use synapse_term::screen::{Overlay, Screen, Size};
use synapse_term::watch::{Event, Watcher};
use unicode_width::UnicodeWidthChar as _;

fn size() -> impl Strategy<Value = Size> {
    (4u64..40, 1u64..12).prop_map(|(cols, rows)| Size::new(cols, rows).unwrap())
}

/// A piece of terminal output: text, wide text, controls, sequences, and garbage.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let number = 0u16..45;
    prop_oneof![
        4 => "[a-zA-Z ]{0,30}".prop_map(String::into_bytes),
        2 => "[漢字かな全角é́✳🙂\u{301}]{0,12}".prop_map(String::into_bytes),
        3 => prop_oneof![Just("\r\n"), Just("\n"), Just("\r"), Just("\t"), Just("\x08"), Just("\x07")]
            .prop_map(|s| s.as_bytes().to_vec()),
        3 => (number.clone(), number.clone()).prop_map(|(a, b)| format!("\x1b[{a};{b}H").into_bytes()),
        3 => (0u16..110).prop_map(|a| format!("\x1b[{a}m").into_bytes()),
        1 => (0u8..=255, 0u8..=255, 0u8..=255)
            .prop_map(|(r, g, b)| format!("\x1b[38;2;{r};{g};{b}m\x1b[48;5;{g}m").into_bytes()),
        3 => (number.clone(), prop::sample::select(b"ABCDEFGJKLMPSTXZ@dGr".to_vec()))
            .prop_map(|(n, c)| format!("\x1b[{n}{}", c as char).into_bytes()),
        1 => (number.clone(), number).prop_map(|(a, b)| format!("\x1b[{a};{b}r").into_bytes()),
        2 => (prop::sample::select(vec![1u16, 7, 25, 47, 1000, 1002, 1003, 1004, 1006, 1007, 1049, 2004, 2026]), any::<bool>())
            .prop_map(|(m, on)| format!("\x1b[?{m}{}", if on { 'h' } else { 'l' }).into_bytes()),
        1 => prop_oneof![
            Just("\x1b7"), Just("\x1b8"), Just("\x1bM"), Just("\x1b(0"), Just("\x1b(B"), Just("\x1bc"),
            Just("\x1b[4h"), Just("\x1b[4l"), Just("\x1b[>5u"), Just("\x1b[<u"), Just("\x1b=")
        ].prop_map(|s| s.as_bytes().to_vec()),
        1 => (0usize..9_000, prop::sample::select(vec!["\x07", "\x1b\\", "\x18", ""]))
            .prop_map(|(n, end)| format!("\x1b]2;{}{end}", "é".repeat(n)).into_bytes()),
        1 => prop::sample::select(vec!["\x1b[65535b", "\x1b[3b", "\x1b[22t", "\x1b[23t", "\x1b[?3h"])
            .prop_map(|s| s.as_bytes().to_vec()),
        1 => "[a-z ✳]{0,9}".prop_map(|t| format!("\x1b]0;{t}\x07").into_bytes()),
        1 => "[a-z]{1,4}".prop_map(|t| format!("\x1b]8;;http://{t}\x1b\\x\x1b]8;;\x1b\\").into_bytes()),
        1 => prop::sample::select(vec!["idle", "working", "blocked", "done"])
            .prop_map(|s| format!("\x1b]7501;state={s}\x1b\\").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

fn output() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(piece(), 0..60)
}

/// What happens to a screen behind an output.
#[derive(Clone, Copy, Debug)]
enum Then {
    Nothing,
    Keep,
    Leave,
    Take,
    Resize,
}

/// Output that scrolls far, and what happens behind it.
fn scrolling() -> impl Strategy<Value = (Vec<u8>, Then)> {
    let lines = |count: usize, text: String| format!("{text} 漢\r\n").repeat(count).into_bytes();
    let output = prop_oneof![
        4 => piece(),
        3 => (0usize..40, "[a-z]{0,9}").prop_map(move |(count, text)| lines(count, text)),
        1 => (0usize..2_500, "[a-z]{0,3}").prop_map(move |(count, text)| lines(count, text)),
        1 => Just(b"\x1b[3J".to_vec()),
    ];
    let then = prop_oneof![
        8 => Just(Then::Nothing),
        2 => Just(Then::Keep),
        1 => Just(Then::Leave),
        2 => Just(Then::Take),
        1 => Just(Then::Resize),
    ];
    (output, then)
}

/// What a viewer sees, without what no terminal can be told: whether the last row would wrap.
fn visible(screen: &mut Screen) -> (Frame, Vec<Arc<Row>>) {
    let mut frame = screen.frame();
    if let Some(last) = frame.rows.last_mut() {
        let mut row = (**last).clone();
        row.is_wrapped = false;
        row.text.truncate(row.text.trim_end().len());
        *last = Arc::new(row);
    }
    (frame, screen.scrollback(usize::MAX))
}

/// How each cell of a row looks. The colour of a character does not show where there is none.
fn visible_styles(row: &Row, cols: usize) -> Vec<Style> {
    let mut glyphs: Vec<char> = Vec::with_capacity(cols);
    for c in row.text.chars() {
        glyphs.extend(std::iter::repeat_n(c, c.width().unwrap_or(0)));
    }
    glyphs.resize(cols, ' ');
    let style_of = |(col, glyph): (usize, char)| {
        let run = row.runs.iter().find(|run| run.cols.contains(&col));
        let style = run.map_or_else(Style::default, |run| run.style);
        let shows = Marks::UNDERLINE | Marks::INVERSE | Marks::STRIKE;
        if glyph != ' ' || style.marks.0 & shows != 0 {
            return style;
        }
        Style {
            bg: style.bg,
            ..Style::default()
        }
    };
    glyphs.into_iter().enumerate().map(style_of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_brings_a_fresh_screen_to_the_same_state(size in size(), output in output()) {
        let mut screen = Screen::new(size);
        for bytes in &output {
            screen.feed(bytes, Duration::ZERO, |_| {});
        }
        // Inside a synchronized update the snapshot shows the screen before it.
        screen.tick(Duration::from_secs(1));
        let mut copy = Screen::new(size);
        copy.feed(&screen.snapshot(), Duration::ZERO, |_| {});
        prop_assert_eq!(visible(&mut copy), visible(&mut screen));
    }

    #[test]
    fn the_scrollback_is_the_same_however_often_it_is_read(
        size in size(), wider in size(), steps in prop::collection::vec(scrolling(), 0..60),
    ) {
        let (mut often, mut once) = (Screen::new(size), Screen::new(size));
        let mut kept = [Vec::new(), Vec::new()];
        for (index, (output, then)) in steps.iter().enumerate() {
            for (screen, kept) in [&mut often, &mut once].into_iter().zip(&mut kept) {
                screen.feed(output, Duration::ZERO, |_| {});
                match then {
                    Then::Keep => screen.keep_rows(true),
                    Then::Leave => screen.keep_rows(false),
                    Then::Take => kept.extend(screen.take_kept()),
                    Then::Resize => screen.resize(if index % 2 == 0 { wider } else { size }),
                    Then::Nothing => {}
                }
            }
            let count = often.scrollback_len();
            prop_assert_eq!(often.scrollback(usize::MAX).len(), count);
        }
        let [mut often, mut once] = [often, once].map(|mut screen| {
            [screen.take_kept(), screen.scrollback(usize::MAX)].concat()
        });
        let [kept_often, kept_once] = kept;
        often.splice(..0, kept_often);
        once.splice(..0, kept_once);
        let differs = often.iter().zip(&once).position(|(one, other)| one != other);
        prop_assert_eq!((differs, often.len()), (None, once.len()));
    }

    #[test]
    fn lines_drawn_over_a_terminal_leave_no_trace(
        size in size(), output in output(), top in 0usize..12, left in 0usize..9, count in 1usize..5,
    ) {
        let (mut screen, mut viewer) = (Screen::new(size), Screen::new(size));
        let all = output.concat();
        let has_wide = String::from_utf8_lossy(&all).chars().any(|c| c.width() == Some(2));
        // After a tab backwards the emulator still wraps, in mid-line: no terminal can be told that.
        // A scroll region below the last row is ignored by terminals, and half taken by the emulator.
        // What a terminal repeats (REP) is what was printed last, and that is ours.
        // Where a wide character is cut by what erases or moves cells, the emulator keeps half of it,
        // which eats a neighbour later; terminals blank both halves, as they are painted here.
        let is_odd = |bytes: &[u8]| {
            let cuts: &[u8] = if has_wide { b"@PXKJ" } else { b"" };
            let last = bytes.last().filter(|_| bytes.starts_with(b"\x1b["));
            last.is_some_and(|last| b"Zrb".contains(last) || cuts.contains(last))
                || has_wide && bytes == b"\x1b[4h"
        };
        for bytes in output.iter().filter(|bytes| !is_odd(bytes)) {
            screen.feed(bytes, Duration::ZERO, |_| {});
            viewer.feed(bytes, Duration::ZERO, |_| {});
            let rows = usize::from(size.rows());
            let top = top % rows;
            if !screen.is_at_boundary() {
                continue;
            }
            let lines = vec!["[← codex] 全角 answer".to_owned(); count.min(rows - top)];
            let overlay = Overlay { top, left, lines };
            viewer.feed(&screen.draw_over(&overlay), Duration::ZERO, |_| {});
            viewer.feed(&screen.repaint_rows(overlay.rows()), Duration::ZERO, |_| {});
        }
        screen.tick(Duration::from_secs(1));
        viewer.tick(Duration::from_secs(1));
        let truth = screen.frame();
        let seen = |frame: &Frame| {
            // Blanks at the end of a row look alike, written or erased.
            let texts = frame.rows.iter().map(|row| row.text.trim_end().to_owned());
            let looks = frame.rows.iter().zip(&truth.rows).map(|(row, truth)| {
                let mut looks = visible_styles(row, frame.cols);
                // The last column of a line that goes on may have been left free for a wide character:
                // it is told apart from a blank until the cursor, standing there, is put back.
                if truth.is_wrapped {
                    looks.pop();
                }
                looks
            });
            (texts.collect::<Vec<_>>(), looks.collect::<Vec<_>>(), frame.cursor, frame.modes)
        };
        prop_assert_eq!(seen(&viewer.frame()), seen(&truth));
    }

    #[test]
    fn the_pieces_of_the_bytes_do_not_matter(size in size(), output in output(), piece in 1usize..9) {
        let profile = Arc::new(Profile::builtin("generic").unwrap());
        let watch = |piece: usize| {
            let mut watcher = Watcher::new(Arc::clone(&profile), size);
            for (index, bytes) in output.iter().enumerate() {
                let now = Duration::from_millis(7 * index as u64);
                for part in bytes.chunks(piece) {
                    watcher.feed(part, now);
                }
            }
            watcher.finish(Duration::from_secs(9));
            let events = format!("{:?}", watcher.take_events());
            (events, watcher.frame(), watcher.screen().snapshot(), watcher.screen().take_answers())
        };
        prop_assert_eq!(watch(usize::MAX), watch(piece));
    }

    #[test]
    fn random_bytes_never_panic(
        size in size(),
        wider in size(),
        bytes in prop::collection::vec(any::<u8>(), 0..600),
        keys in prop::collection::vec(any::<u8>(), 0..40),
        profile in prop::sample::select(Profile::builtin_names().collect::<Vec<_>>()),
    ) {
        let mut watcher = Watcher::new(Arc::new(Profile::builtin(profile).unwrap()), size);
        for (index, part) in bytes.chunks(50).enumerate() {
            let now = Duration::from_millis(40 * index as u64);
            watcher.input(keys.get(index * 4..index * 4 + 4).unwrap_or_default(), now);
            watcher.feed(part, now);
            if index == 5 {
                watcher.resize(wider, now);
            }
        }
        watcher.finish(Duration::from_secs(20));
        let _ = watcher.screen().snapshot();
    }
}

/// Everything that was read of a recording, as text.
fn told(events: &score::Run) -> String {
    let readings: Vec<_> = events
        .readings
        .iter()
        .map(|(t, r, e)| format!("{t} {r:?} {e}"))
        .collect();
    let turns: Vec<_> = events
        .turns
        .iter()
        .map(|turn| format!("{turn:?}"))
        .collect();
    format!("{readings:#?}{turns:#?}")
}

#[test]
fn recordings_read_the_same_in_any_pieces() {
    for path in recordings("recordings").into_iter().step_by(7) {
        let program = score::name(&path)
            .split('/')
            .next()
            .unwrap_or("")
            .to_owned();
        let profile = Arc::new(Profile::builtin(&program).unwrap());
        let cast = load(&path);
        let whole = told(&play_in_pieces(&cast, &profile, usize::MAX));
        for piece in [1, 3, 61] {
            assert_eq!(
                told(&play_in_pieces(&cast, &profile, piece)),
                whole,
                "{} in {piece}",
                path.display()
            );
        }
    }
}

#[test]
fn a_snapshot_of_every_recording_is_its_screen() {
    for path in recordings("recordings") {
        let cast = load(&path);
        let mut screen = Screen::new(cast.size);
        for (index, event) in cast.events.iter().enumerate() {
            if let synapse_term::cast::What::Output(text) = &event.what {
                screen.feed(text.as_bytes(), event.at, |_| {});
            }
            if index % 97 == 0 && !screen.is_held() {
                let mut copy = Screen::new(cast.size);
                copy.feed(&screen.snapshot(), Duration::ZERO, |_| {});
                assert_eq!(
                    visible(&mut copy),
                    visible(&mut screen),
                    "{} at {:?}",
                    path.display(),
                    event.at
                );
            }
        }
    }
}

#[test]
fn an_idle_program_wakes_nobody() {
    let path = recordings("recordings")
        .into_iter()
        .find(|p| p.ends_with("codex/01_start.cast"))
        .unwrap();
    let cast = load(&path);
    let mut watcher = Watcher::new(Arc::new(Profile::builtin("codex").unwrap()), cast.size);
    for event in &cast.events {
        if let synapse_term::cast::What::Output(text) = &event.what {
            watcher.feed(text.as_bytes(), event.at);
        }
    }
    watcher.tick(cast.end());
    assert!(
        watcher
            .take_events()
            .iter()
            .any(|e| matches!(e, Event::Reading(_)))
    );
    assert_eq!(
        watcher.deadline(),
        None,
        "an idle agent must not ask for a timer"
    );
}
