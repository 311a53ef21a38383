//! Finds the rules: what the screens of all lessons have in common at the same place.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use super::scene::{Exchange, Scene, bare, head};
use super::{Finding, quoted};
use crate::chrome::{Holds, find_box, is_rule};
use crate::frame::{Frame, width};
use crate::pattern::constant;
use crate::profile::{InputBox, Pattern};

/// Work that is shorter shows too little.
const LONG_ENOUGH: std::time::Duration = std::time::Duration::from_millis(400);

/// Between the input box and the rule below it are at most this many rows.
const DEEPEST_BOX: usize = 12;

/// Marks are no longer than this.
const LONGEST_MARK: usize = 16;

/// The words that name the key which stops the work.
static STOP_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(esc|escape|ctrl[-+ ]?c|\^c)\b( \w+){0,2} (to )?(interrupt|stop|abort|cancel)\b",
    )
});

/// Rules that belong together, and what they say.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) yaml: String,
    pub(super) found: Vec<Finding>,
}

impl Group {
    fn find(&mut self, about: &'static str, what: String, seen: usize, of: usize) {
        self.found.push(Finding {
            about,
            what,
            seen: (seen, of),
            is_kept: false,
        });
    }
}

/// All that was found, in the order in which it is tried.
pub(super) fn groups(scene: &Scene) -> Vec<Group> {
    vec![
        line_prompt(scene),
        signs(scene),
        speech(scene),
        interrupt(scene),
        dialogs(scene),
        paste(scene),
    ]
}

/// The prompt behind which a line program waits.
fn line_prompt(scene: &Scene) -> Group {
    let mut group = Group::default();
    let at = |exchange: &Exchange| exchange.rest.1.before_cursor();
    let Some(prompt) = common(scene.exchanges.iter().map(at)) else {
        return group;
    };
    let is_shown = scene.exchanges.iter().all(|e| e.rest.1.cursor.is_visible);
    let is_typed_there = |e: &&Exchange| e.submit.1.before_cursor().starts_with(&prompt);
    let seen = scene.exchanges.iter().filter(is_typed_there).count();
    if prompt.trim().is_empty() || !is_shown || seen == 0 || prompt.chars().count() > LONGEST_MARK {
        return group;
    }
    let _ = writeln!(
        group.yaml,
        "idle_regex: {}",
        quoted(&format!("^{}$", regex::escape(&prompt)))
    );
    let what = format!("the cursor waits behind «{prompt}»");
    group.find("rest", what, seen, scene.exchanges.len());
    group
}

/// Where the user types, and what is shown only during work.
fn signs(scene: &Scene) -> Group {
    let mut group = Group::default();
    let all = scene.exchanges.len();
    let (lines, seen, long) = work_lines(scene);
    if long > 0 && lines.is_empty() {
        group.find(
            "work",
            "nothing is shown during work that is not shown at rest".to_owned(),
            0,
            long,
        );
    }
    for line in &lines {
        group.find(
            "work",
            format!("a row with «{}»", plain_words(line)),
            seen,
            long,
        );
    }
    let rules = common(scene.exchanges.iter().filter_map(box_of));
    let Some(found) = rules else {
        return group;
    };
    let is_seen = |frame: &Frame| {
        let rules = found.rules();
        rules
            .and_then(|rules| find_box(frame, &rules))
            .map(|found| found.holds)
    };
    let is_empty = |e: &&Exchange| is_seen(&e.rest.1).is_some_and(|holds| holds != Holds::Text);
    let seen = scene.exchanges.iter().filter(is_empty).count();
    let place = if found.is_ruled {
        "between two rules"
    } else {
        "at the cursor"
    };
    group.find(
        "box",
        format!("behind «{}», {place}", found.mark),
        seen,
        all,
    );
    // Without a sign of work a box in sight would always mean rest.
    if lines.is_empty() || seen < all {
        return group;
    }
    let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
    let _ = writeln!(group.yaml, "busy:\n  lines: [{}]", lines.join(", "));
    let _ = writeln!(
        group.yaml,
        "idle:\n  box:\n    prompt: {}",
        quoted(&found.prompt())
    );
    let _ = writeln!(
        group.yaml,
        "    is_ruled: {}\n    has_cursor: {}",
        found.is_ruled, found.has_cursor
    );
    if let Some(hint) = common(scene.exchanges.iter().map(|e| found.hint(&e.rest.1))).flatten() {
        let _ = writeln!(
            group.yaml,
            "    placeholder: {}",
            quoted(&format!("^{}", regex::escape(&hint)))
        );
        group.find("box", format!("shows «{hint}» when it is empty"), all, all);
    }
    group
}

