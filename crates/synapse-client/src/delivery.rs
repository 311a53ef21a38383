//! The one way to send: a message goes to an agent of this machine or elsewhere, and what becomes of it comes back.

use anyhow::{Context as _, Result, bail};
use synapse_a2a::event::Question;
use synapse_a2a::task::TaskState;
use synapse_machine::registry::Entry;
use tokio::time::timeout;

use crate::client::a2a::{A2AClient, Outgoing, RemoteTask};
use crate::client::{Client, TaskEvents};
use crate::external::{Contacts, External};
use crate::message::{ACCEPTANCE, OutgoingMessage};
use crate::native::{StandingShape, TaskShape};

/// An agent that a message can be sent to.
#[derive(Clone)]
pub struct Recipient {
    name: String,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Local(Client),
    External(A2AClient),
}

/// A task as far as its sender must know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub task: String,
    pub state: TaskState,
    pub reply: Option<String>,
    pub question: Option<Question>,
    /// Why it ended without a reply.
    pub reason: Option<String>,
}

impl Outcome {
    /// The reply, or else why there is none.
    ///
    /// # Errors
    /// The state it ended in, and the reason.
    pub fn into_reply(self) -> Result<String, String> {
        if self.state == TaskState::Completed {
            return Ok(self.reply.unwrap_or_default());
        }
        let reason = self.reason.as_deref().unwrap_or("no reason given");
        Err(format!("{}: {reason}", self.state.name()))
    }
}

impl From<TaskShape> for Outcome {
    fn from(task: TaskShape) -> Self {
        Self {
            question: task.status.question(),
            reason: task.status.reason().map(str::to_owned),
            state: task.status.state,
            task: task.id,
            reply: task.reply,
        }
    }
}

impl From<&RemoteTask> for Outcome {
    fn from(task: &RemoteTask) -> Self {
        let is_asking = task.state == TaskState::InputRequired;
        Self {
            task: task.id.clone(),
            state: task.state,
            reply: (task.state == TaskState::Completed).then(|| task.reply()),
            question: is_asking.then(|| Question {
                kind: "text".to_owned(),
                prompt: task.said.clone().unwrap_or_default(),
                options: Vec::new(),
                default: None,
                fingerprint: String::new(),
            }),
            reason: task.said.clone().filter(|_| !is_asking),
        }
    }
}

impl Recipient {
    /// # Errors
    /// When the agent's token cannot be read.
    pub fn local(entry: &Entry) -> Result<Self> {
        Ok(Self {
            name: entry.handle.to_string(),
            way: Way::Local(Client::of(entry)?),
        })
    }

