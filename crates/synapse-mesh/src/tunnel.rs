//! Tunnels: one HTTP exchange with an agent of another machine each, carried in frames. The end that asks looks like the
//! agent's own HTTP to whoever uses it; the end that answers calls the agent as a program of its own machine would.
//!
//! A frame that is lost, a machine that goes away and a connection that breaks all end a tunnel, never silently. Who
//! asked asks again: messages have ids, streams have numbers.

mod answer;
mod ask;
mod replay;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as OrderedMutex, Semaphore, mpsc, watch};

use crate::frame::{Frame, Kind, Pair, TunnelId};
use crate::key::{MachineKey, random};
use crate::name::MachineName;
use crate::nats::{Link, Nats};
use crate::roster::Roster;
use synapse_machine::hex::hex;

pub use answer::Answering;
pub use ask::AskError;
use replay::Replays;

/// How much may be on the way to a reader that has not taken it yet.
const WINDOW: usize = 1 << 20;
/// What a frame costs besides its bytes, so that many small ones are bounded, too.
const FRAME_COST: usize = 1 << 10;
/// The largest piece of a body in one frame: every server takes it.
const PIECE: usize = 64 << 10;
/// The largest frame that is taken: a piece, or an opening with long headers.
const LARGEST: usize = 4 * PIECE;
/// Frames that a tunnel may hold: its window, and those that cost nothing.
const BACKLOG: usize = WINDOW / FRAME_COST + 64;

/// All tunnels of this machine.
pub struct Tunnels {
    nats: Nats,
    mesh: String,
    key: Arc<MachineKey>,
    name: MachineName,
    roster: watch::Receiver<Arc<Roster>>,
    pairs: Mutex<Pairs>,
    routes: Mutex<HashMap<(MachineName, TunnelId), Route>>,
    replays: Mutex<Replays>,
}

/// The secrets shared with each machine, made once for each version of the roster.
#[derive(Default)]
struct Pairs {
    version: u64,
    known: HashMap<MachineName, Arc<Pair>>,
}

/// Where the frames of a tunnel go.
struct Route {
    frames: mpsc::Sender<Frame>,
    credit: Arc<Semaphore>,
    next: u64,
    /// The connection it was opened over. What was on its way when that broke is lost.
    generation: Option<u64>,
}

/// What a tunnel is opened with.
#[derive(Debug, Serialize, Deserialize)]
struct Opening {
    /// When, so that one that was recorded cannot be played again later.
    at: i64,
    agent: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    /// It has no body, and so no type of one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_bare: bool,
    /// The agents on whose behalf this is asked, `name@machine`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    via: Vec<String>,
}

/// How an answer begins.
#[derive(Debug, Serialize, Deserialize)]
struct Beginning {
    status: u16,
    headers: Vec<(String, String)>,
}

