//! The words of NATS: what the server says, read from bytes in any split. Pure.

use hyper::body::Bytes;
use serde::Deserialize;

use super::Message;

/// The longest line, which is what a large cluster says of itself.
const LONGEST_LINE: usize = 1 << 20;
/// The largest message that is taken.
const LARGEST: usize = 64 << 20;

/// What the server says of itself.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ServerInfo {
    pub version: String,
    pub max_payload: usize,
    pub tls_required: bool,
    pub tls_available: bool,
    pub jetstream: bool,
    pub nonce: Option<String>,
    pub connect_urls: Vec<String>,
    /// The name of its cluster, if it is in one.
    pub cluster: Option<String>,
}

/// One thing that the server says.
#[derive(Debug)]
pub(super) enum Said {
    Info(Box<ServerInfo>),
    Message { sid: u64, message: Message },
    Ping,
    Pong,
    Ok,
    Error(String),
}

/// What was received and is no NATS.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Malformed(&'static str);

/// Reads what comes in.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    held: Vec<u8>,
    /// How much of it has been read.
    at: usize,
}

impl Decoder {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.at > 0 {
            self.held.drain(..self.at);
            self.at = 0;
        }
        self.held.extend_from_slice(bytes);
    }

    /// The next whole thing, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<Said>, Malformed> {
        let rest = self.held.get(self.at..).unwrap_or_default();
        let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") else {
            if rest.len() > LONGEST_LINE {
                return Err(Malformed("a line has no end"));
            }
            return Ok(None);
        };
        let line = rest.get(..end).unwrap_or_default();
        let line = std::str::from_utf8(line).map_err(|_| Malformed("a line is no text"))?;
        let (word, tail) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let said = match word.to_ascii_uppercase().as_str() {
            "MSG" | "HMSG" => {
                let has_headers = word.eq_ignore_ascii_case("HMSG");
                let head =
                    Head::read(tail, has_headers).ok_or(Malformed("a message has a bad head"))?;
                if head.total > LARGEST || head.headers > head.total {
                    return Err(Malformed("a message is too large"));
                }
                let begin = end + 2;
                if rest.len() < begin + head.total + 2 {
                    return Ok(None);
                }
                let body = rest.get(begin..begin + head.total).unwrap_or_default();
                let (headers, payload) = body.split_at_checked(head.headers).unwrap_or_default();
                let message = Message {
                    subject: head.subject.to_owned(),
                    reply: head.reply.map(str::to_owned),
                    payload: Bytes::copy_from_slice(payload),
                    status: status(headers),
                };
                let sid = head.sid;
                self.at += begin + head.total + 2;
                return Ok(Some(Said::Message { sid, message }));
            }
            "INFO" => {
                let info = serde_json::from_str(tail);
                Said::Info(info.map_err(|_| Malformed("INFO is no JSON"))?)
            }
            "PING" => Said::Ping,
            "PONG" => Said::Pong,
            "+OK" => Said::Ok,
            "-ERR" => Said::Error(tail.trim_matches(['\'', ' ']).to_owned()),
            _ => return Err(Malformed("an unknown word")),
        };
        self.at += end + 2;
        Ok(Some(said))
    }
}

struct Head<'a> {
    subject: &'a str,
    sid: u64,
    reply: Option<&'a str>,
    headers: usize,
    total: usize,
}

impl<'a> Head<'a> {
    fn read(tail: &'a str, has_headers: bool) -> Option<Self> {
        let mut words: Vec<&str> = tail.split_ascii_whitespace().collect();
        let total = words.pop()?.parse().ok()?;
        let headers = if has_headers {
            words.pop()?.parse().ok()?
        } else {
            0
        };
        let (subject, sid, reply) = match words.as_slice() {
            [subject, sid] => (subject, sid, None),
            [subject, sid, reply] => (subject, sid, Some(*reply)),
            _ => return None,
        };
        Some(Self {
            subject,
            sid: sid.parse().ok()?,
            reply,
            headers,
            total,
        })
    }
}

/// The status in `NATS/1.0 503 …`.
fn status(headers: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(headers).ok()?;
    let line = text.lines().next()?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &[u8] = b"INFO {\"version\":\"2.9.10\",\"jetstream\":true,\"max_payload\":1048576}\r\nPING\r\n\
        MSG a.b 7 5\r\nhe\r\no\r\nHMSG a 8 _INBOX.x 16 18\r\nNATS/1.0 503\r\n\r\nhi\r\n-ERR 'no'\r\nPONG\r\n";

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::default();
        let mut all = Vec::new();
        for piece in pieces {
            decoder.feed(piece);
            while let Some(said) = decoder.next().unwrap() {
                all.push(format!("{said:?}"));
            }
        }
        all
    }

    #[test]
    fn any_split_reads_the_same() {
        let whole = read(&[SAID]);
        assert_eq!(whole.len(), 6, "{whole:#?}");
        assert!(whole[3].contains("Some(503)") && whole[3].contains("_INBOX.x"));
        for at in 0..SAID.len() {
            let (a, b) = SAID.split_at(at);
            assert_eq!(read(&[a, b]), whole, "split at {at}");
        }
        let single: Vec<&[u8]> = SAID.chunks(1).collect();
        assert_eq!(read(&single), whole);
    }

    #[test]
    fn what_is_no_nats_is_refused() {
        for odd in [
            "HTTP/1.1 400 Bad Request\r\n",
            "MSG a\r\n",
            "MSG a 1 99999999999\r\n",
            "HMSG a 1 9 4\r\n",
            "INFO {\r\n",
        ] {
            let mut decoder = Decoder::default();
            decoder.feed(odd.as_bytes());
            assert!(decoder.next().is_err(), "{odd}");
        }
    }
}
