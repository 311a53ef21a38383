//! Which addresses may be called. Where somebody else names the address (a callback, a push, an agent to look at), it must not lead
//! into places that only we can reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which addresses may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callable {
    /// All of them: the person at the keyboard asked for it.
    Any,
    /// This machine, its network and the internet, for agents that only this machine can reach. Not what
    /// answers to a machine about itself (cloud metadata) or to all at once.
    Near,
    /// The internet alone, for agents that others can reach.
    Public,
}

impl Callable {
    /// What an agent may call on behalf of others.
    pub fn by_agent(listens_here_only: bool) -> Self {
        if listens_here_only {
            Self::Near
        } else {
            Self::Public
        }
    }

    /// Whether this address may be called.
    pub fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Near => !matches!(place(address), Place::Nowhere),
            Self::Public => place(address) == Place::Internet,
        }
    }
}

/// Where an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Internet,
    /// This machine or its network.
    Near,
    /// No machine we should talk to.
    Nowhere,
}

fn place(address: IpAddr) -> Place {
    match address.to_canonical() {
        IpAddr::V4(address) => place_v4(address),
        IpAddr::V6(address) => place_v6(address),
    }
}

#[allow(
    clippy::match_same_arms,
    reason = "the first arm is an exception to the second"
)]
fn place_v4(address: Ipv4Addr) -> Place {
    match address.octets() {
        // This network, link-local, protocol assignments, documentation, benchmarks, multicast, reserved; and where
        // clouds keep what only their own machines may know.
        [0 | 224.., ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [100, 100, 100, 200]
        | [168, 63, 129, 16] => Place::Nowhere,
        [127 | 10, ..] | [192, 168, ..] | [172, 16..=31, ..] | [100, 64..=127, ..] => Place::Near,
        _ => Place::Internet,
    }
}

#[allow(
    clippy::match_same_arms,
    reason = "the first arm is an exception to the second"
)]
fn place_v6(address: Ipv6Addr) -> Place {
    if address == Ipv6Addr::LOCALHOST {
        return Place::Near;
    }
    // An IPv4 address that two segments stand for.
    let embedded = |high: u16, low: u16| {
        let bits = u32::from(high) << 16 | u32::from(low);
        place_v4(Ipv4Addr::from_bits(bits))
    };
    match address.segments() {
        // Teredo, documentation, and the metadata of a cloud.
        [0x2001, 0 | 0xdb8, ..] | [0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254] => Place::Nowhere,
        [0xfc00..=0xfdff, ..] => Place::Near,
        // Addresses that lead to an IPv4 one through a gateway (NAT64, 6to4).
        [0x64, 0xff9b, .., high, low] | [0x2002, high, low, ..] => embedded(high, low),
        [0x2000..=0x3fff, ..] => Place::Internet,
        _ => Place::Nowhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_an_address_leads_is_known() {
        for (address, expected) in [
            ("127.0.0.1", Place::Near),
            ("127.8.9.1", Place::Near),
            ("10.1.2.3", Place::Near),
            ("172.16.0.1", Place::Near),
            ("172.31.255.255", Place::Near),
            ("172.32.0.1", Place::Internet),
            ("192.168.0.1", Place::Near),
            ("100.64.0.1", Place::Near),
            ("::1", Place::Near),
            ("::ffff:127.0.0.1", Place::Near),
            ("fd00::1", Place::Near),
            ("64:ff9b::10.0.0.1", Place::Near),
            ("2002:7f00:1::", Place::Near),
            ("169.254.169.254", Place::Nowhere),
            ("::ffff:169.254.169.254", Place::Nowhere),
            ("64:ff9b::169.254.169.254", Place::Nowhere),
            ("100.100.100.200", Place::Nowhere),
            ("168.63.129.16", Place::Nowhere),
            ("::ffff:168.63.129.16", Place::Nowhere),
            ("64:ff9b::100.100.100.200", Place::Nowhere),
            ("fd00:ec2::254", Place::Nowhere),
            ("fd00:ec2::255", Place::Near),
            ("fe80::1", Place::Nowhere),
            ("fec0::1", Place::Nowhere),
            ("0.0.0.0", Place::Nowhere),
            ("::", Place::Nowhere),
            ("224.0.0.1", Place::Nowhere),
            ("255.255.255.255", Place::Nowhere),
            ("ff02::1", Place::Nowhere),
            ("198.18.0.1", Place::Nowhere),
            ("1.1.1.1", Place::Internet),
            ("2606:4700::1111", Place::Internet),
            ("64:ff9b::1.1.1.1", Place::Internet),
        ] {
            assert_eq!(place(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn an_agent_that_others_reach_calls_the_internet_only() {
        let near = "192.168.0.1".parse().unwrap();
        let metadata = "169.254.169.254".parse().unwrap();
        assert!(Callable::by_agent(true).allows(near));
        assert!(!Callable::by_agent(false).allows(near));
        assert!(!Callable::by_agent(true).allows(metadata));
        assert!(Callable::Any.allows(metadata));
    }
}
