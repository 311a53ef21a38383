//! Callbacks of `/message`: when the task is over, its answer is posted to the address that was given.
//! Never delays the task.

use axum::http::{HeaderMap, Uri};
use synapse_a2a::id::TaskId;

use super::ServerState;
use super::problem::Problem;
use synapse_client::client::{address, deliver};
use synapse_client::native::ResponseShape;

/// Reads an address, so that a wrong one is refused before there is a task.
pub(super) fn check(url: &str) -> Result<Uri, Problem> {
    address(url).map_err(|error| Problem::bad(format!("'callback_url': {error}")))
}

/// Posts the answer of a task when it is over.
pub(super) fn when_over(served: &ServerState, task: &TaskId, to: Uri) {
    let Some(mut follow) = served.session.board.follow(task, Some(0)) else {
        return;
    };
    let served = served.clone();
    tokio::spawn(async move {
        while follow.next().await.is_some() {}
        let Some(record) = served.session.board.record(follow.snapshot.task.id()) else {
            return;
        };
        let Ok(body) = serde_json::to_vec(&ResponseShape::of(&record.task)) else {
            return;
        };
        let none = HeaderMap::new();
        if let Err(error) = deliver(&served.web, &to, "application/json", &none, body.into()).await
        {
            tracing::warn!(%error, "a callback could not be delivered");
        }
    });
}
