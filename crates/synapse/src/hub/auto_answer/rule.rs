//! One rule: for whom, which question, which answer. Pure.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::handle::{Handle, HandleError};
use crate::hub::shapes::Asked;

/// Kinds of questions with options that a rule may pick. Text and passwords are for people.
const KINDS: [&str; 3] = ["permission", "confirmation", "selection"];
/// A text shorter than this is in nearly every question.
const SHORTEST: usize = 3;
/// The longest text that is compared.
const LONGEST: usize = 500;

/// A rule as a person wishes it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::hub) struct Wish {
    /// For all agents of this profile; this or `agent` is needed.
    #[serde(default)]
    profile: Option<String>,
    /// For the agent of this handle.
    #[serde(default)]
    agent: Option<String>,
    /// `permission`, `confirmation` or `selection`.
    kind: String,
    /// Words that the question, or what it is about, must contain.
    contains: String,
    /// The label of the option to choose, exactly.
    choose: String,
}

/// Why a wish cannot be a rule.
#[derive(Debug, thiserror::Error)]
pub(in crate::hub) enum BadRule {
    #[error("say for whom the rule is: 'profile' or 'agent'")]
    ForNobody,
    #[error("there is no profile '{0}'; GET /api/profiles lists them")]
    Profile(String),
    #[error("'agent': {0}")]
    Agent(HandleError),
    #[error(
        "a rule cannot answer a '{0}' question; 'kind' is permission, confirmation or selection"
    )]
    Kind(String),
    #[error("'contains' needs at least {SHORTEST} characters, or it would fit nearly everything")]
    TooShort,
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

/// A rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(in crate::hub) struct Rule {
    pub(in crate::hub) id: String,
    profile: Option<String>,
    agent: Option<String>,
    kind: String,
    contains: String,
    choose: String,
    /// The device it was made on.
    by: String,
    #[schema(value_type = String)]
    #[cfg_attr(test, ts(type = "string"))]
    created_at: Timestamp,
}

impl Wish {
    /// Makes it a rule, if it can be one.
    pub(in crate::hub) fn rule(
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
        let contains = squeezed(&self.contains);
        if contains.chars().count() < SHORTEST {
            return Err(BadRule::TooShort);
        }
        if self.choose.trim().is_empty() {
            return Err(BadRule::NoLabel);
        }
        for (name, text) in [("contains", &contains), ("choose", &self.choose)] {
            if text.chars().count() > LONGEST {
                return Err(BadRule::TooLong(name));
            }
        }
        Ok(Rule {
            id: uuid::Uuid::now_v7().simple().to_string(),
            profile,
            agent,
            kind: self.kind,
            contains,
            choose: self.choose.trim().to_owned(),
            by,
            created_at: now,
        })
    }
}

impl Rule {
    /// What it answers to this question of this agent, if it is meant. An option must be called
    /// exactly as the rule says, and only one.
    pub(super) fn answer(&self, profile: &str, handle: &Handle, asked: &Asked) -> Option<String> {
        let is_for = self.profile.as_ref().is_none_or(|name| name == profile)
            && self.agent.as_ref().is_none_or(|name| handle.is(name));
        // Whatever the file says: text is never typed by a rule.
        let is_kind = self.kind == asked.kind && KINDS.contains(&asked.kind.as_str());
        if !is_for || !is_kind {
            return None;
        }
        let said = [&asked.question, &asked.detail];
        let fits = said
            .iter()
            .any(|text| squeezed(text).contains(&self.contains));
        if !fits || said.iter().any(|text| self.does_more(text)) {
            return None;
        }
        let is_it = |label: &str| called(label) == called(&self.choose);
        let options = asked.options.iter().enumerate();
        let mut fitting = options.filter(|(_, option)| is_it(&option.label));
        let (Some((index, option)), None) = (fitting.next(), fitting.next()) else {
            return None;
        };
        // A label of digits would be taken for the number of an option.
        let is_number = option.label.chars().all(|c| c.is_ascii_digit());
        Some(if is_number {
            (index + 1).to_string()
        } else {
            option.label.clone()
        })
    }
}

impl Rule {
    /// Whether there is more of a command than the rule names: another one behind it, a pipe, a redirection
    /// or a substitution. Who allowed `cargo test` has not allowed `cargo test; rm -rf /`.
    fn does_more(&self, text: &str) -> bool {
        let rest = squeezed(text).replacen(&self.contains, " ", 1);
        rest.contains([';', '&', '|', '<', '>', '`']) || rest.contains("$(")
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

/// With single blanks: how a program wraps its words does not matter.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn wish(change: &Value) -> Result<Rule, BadRule> {
        let mut wish = json!({ "profile": "claude", "kind": "permission",
            "contains": "cargo  test", "choose": "Yes" });
        for (field, value) in change.as_object().unwrap() {
            wish[field] = value.clone();
        }
        let wish: Wish = serde_json::from_value(wish).unwrap();
        let known = |name: &str| name == "claude";
        wish.rule(known, "laptop".to_owned(), Timestamp::UNIX_EPOCH)
    }

    fn asked(change: &Value) -> Asked {
        let mut asked = json!({ "fingerprint": "f", "kind": "permission",
            "question": "Do you want to proceed?", "detail": "Bash command\n  cargo\n  test -q",
            "options": [{ "label": "Yes", "key": "1" }, { "label": "Yes, always", "key": "2" },
                { "label": "No", "key": "3" }] });
        for (field, value) in change.as_object().unwrap() {
            asked[field] = value.clone();
        }
        serde_json::from_value(asked).unwrap()
    }

    fn answer(rule: &Value, question: &Value) -> Option<String> {
        let handle = Handle::parse("Reviewer").unwrap();
        wish(rule)
            .unwrap()
            .answer("claude", &handle, &asked(question))
    }

    #[test]
    fn a_rule_answers_the_question_it_was_made_for() {
        assert_eq!(answer(&json!({}), &json!({})).as_deref(), Some("Yes"));
        let by_name = json!({ "profile": null, "agent": "@reviewer" });
        assert_eq!(answer(&by_name, &json!({})).as_deref(), Some("Yes"));
        let by_words = json!({ "contains": "want to proceed" });
        assert_eq!(answer(&by_words, &json!({})).as_deref(), Some("Yes"));
    }

    #[test]
    fn anything_else_is_left_to_a_person() {
        for (rule, question) in [
            (json!({ "agent": "other" }), json!({})),
            (json!({ "contains": "cargo build" }), json!({})),
            (json!({ "contains": "CARGO TEST" }), json!({})),
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
    fn a_command_that_does_more_than_the_rule_names_is_left_to_a_person() {
        for more in [
            "; rm -rf /",
            " && make",
            " | sh",
            " > out",
            " `id`",
            " $(id)",
            " <in",
            " & x",
        ] {
            let question = json!({ "detail": format!("cargo test{more}") });
            assert_eq!(answer(&json!({}), &question), None, "{more}");
            let named = json!({ "contains": format!("cargo test{more}") });
            assert_eq!(answer(&named, &question).as_deref(), Some("Yes"), "{more}");
        }
        let elsewhere = json!({ "contains": "want to proceed" });
        let question = json!({ "detail": "cargo test; rm -rf /" });
        assert_eq!(answer(&elsewhere, &question), None);
        let twice = json!({ "contains": "cargo test;" });
        let question = json!({ "detail": "cargo test; cargo test; rm" });
        assert_eq!(answer(&twice, &question), None);
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
            (json!({ "contains": " a  b"[..2] }), "at least 3"),
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
