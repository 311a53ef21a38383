//! What `git diff` prints, read. Pure.

use super::DiffFile;

/// Reads `git diff --raw --numstat -z`: one for each file, in git's order.
pub(super) fn files(out: &[u8]) -> Vec<DiffFile> {
    let mut files: Vec<DiffFile> = Vec::new();
    let mut pieces = out
        .split(|byte| *byte == 0)
        .map(|piece| String::from_utf8_lossy(piece).into_owned());
    let mut counted = 0;
    while let Some(piece) = pieces.next() {
        if let Some(raw) = piece.strip_prefix(':') {
            let letter = raw.rsplit(' ').next().and_then(|word| word.chars().next());
            let mut path = pieces.next().unwrap_or_default();
            let (mut old_path, status) = (None, status(letter));
            if matches!(letter, Some('R' | 'C')) {
                old_path = Some(std::mem::replace(
                    &mut path,
                    pieces.next().unwrap_or_default(),
                ));
            }
            files.push(DiffFile {
                path,
                old_path,
                status,
                ..DiffFile::default()
            });
            continue;
        }
        let mut words = piece.splitn(3, '\t');
        let (Some(more), Some(less), Some(path)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        if path.is_empty() {
            // The names of a renamed file stand by themselves.
            pieces.next();
            pieces.next();
        }
        if let Some(file) = files.get_mut(counted) {
            file.binary = more == "-";
            file.additions = more.parse().unwrap_or(0);
            file.deletions = less.parse().unwrap_or(0);
        }
        counted += 1;
    }
    files
}

/// Gives each file its part of `git diff --patch`, which has the same order. `is_cut` if the end of it
/// is missing.
pub(super) fn fill(files: &mut [DiffFile], patch: &str, is_cut: bool) {
    // Every line of a hunk begins with a mark, so this can only be a header.
    let begins = patch.match_indices("diff --git ").map(|(at, _)| at);
    let is_line = |at: &usize| *at == 0 || patch.as_bytes().get(at - 1) == Some(&b'\n');
    let begins: Vec<usize> = begins.filter(is_line).collect();
    for (at, file) in files.iter_mut().enumerate() {
        let Some(begin) = begins.get(at) else {
            file.truncated = is_cut;
            continue;
        };
        let end = begins.get(at + 1).copied().unwrap_or(patch.len());
        let part = patch.get(*begin..end).unwrap_or_default();
        let hunks = part.find("\n@@ ").map_or(part.len(), |at| at + 1);
        part.get(hunks..)
            .unwrap_or_default()
            .clone_into(&mut file.patch);
        file.truncated = is_cut && at + 1 == begins.len();
    }
}

/// The patch of a file that is new as a whole.
pub(super) fn all_new(text: &str) -> String {
    let lines = text.lines().count();
    if lines == 0 {
        return String::new();
    }
    let mut patch = format!("@@ -0,0 +1,{lines} @@\n");
    for line in text.lines() {
        patch.push('+');
        patch.push_str(line);
        patch.push('\n');
    }
    if !text.ends_with('\n') {
        patch.push_str("\\ No newline at end of file\n");
    }
    patch
}

fn status(letter: Option<char>) -> &'static str {
    match letter {
        Some('A') => "added",
        Some('D') => "deleted",
        Some('R' | 'C') => "renamed",
        _ => "modified",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &[u8] = b":100644 100644 aa bb M\0src/a.rs\0:100644 100644 aa bb R090\0old\0new\0:000000 100644 00 cc A\0pic.png\x003\t1\tsrc/a.rs\x001\t1\t\0old\0new\0-\t-\tpic.png\0";

    #[test]
    fn names_and_counts_are_read() {
        let read = files(RAW);
        assert_eq!(read.len(), 3);
        assert_eq!((read[0].additions, read[0].deletions), (3, 1));
        assert_eq!(read[1].old_path.as_deref(), Some("old"));
        assert_eq!((read[1].path.as_str(), read[1].status), ("new", "renamed"));
        assert!(read[2].binary && read[2].status == "added");
    }

    #[test]
    fn each_file_gets_its_own_hunks() {
        let patch = "diff --git a/src/a.rs b/src/a.rs\nindex 1\n--- a\n+++ b\n@@ -1 +1 @@\n-diff --git x\n+y\ndiff --git a/old b/new\nrename from old\ndiff --git a/pic.png b/pic.png\nBinary files differ\n";
        let mut read = files(RAW);
        fill(&mut read, patch, false);
        assert_eq!(read[0].patch, "@@ -1 +1 @@\n-diff --git x\n+y\n");
        assert_eq!(read[1].patch, "");
        assert!(read.iter().all(|file| !file.truncated));
        fill(&mut read, &patch[..60], true);
        assert!(read[0].truncated && read[2].truncated);
    }

    #[test]
    fn a_new_file_is_all_additions() {
        assert_eq!(
            all_new("a\nb"),
            "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        );
        assert_eq!(all_new(""), "");
    }
}
