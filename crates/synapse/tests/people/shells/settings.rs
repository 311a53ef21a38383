//! The settings people have in their start-up files go on working, and so does the hook among them.

use super::shell::{Kind, Shell};

/// A message, and an ordinary line after it.
fn talks(shell: &mut Shell) {
    let sent = shell.messages().len();
    assert_eq!(shell.enter("@dummy isn't it?"), 0);
    assert_eq!(shell.messages()[sent..], ["isn't it?"]);
    assert!(shell.output("echo fine").contains("fine"));
}

#[test]
fn prompt_commands_of_bash_are_kept_and_see_the_exit_code() {
    for settings in [
        "PROMPT_COMMAND='echo code $?;'",
        "PROMPT_COMMAND=('echo code $?' 'echo also $?')",
    ] {
        let mut shell = Shell::begin(Kind::Bash, settings, "");
        assert!(shell.output("false").contains("code 1"), "{settings}");
        talks(&mut shell);
        assert!(shell.output("@nobody x").contains("code 3"));
    }
}

#[test]
fn bash_is_watched_again_when_the_prompt_command_is_replaced() {
    let mut shell = Shell::begin(Kind::Bash, "", "PROMPT_COMMAND='n=$((n+1))'");
    talks(&mut shell);
    talks(&mut shell);
    shell.begin_lines("cat <<E");
    shell.begin_lines("@dummy inside");
    shell.enter("E");
    assert_eq!(shell.messages().len(), 2);
}

#[test]
fn strict_options_of_bash_are_no_trap() {
    let mut shell = Shell::begin(Kind::Bash, "", "set -eu -o pipefail");
    talks(&mut shell);
    // A failure that `set -e` does not mind must not become one that it minds.
    shell.enter("! true");
    shell.enter("set -x");
    let traced = shell.output("echo x");
    assert_eq!(traced, "+ echo x\nx", "only what was typed is traced");
    shell.enter("set +x; unset PROMPT_COMMAND");
    talks(&mut shell);
}

#[test]
fn bash_in_vi_mode_sends_from_both_of_its_keymaps() {
    for (before, after) in [("set -o vi", ""), ("", "set -o vi")] {
        let mut shell = Shell::begin(Kind::Bash, before, after);
        talks(&mut shell);
        shell.terminal.press("@dummy from command mode\x1b");
        shell.terminal.wait_for("command mode");
        assert_eq!(shell.enter(""), 0);
        assert_eq!(shell.messages().last().unwrap(), "from command mode");
    }
}

#[test]
fn what_enter_did_before_it_still_does() {
    let macro_of_bash = r#"bind '"\C-m": "\C-e #more\C-j"'"#;
    let mut shell = Shell::begin(Kind::Bash, macro_of_bash, "");
    assert_eq!(shell.output("echo bound"), "bound");
    assert!(shell.terminal.everything().contains("echo bound #more"));
    shell.enter("@dummy with it");
    assert_eq!(shell.messages(), ["with it"]);

    let widget = "mine() { count=$((count+1)); zle .accept-line }; zle -N accept-line mine";
    let mut shell = Shell::begin(Kind::Zsh, widget, "");
    talks(&mut shell);
    assert_eq!(shell.output("echo $count"), "3");

    let binding = r"bind \r 'set -g count $count x' execute";
    let mut shell = Shell::begin(Kind::Fish, binding, "");
    talks(&mut shell);
    assert_eq!(shell.output("count $count"), "3");
}

#[test]
fn hooks_of_zsh_are_kept_and_odd_options_are_no_trap() {
    let settings = "setopt ksharrays shwordsplit nounset correct extendedhistory; bindkey -v
        precmd() { echo precmd $? }; preexec() { echo preexec $1 }";
    let mut shell = Shell::begin(Kind::Zsh, settings, "");
    talks(&mut shell);
    let said = shell.output("@dummy isn't that so?");
    assert!(said.contains("preexec @dummy isn't that so?"), "{said}");
    assert!(said.contains("precmd 0"), "{said}");
}

#[test]
fn fish_in_vi_mode_sends_too() {
    for (before, after) in [("fish_vi_key_bindings", ""), ("", "fish_vi_key_bindings")] {
        let mut shell = Shell::begin(Kind::Fish, before, after);
        talks(&mut shell);
    }
}

#[test]
fn handles_are_completed_and_commands_as_before() {
    let compinit = "autoload -Uz compinit && compinit -u";
    for (kind, settings) in [(Kind::Bash, ""), (Kind::Zsh, compinit)] {
        let mut shell = Shell::begin(kind, settings, "");
        for (keys, line) in [("@du\t", "⟫ @dummy "), ("unali\t", "⟫ unalias ")] {
            shell.terminal.press(keys);
            shell.wait_for_line(line);
            shell.terminal.press("\x15\r");
            shell.wait_for_prompt();
        }
    }
}

#[test]
fn an_argument_with_an_at_sign_is_completed_as_one_word() {
    let own = assert_cmd::cargo::cargo_bin!("synapse");
    let folder = own.parent().unwrap().display();
    let settings = format!("PATH={folder}:$PATH; source <(synapse completions bash)");
    let mut shell = Shell::begin(Kind::Bash, &settings, "");
    for (keys, line) in [
        ("synapse send @du\t", "⟫ synapse send @dummy "),
        ("synapse send du\t", "⟫ synapse send dummy "),
        ("synapse start --cwd=/us\t", "⟫ synapse start --cwd=/usr/"),
        (
            "synapse send --file 'a b' @du\t",
            "⟫ synapse send --file 'a b' @dummy ",
        ),
    ] {
        shell.terminal.press(keys);
        shell.wait_for_line(line);
        shell.terminal.press("\x15\r");
        shell.wait_for_prompt();
    }
}
