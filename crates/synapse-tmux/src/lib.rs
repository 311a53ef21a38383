//! A program in somebody's tmux pane. We are guests there: a client in control mode reads what the program paints and
//! types what it is told, and the person's size, scrollback and screen stay as they are. It knows nothing of what the
//! bytes mean.
//!
//! `control`, `typist` and `screenful` are pure.
#![forbid(unsafe_code)]

mod client;
mod control;
mod pane;
mod screenful;
mod server;
mod typist;

pub use pane::{Adoption, open};
pub use server::{PaneInfo, Server, TmuxError};
