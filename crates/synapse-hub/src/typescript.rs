//! The types of the wire as TypeScript, for the page: `web/src/generated/hub.ts`. Checked to be what the Rust types
//! say; `make docs` writes it.

use std::fmt::Write as _;
use std::path::Path;

use ts_rs::TS;

use super::shapes::{
    Agent, Asked, Choice, Device, Edge, Former, Node, NodeKind, Prompt, Receipt, Session, Status,
    TaskLine,
};
use super::worktrees::{Diff, DiffFile, Merged, Repository, Worktree};
use super::{auto_answer, deaths, files, live, usage};

const FILE: &str = "../../web/src/generated/hub.ts";

#[test]
fn the_page_knows_the_types_of_the_wire() {
    let mut text =
        "// Made from the Rust types by crates/synapse-hub/src/typescript.rs; do not edit.\n"
            .to_owned();
    for declaration in [
        Status::decl(),
        Agent::decl(),
        Former::decl(),
        Prompt::decl(),
        Asked::decl(),
        Choice::decl(),
        TaskLine::decl(),
        Edge::decl(),
        Node::decl(),
        NodeKind::decl(),
        Receipt::decl(),
        Session::decl(),
        Device::decl(),
        deaths::Death::decl(),
        usage::TurnUsage::decl(),
        Repository::decl(),
        Worktree::decl(),
        Diff::decl(),
        DiffFile::decl(),
        Merged::decl(),
        files::Folder::decl(),
        files::Entry::decl(),
        files::Contents::decl(),
        auto_answer::Rule::decl(),
        auto_answer::Used::decl(),
        live::Gone::decl(),
        live::Answer::decl(),
        live::Delta::decl(),
    ] {
        let _ = write!(text, "\nexport {declaration}\n");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("UPDATE_TYPES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "{FILE} is old; `make docs` writes it");
}
