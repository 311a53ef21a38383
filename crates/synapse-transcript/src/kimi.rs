//! The wire file of a Kimi session: one JSON object per line. Kimi Code writes each message of a turn when the turn is
//! over, and how it ended. Its predecessor, kimi-cli, writes parts of messages, and after each step what it cost: a
//! step without that was cut off. The folder is in a file beside it.

use jiff::Timestamp;
use serde_json::Value;

use super::log::Entry;
use super::steps::{Call, Outcome};
use super::tokens::Took;
use super::{Asked, text, words};

/// What is told of a turn that kimi-cli broke off: its file does not say why.
const BROKEN_OFF: &str = "the model could not be asked; the screen says why";

/// The lines of a wire file, put together to what they mean.
#[derive(Debug, Default)]
pub(super) struct Steps {
    said: String,
    calls: Vec<Call>,
    /// The last step ended with an answer that calls no tools.
    has_reply: bool,
    /// A step broke off by itself; why is on the screen alone.
    has_failed: bool,
}

impl Steps {
    pub(super) fn push(&mut self, line: &Value) -> Vec<Entry> {
        match line.pointer("/message/payload") {
            Some(payload) => self.of_cli(line, payload),
            None => of_code(line).into_iter().collect(),
        }
    }

    fn of_cli(&mut self, line: &Value, payload: &Value) -> Vec<Entry> {
        match text(line, "/message/type") {
            Some("TurnBegin") => {
                *self = Self::default();
                let at = line.get("timestamp").and_then(Value::as_f64);
                let input = payload.get("user_input").unwrap_or(&Value::Null);
                vec![asked(input, at)]
            }
            Some("ContentPart") => {
                self.said += text(payload, "/text").unwrap_or_default();
                Vec::new()
            }
            Some("ToolCall") => {
                let id = text(payload, "/id").unwrap_or_default();
                let name = text(payload, "/function/name").unwrap_or_default();
                let input = text(payload, "/function/arguments").unwrap_or_default();
                self.calls.push(Call::of_text(id, name, input, stamp(line)));
                Vec::new()
            }
            Some("StatusUpdate") if payload.get("token_usage").is_some_and(Value::is_object) => {
                self.has_reply = self.calls.is_empty();
                let took = Took::of_kimi(payload).map(Entry::Took);
                took.into_iter().chain([self.step()]).collect()
            }
            Some("ToolResult") => {
                let id = text(payload, "/tool_call_id").unwrap_or_default();
                let value = payload.pointer("/return_value/is_error");
                let is_error = value.and_then(Value::as_bool) == Some(true);
                vec![Entry::Result(Outcome::ok_unless(id, is_error, stamp(line)))]
            }
            Some("StepInterrupted") => {
                self.has_failed = true;
                Vec::new()
            }
            Some("TurnEnd") if self.has_failed => vec![Entry::Failed(BROKEN_OFF.to_owned())],
            Some("TurnEnd") if self.has_reply => vec![Entry::Closed],
            Some("TurnEnd") => vec![self.step(), Entry::Interrupted],
            _ => Vec::new(),
        }
    }

    fn step(&mut self) -> Entry {
        Entry::Said {
            text: std::mem::take(&mut self.said),
            calls: std::mem::take(&mut self.calls),
        }
    }
}

