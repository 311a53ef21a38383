//! Questions of plain programs, and the keys that answer a question.
#![cfg(test)]

use std::sync::Arc;
use std::time::Duration;

use synapse_term::keys::KeyboardMode;
use synapse_term::profile::Profile;
use synapse_term::prompt::{AnswerError, Kind, Prompt, read};
use synapse_term::reading::{Reading, State};
use synapse_term::screen::{Screen, Size};
use synapse_term::watch::Watcher;

fn generic() -> Profile {
    Profile::builtin("generic").unwrap()
}

/// The question on a screen that shows this output.
fn asked(output: &str) -> Option<Prompt> {
    let mut screen = Screen::new(Size::new(80, 24).unwrap());
    screen.feed(output.as_bytes(), Duration::ZERO, |_| {});
    read(&screen.frame(), &generic(), None).map(|(prompt, _)| prompt)
}

fn labels(prompt: &Prompt) -> Vec<&str> {
    prompt
        .options
        .iter()
        .map(|option| option.label.as_str())
        .collect()
}

fn keys(prompt: &Prompt, answer: &str) -> String {
    let writes = prompt.keys_for(answer, &KeyboardMode::default()).unwrap();
    writes
        .into_iter()
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .collect()
}

#[test]
fn all_known_patterns_are_recognised() {
    for (line, kind, options) in [
        ("続行しますか？ (y/n): ", Kind::Confirmation, vec!["y", "n"]),
        ("Overwrite? (y/n)", Kind::Confirmation, vec!["y", "n"]),
        ("Install? [Y/n] ", Kind::Confirmation, vec!["Y", "n"]),
        ("Delete all? [y/N]: ", Kind::Confirmation, vec!["y", "N"]),
        ("Continue? yes/no: ", Kind::Confirmation, vec!["yes", "no"]),
        ("続行しますか", Kind::Confirmation, vec!["y", "n"]),
        ("Continue?", Kind::Confirmation, vec!["y", "n"]),
        ("Choose [1/2/3] ", Kind::Selection, vec!["1", "2", "3"]),
        (
            "Pick: (1) apples (2) pears ",
            Kind::Selection,
            vec!["apples", "pears"],
        ),
        ("Enter your name: ", Kind::Text, vec![]),
        ("Input: ", Kind::Text, vec![]),
        ("Name: ", Kind::Text, vec![]),
        ("Value: ", Kind::Text, vec![]),
        ("Password: ", Kind::Password, vec![]),
        ("パスワード: ", Kind::Password, vec![]),
        ("Secret: ", Kind::Password, vec![]),
        ("Token: ", Kind::Password, vec![]),
        ("root's password: ", Kind::Password, vec![]),
    ] {
        let prompt = asked(line).unwrap_or_else(|| panic!("not recognised: {line}"));
        assert_eq!(prompt.kind, kind, "{line}");
        assert_eq!(labels(&prompt), options, "{line}");
        assert_eq!(prompt.question, line.trim(), "{line}");
    }
}

#[test]
fn ordinary_output_is_no_question() {
    for output in [
        "Processing complete.",
        "Done: 3 files",
        "Continue? (y/n)\r\nok, went on\r\n",
        "1. first\r\n2. second\r\n$ ",
        "The answer (y/n) was y\r\n",
        "",
    ] {
        assert_eq!(asked(output), None, "{output}");
    }
}

#[test]
fn the_default_is_what_the_brackets_say() {
    assert_eq!(
        asked("Install? [Y/n] ").unwrap().default.as_deref(),
        Some("Y")
    );
    assert_eq!(
        asked("Install? [y/N] ").unwrap().default.as_deref(),
        Some("N")
    );
    assert_eq!(
        asked("Run it? (Y)es/(N)o [Yes]: ")
            .unwrap()
            .default
            .as_deref(),
        Some("Yes")
    );
    assert_eq!(asked("Install? (y/n) ").unwrap().default, None);
    for (line, options, default) in [
        ("Install? [y/n] (n): ", vec!["y", "n"], "n"),
        (
            "Colour [red/green/blue] (green): ",
            vec!["red", "green", "blue"],
            "green",
        ),
    ] {
        let prompt = asked(line).unwrap();
        assert_eq!(
            (labels(&prompt), prompt.default.as_deref()),
            (options, Some(default)),
            "{line}"
        );
    }
}

