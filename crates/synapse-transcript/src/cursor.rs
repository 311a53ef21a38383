//! A place in a file that grows: what was appended since the last look, in whole lines.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How much of the end of a file that was there before us is read.
const TAIL: u64 = 2 << 20;

/// How much is read in one go.
const PIECE: u64 = 4 << 20;

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
        let meta = std::fs::metadata(path)?;
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
        let mut file = File::open(&self.path)?;
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
        loop {
            let mut bytes = Vec::new();
            let length = (&mut file).take(PIECE).read_to_end(&mut bytes)?;
            if length == 0 {
                return Ok(found);
            }
            self.offset += length as u64;
            self.split(&bytes, &mut found.lines);
        }
    }

    /// The whole file, if it was written anew since the last call, and when. One that is too large is passed over.
    pub(super) fn read_anew(&mut self) -> io::Result<Option<(Vec<u8>, SystemTime)>> {
        let mut file = File::open(&self.path)?;
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
}
