//! Interrupts an agent that is busy or asking, and reports whether it really stopped.

use std::fmt::Write as _;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use hyper::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use utoipa::ToSchema;

use super::Body;
use crate::Hub;
use crate::agents::ask;
use crate::live::Change;
use crate::problem::Problem;
use crate::program;
use crate::shapes::{Receipt, Session, Status};
use synapse_client::native::ReceiptShape;
use synapse_machine::registry::Entry;

/// `POST /api/agents/{id}/interrupt`
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub(super) struct Stop {
    level: Level,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Level {
    /// The key this program reacts to.
    #[default]
    Stop,
    Escape,
    CtrlC,
    CtrlD,
    /// Ends the agent.
    Kill,
}

/// Interrupts an agent.
#[utoipa::path(post, path = "/api/agents/{id}/interrupt", params(("id" = String, Path)), request_body = Stop,
    responses((status = 200, description = "what came of it", body = Receipt)))]
pub(super) async fn agent(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Extension(session): Extension<Session>,
    Body(stop): Body<Stop>,
) -> Result<Json<Receipt>, Problem> {
    let entry = hub.agent(&id)?;
    let key = match stop.level {
        Level::Stop => None,
        Level::Escape => Some("Escape"),
        Level::CtrlC => Some("C-c"),
        Level::CtrlD => Some("C-d"),
        Level::Kill => return kill(&hub, &entry).await.map(Json),
    };
    interrupt(&hub, &entry, key, &session.name).await.map(Json)
}

async fn kill(hub: &Hub, entry: &Entry) -> Result<Receipt, Problem> {
    let was = hub
        .view(entry)
        .map_or(Status::Stopped, |agent| agent.status);
    program::stop(entry.agent_id.as_str()).await?;
    hub.rescan.notify_one();
    Ok(Receipt {
        sent: Some("kill".to_owned()),
        was,
        now: Status::Stopped,
        confirmed: true,
    })
}

/// `POST /api/worktrees/{id}/interrupt`
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct InterruptRequest {
    /// Only this program.
    cli_tool_id: Option<String>,
    /// Another key than the one the program reacts to.
    key: Option<SpecialKey>,
}

/// The keys that can be sent to stop something.
#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
enum SpecialKey {
    Escape,
    #[serde(rename = "C-c")]
    CtrlC,
    #[serde(rename = "C-d")]
    CtrlD,
}

/// One agent that was interrupted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Interrupted {
    cli_tool_id: String,
    session_name: String,
    confirmed: bool,
}

/// Interrupts all agents of a worktree.
#[utoipa::path(post, path = "/api/worktrees/{id}/interrupt", params(("id" = String, Path)), request_body = InterruptRequest,
    responses((status = 200, description = "`{success, message, interrupted}`"),
        (status = 404, description = "Worktree '{id}' not found · No active sessions found"),
        (status = 500, description = "Failed to send interrupt")))]
pub(super) async fn worktree(
    State(hub): State<Hub>,
    Path(id): Path<String>,
    Extension(session): Extension<Session>,
    Body(request): Body<InterruptRequest>,
) -> Result<Json<Value>, Problem> {
    let mut agents = hub.views();
    agents.retain(|agent| agent.worktree == id);
    if agents.is_empty() && hub.spot(&id).await.is_err() {
        let error = format!("Worktree '{id}' not found");
        return Err(Problem::plain(StatusCode::NOT_FOUND, error));
    }
    agents.retain(|agent| {
        let wanted = request.cli_tool_id.as_ref();
        wanted.is_none_or(|wanted| agent.profile == *wanted)
    });
    if agents.is_empty() {
        let error = "No active sessions found";
        return Err(Problem::plain(StatusCode::NOT_FOUND, error));
    }
    let key = request.key.map(|key| match key {
        SpecialKey::Escape => "Escape",
        SpecialKey::CtrlC => "C-c",
        SpecialKey::CtrlD => "C-d",
    });
    let mut asked = JoinSet::new();
    for agent in agents {
        let (hub, by) = (hub.clone(), session.name.clone());
        asked.spawn(async move {
            let entry = hub.agent(&agent.id)?;
            let receipt = interrupt(&hub, &entry, key, &by).await?;
            Ok::<_, Problem>((entry, receipt))
        });
    }
    let (mut interrupted, mut failed, mut idle) = (Vec::new(), 0, 0);
    for done in asked.join_all().await {
        match done {
            Ok((_, receipt)) if receipt.sent.is_none() => idle += 1,
            Ok((entry, receipt)) => interrupted.push(Interrupted {
                cli_tool_id: entry.profile,
                session_name: entry.handle.to_string(),
                confirmed: receipt.confirmed,
            }),
            Err(_) => failed += 1,
        }
    }
    if failed > 0 && interrupted.is_empty() {
        let error = "Failed to send interrupt";
        return Err(Problem::plain(StatusCode::INTERNAL_SERVER_ERROR, error));
    }
    interrupted.sort_by(|a, b| a.session_name.cmp(&b.session_name));
    let message = message(&interrupted, failed, idle);
    Ok(Json(
        json!({ "success": true, "message": message, "interrupted": interrupted }),
    ))
}

