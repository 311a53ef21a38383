//! Files for their owner alone, replaced whole, and the one rule for what counts as a file of ours; files of others,
//! read with care.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Tells the drafts of this process apart.
static DRAFTS: AtomicU32 = AtomicU32::new(0);

/// Replaces a file whole: a reader sees the old text or the new, also after a power cut. Of several writers, the last
/// one wins.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    replace_by(path, |file| {
        file.write_all(text)?;
        file.sync_all()
    })
}

/// Replaces a file whole, and waits for no disk: after a power cut it may have any text.
pub fn replace_soon(path: &Path, text: &[u8]) -> io::Result<()> {
    replace_by(path, |file| file.write_all(text))
}

fn replace_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (draft, mut file) = draft(path)?;
    let written = write(&mut file).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // Why it could not be written is told; that there is a draft helps nobody.
        let _ = remove(&draft);
    }
    written
}

/// A draft that no other writer has, locked as long as it is open.
pub(crate) fn draft(path: &Path) -> io::Result<(PathBuf, File)> {
    // One that stays behind for now is in nobody's way.
    let _ = sweep_drafts(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    loop {
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let own = format!(".{name}.{}-{number}.draft", std::process::id());
        let draft = path.with_file_name(own);
        let file = match options().create_new(true).open(&draft) {
            // A process of the same number has died in between, or somebody has put it there.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        file.lock()?;
        // Somebody who swept may have come before the lock.
        if is_at(&file, &draft) {
            return Ok((draft, file));
        }
    }
}

/// Removes the drafts of a file whose writers have died.
pub(crate) fn sweep_drafts(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    for entry in fs::read_dir(folder.unwrap_or(Path::new(".")))?.flatten() {
        let name = entry.file_name();
        let drafted = name.to_str().and_then(drafted_name);
        if drafted.is_none() || drafted != path.file_name().and_then(|name| name.to_str()) {
            continue;
        }
        let draft = entry.path();
        // Its writer holds the lock of it; what is not ours is nobody's draft.
        if let Ok(file) = open_regular(&draft, Trust::Own)
            && file.try_lock().is_ok()
        {
            remove(&draft)?;
        }
    }
    Ok(())
}

/// Of which file this is the name of a draft. Synapse 0.2 had also drafts without a number.
pub(crate) fn drafted_name(draft: &str) -> Option<&str> {
    let name = draft.strip_prefix('.')?.strip_suffix(".draft")?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_own = |end: &str| {
        let parts = end.split_once('-');
        parts.is_some_and(|(pid, number)| is_number(pid) && is_number(number))
    };
    let numbered = name.rsplit_once('.').filter(|(_, end)| is_own(end));
    Some(numbered.map_or(name, |(name, _)| name))
}

/// Whether an open file is the one of this name, and not one that was removed.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    let key = |file: &Metadata| (file.dev(), file.ino());
    let (Ok(held), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    key(&held) == key(&there)
}

/// Removes a file that may be gone already.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The longest profile or configuration that is read.
const LONGEST: u64 = 256 << 10;

/// Whose file it may be that is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// One of ours, which is acted upon: of this user or of root, and behind no link of anybody else.
    Own,
    /// One that its reader chose: anybody's, but no link to a file of somebody else.
    Chosen,
    /// One of a stranger: anybody's, and no link.
    Stranger,
}

/// Reads a file of ours.
///
/// # Errors
/// If it cannot be read, is no file, or is somebody else's.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, Trust::Own)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file of ours that is text.
///
/// # Errors
/// If it cannot be read, is no text, or is somebody else's.
pub fn read_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| bad("it is no text"))
}

/// Reads a text file that may be anything: no pipe is waited for, no device is read, and no more than 256 KiB.
///
/// # Errors
/// If it cannot be read, is no such file, or is no text.
pub fn read_text(path: &Path, trust: Trust) -> io::Result<String> {
    let file = open_regular(path, trust)?;
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(bad("it has more than 256 KiB"));
    }
    Ok(text)
}

/// Opens for reading what may be anything: no pipe is waited for, and no device is opened.
///
/// # Errors
/// If it cannot be opened, is no file, or is not of whom it must be.
pub fn open_regular(path: &Path, trust: Trust) -> io::Result<File> {
    let follow = match trust {
        Trust::Own | Trust::Chosen => OFlags::empty(),
        Trust::Stranger => OFlags::NOFOLLOW,
    };
    let file = open_by(path, OpenOptions::new().read(true), follow)?;
    judge(path, &file.metadata()?, trust)?;
    Ok(file)
}

