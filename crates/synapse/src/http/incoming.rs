//! Reads request bodies, with errors that name the wrong field, and messages of the native dialect.

use std::convert::Infallible;

use axum::body::HttpBody as _;
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::{Json, RequestExt as _};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use synapse_a2a::event::Origin;
use synapse_a2a::id::MessageId;
use synapse_a2a::message::{Content, Message, Part, Role};

use super::guard::FORWARDED;
use super::problem::Problem;
use synapse_client::mesh::{MACHINE_HEADER, VIA_HEADER};
use synapse_serve::Peer;

/// A JSON body; one that cannot be used is answered with what is wrong with it.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned + 'static, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        match request.extract::<Json<T>, _>().await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => {
                let status = match rejection.status() {
                    // A body of the wrong shape is a bad request like any other.
                    StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
                    status => status,
                };
                Err(Problem::new(status, rejection.body_text()))
            }
        }
    }
}

/// A body that may be left out.
impl<T: DeserializeOwned + 'static, S: Send + Sync> OptionalFromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Problem> {
        if request.body().size_hint().exact() == Some(0) {
            return Ok(None);
        }
        <Self as FromRequest<S>>::from_request(request, state)
            .await
            .map(Some)
    }
}

/// A message: a string, or parts of the native dialect.
pub(super) fn message(value: &Value) -> Result<Message, Problem> {
    let new = || MessageId::new(uuid::Uuid::new_v4().to_string());
    if let Some(text) = value.as_str() {
        return Ok(Message::text(new(), Role::User, text));
    }
    let parts = value.get("parts").and_then(Value::as_array);
    let parts = parts.ok_or_else(|| Problem::bad("'message' must be a string or have 'parts'"))?;
    let parts = parts.iter().enumerate();
    let parts = parts
        .map(|(index, value)| part(index, value))
        .collect::<Result<Vec<_>, _>>()?;
    if parts.is_empty() {
        return Err(Problem::bad("'message.parts' is empty"));
    }
    let mut names = ["messageId", "message_id", "id"].iter();
    let id = names.find_map(|name| value.get(name)?.as_str());
    let id = id.map_or_else(new, MessageId::new);
    let metadata = value.get("metadata").and_then(Value::as_object).cloned();
    Ok(Message {
        metadata: metadata.unwrap_or_default(),
        ..Message::new(id, Role::User, parts)
    })
}

/// Where a request comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// From this machine, with nobody in between.
    Here,
    /// From elsewhere, or through a proxy.
    Elsewhere,
    /// From another machine of the mesh, as the bridge of this machine says, and through which agents.
    Machine { name: String, via: Vec<String> },
}

impl Caller {
    /// The machine of the mesh that a request comes from. Only who is on this machine, as its bridge is, is believed.
    fn machine(parts: &Parts) -> Option<Self> {
        let is_here = parts.extensions.get::<Peer>().is_some_and(Peer::is_here);
        let machine = parts.headers.get(MACHINE_HEADER).filter(|_| is_here)?;
        let via = parts.headers.get(VIA_HEADER).map(HeaderValue::as_bytes);
        let via = via.map(String::from_utf8_lossy).unwrap_or_default();
        let names = via.split(',').filter(|name| !name.is_empty());
        Some(Self::Machine {
            name: machine.to_str().ok()?.to_owned(),
            via: names.map(str::to_owned).collect(),
        })
    }

    /// The agents that whoever asks worked for, as far as bridges know.
    pub(super) fn via(&self) -> Vec<String> {
        match self {
            Self::Machine { via, .. } => via.clone(),
            Self::Here | Self::Elsewhere => Vec::new(),
        }
    }

    /// Where a request of a protocol comes from that anybody may speak: whoever speaks it is not taken for the person here.
    pub(super) fn of_protocol(parts: &Parts) -> Self {
        Self::machine(parts).unwrap_or(Self::Elsewhere)
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let is_here = parts.extensions.get::<Peer>().is_some_and(Peer::is_here);
        if let Some(machine) = Self::machine(parts) {
            return Ok(machine);
        }
        let is_forwarded = FORWARDED
            .iter()
            .any(|name| parts.headers.contains_key(name));
        Ok(if is_here && !is_forwarded {
            Self::Here
        } else {
            Self::Elsewhere
        })
    }
}