#[test]
fn inline_letters_are_options_with_their_keys() {
    let prompt = asked("Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: ").unwrap();
    assert_eq!(prompt.question, "Run shell command?");
    assert_eq!(labels(&prompt), ["Yes", "No", "Don't ask again"]);
    assert_eq!(keys(&prompt, "yes"), "y\r");
    assert_eq!(keys(&prompt, "d"), "d\r");
}

#[test]
fn a_bare_prompt_is_a_question_only_where_it_is_not_the_usual_one() {
    let mut screen = Screen::new(Size::new(80, 24).unwrap());
    screen.feed(b"toy> name\r\n> ", Duration::ZERO, |_| {});
    let frame = screen.frame();
    let kind = |usual| read(&frame, &generic(), usual).map(|(prompt, _)| prompt.kind);
    assert_eq!(kind(Some("toy> ")), Some(Kind::Text));
    assert_eq!(kind(Some("> ")), None);
    assert_eq!(kind(None), None);
}

#[test]
fn a_profiles_own_patterns_come_first() {
    let yaml = "name: toy\ninput_detection:\n  additional_patterns:\n    - {pattern: 'Ship it', type: confirmation, options: [ship, wait]}\n";
    let profile = Profile::parse(yaml, "toy.yaml", &|_| None).unwrap();
    let mut screen = Screen::new(Size::new(80, 24).unwrap());
    screen.feed(b"Ship it now: ", Duration::ZERO, |_| {});
    let (prompt, _) = read(&screen.frame(), &profile, None).unwrap();
    assert_eq!(labels(&prompt), ["ship", "wait"]);
    let off = "name: toy\ninput_detection: {enabled: false}\n";
    let off = Profile::parse(off, "toy.yaml", &|_| None).unwrap();
    assert!(read(&screen.frame(), &off, None).is_none());
}

const MENU: &str = "\x1b[?25lDo you want to proceed?\r\n  1. Yes\r\n❯ 2. Yes, and don't ask again\r\n  3. No\r\n\r\nEsc to cancel\r\n";

#[test]
fn keys_go_from_where_the_cursor_is() {
    let prompt = asked(MENU).unwrap();
    assert_eq!(prompt.selected, Some(1));
    // Nobody has seen digits work here: Up or Down from the second option, then Enter.
    assert_eq!(keys(&prompt, "yes"), "\x1b[A\r");
    assert_eq!(keys(&prompt, "no"), "\x1b[B\r");
    assert_eq!(keys(&prompt, "2"), "\r");
    assert_eq!(keys(&prompt, "Yes, and don't ask again"), "\r");
}

#[test]
fn yes_is_never_the_wider_permission() {
    let menu = MENU
        .replace("❯ 2", "  2")
        .replace("  1. Yes\r", "❯ 1. Yes, always allow\r");
    let prompt = asked(&menu.replace("2. Yes, and don't ask again", "2. Yes, this once")).unwrap();
    assert_eq!(
        prompt.options[prompt.find("yes").unwrap()].label,
        "Yes, this once"
    );
    let only_wide = asked(&menu).unwrap();
    assert!(matches!(
        only_wide.find("yes"),
        Err(AnswerError::Ambiguous { .. })
    ));
}

#[test]
fn an_answer_that_fits_nothing_is_refused_with_the_options() {
    let prompt = asked(MENU).unwrap();
    let error = prompt
        .keys_for("maybe", &KeyboardMode::default())
        .unwrap_err();
    assert!(error.to_string().contains("Yes (1)"), "{error}");
    assert!(matches!(
        prompt.find("ye"),
        Err(AnswerError::Ambiguous { .. })
    ));
}

#[test]
fn an_answer_at_a_line_cannot_press_keys() {
    let prompt = asked("Enter your name: ").unwrap();
    assert_eq!(keys(&prompt, "a\x1b[A\x03b\nc"), "a[Ab c\r");
}

#[test]
fn a_row_of_buttons_is_told_by_its_colours() {
    let row = "\x1b[?25lPermission required\r\n\r\n \x1b[7m Allow once \x1b[27m  Allow always   Reject        enter confirm\r\n";
    let prompt = asked(row).unwrap();
    assert_eq!(labels(&prompt), ["Allow once", "Allow always", "Reject"]);
    assert_eq!(prompt.selected, Some(0));
    assert_eq!(prompt.question, "Permission required");
    assert_eq!(keys(&prompt, "no"), "\x1b[C\x1b[C\r");
    assert_eq!(keys(&prompt, "yes"), "\r");
}

