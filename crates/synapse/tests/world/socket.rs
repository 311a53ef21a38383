//! A WebSocket of an agent or the hub, whose messages are JSON.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

use super::World;

/// How long anything may take here.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A WebSocket of a page.
pub struct Socket(pub WebSocket<TcpStream>);

impl Socket {
    /// The next message as JSON; nothing once it is closed.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message for which something is so.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let Some(said) = self.next() else {
                panic!("{what}: the line was closed");
            };
            if is_so(&said) {
                return said;
            }
            assert!(Instant::now() < deadline, "{what}: not within {PATIENCE:?}");
        }
    }

    pub fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).unwrap();
    }

    /// The code with which the other side closes.
    pub fn close_code(&mut self) -> Option<u16> {
        loop {
            match self.0.read() {
                Ok(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }
}

impl World {
    /// Everything that happens to an agent, from a snapshot on.
    pub fn follow(&self, agent: &str) -> Socket {
        let entry = self.entry_of(agent);
        let address = entry["endpoint"].as_str().unwrap();
        let address = address.trim_start_matches("http://");
        let token = std::fs::read_to_string(entry["token_path"].as_str().unwrap()).unwrap();
        let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Socket(tungstenite::client(request, stream).unwrap().0)
    }

    /// Waits until an agent is in this state.
    #[track_caller]
    pub fn wait_for_state(&self, agent: &str, state: &str) {
        let what = format!("{agent} is {state}");
        let mut socket = self.follow(agent);
        socket.wait_for(&what, |said| said["status"]["status"] == state);
    }
}
