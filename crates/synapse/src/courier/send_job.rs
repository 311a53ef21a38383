//! The delivery of one message: sends it, waits for the answer if one is wanted, and brings it back.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use synapse_a2a::event::Question;
use synapse_term::router::ResponseMode;

use super::address::{Target, Unmet, resolve};
use super::answer::Answer;
use super::send_order::OrderSlot;
use super::{Outbox, named};
use synapse_client::address::Whom;
use synapse_client::auto_start;
use synapse_client::delivery::{Delivery, Recipient};
use synapse_client::external::External;
use synapse_client::mesh::{Found, Handed, hand_over};
use synapse_client::message::OutgoingMessage;
use synapse_machine::config::Feedback;
use synapse_machine::handle::Handle;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_session::{Author, Dispatch};

/// The most urgent that a program may be: it still waits its turn.
const MOST_URGENT: u8 = 4;

/// A message, and whom the person is told about.
#[derive(Clone)]
pub(super) struct SendJob {
    pub(super) outbox: Arc<Outbox>,
    pub(super) dispatch: Dispatch,
    message: OutgoingMessage,
    /// Notices about it take each other's place.
    about: u64,
    /// Left once it was accepted.
    place: Option<OrderSlot>,
}

impl Outbox {
    /// Carries a message to all it is meant for.
    pub(super) async fn carry(self: Arc<Self>, dispatch: Dispatch, place: Option<OrderSlot>) {
        if let Some(place) = &place {
            place.come_first().await;
        }
        let handle = dispatch.command.handle.clone();
        let about = self.next_about();
        let outbox = Arc::clone(&self);
        let packed = dispatch.clone();
        let ready = tokio::task::spawn_blocking(move || {
            let target = resolve(&outbox, &packed.command.handle).map_err(|unmet| match unmet {
                Unmet::Nobody(why) | Unmet::Doubtful(why) => why,
            })?;
            Ok::<_, String>((target, pack(&outbox, &packed)?))
        });
        let ready = ready.await.unwrap_or_else(|error| Err(error.to_string()));
        let (target, message) = match ready {
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
        let job = SendJob {
            outbox: self,
            dispatch,
            message,
            about,
            place,
        };
        match target {
            Target::One(Whom::Local(entry)) => job.to_local(&entry).await,
            Target::One(Whom::Mesh(found)) => job.to_machine(&found).await,
            Target::One(Whom::External(external)) => job.to_external(&external).await,
            Target::One(Whom::Startable(name)) => job.to_started(&name).await,
            Target::Everyone(entries) => job.to_all(entries).await,
        }
    }
}

/// Packs what is to be sent, or says why it cannot be. A program interrupts nobody, which is for people, and
/// gives away no file from outside the folder it works in: somebody else may have put the words into its mouth.
fn pack(outbox: &Outbox, dispatch: &Dispatch) -> Result<OutgoingMessage, String> {
    let (command, dir) = (&dispatch.command, &outbox.own.working_dir);
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
    let message =
        OutgoingMessage::pack(&command.message, &files, dir).map_err(|error| error.to_string())?;
    let sender = outbox.own.handle.to_string();
    Ok(message
        .sent_by(Some(sender), dispatch.hops)
        .with_priority(priority))
}

impl SendJob {
    fn wants_answer(&self) -> bool {
        self.dispatch.command.response != Some(ResponseMode::Display)
    }

    pub(super) async fn notify(&self, text: String) {
        self.outbox.notify(self.about, text).await;
    }

    /// Tells a step of the way to a person who wants to know each.
    async fn tell_step(&self, to: &str, step: &str) {
        if self.outbox.feedback == Feedback::Inline {
            self.notify(format!("→ {to}: {step}")).await;
        }
    }

    async fn to_all(&self, entries: Vec<Entry>) {
        let names: Vec<String> = entries.iter().map(|e| e.handle.to_string()).collect();
        if self.outbox.feedback == Feedback::Silent {
            self.notify(format!("[→ all: {}]", names.join(", "))).await;
        }
        let each = entries.into_iter().enumerate().map(|(index, entry)| {
            let job = Self {
                about: self.about + 1 + index as u64,
                ..self.clone()
            };
            async move {
                job.carry_to(Recipient::local(&entry), &entry.handle, None)
                    .await
            }
        });
        futures_util::future::join_all(each).await;
    }

    async fn to_local(&self, entry: &Entry) {
        let delivered = format!("[→ {} (local)]", entry.handle);
        self.carry_to(Recipient::local(entry), &entry.handle, Some(delivered))
            .await;
    }

    async fn to_machine(&self, found: &Found) {
        let entry = &found.entry;
        if !found.is_here {
            return self.keep_for(found).await;
        }
        let delivered = format!("[→ {}]", entry.handle);
        self.carry_to(Recipient::local(entry), &entry.handle, Some(delivered))
            .await;
    }