/// Patterns of rows that are there only during work; in how many long turns, and of how many.
fn work_lines(scene: &Scene) -> (Vec<String>, usize, usize) {
    let long: Vec<&Exchange> = scene
        .exchanges
        .iter()
        .filter(|e| e.span() >= LONG_ENOUGH)
        .collect();
    let at_rest: BTreeSet<String> = scene
        .exchanges
        .iter()
        .flat_map(|e| rows(&e.rest.1).chain(rows(&e.after.1)))
        .collect();
    let candidates = |exchange: &Exchange| -> BTreeSet<String> {
        let own = lines(exchange).concat();
        let rows = exchange.work.iter().flat_map(|(_, frame)| rows(frame));
        rows.filter(|row| !at_rest.contains(row) && !is_rule(row) && !own.contains(&bare(row)))
            .filter_map(|row| work_pattern(&row))
            .collect()
    };
    let mut found: Option<BTreeSet<String>> = None;
    for exchange in &long {
        let own = candidates(exchange);
        found = Some(match found {
            None => own,
            Some(others) => others.intersection(&own).cloned().collect(),
        });
    }
    let is_at_rest = |pattern: &String| {
        Regex::new(pattern).is_ok_and(|pattern| at_rest.iter().any(|row| pattern.is_match(row)))
    };
    let found: Vec<String> = found
        .unwrap_or_default()
        .into_iter()
        .filter(|p| !is_at_rest(p))
        .collect();
    // Words that name a key say more than a glyph that turns.
    let (named, turning): (Vec<String>, Vec<String>) =
        found.into_iter().partition(|p| !p.starts_with('^'));
    let found: Vec<String> = if named.is_empty() { turning } else { named };
    let found: Vec<String> = found.into_iter().take(3).collect();
    let seen = if found.is_empty() { 0 } else { long.len() };
    (found, seen, long.len())
}

/// What of a row is the same in every turn: the words for the key that stops, or a glyph that turns and the word
/// behind it.
fn work_pattern(row: &str) -> Option<String> {
    if let Some(words) = STOP_WORDS.find(row) {
        return Some(format!(r"\b{}\b", regex::escape(words.as_str())));
    }
    let mut words = row.split_whitespace();
    let glyph = words.next().filter(|word| word.chars().count() == 1)?;
    if glyph.chars().all(char::is_alphanumeric) {
        return None;
    }
    let word = words.next()?.trim_end_matches(|c: char| !c.is_alphabetic());
    let is_word = word.chars().count() >= 4 && word.chars().all(char::is_alphabetic);
    is_word.then(|| format!(r"^\s*[^\w\s] {word}\b"))
}

/// A pattern as a person reads it.
fn plain_words(pattern: &str) -> String {
    let words = pattern.replace(r"^\s*[^\w\s] ", "… ").replace(r"\b", "");
    words.replace('\\', "")
}

/// An input box as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeenBox {
    /// What stands before the text.
    mark: String,
    is_ruled: bool,
    has_cursor: bool,
}

impl SeenBox {
    fn prompt(&self) -> String {
        format!("^{}", regex::escape(&self.mark))
    }

    fn rules(&self) -> Option<InputBox> {
        Some(InputBox {
            prompt: Pattern::new(&self.prompt()).ok()?,
            is_ruled: self.is_ruled,
            is_shaded: false,
            has_cursor: self.has_cursor,
            is_optional: false,
            placeholder: None,
        })
    }

