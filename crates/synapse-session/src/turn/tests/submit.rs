//! When the submit key is pressed, and what is made of a program that shows no reaction.

use super::*;

#[test]
fn a_submit_key_that_did_nothing_is_pressed_once_more_and_no_more() {
    let mut play = Play::submitted(false);
    assert_eq!(play.tick(1_749), []);
    assert_eq!(play.tick(1_750), [Effect::Write(b"\r".to_vec())]);
    assert_eq!(play.tick(7_749), []);
    assert_eq!(play.tick(7_750), [broken(TurnError::NoReaction)]);
}

#[test]
fn the_submit_key_is_not_pressed_again_where_the_box_is_empty() {
    let mut play = Play::submitted(false);
    play.is_box_empty = true;
    for at in (1_750..9_000).step_by(250) {
        assert_eq!(
            play.tick(at),
            [],
            "it would hit what came in the place of the box"
        );
    }
    play.is_box_empty = false;
    assert_eq!(
        play.tick(9_100),
        [Effect::Write(b"\r".to_vec())],
        "the text shows up late"
    );
}

#[test]
fn the_submit_key_waits_until_the_program_has_come_to_the_text() {
    let mut play = Play::new(false);
    let unread = Scene {
        has_unread_keys: true,
        ..scene(State::Idle)
    };
    for at in (250..1_000).step_by(50) {
        assert_eq!(play.turn.step(Input::Tick, unread, AT(at)), [], "at {at}");
    }
    play.is_box_empty = true;
    assert_eq!(
        play.tick(1_000),
        [],
        "it has read the text and not shown it"
    );
    play.is_box_empty = false;
    assert_eq!(
        play.tick(1_050),
        [],
        "it has its time from when it shows it"
    );
    assert_eq!(play.tick(1_299), []);
    assert_eq!(play.tick(1_300), [Effect::Write(b"\r".to_vec())]);
}

#[test]
fn a_box_that_shows_nothing_holds_the_submit_key_for_a_while_only() {
    let mut play = Play::new(false);
    play.is_box_empty = true;
    let mut pressed = None;
    for at in (250..10_000).step_by(50) {
        if !play.tick(at).is_empty() {
            pressed.get_or_insert(at);
        }
    }
    assert_eq!(pressed, Some(3_250));
}

#[test]
fn a_program_that_has_not_read_the_key_gets_no_second_one() {
    let mut play = Play::submitted(false);
    let stalled = Scene {
        has_unread_keys: true,
        ..scene(State::Idle)
    };
    for at in (1_750..9_000).step_by(300) {
        assert_eq!(play.turn.step(Input::Tick, stalled, AT(at)), [], "at {at}");
    }
    assert_eq!(play.see(&Reading::Busy, 9_100), [Effect::Started]);
}

#[test]
fn a_program_that_paints_is_behind_and_has_not_come_to_the_key_yet() {
    let mut play = Play::submitted(false);
    let painting = Scene {
        is_painting: true,
        ..scene(State::Idle)
    };
    for at in (1_750..9_000).step_by(300) {
        assert_eq!(play.turn.step(Input::Tick, painting, AT(at)), [], "at {at}");
    }
    assert_eq!(
        play.tick(9_300),
        [Effect::Write(b"\r".to_vec())],
        "it rests, and nothing came of it"
    );
}

/// A program may take a message and be slow to show that it works on it, or do so too briefly to be seen.
#[test]
fn a_message_that_has_left_the_box_was_taken() {
    let mut play = Play::new(false);
    play.is_box_filled = true;
    assert_eq!(play.tick(250), [Effect::Write(b"\r".to_vec())]);
    (play.is_box_filled, play.is_box_empty) = (false, true);
    let mut told = Vec::new();
    for at in (1_750..30_000).step_by(250) {
        told.extend(play.tick(at));
    }
    assert_eq!(told, [Effect::Started], "nobody has seen its end");
    let ended = play.step(Input::Screen(&report(Outcome::Completed)), 30_000);
    assert_eq!(ended, [replied("hi", Source::Screen)]);
}

#[test]
fn a_message_that_has_left_the_box_of_a_resting_program_was_not_seen_and_not_refused() {
    let mut play = Play::new(false);
    play.is_box_filled = true;
    play.tick(250);
    let rest = Scene {
        is_box_empty: true,
        has_screen_turn: false,
        ..scene(State::Idle)
    };
    let ticks = (1_750..30_000).step_by(250);
    let told: Vec<Effect> = ticks
        .flat_map(|at| play.turn.step(Input::Tick, rest, AT(at)))
        .collect();
    assert_eq!(told, [Effect::Started, broken(TurnError::Unseen)]);
}