    /// # Errors
    /// When the token for the agent cannot be read.
    pub fn external(contacts: &Contacts, external: &External) -> Result<Self> {
        Ok(Self {
            name: external.alias.to_string(),
            way: Way::External(contacts.client(external)?),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends a message; returns when it was accepted.
    ///
    /// # Errors
    /// When the agent cannot be reached, refuses, or does neither in time.
    pub async fn send(&self, message: &OutgoingMessage) -> Result<Delivery> {
        let Ok(sent) = timeout(ACCEPTANCE, self.hand_over(message)).await else {
            bail!(
                "it did not accept the message within {} s",
                ACCEPTANCE.as_secs()
            );
        };
        sent
    }

    async fn hand_over(&self, message: &OutgoingMessage) -> Result<Delivery> {
        let (task, progress) = match &self.way {
            Way::Local(client) => {
                let task = client.send(message.priority(), &message.body()).await?;
                let progress = Progress::Local {
                    client: client.clone(),
                    events: None,
                };
                (task.id, progress)
            }
            Way::External(client) => {
                let task = client.send(&message.outgoing()).await?;
                let id = task.id.clone();
                let progress = Progress::External {
                    client: client.clone(),
                    task: Box::new(task),
                    was_told: false,
                };
                (id, progress)
            }
        };
        Ok(Delivery {
            name: self.name.clone(),
            task,
            progress,
        })
    }

    /// A task as it stands.
    ///
    /// # Errors
    /// When there is no such task, or the agent cannot be reached.
    pub async fn task(&self, id: &str) -> Result<Outcome> {
        match &self.way {
            Way::Local(client) => Ok(client.task(id).await?.into()),
            Way::External(client) => Ok(Outcome::from(&client.get(id).await?)),
        }
    }

    /// What becomes of a task that was sent before.
    ///
    /// # Errors
    /// When there is no such task, or the agent cannot be reached.
    pub async fn follow(&self, id: &str) -> Result<Delivery> {
        let progress = match &self.way {
            Way::Local(client) => Progress::Local {
                client: client.clone(),
                events: None,
            },
            Way::External(client) => Progress::External {
                client: client.clone(),
                task: Box::new(client.get(id).await?),
                was_told: false,
            },
        };
        Ok(Delivery {
            name: self.name.clone(),
            task: id.to_owned(),
            progress,
        })
    }

    /// What an agent of this machine does; nothing is known of one elsewhere but its tasks.
    ///
    /// # Errors
    /// When the agent cannot be reached.
    pub async fn standing(&self) -> Result<Option<StandingShape>> {
        match &self.way {
            Way::Local(client) => client.status().await.map(Some),
            Way::External(_) => Ok(None),
        }
    }

    /// Ends a task: one that waits is removed, one that runs interrupted.
    ///
    /// # Errors
    /// When there is no such task, or the agent cannot be reached.
    pub async fn cancel(&self, id: &str) -> Result<()> {
        match &self.way {
            Way::Local(client) => {
                client.cancel(id).await?;
            }
            Way::External(client) => {
                client.cancel(id).await?;
            }
        }
        Ok(())
    }

    /// Answers a question. An agent elsewhere must be told which task asks it.
    ///
    /// # Errors
    /// When nothing is asked, or something else, or the agent cannot be reached.
    pub async fn answer(
        &self,
        value: &str,
        task: Option<&str>,
        fingerprint: Option<&str>,
    ) -> Result<()> {
        match (&self.way, task) {
            (Way::Local(client), _) => client.answer(value, fingerprint).await,
            (Way::External(client), Some(task)) => {
                let outgoing = Outgoing {
                    task: Some(task.to_owned()),
                    ..OutgoingMessage::text(value).outgoing()
                };
                client.send(&outgoing).await?;
                Ok(())
            }
            (Way::External(_), None) => bail!(
                "{} is an agent elsewhere: name the task whose question is answered",
                self.name
            ),
        }
    }
}

/// A message that was accepted, and what becomes of it.
pub struct Delivery {
    name: String,
    task: String,
    progress: Progress,
}

enum Progress {
    Local {
        client: Client,
        /// What happens to the task, once somebody wants to know.
        events: Option<Box<TaskEvents>>,
    },
    External {
        client: A2AClient,
        task: Box<RemoteTask>,
        /// The question that it asks now was told already.
        was_told: bool,
    },
}

impl Delivery {
    /// The task that was made of the message.
    pub fn task(&self) -> &str {
        &self.task
    }

    /// What a person types to answer its question.
    pub fn answer_command(&self) -> String {
        let (name, task) = (&self.name, &self.task);
        match &self.progress {
            Progress::Local { .. } => {
                let short = task.get(task.len().saturating_sub(8)..).unwrap_or(task);
                format!("synapse answer {short} <option>")
            }
            Progress::External { .. } => {
                format!("synapse external send {name} <answer> --task {task}")
            }
        }
    }

    /// Waits until the task asks something or is over. Called again after a question, it waits for what comes next.
    ///
    /// # Errors
    /// When the agent is lost on the way.
    pub async fn next_stop(&mut self) -> Result<Outcome> {
        let gone = || format!("{} is gone before it answered", self.name);
        match &mut self.progress {
            Progress::Local { client, events } => {
                let events = if let Some(events) = events {
                    events
                } else {
                    let followed = client.follow(&self.task).await.with_context(gone)?;
                    events.insert(Box::new(followed))
                };
                while let Some(event) = events.next().await.with_context(gone)? {
                    let state = event.state();
                    if state.is_some_and(TaskState::is_final) {
                        break;
                    }
                    if let crate::native::TaskEvent::Status(status) = &event
                        && state == Some(TaskState::InputRequired)
                    {
                        return Ok(Outcome {
                            task: self.task.clone(),
                            state: TaskState::InputRequired,
                            reply: None,
                            question: status.question(),
                            reason: None,
                        });
                    }
                }
                let outcome: Outcome = client.task(&self.task).await.with_context(gone)?.into();
                if !outcome.state.is_final() {
                    bail!(gone());
                }
                Ok(outcome)
            }
            Progress::External {
                client,
                task,
                was_told,
            } => loop {
                let is_asking = task.state == TaskState::InputRequired;
                if task.state.is_final() || is_asking && !*was_told {
                    *was_told = is_asking;
                    return Ok(Outcome::from(task.as_ref()));
                }
                **task = if is_asking {
                    client.answered(&task.id).await?
                } else {
                    client.subscribe(&task.id, |_| {}).await?
                };
                *was_told = false;
            },
        }
    }

    /// Waits until the task is over.
    ///
    /// # Errors
    /// When the agent is lost on the way.
    pub async fn end(&mut self) -> Result<Outcome> {
        loop {
            let outcome = self.next_stop().await?;
            if outcome.state.is_final() {
                return Ok(outcome);
            }
        }
    }
}
