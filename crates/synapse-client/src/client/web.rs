//! One HTTP exchange with one address: resolve, check the address, connect to that very one, speak. No redirects, no
//! connections kept; every wait has an end.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HOST, HeaderValue, LOCATION, USER_AGENT, VIA};
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{interval, timeout};

use super::address::Callable;
use super::proxy::Proxy;
use super::trust::Trust;
use synapse_platform::socket;

/// How long an address may take to be found, and to take a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the begin of an answer may take, unless said otherwise.
const ANSWER: Duration = Duration::from_secs(30);
/// How often, and how many times, the kernel is asked who has taken a connection.
const ACCEPT_PACE: Duration = Duration::from_millis(5);
const ACCEPT_LOOKS: u32 = 1_000;
/// The largest answer that is held.
pub(super) const LARGEST: usize = 32 << 20;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// It is not an address.
    #[error("'{0}' is not an address such as https://agents.example:8443/path")]
    NotAnAddress(String),
    /// Nobody knows the name.
    #[error("{host} cannot be found: {why}")]
    Unknown { host: String, why: io::Error },
    /// It leads where we do not go.
    #[error("{host} is {address}, which may not be called from here")]
    Forbidden {
        host: String,
        /// Where it leads.
        address: IpAddr,
    },
    /// Nobody takes the connection.
    #[error("{host} does not answer: {why}")]
    Unreachable { host: String, why: io::Error },
    /// It took too long.
    #[error("{host} did not answer within {} s", patience.as_secs())]
    Late {
        host: String,
        /// How long we waited.
        patience: Duration,
    },
    /// It wants us to go elsewhere.
    #[error("{host} redirects to {to}; use that address if you trust it")]
    Redirected { host: String, to: String },
    /// Somebody else of this machine answers there.
    #[error("what listens on {address} is not a process of yours; is the agent gone?")]
    Stranger { address: SocketAddr },
    /// Somebody listens there, and takes no connection.
    #[error(
        "what listens on {address} does not answer: is it stopped or stuck? `synapse doctor` looks, `synapse stop AGENT` ends it"
    )]
    Stuck { address: SocketAddr },
    /// It cannot be said who answers there.
    #[error(
        "the kernel does not say who owns the other end of the connection, so no token is sent: {why}; is /proc/net/tcp readable?"
    )]
    Unproven { why: io::Error },
    /// It hung up on us.
    #[error(
        "{host} closed the connection before it answered: it has too many connections, or has just ended"
    )]
    Closed { host: String },
    /// What it says is no HTTP.
    #[error("{host}: {why}")]
    Broken { host: String, why: hyper::Error },
    /// The answer is too large, or stopped in the middle.
    #[error("the answer of {host} cannot be read: {reason}")]
    Unreadable { host: String, reason: String },
}

/// What makes calls.
#[derive(Clone)]
pub struct Web {
    callable: Callable,
    trust: Arc<Trust>,
    /// Only processes of this user are spoken to.
    is_own: bool,
    /// What is called is what somebody else has named.
    is_for_others: bool,
}

