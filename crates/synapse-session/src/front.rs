//! The human's terminal in front of an agent. The thread that reads the program shows what it read before
//! it hands it on: nothing stands between the two, and a terminal that reads slowly slows the program as it
//! would without us, so that no line is lost. The way is shut while something of ours is on the screen, while
//! another job has the terminal, and when the terminal has stopped reading; then the session shows what
//! arrives, and skips what nobody will ever see.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};

use synapse_pty::{Piece, Tap, Writer};

/// A terminal that takes nothing for so long has stopped (Ctrl-S, a frozen connection): it holds nobody.
const STOPPED: Duration = Duration::from_millis(200);

/// With so much waiting for the terminal the program waits too.
const MOST_QUEUED: usize = 1 << 20;

/// The terminal, as the session has it.
pub(super) struct Front {
    display: Writer,
    way: Arc<Way>,
    /// What the way was when we last looked. The reader may have shut it since; the next piece tells.
    is_shut: bool,
    /// Another job has the terminal.
    is_muted: bool,
    /// What the terminal shows is not what it should show.
    is_stale: bool,
    /// When the terminal last took something, or was given something after it had taken all.
    moved_at: Instant,
}

impl Front {
    /// Puts a terminal in front; the reader of the program needs the other half.
    ///
    /// # Errors
    /// If the terminal cannot be used.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O.
    pub(super) fn new(display: OwnedFd) -> io::Result<(Self, Tap)> {
        // Who sees the program can also reach it: it is shown once the session runs.
        let way = Arc::new(Way::default());
        way.lock().is_shut = true;
        let (reader, terminal) = (Arc::clone(&way), display.try_clone()?);
        let front = Self {
            display: Writer::new(display)?,
            way,
            is_shut: true,
            is_muted: false,
            is_stale: false,
            moved_at: Instant::now(),
        };
        Ok((front, Box::new(move |bytes| reader.pass(&terminal, bytes))))
    }

    /// A piece has arrived: how much of it the terminal has already.
    pub(super) fn arrived(&mut self, piece: &Piece) -> usize {
        let mut gate = self.way.lock();
        match piece.tapped {
            Some(shown) => gate.ahead = gate.ahead.saturating_sub(shown),
            None => gate.behind = gate.behind.saturating_sub(1),
        }
        self.is_shut = gate.is_shut;
        piece.tapped.unwrap_or(0)
    }

    /// From here on the session shows what arrives. Whether the terminal shows what the session's screen
    /// shows, so that something can be drawn over it: not while something is on its way.
    pub(super) fn take_over(&mut self) -> bool {
        let mut gate = self.way.lock();
        gate.is_shut = true;
        gate.is_opening = false;
        self.way.changed.notify_all();
        self.is_shut = true;
        gate.is_level() && !self.is_stale && !self.is_muted
    }

    /// Shows something behind all that was shown before.
    pub(super) fn show(&mut self, bytes: &[u8]) {
        if bytes.is_empty() || self.is_muted || self.is_stale {
            return;
        }
        if self.display.is_empty() {
            self.moved_at = Instant::now();
        }
        if self.display.push(bytes).is_err() {
            self.make_stale();
        }
    }

    /// What the terminal shows is no longer ours, or too far behind: it is painted anew when it can be.
    pub(super) fn make_stale(&mut self) {
        self.take_over();
        self.display.discard();
        self.is_stale = true;
    }

    /// Another job has the terminal, or we have it again.
    pub(super) fn mute(&mut self, is_muted: bool) {
        if self.is_muted != is_muted {
            self.is_muted = is_muted;
            self.make_stale();
        }
    }

    /// Whether the terminal wants the whole screen now. It does not while a stretch of output is on its
    /// way that it has already, or it would show that twice or never.
    pub(super) fn wants_repaint(&self) -> bool {
        self.is_stale && !self.is_muted && self.way.lock().is_level()
    }

    /// Paints the whole screen.
    pub(super) fn repaint(&mut self, snapshot: &[u8]) {
        self.is_stale = false;
        self.show(snapshot);
    }

    /// Lets the reader show things itself again, as soon as all that came before is shown.
    pub(super) fn give_back(&mut self) {
        if !self.is_shut || self.is_muted || self.is_stale || !self.display.is_empty() {
            return;
        }
        let mut gate = self.way.lock();
        gate.is_shut = gate.ahead > 0 || gate.behind > 0 || gate.is_showing;
        // A program that never pauses is paused until what is on its way has been shown.
        gate.is_opening = gate.is_shut;
        self.is_shut = gate.is_shut;
        self.way.changed.notify_all();
    }

    /// Whether something waits to be shown.
    pub(super) fn has_queue(&self) -> bool {
        !self.display.is_empty()
    }