    /// What an empty box shows.
    fn hint(&self, frame: &Frame) -> Option<String> {
        let found = find_box(frame, &self.rules()?)?;
        let text = frame.text(found.top).get(self.mark.len()..)?.trim();
        let words: Vec<&str> = text.split_whitespace().take(3).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}

/// The place in which the message stood before it was submitted.
fn box_of(exchange: &Exchange) -> Option<SeenBox> {
    let frame = &exchange.submit.1;
    let head = head(&exchange.lesson.typed);
    let row = (0..frame.rows.len())
        .rev()
        .find(|row| frame.text(*row).contains(&head))?;
    let text = frame.text(row);
    let mark = text.get(..text.find(&head)?)?.to_owned();
    let above = row.checked_sub(1).map_or("", |above| frame.text(above));
    let below = row + 1..(row + DEEPEST_BOX).min(frame.rows.len());
    let is_ruled = is_rule(above) && below.into_iter().any(|row| is_rule(frame.text(row)));
    let cursor = exchange.rest.1.cursor;
    let has_cursor = !is_ruled && cursor.is_visible;
    let is_marked = !mark.trim().is_empty() && mark.chars().count() <= LONGEST_MARK;
    (is_ruled || is_marked && has_cursor).then_some(SeenBox {
        mark,
        is_ruled,
        has_cursor,
    })
}

/// What stands before the message and before the reply in the conversation.
fn speech(scene: &Scene) -> Group {
    let mut group = Group::default();
    let known = scene.exchanges.iter().filter(|e| e.replied.is_some());
    let known: Vec<&Exchange> = known.collect();
    let all = known.len();
    let echo = commonest(known.iter().filter_map(|e| {
        let mark = mark_before(&e.after.1, &head(&e.lesson.typed), 0)?;
        is_mark(&mark).then_some(mark)
    }));
    let replies = known.iter().filter_map(|e| {
        let first = first_said(e)?;
        let echoes = bare(&e.lesson.typed).matches(&bare(&first)).count();
        mark_before(&e.after.1, &first, echoes)
    });
    let replies: Vec<String> = replies.collect();
    let say = commonest(replies.iter().filter(|mark| is_mark(mark)).cloned());
    let mut yaml = String::new();
    let pattern = |mark: &str| quoted(&format!("^{}", regex::escape(mark)));
    if let Some((mark, seen)) = &echo {
        let what = format!("a message stands behind «{mark}»");
        group.find("echo", what, *seen, all);
        let _ = writeln!(yaml, "  echo: {}", pattern(mark));
    }
    let is_other = |say: &&(String, usize)| echo.as_ref().is_none_or(|(echo, _)| *echo != say.0);
    if let Some((mark, seen)) = say.as_ref().filter(is_other) {
        let what = format!("a reply begins with «{mark}»");
        group.find("speech", what, *seen, all);
        let _ = writeln!(yaml, "  say: {}\n  indent: {}", pattern(mark), width(mark));
    }
    let numbered = replies.iter().filter(|mark| mark.trim() == "1").count();
    if numbered > 0 {
        let what = "code has line numbers".to_owned();
        group.find("speech", what, numbered, numbered);
        yaml.push_str("  numbers_code: true\n");
    }
    let receipts = receipts(&known);
    for receipt in &receipts {
        let what = format!("a row like «{}»", plain_words(receipt));
        group.find("furniture", what, all, all);
    }
    if !yaml.is_empty() {
        let chrome: Vec<String> = receipts.iter().map(|row| quoted(row)).collect();
        group.yaml = format!("speech:\n{yaml}chrome: [{}]\n", chrome.join(", "));
    }
    group
}

fn is_mark(mark: &str) -> bool {
    let is_short = mark.chars().count() <= LONGEST_MARK;
    is_short && !mark.trim().is_empty() && mark.trim() != "1"
}

/// The beginning of what was replied; the fence of a code block is not shown by all.
fn first_said(exchange: &Exchange) -> Option<String> {
    let lines = exchange.lesson.reply.as_deref()?.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("```"));
    Some(head(&lines.collect::<Vec<_>>().join("\n")))
}

/// What stands before the row that has this text for the first time after so many others that have it.
fn mark_before(frame: &Frame, text: &str, skip: usize) -> Option<String> {
    let rows = frame
        .rows
        .iter()
        .filter(|row| !text.is_empty() && row.text.contains(text));
    let row = rows.into_iter().nth(skip)?;
    row.text.get(..row.text.find(text)?).map(str::to_owned)
}