fn of_code(line: &Value) -> Option<Entry> {
    let owned = |pointer: &str| text(line, pointer).unwrap_or_default().to_owned();
    let time = line.get("time").and_then(Value::as_f64);
    match text(line, "/type")? {
        "turn.prompt" if text(line, "/origin/kind") == Some("user") => {
            Some(asked(line.get("input")?, time.map(|time| time / 1e3)))
        }
        "interaction.request" => Some(Entry::Said {
            text: String::new(),
            calls: vec![Call::new(
                text(line, "/toolCallId")?,
                text(line, "/toolName").unwrap_or_default(),
                line.get("input").unwrap_or(&Value::Null),
                None,
            )],
        }),
        "context.append_loop_event" if text(line, "/event/type") == Some("tool.result") => {
            let value = line.pointer("/event/isError").and_then(Value::as_bool);
            let id = text(line, "/event/toolCallId").unwrap_or_default();
            Some(Entry::Result(Outcome::ok_unless(
                id,
                value == Some(true),
                None,
            )))
        }
        "agent.message.appended" if text(line, "/message/message/role") == Some("assistant") => {
            let calls = line.pointer("/message/message/toolCalls")?.as_array()?;
            // They have answered: the messages are written after the turn.
            calls.is_empty().then(|| Entry::Said {
                text: words(
                    line.pointer("/message/message/content")
                        .unwrap_or(&Value::Null),
                    "",
                ),
                calls: Vec::new(),
            })
        }
        "turn.ended" => Some(match text(line, "/reason")? {
            "completed" => Entry::Closed,
            "cancelled" => Entry::Interrupted,
            _ => Entry::Failed(owned("/error/message")),
        }),
        _ => None,
    }
}

fn asked(input: &Value, seconds: Option<f64>) -> Entry {
    Entry::Asked(Asked {
        text: words(input, "\n"),
        at: seconds.and_then(moment),
    })
}

/// When kimi-cli wrote a line.
fn stamp(line: &Value) -> Option<Timestamp> {
    line.get("timestamp")
        .and_then(Value::as_f64)
        .and_then(moment)
}

