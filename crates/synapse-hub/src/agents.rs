//! Requests to an agent on behalf of the page.

use std::time::Duration;

use axum::http::StatusCode;
use hyper::Method;
use serde_json::Value;
use tokio::time::timeout;

use super::Hub;
use super::live::{Change, KnownAgent, Report, State};
use super::problem::Problem;
use super::shapes::{Agent, Prompt};
use synapse_client::client::Client;
use synapse_machine::registry::Entry;

/// How long an agent may take to answer. An interrupt waits for its effect, a cancel for two.
const PATIENCE: Duration = Duration::from_secs(15);

impl Hub {
    /// The agent with this id or handle.
    pub(super) fn agent(&self, word: &str) -> Result<Entry, Problem> {
        let found = self.live.read(|state| state.find(word).cloned());
        found.ok_or_else(|| {
            let error = format!("no agent is called '{word}'; it may have stopped");
            Problem::missing("no_such_agent", error)
        })
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.live.read(|state| {
            let known = state.agents.values();
            known.map(|known| known.entry.clone()).collect()
        })
    }

    /// All agents as the page sees them.
    pub(super) fn views(&self) -> Vec<Agent> {
        self.live.read(State::views)
    }

    /// One agent as the page sees it.
    pub(super) fn view(&self, entry: &Entry) -> Option<Agent> {
        self.live
            .read(|state| state.agents.get(&entry.agent_id).map(KnownAgent::view))
    }

    /// Waits until something can be seen in what the hub knows, but not for ever.
    pub(super) async fn wait_for<T>(
        &self,
        patience: Duration,
        look: impl Fn(&State) -> Option<T>,
    ) -> Option<T> {
        let (_, mut deltas) = self.live.follow();
        let seen = async {
            loop {
                if let Some(seen) = self.live.read(&look) {
                    return seen;
                }
                // Whatever came, or was missed: look again.
                let _ = deltas.recv().await;
            }
        };
        timeout(patience, seen).await.ok()
    }

    /// The question that is open at an agent.
    pub(super) fn prompt(&self, entry: &Entry) -> Option<Prompt> {
        self.live.read(|state| {
            let known = state.agents.get(&entry.agent_id);
            known.and_then(|known| known.prompt().cloned())
        })
    }

    /// Asks an agent how it is, and takes note.
    pub(super) async fn refresh(&self, entry: &Entry) -> Result<Report, Problem> {
        let body = ask(entry, Method::GET, "/status", None).await?;
        let report: Report = serde_json::from_value(body).map_err(Problem::internal)?;
        let report = report.price(&self.prices.prices());
        let change = Change::Reported(entry.agent_id.clone(), Box::new(report.clone()));
        self.live.apply(change);
        Ok(report)
    }
}

/// Asks an agent, and takes the answer if it went well. What it refused keeps its status and words.
pub(super) async fn ask(
    entry: &Entry,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<Value, Problem> {
    let unreachable = |error: anyhow::Error| {
        let error = format!("@{} does not answer: {error:#}", entry.handle);
        Problem::new(StatusCode::BAD_GATEWAY, "agent_unreachable", error)
    };
    let client = Client::of(entry).map_err(unreachable)?;
    let answer = timeout(PATIENCE, client.ask(method, path, body)).await;
    let answer = answer.map_err(|_| {
        let error = format!("@{} did not answer within {PATIENCE:?}", entry.handle);
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "timeout", error)
    })?;
    let answer = answer.map_err(unreachable)?;
    if answer.status.is_success() {
        return Ok(answer.body);
    }
    let error = answer.body.get("error").and_then(Value::as_str);
    let error = error.unwrap_or("the agent gave no reason").to_owned();
    Err(Problem::new(answer.status, code_of(answer.status), error))
}

fn code_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "no_such_task",
        StatusCode::CONFLICT => "task_over",
        StatusCode::PAYLOAD_TOO_LARGE => "too_large",
        StatusCode::TOO_MANY_REQUESTS => "queue_full",
        StatusCode::SERVICE_UNAVAILABLE => "agent_stopping",
        status if status.is_client_error() => "bad_request",
        _ => "internal",
    }
}
