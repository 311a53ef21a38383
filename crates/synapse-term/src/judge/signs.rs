//! What a screen says of itself: that its program works, how it is stopped, where one types.

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::common::SILENT_PATIENCE;
use super::facts::{Facts, Submission};
use crate::chrome::{is_rule, left_border, unboxed};
use crate::frame::{Frame, width};
use crate::pattern::constant;
use crate::prompt::FORM_HINT;
use crate::reading::Evidence;
use crate::reply::is_addressed;
use crate::signal::Mark;

/// A working program repaints at least this often; an older sign of work is a quotation.
const SIGN_LIFETIME: Duration = Duration::from_millis(2_200);

/// The same for a row that has a spinner and says how to stop.
const SPINNER_LIFETIME: Duration = Duration::from_secs(8);

static WORKING: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(esc|escape|ctrl[-+ ]?c|\^c)\b(\s+\w+){0,2}\s+(to\s+)?(interrupt|stop|abort|cancel.*\d+\s*s\b)|(…|\.\.\.|\(\d+\s*[ms]\b).*\b(esc|ctrl[-+ ]?c)\b\s+(to\s+)?cancel",
    )
});

/// Until when a sign of work on a screen that stands still is believed. While no reply is to be
/// seen it may be a program that says once what it does; afterwards it is a quotation.
fn sign_end(facts: &Facts) -> Duration {
    let patience = if facts.awaits_reply() {
        SILENT_PATIENCE
    } else {
        SIGN_LIFETIME
    };
    facts.last_change + patience
}

impl super::Judge {
    /// Whether the last frame shows a bare prompt in its last row, as those of shells and interpreters are. One that
    /// speaks to somebody (`You:`) is none, nor one below a rule across the screen.
    pub fn is_at_line_prompt(&self) -> bool {
        let frame = &self.view.frame;
        let (row, before) = (frame.cursor.row, frame.before_cursor());
        let start = frame.line_start(row);
        let above = start.checked_sub(1).map_or("", |row| frame.text(row));
        frame.cursor.is_visible
            && !frame.modes.alternate_screen
            && frame.last_row() == Some(row)
            && !before.trim().is_empty()
            && left_border(&before).is_none()
            && !(is_rule(above) && width(above) + 2 >= frame.cols)
            && !is_addressed(before.trim_end())
    }
}

/// Whether a row tells of something that is being done.
pub(super) fn tells_of_work(text: &str) -> bool {
    let text = text.trim();
    spins(text) || WORKING.is_match(text) || text.ends_with('…') || text.ends_with("...")
}

/// A sign that the program works, and until when it is believed if nothing changes.
pub(super) fn working_sign(
    facts: &Facts,
    frame: &Frame,
    now: Duration,
) -> Option<(Evidence, Duration)> {
    let end = sign_end(facts);
    let says_rest = facts.agent.is_some_and(|(agent, _)| !agent.is_open());
    if now >= end.max(facts.last_change + SPINNER_LIFETIME) || says_rest {
        return None;
    }
    if facts.mark == Some(Mark::OutputStart) && facts.marks_paired && now < end {
        return Some((Evidence::new("OSC 133", "output"), end));
    }
    if spins(&frame.title) && now < end {
        return Some((Evidence::new("title", frame.title.trim()), end));
    }
    let is_typed_in = |row: &usize| frame.cursor.is_visible && frame.cursor.row == *row;
    // What moves while nothing was asked is a picture.
    let moves = facts
        .motion
        .animated(now)
        .filter(|(row, _)| !is_typed_in(row));
    if let Some((row, until)) =
        moves.filter(|_| facts.given != Submission::Nothing && facts.reacted)
    {
        let evidence = Evidence::new("row that moves", frame.text(row).trim());
        return Some((evidence, until));
    }
    let mut rows = live_rows(frame)
        .filter(|row| !is_typed_in(row))
        .map(|row| frame.text(row))
        // What is there at rest too is a reminder, not a sign.
        .filter(|text| !facts.resting_rows.iter().any(|row| row.text == **text));
    rows.find_map(|text| {
        let says = says_it_works(facts, text) && !FORM_HINT.is_match(text);
        // Nobody quotes a spinner: one that stands still is a program that is held up.
        let until = match (spins(text), says) {
            (true, true) => end.max(facts.last_change + SPINNER_LIFETIME),
            (true, false) | (false, true) => end,
            (false, false) => return None,
        };
        (now < until).then(|| (Evidence::new("busy line", text.trim()), until))
    })
}

