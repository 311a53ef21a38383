//! The delivery of one message: sends it, waits for the answer if one is wanted, and brings it back.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use hyper::Method;
use serde_json::Value;
use synapse_a2a::task::TaskState;
use synapse_term::router::ResponseMode;
use tokio::time::timeout;

use super::address::{Target, Unmet, resolve};
use super::answer::Answer;
use super::lane::Place;
use super::{Desk, named};
use synapse_client::address::Whom;
use synapse_client::client::Client;
use synapse_client::client::a2a::{A2AClient, A2AError, RemoteTask};
use synapse_client::external::External;
use synapse_client::parcel::{ACCEPTANCE, Parcel};
use synapse_client::wake;
use synapse_machine::config::Feedback;
use synapse_machine::registry::Entry;
use synapse_session::{Author, Dispatch};

/// The most urgent that a program may be: it still waits its turn.
const MOST_URGENT: u8 = 4;

/// A message, and whom the person is told about.
#[derive(Clone)]
pub(super) struct Journey {
    pub(super) desk: Arc<Desk>,
    pub(super) dispatch: Dispatch,
    parcel: Parcel,
    /// Notices about it take each other's place.
    about: u64,
    /// Left once it was accepted.
    place: Option<Place>,
}

impl Desk {
    /// Carries a message to all it is meant for.
    pub(super) async fn carry(self: Arc<Self>, dispatch: Dispatch, place: Option<Place>) {
        if let Some(place) = &place {
            place.come_first().await;
        }
        let handle = dispatch.command.handle.clone();
        let about = self.next_about();
        let desk = Arc::clone(&self);
        let packed = dispatch.clone();
        let ready = tokio::task::spawn_blocking(move || {
            let target = resolve(&desk, &packed.command.handle).map_err(|unmet| match unmet {
                Unmet::Nobody(why) | Unmet::Doubtful(why) => why,
            })?;
            Ok::<_, String>((target, pack(&desk, &packed)?))
        });
        let ready = ready.await.unwrap_or_else(|error| Err(error.to_string()));
        let (target, parcel) = match ready {
            Ok(ready) => ready,
            Err(why) => {
                // The program's own slips are nobody's news.
                if dispatch.author == Author::Person {
                    self.notify(about, format!("[→ {handle}] not sent: {why}"))
                        .await;
                }
                return self.write_down(format!("to={handle} not sent")).await;
            }
        };
        if dispatch.author == Author::Person {
            self.tell_of_namesake(&handle).await;
        }
        let journey = Journey {
            desk: self,
            dispatch,
            parcel,
            about,
            place,
        };
        match target {
            Target::One(Whom::Local(entry)) => journey.to_local(&entry).await,
            Target::One(Whom::External(external)) => journey.to_external(&external).await,
            Target::One(Whom::Startable(name)) => journey.to_started(&name).await,
            Target::Everyone(entries) => journey.to_all(entries).await,
        }
    }
}

/// Packs what is to be sent, or says why it cannot be. A program interrupts nobody, which is for people, and
/// gives away no file from outside the folder it works in: somebody else may have put the words into its mouth.
fn pack(desk: &Desk, dispatch: &Dispatch) -> Result<Parcel, String> {
    let (command, dir) = (&dispatch.command, &desk.own.working_dir);
    let (files, mut priority) = (named(&command.files), command.priority);
    if dispatch.author == Author::Program {
        priority = priority.map(|priority| priority.min(MOST_URGENT));
        let own = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let is_outside = |file: &&PathBuf| {
            let real = dir.join(file).canonicalize();
            real.is_ok_and(|real| !real.starts_with(&own))
        };
        if let Some(file) = files.iter().find(is_outside) {
            return Err(format!("{} is not below {}", file.display(), dir.display()));
        }
    }
    let parcel = Parcel::pack(&command.message, &files, dir).map_err(|error| error.to_string())?;
    let sender = desk.own.handle.to_string();
    Ok(parcel
        .sent_by(Some(sender), dispatch.hops)
        .with_priority(priority))
}

impl Journey {
    fn wants_answer(&self) -> bool {
        self.dispatch.command.response != Some(ResponseMode::Display)
    }