fn moment(seconds: f64) -> Option<Timestamp> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast of floats saturates"
    )]
    let millis = (seconds * 1e3) as i64;
    Timestamp::from_millisecond(millis).ok()
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, TurnRecord, Verdict, turn_of};

    // Written by kimi-cli 1.51.0 with the scripted model; what does not matter is left out.
    const CLI: &str = r#"{"type": "metadata", "protocol_version": "1.10"}
{"timestamp": 1794832435.14, "message": {"type": "TurnBegin", "payload": {"user_input": [{"type": "text", "text": "yes"}]}}}
{"timestamp": 1794832435.18, "message": {"type": "StepBegin", "payload": {"n": 1}}}
{"timestamp": 1794832435.88, "message": {"type": "ToolCall", "payload": {"type": "function", "id": "call_1", "function": {"name": "Shell", "arguments": "{}"}}}}
{"timestamp": 1794832435.98, "message": {"type": "StatusUpdate", "payload": {"token_usage": {"output": 1}, "message_id": "chatcmpl-fake000001"}}}
{"timestamp": 1794832440.14, "message": {"type": "ToolResult", "payload": {"tool_call_id": "call_1", "return_value": {"is_error": false, "output": ""}}}}
{"timestamp": 1794832440.18, "message": {"type": "StepBegin", "payload": {"n": 2}}}
{"timestamp": 1794832440.25, "message": {"type": "ContentPart", "payload": {"type": "text", "text": "tool done"}}}
{"timestamp": 1794832440.25, "message": {"type": "StatusUpdate", "payload": {"token_usage": {"output": 14}}}}
{"timestamp": 1794832440.26, "message": {"type": "TurnEnd", "payload": {}}}
{"timestamp": 1794832444.76, "message": {"type": "TurnBegin", "payload": {"user_input": [{"type": "text", "text": "no"}]}}}
{"timestamp": 1794832444.82, "message": {"type": "ToolCall", "payload": {"type": "function", "id": "call_3"}}}
{"timestamp": 1794832444.82, "message": {"type": "StatusUpdate", "payload": {"token_usage": {"output": 1}}}}
{"timestamp": 1794832448.72, "message": {"type": "ToolResult", "payload": {"tool_call_id": "call_3", "return_value": {"is_error": true, "message": "The tool call is rejected by the user."}}}}
{"timestamp": 1794832448.75, "message": {"type": "TurnEnd", "payload": {}}}
{"timestamp": 1794832451.35, "message": {"type": "TurnBegin", "payload": {"user_input": [{"type": "text", "text": "slow"}]}}}
{"timestamp": 1794832456.85, "message": {"type": "ContentPart", "payload": {"type": "text", "text": "alpha bravo"}}}
{"timestamp": 1794832456.87, "message": {"type": "TurnEnd", "payload": {}}}
{"timestamp": 1794832459.96, "message": {"type": "TurnBegin", "payload": {"user_input": [{"type": "text", "text": "error"}]}}}
{"timestamp": 1794832460.00, "message": {"type": "StepInterrupted", "payload": {}}}
{"timestamp": 1794832460.01, "message": {"type": "TurnEnd", "payload": {}}}"#;

    // Written by Kimi Code 2.1.0, likewise.
    const CODE: &str = r#"{"type":"metadata","protocol_version":"1.5","created_at":1794832577718}
{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"yes"}],"origin":{"kind":"user"},"turnId":0,"time":1794832577924}
{"type":"interaction.request","agentId":"main","kind":"approval","toolCallId":"call_1","time":1794832578022}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.result","toolCallId":"call_1","result":{"output":"ok"}},"time":1794832582658}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"content.part","part":{"type":"text","text":"tool done"}},"time":1794832582882}
{"message":{"message":{"role":"assistant","content":[],"toolCalls":[{"type":"function","id":"call_1","name":"Bash"}]}},"type":"agent.message.appended","time":1794832582884,"kind":"event"}
{"message":{"message":{"role":"tool","content":[{"type":"text","text":"ok"}],"toolCallId":"call_1"}},"type":"agent.message.appended","time":1794832582884,"kind":"event"}
{"message":{"message":{"role":"assistant","content":[{"type":"text","text":"tool done"}],"toolCalls":[]}},"type":"agent.message.appended","time":1794832582884,"kind":"event"}
{"type":"turn.ended","agentId":"main","turnId":0,"reason":"completed","durationMs":4986,"time":1794832582909}
{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"slow"}],"origin":{"kind":"user"},"turnId":2,"time":1794832592824}
{"message":{"message":{"role":"assistant","content":[{"type":"text","text":"alpha bravo"}],"toolCalls":[]},"meta":{"source":"salvaged"}},"type":"agent.message.appended","time":1794832597841,"kind":"event"}
{"type":"turn.ended","agentId":"main","turnId":2,"reason":"cancelled","time":1794832597849}
{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"error"}],"origin":{"kind":"user"},"turnId":0,"time":1794832549320}
{"type":"turn.ended","agentId":"main","turnId":0,"reason":"failed","error":{"code":"provider.api_error","message":"400 Scripted error 400"},"time":1794832549501}"#;

    fn turn(file: &str, lines: usize, message: &str) -> TurnRecord {
        let lines: Vec<&str> = file.lines().take(lines).collect();
        turn_of(Kind::Kimi, &lines.join("\n"), message).unwrap()
    }

    #[test]
    fn what_is_said_after_the_tool_is_the_reply() {
        for (file, called, answered, over) in [(CLI, 5, 6, 10), (CODE, 3, 4, 9)] {
            assert!(turn(file, called, "yes").has_open_tool);
            let answered = turn(file, answered, "yes");
            assert!(!answered.has_open_tool && answered.verdict.is_none());
            assert_eq!(turn(file, over - 3, "yes").verdict, None);
            let over = turn(file, over, "yes");
            assert!(over.is_closed);
            assert_eq!(over.verdict, Some(Verdict::Replied("tool done".to_owned())));
        }
    }

    #[test]
    fn a_turn_that_was_cut_off_has_no_reply() {
        for file in [CLI, CODE] {
            let stopped = turn(file, usize::MAX, "slow");
            assert_eq!(stopped.verdict, Some(Verdict::Interrupted));
            assert_eq!(stopped.said, "alpha bravo");
        }
        let refused = turn(CLI, usize::MAX, "no");
        assert_eq!(refused.verdict, Some(Verdict::Interrupted));
    }

    #[test]
    fn why_a_turn_failed_is_told_where_it_is_written() {
        let failed = turn(CODE, usize::MAX, "error");
        let why = Verdict::Failed("400 Scripted error 400".to_owned());
        assert_eq!(failed.verdict, Some(why));
        let failed = turn(CLI, usize::MAX, "error");
        let why = Verdict::Failed(super::BROKEN_OFF.to_owned());
        assert_eq!(failed.verdict, Some(why));
    }
}
