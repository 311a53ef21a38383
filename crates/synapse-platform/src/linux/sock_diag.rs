//! Asks the kernel who owns a TCP socket of this machine (netlink, `NETLINK_SOCK_DIAG`).
//!
//! The request names one exact socket. An answer counts only if it is about that socket and a process still
//! holds it: the kernel reports sockets that are closed or closing as root's.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recvfrom, sendto, socket_with,
};

use super::socket::Socket;

const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;
/// `SOCK_DIAG_BY_FAMILY`, the type of question and answer.
const BY_FAMILY: u16 = 20;
/// `NLMSG_ERROR`
const ERROR: u16 = 2;
/// `NLM_F_REQUEST`
const REQUEST: u16 = 1;
/// A number to know our answer by; each question has a socket of its own, so any will do.
const NUMBER: u32 = 1;
/// `struct nlmsghdr`
const HEADER: usize = 16;
/// `struct inet_diag_req_v2`
const QUESTION: usize = 56;
/// Any state; which ones count is decided by the answer.
const ALL_STATES: u32 = u32::MAX;
/// No cookie: we have not seen this socket before.
const NO_COOKIE: [u8; 8] = [0xff; 8];
/// Established, both halves of being closed while a process still has it, and closed by the other side.
pub(super) const LIVE: [u8; 4] = [1, 4, 5, 8];

/// The socket that talks from `from` to `to`, if a process has it.
pub(super) fn ask(from: SocketAddr, to: SocketAddr) -> io::Result<Option<Socket>> {
    let Some(question) = question(from, to) else {
        return Ok(None);
    };
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        Some(SOCK_DIAG),
    )?;
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(&socket, &question, SendFlags::empty(), &kernel)?;
    // The kernel answers before `sendto` returns; waiting would only hang where it does not.
    let mut buffer = [0; 512];
    let (length, _, sender) = recvfrom(&socket, &mut buffer, RecvFlags::DONTWAIT)?;
    let sender = sender.and_then(|sender| SocketAddrNetlink::try_from(sender).ok());
    if sender.is_none_or(|sender| sender.pid() != 0) {
        return Ok(None);
    }
    Ok(buffer
        .get(..length)
        .and_then(|answer| socket_in(answer, from, to)))
}

/// `struct nlmsghdr`, then `struct inet_diag_req_v2`.
fn question(from: SocketAddr, to: SocketAddr) -> Option<Vec<u8>> {
    let (family, from_ip, to_ip) = match (from.ip(), to.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => (AF_INET, widen(from), widen(to)),
        (IpAddr::V6(from), IpAddr::V6(to)) => (AF_INET6, from.octets(), to.octets()),
        _ => return None,
    };
    let length = u32::try_from(HEADER + QUESTION).ok()?;
    let mut text = Vec::with_capacity(HEADER + QUESTION);
    text.extend(length.to_ne_bytes());
    text.extend(BY_FAMILY.to_ne_bytes());
    text.extend(REQUEST.to_ne_bytes());
    text.extend(NUMBER.to_ne_bytes());
    text.extend(0_u32.to_ne_bytes());
    text.extend([family, IPPROTO_TCP, 0, 0]);
    text.extend(ALL_STATES.to_ne_bytes());
    text.extend(from.port().to_be_bytes());
    text.extend(to.port().to_be_bytes());
    text.extend(from_ip);
    text.extend(to_ip);
    text.extend(0_u32.to_ne_bytes());
    text.extend(NO_COOKIE);
    Some(text)
}

