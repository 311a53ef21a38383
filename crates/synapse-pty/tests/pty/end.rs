//! Ends: whoever was started is gone, whatever they do about it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use synapse_pty::{Exit, Pid, Signal, State};

use crate::talk::{Talk, lives, until, within};

/// So long that a test fails which waits for it.
const NEVER: Duration = Duration::from_mins(10);

async fn terminate(talk: &mut Talk, grace: Duration) -> Exit {
    let ended = within("all are gone", talk.pty.terminate(grace)).await;
    ended.unwrap()
}

/// The numbers of processes that it prints as `pids: 1 2 3.`
async fn pids(talk: &mut Talk) -> Vec<String> {
    talk.wait_for("pids:").await;
    let line = talk.wait_for(".").await;
    let pids = line.trim_end_matches('.').split_whitespace();
    pids.map(str::to_owned).collect()
}

fn assert_gone(pids: &[String]) {
    assert!(!pids.is_empty());
    for pid in pids {
        assert!(!lives(pid), "{pid} is still there");
    }
}

#[tokio::test]
async fn a_program_is_asked_first() {
    let mut talk = Talk::bash("trap 'exit 5' TERM HUP; echo ready; while :; do read; done");
    talk.wait_for("ready").await;
    assert_eq!(terminate(&mut talk, NEVER).await, Exit::Code(5));
}

#[tokio::test]
async fn one_that_will_not_hear_is_killed() {
    let mut talk = Talk::bash("trap '' TERM HUP INT; echo ready; while :; do sleep 1000; done");
    talk.wait_for("ready").await;
    let exit = terminate(&mut talk, Duration::from_millis(50)).await;
    assert_eq!(exit, Exit::Signal(9));
}

#[tokio::test]
async fn one_that_is_stopped_is_ended_too() {
    let mut talk = Talk::bash("echo ready; exec cat");
    talk.wait_for("ready").await;
    talk.write("\x1a").await;
    talk.wait_until_it_is(State::Stopped).await;
    let exit = terminate(&mut talk, NEVER).await;
    assert!(matches!(exit, Exit::Signal(_)), "{exit:?}");
}

#[tokio::test]
async fn jobs_in_the_background_go_too() {
    let mut talk = Talk::with(["bash", "--norc", "--noprofile", "-i"]);
    talk.write("sleep 1000 & nohup sleep 1000 >/dev/null & (trap '' HUP TERM; sleep 1000) &\n")
        .await;
    talk.write("echo pid''s: $(jobs -p) $$.\n").await;
    let pids = pids(&mut talk).await;
    assert_eq!(pids.len(), 4);
    terminate(&mut talk, Duration::from_millis(50)).await;
    assert_gone(&pids);
}

#[tokio::test]
async fn tools_in_sessions_of_their_own_go_too() {
    let mut talk = Talk::bash("setsid sleep 1000 & tool=$!; echo pids: $tool $$.; wait");
    let pids = pids(&mut talk).await;
    terminate(&mut talk, NEVER).await;
    assert_gone(&pids);
}

#[tokio::test]
async fn what_outlives_the_program_goes_when_told() {
    let mut talk = Talk::bash("trap '' HUP; sleep 1000 & echo pids: $!.");
    let pids = pids(&mut talk).await;
    within("the program ends", talk.pty.wait()).await;
    assert!(lives(&pids[0]));
    assert_eq!(terminate(&mut talk, NEVER).await, Exit::Code(0));
    assert_gone(&pids);
}

#[tokio::test]
async fn a_program_that_is_gone_can_be_ended() {
    let mut talk = Talk::bash("exit 3");
    within("the program ends", talk.pty.wait()).await;
    assert!(talk.pty.signal_group(Signal::INT).is_err());
    assert_eq!(terminate(&mut talk, NEVER).await, Exit::Code(3));
}

#[tokio::test]
async fn dropped_it_is_killed() {
    let mut talk = Talk::bash("trap '' TERM HUP; sleep 1000 & echo pids: $! $$.; wait");
    let pids = pids(&mut talk).await;
    drop(talk);
    until("all are gone", || !pids.iter().any(|pid| lives(pid))).await;
}

#[tokio::test]
async fn killed_from_outside_is_told_as_it_was() {
    let mut talk = Talk::bash("echo ready; exec sleep 1000");
    talk.wait_for("ready").await;
    let pid: Pid = talk.pty.pid();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
    assert_eq!(talk.end().await.0, Exit::Signal(9));
}

#[tokio::test]
async fn a_host_that_is_killed_takes_the_program_with_it() {
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "end::hosts_a_stubborn_program",
            "--ignored",
            "--nocapture",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let pid = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("pid: ").map(str::to_owned))
        .unwrap();
    assert!(lives(&pid));
    host.kill().unwrap();
    host.wait().unwrap();
    until("the program is gone", || !lives(&pid)).await;
}

#[tokio::test]
#[ignore = "run by another test, which kills it"]
async fn hosts_a_stubborn_program() {
    let mut talk = Talk::bash("trap '' HUP TERM; echo ready; while :; do read; done");
    talk.wait_for("ready").await;
    #[expect(clippy::print_stdout, reason = "it is read by the other test")]
    {
        println!("\npid: {}", talk.pty.pid().as_raw_pid());
    }
    // Nothing ends this but the signal that the other test sends.
    std::future::pending::<()>().await;
}

#[test]
fn a_program_outlives_the_worker_that_started_it() {
    // The runtime ends its idle threads; the kernel kills a child with the thread that started it.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_keep_alive(Duration::from_millis(1))
        .build()
        .unwrap();
    runtime.block_on(async {
        let spawned = tokio::task::spawn_blocking(|| {
            let thread = std::fs::read_link("/proc/thread-self").unwrap();
            (Talk::with(["cat"]), Path::new("/proc").join(thread))
        });
        let (mut talk, thread) = spawned.await.unwrap();
        until("its thread is gone", || !thread.exists()).await;
        talk.write("still here\n").await;
        talk.wait_for("still here\r\nstill here\r\n").await;
    });
}
