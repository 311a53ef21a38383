//! The kernel's table of TCP sockets, `/proc/net/tcp` and `/proc/net/tcp6`: slower than asking about one
//! socket, but available where netlink is forbidden.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::sock_diag::LIVE;
use super::socket::Socket;

/// IPv4 connections to a socket that takes both kinds are in the second one.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// The socket that talks from `from` to `to`, if a process has it.
pub(super) fn find(from: SocketAddr, to: SocketAddr) -> io::Result<Option<Socket>> {
    let [four, six] = TABLES.map(fs::read_to_string);
    // A machine without IPv6 has no second table.
    let (four, six) = (four?, six.unwrap_or_default());
    let mut lines = four.lines().chain(six.lines());
    Ok(lines.find_map(|line| socket_in(line, from, to)))
}

/// The socket of one line, if it is this very one.
fn socket_in(line: &str, from: SocketAddr, to: SocketAddr) -> Option<Socket> {
    let mut fields = line.split_whitespace().skip(1);
    let (local, remote) = (address(fields.next()?)?, address(fields.next()?)?);
    if (local, remote) != (from, to) {
        return None;
    }
    let state = u8::from_str_radix(fields.next()?, 16).ok()?;
    // The queues, the timer and the retransmissions come before the user, a time-out behind it.
    let user = fields.nth(3)?.parse().ok()?;
    let inode = fields.nth(1)?.parse().ok()?;
    (LIVE.contains(&state) && inode != 0).then_some(Socket { user, inode })
}

/// `0100007F:1F90`: words of the machine's byte order, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let digits = ip.get(at * 8..at * 8 + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let ip = match ip.len() {
        8 => IpAddr::from(Ipv4Addr::from(word(0)?)),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let bytes: [u8; 16] = words.as_flattened().try_into().ok()?;
            IpAddr::from(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn it_says_what_the_kernel_says_when_asked() {
        for (listens, calls) in [
            ("127.0.0.1:0", "127.0.0.1"),
            ("[::1]:0", "::1"),
            ("[::]:0", "127.0.0.1"),
        ] {
            let Ok(listener) = TcpListener::bind(listens) else {
                eprintln!("skipped: this machine has no {listens}");
                continue;
            };
            let port = listener.local_addr().unwrap().port();
            let calls: IpAddr = calls.parse().unwrap();
            let client = TcpStream::connect((calls, port)).unwrap();
            let (server, _) = listener.accept().unwrap();
            let (here, there) = (client.local_addr().unwrap(), client.peer_addr().unwrap());
            for ends in [(here, there), (there, here)] {
                let found = find(ends.0, ends.1).unwrap();
                let user = found.as_ref().map(|socket| socket.user);
                assert_eq!(user, Some(own()), "{ends:?}");
                assert_eq!(found, super::super::sock_diag::ask(ends.0, ends.1).unwrap());
            }
            drop(server);
            assert_eq!(
                find(there, here).unwrap(),
                None,
                "nobody has that end any more"
            );
        }
    }

    fn own() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    #[test]
    fn odd_lines_are_none() {
        let at: SocketAddr = "127.0.0.1:80".parse().unwrap();
        for line in [
            "",
            "  sl  local_address",
            "0: 0:0 1:1 01",
            "0: 0100007F:0050 0100007F:0050",
        ] {
            assert_eq!(socket_in(line, at, at), None, "{line}");
        }
    }
}
