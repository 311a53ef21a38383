//! Keeps one connection: connect to the first server that lets us in, say who we are, carry what is ordered, and begin
//! again when it breaks.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use rustls_pki_types::ServerName;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsConnector;

use super::protocol::{Decoder, Said, ServerInfo};
use super::server::Server;
use super::tls::Trust;
use super::{Auth, Link, NatsError, Order, Subscribed};

/// How long a server may take to let us in.
const GREETING: Duration = Duration::from_secs(5);
/// How often the server is asked whether it is there; it is gone if it has not answered by the next time.
const PING: Duration = Duration::from_secs(4);
/// The pauses between attempts: short for as long as a server takes to be started again, so that it is found at once.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const SHORT_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How many of the pauses are short.
const SHORT_PAUSES: u32 = 25;
/// What is said of a server that goes.
const CLOSED: &str = "it closed the connection";
/// The first version that has what is needed of `JetStream`.
const OLDEST: (u32, u32) = (2, 9);

/// How to reach the servers.
#[derive(Clone, Debug)]
pub struct Options {
    pub servers: Vec<Server>,
    pub auth: Auth,
    pub trust: Trust,
    /// What answers are addressed to, below `_INBOX`.
    pub inbox: String,
    /// What the server calls us in its logs.
    pub name: String,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

type Subscriptions = HashMap<u64, Subscribed>;

/// Where everybody reads how the connection stands.
pub(super) struct Told {
    pub(super) link: watch::Sender<Link>,
    pub(super) info: watch::Sender<Option<Arc<ServerInfo>>>,
    pub(super) refusal: watch::Sender<String>,
}

/// Keeps a connection until nobody orders anything any more.
pub(super) async fn keep(options: Options, mut orders: mpsc::Receiver<Order>, told: Told) {
    let mut servers = options.servers.clone();
    let mut subscriptions = Subscriptions::new();
    let (mut pause, mut pauses, mut nth, mut next) = (FIRST_PAUSE, 0, 0, 0);
    loop {
        let Some(server) = servers.get(next % servers.len().max(1)).cloned() else {
            return;
        };
        next += 1;
        let mut connecting = Box::pin(greet(&options, &server));
        let greeted = loop {
            tokio::select! {
                greeted = &mut connecting => break greeted,
                order = orders.recv() => match order {
                    Some(order) => note(order, &mut subscriptions),
                    None => return,
                },
            }
        };
        drop(connecting);
        let error = match greeted {
            Ok((stream, decoder, said)) => {
                learn(&mut servers, &said, &server);
                told.info.send_replace(Some(Arc::new(said)));
                nth += 1;
                (pause, pauses) = (FIRST_PAUSE, 0);
                let carrying = Carrying {
                    server: &server,
                    told: &told,
                    nth,
                };
                let carried = carrying.run(stream, decoder, &mut orders, &mut subscriptions);
                match carried.await {
                    Some(error) => error,
                    None => return,
                }
            }
            Err(error) => error,
        };
        tracing::info!(%error, "no connection to the mesh");
        told.link.send_replace(Link::Down(error));
        let mut rest = Box::pin(sleep(pause));
        loop {
            tokio::select! {
                () = &mut rest => break,
                order = orders.recv() => match order {
                    Some(order) => note(order, &mut subscriptions),
                    None => return,
                },
            }
        }
        pauses += 1;
        let longest = if pauses < SHORT_PAUSES {
            SHORT_PAUSE
        } else {
            LONGEST_PAUSE
        };
        pause = (pause * 2).min(longest);
    }
}

/// Takes up the other servers of a cluster, with what lets us into this one.
fn learn(servers: &mut Vec<Server>, info: &ServerInfo, known: &Server) {
    for url in &info.connect_urls {
        let Ok(found) = url.parse::<Server>() else {
            continue;
        };
        let found = Server {
            userinfo: known.userinfo.clone(),
            is_tls: known.is_tls,
            ..found
        };
        let is_known = |one: &Server| one.host == found.host && one.port == found.port;
        if servers.len() < 32 && !servers.iter().any(is_known) {
            servers.push(found);
        }
    }
}

/// Notes what outlasts a connection; what is published without one is lost.
fn note(order: Order, subscriptions: &mut Subscriptions) {
    match order {
        Order::Subscribe { sid, subscribed } => {
            subscriptions.insert(sid, subscribed);
        }
        Order::Unsubscribe { sid } => {
            subscriptions.remove(&sid);
        }
        Order::Publish { .. } => {}
    }
}

/// Connects, and says who we are.
async fn greet(
    options: &Options,
    server: &Server,
) -> Result<(Box<dyn Stream>, Decoder, ServerInfo), NatsError> {
    let unreachable = |why: String| NatsError::Unreachable {
        server: server.to_string(),
        why,
    };
    let greeting = async {
        let connected = TcpStream::connect((server.host.as_str(), server.port)).await;
        let mut stream = connected.map_err(|error| unreachable(error.to_string()))?;
        let _ = stream.set_nodelay(true);
        let mut decoder = Decoder::default();
        let Said::Info(info) = hear(&mut stream, &mut decoder, server).await? else {
            return Err(NatsError::Broken(server.to_string()));
        };
        let info = *info;
        check(&info, server)?;
        let wants_tls = options.trust.needs_tls() || server.is_tls;
        if wants_tls && !info.tls_required && !info.tls_available {
            return Err(NatsError::NoTls(server.to_string()));
        }
        let mut stream: Box<dyn Stream> = if wants_tls || info.tls_required {
            encrypted(stream, options, server).await?
        } else {
            Box::new(stream)
        };
        let mut connect = json!({
            "verbose": false, "pedantic": false, "lang": "rust", "version": env!("CARGO_PKG_VERSION"),
            "name": options.name, "protocol": 1, "headers": true, "no_responders": true, "echo": true,
        });
        if let Value::Object(connect) = &mut connect {
            let userinfo = server.userinfo.as_deref();
            connect.extend(options.auth.fields(info.nonce.as_deref(), userinfo));
        }
        let words = format!("CONNECT {connect}\r\nPING\r\n");
        let written = stream.write_all(words.as_bytes()).await;
        written.map_err(|error| unreachable(error.to_string()))?;
        let flushed = stream.flush().await;
        flushed.map_err(|error| unreachable(error.to_string()))?;
        loop {
            match hear(&mut stream, &mut decoder, server).await? {
                Said::Pong => return Ok((stream, decoder, info)),
                Said::Error(why) => {
                    return Err(NatsError::Refused {
                        server: server.to_string(),
                        why,
                    });
                }
                _ => {}
            }
        }
    };
    let greeted = timeout(GREETING, greeting).await;
    greeted.unwrap_or_else(|_| {
        Err(unreachable(format!(
            "no answer within {} s",
            GREETING.as_secs()
        )))
    })
}

/// Whether the server has what is needed.
fn check(info: &ServerInfo, server: &Server) -> Result<(), NatsError> {
    let mut numbers = info
        .version
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < OLDEST {
        return Err(NatsError::TooOld {
            server: server.to_string(),
            version: info.version.clone(),
        });
    }
    if !info.jetstream {
        return Err(NatsError::NoJetStream(server.to_string()));
    }
    Ok(())
}

async fn encrypted(
    stream: TcpStream,
    options: &Options,
    server: &Server,
) -> Result<Box<dyn Stream>, NatsError> {
    let wrong = |why: String| NatsError::WrongCertificate {
        server: server.to_string(),
        why,
    };
    let config = options.trust.config().map_err(wrong)?;
    let name = options.trust.name().unwrap_or(&server.host).to_owned();
    let name = ServerName::try_from(name).map_err(|error| wrong(error.to_string()))?;
    let connector = TlsConnector::from(Arc::new(config));
    match connector.connect(name, stream).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(error) if is_about_tls(&error) => Err(wrong(error.to_string())),
        Err(error) => Err(NatsError::Unreachable {
            server: server.to_string(),
            why: error.to_string(),
        }),
    }
}

