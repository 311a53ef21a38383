//! Tells a turn in the words of the protocol: from the events of a task to updates of a session. Pure.
//!
//! What an editor was told cannot be taken back. So the reply of an agent whose hooks or record tell it word for word is
//! told when they do; that of any other is told line by line as its screen shows it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use synapse_a2a::message::Role;
use synapse_a2a::step::{Edit, Step, StepKind, StepState};
use synapse_client::growth::{Lines, ReplyPieces};
use synapse_client::native::{MessageShape, TaskEvent};

use crate::wire::{Location, ToolCall, ToolCallContent, ToolKind, ToolStatus, Update, text};

/// What was told of one task.
#[derive(Default)]
pub(crate) struct Narrator {
    /// Where the agent works.
    dir: PathBuf,
    /// The reply will be known word for word.
    is_exact: bool,
    pieces: ReplyPieces,
    lines: Lines,
    /// What was told of the reply.
    written: String,
    is_whole: bool,
    steps: HashSet<String>,
    /// The calls that run, in the order in which they began: id, and what they are about.
    running: Vec<(String, String)>,
}

impl Narrator {
    pub(crate) fn new(dir: &Path, is_exact: bool) -> Self {
        Self {
            dir: dir.to_owned(),
            is_exact,
            ..Self::default()
        }
    }

    /// What an event is to an editor.
    pub(crate) fn take(&mut self, event: &TaskEvent) -> Vec<Update> {
        match event {
            TaskEvent::Artifact(event) if !self.is_exact && !self.is_whole => {
                self.pieces.take(event);
                let more = self.lines.grow(&self.pieces.text());
                self.written.push_str(&more);
                said(more)
            }
            TaskEvent::Message(event) => match (&event.reply, &event.note, &event.message) {
                (Some(reply), ..) => self.reply(reply),
                (_, Some(note), _) => vec![Update::thought(note)],
                (.., Some(message)) if message.role == Role::Agent => said(words(message)),
                _ => Vec::new(),
            },
            TaskEvent::Step(event) => self.step(&event.step),
            TaskEvent::Artifact(_) | TaskEvent::Status(_) | TaskEvent::Act(_) => Vec::new(),
        }
    }

    /// The reply is known: what of it was not told.
    pub(crate) fn reply(&mut self, reply: &str) -> Vec<Update> {
        if std::mem::replace(&mut self.is_whole, true) {
            return Vec::new();
        }
        let told = self.written.as_str();
        let rest = reply
            .strip_prefix(told)
            .or_else(|| (reply == told.trim_end()).then_some(""));
        match rest {
            Some(rest) => said(rest.to_owned()),
            // The screen was read in another way while it grew. What is right is told whole, as a message of its own.
            None => vec![Update::AgentMessageChunk {
                content: text(reply),
                message_id: Some("reply".to_owned()),
            }],
        }
    }

    /// A tool call or a thought, or what is news of one.
    pub(crate) fn step(&mut self, step: &Step) -> Vec<Update> {
        let is_first = self.steps.insert(step.id.clone());
        if step.kind == StepKind::Thought {
            let is_news = is_first && !step.text.is_empty();
            return Vec::from_iter(is_news.then(|| Update::thought(&step.text)));
        }
        self.running.retain(|(id, _)| *id != step.id);
        if step.state == StepState::Running {
            self.running.push((step.id.clone(), step.subject.clone()));
        }
        let call = ToolCall {
            tool_call_id: step.id.clone(),
            title: Some(step.title()),
            kind: Some(tool_kind(step.kind)),
            status: Some(match step.state {
                StepState::Running => ToolStatus::InProgress,
                StepState::Ok | StepState::Unknown => ToolStatus::Completed,
                StepState::Failed | StepState::Refused => ToolStatus::Failed,
            }),
            content: step.edit.as_ref().map(shown).unwrap_or_default(),
            locations: self.locations(step),
            raw_input: None,
        };
        vec![if is_first {
            Update::ToolCall(call)
        } else {
            Update::ToolCallUpdate(call)
        }]
    }

    /// The call that a question is about: the one with this input, or the only one that runs.
    pub(crate) fn call_about(&self, input: Option<&str>) -> Option<&str> {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let named = input.map(words);
        let mut same = self.running.iter().rev();
        let same = same.find(|(_, subject)| named.as_deref() == Some(subject.as_str()));
        let found = same.or(match self.running.as_slice() {
            [one] => Some(one),
            _ => None,
        });
        found.map(|(id, _)| id.as_str())
    }

    /// The files that a step is about, as the protocol wants them: from the root on.
    fn locations(&self, step: &Step) -> Vec<Location> {
        let path = match (&step.edit, step.kind) {
            (Some(edit), _) => edit.path.as_str(),
            (None, StepKind::Read | StepKind::Edit) => step.subject.as_str(),
            _ => return Vec::new(),
        };
        // Several files stand in one line, and a path that was cut is none.
        let is_path = !path.is_empty() && !path.contains(", ") && !path.ends_with('…');
        let path = is_path.then(|| self.dir.join(path));
        let path = path.and_then(|path| path.into_os_string().into_string().ok());
        Vec::from_iter(path.map(|path| Location { path }))
    }
}

