//! A place that push notifications are posted to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

/// What was posted: the head of the request in lower case, and its body.
pub struct NumberedEvent {
    pub head: String,
    pub body: Value,
}

/// Keeps what is posted to it, in order.
pub struct Receiver {
    pub url: String,
    posted: mpsc::Receiver<NumberedEvent>,
}

impl Receiver {
    /// A receiver that answers its first requests with these statuses, and 200 from then on.
    pub fn answering(statuses: &[u16]) -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").unwrap(), statuses)
    }

    pub fn new() -> Self {
        Self::answering(&[])
    }

    pub fn at(listener: TcpListener, statuses: &[u16]) -> Self {
        let address: SocketAddr = listener.local_addr().unwrap();
        let (tell, posted) = mpsc::channel();
        let statuses: Vec<u16> = statuses.to_vec();
        let mut statuses = statuses.into_iter();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if stream.read_line(&mut head).unwrap() == 0 {
                        break;
                    }
                }
                let head = head.to_lowercase();
                let length = head.split("content-length: ").nth(1);
                let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
                let mut body = vec![0; length.unwrap_or(0)];
                stream.read_exact(&mut body).unwrap();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                let status = statuses.next().unwrap_or(200);
                let _ = write!(
                    stream.get_mut(),
                    "HTTP/1.1 {status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                );
                if tell.send(NumberedEvent { head, body }).is_err() {
                    return;
                }
            }
        });
        Self {
            url: format!("http://{address}/hook"),
            posted,
        }
    }

    /// The next notification.
    pub fn next(&self) -> NumberedEvent {
        self.posted.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    /// All notifications to the one that ends the task.
    pub fn to_the_end(&self) -> Vec<NumberedEvent> {
        self.to("completed")
    }

    /// All notifications to the one that names this state.
    pub fn to(&self, state: &str) -> Vec<NumberedEvent> {
        let mut all = Vec::new();
        loop {
            let posted = self.next();
            let is_last = posted.body.to_string().to_lowercase().contains(state);
            all.push(posted);
            if is_last {
                return all;
            }
        }
    }

    /// What is here by now.
    pub fn waiting(&self) -> Vec<Value> {
        self.posted.try_iter().map(|posted| posted.body).collect()
    }
}
