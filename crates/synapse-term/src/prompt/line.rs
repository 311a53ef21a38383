//! Questions asked at the end of a line: (y/n), `(Y)es/(N)o [Yes]:`, passwords, names, numbers.
//! Known patterns in English and Japanese, matched against the cursor's line.

use std::sync::LazyLock;

use regex::Regex;

use super::{Choice, Fingerprint, Kind, Layout, Prompt, list, question, unfinished};
use crate::frame::Frame;
use crate::pattern::constant;
use crate::profile::Profile;

/// A pattern with what it asks for.
struct Rule {
    pattern: Regex,
    kind: Kind,
    options: &'static [&'static str],
    default: Option<usize>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let confirmation =
        |pattern, options, default| rule(pattern, Kind::Confirmation, options, default);
    let mut rules = vec![
        confirmation(r"\[Y/n\]\s*[:?？]?\s*$", &["Y", "n"] as &[_], Some(0)),
        confirmation(r"\[y/N\]\s*[:?？]?\s*$", &["y", "N"], Some(1)),
        confirmation(
            r"(?i)[(\[]\s*y\s*/\s*n\s*[)\]]\s*(?:\([yn]\))?\s*[:?？]?\s*$",
            &["y", "n"],
            None,
        ),
        confirmation(
            r"(?i)\byes\s*/\s*no\b[)\]]?\s*(\[[^\]]*\])?\s*[:?？]?\s*$",
            &["yes", "no"],
            None,
        ),
        confirmation(r"(?i)\(y or \[n\]\)\s*$", &["y", "n"], Some(1)),
        confirmation(r"(?i)[?？]\s*\((?:yes|no)\)\s*$", &["yes", "no"], None),
        // As cp, mv and rm ask.
        confirmation(
            r"^[\w.-]+: (?:try to )?(?:remove|overwrite|replace|descend|delete|rename|unlink|truncate)\b.*[?？]\s*$",
            &["y", "n"],
            None,
        ),
        confirmation(r"続行しますか", &["y", "n"], None),
        confirmation(r"(?i)\bContinue[?？]\s*$", &["y", "n"], None),
    ];
    for pattern in [
        r"(?i)\b(pass(word|phrase)|secret|token|api key)\b[^:：]*[:：‣›]\s*$",
        r"(パスワード|暗証番号)[^:：]*[:：]\s*$",
    ] {
        rules.push(rule(pattern, Kind::Password, &[], None));
    }
    for pattern in [
        r"(?i)\bEnter\s+[\w\s'./()-]+[:：]\s*$",
        r"(?i)\b(Input|Name|Value)[:：]\s*$",
        r"(入力|名前|値)[^:：]*[:：]\s*$",
        r"\[[^\[\]]+\]\s*[:：]\s*$",
        r"[:：]\s*\([^()]*\)\s*$",
        r"[?？]\s*$",
    ] {
        rules.push(rule(pattern, Kind::Text, &[], None));
    }
    rules
});

static LETTERS: LazyLock<Regex> =
    LazyLock::new(|| constant(r"(?:\((\w)\)([\w' ]+)(?:/|,|\s*\[|\s*:|\s*\?|\s*$))"));

static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"(?:\[([^\[\]]+)\]\s*[:?]?|[:：]\s*\(([^()]*)\)|\]\s*\(([^()\s]+)\)\s*:?)\s*$")
});

static CHOICES: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"[(\[]([^\s()\[\]/,]{1,12}(?:[/,]\[?[^\s()\[\]]{1,12}?\]?)+)[)\]](?:\s*(?:\[default=\w+\]|\([^()\s]{1,12}\)))?\s*[:?？：]*\s*$",
    )
});

static INITIALS: LazyLock<Regex> = LazyLock::new(|| constant(r"\(([A-Za-z]{3,8})\)\s*[:?]?\s*$"));

