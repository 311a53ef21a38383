//! Shells, interpreters and programs that read a line and print lines: what they print is the reply, word for word.
#![cfg(test)]

use std::sync::Arc;
use std::time::Duration;

use synapse_term::keys::KeyboardMode;
use synapse_term::profile::Profile;
use synapse_term::prompt::Prompt;
use synapse_term::reading::{Reading, State};
use synapse_term::screen::Size;
use synapse_term::watch::{Event, Part, TerminalUse, TurnReport, Watcher};

/// A line program, its clock, and what its terminal does with what is typed.
struct Toy {
    watcher: Watcher,
    now: Duration,
    prompt: &'static str,
    turns: Vec<TurnReport>,
}

impl Toy {
    fn with(banner: &str, prompt: &'static str) -> Self {
        let profile = Profile::builtin("generic").unwrap();
        let mut toy = Self {
            watcher: Watcher::new(Arc::new(profile), Size::USUAL),
            now: Duration::ZERO,
            prompt,
            turns: Vec::new(),
        };
        toy.prints(banner).prints(prompt);
        toy.rests();
        assert_eq!(toy.state(), State::Idle, "it has started");
        toy
    }

    fn bash() -> Self {
        Self::with("", "bash-5.2$ ")
    }

    fn prints(&mut self, text: &str) -> &mut Self {
        self.watcher.feed(text.as_bytes(), self.now);
        self.wait(30)
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

    /// The kernel is asked, and answers at once.
    fn told(&mut self, said: TerminalUse) -> &mut Self {
        self.watcher.note_inquiry(self.now);
        self.watcher.note_terminal_use(said, self.now);
        self.wait(0)
    }

    /// Nothing happens for as long as it takes to see that.
    fn rests(&mut self) -> &mut Self {
        let said = match self.prompt {
            "" => TerminalUse::Reads,
            _ => TerminalUse::Unclear,
        };
        self.wait(300).told(said).wait(1_500)
    }

    /// A line is typed and echoed.
    fn types(&mut self, line: &str) -> &mut Self {
        self.watcher.input(line.as_bytes(), self.now);
        self.prints(line);
        self.watcher.input(b"\r", self.now);
        self.prints("\r\n")
    }

    /// A line is typed, this is printed, and the prompt is back.
    fn says(&mut self, line: &str, output: &str) -> String {
        self.turns.clear();
        let prompt = self.prompt;
        self.types(line).told(TerminalUse::Works).wait(100);
        self.prints(&output.replace('\n', "\r\n"))
            .prints(prompt)
            .rests();
        assert_eq!(self.state(), State::Idle, "{}", self.watcher.evidence());
        let turn = self.turns.pop();
        turn.map_or_else(|| "no turn".to_owned(), |turn| turn.reply.text)
    }

    fn state(&self) -> State {
        self.watcher.reading().state()
    }

    fn question(&self) -> &Prompt {
        match self.watcher.reading() {
            Reading::Asking(prompt) => prompt,
            other => panic!("{other:?} ({})", self.watcher.evidence()),
        }
    }
}

#[test]
fn output_without_a_final_line_break_is_a_reply() {
    let mut toy = Toy::bash();
    assert_eq!(toy.says("printf foo", "foo"), "foo");
    assert_eq!(toy.says("printf 'one\\ntwo'", "one\ntwo"), "one\ntwo");
    assert_eq!(toy.says("echo again", "again\n"), "again");
}

/// Installers hide the cursor while they paint a bar.
#[test]
fn a_command_that_hides_the_cursor_is_still_one_of_a_shell() {
    let mut toy = Toy::bash();
    toy.types("npm install").told(TerminalUse::Works).wait(100);
    toy.prints("\x1b[?25l⠙ idealTree").wait(300);
    toy.prints("\r\x1b[K\x1b[?25h")
        .prints("> up to date\r\n\r\nadded 3 packages · 1.2s\r\n")
        .prints("bash-5.2$ ")
        .rests();
    let turn = toy.turns.pop().unwrap();
    assert_eq!(turn.reply.text, "> up to date\n\nadded 3 packages · 1.2s");
}

#[test]
fn a_question_of_yes_or_no_takes_no_other_text() {
    let mut toy = Toy::bash();
    toy.types("./install").told(TerminalUse::Works).wait(100);
    toy.prints("Overwrite? [y/N] ").told(TerminalUse::Unclear);
    toy.wait(1_000);
    let keys = |answer: &str| toy.question().keys_for(answer, &KeyboardMode::default());
    assert!(keys("maybe later").is_err(), "it would be taken for no");
    assert_eq!(keys("yes").unwrap().concat(), b"y\r");
}

#[test]
fn a_pager_goes_on_with_enter() {
    let mut toy = Toy::with("", "(gdb) ");
    toy.types("info").told(TerminalUse::Works).wait(100);
    toy.prints("--Type <RET> for more, q to quit--").wait(1_500);
    let option = &toy.question().options[0];
    assert_eq!(
        (option.label.as_str(), option.key.as_str()),
        ("<RET> for more", "Enter")
    );
    let keys = toy.question().keys_for("1", &KeyboardMode::default());
    assert_eq!(keys.unwrap().concat(), b"\r");
}

#[test]
fn the_rows_of_a_shell_are_explained_as_they_are_read() {
    let mut toy = Toy::bash();
    toy.says("ls", "old\n");
    toy.says("cat notes", "# head\n----------\n> quoted · 1.2s\n");
    let parts: Vec<Part> = toy.watcher.explain().iter().map(|row| row.part).collect();
    let speech = [Part::Speech; 3];
    assert_eq!(parts[..3], [Part::Earlier, Part::Earlier, Part::Echo]);
    assert_eq!(parts[3..6], speech);
    assert_eq!(parts[6], Part::Box);
    let mut cat = Toy::with("", "");
    cat.says("hello", "hello\n");
    let parts: Vec<Part> = cat.watcher.explain().iter().map(|row| row.part).collect();
    assert_eq!(parts[..2], [Part::Echo, Part::Speech]);
}

#[test]
fn what_a_shell_prints_is_kept_word_for_word() {
    for output in [
        "# head\n\nSome words.",
        "│ box\n│ more",
        "┌────────────┐\n│ in a box   │\n└────────────┘",
        "----\nname: x\n----",
        "id    name\n----------  ----------\n1     one",
        "> quoted\n> more",
        "• dot\n• dot",
        "* star",
        "    four blanks",
        "  two\n    four\n  two",
        "$ ls\nsome file",
        "Running tests\nok",
        "Error: no such file",
        "one\n\n\ntwo",
        "  a.rs │ 12 +++---\n  b.rs │  3 +",
        "│ id │ name │\n│ 1  │ one  │",
        "Tokens: 12",
        "took 1.2s",
        "a\n\n12 tokens | 3 s",
        "Assistant:\nhello",
        "assistant: hello",
        "└── src\n    └── main.rs",
        "✓ one\n✗ two",
    ] {
        let mut toy = Toy::bash();
        assert_eq!(toy.says("cat file", &format!("{output}\n")), output);
        assert_eq!(
            toy.says("cat file", &format!("{output}\n")),
            output,
            "again"
        );
    }
}

#[test]
fn colours_do_not_make_furniture_of_what_a_shell_prints() {
    let mut toy = Toy::bash();
    let commit = "\x1b[33mcommit 0123456789abcdef\x1b[m\nAuthor: A <a@b.c>\n\n    words\n";
    assert_eq!(
        toy.says("git log --color", commit),
        "commit 0123456789abcdef\nAuthor: A <a@b.c>\n\n    words"
    );
    let files = "\x1b[0m\x1b[01;34msrc\x1b[0m\nREADME.md\n\x1b[2mdim\x1b[0m\n";
    assert_eq!(toy.says("ls --color", files), "src\nREADME.md\ndim");
}

#[test]
fn rows_that_ended_with_a_line_break_stay_rows() {
    let mut toy = Toy::bash();
    let file = |name: &str| format!(" crates/{}/{name}.rs | 12 +++---\n", "long/".repeat(15));
    let stat = format!("{}{}", file("one"), file("two"));
    assert_eq!(toy.says("git log --stat", &stat), stat.trim_end());
    let row = |c: &str| format!("{}\n", [c; 9].map(|c| c.repeat(8)).join("   "));
    let listing = format!("{}{}{}", row("a"), row("b"), row("c"));
    assert_eq!(toy.says("ls", &listing), listing.trim_end());
}

#[test]
fn a_reply_that_quotes_the_message_is_whole() {
    for prompt in ["", "> ", "toy> "] {
        let mut toy = Toy::with("Hello, I am a toy.\r\n", prompt);
        assert_eq!(toy.says("hello", "You said: hello\n"), "You said: hello");
        assert_eq!(toy.says("hello", "hello\n"), "hello");
        assert_eq!(
            toy.says("hello", "You said:\nhello\nDone.\n"),
            "You said:\nhello\nDone."
        );
        assert_eq!(toy.says("hello", "> hello\nyes\n"), "> hello\nyes");
        assert_eq!(
            toy.says("what is new", "what is new is old\nwhat is new\n"),
            "what is new is old\nwhat is new"
        );
    }
}

#[test]
fn the_echo_may_come_after_the_submit_key_and_take_several_rows() {
    let mut toy = Toy::bash();
    toy.watcher.input(b"echo hello", toy.now);
    toy.watcher.input(b"\r", toy.now);
    toy.prints("echo hello\r\nhello\r\nbash-5.2$ ").rests();
    assert_eq!(toy.turns.pop().unwrap().reply.text, "hello");
    let words = "word ".repeat(40);
    let long = format!("echo {}", words.trim_end());
    assert_eq!(toy.says(&long, &format!("{words}\n")), words.trim_end());
    toy.watcher
        .input(b"\x1b[200~echo one\necho two\x1b[201~", toy.now);
    toy.prints("echo one\r\necho two");
    toy.watcher.input(b"\r", toy.now);
    toy.prints("\r\none\r\ntwo\r\nbash-5.2$ ").rests();
    assert_eq!(toy.turns.pop().unwrap().reply.text, "one\ntwo");
}

#[test]
fn a_reply_longer_than_the_screen_is_whole() {
    let mut toy = Toy::bash();
    let lines: Vec<String> = (1..=5_000).map(|n| format!("  line {n}")).collect();
    let text = lines.join("\n");
    for _ in 0..2 {
        assert!(toy.says("seq", &format!("{text}\n")) == text, "it differs");
    }
}

#[test]
fn a_line_that_is_not_finished_is_asked_for_and_then_it_rests_again() {
    for (prompt, first, more, last) in [
        (">>> ", "for n in [1]:", "... ", "    print(n)"),
        ("sqlite> ", "select", "   ...> ", "1;"),
        ("> ", "[1].map(n => {", "... ", "return n })"),
        ("> ", "[1].map(n => {", "| ", "return n })"),
        ("bash-5.2$ ", "echo 'one", "> ", "two'"),
        ("mysql> ", "select", "    -> ", "1;"),
        ("In [1]: ", "for n in [1]:", "   ...: ", "    print(n)"),
        ("me=# ", "select", "me-# ", "1;"),
        ("% ", "echo 'one", "quote> ", "two'"),
    ] {
        for said in [TerminalUse::Reads, TerminalUse::Unclear] {
            let mut toy = Toy::with("", prompt);
            toy.types(first)
                .prints(more)
                .wait(100)
                .told(said)
                .wait(2_000);
            assert_eq!(
                toy.state(),
                State::Asking,
                "{more:?} {}",
                toy.watcher.evidence()
            );
            assert!(toy.turns.is_empty(), "{more:?}");
            toy.types(last).prints("1\r\n").prints(prompt).rests();
            assert_eq!(
                toy.state(),
                State::Idle,
                "{more:?} {}",
                toy.watcher.evidence()
            );
            assert_eq!(toy.turns.pop().unwrap().reply.text, "1", "{more:?}");
            assert_eq!(toy.says("1", "1\n"), "1", "the next message");
        }
    }
}

#[test]
fn a_line_that_is_not_finished_can_be_given_up() {
    let mut toy = Toy::with("", ">>> ");
    toy.types("(1 +").prints("... ").rests();
    assert_eq!(toy.state(), State::Asking);
    toy.watcher.input(b"\x03", toy.now);
    toy.prints("\r\nKeyboardInterrupt\r\n>>> ").rests();
    assert_eq!(toy.state(), State::Idle, "{}", toy.watcher.evidence());
}

#[test]
fn a_question_that_is_asked_again_is_a_new_one() {
    for prompt in ["bash-5.2$ ", ""] {
        let mut toy = Toy::with("ready\r\n", prompt);
        toy.types("./ask").prints("Name? ").rests();
        let mut seen = Vec::new();
        for answer in ["one", "two", "three"] {
            let fingerprint = toy.question().fingerprint.to_string();
            toy.wait(5_000);
            assert_eq!(
                toy.question().fingerprint.to_string(),
                fingerprint,
                "it stands"
            );
            assert!(!seen.contains(&fingerprint), "asked again after {answer}");
            seen.push(fingerprint);
            toy.types(answer).prints("Name? ").rests();
        }
        assert_eq!(toy.question().question, "Name?");
    }
}

#[test]
fn the_answer_in_a_row_of_its_own_is_no_part_of_the_reply() {
    let mut toy = Toy::with("", "> ");
    toy.types("go")
        .prints("Here it is.\r\n\r\n  Would you like to run it? (y/n)\r\n\r\n  ")
        .rests();
    assert_eq!(toy.state(), State::Asking, "{}", toy.watcher.evidence());
    toy.watcher.input(b"n", toy.now);
    toy.prints("n").wait(1_000);
    assert_eq!(toy.state(), State::Asking, "it is being answered");
    toy.watcher.input(b"\r", toy.now);
    toy.prints("\r\nNot run: n\r\nn\r\n> ").rests();
    assert_eq!(
        toy.turns.pop().unwrap().reply.text,
        "Here it is.\n\n\nNot run: n\nn"
    );
}

#[test]
fn a_program_in_a_shell_that_reads_the_terminal_waits_for_a_line() {
    let mut toy = Toy::bash();
    toy.types("cat")
        .told(TerminalUse::Works)
        .wait(500)
        .told(TerminalUse::Reads)
        .wait(500);
    assert_eq!(toy.state(), State::Asking, "{}", toy.watcher.evidence());
    let first = toy.question().fingerprint.to_string();
    toy.types("hello")
        .prints("hello\r\n")
        .wait(300)
        .told(TerminalUse::Reads)
        .wait(500);
    assert_ne!(
        toy.question().fingerprint.to_string(),
        first,
        "it reads the next line"
    );
    toy.watcher.input(b"\x04", toy.now);
    toy.prints("bash-5.2$ ").rests();
    assert_eq!(toy.state(), State::Idle, "{}", toy.watcher.evidence());
    assert_eq!(toy.turns.pop().unwrap().reply.text, "hello\nhello");
    assert_eq!(toy.says("cd /tmp", ""), "", "no output");
}

#[test]
fn a_prompt_that_names_another_directory_is_a_prompt() {
    let mut toy = Toy::with("", "me:~$ ");
    toy.types("cd /tmp")
        .told(TerminalUse::Works)
        .prints("me:/tmp$ ")
        .wait(100);
    toy.told(TerminalUse::Reads).wait(2_000);
    assert_eq!(toy.state(), State::Idle, "{}", toy.watcher.evidence());
}

#[test]
fn a_program_that_hides_its_cursor_to_paint_has_not_come_to_rest() {
    let mut toy = Toy::with("", "> ");
    toy.types("go").prints("\x1b[?25lone two").wait(4_000);
    assert_eq!(toy.state(), State::Busy, "{}", toy.watcher.evidence());
    toy.prints(" three\r\n\x1b[?25h> ").rests();
    assert_eq!(toy.turns.pop().unwrap().reply.text, "one two three");
}

/// readline takes its prompt for the beginning of the row, and paints what is pasted where that would end.
#[test]
fn an_echo_that_a_line_editor_paints_over_its_own_prompt_is_an_echo() {
    let mut toy = Toy::bash();
    assert_eq!(toy.says("printf foo", "foo"), "foo");
    toy.watcher.input(b"cat a-file", toy.now);
    toy.prints("cat a-file\r\x1b[10Ccat a-file");
    toy.watcher.input(b"\r", toy.now);
    toy.prints("\r\n│ box\r\nbash-5.2$ ").rests();
    assert_eq!(toy.turns.pop().unwrap().reply.text, "│ box");
}

#[test]
fn what_a_person_gives_to_it_past_us_is_work_until_its_prompt_is_back() {
    let mut python = Toy::with("Python 3.11.2\r\n", ">>> ");
    assert!(python.watcher.is_up_to_date());
    python.prints("time.sleep(5)").prints("\r\n");
    assert!(!python.watcher.is_up_to_date(), "it has left its prompt");
    python.wait(1_000);
    assert_eq!(python.state(), State::Busy);
    python.prints(">>> ");
    python.rests();
    assert_eq!(python.state(), State::Idle);
    assert!(python.watcher.is_up_to_date());
}
