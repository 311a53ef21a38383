//! One prompt, to its end: sent as a message, followed as a task, its questions asked in the editor. Whatever the agent
//! does meanwhile at its terminal or for others is not touched.

mod local;

use std::sync::Arc;

use anyhow::Result;
use synapse_a2a::message::{Content, Part};
use synapse_a2a::task::TaskState;
use synapse_client::current_agent;
use synapse_client::delivery::{Delivery, Recipient};
use synapse_client::external::External;
use synapse_client::message::OutgoingMessage;
use tokio::sync::watch;

use crate::agent::{Agent, Session, lock};
use crate::reach::Target;
use crate::rpc::RpcError;
use crate::wire::{Addressed, StopReason, Update};
use local::{Followed, LocalQuestion};

/// A prompt that is about to be sent.
pub(crate) struct Turn {
    session: Arc<Session>,
    parts: Vec<Part>,
    /// Changes when the editor cancels, from before the prompt was sent on.
    cancels: watch::Receiver<u64>,
}

/// A turn that ended with a question in words. The next prompt is its answer.
pub(crate) enum Parked {
    Local(Box<LocalQuestion>),
    External(Box<ExternalQuestion>),
}

/// A question of an agent elsewhere.
pub(crate) struct ExternalQuestion {
    external: External,
    recipient: Recipient,
    delivery: Delivery,
}

impl Turn {
    pub(crate) fn new(session: Arc<Session>, parts: Vec<Part>) -> Self {
        let cancels = session.cancels.subscribe();
        Self {
            session,
            parts,
            cancels,
        }
    }

    /// Runs it to its end, or to a question that the next prompt answers.
    pub(crate) async fn run(mut self, agent: &Agent) -> Result<StopReason, RpcError> {
        let parked = lock(&self.session.parked).take();
        match parked {
            Some(Parked::Local(question)) => {
                let words = self.words();
                if let Some(followed) = question.answer(&words, agent).await? {
                    return followed.run(agent, &mut self).await;
                }
            }
            Some(Parked::External(question)) => {
                let words = self.words();
                let task = question.delivery.task().to_owned();
                question.recipient.answer(&words, Some(&task), None).await?;
                return self.follow_external(agent, *question).await;
            }
            None => {}
        }
        let name = self.addressee(agent);
        let target = agent.reach.find(&name, &self.session.dir).await?;
        if self.cancels.has_changed().unwrap_or(false) {
            return Ok(StopReason::Cancelled);
        }
        let message = self.message(agent).await?;
        match target {
            Target::Local(entry) => {
                let followed = Followed::send(agent, &self.session, &entry, &message).await?;
                followed.run(agent, &mut self).await
            }
            Target::External(external) => {
                let recipient = Recipient::external(&agent.reach.contacts, &external)?;
                let delivery = recipient.send(&message).await?;
                let question = ExternalQuestion {
                    external: *external,
                    recipient,
                    delivery,
                };
                self.follow_external(agent, question).await
            }
        }
    }

    /// Whom it is for: whom its first word names, or the agent of the session.
    fn addressee(&mut self, agent: &Agent) -> String {
        let usual = self.session.agent();
        if agent.reach.only().is_some() {
            return usual;
        }
        let Some(Content::Text { text }) = self.parts.first_mut().map(|part| &mut part.content)
        else {
            return usual;
        };
        let Some(Addressed { name, rest }) = Addressed::read(text) else {
            return usual;
        };
        // A file can be mentioned in the same way.
        let known = agent.reach.modes(&self.session.dir).unwrap_or_default();
        let Some(known) = known.iter().find(|mode| mode.id.eq_ignore_ascii_case(name)) else {
            return usual;
        };
        let rest = rest.to_owned();
        *text = rest;
        known.id.clone()
    }

    /// The prompt as a message of whoever is around this process: a person's editor, or an agent.
    async fn message(&mut self, agent: &Agent) -> Result<OutgoingMessage> {
        let words = self.words();
        let message =
            OutgoingMessage::of(std::mem::take(&mut self.parts)).in_context(&self.session.id);
        let message = match agent.reach.own() {
            Some(own) => {
                let hops = current_agent::hops(&own).await?;
                message.sent_by(Some(own.handle.to_string()), hops)
            }
            None => message,
        };
        Ok(if self.session.is_command(&words) {
            message.raw()
        } else {
            message
        })
    }

    fn words(&self) -> String {
        let texts: Vec<&str> = self.parts.iter().filter_map(Part::as_text).collect();
        texts.join("\n")
    }

    /// Follows a task elsewhere: its reply is known when it is over, and its questions are words.
    async fn follow_external(
        &mut self,
        agent: &Agent,
        mut question: ExternalQuestion,
    ) -> Result<StopReason, RpcError> {
        let mut closing = agent.closing.subscribe();
        let outcome = tokio::select! {
            outcome = question.delivery.next_stop() => outcome?,
            _ = self.cancels.changed() => {
                let client = agent.reach.contacts.client(&question.external);
                let client = client.map_err(anyhow::Error::from)?;
                let task = client.cancel(question.delivery.task()).await;
                let task = task.map_err(anyhow::Error::from)?;
                return if task.state.is_final() {
                    Ok(StopReason::Cancelled)
                } else {
                    let (name, state) = (&question.external.alias, task.state.name());
                    Err(RpcError::failed(format!("{name} was told to stop and is still {state}")))
                };
            }
            () = closed(&mut closing) => return Ok(StopReason::Cancelled),
        };
        match outcome.state {
            TaskState::InputRequired => {
                let asks = outcome.question.map(|asks| asks.prompt).unwrap_or_default();
                agent.tell(&self.session, &Update::said(asks)).await;
                *lock(&self.session.parked) = Some(Parked::External(Box::new(question)));
                Ok(StopReason::EndTurn)
            }
            TaskState::Canceled => Ok(StopReason::Cancelled),
            TaskState::Rejected => {
                let why = outcome.reason.unwrap_or_default();
                agent.tell(&self.session, &Update::said(why)).await;
                Ok(StopReason::Refusal)
            }
            _ => {
                let reply = outcome.into_reply().map_err(RpcError::failed)?;
                agent.tell(&self.session, &Update::said(reply)).await;
                Ok(StopReason::EndTurn)
            }
        }
    }
}

/// Waits until the editor is gone.
async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that nobody is left who could close it.
    let _ = closing.wait_for(|is_closing| *is_closing).await;
}
