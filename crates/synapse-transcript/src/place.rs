//! Which files can be this agent's transcript.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;
use synapse_machine::private_file::{Trust, open_regular};
use synapse_platform::process::{children, open_files as open_files_of};

/// How deep below its root a program puts its transcripts.
const DEPTH: usize = 5;

/// How much is read of a file beside a transcript.
const LONGEST_PROMPT: u64 = 4 << 20;

/// How many processes a program may have started that are looked at.
const MOST_PROCESSES: usize = 64;

/// The files with this extension below a folder that changed since then.
pub(super) fn changed_since(
    root: &Path,
    since: SystemTime,
    extension: &str,
) -> Vec<(SystemTime, PathBuf)> {
    let mut files = Vec::new();
    collect(root, DEPTH, &mut |path| {
        let is_one = path.extension().is_some_and(|own| own == extension);
        files.extend(is_one.then_some(path));
    });
    of_these(files, since)
}

/// Those of these files that changed since then.
pub(super) fn of_these(
    files: impl IntoIterator<Item = PathBuf>,
    since: SystemTime,
) -> Vec<(SystemTime, PathBuf)> {
    let changed = |path: PathBuf| Some((std::fs::metadata(&path).ok()?.modified().ok()?, path));
    let files = files.into_iter().filter_map(changed);
    files.filter(|(changed, _)| *changed >= since).collect()
}

fn collect(folder: &Path, depth: usize, found: &mut impl FnMut(PathBuf)) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    for entry in entries.flatten() {
        let path = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found(path);
        } else if depth > 0 {
            collect(&path, depth - 1, found);
        }
    }
}

/// What a JSON file says that is named like the transcript, with another ending.
pub(super) fn named_beside(
    path: &Path,
    ending: &str,
    other: &str,
    pointer: &str,
) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(ending)?;
    said_in(&path.with_file_name(format!("{name}{other}")), pointer)
}

/// What a JSON file says that stands so many folders above the transcript.
pub(super) fn named_above(path: &Path, levels: usize, name: &str, pointer: &str) -> Option<String> {
    said_in(&path.ancestors().nth(levels)?.join(name), pointer)
}

fn said_in(path: &Path, pointer: &str) -> Option<String> {
    let file = open_regular(path, Trust::Chosen).ok()?.take(LONGEST_PROMPT);
    let value: Value = serde_json::from_reader(BufReader::new(file)).ok()?;
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

/// What a file beside the transcript has between this beginning and the next backquote, in its first line.
pub(super) fn quoted_beside(path: &Path, name: &str, beginning: &str) -> Option<String> {
    let mut line = String::new();
    let file = open_regular(&path.with_file_name(name), Trust::Chosen).ok()?;
    BufReader::new(file)
        .take(LONGEST_PROMPT)
        .read_line(&mut line)
        .ok()?;
    let line: Value = serde_json::from_str(&line).ok()?;
    let (_, folder) = line.get("content")?.as_str()?.split_once(beginning)?;
    Some(folder.split_once('`')?.0.to_owned())
}

fn is_transcript(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl")
}

/// The transcripts that a program, or a program that it started, has open.
pub(super) fn open_files(program: i32, root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![program];
    let mut seen = HashSet::new();
    while let Some(process) = waiting.pop() {
        if !seen.insert(process) || seen.len() > MOST_PROCESSES {
            continue;
        }
        let open = open_files_of(process).into_iter();
        found.extend(open.filter(|path| path.starts_with(root) && is_transcript(path)));
        waiting.extend(children(process));
    }
    found.sort();
    found.dedup();
    found
}