static DEMANDED: LazyLock<Regex> = LazyLock::new(|| {
    constant(r#"(?i)\b(?:only|just)\s+['"‘“`](\w+)['"’”`]\s+(?:will be|is|are)\s+accepted"#)
});

/// How far above a line stands what it demands.
const DEMAND_REACH: usize = 8;

static PAGER: LazyLock<Regex> =
    LazyLock::new(|| constant(r"(?i)--\s*(?:type|press)\s+(\S.*?)\s*--\s*$"));

/// The prompt of an interpreter that numbers what it is given.
static COUNTED: LazyLock<Regex> = LazyLock::new(|| constant(r"^In ?\[\d+\]:$"));

static KEY_PRESS: LazyLock<Regex> = LazyLock::new(|| {
    constant(r"(?i)\b(?:press|hit)\s+(?:the\s+)?[<\[]?(any key|enter|return|space)\b")
});

fn rule(
    pattern: &str,
    kind: Kind,
    options: &'static [&'static str],
    default: Option<usize>,
) -> Rule {
    let pattern = constant(pattern);
    Rule {
        pattern,
        kind,
        options,
        default,
    }
}

/// Reads the cursor's line, or the line above it where the answer is typed on a line of its own.
pub(super) fn read(frame: &Frame, profile: &Profile, usual: Option<&str>) -> Option<Prompt> {
    let before = frame.before_cursor();
    if before.trim().is_empty() && usual != Some(before.as_str()) && profile.input_detection.enabled
    {
        let row = (0..frame.cursor.row)
            .rev()
            .take(2)
            .find(|row| !frame.text(*row).trim().is_empty())?;
        return confirmed(frame.text(row).trim());
    }
    let line = match question::unmarked(before.trim()) {
        "" => before.trim(),
        rest => rest,
    };
    let is_at_end = frame.after_cursor().trim().is_empty();
    if !profile.input_detection.enabled || line.is_empty() || !is_at_end {
        return None;
    }
    let is_usual = profile
        .idle_regex
        .as_ref()
        .is_some_and(|idle| idle.is_match(&before))
        || usual.is_some_and(|usual| before.starts_with(usual));
    if is_usual || COUNTED.is_match(line) {
        return None;
    }
    extra(line, profile)
        .or_else(|| letters(line))
        .or_else(|| initials(line))
        .or_else(|| demanded(frame, line))
        .or_else(|| pager(line))
        .or_else(|| key_press(line))
        .or_else(|| choices(line))
        .or_else(|| list::digits(line))
        .or_else(|| list::above(frame, line))
        .or_else(|| list::below(frame, line))
        .or_else(|| built_in(line))
        .or_else(|| indicated(line))
        .or_else(|| unfinished::read(line, usual?))
}

/// A yes or no asked by a line editor that ends every prompt with its mark: `Delete it? (y/n)>`. Nothing but such an
/// answer in brackets counts: `(main)>` is a prompt.
fn indicated(line: &str) -> Option<Prompt> {
    let line = line.strip_suffix(['>', '❯', '›', '»', '〉'])?.trim_end();
    let is_bracketed =
        |prompt: &Prompt| prompt.kind == Kind::Confirmation && line.ends_with([')', ']']);
    built_in(line).filter(is_bracketed)
}

fn extra(line: &str, profile: &Profile) -> Option<Prompt> {
    let found = profile
        .input_detection
        .additional_patterns
        .iter()
        .find(|p| p.pattern.is_match(line))?;
    let options = found
        .options
        .iter()
        .map(|option| choice(option, option))
        .collect();
    Some(finish(found.kind, line, options, None))
}

fn built_in(line: &str) -> Option<Prompt> {
    let rule = RULES.iter().find(|rule| rule.pattern.is_match(line))?;
    let options: Vec<Choice> = rule
        .options
        .iter()
        .map(|option| choice(option, option))
        .collect();
    let default = rule
        .default
        .and_then(|index| rule.options.get(index))
        .map(|text| (*text).to_owned());
    let default = default.or_else(|| bracketed_default(line, &options));
    Some(finish(rule.kind, line, options, default))
}