/// Looks at a file of ours that something else opens.
///
/// # Errors
/// If it is not there, is no file, or is somebody else's.
pub fn check(path: &Path) -> io::Result<()> {
    judge(path, &fs::metadata(path)?, Trust::Own)
}

/// Opens a file for its owner alone, and creates it if need be.
///
/// # Errors
/// If it cannot be opened, is no file, or is somebody else's.
pub fn open(path: &Path) -> io::Result<File> {
    open_to_write(path, options().create(true).truncate(false))
}

/// Opens a file for its owner alone to add to its end, and creates it if need be.
///
/// # Errors
/// As for [`open`].
pub fn open_to_append(path: &Path) -> io::Result<File> {
    open_to_write(path, options().write(false).append(true).create(true))
}

/// Opens a file for its owner alone, empty.
///
/// # Errors
/// As for [`open`].
pub fn open_empty(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    // Only once it is known to be ours.
    file.set_len(0)?;
    Ok(file)
}

/// A link would have us write into another file.
fn open_to_write(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = open_by(path, options, OFlags::NOFOLLOW)?;
    judge(path, &file.metadata()?, Trust::Own)?;
    Ok(file)
}

fn open_by(path: &Path, options: &mut OpenOptions, follow: OFlags) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | follow;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let opened = options.custom_flags(flags).open(path);
    opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::LOOP.raw_os_error() => bad("it is a link"),
        Some(code) if code == Errno::NXIO.raw_os_error() => bad("it is no file"),
        _ => error,
    })
}

/// The one rule for whose files count.
fn judge(path: &Path, about: &Metadata, trust: Trust) -> io::Result<()> {
    if !about.is_file() {
        return Err(bad("it is no file"));
    }
    let link = fs::symlink_metadata(path).ok();
    let link = link.filter(Metadata::is_symlink);
    if link.is_some() && trust != Trust::Stranger && !is_ours(about) {
        return Err(bad("it is a link to a file of somebody else"));
    }
    if trust == Trust::Own && !(is_ours(about) && link.as_ref().is_none_or(is_ours)) {
        return Err(bad("it belongs to somebody else"));
    }
    Ok(())
}

/// Whether something belongs to this user, or to root, who can do everything anyway.
pub fn is_ours(about: &Metadata) -> bool {
    [0, rustix::process::geteuid().as_raw()].contains(&about.uid())
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_writers_never_leave_half_a_text_nor_a_draft() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.json");
        let texts: Vec<String> = (0..8)
            .map(|number| number.to_string().repeat(4096))
            .collect();
        std::thread::scope(|scope| {
            for text in &texts {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..8 {
                        replace(path, text.as_bytes()).unwrap();
                        let read = fs::read_to_string(path).unwrap();
                        let first = &read[..1];
                        assert_eq!(read, first.repeat(4096));
                    }
                });
            }
        });
        fs::create_dir(folder.path().join("folder")).unwrap();
        assert!(replace(&folder.path().join("folder"), b"").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_draft_of_a_dead_writer_goes_with_the_next_and_one_that_is_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.json");
        let dead = folder.path().join(".file.json.7-1.draft");
        let other = folder.path().join(".other.json.7-1.draft");
        for left in [&dead, &other] {
            fs::write(left, "half").unwrap();
        }
        let (written, _file) = draft(&path).unwrap();
        replace(&path, b"whole").unwrap();
        assert!(written.exists() && other.exists() && !dead.exists());
    }

    #[test]
    fn only_files_of_ours_count_as_such() {
        use std::os::unix::fs::{lchown, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "text").unwrap();
        symlink(&file, &link).unwrap();
        let reads = |path: &Path, trust| read_text(path, trust).is_ok();
        let all = [Trust::Own, Trust::Chosen, Trust::Stranger];
        assert_eq!(all.map(|trust| reads(&file, trust)), [true; 3]);
        assert_eq!(all.map(|trust| reads(&link, trust)), [true, true, false]);
        assert!(open(&link).is_err() && open_to_append(&link).is_err());
        assert!(open_empty(&link).is_err());
        // Only root can give files away.
        if !rustix::process::geteuid().is_root() {
            return;
        }
        lchown(&link, Some(65_534), None).unwrap();
        assert_eq!(all.map(|trust| reads(&link, trust)), [false, true, false]);
        lchown(&file, Some(65_534), None).unwrap();
        assert_eq!(all.map(|trust| reads(&file, trust)), [false, true, true]);
        assert_eq!(all.map(|trust| reads(&link, trust)), [false; 3]);
        assert!(check(&file).is_err() && read(&file).is_err());
        assert!(open(&file).is_err() && open_to_append(&file).is_err());
        assert!(open_empty(&file).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "text");
    }
}
