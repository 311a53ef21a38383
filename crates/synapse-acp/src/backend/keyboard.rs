//! What is typed at the prompt of a backend: lines, a stop, the end. Pure; any split of the input gives the same keys.

/// Where a text begins and ends.
const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Line(String),
    Interrupt,
    End,
}

/// A line that is typed. A text that is pasted may have line breaks in it.
#[derive(Debug, Default)]
pub(super) struct Keyboard {
    line: Vec<u8>,
    /// What may be the beginning of a sequence.
    open: Vec<u8>,
    is_pasting: bool,
}

impl Keyboard {
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        let mut keys = Vec::new();
        for byte in bytes {
            if !self.open.is_empty() || *byte == 0x1b {
                self.open.push(*byte);
                self.sequence();
                continue;
            }
            match byte {
                _ if self.is_pasting => self.line.push(*byte),
                b'\r' | b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    keys.push(Key::Line(String::from_utf8_lossy(&line).into_owned()));
                }
                0x03 => {
                    self.line.clear();
                    keys.push(Key::Interrupt);
                }
                0x04 if self.line.is_empty() => keys.push(Key::End),
                0x15 => self.line.clear(),
                0x08 | 0x7f => {
                    let text = String::from_utf8_lossy(&self.line).into_owned();
                    let mut text = text.chars();
                    text.next_back();
                    self.line = text.as_str().as_bytes().to_vec();
                }
                _ => self.line.push(*byte),
            }
        }
        keys
    }

    /// A sequence goes on: it begins or ends a text, or is a key that means nothing here.
    fn sequence(&mut self) {
        let mark: &[u8] = if self.is_pasting {
            PASTE_ENDS
        } else {
            PASTE_BEGINS
        };
        if self.open == mark {
            self.is_pasting = !self.is_pasting;
            self.open.clear();
        } else if !mark.starts_with(&self.open) {
            let is_whole = self.is_pasting || is_whole(&self.open);
            if is_whole {
                let open = std::mem::take(&mut self.open);
                if self.is_pasting {
                    self.line.extend(open);
                }
            }
        }
    }
}

/// Whether a sequence has come to its end: a key behind Escape, or the last byte of a control sequence.
fn is_whole(sequence: &[u8]) -> bool {
    match sequence {
        [0x1b, b'[' | b'O'] | [0x1b] => false,
        [0x1b, b'[', .., last] => (0x40..=0x7e).contains(last),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TYPED: &[u8] = b"ab\x7fc\r\x1b[200~one\r\ntwo \x1b[A\x03\x1b[201~!\r\x1b[A\x03x\x15\x04";

    fn expected() -> Vec<Key> {
        vec![
            Key::Line("ac".to_owned()),
            Key::Line("one\r\ntwo \x1b[A\x03!".to_owned()),
            Key::Interrupt,
            Key::End,
        ]
    }

    #[test]
    fn a_pasted_text_is_one_line_and_nothing_in_it_is_a_key() {
        assert_eq!(Keyboard::default().feed(TYPED), expected());
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_keys(cuts in proptest::collection::vec(0..TYPED.len(), 0..6)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let (mut keyboard, mut keys, mut begin) = (Keyboard::default(), Vec::new(), 0);
            for end in cuts.into_iter().chain([TYPED.len()]) {
                keys.extend(keyboard.feed(&TYPED[begin..end]));
                begin = end;
            }
            prop_assert_eq!(keys, expected());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            Keyboard::default().feed(&bytes);
        }
    }
}
