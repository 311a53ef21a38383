//! `synapse dummy-agent`: a plain line program that does what its input says, for demos and tests.
//!
//! It knows the directives of the scripted model in the tests, `say:hello` or `slow:3`, wherever they
//! stand in a line, so a prefix before them does no harm. Lines and Ctrl-C come through one channel, so
//! whatever it waits for, it can be interrupted.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// What the profile `dummy` takes for idle.
const PROMPT: &str = "dummy> ";
/// How long a directive without a number lasts.
const USUAL_SECONDS: f64 = 5.0;
/// How many lines `long:` without a number has.
const USUAL_LINES: u64 = 100;

/// Directives that something follows, as in `say:hello`; the first in a line counts.
const NAMES: [&str; 10] = [
    "say", "echo", "code", "json", "long", "slow", "wait", "ask", "error", "exit",
];

const CODE: &str = r#"Here is the function you asked for:

```python
def greet(name: str) -> str:
    """Return a greeting."""
    if not name:
        return "Hello, world!"
    return f"Hello, {name}!"
```

It handles the empty name too."#;

const JSON: &str = r#"{
  "status": "ok",
  "count": 3,
  "items": ["alpha", "beta", "gamma"]
}"#;

const MULTI: &str = "\
The first paragraph is plain prose, long enough to be wrapped by a terminal of eighty columns or fewer.

- first bullet
- second bullet
  - a nested bullet

| Name | Role | Port |
|------|------|------|
| claude | reviewer | 8100 |
| codex | coder | 8101 |

これは日本語の段落です。全角文字は端末では二桁の幅を取ります。

Last line: done.";

const WORDS: &str = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike \
    november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu \
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen.";

/// Talks until its input ends or a directive ends it, and says with which code to exit.
pub(crate) fn run() -> Result<u8> {
    let (sender, events) = mpsc::channel();
    let mut signals = Signals::new([SIGINT]).context("cannot listen to Ctrl-C")?;
    // Both threads wait for the outside world and end with the process.
    let on_signal = sender.clone();
    thread::spawn(move || {
        signals
            .forever()
            .all(|_| on_signal.send(Event::Interrupt).is_ok())
    });
    thread::spawn(move || read_lines(&mut io::stdin().lock(), &sender));
    let mut agent = Agent {
        events,
        typed_ahead: VecDeque::new(),
        is_input_over: false,
        out: io::stdout().lock(),
    };
    Ok(agent.talk()?)
}

/// What comes in.
enum Event {
    Line(String),
    Interrupt,
    End,
}

/// Why a directive is not carried out to its end.
enum Stop {
    Interrupted,
    Exit(u8),
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

struct Agent<W> {
    events: mpsc::Receiver<Event>,
    typed_ahead: VecDeque<String>,
    is_input_over: bool,
    out: W,
}

impl<W: Write> Agent<W> {
    fn talk(&mut self) -> io::Result<u8> {
        loop {
            let stop = match self.prompt(PROMPT) {
                Ok(line) => self.obey(&line).err(),
                // There was nothing to interrupt.
                Err(Stop::Interrupted) => {
                    writeln!(self.out)?;
                    None
                }
                Err(stop) => Some(stop),
            };
            match stop {
                None => {}
                Some(Stop::Interrupted) => {
                    // A terminal drops what was typed ahead, too.
                    self.typed_ahead.clear();
                    writeln!(self.out, "\n^C interrupted")?;
                }
                Some(Stop::Exit(code)) => return Ok(code),
                Some(Stop::Output(error)) => return Err(error),
            }
        }
    }

    fn obey(&mut self, line: &str) -> Result<(), Stop> {
        match Directive::read(line) {
            Directive::Nothing => {}
            Directive::Say(text) => writeln!(self.out, "{text}")?,
            Directive::Long(lines, pause) => {
                for n in 1..=lines {
                    writeln!(self.out, "line {n} of {lines}")?;
                    self.pause(pause)?;
                }
            }
            Directive::Slow(time) => {
                let step = time / WORDS.split(' ').count() as u32;
                for word in WORDS.split_inclusive(' ') {
                    write!(self.out, "{word}")?;
                    self.pause(step)?;
                }
                writeln!(self.out)?;
            }
            Directive::Wait(time) => {
                self.pause(time)?;
                writeln!(self.out, "waited {} seconds", time.as_secs_f64())?;
            }
            Directive::AskYesNo(question) => self.ask_yes_no(&question)?,
            Directive::AskPick(options) => self.ask_pick(&options)?,
            Directive::AskPassword => {
                let hidden = Hidden::new();
                let word = self.prompt("Password: ")?;
                drop(hidden);
                writeln!(self.out, "\nok: {} characters", word.chars().count())?;
            }
            Directive::Exit(code) => return Err(Stop::Exit(code)),
            Directive::Crash => std::process::abort(),
            Directive::Hang => self.hang()?,
        }
        Ok(())
    }

