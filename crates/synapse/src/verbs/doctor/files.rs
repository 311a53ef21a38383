//! Folders and files that only their owner should see.

use std::fs::{self, Metadata};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use synapse_machine::private_file::is_ours;

use super::check::Check;
use crate::verbs::texts::doctor as texts;

/// The bits that let others in.
const OTHERS: u32 = 0o077;
/// The bits that let others write.
const WRITERS: u32 = 0o022;

/// Looks at a folder of ours. One that is not there will be made when it is needed.
pub(super) fn folder(topic: &str, path: &Path) -> Check {
    let shown = path.display();
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let above = path.ancestors().find(|above| above.exists());
            let above = above.unwrap_or(Path::new("/"));
            if access(above, Access::WRITE_OK | Access::EXEC_OK).is_err() {
                let said = texts::cannot_be_created(&shown, above.display());
                return Check::fail(topic, said, texts::set_homes());
            }
            return Check::ok(topic, texts::created_when_needed(shown));
        }
        Err(error) => {
            let advice = texts::may_enter();
            return Check::fail(topic, format!("{shown}: {error}"), advice);
        }
    };
    if !about.is_dir() {
        return Check::fail(topic, texts::is_no_folder(&shown), texts::move_away(&shown));
    }
    if access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let advice = texts::make_it_yours(&shown);
        return Check::fail(topic, texts::cannot_be_written(&shown), advice);
    }
    if is_open(&about) {
        let mode = about.permissions().mode() & 0o777;
        let said = texts::is_open_to_others(&shown, format!("{mode:03o}"));
        return Check::warn(topic, said, format!("chmod 700 {shown}"));
    }
    Check::ok(topic, shown.to_string())
}

/// Looks for folders that others can write to, the homes and those right below them; nothing if there are none. Our
/// own files are told from those of others by their owner, but whoever can write to a folder can take files away, put
/// back older ones and give others another name.
pub(super) fn open_to_write<'a>(
    topic: &str,
    homes: impl Iterator<Item = &'a Path>,
) -> Option<Check> {
    let mut folders = Vec::new();
    for home in homes {
        folders.push(home.to_owned());
        let below = fs::read_dir(home).into_iter().flatten().flatten();
        folders.extend(below.map(|entry| entry.path()));
    }
    let is_open = |path: &PathBuf| {
        let about = fs::metadata(path).ok().filter(Metadata::is_dir);
        about.is_some_and(|about| about.permissions().mode() & WRITERS != 0 || !is_ours(&about))
    };
    let open = folders.into_iter().filter(is_open);
    let open: Vec<String> = open.map(|path| path.display().to_string()).collect();
    (!open.is_empty()).then(|| {
        let said = texts::others_can_write(open.join(", "));
        let open = open.join(" ");
        Check::fail(
            topic,
            said,
            format!("chown $(id -un) {open} && chmod go-w {open}"),
        )
    })
}

/// Looks at the files right below a folder; nothing if there are none.
pub(super) fn inside(topic: &str, path: &Path) -> Option<Check> {
    let entries = fs::read_dir(path).ok()?.flatten();
    let mut count = 0;
    let mut open = Vec::new();
    for entry in entries {
        let Ok(about) = entry.metadata() else {
            continue;
        };
        if about.is_file() {
            count += 1;
            if is_open(&about) {
                open.push(entry.path());
            }
        }
    }
    let shown = path.display();
    match open.first() {
        None if count == 0 => None,
        None => Some(Check::ok(topic, texts::yours_alone(count))),
        Some(first) => {
            let said = texts::read_by_others(open.len(), count, first.display());
            Some(Check::fail(topic, said, format!("chmod 600 {shown}/*")))
        }
    }
}

/// Looks at one file that may not be there.
pub(super) fn file(topic: &str, path: &Path) -> Option<Check> {
    let about = fs::metadata(path).ok()?;
    let shown = path.display();
    if is_open(&about) {
        let said = texts::file_read_by_others(&shown);
        return Some(Check::fail(topic, said, format!("chmod 600 {shown}")));
    }
    Some(Check::ok(topic, texts::file_is_yours(&shown)))
}

fn is_open(about: &Metadata) -> bool {
    about.permissions().mode() & OTHERS != 0
}

#[cfg(test)]
mod tests {
    use super::super::check::Level;
    use super::*;

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn whatever_others_can_see_is_told_with_what_to_do() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("home");
        assert_eq!(folder("home", &home).level, Level::Ok, "made when needed");
        fs::create_dir(&home).unwrap();
        chmod(&home, 0o700);
        assert_eq!(folder("home", &home).level, Level::Ok);
        chmod(&home, 0o755);
        let open = folder("home", &home);
        assert_eq!(open.level, Level::Warn);
        assert!(open.advice.unwrap().starts_with("chmod 700"));

        let writable = |home: &Path| open_to_write("folders", [home].into_iter());
        let below = home.join("agents");
        fs::create_dir(&below).unwrap();
        chmod(&below, 0o755);
        assert_eq!(writable(&home), None);
        for mode in [0o720, 0o702] {
            chmod(&below, mode);
            let open = writable(&home).unwrap();
            assert_eq!(open.level, Level::Fail);
            let advice = format!("chmod go-w {}", below.display());
            assert!(open.advice.unwrap().ends_with(&advice));
        }
        fs::remove_dir(&below).unwrap();
        chmod(&home, 0o777);
        assert!(writable(&home).is_some());

        assert_eq!(inside("tokens", &home), None);
        let token = home.join("token");
        fs::write(&token, "x").unwrap();
        chmod(&token, 0o600);
        assert_eq!(inside("tokens", &home).unwrap().level, Level::Ok);
        assert_eq!(file("token", &token).unwrap().level, Level::Ok);
        chmod(&token, 0o644);
        assert_eq!(inside("tokens", &home).unwrap().level, Level::Fail);
        assert_eq!(file("token", &token).unwrap().level, Level::Fail);
        assert_eq!(folder("home", &token).level, Level::Fail, "not a folder");
    }
}
