//! Removing a worktree: never work along with it unless somebody said so.

use std::fs;

use serde_json::json;

use crate::browser::Desk;
use crate::repository::{commit, git};

#[test]
fn uncommitted_work_is_not_removed() {
    let desk = Desk::new();
    let (id, path) = desk.branch("side");
    fs::write(path.join("README.md"), "changed\n").unwrap();
    fs::write(path.join("new.txt"), "new\n").unwrap();
    let remove = format!("/api/worktrees/{id}");
    let refused = desk.browser.delete(&remove).refused(409, "dirty");
    assert_eq!(
        (
            &refused["dirty"],
            &refused["untracked"],
            &refused["unmerged"]
        ),
        (&json!(1), &json!(1), &json!(0))
    );
    assert!(path.join("new.txt").exists());

    // Forced, but something came in between that nobody has seen.
    let forced = format!("{remove}?force=true&dirty=1&untracked=1&unmerged=0");
    fs::write(path.join("another.txt"), "x\n").unwrap();
    desk.browser.delete(&forced).refused(409, "dirty");
    assert!(path.join("another.txt").exists());
    desk.browser.delete(&format!("{remove}?force=true")).ok();
    assert!(!path.exists());
    assert_eq!(
        desk.repository.git(&["branch", "--list", "side"]).trim(),
        "side",
        "the branch stays"
    );
}

#[test]
fn commits_that_are_not_merged_are_not_removed() {
    let desk = Desk::new();
    let (id, path) = desk.branch("side");
    commit(&path, "a.txt", "a\n");
    let remove = format!("/api/worktrees/{id}");
    let refused = desk
        .browser
        .delete(&format!("{remove}?branch=delete"))
        .refused(409, "unmerged");
    assert_eq!(refused["unmerged"], 1);
    assert!(path.exists());
    git(&path, &["checkout", "-q", "--detach"]);
    commit(&path, "b.txt", "b\n");
    let refused = desk.browser.delete(&remove).refused(409, "unmerged");
    assert_eq!(refused["unmerged"], 1, "a commit that no branch has");
    desk.browser.delete(&format!("{remove}?force=true")).ok();
    assert!(!path.exists());
}

#[test]
fn the_repository_itself_and_a_locked_worktree_stay() {
    let desk = Desk::new();
    let main = desk.worktree();
    desk.browser
        .delete(&format!("/api/worktrees/{main}?force=true"))
        .refused(409, "main_worktree");
    let (id, path) = desk.branch("side");
    desk.repository
        .git(&["worktree", "lock", path.to_str().unwrap()]);
    desk.browser
        .delete(&format!("/api/worktrees/{id}?force=true"))
        .refused(409, "locked");
    assert!(path.exists() && desk.repository.path.join("README.md").exists());
    desk.browser
        .delete("/api/worktrees/nope?force=true")
        .refused(404, "no_such_worktree");
}

#[test]
fn what_a_link_leads_to_is_not_removed() {
    let desk = Desk::new();
    let outside = desk.world.home.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("keep.txt"), "keep\n").unwrap();
    let (id, path) = desk.branch("side");
    std::os::unix::fs::symlink(&outside, path.join("link")).unwrap();
    desk.browser
        .delete(&format!("/api/worktrees/{id}?force=true"))
        .ok();
    assert!(!path.exists());
    assert!(outside.join("keep.txt").exists());
}

#[test]
fn a_worktree_whose_folder_is_gone_is_taken_off_the_list() {
    let desk = Desk::new();
    let (id, path) = desk.branch("side");
    fs::remove_dir_all(&path).unwrap();
    let listed = desk.browser.get("/api/worktrees").ok();
    let tree = &listed["repositories"][0]["worktrees"][1];
    assert_eq!((&tree["id"], &tree["missing"]), (&json!(id), &json!(true)));
    desk.browser.delete(&format!("/api/worktrees/{id}")).ok();
    assert_eq!(
        desk.repository.git(&["worktree", "list"]).lines().count(),
        1
    );
}
