//! `/metrics`: counts for Prometheus.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use super::problem::ProblemBody;
use super::{ServerState, shapes};

/// Get counters for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "agent",
    responses((status = 200, description = "counts", body = String, content_type = "text/plain"), (status = "4XX", description = "refused, and why", body = ProblemBody))
)]
pub(super) async fn metrics(State(served): State<ServerState>) -> impl IntoResponse {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text(&served))
}

fn text(served: &ServerState) -> String {
    let board = &served.session.board;
    let counts = board.counts();
    let mut page = MetricsPage::default();
    page.head("synapse_tasks_accepted_total", "counter", "Tasks taken in.");
    page.line("synapse_tasks_accepted_total", "", counts.accepted);
    page.head(
        "synapse_tasks_ended_total",
        "counter",
        "Tasks that ended, by how.",
    );
    for (state, count) in &counts.ended {
        let label = format!("{{state=\"{state}\"}}");
        page.line("synapse_tasks_ended_total", &label, *count);
    }
    page.head("synapse_events_total", "counter", "Events of tasks.");
    page.line("synapse_events_total", "", counts.events);
    page.head(
        "synapse_pty_bytes_total",
        "counter",
        "Bytes the program has written.",
    );
    page.line("synapse_pty_bytes_total", "", counts.painted);
    page.head(
        "synapse_contradictions_total",
        "counter",
        "Times the screen and another witness disagreed about what the agent does.",
    );
    page.line("synapse_contradictions_total", "", counts.contradictions);
    page.head(
        "synapse_watchers",
        "gauge",
        "Streams and sockets that watch now.",
    );
    page.line("synapse_watchers", "", counts.watchers as u64);
    page.head(
        "synapse_store_trouble",
        "gauge",
        "1 while tasks cannot be kept on disk.",
    );
    let trouble = served.session.trouble().is_some();
    page.line("synapse_store_trouble", "", u64::from(trouble));
    if let Some(standing) = board.standing() {
        page.head("synapse_queue", "gauge", "Tasks that wait for their turn.");
        page.line("synapse_queue", "", standing.queue as u64);
        page.head(
            "synapse_state",
            "gauge",
            "What the agent does: 1 for the state it is in.",
        );
        let label = format!("{{state=\"{}\"}}", shapes::state(standing.state));
        page.line("synapse_state", &label, 1);
    }
    page.0
}

#[derive(Default)]
struct MetricsPage(String);

impl MetricsPage {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: u64) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}