    pub(super) async fn notify(&self, text: String) {
        self.desk.notify(self.about, text).await;
    }

    /// Tells a step of the way to a person who wants to know each.
    async fn tell_step(&self, to: &str, step: &str) {
        if self.desk.feedback == Feedback::Inline {
            self.notify(format!("→ {to}: {step}")).await;
        }
    }

    async fn to_all(&self, entries: Vec<Entry>) {
        let names: Vec<String> = entries.iter().map(|e| e.handle.to_string()).collect();
        if self.desk.feedback == Feedback::Silent {
            self.notify(format!("[→ all: {}]", names.join(", "))).await;
        }
        let each = entries.into_iter().enumerate().map(|(index, entry)| {
            let journey = Self {
                about: self.about + 1 + index as u64,
                ..self.clone()
            };
            async move { journey.carry_to(&entry, None).await }
        });
        futures_util::future::join_all(each).await;
    }

    async fn to_local(&self, entry: &Entry) {
        self.carry_to(entry, Some(format!("[→ {} (local)]", entry.handle)))
            .await;
    }

    /// Starts an agent as `synapse start` would. Its tasks wait until it is ready.
    async fn to_started(&self, name: &str) {
        self.notify(format!("[→ {name}: starting it]")).await;
        if let Err(error) = wake::start(name, &self.desk.own.working_dir).await {
            return self.not_sent(name, &error).await;
        }
        let (desk, wanted) = (Arc::clone(&self.desk), name.to_owned());
        let found = tokio::task::spawn_blocking(move || resolve(&desk, &wanted));
        let Ok(Ok(Target::One(Whom::Local(entry)))) = found.await else {
            let error = anyhow::anyhow!("it was started but has already ended");
            return self.not_sent(name, &error).await;
        };
        self.to_local(&entry).await;
    }

    /// Carries to one agent of this machine.
    async fn carry_to(&self, entry: &Entry, delivered: Option<String>) {
        let to = entry.handle.to_string();
        if self.dispatch.author == Author::Program && !self.may_go(&to) {
            let text = format!("[→ {to}] stopped: too many messages in a minute");
            self.notify(text).await;
            return self.desk.write_down(format!("to={to} stopped: rate")).await;
        }
        self.tell_step(&to, "Sending…").await;
        let client = match Client::of(entry) {
            Ok(client) => client,
            Err(error) => return self.not_sent(&to, &error).await,
        };
        let accepted = self.parcel.deliver(&client).await;
        self.leave_lane();
        let task = match accepted {
            Ok(sent) => sent.id,
            Err(error) => return self.not_sent(&to, &error).await,
        };
        match (self.desk.feedback, delivered) {
            (Feedback::Inline, _) => self.tell_step(&to, "Delivered").await,
            (Feedback::Silent, Some(text)) => self.notify(text).await,
            (Feedback::Silent, None) => {}
        }
        self.desk
            .write_down(format!("to={to} delivered task={task}"))
            .await;
        if !self.wants_answer() {
            return;
        }
        let Ok(_place) = Arc::clone(&self.desk.journeys).try_acquire_owned() else {
            let text = format!("[→ {to}] too many answers are pending; see: synapse task {task}");
            return self.notify(text).await;
        };
        let reply = self.wait(&client, &to, &task).await;
        let reply = reply.unwrap_or_else(|error| Err(format!("{error:#}")));
        self.bring_back(&to, Answer { task, reply }).await;
    }

    /// Whoever goes the same way may go on.
    fn leave_lane(&self) {
        if let Some(place) = &self.place {
            place.leave();
        }
    }

    fn may_go(&self, to: &str) -> bool {
        let pace = self.desk.pace.lock();
        pace.is_ok_and(|mut pace| pace.allows(to, Instant::now()))
    }

    async fn not_sent(&self, to: &str, error: &anyhow::Error) {
        self.notify(format!("[→ {to}] not sent: {error:#}")).await;
        self.desk.write_down(format!("to={to} refused")).await;
    }

