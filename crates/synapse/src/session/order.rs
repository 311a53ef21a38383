//! What a message looks like when it is typed: the profile's template, filled in.

use synapse_a2a::id::{ContextId, MessageId, TaskId};

use super::Priority;

/// What a template may name.
pub(super) struct Words<'a> {
    pub(super) task: &'a TaskId,
    pub(super) message_id: &'a MessageId,
    pub(super) context_id: &'a ContextId,
    pub(super) sender: &'a str,
    pub(super) priority: Priority,
    pub(super) text: &'a str,
}

/// Fills a template in one pass, so that a message cannot smuggle in further names.
pub(super) fn fill(template: &str, words: &Words<'_>) -> String {
    let mut out = String::with_capacity(template.len() + words.text.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match name {
            "task" => out.push_str(short(words.task)),
            "message_id" => out.push_str(words.message_id.as_str()),
            "context_id" => out.push_str(words.context_id.as_str()),
            "sender" => out.push_str(words.sender),
            "priority" => out.push_str(&words.priority.number().to_string()),
            "text" => out.push_str(words.text),
            other => {
                out.push('{');
                out.push_str(other);
                out.push('}');
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The end of a task's name: enough to be told apart, short enough not to fill the line. The
/// beginning is the time, which neighbours share.
fn short(task: &TaskId) -> &str {
    let name = task.as_str();
    name.get(name.len().saturating_sub(8)..).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_name_further_words() {
        let words = Words {
            task: &TaskId::new("0123456789"),
            message_id: &MessageId::new("m"),
            context_id: &ContextId::new("c"),
            sender: "codex",
            priority: Priority::NORMAL,
            text: "!ls {sender} {",
        };
        let typed = fill("[A2A:{task}:{sender}] {text} {else}", &words);
        assert_eq!(typed, "[A2A:23456789:codex] !ls {sender} { {else}");
    }
}
