//! A turn of an agent of this machine: its events become updates, its questions requests to the editor.

use std::time::Duration;

use anyhow::{Context as _, Result};
use synapse_a2a::task::TaskState;
use synapse_client::client::{Client, GivenAnswer, TaskEvents};
use synapse_client::message::OutgoingMessage;
use synapse_client::native::{PromptShape, TaskEvent, TaskShape};
use synapse_machine::registry::Entry;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, sleep_until};

use super::{Parked, Turn, closed};
use crate::agent::{Agent, Session, lock};
use crate::connection::Asked;
use crate::narrator::Narrator;
use crate::question::{self, Manner};
use crate::rpc::RpcError;
use crate::wire::{
    FormAnswer, Outcome, PermissionAnswer, PermissionKind, StopReason, ToolCall, ToolStatus, Update,
};

/// How long a message may wait before the person hears why.
const WAIT_UNEXPLAINED: Duration = Duration::from_secs(2);

/// How long an agent whose turn was stopped may take to be seen at rest.
const REST_PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked at meanwhile.
const REST_PACE: Duration = Duration::from_millis(50);

/// How often a stream that broke is taken up again.
const MOST_BREAKS: u32 = 5;

/// A task that is followed.
pub(super) struct Followed {
    client: Client,
    name: String,
    task: String,
    events: TaskEvents,
    narrator: Narrator,
    breaks: u32,
}

/// A question in words that the next prompt answers.
pub(crate) struct LocalQuestion {
    client: Client,
    name: String,
    task: String,
    last_event: Option<String>,
    narrator: Narrator,
    fingerprint: String,
}

/// A question that the person was asked in the editor, or is to answer elsewhere.
struct Posed {
    prompt: PromptShape,
    /// The request to the editor, if it could be asked there.
    asked: Option<(Asked, Manner)>,
    /// The call in the editor that it is about, and whether it was made up for it.
    call: String,
    is_own_call: bool,
}

/// What the person decided.
enum Decision {
    Answer(String),
    /// They want the turn to end.
    Stop,
    /// Nothing, or nothing that could be read; why.
    Unclear(String),
}

impl LocalQuestion {
    /// Answers it. Nothing if it is not asked any more; then the words are a message like any other.
    pub(super) async fn answer(self, words: &str, agent: &Agent) -> Result<Option<Followed>> {
        let editor = agent.editor().name;
        let given = GivenAnswer {
            input: words,
            fingerprint: Some(&self.fingerprint),
            by: Some(editor.as_deref().unwrap_or("editor")),
        };
        let answered = self.client.input(&self.task, &given).await?;
        if !answered.status.is_success() {
            return Ok(None);
        }
        let last = self.last_event.as_deref();
        Ok(Some(Followed {
            events: self.client.follow_after(&self.task, last).await?,
            client: self.client,
            name: self.name,
            task: self.task,
            narrator: self.narrator,
            breaks: 0,
        }))
    }
}

impl Followed {
    /// Sends a message, and begins to follow what comes of it.
    pub(super) async fn send(
        agent: &Agent,
        session: &Session,
        entry: &Entry,
        message: &OutgoingMessage,
    ) -> Result<Self> {
        let name = entry.handle.to_string();
        let client = Client::of(entry)?;
        let standing = client.status().await?;
        let task = client.send(message.priority(), &message.body()).await?;
        let why = match &standing.prompt {
            Some(prompt) => Some(format!(
                "{name} asks something first, and the message waits until that is answered: {}",
                prompt.question
            )),
            None if standing.task.is_some() || standing.queue > 0 => Some(format!(
                "{name} is at work for somebody else; the message waits for its turn"
            )),
            None => None,
        };
        if let Some(why) = why {
            agent.tell(session, &Update::thought(why)).await;
        }
        Ok(Self {
            events: client.follow(&task.id).await?,
            // Who tells of the steps of a turn tells its reply, too, word for word.
            narrator: Narrator::new(&entry.working_dir, standing.steps_from.is_some()),
            client,
            name,
            task: task.id,
            breaks: 0,
        })
    }