/// Rows that every turn leaves behind and that nobody said: numbers aside they are the same.
fn receipts(known: &[&Exchange]) -> Vec<String> {
    let said: Vec<String> = known.iter().flat_map(|exchange| lines(exchange)).collect();
    let is_said = |row: &str| {
        let row = bare(row);
        said.iter()
            .any(|line| row.contains(line) || line.contains(&row))
    };
    let left = |exchange: &&Exchange| -> BTreeSet<String> {
        let before: BTreeSet<String> = rows(&exchange.rest.1).collect();
        let rows = rows(&exchange.after.1).filter(|row| !before.contains(row) && !is_rule(row));
        let rows = rows.filter(|row| row.contains(char::is_numeric) && !is_said(row));
        rows.map(|row| shape(&row)).collect()
    };
    let mut found = known.iter().map(left);
    let Some(first) = found.next().filter(|_| known.len() > 1) else {
        return Vec::new();
    };
    let common = found.fold(first, |all, own| all.intersection(&own).cloned().collect());
    common.into_iter().take(4).collect()
}

/// A pattern of a row in which numbers may differ.
fn shape(row: &str) -> String {
    let mut pattern = String::from(r"^\s*");
    let mut was_number = false;
    for c in row.trim().chars() {
        if c.is_ascii_digit() || was_number && matches!(c, '.' | ',') {
            if !was_number {
                pattern.push_str(r"[\d.,]+");
            }
            was_number = true;
        } else {
            was_number = false;
            pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
        }
    }
    pattern.push('$');
    pattern
}

/// The key that stops the work, if the program names it. None is ever tried: Escape ends some programs.
fn interrupt(scene: &Scene) -> Group {
    let mut group = Group::default();
    if let Some(key) = scene.interrupt_key {
        group.find("interrupt", format!("the screen names {key}"), 1, 1);
        group.yaml = format!("interrupt_key: {}\n", key.to_lowercase());
    } else {
        let what = "the program names no key; if you know it, add `interrupt_key: …`";
        group.find("interrupt", what.to_owned(), 0, 1);
    }
    group
}

fn dialogs(scene: &Scene) -> Group {
    let mut group = Group::default();
    let mut known = BTreeSet::new();
    for prompt in &scene.prompts {
        let labels: Vec<String> = prompt
            .options
            .iter()
            .map(|option| format!("{} = {}", option.key, option.label))
            .collect();
        if known.insert(prompt.question.clone()) {
            let what = format!("«{}» {}", prompt.question, labels.join(", "));
            group.find("dialogs", what, usize::from(!labels.is_empty()), 1);
        }
    }
    if scene.prompts.is_empty() {
        group.find("dialogs", "none was seen".to_owned(), 0, 0);
    }
    group
}

/// Whether a message of several lines can be typed.
fn paste(scene: &Scene) -> Group {
    let mut group = Group::default();
    let all = scene.exchanges.len();
    let takes = |e: &&Exchange| e.rest.1.modes.bracketed_paste;
    let seen = scene.exchanges.iter().filter(takes).count();
    let what = if seen > 0 {
        "it takes pastes, and with them line breaks"
    } else {
        "it takes no pastes: line breaks become blanks, unless you name `newline_keys`"
    };
    group.find("paste", what.to_owned(), seen, all);
    let several = scene
        .exchanges
        .iter()
        .filter(|e| e.lesson.typed.contains('\n'));
    let several: Vec<&Exchange> = several.filter(|e| e.lesson.reply.is_some()).collect();
    if !several.is_empty() {
        let answered = several.iter().filter(|e| e.replied.is_some()).count();
        let what = "messages of several lines were answered as one";
        group.find("paste", what.to_owned(), answered, several.len());
    }
    group
}

/// What was typed and replied, line by line, without white space. Lines of a few letters are in any row.
fn lines(exchange: &Exchange) -> Vec<String> {
    let lesson = &exchange.lesson;
    let lines = lesson
        .typed
        .lines()
        .chain(lesson.reply.iter().flat_map(|reply| reply.lines()));
    lines
        .map(bare)
        .filter(|line| line.chars().count() > 3)
        .collect()
}

fn rows(frame: &Frame) -> impl Iterator<Item = String> + '_ {
    let rows = frame.rows.iter().map(|row| row.text.trim().to_owned());
    rows.filter(|row| !row.is_empty())
}

/// What most have in common, and how many do.
fn commonest<T: PartialEq>(all: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let all: Vec<T> = all.collect();
    let half = all.len() / 2;
    let count = |one: &T| all.iter().filter(|other| *other == one).count();
    let best = all
        .iter()
        .map(count)
        .enumerate()
        .max_by_key(|(_, count)| *count);
    let (index, count) = best.filter(|(_, count)| *count > half)?;
    all.into_iter().nth(index).map(|one| (one, count))
}

/// What all have in common, if it is one thing.
fn common<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}