    /// Waits for the end of a task, however long it takes. Its questions are told on the way.
    async fn wait(&self, client: &Client, to: &str, task: &str) -> Result<Result<String, String>> {
        let gone = || format!("{to} ended before it answered");
        let path = format!("/tasks/{task}/subscribe");
        let mut events = client.events(&path, None).await.with_context(gone)?;
        loop {
            let event = events.next().await.with_context(gone)?;
            let Some(event) = event else { break };
            if event.name.as_deref() != Some("status") {
                continue;
            }
            let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
            match data.get("state").and_then(Value::as_str) {
                Some("submitted" | "working") => {}
                Some("input_required") => self.tell_question(to, task, &data).await,
                _ => break,
            }
        }
        let path = format!("/tasks/{task}");
        let body = client
            .call(Method::GET, &path, None)
            .await
            .with_context(gone)?;
        let text = |at: &str| body.pointer(at).and_then(Value::as_str);
        match text("/task/status/state").unwrap_or("") {
            "completed" => Ok(Ok(text("/task/reply").unwrap_or("").to_owned())),
            "submitted" | "working" | "input_required" => bail!(gone()),
            state => {
                let why = text("/task/status/error/message").or(text("/task/status/message"));
                Ok(Err(format!(
                    "{state}: {}",
                    why.unwrap_or("no reason given")
                )))
            }
        }
    }

    async fn tell_question(&self, to: &str, task: &str, data: &Value) {
        let question = data.pointer("/message/prompt").and_then(Value::as_str);
        let options = data.pointer("/message/options").and_then(Value::as_array);
        let options: Vec<&str> = options
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut text = format!("[← {to}] asks: {}", question.unwrap_or("something"));
        if !options.is_empty() {
            let _ = write!(text, "\n  {}", options.join(" · "));
        }
        let short = task.get(task.len().saturating_sub(8)..).unwrap_or(task);
        let _ = write!(text, "\n  answer it: synapse answer {short} <option>");
        self.notify(text).await;
    }

    async fn to_external(&self, external: &External) {
        let to = external.alias.to_string();
        if self.dispatch.author == Author::Program && !self.may_go(&to) {
            return self.desk.write_down(format!("to={to} stopped: rate")).await;
        }
        self.tell_step(&to, "Sending…").await;
        let client = match self.desk.contacts.client(external) {
            Ok(client) => client,
            Err(error) => return self.not_sent(&to, &error.into()).await,
        };
        let sent = match timeout(ACCEPTANCE, client.send(&self.parcel.outgoing())).await {
            Ok(Ok(sent)) => sent,
            Ok(Err(error)) => return self.not_sent(&to, &error.into()).await,
            Err(_) => {
                let error = anyhow::anyhow!(
                    "it did not accept the message within {} s",
                    ACCEPTANCE.as_secs()
                );
                return self.not_sent(&to, &error).await;
            }
        };
        self.leave_lane();
        self.desk.contacts.seen(external);
        match self.desk.feedback {
            Feedback::Inline => self.tell_step(&to, "Delivered").await,
            Feedback::Silent => self.notify(format!("[→ {to} (external)]")).await,
        }
        self.desk
            .write_down(format!("to={to} delivered task={}", sent.id))
            .await;
        if !self.wants_answer() {
            return;
        }
        let task = sent.id.clone();
        let reply = match self.follow_abroad(&client, &to, sent).await {
            Ok(ended) if ended.state == TaskState::Completed => Ok(ended.reply()),
            Ok(ended) => {
                let said = ended.said.as_deref().unwrap_or("no reason given");
                Err(format!("{}: {said}", ended.state.name()))
            }
            Err(error) => Err(error.to_string()),
        };
        self.bring_back(&to, Answer { task, reply }).await;
    }

    /// Waits for the end of a task elsewhere. Its questions are told on the way.
    async fn follow_abroad(
        &self,
        client: &A2AClient,
        to: &str,
        mut task: RemoteTask,
    ) -> Result<RemoteTask, A2AError> {
        while !task.state.is_final() {
            task = if task.state == TaskState::InputRequired {
                let question = task.said.as_deref().unwrap_or("something");
                let answer = format!("synapse external send {to} <answer> --task {}", task.id);
                let text = format!("[← {to}] asks: {question}\n  answer it: {answer}");
                self.notify(text).await;
                client.answered(&task.id).await?
            } else {
                client.subscribe(&task.id, |_| {}).await?
            };
        }
        Ok(task)
    }
}
