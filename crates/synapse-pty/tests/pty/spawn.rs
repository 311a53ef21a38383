//! What a program finds when it starts, and what is said when it cannot.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use synapse_pty::{Exit, Pty, Spawn, SpawnError};

use crate::talk::{Talk, size};

fn refused(spawn: &Spawn) -> SpawnError {
    Pty::spawn(spawn).unwrap_err()
}

#[tokio::test]
async fn the_size_is_there_before_the_program() {
    let mut spawn = Spawn::new(["stty", "size"]);
    spawn.size = size(101, 33);
    let (exit, text) = Talk::begin(&spawn).end().await;
    assert_eq!((exit, text.as_str()), (Exit::Code(0), "33 101\r\n"));
}

#[tokio::test]
async fn a_window_of_no_size_is_never_shown() {
    let mut spawn = Spawn::new(["stty", "size"]);
    spawn.size = size(0, 0);
    assert_eq!(Talk::begin(&spawn).end().await.1, "1 1\r\n");
}

#[tokio::test]
async fn the_terminal_is_the_controlling_one_and_the_program_has_the_keyboard() {
    let script = "tty; tty </dev/tty; ps -o pid=,pgid=,tpgid= -p $$ | tr -s ' '; echo $$";
    let talk = Talk::bash(script);
    let pid = talk.pty.pid().as_raw_pid();
    let (_, text) = talk.end().await;
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert!(lines[0].starts_with("/dev/pts/"), "{text}");
    assert_eq!(lines[1], "/dev/tty", "{text}");
    assert_eq!(lines[2], format!("{pid} {pid} {pid}"), "{text}");
    assert_eq!(lines[3], pid.to_string(), "{text}");
}

#[tokio::test]
async fn environment_and_folder_are_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut spawn = Spawn::new(["bash", "-c", "echo [$ADDED] [$HOME]; pwd; echo $PWD"]);
    spawn.env = vec![("ADDED".into(), "yes".into())];
    spawn.env_remove = vec!["HOME".into()];
    spawn.cwd = Some(folder.path().into());
    let (_, text) = Talk::begin(&spawn).end().await;
    let here = folder.path().display();
    assert_eq!(text, format!("[yes] []\r\n{here}\r\n{here}\r\n"));
}

#[tokio::test]
async fn signals_ignored_here_are_not_ignored_there() {
    let inside = std::env::current_exe().unwrap();
    let script = format!(
        "trap '' INT QUIT PIPE HUP TSTP CHLD; exec {} --exact spawn::shows_signals --ignored --nocapture",
        inside.display()
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("SigBlk:\t0000000000000000"), "{text}");
    assert!(text.contains("SigIgn:\t0000000000000000"), "{text}");
}

#[tokio::test]
#[ignore = "run by another test, in a process that ignores signals"]
async fn shows_signals() {
    let own = fs::read_to_string("/proc/self/status").unwrap();
    assert!(!own.contains("SigIgn:\t0000000000000000"), "{own}");
    let (exit, text) = Talk::with(["cat", "/proc/self/status"]).end().await;
    assert_eq!(exit, Exit::Code(0));
    #[expect(clippy::print_stdout, reason = "it is read by the other test")]
    for line in text.lines().filter(|line| line.starts_with("Sig")) {
        println!("{line}");
    }
}

#[tokio::test]
async fn no_descriptor_of_ours_is_inherited() {
    let leak = fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    let list = "
import os
# The one that lists them is gone by the time it is looked at.
links = [f'/proc/self/fd/{n}' for n in os.listdir('/proc/self/fd') if n not in '012']
print([os.readlink(link) for link in links if os.path.exists(link)])";
    let (_, text) = Talk::with(["python3", "-c", list]).end().await;
    assert_eq!(text.trim(), "[]", "{} was to stay here", leak.as_raw_fd());
}

#[tokio::test]
async fn exit_codes_come_through() {
    assert_eq!(Talk::bash("exit 7").end().await.0, Exit::Code(7));
    assert_eq!(Talk::with(["true"]).end().await.0, Exit::Code(0));
}

#[tokio::test]
async fn a_death_by_signal_is_told_as_one() {
    let exit = Talk::bash("kill -SEGV $$").end().await.0;
    assert_eq!((exit, exit.code()), (Exit::Signal(11), 139));
}

#[tokio::test]
async fn says_that_a_command_was_not_found() {
    for command in [
        "synapse-no-such-command",
        "/no/such/command",
        "/etc/passwd/x",
    ] {
        let error = refused(&Spawn::new([command]));
        assert!(matches!(error, SpawnError::NotFound(_)), "{error:?}");
        assert_eq!(error.to_string(), format!("{command}: command not found"));
    }
}

#[tokio::test]
async fn says_that_a_command_may_not_be_run() {
    let error = refused(&Spawn::new(["/etc/passwd"]));
    assert_eq!(error.to_string(), "/etc/passwd: permission denied");
}

#[tokio::test]
async fn says_that_an_interpreter_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("agent");
    fs::write(&script, "#!/no/such/node\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let error = refused(&Spawn::new([script]));
    assert!(matches!(error, SpawnError::NoInterpreter(_)), "{error:?}");
    let mut spawn = Spawn::new(["agent"]);
    spawn.env = vec![("PATH".into(), folder.path().into())];
    let error = refused(&spawn);
    assert!(matches!(error, SpawnError::NoInterpreter(_)), "{error:?}");
}

#[tokio::test]
async fn says_what_is_wrong_with_the_folder() {
    for (cwd, reason) in [
        ("/no/such/folder", "No such file"),
        ("/etc/passwd", "Not a dir"),
    ] {
        let mut spawn = Spawn::new(["true"]);
        spawn.cwd = Some(cwd.into());
        let error = refused(&spawn).to_string();
        let expected = format!("cannot work in {cwd}: {reason}");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn nothing_to_run_is_said() {
    let nothing: [&str; 0] = [];
    assert!(matches!(refused(&Spawn::new(nothing)), SpawnError::Empty));
}

#[tokio::test]
async fn a_refused_start_leaves_no_process_behind() {
    let children = || {
        let tasks = fs::read_dir("/proc/self/task").unwrap();
        let read = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).ok();
        let lists: Vec<String> = tasks.filter_map(|task| read(task.unwrap())).collect();
        lists.concat().split_whitespace().count()
    };
    // Other tests of this process have children of their own, so the test is one of a process of
    // its own.
    if std::env::var_os("SYNAPSE_TEST_ALONE").is_some() {
        refused(&Spawn::new(["synapse-no-such-command"]));
        assert_eq!(children(), 0);
        return;
    }
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "spawn::a_refused_start_leaves_no_process_behind"])
        .env("SYNAPSE_TEST_ALONE", "1")
        .output()
        .unwrap();
    assert!(status.status.success(), "{status:?}");
}
