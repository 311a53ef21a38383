//! A client of NATS: what the mesh needs of the protocol, and no more. One task owns the connection and makes it anew
//! whenever it breaks; subscriptions survive that. What is published while there is no connection is dropped, because
//! everything that matters is repeated by whoever wants it done.

mod auth;
mod connection;
mod kv;
mod protocol;
mod server;
mod tls;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::body::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

pub use auth::Auth;
pub use connection::Options;
pub use kv::{Bucket, Kv, Storage};
pub use protocol::ServerInfo;
pub use server::Server;
pub use tls::{CA_NAME, Trust};

/// How many messages may wait for somebody who reads them slowly.
const BACKLOG: usize = 8_192;
/// How long an answer of the server may take.
const ANSWER: Duration = Duration::from_secs(5);

/// Why the server cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NatsError {
    #[error("'{0}' is not the address of a NATS server, such as nats://192.168.1.5:4222")]
    NotAnAddress(String),
    #[error("{server} does not answer: {why}")]
    Unreachable { server: String, why: String },
    #[error(
        "{server} has another certificate than this mesh: {why}; was the server set up anew? Join again with a new invitation"
    )]
    WrongCertificate { server: String, why: String },
    #[error("{0} does not speak TLS, which this mesh does")]
    NoTls(String),
    #[error("{server} does not let this machine in: {why}")]
    Refused { server: String, why: String },
    #[error("{0} has JetStream switched off; start it with jetstream enabled (nats-server -js)")]
    NoJetStream(String),
    #[error("{server} is nats-server {version}; 2.9 or later is needed")]
    TooOld { server: String, version: String },
    #[error("{0} says no NATS")]
    Broken(String),
    #[error("there is no connection to the mesh")]
    Disconnected,
    #[error("the server did not answer within {} s", .0.as_secs())]
    Late(Duration),
    #[error(
        "the server does not let this machine publish to {0}; ask whoever runs it for the rights that docs/mesh.md names (A company's cluster)"
    )]
    Forbidden(String),
    #[error(
        "the account of this machine on that server has no JetStream ({0}); ask whoever runs it to enable it for the account"
    )]
    NoAccountJetStream(String),
    #[error("the server says: {0}")]
    Said(String),
}

impl NatsError {
    /// What to look at where a server does not answer a machine that comes for the first time.
    #[must_use]
    pub fn with_hint(self) -> Self {
        match self {
            Self::Unreachable { server, why } => Self::Unreachable {
                why: format!(
                    "{why}; is its machine on, is that its address, and does a firewall let the port through?"
                ),
                server,
            },
            other => other,
        }
    }

    /// Whether trying again later is of no use.
    pub fn is_lasting(&self) -> bool {
        matches!(
            self,
            Self::NotAnAddress(_)
                | Self::WrongCertificate { .. }
                | Self::NoTls(_)
                | Self::Refused { .. }
                | Self::NoJetStream(_)
                | Self::TooOld { .. }
                | Self::Forbidden(_)
                | Self::NoAccountJetStream(_)
        )
    }
}

/// A message that came in.
#[derive(Clone, Debug)]
pub struct Message {
    pub subject: String,
    pub reply: Option<String>,
    pub payload: Bytes,
    /// The status that a server puts into the headers, such as 503 where nobody listens.
    pub status: Option<u16>,
}

/// How the connection stands.
#[derive(Clone, Debug)]
pub enum Link {
    /// None yet.
    Connecting,
    /// For the nth time.
    Up(u64),
    Down(NatsError),
}

/// What the owner of the connection is told.
pub(crate) enum Order {
    Publish {
        subject: String,
        reply: Option<String>,
        /// By which a stream knows that it has it already.
        id: Option<String>,
        payload: Bytes,
    },
    Subscribe {
        sid: u64,
        subscribed: Subscribed,
    },
    Unsubscribe {
        sid: u64,
    },
}

/// What somebody listens to.
pub(crate) struct Subscribed {
    pub(crate) subject: String,
    /// Larger messages are dropped.
    pub(crate) largest: usize,
    pub(crate) to: mpsc::Sender<Message>,
}

