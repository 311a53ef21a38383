//! How programs behave that nobody has described: each test is one of them, in a few lines.
#![cfg(test)]

use std::sync::Arc;
use std::time::Duration;

use synapse_term::chrome::Holds;
use synapse_term::profile::Profile;
use synapse_term::reading::{Reading, State};
use synapse_term::reply::Outcome;
use synapse_term::screen::Size;
use synapse_term::watch::{Event, Part, TurnReport, Watcher};

/// A program in the making.
struct Toy {
    watcher: Watcher,
    now: Duration,
    turns: Vec<TurnReport>,
}

const ROWS: usize = 24;

impl Toy {
    fn new() -> Self {
        Self::with(Profile::builtin("generic").unwrap())
    }

    fn with(profile: Profile) -> Self {
        Self {
            watcher: Watcher::new(Arc::new(profile), Size::USUAL),
            now: Duration::ZERO,
            turns: Vec::new(),
        }
    }

    fn prints(&mut self, text: &str) -> &mut Self {
        self.watcher.feed(text.as_bytes(), self.now);
        self.wait(30)
    }

    /// Paints a whole screen.
    fn paints(&mut self, rows: &[&str]) -> &mut Self {
        let mut text = String::from("\x1b[H");
        for row in 0..ROWS {
            text.push_str(rows.get(row).unwrap_or(&""));
            text.push_str("\x1b[K");
            text.push_str(if row + 1 < ROWS { "\r\n" } else { "" });
        }
        self.prints(&text)
    }

    fn wait(&mut self, ms: u64) -> &mut Self {
        self.now += Duration::from_millis(ms);
        self.watcher.tick(self.now);
        for event in self.watcher.take_events() {
            if let Event::Turn(turn) = event {
                self.turns.push(turn);
            }
        }
        self
    }

    fn types(&mut self, text: &str) -> &mut Self {
        self.watcher.input(text.as_bytes(), self.now);
        self.wait(20)
    }

    fn state(&self) -> State {
        self.watcher.reading().state()
    }

    fn reply(&self) -> &str {
        self.turns.last().map_or("no turn", |turn| &turn.reply.text)
    }

    /// What `yes` or `no` picks in the open question.
    fn picks(&self, answer: &str) -> String {
        match self.watcher.reading() {
            Reading::Asking(prompt) => match prompt.find(answer) {
                Ok(index) => prompt.options.get(index).unwrap().label.clone(),
                Err(error) => error.to_string(),
            },
            other => format!("{other:?}"),
        }
    }
}

const FULL_SCREEN: &str = "\x1b[?1049h\x1b[?25l";

/// A chat with a box at the bottom, on the whole screen.
fn chat<'a>(said: &[&'a str], typed: &'a str) -> Vec<&'a str> {
    let mut rows = said.to_vec();
    rows.resize(19, "");
    rows.extend([
        "╭──────────────────────╮",
        typed,
        "╰──────────────────────╯",
        "model-x · 12k",
    ]);
    rows
}

#[test]
fn a_box_that_is_repainted_to_blink_its_cursor_is_at_rest_and_wakes_nobody() {
    let mut toy = Toy::new();
    toy.prints(FULL_SCREEN);
    for beat in 0..12 {
        let cursor = ["│ > \x1b[7m \x1b[0mAsk anything", "│ >  Ask anything"];
        toy.paints(&chat(&["Welcome"], cursor[beat % 2])).wait(470);
    }
    assert_eq!(toy.state(), State::Idle);
    toy.wait(200);
    assert_eq!(toy.watcher.deadline(), None, "an idle program wakes nobody");
}

#[test]
fn a_start_page_with_a_moving_picture_is_at_rest() {
    let mut toy = Toy::new();
    toy.prints(FULL_SCREEN);
    for beat in 0..40 {
        let picture = ["  /\\_/\\  ", "  \\_/\\_  ", " _/\\_/  "][beat % 3];
        toy.paints(&chat(&[picture, "", "Welcome"], "│ > "))
            .wait(170);
    }
    assert_eq!(toy.state(), State::Idle);
}

