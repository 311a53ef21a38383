//! From what a CLI tells in ACP to what a session is told. Pure.

use serde_json::{Value, json};
use synapse_a2a::step::{Edit, Step, StepKind, StepState};
use synapse_session::cli_hooks::What;

/// Calls whose fields are kept: the protocol tells only what is news of one.
const MOST_CALLS: usize = 500;

/// Longer files are not compared for a diff.
const LONGEST_FILE: usize = 256 << 10;

/// One turn, as far as it was told.
#[derive(Debug, Default)]
pub(super) struct Narration {
    /// The reply.
    text: String,
    /// A step was told since the last words, so the next begin a new paragraph.
    is_interrupted: bool,
    thought: String,
    thoughts: u64,
    /// What is known of each call.
    calls: Vec<(String, Value)>,
}

impl Narration {
    /// What one update says.
    pub(super) fn take(&mut self, update: &Value) -> Vec<What> {
        let text = || {
            let text = update.pointer("/content/text").and_then(Value::as_str);
            text.unwrap_or_default()
        };
        match update.get("sessionUpdate").and_then(Value::as_str) {
            Some("agent_message_chunk") => {
                let mut told = self.flush();
                told.extend(self.say(text()));
                told
            }
            Some("agent_thought_chunk") => {
                self.thought.push_str(text());
                Vec::new()
            }
            Some("tool_call" | "tool_call_update") => {
                let mut told = self.flush();
                if let Some(step) = self.call(update) {
                    self.is_interrupted = true;
                    told.push(What::Step(Box::new(step)));
                }
                told
            }
            _ => Vec::new(),
        }
    }

    /// What was thought until now: told whole, when something else follows.
    pub(super) fn flush(&mut self) -> Vec<What> {
        let thought = std::mem::take(&mut self.thought);
        if thought.trim().is_empty() {
            return Vec::new();
        }
        self.thoughts += 1;
        let id = format!("thought-{}", self.thoughts);
        vec![What::Step(Box::new(Step::thought(id, &thought)))]
    }

    /// The whole reply.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn say(&mut self, text: &str) -> Option<What> {
        if text.is_empty() {
            return None;
        }
        let begins = std::mem::take(&mut self.is_interrupted);
        let is_apart = self.text.is_empty() || self.text.ends_with("\n\n");
        let gap = match (begins, is_apart, self.text.ends_with('\n')) {
            (false, ..) | (_, true, _) => "",
            (true, false, true) => "\n",
            (true, false, false) => "\n\n",
        };
        let more = format!("{gap}{text}");
        self.text.push_str(&more);
        Some(What::Said(more))
    }

    fn call(&mut self, update: &Value) -> Option<Step> {
        let id = update.get("toolCallId")?.as_str()?;
        let known = self.calls.iter().position(|(known, _)| known == id);
        let place = match known {
            Some(place) => place,
            None if self.calls.len() >= MOST_CALLS => return None,
            None => {
                self.calls.push((id.to_owned(), json!({})));
                self.calls.len() - 1
            }
        };
        let (_, call) = self.calls.get_mut(place)?;
        let fields = call.as_object_mut()?;
        for name in [
            "title",
            "kind",
            "status",
            "rawInput",
            "locations",
            "content",
        ] {
            if let Some(value) = update.get(name).filter(|value| !value.is_null()) {
                fields.insert(name.to_owned(), value.clone());
            }
        }
        Some(step(id, call))
    }
}

/// A call as a step of the turn.
fn step(id: &str, call: &Value) -> Step {
    let field = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
    let (kind, tool) = match field("kind") {
        "execute" => (StepKind::Command, "run"),
        "edit" | "delete" | "move" => (StepKind::Edit, "edit"),
        "read" => (StepKind::Read, "read"),
        "search" => (StepKind::Search, "search"),
        "fetch" => (StepKind::Fetch, "fetch"),
        "think" => (StepKind::Tool, "think"),
        _ => (StepKind::Tool, ""),
    };
    let state = match field("status") {
        "completed" => StepState::Ok,
        "failed" => StepState::Failed,
        _ => StepState::Running,
    };
    let subject = subject(call);
    let (tool, subject) = match (tool, subject) {
        ("", _) => (field("title"), String::new()),
        (tool, Some(subject)) => (tool, subject),
        (tool, None) => (tool, field("title").to_owned()),
    };
    let step = Step {
        id: id.to_owned(),
        kind,
        tool: tool.to_owned(),
        subject,
        state,
        duration_ms: None,
        edit: edit(call),
        text: String::new(),
    };
    step.bounded()
}

