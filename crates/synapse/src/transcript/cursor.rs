//! A place in a file that grows: what was appended since the last look, in whole lines.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// How much of the end of a file that was there before us is read.
const TAIL: u64 = 2 << 20;

/// How much is read in one go.
const PIECE: u64 = 4 << 20;

/// A line longer than this is passed over.
const LONGEST_LINE: usize = 32 << 20;

#[derive(Debug)]
pub(super) struct Cursor {
    path: PathBuf,
    inode: u64,
    offset: u64,
    /// The beginning of a line that is still being written.
    rest: Vec<u8>,
    /// The rest of the present line is of no use.
    skips_line: bool,
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
        })
    }

    /// The lines that were appended and are JSON. A file that was replaced or cut is read anew.
    pub(super) fn read(&mut self) -> io::Result<Vec<Value>> {
        let mut file = File::open(&self.path)?;
        let meta = file.metadata()?;
        if meta.ino() != self.inode || meta.len() < self.offset {
            *self = Self::open(&self.path)?;
        }
        if meta.len() == self.offset {
            return Ok(Vec::new());
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut found = Vec::new();
        loop {
            let mut bytes = Vec::new();
            let length = (&mut file).take(PIECE).read_to_end(&mut bytes)?;
            if length == 0 {
                return Ok(found);
            }
            self.offset += length as u64;
            self.split(&bytes, &mut found);
        }
    }

    fn split(&mut self, bytes: &[u8], found: &mut Vec<Value>) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.skips_line {
                self.rest.extend_from_slice(piece);
            }
            if piece.last() == Some(&b'\n') {
                let line = std::mem::take(&mut self.rest);
                if !std::mem::take(&mut self.skips_line) {
                    found.extend(serde_json::from_slice::<Value>(&line).ok());
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

    use serde_json::json;

    use super::*;

    #[test]
    fn only_whole_lines_that_were_appended_are_read_and_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"{\"a\":1}\n{\"b\"").unwrap();
        let mut cursor = Cursor::open(&path).unwrap();
        assert_eq!(cursor.read().unwrap(), [json!({"a": 1})]);
        assert!(cursor.read().unwrap().is_empty());
        file.write_all(b":2}\nnot json\n{\"c\":3}\n").unwrap();
        assert_eq!(cursor.read().unwrap(), [json!({"b": 2}), json!({"c": 3})]);
        std::fs::write(&path, "{\"d\":4}\n").unwrap();
        assert_eq!(
            cursor.read().unwrap(),
            [json!({"d": 4})],
            "a file that was cut is read anew"
        );
        let other = folder.path().join("y");
        std::fs::write(&other, "{\"a\":1}\n{\"e\":5}\n{\"e\":6}\n").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(
            cursor.read().unwrap().len(),
            3,
            "another file in its place is read from its start"
        );
    }
}
