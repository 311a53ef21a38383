//! Which rows of a screen move, and which of that means nothing: a cursor that blinks, a picture
//! that has moved for seconds while nothing was asked.
//!
//! Only text counts. A program that paints the same text again, in other colours or not, stands
//! still.

use std::sync::Arc;
use std::time::Duration;

use crate::frame::{Frame, Row};

/// Changes of a row further apart than this are not one motion.
const PAUSE: Duration = Duration::from_millis(1_300);

/// A row that moves this often while nothing was asked...
const MOVES: u32 = 5;

/// ...for at least this long is decoration.
const SPAN: Duration = Duration::from_secs(2);

/// A row that has changed this often in place within one motion is animated.
const ANIMATED: u32 = 3;

/// More rows than this that change at once are a text that scrolls.
const FEW: usize = 4;

/// An animated row moves at least this often.
const LIVE: Duration = Duration::from_millis(900);

/// What is known of the rows of one screen.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    tracks: Vec<Track>,
}

/// What one row has done.
#[derive(Clone, Debug, Default)]
struct Track {
    /// The text before the present one.
    before: Option<Arc<Row>>,
    /// When the present stretch of changes began, and how many there were.
    since: Duration,
    moves: u32,
    /// The changes of that stretch that left most of the row as it was.
    in_place: u32,
    /// When it last changed.
    last: Duration,
    /// It moves while nothing was asked: the words it was seen to show meanwhile.
    decoration: Option<Vec<String>>,
}

impl Motion {
    /// Takes the next frame; says whether anything changed that may mean something.
    pub(super) fn note(&mut self, before: &Frame, after: &Frame, now: Duration) -> bool {
        if self.tracks.len() != after.rows.len() {
            self.tracks.clear();
            self.tracks.resize_with(after.rows.len(), Track::default);
        }
        let mut has_moved = before.rows.len() != after.rows.len();
        let pairs = before.rows.iter().zip(&after.rows);
        let changed = pairs.filter(|(old, new)| !Arc::ptr_eq(old, new) && old.text != new.text);
        let scrolls = changed.count() > FEW;
        for (index, track) in self.tracks.iter_mut().enumerate() {
            let (Some(new), old) = (after.rows.get(index), before.rows.get(index)) else {
                continue;
            };
            let is_same = old.is_some_and(|old| Arc::ptr_eq(old, new) || old.text == new.text);
            if is_same {
                continue;
            }
            let old = old.cloned().unwrap_or_default();
            let blinks = track
                .before
                .as_ref()
                .is_some_and(|earlier| earlier.text == new.text && is_blink(&old.text, &new.text));
            track.before = Some(old);
            if !blinks {
                has_moved |= track.step(new, now, scrolls);
            }
        }
        has_moved
    }

    /// When a row that means something last changed.
    pub(super) fn last(&self) -> Duration {
        let tracks = self.tracks.iter();
        tracks
            .filter(|track| track.decoration.is_none())
            .map(|track| track.last)
            .max()
            .unwrap_or_default()
    }

    /// Nothing was asked of the program: what has moved for long is decoration. `is_loading` says
    /// of a row that it tells of work. Says whether anything was learned.
    pub(super) fn learn(
        &mut self,
        frame: &Frame,
        now: Duration,
        is_loading: impl Fn(&str) -> bool,
    ) -> bool {
        let mut has_learned = false;
        // Below a picture stands the place to type; below a progress bar nothing does.
        let is_still = |(_, track): &(usize, &Track)| now > track.last + PAUSE;
        let filled = |(row, _): &(usize, &Track)| !frame.text(*row).trim().is_empty();
        let tracks = self.tracks.iter().enumerate().rev();
        let lowest = tracks
            .filter(filled)
            .find(is_still)
            .map_or(0, |(row, _)| row);
        for (track, row) in self.tracks.iter_mut().zip(&frame.rows).take(lowest) {
            let moves = track.decoration.is_none()
                && track.moves >= MOVES
                && track.last >= track.since + SPAN
                && now <= track.last + PAUSE;
            if moves && !is_loading(&row.text) {
                let before = track.before.as_ref().map_or("", |row| row.text.as_str());
                track.decoration = Some(words(before).chain(words(&row.text)).collect());
                has_learned = true;
            }
        }
        has_learned
    }

    /// The lowest row that is animated in place at this moment and is not decoration.
    /// With it, until when it is taken for that.
    pub(super) fn animated(&self, now: Duration) -> Option<(usize, Duration)> {
        let is_live = |track: &&Track| {
            track.decoration.is_none() && track.in_place >= ANIMATED && now < track.last + LIVE
        };
        let row = self.tracks.iter().rposition(|track| is_live(&track))?;
        let tracks = self.tracks.iter().filter(is_live);
        Some((row, tracks.map(|track| track.last + LIVE).max()?))
    }

