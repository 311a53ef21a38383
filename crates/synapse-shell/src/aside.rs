//! Output of background jobs while a line is being edited: whole lines of plain text, because anything else
//! would disturb the editor. Pure; any split of the bytes gives the same lines.

/// Makes lines of it.
#[derive(Debug, Default)]
pub(super) struct Aside {
    line: Vec<u8>,
    sequence: Sequence,
}

/// Where in an escape sequence we are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sequence {
    #[default]
    None,
    Begun,
    /// `ESC [ …` up to a letter.
    Control,
    /// `ESC ] …` and the like, up to BEL or `ESC \`.
    Text,
}

impl Aside {
    /// The lines that these bytes end.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for byte in bytes {
            match (self.sequence, *byte) {
                (Sequence::None | Sequence::Text, 0x1b) => self.sequence = Sequence::Begun,
                (Sequence::None, b'\n') => lines.extend(self.take()),
                (Sequence::None, b'\t' | b' '..=0x7e | 0x80..) => self.line.push(*byte),
                (Sequence::Begun, b'[') => self.sequence = Sequence::Control,
                (Sequence::Begun, b']' | b'P' | b'_' | b'^' | b'X') => {
                    self.sequence = Sequence::Text;
                }
                // A character set has its name behind it.
                (Sequence::Begun, b' '..=b'/')
                | (Sequence::Control, b' '..=b'?')
                | (Sequence::None, _) => {}
                (Sequence::Text, byte) if byte != 0x07 => {}
                (Sequence::Begun | Sequence::Control | Sequence::Text, _) => {
                    self.sequence = Sequence::None;
                }
            }
        }
        lines
    }

    /// What was said of a line that has not ended.
    pub(super) fn take(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        (!line.trim().is_empty()).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_left() {
        let painted = "\x1b[1m\x1b]0;title\x07one\r\n\x1b[K\x1b[?2004h\r\n\x1b(Btw\x1b[31mo 日\x1b[0m\r\n\x1bP1\x1b\\thr";
        let mut aside = Aside::default();
        assert_eq!(aside.feed(painted.as_bytes()), ["one", "two 日"]);
        assert_eq!(aside.take().as_deref(), Some("thr"));
        assert_eq!(aside.take(), None);
        for size in 1..8 {
            let mut aside = Aside::default();
            let chunks = painted.as_bytes().chunks(size);
            let lines: Vec<String> = chunks.flat_map(|chunk| aside.feed(chunk)).collect();
            assert_eq!(lines, ["one", "two 日"], "pieces of {size}");
        }
    }
}
