//! Bytes in and out, the line discipline, and job control.

use std::cell::Cell;
use std::time::Duration;

use rustix::pty::{OpenptFlags, openpt};
use rustix::termios::{LocalModes, SpecialCodeIndex, tcgetattr};
use synapse_pty::{Exit, Pid, Signal, Spawn, State};

use crate::talk::{Talk, size, until, within};

#[tokio::test]
async fn what_is_typed_arrives_and_what_is_said_comes_back() {
    let mut talk = Talk::with(["cat"]);
    talk.write("全角 ok\n").await;
    assert_eq!(
        talk.wait_for("ok\r\n全角 ok\r\n").await,
        "全角 ok\r\n全角 ok\r\n"
    );
    talk.write("\x04").await;
    assert_eq!(talk.end().await.0, Exit::Code(0));
}

#[tokio::test]
async fn erasing_a_character_erases_all_its_bytes() {
    let mut talk = Talk::with(["od", "-An", "-tx1"]);
    talk.write("é\x7fx\n\x04").await;
    assert!(talk.end().await.1.contains(" 78 0a"));
}

#[tokio::test]
async fn ctrl_c_ends_a_program_that_reads_lines() {
    let mut talk = Talk::bash("echo ready; exec sleep 1000");
    talk.wait_for("ready").await;
    talk.write("\x03").await;
    let exit = talk.end().await.0;
    assert_eq!((exit, exit.code()), (Exit::Signal(2), 130));
}

#[tokio::test]
async fn ctrl_z_stops_a_program_and_a_signal_continues_it() {
    let mut talk = Talk::bash("echo ready; exec cat");
    talk.wait_for("ready").await;
    talk.write("\x1a").await;
    talk.wait_until_it_is(State::Stopped).await;
    talk.pty.signal_group(Signal::CONT).unwrap();
    talk.wait_until_it_is(State::Running).await;
    talk.write("again\n").await;
    talk.wait_for("again\r\nagain\r\n").await;
}

#[tokio::test]
async fn a_program_can_suspend_itself() {
    let mut talk = Talk::bash("trap 'echo back' CONT; kill -TSTP 0; echo on; read");
    talk.wait_until_it_is(State::Stopped).await;
    talk.pty.signal_group(Signal::CONT).unwrap();
    talk.wait_for("back").await;
    talk.wait_for("on").await;
}

#[tokio::test]
async fn a_resize_is_noticed() {
    let watch = "
import os, signal
signal.signal(signal.SIGWINCH, lambda *_: print(os.get_terminal_size()))
print('ready')
while True: signal.pause()";
    let mut talk = Talk::with(["python3", "-uc", watch]);
    talk.wait_for("ready").await;
    talk.pty.resize(size(132, 43)).unwrap();
    talk.wait_for("columns=132, lines=43").await;
}

#[tokio::test]
async fn the_modes_a_program_sets_can_be_seen() {
    let mut talk = Talk::bash("read; stty -echo; echo secret; read; stty raw; echo raw; read");
    assert!(talk.pty.is_canonical() && talk.pty.echoes());
    talk.write("\n").await;
    talk.wait_for("secret").await;
    assert!(talk.pty.is_canonical() && !talk.pty.echoes());
    talk.write("\n").await;
    talk.wait_for("raw").await;
    assert!(!talk.pty.is_canonical() && !talk.pty.echoes());
}

#[tokio::test]
async fn the_terminal_begins_with_the_modes_it_is_given() {
    let here = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    let mut modes = tcgetattr(&here).unwrap();
    modes.local_modes.remove(LocalModes::ECHO);
    modes.special_codes[SpecialCodeIndex::VINTR] = 0x18;
    let mut spawn = Spawn::new(["stty", "-a"]);
    spawn.modes = Some(modes);
    let (_, text) = Talk::begin(&spawn).end().await;
    assert!(
        text.contains(" -echo ") && text.contains("intr = ^X"),
        "{text}"
    );
}

#[tokio::test]
async fn the_foreground_group_is_the_job_that_has_the_keyboard() {
    let mut talk = Talk::with(["bash", "--norc", "--noprofile", "-i"]);
    talk.write("sleep 1000\n").await;
    until("sleep has the keyboard", || {
        let job = talk.pty.foreground_group().map_or(0, Pid::as_raw_pid);
        std::fs::read_to_string(format!("/proc/{job}/comm")).is_ok_and(|name| name == "sleep\n")
    })
    .await;
    talk.pty.signal_group(Signal::INT).unwrap();
    talk.write("echo code=$?\n").await;
    talk.wait_for("code=130").await;
}

