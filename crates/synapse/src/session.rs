//! One agent: the actor that owns its terminal, its screen, its queue and its running turn, and
//! the handle by which everybody else asks for things. Knows no HTTP.

mod actor;
mod board;
mod command;
mod order;
mod queue;
mod turn;

pub use actor::{Session, Setup};
pub use board::{Board, Posted, Record};
pub use command::{Attached, Command, Look, Receipt, Refusal, SessionHandle, Submission};
pub use queue::{Order, Priority, Queue, QueueFull};
pub use turn::{Effect, Ending, Turn, TurnError};
