//! A program that shows its input box before it has read the conversation that it continues.
#![cfg(test)]

use std::sync::Arc;
use std::time::Duration;

use synapse_term::profile::Profile;
use synapse_term::reading::State;
use synapse_term::screen::Size;
use synapse_term::watch::Watcher;

const AT: fn(u64) -> Duration = Duration::from_millis;
const LOGO: &str = " ▝▜▄     Gemini CLI v0.61.0\r\n\r\n";

/// Gemini CLI, started to continue a conversation.
fn gemini() -> Watcher {
    let profile = Profile::builtin("gemini").unwrap();
    Watcher::new(Arc::new(profile), Size::USUAL).resumed()
}

/// Its screen, painted anew.
fn paint(watcher: &mut Watcher, rows: &str, at: u64) {
    let cols = usize::from(Size::USUAL.cols());
    let (above, below) = ("▄".repeat(cols), "▀".repeat(cols));
    let text = format!(
        "\x1b]0;◇  Ready (project)\x07\x1b[2J\x1b[3J\x1b[H{rows}{above}\r\n >   Type your message or @path/to/file\r\n{below}\x1b[1A\r\x1b[3C"
    );
    watcher.feed(text.as_bytes(), AT(at));
}

fn state_at(watcher: &mut Watcher, at: u64) -> State {
    watcher.tick(AT(at));
    watcher.reading().state()
}

#[test]
fn it_rests_once_the_conversation_is_in_sight_and_read() {
    let mut watcher = gemini();
    paint(&mut watcher, LOGO, 100);
    assert_eq!(
        state_at(&mut watcher, 3_000),
        State::Starting,
        "an empty box"
    );
    let said = format!("{LOGO} > say:the number\r\n\r\n✦ the number\r\n\r\n");
    paint(
        &mut watcher,
        &format!("{said} ⠋ Resuming session...\r\n"),
        3_000,
    );
    assert_eq!(state_at(&mut watcher, 4_000), State::Starting, "it reads");
    paint(&mut watcher, &said, 4_000);
    assert_eq!(state_at(&mut watcher, 5_000), State::Idle);
}

#[test]
fn the_end_of_a_long_reply_is_a_conversation_too() {
    let mut watcher = gemini();
    paint(&mut watcher, LOGO, 100);
    assert_eq!(state_at(&mut watcher, 2_000), State::Starting);
    let rows = "  a line of the reply\r\n".repeat(80);
    paint(&mut watcher, &rows, 2_000);
    assert_eq!(state_at(&mut watcher, 3_000), State::Idle);
}

#[test]
fn a_conversation_that_never_shows_is_waited_for_in_vain_and_not_for_ever() {
    let mut watcher = gemini();
    paint(&mut watcher, LOGO, 100);
    assert_eq!(state_at(&mut watcher, 4_900), State::Starting);
    assert_eq!(state_at(&mut watcher, 6_500), State::Idle);
}

#[test]
fn one_that_begins_anew_rests_at_once() {
    let profile = Profile::builtin("gemini").unwrap();
    let mut watcher = Watcher::new(Arc::new(profile), Size::USUAL);
    paint(&mut watcher, LOGO, 100);
    assert_eq!(state_at(&mut watcher, 1_000), State::Idle);
}