/// A field to fill in, in a program that asked before: `version:`.
pub(super) fn field(frame: &Frame) -> Option<Prompt> {
    let before = frame.before_cursor();
    let line = before.trim();
    let is_field = line.ends_with([':', '：']) && line.chars().count() > 1;
    let is_at_end = frame.after_cursor().trim().is_empty();
    (is_field && is_at_end).then(|| finish(Kind::Text, line, Vec::new(), None))
}

/// A question that shows its answers in brackets.
fn confirmed(line: &str) -> Option<Prompt> {
    let is_bracketed = |prompt: &Prompt| prompt.kind == Kind::Confirmation && line.contains('/');
    letters(line)
        .or_else(|| choices(line))
        .or_else(|| built_in(line).filter(is_bracketed))
}

/// Whether a question wants what must not be shown.
pub(super) fn is_secret(asked: &str) -> bool {
    let line = format!("{}:", asked.trim_end_matches([':', '：']));
    let mut rules = RULES.iter().filter(|rule| rule.kind == Kind::Password);
    rules.any(|rule| rule.pattern.is_match(&line))
}

/// `(Y)es/(N)o [Yes]:`, each option told by the letter in brackets.
fn letters(line: &str) -> Option<Prompt> {
    let options: Vec<Choice> = LETTERS
        .captures_iter(line)
        .filter_map(|groups| {
            let (letter, rest) = (groups.get(1)?.as_str(), groups.get(2)?.as_str());
            Some(choice(
                &format!("{letter}{}", rest.trim_end()),
                &letter.to_lowercase(),
            ))
        })
        .collect();
    if options.len() < 2 {
        return None;
    }
    let default = bracketed_default(line, &options);
    let start = LETTERS.find(line).map_or(0, |found| found.start());
    let question = line.get(..start).unwrap_or(line).trim();
    Some(finish(
        Kind::Confirmation,
        if question.is_empty() { line } else { question },
        options,
        default,
    ))
}

/// `(yadNh)`: a letter for each answer, the capital one by default.
pub(super) fn initials(line: &str) -> Option<Prompt> {
    let letters = INITIALS.captures(line)?.get(1)?.as_str();
    let mut capitals = letters.chars().filter(|c| c.is_uppercase());
    let default = capitals.next().filter(|_| capitals.next().is_none())?;
    let letters = letters.to_lowercase();
    let is_once = |c: char| letters.matches(c).count() == 1;
    if !letters.chars().all(is_once) {
        return None;
    }
    let option = |c: char| choice(&c.to_string(), &c.to_string());
    let options: Vec<Choice> = letters.chars().map(option).collect();
    let default = default.to_lowercase().to_string();
    Some(finish(Kind::Confirmation, line, options, Some(default)))
}

/// `Only 'yes' will be accepted`, above a line that wants just that.
fn demanded(frame: &Frame, line: &str) -> Option<Prompt> {
    if !line.ends_with([':', '：', '>']) {
        return None;
    }
    let row = frame.line_start(frame.cursor.row);
    let above = || (row.saturating_sub(DEMAND_REACH)..row).rev();
    let word = above().find_map(|row| DEMANDED.captures(frame.text(row)))?;
    let word = word.get(1)?.as_str().to_owned();
    let is_question = |text: &&str| text.ends_with(['?', '？']);
    let question = above().map(|row| frame.text(row).trim()).find(is_question);
    let options = vec![choice(&word, &word)];
    let question = question.unwrap_or(line).to_owned();
    Some(finish(Kind::Confirmation, &question, options, None))
}

/// `--Type <RET> for more, q to quit--`: what can be typed, and what for.
fn pager(line: &str) -> Option<Prompt> {
    let inside = PAGER.captures(line)?.get(1)?.as_str();
    let option = |part: &str| {
        let (key, _) = part.trim().split_once([' ', '\u{a0}'])?;
        let key = if key.starts_with('<') { "Enter" } else { key };
        Some(choice(part.trim(), key))
    };
    let options: Vec<Choice> = inside.split(',').filter_map(option).collect();
    Some(finish(Kind::Text, line, options, None))
}

