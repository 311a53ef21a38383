//! Asks an agent, exactly once. A message has a name that follows from the run and the step, so whoever takes up the
//! work of a runner that died finds what became of it: in the store, or with the agent that was to have it.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};
use synapse_a2a::artifact::Body;
use synapse_a2a::task::TaskState;
use synapse_client::delivery::{Outcome, Recipient};
use synapse_client::message::OutgoingMessage;
use synapse_client::native::TaskShape;
use synapse_flow::event::{Fact, Key};
use synapse_flow::flow::Expect;
use synapse_flow::run::Sending;
use synapse_flow::{reply, schema};
use synapse_store::{Kept, Reader, sweep};
use tokio::time::sleep;

use super::agents::Reached;
use super::work::{Desk, Failed, InFlight};

/// What the first message and the repair are called.
const FIRST: u8 = 0;
const REPAIR: u8 = 1;

/// How soon, and at last how seldom, it is looked at what an agent asks before it comes to a task.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const SLOWEST_LOOK: Duration = Duration::from_secs(2);

/// Asks, and once more if the reply is not the JSON that was wanted.
pub(super) async fn ask(
    desk: &Desk,
    key: &Key,
    sending: &InFlight,
    agent: &str,
    text: &str,
    dir: Option<PathBuf>,
) -> Result<Value, Failed> {
    let step = desk.flow.find(&key.step);
    let step = step.and_then(|at| desk.flow.steps.get(at));
    let expect = step.and_then(|step| step.expect.as_ref());
    let (reached, mut outcome) =
        send_once(desk, key, FIRST, sending, agent, text, dir.as_ref()).await?;
    let mut json_reply = None;
    if let Some(expect) = expect {
        match fitting(expect, outcome.reply.as_deref().unwrap_or_default()) {
            Ok(value) => json_reply = Some(value),
            Err(why) => {
                let asked = repair(expect, &why, desk.begin.simulate);
                let name = reached.name.clone();
                let (_, second) =
                    send_once(desk, key, REPAIR, sending, &name, &asked, dir.as_ref()).await?;
                let said = second.reply.as_deref().unwrap_or_default();
                let value = fitting(expect, said).map_err(|why| Failed::Because {
                    why: format!("{why}, and neither did it after it was told so"),
                    result: json!({ "reply": said, "agent": reached.name }),
                })?;
                json_reply = Some(value);
                outcome = second;
            }
        }
    }
    let files = files(desk, &outcome.task).unwrap_or_default();
    let dir = dir.unwrap_or_else(|| PathBuf::from(&desk.begin.dir));
    let mut result = json!({
        "reply": outcome.reply.unwrap_or_default(), "agent": agent, "task": outcome.task,
        "files": files, "dir": dir.display().to_string(),
    });
    if let Some(fields) = result.as_object_mut() {
        if let Some(value) = json_reply {
            fields.insert("json".to_owned(), value);
        }
        if let Some(tokens) = tokens(desk, key) {
            fields.insert("tokens".to_owned(), tokens.into());
        }
    }
    Ok(result)
}

fn fitting(expect: &Expect, said: &str) -> Result<Value, String> {
    let value = reply::json(said).ok_or_else(|| "the reply has no JSON in it".to_owned())?;
    if let Some(schema) = &expect.schema {
        schema::fits(schema, &value)?;
    }
    Ok(value)
}

fn repair(expect: &Expect, why: &str, is_simulated: bool) -> String {
    if is_simulated {
        let schema = expect.schema.clone().unwrap_or(json!({}));
        return format!("say:{}", schema::sample(&schema));
    }
    let shape = expect.schema.as_ref();
    let shape = shape.map(|schema| format!(" It must fit this JSON Schema: {schema}"));
    format!(
        "Your reply cannot be used: {why}.{} Reply again with nothing but the JSON.",
        shape.unwrap_or_default()
    )
}

