//! One rule: for whom, which command, which answer. Pure.
//!
//! A rule looks at the call that a question is about and at nothing else: what the screen says beside it may be
//! the words of the model, of a message, or of a file that somebody else wrote.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::command::{NotPlain, Pattern, words};
use crate::shapes::Asked;
use synapse_machine::handle::{Handle, HandleError};

/// Kinds of questions with options that a rule may pick. Text and passwords are for people.
const KINDS: [&str; 3] = ["permission", "confirmation", "selection"];
/// What programs call the tool that runs a command line.
const SHELLS: [&str; 6] = [
    "Bash",
    "Shell",
    "shell",
    "local_shell",
    "exec_command",
    "run_shell_command",
];
/// The longest text that is compared.
const LONGEST: usize = 500;

/// A rule as a person wishes it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    /// For all agents of this profile; this or `agent` is needed.
    #[serde(default)]
    profile: Option<String>,
    /// For the agent of this handle.
    #[serde(default)]
    agent: Option<String>,
    /// `permission`, `confirmation` or `selection`.
    kind: String,
    /// The whole command, word for word; `*` as its last word allows more plain words.
    #[serde(rename = "contains")]
    command: String,
    /// The label of the option to choose, exactly.
    choose: String,
}

/// Why a wish cannot be a rule.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadRule {
    #[error("a rule needs 'profile' or 'agent'")]
    ForNobody,
    #[error("there is no profile '{0}'; GET /api/profiles lists them")]
    Profile(String),
    #[error("'agent': {0}")]
    Agent(HandleError),
    #[error(
        "a rule cannot answer a '{0}' question; 'kind' is permission, confirmation or selection"
    )]
    Kind(String),
    #[error(
        "'contains' must be a command of plain words, with '*' at its end for more of them: {0}"
    )]
    NotPlain(NotPlain),
    #[error("'choose' is the label of the option to choose, and cannot be empty")]
    NoLabel,
    #[error("'{0}' has more than {LONGEST} characters")]
    TooLong(&'static str),
}

impl From<HandleError> for BadRule {
    fn from(why: HandleError) -> Self {
        Self::Agent(why)
    }
}

impl From<NotPlain> for BadRule {
    fn from(why: NotPlain) -> Self {
        Self::NotPlain(why)
    }
}

/// Why a rule leaves a question to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Left {
    #[error("the question does not say which command it is about")]
    NoCall,
    #[error("it is not about a command")]
    NoCommand,
    #[error("the command may be longer than what was seen of it")]
    Incomplete,
    #[error("a rule answers plain words only: {0}")]
    NotPlain(NotPlain),
    #[error("no rule names this command")]
    Other,
    #[error("the option that the rule chooses is missing or appears more than once")]
    NoOption,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Rule {
    pub(crate) id: String,
    profile: Option<String>,
    agent: Option<String>,
    #[cfg_attr(test, ts(type = "\"permission\" | \"confirmation\" | \"selection\""))]
    kind: String,
    #[serde(rename = "contains")]
    command: String,
    choose: String,
    /// The device it was made on.
    by: String,
    #[schema(value_type = String)]
    #[cfg_attr(test, ts(type = "string"))]
    created_at: Timestamp,
}

impl Wish {
    /// Makes it a rule, if it can be one.
    pub(crate) fn rule(
        self,
        is_profile: impl Fn(&str) -> bool,
        by: String,
        now: Timestamp,
    ) -> Result<Rule, BadRule> {
        let given = |word: Option<String>| word.filter(|word| !word.trim().is_empty());
        let (profile, agent) = (given(self.profile), given(self.agent));
        if let Some(name) = profile.as_ref().filter(|name| !is_profile(name)) {
            return Err(BadRule::Profile(name.clone()));
        }
        let agent = agent.map(|word| Handle::parse(word.strip_prefix('@').unwrap_or(&word)));
        let agent = agent.transpose()?.map(|handle| handle.to_string());
        if profile.is_none() && agent.is_none() {
            return Err(BadRule::ForNobody);
        }
        if !KINDS.contains(&self.kind.as_str()) {
            return Err(BadRule::Kind(self.kind));
        }
        let command = self.command.trim().to_owned();
        Pattern::parse(&command)?;
        if self.choose.trim().is_empty() {
            return Err(BadRule::NoLabel);
        }
        for (name, text) in [("contains", &command), ("choose", &self.choose)] {
            if text.chars().count() > LONGEST {
                return Err(BadRule::TooLong(name));
            }
        }
        Ok(Rule {
            id: uuid::Uuid::now_v7().simple().to_string(),
            profile,
            agent,
            kind: self.kind,
            command,
            choose: self.choose.trim().to_owned(),
            by,
            created_at: now,
        })
    }
}