/// `Press Enter to continue…`: one key is all that is wanted.
fn key_press(line: &str) -> Option<Prompt> {
    let name = KEY_PRESS.captures(line)?.get(1)?.as_str();
    let key = if name.eq_ignore_ascii_case("space") {
        "Space"
    } else {
        "Enter"
    };
    Some(Prompt {
        layout: Layout::Buttons,
        ..finish(Kind::Text, line, vec![choice(key, key)], None)
    })
}

/// `[Y/n/c/?]`, `(yes/no/[fingerprint])`, `[y,n,q]`: the answers in brackets at the end.
fn choices(line: &str) -> Option<Prompt> {
    let groups = CHOICES.captures(line)?;
    let inside = groups.get(1)?;
    let separator = if inside.as_str().contains(',') {
        ','
    } else {
        '/'
    };
    // What is bracketed once more stands for any text of its kind.
    let is_named = |word: &&str| !(word.starts_with('[') && word.ends_with(']'));
    let words: Vec<&str> = inside.as_str().split(separator).map(str::trim).collect();
    let is_open = !words.iter().all(is_named);
    let words: Vec<&str> = words
        .into_iter()
        .filter(is_named)
        .map(|word| word.trim_matches(['[', ']']))
        .collect();
    let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit());
    let is_short = words.len() < 3 && !is_open && !words.iter().any(|word| is_wide(word));
    if is_short || words.iter().all(is_number) {
        return None;
    }
    let options: Vec<Choice> = words.iter().map(|word| choice(word, word)).collect();
    let is_upper = |word: &&&str| word.chars().all(char::is_uppercase);
    let mut capitals = words.iter().filter(is_upper);
    // The only capital among small letters is what Enter means.
    let default = match (capitals.next(), capitals.next()) {
        (Some(one), None) => Some((*one).to_owned()),
        _ => bracketed_default(line, &options),
    };
    let question = line.get(..groups.get(0)?.start()).unwrap_or(line).trim();
    let question = if question.is_empty() { line } else { question };
    Some(finish(Kind::Confirmation, question, options, default))
}

fn is_wide(word: &str) -> bool {
    !word.is_ascii()
}

pub(super) fn bracketed_default(line: &str, options: &[Choice]) -> Option<String> {
    let groups = DEFAULT.captures(line)?;
    let text = groups.iter().skip(1).flatten().next()?.as_str();
    let is_one = |option: &&Choice| {
        option.label.eq_ignore_ascii_case(text) || option.key.eq_ignore_ascii_case(text)
    };
    match options.iter().find(is_one) {
        Some(option) => Some(option.label.clone()),
        None if options.is_empty() => Some(text.to_owned()),
        None => None,
    }
}

pub(super) fn choice(label: &str, key: &str) -> Choice {
    Choice {
        label: label.to_owned(),
        key: key.to_owned(),
    }
}

pub(super) fn finish(
    kind: Kind,
    line: &str,
    options: Vec<Choice>,
    default: Option<String>,
) -> Prompt {
    let labels = options.iter().map(|option| option.label.as_str());
    Prompt {
        kind,
        call: None,
        fingerprint: Fingerprint::of(kind, std::iter::once(line).chain(labels)),
        question: line.to_owned(),
        detail: String::new(),
        selected: default
            .as_ref()
            .and_then(|d| options.iter().position(|o| o.label == *d)),
        options,
        default,
        layout: Layout::Line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert_eq!(RULES.len(), 17);
        for pattern in [
            &LETTERS, &DEFAULT, &CHOICES, &INITIALS, &DEMANDED, &KEY_PRESS,
        ] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn a_mark_behind_an_answer_in_brackets_is_a_question_and_behind_a_branch_a_prompt() {
        for line in ["Delete it? (y/n)>", "Go [Y/n] ❯", "Really (yes/no)»"] {
            let prompt = indicated(line).unwrap();
            assert_eq!(prompt.options.len(), 2, "{line}");
            assert!(!prompt.question.ends_with(['>', '❯', '»']), "{line}");
        }
        for line in ["proj (main)>", "(feature/x) ❯", "toy>", "really?>", ">"] {
            assert!(indicated(line).is_none(), "{line}");
        }
    }
}
