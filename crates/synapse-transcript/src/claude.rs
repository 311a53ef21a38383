//! Claude Code's transcript: one JSON object per line.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::Value;
use synapse_a2a::step::{Edit, StepState};

use super::steps::{Call, Outcome, Steps, time};
use super::tokens::{Took, TurnUsage};
use super::{Asked, Needle, TurnRecord, Verdict, bound, text, words};

/// What was read of a session. Lines may be out of order, an answer before its question, so where
/// they name their parents these decide; else the place does.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    lines: Vec<Line>,
    dir: Option<String>,
}

#[derive(Debug)]
struct Line {
    id: Option<String>,
    parent: Option<String>,
    time: Option<String>,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A message of the user's.
    Asked(Asked),
    /// A message that a hook of the user's kept from the model, and the program's words about that.
    Blocked(Asked, String),
    /// The user stopped the model.
    Interrupted,
    /// The model said something.
    Said(Said),
    /// Tools gave their results.
    Results(Vec<Outcome>),
    /// The turn is over.
    Closed,
    /// Something between others.
    Link,
}

#[derive(Debug, Default)]
struct Said {
    /// The program's name for the whole answer, of which this may be a part.
    answer: Option<String>,
    parts: Vec<Part>,
    /// What the answer took; written again with each part of it.
    took: Option<Took>,
    is_last: bool,
    /// The model had no more to say.
    is_complete: bool,
    error: Option<String>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Thought(String),
    Tool(Call),
}

impl Conversation {
    pub(super) fn push(&mut self, line: &Value) {
        // Subagents keep their talk in the same file.
        if line.get("isSidechain").and_then(Value::as_bool) == Some(true) {
            return;
        }
        if let Some(dir) = text(line, "/cwd") {
            self.dir = Some(dir.to_owned());
        }
        let name = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        let what = what(line);
        if matches!(what, What::Link) && name("uuid").is_none() {
            return;
        }
        self.lines.push(Line {
            id: name("uuid"),
            parent: name("parentUuid"),
            time: name("timestamp"),
            what,
        });
        bound(&mut self.lines);
    }

    /// The first message of the user's in words; else the command to which the model first said something.
    pub(super) fn first_message(&self) -> Option<String> {
        let asked = |line: &Line| match &line.what {
            What::Asked(asked) => Some(asked.text.clone()),
            _ => None,
        };
        let mut asked_for = self.lines.iter().filter_map(asked);
        let words = asked_for.find(|text| !is_of_program(text));
        words.or_else(|| {
            let is_said = |line: &Line| matches!(line.what, What::Said(_));
            let answer = self.lines.iter().position(is_said)?;
            let before = self.lines.iter().take(answer).filter_map(asked);
            before.filter_map(|text| command(&text)).next_back()
        })
    }

    pub(super) fn is_of(&self, dir: &Path) -> Option<bool> {
        self.dir.as_deref().map(|own| Path::new(own) == dir)
    }