/// Whether TLS itself could not be agreed on.
fn is_about_tls(error: &std::io::Error) -> bool {
    let inner = error.get_ref();
    inner
        .and_then(|why| why.downcast_ref::<rustls::Error>())
        .is_some()
}

/// The next thing that the server says.
async fn hear(
    stream: &mut (impl AsyncRead + Unpin),
    decoder: &mut Decoder,
    server: &Server,
) -> Result<Said, NatsError> {
    let mut buffer = vec![0; 4_096];
    loop {
        match decoder.next() {
            Ok(Some(said)) => return Ok(said),
            Ok(None) => {}
            Err(_) => return Err(NatsError::Broken(server.to_string())),
        }
        let closed = |why: String| NatsError::Unreachable {
            server: server.to_string(),
            why,
        };
        match stream.read(&mut buffer).await {
            Ok(0) => return Err(closed(CLOSED.to_owned())),
            Ok(count) => decoder.feed(buffer.get(..count).unwrap_or_default()),
            Err(error) => return Err(closed(broken(&error))),
        }
    }
}

/// One connection that stands.
struct Carrying<'a> {
    server: &'a Server,
    told: &'a Told,
    /// Which one it is.
    nth: u64,
}

impl Carrying<'_> {
    /// Carries orders and messages until the connection breaks; nothing if nobody orders any more.
    async fn run(
        &self,
        stream: Box<dyn Stream>,
        mut decoder: Decoder,
        orders: &mut mpsc::Receiver<Order>,
        subscriptions: &mut Subscriptions,
    ) -> Option<NatsError> {
        let told = self.told;
        let lost = |why: String| NatsError::Unreachable {
            server: self.server.to_string(),
            why,
        };
        let (mut reading, mut writing) = tokio::io::split(stream);
        let mut out = Vec::new();
        subscriptions.retain(|_, subscribed| !subscribed.to.is_closed());
        for (sid, subscribed) in &*subscriptions {
            out.extend(format!("SUB {} {sid}\r\n", subscribed.subject).into_bytes());
        }
        if let Err(error) = writing.write_all(&out).await {
            return Some(lost(error.to_string()));
        }
        told.link.send_replace(Link::Up(self.nth));
        let mut buffer = vec![0; 64 << 10];
        let mut pace = interval(PING);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pace.reset();
        let (mut unanswered, mut heard) = (false, Instant::now());
        loop {
            out.clear();
            tokio::select! {
                read = reading.read(&mut buffer) => {
                    let count = match read {
                        Ok(0) => return Some(lost(CLOSED.to_owned())),
                        Ok(count) => count,
                        Err(error) => return Some(lost(broken(&error))),
                    };
                    (unanswered, heard) = (false, Instant::now());
                    decoder.feed(buffer.get(..count).unwrap_or_default());
                    loop {
                        match decoder.next() {
                            Ok(Some(Said::Message { sid, message })) => {
                                let gone = match subscriptions.get(&sid) {
                                    Some(subscribed) if message.payload.len() > subscribed.largest => {
                                        let (subject, size) = (message.subject, message.payload.len());
                                        tracing::warn!(subject, size, "a message that is too large is dropped");
                                        false
                                    }
                                    Some(subscribed) => subscribed.to.send(message).await.is_err(),
                                    None => true,
                                };
                                if gone {
                                    subscriptions.remove(&sid);
                                    out.extend(format!("UNSUB {sid}\r\n").into_bytes());
                                }
                            }
                            Ok(Some(Said::Ping)) => out.extend(b"PONG\r\n"),
                            Ok(Some(Said::Error(why))) if is_final(&why) => {
                                return Some(NatsError::Refused { server: self.server.to_string(), why });
                            }
                            Ok(Some(Said::Error(why))) => {
                                tracing::warn!(%why, "the server of the mesh refuses something");
                                told.refusal.send_replace(why);
                            }
                            Ok(Some(_)) => {}
                            Ok(None) => break,
                            Err(error) => {
                                tracing::warn!(%error, "the server says no NATS");
                                return Some(NatsError::Broken(self.server.to_string()));
                            }
                        }
                    }
                }
                order = orders.recv() => {
                    write(order?, subscriptions, &mut out);
                    // Whatever else is ready goes with it.
                    while out.len() < 256 << 10 && let Ok(order) = orders.try_recv() {
                        write(order, subscriptions, &mut out);
                    }
                }
                _ = pace.tick() => {
                    if unanswered && heard.elapsed() >= PING {
                        return Some(lost(format!("it has said nothing for {} s", heard.elapsed().as_secs())));
                    }
                    unanswered = true;
                    out.extend(b"PING\r\n");
                }
            }
            if !out.is_empty() {
                let written = async {
                    writing.write_all(&out).await?;
                    writing.flush().await
                };
                match timeout(PING * 2, written).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return Some(lost(error.to_string())),
                    Err(_) => return Some(lost("it takes nothing".to_owned())),
                }
            }
        }
    }
}

