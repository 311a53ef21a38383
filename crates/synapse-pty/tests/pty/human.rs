//! The human's terminal, played by a pseudo-terminal: a test of this file runs in it as an actor,
//! and the others watch what becomes of the terminal.

use std::io::Write;
use std::process::{Command, Stdio, exit};

use synapse_pty::tty::{self, Event, Keyboard, RawMode, Signals, SuspendEnd};
use synapse_pty::{Exit, Signal, Spawn, State};
use tokio::select;

use crate::talk::{Talk, size, within};

/// What tells the actor its part.
const PART: &str = "SYNAPSE_TEST_PART";

/// The last of the sequences that reset a terminal.
const RESET_END: &str = "\x1b[?25h";

fn actor() -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "{} --exact human::acts --ignored --nocapture",
        program.display()
    )
}

/// A shell in a terminal that runs a script in which `$actor` plays a part.
fn stage(part: &str, script: &str) -> Talk {
    let mut spawn = Spawn::new(["bash", "-c", script]);
    spawn.env = vec![
        (PART.into(), part.into()),
        ("actor".into(), actor().into()),
        ("same".into(), r#"test "$(stty -g)" = "$before""#.into()),
    ];
    Talk::begin(&spawn)
}

const WATCHED: &str = r#"before=$(stty -g); $actor; echo code=$?; eval "$same" && echo it is same"#;

#[tokio::test]
#[ignore = "run by the other tests, in a terminal of its own"]
async fn acts() {
    let part = std::env::var(PART).unwrap();
    if part == "outside" {
        let refused = RawMode::enter().unwrap_err();
        say(&format!("{refused}, {:?}", tty::size()));
        return;
    }
    let mut signals = Signals::listen().unwrap();
    let mut raw = RawMode::enter().unwrap();
    tty::restore_on_panic();
    let mut keyboard = Keyboard::open().unwrap();
    say("raw");
    match part.as_str() {
        "drop" => drop(keyboard.next().await),
        "panic" => {
            keyboard.next().await;
            panic!("on purpose");
        }
        "exit" => {
            keyboard.next().await;
            tty::restore();
            exit(0);
        }
        "twice" => say(&RawMode::enter().unwrap_err().to_string()),
        "signal" => say(&format!("{:?}", signals.next().await)),
        "keys" => say(&format!("{:x?}", keyboard.next().await)),
        "gone" => {
            assert_eq!(keyboard.next().await, None);
            exit(0);
        }
        "resize" => {
            assert_eq!(signals.next().await, Event::Resized);
            say(&format!("{:?}", tty::size()));
        }
        "flood" => {
            let mut display = tty::display().unwrap();
            while display.push(&[b'x'; 4096]).is_ok() {}
            drop(raw);
            exit(7);
        }
        "suspend" => loop {
            let keys = select! {
                keys = keyboard.next() => keys.unwrap(),
                event = signals.next() => match event {
                    Event::Suspended => vec![0x1a],
                    event if event.is_end() => break say(&format!("{event:?}")),
                    _ => continue,
                },
            };
            if keys == b"q" {
                break;
            }
            let resumed = raw.suspend().await.unwrap();
            say(&format!("{resumed:?}"));
            assert!(resumed != SuspendEnd::ToEnd || signals.next().await.is_end());
            if resumed == SuspendEnd::ToEnd {
                break;
            }
        },
        other => panic!("no part {other}"),
    }
}

fn say(text: &str) {
    let mut stdout = std::io::stdout();
    stdout
        .write_all(format!("<{text}>\r\n").as_bytes())
        .unwrap();
    stdout.flush().unwrap();
}

/// Waits until the actor has the terminal raw.
async fn wait_until_raw(talk: &mut Talk) {
    talk.wait_for("<raw>").await;
    assert!(!talk.pty.is_canonical() && !talk.pty.echoes());
}

#[tokio::test]
async fn dropped_it_leaves_the_terminal_as_it_was() {
    let mut talk = stage("drop", WATCHED);
    wait_until_raw(&mut talk).await;
    talk.write("x").await;
    let reset = talk.wait_for(RESET_END).await;
    for mode in [
        "1000", "1002", "1003", "1006", "1004", "2004", "1049", "1", "2026",
    ] {
        assert!(reset.contains(&format!("\x1b[?{mode}l")), "{mode}");
    }
    for sequence in ["\x1b[<u", "\x1b[0m"] {
        assert!(reset.contains(sequence), "{sequence:?}");
    }
    talk.wait_for("code=0").await;
    talk.wait_for("it is same").await;
}

#[tokio::test]
async fn a_panic_leaves_the_terminal_as_it_was_and_is_readable() {
    let mut talk = stage("panic", WATCHED);
    wait_until_raw(&mut talk).await;
    talk.write("x").await;
    talk.wait_for(RESET_END).await;
    talk.wait_for("on purpose\r\n").await;
    talk.wait_for("code=101").await;
    talk.wait_for("it is same").await;
}

#[tokio::test]
async fn an_exit_that_drops_nothing_can_restore() {
    let mut talk = stage("exit", WATCHED);
    wait_until_raw(&mut talk).await;
    talk.write("x").await;
    talk.wait_for(RESET_END).await;
    talk.wait_for("code=0").await;
    talk.wait_for("it is same").await;
}

#[tokio::test]
async fn there_is_one_raw_mode() {
    let mut talk = stage("twice", WATCHED);
    talk.wait_for("<the terminal is in raw mode already>").await;
    talk.wait_for("it is same").await;
}

#[tokio::test]
async fn signals_that_end_are_events_and_leave_the_terminal_as_it_was() {
    for (signal, event) in [
        (Signal::TERM, "<Terminated>"),
        (Signal::HUP, "<HungUp>"),
        (Signal::INT, "<Interrupted>"),
        (Signal::QUIT, "<Quit>"),
    ] {
        let mut talk = stage("signal", &format!("trap : TERM HUP INT QUIT; {WATCHED}"));
        wait_until_raw(&mut talk).await;
        talk.pty.signal_group(signal).unwrap();
        talk.wait_for(event).await;
        talk.wait_for(RESET_END).await;
        talk.wait_for("it is same").await;
    }
}

#[tokio::test]
async fn keys_come_as_they_are() {
    let mut talk = stage("keys", WATCHED);
    wait_until_raw(&mut talk).await;
    talk.write("\x03\x1a\r\n\x1b[A\x7fé").await;
    talk.wait_for("<Some([3, 1a, d, a, 1b, 5b, 41, 7f, c3, a9])>")
        .await;
    talk.wait_for("it is same").await;
}

#[tokio::test]
async fn a_terminal_that_is_gone_ends_the_keys() {
    let script = "
import os, pty
pid, master = pty.fork()
if pid == 0: os.execvp('bash', ['bash', '-c', 'exec $actor'])
seen = b''
while b'<raw>' not in seen: seen += os.read(master, 1000)
os.close(master)
print('status', os.waitpid(pid, 0)[1])";
    let mut talk = stage("gone", &format!("exec python3 -c \"{script}\""));
    talk.wait_for("status 0").await;
}

#[tokio::test]
async fn a_new_size_is_an_event() {
    let mut talk = stage("resize", WATCHED);
    wait_until_raw(&mut talk).await;
    talk.pty.resize(size(99, 44)).unwrap();
    talk.wait_for("cols: 99, rows: 44").await;
    talk.wait_for("it is same").await;
}

#[tokio::test]
async fn a_terminal_that_stops_reading_does_not_hold_the_exit() {
    let mut talk = stage("flood", "exec $actor");
    talk.wait_for("<raw>").await;
    // Nobody takes the output from here on.
    let exit = within("the actor is gone", talk.pty.wait()).await;
    assert_eq!(exit, Exit::Code(7));
    assert!(talk.pty.is_canonical());
}

#[tokio::test]
async fn outside_a_terminal_it_says_so() {
    let mut command = Command::new("bash");
    command.args(["-c", "exec $actor </dev/null 2>/dev/null"]);
    command.env(PART, "outside").env("actor", actor());
    let output = command.stdout(Stdio::piped()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("standard input is not a terminal"), "{text}");
    assert!(text.contains("cols: 80, rows: 24"), "{text}");
}

#[tokio::test]
async fn suspended_it_gives_the_terminal_to_the_shell_and_takes_it_again() {
    let script = r#"set -m; before=$(stty -g); $actor; eval "$same" && echo lent as same
        fg; eval "$same" && echo ended as same"#;
    let mut talk = stage("suspend", script);
    wait_until_raw(&mut talk).await;
    talk.write("\x1a").await;
    talk.wait_for(RESET_END).await;
    talk.wait_for("lent as same").await;
    talk.wait_for("<Foreground>").await;
    assert!(!talk.pty.is_canonical() && !talk.pty.echoes());
    talk.write("q").await;
    talk.wait_for("ended as same").await;
}

#[tokio::test]
async fn asked_by_a_signal_it_suspends_too() {
    let mut talk = stage("suspend", "exec $actor");
    wait_until_raw(&mut talk).await;
    talk.pty.signal_group(Signal::TSTP).unwrap();
    talk.wait_until_it_is(State::Stopped).await;
    assert!(talk.pty.is_canonical());
    talk.pty.signal_group(Signal::CONT).unwrap();
    talk.wait_for("<Foreground>").await;
    assert!(!talk.pty.is_canonical());
    talk.write("q").await;
    assert_eq!(talk.end().await.0, Exit::Code(0));
}

#[tokio::test]
async fn ended_while_suspended_it_leaves_the_terminal_alone() {
    let script = r#"set -m; before=$(stty -g); $actor; kill %1
        while test "$(jobs -p)"; do sleep 0.01; done
        eval "$same" && echo ended as same"#;
    let mut talk = stage("suspend", script);
    wait_until_raw(&mut talk).await;
    talk.write("\x1a").await;
    talk.wait_for("<ToEnd>").await;
    talk.wait_for("ended as same").await;
}

#[tokio::test]
async fn continued_in_the_background_it_stops_again() {
    let script = r#"set -m; before=$(stty -g); $actor; bg
        until test "$(jobs -s)"; do sleep 0.01; done; eval "$same" && echo lent as same
        fg; eval "$same" && echo ended as same"#;
    let mut talk = stage("suspend", script);
    wait_until_raw(&mut talk).await;
    talk.write("\x1a").await;
    talk.wait_for("lent as same").await;
    talk.wait_for("<Foreground>").await;
    assert!(!talk.pty.is_canonical());
    talk.write("q").await;
    talk.wait_for("ended as same").await;
}

#[tokio::test]
async fn without_a_shell_to_return_to_it_is_not_suspended() {
    let script = "exec python3 -c 'import pty, os; pty.spawn(os.environ[\"actor\"].split())'";
    let mut talk = stage("suspend", script);
    wait_until_raw(&mut talk).await;
    talk.write("\x1a").await;
    talk.wait_for("<NeverStopped>").await;
    talk.write("q").await;
    talk.end().await;
}