#[test]
fn a_fingerprint_survives_the_cursor_and_changes_with_the_question() {
    let moved = MENU
        .replace("❯ 2", "  2")
        .replace("  1. Yes\r", "❯ 1. Yes\r");
    let other = MENU.replace(
        "Do you want to proceed?",
        "rm -rf /\r\nDo you want to proceed?",
    );
    let print = |output: &str| asked(output).unwrap().fingerprint;
    assert_eq!(print(MENU), print(&moved));
    assert_ne!(print(MENU), print(&other));
}

#[test]
fn a_dialog_says_what_it_is_about() {
    let claude = "\x1b[?25l────────────────\r\n Bash command\r\n\r\n   touch made.txt && echo made-it\r\n   Run the requested command\r\n\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel\r\n";
    let codex = "\x1b[?25l• Running touch\r\n\r\n\r\n  Would you like to run the following command?\r\n\r\n  $ touch made.txt\r\n\r\n\r\n› 1. Yes, proceed (y)\r\n  2. No (esc)\r\n\r\n  Press enter to confirm\r\n";
    let gemini = "\x1b[?25l╭───────────────────────────────────╮\r\n│ ? Shell  touch made.txt           │\r\n│ ╭───────────────────────────────╮ │\r\n│ │ touch made.txt                │ │\r\n│ ╰───────────────────────────────╯ │\r\n│ Allow execution of [Shell]?       │\r\n│                                   │\r\n│ ● 1. Allow once                   │\r\n│   2. No, suggest changes (esc)    │\r\n╰───────────────────────────────────╯\r\n";
    for (dialog, question, detail) in [
        (
            claude,
            "Do you want to proceed?",
            "Bash command\n  touch made.txt && echo made-it\n  Run the requested command",
        ),
        (
            codex,
            "Would you like to run the following command?",
            "$ touch made.txt",
        ),
        (
            gemini,
            "Allow execution of [Shell]?",
            "? Shell  touch made.txt\ntouch made.txt",
        ),
    ] {
        let prompt = asked(dialog).unwrap();
        assert_eq!(
            (prompt.question.as_str(), prompt.detail.as_str()),
            (question, detail)
        );
    }
    assert_eq!(
        asked(MENU).unwrap().detail,
        "",
        "the question is no detail of itself"
    );
}

#[test]
fn a_message_that_looks_like_a_question_is_not_one() {
    // Typed behind the program's own prompt, it is the user's text.
    let yaml = "name: toy\nidle_regex: '^toy> $'\n";
    let profile = Arc::new(Profile::parse(yaml, "toy.yaml", &|_| None).unwrap());
    let mut watcher = Watcher::new(profile, Size::new(80, 24).unwrap());
    let at = Duration::from_millis;
    watcher.feed(b"toy> ", at(10));
    watcher.tick(at(2_000));
    assert_eq!(watcher.reading(), &Reading::Idle);
    watcher.input(b"Continue? (y/n)", at(2_100));
    watcher.feed(b"Continue? (y/n)", at(2_101));
    watcher.tick(at(9_000));
    assert_eq!(watcher.reading().state(), State::Idle);
}

#[test]
fn a_program_with_only_a_prompt_is_followed_through_a_turn() {
    let yaml = "name: toy\nidle_regex: '^toy> $'\nprompt_template: '{text}'\n";
    let profile = Arc::new(Profile::parse(yaml, "toy.yaml", &|_| None).unwrap());
    let mut watcher = Watcher::new(profile, Size::new(80, 24).unwrap());
    let at = Duration::from_millis;
    watcher.feed(b"welcome\r\ntoy> ", at(10));
    watcher.tick(at(1_000));
    watcher.input(b"greet\r", at(1_100));
    watcher.feed(b"greet\r\nhello\r\n", at(1_110));
    watcher.tick(at(4_000));
    assert_eq!(
        watcher.reading().state(),
        State::Busy,
        "silence without a prompt is work"
    );
    watcher.feed("続行しますか？ (y/n): ".as_bytes(), at(4_000));
    watcher.tick(at(5_000));
    assert_eq!(watcher.reading().state(), State::Asking);
    watcher.input(b"y\r", at(5_100));
    watcher.feed(b"y\r\ndone\r\ntoy> ", at(5_200));
    watcher.tick(at(6_000));
    assert_eq!(watcher.reading(), &Reading::Idle);
    let turns: Vec<_> = watcher
        .take_events()
        .into_iter()
        .filter_map(|event| match event {
            synapse_term::watch::Event::Turn(turn) => Some(turn),
            _ => None,
        })
        .collect();
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].typed, "greet");
    assert_eq!(
        turns[0].reply.text, "hello\ndone",
        "neither question nor answer"
    );
}