impl Rule {
    /// What it answers to this question of this agent; nothing if it is not for such questions. An option must be
    /// called exactly as the rule says, and only one.
    pub(super) fn answer(
        &self,
        profile: &str,
        handle: &Handle,
        asked: &Asked,
    ) -> Option<Result<String, Left>> {
        let is_for = self.profile.as_ref().is_none_or(|name| name == profile)
            && self.agent.as_ref().is_none_or(|name| handle.is(name));
        // Whatever the file says: text is never typed by a rule.
        let is_kind = self.kind == asked.kind && KINDS.contains(&asked.kind.as_str());
        (is_for && is_kind).then(|| self.choice(asked))
    }

    fn choice(&self, asked: &Asked) -> Result<String, Left> {
        let call = asked.call.as_ref().ok_or(Left::NoCall)?;
        if !SHELLS.contains(&call.tool.as_str()) {
            return Err(Left::NoCommand);
        }
        if !call.is_complete {
            return Err(Left::Incomplete);
        }
        let words = words(&call.input).map_err(Left::NotPlain)?;
        // A file may hold what could not be made a rule today.
        let pattern = Pattern::parse(&self.command).map_err(|_| Left::Other)?;
        if !pattern.names(&words) {
            return Err(Left::Other);
        }
        let is_it = |label: &str| called(label) == called(&self.choose);
        let options = asked.options.iter().enumerate();
        let mut fitting = options.filter(|(_, option)| is_it(&option.label));
        let (Some((index, option)), None) = (fitting.next(), fitting.next()) else {
            return Err(Left::NoOption);
        };
        // A label of digits would be taken for the number of an option.
        let is_number = option.label.chars().all(|c| c.is_ascii_digit());
        Ok(if is_number {
            (index + 1).to_string()
        } else {
            option.label.clone()
        })
    }
}

