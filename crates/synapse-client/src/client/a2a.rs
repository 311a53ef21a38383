//! A client for any A2A agent: discovers its dialect, sends, follows, queries, cancels. Answers are
//! translated to our own types, whatever the dialect.

mod call;
mod card;
mod dialect;
mod discover;
mod error;

use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde_json::Value;
use synapse_a2a::id::MessageId;
use synapse_a2a::message::{Message, Part, Role};
use synapse_a2a::task::TaskState;
use synapse_a2a::wire::answer;
use tokio::time::sleep;

pub use card::{Card, CardError, Interface};
pub use dialect::Dialect;
pub use error::A2AError;
pub use synapse_a2a::wire::remote_task::RemoteTask;

use super::{Events, Page, Web, WebError};
use call::Call;
use error::{json, not_an_agent};
use synapse_machine::token::Token;

/// How long an agent may take for an answer it has at hand.
const MOMENT: Duration = Duration::from_secs(30);
/// How long an agent that cannot stream may take for a whole task.
const WHOLE_TASK: Duration = Duration::from_hours(1);
/// How often a broken stream is taken up again without anything new in between.
const ATTEMPTS: u32 = 5;
/// The first pause before that, and between two looks at a task that cannot be followed; each is twice the one before.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// What is sent to an agent elsewhere.
#[derive(Clone, Debug)]
pub struct Outgoing {
    pub message: Message,
    /// The conversation it belongs to, if there was one before.
    pub context: Option<String>,
    /// The task it answers a question of.
    pub task: Option<String>,
    /// How urgent it is, for those who know such a thing.
    pub priority: Option<u8>,
}

impl Outgoing {
    /// A message that begins something new.
    pub fn new(message: Message) -> Self {
        Self {
            message,
            context: None,
            task: None,
            priority: None,
        }
    }

    /// A message as people and programs write one: a string, or parts in any dialect. Nothing if it is neither.
    pub fn read(message: &Value) -> Option<Self> {
        let parts = match message.as_str() {
            Some(text) => vec![Part::text(text)],
            None => answer::parts(message),
        };
        let id = MessageId::new(uuid::Uuid::new_v4().to_string());
        (!parts.is_empty()).then(|| Self::new(Message::new(id, Role::User, parts)))
    }
}