    fn ask_yes_no(&mut self, question: &str) -> Result<(), Stop> {
        loop {
            let answer = self.prompt(&format!("{question} (y/n): "))?;
            let said = match answer.trim().to_lowercase().as_str() {
                "y" | "yes" => "yes",
                "n" | "no" => "no",
                _ => continue,
            };
            return Ok(writeln!(self.out, "ok: {said}")?);
        }
    }

    fn ask_pick(&mut self, options: &[String]) -> Result<(), Stop> {
        loop {
            for (n, option) in (1..).zip(options) {
                writeln!(self.out, "{n}. {option}")?;
            }
            let answer = self.prompt("Select: ")?;
            let is_meant = |n: usize, option: &str| {
                answer.trim() == n.to_string() || answer.trim().eq_ignore_ascii_case(option)
            };
            let mut choices = (1..).zip(options);
            if let Some((_, option)) = choices.find(|(n, option)| is_meant(*n, option)) {
                return Ok(writeln!(self.out, "ok: {option}")?);
            }
        }
    }

    /// Does nothing and listens to nobody: only SIGKILL ends it.
    fn hang(&mut self) -> Result<(), Stop> {
        for signal in [SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        writeln!(self.out, "hanging")?;
        self.out.flush()?;
        // The thread that waits for signals keeps the channel open.
        while self.events.recv().is_ok() {}
        Ok(())
    }

    /// Prints what ends without a line break, and waits for the line that answers it.
    fn prompt(&mut self, text: &str) -> Result<String, Stop> {
        write!(self.out, "{text}")?;
        self.out.flush()?;
        if let Some(line) = self.typed_ahead.pop_front() {
            return Ok(line);
        }
        if !self.is_input_over {
            match self.events.recv() {
                Ok(Event::Line(line)) => return Ok(line),
                Ok(Event::Interrupt) => return Err(Stop::Interrupted),
                Ok(Event::End) | Err(_) => {}
            }
        }
        writeln!(self.out)?;
        Err(Stop::Exit(0))
    }

    /// Shows what was written and lets time pass. Lines that come meanwhile wait their turn.
    fn pause(&mut self, time: Duration) -> Result<(), Stop> {
        self.out.flush()?;
        let begin = Instant::now();
        loop {
            let left = time.saturating_sub(begin.elapsed());
            match self.events.recv_timeout(left) {
                Ok(Event::Line(line)) => self.typed_ahead.push_back(line),
                Ok(Event::Interrupt) => return Err(Stop::Interrupted),
                Ok(Event::End) => self.is_input_over = true,
                Err(_) => return Ok(()),
            }
        }
    }
}

/// What a line asks for.
#[derive(Debug, PartialEq)]
enum Directive {
    Nothing,
    Say(String),
    Long(u64, Duration),
    Slow(Duration),
    Wait(Duration),
    AskYesNo(String),
    AskPick(Vec<String>),
    AskPassword,
    Exit(u8),
    Crash,
    Hang,
}

impl Directive {
    fn read(line: &str) -> Self {
        let text = line.trim();
        match without_prefix(text) {
            "" => return Self::Nothing,
            "json" => return Self::Say(JSON.to_owned()),
            "multi" => return Self::Say(MULTI.to_owned()),
            "crash" => return Self::Crash,
            "hang" => return Self::Hang,
            _ => {}
        }
        match find_name(text) {
            Some(("say", rest)) => Self::Say(rest.to_owned()),
            Some(("echo", _)) => Self::Say(echo(line)),
            Some(("code", _)) => Self::Say(CODE.to_owned()),
            Some(("json", _)) => Self::Say(format!("Here is the result:\n\n```json\n{JSON}\n```")),
            Some(("long", rest)) => {
                let (lines, pause) = rest.split_once(' ').unwrap_or((rest, "0"));
                Self::Long(number(lines).unwrap_or(USUAL_LINES), seconds(pause))
            }
            Some(("slow", rest)) => Self::Slow(seconds(rest)),
            Some(("wait", rest)) => Self::Wait(seconds(rest)),
            Some(("error", rest)) => Self::Say(format!("error: {rest}")),
            Some(("exit", rest)) => Self::Exit(number(rest).unwrap_or(0)),
            Some(("ask", rest)) => Self::read_question(rest),
            _ => Self::Say(format!("ok: {text}")),
        }
    }