#[test]
fn a_program_that_thinks_in_silence_has_not_answered() {
    let mut toy = Toy::new();
    toy.prints(FULL_SCREEN);
    toy.paints(&chat(&["Welcome"], "│ >")).wait(3_000);
    toy.paints(&chat(&["Welcome"], "│ > hello you"))
        .types("hello you")
        .wait(300);
    toy.types("\r");
    toy.paints(&chat(&["Welcome", "", "> hello you"], "│ >"))
        .wait(9_000);
    assert_eq!(toy.state(), State::Busy);
    assert_eq!(toy.turns.len(), 0);
    let said = ["Welcome", "", "> hello you", "", "Good morning."];
    toy.paints(&chat(&said, "│ >")).wait(2_000);
    assert_eq!(toy.state(), State::Idle);
    assert_eq!(toy.reply(), "Good morning.");
}

#[test]
fn words_of_the_users_own_message_are_no_sign_of_work() {
    let mut toy = Toy::new();
    toy.prints(FULL_SCREEN);
    toy.paints(&chat(&["Welcome"], "│ >")).wait(3_000);
    let typed = "what is (esc to interrupt)";
    toy.paints(&chat(&["Welcome"], "│ > what is (esc to interrupt)"))
        .types(typed);
    for _ in 0..10 {
        toy.paints(&chat(&["Welcome"], "│ > what is (esc to interrupt)"))
            .wait(200);
    }
    assert_eq!(toy.state(), State::Idle, "in the box");
    toy.types("\r");
    let said = ["Welcome", "", "> what is (esc to interrupt)", "", "A hint."];
    toy.paints(&chat(&said, "│ >")).wait(1_500);
    assert_eq!(toy.state(), State::Idle, "in the echo");
    assert_eq!(toy.reply(), "A hint.");
}

#[test]
fn any_submit_sequence_of_the_profile_submits() {
    for (submit, written) in [("\\n", "\n"), ("\\e\\r", "\x1b\r")] {
        let text = format!("name: toy\nsubmit_sequence: \"{submit}\"");
        let mut toy = Toy::with(Profile::parse(&text, "a test", &|_| None).unwrap());
        toy.prints("toy> ").wait(2_000);
        toy.types("hello").prints("hello").wait(300);
        toy.types(written)
            .prints("\r\nGood morning.\r\ntoy> ")
            .wait(1_500);
        assert_eq!(toy.reply(), "Good morning.", "{submit}");
    }
}

#[test]
fn lines_that_reach_the_edge_stay_lines_and_wrapped_ones_are_joined() {
    let mut toy = Toy::new();
    toy.prints("toy> ").wait(2_000);
    toy.types("go").prints("go").wait(300);
    let (full, long) = ("x".repeat(80), "y".repeat(100));
    toy.types("\r")
        .prints(&format!("\r\n{full}\r\n{full}\r\n{long}\r\nend\r\ntoy> "))
        .wait(1_500);
    assert_eq!(toy.reply(), format!("{full}\n{full}\n{long}\nend"));
}

#[test]
fn a_reply_of_many_lines_is_whole_in_whatever_pieces_it_comes() {
    for piece in [7_000, 1 << 20] {
        let mut toy = Toy::new();
        toy.prints("toy> ").wait(2_000);
        toy.types("go").prints("go").wait(300);
        toy.types("\r").prints("\r\nline 0\r\n").wait(300);
        let lines: Vec<String> = (1..=6_000).map(|n| format!("line {n}\r\n")).collect();
        for bytes in lines.concat().as_bytes().chunks(piece) {
            toy.watcher.feed(bytes, toy.now);
        }
        toy.prints("toy> ").wait(1_500);
        let lines: Vec<&str> = toy.reply().lines().collect();
        assert_eq!(
            (lines.len(), lines[0], lines[6_000]),
            (6_001, "line 0", "line 6000")
        );
        assert!(!toy.turns[0].reply.is_truncated);
    }
}

#[test]
fn a_reply_that_is_too_long_to_keep_says_so() {
    let mut toy = Toy::new();
    toy.prints("toy> ").wait(2_000);
    toy.types("go").prints("go").wait(300);
    toy.types("\r").prints("\r\nline 0\r\n").wait(300);
    let lines: Vec<String> = (1..=30_000).map(|n| format!("line {n}\r\n")).collect();
    toy.prints(&lines.concat()).prints("toy> ").wait(1_500);
    assert!(toy.turns[0].reply.is_truncated);
    assert!(toy.reply().ends_with("line 30000"));
}

