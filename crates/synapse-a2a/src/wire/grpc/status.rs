//! How a call ended, as its trailers say it: a code, words for a person, and the reason and the fields for a program.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

use super::frame::FrameError;
use super::protobuf::{Malformed, Writer};
use super::schema::{BAD_REQUEST, ERROR_INFO};
use super::{Misfit, encode};
use crate::wire::protocol_error::ProtocolError;

/// The longest text of a person's words, in bytes; each may take three in a trailer. Clients refuse trailers of more
/// than 8 KiB.
const LONGEST_MESSAGE: usize = 512;
/// The most that the details may take before they are base64.
const LONGEST_DETAILS: usize = 3 << 10;

/// The codes of gRPC that we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Ok = 0,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    Unauthenticated = 16,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub code: Code,
    message: String,
    /// `google.protobuf.Any`, each written.
    details: Vec<Vec<u8>>,
}

impl Status {
    /// All is well.
    pub const OK: Self = Self {
        code: Code::Ok,
        message: String::new(),
        details: Vec::new(),
    };

    /// An end with words for a person.
    pub fn new(code: Code, message: &str) -> Self {
        Self {
            code,
            message: cut(message, LONGEST_MESSAGE).to_owned(),
            details: Vec::new(),
        }
    }

    /// The headers of the trailers that say so.
    pub fn trailers(&self) -> Vec<(&'static str, String)> {
        let code = self.code as u8;
        let mut trailers = vec![("grpc-status", code.to_string())];
        if !self.message.is_empty() {
            trailers.push(("grpc-message", escape(&self.message)));
        }
        if !self.details.is_empty() {
            let mut writer = Writer::default();
            writer.varint(1, code.into());
            writer.bytes(2, self.message.as_bytes());
            for detail in &self.details {
                writer.bytes(3, detail);
            }
            let details = STANDARD_NO_PAD.encode(writer.done());
            trailers.push(("grpc-status-details-bin", details));
        }
        trailers
    }
}

impl From<&ProtocolError> for Status {
    fn from(error: &ProtocolError) -> Self {
        let code = match (error, error.status()) {
            (ProtocolError::NoMethod(_), _) | (_, "UNIMPLEMENTED") => Code::Unimplemented,
            (_, "INVALID_ARGUMENT") => Code::InvalidArgument,
            (_, "NOT_FOUND") => Code::NotFound,
            (_, "FAILED_PRECONDITION") => Code::FailedPrecondition,
            (_, "RESOURCE_EXHAUSTED") => Code::ResourceExhausted,
            (_, "UNAVAILABLE") => Code::Unavailable,
            (_, "UNKNOWN") => Code::Unknown,
            _ => Code::Internal,
        };
        Self {
            details: details(error),
            ..Self::new(code, &error.to_string())
        }
    }
}

impl From<&FrameError> for Status {
    fn from(error: &FrameError) -> Self {
        let code = match error {
            FrameError::Compressed => Code::Unimplemented,
            FrameError::TooLarge { .. } => Code::ResourceExhausted,
            FrameError::Short | FrameError::More => Code::InvalidArgument,
        };
        Self::new(code, &error.to_string())
    }
}

impl From<&Malformed> for Status {
    fn from(error: &Malformed) -> Self {
        let error = ProtocolError::InvalidRequest(error.to_string());
        Self::from(&error)
    }
}

impl From<&Misfit> for Status {
    fn from(error: &Misfit) -> Self {
        let error = ProtocolError::Internal(error.to_string());
        Self::from(&error)
    }
}

/// The reason and the fields that were wrong, as many of them as fit.
fn details(error: &ProtocolError) -> Vec<Vec<u8>> {
    let mut room = LONGEST_DETAILS;
    let mut fits = |detail: &Vec<u8>| match room.checked_sub(detail.len()) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    let mut written = Vec::new();
    for mut detail in error.details() {
        let Some(members) = detail.as_object_mut() else {
            continue;
        };
        let kind = members.remove("@type");
        let Some(kind) = kind.as_ref().and_then(Value::as_str) else {
            continue;
        };
        let schema = if kind.ends_with(".BadRequest") {
            &BAD_REQUEST
        } else {
            &ERROR_INFO
        };
        // What a client sent may stand in here, however long it is: then a part of it is left out.
        loop {
            let any = encode::message(schema, &detail).map(|bytes| any(kind, &bytes));
            match any {
                Ok(any) if fits(&any) => {
                    written.push(any);
                    break;
                }
                Ok(_) if shorten(&mut detail) => {}
                _ => break,
            }
        }
    }
    written
}

/// Leaves out a part of a detail; whether there was one.
fn shorten(detail: &mut Value) -> bool {
    if let Some(Value::Array(violations)) = detail.get_mut("fieldViolations") {
        violations.truncate(violations.len() / 2);
        return !violations.is_empty();
    }
    let members = detail.as_object_mut();
    members.is_some_and(|members| members.remove("metadata").is_some())
}

/// A `google.protobuf.Any`.
fn any(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.bytes(1, kind.as_bytes());
    writer.bytes(2, bytes);
    writer.done()
}

/// The beginning of a text.
fn cut(text: &str, most: usize) -> &str {
    let end = text.floor_char_boundary(most);
    text.get(..end).unwrap_or(text)
}

/// Text as it may stand in a trailer.
fn escape(text: &str) -> String {
    use std::fmt::Write as _;
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if (b' '..=b'~').contains(&byte) && byte != b'%' {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}