    /// Until when the program is to wait for the terminal, if it is.
    pub(super) fn waits_until(&self) -> Option<Instant> {
        let until = self.moved_at + STOPPED;
        (self.display.queued() > MOST_QUEUED && Instant::now() < until).then_some(until)
    }

    /// Shows some of what waits. Safe to cancel.
    pub(super) async fn flush_some(&mut self) -> io::Result<()> {
        self.display.flush_some().await?;
        self.moved_at = Instant::now();
        Ok(())
    }
}

/// How pieces get past the session to the terminal.
#[derive(Default)]
struct Way {
    gate: Mutex<Gate>,
    changed: Condvar,
}

#[derive(Default)]
struct Gate {
    is_shut: bool,
    /// It is shut only until what is on its way has been shown.
    is_opening: bool,
    /// The reader is in the middle of a piece.
    is_showing: bool,
    /// Bytes on their way to the session that the reader has shown.
    ahead: usize,
    /// Pieces on their way of which it has shown nothing.
    behind: usize,
}

impl Gate {
    /// Whether the terminal has nothing that the session has not.
    fn is_level(&self) -> bool {
        !self.is_showing && self.ahead == 0
    }
}

impl Way {
    /// Shows a piece, on the reader's thread; how much of it.
    fn pass(&self, terminal: &OwnedFd, bytes: &[u8]) -> Option<usize> {
        let mut gate = self.lock();
        if gate.is_opening {
            let waited = self
                .changed
                .wait_timeout_while(gate, STOPPED, |gate| gate.is_opening)
                .unwrap_or_else(PoisonError::into_inner);
            gate = waited.0;
            gate.is_opening = false;
        }
        if gate.is_shut {
            gate.behind += 1;
            return None;
        }
        gate.is_showing = true;
        drop(gate);
        let shown = self.show(terminal, bytes);
        let mut gate = self.lock();
        gate.is_showing = false;
        gate.is_shut |= shown < bytes.len();
        gate.ahead += shown;
        if shown == 0 {
            gate.behind += 1;
            return None;
        }
        Some(shown)
    }

    fn show(&self, terminal: &OwnedFd, bytes: &[u8]) -> usize {
        let mut shown = 0;
        while let Some(rest @ [_, ..]) = bytes.get(shown..) {
            match retry_on_intr(|| rustix::io::write(terminal, rest)) {
                Ok(written @ 1..) => shown += written,
                Err(Errno::AGAIN) if !self.lock().is_shut && is_reading(terminal) => {}
                Ok(_) | Err(_) => break,
            }
        }
        shown
    }

    /// Nothing in here can be left half done by a panic.
    fn lock(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until the terminal takes something; not for ever.
fn is_reading(terminal: &OwnedFd) -> bool {
    let patience = Timespec::try_from(STOPPED).ok();
    let mut fds = [PollFd::new(terminal, PollFlags::OUT)];
    matches!(
        poll(&mut fds, patience.as_ref()),
        Ok(1..) | Err(Errno::INTR)
    )
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, Read};
    use std::thread;

    use super::*;

    fn front() -> (Front, Tap, PipeReader) {
        let (reader, writer) = io::pipe().unwrap();
        let (mut front, tap) = Front::new(writer.into()).unwrap();
        front.give_back();
        (front, tap, reader)
    }

    fn piece(tap: &mut Tap, bytes: &[u8]) -> Piece {
        Piece {
            bytes: bytes.to_vec(),
            tapped: tap(bytes),
        }
    }

    /// What the session does with a piece.
    fn take(front: &mut Front, piece: &Piece) {
        let shown = front.arrived(piece);
        front.show(&piece.bytes[shown..]);
    }

    fn read(terminal: &mut PipeReader, most: usize) -> String {
        let mut buffer = vec![0; most];
        let count = terminal.read(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..count]).into_owned()
    }

    /// All that a terminal is shown until nobody shows it anything.
    fn read_all(terminal: &mut PipeReader, pause: Duration) -> Vec<u8> {
        let (mut all, mut buffer) = (Vec::new(), [0; 16 * 1024]);
        while let Ok(count @ 1..) = terminal.read(&mut buffer) {
            all.extend_from_slice(&buffer[..count]);
            // This is what makes it slow.
            thread::sleep(pause);
        }
        all
    }

    async fn flush(front: &mut Front) {
        while front.has_queue() {
            front.flush_some().await.unwrap();
        }
    }

    #[tokio::test]
    async fn nothing_is_shown_before_the_session_runs() {
        let (_reader, writer) = io::pipe().unwrap();
        let (mut front, mut tap) = Front::new(writer.into()).unwrap();
        let early = piece(&mut tap, b"early");
        assert_eq!(early.tapped, None);
        take(&mut front, &early);
        front.give_back();
        assert_eq!(tap(b"later"), Some(5));
    }

