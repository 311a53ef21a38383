//! Notices: drawn over what viewers see, never into the screen itself, and taken away before the
//! program paints on.

use std::time::Duration;

use synapse_term::screen::Overlay;

use super::Session;
use crate::Notice;
use crate::notice::{Place, lay_out};

/// How long a notice is shown.
const LIFETIME: Duration = Duration::from_secs(8);

/// Who types on has not seen what appeared just now.
const GLANCE: Duration = Duration::from_secs(1);

/// Over a program that paints all the time notices are drawn again this often.
const REDRAW: Duration = Duration::from_millis(40);

/// More than this nobody can read at once.
const MOST: usize = 8;

/// What the person is being told.
#[derive(Default)]
pub(super) struct Notices {
    /// The oldest first.
    notes: Vec<Note>,
    pub(super) shown: Option<Overlay>,
    drawn_at: Duration,
    /// When to draw what the program's output took away.
    redraw_at: Option<Duration>,
}

struct Note {
    notice: Notice,
    since: Duration,
}

impl Notices {
    /// When something is to be done about them, if at all.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let ends = self.notes.iter().map(|note| note.since + LIFETIME).min();
        [ends, self.redraw_at].into_iter().flatten().min()
    }
}

impl Session {
    /// Tells the person something.
    pub(super) fn notify(&mut self, notice: Notice, now: Duration) {
        let notes = &mut self.notices.notes;
        notes.retain(|note| note.notice.about != notice.about);
        notes.push(Note { notice, since: now });
        let surplus = notes.len().saturating_sub(MOST);
        notes.drain(..surplus);
        self.draw_notices(now);
    }

    /// Whether something of ours covers the screen, or is about to.
    pub(super) fn is_covered(&self) -> bool {
        self.notices.shown.is_some() || self.notices.redraw_at.is_some()
    }

    /// What takes away whatever covers the screen; nothing if nothing does.
    pub(super) fn uncover(&mut self) -> Vec<u8> {
        let covered = self.notices.shown.take();
        covered.map_or_else(Vec::new, |overlay| {
            self.watcher.screen().repaint_rows(overlay.rows())
        })
    }

    /// The program has painted, or time has passed: shows what is still to be told.
    pub(super) fn refresh_notices(&mut self, now: Duration) {
        let notices = &mut self.notices;
        if notices.notes.is_empty() {
            return;
        }
        let before = notices.notes.len();
        notices.notes.retain(|note| now < note.since + LIFETIME);
        if notices.notes.len() != before {
            return self.draw_notices(now);
        }
        if notices.shown.is_some() {
            return;
        }
        if now >= notices.drawn_at + REDRAW {
            self.draw_notices(now);
        } else {
            notices.redraw_at = Some(notices.drawn_at + REDRAW);
        }
    }

    /// The person presses a key: what they have had time to read makes room.
    pub(super) fn dismiss_notices(&mut self, now: Duration) {
        let notices = &mut self.notices;
        if notices.notes.is_empty() {
            return;
        }
        let cursor = self.watcher.frame().cursor.row;
        let covers = notices.shown.as_ref();
        let covers = covers.is_some_and(|overlay| overlay.rows().contains(&cursor));
        let before = notices.notes.len();
        notices
            .notes
            .retain(|note| !covers && now < note.since + GLANCE);
        if notices.notes.len() != before {
            self.draw_notices(now);
        }
    }

    /// Drops all notices without a stroke; whether one was to be seen. A window that changes its size moves
    /// what it shows to places that nobody knows.
    pub(super) fn forget_notices(&mut self) -> bool {
        self.notices.notes.clear();
        self.notices.redraw_at = None;
        self.notices.shown.take().is_some()
    }

    /// Takes all notices away.
    pub(super) fn clear_notices(&mut self) {
        self.notices.notes.clear();
        self.notices.redraw_at = None;
        let bytes = self.uncover();
        if !bytes.is_empty() {
            self.show(&bytes);
        }
    }

    /// Draws the notices as they are now. In the middle of a sequence of the program's, or while some of
    /// its output is on its way past us, nothing can be drawn; it is tried again in a moment.
    fn draw_notices(&mut self, now: Duration) {
        let notices = &self.notices;
        if notices.shown.is_none() && notices.notes.is_empty() {
            self.notices.redraw_at = None;
            return;
        }
        let is_level = self.take_over_display();
        let is_free = is_level && self.watcher.screen().is_at_boundary();
        if self.notices.shown.is_none() && !is_free {
            self.notices.redraw_at = Some(now + REDRAW);
            return;
        }
        let mut bytes = self.uncover();
        self.notices.redraw_at = None;
        self.notices.drawn_at = now;
        let texts: Vec<&str> = self
            .notices
            .notes
            .iter()
            .map(|note| note.notice.text.as_str())
            .collect();
        if !texts.is_empty() && self.is_watched() {
            let place = place(&mut self.watcher);
            if let Some(overlay) = lay_out(&texts, &place) {
                bytes.extend(self.watcher.screen().draw_over(&overlay));
                self.notices.shown = Some(overlay);
            }
        }
        if !bytes.is_empty() {
            self.show(&bytes);
        }
    }
}

fn place(watcher: &mut synapse_term::watch::Watcher) -> Place {
    let frame = watcher.frame();
    let cursor = (frame.cursor.row, frame.cursor.col);
    let typing = watcher
        .input_box()
        // The rules around a box are part of it.
        .map(|found| found.top.saturating_sub(1)..found.bottom + 2);
    Place {
        cols: frame.cols,
        rows: frame.rows.len(),
        cursor,
        typing: typing.unwrap_or(cursor.0..cursor.0 + 1),
        has_own_rows: watcher.screen().has_own_rows(),
    }
}
