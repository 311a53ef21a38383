//! Performs what clients ask for, independent of dialect and binding.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use synapse_a2a::act::Actor;
use synapse_a2a::event::{Fact, Origin};
use synapse_a2a::id::{MessageId, TaskId};
use synapse_a2a::message::{Content, Message};
use synapse_a2a::task::{Task, TaskState};
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::media;
use synapse_a2a::wire::protocol_error::ProtocolError;
use synapse_a2a::wire::request::{History, Patience, SendRequest};
use tokio::time::timeout;

use super::super::{ServerState, archive, incoming};
use super::refusal::{by_session, by_store};
use super::stream::TaskStream;
use super::{list, push};
use synapse_session::{Answer, Follow, Priority, Record, Submission};

/// How long a question may stay open once it was answered: a program that asks the same again leaves
/// nothing to wait for.
const ANSWERED: Duration = Duration::from_secs(3);

/// What came of a request.
pub(super) enum Outcome {
    Said(Value),
    /// Answers as they come.
    Stream(Box<TaskStream>),
}

/// A message that was taken in.
struct AcceptedMessage {
    /// What happens to its task.
    follow: Follow,
    /// Whether it was the answer to a question.
    is_answer: bool,
}

/// Does what is asked for, for whoever calls. `last` is the number of the last event the client has seen, if it says so.
pub(super) async fn serve(
    served: &ServerState,
    dialect: Dialect,
    ask: Ask,
    last: Option<u64>,
    caller: &incoming::Caller,
) -> Result<Outcome, ProtocolError> {
    match ask {
        Ask::Send(request) => {
            let said = send(served, dialect, request, caller).await?;
            Ok(Outcome::Said(said))
        }
        Ask::Stream(request) => {
            let taken = take(served, dialect, request, caller).await?;
            let telling = TaskStream::of_send(taken.follow, dialect, taken.is_answer);
            Ok(Outcome::Stream(Box::new(telling)))
        }
        Ask::Get(request) => {
            let (record, dialect) = find(served, dialect, &request.task).await?;
            Ok(Outcome::Said(dialect.task(&record.task, request.history)))
        }
        Ask::List(request) => list::page(served, &request).await.map(Outcome::Said),
        Ask::Cancel(task) => cancel(served, dialect, &task).await.map(Outcome::Said),
        Ask::Subscribe(task) => {
            let (record, dialect) = find(served, dialect, &task).await?;
            let telling = subscribe(served, dialect, record, last)?;
            Ok(Outcome::Stream(Box::new(telling)))
        }
        Ask::PushSet(task, config) => {
            let (record, dialect) = find(served, dialect, &task).await?;
            let config = push::set(served, &record, config, dialect, push::From::Now).await?;
            Ok(Outcome::Said(dialect.push(&config, &record.task)))
        }
        Ask::PushGet(request) => {
            let (record, dialect) = find(served, dialect, &request.task).await?;
            let config = push::get(served, &record.task, request.id).await?;
            Ok(Outcome::Said(dialect.push(&config, &record.task)))
        }
        Ask::PushList(task) => {
            let (record, dialect) = find(served, dialect, &task).await?;
            let configs = push::list(served, &record.task).await?;
            Ok(Outcome::Said(dialect.pushes(&configs, &record.task)))
        }
        Ask::PushDelete(request) => {
            let (record, _) = find(served, dialect, &request.task).await?;
            push::delete(served, &record.task, request.id).await?;
            Ok(Outcome::Said(Value::Null))
        }
        Ask::ExtendedCard if dialect == Dialect::V1 => Err(ProtocolError::Unsupported(
            "this agent has no extended card; its card says so".to_owned(),
        )),
        Ask::ExtendedCard => Err(ProtocolError::ExtendedCardNotConfigured),
    }
}

/// A task by its name, or by the name its client gave it: then its client speaks the dialect in which
/// clients do that.
pub(super) async fn find(
    served: &ServerState,
    dialect: Dialect,
    task: &TaskId,
) -> Result<(Arc<Record>, Dialect), ProtocolError> {
    let known = archive::look_up(served, task).await;
    if let Some(record) = known.map_err(|problem| by_store(&problem))? {
        return Ok((record, dialect));
    }
    let missing = || ProtocolError::TaskNotFound(task.to_string());
    if !matches!(dialect, Dialect::V03 | Dialect::V01) {
        return Err(missing());
    }
    let record = named(served, &MessageId::new(task.as_str())).await?;
    Ok((record.ok_or_else(missing)?, Dialect::V01))
}

