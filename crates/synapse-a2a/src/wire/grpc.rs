//! The third binding of A2A 1.0: protocol buffers in the frames of gRPC. The messages are those of the JSON dialect,
//! which is the JSON form of the same definitions, so nothing is decided here: [`read`] turns bytes into the JSON that
//! the dialect reads, [`write()`] turns the JSON that it writes into bytes, and `schema` has the numbers of the fields.

mod decode;
mod encode;
mod frame;
mod protobuf;
mod schema;
mod status;
mod well_known;

#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::Value;

pub use encode::Misfit;
pub use frame::{FrameError, HEAD, Inbox, frame};
pub use protobuf::Malformed;
pub use status::{Code, Status};

use super::operation::Operation;
use super::protocol_error::ProtocolError;
use schema::Message;

/// What stands before the name of a method in the path of a call.
pub const SERVICE: &str = "/lf.a2a.v1.A2AService/";

/// Reads the message that asks for an operation.
///
/// # Errors
/// If the bytes are no such message.
pub fn read(operation: Operation, bytes: &[u8]) -> Result<Value, Malformed> {
    decode::message(request(operation), bytes)
}

/// Writes what came of an operation, or one frame of its stream.
///
/// # Errors
/// If it is not what the operation answers with.
pub fn write(operation: Operation, said: &Value) -> Result<Vec<u8>, Misfit> {
    encode::message(response(operation), said)
}

/// Reads how long a client waits for an answer (`grpc-timeout`).
///
/// # Errors
/// If it is not one to eight digits and a unit.
pub fn timeout(text: &str) -> Result<Duration, ProtocolError> {
    let wrong = || {
        ProtocolError::InvalidRequest(format!(
            "'{}' is no grpc-timeout such as 30S or 500m",
            text.chars().take(16).collect::<String>()
        ))
    };
    let digits = text.len().checked_sub(1).ok_or_else(wrong)?;
    let (digits, unit) = text.split_at_checked(digits).ok_or_else(wrong)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let count: u64 = digits.parse().map_err(|_| wrong())?;
    match unit {
        "H" => Ok(Duration::from_hours(count)),
        "M" => Ok(Duration::from_mins(count)),
        "S" => Ok(Duration::from_secs(count)),
        "m" => Ok(Duration::from_millis(count)),
        "u" => Ok(Duration::from_micros(count)),
        "n" => Ok(Duration::from_nanos(count)),
        _ => Err(wrong()),
    }
}

fn request(operation: Operation) -> &'static Message {
    match operation {
        Operation::Send | Operation::Stream => &schema::SEND_REQUEST,
        Operation::Get => &schema::GET_REQUEST,
        Operation::List => &schema::LIST_REQUEST,
        Operation::Cancel => &schema::CANCEL_REQUEST,
        Operation::Subscribe => &schema::SUBSCRIBE_REQUEST,
        Operation::PushSet => &schema::PUSH_CONFIG,
        Operation::PushGet | Operation::PushDelete => &schema::PUSH_REQUEST,
        Operation::PushList => &schema::PUSH_LIST_REQUEST,
        Operation::ExtendedCard => &schema::CARD_REQUEST,
    }
}

fn response(operation: Operation) -> &'static Message {
    match operation {
        Operation::Send => &schema::SENT,
        Operation::Stream | Operation::Subscribe => &schema::STREAMED,
        Operation::Get | Operation::Cancel => &schema::TASK,
        Operation::List => &schema::LISTED,
        Operation::PushSet | Operation::PushGet => &schema::PUSH_CONFIG,
        Operation::PushList => &schema::PUSH_LISTED,
        // No agent of ours has an extended card, so there is none to write.
        Operation::PushDelete | Operation::ExtendedCard => &schema::EMPTY,
    }
}
