//! Questions that the program asks through its hooks, and their answers. An answer given there cannot hit
//! the wrong option of a dialog, whatever the version of the program shows; the dialog stays usable, and
//! whoever is first wins.

use std::time::Duration;

use serde_json::{Map, Value, json};
use synapse_term::judge::Claim;
use synapse_term::prompt::{self, Kind, Prompt};
use tokio::sync::oneshot;

use super::Session;
use crate::Refusal;
use crate::cli_hooks::{Decision, Permission};

/// How long a dialog may take to appear before the announcement alone is the question.
const ANSWERABLE_PATIENCE: Duration = Duration::from_millis(900);

/// The same where only the dialog can be answered.
const DIALOG_PATIENCE: Duration = Duration::from_secs(4);

/// Questions beyond these are left to the program's own dialog.
const MOST: usize = 32;

/// What a plain refusal tells the model.
const REFUSED: &str = "The user doesn't want to proceed with this tool use.";

/// A question that waits for its answer.
pub(super) struct HookQuestion {
    permission: Permission,
    /// The hook's name for the turn that asks.
    pub(super) turn: Option<String>,
    prompt: Prompt,
    answer: Option<oneshot::Sender<Decision>>,
    /// The answers given so far, where one call asks several things.
    given: Map<String, Value>,
    /// It was to be seen, as a dialog or as our own word for it.
    pub(super) was_shown: bool,
}

impl HookQuestion {
    /// What the judge is told. Where several questions are open, nobody knows which of them a dialog is about:
    /// one may have been made up by a tool, whose processes stand below the program as its hooks do.
    pub(super) fn claim(&self, is_only: bool) -> Claim {
        let patience = match (&self.answer, self.is_survey()) {
            // Its own words are better than what fits the screen, and a protocol has no screen.
            (Some(_), true) => Duration::ZERO,
            _ if self.has_options() => Duration::ZERO,
            (Some(_), false) => ANSWERABLE_PATIENCE,
            (None, _) => DIALOG_PATIENCE,
        };
        let mut prompt = self.prompt.clone();
        prompt.call = prompt.call.filter(|_| is_only || self.has_options());
        Claim::Asking {
            prompt: Box::new(prompt),
            patience,
        }
    }

    /// The program named the options, so one of them is the answer.
    fn has_options(&self) -> bool {
        !self.permission.options.is_empty()
    }

    /// A question to the user in the shape of a tool call.
    fn is_survey(&self) -> bool {
        self.permission.tool == Permission::QUESTION_TOOL
    }
}

impl Session {
    /// The program asks through its hooks.
    pub(super) fn ask_by_hook(
        &mut self,
        permission: Permission,
        turn: Option<String>,
        answer: Option<oneshot::Sender<Decision>>,
        now: Duration,
    ) {
        if self.witnesses.questions.len() >= MOST {
            return;
        }
        let Some(prompt) = prompt_of(&permission, &Map::new(), self.witnesses.waits) else {
            return;
        };
        self.witnesses.questions.push(HookQuestion {
            permission,
            turn,
            prompt,
            answer,
            given: Map::new(),
            was_shown: false,
        });
        self.testify_working(self.witnesses.voice, now);
    }

    /// A tool has ended: its question was answered, wherever.
    pub(super) fn drop_answered(&mut self, tool: &str, input: &Value) {
        self.witnesses.questions.retain(|question| {
            question.permission.tool != tool || question.permission.input != *input
        });
    }

    /// The call of a question has ended: it was answered, or withdrawn.
    pub(super) fn drop_ended(&mut self, call: &str) {
        self.witnesses
            .questions
            .retain(|question| question.permission.call_id.as_deref() != Some(call));
    }

    /// Answers the open question through the hook that asked it. Nothing if no hook waits, or if the answer
    /// is an option that only the program's dialog has.
    pub(super) fn answer_by_hook(
        &mut self,
        asked: &Prompt,
        value: &str,
        now: Duration,
    ) -> Option<Result<(), Refusal>> {
        let question = self.witnesses.questions.first_mut()?;
        question.answer.as_ref()?;
        if question.is_survey() {
            return Some(self.answer_survey(value, now));
        }
        let decision = if question.has_options() {
            match asked.find(value) {
                Ok(option) => Decision::Option(option),
                Err(error) => return Some(Err(Refusal::BadAnswer(error.to_string()))),
            }
        } else {
            decide(asked, value)?
        };
        if matches!(decision, Decision::Deny { .. }) {
            self.witnesses.tracker.close_tools();
        }
        let question = self.witnesses.questions.remove(0);
        let is_heard = question
            .answer
            .is_some_and(|answer| answer.send(decision).is_ok());
        if !is_heard {
            return None;
        }
        self.testify_working(self.witnesses.voice, now);
        Some(Ok(()))
    }

