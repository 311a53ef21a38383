//! Keys, as a terminal in raw mode sends them. Pure.

/// A paste begins and ends so.
const PASTE: (&[u8], &[u8]) = (b"\x1b[200~", b"\x1b[201~");

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Paste(String),
    Enter,
    Backspace,
    Up,
    Down,
    Escape,
    Clear,
    Interrupt,
    /// Ctrl-D, or nobody is there any more.
    End,
    /// The window has another size.
    Resized,
    Other,
}

/// The first key of what was typed and how many bytes it has; nothing if it is not all there yet.
/// An Escape with nothing behind it is the key itself.
pub(super) fn first(typed: &[u8]) -> Option<(Key, usize)> {
    if let Some(rest) = typed.strip_prefix(PASTE.0) {
        let end = rest.windows(PASTE.1.len()).position(|run| run == PASTE.1)?;
        let text = String::from_utf8_lossy(rest.get(..end)?).into_owned();
        return Some((Key::Paste(text), PASTE.0.len() + end + PASTE.1.len()));
    }
    let key = match typed {
        [] | [0x1b, b'[' | b'O'] => return None,
        [0x1b, b'[' | b'O', rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let key = match rest.get(end) {
                Some(b'A') => Key::Up,
                Some(b'B') => Key::Down,
                _ => Key::Other,
            };
            return Some((key, end + 3));
        }
        [0x1b, ..] => Key::Escape,
        [b'\r' | b'\n', ..] => Key::Enter,
        [0x7f | 0x08, ..] => Key::Backspace,
        [0x03, ..] => Key::Interrupt,
        [0x04, ..] => Key::End,
        [0x15, ..] => Key::Clear,
        [0..0x20, ..] => Key::Other,
        [first, ..] => {
            let length = match first {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf7 => 4,
                _ => 1,
            };
            let text = std::str::from_utf8(typed.get(..length)?);
            let c = text.ok().and_then(|text| text.chars().next());
            return Some(c.map_or((Key::Other, 1), |c| (Key::Char(c), length)));
        }
    };
    Some((key, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut typed: &[u8]) -> Vec<Key> {
        let mut keys = Vec::new();
        while let Some((key, length)) = first(typed) {
            keys.push(key);
            typed = &typed[length..];
        }
        keys
    }

    #[test]
    fn keys_are_told_apart() {
        assert_eq!(
            all(b"a\r\x1b[B\x1bOA\x1b[1;5C"),
            [Key::Char('a'), Key::Enter, Key::Down, Key::Up, Key::Other]
        );
        assert_eq!(all("é日".as_bytes()), [Key::Char('é'), Key::Char('日')]);
        assert_eq!(all(b"\x1b"), [Key::Escape]);
        assert_eq!(
            all(b"\x03\x04\x15\x7f"),
            [Key::Interrupt, Key::End, Key::Clear, Key::Backspace]
        );
    }

    #[test]
    fn what_is_not_all_there_is_waited_for() {
        for typed in [
            &b""[..],
            b"\x1b[",
            b"\x1b[2",
            b"\x1b[200~half",
            &[0xe6, 0x97],
        ] {
            assert_eq!(first(typed), None, "{typed:?}");
        }
        assert_eq!(
            all(b"\x1b[200~a\rb\x1b[201~c"),
            [Key::Paste("a\rb".to_owned()), Key::Char('c')]
        );
        assert_eq!(
            all(&[0xff, 0xff, 0xff, 0xff, b'a']).last(),
            Some(&Key::Char('a'))
        );
    }
}
