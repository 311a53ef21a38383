//! Where notices stand on a screen: out of the way of the place where the person types, in at most a
//! third of the rows. Pure.

use std::ops::Range;

use synapse_term::frame::width;
use synapse_term::screen::Overlay;

/// What ends a notice that has more to say than there is room for.
const MORE: &str = "… the whole: synapse replies";

/// Fewer columns than this are no place for a line.
const NARROWEST: usize = 16;

/// The screen, as far as it matters.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) cols: usize,
    pub(super) rows: usize,
    pub(super) cursor: (usize, usize),
    /// The rows in which the person types.
    pub(super) typing: Range<usize>,
    /// Rows below the cursor exist on the person's terminal too.
    pub(super) has_own_rows: bool,
}

/// Lays out the notices, the oldest first.
pub(super) fn lay_out(texts: &[&str], place: &Place) -> Option<Overlay> {
    let most = (place.rows / 3).max(1);
    let busy = place.typing.start.min(place.cursor.0);
    let last_busy = place.typing.end.max(place.cursor.0 + 1);
    let (room_above, room_below) = (busy, place.rows.saturating_sub(last_busy));
    let width = place.cols;
    let lines = |count| wrapped(texts, width, count);
    if room_above > 0 && (!place.has_own_rows || room_above >= most.min(room_below)) {
        let lines = lines(most.min(room_above));
        return Some(Overlay {
            top: 0,
            left: 0,
            lines,
        });
    }
    if place.has_own_rows && room_below > 0 {
        let lines = lines(most.min(room_below));
        let top = place.rows - lines.len();
        return Some(Overlay {
            top,
            left: 0,
            lines,
        });
    }
    // The only row that is sure to exist is the cursor's own.
    let (top, left) = (place.cursor.0, place.cursor.1 + 2);
    let room = place.cols.checked_sub(left)?;
    (room >= NARROWEST).then(|| Overlay {
        top,
        left,
        lines: wrapped(texts, room, 1),
    })
}

/// The last `count` lines at most, and if not all is there, a word about the rest.
fn wrapped(texts: &[&str], width: usize, count: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // The newest is the one worth reading.
    for text in texts.iter().rev() {
        let mut block = wrap(text, width);
        let room = count - lines.len();
        if block.len() > room {
            if room < 2 && !lines.is_empty() {
                break;
            }
            if room == 1 {
                block = vec![shortened(&text.replace('\n', " "), width)];
            } else {
                block.truncate(room - 1);
                block.push(MORE.to_owned());
            }
        }
        block.append(&mut lines);
        lines = block;
        if lines.len() == count {
            break;
        }
    }
    lines
}

/// A line that says that it goes on.
fn shortened(line: &str, columns: usize) -> String {
    let room = columns.saturating_sub(1).max(1);
    let mut end = 0;
    let mut used = 0;
    for (at, c) in line.char_indices() {
        used += width(c.encode_utf8(&mut [0; 4]));
        if used > room {
            break;
        }
        end = at + c.len_utf8();
    }
    format!("{}…", line.get(..end).unwrap_or(line))
}

/// A text in lines of at most this width, broken between words where there are any.
fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest: String = line.chars().filter(|c| !c.is_control()).collect();
        loop {
            let end = end_of_row(&rest, columns);
            let tail = rest.split_off(end);
            lines.push(rest.trim_end().to_owned());
            tail.trim_start().clone_into(&mut rest);
            if rest.is_empty() {
                break;
            }
        }
    }
    lines
}

/// Where a row ends: behind the last word that fits, or behind the last character.
fn end_of_row(text: &str, columns: usize) -> usize {
    let (mut used, mut after_word) = (0, 0);
    for (at, c) in text.char_indices() {
        used += width(c.encode_utf8(&mut [0; 4]));
        if used > columns && at > 0 {
            return if after_word > 0 { after_word } else { at };
        }
        if c == ' ' {
            after_word = at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            cols: 40,
            rows: 24,
            cursor: (20, 2),
            typing: 19..22,
            has_own_rows: true,
        }
    }

    #[test]
    fn notices_stand_at_the_top_and_leave_the_box_alone() {
        let overlay = lay_out(&["[→ codex (local)]"], &place()).unwrap();
        assert_eq!((overlay.rows(), overlay.left), (0..1, 0));
        let high = Place {
            cursor: (0, 2),
            typing: 0..2,
            ..place()
        };
        assert_eq!(lay_out(&["hi"], &high).unwrap().rows(), 23..24);
    }

    #[test]
    fn where_rows_may_not_exist_the_cursors_own_is_shared() {
        let first = Place {
            cursor: (0, 7),
            typing: 0..1,
            has_own_rows: false,
            ..place()
        };
        let overlay = lay_out(&["hi\nthere"], &first).unwrap();
        assert_eq!((overlay.rows(), overlay.left), (0..1, 9));
        let narrow = Place { cols: 20, ..first };
        assert_eq!(lay_out(&["hi"], &narrow), None);
    }

    #[test]
    fn a_long_answer_is_cut_and_says_so() {
        let answer = "word ".repeat(400);
        let overlay = lay_out(&["old", &answer], &place()).unwrap();
        assert_eq!(overlay.lines.len(), 8);
        assert_eq!(overlay.lines.last().unwrap(), MORE);
        assert!(overlay.lines.iter().all(|line| width(line) <= 40));
    }

    #[test]
    fn wide_characters_and_words_too_long_for_a_row_are_broken() {
        assert_eq!(wrap("全角全角", 5), ["全角", "全角"]);
        assert_eq!(wrap("one two", 5), ["one", "two"]);
        assert_eq!(wrap("a\x1b[31mb\n\nc", 9), ["a[31mb", "", "c"]);
    }
}