/// Sends a message unless it was sent before, and waits for what becomes of it.
async fn send_once(
    desk: &Desk,
    key: &Key,
    part: u8,
    sending: &InFlight,
    agent: &str,
    text: &str,
    dir: Option<&PathBuf>,
) -> Result<(Reached, Outcome), Failed> {
    let name = desk.message_name(key, part);
    let mut in_flight = sending.lock().await;
    if let Some(kept) = kept(desk, &name)? {
        drop(in_flight);
        let reached = desk.agents.by_id(&kept.agent, &kept.handle);
        let outcome = follow_kept(desk, key, reached.as_ref(), &kept).await?;
        let reached = reached.unwrap_or(Reached::gone(&kept.handle, &kept.agent));
        return Ok((reached, finished(outcome)?));
    }
    let known = in_flight.clone().filter(|known| known.part == part);
    let reached = match known {
        Some(Sending {
            agent_id: None,
            task,
            agent: name,
            ..
        }) => {
            let reached = desk.agents.reach(&name, dir.map(PathBuf::as_path)).await?;
            drop(in_flight);
            let Some(task) = task else {
                let why = format!(
                    "nobody knows whether {name} has got the message of {}",
                    key.step
                );
                return Err(Failed::Unknown(why));
            };
            let outcome = follow(desk, key, reached.recipient()?, &task).await?;
            return Ok((reached, finished(outcome)?));
        }
        // The same agent knows the message by its name. One that is gone has never taken it.
        Some(Sending {
            agent_id: Some(id),
            agent,
            ..
        }) => desk.agents.by_id(&id, &agent),
        None => None,
    };
    let reached = match reached {
        Some(reached) => reached,
        None => desk.agents.reach(agent, dir.map(PathBuf::as_path)).await?,
    };
    desk.report(Fact::Sending {
        key: key.clone(),
        part,
        agent: reached.name.clone(),
        agent_id: reached.id.clone(),
    })
    .await?;
    let sender = format!("flow:{}", desk.begin.name);
    let message = OutgoingMessage::text(text)
        .named(&name)
        .sent_by(Some(sender), desk.begin.hops);
    let recipient = reached.recipient()?;
    let sent = recipient.send(&message).await;
    let sent = sent.with_context(|| format!("{} did not take the message", reached.name))?;
    let task = sent.task().to_owned();
    *in_flight = Some(Sending {
        part,
        agent: reached.name.clone(),
        agent_id: reached.id.clone(),
        task: Some(task.clone()),
    });
    desk.report(Fact::Sent {
        key: key.clone(),
        part,
        task: task.clone(),
    })
    .await?;
    drop(in_flight);
    let outcome = follow(desk, key, recipient, &task).await;
    let outcome = match outcome {
        Ok(outcome) => outcome,
        // Its host may have died; the store knows how the task ended.
        Err(error) => match over(desk, &name) {
            Some(outcome) => outcome,
            None => return Err(error.into()),
        },
    };
    Ok((reached, finished(outcome)?))
}

/// Waits for the end of a task, and tells of its questions, and of those that it waits behind.
async fn follow(desk: &Desk, key: &Key, recipient: &Recipient, task: &str) -> Result<Outcome> {
    let mut delivery = recipient.follow(task).await?;
    let mut asked = None;
    loop {
        let stop = delivery.next_stop();
        tokio::pin!(stop);
        let outcome = tokio::select! {
            outcome = &mut stop => outcome?,
            told = tell_what_is_before(desk, key, recipient, task, &mut asked) => {
                told?;
                stop.await?
            }
        };
        if outcome.state.is_final() {
            return Ok(outcome);
        }
        let question = outcome.question.map(|question| question.prompt);
        tell(desk, key, &mut asked, question).await?;
    }
}

/// Tells what the agent asks before it comes to a task: a dialog at its start, or a question of somebody else's. Nobody
/// announces that to who waits for the task, so it is looked at, until the task has begun.
async fn tell_what_is_before(
    desk: &Desk,
    key: &Key,
    recipient: &Recipient,
    task: &str,
    asked: &mut Option<String>,
) -> Result<()> {
    let mut pace = FIRST_LOOK;
    loop {
        sleep(pace).await;
        pace = (pace * 2).min(SLOWEST_LOOK);
        // An agent that cannot be reached is noticed by who follows the task.
        let Ok(Some(standing)) = recipient.standing().await else {
            return Ok(());
        };
        let has_begun = standing.task.as_deref() == Some(task);
        let question = standing.prompt.map(|prompt| prompt.question);
        tell(desk, key, asked, question.filter(|_| !has_begun)).await?;
        if has_begun {
            return Ok(());
        }
    }
}

