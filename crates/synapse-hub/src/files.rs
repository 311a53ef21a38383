//! Files below a worktree, and nothing else: every step of a path is opened from the one before it,
//! never through a link, so there is no moment in which it could lead outside.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use axum::http::StatusCode;
use jiff::Timestamp;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, statat};
use rustix::io::Errno;
use serde::Serialize;
use utoipa::ToSchema;

use super::problem::Problem;

/// The most that is read of a file.
const LIMIT: u64 = 1 << 20;
/// The largest file that is sent as it is.
const DOWNLOAD: u64 = 64 << 20;
/// Names that are told of one folder.
const NAMES: usize = 5_000;
/// How far a file is searched for a byte that no text has.
const LOOK: usize = 8_000;

/// What is in a folder.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Folder {
    path: String,
    entries: Vec<Entry>,
}

/// One thing in a folder.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Entry {
    name: String,
    /// `dir`, `file`, `link` or `other`.
    #[cfg_attr(test, ts(type = "\"dir\" | \"file\" | \"link\" | \"other\""))]
    kind: &'static str,
    #[cfg_attr(test, ts(type = "number"))]
    size: u64,
    modified: String,
}

/// What is in a file.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Contents {
    path: String,
    #[cfg_attr(test, ts(type = "number"))]
    size: u64,
    modified: String,
    pub(super) binary: bool,
    pub(super) truncated: bool,
    /// Nothing if it is no text.
    pub(super) text: Option<String>,
    #[serde(skip)]
    pub(super) lines: u32,
}

/// Lists a folder.
pub(super) async fn list(root: &Path, path: &str) -> Result<Folder, Problem> {
    let (root, path) = (root.to_owned(), path.to_owned());
    blocking(move || {
        let folder = step_down(&root, &path, OFlags::DIRECTORY)?;
        let entries = entries(&folder).map_err(|error| refusal(&path, error))?;
        Ok(Folder { path, entries })
    })
    .await
}

/// Reads the beginning of a file.
pub(super) async fn read(root: &Path, path: &str) -> Result<Contents, Problem> {
    let (root, path) = (root.to_owned(), path.to_owned());
    blocking(move || {
        let (mut file, stat) = regular(&root, &path)?;
        let mut bytes = Vec::new();
        let read = file.by_ref().take(LIMIT).read_to_end(&mut bytes);
        read.map_err(Problem::internal)?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let truncated = size > bytes.len() as u64;
        let binary = is_binary(&bytes);
        let text = (!binary).then(|| String::from_utf8_lossy(&bytes).into_owned());
        let lines = text.as_ref().map_or(0, |text| text.lines().count());
        Ok(Contents {
            path,
            size,
            modified: time(&stat),
            binary,
            truncated,
            text,
            lines: u32::try_from(lines).unwrap_or(u32::MAX),
        })
    })
    .await
}

/// Reads all of a file, to be sent as it is.
pub(super) async fn raw(root: &Path, path: &str) -> Result<Vec<u8>, Problem> {
    let (root, path) = (root.to_owned(), path.to_owned());
    blocking(move || {
        let (file, _) = regular(&root, &path)?;
        let mut bytes = Vec::new();
        let read = file.take(DOWNLOAD + 1).read_to_end(&mut bytes);
        read.map_err(Problem::internal)?;
        if bytes.len() as u64 > DOWNLOAD {
            let error = format!("'{path}' has more than {} MiB", DOWNLOAD >> 20);
            return Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                error,
            ));
        }
        Ok(bytes)
    })
    .await
}

fn regular(root: &Path, path: &str) -> Result<(File, Stat), Problem> {
    // Opening a pipe must not wait for somebody at its other end.
    let file = step_down(root, path, OFlags::NONBLOCK)?;
    let stat = fstat(&file).map_err(|error| refusal(path, error))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Problem::bad(format!("'{path}' is not a file")));
    }
    Ok((File::from(file), stat))
}

/// Whether these bytes are no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(LOOK).any(|byte| *byte == 0)
}

