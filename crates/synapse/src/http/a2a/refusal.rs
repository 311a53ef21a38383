//! What the session and the store refuse, in the words of the protocol.

use synapse_a2a::wire::protocol_error::ProtocolError;

use super::super::problem::Problem;
use synapse_session::Refusal;

/// Why the session did not do it.
pub(super) fn by_session(refusal: Refusal) -> ProtocolError {
    let said = refusal.to_string();
    match refusal {
        Refusal::QueueFull(_) => ProtocolError::Busy(said),
        Refusal::NoSuchTask(task) => ProtocolError::TaskNotFound(task),
        Refusal::TooManyHops(_) => ProtocolError::field("message.metadata.hops", said),
        Refusal::BadAnswer(_) | Refusal::Empty => ProtocolError::field("message.parts", said),
        Refusal::NotAsking(_)
        | Refusal::Changed { .. }
        | Refusal::Over(_)
        | Refusal::NotWaiting(_)
        | Refusal::NoTaskAtHand
        | Refusal::NoKey
        | Refusal::Replied => ProtocolError::Unsupported(said),
        Refusal::NoReaction(_) => ProtocolError::Internal(said),
        Refusal::NotDurable(_) => ProtocolError::NoSpace(said),
        Refusal::Unconfirmed { task, .. } => ProtocolError::Unknown {
            task: task.to_string(),
            said,
        },
        Refusal::Stopping => ProtocolError::Unavailable(said),
    }
}

/// Why the store did not give it.
pub(super) fn by_store(problem: &Problem) -> ProtocolError {
    ProtocolError::Internal(problem.said().to_owned())
}
