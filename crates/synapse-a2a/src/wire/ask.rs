//! What a client asks for, read from the request of either binding.

use serde_json::{Map, Value};

use crate::id::TaskId;

use super::Dialect;
use super::operation::Operation;
use super::protocol_error::ProtocolError;
use super::request::{ListRequest, PushConfig, PushRequest, SendRequest, TaskRequest};
use super::rest::Target;
use super::{v01, v1, v03, v03_rest};

/// A request, whatever it was spelled like. A task may still be named by a name its client gave it.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A message, answered once.
    Send(SendRequest),
    /// A message, answered with a stream.
    Stream(SendRequest),
    /// A task as it stands.
    Get(TaskRequest),
    /// A page of tasks.
    List(ListRequest),
    /// The end of a task.
    Cancel(TaskId),
    /// What happens to a task from here on.
    Subscribe(TaskId),
    /// Notifications for a task.
    PushSet(TaskId, PushConfig),
    /// One place they go to.
    PushGet(PushRequest),
    /// Everywhere they go.
    PushList(TaskId),
    /// No longer there.
    PushDelete(PushRequest),
    /// What the agent tells of itself to those it knows.
    ExtendedCard,
}

impl Ask {
    /// Reads the parameters of a JSON-RPC call.
    ///
    /// # Errors
    /// If a field is missing or wrong.
    pub fn from_rpc(
        operation: Operation,
        dialect: Dialect,
        params: &Value,
    ) -> Result<Self, ProtocolError> {
        let is_v1 = dialect == Dialect::V1;
        let one = || match dialect {
            Dialect::V1 => v1::task_request(params),
            _ => v03::task_request(params),
        };
        let send = || match dialect {
            Dialect::V1 => v1::send_request(params),
            Dialect::V03 | Dialect::V03Rest => v03::send_request(params),
            Dialect::V01 => v01::send_request(params),
        };
        let push = || match dialect {
            Dialect::V1 => v1::push_request(params),
            _ => v03::push_request(params),
        };
        Ok(match operation {
            Operation::Send => Self::Send(send()?),
            Operation::Stream => Self::Stream(send()?),
            Operation::Get => Self::Get(one()?),
            Operation::List => Self::List(v1::list_request(params)?),
            Operation::Cancel => Self::Cancel(one()?.task),
            Operation::Subscribe => Self::Subscribe(one()?.task),
            Operation::PushSet => {
                let (task, config) = match dialect {
                    Dialect::V1 => v1::push_config(params, None)?,
                    Dialect::V03 | Dialect::V03Rest => v03::push_config(params)?,
                    Dialect::V01 => v01::push_config(params)?,
                };
                Self::PushSet(task, config)
            }
            Operation::PushGet => Self::PushGet(push()?),
            Operation::PushList if is_v1 => Self::PushList(v1::push_list_request(params)?),
            Operation::PushList => Self::PushList(push()?.task),
            Operation::PushDelete => Self::PushDelete(push()?),
            Operation::ExtendedCard => Self::ExtendedCard,
        })
    }

    /// Reads an HTTP+JSON request.
    ///
    /// # Errors
    /// If the body is not JSON, or a field is missing or wrong.
    pub fn from_rest(
        target: Target,
        dialect: Dialect,
        query: &Map<String, Value>,
        body: &[u8],
    ) -> Result<Self, ProtocolError> {
        let is_v1 = dialect == Dialect::V1;
        let json = || -> Result<Value, ProtocolError> {
            let read = serde_json::from_slice(body);
            read.map_err(|error| ProtocolError::NotJson(error.to_string()))
        };
        let send = || {
            let body = json()?;
            if is_v1 {
                v1::send_request(&body)
            } else {
                v03_rest::send_request(&body)
            }
        };
        let push = |task, id| PushRequest {
            task: TaskId::new(task),
            id: Some(id),
        };
        Ok(match target {
            Target::Send => Self::Send(send()?),
            Target::Stream => Self::Stream(send()?),
            Target::Get(task) if is_v1 => Self::Get(v1::task_query(&task, query)?),
            Target::Get(task) => Self::Get(v03_rest::task_query(&task, query)?),
            Target::List => Self::List(v1::list_query(query)?),
            Target::Cancel(task) => {
                check_empty(body)?;
                Self::Cancel(TaskId::new(task))
            }
            Target::Subscribe(task) => {
                check_empty(body)?;
                Self::Subscribe(TaskId::new(task))
            }
            Target::PushSet(task) => {
                let body = json()?;
                let config = if is_v1 {
                    v1::push_config(&body, Some(&task))?.1
                } else {
                    v03_rest::push_config(&body)?
                };
                Self::PushSet(TaskId::new(task), config)
            }
            Target::PushList(task) => Self::PushList(TaskId::new(task)),
            Target::PushGet(task, id) => Self::PushGet(push(task, id)),
            Target::PushDelete(task, id) => Self::PushDelete(push(task, id)),
            Target::ExtendedCard => Self::ExtendedCard,
        })
    }
}

/// A request whose path says everything may have a body, but not a broken one.
fn check_empty(body: &[u8]) -> Result<(), ProtocolError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let read: Result<Map<String, Value>, _> = serde_json::from_slice(body);
    read.map(|_| ())
        .map_err(|error| ProtocolError::NotJson(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::request::History;

    #[test]
    fn the_same_is_asked_for_in_every_binding() {
        let expected = Ask::Get(TaskRequest {
            task: TaskId::new("t"),
            history: History::Last(2),
        });
        let params = json!({ "id": "t", "historyLength": 2 });
        for dialect in [Dialect::V1, Dialect::V03, Dialect::V01] {
            let read = Ask::from_rpc(Operation::Get, dialect, &params);
            assert_eq!(read, Ok(expected.clone()), "{dialect:?}");
        }
        let query = crate::wire::rest::query(Some("historyLength=2"));
        for dialect in [Dialect::V1, Dialect::V03Rest] {
            let read = Ask::from_rest(Target::Get("t".into()), dialect, &query, b"");
            assert_eq!(read, Ok(expected.clone()), "{dialect:?}");
        }
    }

    #[test]
    fn a_cancel_needs_no_body_and_takes_no_broken_one() {
        let cancel = |body: &str| {
            let target = Target::Cancel("t".into());
            Ask::from_rest(target, Dialect::V1, &Map::new(), body.as_bytes())
        };
        for body in ["", " \n", "{}", r#"{"metadata":{}}"#] {
            assert_eq!(cancel(body), Ok(Ask::Cancel(TaskId::new("t"))), "{body}");
        }
        assert_eq!(cancel("{").unwrap_err().code(), -32700);
    }

    #[test]
    fn a_message_without_a_body_is_not_json() {
        let read = Ask::from_rest(Target::Send, Dialect::V1, &Map::new(), b"");
        assert_eq!(read.unwrap_err().code(), -32700);
    }
}
