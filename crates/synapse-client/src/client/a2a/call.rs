//! Builds requests in each dialect.

use hyper::Method;
use serde_json::{Map, Value, json};

use super::super::segment;
use super::{Dialect, Interface, Operation, Outgoing};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// One request, ready to be sent.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) body: Option<Value>,
    pub(super) accept: &'static str,
}

impl Interface {
    /// The request for an operation.
    pub(super) fn call(&self, operation: Operation<'_>) -> Call {
        match self.dialect {
            Dialect::RpcV1 | Dialect::RpcV03 => self.rpc(operation),
            Dialect::RestV1 => self.rest(operation),
            Dialect::Native => self.native(operation),
        }
    }

    fn rpc(&self, operation: Operation<'_>) -> Call {
        let is_v1 = self.dialect == Dialect::RpcV1;
        let (newer, older) = match operation {
            Operation::Send { .. } => ("SendMessage", "message/send"),
            Operation::Stream(_) => ("SendStreamingMessage", "message/stream"),
            Operation::Get(_) => ("GetTask", "tasks/get"),
            Operation::Cancel(_) => ("CancelTask", "tasks/cancel"),
            Operation::Subscribe(_) => ("SubscribeToTask", "tasks/resubscribe"),
        };
        let mut params = match operation {
            Operation::Send { outgoing, waits } => self.params(outgoing, waits),
            Operation::Stream(outgoing) => self.params(outgoing, true),
            Operation::Get(id) | Operation::Cancel(id) | Operation::Subscribe(id) => {
                json!({ "id": id })
            }
        };
        if let (Some(tenant), Some(params)) = (&self.tenant, params.as_object_mut()) {
            params.insert("tenant".to_owned(), json!(tenant));
        }
        let method = if is_v1 { newer } else { older };
        Call {
            method: Method::POST,
            url: self.url.clone(),
            body: Some(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })),
            accept: accept(operation),
        }
    }

    fn rest(&self, operation: Operation<'_>) -> Call {
        let tenant = self
            .tenant
            .as_deref()
            .map(|name| format!("/{}", segment(name)));
        let base = format!(
            "{}{}",
            self.url.trim_end_matches('/'),
            tenant.unwrap_or_default()
        );
        let (method, path, body) = match operation {
            Operation::Send { outgoing, waits } => {
                let body = self.params(outgoing, waits);
                (Method::POST, "/message:send".to_owned(), Some(body))
            }
            Operation::Stream(outgoing) => {
                let body = self.params(outgoing, true);
                (Method::POST, "/message:stream".to_owned(), Some(body))
            }
            Operation::Get(id) | Operation::Cancel(id) | Operation::Subscribe(id) => {
                about_task(operation, id, ':')
            }
        };
        Call {
            method,
            url: format!("{base}{path}"),
            body,
            accept: accept(operation),
        }
    }

    fn native(&self, operation: Operation<'_>) -> Call {
        let base = self.url.trim_end_matches('/');
        let send = |path: &str, outgoing: &Outgoing| {
            let mut message = Map::from_iter([
                ("role".to_owned(), json!("user")),
                ("parts".to_owned(), json!(self.parts(outgoing))),
            ]);
            note(&mut message, outgoing);
            let body = json!({ "message": message });
            (Method::POST, path.to_owned(), Some(body))
        };
        let (method, path, body) = match operation {
            Operation::Send { outgoing, .. } | Operation::Stream(outgoing)
                if outgoing.task.is_some() =>
            {
                let id = outgoing.task.as_deref().unwrap_or_default();
                let body = json!({ "input": outgoing.message.words() });
                (
                    Method::POST,
                    format!("/tasks/{}/input", segment(id)),
                    Some(body),
                )
            }
            Operation::Send { outgoing, .. } => match outgoing.priority {
                Some(priority) => send(
                    &format!("/tasks/send-priority?priority={priority}"),
                    outgoing,
                ),
                None => send("/tasks/send", outgoing),
            },
            Operation::Stream(outgoing) => send("/tasks/sendSubscribe", outgoing),
            Operation::Get(id) | Operation::Cancel(id) | Operation::Subscribe(id) => {
                about_task(operation, id, '/')
            }
        };
        Call {
            method,
            url: format!("{base}{path}"),
            body,
            accept: accept(operation),
        }
    }

    /// What goes with a message in 1.0 and 0.3.
    fn params(&self, outgoing: &Outgoing, waits: bool) -> Value {
        let is_old = self.dialect == Dialect::RpcV03;
        let role = if is_old { "user" } else { "ROLE_USER" };
        let mut message = Map::from_iter([
            ("messageId".to_owned(), json!(outgoing.message.id.as_str())),
            ("role".to_owned(), json!(role)),
            ("parts".to_owned(), json!(self.parts(outgoing))),
        ]);
        if is_old {
            message.insert("kind".to_owned(), json!("message"));
        }
        for (name, known) in [("contextId", &outgoing.context), ("taskId", &outgoing.task)] {
            if let Some(known) = known {
                message.insert(name.to_owned(), json!(known));
            }
        }
        note(&mut message, outgoing);
        let configuration = if is_old {
            json!({ "blocking": waits })
        } else {
            json!({ "returnImmediately": !waits })
        };
        json!({ "message": message, "configuration": configuration })
    }

    fn parts(&self, outgoing: &Outgoing) -> Vec<Value> {
        let parts = outgoing.message.parts.iter();
        parts.map(|part| self.dialect.part(part)).collect()
    }
}

