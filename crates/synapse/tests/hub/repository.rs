//! A real git repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Repository {
    pub path: PathBuf,
}

impl Repository {
    /// One with a commit on `main`.
    pub fn new(above: &Path, name: &str) -> Self {
        fs::create_dir_all(above.join(name)).unwrap();
        let path = above.join(name).canonicalize().unwrap();
        let repository = Self { path };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.git(&["config", "user.email", "ada@example.com"]);
        repository.git(&["config", "user.name", "Ada"]);
        repository.commit("README.md", "hello\n");
        repository
    }

    pub fn git(&self, args: &[&str]) -> String {
        git(&self.path, args)
    }

    /// Writes a file and commits it.
    pub fn commit(&self, name: &str, text: &str) {
        commit(&self.path, name, text);
    }
}

/// Runs git in a folder; what it printed.
pub fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {error}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Writes a file below a worktree and commits it there.
pub fn commit(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    git(dir, &["add", "--all"]);
    git(dir, &["commit", "--quiet", "--message", name]);
}
