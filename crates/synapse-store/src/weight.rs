//! Estimates the size of an event in bytes, the unit of our limits. Pure, and far cheaper than serialising
//! the event.

use serde_json::Value;
use synapse_a2a::artifact::Body;
use synapse_a2a::event::{Event, Fact, Status};
use synapse_a2a::message::{Content, Message, Part};

/// What an event takes that says nothing: its names, its time, its place.
const BARE: usize = 160;

/// The weight of an event.
pub(super) fn weight(event: &Event) -> usize {
    BARE + match &event.fact {
        Fact::Submitted { message, .. } | Fact::Answered { message } | Fact::Spoke { message } => {
            of_message(message)
        }
        Fact::Moved { status } => of_status(status),
        Fact::ArtifactOpened { body, .. } => of_body(body),
        Fact::ArtifactGrew { text, .. } | Fact::Noted { text } => text.len(),
        Fact::ArtifactExtended { parts, .. } => of_parts(parts),
        Fact::Stepped { step } => step.weight(),
        Fact::Acted { act } => act.value.len(),
        Fact::Replied { said } => said.text.len(),
        Fact::ArtifactClosed { .. } => 0,
    }
}

fn of_message(message: &Message) -> usize {
    of_parts(&message.parts) + message.metadata.values().map(of_value).sum::<usize>()
}

fn of_status(status: &Status) -> usize {
    match status {
        Status::InputRequired { question } => question.prompt.len(),
        Status::Failed { failure } => failure.message.len(),
        Status::Canceled { reason, .. } | Status::Rejected { reason } => reason.len(),
        Status::Submitted | Status::Working | Status::Completed => 0,
    }
}

fn of_body(body: &Body) -> usize {
    match body {
        Body::Text { text } | Body::Code { text, .. } | Body::Error { text, .. } => text.len(),
        Body::File { path } => path.len(),
        Body::Data { data } => of_value(data),
        Body::Parts { parts, .. } => of_parts(parts),
    }
}

fn of_parts(parts: &[Part]) -> usize {
    parts.iter().map(of_part).sum()
}

fn of_part(part: &Part) -> usize {
    let content = match &part.content {
        Content::Text { text } => text.len(),
        // Written as base64.
        Content::Raw { bytes } => bytes.len() / 3 * 4,
        Content::Url { url } => url.len(),
        Content::Data { data } => of_value(data),
    };
    content + part.metadata.values().map(of_value).sum::<usize>()
}

fn of_value(value: &Value) -> usize {
    const SCALAR: usize = 8;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => SCALAR,
        Value::String(text) => SCALAR + text.len(),
        Value::Array(values) => SCALAR + values.iter().map(of_value).sum::<usize>(),
        Value::Object(fields) => {
            SCALAR
                + fields
                    .iter()
                    .map(|(name, value)| name.len() + of_value(value))
                    .sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use synapse_a2a::event::Timestamp;
    use synapse_a2a::id::{ArtifactId, MessageId};
    use synapse_a2a::message::Role;

    use super::*;

    #[test]
    fn what_an_event_weighs_is_about_what_it_takes_when_written() {
        let parts = vec![
            Part::text("word ".repeat(2_000)),
            Part::data(json!({"list": vec!["item"; 500], "name": "x".repeat(5_000)})),
            Part::new(Content::Raw {
                bytes: vec![7; 30_000],
            }),
        ];
        let message = Message::new(MessageId::new("m"), Role::User, parts.clone());
        let artifact = ArtifactId::new("a");
        let facts = [
            Fact::Answered { message },
            Fact::ArtifactExtended { artifact, parts },
            Fact::Noted {
                text: String::new(),
            },
        ];
        for fact in facts {
            let at = Timestamp(1_700_000_000_000);
            let event = Event { at, fact };
            let written = serde_json::to_string(&event).unwrap().len();
            let weight = weight(&event);
            assert!(
                weight.abs_diff(written) < written / 5 + BARE,
                "{weight} for {written}"
            );
        }
    }
}
