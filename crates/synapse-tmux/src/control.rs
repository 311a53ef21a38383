//! What tmux says to a client in control mode, line by line. Pure; any split of the input gives the same events.

use std::fmt::Write as _;
use std::mem;

/// Something tmux said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A pane painted something.
    Output { pane: String, bytes: Vec<u8> },
    /// The answer to a command: its lines, or what was wrong.
    Answer(Result<Vec<Vec<u8>>, String>),
    /// Nobody read for so long that a pane's output is held back; what comes meanwhile is lost.
    Paused { pane: String },
    /// A value that was subscribed to is another one.
    Changed { name: String, value: String },
    /// We are not attached any more.
    Gone,
}

/// Reads the lines of a control client.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    /// The lines of the answer that is under way.
    answer: Option<Vec<Vec<u8>>>,
}

impl Parser {
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
                let line = mem::take(&mut self.line);
                events.extend(self.take(&line));
            }
        }
        events
    }

    fn take(&mut self, line: &[u8]) -> Option<Event> {
        let (word, rest) = split(line);
        if let Some(mut answer) = self.answer.take() {
            // Nothing else is told in the middle of an answer.
            return match word {
                b"%end" => Some(Event::Answer(Ok(answer))),
                b"%error" => {
                    let said = answer.join(&b"; "[..]);
                    let said = String::from_utf8_lossy(&said).into_owned();
                    Some(Event::Answer(Err(said)))
                }
                _ => {
                    answer.push(line.to_vec());
                    self.answer = Some(answer);
                    None
                }
            };
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match word {
            b"%begin" => {
                self.answer = Some(Vec::new());
                None
            }
            b"%output" => {
                let (pane, painted) = split(rest);
                Some(Event::Output {
                    pane: text(pane),
                    bytes: unescaped(painted),
                })
            }
            // `%extended-output %PANE AGE … : BYTES`
            b"%extended-output" => {
                let (pane, rest) = split(rest);
                let mark = rest.windows(3).position(|three| three == b" : ")?;
                Some(Event::Output {
                    pane: text(pane),
                    bytes: unescaped(rest.get(mark + 3..).unwrap_or_default()),
                })
            }
            b"%pause" => Some(Event::Paused { pane: text(rest) }),
            // `%subscription-changed NAME $SESSION @WINDOW INDEX %PANE … : VALUE`
            b"%subscription-changed" => {
                let (name, rest) = split(rest);
                let mark = rest.windows(3).position(|three| three == b" : ")?;
                Some(Event::Changed {
                    name: text(name),
                    value: text(rest.get(mark + 3..).unwrap_or_default()),
                })
            }
            b"%exit" => Some(Event::Gone),
            _ => None,
        }
    }
}

/// The first word, and what stands behind the blank after it.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    match line.iter().position(|byte| *byte == b' ') {
        Some(at) => {
            let (word, rest) = line.split_at(at);
            (word, rest.get(1..).unwrap_or_default())
        }
        None => (line, &[]),
    }
}

/// Bytes as they were, before tmux wrote those below a blank and the backslash as `\ooo`.
fn unescaped(escaped: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..3).filter(|digits| {
            *first == b'\\' && digits.iter().all(|digit| (b'0'..=b'7').contains(digit))
        });
        if let Some(digits) = digits {
            let value = digits
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            bytes.push(u8::try_from(value).unwrap_or(b'?'));
            rest = behind.get(3..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    bytes
}

/// Any bytes as one word of a command. Whatever they are, they cannot end it.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut word = String::with_capacity(bytes.len() + 2);
    word.push('"');
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' | b'.' | b',' | b'-' | b'_' | b'/' => {
                word.push(char::from(*byte));
            }
            // No argument can hold it.
            0 => {}
            _ => {
                let _ = write!(word, "\\{byte:03o}");
            }
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SESSION: &[u8] = b"%begin 1 2 0\n%end 1 2 0\n\
        %session-changed $0 main\n\
        %output %3 \\033[1mhi\\015\\012 \\134 \xe6\x97\xa5\n\
        %begin 1 3 1\n%output is a line here\n\n%end 1 3 1\n\
        %begin 1 4 1\nparse error\n%error 1 4 1\n\
        %extended-output %3 12 : more : of it\n\
        %pause %3\n\
        %subscription-changed size $0 @0 0 %3 : 80x24\n\
        %exit too far behind\n";

    fn expected() -> Vec<Event> {
        let pane = || "%3".to_owned();
        vec![
            Event::Answer(Ok(vec![])),
            Event::Output {
                pane: pane(),
                bytes: "\x1b[1mhi\r\n \\ 日".into(),
            },
            Event::Answer(Ok(vec![b"%output is a line here".to_vec(), vec![]])),
            Event::Answer(Err("parse error".to_owned())),
            Event::Output {
                pane: pane(),
                bytes: b"more : of it".to_vec(),
            },
            Event::Paused { pane: pane() },
            Event::Changed {
                name: "size".to_owned(),
                value: "80x24".to_owned(),
            },
            Event::Gone,
        ]
    }

    #[test]
    fn a_session_is_read() {
        assert_eq!(Parser::default().feed(SESSION), expected());
    }

    #[test]
    fn a_word_cannot_be_ended_by_what_is_in_it() {
        assert_eq!(
            quoted(b"a b\"$;\n\x1b\xe6"),
            r#""a b\042\044\073\012\033\346""#
        );
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_events(cuts in proptest::collection::vec(0..SESSION.len(), 0..6)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let mut parser = Parser::default();
            let (mut events, mut begin) = (Vec::new(), 0);
            for end in cuts.into_iter().chain([SESSION.len()]) {
                events.extend(parser.feed(&SESSION[begin..end]));
                begin = end;
            }
            prop_assert_eq!(events, expected());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            Parser::default().feed(&bytes);
        }
    }
}
