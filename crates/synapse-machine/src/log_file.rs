//! A log of bounded size that never blocks its writer: lines that cannot be written are counted, and the
//! count is written when there is room again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::paths::create_folder;
use crate::private_file;

/// How large a log may get before the next one is begun.
const LIMIT: u64 = 5 << 20;

/// How many of those before are kept.
pub const KEPT: u32 = 3;

/// A log, and those before it: `x.log`, `x.log.1`, … One process writes it.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    limit: u64,
    /// Nothing while it cannot be opened.
    file: Option<File>,
    size: u64,
    /// How many pieces could not be written.
    lost: u64,
}

impl LogFile {
    /// The log of this name. One that cannot be opened now may be later.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            limit: LIMIT,
            file: None,
            size: 0,
            lost: 0,
        }
    }

    /// Tries to open it, to know whether it can be.
    ///
    /// # Errors
    /// If it cannot be created or written.
    pub fn open(&mut self) -> io::Result<()> {
        if self.file.is_some() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            create_folder(folder)?;
        }
        let file = private_file::open_to_append(&self.path)?;
        self.size = file.metadata()?.len();
        self.file = Some(file);
        Ok(())
    }

    /// Adds a piece: all of it in one log, or nothing.
    fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        self.open()?;
        let length = piece.len() as u64;
        if self.size > 0 && self.size + length > self.limit {
            self.rotate()?;
        }
        if let Some(file) = &mut self.file {
            // Counted before, so that a disk which takes half of each piece fills no log for ever.
            self.size += length;
            file.write_all(piece)?;
        }
        Ok(())
    }

    /// Begins the next log. If that cannot be, this one goes on.
    fn rotate(&mut self) -> io::Result<()> {
        for number in (0..KEPT).rev() {
            let (from, to) = (old(&self.path, number), old(&self.path, number + 1));
            match fs::rename(from, to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    self.size = 0;
                    return Ok(());
                }
                _ => {}
            }
        }
        self.file = None;
        self.open()
    }
}

impl Write for LogFile {
    /// Takes a piece. It never fails: nobody could do anything about it.
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.lost > 0 {
            let told = format!("… {} lines could not be written here\n", self.lost);
            if self.add(told.as_bytes()).is_ok() {
                self.lost = 0;
            }
        }
        if self.lost > 0 || self.add(piece).is_err() {
            self.lost += 1;
            // It may have been removed, or lie on a disk that has come back.
            self.file = None;
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log that many before the present one, which is number 0.
pub fn old(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn log(path: &Path) -> LogFile {
        LogFile {
            limit: 10,
            ..LogFile::new(path)
        }
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    #[test]
    fn keeps_a_few_of_those_before() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("logs/x.log");
        let mut log = log(&path);
        for n in 1..=6 {
            log.write_all(format!("line{n}-\n").as_bytes()).unwrap();
        }
        let kept: Vec<String> = (0..=4).map(|number| text(&old(&path, number))).collect();
        assert_eq!(kept, ["line6-\n", "line5-\n", "line4-\n", "line3-\n", ""]);
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn goes_on_where_the_last_process_ended() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.log");
        log(&path).write_all(b"12345").unwrap();
        log(&path).write_all(b"67890").unwrap();
        assert_eq!(text(&path), "1234567890");
        log(&path).write_all(b"x").unwrap();
        assert_eq!(
            (text(&path), text(&old(&path, 1))),
            ("x".into(), "1234567890".into())
        );
    }

    #[test]
    fn a_piece_larger_than_a_log_is_written_all_the_same() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.log");
        log(&path).write_all(b"a line longer than ten").unwrap();
        assert_eq!(text(&path), "a line longer than ten");
    }

    #[test]
    fn what_is_lost_is_counted_and_nobody_fails() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.log");
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let mut log = LogFile::new(&path);
        log.write_all(b"one\n").unwrap();
        log.write_all(b"two\n").unwrap();
        fs::remove_file(&path).unwrap();
        log.write_all(b"three\n").unwrap();
        assert_eq!(text(&path), "… 2 lines could not be written here\nthree\n");
    }

    #[test]
    fn a_log_that_was_removed_comes_back_with_the_next_rotation() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.log");
        let mut log = log(&path);
        log.write_all(b"12345678").unwrap();
        fs::remove_file(&path).unwrap();
        log.write_all(b"abcdefgh").unwrap();
        assert_eq!(text(&path), "abcdefgh");
    }
}