#[test]
fn answers_may_be_shown_in_many_ways() {
    for (output, options) in [
        (
            "(A)bort, (R)etry, (I)gnore? ",
            vec!["Abort", "Retry", "Ignore"],
        ),
        ("Sure? (yes/no/[fingerprint])? ", vec!["yes", "no"]),
        ("rm: remove regular file 'a.txt'? ", vec!["y", "n"]),
        ("cp: overwrite 'b.txt'? ", vec!["y", "n"]),
        ("Is this OK? (yes) ", vec!["yes", "no"]),
        ("Conflict on a.txt (yadNh) ", vec!["y", "a", "d", "n", "h"]),
        (
            "Do you want to go on?\r\n  Only 'yes' will be accepted.\r\n\r\n  Enter a value: ",
            vec!["yes"],
        ),
        ("Which file (README)? ", vec![]),
        ("codex: which of them? ", vec![]),
    ] {
        let prompt = asked(output).unwrap_or_else(|| panic!("{output:?}"));
        assert_eq!(labels(&prompt), options, "{output:?}");
    }
    let demanded = asked("Destroy all?\r\n  Only 'yes' will be accepted.\r\n  Enter a value: ");
    assert_eq!(demanded.unwrap().question, "Destroy all?");
}

#[test]
fn one_key_is_pressed_and_not_typed() {
    let prompt = asked("Press Enter to continue...").unwrap();
    assert_eq!(labels(&prompt), ["Enter"]);
    for answer in ["", "yes", "enter"] {
        assert_eq!(keys(&prompt, answer), "\r", "{answer:?}");
    }
    assert!(prompt.keys_for("rm -rf", &KeyboardMode::default()).is_err());
}

#[test]
fn a_checklist_is_ticked_and_submitted() {
    let list = "\x1b[?25l? Select features (Use arrow keys to move, <space> to select)\r\n\
                 ❯◯ Minimal\r\n  ◉ Web service\r\n  ◯ Library";
    let prompt = asked(list).unwrap();
    assert_eq!(prompt.question, "Select features");
    assert_eq!(labels(&prompt), ["Minimal", "Web service", "Library"]);
    // What is ticked already and not wanted is unticked.
    assert_eq!(keys(&prompt, "Minimal, Library"), " \x1b[B \x1b[B \r");
    assert_eq!(keys(&prompt, "web"), "\r");
    assert_eq!(keys(&prompt, ""), "\x1b[B \r");
    let refused = prompt.keys_for("Minimal, none", &KeyboardMode::default());
    assert!(matches!(refused, Err(AnswerError::NoSuchOption { .. })));
    // A list of what is to be done is no question.
    assert_eq!(asked("Plan:\r\n☐ write it\r\n☒ read it\r\n"), None);
}

#[test]
fn a_toggle_is_switched_with_the_arrows() {
    let toggle = "\x1b[?25l\x1b[36m?\x1b[0m Use TypeScript? › no / \x1b[36;4myes\x1b[0m";
    let prompt = asked(toggle).unwrap();
    assert_eq!(prompt.question, "Use TypeScript?");
    assert_eq!(keys(&prompt, "no"), "\x1b[D\r");
    assert_eq!(keys(&prompt, "yes"), "\r");
}

#[test]
fn a_window_has_a_field_or_a_list_above_its_buttons() {
    let field = "┌────────────────────┐\r\n│ Password:          │\r\n│ __________________ │\r\n\
                 │  <Ok>    <Cancel>  │\r\n└────────────────────┘\x1b[3;3H";
    let prompt = asked(field).unwrap();
    assert_eq!(
        (prompt.question.as_str(), prompt.kind),
        ("Password:", Kind::Password)
    );
    assert_eq!(prompt.options, []);
    let list = "\x1b[?25l┌────────────────────┐\r\n│ Pick a template    │\r\n│                    │\r\n\
                │   a Minimal        │\r\n│   b Web service    │\r\n│                    │\r\n\
                │  <Ok>    <Cancel>  │\r\n└────────────────────┘\x1b[4;5H";
    let prompt = asked(list).unwrap();
    assert_eq!(prompt.question, "Pick a template");
    assert_eq!(labels(&prompt), ["Minimal", "Web service"]);
    assert_eq!(keys(&prompt, "Web service"), "\x1b[B\r");
}