/// The longest name of a sender that is kept.
const SENDER: usize = 64;

/// Who a message is from, by its own account: a name of one line, which stands in what is typed to the program.
/// Who calls from elsewhere is not taken for the person whose agent this is.
pub(super) fn sender(said: Option<&str>, caller: &Caller) -> Result<String, Problem> {
    // An `@` stands before the name of a machine, which only the bridge knows.
    let is_named = |c: &char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '@');
    let name: String = said.unwrap_or_default().chars().filter(is_named).collect();
    let name: String = name.trim().chars().take(SENDER).collect();
    match (name.as_str(), caller) {
        (name, Caller::Machine { name: machine, .. }) => Ok(at(name, machine)),
        ("" | Origin::SOMEBODY, Caller::Elsewhere) => Ok(Origin::CLIENT.to_owned()),
        ("", _) => Ok(Origin::SOMEBODY.to_owned()),
        (Origin::KEYBOARD, _) => Err(Problem::bad(format!(
            "the sender '{name}' means a person at the agent's own keyboard, and nobody else"
        ))),
        _ => Ok(name),
    }
}

/// Who somebody is on another machine. Whatever a machine says of its own, it cannot name another one.
fn at(name: &str, machine: &str) -> String {
    let is_plain = |c: &char| !c.is_control() && *c != '@';
    let name: String = name.chars().filter(is_plain).take(SENDER).collect();
    let name = match name.as_str() {
        "" | Origin::KEYBOARD => Origin::SOMEBODY,
        name => name,
    };
    format!("{name}@{machine}")
}

/// Who answers, for those who read of it later.
pub(super) fn actor(said: Option<String>, caller: &Caller) -> Option<String> {
    match caller {
        Caller::Machine { name, .. } => Some(at(said.as_deref().unwrap_or_default(), name)),
        Caller::Here | Caller::Elsewhere => said,
    }
}

/// How many agents a message has passed through, by its own account.
pub(super) fn hops(message: &Message) -> u8 {
    let hops = message.metadata.get("hops").and_then(Value::as_u64);
    hops.and_then(|hops| u8::try_from(hops).ok()).unwrap_or(0)
}

fn part(index: usize, value: &Value) -> Result<Part, Problem> {
    if let Some(text) = value.get("text") {
        let text = text.as_str();
        let text = text.ok_or_else(|| wrong(index, "text", "must be a string"))?;
        return Ok(Part::text(text));
    }
    if let Some(data) = value.get("data") {
        return Ok(Part::data(data.clone()));
    }
    if let Some(file) = value.get("file").and_then(Value::as_object) {
        return file_part(index, file);
    }
    Err(wrong(index, "", "must have a 'text', a 'file' or 'data'"))
}

fn file_part(index: usize, file: &Map<String, Value>) -> Result<Part, Problem> {
    let text = |name: &str| file.get(name).and_then(Value::as_str);
    let content = match (text("bytes"), text("uri")) {
        (Some(bytes), None) => Content::Raw {
            bytes: STANDARD
                .decode(bytes)
                .map_err(|error| wrong(index, "file.bytes", &format!("is not base64: {error}")))?,
        },
        (None, Some(url)) => Content::Url {
            url: url.to_owned(),
        },
        _ => return Err(wrong(index, "file", "must have either 'bytes' or 'uri'")),
    };
    Ok(Part {
        media_type: text("mimeType").map(str::to_owned),
        filename: text("name").map(str::to_owned),
        ..Part::new(content)
    })
}

fn wrong(index: usize, field: &str, what: &str) -> Problem {
    let dot = if field.is_empty() { "" } else { "." };
    Problem::bad(format!("'message.parts[{index}]{dot}{field}' {what}"))
}
