//! The marks by which the shell behind `synapse shell` tells where the output of a line begins and ends,
//! taken out of what it paints. Pure; any split of the bytes gives the same pieces joined.

/// What every mark begins with, before the word that only the two sides know.
const BEGIN: &str = "\x1b]7711;";

/// What ends a mark.
const END: u8 = 0x07;

/// The longest mark worth waiting for: a folder's path and some words.
const LONGEST: usize = 8 * 1024;

/// A piece of what was painted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// What somebody wants to see.
    Paint(Vec<u8>),
    /// The line begins to run.
    Started,
    /// The line is over.
    Done {
        code: u8,
        /// Where the shell is now.
        folder: String,
    },
    /// The shell waits for the next line.
    Ready,
}

/// Finds the marks.
#[derive(Debug)]
pub(super) struct Marks {
    begin: Vec<u8>,
    /// What may be the beginning of a mark.
    held: Vec<u8>,
}

impl Marks {
    /// Looks for marks with this word in them.
    pub(super) fn new(word: &str) -> Self {
        Self {
            begin: format!("{BEGIN}{word};").into_bytes(),
            held: Vec::new(),
        }
    }

    /// Takes some bytes apart.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.held.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        let mut paint = Vec::new();
        loop {
            let at = self.next_begin();
            paint.extend(self.held.drain(..at));
            let Some(rest) = self.held.strip_prefix(self.begin.as_slice()) else {
                // Nothing, or a beginning whose end has not come.
                break;
            };
            let Some(end) = rest.iter().position(|byte| *byte == END) else {
                if rest.len() <= LONGEST {
                    break;
                }
                paint.extend(self.held.drain(..self.begin.len()));
                continue;
            };
            let mark = read(rest.get(..end).unwrap_or_default());
            self.held.drain(..=self.begin.len() + end);
            if let Some(mark) = mark {
                push(&mut pieces, std::mem::take(&mut paint));
                pieces.push(mark);
            }
        }
        push(&mut pieces, paint);
        pieces
    }

    /// Where the first mark begins, or something that may become one; else the end.
    fn next_begin(&self) -> usize {
        let len = self.held.len();
        let may_begin = |at: &usize| {
            let rest = self.held.get(*at..).unwrap_or_default();
            let known = rest.len().min(self.begin.len());
            rest.get(..known) == self.begin.get(..known)
        };
        memchr::memchr_iter(0x1b, &self.held)
            .find(may_begin)
            .unwrap_or(len)
    }
}

fn push(pieces: &mut Vec<Piece>, paint: Vec<u8>) {
    if !paint.is_empty() {
        pieces.push(Piece::Paint(paint));
    }
}

/// What a mark says. One that says nothing we know is none.
fn read(mark: &[u8]) -> Option<Piece> {
    let text = String::from_utf8_lossy(mark);
    match text.split_once(';') {
        None if text == "start" => Some(Piece::Started),
        None if text == "ready" => Some(Piece::Ready),
        Some(("done", rest)) => {
            let (code, folder) = rest.split_once(';')?;
            Some(Piece::Done {
                code: code.parse().ok()?,
                folder: folder.to_owned(),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paint(text: &str) -> Piece {
        Piece::Paint(text.as_bytes().to_vec())
    }

    /// What was painted, joined between the marks.
    fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (Some(Piece::Paint(all)), Piece::Paint(more)) => all.extend(more),
                (_, piece) => joined.push(piece),
            }
        }
        joined
    }

    const PAINTED: &str = "echo\x1b]7711;N;start\x07hi\x1b[0m\r\n\x1b]7711;N;done;130;/tmp/a;b\x07\x1b]0;title\x07\
        \x1b]7711;N;ready\x07\x1b]7711;X;start\x07late\x1b]7711;N;what\x07!";

    fn expected() -> Vec<Piece> {
        vec![
            paint("echo"),
            Piece::Started,
            paint("hi\x1b[0m\r\n"),
            Piece::Done {
                code: 130,
                folder: "/tmp/a;b".to_owned(),
            },
            paint("\x1b]0;title\x07"),
            Piece::Ready,
            paint("\x1b]7711;X;start\x07late!"),
        ]
    }

    #[test]
    fn marks_are_taken_out_and_everything_else_is_left() {
        assert_eq!(joined(Marks::new("N").feed(PAINTED.as_bytes())), expected());
    }

    #[test]
    fn any_split_gives_the_same() {
        for size in 1..PAINTED.len() {
            let mut marks = Marks::new("N");
            let pieces = PAINTED.as_bytes().chunks(size);
            let pieces: Vec<Piece> = pieces.flat_map(|chunk| marks.feed(chunk)).collect();
            assert_eq!(joined(pieces), expected(), "pieces of {size}");
        }
    }

    #[test]
    fn what_only_begins_like_a_mark_is_not_kept_for_ever() {
        let mut marks = Marks::new("N");
        let flood = format!("\x1b]7711;N;{}", "x".repeat(2 * LONGEST));
        assert_eq!(joined(marks.feed(flood.as_bytes())), [paint(&flood)]);
        assert_eq!(joined(marks.feed(b"y")), [paint("y")]);
        assert!(marks.feed(b"\x1b]77").is_empty());
        assert_eq!(marks.feed(b"0"), [paint("\x1b]770")]);
    }
}