    /// Follows the task to its end, or to a question that the next prompt answers.
    pub(super) async fn run(
        mut self,
        agent: &Agent,
        turn: &mut Turn,
    ) -> Result<StopReason, RpcError> {
        let session = turn.session.clone();
        let mut closing = agent.closing.subscribe();
        let mut posed: Option<Posed> = None;
        let mut stopping: Option<JoinHandle<Result<TaskShape>>> = None;
        let mut is_waiting = true;
        let explain_at = Instant::now() + WAIT_UNEXPLAINED;
        loop {
            tokio::select! {
                event = self.events.next() => {
                    let event = match event {
                        Ok(Some(event)) => event,
                        broken => match self.resumed(broken.err()).await? {
                            Some(task) => return self.ended(agent, &session, task).await,
                            None => continue,
                        },
                    };
                    for update in self.narrator.take(&event) {
                        agent.tell(&session, &update).await;
                    }
                    let TaskEvent::Status(status) = &event else { continue };
                    is_waiting &= status.state == TaskState::Submitted;
                    if status.state != TaskState::InputRequired {
                        withdraw(&mut posed, agent, &session).await;
                    } else if stopping.is_none() {
                        posed = self.pose(agent, &session, posed.take()).await?;
                        if let Some(parked) = self.parked(posed.as_ref()) {
                            *lock(&session.parked) = Some(Parked::Local(Box::new(parked)));
                            return Ok(StopReason::EndTurn);
                        }
                    }
                    if status.state.is_final() {
                        let task = self.client.task(&self.task).await?;
                        return self.ended(agent, &session, task).await;
                    }
                }
                decision = decided(&mut posed) => match decision {
                    Decision::Answer(value) => {
                        if let Some(was) = posed.take() {
                            self.answer(agent, &session, &was, &value).await;
                        }
                    }
                    Decision::Stop => stopping = Some(self.stop()),
                    Decision::Unclear(why) => {
                        let name = &self.name;
                        let text = format!("\n{why}\nAnswer it in the terminal: synapse attach {name}\n");
                        agent.tell(&session, &Update::said(text)).await;
                    }
                },
                _ = turn.cancels.changed(), if stopping.is_none() => {
                    // Whoever cancels answers what it was asked by itself.
                    if let Some(posed) = &mut posed {
                        posed.asked = None;
                    }
                    stopping = Some(self.stop());
                }
                stopped = joined(&mut stopping) => {
                    stopping = None;
                    // Nothing is told as stopped that was not seen to stop.
                    if let Err(error) = stopped {
                        let text = format!("\n{} could not be stopped: {error:#}\n", self.name);
                        agent.tell(&session, &Update::said(text)).await;
                    }
                }
                () = sleep_until(explain_at), if is_waiting => {
                    is_waiting = false;
                    let held = self.client.task(&self.task).await.ok().and_then(|task| task.held);
                    if let Some(why) = held {
                        agent.tell(&session, &Update::thought(format!("held: {why}"))).await;
                    }
                }
                () = closed(&mut closing) => return Ok(StopReason::Cancelled),
            }
        }
    }

    /// Asks the person what the agent asks.
    async fn pose(
        &self,
        agent: &Agent,
        session: &Session,
        before: Option<Posed>,
    ) -> Result<Option<Posed>> {
        let Some(prompt) = self.client.status().await?.prompt else {
            // It is answered already; the next event says so.
            return Ok(before);
        };
        let is_same = |posed: &Posed| posed.prompt.fingerprint == prompt.fingerprint;
        if before.as_ref().is_some_and(is_same) {
            return Ok(before);
        }
        let mut before = before;
        withdraw(&mut before, agent, session).await;
        let input = prompt.call.as_ref().map(|call| call.input.as_str());
        let known = self.narrator.call_about(input).map(str::to_owned);
        let is_own_call = known.is_none();
        let call = known.unwrap_or_else(|| format!("question-{}", prompt.fingerprint));
        let manner = Manner::of(&prompt);
        let asked = match manner {
            Manner::Options => {
                let params = serde_json::json!({
                    "sessionId": session.id,
                    "toolCall": question::call(&prompt, call.clone()),
                    "options": question::options(&prompt),
                });
                Some(agent.peer.ask("session/request_permission", &params).await)
            }
            Manner::Words if agent.editor().can.has_forms => {
                let form = question::form(&session.id, &prompt);
                Some(agent.peer.ask("elicitation/create", &form).await)
            }
            Manner::Words => {
                let text = format!("\n{}\n", question::asked(&prompt));
                agent.tell(session, &Update::said(text)).await;
                None
            }
            Manner::Terminal => {
                let (name, asks) = (&self.name, question::asked(&prompt));
                let text = format!("\n{asks}\nAnswer it in the terminal: synapse attach {name}\n");
                agent.tell(session, &Update::said(text)).await;
                None
            }
        };
        Ok(Some(Posed {
            asked: asked.map(|asked| (asked, manner)),
            prompt,
            call,
            is_own_call,
        }))
    }

