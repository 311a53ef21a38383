//! Lines that nobody can see any more. When a program prints faster than it is read, much comes at once, and all but
//! its end has left the scrollback when the last of it is written: it need not be written at all.

use memchr::memrchr_iter;

const ESC: u8 = 0x1b;

/// With less to leave out it is not worth a look.
const WORTHWHILE: usize = 16 * 1024;

/// The beginning of some output that leaves nothing behind but what `traces` does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unseen {
    pub(super) length: usize,
    /// What was printed last, which may be repeated, and the colours; then the cursor begins a line.
    pub(super) traces: Vec<u8>,
}

/// What of `bytes` need not be written if `kept` more lines leave nothing to be seen of it: if the cursor is in the
/// last row, and all rows scroll. All of `bytes` must be text, line ends and colours, and begin outside of sequences.
pub(super) fn find(bytes: &[u8], kept: usize) -> Option<Unseen> {
    if bytes.len() < WORTHWHILE {
        return None;
    }
    let newline = memrchr_iter(b'\n', bytes).nth(kept)?;
    let (skipped, _) = bytes.split_at(newline + 1);
    if skipped.len() < WORTHWHILE || !skipped.ends_with(b"\r\n") {
        return None;
    }
    let (mut last, mut colours) = (None, Vec::new());
    let (mut at, mut text_from) = (0, 0);
    while let Some(control) = next_control(bytes, at) {
        at = control + 1;
        match bytes.get(control)? {
            b'\r' | b'\n' | b'\t' | 8 => continue,
            &ESC => {}
            _ => return None,
        }
        let sequence = bytes.get(control..)?;
        let LineSequence::Whole(length) = line_sequence(sequence)? else {
            // It is behind all lines.
            break;
        };
        at = control + length;
        if at > skipped.len() {
            continue;
        }
        last = last_printed(bytes.get(text_from..control)?).or(last);
        text_from = at;
        let sequence = sequence.get(..length)?;
        if matches!(sequence, b"\x1b[m" | b"\x1b[0m") {
            colours.clear();
        }
        if sequence.ends_with(b"m") {
            colours.extend_from_slice(sequence);
        }
    }
    last = last_printed(skipped.get(text_from..)?).or(last);
    let mut traces = match last {
        Some(text) => whole_char(text)?,
        None => Vec::new(),
    };
    traces.append(&mut colours);
    traces.push(b'\r');
    Some(Unseen {
        length: skipped.len(),
        traces,
    })
}

/// Where the next control character is, from `from` on. Eight bytes are looked at at once: nearly all are text.
fn next_control(bytes: &[u8], from: usize) -> Option<usize> {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    let rest = bytes.get(from..)?;
    let (words, tail) = rest.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The high bit of each byte below a blank; that of a byte above the first such may be set, too.
        let below = word.wrapping_sub(EACH * u64::from(b' ')) & !word & (EACH << 7);
        if below != 0 {
            return Some(from + index * 8 + below.trailing_zeros() as usize / 8);
        }
    }
    let inside = tail.iter().position(|byte| *byte < b' ')?;
    Some(from + words.len() * 8 + inside)
}

/// A sequence that changes nothing but colours, or its line.
enum LineSequence {
    Whole(usize),
    /// Its end has not come.
    Begun,
}

fn line_sequence(bytes: &[u8]) -> Option<LineSequence> {
    let [ESC, b'[', rest @ ..] = bytes else {
        return (bytes.len() < 2).then_some(LineSequence::Begun);
    };
    match rest.iter().position(|byte| !matches!(byte, b'0'..=b';')) {
        None => Some(LineSequence::Begun),
        Some(end) if matches!(rest.get(end), Some(b'm' | b'K')) => {
            Some(LineSequence::Whole(end + 3))
        }
        Some(_) => None,
    }
}

/// The text up to the character that was printed last, if there is one.
fn last_printed(text: &[u8]) -> Option<&[u8]> {
    let at = text.iter().rposition(|byte| *byte >= b' ')?;
    text.get(..=at)
}

/// The last character of a text, if it is one.
fn whole_char(text: &[u8]) -> Option<Vec<u8>> {
    let start = text.iter().rposition(|byte| !matches!(byte, 0x80..=0xbf))?;
    let last = text.get(start..)?;
    let c = str::from_utf8(last).ok()?.chars().next()?;
    (!matches!(c, '\u{80}'..='\u{9f}')).then(|| last.to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn controls_are_found_wherever_they_stand(
            bytes in prop::collection::vec(prop_oneof![8 => 0x20_u8..=0xff, 1 => 0_u8..0x20], 0..64),
            from in 0_usize..64,
        ) {
            let found = bytes.iter().enumerate().skip(from).find(|(_, byte)| **byte < b' ');
            prop_assert_eq!(next_control(&bytes, from), found.map(|(at, _)| at));
        }
    }
}