/// Method, path and body of what is done to a task; `mark` stands between the task and that.
fn about_task(operation: Operation<'_>, id: &str, mark: char) -> (Method, String, Option<Value>) {
    let task = format!("/tasks/{}", segment(id));
    match operation {
        Operation::Cancel(_) => (Method::POST, format!("{task}{mark}cancel"), Some(json!({}))),
        Operation::Subscribe(_) => (Method::GET, format!("{task}{mark}subscribe"), None),
        _ => (Method::GET, task, None),
    }
}

/// What our own agents read beside the words; others pass it over.
fn note(message: &mut Map<String, Value>, outgoing: &Outgoing) {
    let noted = &outgoing.message.metadata;
    if !noted.is_empty() {
        message.insert("metadata".to_owned(), json!(noted));
    }
}

fn accept(operation: Operation<'_>) -> &'static str {
    match operation {
        Operation::Stream(_) | Operation::Subscribe(_) => EVENTS,
        _ => JSON,
    }
}

#[cfg(test)]
mod tests {
    use synapse_a2a::id::MessageId;
    use synapse_a2a::message::{Message, Role};

    use super::*;

    fn interface(dialect: Dialect) -> Interface {
        Interface {
            url: "https://agents.example/a/".to_owned(),
            dialect,
            tenant: None,
            streams: true,
        }
    }

    fn outgoing() -> Outgoing {
        let message = Message::text(MessageId::new("m"), Role::User, "hi");
        Outgoing::new(message)
    }

    #[test]
    fn a_message_is_sent_in_the_words_of_each_dialect() {
        let outgoing = Outgoing {
            context: Some("c".to_owned()),
            ..outgoing()
        };
        let send = Operation::Send {
            outgoing: &outgoing,
            waits: false,
        };
        let call = interface(Dialect::RpcV1).call(send);
        assert_eq!(call.url, "https://agents.example/a/", "as the card has it");
        assert_eq!(
            call.body.unwrap(),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {
                "message": { "messageId": "m", "role": "ROLE_USER", "contextId": "c", "parts": [{ "text": "hi" }] },
                "configuration": { "returnImmediately": true },
            } })
        );
        let call = interface(Dialect::RestV1).call(send);
        assert_eq!(call.url, "https://agents.example/a/message:send");
        let call = interface(Dialect::RpcV03).call(send);
        assert_eq!(
            call.body.unwrap(),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {
                "message": { "kind": "message", "messageId": "m", "role": "user", "contextId": "c",
                    "parts": [{ "kind": "text", "text": "hi" }] },
                "configuration": { "blocking": false },
            } })
        );
        let call = interface(Dialect::Native).call(send);
        assert_eq!(call.url, "https://agents.example/a/tasks/send");
        assert_eq!(
            call.body.unwrap(),
            json!({ "message": { "role": "user", "parts": [{ "type": "text", "text": "hi" }] } })
        );
    }

    #[test]
    fn an_answer_to_a_question_names_its_task() {
        let outgoing = Outgoing {
            task: Some("t".to_owned()),
            ..outgoing()
        };
        let send = Operation::Send {
            outgoing: &outgoing,
            waits: true,
        };
        let call = interface(Dialect::RpcV1).call(send);
        assert_eq!(call.body.unwrap()["params"]["message"]["taskId"], "t");
        let call = interface(Dialect::Native).call(send);
        assert_eq!(call.url, "https://agents.example/a/tasks/t/input");
        assert_eq!(call.body.unwrap(), json!({ "input": "hi" }));
    }

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        let get = Operation::Get("../x?y#z/é");
        let call = interface(Dialect::RestV1).call(get);
        assert_eq!(
            call.url,
            "https://agents.example/a/tasks/..%2Fx%3Fy%23z%2F%C3%A9"
        );
        assert_eq!(segment(".."), "%2E%2E");
    }

    #[test]
    fn one_of_several_agents_is_named() {
        let several = |dialect| Interface {
            tenant: Some("blue".to_owned()),
            ..interface(dialect)
        };
        let call = several(Dialect::RestV1).call(Operation::Cancel("t"));
        assert_eq!(call.url, "https://agents.example/a/blue/tasks/t:cancel");
        let call = several(Dialect::RpcV1).call(Operation::Subscribe("t"));
        assert_eq!(
            call.body.unwrap()["params"],
            json!({ "id": "t", "tenant": "blue" })
        );
        assert_eq!(call.accept, EVENTS);
    }
}