/// What can be asked of an agent.
#[derive(Clone, Copy, Debug)]
enum Operation<'a> {
    /// Take a message, and answer at once or when it is done.
    Send {
        outgoing: &'a Outgoing,
        waits: bool,
    },
    /// Take a message, and tell what comes of it.
    Stream(&'a Outgoing),
    /// Say how a task stands.
    Get(&'a str),
    Cancel(&'a str),
    /// Tell what comes of it from now on.
    Subscribe(&'a str),
}

/// The client of one agent.
#[derive(Clone)]
pub struct A2AClient {
    web: Web,
    interface: Interface,
    token: Option<Token>,
}

impl A2AClient {
    /// The client of an agent whose card was read.
    pub fn new(web: Web, interface: Interface, token: Option<Token>) -> Self {
        Self {
            web,
            interface,
            token,
        }
    }

    /// Sends a message; the task that was made of it, as it stands.
    pub async fn send(&self, outgoing: &Outgoing) -> Result<RemoteTask, A2AError> {
        let operation = Operation::Send {
            outgoing,
            waits: false,
        };
        self.task(operation, MOMENT).await
    }

    /// Sends a message and follows what comes of it, until it is over or the agent asks something. `each` sees the task
    /// whenever it has changed.
    ///
    /// # Errors
    /// When the agent cannot be reached, refuses, or is lost on the way.
    pub async fn send_and_follow(
        &self,
        outgoing: &Outgoing,
        mut each: impl FnMut(&RemoteTask),
    ) -> Result<RemoteTask, A2AError> {
        if self.interface.dialect == Dialect::Native && outgoing.task.is_some() {
            // The native dialect only acknowledges an answer; whoever wants more subscribes.
            return self.send(outgoing).await;
        }
        if self.interface.streams {
            match self.open(Operation::Stream(outgoing), None).await {
                Ok(events) => return self.follow(events, None, &mut each).await,
                Err(error) if error.is_about_streaming() => {}
                Err(error) => return Err(error),
            }
        }
        let operation = Operation::Send {
            outgoing,
            waits: true,
        };
        let task = self.task(operation, WHOLE_TASK).await?;
        each(&task);
        if task.is_settled() {
            return Ok(task);
        }
        self.watch(task, &mut each).await
    }

    /// How a task stands.
    ///
    /// # Errors
    /// When the agent cannot be reached or knows no such task.
    pub async fn get(&self, id: &str) -> Result<RemoteTask, A2AError> {
        self.task(Operation::Get(id), MOMENT).await
    }

    /// Cancels a task; how it stands then.
    ///
    /// # Errors
    /// When the agent cannot be reached, knows no such task, or it is over.
    pub async fn cancel(&self, id: &str) -> Result<RemoteTask, A2AError> {
        self.task(Operation::Cancel(id), MOMENT).await
    }

    /// Follows a task that runs, until it is over or the agent asks something.
    ///
    /// # Errors
    /// When the agent cannot be reached, knows no such task, or is lost on the way.
    pub async fn subscribe(
        &self,
        id: &str,
        mut each: impl FnMut(&RemoteTask),
    ) -> Result<RemoteTask, A2AError> {
        let task = self.get(id).await?;
        each(&task);
        if task.state.is_final() {
            return Ok(task);
        }
        if self.interface.streams {
            match self.open(Operation::Subscribe(id), None).await {
                Ok(events) => return self.follow(events, Some(task), &mut each).await,
                Err(error) if error.is_about_streaming() => {}
                Err(error) => return Err(error),
            }
        }
        self.watch(task, &mut each).await
    }

    /// Looks at a task that asks something, now and then, until somebody has answered; how it stands then.
    pub async fn answered(&self, id: &str) -> Result<RemoteTask, A2AError> {
        let mut pause = PAUSE;
        loop {
            let now = self.get(id).await?;
            if now.state != TaskState::InputRequired {
                return Ok(now);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Folds the events of a stream. One that breaks is taken up again where it broke.
    async fn follow(
        &self,
        mut events: Events,
        mut task: Option<RemoteTask>,
        each: &mut impl FnMut(&RemoteTask),
    ) -> Result<RemoteTask, A2AError> {
        let (mut attempts, mut pause) = (0, PAUSE);
        loop {
            let broken = loop {
                let event = match events.next().await {
                    Ok(Some(event)) => event,
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                };
                let Some(update) = self.interface.dialect.read_event(&event)? else {
                    continue;
                };
                (attempts, pause) = (0, PAUSE);
                let known = RemoteTask::fold(&mut task, update);
                each(known);
                if known.is_settled() {
                    return self.finish(known.clone()).await;
                }
            };
            let Some(known) = task.as_mut() else {
                let host = self.interface.url.clone();
                return Err(match broken {
                    Some(error) => error.into(),
                    None => not_an_agent(&host, "its stream ended before it began"),
                });
            };
            attempts += 1;
            if attempts > ATTEMPTS {
                return self.watch(known.clone(), each).await;
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            let last = events.last_id().map(str::to_owned);
            let id = known.id.clone();
            match self.open(Operation::Subscribe(&id), last.as_deref()).await {
                Ok(again) => events = again,
                Err(A2AError::Web(_)) => {}
                // What is over cannot be followed any more, only looked at.
                Err(_) => return self.watch(known.clone(), each).await,
            }
        }
    }

    /// Looks at a task that cannot be followed, now and then, until it is over or asks something.
    async fn watch(
        &self,
        mut task: RemoteTask,
        each: &mut impl FnMut(&RemoteTask),
    ) -> Result<RemoteTask, A2AError> {
        let mut pause = PAUSE;
        loop {
            let now = self.get(&task.id).await?;
            if now != task {
                each(&now);
                task = now;
            }
            if task.is_settled() {
                return Ok(task);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Our own agents know more of a task at its end than they stream.
    async fn finish(&self, task: RemoteTask) -> Result<RemoteTask, A2AError> {
        match self.interface.dialect {
            Dialect::Native => self.get(&task.id).await,
            _ => Ok(task),
        }
    }

    async fn task(
        &self,
        operation: Operation<'_>,
        patience: Duration,
    ) -> Result<RemoteTask, A2AError> {
        let call = self.interface.call(operation);
        let host = self.interface.url.clone();
        let page = self.web.fetch(self.request(&call, None)?, patience).await?;
        let body = json(&host, &page)?;
        let update = self.interface.dialect.read(page.status, &body)?;
        let Some(update) = update else {
            // An answer to a question is only acknowledged.
            return match operation {
                Operation::Send { outgoing, .. } if outgoing.task.is_some() => {
                    Box::pin(self.get(outgoing.task.as_deref().unwrap_or_default())).await
                }
                _ => Err(not_an_agent(&host, "its answer is no task and no message")),
            };
        };
        let mut task = None;
        RemoteTask::fold(&mut task, update);
        task.ok_or_else(|| not_an_agent(&host, "its answer is no task and no message"))
    }

    async fn open(&self, operation: Operation<'_>, last: Option<&str>) -> Result<Events, A2AError> {
        let call = self.interface.call(operation);
        let response = self.web.stream(self.request(&call, last)?).await?;
        let (parts, body) = response.into_parts();
        let kind = parts.headers.get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
        let host = self.interface.url.as_str();
        if parts.status.is_success() && kind.starts_with("text/event-stream") {
            return Ok(Events::new(host, body));
        }
        let body = body.collect().await.map_err(|why| WebError::Broken {
            host: host.to_owned(),
            why,
        })?;
        let page = Page {
            status: parts.status,
            body: body.to_bytes(),
        };
        let body = json(host, &page)?;
        // What is refused before the stream begins is an ordinary answer.
        Err(match self.interface.dialect.read(page.status, &body) {
            Err(refused) => refused,
            Ok(_) => not_an_agent(host, "it was asked for a stream and sent something else"),
        })
    }

    fn request(&self, call: &Call, last: Option<&str>) -> Result<Request<Full<Bytes>>, A2AError> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&call.url)
            .header(ACCEPT, call.accept);
        if let Some(version) = self.interface.dialect.version() {
            request = request.header("a2a-version", version);
        }
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token.bearer());
        }
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let mut bytes = Bytes::new();
        if let Some(body) = &call.body {
            request = request.header(CONTENT_TYPE, "application/json");
            bytes = Bytes::from(body.to_string());
        }
        let odd = |_| WebError::NotAnAddress(call.url.clone());
        Ok(request.body(Full::new(bytes)).map_err(odd)?)
    }
}
