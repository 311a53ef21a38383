//! Links that answer one question. What stands in the link is the right to: each works once, for ten minutes, and only
//! by a POST, so that whatever looks at links before a person does changes nothing.

use std::time::Instant;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Redirect;
use serde_json::{Value, json};

use crate::Hub;
use crate::answering::{By, give};
use crate::problem::Problem;

/// How the answer is signed in the conversation.
const SIGNED: &str = "a notification";

/// Looking at a link opens the page and uses nothing up.
pub(super) async fn look(State(_): State<Hub>) -> Redirect {
    Redirect::to("/inbox")
}

/// Answers the question the link was made for.
#[utoipa::path(post, path = "/answer/{secret}", params(("secret" = String, Path)),
    responses((status = 200, description = "`{answered}`"), (status = 409, description = "prompt_changed"),
        (status = 410, description = "link_used")))]
pub(super) async fn answer(
    State(hub): State<Hub>,
    Path(secret): Path<String>,
) -> Result<Json<Value>, Problem> {
    let Some(linked) = hub.notify.links.take(&secret, Instant::now()) else {
        let error = "this link was used already, is older than 10 minutes, or is none; open the page to answer";
        return Err(Problem::new(StatusCode::GONE, "link_used", error));
    };
    let entry = hub.agent(&linked.agent)?;
    let by = By::Person(SIGNED.to_owned());
    give(&hub, &entry, &linked.prompt, linked.value, by).await?;
    hub.auto.person_acted(&entry.agent_id);
    Ok(Json(json!({ "answered": linked.value })))
}