    fn answer_survey(&mut self, value: &str, now: Duration) -> Result<(), Refusal> {
        let gone = || Refusal::BadAnswer("the question is gone".to_owned());
        let question = self.witnesses.questions.first_mut().ok_or_else(gone)?;
        let words = question.prompt.question.clone();
        let chosen = chosen(&question.prompt, value);
        question.given.insert(words, Value::String(chosen));
        if let Some(next) = prompt_of(&question.permission, &question.given, true) {
            question.prompt = next;
            question.was_shown = false;
        } else {
            let question = self.witnesses.questions.remove(0);
            let mut input = question.permission.input;
            if let Some(input) = input.as_object_mut() {
                input.insert("answers".to_owned(), Value::Object(question.given));
            }
            let answer = question.answer.ok_or_else(gone)?;
            answer
                .send(Decision::AllowWith(input))
                .map_err(|_| gone())?;
        }
        self.testify_working(self.witnesses.voice, now);
        Ok(())
    }
}

/// What an answer to a permission means, if it is a plain yes or no. `no: because …` tells the model why and
/// lets it go on.
fn decide(asked: &Prompt, value: &str) -> Option<Decision> {
    if let Some(reason) = value
        .trim()
        .strip_prefix("no")
        .and_then(|rest| rest.strip_prefix([':', ',']))
    {
        return Some(Decision::Deny {
            message: reason.trim().to_owned(),
            ends_turn: false,
        });
    }
    let option = asked.find(value).ok()?;
    if Some(option) == asked.find("yes").ok() {
        return Some(Decision::Allow);
    }
    (Some(option) == asked.find("no").ok()).then(|| Decision::Deny {
        message: REFUSED.to_owned(),
        ends_turn: true,
    })
}

/// The labels an answer to a survey means; any other text is the answer itself.
fn chosen(prompt: &Prompt, value: &str) -> String {
    let label = |one: &str| {
        let option = prompt.find(one).ok()?;
        Some(prompt.options.get(option)?.label.clone())
    };
    if let Some(label) = label(value) {
        return label;
    }
    let several: Option<Vec<String>> = value.split(',').map(|one| label(one.trim())).collect();
    several.map_or_else(|| value.trim().to_owned(), |labels| labels.join(", "))
}

/// What is asked: the first question of a survey that has no answer yet, or whether a tool may be used.
fn prompt_of(permission: &Permission, given: &Map<String, Value>, waits: bool) -> Option<Prompt> {
    if permission.tool == Permission::QUESTION_TOOL {
        let questions = permission.input.get("questions")?.as_array()?;
        let text = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
        let open = questions.iter().find_map(|question| {
            let words = text(question, "question")?;
            (!given.contains_key(&words)).then_some((question, words))
        });
        let (question, words) = open?;
        let options = question.get("options").and_then(Value::as_array);
        let options = options.into_iter().flatten();
        let labels: Vec<String> = options.filter_map(|option| text(option, "label")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        return Some(prompt::announced(
            Kind::Selection,
            words,
            &labels,
            None,
            "survey",
        ));
    }
    let call = permission.call();
    let question = permission.question.clone();
    let question = question.unwrap_or_else(|| format!("Allow {}?", call.tool));
    let named: Vec<&str> = permission.options.iter().map(String::as_str).collect();
    let options: &[&str] = match named.as_slice() {
        [] if waits => &["Yes", "No"],
        named => named,
    };
    let id = json!([call.tool, call.input, permission.call_id]).to_string();
    Some(prompt::announced(
        if permission.is_choice {
            Kind::Selection
        } else {
            Kind::Permission
        },
        question,
        options,
        Some(call).filter(|_| !permission.is_choice),
        &id,
    ))
}