/// The socket in an answer (`struct nlmsghdr`, then `struct inet_diag_msg`), if it is this very one.
fn socket_in(answer: &[u8], from: SocketAddr, to: SocketAddr) -> Option<Socket> {
    let mut fields = Fields(answer);
    let _length = fields.take::<4>()?;
    let kind = u16::from_ne_bytes(fields.take()?);
    let _flags = fields.take::<2>()?;
    let number = u32::from_ne_bytes(fields.take()?);
    let _port = fields.take::<4>()?;
    if kind == ERROR || kind != BY_FAMILY || number != NUMBER {
        return None;
    }
    let [family, state, _timer, _retransmits] = fields.take()?;
    let ports = (
        u16::from_be_bytes(fields.take()?),
        u16::from_be_bytes(fields.take()?),
    );
    let ips = (
        address(family, fields.take()?)?,
        address(family, fields.take()?)?,
    );
    // Interface, cookie, expiry and the two queues.
    let _ = fields.take::<24>()?;
    let uid = u32::from_ne_bytes(fields.take()?);
    let inode = u32::from_ne_bytes(fields.take()?);
    let is_this = ports == (from.port(), to.port()) && ips == (from.ip(), to.ip());
    // Without an inode no process has it, and the user would be root by default.
    (is_this && LIVE.contains(&state) && inode != 0).then_some(Socket { user: uid, inode })
}

fn address(family: u8, bytes: [u8; 16]) -> Option<IpAddr> {
    match family {
        AF_INET => {
            let [a, b, c, d, ..] = bytes;
            Some(Ipv4Addr::new(a, b, c, d).into())
        }
        AF_INET6 => Some(IpAddr::from(Ipv6Addr::from(bytes)).to_canonical()),
        _ => None,
    }
}

fn widen(address: Ipv4Addr) -> [u8; 16] {
    let ([a, b, c, d], mut wide) = (address.octets(), [0; 16]);
    if let Some(start) = wide.first_chunk_mut() {
        *start = [a, b, c, d];
    }
    wide
}

/// Reads fields one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "127.0.0.1:40000";
    const TO: &str = "127.0.0.1:8100";

    /// An answer of the kernel about the socket from `FROM` to `TO`.
    fn answer(state: u8, uid: u32, inode: u32) -> Vec<u8> {
        let (from, to): (SocketAddr, SocketAddr) = (FROM.parse().unwrap(), TO.parse().unwrap());
        let asked = question(from, to).unwrap();
        let mut text = asked[..HEADER].to_vec();
        text.extend([AF_INET, state, 0, 0]);
        text.extend(&asked[HEADER + 8..HEADER + 44]);
        text.extend([0; 24]);
        text.extend(uid.to_ne_bytes());
        text.extend(inode.to_ne_bytes());
        text
    }

    fn read(answer: &[u8]) -> Option<u32> {
        let found = socket_in(answer, FROM.parse().unwrap(), TO.parse().unwrap());
        found.map(|socket| socket.user)
    }

    #[test]
    fn a_socket_that_a_process_has_is_its_users() {
        assert_eq!(read(&answer(1, 1_000, 77)), Some(1_000));
        assert_eq!(read(&answer(8, 0, 77)), Some(0));
    }

    #[test]
    fn a_socket_that_nobody_has_is_nobodys() {
        assert_eq!(read(&answer(5, 0, 0)), None, "closed by its process");
        assert_eq!(read(&answer(6, 0, 77)), None, "dead, only remembered");
        assert_eq!(read(&answer(10, 0, 77)), None, "somebody who listens");
        assert_eq!(read(&answer(12, 0, 77)), None, "not there yet");
    }

    #[test]
    fn an_answer_about_another_socket_does_not_count() {
        let other: SocketAddr = "127.0.0.1:40001".parse().unwrap();
        let text = answer(1, 0, 77);
        assert_eq!(socket_in(&text, other, TO.parse().unwrap()), None);
        assert_eq!(socket_in(&text, FROM.parse().unwrap(), other), None);
    }

    #[test]
    fn half_an_answer_is_none() {
        let text = answer(1, 0, 77);
        for length in 0..text.len() {
            assert_eq!(read(&text[..length]), None);
        }
        for odd in [vec![0xff; 600], vec![0; 600]] {
            assert_eq!(read(&odd), None);
        }
    }

    #[test]
    fn two_families_never_talk() {
        assert!(question(FROM.parse().unwrap(), "[::1]:80".parse().unwrap()).is_none());
    }
}
