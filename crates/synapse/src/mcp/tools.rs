//! The tools: what they take and what they give, as `tools.json` describes it to a client. Results are typed and short,
//! since a model reads them.

use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::neighbours::{self, Neighbours, Request};
use synapse_acp::rpc::RpcError;
use synapse_client::delivery::Recipient;
use synapse_client::message::OutgoingMessage;
use synapse_client::pace::Pace;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;

/// How long a message is waited for when the model does not say.
const PATIENCE: u64 = 120;

/// The longest wait; CLIs give up on tools that take longer.
const LONGEST: u64 = 600;

/// Priority 5 interrupts, and is reserved for people.
const PRIORITIES: RangeInclusive<u8> = 1..=4;

/// How many messages may be sent in a minute, to all together.
const MOST_A_MINUTE: usize = 30;

/// The tools as a client is told of them.
const TOOLS: &str = include_str!("tools.json");

pub struct Tools {
    paths: Paths,
    pace: Mutex<Pace>,
}

/// An agent in a line.
#[derive(Serialize)]
pub(super) struct Brief {
    /// What to call it by.
    pub(super) handle: String,
    /// What kind of program it is.
    pub(super) profile: String,
    /// As lists have it: idle, working, waiting and so on.
    pub(super) state: String,
    /// What it asks, while it does.
    pub(super) asks: Option<String>,
    pub(super) directory: String,
}

#[derive(Serialize)]
pub(super) struct Agents {
    agents: Vec<Brief>,
}

/// What came of a message.
#[derive(Serialize)]
pub(super) struct Outcome {
    /// Who has it.
    pub(super) agent: String,
    /// The task it became, for `get_task`.
    pub(super) task: String,
    /// submitted, working, `input_required`, completed, failed, canceled or rejected.
    pub(super) state: String,
    /// The reply, word for word, once it is there.
    pub(super) reply: Option<String>,
    /// What the agent asks, for answer.
    pub(super) question: Option<String>,
    /// What it offers as answers.
    pub(super) options: Vec<String>,
    /// What went wrong.
    pub(super) error: Option<String>,
}

/// What came of a message to several.
#[derive(Serialize)]
pub(super) struct Outcomes {
    outcomes: Vec<Outcome>,
}

/// What `send_message` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SendMessage {
    /// The handle of the agent, as `list_agents` gives it.
    agent: String,
    /// What to say.
    message: String,
    /// Wait for the reply (the default), or only hand the message over.
    wait: Option<bool>,
    /// How long to wait, in seconds; 120 by default, at most 600. The task goes on afterwards.
    timeout_seconds: Option<u64>,
    /// 1 to 4; the higher goes first. 1 by default.
    priority: Option<u8>,
}

/// What `broadcast` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Broadcast {
    /// What to say to every other agent.
    message: String,
    /// Wait for the replies (the default), or only hand the message over.
    wait: Option<bool>,
    /// How long to wait, in seconds; 120 by default, at most 600.
    timeout_seconds: Option<u64>,
}

/// What `get_task` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GetTask {
    /// The agent that has it.
    agent: String,
    /// The task, as `send_message` gave it.
    task: String,
}

/// What `answer` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerQuestion {
    /// The agent that asks.
    agent: String,
    /// yes, no, or one of its options.
    value: String,
    /// The task that asks; needed for an agent elsewhere.
    task: Option<String>,
    /// Answer only if it is still this question.
    fingerprint: Option<String>,
}

/// What `start_flow` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartFlow {
    /// The name of the flow, as `list_flows` gives it.
    flow: String,
    /// Its inputs, by name.
    #[serde(default)]
    inputs: std::collections::BTreeMap<String, String>,
}

/// What `get_flow` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GetFlow {
    /// The run, as `start_flow` gave it.
    run: String,
}

/// What `list_agents` and `list_flows` take.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// A call of a tool, with what it takes.
enum Call {
    ListAgents,
    SendMessage(SendMessage),
    GetTask(GetTask),
    Answer(AnswerQuestion),
    ListFlows,
    StartFlow(StartFlow),
    GetFlow(GetFlow),
    Broadcast(Broadcast),
}

impl Call {
    /// Nothing if there is no tool of this name.
    fn read(tool: &str, arguments: Value) -> Result<Option<Self>, String> {
        Ok(Some(match tool {
            "list_agents" => taken::<Nothing>(tool, arguments).map(|_| Self::ListAgents)?,
            "send_message" => Self::SendMessage(taken(tool, arguments)?),
            "get_task" => Self::GetTask(taken(tool, arguments)?),
            "answer" => Self::Answer(taken(tool, arguments)?),
            "list_flows" => taken::<Nothing>(tool, arguments).map(|_| Self::ListFlows)?,
            "start_flow" => Self::StartFlow(taken(tool, arguments)?),
            "get_flow" => Self::GetFlow(taken(tool, arguments)?),
            "broadcast" => Self::Broadcast(taken(tool, arguments)?),
            _ => return Ok(None),
        }))
    }
}

