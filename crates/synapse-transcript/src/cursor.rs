//! A place in a file that grows: what was appended since the last look, in whole lines. Which file that is others may
//! have said, so it may be a pipe, a device or larger than memory.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use synapse_machine::private_file::{Trust, open_regular};

/// How much of the end of a file that was there before us is read.
const TAIL: u64 = 2 << 20;

/// How much is read in one go.
const PIECE: u64 = 4 << 20;

/// How much is read before others have their turn.
const MOST: u64 = 64 << 20;

/// A line longer than this is passed over.
const LONGEST_LINE: usize = 32 << 20;

/// What was appended to a file.
#[derive(Debug)]
pub(super) struct NewText {
    /// Whole lines, without their ends.
    pub(super) lines: Vec<Vec<u8>>,
    /// When the file was last changed before they were read.
    pub(super) changed: SystemTime,
}

#[derive(Debug)]
pub(super) struct Cursor {
    path: PathBuf,
    inode: u64,
    offset: u64,
    /// The beginning of a line that is still being written.
    rest: Vec<u8>,
    /// The rest of the present line is of no use.
    skips_line: bool,
    /// When a file that is written anew was last read.
    changed: Option<SystemTime>,
}

impl Cursor {
    /// At the end of what a file had before it concerned us.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let meta = open_regular(path, Trust::Chosen)?.metadata()?;
        let offset = meta.len().saturating_sub(TAIL);
        Ok(Self {
            path: path.to_owned(),
            inode: meta.ino(),
            offset,
            rest: Vec::new(),
            skips_line: offset > 0,
            changed: None,
        })
    }

    /// The lines that were appended. A file that was replaced or cut is read anew.
    pub(super) fn read(&mut self) -> io::Result<NewText> {
        let mut file = open_regular(&self.path, Trust::Chosen)?;
        let meta = file.metadata()?;
        if meta.ino() != self.inode || meta.len() < self.offset {
            *self = Self::open(&self.path)?;
        }
        let mut found = NewText {
            lines: Vec::new(),
            changed: meta.modified()?,
        };
        if meta.len() == self.offset {
            return Ok(found);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let most = self.offset + MOST;
        while self.offset < most {
            let mut bytes = Vec::new();
            let length = (&mut file).take(PIECE).read_to_end(&mut bytes)?;
            if length == 0 {
                break;
            }
            self.offset += length as u64;
            self.split(&bytes, &mut found.lines);
        }
        Ok(found)
    }

    /// The whole file, if it was written anew since the last call, and when. One that is too large is passed over.
    pub(super) fn read_anew(&mut self) -> io::Result<Option<(Vec<u8>, SystemTime)>> {
        let mut file = open_regular(&self.path, Trust::Chosen)?;
        let meta = file.metadata()?;
        let changed = meta.modified()?;
        if self.changed == Some(changed) || meta.len() > LONGEST_LINE as u64 {
            return Ok(None);
        }
        self.changed = Some(changed);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Some((bytes, changed)))
    }

    fn split(&mut self, bytes: &[u8], found: &mut Vec<Vec<u8>>) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.skips_line {
                self.rest.extend_from_slice(piece);
            }
            if piece.last() == Some(&b'\n') {
                let mut line = std::mem::take(&mut self.rest);
                line.pop();
                if !std::mem::take(&mut self.skips_line) {
                    found.push(line);
                }
            } else if self.rest.len() > LONGEST_LINE {
                self.rest = Vec::new();
                self.skips_line = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;

    fn lines(cursor: &mut Cursor) -> Vec<String> {
        let lines = cursor.read().unwrap().lines.into_iter();
        lines.map(|line| String::from_utf8(line).unwrap()).collect()
    }

    #[test]
    fn only_whole_lines_that_were_appended_are_read_and_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"first\nsec").unwrap();
        let mut cursor = Cursor::open(&path).unwrap();
        assert_eq!(lines(&mut cursor), ["first"]);
        assert!(lines(&mut cursor).is_empty());
        file.write_all(b"ond\n\nthird\n").unwrap();
        assert_eq!(lines(&mut cursor), ["second", "", "third"]);
        std::fs::write(&path, "fourth\n").unwrap();
        let anew = lines(&mut cursor);
        assert_eq!(anew, ["fourth"], "a file that was cut is read anew");
        let other = folder.path().join("y");
        std::fs::write(&other, "first\nfifth\nsixth\n").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(
            lines(&mut cursor).len(),
            3,
            "another file in its place is read from its start"
        );
    }

    #[test]
    fn a_pipe_or_a_device_is_no_transcript() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.jsonl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let device = folder.path().join("zero.jsonl");
        std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
        for path in [&pipe, &device] {
            assert!(Cursor::open(path).is_err(), "{path:?}");
        }
        // One that was a file at first.
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, "first\n").unwrap();
        let mut cursor = Cursor::open(&path).unwrap();
        assert_eq!(lines(&mut cursor), ["first"]);
        for other in [&pipe, &device] {
            std::fs::rename(other, &path).unwrap();
            assert!(cursor.read().is_err() && cursor.read_anew().is_err());
        }
    }

    #[test]
    fn a_line_longer_than_any_message_is_passed_over_and_the_next_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, "first\n").unwrap();
        let mut cursor = Cursor::open(&path).unwrap();
        assert_eq!(lines(&mut cursor), ["first"]);
        let mut file = File::options().append(true).open(&path).unwrap();
        let length = 100 << 20;
        file.write_all(&vec![b'x'; length]).unwrap();
        file.write_all(b"\nlast\n").unwrap();
        assert!(lines(&mut cursor).is_empty(), "it takes more than one look");
        assert!(cursor.offset <= MOST + PIECE, "{}", cursor.offset);
        assert_eq!(lines(&mut cursor), ["last"]);
        assert!(cursor.rest.capacity() <= LONGEST_LINE * 2);
    }
}