impl Tunnels {
    pub fn new(
        nats: &Nats,
        mesh: &str,
        key: &Arc<MachineKey>,
        name: &MachineName,
        roster: watch::Receiver<Arc<Roster>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            nats: nats.clone(),
            mesh: mesh.to_owned(),
            key: Arc::clone(key),
            name: name.clone(),
            roster,
            pairs: Mutex::default(),
            routes: Mutex::default(),
            replays: Mutex::default(),
        })
    }

    /// Takes in frames for as long as there is a client, and answers what others ask.
    pub async fn run(self: Arc<Self>, answering: Arc<Answering>) {
        let subject = format!("{}.to.{}.*", self.mesh, self.name);
        let mut frames = self.nats.subscribe_below(&subject, LARGEST).await;
        let mut unheard = self.nats.subscribe(&format!("{}>", self.unheard())).await;
        let mut link = self.nats.link();
        loop {
            tokio::select! {
                message = frames.next() => {
                    let Some(message) = message else { return };
                    let from = message.subject.rsplit('.').next().unwrap_or_default();
                    self.take(from, &message.payload, &answering);
                }
                message = unheard.next() => {
                    let Some(message) = message else { return };
                    if message.status == Some(503) {
                        self.give_up(&message.subject);
                    }
                }
                changed = link.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let why = match &*link.borrow_and_update() {
                        Link::Down(error) => format!("the connection to the mesh broke: {error}"),
                        _ => "the connection to the mesh broke".to_owned(),
                    };
                    let generation = self.nats.generation();
                    self.end(&why, |_, route| route.generation != generation);
                }
            }
        }
    }

    /// The beginning of the subjects on which the server says that a machine does not listen.
    fn unheard(&self) -> String {
        format!("{}.unheard.", self.nats.inbox())
    }

    /// Where the server says that nobody has heard the opening of a tunnel.
    fn unheard_of(&self, peer: &MachineName, tunnel: TunnelId) -> String {
        format!("{}{peer}.{}", self.unheard(), hex(&tunnel.0))
    }

    /// Ends the tunnel whose opening nobody has heard.
    fn give_up(&self, subject: &str) {
        self.end(
            "it is not connected to the mesh at the moment",
            |(peer, tunnel), _| self.unheard_of(peer, *tunnel) == subject,
        );
    }

    /// Ends the tunnels to a machine.
    pub fn cut(&self, machine: &MachineName, why: &str) {
        self.end(why, |(peer, _), _| peer == machine);
    }

    fn end(&self, why: &str, is_over: impl Fn(&(MachineName, TunnelId), &Route) -> bool) {
        locked(&self.routes).retain(|place, route| {
            if !is_over(place, route) {
                return true;
            }
            let _ = route.frames.try_send(reset(place.1, why));
            route.credit.close();
            false
        });
    }

    fn take(self: &Arc<Self>, from: &str, bytes: &[u8], answering: &Arc<Answering>) {
        let Some(pair) = self.pair(from) else {
            tracing::warn!(
                from,
                "a frame of a machine that is not in the mesh is ignored"
            );
            return;
        };
        let frame = match pair.open(bytes) {
            Ok(frame) => frame,
            Err(error) => {
                tracing::warn!(from, %error, "a frame is ignored");
                return;
            }
        };
        if frame.kind == Kind::Open {
            if frame.number == 0 && locked(&self.replays).is_new(frame.tunnel) {
                let ends = self.open(&pair, frame.tunnel, 1);
                let opening = frame.payload;
                tokio::spawn(Arc::clone(answering).serve(pair, opening, ends));
            }
            return;
        }
        let place = (pair.peer().clone(), frame.tunnel);
        let mut routes = locked(&self.routes);
        let Some(route) = routes.get_mut(&place) else {
            drop(routes);
            if frame.kind != Kind::Reset {
                self.disown(pair, frame.tunnel);
            }
            return;
        };
        if frame.kind == Kind::Reset {
            let _ = route.frames.try_send(frame);
            route.credit.close();
            routes.remove(&place);
            return;
        }
        let is_next = frame.number == route.next;
        route.next += 1;
        let is_taken = is_next
            && match (frame.kind, <[u8; 4]>::try_from(frame.payload.as_slice())) {
                (Kind::Window, Ok(more)) => {
                    let more = u32::from_be_bytes(more) as usize;
                    route.credit.add_permits(more.min(WINDOW));
                    true
                }
                _ => route.frames.try_send(frame).is_ok(),
            };
        if !is_taken {
            let why = "frames were lost on the way";
            let _ = route.frames.try_send(reset(place.1, why));
            route.credit.close();
            routes.remove(&place);
            drop(routes);
            self.disown(pair, place.1);
        }
    }

    /// Tells the other end that we know nothing of a tunnel.
    fn disown(self: &Arc<Self>, pair: Arc<Pair>, tunnel: TunnelId) {
        let tunnels = Arc::clone(self);
        tokio::spawn(async move {
            let frame = reset(tunnel, "the other end has lost this exchange; ask again");
            tunnels.publish(&pair, &frame).await;
        });
    }

    /// The secrets we share with a machine, if it is in the mesh.
    fn pair(&self, name: &str) -> Option<Arc<Pair>> {
        let roster = Arc::clone(&self.roster.borrow());
        let mut pairs = locked(&self.pairs);
        if pairs.version != roster.version {
            pairs.known.clear();
            pairs.version = roster.version;
        }
        let member = roster.member(name)?;
        // An agent does not approve itself by way of its own machine's bridge.
        if member.name == self.name {
            return None;
        }
        let made = || Arc::new(Pair::new(&self.key, &self.name, member));
        Some(Arc::clone(
            pairs.known.entry(member.name.clone()).or_insert_with(made),
        ))
    }

    /// Our end of a tunnel; frames of the other end begin with this number.
    fn open(self: &Arc<Self>, pair: &Arc<Pair>, tunnel: TunnelId, next: u64) -> TunnelReceiver {
        let (frames, taken) = mpsc::channel(BACKLOG);
        let credit = Arc::new(Semaphore::new(WINDOW));
        let route = Route {
            frames,
            credit: Arc::clone(&credit),
            next,
            generation: self.nats.generation(),
        };
        locked(&self.routes).insert((pair.peer().clone(), tunnel), route);
        TunnelReceiver {
            frames: taken,
            eaten: 0,
            is_over: false,
            sender: TunnelSender(Arc::new(Outgoing {
                tunnels: Arc::clone(self),
                pair: Arc::clone(pair),
                tunnel,
                next: OrderedMutex::new(0),
                credit,
            })),
        }
    }

    async fn publish(&self, pair: &Pair, frame: &Frame) {
        let subject = format!("{}.to.{}.{}", self.mesh, pair.peer(), self.name);
        match pair.seal(frame) {
            Ok(bytes) if frame.kind == Kind::Open => {
                // A machine that has just lost its connection is soon heard of again; nobody waits for it meanwhile.
                let unheard = self.unheard_of(pair.peer(), frame.tunnel);
                self.nats
                    .publish_with_reply(&subject, &unheard, bytes)
                    .await;
            }
            Ok(bytes) => self.nats.publish(&subject, bytes).await,
            Err(error) => tracing::warn!(%error, "a frame cannot be sent"),
        }
    }
}

