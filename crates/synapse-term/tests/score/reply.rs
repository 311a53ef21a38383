//! Compares what was read of the replies with what the model said.

use synapse_term::reply::Outcome;
use synapse_term::watch::TurnReport;

use super::{Run, Truth, seconds};

/// The last true reply against the last turn's.
pub(super) fn reply(run: &Run, truth: &Truth, notes: &mut Vec<String>) -> (f64, f64) {
    let Some(wanted) = truth.replies.last() else {
        return (1.0, 1.0);
    };
    let wanted = words(wanted);
    let turn = run
        .turns
        .iter()
        .rev()
        .find(|turn| turn.outcome != Outcome::Open)
        .or(run.turns.last());
    let got = turn.map(|turn| words(&turn.reply.text)).unwrap_or_default();
    if wanted.is_empty() {
        return (1.0, 1.0);
    }
    let (recall, precision) = alike(&wanted, &got);
    if recall < 0.99 || precision < 0.99 {
        notes.push(format!(
            "reply {recall:.2}/{precision:.2}: {:?}",
            turn.map(|t| &t.reply.text)
        ));
    }
    (recall, precision)
}

/// Which share of the wanted words is there, and which share of what is there was wanted.
fn alike(wanted: &[String], got: &[String]) -> (f64, f64) {
    let common = longest_common(wanted, got) as f64;
    let share = |of: usize| if of == 0 { 0.0 } else { common / of as f64 };
    (share(wanted.len()), share(got.len()))
}

/// How many of the true replies were read right, each in the turn that follows the one before.
pub(super) fn replies(run: &Run, truth: &Truth, notes: &mut Vec<String>) -> (usize, usize) {
    let wanted: Vec<Vec<String>> = truth.replies.iter().map(|text| words(text)).collect();
    let wanted = wanted.iter().filter(|words| !words.is_empty());
    let mut turns = run.turns.iter();
    let (mut right, mut all) = (0, 0);
    for words_wanted in wanted {
        all += 1;
        let is_it = |turn: &&TurnReport| {
            let (recall, precision) = alike(words_wanted, &words(&turn.reply.text));
            recall >= 0.99 && precision >= 0.99
        };
        let mut ahead = turns.clone();
        if ahead.find(is_it).is_some() {
            turns = ahead;
            right += 1;
        } else {
            notes.push(format!(
                "reply {all} not read: {:?}",
                words_wanted.join(" ")
            ));
        }
    }
    if right < all {
        for turn in &run.turns {
            notes.push(format!(
                "turn at {:.2} {:?} {:?}: {:?}",
                seconds(turn.at),
                turn.outcome,
                turn.typed,
                turn.reply.text
            ));
        }
    }
    (right, all)
}

/// The words of a Markdown text, without its marks.
fn words(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("```"))
        .flat_map(|line| line.split(|c: char| c.is_whitespace() || c == '|'))
        .map(|word| word.replace(['*', '`', '#'], ""))
        .filter(|word| {
            word.chars().any(char::is_alphanumeric) || word.chars().any(|c| "{}[]()=".contains(c))
        })
        .collect()
}

fn longest_common(a: &[String], b: &[String]) -> usize {
    let mut row = vec![0usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[j])
            };
            diagonal = above;
        }
    }
    row[b.len()]
}