/// Whether it was done.
#[derive(Serialize)]
pub(super) struct Done {
    done: bool,
}

impl Tools {
    /// The tools of the agent that runs us.
    pub fn new(paths: Paths) -> Self {
        Self {
            paths,
            pace: Mutex::new(Pace::new(MOST_A_MINUTE)),
        }
    }

    /// All tools, as a client wants to know of them.
    pub(super) fn listing() -> Result<Value, RpcError> {
        let tools: Value = serde_json::from_str(TOOLS).map_err(anyhow::Error::from)?;
        Ok(json!({ "tools": tools }))
    }

    /// Calls a tool. What goes wrong with it is told to the model.
    pub(super) async fn call(&self, name: &str, arguments: Value) -> Result<Value, RpcError> {
        let done = match self.run(name, arguments).await {
            Ok(None) => return Err(RpcError::bad_params(format!("there is no tool '{name}'"))),
            Ok(Some(done)) => Ok(done),
            Err(error) => Err(error),
        };
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        Ok(match done {
            Ok(done) => json!({
                "content": text(&done.to_string()), "structuredContent": done, "isError": false,
            }),
            Err(error) => json!({ "content": text(&error), "isError": true }),
        })
    }

    /// What a tool gives; nothing if there is none of this name.
    async fn run(&self, name: &str, arguments: Value) -> Result<Option<Value>, String> {
        let Some(call) = Call::read(name, arguments)? else {
            return Ok(None);
        };
        let given = match call {
            Call::ListAgents => json!(self.list_agents().await?),
            Call::SendMessage(asked) => json!(self.send_message(asked).await?),
            Call::GetTask(asked) => json!(self.get_task(asked).await?),
            Call::Answer(asked) => json!(self.answer(asked).await?),
            Call::ListFlows => json!(self.list_flows()?),
            Call::StartFlow(asked) => json!(self.start_flow(asked).await?),
            Call::GetFlow(asked) => json!(self.get_flow(&asked)?),
            Call::Broadcast(asked) => json!(self.broadcast(asked).await?),
        };
        Ok(Some(given))
    }

    async fn list_agents(&self) -> Result<Agents, String> {
        let around = self.look()?;
        let mut agents = join_all(around.others.iter().map(neighbours::brief)).await;
        agents.extend(around.elsewhere.iter().map(neighbours::brief_elsewhere));
        Ok(Agents { agents })
    }

    async fn send_message(&self, asked: SendMessage) -> Result<Outcome, String> {
        let around = self.look()?;
        let priority = asked.priority.unwrap_or(1);
        if !PRIORITIES.contains(&priority) {
            let (least, most) = PRIORITIES.into_inner();
            return Err(format!(
                "priority {priority} is not a whole number from {least} to {most}"
            ));
        }
        let patience = patience(asked.wait, asked.timeout_seconds);
        if let Some(found) = around.away(&asked.agent) {
            let request = self
                .request(&around, &asked.message, priority, None, 1)
                .await?;
            let kept = neighbours::leave(&self.paths, &found, &request).await;
            return kept.map_err(said);
        }
        let to = around.find(&asked.agent).await.map_err(said)?;
        let request = self
            .request(&around, &asked.message, priority, patience, 1)
            .await?;
        neighbours::send(&to, &request).await.map_err(said)
    }

    async fn get_task(&self, asked: GetTask) -> Result<Outcome, String> {
        let to = self.look()?.find(&asked.agent).await.map_err(said)?;
        neighbours::task(&to, &asked.task).await.map_err(said)
    }

    async fn answer(&self, asked: AnswerQuestion) -> Result<Done, String> {
        let to = self.look()?.find(&asked.agent).await.map_err(said)?;
        let (task, fingerprint) = (asked.task.as_deref(), asked.fingerprint.as_deref());
        let answered = to.answer(&asked.value, task, fingerprint).await;
        answered.map(|()| Done { done: true }).map_err(said)
    }

    fn list_flows(&self) -> Result<super::flows::Flows, String> {
        super::flows::list(&self.paths).map_err(said)
    }

    async fn start_flow(&self, asked: StartFlow) -> Result<super::flows::FlowState, String> {
        let around = self.look()?;
        let hops = around.hops().await.map_err(said)?;
        self.take_pace(1)?;
        super::flows::start(
            &self.paths,
            &asked.flow,
            &asked.inputs,
            around.sender(),
            hops,
        )
        .await
        .map_err(said)
    }

    fn get_flow(&self, asked: &GetFlow) -> Result<super::flows::FlowState, String> {
        super::flows::state(&self.paths, &asked.run).map_err(said)
    }