#[test]
fn options_belong_to_the_question_they_stand_at() {
    let far = "1) old\r\n2) older\r\nSome words.\r\nMore words.\r\nEven more.\r\nWhich number? ";
    assert!(asked(far).is_none_or(|prompt| prompt.options.is_empty()));
    let parted = "1. first step\r\n2. second step\r\n\r\nAll done.\r\n\r\nWhich fruit? ";
    assert!(asked(parted).is_none_or(|prompt| prompt.options.is_empty()));
    let near = "Fruits:\r\n  1) apple\r\n  2) pear\r\n\r\nWhich fruit? ";
    assert_eq!(labels(&asked(near).unwrap()), ["apple", "pear"]);
    let out_of_order = "3) three\r\n9) nine\r\nWhich number? ";
    assert!(asked(out_of_order).is_none_or(|prompt| prompt.options.is_empty()));
}

#[test]
fn the_question_is_the_line_that_asks_and_not_a_title() {
    for (screen, question) in [
        (
            "Toy installer\r\n1) apple\r\n2) pear\r\nWhich fruit? ",
            "Which fruit?",
        ),
        (
            "Toy installer\r\n\r\n1) apple\r\n2) pear\r\n\r\nWhich fruit? [1]: ",
            "Which fruit? [1]:",
        ),
        (
            "Toy installer\r\n\r\nWhich fruit?\r\n1) apple\r\n2) pear\r\n> ",
            "Which fruit?",
        ),
        (
            "Toy installer\r\nWhich fruit?\r\n1) apple\r\n2) pear\r\n#? ",
            "Which fruit?",
        ),
        (
            "Toy installer\r\n1) apple\r\n2) pear\r\nPick a fruit: ",
            "Pick a fruit:",
        ),
        (
            "Which fruit?\r\n1) apple\r\n2) pear\r\nYour choice: ",
            "Which fruit?",
        ),
        (
            "Pick a fruit\r\n1) apple\r\n2) pear\r\nEnter a number: ",
            "Pick a fruit",
        ),
    ] {
        let prompt = asked(screen).unwrap();
        assert_eq!(prompt.question, question, "{screen:?}");
        assert_eq!(labels(&prompt), ["apple", "pear"], "{screen:?}");
    }
}

#[test]
fn a_painted_question_is_told_from_its_answer_and_has_the_list_below_it() {
    let painted = |text: &str| asked(&format!("\x1b[36m?\x1b[39m {text}")).unwrap();
    let name = painted("Project name: \x1b[2m(demo)\x1b[22m ");
    assert_eq!(
        (name.question.as_str(), name.default.as_deref()),
        ("Project name:", Some("demo"))
    );
    let typed = painted("Project name: a");
    assert_eq!(typed.fingerprint, name.fingerprint, "it is being answered");
    let list = painted("Pick one\r\n  1) apple\r\n  2) pear\x1b[1;11H");
    assert_eq!(labels(&list), ["apple", "pear"]);
    let menu = painted("Pick one …\r\n\x1b[36m▸ apple\x1b[39m\r\n  pear\x1b[?25l");
    assert_eq!(labels(&menu), ["apple", "pear"]);
}

#[test]
fn a_pager_that_says_what_to_type_asks() {
    let prompt = asked("words\r\n--Type <RET> for more, q to quit--").unwrap();
    assert_eq!(labels(&prompt), ["<RET> for more", "q to quit"]);
    assert_eq!(keys(&prompt, "q"), "q\r");
    assert_eq!(keys(&prompt, "<RET> for more"), "\r");
}

#[test]
fn the_title_of_a_frame_is_its_question() {
    let row = |text: &str| format!("│{text:<78}│\r\n");
    let edge = |left: char, title: &str, right: char| {
        let line = "─".repeat(78 - title.chars().count());
        format!("{left}{title}{line}{right}\r\n")
    };
    let screen = [
        "\x1b[?25l".to_owned(),
        edge('┌', " Chat ", '▲'),
        row("you> make it"),
        edge('└', "", '▼'),
        edge('┌', "Run touch made.txt?", '┐'),
        row(">> Yes, run it"),
        row("   Yes, always"),
        row("   No"),
        edge('└', "", '┘'),
        " enter: send │ esc: cancel".to_owned(),
    ]
    .concat();
    let prompt = asked(&screen).unwrap();
    assert_eq!(prompt.question, "Run touch made.txt?");
    assert_eq!(labels(&prompt), ["Yes, run it", "Yes, always", "No"]);
    assert_eq!(prompt.selected, Some(0));
}
