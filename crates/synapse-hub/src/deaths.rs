//! Agents that died: told until somebody has looked, whoever was there when it happened.

use serde::Serialize;
use utoipa::ToSchema;

use super::Hub;
use super::history::{read, time};
use super::live::Change;
use super::problem::Problem;
use synapse_store::lives;

/// More than anybody reads.
const MOST: usize = 50;

/// An agent that died, and that nobody has looked at since.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Death {
    /// The run that died.
    pub(super) run: String,
    /// The id of the agent.
    pub(super) agent: String,
    pub(super) handle: String,
    pub(super) profile: String,
    pub(super) dir: String,
    pub(super) at: String,
    /// Of what: `killed, SIGKILL`, `exit code 1`.
    pub(super) how: String,
}

impl From<lives::Death> for Death {
    fn from(death: lives::Death) -> Self {
        Self {
            run: death.run,
            agent: death.agent,
            handle: death.handle,
            profile: death.profile,
            dir: death.dir.display().to_string(),
            at: time(death.at),
            how: death.end.words(),
        }
    }
}

/// Looks up who died, and tells the pages.
pub(super) async fn refresh(hub: &Hub) {
    match read(hub, |reader| reader.deaths(MOST)).await {
        Ok(deaths) => {
            let deaths = deaths.into_iter().map(Death::from).collect();
            hub.live.apply(Change::Deaths(deaths));
        }
        Err(problem) => tracing::warn!(error = problem.error(), "who died is not known"),
    }
}

/// Somebody has looked at the death of this agent, or of all.
pub(super) async fn see(hub: &Hub, agent: Option<String>) -> Result<(), Problem> {
    let store = hub.paths.store();
    let seen = tokio::task::spawn_blocking(move || lives::see(&store, agent.as_deref())).await;
    seen.map_err(Problem::internal)?
        .map_err(Problem::internal)?;
    refresh(hub).await;
    Ok(())
}
