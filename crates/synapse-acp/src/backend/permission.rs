//! A permission that a CLI asks for: the options as people are offered them, and what is answered. Pure.

use serde_json::{Value, json};
use synapse_session::cli_hooks::Permission;
use synapse_term::prompt::Assent;

use super::narration::subject;

/// A permission that was asked for.
#[derive(Debug)]
pub(super) struct Request {
    /// The ids of the options, in their order.
    ids: Vec<String>,
    pub(super) permission: Permission,
}

impl Request {
    /// Reads the params of `session/request_permission`; nothing where there is nothing to choose.
    pub(super) fn read(params: &Value) -> Option<Self> {
        let call = params.get("toolCall").unwrap_or(&Value::Null);
        let text = |name: &str| call.get(name).and_then(Value::as_str);
        let options = params.get("options").and_then(Value::as_array);
        let options = options.into_iter().flatten().filter_map(|option| {
            let text = |name: &str| option.get(name).and_then(Value::as_str);
            let kind = text("kind").unwrap_or_default();
            Some((text("optionId")?, text("name").unwrap_or(kind), kind))
        });
        let options: Vec<(&str, &str, &str)> = options.collect();
        if options.is_empty() {
            return None;
        }
        // Where every option goes on, and none goes further than the others, one is to be chosen.
        let is_choice = options.len() > 1 && options.iter().all(|(.., kind)| *kind == "allow_once");
        let ids = options.iter().map(|(id, ..)| (*id).to_owned()).collect();
        let options = options.iter().map(|(_, name, kind)| {
            if is_choice {
                (*name).to_owned()
            } else {
                label(name, kind)
            }
        });
        let title = text("title").or_else(|| text("kind"));
        let input = subject(call).map(|subject| json!({ "command": subject }));
        Some(Self {
            ids,
            permission: Permission {
                tool: title.unwrap_or("what it does not name").to_owned(),
                input: input.unwrap_or_else(|| call.get("rawInput").cloned().unwrap_or_default()),
                cwd: None,
                question: title
                    .filter(|title| title.ends_with('?'))
                    .map(str::to_owned),
                is_choice,
                options: options.collect(),
                call_id: text("toolCallId").map(str::to_owned),
            },
        })
    }

    /// What is answered for the option with this number.
    pub(super) fn chosen(&self, option: usize) -> Value {
        match self.ids.get(option) {
            Some(id) => json!({ "outcome": { "outcome": "selected", "optionId": id } }),
            None => cancelled(),
        }
    }
}

/// What is answered where nobody chose.
pub(super) fn cancelled() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

/// An option in words that say how far it goes, whatever the CLI calls it: nobody agrees to more than they read, and
/// `yes` never means "always".
fn label(name: &str, kind: &str) -> String {
    let says = |label: &str, wanted: Assent| Assent::of(label) == wanted;
    let (wanted, prefix, suffix) = match kind {
        "allow_once" => (Assent::Once, "Allow: ", ""),
        "allow_always" => (Assent::Wider, "Allow always: ", " (always)"),
        "reject_once" => (Assent::Refused, "Reject: ", ""),
        "reject_always" => (Assent::RefusedForGood, "Reject always: ", " (always)"),
        _ => return name.to_owned(),
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let candidates = [
        name.clone(),
        format!("{name}{suffix}"),
        format!("{prefix}{name}"),
    ];
    let fits = candidates.iter().find(|label| says(label, wanted));
    fits.cloned().unwrap_or_else(|| format!("{prefix}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(options: &Value) -> Request {
        let call =
            json!({ "toolCallId": "7", "title": "touch a", "rawInput": { "command": "touch a" } });
        Request::read(&json!({ "toolCall": call, "options": options })).unwrap()
    }

    #[test]
    fn an_option_says_how_far_it_goes() {
        let asked = request(&json!([
            { "optionId": "a", "name": "Proceed", "kind": "allow_once" },
            { "optionId": "b", "name": "Allow", "kind": "allow_always" },
            { "optionId": "c", "name": "Always Allow", "kind": "allow_always" },
            { "optionId": "d", "name": "No", "kind": "reject_once" },
            { "optionId": "e", "name": "No", "kind": "reject_always" },
        ]));
        let of = |label: &String| Assent::of(label);
        let options = &asked.permission.options;
        assert_eq!(
            options.iter().map(of).collect::<Vec<_>>(),
            [
                Assent::Once,
                Assent::Wider,
                Assent::Wider,
                Assent::Refused,
                Assent::RefusedForGood
            ],
            "{options:?}"
        );
        assert_eq!(asked.chosen(1)["outcome"]["optionId"], "b");
        assert_eq!(asked.chosen(9), cancelled());
    }

    #[test]
    fn options_that_all_go_on_are_a_choice_in_their_own_words() {
        let asked = request(&json!([
            { "optionId": "a", "name": "red", "kind": "allow_once" },
            { "optionId": "b", "name": "green", "kind": "allow_once" },
        ]));
        assert!(asked.permission.is_choice);
        assert_eq!(asked.permission.options, ["red", "green"]);
    }

    #[test]
    fn it_says_what_is_to_be_done() {
        let asked = request(&json!([{ "optionId": "a", "name": "Allow", "kind": "allow_once" }]));
        assert_eq!(asked.permission.call().input, "touch a");
        assert_eq!(asked.permission.options, ["Allow"]);
        assert!(Request::read(&json!({ "options": [] })).is_none());
    }
}
