//! `synapse shell` in a real terminal, with real shells behind it.

use std::fs;

use serde_json::Value;
use synapse_pty::{Exit, Size, Spawn};

use crate::world::World;
use crate::world::terminal::Terminal;

const PROMPT: &str = "synapse> ";
const TAB: &str = "\t";

/// A person in `synapse shell`.
struct Own {
    world: World,
    terminal: Terminal,
    prompts: usize,
}

impl Own {
    /// With this shell behind it, and an agent to talk to.
    fn with(shell: &str) -> Self {
        Self::begin(shell, World::with_dummy(), "")
    }

    /// The same in a world with other settings, and a start-up file for bash.
    fn begin(shell: &str, world: World, bashrc: &str) -> Self {
        let home = world.home.path().to_owned();
        // Without it fish reads all manual pages first.
        fs::create_dir_all(home.join(".local/share/fish/generated_completions")).unwrap();
        fs::write(home.join(".bashrc"), bashrc).unwrap();
        fs::write(home.join(".zshrc"), "").unwrap();
        let mut spawn = Spawn::new([assert_cmd::cargo::cargo_bin!("synapse-shell")]);
        spawn.size = Size::new(100, 30);
        spawn.cwd = Some(home.clone());
        spawn.env = [
            ("HOME", home.clone()),
            ("SYNAPSE_HOME", home.join("synapse")),
            ("A2A_HOME", home.join("a2a")),
            ("TERM", "xterm-256color".into()),
            ("LC_ALL", "C.UTF-8".into()),
            ("SHELL", shell.into()),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        spawn.env_remove = ["ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "NO_COLOR"]
            .map(Into::into)
            .into();
        let mut own = Self {
            world,
            terminal: Terminal::start(&spawn),
            prompts: 0,
        };
        own.wait_for_prompt();
        own
    }

    fn wait_for_prompt(&mut self) {
        let before = self.prompts;
        self.terminal.wait("the next prompt is there", |it| {
            it.before_cursor().ends_with(PROMPT)
                && it.everything().matches(PROMPT.trim_end()).count() > before
        });
        let text = self.terminal.everything();
        self.prompts = text.matches(PROMPT.trim_end()).count();
    }

    /// Types a line and Enter, and waits for the next prompt; what was printed.
    fn enter(&mut self, line: &str) -> String {
        self.terminal.press(&format!("{line}\r"));
        self.wait_for_prompt();
        self.last()
    }

    /// What the last line printed. A prompt with nothing behind it is one painted anew.
    fn last(&mut self) -> String {
        let text = self.terminal.everything();
        let mut lines = text.rsplit(PROMPT.trim_end()).skip(1);
        let line = lines.find(|line| line.contains('\n')).unwrap();
        let said = line.split_once('\n').unwrap().1;
        said.trim_end_matches('\n').to_owned()
    }

    fn wait_for_line(&mut self, end: &str) {
        let shows = |it: &mut Terminal| it.before_cursor().ends_with(end);
        self.terminal.wait(end, shows);
    }

    fn messages(&self) -> Vec<String> {
        let tasks = self.world.json(&["tasks", "dummy", "--json"]);
        let mut tasks = tasks["tasks"].as_array().unwrap().clone();
        tasks.sort_by_key(|task| task["id"].as_str().unwrap().to_owned());
        let text = |task: &Value| {
            let parts = task["message"]["parts"].as_array().unwrap();
            parts[0]["text"].as_str().unwrap().to_owned()
        };
        tasks.iter().map(text).collect()
    }
}

#[test]
fn everything_a_shell_keeps_is_kept() {
    for (shell, lines) in [
        (
            "/bin/bash",
            [
                "mkdir -p deep && cd deep && export SAID=1 && mine=2",
                "function f { echo f $1; }; alias a='echo a'",
                "basename $PWD; echo $SAID $mine; f 3; a 4; printenv SAID",
            ],
        ),
        (
            "/usr/bin/zsh",
            [
                "mkdir -p deep && cd deep && export SAID=1 && mine=2",
                "function f { echo f $1; }; alias a='echo a'",
                "basename $PWD; echo $SAID $mine; f 3; a 4; printenv SAID",
            ],
        ),
        (
            "/usr/bin/fish",
            [
                "mkdir -p deep && cd deep && export SAID=1 && set mine 2",
                "function f; echo f $argv; end; alias a='echo a'",
                "basename $PWD; echo $SAID $mine; f 3; a 4; printenv SAID",
            ],
        ),
        (
            "/bin/dash",
            [
                "mkdir -p deep && cd deep && export SAID=1 && mine=2",
                "f() { echo f $1; }; alias a='echo a'",
                "basename $PWD; echo $SAID $mine; f 3; a 4; printenv SAID",
            ],
        ),
    ] {
        let mut own = Own::with(shell);
        for line in &lines[..2] {
            assert_eq!(own.enter(line), "", "{shell}");
        }
        assert_eq!(own.enter(lines[2]), "deep\n1 2\nf 3\na 4\n1", "{shell}");
        // The agent is found, and files are, from where the shell is.
        own.enter("echo data >notes.txt");
        assert_eq!(own.enter("@dummy --return say:it's $HOME!"), "it's $HOME!");
        own.enter("@dummy --file notes.txt look");
        assert!(own.messages()[1].starts_with("look"), "{shell}");
    }
}

#[test]
fn exit_codes_are_seen_and_the_last_one_is_ours() {
    for (shell, show) in [("/bin/bash", "echo $?"), ("/usr/bin/fish", "echo $status")] {
        let mut own = Own::with(shell);
        own.enter("sh -c 'exit 7'");
        assert_eq!(own.enter(show), "7", "{shell}");
        own.enter("@nobody hi");
        assert!(own.last().contains("no agent is called 'nobody'"));
        assert_eq!(own.enter(show), "3", "{shell}");
        own.enter("@dummy --retrun hi");
        assert_eq!(own.enter(show), "2", "{shell}");
        own.enter("false");
        own.enter("@dummy hi");
        assert_eq!(own.enter(show), "0", "{shell}");
        own.terminal.press("exit 9\r");
        assert_eq!(own.terminal.end().0, Exit::Code(9), "{shell}");
    }
}

#[test]
fn keys_of_job_control_do_what_they_do() {
    for shell in ["/bin/bash", "/usr/bin/zsh", "/usr/bin/fish", "/bin/dash"] {
        let mut own = Own::with(shell);
        own.terminal.press("sleep 600\r");
        own.wait_for_running("sleep");
        own.terminal.press("\x1a");
        own.wait_for_prompt();
        assert!(own.enter("jobs").contains("sleep"), "{shell}");
        own.terminal.press("fg\r");
        own.wait_for_running("sleep");
        own.terminal.press("\x03");
        own.wait_for_prompt();
        // A loop is ended as a whole.
        let many = match shell {
            "/usr/bin/fish" => "for i in 1 2 3; sleep 600; end",
            _ => "for i in 1 2 3; do sleep 600; done",
        };
        own.terminal.press(&format!("{many}\r"));
        own.wait_for_running("sleep");
        own.terminal.press("\x03");
        own.wait_for_prompt();
        assert_eq!(own.enter("echo fine"), "fine", "{shell}");
    }
}

#[test]
fn programs_have_the_whole_terminal() {
    let mut own = Own::with("/bin/bash");
    fs::write(own.world.home.path().join("long"), "row\n".repeat(200)).unwrap();
    assert_eq!(
        own.enter("stty size; test -t 0 && test -t 1 && echo is"),
        "30 100\nis"
    );
    own.terminal.resize(90, 25);
    assert_eq!(own.enter("stty size"), "25 90");
    own.terminal.press("less long\r");
    own.terminal.wait("the pager fills the screen", |it| {
        it.text().lines().filter(|row| *row == "row").count() > 20
    });
    own.terminal.press("q");
    own.wait_for_prompt();
    let told = "sh -c 'trap \"stty size; exit\" WINCH; echo waits; while :; do sleep 0.1; done'";
    own.terminal.press(&format!("{told}\r"));
    own.terminal
        .wait("it runs", |it| it.everything().contains("\nwaits"));
    own.terminal.resize(80, 20);
    own.wait_for_prompt();
    assert!(own.last().ends_with("\n20 80"), "{}", own.last());
    own.terminal.press("cat\r");
    own.wait_for_running("cat");
    own.terminal.press("echoed\r\x04");
    own.wait_for_prompt();
    assert_eq!(own.last(), "echoed\nechoed");
}

#[test]
fn output_goes_along_with_a_message() {
    for shell in ["/bin/bash", "/usr/bin/fish"] {
        let mut own = Own::with(shell);
        own.enter("printf 'one\\ntwo\\n' | @dummy what failed?");
        own.enter("echo 'a | @b c' | sort | @dummy -");
        own.enter("echo seen >&2 | @dummy");
        assert!(own.last().contains("seen"), "{shell}");
        let sent = own.messages();
        assert_eq!(
            sent[..2],
            ["what failed?\n\none\ntwo", "a | @b c"],
            "{shell}"
        );
        // What is typed until Ctrl-D.
        own.terminal.press("@dummy -\r");
        own.terminal.wait_for("Ctrl-D ends it");
        own.terminal.press("it's typed\rby hand\r\x04");
        own.wait_for_prompt();
        assert_eq!(
            own.messages().last().unwrap(),
            "it's typed\nby hand",
            "{shell}"
        );
    }
}

#[test]
fn ctrl_c_stops_a_wait_and_again_it_cancels_the_task() {
    let mut own = Own::with("/bin/bash");
    own.terminal.press("@dummy --return wait:600\r");
    own.world.wait_for_state("dummy", "BUSY");
    own.terminal.wait_for("dummy is working");
    own.terminal.press("\x03");
    own.wait_for_prompt();
    assert!(
        own.last().contains("Ctrl-C again cancels it"),
        "{}",
        own.last()
    );
    assert_eq!(own.world.task_state("wait:600"), "working");
    own.terminal.press("\x03");
    own.terminal.wait_for("is canceled");
    own.world.wait_for_task("wait:600", "canceled");
    own.wait_for_prompt();
    // Once another line was typed, Ctrl-C is only Ctrl-C.
    own.terminal.press("@dummy --return wait:601\r");
    own.terminal.wait_for("dummy is working");
    own.terminal.press("\x03");
    own.wait_for_prompt();
    own.enter("echo between");
    own.terminal.press("dropped");
    own.wait_for_line("dropped");
    own.terminal.press("\x03");
    own.wait_for_prompt();
    assert_eq!(own.enter("echo after"), "after");
    assert_eq!(own.world.task_state("wait:601"), "working");
}

#[test]
fn a_reply_is_shown_while_it_grows() {
    let mut own = Own::with("/bin/bash");
    own.terminal.press("@dummy --return slow:60\r");
    // The beginning of it, long before its end.
    own.terminal.wait_for("alpha");
    own.terminal.press("\x03");
    own.wait_for_prompt();
    assert_eq!(own.world.task_state("slow:60"), "working");
}

#[test]
fn tab_completes_and_the_history_is_kept() {
    let mut own = Own::with("/bin/bash");
    fs::write(own.world.home.path().join("server log.txt"), "x\n").unwrap();
    for (keys, line) in [
        ("@du", "@dummy "),
        ("@dummy --ret", "@dummy --return "),
        ("@dummy see serv", "@dummy see server log.txt "),
        ("cat serv", "cat server\\ log.txt "),
        ("cat x | @du", "cat x | @dummy "),
    ] {
        own.terminal.press(keys);
        own.wait_for_line(keys);
        own.terminal.press(TAB);
        own.wait_for_line(&format!("{PROMPT}{line}"));
        own.terminal.press("\x03");
        own.wait_for_prompt();
    }
    own.enter("echo remembered");
    own.enter(" echo secret");
    own.terminal.press("\x04");
    assert_eq!(own.terminal.end().0, Exit::Code(0));

    let world = own.world;
    let history = fs::read_to_string(world.home.path().join("synapse/shell_history")).unwrap();
    assert!(!history.contains("secret"), "{history}");
    let mut own = Own::begin("/bin/bash", world, "");
    own.terminal.press("\x12rememb");
    own.terminal.wait_for("echo remembered");
    own.terminal.press("\r\r");
    own.terminal.wait("it runs again", |it| {
        it.everything().contains("\nremembered")
    });
    own.terminal.press("echo rem");
    own.terminal.wait_for("echo remembered");
}

#[test]
fn open_quotes_and_backslashes_begin_another_line() {
    let mut own = Own::with("/bin/bash");
    own.terminal.press("echo 'one\r");
    own.wait_for_line("> ");
    own.terminal.press("two' \\\r");
    own.wait_for_line("> ");
    assert!(own.enter("three").ends_with("\none\ntwo three"));
    // A loop goes to its end, and a here-document to its own, whatever stands in it.
    for line in ["for i in 1 2\r", "do echo n$i\r"] {
        own.terminal.press(line);
        own.wait_for_line("> ");
    }
    assert!(own.enter("done").ends_with("\nn1\nn2"));
    for line in ["cat <<EOF\r", "it's (\r"] {
        own.terminal.press(line);
        own.wait_for_line("> ");
    }
    assert!(own.enter("EOF").ends_with("\nit's ("));
    own.terminal.press("@dummy \"it is\r");
    own.wait_for_line("> ");
    own.enter("long\"");
    own.enter("@dummy it isn't");
    own.terminal.paste("@dummy several\nlines; touch ran");
    own.wait_for_line("ran");
    own.enter("");
    assert_eq!(
        own.messages(),
        ["it is\nlong", "it isn't", "several\nlines; touch ran"]
    );
    assert!(!own.world.home.path().join("ran").exists());
}

#[test]
fn jobs_in_the_background_are_heard() {
    let mut own = Own::with("/bin/bash");
    let home = own.world.home.path().to_owned();
    own.enter("{ until test -e now; do sleep 0.1; done; echo from behind; } &");
    own.terminal.press("echo half");
    own.wait_for_line("echo half");
    fs::write(home.join("now"), "").unwrap();
    own.terminal.wait_for("\nfrom behind\n");
    own.wait_for_line("echo half");
    assert_eq!(own.enter(" typed").lines().last().unwrap(), "half typed");
}

#[test]
fn settings_of_the_user_are_read() {
    let world = World::configured("shell_prompt: 'synapse> '\ndefault_response_mode: return\n");
    let bashrc = "alias hi='echo hello'; PROMPT_COMMAND='PS1=\"$(pwd) $ \"'; echo from bashrc";
    let mut own = Own::begin("/bin/bash", world, bashrc);
    assert!(own.terminal.everything().contains("from bashrc"));
    assert_eq!(own.enter("hi"), "hello");
    assert_eq!(own.enter("@dummy say:waited for"), "waited for");
    // Read again, it sets anew what tells us that a line is over.
    assert_eq!(own.enter(". ~/.bashrc"), "from bashrc");
    assert_eq!(own.enter("PROMPT_COMMAND=; (exit 3)"), "");
    assert_eq!(own.enter("echo $?"), "3");
    own.terminal.press("PROMPT_COMMAND=; sleep 600\r");
    own.wait_for_running("sleep");
    own.terminal.press("\x03");
    own.wait_for_prompt();
    assert_eq!(own.enter("hi"), "hello");
    assert_eq!(
        own.enter("@all say:all of you")
            .split_whitespace()
            .collect::<Vec<_>>(),
        ["dummy", "completed", "all", "of", "you"]
    );
}

#[test]
fn a_signal_ends_it_and_leaves_nobody_behind() {
    let mut own = Own::with("/bin/bash");
    let shell = own.enter("echo $$");
    let own_pid = rustix::process::Pid::from_raw(own.terminal.pid().parse().unwrap()).unwrap();
    rustix::process::kill_process(own_pid, rustix::process::Signal::TERM).unwrap();
    let (exit, _) = own.terminal.end();
    assert_eq!(exit, Exit::Code(1));
    own.world.wait_until("the shell behind it is gone", |_| {
        crate::world::is_gone(&shell)
    });
}

impl Own {
    /// Waits until a program of this name has the keyboard of the shell behind us.
    fn wait_for_running(&mut self, name: &str) {
        let is_running = |_: &World| {
            let of_own = |pid: &str| {
                let comm = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
                comm.trim() == name
                    && fs::read(format!("/proc/{pid}/environ")).is_ok_and(|env| {
                        contains(&env, self.world.home.path().as_os_str().as_encoded_bytes())
                    })
                    && fs::read_to_string(format!("/proc/{pid}/stat"))
                        .is_ok_and(|stat| stat.contains(") S "))
            };
            let mut processes = fs::read_dir("/proc").unwrap().flatten();
            processes.any(|entry| of_own(&entry.file_name().to_string_lossy()))
        };
        self.world.wait_until(&format!("{name} runs"), is_running);
    }
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|run| run == wanted)
}
