//! The program's output on its way to the screen. It goes there in portions of bounded work, and whoever asks or tells
//! us something has a turn between two of them, whatever the program prints.

use synapse_term::screen::Meter;

use super::Session;
use crate::turn::Input;
use synapse_pty::Piece;

/// What the screen has not taken yet of the piece that came last. Those who watch have seen all of it.
#[derive(Debug, Default)]
pub(super) struct PendingOutput {
    bytes: Vec<u8>,
    fed: usize,
    meter: Meter,
}

impl PendingOutput {
    pub(super) fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.fed..).unwrap_or_default()
    }
}

impl Session {
    /// Whether more output can be taken.
    pub(super) fn takes_output(&self) -> bool {
        self.unfed.is_empty() && self.display_waits_until().is_none()
    }

    /// The program wrote something.
    pub(super) fn take(&mut self, piece: Piece) {
        self.pass_to_viewers(&piece);
        let now = self.now();
        self.unfed.bytes = piece.bytes;
        self.unfed.fed = self.watcher.skip_unseen(&self.unfed.bytes, now);
        if self.unfed.fed > 0 {
            // Lines were skipped, and text follows them.
            self.unfed.meter = Meter::default();
        }
        self.feed();
    }

    /// Gives the screen one portion of what the program wrote, and draws the consequences behind the last.
    pub(super) fn feed(&mut self) {
        let now = self.now();
        let size = self.watcher.screen().size();
        let PendingOutput { bytes, fed, meter } = &mut self.unfed;
        let rest = bytes.get(*fed..).unwrap_or_default();
        let length = meter.portion(rest, size);
        self.ledger.board.set_look(None);
        self.watcher
            .feed(rest.get(..length).unwrap_or_default(), now);
        *fed += length;
        if self.unfed.is_empty() {
            self.seen(self.unfed.bytes.len());
        }
    }

    /// We paint something in the program's place.
    pub(super) fn paint(&mut self, bytes: &[u8]) {
        while !self.unfed.is_empty() {
            self.feed();
        }
        let mut all = self.uncover();
        all.extend_from_slice(bytes);
        self.show(&all);
        self.ledger.board.set_look(None);
        self.watcher.feed(bytes, self.now());
        self.seen(bytes.len());
    }

    /// This much was painted.
    fn seen(&mut self, length: usize) {
        let now = self.now();
        self.ledger.board.add_painted(length);
        self.memory.note_painted(length);
        self.painted_at = now;
        let modes = self.watcher.screen().modes();
        self.ledger.board.set_alternate(modes.alternate_screen);
        self.step(Input::Output, now);
        if let Some(running) = &mut self.running {
            running.growth.note_output();
        }
        let answers = self.watcher.screen().take_answers();
        if self.answers_queries && !answers.is_empty() {
            self.write(&answers, now);
        }
        self.advance(now);
    }

    /// What brings a terminal to what all who watch see: the screen, and what it has not taken yet.
    pub(super) fn shown_screen(&mut self) -> Vec<u8> {
        let mut all = self.watcher.screen().snapshot();
        all.extend_from_slice(self.unfed.rest());
        all
    }
}
