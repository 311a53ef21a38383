//! Who is at the other end of a connection.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::crowd::UnprovenPlace;
use synapse_platform::process::is_below;
use synapse_platform::socket;

/// The other end of a connection; every request on it carries the same one.
#[derive(Clone, Debug)]
pub struct Peer(Arc<Ends>);

#[derive(Debug)]
struct Ends {
    remote: SocketAddr,
    local: SocketAddr,
    user: OnceLock<Option<u32>>,
    unproven: Mutex<Option<UnprovenPlace>>,
    /// Processes from which the other end was seen not to descend.
    stranger_to: Mutex<Vec<u32>>,
}

/// Where connections come from, as far as they are counted: a user of this machine, or a network elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A user, if the kernel says who.
    User(Option<u32>),
    /// An IPv4 address, or the 64 bits of an IPv6 address that name a network.
    Network(IpAddr),
}

impl Peer {
    /// The peer of a connection from `remote` to our `local`.
    pub fn new(remote: SocketAddr, local: SocketAddr) -> Self {
        let plain =
            |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        Self(Arc::new(Ends {
            remote: plain(remote),
            local: plain(local),
            user: OnceLock::new(),
            unproven: Mutex::default(),
            stranger_to: Mutex::default(),
        }))
    }

    /// Where it calls from.
    pub fn remote(&self) -> SocketAddr {
        self.0.remote
    }

    /// The address of ours that it called.
    pub fn local(&self) -> SocketAddr {
        self.0.local
    }

    /// Whether it calls from this machine: nothing else can have our own address.
    pub fn is_here(&self) -> bool {
        is_here(self.0.remote.ip(), self.0.local.ip())
    }

    /// The user who opened the connection, if it was opened on this machine and the kernel knows. It is
    /// asked once, when somebody wants to know.
    pub fn user(&self) -> Option<u32> {
        let ends = &self.0;
        *ends.user.get_or_init(|| {
            let asked = self
                .is_here()
                .then(|| socket::owner(ends.remote, ends.local))?;
            asked.unwrap_or_else(|error| {
                tracing::warn!(%error, "the kernel does not say who is connected; a token is needed");
                None
            })
        })
    }
}

impl Peer {
    /// Where it counts.
    pub fn source(&self) -> Source {
        match self.0.remote.ip() {
            _ if self.is_here() => Source::User(self.user()),
            IpAddr::V4(address) => Source::Network(address.into()),
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                Source::Network(Ipv6Addr::from_bits(network).into())
            }
        }
    }

    /// Counts it among those who have not shown who they are.
    pub(super) fn wait_in(&self, place: UnprovenPlace) {
        *self.place() = Some(place);
    }

    /// Notes that it has shown who it is, so that it keeps its connection whoever else comes.
    pub fn prove(&self) {
        self.place().take();
    }

    fn place(&self) -> MutexGuard<'_, Option<UnprovenPlace>> {
        self.0
            .unproven
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the caller may be a process or descend from it. It may if it is a process of our user of which nobody can say
    /// which one it is: whoever sends and closes at once would else pass for a stranger.
    pub fn may_be_below(&self, above: u32) -> bool {
        !self.may_be_below_some(&[above]).is_empty()
    }

    /// Those of several processes that [`may_be_below`](Self::may_be_below) holds for; the kernel is asked once.
    pub fn may_be_below_some(&self, above: &[u32]) -> Vec<u32> {
        let ends = &self.0;
        let open: Vec<u32> = {
            let strangers = ends.strangers();
            let open = above.iter().filter(|above| !strangers.contains(above));
            open.copied().collect()
        };
        if !self.is_here() || open.is_empty() {
            return Vec::new();
        }
        let own = rustix::process::geteuid().as_raw();
        let found = match socket::find(ends.remote, ends.local) {
            Ok(Some(socket)) if socket.user != own => Vec::new(),
            Ok(Some(socket)) => below(&socket.holders(), &open),
            Ok(None) => open.clone(),
            Err(error) => {
                tracing::warn!(%error, "the kernel does not say who is connected");
                Vec::new()
            }
        };
        let strangers = open.into_iter().filter(|above| !found.contains(above));
        ends.strangers().extend(strangers);
        found
    }
}

/// Those of these processes that one of the callers is or descends from; all of them where nobody knows who calls.
fn below(callers: &[i32], above: &[u32]) -> Vec<u32> {
    let is_below_it = |above: i32| {
        let mut callers = callers.iter();
        callers.any(|caller| *caller == above || is_below(*caller, above))
    };
    let found = above.iter().copied();
    found
        .filter(|above| callers.is_empty() || is_below_it(above.cast_signed()))
        .collect()
}

impl Ends {
    fn strangers(&self) -> MutexGuard<'_, Vec<u32>> {
        let strangers = self.stranger_to.lock();
        strangers.unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_here(remote: IpAddr, local: IpAddr) -> bool {
    remote.is_loopback() || remote == local
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn peer(remote: &str, local: &str) -> Peer {
        Peer::new(remote.parse().unwrap(), local.parse().unwrap())
    }

    #[test]
    fn only_this_machine_is_here() {
        assert!(peer("127.0.0.1:5", "127.0.0.1:80").is_here());
        assert!(peer("[::ffff:127.0.0.1]:5", "[::ffff:127.0.0.1]:80").is_here());
        assert!(peer("[::1]:5", "[::1]:80").is_here());
        assert!(peer("10.0.0.7:5", "10.0.0.7:80").is_here());
        assert!(!peer("10.0.0.8:5", "10.0.0.7:80").is_here());
        assert_eq!(peer("10.0.0.8:5", "10.0.0.7:80").user(), None);
    }

    #[test]
    fn the_kernel_knows_who_is_connected() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else {
                eprintln!("skipped: this machine has no {address}");
                continue;
            };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, from) = listener.accept().unwrap();
            let open = Peer::new(from, server.local_addr().unwrap());
            assert_eq!(open.user(), Some(rustix::process::geteuid().as_raw()));
            // A socket that nobody has any more belongs to nobody, least of all to root.
            let left = Peer::new(from, server.local_addr().unwrap());
            drop(client);
            assert_eq!(left.user(), None);
            assert_eq!(open.user(), Some(rustix::process::geteuid().as_raw()));
        }
    }
}