#[tokio::test]
async fn fifty_megabytes_arrive_intact() {
    let script = "stty raw; python3 -c '
import sys
for n in range(50):
    sys.stdout.buffer.write(bytes((i * 7 + n) % 256 for i in range(1000)) * 1000)'";
    let mut talk = Talk::bash(script);
    let (mut at, mut largest) = (0, 0);
    while let Some(chunk) = within("there is more", talk.output.recv()).await {
        largest = largest.max(chunk.len());
        for byte in chunk {
            let expected = ((at % 1000) * 7 + at / 1_000_000) % 256;
            assert_eq!(usize::from(byte), expected, "at byte {at}");
            at += 1;
        }
    }
    assert_eq!(at, 50_000_000);
    assert!(largest <= 2 << 20, "{largest}");
    assert_eq!(within("it ends", talk.pty.wait()).await, Exit::Code(0));
}

#[tokio::test]
async fn a_program_nobody_listens_to_waits() {
    let mut talk =
        Talk::bash("stty raw; echo ready; exec dd if=/dev/zero bs=4k count=5000 status=none");
    talk.wait_for("ready\n").await;
    let written = || {
        let io = format!("/proc/{}/io", talk.pty.pid().as_raw_pid());
        let io = std::fs::read_to_string(io).unwrap();
        let line = io.lines().find_map(|line| line.strip_prefix("wchar: "));
        line.unwrap().parse::<usize>().unwrap()
    };
    let last = Cell::new(0);
    until("it has stopped writing", || {
        let now = written();
        now > 1 << 14 && last.replace(now) == now
    })
    .await;
    assert!(
        written() < 4 << 20,
        "{} bytes are kept for nobody",
        written()
    );
    assert_eq!(talk.pty.state(), State::Running);
    let mut total = talk.text().len();
    while let Some(chunk) = within("there is more", talk.output.recv()).await {
        total += chunk.len();
    }
    assert_eq!(total, 5000 * 4096);
}

#[tokio::test]
async fn a_program_that_never_reads_holds_nobody() {
    let mut talk = Talk::bash("stty raw -echo; echo ready; sleep 1000");
    talk.wait_for("ready").await;
    let megabyte = vec![b'x'; 1 << 20];
    talk.writer.push(&megabyte).unwrap();
    assert!(talk.writer.queued() > 0);
    while talk.writer.push(&megabyte).is_ok() {}
    // It still hears us in other ways.
    talk.pty.signal_group(Signal::INT).unwrap();
    assert_eq!(talk.end().await.0, Exit::Signal(2));
}

#[tokio::test]
async fn what_a_program_that_has_ended_never_read_is_given_up() {
    let mut talk = Talk::bash("stty raw -echo; echo ready; sleep 1000");
    talk.wait_for("ready").await;
    talk.writer.push(&vec![b'x'; 1 << 20]).unwrap();
    talk.pty.signal_group(Signal::KILL).unwrap();
    within("the program ends", talk.pty.wait()).await;
    let flushed = within("it is given up", talk.writer.flush()).await;
    assert!(flushed.is_err());
}

#[tokio::test]
async fn a_large_paste_arrives_as_the_program_reads_it() {
    let count = "
import sys, tty
tty.setraw(0)
print('ready', flush=True)
data = b''
while len(data) < 1000000: data += sys.stdin.buffer.read1()
print(len(data), set(data))";
    let mut talk = Talk::with(["python3", "-c", count]);
    talk.wait_for("ready").await;
    talk.write(&"x".repeat(1_000_000)).await;
    talk.wait_for("1000000 {120}").await;
}

#[tokio::test]
async fn what_was_said_before_the_end_is_not_lost_to_one_left_behind() {
    let mut talk = Talk::bash("trap '' HUP; sleep 1000 & echo last words");
    within("the program ends", talk.pty.wait()).await;
    talk.output.finish();
    let mut text = Vec::new();
    while let Some(chunk) = within("the output ends", talk.output.recv()).await {
        text.extend(chunk);
    }
    assert_eq!(text, b"last words\r\n");
    talk.pty.terminate(Duration::ZERO).await.unwrap();
}

#[tokio::test]
async fn keys_that_the_program_has_not_read_are_known() {
    let go = tempfile::tempdir().unwrap();
    let script = format!(
        "stty raw -echo; echo ready; until [ -e {}/go ]; do sleep 0.05; done; head -c 3; echo .; sleep 60",
        go.path().display()
    );
    let mut talk = Talk::bash(&script);
    talk.wait_for("ready").await;
    assert!(!talk.pty.has_unread_keys());
    talk.write("abc").await;
    // The kernel hands them over on a thread of its own.
    let handed_over = async {
        while !talk.pty.has_unread_keys() {
            tokio::task::yield_now().await;
        }
    };
    within("they are unread", handed_over).await;
    std::fs::write(go.path().join("go"), "").unwrap();
    talk.wait_for("abc.").await;
    assert!(!talk.pty.has_unread_keys());
}