    /// The reply to the last message that is `needle`: what was said after the last tool call, once
    /// the model said that it was done.
    pub(super) fn turn(&self, needle: &Needle) -> Option<TurnRecord> {
        let asks = |line: &Line| match &line.what {
            What::Asked(asked) | What::Blocked(asked, _) => needle.is_in(asked),
            _ => false,
        };
        let ours = self.lines.iter().rposition(asks)?;
        if let What::Blocked(_, why) = &self.lines.get(ours)?.what {
            return Some(TurnRecord {
                verdict: Some(Verdict::Failed(why.clone())),
                is_closed: true,
                ..TurnRecord::default()
            });
        }
        let end = self.next_asked(ours);
        let mut turn = TurnRecord::default();
        let (mut said, mut open) = (Vec::new(), HashSet::new());
        let (mut is_over, mut failed, mut steps) = (false, None, Steps::default());
        let mut usage = TurnUsage::default();
        let mut before: Option<&Said> = None;
        for answer in self.answers(ours, end) {
            // A hook of the user's made it go on after an answer that was complete.
            if before.is_some_and(|it| it.is_complete && it.answer != answer.answer) {
                said.clear();
            }
            before = Some(answer);
            failed = answer.error.as_ref().or(failed);
            if let Some(took) = &answer.took {
                usage.add(took);
            }
            for part in &answer.parts {
                match part {
                    Part::Tool(call) => {
                        said.clear();
                        open.insert(call.step.id.as_str());
                        steps.begin(call);
                    }
                    Part::Thought(words) => steps.think(words),
                    Part::Text(words) => said.push(words.as_str()),
                }
            }
            is_over = answer.is_last;
        }
        for line in self.lines.iter().skip(ours).take(end - ours) {
            match &line.what {
                What::Interrupted => turn.verdict = Some(Verdict::Interrupted),
                What::Closed => turn.is_closed = true,
                What::Results(outcomes) => {
                    for outcome in outcomes {
                        open.remove(outcome.id.as_str());
                        steps.end(outcome);
                    }
                }
                What::Asked(_) | What::Blocked(..) | What::Said(_) | What::Link => {}
            }
        }
        turn.said = said.join("\n\n");
        turn.has_open_tool = !open.is_empty();
        turn.steps = steps.into_list();
        turn.usage = usage.known();
        turn.verdict = turn.verdict.or_else(|| match failed {
            Some(error) => Some(Verdict::Failed(error.clone())),
            None => is_over.then(|| Verdict::Replied(turn.said.clone())),
        });
        Some(turn)
    }

    /// Where the next message of the user's begins.
    fn next_asked(&self, ours: usize) -> usize {
        let is_next = |line: &Line| matches!(line.what, What::Asked(_));
        let next = self.lines.iter().skip(ours + 1).position(is_next);
        next.map_or(self.lines.len(), |at| ours + 1 + at)
    }

    /// What the model said to one message, in order.
    fn answers(&self, ours: usize, end: usize) -> Vec<&Said> {
        let parents: HashMap<&str, Option<&str>> = self
            .lines
            .iter()
            .filter_map(|line| Some((line.id.as_deref()?, line.parent.as_deref())))
            .collect();
        let is_asking = |line: &&Line| matches!(line.what, What::Asked(_));
        let asking = self.lines.iter().filter(is_asking);
        let asking: HashSet<&str> = asking.filter_map(|line| line.id.as_deref()).collect();
        let own = self.lines.get(ours).and_then(|line| line.id.as_deref());
        let belongs = |index: usize, line: &Line| {
            let Some(mut at) = line.parent.as_deref().filter(|_| own.is_some()) else {
                return (ours..end).contains(&index);
            };
            for _ in 0..self.lines.len() {
                if asking.contains(at) {
                    return Some(at) == own;
                }
                match parents.get(at) {
                    Some(Some(parent)) => at = parent,
                    _ => return false,
                }
            }
            false
        };
        let mut found: Vec<(&Line, &Said)> = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            if let What::Said(said) = &line.what
                && belongs(index, line)
            {
                found.push((line, said));
            }
        }
        // Times are written so that their order is that of their letters.
        found.sort_by_key(|(line, _)| line.time.as_deref());
        found.into_iter().map(|(_, said)| said).collect()
    }
}

fn what(line: &Value) -> What {
    let content = line.pointer("/message/content").unwrap_or(&Value::Null);
    match text(line, "/type") {
        Some("user") => asked(line, content),
        Some("assistant") => What::Said(said(line, content)),
        Some("system") if text(line, "/subtype") == Some("turn_duration") => What::Closed,
        Some("system") => blocked(line).unwrap_or(What::Link),
        _ => What::Link,
    }
}

/// What the program writes of a message that a hook of the user's did not let through.
fn blocked(line: &Value) -> Option<What> {
    let words = text(line, "/content")?;
    let (why, prompt) = words.split_once("\nOriginal prompt: ")?;
    why.starts_with("UserPromptSubmit operation blocked")
        .then(|| {
            let asked = Asked::new(prompt.to_owned(), line);
            What::Blocked(asked, why.trim_end().to_owned())
        })
}