/// A connection to the server, and to the next one if that fails.
#[derive(Clone)]
pub struct Nats {
    orders: mpsc::Sender<Order>,
    link: watch::Receiver<Link>,
    info: watch::Receiver<Option<Arc<ServerInfo>>>,
    /// What the server refused last although there is a connection.
    refusal: watch::Receiver<String>,
    sids: Arc<AtomicU64>,
    /// The beginning of the subjects on which answers come.
    inbox: Arc<str>,
}

impl Nats {
    /// Begins to connect. The connection lasts as long as a clone of this does.
    pub fn begin(options: Options) -> Self {
        let (orders, taken) = mpsc::channel(1_024);
        let (link, seen_link) = watch::channel(Link::Connecting);
        let (info, seen_info) = watch::channel(None);
        let (refusal, seen_refusal) = watch::channel(String::new());
        let inbox = Arc::from(format!("_INBOX.{}", options.inbox).as_str());
        let told = connection::Told {
            link,
            info,
            refusal,
        };
        tokio::spawn(connection::keep(options, taken, told));
        Self {
            orders,
            link: seen_link,
            info: seen_info,
            refusal: seen_refusal,
            sids: Arc::new(AtomicU64::new(1)),
            inbox,
        }
    }

    /// Connects, or says why that cannot be.
    ///
    /// # Errors
    /// When no server lets us in within this time.
    pub async fn connect(options: Options, patience: Duration) -> Result<Self, NatsError> {
        let nats = Self::begin(options);
        nats.ready(patience).await?;
        Ok(nats)
    }

    /// Waits until there is a connection.
    ///
    /// # Errors
    /// When there is none within this time, or never will be.
    pub async fn ready(&self, patience: Duration) -> Result<(), NatsError> {
        let mut link = self.link.clone();
        let wait = async {
            loop {
                match &*link.borrow_and_update() {
                    Link::Up(_) => return Ok(()),
                    Link::Down(error) if error.is_lasting() => return Err(error.clone()),
                    _ => {}
                }
                if link.changed().await.is_err() {
                    return Err(NatsError::Disconnected);
                }
            }
        };
        match timeout(patience, wait).await {
            Ok(done) => done,
            Err(_) => Err(match &*self.link.borrow() {
                Link::Down(error) => error.clone(),
                _ => NatsError::Late(patience),
            }),
        }
    }

