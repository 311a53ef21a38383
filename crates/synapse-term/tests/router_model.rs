//! A second, naive editor types along: a line is only ever routed if both agree on its text.
#![cfg(test)]

use std::sync::LazyLock;

use proptest::prelude::*;
use synapse_term::router::{DEFAULT_PATTERN, LineFeed, Pattern, Router, Step, parse_line};

static PATTERN: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::new(DEFAULT_PATTERN).expect("the default pattern compiles"));

const MARK: char = '\u{301}';

/// Something a person does, in one of its spellings.
#[derive(Clone, Debug)]
enum Act {
    Type(String),
    Paste(String),
    Press(Press, &'static str),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Press {
    Rubout,
    Delete,
    Left,
    Right,
    WordLeft,
    WordRight,
    Start,
    End,
    RuboutBlankWord,
    RuboutWord,
    DeleteWord,
    KillToStart,
    KillToEnd,
    Break,
    Interrupt,
    Complete,
    Recall,
    Escape,
    Answer,
    Enter,
}

impl Press {
    /// Whether a cursor at the end of a single line is there afterwards.
    fn keeps_to_the_end(self) -> bool {
        use Press::{Complete, End, KillToEnd, Rubout, RuboutBlankWord, RuboutWord};
        [
            Complete,
            End,
            KillToEnd,
            Rubout,
            RuboutBlankWord,
            RuboutWord,
        ]
        .contains(&self)
    }
}

const PRESSES: &[(Press, &[&str])] = &[
    (
        Press::Rubout,
        &["\x7f", "\x08", "\x1b[127u", "\x1b[127;1:2u"],
    ),
    (Press::Delete, &["\x04", "\x1b[3~", "\x1b[100;5u"]),
    (
        Press::Left,
        &["\x1b[D", "\x1bOD", "\x02", "\x1b[1;1:1D", "\x1b[98;5u"],
    ),
    (Press::Right, &["\x1b[C", "\x1bOC", "\x06"]),
    (
        Press::WordLeft,
        &["\x1bb", "\x1b[1;5D", "\x1b[1;3D", "\x1b[98;3u"],
    ),
    (Press::WordRight, &["\x1bf", "\x1b[1;5C"]),
    (Press::Start, &["\x01", "\x1b[H", "\x1bOH", "\x1b[1~"]),
    (Press::End, &["\x05", "\x1b[F", "\x1b[4~"]),
    (Press::RuboutBlankWord, &["\x17", "\x1b[119;5u"]),
    (Press::RuboutWord, &["\x1b\x7f", "\x1b[127;3u"]),
    (Press::DeleteWord, &["\x1bd", "\x1b[3;5~"]),
    (Press::KillToStart, &["\x15", "\x1b[117;5u"]),
    (Press::KillToEnd, &["\x0b"]),
    (
        Press::Break,
        &["\n", "\x1b\r", "\x1b[13;2u", "\x1b[27;2;13~"],
    ),
    (Press::Interrupt, &["\x03", "\x1b[99;5u"]),
    (Press::Complete, &["\t", "\x1b[9u"]),
    (Press::Recall, &["\x1b[A", "\x1bOB", "\x10", "\x0e", "\x12"]),
    (Press::Escape, &["\x1b[27u"]),
    (
        Press::Answer,
        &[
            "\x1b[?62c",
            "\x1b[I",
            "\x1b[97;1:3u",
            "\x1b]11;x\x07",
            "\x1b[M!!!",
        ],
    ),
    (Press::Enter, &["\r", "\x1b[13u", "\x1bOM"]),
];

/// What the naive editor knows of its text.
#[derive(Clone, Copy, PartialEq)]
enum Sight {
    Clear,
    /// One line with the cursor at its end.
    Tail,
    Blind,
}

/// An editor that keeps characters in a list and counts on its fingers.
struct Naive {
    text: Vec<char>,
    cursor: usize,
    sight: Sight,
}

impl Naive {
    fn empty() -> Self {
        Self {
            text: Vec::new(),
            cursor: 0,
            sight: Sight::Clear,
        }
    }

    fn insert(&mut self, text: &str) {
        for c in text.chars() {
            if self.sight == Sight::Clear {
                self.text.insert(self.cursor, c);
                self.cursor += 1;
            } else if c == '\n' {
                self.sight = Sight::Blind;
            }
        }
    }

    fn back(&self) -> usize {
        let mut at = self.cursor;
        while at > 1 && self.text[at - 1] == MARK && self.text[at - 2] != '\n' {
            at -= 1;
        }
        at.saturating_sub(1)
    }

    fn forth(&self) -> usize {
        let mut at = (self.cursor + 1).min(self.text.len());
        while at > self.cursor
            && at < self.text.len()
            && self.text[at] == MARK
            && self.text[at - 1] != '\n'
        {
            at += 1;
        }
        at
    }

    fn back_over(&self, skip: fn(char) -> bool, take: fn(char) -> bool) -> usize {
        let mut at = self.cursor;
        while at > 0 && skip(self.text[at - 1]) {
            at -= 1;
        }
        while at > 0 && take(self.text[at - 1]) {
            at -= 1;
        }
        at
    }