/// A record of the user's: a message, the results of tools, or the word that the model was stopped.
fn asked(line: &Value, content: &Value) -> What {
    let results = content.as_array().into_iter().flatten();
    let results = results.filter(|part| text(part, "/type") == Some("tool_result"));
    let outcomes: Vec<Outcome> = results.map(|part| outcome(part, line)).collect();
    if !outcomes.is_empty() {
        return What::Results(outcomes);
    }
    let words = words(content, "\n");
    if words.starts_with("[Request interrupted by user") {
        return What::Interrupted;
    }
    // What the program itself says to the model, as after a hook that made it go on.
    let is_own = line.get("isMeta").and_then(Value::as_bool) == Some(true);
    if words.is_empty() || is_own {
        return What::Link;
    }
    What::Asked(Asked::new(words, line))
}

/// Whether the program wrote down a command and what came of it, as if the user had said it.
fn is_of_program(text: &str) -> bool {
    const BEGINNINGS: [&str; 5] = [
        "<command-",
        "<local-command-",
        "<bash-",
        "<user-memory-input>",
        "Caveat: The messages below were generated by the user",
    ];
    let text = text.trim_start();
    BEGINNINGS.iter().any(|words| text.starts_with(words))
}

/// A command as it was typed.
fn command(text: &str) -> Option<String> {
    let part = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0.trim())
    };
    let name = part("command-name").filter(|_| is_of_program(text))?;
    let args = part("command-args").unwrap_or_default();
    Some(format!("{name} {args}").trim_end().to_owned())
}

/// How a tool did, and what it changed. A refusal is written as an error, in the program's words.
fn outcome(part: &Value, line: &Value) -> Outcome {
    const REFUSALS: [&str; 2] = ["The user doesn't want to", "Permission to use"];
    let said = words(part.get("content").unwrap_or(&Value::Null), "\n");
    let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
    let state = match is_error {
        false => StepState::Ok,
        true if REFUSALS.iter().any(|words| said.starts_with(words)) => StepState::Refused,
        true => StepState::Failed,
    };
    let id = text(part, "/tool_use_id").unwrap_or_default();
    let edit = line.get("toolUseResult").and_then(Edit::of_claude);
    Outcome::new(id, state, time(line)).with_edit(edit)
}