/// A whole answer.
#[derive(Debug)]
pub struct Page {
    pub status: hyper::StatusCode,
    pub body: Bytes,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Web {
    /// What calls these addresses, and believes an authority of the person's own besides those of the system.
    pub fn new(callable: Callable, ca_file: Option<PathBuf>) -> Self {
        Self {
            callable,
            trust: Arc::new(Trust::new(ca_file)),
            is_own: false,
            is_for_others: false,
        }
    }

    /// The same for what others ask us to call. It says so: agents of this user let in whoever is the same user, and
    /// would else let in everybody who has the token of one of them.
    #[must_use]
    pub fn for_others(self) -> Self {
        Self {
            is_for_others: true,
            ..self
        }
    }

    /// What calls agents of this user on this machine, and shows its token to nobody else.
    pub(super) fn to_own_user() -> Self {
        Self {
            is_own: true,
            ..Self::new(Callable::Any, None)
        }
    }

    /// Asks, and takes the whole answer, within this time.
    ///
    /// # Errors
    /// When there is none.
    pub async fn fetch(
        &self,
        request: Request<Full<Bytes>>,
        patience: Duration,
    ) -> Result<Page, WebError> {
        let host = host_of(request.uri()).to_owned();
        let exchange = async {
            let response = self.ask(request, patience).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), LARGEST).collect().await;
            let body = body.map_err(|reason| WebError::Unreadable {
                host: host.clone(),
                reason: reason.to_string(),
            })?;
            Ok(Page {
                status,
                body: body.to_bytes(),
            })
        };
        let answered = timeout(patience, exchange).await;
        answered.unwrap_or_else(|_| {
            Err(WebError::Late {
                host: host.clone(),
                patience,
            })
        })
    }

    /// Asks, and takes the begin of the answer; its body may be a stream that goes on for as long as it likes.
    ///
    /// # Errors
    /// When there is none.
    pub async fn stream(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, WebError> {
        self.ask(request, ANSWER).await
    }

    async fn ask(
        &self,
        mut request: Request<Full<Bytes>>,
        patience: Duration,
    ) -> Result<Response<Incoming>, WebError> {
        let uri = request.uri().clone();
        let host = host_of(&uri).to_owned();
        let odd = || WebError::NotAnAddress(uri.to_string());
        let authority = uri.authority().ok_or_else(odd)?;
        // A name and password in an address would end up in logs, and go unencrypted where nobody expects it.
        if authority.as_str().contains('@') {
            return Err(odd());
        }
        let named = HeaderValue::from_str(authority.as_str()).map_err(|_| odd())?;
        let stream = self.connect(&uri).await?;
        let broken = |why: hyper::Error| {
            let host = host.clone();
            // Where our request went there may be nobody to answer it.
            if why.is_canceled() || why.is_closed() || why.is_incomplete_message() {
                return WebError::Closed { host };
            }
            WebError::Broken { host, why }
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = path.parse().map_err(|_| odd())?;
        request.headers_mut().insert(HOST, named);
        let agent = concat!("synapse/", env!("CARGO_PKG_VERSION"));
        request
            .headers_mut()
            .insert(USER_AGENT, HeaderValue::from_static(agent));
        if self.is_for_others {
            let via = HeaderValue::from_static("1.1 synapse");
            request.headers_mut().insert(VIA, via);
        }
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(broken)?;
        // It ends with the answer: the only sender is ours.
        tokio::spawn(connection);
        let answer = timeout(patience, sender.send_request(request)).await;
        let response = answer
            .map_err(|_| WebError::Late {
                host: host.clone(),
                patience,
            })?
            .map_err(broken)?;
        if response.status().is_redirection()
            && let Some(to) = response.headers().get(LOCATION)
        {
            let to = String::from_utf8_lossy(to.as_bytes()).into_owned();
            return Err(WebError::Redirected { host, to });
        }
        Ok(response)
    }

    async fn connect(&self, uri: &Uri) -> Result<Box<dyn Stream>, WebError> {
        let host = host_of(uri);
        let patience = CONNECT;
        let connected = timeout(patience, async {
            let stream = match self.proxy_for(uri)? {
                Some(proxy) => self.reach_through(&proxy, uri).await?,
                None => self.reach(uri).await?,
            };
            let _ = stream.set_nodelay(true);
            if uri.scheme_str() == Some("http") {
                return Ok(Box::new(stream) as Box<dyn Stream>);
            }
            let unreachable = |why| WebError::Unreachable {
                host: host.to_owned(),
                why,
            };
            let name = ServerName::try_from(bare(host).to_owned())
                .map_err(|_| WebError::NotAnAddress(uri.to_string()))?;
            let connector = self.trust.connector().map_err(unreachable)?;
            let stream = connector.connect(name, stream).await.map_err(unreachable)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        });
        connected.await.unwrap_or_else(|_| {
            Err(WebError::Late {
                host: host.to_owned(),
                patience,
            })
        })
    }

    /// The proxy through which an address is to be called. What others ask an agent to call on the internet is never
    /// called through one, since it would find addresses that were not checked here.
    fn proxy_for(&self, uri: &Uri) -> Result<Option<Proxy>, WebError> {
        if uri.scheme_str() != Some("https") || self.is_own || self.callable == Callable::Public {
            return Ok(None);
        }
        let variable = |name: &str| std::env::var(name).ok();
        let host = host_of(uri);
        Proxy::for_host(host, variable).map_err(|why| WebError::Unreachable {
            host: host.to_owned(),
            why,
        })
    }

    async fn reach_through(&self, proxy: &Proxy, uri: &Uri) -> Result<TcpStream, WebError> {
        let host = host_of(uri);
        if let Ok(address) = bare(host).parse()
            && !self.callable.allows(address)
        {
            let host = host.to_owned();
            return Err(WebError::Forbidden { host, address });
        }
        let there = Web::new(Callable::Any, None);
        let mut stream = Box::pin(there.reach(&proxy.address)).await?;
        let port = uri.port_u16().unwrap_or(443);
        let opened = proxy.open(&mut stream, &format!("{host}:{port}")).await;
        opened.map_err(|why| WebError::Unreachable {
            host: host.to_owned(),
            why,
        })?;
        Ok(stream)
    }

    /// Connects to the first address behind the name that may be called and answers. What was checked is what is called: the
    /// name is not looked up again.
    async fn reach(&self, uri: &Uri) -> Result<TcpStream, WebError> {
        let host = host_of(uri);
        if has_bad_port(uri) {
            return Err(WebError::NotAnAddress(uri.to_string()));
        }
        let port = uri.port_u16().unwrap_or(match uri.scheme_str() {
            Some("http") => 80,
            Some("https") => 443,
            _ => return Err(WebError::NotAnAddress(uri.to_string())),
        });
        let found = lookup_host((bare(host), port)).await;
        let found: Vec<SocketAddr> = found
            .map_err(|why| WebError::Unknown {
                host: host.to_owned(),
                why,
            })?
            .collect();
        let mut last = WebError::Unknown {
            host: host.to_owned(),
            why: io::Error::other("it has no address"),
        };
        for address in found {
            if !self.callable.allows(address.ip()) {
                last = WebError::Forbidden {
                    host: host.to_owned(),
                    address: address.ip(),
                };
                continue;
            }
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    if self.is_own {
                        check_owner(&stream).await?;
                    }
                    return Ok(stream);
                }
                Err(why) => {
                    last = WebError::Unreachable {
                        host: host.to_owned(),
                        why,
                    };
                }
            }
        }
        Err(last)
    }
}

