//! The hub as a browser meets it: the built binary, real agents, real git repositories.
#![cfg(test)]
#![allow(unreachable_pub, clippy::missing_panics_doc, reason = "this is a test")]

#[path = "../world/mod.rs"]
mod world;

mod agents;
mod auto_answer;
mod browser;
mod deaths;
mod door;
mod faults;
mod files;
mod former;
mod interrupt;
mod live;
mod login;
mod looking;
mod mesh;
mod page;
mod removal;
mod repository;
mod usage;
mod worktrees;
