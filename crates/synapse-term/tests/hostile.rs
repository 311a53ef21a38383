//! Output that was made to harm: it costs what ordinary output costs, and harms nobody.
#![cfg(test)]

use std::sync::Arc;
use std::time::Duration;

use synapse_term::profile::Profile;
use synapse_term::reading::Reading;
use synapse_term::screen::{Screen, Size};
use synapse_term::watch::Watcher;

fn screen(cols: u64, rows: u64) -> Screen {
    Screen::new(Size::new(cols, rows).unwrap())
}

fn feed(screen: &mut Screen, bytes: &[u8]) {
    for piece in bytes.chunks(64 * 1024) {
        screen.feed(piece, Duration::ZERO, |_| {});
    }
}

/// The memory of this process in MiB, as the kernel counts it.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096 / (1 << 20)
}

/// What a screen costs after such output, in MiB.
fn cost(cols: u64, rows: u64, pieces: impl IntoIterator<Item = Vec<u8>>) -> usize {
    let before = resident();
    let mut screen = screen(cols, rows);
    for piece in pieces {
        feed(&mut screen, &piece);
        screen.take_signals();
        screen.take_answers();
        screen.take_words();
    }
    screen.frame();
    resident().saturating_sub(before)
}

#[test]
fn keyboard_modes_can_be_pushed_without_end() {
    let mut screen = screen(80, 24);
    feed(&mut screen, &b"\x1b[>1u".repeat(5_000));
    feed(&mut screen, b"\x1b[>5u");
    assert_eq!(screen.modes().kitty_flags, 5);
    feed(&mut screen, b"\x1b[<u");
    assert_eq!(screen.modes().kitty_flags, 1);
    feed(&mut screen, b"\x1b[<5000u");
    assert_eq!(screen.modes().kitty_flags, 0);
}

#[test]
fn the_newest_keyboard_modes_are_the_ones_that_are_kept() {
    let mut screen = screen(80, 24);
    for mode in 0..40 {
        feed(&mut screen, format!("\x1b[>{}u", mode % 32).as_bytes());
    }
    for mode in (24..39).rev() {
        feed(&mut screen, b"\x1b[<u");
        assert_eq!(screen.modes().kitty_flags, mode % 32);
    }
    // The other screen has a stack of its own, which is kept while it is out of sight.
    feed(&mut screen, b"\x1b[>3u\x1b[?1049h\x1b[>9u\x1b[?1049l");
    assert_eq!(screen.modes().kitty_flags, 3);
    feed(&mut screen, b"\x1b[<u");
    assert_eq!(screen.modes().kitty_flags, 24);
}

#[test]
fn a_title_is_cut_and_few_are_kept() {
    let mut screen = screen(80, 24);
    feed(
        &mut screen,
        format!("\x1b]2;{}\x07", "ä".repeat(50_000)).as_bytes(),
    );
    let title = screen.frame().title;
    assert!(
        title.len() <= 4_096 && title.len() > 4_000,
        "{}",
        title.len()
    );
    assert!(title.chars().all(|c| c == 'ä'));
    for n in 0..100 {
        feed(&mut screen, format!("\x1b]2;{n}\x07\x1b[22t").as_bytes());
    }
    feed(&mut screen, b"\x1b]2;last\x07\x1b[23t");
    assert_eq!(&*screen.frame().title, "99");
    feed(&mut screen, &b"\x1b[23t".repeat(100));
    assert_eq!(&*screen.frame().title, "84", "sixteen are kept");
}

#[test]
fn memory_does_not_grow_with_what_is_printed() {
    // One after the other: they share the memory that is measured.
    let title = format!("\x1b]2;{}\x07", "t".repeat(100_000)).into_bytes();
    let pushes = b"\x1b[22t".repeat(4_096);
    let spent = cost(80, 24, [title, pushes]);
    assert!(spent < 16, "titles cost {spent} MiB");

    let open = std::iter::once(b"\x1b]0;".to_vec());
    let spent = cost(80, 24, open.chain((0..64).map(|_| vec![b'x'; 1 << 20])));
    assert!(spent < 16, "an OSC without an end costs {spent} MiB");

    let mark = "\u{301}".as_bytes().repeat(1 << 18);
    let spent = cost(80, 24, (0..8).map(|_| mark.clone()));
    assert!(spent < 16, "combining marks cost {spent} MiB");

    let link = |n: usize| format!("\x1b]8;;http://{n}/{}\x07x", "u".repeat(2_000));
    let links = (0..100).map(|n| (0..400).map(|k| link(n * 400 + k)).collect::<String>());
    let spent = cost(80, 24, links.map(String::into_bytes));
    assert!(spent < 64, "links cost {spent} MiB");

    let spent = cost(4_000, 125, (0..4).map(|_| b"wide\r\n".repeat(2_000)));
    assert!(spent < 96, "the widest screen costs {spent} MiB");

    let notes = b"\x1b]9;".iter().chain([b'n'; 4_000].iter()).chain(b"\x07");
    let notes: Vec<u8> = notes.copied().collect();
    let before = resident();
    let mut screen = screen(80, 24);
    for _ in 0..16_000 {
        feed(&mut screen, &notes);
    }
    let spent = resident().saturating_sub(before);
    assert!(spent < 16, "notifications nobody takes cost {spent} MiB");
}

