//! Turns that are over before anybody saw the program work.
#![cfg(test)]

use std::sync::Arc;
use std::time::Duration;

use synapse_term::profile::Profile;
use synapse_term::reading::Reading;
use synapse_term::screen::Size;
use synapse_term::watch::{Event, Watcher};

const AT: fn(u64) -> Duration = Duration::from_millis;

/// Claude Code's screen, painted anew.
fn paint(watcher: &mut Watcher, conversation: &str, typed: &str, at: u64) {
    let rule = "─".repeat(usize::from(Size::USUAL.cols()));
    let rows = format!("{conversation}{rule}\r\n❯ {typed}\r\n{rule}\r\n  ? for shortcuts");
    let cursor = "\x1b[2A\r\x1b[2C";
    watcher.feed(format!("\x1b[2J\x1b[H{rows}{cursor}").as_bytes(), AT(at));
}

/// Pastes a message, and the program takes it so much later; it has answered as soon as it shows it.
fn replies(delay: u64) -> Vec<String> {
    let profile = Arc::new(Profile::builtin("claude").unwrap());
    let mut watcher = Watcher::new(profile, Size::USUAL);
    watcher.feed("\x1b[?2004h\x1b]0;✳ Claude Code\x07".as_bytes(), AT(0));
    paint(&mut watcher, "", "", 0);
    watcher.tick(AT(5_000));
    assert_eq!(watcher.reading(), &Reading::Idle);
    watcher.input(b"\x1b[200~say:hi\x1b[201~", AT(5_000));
    paint(&mut watcher, "", "say:hi", 5_050);
    watcher.input(b"\r", AT(5_250));
    watcher.tick(AT(5_250 + delay));
    paint(
        &mut watcher,
        "❯ say:hi\r\n\r\n● hi\r\n\r\n",
        "",
        5_250 + delay,
    );
    watcher.tick(AT(30_000));
    let events = watcher.take_events().into_iter();
    let reply = |event| match event {
        Event::Turn(report) => Some(report.reply.text),
        _ => None,
    };
    events.filter_map(reply).collect()
}

#[test]
fn a_program_that_takes_the_message_late_and_answers_at_once_has_answered() {
    for delay in [100, 500, 700, 1_500, 3_000, 6_000, 11_000] {
        assert_eq!(replies(delay), ["hi"], "taken after {delay} ms");
    }
}
