//! What the keys of the list mean.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    Up,
    Down,
    First,
    Last,
    Attach,
    Suspend,
    Leave,
}

/// Reads what came from the keyboard in one go.
pub(super) fn read(keys: &[u8]) -> Vec<Press> {
    let mut meant = Vec::new();
    let mut rest = keys;
    while let Some((first, behind)) = rest.split_first() {
        let (press, length) = match (*first, behind) {
            (0x1b, [b'[' | b'O', code, ..]) => (arrow(*code), 3),
            // An Escape that begins no sequence is the key itself.
            (0x1b | b'q' | b'Q' | 0x03 | 0x04, _) => (Some(Press::Leave), 1),
            (b'k', _) => (Some(Press::Up), 1),
            (b'j', _) => (Some(Press::Down), 1),
            (b'g', _) => (Some(Press::First), 1),
            (b'G', _) => (Some(Press::Last), 1),
            (b'\r' | b'\n', _) => (Some(Press::Attach), 1),
            (0x1a, _) => (Some(Press::Suspend), 1),
            _ => (None, 1),
        };
        meant.extend(press);
        rest = rest.get(length..).unwrap_or_default();
    }
    meant
}

fn arrow(code: u8) -> Option<Press> {
    match code {
        b'A' => Some(Press::Up),
        b'B' => Some(Press::Down),
        b'H' => Some(Press::First),
        b'F' => Some(Press::Last),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_arrows_mean_the_same() {
        assert_eq!(read(b"jk"), [Press::Down, Press::Up]);
        assert_eq!(
            read(b"\x1b[B\x1bOA\r"),
            [Press::Down, Press::Up, Press::Attach]
        );
    }

    #[test]
    fn escape_alone_leaves_and_a_sequence_does_not() {
        assert_eq!(read(b"\x1b"), [Press::Leave]);
        assert_eq!(read(b"\x1b[C"), []);
        assert_eq!(read(b"\x03"), [Press::Leave]);
        assert_eq!(read("é".as_bytes()), []);
    }
}
