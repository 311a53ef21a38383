//! The address of a server, as people write it.

use std::fmt;
use std::str::FromStr;

use super::NatsError;

/// The address of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub host: String,
    pub port: u16,
    /// What stands before the `@`.
    pub(super) userinfo: Option<String>,
    pub(super) is_tls: bool,
}

impl Server {
    pub fn new(host: &str, port: u16) -> Self {
        Self {
            host: host.to_owned(),
            port,
            userinfo: None,
            is_tls: false,
        }
    }
}

impl FromStr for Server {
    type Err = NatsError;

    fn from_str(text: &str) -> Result<Self, NatsError> {
        let odd = || NatsError::NotAnAddress(text.to_owned());
        let (is_tls, rest) = match text.trim().split_once("://") {
            Some(("nats", rest)) => (false, rest),
            Some(("tls", rest)) => (true, rest),
            Some(_) => return Err(odd()),
            None => (false, text.trim()),
        };
        let rest = rest.trim_end_matches('/');
        let (userinfo, place) = match rest.rsplit_once('@') {
            Some((info, place)) => (Some(info.to_owned()), place),
            None => (None, rest),
        };
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| odd())?),
            _ => (place, 4222),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() || port == 0 || host.contains(['/', ' ', '?', '#']) {
            return Err(odd());
        }
        Ok(Self {
            host: host.to_owned(),
            port,
            userinfo,
            is_tls,
        })
    }
}

impl fmt::Display for Server {
    /// Without what stands before the `@`, which is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls { "tls" } else { "nats" };
        if self.host.contains(':') {
            return write!(f, "{scheme}://[{}]:{}", self.host, self.port);
        }
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_hide_what_is_secret() {
        let read = |text: &str| text.parse::<Server>();
        let server = read("nats://bob:pw@box.example").unwrap();
        assert_eq!((server.host.as_str(), server.port), ("box.example", 4222));
        assert_eq!(server.to_string(), "nats://box.example:4222");
        assert_eq!(
            read("tls://[::1]:5222").unwrap().to_string(),
            "tls://[::1]:5222"
        );
        assert_eq!(read("10.0.0.1:99").unwrap(), Server::new("10.0.0.1", 99));
        for odd in [
            "",
            "http://x",
            "nats://",
            "nats://x:0",
            "nats://x:y",
            "nats://a b",
        ] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }
}