    /// What is kept of a turn that asks for words, where the editor has no form for them.
    fn parked(&mut self, posed: Option<&Posed>) -> Option<LocalQuestion> {
        let posed = posed?;
        if posed.asked.is_some() || Manner::of(&posed.prompt) != Manner::Words {
            return None;
        }
        Some(LocalQuestion {
            client: self.client.clone(),
            name: self.name.clone(),
            task: self.task.clone(),
            last_event: self.events.last_id().map(str::to_owned),
            narrator: std::mem::take(&mut self.narrator),
            fingerprint: posed.prompt.fingerprint.clone(),
        })
    }

    async fn answer(&self, agent: &Agent, session: &Session, posed: &Posed, value: &str) {
        let editor = agent.editor().name;
        let given = GivenAnswer {
            input: value,
            fingerprint: Some(&posed.prompt.fingerprint),
            by: Some(editor.as_deref().unwrap_or("editor")),
        };
        let refused = match self.client.input(&self.task, &given).await {
            Ok(answer) if answer.status.is_success() => None,
            // It was answered elsewhere, or another question took its place: that is told by itself.
            Ok(answer) if answer.status.is_client_error() => return,
            Ok(answer) => Some(answer.body.to_string()),
            Err(error) => Some(format!("{error:#}")),
        };
        if let Some(why) = refused {
            let text = format!("\nThe answer did not reach {}: {why}\n", self.name);
            agent.tell(session, &Update::said(text)).await;
        } else if posed.is_own_call {
            let options = question::options(&posed.prompt);
            let chosen = options.iter().find(|option| {
                question::value(&posed.prompt, &option.option_id).as_deref() == Some(value)
            });
            let is_refusal = chosen.is_some_and(|option| {
                matches!(
                    option.kind,
                    PermissionKind::RejectOnce | PermissionKind::RejectAlways
                )
            });
            let status = if is_refusal {
                ToolStatus::Failed
            } else {
                ToolStatus::Completed
            };
            tell_call(agent, session, posed, status).await;
        }
    }

    /// Stops the agent; done when it was seen to stop.
    fn stop(&self) -> JoinHandle<Result<TaskShape>> {
        let (client, task) = (self.client.clone(), self.task.clone());
        tokio::spawn(async move { client.cancel(&task).await })
    }

    /// Takes a broken stream up again; the task, if it is over.
    async fn resumed(&mut self, error: Option<anyhow::Error>) -> Result<Option<TaskShape>> {
        let gone = || format!("{} is gone before it answered", self.name);
        let task = self.client.task(&self.task).await.with_context(gone)?;
        if task.status.state.is_final() {
            return Ok(Some(task));
        }
        self.breaks += 1;
        if self.breaks > MOST_BREAKS {
            return Err(error.unwrap_or_else(|| anyhow::anyhow!(gone())));
        }
        let last = self.events.last_id().map(str::to_owned);
        let events = self.client.follow_after(&self.task, last.as_deref()).await;
        self.events = events.with_context(gone)?;
        Ok(None)
    }