/// What a call is about: its command, or the file it concerns.
pub(super) fn subject(call: &Value) -> Option<String> {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
    let words = || {
        let words = call.pointer("/rawInput/command")?.as_array()?;
        let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
        Some(words?.join(" "))
    };
    let command = text("/rawInput/command").map(str::to_owned).or_else(words);
    let file = || {
        let named = [
            "/locations/0/path",
            "/rawInput/file_path",
            "/rawInput/path",
            "/rawInput/url",
        ];
        named.into_iter().find_map(text).map(str::to_owned)
    };
    command.or_else(file)
}

/// What a call changes in a file, where it says so.
fn edit(call: &Value) -> Option<Edit> {
    let content = call.get("content")?.as_array()?;
    let is_diff = |one: &&Value| one.get("type").is_some_and(|kind| kind == "diff");
    let diff = content.iter().find(is_diff)?;
    let text = |name: &str| diff.get(name).and_then(Value::as_str);
    let (old, new) = (text("oldText").unwrap_or_default(), text("newText")?);
    if old.len() > LONGEST_FILE || new.len() > LONGEST_FILE {
        return None;
    }
    let input = json!({ "file_path": text("path")?, "old_string": old, "new_string": new });
    Edit::planned(&input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: &str, text: &str) -> Value {
        json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
    }

    fn steps(told: &[What]) -> Vec<&Step> {
        let mut steps: Vec<&Step> = Vec::new();
        for what in told {
            if let What::Step(step) = what {
                steps.push(step);
            }
        }
        steps
    }

    #[test]
    fn thoughts_are_told_whole_before_what_follows_them() {
        let mut narration = Narration::default();
        for thought in ["hm, ", "yes"] {
            let told = narration.take(&chunk("agent_thought_chunk", thought));
            assert!(told.is_empty());
        }
        let told = narration.take(&chunk("agent_message_chunk", "**Yes**"));
        assert_eq!(steps(&told)[0].text, "hm, yes");
        assert_eq!(told[1], What::Said("**Yes**".to_owned()));
        assert!(narration.flush().is_empty());
        assert_eq!(narration.into_text(), "**Yes**");
    }

    #[test]
    fn news_of_a_call_are_laid_over_what_is_known_of_it() {
        let mut narration = Narration::default();
        let begun = narration.take(&json!({
            "sessionUpdate": "tool_call", "toolCallId": "1", "title": "Shell", "kind": "execute",
            "status": "in_progress", "rawInput": { "command": "ls" },
        }));
        let step = steps(&begun)[0];
        assert_eq!(
            (step.subject.as_str(), step.state),
            ("ls", StepState::Running)
        );
        let ended = narration.take(&json!({
            "sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed",
            "title": null,
        }));
        let step = steps(&ended)[0];
        assert_eq!((step.kind, step.state), (StepKind::Command, StepState::Ok));
    }

    #[test]
    fn a_diff_is_an_edit_with_its_file() {
        let mut narration = Narration::default();
        let told = narration.take(&json!({
            "sessionUpdate": "tool_call", "toolCallId": "1", "kind": "edit", "title": "Write a.txt",
            "content": [{ "type": "diff", "path": "/a.txt", "oldText": "one\n", "newText": "two\n" }],
        }));
        let edit = steps(&told)[0].edit.clone().unwrap();
        assert_eq!(edit.path, "/a.txt");
    }

    #[test]
    fn words_behind_a_step_begin_a_paragraph_and_others_go_on() {
        let mut narration = Narration::default();
        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "1" });
        let message = |text| chunk("agent_message_chunk", text);
        for update in [
            message("I will "),
            message("look."),
            call.clone(),
            message("Done"),
            message("."),
        ] {
            narration.take(&update);
        }
        assert_eq!(narration.into_text(), "I will look.\n\nDone.");
    }
}