    /// Whether a row was found to be decoration.
    pub(super) fn is_decoration(&self, row: usize) -> bool {
        self.tracks
            .get(row)
            .is_some_and(|track| track.decoration.is_some())
    }
}

impl Track {
    /// The row shows another text; says whether that may mean something.
    fn step(&mut self, new: &Row, now: Duration, scrolls: bool) -> bool {
        if now > self.last + PAUSE {
            (self.since, self.moves, self.in_place) = (now, 0, 0);
        }
        self.moves += 1;
        self.last = now;
        let old = self.before.as_ref().map_or("", |row| row.text.as_str());
        if !scrolls && is_in_place(old, &new.text) {
            self.in_place += 1;
        } else {
            self.in_place = 0;
        }
        // A picture that makes room for words is no picture any longer.
        if let Some(known) = &self.decoration
            && words(&new.text).any(|word| !known.contains(&word))
        {
            self.decoration = None;
        }
        self.decoration.is_none()
    }
}

/// The words of a text: runs of three letters or more.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().count() >= 3)
        .map(str::to_owned)
}

/// Whether two texts differ in one cell that is a painted cursor in one of them.
fn is_blink(one: &str, two: &str) -> bool {
    let (mut a, mut b) = (one.trim_end().chars(), two.trim_end().chars());
    let mut differing = None;
    loop {
        match (a.next(), b.next()) {
            (None, None) => break,
            (x, y) if x == y => {}
            (x, y) if differing.is_none() => differing = Some((x, y)),
            _ => return false,
        }
    }
    let is_cursor = |c: Option<char>| c.is_some_and(|c| CURSORS.contains(c));
    differing.is_some_and(|(x, y)| is_cursor(x) || is_cursor(y))
}

/// What programs paint for a cursor.
const CURSORS: &str = "█▉▊▋▌▍▎▏▐│┃|_▁▂▃▄▇▆▅■▮⎸";

/// Whether a row changed without becoming another: a spinner turned, a counter went on. Text that
/// grows at its end is being written.
fn is_in_place(old: &str, new: &str) -> bool {
    if old.trim().is_empty() || new.trim().is_empty() || new.starts_with(old.trim_end()) {
        return false;
    }
    let (old_len, new_len) = (old.chars().count(), new.chars().count());
    let same = old.chars().zip(new.chars()).filter(|(a, b)| a == b).count();
    let tail = old.chars().rev().zip(new.chars().rev());
    let same_tail = tail.filter(|(a, b)| a == b).count();
    old_len.abs_diff(new_len) <= 8 && (same.max(same_tail) * 2 >= new_len || new_len <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(rows: &[&str]) -> Frame {
        let row = |text: &&str| {
            Arc::new(Row {
                text: (*text).to_owned(),
                ..Row::default()
            })
        };
        Frame {
            rows: rows.iter().map(row).collect(),
            ..Frame::default()
        }
    }

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// Shows one frame after the other, each 200 ms later.
    fn show(motion: &mut Motion, frames: &[Frame]) -> Vec<bool> {
        let pairs = frames.iter().zip(frames.iter().skip(1)).zip(1..);
        pairs
            .map(|((before, after), n)| motion.note(before, after, ms(200 * n)))
            .collect()
    }

    #[test]
    fn a_painted_cursor_that_blinks_does_not_move_its_row() {
        let (on, off) = (frame(&["> a█"]), frame(&["> a"]));
        let mut motion = Motion::default();
        let frames = [on.clone(), off.clone(), on.clone(), off, on];
        assert_eq!(show(&mut motion, &frames), [true, false, false, false]);
    }

    #[test]
    fn a_picture_that_moves_while_nothing_was_asked_is_decoration_until_words_take_its_place() {
        let pictures: Vec<Frame> = (0..14)
            .map(|n| frame(&[["/\\_", "_/\\"][n % 2], "> "]))
            .collect();
        let mut motion = Motion::default();
        assert!(show(&mut motion, &pictures).iter().all(|moved| *moved));
        assert!(motion.learn(&pictures[13], ms(2_700), |_| false));
        assert!(!motion.note(&pictures[13], &pictures[0], ms(2_800)));
        assert!(motion.note(&pictures[0], &frame(&["Hello there", "> "]), ms(2_900)));
    }

    #[test]
    fn a_spinner_is_animated_and_a_text_that_grows_is_not() {
        let spinner: Vec<Frame> = ["|", "/", "-", "\\", "|"]
            .iter()
            .map(|c| frame(&[&format!("{c} Thinking about it")]))
            .collect();
        let mut motion = Motion::default();
        show(&mut motion, &spinner);
        assert_eq!(motion.animated(ms(900)), Some((0, ms(1_700))));
        let text: Vec<Frame> = ["one", "one two", "one two three", "one two three four"]
            .iter()
            .map(|text| frame(&[text]))
            .collect();
        let mut motion = Motion::default();
        show(&mut motion, &text);
        assert_eq!(motion.animated(ms(900)), None);
    }
}