#[test]
fn a_pager_opened_by_a_message_is_not_rest() {
    let mut toy = Toy::new();
    toy.prints("$ ").wait(2_000);
    toy.types("less a").prints("less a").wait(300);
    toy.types("\r")
        .prints("\r\n\x1b[?1049h\x1b[Hfirst\r\nsecond\r\n(END)")
        .wait(8_000);
    assert_eq!(toy.state(), State::Busy);
    toy.types("q").prints("\x1b[?1049l$ ").wait(1_500);
    assert_eq!(toy.state(), State::Idle);
}

#[test]
fn what_nobody_typed_is_a_placeholder() {
    let mut toy = Toy::new();
    toy.prints("\x1b[?25l");
    toy.paints(&chat(&["Welcome"], "│ > Ask me anything"))
        .wait(3_000);
    assert_eq!(toy.watcher.box_holds(), Some(Holds::Placeholder));
    assert_eq!(toy.watcher.typed_text().as_deref(), Some(""));
    toy.types("hello")
        .paints(&chat(&["Welcome"], "│ > hello"))
        .wait(300);
    assert_eq!(toy.watcher.box_holds(), Some(Holds::Text));
    assert_eq!(toy.watcher.typed_text().as_deref(), Some("hello"));
}

#[test]
fn the_right_edge_of_a_box_is_no_text() {
    let mut toy = Toy::new();
    toy.prints("\x1b[?25l");
    toy.paints(&chat(&["Welcome"], "│ >                    │"))
        .wait(3_000);
    toy.types("hello")
        .paints(&chat(&["Welcome"], "│ > hello              │"))
        .wait(300);
    assert_eq!(toy.watcher.typed_text().as_deref(), Some("hello"));
    let said = ["Welcome", "> hello", "", "Hi there."];
    toy.types("\r")
        .paints(&chat(&said, "│ >                    │"))
        .wait(5_000);
    assert_eq!((toy.state(), toy.reply()), (State::Idle, "Hi there."));
    assert_eq!(toy.watcher.input_box().unwrap().text, "");
}

#[test]
fn a_placeholder_that_comes_back_with_the_reply_is_no_text() {
    let mut toy = Toy::new();
    toy.prints("\x1b[?25l");
    toy.paints(&chat(&["Welcome"], "│ > Ask me anything"))
        .wait(3_000);
    toy.types("hello")
        .paints(&chat(&["Welcome"], "│ > hello"))
        .wait(300);
    let said = ["Welcome", "> hello", "", "Hi there."];
    toy.types("\r")
        .paints(&chat(&said, "│ > Ask me anything"))
        .wait(70_000);
    assert_eq!((toy.state(), toy.reply()), (State::Idle, "Hi there."));
    assert_eq!(toy.watcher.input_box().unwrap().text, "");
}

/// A question that takes the place of the box, or stands above it.
fn asks(toy: &mut Toy, rows: &[&str]) {
    toy.prints(FULL_SCREEN);
    toy.paints(&chat(&["Welcome"], "│ >")).wait(3_000);
    toy.paints(&chat(&["Welcome"], "│ > go on"))
        .types("go on")
        .wait(300);
    toy.types("\r");
    toy.paints(rows).wait(1_500);
}

#[test]
fn yes_is_the_narrowest_option_that_agrees() {
    let menus: [&[&str]; 4] = [
        &[
            "> go on",
            "",
            "Run rm -rf build?",
            "",
            "> ✓ Allow once",
            "  ✓ Always allow",
            "  ✗ Deny",
        ],
        &[
            "> go on",
            "",
            "Write to a.txt",
            "› Accept",
            "  Switch to auto mode",
            "  Reject",
        ],
        &[
            "> go on",
            "",
            "Do it?",
            "❯ 1. Proceed",
            "  2. Proceed, always",
            "  3. Cancel",
        ],
        &[
            "> go on",
            "",
            "Run it?",
            "",
            "> Approve   Approve for this session   Decline",
        ],
    ];
    let wanted = [
        ("✓ Allow once", "✗ Deny"),
        ("Accept", "Reject"),
        ("Proceed", "Cancel"),
        ("Approve", "Decline"),
    ];
    for (menu, (yes, no)) in menus.iter().zip(wanted) {
        let mut toy = Toy::new();
        asks(&mut toy, menu);
        assert_eq!(
            (toy.picks("yes"), toy.picks("no")),
            (yes.to_owned(), no.to_owned())
        );
    }
}

#[test]
fn a_dialog_above_a_box_that_stays_is_a_question() {
    let mut toy = Toy::new();
    let said = [
        "> go on",
        "",
        "Allow this command?",
        "  rm -rf build",
        "❯ Yes",
        "  No",
    ];
    asks(&mut toy, &chat(&said, "│ >"));
    assert_eq!(
        (toy.picks("yes"), toy.picks("no")),
        ("Yes".to_owned(), "No".to_owned())
    );
}

