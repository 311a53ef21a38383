//! Reads the program's output. One thread reads it and passes it on through a bounded channel: if nobody
//! receives it, the thread waits, and so does the program.

use std::io;
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use tokio::sync::mpsc;

/// The most that is read before anything else is done. The kernel gives 4 KiB per read; joined, they wake the owner less.
const CHUNK: usize = 64 * 1024;

/// The most that is read before it is shown. Program, reader and terminal work at the same time only as long as the
/// kernel's buffers between them, of some 10 KiB each, are neither full nor empty: while 64 KiB are read the terminal has
/// nothing to do, and while they are shown the program waits.
const SHOWN_AT_ONCE: usize = 8 * 1024;

/// The most that is handed over at once. Of much at once the owner need only look at the end.
const MOST: usize = 2 << 20;

/// How many pieces are under way; with the one that is being gathered, at most 6 MiB.
const PIECES: usize = 2;

/// How long a program must print much for a flood: as long as a display shows one picture.
const MOMENT: Duration = Duration::from_millis(16);

/// How long the owner of a flood may wait for a piece of it. The terminal shows it meanwhile; everybody else sees 20
/// pictures a second.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long an owner who is busy is given before it is looked whether there is room.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

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
        let (sender, pieces) = mpsc::channel(PIECES);
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

    /// Output that somebody else reads and passes on.
    pub fn passed_on(pieces: mpsc::Receiver<Piece>) -> Self {
        Self {
            pieces,
            stop: None,
            thread: None,
        }
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
#[derive(Clone, Copy, PartialEq, Eq)]
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
    let mut buffer = vec![0; if tap.is_some() { SHOWN_AT_ONCE } else { CHUNK }];
    // What the tap has taken whole is handed over together, so that a flood wakes the owner less.
    let mut held = Vec::new();
    let mut held_since = Instant::now();
    let mut pace = Pace::new(held_since);
    let send = |bytes: Vec<u8>, tapped| {
        bytes.is_empty() || pieces.blocking_send(Piece { bytes, tapped }).is_ok()
    };
    loop {
        let (filled, pause) = fill(master, &mut buffer);
        let news = buffer.get(..filled).unwrap_or_default();
        let tapped = match &mut tap {
            Some(tap) if filled > 0 => tap(news),
            _ => None,
        };
        let now = Instant::now();
        pace.note(filled, now);
        if held.is_empty() {
            held_since = now;
        }
        let is_whole = tap.is_none() || filled == 0 || tapped == Some(filled);
        if is_whole {
            held.extend_from_slice(news);
        }
        let has_room = is_whole && held.len() + CHUNK <= MOST;
        let is_in_time = now < held_since + PATIENCE;
        let may_hold =
            has_room && pace.is_flood && is_in_time || has_room && pieces.capacity() == 0;
        // More may have come while it was shown.
        let has_shown = has_room && tap.is_some() && filled > 0 && held.len() < CHUNK;
        match pause {
            Pause::Full if may_hold || has_shown => continue,
            Pause::Dry if has_shown => continue,
            Pause::Dry if may_hold && !held.is_empty() && !pieces.is_closed() => {
                let left = PATIENCE.saturating_sub(now.saturating_duration_since(held_since));
                // Who prints nothing for a moment floods no longer.
                match wait(master, stopped, Some(left.clamp(SHORTEST_WAIT, MOMENT))) {
                    Wait::Readable => continue,
                    // Who waits for the owner shows nothing.
                    Wait::InVain if pieces.capacity() == 0 => continue,
                    Wait::InVain | Wait::Over => {}
                }
            }
            _ => {}
        }
        let shown = tap.is_some().then_some(held.len());
        if !send(std::mem::take(&mut held), shown) || !is_whole && !send(news.to_vec(), tapped) {
            return;
        }
        match pause {
            Pause::Full => {}
            Pause::Dry if wait(master, stopped, None) == Wait::Readable => {}
            Pause::Dry | Pause::End => return,
        }
    }
}

/// How much a program prints.
struct Pace {
    since: Instant,
    bytes: usize,
    /// It printed more in the last moment than anybody can see.
    is_flood: bool,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self {
            since: now,
            bytes: 0,
            is_flood: false,
        }
    }

    fn note(&mut self, bytes: usize, now: Instant) {
        let passed = now.saturating_duration_since(self.since);
        if passed >= MOMENT {
            self.is_flood = self.bytes > 2 * CHUNK && passed < 2 * MOMENT;
            (self.since, self.bytes) = (now, 0);
        }
        self.bytes += bytes;
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

/// What came of waiting.
#[derive(PartialEq, Eq)]
enum Wait {
    /// There is something to read, or the end to be seen.
    Readable,
    InVain,
    /// It was told to stop, and there is nothing to read.
    Over,
}

fn wait(master: &OwnedFd, stopped: &io::PipeReader, patience: Option<Duration>) -> Wait {
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    let mut fds = [
        PollFd::new(master, PollFlags::IN),
        PollFd::new(stopped, PollFlags::empty()),
    ];
    let polled = retry_on_intr(|| poll(&mut fds, patience.as_ref()));
    let [master, stopped] = fds;
    match polled {
        Ok(_) if !master.revents().is_empty() => Wait::Readable,
        Ok(_) if stopped.revents().is_empty() => Wait::InVain,
        Ok(_) | Err(_) => Wait::Over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_much_in_a_moment_is_a_flood() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for moment in 1..4 {
            pace.note(CHUNK, start + MOMENT * moment);
            assert!(!pace.is_flood, "moment {moment}");
        }
        pace.note(2 * CHUNK, start + MOMENT * 3);
        pace.note(CHUNK, start + MOMENT * 4);
        assert!(pace.is_flood);
        pace.note(3 * CHUNK, start + MOMENT * 4);
        pace.note(1, start + MOMENT * 60);
        assert!(!pace.is_flood, "it has rested since");
    }

    #[test]
    fn what_the_tap_has_taken_is_handed_over_whole_and_in_order() {
        let (program, written) = io::pipe().unwrap();
        rustix::io::ioctl_fionbio(&program, true).unwrap();
        let shown = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = std::sync::Arc::clone(&shown);
        let tap: Tap = Box::new(move |bytes| {
            seen.lock().unwrap().extend_from_slice(bytes);
            Some(bytes.len())
        });
        let mut output = Output::start(program.into(), Some(tap)).unwrap();
        let text: Vec<u8> = (0..8_u32 << 20).map(|n| (n % 251) as u8).collect();
        let mut writer = written;
        let taken = std::thread::scope(|scope| {
            let writing = scope.spawn(|| {
                io::Write::write_all(&mut writer, &text).unwrap();
                drop(writer);
            });
            let mut taken = Vec::new();
            while let Some(piece) = output.pieces.blocking_recv() {
                assert_eq!(piece.tapped, Some(piece.bytes.len()));
                assert!(piece.bytes.len() <= MOST);
                taken.extend_from_slice(&piece.bytes);
            }
            writing.join().unwrap();
            taken
        });
        assert!(taken == text && *shown.lock().unwrap() == text);
    }
}