/// Whether a row says how to stop what is being done, in words that are not the user's own.
fn says_it_works(facts: &Facts, text: &str) -> bool {
    WORKING.find(text).is_some_and(|found| {
        let sign = found.as_str().to_lowercase();
        !facts
            .own_signs
            .iter()
            .any(|own| own.contains(&sign) || sign.contains(own.as_str()))
    })
}

static STOP_KEY: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)(?:\b(esc(?:ape)?)|(\bctrl[-+ ]?c|\^c))\b(?:\s+\w+){0,2}\s+(?:to\s+)?(?:interrupt|stop|abort|cancel)\b",
    )
});

/// The key that a screen names to stop the program.
pub(super) fn named_key(frame: &Frame) -> Option<&'static str> {
    live_rows(frame).find_map(|row| {
        let text = frame.text(row);
        let groups = STOP_KEY
            .captures(text)
            .filter(|_| !FORM_HINT.is_match(text))?;
        Some(if groups.get(1).is_some() {
            "Escape"
        } else {
            "ctrl-c"
        })
    })
}

/// The signs of work in a text.
pub(super) fn signs_in(text: &str) -> Vec<String> {
    WORKING
        .find_iter(text)
        .map(|found| found.as_str().to_lowercase())
        .collect()
}

/// Whether a text begins with a spinner: one braille glyph by itself. Several are a picture.
fn spins(text: &str) -> bool {
    let mut chars = text.trim_start().chars();
    let is_spinner = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
    chars.next().is_some_and(is_spinner) && !chars.next().is_some_and(is_spinner)
}

/// The rows at the bottom in which programs tell how to stop them, the lowest first.
fn live_rows(frame: &Frame) -> impl Iterator<Item = usize> + '_ {
    let rows = (0..frame.rows.len()).rev();
    rows.filter(|row| !frame.text(*row).trim().is_empty())
        .take(LIVE_ROWS)
}

const LIVE_ROWS: usize = 12;

/// Whether a screen shows where to type: a cursor, a prompt, or words that ask for a message.
pub(super) fn shows_place(frame: &Frame) -> bool {
    frame.cursor.is_visible
        || frame.rows.iter().any(|row| {
            let text = unboxed(&row.text).1.trim_start();
            let mut chars = text.chars();
            let is_prompt = chars.next().is_some_and(|c| "❯›>»➜λ$".contains(c))
                && chars.next().is_none_or(char::is_whitespace);
            is_prompt || INVITATION.is_match(&row.text)
        })
}

static INVITATION: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(type|ask|enter|write|send|describe)\b.{0,24}(message|prompt|anything|question|command|task|\.\.\.|…|/)|(^|\s)/help\b|how can I help|what (can|would|do|should)\b.*\?",
    )
});

/// Whether much of the screen is a picture drawn with braille or blocks.
pub(super) fn has_picture(frame: &Frame) -> bool {
    let is_drawn = |c: &char| ('\u{2580}'..='\u{28ff}').contains(c);
    let is_picture = |text: &str| {
        let drawn = text.chars().filter(is_drawn).count();
        let all = text.chars().filter(|c| !c.is_whitespace()).count();
        drawn >= PICTURE_COLS && drawn * 3 > all * 2
    };
    let rows = frame.rows.iter().filter(|row| is_picture(&row.text));
    rows.count() >= PICTURE_ROWS
}

/// A picture is at least this high and wide.
const PICTURE_ROWS: usize = 8;
const PICTURE_COLS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(WORKING.is_match("✢ Musing… (3s · esc to interrupt)"));
        assert!(WORKING.is_match("ctrl+c to stop"));
        assert!(WORKING.is_match("Caching.. (0s · 4 tokens · esc to cancel)"));
        assert!(spins("⠙Caching") && !spins("⠙⠹ picture"));
        assert!(INVITATION.is_match("Enter your message..."));
        assert!(STOP_KEY.is_match("(esc to interrupt)"));
    }
}