#[test]
fn an_option_that_is_wrapped_is_one_option() {
    let mut toy = Toy::new();
    let long = "  No, and tell the program in your own words what it should do differently instead";
    let (head, tail) = long.split_at(74);
    let tail = format!("  {}", tail.trim());
    asks(
        &mut toy,
        &[
            "> go on",
            "",
            "Run it?",
            "> Yes",
            head.trim_end(),
            &format!("  {tail}"),
        ],
    );
    assert_eq!(toy.picks("no"), long.trim());
}

#[test]
fn who_refuses_a_tool_has_not_interrupted_a_program_that_goes_on() {
    let mut toy = Toy::new();
    asks(&mut toy, &["> go on", "", "Run it?", "> Yes", "  No"]);
    assert_eq!(toy.state(), State::Asking);
    toy.types("\x1b");
    toy.paints(&chat(&["> go on", "", "I will not, then."], "│ >"))
        .wait(2_000);
    assert_eq!(toy.reply(), "I will not, then.");
    assert_eq!(toy.turns[0].outcome, Outcome::Completed);
}

#[test]
fn the_key_that_stops_it_is_the_one_it_names() {
    let keys = [
        ("(3s · esc to interrupt)", Some("Escape")),
        ("ctrl+c to cancel", Some("ctrl-c")),
    ];
    for (hint, key) in keys {
        let mut toy = Toy::new();
        let working = format!("⠋ Thinking… {hint}");
        asks(&mut toy, &chat(&["> go on", "", &working], "│ >"));
        assert_eq!(toy.watcher.interrupt_key(), key, "{hint}");
    }
    assert_eq!(Toy::new().watcher.interrupt_key(), None);
}

#[test]
fn labels_bars_receipts_and_scroll_bars_are_no_part_of_a_reply() {
    let bar = |text: &str| format!("\x1b[34m┃\x1b[0m {text:76}\x1b[90m█\x1b[0m");
    let (say, one, two) = (bar("hello"), bar("One line."), bar("Another."));
    let said = [
        &say,
        "",
        "\x1b[36;1mtoy-model\x1b[0m",
        "",
        &one,
        &two,
        "",
        "\x1b[2m▣ 12 tokens · 1.2s\x1b[0m",
    ];
    let mut toy = Toy::new();
    toy.prints(FULL_SCREEN);
    toy.paints(&chat(&["Welcome"], "│ >")).wait(3_000);
    toy.paints(&chat(&["Welcome"], "│ > hello"))
        .types("hello")
        .wait(300);
    toy.types("\r").paints(&chat(&said, "│ >")).wait(2_000);
    assert_eq!(toy.reply(), "One line.\nAnother.");
}

#[test]
fn the_rows_of_a_screen_are_explained() {
    let mut toy = Toy::new();
    toy.prints(FULL_SCREEN);
    toy.paints(&chat(&["Welcome"], "│ >")).wait(3_000);
    toy.paints(&chat(&["Welcome"], "│ > hello"))
        .types("hello")
        .wait(300);
    let said = [
        "Welcome",
        "",
        "> hello",
        "",
        "Good morning.",
        "",
        "\x1b[2m12 tokens · 1.2s\x1b[0m",
    ];
    toy.types("\r").paints(&chat(&said, "│ >")).wait(2_000);
    let parts: Vec<Part> = toy.watcher.explain().iter().map(|row| row.part).collect();
    let at = |row: usize| parts[row];
    assert_eq!(
        [at(0), at(1), at(2), at(4), at(6)],
        [
            Part::Earlier,
            Part::Blank,
            Part::Echo,
            Part::Speech,
            Part::Furniture
        ]
    );
    assert_eq!(
        [at(19), at(20), at(21), at(22)],
        [Part::Box, Part::Box, Part::Box, Part::Status]
    );
}

#[test]
fn a_reply_that_repeats_the_message_is_a_reply() {
    let mut toy = Toy::new();
    toy.prints("toy> ").wait(2_000);
    for _ in 0..2 {
        toy.types("hello you").prints("hello you").wait(300);
        toy.types("\r").prints("\r\nhello you\r\ntoy> ").wait(1_500);
        assert_eq!(toy.reply(), "hello you");
    }
}
