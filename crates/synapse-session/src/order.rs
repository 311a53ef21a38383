//! What a message looks like when it is typed.

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

/// What a program that talks in prose is told of a message.
const INTRODUCTION: &str = "[A2A:{task}:{sender}] {text}";

/// What makes a command of a line in chats that nobody has described.
pub(super) const CHAT_COMMANDS: &str = "!/";

/// What opens a menu in a chat: files, and in Codex skills.
const MENU_CHARS: [char; 2] = ['@', '$'];

/// A message as it is typed: by the profile's `own` template; without one introduced if `is_told`. Whatever
/// the template, no message begins with one of the characters that make a command of a line.
pub(super) fn introduce(
    own: Option<&str>,
    is_told: bool,
    commands: &str,
    words: &Words<'_>,
) -> String {
    let template = own.unwrap_or(if is_told { INTRODUCTION } else { "{text}" });
    let typed = fill(template, words);
    // Programs may drop blanks and invisible characters before they look at the first character.
    let is_skipped = |c: char| c.is_whitespace() || c.is_control() || !is_seen(c);
    let first = typed.chars().find(|c| !is_skipped(*c));
    if first.is_some_and(|first| commands.contains(first)) {
        return fill(INTRODUCTION, words);
    }
    typed
}

/// A message that opens no menu. At a word such as `@name` chats offer files, and then take Enter for the choice of one;
/// a blank behind the word ends it, and they drop it from what they send.
pub(super) fn closed(mut typed: String) -> String {
    let last = typed.rsplit(char::is_whitespace).next();
    if last.is_some_and(|word| word.contains(MENU_CHARS)) {
        typed.push(' ');
    }
    typed
}

/// Whether a character takes a place on the screen.
fn is_seen(c: char) -> bool {
    synapse_term::frame::width(c.encode_utf8(&mut [0; 4])) > 0
}

/// Fills a template in one pass, so that a message cannot smuggle in further names.
fn fill(template: &str, words: &Words<'_>) -> String {
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

    fn typed(own: Option<&str>, is_told: bool, commands: &str, text: &str) -> String {
        let words = Words {
            task: &TaskId::new("0123456789"),
            message_id: &MessageId::new("m"),
            context_id: &ContextId::new("c"),
            sender: "codex",
            priority: Priority::NORMAL,
            text,
        };
        introduce(own, is_told, commands, &words)
    }

    #[test]
    fn a_message_cannot_name_further_words() {
        let own = Some("[A2A:{task}:{sender}] {text} {else}");
        let typed = typed(own, false, "", "!ls {sender} {");
        assert_eq!(typed, "[A2A:23456789:codex] !ls {sender} { {else}");
    }

    #[test]
    fn only_who_is_told_something_by_it_gets_an_introduction() {
        assert_eq!(
            typed(None, true, "!/", "hello"),
            "[A2A:23456789:codex] hello"
        );
        assert_eq!(typed(None, false, "!/", "hello"), "hello");
        assert_eq!(
            typed(None, false, "", "!ls"),
            "!ls",
            "a shell gets it as it is"
        );
        assert_eq!(typed(Some("{text}"), true, "!/", "hello"), "hello");
    }

    #[test]
    fn no_message_ends_in_a_word_that_opens_a_menu() {
        let closed = |text: &str| super::closed(text.to_owned());
        assert_eq!(closed("look at @target"), "look at @target ");
        assert_eq!(closed("see\n(@"), "see\n(@ ");
        assert_eq!(closed("use $skill"), "use $skill ");
        for text in ["", "@target first", "look at @target ", "look"] {
            assert_eq!(closed(text), text);
        }
    }

    #[test]
    fn no_message_begins_with_a_command() {
        for text in [
            "!ls",
            "/quit",
            "  !ls",
            "\n/quit",
            "\u{200b}!ls",
            "\u{feff} /quit",
        ] {
            for own in [None, Some("{text}"), Some("{text} ({sender})")] {
                let typed = typed(own, false, "!/", text);
                assert_eq!(typed, format!("[A2A:23456789:codex] {text}"), "{own:?}");
            }
        }
        assert_eq!(typed(None, false, "!/", "what is /tmp?"), "what is /tmp?");
        assert_eq!(
            typed(Some("!{text}"), false, "", "ls"),
            "!ls",
            "no such characters"
        );
    }
}