    /// Waits until the agent is seen at rest, or at work on something else. Hooks and records tell of the end of a turn
    /// before the screen shows it. Whether it was seen.
    async fn rests(&self) -> bool {
        let deadline = Instant::now() + REST_PATIENCE;
        let mut pace = interval(REST_PACE);
        loop {
            pace.tick().await;
            match self.client.status().await {
                Ok(now) if now.status == "BUSY" && now.task.is_none() => {}
                // Who cannot be asked is not at work.
                Ok(_) | Err(_) => return true,
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
    }

    async fn ended(
        &mut self,
        agent: &Agent,
        session: &Session,
        task: TaskShape,
    ) -> Result<StopReason, RpcError> {
        if let Some(reply) = task.reply.as_deref() {
            for update in self.narrator.reply(reply) {
                agent.tell(session, &update).await;
            }
        }
        let reason = task.status.reason().unwrap_or("no reason given");
        match task.status.state {
            TaskState::Canceled => {
                if !self.rests().await {
                    let text = format!("\n{} was stopped, and is still at work\n", self.name);
                    agent.tell(session, &Update::said(text)).await;
                }
                Ok(StopReason::Cancelled)
            }
            TaskState::Rejected => {
                agent.tell(session, &Update::said(reason)).await;
                Ok(StopReason::Refusal)
            }
            TaskState::Failed => Err(RpcError {
                data: Some(serde_json::json!({ "task": task.id, "failure": task.status.error })),
                ..RpcError::failed(reason)
            }),
            _ => Ok(StopReason::EndTurn),
        }
    }
}

/// What the person decided, once they have; for ever if nothing is asked in the editor.
async fn decided(posed: &mut Option<Posed>) -> Decision {
    let Some(Posed {
        prompt,
        asked: Some((asked, manner)),
        ..
    }) = posed
    else {
        return std::future::pending().await;
    };
    let answer = asked.answered().await;
    let decision = match (answer, manner) {
        (Err(error), _) => Decision::Unclear(format!("The editor did not ask: {error}")),
        (Ok(answer), Manner::Options) => match serde_json::from_value(answer) {
            Ok(PermissionAnswer {
                outcome: Outcome::Selected { option_id },
            }) => match question::value(prompt, &option_id) {
                Some(value) => Decision::Answer(value),
                None => Decision::Unclear(format!("There is no option '{option_id}'.")),
            },
            Ok(_) => Decision::Stop,
            Err(error) => Decision::Unclear(format!("The editor's answer makes no sense: {error}")),
        },
        (Ok(answer), _) => match serde_json::from_value(answer) {
            Ok(FormAnswer::Accept { content }) => {
                match content.get("answer").and_then(|answer| answer.as_str()) {
                    Some(words) => Decision::Answer(words.to_owned()),
                    None => Decision::Unclear("The form came back without an answer.".to_owned()),
                }
            }
            Ok(_) => Decision::Stop,
            Err(error) => Decision::Unclear(format!("The editor's answer makes no sense: {error}")),
        },
    };
    if let Some(posed) = posed
        && !matches!(decision, Decision::Answer(_))
    {
        posed.asked = None;
    }
    decision
}

/// Takes back a question that is not asked any more.
async fn withdraw(posed: &mut Option<Posed>, agent: &Agent, session: &Session) {
    let Some(mut gone) = posed.take() else {
        return;
    };
    if let Some((asked, _)) = gone.asked.take() {
        asked.withdraw().await;
        if gone.is_own_call {
            tell_call(agent, session, &gone, ToolStatus::Completed).await;
        }
    }
}

/// What became of the call that a question was about. An editor that asked knows it from the question alone, so its
/// words are told again.
async fn tell_call(agent: &Agent, session: &Session, posed: &Posed, status: ToolStatus) {
    let call = ToolCall {
        status: Some(status),
        ..question::call(&posed.prompt, posed.call.clone())
    };
    agent.tell(session, &Update::ToolCallUpdate(call)).await;
}

/// What became of a stop, once that is known; for ever if there is none.
async fn joined(stopping: &mut Option<JoinHandle<Result<TaskShape>>>) -> Result<TaskShape> {
    match stopping {
        Some(stopping) => stopping.await?,
        None => std::future::pending().await,
    }
}
