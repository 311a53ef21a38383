//! Looking at a repository runs nothing that only the repository names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::browser::Desk;

/// A program that says that it was run, and passes on what it reads.
fn trap(desk: &Desk) -> (String, PathBuf) {
    let sprung = desk.world.home.path().join("pwned");
    (format!("env > {}; cat", sprung.display()), sprung)
}

/// Looks at everything the page shows of the repository.
fn look(desk: &Desk) {
    let tree = desk.worktree();
    for path in ["diff", "tree"] {
        // What is missing may be an error; what counts is that nothing was run.
        desk.browser.get(&format!("/api/worktrees/{tree}/{path}"));
    }
    desk.browser.get(&format!("/api/worktrees/{tree}")).ok();
}

#[track_caller]
fn assert_not_run(sprung: &Path) {
    assert!(!sprung.exists(), "{:?}", fs::read_to_string(sprung));
}

#[test]
fn filters_monitors_and_differs_are_not_run() {
    let desk = Desk::new();
    let repository = &desk.repository;
    let (run, sprung) = trap(&desk);
    for key in ["clean", "smudge", "process"] {
        repository.git(&["config", &format!("filter.a=b.{key}"), &run]);
    }
    repository.git(&["config", "filter.a=b.required", "true"]);
    for key in [
        "core.fsmonitor",
        "diff.external",
        "diff.d.textconv",
        "diff.d.command",
    ] {
        repository.git(&["config", key, &run]);
    }
    fs::write(
        repository.path.join(".git/info/attributes"),
        "* filter=a=b diff=d\n",
    )
    .unwrap();
    fs::write(repository.path.join("README.md"), "changed\n").unwrap();
    look(&desk);
    assert_not_run(&sprung);
}

#[test]
fn a_submodule_is_not_looked_into() {
    let desk = Desk::new();
    let repository = &desk.repository;
    let (run, sprung) = trap(&desk);
    let other = crate::repository::Repository::new(desk.world.home.path(), "library");
    let url = other.path.to_str().unwrap();
    repository.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        url,
        "sub",
    ]);
    repository.git(&["commit", "-m", "with a submodule"]);
    // The one it has in itself, whatever the settings outside say.
    repository.git(&["-C", "sub", "config", "filter.x.clean", &run]);
    repository.git(&["config", "submodule.sub.ignore", "none"]);
    let attributes = repository.path.join(".git/modules/sub/info/attributes");
    fs::create_dir_all(attributes.parent().unwrap()).unwrap();
    fs::write(attributes, "* filter=x\n").unwrap();
    // As long as before, so that only its contents tell.
    fs::write(repository.path.join("sub/README.md"), "jello\n").unwrap();
    look(&desk);
    assert_not_run(&sprung);
}

#[test]
fn what_is_missing_is_not_fetched() {
    let desk = Desk::new();
    let repository = &desk.repository;
    let (run, sprung) = trap(&desk);
    let blob = repository.git(&["rev-parse", "HEAD:README.md"]);
    let (folder, name) = blob.trim().split_at(2);
    fs::write(repository.path.join("README.md"), "other\n").unwrap();
    fs::remove_file(repository.path.join(".git/objects").join(folder).join(name)).unwrap();
    let there = repository.path.to_str().unwrap();
    for (key, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", there),
        ("remote.origin.uploadpack", &run),
        ("protocol.allow", "always"),
    ] {
        repository.git(&["config", key, value]);
    }
    look(&desk);
    assert_not_run(&sprung);
}