fn said(line: &Value, content: &Value) -> Said {
    let is_error = line.get("isApiErrorMessage").and_then(Value::as_bool) == Some(true);
    let part = |part: &Value| match text(part, "/type") {
        Some("tool_use") => {
            let id = text(part, "/id").unwrap_or_default();
            let name = text(part, "/name").unwrap_or_default();
            let input = part.get("input").unwrap_or(&Value::Null);
            Some(Part::Tool(Call::new(id, name, input, time(line))))
        }
        Some("thinking") => text(part, "/thinking").map(|text| Part::Thought(text.to_owned())),
        Some("text") => text(part, "/text").map(|text| Part::Text(text.to_owned())),
        _ => None,
    };
    let reason = text(line, "/message/stop_reason");
    Said {
        answer: text(line, "/message/id").map(str::to_owned),
        parts: content
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(part)
            .collect(),
        took: Took::of_claude(line.get("message").unwrap_or(&Value::Null)),
        is_last: reason.is_some_and(|reason| reason != "tool_use"),
        is_complete: reason == Some("end_turn"),
        error: is_error.then(|| words(content, "\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, turn_of};
    use super::*;

    const TURN: &str = r#"{"type":"user","message":{"content":"[A2A:1:user] first"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"one"}],"stop_reason":"end_turn"}}
{"type":"user","message":{"content":"[A2A:2:user] second"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"let me look"}],"stop_reason":null}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash"}],"stop_reason":"tool_use"}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}
{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"aside"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"```rust\nfn two() {}\n```"}],"stop_reason":"end_turn"}}
"#;

    fn turn(text: &str, message: &str) -> Option<TurnRecord> {
        turn_of(Kind::Claude, text, message)
    }

    fn verdict(text: &str, message: &str) -> Option<Verdict> {
        turn(text, message)?.verdict
    }

    #[test]
    fn the_reply_is_what_was_said_after_the_last_tool() {
        let reply = "```rust\nfn two() {}\n```".to_owned();
        assert_eq!(
            verdict(TURN, "[A2A:2:user] second"),
            Some(Verdict::Replied(reply))
        );
        let first = Verdict::Replied("one".to_owned());
        assert_eq!(verdict(TURN, "[A2A:1:user] first"), Some(first));
    }

    /// As Claude Code 2.1.327 writes it.
    #[test]
    fn what_a_hook_of_the_users_makes_the_model_say_belongs_to_the_turn() {
        let text = r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"content":"say:first words"}}
{"type":"assistant","uuid":"b","parentUuid":"a","timestamp":"1","message":{"id":"m1","content":[{"type":"text","text":"first words"}],"stop_reason":"end_turn"}}
{"type":"user","uuid":"c","parentUuid":"b","isMeta":true,"message":{"content":"Stop hook feedback:\nsay:second words"}}
{"type":"system","uuid":"d","parentUuid":"c","subtype":"stop_hook_summary"}
{"type":"assistant","uuid":"e","parentUuid":"d","timestamp":"2","message":{"id":"m2","content":[{"type":"text","text":"second"}],"stop_reason":"end_turn"}}
{"type":"assistant","uuid":"f","parentUuid":"e","timestamp":"3","message":{"id":"m2","content":[{"type":"text","text":"words"}],"stop_reason":"end_turn"}}
{"type":"system","subtype":"turn_duration"}"#;
        let turn = turn(text, "say:first words").unwrap();
        let last = Verdict::Replied("second\n\nwords".to_owned());
        assert_eq!((turn.verdict, turn.is_closed), (Some(last), true));
    }

    #[test]
    fn a_message_that_a_hook_of_the_users_blocks_has_failed() {
        let text = r#"{"type":"system","uuid":"a","subtype":"informational","level":"warning","content":"UserPromptSubmit operation blocked by hook:\n[check]: no such words\n\n\nOriginal prompt: do it"}"#;
        let turn = turn(text, "do it").unwrap();
        let why = "UserPromptSubmit operation blocked by hook:\n[check]: no such words".to_owned();
        assert_eq!(
            (turn.verdict, turn.is_closed),
            (Some(Verdict::Failed(why)), true)
        );
    }

    #[test]
    fn a_turn_that_is_not_over_has_no_reply() {
        let cut: Vec<&str> = TURN.lines().take(5).collect();
        let open = turn(&cut.join("\n"), "[A2A:2:user] second").unwrap();
        assert!(open.verdict.is_none() && open.has_open_tool && !open.is_closed);
        assert_eq!(turn(TURN, "third"), None);
        assert_eq!(turn("{\"type\":", "x"), None);
    }

    #[test]
    fn a_message_that_only_holds_the_words_is_another_one() {
        let text = r#"{"type":"user","message":{"content":"please say hi to the team"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"REPLY TO ANOTHER"}],"stop_reason":"end_turn"}}"#;
        assert_eq!(turn(text, "hi"), None);
    }

    #[test]
    fn an_interrupted_turn_keeps_what_was_said() {
        let text = r#"{"type":"user","message":{"content":"hi"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"half of"}],"stop_reason":"end_turn"}}
{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}
{"type":"system","subtype":"turn_duration"}
{"type":"user","message":{"content":"next"}}"#;
        let turn = turn(text, "hi").unwrap();
        assert_eq!(turn.verdict, Some(Verdict::Interrupted));
        assert_eq!((turn.said.as_str(), turn.is_closed), ("half of", true));
    }

    #[test]
    fn lines_out_of_order_are_put_right_by_their_parents() {
        let text = r#"{"type":"assistant","uuid":"b","parentUuid":"x","timestamp":"2","message":{"content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn"}}
{"type":"attachment","uuid":"x","parentUuid":"a"}
{"type":"user","uuid":"a","parentUuid":null,"timestamp":"1","message":{"content":"[A2A:1] hi"}}"#;
        assert_eq!(
            verdict(text, "[A2A:1] hi"),
            Some(Verdict::Replied("hello".to_owned()))
        );
    }

    // Written by Claude Code 2.1.197 with the scripted model; what does not matter is left out.
    const TOOLS: &str = r#"{"type":"user","message":{"content":"do it"}}
{"type":"assistant","timestamp":"2026-11-16T15:45:09.450Z","message":{"content":[{"type":"thinking","thinking":"Let me see.","signature":"x"},{"type":"tool_use","id":"t1","name":"Edit","input":{"replace_all":false,"file_path":"/w/x.txt","old_string":"b","new_string":"B\nBB"}}],"stop_reason":"tool_use"}}
{"type":"user","timestamp":"2026-11-16T15:45:09.563Z","message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"The file /w/x.txt has been updated successfully."}]},"toolUseResult":{"filePath":"/w/x.txt","oldString":"b","newString":"B\nBB","originalFile":"a\nb\nc\n","structuredPatch":[{"oldStart":1,"oldLines":3,"newStart":1,"newLines":4,"lines":[" a","-b","+B","+BB"," c"]}],"userModified":false,"replaceAll":false}}
{"type":"assistant","timestamp":"2026-11-16T15:45:15.795Z","message":{"content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"false","description":"Run the requested command"}}],"stop_reason":"tool_use"}}
{"type":"user","timestamp":"2026-11-16T15:45:15.904Z","message":{"content":[{"type":"tool_result","content":"Exit code 1","is_error":true,"tool_use_id":"t2"}]},"toolUseResult":"Error: Exit code 1"}
{"type":"assistant","timestamp":"2026-11-16T15:45:16.795Z","message":{"content":[{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"rm -r x"}}],"stop_reason":"tool_use"}}
{"type":"user","timestamp":"2026-11-16T15:45:19.904Z","message":{"content":[{"type":"tool_result","content":"The user doesn't want to proceed with this tool use. The tool use was rejected","is_error":true,"tool_use_id":"t3"}]},"toolUseResult":"User rejected tool use"}
{"type":"assistant","timestamp":"2026-11-16T15:45:20.795Z","message":{"content":[{"type":"tool_use","id":"t4","name":"Read","input":{"file_path":"/w/x.txt"}}],"stop_reason":"tool_use"}}"#;

    #[test]
    fn each_tool_call_and_thought_is_a_step() {
        let steps = turn(TOOLS, "do it").unwrap().steps;
        let told: Vec<(String, StepState, Option<u64>)> = steps
            .iter()
            .map(|step| (step.title(), step.state, step.duration_ms))
            .collect();
        let step = |title: &str, state, took| (title.to_owned(), state, took);
        assert_eq!(
            told,
            [
                step("Let me see.", StepState::Ok, None),
                step("Edit /w/x.txt", StepState::Ok, Some(113)),
                step("Bash `false`", StepState::Failed, Some(109)),
                step("Bash `rm -r x`", StepState::Refused, Some(3_109)),
                step("Read /w/x.txt", StepState::Running, None),
            ]
        );
        let edit = steps[1].edit.as_ref().unwrap();
        assert_eq!((edit.added, edit.removed), (2, 1));
        assert!(edit.diff.as_ref().unwrap().starts_with("@@ -1,3 +1,4 @@"));
    }

    #[test]
    fn an_error_of_the_model_is_a_failure() {
        let text = "{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}\n{\"type\":\"assistant\",\"isApiErrorMessage\":true,\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"API Error: 400\"}],\"stop_reason\":\"stop_sequence\"}}";
        assert_eq!(
            verdict(text, "hi"),
            Some(Verdict::Failed("API Error: 400".to_owned()))
        );
    }
}