    async fn broadcast(&self, asked: Broadcast) -> Result<Outcomes, String> {
        let around = self.look()?;
        let patience = patience(asked.wait, asked.timeout_seconds);
        let others: Vec<&Entry> = around.here().collect();
        let count = others.len();
        let request = self
            .request(&around, &asked.message, 1, patience, count)
            .await?;
        let sent = others.into_iter().map(|entry| async {
            let outcome = async { neighbours::send(&Recipient::local(entry)?, &request).await };
            // One that cannot be reached never holds the others.
            outcome.await.unwrap_or_else(|error| Outcome {
                agent: entry.handle.to_string(),
                task: String::new(),
                state: "failed".to_owned(),
                reply: None,
                question: None,
                options: Vec::new(),
                error: Some(said(error)),
            })
        });
        let outcomes = join_all(sent).await;
        Ok(Outcomes { outcomes })
    }
}

impl Tools {
    fn look(&self) -> Result<Neighbours, String> {
        Neighbours::look(&self.paths).map_err(said)
    }

    /// Counts what is sent or started: two agents that answer each other would never stop.
    fn take_pace(&self, count: usize) -> Result<(), String> {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.take("", count, Instant::now()).map_err(|wait| {
            format!(
                "too many messages in a minute; try again in {} s",
                wait.as_secs() + 1
            )
        })
    }

    /// A message for so many, if it may be sent now.
    async fn request(
        &self,
        around: &Neighbours,
        text: &str,
        priority: u8,
        patience: Option<Duration>,
        count: usize,
    ) -> Result<Request, String> {
        let hops = around.hops().await.map_err(said)?;
        self.take_pace(count)?;
        let message = OutgoingMessage::text(text)
            .sent_by(Some(around.sender()), hops)
            .with_priority(Some(priority));
        Ok(Request { message, patience })
    }
}

/// The arguments of a call: an object, or nothing.
fn taken<T: DeserializeOwned>(tool: &str, arguments: Value) -> Result<T, String> {
    let arguments = match arguments {
        Value::Null => json!({}),
        Value::Object(_) => arguments,
        _ => return Err(format!("the arguments of {tool} must be an object")),
    };
    serde_json::from_value(arguments).map_err(|error| format!("the arguments of {tool}: {error}"))
}

/// How long to wait; not at all if that is not wanted.
fn patience(wait: Option<bool>, seconds: Option<u64>) -> Option<Duration> {
    let seconds = seconds.unwrap_or(PATIENCE).min(LONGEST);
    wait.unwrap_or(true).then_some(Duration::from_secs(seconds))
}

fn said(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    /// Whether a tool takes these arguments.
    fn takes(tool: &str, arguments: &Value) -> bool {
        let call = Call::read(tool, arguments.clone());
        call.is_ok_and(|call| call.is_some())
    }

    fn an_example(kind: &Value) -> Value {
        match kind.as_str().or_else(|| kind[0].as_str()).unwrap() {
            "string" => json!("x"),
            "integer" => json!(1),
            "boolean" => json!(true),
            "object" => json!({ "x": "y" }),
            other => panic!("no example of {other}"),
        }
    }

    #[test]
    fn each_tool_takes_what_is_told_of_it_and_nothing_else() {
        let listing = Tools::listing().unwrap();
        let tools = listing["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 8);
        for tool in tools {
            let name = tool["name"].as_str().unwrap();
            let schema = &tool["inputSchema"];
            let told = schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            let needed = schema["required"].as_array().cloned().unwrap_or_default();
            let all: Map<String, Value> = told
                .iter()
                .map(|(key, told)| (key.clone(), an_example(&told["type"])))
                .collect();
            assert!(takes(name, &json!(all)), "{name}");
            assert_eq!(takes(name, &Value::Null), needed.is_empty(), "{name}");
            for key in told.keys() {
                let mut fewer = all.clone();
                fewer.remove(key);
                let is_needed = needed.contains(&json!(key));
                assert_eq!(
                    takes(name, &json!(fewer)),
                    !is_needed,
                    "{name} without {key}"
                );
            }
            let in_order: Vec<&Value> = all.values().collect();
            for no_object in [json!(in_order), json!([1]), json!("x"), json!(1)] {
                assert!(!takes(name, &no_object), "{name} {no_object}");
            }
            let mut more = all;
            more.insert("mesage".to_owned(), json!("x"));
            assert!(!takes(name, &json!(more)), "{name}");
        }
    }

    #[test]
    fn the_priorities_that_are_told_are_those_that_are_taken() {
        let listing = Tools::listing().unwrap();
        let tools = listing["tools"].as_array().unwrap();
        let send = tools.iter().find(|tool| tool["name"] == "send_message");
        let told = &send.unwrap()["inputSchema"]["properties"]["priority"];
        let (least, most) = PRIORITIES.into_inner();
        assert_eq!(
            (&told["minimum"], &told["maximum"]),
            (&json!(least), &json!(most))
        );
    }
}
