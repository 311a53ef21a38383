//! Worktrees: from the first branch to the merge.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::browser::{Browser, Desk, Hub};
use crate::repository::{Repository, commit, git};
use crate::world::World;

impl Desk {
    pub fn repository_id(&self) -> String {
        let listed = self.browser.get("/api/worktrees").ok();
        listed["repositories"][0]["id"].as_str().unwrap().to_owned()
    }

    /// A new worktree; its id and its folder.
    pub fn branch(&self, branch: &str) -> (String, PathBuf) {
        let wish = json!({ "repository": self.repository_id(), "branch": branch });
        let made = self.browser.post("/api/worktrees", &wish).ok();
        let text = |name: &str| made["worktree"][name].as_str().unwrap().to_owned();
        (text("id"), text("path").into())
    }

    fn diff(&self, id: &str, query: &str) -> Value {
        self.browser
            .get(&format!("/api/worktrees/{id}/diff{query}"))
            .ok()
    }
}

#[test]
fn a_worktree_is_made_worked_in_compared_merged_and_removed() {
    let desk = Desk::new();
    let wish = json!({
        "repository": desk.repository_id(), "branch": "fix/login",
        "agent": { "profile": "dummy", "name": "fixer" },
    });
    let made = desk.browser.post("/api/worktrees", &wish);
    assert_eq!(made.status, 201);
    let made = made.ok();
    let tree = &made["worktree"];
    let (id, path) = (
        tree["id"].as_str().unwrap(),
        Path::new(tree["path"].as_str().unwrap()),
    );
    assert_eq!(path, desk.repository.path.with_file_name("repo-fix-login"));
    assert_eq!(
        (&tree["branch"], &tree["base"]),
        (&json!("fix/login"), &json!("main"))
    );
    assert_eq!(
        (&made["agent"]["handle"], &made["agent"]["worktree"]),
        (&json!("fixer"), &json!(id))
    );

    // A change, committed; and one that is not, and a new file.
    commit(path, "login.rs", "fn login() {}\n");
    fs::write(path.join("README.md"), "hello\nworld\n").unwrap();
    fs::write(path.join("new.txt"), "new\n").unwrap();
    let shown = desk.browser.get(&format!("/api/worktrees/{id}")).ok();
    let shown = &shown["worktree"];
    assert_eq!(
        (&shown["ahead"], &shown["dirty"], &shown["untracked"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert!(shown["bytes"].as_u64().unwrap() > 0);

    let diff = desk.diff(id, "");
    let files: Vec<(&str, &str)> = diff["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            (
                file["path"].as_str().unwrap(),
                file["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("README.md", "modified"),
            ("login.rs", "added"),
            ("new.txt", "untracked")
        ]
    );
    assert_eq!(
        (&diff["against"], &diff["additions"]),
        (&json!("main"), &json!(3))
    );
    assert_eq!(diff["files"][0]["patch"], "@@ -1 +1,2 @@\n hello\n+world\n");
    let head = desk.diff(id, "?against=head");
    assert_eq!(head["files"].as_array().unwrap().len(), 2);

    let merge = format!("/api/worktrees/{id}/merge");
    let dirty = desk.browser.press(&merge).refused(409, "dirty");
    assert_eq!(
        (&dirty["dirty"], &dirty["untracked"]),
        (&json!(1), &json!(1))
    );
    let merged = desk
        .browser
        .post(&merge, &json!({ "commit": "--the rest" }))
        .ok();
    assert_eq!(
        (&merged["into"], &merged["fast_forward"]),
        (&json!("main"), &json!(true))
    );
    assert_eq!(
        fs::read_to_string(desk.repository.path.join("new.txt")).unwrap(),
        "new\n"
    );
    assert_eq!(
        desk.repository.git(&["log", "-1", "--format=%s"]),
        "--the rest"
    );
    desk.browser.press(&merge).refused(409, "nothing_to_merge");

    let here = desk
        .browser
        .delete(&format!("/api/worktrees/{id}"))
        .refused(409, "agents_here");
    assert_eq!(here["agents"], json!([made["agent"]["id"]]));
    desk.browser.delete("/api/agents/fixer").ok();
    let gone = desk
        .browser
        .delete(&format!("/api/worktrees/{id}?branch=delete"))
        .ok();
    assert_eq!(gone, json!({ "removed": true, "branch_deleted": true }));
    assert!(!path.exists());
    assert_eq!(desk.repository.git(&["branch", "--list", "fix/login"]), "");
}

#[test]
fn names_that_git_or_the_disk_would_misread_are_refused() {
    let desk = Desk::new();
    let repository = desk.repository_id();
    let make = |body: Value| {
        let mut wish = json!({ "repository": repository, "branch": "b" });
        for (key, value) in body.as_object().unwrap() {
            wish[key] = value.clone();
        }
        desk.browser.post("/api/worktrees", &wish)
    };
    for odd in [
        "--force",
        "-b",
        "a..b",
        "a b",
        "@{-1}",
        "",
        "HEAD",
        "a\nb",
        "x~1",
        "--exec=touch pwned",
    ] {
        make(json!({ "branch": odd })).refused(400, "bad_ref");
        if odd != "HEAD" {
            make(json!({ "base": odd })).refused(400, "bad_ref");
        }
    }
    make(json!({ "base": "no-such-branch" })).refused(400, "bad_ref");
    for odd in ["../escape", "/tmp/x", "..", ".git", "-x", "a/b", ""] {
        make(json!({ "name": odd })).refused(400, "bad_name");
    }
    make(json!({ "repository": "nope" })).refused(404, "no_such_repository");
    make(json!({ "branch": "main" })).refused(409, "exists");
    make(json!({ "name": "repo" })).refused(409, "exists");
    let tree = desk.worktree();
    for odd in ["--output=/tmp/x", "-p", "HEAD..main", "a b"] {
        let odd = odd.replace(' ', "%20");
        desk.browser
            .get(&format!("/api/worktrees/{tree}/diff?against={odd}"))
            .refused(400, "bad_ref");
        let merge = format!("/api/worktrees/{tree}/merge");
        desk.browser
            .post(&merge, &json!({ "into": odd }))
            .refused(400, "bad_ref");
    }
    assert_eq!(
        desk.repository.git(&["worktree", "list"]).lines().count(),
        1
    );
}

#[test]
fn an_existing_branch_is_checked_out_and_a_base_is_taken() {
    let desk = Desk::new();
    desk.repository.git(&["branch", "old"]);
    desk.repository.commit("later.txt", "x\n");
    let (id, path) = desk.branch("old");
    assert!(!path.join("later.txt").exists());
    let listed = desk.browser.get("/api/worktrees").ok();
    let tree = &listed["repositories"][0]["worktrees"][1];
    assert_eq!((&tree["id"], &tree["behind"]), (&json!(id), &json!(1)));
    let wish = json!({ "repository": desk.repository_id(), "branch": "new", "base": "old", "name": "elsewhere" });
    let made = desk.browser.post("/api/worktrees", &wish).ok();
    let path = Path::new(made["worktree"]["path"].as_str().unwrap());
    assert!(path.ends_with("elsewhere") && !path.join("later.txt").exists());
}

#[test]
fn a_conflict_changes_nothing_and_names_the_files() {
    let desk = Desk::new();
    let (id, path) = desk.branch("side");
    commit(&path, "README.md", "theirs\n");
    desk.repository.commit("README.md", "ours\n");
    let before = desk.repository.git(&["rev-parse", "main"]);
    let merge = format!("/api/worktrees/{id}/merge");
    let conflict = desk.browser.press(&merge).refused(409, "conflict");
    assert_eq!(conflict["files"], json!(["README.md"]));
    assert_eq!(desk.repository.git(&["rev-parse", "main"]), before);
    assert_eq!(desk.repository.git(&["status", "--porcelain"]), "");

    // The same where the branch is checked out nowhere.
    desk.repository.git(&["branch", "target"]);
    let into = json!({ "into": "target" });
    let conflict = desk.browser.post(&merge, &into).refused(409, "conflict");
    assert_eq!(conflict["files"], json!(["README.md"]));
    assert_eq!(desk.repository.git(&["rev-parse", "target"]), before);
}

#[test]
fn a_branch_that_is_checked_out_nowhere_is_merged_into_all_the_same() {
    let desk = Desk::new();
    desk.repository.git(&["branch", "target"]);
    let (id, path) = desk.branch("side");
    commit(&path, "a.txt", "a\n");
    let merge = format!("/api/worktrees/{id}/merge");
    let merged = desk.browser.post(&merge, &json!({ "into": "target" })).ok();
    assert_eq!(merged["fast_forward"], true);
    desk.repository
        .git(&["checkout", "-q", "-b", "far", "target~1"]);
    desk.repository.commit("b.txt", "b\n");
    desk.repository.git(&["checkout", "-q", "main"]);
    let merged = desk
        .browser
        .post(&merge, &json!({ "into": "far", "message": "both" }))
        .ok();
    assert_eq!(merged["fast_forward"], false);
    assert_eq!(
        desk.repository
            .git(&["log", "-1", "--format=%s %p", "far"])
            .split(' ')
            .count(),
        3
    );
    assert_eq!(desk.repository.git(&["show", "far:a.txt"]), "a");
    assert_eq!(desk.repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_target_that_is_not_clean_is_left_alone() {
    let desk = Desk::new();
    let (id, path) = desk.branch("side");
    commit(&path, "a.txt", "a\n");
    fs::write(desk.repository.path.join("README.md"), "changed\n").unwrap();
    let refused = desk
        .browser
        .press(&format!("/api/worktrees/{id}/merge"))
        .refused(409, "dirty");
    assert_eq!(refused["where"], "into");
    assert!(!desk.repository.path.join("a.txt").exists());
}

#[test]
fn repositories_below_the_roots_are_listed_and_so_are_plain_folders_of_agents() {
    let world = World::new();
    let home = world.home.path().canonicalize().unwrap();
    let roots = home.join("code");
    Repository::new(&roots, "shop");
    Repository::new(&roots.join("group"), "blog");
    fs::create_dir_all(roots.join("a/b/c/too-deep/.git")).unwrap();
    fs::create_dir(home.join("plain")).unwrap();
    world.configure(&format!(
        "web:\n  roots: [{}, /no/such/folder]\n",
        roots.display()
    ));
    let hub = Hub::start(&world, &["--port", "0"]);
    let browser = Browser::open(&hub);
    world.ok(&[
        "start",
        "dummy",
        "--port",
        "0",
        "--cwd",
        home.join("plain").to_str().unwrap(),
    ]);
    let what = "the folder is listed";
    let listed = browser.wait_for("/api/worktrees", what, |seen| {
        seen["repositories"].as_array().unwrap().len() == 3
    });
    let rows: Vec<(&Value, &Value)> = listed["repositories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["name"], &row["git"]))
        .collect();
    let [yes, no] = [json!(true), json!(false)];
    assert_eq!(
        rows,
        [
            (&json!("blog"), &yes),
            (&json!("plain"), &no),
            (&json!("shop"), &yes)
        ]
    );
    let plain = listed["repositories"][1]["worktrees"][0]["id"]
        .as_str()
        .unwrap();
    let stopped = browser
        .press(&format!("/api/worktrees/{plain}/interrupt"))
        .ok();
    assert_eq!(stopped["interrupted"], json!([]));
    browser.get(&format!("/api/worktrees/{plain}/tree")).ok();
    browser
        .get(&format!("/api/worktrees/{plain}/diff"))
        .refused(400, "bad_request");
    browser
        .delete(&format!("/api/worktrees/{plain}"))
        .refused(409, "main_worktree");
}

#[test]
fn odd_changes_are_shown() {
    let desk = Desk::new();
    desk.repository.commit("old name.txt", "a\nb\nc\nd\n");
    let (id, path) = desk.branch("side");
    git(&path, &["mv", "old name.txt", "新しい.txt"]);
    fs::remove_file(path.join("README.md")).unwrap();
    fs::write(path.join("blob"), b"\0\x01").unwrap();
    fs::write(path.join("-n"), "no line end").unwrap();
    fs::write(path.join("large"), "x\n".repeat(100_000)).unwrap();
    let diff = desk.diff(&id, "");
    let file = |name: &str| {
        let mut files = diff["files"].as_array().unwrap().iter();
        files.find(|file| file["path"] == name).unwrap()
    };
    assert_eq!(file("新しい.txt")["old_path"], "old name.txt");
    assert_eq!(file("README.md")["status"], "deleted");
    assert_eq!(file("blob")["binary"], true);
    assert!(
        file("-n")["patch"]
            .as_str()
            .unwrap()
            .ends_with("\\ No newline at end of file\n")
    );
    assert_eq!(
        (&file("large")["truncated"], &diff["truncated"]),
        (&json!(true), &json!(true))
    );
    let one = desk.diff(&id, "?path=large");
    assert_eq!(one["files"].as_array().unwrap().len(), 1);
    assert_eq!(one["files"][0]["truncated"], false);
}

#[test]
fn a_file_is_shown_as_it_was_before_the_branch() {
    let desk = Desk::new();
    let (id, path) = desk.branch("docs");
    let before = |query: &str| {
        let url = format!("/api/worktrees/{id}/before/{query}");
        desk.browser.get(&url)
    };
    let old = fs::read_to_string(path.join("README.md")).unwrap();
    commit(&path, "README.md", "rewritten\n");
    fs::write(path.join("README.md"), "and once more\n").unwrap();
    fs::write(path.join("new.md"), "new\n").unwrap();

    let found = before("README.md").ok();
    assert_eq!(
        (&found["text"], &found["binary"]),
        (&json!(old), &json!(false))
    );
    assert_eq!(
        before("./README.md?against=head").ok()["text"],
        "rewritten\n"
    );
    before("new.md").refused(404, "no_such_file");
    before("..%2F..%2Fetc%2Fpasswd").refused(403, "outside");
    before(".git%2Fconfig").refused(403, "outside");
    before("README.md?against=--help").refused(400, "bad_ref");
}
