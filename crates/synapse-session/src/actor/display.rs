//! The actor's side of the human's terminal.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::Session;
use crate::front::Front;
use synapse_pty::Piece;

/// How long the terminal may take to show the program's last words.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The most that viewers are sent as one: with the number of parts that one may be behind, what is kept for them.
const VIEW_PART: usize = 64 * 1024;

impl Session {
    /// What the program wrote, on its way to all who watch: whatever covers the screen goes first.
    pub(super) fn pass_to_viewers(&mut self, piece: &Piece) {
        let shown = self.front.as_mut().map_or(0, |front| front.arrived(piece));
        let uncovered = self.uncover();
        if uncovered.is_empty() {
            if let Some(front) = &mut self.front {
                front.show(piece.bytes.get(shown..).unwrap_or_default());
            }
            self.send_to_viewers(&piece.bytes);
        } else {
            self.show(&[uncovered.as_slice(), &piece.bytes].concat());
        }
    }

    /// Shows something to all who watch.
    pub(super) fn show(&mut self, bytes: &[u8]) {
        if let Some(front) = &mut self.front {
            front.show(bytes);
        }
        self.send_to_viewers(bytes);
    }

    /// Nobody is waited for; a viewer who is too far behind takes a snapshot.
    fn send_to_viewers(&self, bytes: &[u8]) {
        if self.viewers.receiver_count() > 0 {
            for part in bytes.chunks(VIEW_PART) {
                let _ = self.viewers.send(Arc::from(part));
            }
        }
    }

    /// Shows the whole screen anew to all who watch.
    pub(super) fn repaint_all(&mut self) {
        if let Some(front) = &mut self.front {
            front.make_stale();
        }
        let shown = self.shown_screen();
        self.send_to_viewers(&shown);
    }

    /// Whether anybody watches.
    pub(super) fn is_watched(&self) -> bool {
        self.front.is_some() || self.viewers.receiver_count() > 0
    }

    /// Whether all who watch see what the screen shows, so that something can be drawn over it.
    pub(super) fn take_over_display(&mut self) -> bool {
        self.front.as_mut().is_none_or(Front::take_over)
    }

    /// The program was stopped, and the terminal is the shell's; or it goes on.
    pub(super) fn mute_display(&mut self, is_muted: bool) {
        if let Some(front) = &mut self.front {
            front.mute(is_muted);
        }
    }

    /// Paints the terminal anew if it must be, and lets it have the output at first hand again when nothing
    /// of ours is on it.
    pub(super) fn settle_display(&mut self) {
        // The terminal shows more than the screen until that has taken all of it.
        if !self.unfed.is_empty() {
            return;
        }
        let is_covered = self.is_covered();
        let Some(front) = &mut self.front else {
            return;
        };
        if front.wants_repaint() {
            let screen = self.watcher.screen();
            let mut all = screen.snapshot();
            if let Some(overlay) = &self.notices.shown {
                all.extend(screen.draw_over(overlay));
            }
            front.repaint(&all);
        }
        if !is_covered {
            front.give_back();
        }
    }

    /// Whether something waits for the terminal.
    pub(super) fn has_unshown(&self) -> bool {
        self.front.as_ref().is_some_and(Front::has_queue)
    }

    /// Until when the program waits for its terminal, which is slow but reads, if it does.
    pub(super) fn display_waits_until(&self) -> Option<Duration> {
        let until = self.front.as_ref()?.waits_until()?;
        Some(until.saturating_duration_since(self.start.into_std()))
    }

    /// The program is gone, or as good as gone: the terminal gets what it has not shown yet.
    pub(super) async fn show_last_words(&mut self) {
        let Some(front) = &mut self.front else {
            return;
        };
        let _ = timeout(LAST_WORDS, async {
            while front.has_queue() && front.flush_some().await.is_ok() {}
        })
        .await;
    }
}

/// Shows some of what waits; without a terminal there is nothing to do, ever.
pub(super) async fn flush(front: &mut Option<Front>) -> io::Result<()> {
    match front {
        Some(front) => front.flush_some().await,
        None => std::future::pending().await,
    }
}
