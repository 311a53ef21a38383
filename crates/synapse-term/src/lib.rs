//! What is on a terminal's screen, and what does it mean?
//!
//! Bytes become a [`screen::Screen`], the screen a [`frame::Frame`], the frame a
//! [`reading::Reading`]: starting, idle, busy, asking or exited, each with its evidence. A
//! [`watch::Watcher`] does it all for one program. This crate is pure: no clock (time is an
//! argument), no files, no sockets, no threads.
#![forbid(unsafe_code)]

pub mod cast;
pub mod chrome;
pub mod frame;
pub mod judge;
pub mod keys;
pub mod learn;
mod pattern;
pub mod profile;
pub mod prompt;
pub mod reading;
pub mod reply;
pub mod router;
pub mod screen;
pub mod settle;
pub mod signal;
pub mod watch;
