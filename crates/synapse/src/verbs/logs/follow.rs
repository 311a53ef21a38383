//! Follows a log as it grows and as the next one takes its place.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use synapse_platform::Changes;

/// A place in a log.
pub(super) struct Follower {
    path: PathBuf,
    file: File,
}

impl Follower {
    /// Goes on where `file`, which has this name now, was read to.
    pub(super) fn new(path: &Path, file: File) -> Self {
        Self {
            path: path.to_owned(),
            file,
        }
    }

    /// Writes what comes, for ever.
    pub(super) async fn run(&mut self, out: &mut impl Write) -> Result<u8> {
        let mut changes = Changes::of(self.path.parent().unwrap_or(Path::new(".")));
        loop {
            // What came before we listened is there already.
            self.pass_on(out)?;
            changes.next().await;
        }
    }

    /// Writes what has come since the last time.
    fn pass_on(&mut self, out: &mut impl Write) -> Result<()> {
        loop {
            let mut text = Vec::new();
            self.file.read_to_end(&mut text)?;
            out.write_all(&text)?;
            out.flush()?;
            if !self.is_replaced()? {
                return Ok(());
            }
        }
    }

    /// Goes on with the file that has the name now, if it is another one or was cut short.
    fn is_replaced(&mut self) -> Result<bool> {
        let Ok(other) = File::open(&self.path) else {
            // Between two logs: the next change will show it.
            return Ok(false);
        };
        let (mine, its) = (self.file.metadata()?, other.metadata()?);
        if (mine.dev(), mine.ino()) != (its.dev(), its.ino()) {
            self.file = other;
            return Ok(true);
        }
        let place = self.file.stream_position()?;
        if its.len() < place {
            self.file.seek(SeekFrom::Start(0))?;
            return Ok(true);
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use synapse_machine::log_file::old;

    use super::*;

    #[test]
    fn nothing_is_lost_or_told_twice_when_the_log_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.log");
        std::fs::write(&path, "before\n").unwrap();
        let mut file = File::open(&path).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        let mut follower = Follower::new(&path, file);
        let mut out = Vec::new();
        let append = |text: &str| {
            let mut file = File::options()
                .append(true)
                .create(true)
                .open(&path)
                .unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        append("one\n");
        follower.pass_on(&mut out).unwrap();
        append("two\n");
        std::fs::rename(&path, old(&path, 1)).unwrap();
        follower.pass_on(&mut out).unwrap();
        append("three\n");
        follower.pass_on(&mut out).unwrap();
        std::fs::write(&path, "new\n").unwrap();
        follower.pass_on(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "one\ntwo\nthree\nnew\n");
    }
}
