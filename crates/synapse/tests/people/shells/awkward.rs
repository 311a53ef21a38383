//! Messages that a shell would parse, expand, split or run, each compared byte for byte with what the
//! agent was sent.

use super::shell::{KINDS, Kind, Shell};

/// What is typed after `@dummy `, as it is to arrive.
const MESSAGES: &[&str] = &[
    r#"what's "wrong" with $HOME/*.rs?!"#,
    "it's",
    "hello!",
    r#"an open " quote"#,
    "an open ' quote",
    "an open ` quote",
    "an open ( and { and [ and <<EOF",
    "`touch ran` and $(touch ran) and <(touch ran)",
    "touch ran; touch ran && touch ran || touch ran | touch ran & touch ran",
    "> ran >> ran 2>&1 < missing",
    "!! and !$ and !foo and !-2 and !?x? and ^a^b^",
    "# not a comment",
    "a # not a comment either",
    r#"back\slash \n \" \' \\ \$"#,
    r"at the end \",
    "* ? [a-z]* {1,2} {a..c} ~ ~root +(x) @(y) !(z)",
    "$x ${x:-y} $((1+1)) ((1+1)) $'a\\tb' $\"c\"",
    "=ls ==x (a b) a=(b c) x=1 %1 %s %d%% \\033[31m",
    "-x --priority 3 --return -",
    "-",
    "exit",
    "for i in 1 2; do",
    "if true; then echo x; else",
    "function f() { :; }; alias ls=rm",
    "@dummy @all mail me@example.com",
    "日本語？「引用」！　全角　空白",
    "👩‍👩‍👧 é ñ ß ☃ \u{301}x",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "blanks   in  between",
    "\"one\" and 'two'",
];

fn arrive_intact(kind: Kind) {
    let mut shell = Shell::hooked(kind);
    let mut sent = Vec::new();
    for message in MESSAGES {
        // Standard input has the line, so the terminal would be read.
        let message = if *message == "-" { "--" } else { message };
        let typed = if message.starts_with("--") || message.starts_with("-x") {
            format!("@dummy -- {message}")
        } else {
            format!("@dummy {message}")
        };
        assert_eq!(shell.enter(&typed), 0, "{kind:?}: {typed}");
        sent.push(message.to_owned());
        assert_eq!(shell.messages(), sent, "{kind:?}");
    }
    assert!(!shell.world.home.path().join("ran").exists(), "{kind:?}");
}

#[test]
fn awkward_messages_arrive_intact_from_bash() {
    arrive_intact(Kind::Bash);
}

#[test]
fn awkward_messages_arrive_intact_from_zsh() {
    arrive_intact(Kind::Zsh);
}

#[test]
fn awkward_messages_arrive_intact_from_fish() {
    arrive_intact(Kind::Fish);
}

#[test]
fn what_stands_around_a_message_is_told_from_it() {
    for kind in KINDS {
        let mut shell = Shell::hooked(kind);
        for (typed, sent) in [
            ("   @dummy   blanks in front  ", "blanks in front  "),
            ("@DUMMY any case", "any case"),
            (
                "@dummy 'quotes around all of it'",
                "quotes around all of it",
            ),
            ("@dummy --priority 2 --no-return flags", "flags"),
            ("@dummy　全角の空白", "全角の空白"),
        ] {
            assert_eq!(shell.enter(typed), 0, "{kind:?}: {typed}");
            assert_eq!(shell.messages().last().unwrap(), sent, "{kind:?}");
        }
    }
}

#[test]
fn a_long_message_is_one_message() {
    let long = "it's a \"long\" way $HOME! ".repeat(100) + "end";
    for kind in KINDS {
        let mut shell = Shell::hooked(kind);
        assert_eq!(shell.enter(&format!("@dummy {long}")), 0, "{kind:?}");
        assert_eq!(shell.messages(), [long.as_str()], "{kind:?}");
    }
}

#[test]
fn pasted_lines_are_one_message_and_none_is_run() {
    let text = "look at\tthis:\n  touch ran\n\n$(touch ran) it's";
    for kind in KINDS {
        let mut shell = Shell::hooked(kind);
        shell.terminal.paste(&format!("@dummy {text}"));
        shell.terminal.wait_for("it's");
        assert_eq!(shell.enter(""), 0, "{kind:?}");
        let text = match kind {
            // Its own way with tabs: it drops them from what is pasted.
            Kind::Fish => text.replace('\t', ""),
            Kind::Bash | Kind::Zsh => text.to_owned(),
        };
        assert_eq!(shell.messages(), [text], "{kind:?}");
        assert!(!shell.world.home.path().join("ran").exists(), "{kind:?}");
    }
}