/// What came of it, in words.
fn message(interrupted: &[Interrupted], failed: usize, idle: usize) -> String {
    let sessions = |count: usize| match count {
        1 => "1 session".to_owned(),
        count => format!("{count} sessions"),
    };
    if interrupted.is_empty() {
        return format!("Nothing is running: {} idle", sessions(idle));
    }
    let mut text = format!("Interrupted {}", sessions(interrupted.len()));
    let unsure = interrupted.iter().filter(|one| !one.confirmed).count();
    if unsure > 0 {
        let _ = write!(text, "; {} still running", sessions(unsure));
    }
    if failed > 0 {
        let _ = write!(text, "; {} could not be reached", sessions(failed));
    }
    text
}

/// Has the agent press the key where something runs or is asked; it answers when it has seen what came of it.
async fn interrupt(
    hub: &Hub,
    entry: &Entry,
    key: Option<&str>,
    by: &str,
) -> Result<Receipt, Problem> {
    let _shown = Stopping::begin(hub, entry);
    let body = json!({ "key": key, "by": by });
    let said = ask(entry, Method::POST, "/interrupt", Some(&body)).await?;
    let said: ReceiptShape = serde_json::from_value(said).map_err(|error| {
        Problem::plain(
            StatusCode::BAD_GATEWAY,
            format!("the agent's receipt: {error}"),
        )
    })?;
    // What the page shows must not be behind what the button says.
    drop(hub.refresh(entry).await);
    Ok(Receipt {
        sent: said.sent,
        was: Status::from_word(&said.was),
        now: Status::from_word(&said.now),
        confirmed: said.confirmed,
    })
}

/// Shows that a stop is under way, until dropped.
struct Stopping<'a> {
    hub: &'a Hub,
    entry: &'a Entry,
}

impl<'a> Stopping<'a> {
    fn begin(hub: &'a Hub, entry: &'a Entry) -> Self {
        hub.live.apply(Change::StopSent(entry.agent_id.clone()));
        Self { hub, entry }
    }
}

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        let id = self.entry.agent_id.clone();
        self.hub.live.apply(Change::StopDone(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(confirmed: bool) -> Interrupted {
        Interrupted {
            cli_tool_id: "claude".to_owned(),
            session_name: "reviewer".to_owned(),
            confirmed,
        }
    }

    #[test]
    fn the_message_says_what_came_of_it() {
        assert_eq!(message(&[], 0, 1), "Nothing is running: 1 session idle");
        assert_eq!(message(&[one(true)], 0, 2), "Interrupted 1 session");
        assert_eq!(
            message(&[one(true), one(false)], 1, 0),
            "Interrupted 2 sessions; 1 session still running; 1 session could not be reached"
        );
    }

    #[test]
    fn an_entry_has_the_names_of_the_contract() {
        let written = serde_json::to_value(one(true)).unwrap();
        assert_eq!(
            written,
            json!({ "cliToolId": "claude", "sessionName": "reviewer", "confirmed": true })
        );
    }
}