    /// Keeps a message until the machine of its agent is back.
    async fn keep_for(&self, found: &Found) {
        let to = found.entry.handle.as_str();
        let handed = match Paths::from_env() {
            Ok(paths) => hand_over(&paths, found, &self.message, None).await,
            Err(error) => Err(error.into()),
        };
        self.leave_order();
        match handed {
            Ok(Handed::Kept(kept)) => {
                let text = format!("[→ {to}] is away; kept until {}", kept.until);
                self.notify(text).await;
            }
            Ok(Handed::Task(_)) => self.notify(format!("[→ {to}]")).await,
            Err(error) => self.not_sent(to, &error).await,
        }
    }

    /// Starts an agent as `synapse start` would. Its tasks wait until it is ready.
    async fn to_started(&self, name: &str) {
        self.notify(format!("[→ {name}: starting it]")).await;
        if let Err(error) = auto_start::start(name, &self.outbox.own.working_dir).await {
            return self.not_sent(name, &error).await;
        }
        let (outbox, wanted) = (Arc::clone(&self.outbox), name.to_owned());
        let found = tokio::task::spawn_blocking(move || resolve(&outbox, &wanted));
        let Ok(Ok(Target::One(Whom::Local(entry)))) = found.await else {
            let error = anyhow::anyhow!("it was started but has already ended");
            return self.not_sent(name, &error).await;
        };
        self.to_local(&entry).await;
    }

    async fn to_external(&self, external: &External) {
        let delivered = format!("[→ {} (external)]", external.alias);
        let recipient = Recipient::external(&self.outbox.contacts, external);
        let was_accepted = self
            .carry_to(recipient, &external.alias, Some(delivered))
            .await;
        if was_accepted {
            self.outbox.contacts.seen(external);
        }
    }

    /// Carries to one agent, here or elsewhere; whether it accepted the message.
    async fn carry_to(
        &self,
        recipient: Result<Recipient>,
        to: &Handle,
        delivered: Option<String>,
    ) -> bool {
        let to = to.as_str();
        if self.dispatch.author == Author::Program && !self.may_go(to) {
            let text = format!("[→ {to}] stopped: too many messages in a minute");
            self.notify(text).await;
            self.outbox
                .write_down(format!("to={to} stopped: rate"))
                .await;
            return false;
        }
        self.tell_step(to, "Sending…").await;
        let sent = match recipient {
            Ok(recipient) => recipient.send(&self.message).await,
            Err(error) => Err(error),
        };
        self.leave_order();
        let mut delivery = match sent {
            Ok(delivery) => delivery,
            Err(error) => {
                self.not_sent(to, &error).await;
                return false;
            }
        };
        match (self.outbox.feedback, delivered) {
            (Feedback::Inline, _) => self.tell_step(to, "Delivered").await,
            (Feedback::Silent, Some(text)) => self.notify(text).await,
            (Feedback::Silent, None) => {}
        }
        let task = delivery.task().to_owned();
        self.outbox
            .write_down(format!("to={to} delivered task={task}"))
            .await;
        if !self.wants_answer() {
            return true;
        }
        let Ok(_place) = Arc::clone(&self.outbox.jobs).try_acquire_owned() else {
            let text =
                format!("[→ {to}] too many answers are waited for; see: synapse task {task}");
            self.notify(text).await;
            return true;
        };
        let reply = self.wait(&mut delivery, to).await;
        let reply = reply.unwrap_or_else(|error| Err(format!("{error:#}")));
        self.bring_back(to, Answer { task, reply }).await;
        true
    }

    /// Whoever goes the same way may go on.
    fn leave_order(&self) {
        if let Some(place) = &self.place {
            place.leave();
        }
    }

    fn may_go(&self, to: &str) -> bool {
        let pace = self.outbox.pace.lock();
        pace.is_ok_and(|mut pace| pace.take(to, 1, Instant::now()).is_ok())
    }

    async fn not_sent(&self, to: &str, error: &anyhow::Error) {
        self.notify(format!("[→ {to}] not sent: {error:#}")).await;
        self.outbox.write_down(format!("to={to} refused")).await;
    }

    /// Waits for the end of a task, however long it takes. Its questions are told on the way.
    async fn wait(&self, delivery: &mut Delivery, to: &str) -> Result<Result<String, String>> {
        loop {
            let outcome = delivery.next_stop().await?;
            match &outcome.question {
                Some(question) => self.tell_question(to, delivery, question).await,
                None => return Ok(outcome.into_reply()),
            }
        }
    }

    async fn tell_question(&self, to: &str, delivery: &Delivery, question: &Question) {
        let asked = match question.prompt.as_str() {
            "" => "something",
            asked => asked,
        };
        let mut text = format!("[← {to}] asks: {asked}");
        // Before the options: a notice is cut at its end, and those are mostly in the question as well.
        let answer = delivery.answer_command();
        let _ = write!(text, "\n  answer it: {answer}");
        if !question.options.is_empty() {
            let _ = write!(text, "\n  {}", question.options.join(" · "));
        }
        self.notify(text).await;
    }
}