    /// How the connection stands, and every change of that.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.link.clone()
    }

    pub fn is_up(&self) -> bool {
        matches!(*self.link.borrow(), Link::Up(_))
    }

    /// Which connection this is, counted from the first; nothing while there is none.
    pub fn generation(&self) -> Option<u64> {
        match *self.link.borrow() {
            Link::Up(nth) => Some(nth),
            _ => None,
        }
    }

    /// The beginning of the subjects on which answers come.
    pub fn inbox(&self) -> &str {
        &self.inbox
    }

    /// What the server said of itself.
    pub fn info(&self) -> Option<Arc<ServerInfo>> {
        self.info.borrow().clone()
    }

    /// Publishes. That it arrives is for the receiver to say.
    pub async fn publish(&self, subject: &str, payload: impl Into<Bytes>) {
        self.put(subject, None, None, payload.into()).await;
    }

    /// Publishes into a stream, which takes what has this id once.
    pub async fn publish_once(&self, subject: &str, id: &str, payload: impl Into<Bytes>) {
        self.put(subject, None, Some(id), payload.into()).await;
    }

    /// Publishes, and says where answers of several are to go.
    pub async fn publish_with_reply(&self, subject: &str, reply: &str, payload: impl Into<Bytes>) {
        self.put(subject, Some(reply), None, payload.into()).await;
    }

    async fn put(&self, subject: &str, reply: Option<&str>, id: Option<&str>, payload: Bytes) {
        self.order(Order::Publish {
            subject: subject.to_owned(),
            reply: reply.map(str::to_owned),
            id: id.map(str::to_owned),
            payload,
        })
        .await;
    }

    /// Listens to a subject.
    pub async fn subscribe(&self, subject: &str) -> Subscription {
        self.subscribe_below(subject, usize::MAX).await
    }

    /// Listens to a subject on which others may say what they like; messages that are larger than this are dropped.
    pub async fn subscribe_below(&self, subject: &str, largest: usize) -> Subscription {
        let sid = self.sids.fetch_add(1, Ordering::Relaxed);
        let (to, messages) = mpsc::channel(BACKLOG);
        let subscribed = Subscribed {
            subject: subject.to_owned(),
            largest,
            to,
        };
        self.order(Order::Subscribe { sid, subscribed }).await;
        Subscription {
            sid,
            messages,
            orders: self.orders.clone(),
        }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// When there is no connection, nobody listens, or it takes too long.
    pub async fn request(
        &self,
        subject: &str,
        payload: impl Into<Bytes>,
    ) -> Result<Message, NatsError> {
        self.request_within(subject, payload, ANSWER).await
    }

    /// As [`request`](Self::request), with a time of the caller's choice.
    ///
    /// # Errors
    /// When there is no connection, nobody listens, or it takes too long.
    pub async fn request_within(
        &self,
        subject: &str,
        payload: impl Into<Bytes>,
        patience: Duration,
    ) -> Result<Message, NatsError> {
        self.ask(subject, None, payload.into(), patience).await
    }

    /// As [`request`](Self::request), into a stream, which takes what has this id once.
    ///
    /// # Errors
    /// When there is no connection, nobody listens, or it takes too long.
    pub async fn request_once(
        &self,
        subject: &str,
        id: &str,
        payload: impl Into<Bytes>,
    ) -> Result<Message, NatsError> {
        self.ask(subject, Some(id), payload.into(), ANSWER).await
    }

    async fn ask(
        &self,
        subject: &str,
        id: Option<&str>,
        payload: Bytes,
        patience: Duration,
    ) -> Result<Message, NatsError> {
        let mut link = self.link.clone();
        if !matches!(*link.borrow_and_update(), Link::Up(_)) {
            return Err(NatsError::Disconnected);
        }
        let inbox = format!("{}.{}", self.inbox, uuid::Uuid::new_v4().simple());
        let mut answers = self.subscribe(&inbox).await;
        let mut refusal = self.refusal.clone();
        refusal.mark_unchanged();
        let quoted = format!("Publish to \"{subject}\"");
        self.put(subject, Some(&inbox), id, payload).await;
        let answer = tokio::select! {
            answer = timeout(patience, answers.next()) => {
                answer.map_err(|_| NatsError::Late(patience))?
            }
            Ok(_) = refusal.wait_for(|why| why.contains(&quoted)) => {
                return Err(NatsError::Forbidden(subject.to_owned()));
            }
            // What was asked over a connection that is gone is never answered, but the answer may have come with its
            // end: a machine that was let in is disconnected right behind its welcome.
            _ = link.changed() => answers.messages.try_recv().ok(),
        };
        match answer {
            Some(answer) if answer.status == Some(503) => {
                Err(NatsError::Said("nobody listens".to_owned()))
            }
            Some(answer) => Ok(answer),
            None => Err(NatsError::Disconnected),
        }
    }

    async fn order(&self, order: Order) {
        // Its owner ends only when nobody can order anything any more.
        let _ = self.orders.send(order).await;
    }
}

/// The messages of one subject.
pub struct Subscription {
    sid: u64,
    messages: mpsc::Receiver<Message>,
    orders: mpsc::Sender<Order>,
}

impl Subscription {
    /// The next message; nothing once there is no client any more.
    pub async fn next(&mut self) -> Option<Message> {
        self.messages.recv().await
    }

    /// A message that is there already.
    pub fn take_ready(&mut self) -> Option<Message> {
        self.messages.try_recv().ok()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // One that stays is ended by the first message that nobody takes.
        let _ = self.orders.try_send(Order::Unsubscribe { sid: self.sid });
    }
}
