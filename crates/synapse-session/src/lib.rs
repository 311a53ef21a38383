//! One agent: the actor that owns its terminal, screen, queue and running turn, and the handle through
//! which everybody else talks to it. Knows no HTTP.
#![forbid(unsafe_code)]

mod actor;
mod arrivals;
mod board;
pub mod cli_hooks;
mod command;
mod files;
mod follow;
mod front;
mod handle;
mod hold;
mod journal;
mod ledger;
mod notice;
mod order;
mod outbox_request;
mod outgoing;
mod own_messages;
mod queue;
pub mod turn;

use synapse_a2a::event::Timestamp;
use synapse_pty::Exit;
use synapse_store::lives::End;

pub use actor::{HookSetup, RoutingSetup, Session, Setup, Under, Voice};
pub use board::{Board, Counts, News, NumberedEvent, Record, What};
pub use command::{
    AcceptedTask, Answer, Command, Explanation, Look, Receipt, Refusal, Standing, TerminalView,
    TurnUsage,
};
pub use follow::{Follow, is_last};
pub use handle::{SessionHandle, Submission};
pub use ledger::Ledger;
pub use outbox_request::{Author, Dispatch, LineTarget, Notice, OutboxRequest};
pub use queue::{Order, Priority, Queue, QueueFull};
pub use turn::{HookFact, TurnError};

/// How a run ended by which nobody asked the program to end. Ctrl-C is a person's.
pub fn end_of(exit: Exit) -> End {
    const INTERRUPTED: Exit = Exit::Signal(2);
    match exit {
        // What ended in somebody's pane and nobody told us of is not called a death.
        INTERRUPTED | Exit::Code(130) | Exit::Unknown => End::Stopped,
        Exit::Code(code) => End::Exited(code),
        Exit::Signal(signal) => End::Killed(signal),
    }
}

/// The time, as events carry it.
fn timestamp() -> Timestamp {
    let millis = jiff::Timestamp::now().as_millisecond();
    Timestamp(u64::try_from(millis).unwrap_or_default())
}
