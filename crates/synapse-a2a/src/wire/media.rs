//! Media types: which parts an agent takes, by the modes its card declares.

use crate::message::Message;
use crate::wire::protocol_error::ProtocolError;

/// Refuses a message with a part of a kind that is not declared. Parts that do not say what they are, are
/// fine.
///
/// # Errors
/// Names the first such part.
pub fn check(message: &Message, modes: &[String]) -> Result<(), ProtocolError> {
    for (at, part) in message.parts.iter().enumerate() {
        let Some(kind) = &part.media_type else {
            continue;
        };
        if !modes.iter().any(|mode| covers(mode, kind)) {
            return Err(ProtocolError::ContentType(format!(
                "'message.parts[{at}]' is {kind}, but this agent takes {}",
                modes.join(", ")
            )));
        }
    }
    Ok(())
}

/// Whether a mode such as `text/*` covers a media type. Parameters behind `;` do not count.
fn covers(mode: &str, kind: &str) -> bool {
    let (mode, kind) = (essence(mode), essence(kind));
    if mode == "*/*" || mode.eq_ignore_ascii_case(kind) {
        return true;
    }
    let (Some(range), Some((family, _))) = (mode.strip_suffix("/*"), kind.split_once('/')) else {
        return false;
    };
    range.eq_ignore_ascii_case(family)
}

fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or(kind).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::MessageId;
    use crate::message::{Part, Role};

    #[test]
    fn a_mode_covers_itself_its_parameters_and_its_family() {
        assert!(covers("text/plain", "Text/Plain; charset=utf-8"));
        assert!(covers("image/*", "image/png"));
        assert!(covers("*/*", "application/x-anything"));
        assert!(!covers("text/*", "application/json"));
        assert!(!covers("text/plain", "text/html"));
        assert!(!covers("text/*", "nonsense"));
    }

    #[test]
    fn the_part_that_is_not_taken_is_named() {
        let mut parts = vec![Part::text("look"), Part::text("x")];
        parts[1].media_type = Some("video/mp4".into());
        let message = Message::new(MessageId::new("m"), Role::User, parts);
        let modes = ["text/*".to_owned()];
        let error = check(&message, &modes).unwrap_err();
        assert_eq!(error.code(), -32005);
        assert!(error.to_string().contains("parts[1]"), "{error}");
    }
}
