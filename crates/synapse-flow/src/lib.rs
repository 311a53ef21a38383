//! Flows: several agents, one goal. Reads a flow from YAML, finds what is wrong with it, and decides which step comes
//! next. Pure: no files, sockets, processes or clock; whoever runs a flow acts and tells what happened.
//!
//! A run is a fold over its events, so a runner that was killed anywhere goes on from what is on disk.
#![forbid(unsafe_code)]

mod check;
pub mod event;
mod expr;
pub mod flow;
pub mod inputs;
pub mod plan;
pub mod problem;
mod read;
pub mod reply;
pub mod run;
pub mod schedule;
pub mod schema;
pub mod shipped;
pub mod simulate;
pub mod template;
pub mod view;

pub use event::{Event, Fact, Key, Outcome};
pub use flow::Flow;
pub use problem::Problem;
pub use run::Run;
pub use schedule::Action;