/// The task that a client of the first dialect gave this name.
async fn named(
    served: &ServerState,
    name: &MessageId,
) -> Result<Option<Arc<Record>>, ProtocolError> {
    let found = archive::begun_by(served, name).await;
    found.map_err(|problem| by_store(&problem))
}

async fn send(
    served: &ServerState,
    dialect: Dialect,
    request: SendRequest,
    caller: &incoming::Caller,
) -> Result<Value, ProtocolError> {
    let wish = (request.wish.patience, request.wish.history);
    let AcceptedMessage {
        mut follow,
        is_answer,
    } = take(served, dialect, request, caller).await?;
    let id = follow.snapshot.task.id().clone();
    if wish.0 == Patience::UntilSettled {
        settle(served, &mut follow, is_answer).await;
    }
    let record = served.session.board.record(&id).unwrap_or(follow.snapshot);
    Ok(dialect.sent(&record.task, wish.1))
}

/// Takes a message in: as a new task, or as the answer to the question of one.
async fn take(
    served: &ServerState,
    dialect: Dialect,
    mut request: SendRequest,
    caller: &incoming::Caller,
) -> Result<AcceptedMessage, ProtocolError> {
    media::check(&request.message, &served.a2a.facts.input_modes)?;
    if dialect == Dialect::V01 {
        go_on_by_name(served, &mut request).await?;
    }
    let push = request.wish.push.take();
    let (follow, is_answer) = match request.task.clone() {
        Some(task) => (answer(served, dialect, task, request, caller).await?, true),
        None => (begin(served, request, caller).await?, false),
    };
    if let Some(config) = push {
        let record = &follow.snapshot;
        push::set(served, record, config, dialect, push::From::Snapshot).await?;
    }
    Ok(AcceptedMessage { follow, is_answer })
}

/// A name that is known and whose task waits is that task; there are no ids of messages to go by.
async fn go_on_by_name(
    served: &ServerState,
    request: &mut SendRequest,
) -> Result<(), ProtocolError> {
    let known = named(served, &request.message.id).await?;
    let waiting = known.filter(|record| record.task.state() == TaskState::InputRequired);
    if let Some(record) = waiting {
        request.task = Some(record.task.id().clone());
        request.message.id = MessageId::new(uuid::Uuid::now_v7().to_string());
    }
    Ok(())
}

async fn begin(
    served: &ServerState,
    request: SendRequest,
    caller: &incoming::Caller,
) -> Result<Follow, ProtocolError> {
    let origin = origin(&request, caller)?;
    let submission = Submission {
        message: request.message,
        context: request.context,
        origin,
        is_raw: false,
    };
    let task = served.session.send(submission).await.map_err(by_session)?;
    let follow = served.session.board.follow(&task, None);
    follow.ok_or_else(|| ProtocolError::TaskNotFound(task.to_string()))
}

/// Gives a message to a task that waits for one.
async fn answer(
    served: &ServerState,
    dialect: Dialect,
    task: TaskId,
    request: SendRequest,
    caller: &incoming::Caller,
) -> Result<Follow, ProtocolError> {
    let (record, _) = find(served, dialect, &task).await?;
    if request
        .context
        .is_some_and(|context| context != *record.task.context())
    {
        let error = "is not that of the task; leave it away to go on with the task";
        return Err(ProtocolError::field("message.contextId", error));
    }
    let follow = served.session.board.follow(&task, None);
    let over = |task: &Task| {
        let state = task.state();
        ProtocolError::Unsupported(format!("the task is {state} and takes no more messages"))
    };
    let follow = follow.ok_or_else(|| over(&record.task))?;
    let last = follow.snapshot.task.history().last();
    if last == Some(&request.message) {
        // Sent again by somebody who got no answer.
        return Ok(follow);
    }
    match follow.snapshot.task.state() {
        TaskState::InputRequired => {}
        state if state.is_final() => return Err(over(&follow.snapshot.task)),
        state => {
            return Err(ProtocolError::Unsupported(format!(
                "the task is {state} and has not asked for anything; send a new message without its id"
            )));
        }
    }
    let fingerprint = request.message.metadata.get("synapse/fingerprint");
    let sender = request.message.metadata.get("synapse/sender");
    let sender = sender.and_then(Value::as_str);
    let answer = Answer {
        task: Some(task),
        value: value(&request.message),
        fingerprint: fingerprint.and_then(Value::as_str).map(str::to_owned),
        by: Actor {
            by: incoming::actor(sender.map(str::to_owned), caller),
            rule: None,
        },
        message: Some(request.message),
    };
    served.session.answer(answer).await.map_err(by_session)?;
    Ok(follow)
}