fn said(words: String) -> Vec<Update> {
    Vec::from_iter((!words.is_empty()).then(|| Update::said(words)))
}

fn words(message: &MessageShape) -> String {
    let parts = message.parts.iter();
    let texts: Vec<&str> = parts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    texts.join("\n")
}

fn tool_kind(kind: StepKind) -> ToolKind {
    match kind {
        StepKind::Command => ToolKind::Execute,
        StepKind::Edit => ToolKind::Edit,
        StepKind::Read => ToolKind::Read,
        StepKind::Search => ToolKind::Search,
        StepKind::Fetch => ToolKind::Fetch,
        StepKind::Thought => ToolKind::Think,
        StepKind::Agent | StepKind::Tool => ToolKind::Other,
    }
}

/// What was changed. The hunks alone are known, not the whole file, so it is shown as text and not as a diff of files.
fn shown(edit: &Edit) -> Vec<ToolCallContent> {
    let diff = edit.diff.as_ref();
    let diff = diff.map(|diff| ToolCallContent::text(format!("```diff\n{diff}```")));
    Vec::from_iter(diff)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn narrator(is_exact: bool) -> Narrator {
        Narrator::new(Path::new("/w"), is_exact)
    }

    fn event(name: &str, data: &Value) -> TaskEvent {
        TaskEvent::read(name, &data.to_string()).unwrap().unwrap()
    }

    fn grown(text: &str) -> TaskEvent {
        let artifact = json!({ "parts": [{ "type": "text", "text": text }] });
        event(
            "artifact",
            &json!({ "taskId": "t", "artifactId": "a", "artifact": artifact, "append": false }),
        )
    }

    fn replied(text: &str) -> TaskEvent {
        event(
            "message",
            &json!({ "taskId": "t", "reply": text, "source": "screen", "timestamp": "" }),
        )
    }

    fn told(updates: &[Update]) -> String {
        let words = updates.iter().map(|update| match update {
            Update::AgentMessageChunk { content, .. } => content.text.as_str(),
            other => panic!("{other:?}"),
        });
        words.collect()
    }

    #[test]
    fn a_reply_from_the_screen_is_told_line_by_line_and_nothing_twice() {
        let mut narrator = narrator(false);
        let mut text = String::new();
        for seen in ["one\n", "one\ntw", "one\ntwo\n"] {
            text.push_str(&told(&narrator.take(&grown(seen))));
        }
        assert_eq!(text, "one\ntwo\n");
        assert_eq!(told(&narrator.take(&replied("one\ntwo\nthree"))), "three");
        assert_eq!(narrator.take(&grown("one\ntwo\nthree\n")), []);
        assert_eq!(narrator.take(&replied("one")), []);
    }

    #[test]
    fn an_exact_reply_is_told_once_and_never_as_the_screen_spells_it() {
        let mut narrator = narrator(true);
        assert_eq!(narrator.take(&grown("bold\n")), []);
        assert_eq!(told(&narrator.take(&replied("**bold**"))), "**bold**");
    }

    #[test]
    fn a_reply_that_the_screen_showed_otherwise_is_told_whole() {
        let mut narrator = narrator(false);
        narrator.take(&grown("wrong\n"));
        let [
            Update::AgentMessageChunk {
                content,
                message_id,
            },
        ] = &narrator.take(&replied("right"))[..]
        else {
            panic!("no message")
        };
        assert_eq!(
            (content.text.as_str(), message_id.is_some()),
            ("right", true)
        );
    }

    #[test]
    fn a_step_is_a_call_and_then_news_of_it() {
        let mut narrator = narrator(true);
        let begun = Step::call(
            "7",
            "Edit",
            &json!({ "file_path": "a.rs", "old_string": "x", "new_string": "y" }),
        );
        let [Update::ToolCall(call)] = &narrator.step(&begun)[..] else {
            panic!("no call")
        };
        assert_eq!(call.status, Some(ToolStatus::InProgress));
        assert_eq!(call.locations[0].path, "/w/a.rs");
        assert_eq!(narrator.call_about(None), Some("7"));
        narrator.step(&Step::call("9", "Bash", &json!({ "command": "ls  -l" })));
        assert_eq!(narrator.call_about(None), None);
        assert_eq!(narrator.call_about(Some("ls\n-l")), Some("9"));
        let ended = Step {
            state: StepState::Refused,
            edit: Some(Edit::of_diff("a.rs", "@@ -1 +1 @@\n-x\n+y\n")),
            ..begun
        };
        let [Update::ToolCallUpdate(call)] = &narrator.step(&ended)[..] else {
            panic!("no news")
        };
        assert_eq!(call.status, Some(ToolStatus::Failed));
        assert!(json!(call.content).to_string().contains("```diff"));
        let thought = Step::thought("8", "hm");
        assert_eq!(narrator.step(&thought), [Update::thought("hm")]);
        assert_eq!(narrator.step(&thought), []);
    }
}