    fn read_question(text: &str) -> Self {
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (kind, rest.trim()) {
            ("yn", "") => Self::AskYesNo("Continue?".to_owned()),
            ("yn", question) => Self::AskYesNo(question.to_owned()),
            ("pick", "") => Self::AskPick(vec!["one".to_owned(), "two".to_owned()]),
            ("pick", list) => Self::AskPick(list.split('|').map(|s| s.trim().to_owned()).collect()),
            ("password", _) => Self::AskPassword,
            _ => Self::Say("error: ask:yn, ask:pick or ask:password".to_owned()),
        }
    }
}

/// Without the `[A2A:…] ` that a message may begin with.
fn without_prefix(text: &str) -> &str {
    let prefix = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "));
    prefix.map_or(text, |(_, rest)| rest.trim_start())
}

/// The first directive, and what follows its colon.
fn find_name(text: &str) -> Option<(&'static str, &str)> {
    let lower = text.to_ascii_lowercase();
    let begins_word = |at: usize| {
        let before = lower.get(..at).and_then(|text| text.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-')
    };
    let found = NAMES.iter().filter_map(|name| {
        let name_and_colon = format!("{name}:");
        let mut places = lower.match_indices(&name_and_colon).map(|(at, _)| at);
        Some((places.find(|at| begins_word(*at))?, *name))
    });
    let (at, name) = found.min()?;
    Some((name, text.get(at + name.len() + 1..)?.trim()))
}

/// What arrived, to the letter.
fn echo(line: &str) -> String {
    format!(
        "received 1 line(s):\n\n```\n{}\n```",
        serde_json::Value::from(line)
    )
}

fn number<N: std::str::FromStr>(text: &str) -> Option<N> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    text.get(..end.unwrap_or(text.len()))?.parse().ok()
}

fn seconds(text: &str) -> Duration {
    let seconds = number(text).unwrap_or(USUAL_SECONDS);
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// Keeps a terminal from showing what is typed, until dropped.
struct Hidden(Option<Termios>);

impl Hidden {
    fn new() -> Self {
        let before = tcgetattr(io::stdin()).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
        }
        Self(before)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

fn read_lines(input: &mut impl BufRead, sender: &mpsc::Sender<Event>) {
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\r', '\n']).to_owned();
        if sender.send(Event::Line(line)).is_err() {
            return;
        }
        bytes.clear();
    }
    let _ = sender.send(Event::End);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(line: &str) -> String {
        match Directive::read(line) {
            Directive::Say(text) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_directive_is_found_behind_any_prefix() {
        assert_eq!(says("say:hello"), "hello");
        assert_eq!(says("[A2A:1234:codex] say: hello  "), "hello");
        assert_eq!(says("please SAY:a say:b"), "a say:b");
        assert_eq!(says("[A2A:1:x] json"), JSON);
        assert_eq!(Directive::read("[A2A:1:x] crash"), Directive::Crash);
    }

    #[test]
    fn a_word_that_only_contains_one_is_not_a_directive() {
        for line in [
            "essay:x",
            "no-wait:3",
            "why did it crash?",
            "say hello",
            "日say",
        ] {
            assert_eq!(says(line), format!("ok: {line}"));
        }
    }

    #[test]
    fn numbers_have_defaults_and_never_panic() {
        assert_eq!(
            Directive::read("long:3"),
            Directive::Long(3, Duration::ZERO)
        );
        assert_eq!(
            Directive::read("long:x 1"),
            Directive::Long(USUAL_LINES, Duration::from_secs(1))
        );
        assert_eq!(
            Directive::read("wait:0.5s"),
            Directive::Wait(Duration::from_millis(500))
        );
        assert_eq!(
            Directive::read("slow:"),
            Directive::Slow(Duration::from_secs(5))
        );
        assert_eq!(Directive::read("exit:7"), Directive::Exit(7));
        let _ = Directive::read(&format!("wait:{}", "9".repeat(400)));
    }

    #[test]
    fn questions_are_read() {
        assert_eq!(
            Directive::read("ask:yn Delete it?"),
            Directive::AskYesNo("Delete it?".to_owned())
        );
        assert_eq!(
            Directive::read("ask:pick red | green|blue"),
            Directive::AskPick(["red", "green", "blue"].map(str::to_owned).to_vec())
        );
        assert_eq!(Directive::read("ask:password"), Directive::AskPassword);
    }

    #[test]
    fn what_arrived_is_echoed_to_the_letter() {
        assert!(says("[x] echo:a\t\"").contains(r#""[x] echo:a\t\"""#));
    }
}