/// Refuses a connection whose other end is not a process of this user on this machine, or may not be: a port is free
/// for anybody as soon as an agent has died.
pub(super) async fn check_owner(stream: &TcpStream) -> Result<(), WebError> {
    let unproven = |why| WebError::Unproven { why };
    let there = stream.peer_addr().map_err(unproven)?;
    let here = stream.local_addr().map_err(unproven)?;
    if !there.ip().is_loopback() && there.ip() != here.ip() {
        return Err(WebError::Stranger { address: there });
    }
    check_owner_by(there, || socket::owner(there, here)).await
}

/// Asks until somebody has taken the connection.
async fn check_owner_by(
    there: SocketAddr,
    ask: impl Fn() -> io::Result<Option<u32>>,
) -> Result<(), WebError> {
    let own = rustix::process::geteuid().as_raw();
    let mut pace = interval(ACCEPT_PACE);
    for _ in 0..ACCEPT_LOOKS {
        pace.tick().await;
        match ask().map_err(|why| WebError::Unproven { why })? {
            Some(user) if user == own => return Ok(()),
            Some(_) => return Err(WebError::Stranger { address: there }),
            // Nobody has taken the connection yet.
            None => {}
        }
    }
    Err(WebError::Stuck { address: there })
}

fn host_of(uri: &Uri) -> &str {
    uri.host().unwrap_or_default()
}

/// Whether there is something in the place of the port that is none.
fn has_bad_port(uri: &Uri) -> bool {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let named = authority
        .rsplit_once('@')
        .map_or(authority, |(_, rest)| rest);
    let port = named.strip_prefix(host_of(uri)).unwrap_or_default();
    !matches!(port, "" | ":") && uri.port_u16().is_none_or(|port| port == 0)
}

/// A host without the brackets around an IPv6 address.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_token_goes_out_unless_the_kernel_says_that_the_other_end_is_ours() {
        let there = "127.0.0.1:8100".parse().unwrap();
        let own = rustix::process::geteuid().as_raw();
        assert!(check_owner_by(there, || Ok(Some(own))).await.is_ok());
        let other = check_owner_by(there, || Ok(Some(own + 1))).await;
        assert!(matches!(other, Err(WebError::Stranger { .. })));
        let stuck = check_owner_by(there, || Ok(None)).await;
        assert!(matches!(stuck, Err(WebError::Stuck { .. })));
        let silent = || Err(io::Error::from(io::ErrorKind::PermissionDenied));
        let refused = check_owner_by(there, silent).await.unwrap_err();
        assert!(
            refused.to_string().contains("no token is sent"),
            "{refused}"
        );
        // First nobody has taken the connection, then we have.
        let looks = std::cell::Cell::new(0);
        let slow = || {
            looks.set(looks.get() + 1);
            Ok((looks.get() > 3).then_some(own))
        };
        assert!(check_owner_by(there, slow).await.is_ok());
    }

    #[test]
    fn a_port_that_is_none_is_no_address() {
        for bad in [
            "http://host:99999",
            "http://[::1]:65536/x",
            "https://u@host:0",
        ] {
            assert!(has_bad_port(&bad.parse().unwrap()), "{bad}");
        }
        for good in [
            "http://host",
            "http://host:8100/a",
            "http://[::1]:1",
            "http://u:p@host:9",
        ] {
            assert!(!has_bad_port(&good.parse().unwrap()), "{good}");
        }
    }
}
