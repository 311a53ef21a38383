//! Reads the program's output. One thread reads it and passes it on through a bounded channel: if nobody
//! receives it, the thread waits, and so does the program.

use std::io;
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use tokio::sync::mpsc;

/// The most that is handed over at once. The kernel gives 4 KiB per read; joined, they wake the
/// owner less.
const CHUNK: usize = 64 * 1024;

/// With chunks of 64 KiB at most 1 MiB is under way.
const CHUNKS: usize = 16;

/// Sees what the program writes before anybody else, on the thread that reads it, and says how much of
/// it need not be seen again; nothing if it did not look. As long as it takes, the program waits.
pub type Tap = Box<dyn FnMut(&[u8]) -> Option<usize> + Send>;

/// A stretch of the program's output.
#[derive(Debug)]
pub struct Piece {
    pub bytes: Vec<u8>,
    /// How much of it the [`Tap`] has taken; nothing if it did not look.
    pub tapped: Option<usize>,
}

/// The program's output, in order.
#[derive(Debug)]
pub struct Output {
    pieces: mpsc::Receiver<Piece>,
    /// Closed, it tells the thread to end as soon as there is nothing to read.
    stop: Option<io::PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Output {
    /// Reads a master that does not block.
    pub(super) fn start(master: OwnedFd, tap: Option<Tap>) -> io::Result<Self> {
        let (sender, pieces) = mpsc::channel(CHUNKS);
        let (stopped, stop) = io::pipe()?;
        let thread = thread::Builder::new()
            .name("pty-output".into())
            .spawn(move || read_all(&master, &stopped, &sender, tap))?;
        Ok(Self {
            pieces,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// The next bytes, never empty; none when nobody has the terminal open any more. Safe to
    /// cancel.
    pub async fn recv(&mut self) -> Option<Vec<u8>> {
        self.next().await.map(|piece| piece.bytes)
    }

    /// The next bytes, as [`Output::recv`] has them, with what the tap said of them. Safe to cancel.
    pub async fn next(&mut self) -> Option<Piece> {
        self.pieces.recv().await
    }

    /// The next bytes, if they are here.
    pub fn try_recv(&mut self) -> Option<Vec<u8>> {
        self.pieces.try_recv().ok().map(|piece| piece.bytes)
    }

    /// Ends the output with what was written until now: for when the program has exited, but left
    /// somebody behind who has the terminal open.
    pub fn finish(&mut self) {
        self.stop = None;
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.pieces.close();
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Why reading paused.
enum Pause {
    Full,
    Dry,
    End,
}

fn read_all(
    master: &OwnedFd,
    stopped: &io::PipeReader,
    pieces: &mpsc::Sender<Piece>,
    mut tap: Option<Tap>,
) {
    let mut buffer = vec![0; CHUNK];
    // What the tap has taken whole is handed over together, so that a flood wakes the owner less.
    let mut taken = 0;
    loop {
        let room = buffer.get_mut(taken..).unwrap_or_default();
        let (filled, pause) = fill(master, room);
        let end = taken + filled;
        let news = buffer.get(taken..end).unwrap_or_default();
        let tapped = match &mut tap {
            Some(tap) if filled > 0 => tap(news),
            _ => None,
        };
        let is_whole = tapped == Some(filled);
        if is_whole && matches!(pause, Pause::Dry) && end < CHUNK {
            // More may have come meanwhile.
            taken = end;
            continue;
        }
        let (before, news) = buffer.split_at(if is_whole { end } else { taken });
        let news = news.get(..end - before.len()).unwrap_or_default();
        for (bytes, tapped) in [(before, Some(before.len())), (news, tapped)] {
            let bytes = bytes.to_vec();
            if !bytes.is_empty() && pieces.blocking_send(Piece { bytes, tapped }).is_err() {
                return;
            }
        }
        taken = 0;
        match pause {
            Pause::Full => {}
            Pause::Dry if is_readable(master, stopped) => {}
            Pause::Dry | Pause::End => return,
        }
    }
}

/// Reads what is there.
fn fill(master: &OwnedFd, buffer: &mut [u8]) -> (usize, Pause) {
    let mut filled = 0;
    let mut is_closed = false;
    loop {
        let Some(room @ [_, ..]) = buffer.get_mut(filled..) else {
            return (filled, Pause::Full);
        };
        match retry_on_intr(|| rustix::io::read(master, &mut *room)) {
            Ok(0) => return (filled, Pause::End),
            Ok(read) => filled += read,
            Err(Errno::AGAIN) => return (filled, Pause::Dry),
            // The last one who had the slave open closed it. A write just before that can be
            // overtaken by the news (about once in 30,000 times under stress), but not twice.
            Err(Errno::IO) if !is_closed => is_closed = true,
            Err(_) => return (filled, Pause::End),
        }
    }
}

/// Waits until there is something to read, or the end to be seen; not if told to stop.
fn is_readable(master: &OwnedFd, stopped: &io::PipeReader) -> bool {
    let mut fds = [
        PollFd::new(master, PollFlags::IN),
        PollFd::new(stopped, PollFlags::empty()),
    ];
    let polled = retry_on_intr(|| poll(&mut fds, None));
    let [master, _] = fds;
    polled.is_ok() && !master.revents().is_empty()
}
