//! A question of an agent as an editor is asked it: the real options, each with how far it goes. Pure.

use serde_json::{Value, json};
use synapse_a2a::event::Question;
use synapse_client::native::{OptionShape, PromptShape};
use synapse_term::prompt::Assent;

use crate::wire::{
    PermissionKind, PermissionOption, ToolCall, ToolCallContent, ToolKind, ToolStatus,
};

/// How a question can be asked in an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It offers options.
    Options,
    /// It wants words.
    Words,
    /// It can be answered in the terminal alone: a password, or something nobody understood.
    Terminal,
}

impl Manner {
    pub(crate) fn of(prompt: &PromptShape) -> Self {
        match prompt.kind.as_str().unwrap_or_default() {
            "password" => Self::Terminal,
            _ if !prompt.options.is_empty() => Self::Options,
            "unknown" => Self::Terminal,
            _ => Self::Words,
        }
    }
}

/// The question of a task, where the screen shows none.
pub(crate) fn of_task(question: Question) -> PromptShape {
    let options = question.options.into_iter().map(|label| OptionShape {
        label,
        key: Value::Null,
    });
    PromptShape {
        kind: Value::String(question.kind),
        question: question.prompt,
        detail: String::new(),
        call: None,
        options: options.collect(),
        selected: None,
        default: question.default,
        fingerprint: question.fingerprint,
    }
}

/// The options of a question. Their ids are their places, from 1 on.
pub(crate) fn options(prompt: &PromptShape) -> Vec<PermissionOption> {
    let is_choice = prompt.kind == "selection";
    let options = prompt.options.iter().enumerate();
    options
        .map(|(index, option)| PermissionOption {
            option_id: (index + 1).to_string(),
            name: option.label.clone(),
            kind: match Assent::of(&option.label) {
                Assent::Refused => PermissionKind::RejectOnce,
                Assent::RefusedForGood => PermissionKind::RejectAlways,
                Assent::Wider if !is_choice => PermissionKind::AllowAlways,
                // What is not known to be narrow is not offered as if it were.
                Assent::Other if !is_choice && prompt.kind == "permission" => {
                    PermissionKind::AllowAlways
                }
                _ => PermissionKind::AllowOnce,
            },
        })
        .collect()
}

/// What to answer the agent for an option that was picked. A label, unless another option has it, too, or it could be
/// taken for the number of one.
pub(crate) fn value(prompt: &PromptShape, option_id: &str) -> Option<String> {
    let place: usize = option_id.parse().ok()?;
    let label = &prompt.options.get(place.checked_sub(1)?)?.label;
    let is_same = |other: &str| other.to_lowercase() == label.to_lowercase();
    let namesakes = prompt.options.iter().filter(|other| is_same(&other.label));
    let is_number = label.chars().all(|c| c.is_ascii_digit());
    Some(if namesakes.count() > 1 || is_number {
        place.to_string()
    } else {
        label.clone()
    })
}

/// What a question is about, as the call that waits for it.
pub(crate) fn call(prompt: &PromptShape, id: String) -> ToolCall {
    let command = prompt.call.as_ref();
    let title = match command {
        Some(call) if !call.input.is_empty() => {
            format!("{} `{}`", call.tool, one_line(&call.input))
        }
        _ => prompt.question.clone(),
    };
    let about = [prompt.detail.as_str(), prompt.question.as_str()];
    let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
    ToolCall {
        tool_call_id: id,
        title: Some(title),
        kind: Some(command.map_or(ToolKind::Other, |_| ToolKind::Execute)),
        status: Some(ToolStatus::Pending),
        content: vec![ToolCallContent::text(about.join("\n\n"))],
        locations: Vec::new(),
        raw_input: command.map(|call| json!({ "tool": call.tool, "input": call.input })),
    }
}

/// The form for a question that wants words.
pub(crate) fn form(session: &str, prompt: &PromptShape) -> Value {
    let mut field = json!({ "type": "string", "title": "Answer" });
    if let (Some(default), Some(fields)) = (&prompt.default, field.as_object_mut()) {
        fields.insert("default".to_owned(), json!(default));
    }
    json!({
        "sessionId": session,
        "mode": "form",
        "message": asked(prompt),
        "requestedSchema": { "type": "object", "properties": { "answer": field }, "required": ["answer"] },
    })
}

/// The question in words, with what stands beside it.
pub(crate) fn asked(prompt: &PromptShape) -> String {
    if prompt.detail.is_empty() {
        return prompt.question.clone();
    }
    format!("{}\n\n{}", prompt.detail, prompt.question)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use PermissionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};

    use super::*;

    fn prompt(kind: &str, labels: &[&str]) -> PromptShape {
        let options: Vec<Value> = labels
            .iter()
            .map(|label| json!({ "label": label, "key": "1" }))
            .collect();
        serde_json::from_value(json!({
            "kind": kind, "question": "May I?", "detail": "rm x", "options": options,
            "selected": null, "default": null, "fingerprint": "f",
            "call": { "tool": "Bash", "input": "rm\n x", "is_complete": true },
        }))
        .unwrap()
    }

    #[test]
    fn allow_always_is_kept_apart_from_allow_once() {
        let labels = [
            "Yes",
            "Yes, and don't ask again for rm commands",
            "Yes, allow all edits during this session",
            "No, and tell Claude what to do differently (esc)",
            "No, never ask again",
            "Switch to another plan",
        ];
        let kinds: Vec<PermissionKind> = options(&prompt("permission", &labels))
            .iter()
            .map(|option| option.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                AllowOnce,
                AllowAlways,
                AllowAlways,
                RejectOnce,
                RejectAlways,
                AllowAlways
            ]
        );
        let choice = options(&prompt("selection", &["Red", "All colours", "Cancel"]));
        let kinds: Vec<PermissionKind> = choice.iter().map(|option| option.kind).collect();
        assert_eq!(kinds, [AllowOnce, AllowOnce, RejectOnce]);
    }

    #[test]
    fn an_option_is_answered_by_its_label_unless_that_could_mean_another() {
        let one = prompt("selection", &["Red", "2", "red"]);
        assert_eq!(value(&one, "1").unwrap(), "1");
        assert_eq!(value(&one, "2").unwrap(), "2");
        assert_eq!(
            value(&prompt("permission", &["Yes", "No"]), "2").unwrap(),
            "No"
        );
        for bad in ["0", "4", "Yes", ""] {
            assert_eq!(value(&one, bad), None, "{bad}");
        }
    }

    #[test]
    fn a_password_is_never_asked_for_in_the_editor() {
        assert_eq!(Manner::of(&prompt("password", &[])), Manner::Terminal);
        assert_eq!(Manner::of(&prompt("password", &["ok"])), Manner::Terminal);
        assert_eq!(Manner::of(&prompt("unknown", &[])), Manner::Terminal);
        assert_eq!(Manner::of(&prompt("text", &[])), Manner::Words);
        assert_eq!(Manner::of(&prompt("unknown", &["Esc"])), Manner::Options);
    }

    #[test]
    fn the_call_names_the_command() {
        let call = call(&prompt("permission", &["Yes"]), "x".to_owned());
        assert_eq!(call.title.as_deref(), Some("Bash `rm x`"));
        assert_eq!(call.kind, Some(ToolKind::Execute));
    }
}
