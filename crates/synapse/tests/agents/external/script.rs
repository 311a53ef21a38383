//! A server that plays a script: one closure answers every request, raw.

#![allow(unreachable_pub, reason = "shared by the tests of this binary")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    /// Lower case.
    pub headers: String,
    pub body: Value,
}

impl Asked {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    }
}

/// A server at work until the test is over, and what it was asked.
pub struct Script {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Script {
    pub fn play(answer: impl Fn(&Asked, &str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (known, own) = (Arc::clone(&asked), url.clone());
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, own, answer) = (Arc::clone(&known), own.clone(), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    known.lock().unwrap().push(request.clone());
                    let text = answer(&request, &own);
                    let _ = (&stream).write_all(text.as_bytes());
                });
            }
        });
        Self { url, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") && headers != "\r\n" {
        if reader.read_line(&mut headers).ok()? == 0 {
            return None;
        }
    }
    let mut asked = Asked {
        method,
        path,
        headers: headers.to_lowercase(),
        body: Value::Null,
    };
    let length = asked
        .header("content-length")
        .and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(asked)
}

pub fn json(value: &Value) -> String {
    status("200 OK", value)
}

pub fn status(line: &str, value: &Value) -> String {
    let body = value.to_string();
    format!(
        "HTTP/1.1 {line}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A stream of events; without a length, so that its end is the end of the connection.
pub fn events(numbered: &[(u32, Value)]) -> String {
    let mut frames = String::new();
    for (number, value) in numbered {
        write!(frames, ": alive\n\nid: {number}\ndata: {value}\n\n").unwrap();
    }
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n{frames}"
    )
}
