//! One connection: lines in, lines out, and the requests of ours that wait for an answer. Knows nothing of sessions.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::rpc::{self, RpcError};

/// The longest line that is read: the files of a message in base64, and some room.
pub(crate) const LONGEST_LINE: usize = 32 << 20;

/// Lines that may wait for an editor that is slow to read; then whoever tells it something waits, too.
pub(crate) const WAITING_LINES: usize = 256;

type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>>>;

/// The other side.
#[derive(Clone)]
pub struct Peer {
    lines: mpsc::Sender<String>,
    waiting: Waiting,
    next: Arc<AtomicU64>,
}

impl Peer {
    /// Begins to write to the other side. Whoever says something waits while `most` lines are unread. The task ends
    /// when all that hold the peer are gone and all is written.
    pub fn open(
        mut to: impl AsyncWrite + Unpin + Send + 'static,
        most: usize,
    ) -> (Self, JoinHandle<()>) {
        let (lines, mut queue) = mpsc::channel::<String>(most);
        let writer = tokio::spawn(async move {
            while let Some(mut line) = queue.recv().await {
                line.push('\n');
                // Whoever does not read any more is gone, and the end of its input says so.
                if to.write_all(line.as_bytes()).await.is_err() || to.flush().await.is_err() {
                    return;
                }
            }
        });
        let peer = Self {
            lines,
            waiting: Arc::default(),
            next: Arc::new(AtomicU64::new(1)),
        };
        (peer, writer)
    }

    pub(crate) async fn notify(&self, method: &str, params: &impl Serialize) {
        self.write(rpc::notification(method, &json!(params))).await;
    }

    pub async fn answer(&self, id: &Value, result: Result<Value, RpcError>) {
        self.write(rpc::response(id, &result)).await;
    }

    /// Asks the other side something.
    pub(crate) async fn ask(&self, method: &str, params: &impl Serialize) -> Asked {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.waiting().insert(id, sender);
        self.write(rpc::request(id, method, &json!(params))).await;
        Asked {
            id,
            answer,
            peer: self.clone(),
        }
    }

    /// An answer came.
    pub(crate) fn settle(&self, id: &Value, result: Result<Value, RpcError>) {
        let waiting = id.as_u64().and_then(|id| self.waiting().remove(&id));
        if let Some(sender) = waiting {
            // Nobody may wait any more: the question was answered elsewhere.
            let _ = sender.send(result);
        }
    }

    async fn write(&self, line: String) {
        // It fails only when nobody reads, and then there is nobody to tell.
        let _ = self.lines.send(line).await;
    }

    fn waiting(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request of ours that waits for its answer.
pub(crate) struct Asked {
    id: u64,
    answer: oneshot::Receiver<Result<Value, RpcError>>,
    peer: Peer,
}

impl Asked {
    /// What was answered. May be called again when it was given up before.
    pub(crate) async fn answered(&mut self) -> Result<Value, RpcError> {
        let answer = (&mut self.answer).await;
        answer.unwrap_or_else(|_| Err(RpcError::failed("the other side is gone")))
    }

    /// Tells the other side that no answer is wanted any more.
    pub(crate) async fn withdraw(self) {
        self.peer.waiting().remove(&self.id);
        let params = json!({ "requestId": self.id });
        self.peer.notify("$/cancel_request", &params).await;
    }
}

/// Reads one line, without its end; nothing at the end of the input.
///
/// # Errors
/// When the input fails, or with [`io::ErrorKind::InvalidData`] when the line is too long; the line is gone then, and
/// the next can be read.
pub async fn read_line(
    from: &mut (impl AsyncBufRead + Unpin),
    longest: usize,
) -> io::Result<Option<Vec<u8>>> {
    let (mut line, mut is_too_long) = (Vec::new(), false);
    loop {
        let ready = from.fill_buf().await?;
        if ready.is_empty() {
            return Ok((!line.is_empty()).then_some(line));
        }
        let end = ready.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(ready.len(), |end| end + 1);
        let text = ready.get(..end.unwrap_or(taken)).unwrap_or_default();
        is_too_long |= line.len() + text.len() > longest;
        if !is_too_long {
            line.extend_from_slice(text);
        }
        from.consume(taken);
        if end.is_none() {
            continue;
        }
        if is_too_long {
            let most = longest >> 20;
            let error = format!("a message may have {most} MiB, and this one has more");
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        return Ok(Some(line));
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    #[tokio::test]
    async fn lines_come_in_any_split_and_one_that_is_too_long_harms_no_other() {
        let mut input = b"one\n\ntwo\n".to_vec();
        input.extend(vec![b'x'; LONGEST_LINE + 1]);
        input.extend(b"\nthree");
        for size in [3, 8 << 10] {
            let mut from = BufReader::with_capacity(size, input.as_slice());
            let mut next = async || read_line(&mut from, LONGEST_LINE).await;
            assert_eq!(next().await.unwrap().unwrap(), b"one");
            assert_eq!(next().await.unwrap().unwrap(), b"");
            assert_eq!(next().await.unwrap().unwrap(), b"two");
            let error = next().await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert_eq!(next().await.unwrap().unwrap(), b"three");
            assert_eq!(next().await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn an_answer_reaches_whoever_asked_and_nobody_else() {
        let (near, far) = tokio::io::duplex(1 << 10);
        let (peer, _writer) = Peer::open(near, WAITING_LINES);
        let mut first = peer.ask("a", &json!({})).await;
        let second = peer.ask("b", &json!({})).await;
        second.withdraw().await;
        peer.settle(&json!(2), Ok(json!("too late")));
        peer.settle(&json!("odd"), Ok(json!(0)));
        peer.settle(&json!(1), Ok(json!("yes")));
        assert_eq!(first.answered().await, Ok(json!("yes")));
        let mut far = BufReader::new(far);
        let mut methods = Vec::new();
        for _ in 0..3 {
            let line = read_line(&mut far, LONGEST_LINE).await.unwrap().unwrap();
            let line: Value = serde_json::from_slice(&line).unwrap();
            methods.push(line["method"].as_str().unwrap().to_owned());
        }
        assert_eq!(methods, ["a", "b", "$/cancel_request"]);
    }
}