/// What a message answers: its words, or the bare value it holds.
fn value(message: &Message) -> String {
    let said = message.parts.iter().filter_map(|part| match &part.content {
        Content::Text { text } => Some(text.clone()),
        Content::Data { data } => Some(
            data.as_str()
                .map_or_else(|| data.to_string(), str::to_owned),
        ),
        Content::Raw { .. } | Content::Url { .. } => None,
    });
    said.collect::<Vec<_>>().join("\n")
}

/// Who asks, and how urgently, where the client says so in its metadata.
fn origin(request: &SendRequest, caller: &incoming::Caller) -> Result<Origin, ProtocolError> {
    let noted = |name: &str| {
        let message = request.message.metadata.get(name);
        message.or_else(|| request.metadata.get(name))
    };
    let priority = match noted("synapse/priority") {
        None => Priority::NORMAL,
        Some(said) => said.as_u64().and_then(Priority::new).ok_or_else(|| {
            ProtocolError::field(
                "metadata.synapse/priority",
                "must be a whole number from 1 to 5",
            )
        })?,
    };
    let said = noted("synapse/sender").and_then(Value::as_str);
    // A client of another machine may be anybody, not only its person.
    let is_machine = matches!(caller, incoming::Caller::Machine { .. });
    let said = said.or_else(|| is_machine.then_some(Origin::CLIENT));
    let sender = incoming::sender(said, caller)
        .map_err(|why| ProtocolError::field("metadata.synapse/sender", why.said()))?;
    Ok(Origin {
        sender,
        priority: priority.number(),
        hops: incoming::hops(&request.message),
        via: caller.via(),
    })
}

async fn cancel(
    served: &ServerState,
    dialect: Dialect,
    task: &TaskId,
) -> Result<Value, ProtocolError> {
    let (record, dialect) = find(served, dialect, task).await?;
    let over = |task: &Task| ProtocolError::TaskNotCancelable(task.state().to_string());
    if record.task.state().is_final() {
        return Err(over(&record.task));
    }
    match served.session.cancel(record.task.id()).await {
        Ok(record) if record.task.state() == TaskState::Canceled => {
            Ok(dialect.task(&record.task, History::All))
        }
        // It ended by itself before the key reached it.
        Ok(record) => Err(over(&record.task)),
        Err(synapse_session::Refusal::Over(state)) => {
            Err(ProtocolError::TaskNotCancelable(state.to_owned()))
        }
        Err(refusal) => Err(by_session(refusal)),
    }
}

/// Follows a task. One that is over has nothing more to tell, except to who missed the end.
fn subscribe(
    served: &ServerState,
    dialect: Dialect,
    record: Arc<Record>,
    last: Option<u64>,
) -> Result<TaskStream, ProtocolError> {
    let all = record.events.len() as u64;
    let seen = last.filter(|seen| *seen <= all);
    let has_more = !record.task.state().is_final() || seen.is_some_and(|seen| seen < all);
    if !has_more && dialect == Dialect::V1 {
        return Err(ProtocolError::Unsupported(format!(
            "the task is {} and has nothing more to tell; get it instead",
            record.task.state()
        )));
    }
    let follow = served.session.board.follow(record.task.id(), seen);
    Ok(match follow {
        Some(follow) => TaskStream::of_subscription(follow, dialect, seen),
        None => TaskStream::of_past(record, dialect, seen),
    })
}

/// Waits until a task is over or asks something.
async fn settle(served: &ServerState, follow: &mut Follow, is_answer: bool) {
    let is_settled = |state: TaskState| state.is_final() || state == TaskState::InputRequired;
    if !is_answer && is_settled(follow.snapshot.task.state()) {
        return;
    }
    let mut patience = is_answer.then_some(ANSWERED);
    loop {
        let next = follow.next();
        let posted = match patience {
            Some(patience) => match timeout(patience, next).await {
                Ok(posted) => posted,
                Err(_) => return,
            },
            None => next.await,
        };
        let Some(posted) = posted else { return };
        if let Fact::Moved { status } = &posted.event.fact {
            patience = None;
            let task = served.session.board.record(&posted.task);
            let now = task.map_or(status.state(), |record| record.task.state());
            if is_settled(status.state()) && is_settled(now) {
                return;
            }
        }
    }
}