    fn forth_word(&self) -> usize {
        let mut at = self.cursor;
        while at < self.text.len() && !self.text[at].is_alphanumeric() {
            at += 1;
        }
        while at < self.text.len() && self.text[at].is_alphanumeric() {
            at += 1;
        }
        at
    }

    fn back_word(&self) -> usize {
        self.back_over(|c| !c.is_alphanumeric(), char::is_alphanumeric)
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.drain(from..to);
        self.cursor = from;
    }

    /// Presses a key; an Enter returns the line if it should be routed.
    fn press(&mut self, press: Press) -> Option<String> {
        match (self.sight, press) {
            (_, Press::Answer) => {}
            (_, Press::Interrupt) | (Sight::Tail, Press::KillToStart) => *self = Self::empty(),
            (Sight::Clear, Press::Enter)
                if self.cursor > 0 && self.text[self.cursor - 1] == '\\' =>
            {
                self.insert("\n");
            }
            (sight, Press::Enter) => {
                let line: String = std::mem::replace(self, Self::empty()).text.iter().collect();
                let is_routed = sight == Sight::Clear && !line.contains('\n');
                return parse_line(&line).filter(|_| is_routed).map(|_| line);
            }
            (Sight::Clear, press) => self.edit(press),
            (Sight::Tail, press) if press.keeps_to_the_end() => {}
            (Sight::Tail | Sight::Blind, _) => self.sight = Sight::Blind,
        }
        None
    }

    fn edit(&mut self, press: Press) {
        let end = self.text.len();
        let spans_lines = self.text.contains(&'\n');
        match press {
            Press::Start | Press::End | Press::KillToStart | Press::KillToEnd if spans_lines => {
                self.sight = Sight::Blind;
            }
            Press::Rubout => self.remove(self.back(), self.cursor),
            Press::Delete => self.remove(self.cursor, self.forth()),
            Press::Left => self.cursor = self.back(),
            Press::Right => self.cursor = self.forth(),
            Press::WordLeft => self.cursor = self.back_word(),
            Press::WordRight => self.cursor = self.forth_word(),
            Press::Start => self.cursor = 0,
            Press::End => self.cursor = end,
            Press::RuboutBlankWord => {
                let from = self.back_over(char::is_whitespace, |c| !c.is_whitespace());
                self.remove(from, self.cursor);
            }
            Press::RuboutWord => self.remove(self.back_word(), self.cursor),
            Press::DeleteWord => self.remove(self.cursor, self.forth_word()),
            Press::KillToStart => self.remove(0, self.cursor),
            Press::KillToEnd => self.remove(self.cursor, end),
            Press::Break => self.insert("\n"),
            Press::Complete if self.cursor == end && !spans_lines => self.sight = Sight::Tail,
            Press::Escape if self.text.is_empty() => {}
            Press::Complete
            | Press::Recall
            | Press::Escape
            | Press::Interrupt
            | Press::Answer
            | Press::Enter => self.sight = Sight::Blind,
        }
    }
}

fn act() -> impl Strategy<Value = Act> {
    let press = prop::sample::select(PRESSES.to_vec()).prop_flat_map(|(press, spellings)| {
        prop::sample::select(spellings.to_vec()).prop_map(move |bytes| Act::Press(press, bytes))
    });
    let enter = prop::sample::select(vec!["\r", "\x1b[13u"])
        .prop_map(|bytes| Act::Press(Press::Enter, bytes));
    prop_oneof![
        4 => Just(Act::Type("@codex hello there".into())),
        4 => "[@ab日. \u{301}\\\\-]{1,4}".prop_map(Act::Type),
        1 => "[@a日 \u{301}\n]{0,8}".prop_map(Act::Paste),
        8 => press,
        2 => enter,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_line_is_routed_exactly_when_a_naive_editor_agrees(
        acts in prop::collection::vec(act(), 0..24),
    ) {
        let mut router = Router::new(PATTERN.clone(), LineFeed::Breaks);
        let mut naive = Naive::empty();
        for act in &acts {
            let (bytes, expected) = match act {
                Act::Type(text) => {
                    naive.insert(text);
                    (text.clone(), None)
                }
                Act::Paste(text) => {
                    naive.insert(text);
                    (format!("\x1b[200~{text}\x1b[201~"), None)
                }
                Act::Press(press, bytes) => ((*bytes).to_owned(), naive.press(*press)),
            };
            let steps = router.feed(bytes.as_bytes());
            let routed = steps.iter().find_map(|step| match step {
                Step::Line(line) => Some(line.text.clone()),
                Step::Pass(_) => None,
            });
            prop_assert_eq!(routed, expected, "after {:?}", act);
            let shadow = router.shadow();
            prop_assert_eq!(shadow.is_known, naive.sight == Sight::Clear, "after {:?}", act);
            if shadow.is_known {
                prop_assert_eq!(&shadow.text, &naive.text.iter().collect::<String>());
                let before = naive.text[..naive.cursor].iter().collect::<String>();
                prop_assert_eq!(&shadow.text[..shadow.cursor], &before);
            }
        }
    }
}
