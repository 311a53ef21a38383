//! `/explain`: how the agent's screen is read.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::ServerState;
use super::problem::{Problem, ProblemBody};
use super::shapes;
use synapse_client::native::{StandingShape, WitnessShape};
use synapse_session::Command;

/// Explain how the screen is read: what each row was taken for, and why
#[utoipa::path(get, path = "/explain", tag = "agent",
    responses((status = 200, description = "done", body = ExplainAnswer), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn explain(
    State(served): State<ServerState>,
) -> Result<Json<ExplainAnswer>, Problem> {
    let explained = served.session.ask(Command::Explain).await?;
    let rows = explained.rows.into_iter().map(|(text, row)| RowShape {
        text,
        part: row.part.name(),
        why: row.why,
    });
    Ok(Json(ExplainAnswer {
        standing: shapes::standing(&explained.standing),
        witnesses: explained.why.iter().map(shapes::witness).collect(),
        rows: rows.collect(),
    }))
}

/// What `/explain` answers.
#[derive(Serialize, ToSchema)]
pub(super) struct ExplainAnswer {
    #[serde(flatten)]
    standing: StandingShape,
    /// What each witness says.
    witnesses: Vec<WitnessShape>,
    /// The rows of the screen, from top to bottom.
    rows: Vec<RowShape>,
}

/// A row of the screen.
#[derive(Serialize, ToSchema)]
struct RowShape {
    text: String,
    /// blank, box, dialog, decoration, echo, speech, furniture, status or earlier.
    part: &'static str,
    /// Why it was taken for that.
    why: &'static str,
}