/// A path below a worktree without steps that lead nowhere, for git, which reads `./` in its own way.
pub(super) fn plain_path(path: &str) -> Result<String, Problem> {
    let steps: PathBuf = steps(path)?.iter().collect();
    Ok(steps.to_string_lossy().into_owned())
}

/// Opens what a path leads to, one step at a time.
fn step_down(root: &Path, path: &str, flags: OFlags) -> Result<OwnedFd, Problem> {
    let steps = steps(path)?;
    let folder = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
    let mut here = open(root, folder, Mode::empty()).map_err(|error| refusal("", error))?;
    let last = steps.len().saturating_sub(1);
    for (at, step) in steps.iter().enumerate() {
        let how = if at == last { flags } else { OFlags::DIRECTORY };
        let how = how | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        here = openat(&here, step, how, Mode::empty()).map_err(|error| {
            let is_link = statat(&here, step, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
            refusal(path, if is_link { Errno::LOOP } else { error })
        })?;
    }
    Ok(here)
}

/// The steps of a path below the root. `.git` is git's own business.
fn steps(path: &str) -> Result<Vec<PathBuf>, Problem> {
    let outside = || {
        let error = format!("'{path}' is not a path below the worktree");
        Problem::new(StatusCode::FORBIDDEN, "outside", error)
    };
    if path.contains('\0') {
        return Err(outside());
    }
    let mut steps = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) if !name.eq_ignore_ascii_case(".git") => {
                steps.push(PathBuf::from(name));
            }
            Component::CurDir => {}
            _ => return Err(outside()),
        }
    }
    Ok(steps)
}

fn entries(folder: &OwnedFd) -> Result<Vec<Entry>, Errno> {
    let mut entries = Vec::new();
    for name in Dir::read_from(folder)? {
        let name = name?;
        let bytes = name.file_name().to_bytes();
        if matches!(bytes, b"." | b".." | b".git") {
            continue;
        }
        if entries.len() == NAMES {
            break;
        }
        // One that was just removed is not told.
        let Ok(stat) = statat(folder, name.file_name(), AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => "dir",
            FileType::RegularFile => "file",
            FileType::Symlink => "link",
            _ => "other",
        };
        entries.push(Entry {
            name: String::from_utf8_lossy(bytes).into_owned(),
            kind,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: time(&stat),
        });
    }
    entries.sort_by(|a, b| (a.kind != "dir", &a.name).cmp(&(b.kind != "dir", &b.name)));
    Ok(entries)
}

fn time(stat: &Stat) -> String {
    let at = Timestamp::from_second(stat.st_mtime);
    at.unwrap_or_default().to_string()
}

fn refusal(path: &str, error: Errno) -> Problem {
    match error {
        Errno::LOOP => {
            let error = format!("'{path}' leads through a link, and links are not followed");
            Problem::new(StatusCode::FORBIDDEN, "symlink", error)
        }
        Errno::NOENT | Errno::NOTDIR => {
            Problem::missing("no_such_file", format!("there is no '{path}' here"))
        }
        Errno::ACCESS | Errno::PERM => {
            let error = format!("'{path}' may not be read");
            Problem::new(StatusCode::FORBIDDEN, "outside", error)
        }
        error => Problem::internal(error),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(Problem::internal)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below_the_root() {
        for path in ["", ".", "src", "src/./main.rs", "a b/日本"] {
            assert!(steps(path).is_ok(), "{path}");
        }
        for path in [
            "..",
            "a/..",
            "../a",
            "/etc",
            ".git/config",
            "a/.GIT",
            "a\0b",
        ] {
            assert!(steps(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(place.path().join("secret"), "x").unwrap();
        std::fs::write(root.join("src/a"), "a").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("leaf")).unwrap();
        std::os::unix::fs::symlink("..", root.join("up")).unwrap();
        assert!(step_down(&root, "src/a", OFlags::empty()).is_ok());
        for path in ["leaf", "up/secret", "up"] {
            let problem = step_down(&root, path, OFlags::empty()).unwrap_err();
            assert!(problem.error().contains("links are not followed"), "{path}");
        }
    }
}
