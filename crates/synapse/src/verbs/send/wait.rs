//! Waits for a task and shows its progress, until it ends, asks something, times out, or Ctrl-C is pressed.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Result;
use hyper::Method;
use serde_json::Value;
use synapse_client::client::Client;
use synapse_hub::answers_by_rule;
use synapse_machine::handle::Handle;
use synapse_machine::paths::Paths;
use tokio::sync::watch;
use tokio::time::timeout;

use super::super::reach::{self, MOMENT};
use super::Spinner;
use super::growth::{Lines, Screenful, Told, tail};
use crate::verbs::print;

/// How long a rule of the hub may take to answer a question.
const RULE_PATIENCE: Duration = Duration::from_secs(3);

/// How a wait ended, each with the task as it stands.
pub(super) enum Ended {
    /// It is over, or asks something.
    Settled(Value),
    /// It took too long; the task goes on.
    TimedOut(Value),
    /// Somebody pressed Ctrl-C; the task goes on.
    Interrupted(Value),
    /// The agent is gone.
    Lost(String),
}

/// Whether the agent waits for an answer. One that does not say counts as not.
pub(super) async fn is_asking(client: &Client) -> bool {
    let status = reach::within(MOMENT, client.call(Method::GET, "/status", None)).await;
    status.is_ok_and(|now| now.get("status").and_then(Value::as_str) == Some("INPUT_REQUIRED"))
}

/// Waits until a task is over or asks something.
pub(super) async fn until_settled(
    client: &Client,
    id: &str,
    patience: Duration,
    each: impl FnMut(&str, &Value),
) -> Ended {
    let end = tokio::select! {
        end = timeout(patience, settle(client, id, each)) => end.map_or(End::Late, |_| End::Over),
        _ = tokio::signal::ctrl_c() => End::Interrupted,
    };
    let path = format!("/tasks/{id}");
    let task = reach::within(MOMENT, client.call(Method::GET, &path, None)).await;
    let task = task.map(|body| body.get("task").cloned().unwrap_or_default());
    match (end, task) {
        (End::Late, Ok(task)) if is_open(state(&task)) => Ended::TimedOut(task),
        (End::Late | End::Over, Ok(task)) => Ended::Settled(task),
        (End::Interrupted, task) => Ended::Interrupted(task.unwrap_or_default()),
        (End::Late | End::Over, Err(error)) => Ended::Lost(format!("{error:#}")),
    }
}

enum End {
    Over,
    Late,
    Interrupted,
}

/// Tells of each event until there is nothing more to wait for. A question is such an end, unless a rule answers
/// it.
async fn settle(client: &Client, id: &str, mut each: impl FnMut(&str, &Value)) -> Result<()> {
    let has_rules = Paths::from_env().is_ok_and(|paths| answers_by_rule(&paths));
    let (asked, mut is_asked) = watch::channel(false);
    let path = format!("/tasks/{id}/subscribe");
    let followed = client.follow(&path, |name, data| {
        each(name, data);
        let state = data.get("state").and_then(Value::as_str);
        if name != "status" {
            return true;
        }
        let asks = state == Some("input_required");
        asked.send_replace(asks);
        state.is_some_and(is_open) || asks && has_rules
    });
    tokio::select! {
        followed = followed => followed,
        () = stays(&mut is_asked) => Ok(()),
    }
}

/// Returns when something has been so for as long as a rule may take.
async fn stays(is_so: &mut watch::Receiver<bool>) {
    loop {
        let was_so = *is_so.borrow_and_update();
        let change = is_so.changed();
        if !was_so {
            if change.await.is_err() {
                return std::future::pending().await;
            }
        } else if timeout(RULE_PATIENCE, change).await.is_err() {
            return;
        }
    }
}

fn is_open(state: &str) -> bool {
    matches!(state, "submitted" | "working")
}

fn state(task: &Value) -> &str {
    task.pointer("/status/state")
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// What a person sees of a wait.
pub(super) struct Shown {
    handle: String,
    spinner: Spinner,
    way: Option<Screenful>,
    told: Told,
    lines: Lines,
    /// The reply is known: what follows are its pieces.
    is_whole: bool,
}

impl Shown {
    pub(super) fn new(handle: &Handle, way: Option<Screenful>) -> Self {
        let handle = handle.to_string();
        Self {
            spinner: Spinner::begin(format!("{handle} has the message")),
            handle,
            way,
            told: Told::default(),
            lines: Lines::default(),
            is_whole: false,
        }
    }

    /// Takes an event of the task.
    pub(super) fn take(&mut self, name: &str, data: &Value) {
        match name {
            "status" => self.state(data.get("state").and_then(Value::as_str).unwrap_or("")),
            // From here on the reply is taken apart; what is shown to a person is the whole.
            "message" if data.get("reply").is_some() => self.is_whole = true,
            "artifact" if !self.is_whole => self.grow(data),
            _ => {}
        }
    }

    /// Takes where the task stands.
    pub(super) fn state(&self, state: &str) {
        let what = match state {
            "submitted" => "has it in its queue",
            "working" => "is working",
            "input_required" => "asks something",
            over => over,
        };
        self.spinner.say(format!("{} {what}", self.handle));
    }

    fn grow(&mut self, data: &Value) {
        if self.way.is_some() {
            self.told.take(data);
            self.reply(&self.told.text());
        }
    }

    /// Takes the reply as far as it is known.
    pub(super) fn reply(&mut self, text: &str) {
        match self.way {
            None => {}
            Some(Screenful::Preview) => {
                if let Some((cols, rows)) = self.spinner.room() {
                    self.spinner.show(&tail(text, cols, rows));
                }
            }
            Some(Screenful::Growth) => {
                let more = self.lines.grow(text);
                let mut out = print::out();
                // Whoever has stopped reading shows when the rest is written.
                let _ = self.spinner.aside(|| out.write_all(more.as_bytes()));
                let _ = out.flush();
            }
        }
    }

    /// Ends it; what was written of the reply.
    pub(super) fn finish(self) -> String {
        self.lines.written()
    }
}