/// Whether the server lets us in no more.
fn is_final(why: &str) -> bool {
    let why = why.to_ascii_lowercase();
    why.contains("authoriz") || why.contains("authentication") || why.contains("account")
}

fn write(order: Order, subscriptions: &mut Subscriptions, out: &mut Vec<u8>) {
    match order {
        Order::Publish {
            subject,
            reply,
            id,
            payload,
        } => {
            let head = format!("{subject} {}", reply.map_or(String::new(), |to| to + " "));
            publish(&head, id.as_deref(), &payload, out);
        }
        Order::Subscribe { sid, subscribed } => {
            out.extend(format!("SUB {} {sid}\r\n", subscribed.subject).into_bytes());
            subscriptions.insert(sid, subscribed);
        }
        Order::Unsubscribe { sid } => {
            if subscriptions.remove(&sid).is_some() {
                out.extend(format!("UNSUB {sid}\r\n").into_bytes());
            }
        }
    }
}

/// Writes what is published behind its subjects, with its id in a header if it has one.
fn publish(head: &str, id: Option<&str>, payload: &Bytes, out: &mut Vec<u8>) {
    let headers = id.map(|id| format!("NATS/1.0\r\nNats-Msg-Id: {id}\r\n\r\n"));
    let headers = headers.unwrap_or_default();
    let (length, size) = (headers.len(), headers.len() + payload.len());
    if headers.is_empty() {
        out.extend(format!("PUB {head}{size}\r\n").into_bytes());
    } else {
        out.extend(format!("HPUB {head}{length} {size}\r\n{headers}").into_bytes());
    }
    out.extend_from_slice(payload);
    out.extend(b"\r\n");
}

/// Why a read failed, in a word for people: who goes without a goodbye has only closed the connection.
fn broken(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => CLOSED.to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_into_a_stream_has_an_id() {
        let written = |id| {
            let mut out = Vec::new();
            publish("s reply ", id, &Bytes::from_static(b"ab"), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(None), "PUB s reply 2\r\nab\r\n");
        let said = "HPUB s reply 28 30\r\nNATS/1.0\r\nNats-Msg-Id: 7\r\n\r\nab\r\n";
        assert_eq!(written(Some("7")), said);
    }

    #[test]
    fn a_server_that_lacks_something_is_told_so() {
        let server = Server::new("box", 1);
        let info = |version: &str, jetstream| ServerInfo {
            version: version.to_owned(),
            jetstream,
            ..ServerInfo::default()
        };
        assert!(check(&info("2.9.10", true), &server).is_ok());
        assert!(check(&info("2.15.1", true), &server).is_ok());
        assert!(matches!(
            check(&info("2.8.4", true), &server),
            Err(NatsError::TooOld { .. })
        ));
        assert!(matches!(
            check(&info("2.10.0", false), &server),
            Err(NatsError::NoJetStream(_))
        ));
    }
}