/// Tells what is asked, where that is news.
async fn tell(
    desk: &Desk,
    key: &Key,
    asked: &mut Option<String>,
    question: Option<String>,
) -> Result<()> {
    if *asked == question {
        return Ok(());
    }
    asked.clone_from(&question);
    let key = key.clone();
    desk.report(Fact::Asking { key, question }).await
}

/// What became of a message that an agent has taken.
async fn follow_kept(
    desk: &Desk,
    key: &Key,
    reached: Option<&Reached>,
    kept: &Kept,
) -> Result<Outcome> {
    if kept.task.state().is_final() {
        return Ok(TaskShape::of(&kept.task, None).into());
    }
    if let Some(reached) = reached {
        let followed = follow(desk, key, reached.recipient()?, kept.task.id().as_str()).await;
        if followed.is_ok() {
            return followed;
        }
    }
    let name = kept.task.message().id.as_str();
    over(desk, name).ok_or_else(|| anyhow!("{} is gone before it answered", kept.handle))
}

/// How a task of this message ended, where its host is no more.
fn over(desk: &Desk, message: &str) -> Option<Outcome> {
    if let Err(error) = sweep::sweep(&desk.paths) {
        tracing::warn!(%error, "what dead hosts have left cannot be swept");
    }
    let kept = kept(desk, message).ok()??;
    let is_over = kept.task.state().is_final();
    is_over.then(|| TaskShape::of(&kept.task, None).into())
}

fn finished(outcome: Outcome) -> Result<Outcome, Failed> {
    if outcome.state == TaskState::Completed {
        return Ok(outcome);
    }
    let reason = outcome.reason.as_deref().unwrap_or("no reason given");
    Err(Failed::Because {
        why: format!(
            "the task {} {}: {reason}",
            outcome.task,
            outcome.state.name()
        ),
        result: json!({ "task": outcome.task }),
    })
}

fn kept(desk: &Desk, message: &str) -> Result<Option<Kept>> {
    let reader = Reader::open(desk.paths.store())?;
    match reader.task_of_message(message)? {
        Some(task) => Ok(reader.task(&task)?),
        None => Ok(None),
    }
}

/// The files that a reply names.
fn files(desk: &Desk, task: &str) -> Option<Vec<String>> {
    let reader = Reader::open(desk.paths.store()).ok()?;
    let kept = reader.task(&synapse_a2a::id::TaskId::new(task)).ok()??;
    let artifacts = kept.task.artifacts().iter();
    let files = artifacts.filter_map(|artifact| match &artifact.body {
        Body::File { path } => Some(path.clone()),
        _ => None,
    });
    Some(files.collect())
}

/// What the messages of a piece of work took of the models, where the programs' own records tell.
fn tokens(desk: &Desk, key: &Key) -> Option<u64> {
    let reader = Reader::open(desk.paths.store()).ok()?;
    let tasks: Vec<_> = [FIRST, REPAIR]
        .into_iter()
        .filter_map(|part| reader.task_of_message(&desk.message_name(key, part)).ok()?)
        .collect();
    let usage = reader.usage_of(&tasks).ok()?;
    let models = usage.values().flat_map(|usage| &usage.models);
    let tokens = models
        .map(|model| model.tokens.total())
        .fold(0, u64::saturating_add);
    (tokens > 0).then_some(tokens)
}

/// Ends the tasks that were made of a piece of work.
pub(super) async fn cancel(desk: &Desk, key: &Key, known: Option<&Sending>) {
    for part in [FIRST, REPAIR] {
        let name = desk.message_name(key, part);
        if let Ok(Some(kept)) = kept(desk, &name)
            && !kept.task.state().is_final()
            && let Some(reached) = desk.agents.by_id(&kept.agent, &kept.handle)
            && let Ok(recipient) = reached.recipient()
            && let Err(error) = recipient.cancel(kept.task.id().as_str()).await
        {
            tracing::info!(%error, agent = kept.handle, "a task of the flow could not be canceled");
        }
    }
    if let Some(Sending {
        agent_id: None,
        agent,
        task: Some(task),
        ..
    }) = known
        && let Ok(reached) = desk.agents.reach(agent, None).await
        && let Ok(recipient) = reached.recipient()
    {
        let _ = recipient.cancel(task).await;
    }
}
