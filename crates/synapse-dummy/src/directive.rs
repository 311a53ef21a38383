//! What a line asks the dummy agent for. Pure.
//!
//! Directives are found wherever they stand in a line, so a prefix before them does no harm.

use std::time::Duration;

/// How long a directive without a number lasts.
const USUAL_SECONDS: f64 = 5.0;
/// How many lines `long:` without a number has.
const USUAL_LINES: u64 = 100;
/// How many megabytes `flood:` without a number has.
const USUAL_FLOOD: u64 = 10;

/// All of them, for people.
pub const HELP: &str = "\
It does what a line says, and echoes any other. The first of these in a line counts:
  say:TEXT            says TEXT
  echo:               says what arrived, to the letter
  code: json json: multi    a reply with code, bare JSON, fenced JSON, many shapes
  long:N [S]          N lines, S seconds apart
  slow:S  wait:S      a reply that takes S seconds, word by word or at the end
  ask:yn QUESTION     a question for y or n
  ask:pick A|B|C      a numbered list to pick from
  ask:password        a question whose answer is not shown (or: password)
  select:A|B|C        a menu with a mark, driven by the arrow keys
  tui                 a whole screen with an input box; `leave` or Ctrl-D comes back
  flood:MB            so much output, as fast as it can
  error:TEXT          says that something went wrong
  exit:CODE  crash  hang    ends, aborts, or does nothing and listens to nobody
Ctrl-C interrupts whatever runs; Ctrl-D at the prompt ends it.

Example:
  synapse start dummy && synapse send dummy say:hello --return";

/// Directives that something follows, as in `say:hello`; the first in a line counts.
const NAMES: [&str; 12] = [
    "say", "echo", "code", "json", "long", "slow", "wait", "ask", "select", "flood", "error",
    "exit",
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

pub(super) const WORDS: &str = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike \
    november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu \
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen.";

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Nothing,
    Say(String),
    Long(u64, Duration),
    Slow(Duration),
    Wait(Duration),
    AskYesNo(String),
    AskPick(Vec<String>),
    AskPassword,
    Select(Vec<String>),
    Tui,
    /// So many megabytes.
    Flood(u64),
    Exit(u8),
    Crash,
    Hang,
}

impl Directive {
    pub(super) fn read(line: &str) -> Self {
        let text = line.trim();
        match without_prefix(text) {
            "" => return Self::Nothing,
            "json" => return Self::Say(JSON.to_owned()),
            "multi" => return Self::Say(MULTI.to_owned()),
            "code" => return Self::Say(CODE.to_owned()),
            "ask" => return Self::read_question("yn"),
            "password" => return Self::AskPassword,
            "select" => return Self::Select(options("")),
            "tui" => return Self::Tui,
            "flood" => return Self::Flood(USUAL_FLOOD),
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
            Some(("select", rest)) => Self::Select(options(rest)),
            Some(("flood", rest)) => Self::Flood(number(rest).unwrap_or(USUAL_FLOOD)),
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
            ("pick", list) => Self::AskPick(options(list)),
            ("password", _) => Self::AskPassword,
            _ => Self::Say("error: ask:yn, ask:pick or ask:password".to_owned()),
        }
    }
}

/// What stands between bars; two where nothing does.
fn options(list: &str) -> Vec<String> {
    let list = if list.is_empty() { "one|two" } else { list };
    list.split('|').map(|one| one.trim().to_owned()).collect()
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
        assert_eq!(Directive::read("flood:200"), Directive::Flood(200));
        assert_eq!(Directive::read("flood:-1"), Directive::Flood(USUAL_FLOOD));
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
        assert_eq!(
            Directive::read("[A2A:1:x] password"),
            Directive::AskPassword
        );
        let two = ["one", "two"].map(str::to_owned).to_vec();
        assert_eq!(Directive::read("select"), Directive::Select(two.clone()));
        assert_eq!(Directive::read("ask:pick"), Directive::AskPick(two));
    }

    #[test]
    fn what_arrived_is_echoed_to_the_letter() {
        assert!(says("[x] echo:a\t\"").contains(r#""[x] echo:a\t\"""#));
    }

    #[test]
    fn every_directive_is_told_of() {
        for name in NAMES {
            assert!(HELP.contains(&format!("{name}:")), "{name}");
        }
    }
}
