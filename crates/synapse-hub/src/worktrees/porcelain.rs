//! What git prints for programs, read. Pure.

use std::path::PathBuf;

/// A worktree as `git worktree list --porcelain -z` tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) path: PathBuf,
    pub(crate) head: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) is_bare: bool,
    pub(crate) is_locked: bool,
}

/// Reads the list. The first is the main one.
pub(super) fn trees(out: &[u8]) -> Vec<Tree> {
    let mut trees: Vec<Tree> = Vec::new();
    for line in out.split(|byte| *byte == 0) {
        let (name, value) = match line.iter().position(|byte| *byte == b' ') {
            Some(at) => (line.get(..at), line.get(at + 1..)),
            None => (Some(line), None),
        };
        let (name, value) = (name.unwrap_or_default(), value.unwrap_or_default());
        if name == b"worktree" {
            trees.push(Tree {
                path: path(value),
                ..Tree::default()
            });
            continue;
        }
        let Some(tree) = trees.last_mut() else {
            continue;
        };
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b"HEAD" => tree.head = Some(text()).filter(|hash| hash.bytes().any(|b| b != b'0')),
            b"branch" => {
                let full = text();
                let short = full.strip_prefix("refs/heads/");
                tree.branch = Some(short.unwrap_or(&full).to_owned());
            }
            b"bare" => tree.is_bare = true,
            b"locked" => tree.is_locked = true,
            _ => {}
        }
    }
    trees
}

/// How many files differ from what is committed, and how many git does not know: from
/// `git status --porcelain=v2 -z`.
pub(super) fn counts(out: &[u8]) -> (u32, u32) {
    let (mut dirty, mut untracked) = (0, 0);
    let mut lines = out.split(|byte| *byte == 0);
    while let Some(line) = lines.next() {
        match line.first() {
            Some(b'1' | b'u') => dirty += 1,
            Some(b'2') => {
                dirty += 1;
                // The old name stands by itself.
                lines.next();
            }
            Some(b'?') => untracked += 1,
            _ => {}
        }
    }
    (dirty, untracked)
}

fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let out = b"worktree /a b\0HEAD 12ab\0branch refs/heads/fix/it\0\0worktree /c\0HEAD 34cd\0detached\0locked why not\0\0worktree /bare\0bare\0\0";
        let read = trees(out);
        assert_eq!(read.len(), 3);
        assert_eq!(read[0].path, PathBuf::from("/a b"));
        assert_eq!(read[0].branch.as_deref(), Some("fix/it"));
        assert_eq!(read[1].branch, None);
        assert!(read[1].is_locked && !read[0].is_locked);
        assert!(read[2].is_bare && read[2].head.is_none());
        assert!(trees(b"").is_empty() && trees(b"HEAD x\0\0").is_empty());
    }

    #[test]
    fn changes_are_counted() {
        let out = b"1 .M N... 1 1 1 a b x.txt\x002 R. N... 1 1 1 a b R100 new\0old\0? one\0? two\0u UU N... x\0";
        assert_eq!(counts(out), (3, 2));
        assert_eq!(counts(b""), (0, 0));
    }
}
