//! The session file of pi: one JSON object per line, the first with the folder. Each answer says why the
//! model stopped.

use serde_json::Value;

use super::log::Entry;
use super::steps::{Call, Outcome, time};
use super::tokens::Took;
use super::{Asked, text, words};

pub(super) fn entries(line: &Value) -> Vec<Entry> {
    if text(line, "/type") == Some("session") {
        let folder = text(line, "/cwd").map(|cwd| Entry::Folder(cwd.to_owned()));
        return folder.into_iter().collect();
    }
    let content = line.pointer("/message/content").unwrap_or(&Value::Null);
    match text(line, "/message/role") {
        Some("user") => vec![Entry::Asked(Asked::new(words(content, "\n"), line))],
        Some("assistant") => answer(line, content),
        Some("toolResult") => {
            let is_error = line.pointer("/message/isError").and_then(Value::as_bool) == Some(true);
            let call = text(line, "/message/toolCallId");
            let ended = call.map(|id| Outcome::ok_unless(id, is_error, time(line)));
            ended.map(Entry::Result).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn answer(line: &Value, content: &Value) -> Vec<Entry> {
    let parts = || content.as_array().into_iter().flatten();
    let calls = parts().filter(|part| text(part, "/type") == Some("toolCall"));
    let calls = calls.filter_map(|part| {
        let name = text(part, "/name").unwrap_or_default();
        let input = part.get("arguments").unwrap_or(&Value::Null);
        Some(Call::new(text(part, "/id")?, name, input, time(line)))
    });
    let thoughts = parts().filter_map(|part| text(part, "/thinking"));
    let thoughts = thoughts.map(|words| Entry::Thought(words.to_owned()));
    let said = Entry::Said {
        text: words(content, "\n\n"),
        calls: calls.collect(),
    };
    let end = match text(line, "/message/stopReason") {
        Some("stop" | "length") => Some(Entry::Closed),
        Some("aborted") => Some(Entry::Interrupted),
        Some("error") => {
            let why = text(line, "/message/errorMessage").unwrap_or("the model failed");
            Some(Entry::Failed(why.to_owned()))
        }
        _ => None,
    };
    let took = Took::of_pi(line.get("message").unwrap_or(&Value::Null)).map(Entry::Took);
    thoughts.chain(took).chain([said]).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Verdict, turn_of};

    #[test]
    fn an_answer_says_why_it_ended() {
        let turn = |reason: &str| {
            let text = format!(
                r#"{{"type":"session","cwd":"/w"}}
{{"type":"message","message":{{"role":"user","content":[{{"type":"text","text":"a"}}]}}}}
{{"type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"b"}}],{reason}}}}}"#
            );
            turn_of(Kind::Pi, &text, "a").unwrap()
        };
        let done = turn(r#""stopReason":"stop""#);
        assert!(done.is_closed);
        assert_eq!(done.verdict, Some(Verdict::Replied("b".to_owned())));
        let failed = turn(r#""stopReason":"error","errorMessage":"400 no""#);
        assert_eq!(failed.verdict, Some(Verdict::Failed("400 no".to_owned())));
        let stopped = turn(r#""stopReason":"aborted""#);
        assert_eq!(stopped.verdict, Some(Verdict::Interrupted));
    }
}