/// What is sent into a tunnel, from wherever.
#[derive(Clone)]
struct TunnelSender(Arc<Outgoing>);

struct Outgoing {
    tunnels: Arc<Tunnels>,
    pair: Arc<Pair>,
    tunnel: TunnelId,
    /// Held while a frame is on its way out: numbers are in the order of the frames.
    next: OrderedMutex<u64>,
    credit: Arc<Semaphore>,
}

/// The tunnel is no more.
#[derive(Debug)]
struct Closed;

impl TunnelSender {
    async fn send(&self, kind: Kind, payload: Vec<u8>) {
        let mut next = self.0.next.lock().await;
        let frame = Frame {
            kind,
            tunnel: self.0.tunnel,
            number: *next,
            payload,
        };
        *next += 1;
        self.0.tunnels.publish(&self.0.pair, &frame).await;
    }

    /// Sends bytes as fast as the other end takes them.
    async fn data(&self, bytes: &[u8]) -> Result<(), Closed> {
        for piece in bytes.chunks(PIECE) {
            let cost = u32::try_from(cost_of(piece)).unwrap_or(u32::MAX);
            let permit = self.0.credit.acquire_many(cost).await;
            permit.map_err(|_| Closed)?.forget();
            self.send(Kind::Data, piece.to_vec()).await;
        }
        Ok(())
    }
}

/// What comes out of a tunnel. When it is dropped before the end, the other end hears of it.
struct TunnelReceiver {
    frames: mpsc::Receiver<Frame>,
    eaten: usize,
    /// Both sides know that it ended.
    is_over: bool,
    sender: TunnelSender,
}

impl TunnelReceiver {
    async fn next(&mut self) -> Option<Frame> {
        let frame = self.frames.recv().await?;
        match frame.kind {
            Kind::Data => {
                self.eaten += cost_of(&frame.payload);
                if self.eaten >= WINDOW / 4 {
                    let more = u32::try_from(std::mem::take(&mut self.eaten)).unwrap_or(0);
                    self.sender
                        .send(Kind::Window, more.to_be_bytes().to_vec())
                        .await;
                }
            }
            Kind::End | Kind::Reset => self.is_over = true,
            _ => {}
        }
        Some(frame)
    }
}

impl TunnelReceiver {
    /// Leaves a tunnel of which the other end knows that it is over.
    fn leave(mut self) {
        self.is_over = true;
    }
}

impl Drop for TunnelReceiver {
    fn drop(&mut self) {
        let sender = self.sender.clone();
        let outgoing = &sender.0;
        let place = (outgoing.pair.peer().clone(), outgoing.tunnel);
        locked(&outgoing.tunnels.routes).remove(&place);
        outgoing.credit.close();
        if !self.is_over && tokio::runtime::Handle::try_current().is_ok() {
            tokio::spawn(async move {
                let frame = reset(sender.0.tunnel, "the other end went away");
                sender.0.tunnels.publish(&sender.0.pair, &frame).await;
            });
        }
    }
}

fn cost_of(bytes: &[u8]) -> usize {
    bytes.len() + FRAME_COST
}

/// A frame that ends a tunnel. Its number may be any, since nothing follows; sealing wants one that no other has.
fn reset(tunnel: TunnelId, why: &str) -> Frame {
    Frame {
        kind: Kind::Reset,
        tunnel,
        number: u64::MAX,
        payload: why.as_bytes().to_vec(),
    }
}

fn new_id() -> Option<TunnelId> {
    random().ok().map(TunnelId)
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now_millis() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
