//! What turns took, summed by day and agent: what `synapse usage` prints.

use axum::Json;
use axum::extract::State;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::Deserialize;
use serde_json::{Value, json};
use synapse_a2a::event::Timestamp as Time;
use utoipa::IntoParams;

use super::Words;
use crate::Hub;
use crate::history::read;
use crate::problem::Problem;
use synapse_store::{UsageSum, sum_usage};

/// The most days that can be asked for.
const MOST_DAYS: u16 = 400;

#[derive(Deserialize, IntoParams)]
pub(super) struct Wanted {
    /// Of this agent only, by id or handle.
    agent: Option<String>,
    /// How many days back, today included; 7 unless told.
    days: Option<u16>,
}

/// Lists what turns took of the models, by day, agent and model.
#[utoipa::path(get, path = "/api/usage", params(Wanted),
    responses((status = 200, description = "`{days: [{day, agent, handle, profile, model, turns, tokens, cost_usd, cost_is_partial}]}`")))]
pub(super) async fn list(
    State(hub): State<Hub>,
    Words(wanted): Words<Wanted>,
) -> Result<Json<Value>, Problem> {
    let days = wanted.days.unwrap_or(7);
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(Problem::bad(format!("'days' must be 1 to {MOST_DAYS}")));
    }
    let zone = TimeZone::system();
    let today = Timestamp::now().to_zoned(zone.clone()).date();
    let first = today.checked_sub(i64::from(days - 1).days());
    let start = first.and_then(|first| first.to_zoned(zone.clone()));
    let start = start.map_err(Problem::internal)?.timestamp();
    let since = Time(start.as_millisecond().unsigned_abs());
    let rows = read(&hub, move |reader| {
        reader.usage(since, wanted.agent.as_deref())
    });
    let sums = sum_usage(&rows.await?, &hub.prices.prices(), &zone);
    let days: Vec<Value> = sums.iter().map(UsageSum::json).collect();
    Ok(Json(json!({ "days": days })))
}
