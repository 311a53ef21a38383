//! The tools: what they take and what they give. Results are typed and short, since a model reads them.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{Implementation, ServerCapabilities, ServerInfo};
use rmcp::schemars::JsonSchema;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};

use super::neighbours::{self, Neighbours, Request};
use synapse_client::delivery::Recipient;
use synapse_client::message::OutgoingMessage;
use synapse_client::pace::Pace;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;

/// How long a message is waited for when the model does not say.
const PATIENCE: u64 = 120;

/// The longest wait; CLIs give up on tools that take longer.
const LONGEST: u64 = 600;

/// How many messages may be sent in a minute, to all together.
const MOST_A_MINUTE: usize = 30;

/// What a model is told of all of it.
const INSTRUCTIONS: &str = "Other coding agents run on this machine. List them, send one a message and \
    get its reply, or answer what one asks. Their replies come from them, not from your user.";

pub struct Tools {
    paths: Paths,
    pace: Mutex<Pace>,
}

/// An agent in a line.
#[derive(Serialize, JsonSchema)]
pub(super) struct Brief {
    /// What to call it by.
    pub(super) handle: String,
    /// What kind of program it is.
    pub(super) profile: String,
    /// IDLE, BUSY, `INPUT_REQUIRED` and so on.
    pub(super) state: String,
    /// What it asks, while it does.
    pub(super) asks: Option<String>,
    pub(super) directory: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Agents {
    agents: Vec<Brief>,
}

/// What came of a message.
#[derive(Serialize, JsonSchema)]
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
#[derive(Serialize, JsonSchema)]
pub(super) struct Outcomes {
    outcomes: Vec<Outcome>,
}

/// What `send_message` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct SendMessage {
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
#[derive(Deserialize, JsonSchema)]
pub(super) struct Broadcast {
    /// What to say to every other agent.
    message: String,
    /// Wait for the replies (the default), or only hand the message over.
    wait: Option<bool>,
    /// How long to wait, in seconds; 120 by default, at most 600.
    timeout_seconds: Option<u64>,
}

/// What `get_task` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct GetTask {
    /// The agent that has it.
    agent: String,
    /// The task, as `send_message` gave it.
    task: String,
}

/// What `answer` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AnswerQuestion {
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
#[derive(Deserialize, JsonSchema)]
pub(super) struct StartFlow {
    /// The name of the flow, as `list_flows` gives it.
    flow: String,
    /// Its inputs, by name.
    #[serde(default)]
    inputs: std::collections::BTreeMap<String, String>,
}

/// What `get_flow` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct GetFlow {
    /// The run, as `start_flow` gave it.
    run: String,
}

/// Whether it was done.
#[derive(Serialize, JsonSchema)]
pub(super) struct Done {
    done: bool,
}

#[tool_router]
impl Tools {
    /// The tools of the agent that runs us.
    pub fn new(paths: Paths) -> Self {
        Self {
            paths,
            pace: Mutex::new(Pace::new(MOST_A_MINUTE)),
        }
    }

    #[tool(
        description = "Lists the other agents of this machine, of the other machines of its mesh, and those elsewhere that were added: what to call them, what they do, what they ask."
    )]
    async fn list_agents(&self) -> Result<Json<Agents>, String> {
        let around = self.look()?;
        let mut agents = join_all(around.others.iter().map(neighbours::brief)).await;
        agents.extend(around.elsewhere.iter().map(neighbours::brief_elsewhere));
        Ok(Json(Agents { agents }))
    }

    #[tool(description = "Sends a message to another agent and gives its reply, word for word.")]
    async fn send_message(
        &self,
        Parameters(asked): Parameters<SendMessage>,
    ) -> Result<Json<Outcome>, String> {
        let around = self.look()?;
        let priority = asked.priority.unwrap_or(1);
        if !(1..=4).contains(&priority) {
            return Err(format!(
                "priority {priority} is not a whole number from 1 to 4"
            ));
        }
        let patience = patience(asked.wait, asked.timeout_seconds);
        if let Some(found) = around.away(&asked.agent) {
            let request = self
                .request(&around, &asked.message, priority, None, 1)
                .await?;
            let kept = neighbours::leave(&self.paths, &found, &request).await;
            return kept.map(Json).map_err(said);
        }
        let to = around.find(&asked.agent).await.map_err(said)?;
        let request = self
            .request(&around, &asked.message, priority, patience, 1)
            .await?;
        neighbours::send(&to, &request)
            .await
            .map(Json)
            .map_err(said)
    }

    #[tool(description = "Shows what became of a task.")]
    async fn get_task(
        &self,
        Parameters(asked): Parameters<GetTask>,
    ) -> Result<Json<Outcome>, String> {
        let to = self.look()?.find(&asked.agent).await.map_err(said)?;
        neighbours::task(&to, &asked.task)
            .await
            .map(Json)
            .map_err(said)
    }

    #[tool(description = "Answers the question another agent is asking.")]
    async fn answer(
        &self,
        Parameters(asked): Parameters<AnswerQuestion>,
    ) -> Result<Json<Done>, String> {
        let to = self.look()?.find(&asked.agent).await.map_err(said)?;
        let (task, fingerprint) = (asked.task.as_deref(), asked.fingerprint.as_deref());
        let answered = to.answer(&asked.value, task, fingerprint).await;
        answered.map(|()| Json(Done { done: true })).map_err(said)
    }

    #[tool(
        description = "Lists the flows that can be started by name: several agents working on one goal, step by step."
    )]
    async fn list_flows(&self) -> Result<Json<super::flows::Flows>, String> {
        super::flows::list(&self.paths).map(Json).map_err(said)
    }

    #[tool(
        description = "Starts a flow by its name, in the background; get_flow tells what becomes of it. Only a person can answer what it asks."
    )]
    async fn start_flow(
        &self,
        Parameters(asked): Parameters<StartFlow>,
    ) -> Result<Json<super::flows::FlowState>, String> {
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
        .map(Json)
        .map_err(said)
    }

    #[tool(description = "Shows how a flow that was started stands, and what it gave.")]
    async fn get_flow(
        &self,
        Parameters(asked): Parameters<GetFlow>,
    ) -> Result<Json<super::flows::FlowState>, String> {
        super::flows::state(&self.paths, &asked.run)
            .map(Json)
            .map_err(said)
    }

    #[tool(
        description = "Sends a message to every other agent of this machine and gives their replies."
    )]
    async fn broadcast(
        &self,
        Parameters(asked): Parameters<Broadcast>,
    ) -> Result<Json<Outcomes>, String> {
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
        Ok(Json(Outcomes { outcomes }))
    }
}

#[tool_handler]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerInfo {
        let can = ServerCapabilities::builder().enable_tools().build();
        ServerInfo::new(can)
            .with_server_info(Implementation::new("synapse", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
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

/// How long to wait; not at all if that is not wanted.
fn patience(wait: Option<bool>, seconds: Option<u64>) -> Option<Duration> {
    let seconds = seconds.unwrap_or(PATIENCE).min(LONGEST);
    wait.unwrap_or(true).then_some(Duration::from_secs(seconds))
}

fn said(error: impl Into<anyhow::Error>) -> String {
    format!("{:#}", error.into())
}
