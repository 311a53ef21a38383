//! Which port an agent listens on.
//!
//! A port is ours when it is bound, not when it looks free: candidates are tried one after the other,
//! and the listener that worked is handed over. The registry only tells who holds a port.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::ops::RangeInclusive;

use super::{Entry, Registry};

/// Programs that others expect to find at a port of their own.
const KNOWN: [(&str, u16); 3] = [("claude", 8100), ("codex", 8101), ("gemini", 8102)];
/// For everybody else, and for the second of a kind.
const SHARED: RangeInclusive<u16> = 8103..=8179;

/// Which port a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortWish {
    /// The usual one, or the next free one; the configuration may say what is usual.
    Usual {
        /// The port of `agents.<name>.port`.
        configured: Option<u16>,
    },
    /// This one and no other.
    Exactly(u16),
    /// Whatever the system gives.
    Any,
}

impl PortWish {
    /// What `--port` means, with the port that is configured for the program.
    pub fn from_flag(port: Option<u16>, configured: Option<u16>) -> Self {
        match port {
            None => Self::Usual { configured },
            Some(0) => Self::Any,
            Some(port) => Self::Exactly(port),
        }
    }
}

/// Why there is no port.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// The wanted port is taken.
    #[error("port {port} is taken by {}", name(.holder.as_deref()))]
    Taken {
        port: u16,
        /// The agent that has it, if it is one.
        holder: Option<Box<Entry>>,
    },
    /// Every port we may try is taken.
    #[error("all ports from {} to {} are taken; --port 0 lets the system choose one", SHARED.start(), SHARED.end())]
    AllTaken,
    /// The system refuses for another reason.
    #[error("cannot listen on {address}: {why}")]
    Refused { address: SocketAddr, why: io::Error },
}

impl Registry {
    /// Binds the port that an agent of `profile` shall have.
    ///
    /// # Errors
    /// When the wanted port, or all ports, are taken, or the system refuses.
    pub fn bind(
        &self,
        listen: IpAddr,
        profile: &str,
        wish: PortWish,
    ) -> Result<TcpListener, PortError> {
        match wish {
            PortWish::Any => try_port(listen, 0)?.ok_or(PortError::AllTaken),
            PortWish::Exactly(port) => self.bind_exactly(listen, port),
            PortWish::Usual { configured } => {
                let known = KNOWN.iter().find(|(name, _)| *name == profile);
                let usual = configured.or(known.map(|(_, port)| *port));
                for port in usual.into_iter().chain(SHARED) {
                    if let Some(listener) = try_port(listen, port)? {
                        return Ok(listener);
                    }
                }
                Err(PortError::AllTaken)
            }
        }
    }

    /// Binds the port on which an agent speaks gRPC. One that is only configured gives way to whoever has it; there is no
    /// usual one.
    ///
    /// # Errors
    /// When the wanted port is taken, or the system refuses.
    pub fn bind_grpc(&self, listen: IpAddr, wish: PortWish) -> Result<TcpListener, PortError> {
        let configured = match wish {
            PortWish::Exactly(port) => return self.bind_exactly(listen, port),
            PortWish::Usual { configured } => configured,
            PortWish::Any => None,
        };
        for port in configured.into_iter().chain([0]) {
            if let Some(listener) = try_port(listen, port)? {
                return Ok(listener);
            }
        }
        Err(PortError::AllTaken)
    }

    fn bind_exactly(&self, listen: IpAddr, port: u16) -> Result<TcpListener, PortError> {
        try_port(listen, port)?.ok_or_else(|| PortError::Taken {
            port,
            holder: self.holder_of(port).map(Box::new),
        })
    }

    fn holder_of(&self, port: u16) -> Option<Entry> {
        // A registry that cannot be read costs the name in the message, nothing else.
        let entries = self.list().unwrap_or_default();
        entries.into_iter().find(|entry| entry.port == port)
    }
}

/// A listener, or nothing if somebody else has the port.
fn try_port(listen: IpAddr, port: u16) -> Result<Option<TcpListener>, PortError> {
    let address = SocketAddr::new(listen, port);
    match TcpListener::bind(address) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Ok(None),
        Err(why) => Err(PortError::Refused { address, why }),
    }
}

fn name(holder: Option<&Entry>) -> String {
    holder.map_or_else(
        || "another program".to_owned(),
        |entry| {
            let dir = entry.working_dir.display();
            format!("@{} (pid {}, in {dir})", entry.handle, entry.pid)
        },
    )
}