/// A label as the page shows it: a bare letter is the word it stands for.
fn called(label: &str) -> &str {
    match label {
        "y" | "Y" | "yes" | "YES" => "Yes",
        "n" | "N" | "no" | "NO" => "No",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn wish(change: &Value) -> Result<Rule, BadRule> {
        let mut wish = json!({ "profile": "claude", "kind": "permission",
            "contains": " cargo  test", "choose": "Yes" });
        for (field, value) in change.as_object().unwrap() {
            wish[field] = value.clone();
        }
        let wish: Wish = serde_json::from_value(wish).unwrap();
        let known = |name: &str| name == "claude";
        wish.rule(known, "laptop".to_owned(), Timestamp::UNIX_EPOCH)
    }

    fn asked(change: &Value) -> Asked {
        let mut asked = json!({ "fingerprint": "f", "kind": "permission",
            "question": "Do you want to proceed?", "detail": "cargo test; make",
            "call": { "tool": "Bash", "input": "cargo test", "is_complete": true },
            "options": [{ "label": "Yes", "key": "1" }, { "label": "Yes, always", "key": "2" },
                { "label": "No", "key": "3" }] });
        for (field, value) in change.as_object().unwrap() {
            asked[field] = value.clone();
        }
        serde_json::from_value(asked).unwrap()
    }

    fn answer(rule: &Value, question: &Value) -> Option<String> {
        let handle = Handle::parse("Reviewer").unwrap();
        let rule = wish(rule).unwrap();
        let answer = rule.answer("claude", &handle, &asked(question))?;
        answer.ok()
    }

    fn call(tool: &str, input: &str, is_complete: bool) -> Value {
        json!({ "call": { "tool": tool, "input": input, "is_complete": is_complete } })
    }

    #[test]
    fn a_rule_answers_the_question_it_was_made_for() {
        assert_eq!(answer(&json!({}), &json!({})).as_deref(), Some("Yes"));
        let by_name = json!({ "profile": null, "agent": "@reviewer" });
        assert_eq!(answer(&by_name, &json!({})).as_deref(), Some("Yes"));
        let with_more = json!({ "contains": "cargo *" });
        assert_eq!(answer(&with_more, &json!({})).as_deref(), Some("Yes"));
    }

    #[test]
    fn anything_else_is_left_to_a_person() {
        for (rule, question) in [
            (json!({ "agent": "other" }), json!({})),
            (json!({ "contains": "cargo build" }), json!({})),
            (json!({ "contains": "CARGO TEST" }), json!({})),
            (json!({ "contains": "want to proceed" }), json!({})),
            (json!({ "contains": "cargo" }), json!({})),
            (json!({}), json!({ "call": null })),
            (json!({}), call("Bash", "cargo test", false)),
            (json!({}), call("Edit", "cargo test", true)),
            (json!({}), call("Bash", "cargo test\nrm -rf ~", true)),
            (json!({}), call("Bash", "cargo test; rm -rf ~", true)),
            (json!({}), call("Bash", "rm -rf ~ cargo test", true)),
            (json!({ "choose": "yES" }), json!({})),
            (json!({ "choose": "Yes," }), json!({})),
            (json!({}), json!({ "kind": "confirmation" })),
            (json!({}), json!({ "options": [] })),
            (
                json!({}),
                json!({ "options": [{ "label": "Yes", "key": "1" }, { "label": "Yes", "key": "2" }] }),
            ),
        ] {
            assert_eq!(answer(&rule, &question), None, "{rule} {question}");
        }
        let handle = Handle::parse("x").unwrap();
        let other = wish(&json!({})).unwrap();
        assert_eq!(other.answer("codex", &handle, &asked(&json!({}))), None);
    }

    #[test]
    fn what_is_left_says_why() {
        let handle = Handle::parse("x").unwrap();
        let rule = wish(&json!({})).unwrap();
        for (question, why) in [
            (json!({ "call": null }), "does not say which command"),
            (call("Edit", "a.rs", true), "not about a command"),
            (
                call("Bash", "cargo test", false),
                "longer than what was seen",
            ),
            (call("Bash", "cargo test\nrm", true), "more than one line"),
            (call("Bash", "cargo test $X", true), "'$'"),
            (call("Bash", "make", true), "no rule names"),
            (json!({ "options": [] }), "is missing or appears"),
        ] {
            let left = rule.answer("claude", &handle, &asked(&question)).unwrap();
            let left = left.unwrap_err().to_string();
            assert!(left.contains(why), "{left}");
        }
    }

    #[test]
    fn text_and_passwords_are_never_answered_whatever_the_file_says() {
        for kind in ["password", "text", "unknown"] {
            let mut rule = wish(&json!({})).unwrap();
            kind.clone_into(&mut rule.kind);
            let handle = Handle::parse("x").unwrap();
            let asked = asked(&json!({ "kind": kind }));
            assert_eq!(rule.answer("claude", &handle, &asked), None, "{kind}");
        }
    }

    #[test]
    fn yes_and_no_are_what_the_page_calls_bare_letters() {
        let letters =
            json!({ "options": [{ "label": "y", "key": "y" }, { "label": "n", "key": "n" }] });
        assert_eq!(answer(&json!({}), &letters).as_deref(), Some("y"));
        let no = json!({ "choose": "No" });
        assert_eq!(answer(&no, &letters).as_deref(), Some("n"));
    }

    #[test]
    fn a_label_of_digits_is_picked_by_its_place() {
        let digits =
            json!({ "options": [{ "label": "8080", "key": "1" }, { "label": "3", "key": "2" }] });
        assert_eq!(
            answer(&json!({ "choose": "3" }), &digits).as_deref(),
            Some("2")
        );
    }

    #[test]
    fn a_bad_rule_says_what_would_be_right() {
        for (change, says) in [
            (json!({ "profile": null }), "'profile' or 'agent'"),
            (json!({ "profile": "nobody" }), "no profile 'nobody'"),
            (json!({ "agent": "a b" }), "cannot be a handle"),
            (
                json!({ "kind": "password" }),
                "permission, confirmation or selection",
            ),
            (json!({ "contains": " " }), "it is empty"),
            (json!({ "contains": "make; rm" }), "';'"),
            (json!({ "choose": " " }), "cannot be empty"),
            (
                json!({ "choose": "x".repeat(501) }),
                "'choose' has more than 500",
            ),
        ] {
            let error = wish(&change).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