    #[tokio::test]
    async fn a_terminal_that_reads_slowly_loses_nothing() {
        let (front, mut tap, mut terminal) = front();
        let text: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
        let expected = text.clone();
        let pause = Duration::from_millis(1);
        let reading = thread::spawn(move || read_all(&mut terminal, pause));
        for bytes in text.chunks(64 * 1024) {
            assert_eq!(tap(bytes), Some(bytes.len()));
        }
        drop((tap, front));
        assert!(reading.join().unwrap() == expected);
    }

    #[tokio::test]
    async fn a_terminal_that_has_stopped_holds_nobody_and_is_served_again_when_it_reads() {
        let (mut front, mut tap, mut terminal) = front();
        let long = vec![b'x'; 1 << 20];
        let first = piece(&mut tap, &long);
        assert!(first.tapped.is_some_and(|shown| shown < long.len()));
        let second = piece(&mut tap, b"second");
        assert_eq!(second.tapped, None, "the way is shut");
        take(&mut front, &first);
        take(&mut front, &second);
        front.give_back();
        assert_eq!(tap(b"").map(|_| ()), None, "not before all is shown");
        let reading = thread::spawn(move || read_all(&mut terminal, Duration::ZERO));
        flush(&mut front).await;
        // The empty piece above is still on its way.
        take(
            &mut front,
            &Piece {
                bytes: Vec::new(),
                tapped: None,
            },
        );
        front.give_back();
        assert_eq!(tap(b"third"), Some(5));
        drop((tap, front));
        let all = reading.join().unwrap();
        assert!(all == [&long[..], b"secondthird"].concat());
    }

    #[tokio::test]
    async fn what_is_drawn_over_the_screen_is_behind_all_the_terminal_had_before() {
        let (mut front, mut tap, mut terminal) = front();
        let first = piece(&mut tap, b"first ");
        assert!(!front.take_over(), "the session has not seen it yet");
        take(&mut front, &first);
        assert!(front.take_over());
        front.show(b"[notice]");
        let second = piece(&mut tap, b" second");
        assert_eq!(second.tapped, None);
        take(&mut front, &second);
        front.give_back();
        assert_eq!(tap(b" third"), Some(6));
        assert_eq!(read(&mut terminal, 64), "first [notice] second third");
    }

    #[tokio::test]
    async fn a_program_that_never_pauses_gets_the_terminal_back() {
        let (mut front, mut tap, _terminal) = front();
        assert!(front.take_over());
        let waiting = piece(&mut tap, b"on its way");
        front.give_back();
        let reader = thread::spawn(move || tap(b"next"));
        // Whether the reader waits already or not, it is let through.
        take(&mut front, &waiting);
        front.give_back();
        assert_eq!(reader.join().unwrap(), Some(4));
    }

    #[tokio::test]
    async fn while_another_job_has_the_terminal_nothing_is_shown() {
        let (mut front, mut tap, mut terminal) = front();
        front.mute(true);
        let unseen = piece(&mut tap, b"unseen");
        assert_eq!(unseen.tapped, None);
        take(&mut front, &unseen);
        front.give_back();
        assert!(!front.wants_repaint());
        front.mute(false);
        assert!(front.wants_repaint());
        front.repaint(b"whole screen");
        front.give_back();
        assert_eq!(tap(b", live"), Some(6));
        assert_eq!(read(&mut terminal, 64), "whole screen, live");
    }

    #[tokio::test]
    async fn a_terminal_too_far_behind_is_painted_anew_once_the_session_has_seen_all_it_had() {
        let (mut front, mut tap, _terminal) = front();
        let ahead = piece(&mut tap, b"ahead");
        front.show(&vec![b'x'; 2 << 20]);
        front.show(&vec![b'y'; 1 << 20]);
        assert!(!front.has_queue(), "what is out of date is not shown");
        assert!(!front.wants_repaint(), "the screen lacks what is ahead");
        take(&mut front, &ahead);
        assert!(front.wants_repaint());
    }

    #[tokio::test]
    async fn the_program_waits_for_a_terminal_that_has_much_to_show() {
        let (mut front, _tap, _terminal) = front();
        front.show(&vec![b'x'; MOST_QUEUED / 2]);
        assert_eq!(front.waits_until(), None);
        front.show(&vec![b'x'; MOST_QUEUED]);
        assert_eq!(front.waits_until(), Some(front.moved_at + STOPPED));
        front.moved_at -= STOPPED;
        assert_eq!(front.waits_until(), None, "it has stopped");
    }
}
