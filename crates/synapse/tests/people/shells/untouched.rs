//! Everything that is no message is as it would be without the hook.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::shell::{KINDS, Kind, Shell};

/// What to press, and what to wait for.
enum Keys {
    /// A line that is a command.
    Line(String),
    /// A line of a command that goes on.
    Begin(&'static str),
    /// Keys, and what the line then ends with.
    Edit(&'static str, &'static str),
    /// Enter, for a line that is there.
    Enter,
    /// Ctrl-C.
    Interrupt,
}
use Keys::{Begin, Edit, Enter, Interrupt, Line};

const UP: &str = "\x1b[A";

/// Keys that have nothing to do with agents, or only look like it.
fn ordinary(kind: Kind) -> Vec<Keys> {
    let line = |line: &str| Line(line.to_owned());
    let mut keys = vec![
        line("echo hi"),
        line("false"),
        line(""),
        Line("echo ".to_owned() + &"long line ".repeat(30)),
        line("echo \"a  b\" 'c  d'"),
        line("printf 'two\\n\\nlines\\n'"),
        Begin("echo one \\"),
        line("two"),
        // Enter in the middle of a line.
        Edit("echo middle\x1b[D\x1b[D\x1b[D", "echo mid"),
        Enter,
        Edit(UP, "echo middle"),
        Enter,
        line("@"),
        line("@nobody"),
        line("@some/path x"),
        line("@a$b x"),
        line("me@example.com x"),
        Edit("not sent", "not sent"),
        Interrupt,
    ];
    match kind {
        Kind::Bash | Kind::Zsh => keys.extend([
            Begin("for i in 1 2; do"),
            Begin("echo $i"),
            line("done"),
            Begin("cat <<E"),
            Begin("@dummy inside"),
            Begin("it's"),
            line("E"),
            Begin("for i in 1; do"),
            line("@dummy inside; done"),
            line("mkdir -p made/deep; cd $_; pwd | grep -o made.*; cd ../.."),
            line("false | true | false"),
            line("echo $? # and a comment"),
            Edit("\x12iddl", "echo m"),
            Enter,
        ]),
        Kind::Fish => keys.extend([
            Begin("for i in 1 2"),
            Begin("echo $i"),
            line("end"),
            Begin("read line"),
            line("@dummy inside"),
            line("echo $line"),
        ]),
    }
    keys
}

/// All that was on the screen after these keys.
fn seen(shell: &mut Shell, kind: Kind) -> String {
    for keys in ordinary(kind) {
        match keys {
            Line(line) => drop(shell.enter(&line)),
            Begin(line) => shell.begin_lines(line),
            Edit(keys, line) => {
                shell.terminal.press(keys);
                shell.wait_for_line(line);
            }
            Enter => drop(shell.enter("")),
            Interrupt => {
                shell.terminal.interrupt();
                shell.wait_for_prompt();
            }
        }
    }
    shell.terminal.everything()
}

#[test]
fn ordinary_lines_look_as_they_do_without_the_hook() {
    for kind in KINDS {
        let settings = match kind {
            // It says which version it is when a command is missing.
            Kind::Bash => {
                "PS2='more> '; command_not_found_handle() { echo no \"$@\"; return 127; }"
            }
            Kind::Zsh => {
                "PS2='more> '; command_not_found_handler() { echo no \"$@\"; return 127; }"
            }
            Kind::Fish => "function fish_command_not_found; echo no $argv; end",
        };
        let mut bare = Shell::bare(kind, settings);
        let mut hooked = Shell::begin(kind, settings, "");
        let (bare, seen) = (seen(&mut bare, kind), seen(&mut hooked, kind));
        assert_eq!(seen, bare, "{kind:?}");
        assert!(hooked.messages().is_empty(), "{kind:?}");
    }
}

#[test]
fn exit_codes_say_what_came_of_it() {
    for kind in KINDS {
        let mut shell = Shell::hooked(kind);
        assert_eq!(shell.output("@dummy --return say:it is so"), "it is so");
        assert_eq!(shell.enter("false"), 1);
        assert_eq!(shell.enter("@dummy say:sent"), 0);
        let said = shell.output("@dumy say:hi; touch ran");
        assert_eq!(
            said, "synapse: no agent is called 'dumy'; the only one is @dummy",
            "{kind:?}"
        );
        assert_eq!(shell.enter("@dumy it's"), 3);
        assert_eq!(shell.enter("@dummy --retrun hi"), 2);
        assert_eq!(shell.enter("@dummy --return ask:yn Sure?"), 4);
        shell.terminal.wait_for("Sure? (y/n)");
        assert!(!shell.world.home.path().join("ran").exists());
    }
}

#[test]
fn real_commands_functions_aliases_and_paths_win() {
    for kind in KINDS {
        let mut shell = Shell::hooked(kind);
        let home = shell.world.home.path().to_owned();
        fs::write(home.join("@command"), "#!/bin/sh\necho command \"$@\"\n").unwrap();
        let runnable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(home.join("@command"), runnable).unwrap();
        fs::create_dir(home.join("@folder")).unwrap();
        let function = match kind {
            Kind::Bash | Kind::Zsh => "function @function { echo function \"$@\"; }",
            Kind::Fish => "function @function; echo function $argv; end",
        };
        for line in [
            function,
            "alias @alias='echo alias'",
            "cd @folder",
            "PATH=$PATH:$HOME",
        ] {
            let line = match kind {
                Kind::Fish => line.replace("PATH=$PATH:$HOME", "set PATH $PATH $HOME"),
                Kind::Bash | Kind::Zsh => line.to_owned(),
            };
            assert_eq!(shell.enter(&line), 0, "{kind:?}: {line}");
        }
        assert_eq!(shell.output("@function 1 2"), "function 1 2", "{kind:?}");
        assert_eq!(shell.output("@alias 1 2"), "alias 1 2", "{kind:?}");
        assert_eq!(shell.output("@command 1 2"), "command 1 2", "{kind:?}");
        shell.enter("cd ..");
        assert_ne!(shell.enter("@folder hi"), 3, "{kind:?}");
        assert!(shell.messages().is_empty(), "{kind:?}");
    }
}

#[test]
fn the_history_has_each_line_once_as_it_was_typed() {
    for kind in KINDS {
        let ignore_blank = match kind {
            Kind::Bash => "HISTCONTROL=ignorespace",
            Kind::Zsh => "setopt histignorespace",
            Kind::Fish => "",
        };
        let mut shell = Shell::begin(kind, ignore_blank, "");
        let lines = [
            "echo before",
            "@dummy plain words",
            "@dummy it's \"odd\" $HOME! \\",
            "@dummy　全角",
            "@nobody it's",
            "echo after",
        ];
        for line in lines {
            shell.enter(line);
        }
        shell.enter(" @dummy hidden");
        shell.enter(" @dummy hidden, isn't it");
        let list = match kind {
            Kind::Bash => " history | sed 's/^ *[0-9]*  //'",
            Kind::Zsh => " fc -l 1 | sed 's/^ *[0-9]*\\** *//'",
            // It looks at most once a second, and orders by the second.
            Kind::Fish => " while not history | grep nobody; history merge; end; history | sort",
        };
        let (listed, mut expected) = (shell.output(list), lines.to_vec());
        if kind == Kind::Fish {
            expected.sort_unstable();
            expected.insert(0, "@nobody it's");
        }
        assert_eq!(listed, expected.join("\n"), "{kind:?}");
        // And again from there.
        let sent = shell.messages().len();
        shell.enter("true");
        let recall = if kind == Kind::Fish {
            "odd\x1b[A"
        } else {
            &UP.repeat(5)
        };
        shell.terminal.press(recall);
        shell.wait_for_line("$HOME! \\");
        assert_eq!(shell.enter(""), 0, "{kind:?}");
        assert_eq!(
            shell.messages()[sent..],
            ["it's \"odd\" $HOME! \\"],
            "{kind:?}"
        );
    }
}

#[test]
fn ctrl_c_drops_what_is_typed_and_stops_a_wait() {
    for kind in KINDS {
        let mut shell = Shell::hooked(kind);
        shell.terminal.press("@dummy not to be sent");
        shell.terminal.wait_for("not to be sent");
        shell.terminal.interrupt();
        shell.wait_for_prompt();
        assert!(shell.messages().is_empty(), "{kind:?}");

        shell.terminal.press("@dummy --return wait:600\r");
        shell.world.wait_for_state("dummy", "BUSY");
        shell.terminal.interrupt();
        assert_eq!(shell.wait_for_prompt(), 130, "{kind:?}");
        assert_eq!(shell.world.task_state("wait:600"), "working", "it goes on");
    }
}

#[test]
fn options_are_as_they_were_after_a_message() {
    for kind in [Kind::Bash, Kind::Zsh] {
        let (off, list) = match kind {
            Kind::Bash => (
                "shopt -u interactive_comments",
                "{ set -o; shopt; alias; trap; } | md5sum",
            ),
            _ => ("setopt noaliases", "{ setopt; alias; trap; } | md5sum"),
        };
        let mut shell = Shell::begin(kind, off, "");
        let before = shell.output(list);
        shell.enter("@dummy it's");
        shell.enter("@nobody it's");
        shell.enter("@dummy　it's");
        assert_eq!(shell.output(list), before, "{kind:?}");
        assert_eq!(shell.messages(), ["it's", "it's"], "{kind:?}");
    }
}