#[test]
fn a_cell_keeps_sixteen_combining_marks() {
    let mut screen = screen(20, 3);
    feed(&mut screen, "e\u{301}".as_bytes());
    feed(&mut screen, "\u{302}".repeat(1_000).as_bytes());
    feed(&mut screen, "x".as_bytes());
    let frame = screen.frame();
    assert_eq!(frame.text(0).chars().count(), 1 + 16 + 1);
    assert_eq!(frame.cursor.col, 2);
    // Also behind a wide character, at the edge, and repeated.
    feed(&mut screen, "\r\n日\u{301}\x1b[60000b\r\n".as_bytes());
    feed(
        &mut screen,
        format!("{}\u{301}\x1b[60000b", "y".repeat(20)).as_bytes(),
    );
    let frame = screen.frame();
    assert_eq!(frame.text(1).chars().count(), 1 + 16);
    assert_eq!(frame.text(2).chars().count(), 20 + 16);
}

#[test]
fn a_character_is_repeated_at_most_once_for_each_cell() {
    let mut screen = screen(10, 4);
    feed(&mut screen, b"a\x1b[65535b");
    assert_eq!(
        screen.scrollback_len(),
        1,
        "one row more than the screen has"
    );
    assert_eq!(screen.frame().text(0), "aaaaaaaaaa");
    // Within a synchronized update as well, and only the count is changed.
    feed(
        &mut screen,
        b"\x1bc\x1b[?2026hb\x1b[65535b\x1b[?2026l\x1b[Hx\x1b[3b",
    );
    assert_eq!(screen.frame().text(0), "xxxxbbbbbb");
    assert_eq!(screen.scrollback_len(), 1);
}

#[test]
fn a_sequence_that_is_too_long_ends_where_it_ends() {
    let mut screen = screen(20, 3);
    let long = "x".repeat(10_000);
    for end in ["\x07", "\x1b\\", "\x18", "\x1a"] {
        feed(
            &mut screen,
            format!("\x1bca\x1b]0;{long}{end}b\x1b]0;t\x07c").as_bytes(),
        );
        let frame = screen.frame();
        assert_eq!((frame.text(0), &*frame.title), ("abc", "t"), "{end:?}");
    }
    // What it would have linked to is not known any more.
    feed(
        &mut screen,
        format!("\x1bc\x1b]8;;http://{long}\x07d\x1b]8;;\x07").as_bytes(),
    );
    let snapshot = String::from_utf8(screen.snapshot()).unwrap();
    assert!(
        snapshot.contains('d') && !snapshot.contains("http"),
        "{snapshot:?}"
    );
}

#[test]
fn a_program_that_hides_its_update_among_other_modes_is_not_hidden_for_ever() {
    let mut screen = screen(20, 3);
    feed(&mut screen, b"\x1b[?25;2026hshown");
    assert!(screen.sync_deadline().is_some());
    screen.tick(Duration::from_secs(1));
    assert_eq!(screen.frame().text(0), "shown");
}

#[test]
fn a_screen_has_at_most_half_a_million_cells() {
    for (cols, rows) in [(65_535, 65_535), (4_096, 4_096), (4_096, 123), (708, 708)] {
        assert!(Size::new(cols, rows).is_err(), "{cols}x{rows}");
        let size = Size::nearest(cols, rows);
        let cells = u32::from(size.cols()) * u32::from(size.rows());
        assert!((400_000..=500_000).contains(&cells), "{size:?}");
    }
    assert_eq!(Size::nearest(0, 0), Size::new(2, 1).unwrap());
    assert_eq!(Size::nearest(120, 40), Size::new(120, 40).unwrap());
    assert_eq!(Size::nearest(120, 9_000), Size::new(120, 4_096).unwrap());
}

#[test]
fn the_screen_below_the_alternate_one_is_in_the_snapshot() {
    let mut screen = screen(20, 4);
    for n in 0..50 {
        feed(&mut screen, format!("line {n}\r\n").as_bytes());
    }
    feed(
        &mut screen,
        b"\x1b[>1u\x1b[31mbelow\x1b[?1049h\x1b[>5u\x1b[=7u\x1b[2J\x1b[Habove",
    );
    screen.resize(Size::new(24, 5).unwrap());
    let mut copy = Screen::new(screen.size());
    feed(&mut copy, &screen.snapshot());
    for screen in [&mut screen, &mut copy] {
        assert_eq!(
            (screen.frame().text(0), screen.modes().kitty_flags),
            ("above", 7)
        );
        feed(screen, b"\x1b[?1049l");
    }
    assert_eq!(copy.frame().rows, screen.frame().rows);
    assert_eq!(copy.scrollback(99), screen.scrollback(99));
    assert!(screen.frame().rows.iter().any(|row| row.text == "below"));
}

#[test]
fn a_program_nobody_knows_does_not_rest_because_it_says_so() {
    let profile = Arc::new(Profile::builtin("generic").unwrap());
    let mut watcher = Watcher::new(profile, Size::USUAL);
    let mut now = Duration::from_millis(100);
    watcher.feed(b"toy> ", now);
    now += Duration::from_secs(20);
    watcher.tick(now);
    assert_eq!(watcher.reading(), &Reading::Idle);
    watcher.input(b"go\r", now);
    watcher.feed(b"go\r\ncompiling\r\n\x1b]7501;state=working\x1b\\", now);
    now += Duration::from_millis(500);
    watcher.tick(now);
    assert_eq!(watcher.reading(), &Reading::Busy);
    for step in 0..10 {
        watcher.feed(
            format!("\x1b]7501;state=idle\x1b\\step {step}\r\n").as_bytes(),
            now,
        );
        now += Duration::from_millis(900);
        watcher.tick(now);
        assert_eq!(
            watcher.reading(),
            &Reading::Busy,
            "after step {step}: {}",
            watcher.evidence()
        );
    }
    watcher.feed(b"toy> ", now);
    watcher.tick(now + Duration::from_secs(5));
    assert_eq!(watcher.reading(), &Reading::Idle);
}
