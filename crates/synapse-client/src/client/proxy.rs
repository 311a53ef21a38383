//! The way through an HTTP proxy, as `HTTPS_PROXY` and `NO_PROXY` have it for curl and its like. Only encrypted
//! connections take it: the proxy sees where they lead and nothing else.

use std::fmt::Write as _;
use std::io;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Uri;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The longest head of a proxy's answer that is read.
const LONGEST_HEAD: usize = 8 << 10;

/// A proxy for encrypted connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proxy {
    /// Where it is, without a name or password.
    pub(super) address: Uri,
    /// The `user:password` that it wants, if any.
    credentials: Option<String>,
}

impl Proxy {
    /// The proxy that this environment names for a host, if it names one.
    ///
    /// # Errors
    /// If it names something that is no proxy.
    pub(super) fn for_host(
        host: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> io::Result<Option<Self>> {
        let either = |name: &str| {
            let found = variable(name).or_else(|| variable(&name.to_lowercase()));
            found.filter(|value| !value.is_empty())
        };
        let Some(named) = either("HTTPS_PROXY") else {
            return Ok(None);
        };
        if is_exempt(host, &either("NO_PROXY").unwrap_or_default()) {
            return Ok(None);
        }
        let odd = || {
            let text = "HTTPS_PROXY is not an address such as http://proxy.example:3128";
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        let rest = match named.split_once("://") {
            Some(("http", rest)) => rest,
            Some(_) => return Err(odd()),
            None => named.as_str(),
        };
        let rest = rest.trim_end_matches('/');
        let (credentials, place) = match rest.rsplit_once('@') {
            Some((credentials, place)) => (Some(credentials.to_owned()), place),
            None => (None, rest),
        };
        let address: Uri = format!("http://{place}").parse().map_err(|_| odd())?;
        if address.host().is_none_or(str::is_empty) || address.path() != "/" {
            return Err(odd());
        }
        Ok(Some(Self {
            address,
            credentials,
        }))
    }

    /// Has the proxy connect this stream with `target`, a host and a port.
    ///
    /// # Errors
    /// If it does not.
    pub(super) async fn open(&self, stream: &mut TcpStream, target: &str) -> io::Result<()> {
        let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
        if let Some(credentials) = &self.credentials {
            let encoded = STANDARD.encode(credentials);
            let _ = write!(request, "Proxy-Authorization: Basic {encoded}\r\n");
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        // A byte at a time: what follows the head belongs to the connection behind it.
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() == LONGEST_HEAD {
                return Err(io::Error::other("the proxy's answer is no HTTP"));
            }
            head.push(stream.read_u8().await?);
        }
        let head = String::from_utf8_lossy(&head);
        let first = head.lines().next().unwrap_or_default();
        let status = first.split_whitespace().nth(1).unwrap_or_default();
        if !first.starts_with("HTTP/1.") || !status.starts_with('2') {
            let text = format!(
                "the proxy {} says: {first}",
                self.address.authority().map_or("", |a| a.as_str())
            );
            return Err(io::Error::other(text));
        }
        Ok(())
    }
}

/// Whether a host is called without a proxy: this machine always, and what `NO_PROXY` lists.
fn is_exempt(host: &str, list: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_here = host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    let mut names = list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    is_here || names.any(|name| covers(name, host))
}

/// `*` covers everything, a name itself and all below it.
fn covers(name: &str, host: &str) -> bool {
    let name = name.trim_start_matches('.');
    let (name, host) = (name.to_lowercase(), host.to_lowercase());
    let rest = host.strip_suffix(&name);
    name == "*" || rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    fn proxy(host: &str, https: &str, no: &str) -> Option<Proxy> {
        let variable = |name: &str| match name {
            "HTTPS_PROXY" => Some(https.to_owned()),
            "no_proxy" => Some(no.to_owned()),
            _ => None,
        };
        Proxy::for_host(host, variable).unwrap()
    }

    #[test]
    fn the_environment_names_it() {
        let found = proxy("a.example", "http://me:pass@proxy.example:3128/", "").unwrap();
        assert_eq!(found.address, "http://proxy.example:3128");
        assert_eq!(found.credentials.as_deref(), Some("me:pass"));
        assert_eq!(
            proxy("a.example", "proxy:1", "").unwrap().address,
            "http://proxy:1"
        );
        assert_eq!(proxy("a.example", "", ""), None);
        for odd in ["socks5://proxy", "http://", "http://a/b", "http://a b"] {
            let variable = |_: &str| Some(odd.to_owned());
            assert!(Proxy::for_host("c", variable).is_err(), "{odd}");
        }
    }

    #[test]
    fn what_is_listed_and_this_machine_are_called_directly() {
        for (host, list) in [
            ("a.example", "example"),
            ("A.Example", "b, .example"),
            ("a.example", "*"),
            ("10.0.0.1", "10.0.0.1"),
            ("localhost", ""),
            ("127.0.0.1", ""),
            ("[::1]", ""),
        ] {
            assert_eq!(proxy(host, "http://proxy", list), None, "{host} {list}");
        }
        for (host, list) in [("an.example", "b.example"), ("myexample", "example")] {
            assert!(proxy(host, "http://proxy", list).is_some(), "{host} {list}");
        }
    }

    #[tokio::test]
    async fn a_proxy_is_asked_to_connect_and_heard() {
        for (answer, is_open) in [
            ("HTTP/1.1 200 Connection established\r\n\r\nrest", true),
            ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", false),
            ("SSH-2.0-x\r\n\r\n", false),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let server = tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut asked = vec![0; 128];
                let read = stream.read(&mut asked).await.unwrap();
                stream.write_all(answer.as_bytes()).await.unwrap();
                String::from_utf8_lossy(&asked[..read]).into_owned()
            });
            let named = format!("http://u:p@{address}");
            let proxy = proxy("a.example", &named, "").unwrap();
            let mut stream = TcpStream::connect(address).await.unwrap();
            let opened = proxy.open(&mut stream, "a.example:443").await;
            assert_eq!(opened.is_ok(), is_open, "{answer}: {opened:?}");
            let asked = server.await.unwrap();
            assert!(
                asked.starts_with("CONNECT a.example:443 HTTP/1.1\r\n"),
                "{asked}"
            );
            assert!(
                asked.contains("Proxy-Authorization: Basic dTpw\r\n"),
                "{asked}"
            );
            if is_open {
                let mut rest = [0; 4];
                stream.read_exact(&mut rest).await.unwrap();
                assert_eq!(&rest, b"rest");
            }
        }
    }
}
