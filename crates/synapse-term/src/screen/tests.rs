//! What the screen promises beside what recordings show.

use super::*;

#[test]
fn a_panic_of_the_emulator_costs_the_screen_and_is_told() {
    let mut screen = Screen::new(Size::USUAL);
    screen.feed(b"\x1b]2;title\x07old\x1b[?2026hnew", Duration::ZERO, |_| {});
    screen.guarded(|_, _| panic!("as the emulator did"));
    assert!(screen.take_loss() && !screen.take_loss() && !is_guarded());
    assert_eq!(screen.frame().text(0), "");
    screen.feed("日\x1b[31mfresh".as_bytes(), Duration::ZERO, |_| {});
    assert_eq!(screen.frame().text(0), "日fresh");
    assert_eq!(&*screen.frame().title, "title");
}

#[test]
fn updates_that_begin_inside_each_other_hold_back_no_more_than_one() {
    let mut screen = Screen::new(Size::USUAL);
    let unit = [&b"\x1b[?2026h\r"[..], &[b'x'; 1_000]].concat();
    screen.feed(&unit.repeat(1_200), Duration::ZERO, |_| {});
    assert!(
        screen.frame().text(0).contains('x'),
        "more than 1 MiB is held back"
    );
}
