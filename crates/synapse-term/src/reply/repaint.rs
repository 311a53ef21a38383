//! What a program leaves behind that paints a growing text anew with each piece of it.

use super::line::Line;

/// A line shorter than this may well be said twice.
const REPAINTED: usize = 40;

/// A program that paints a growing text again and again may leave the beginnings behind: the last
/// painting is the whole.
pub(super) fn after_repaints(lines: &[Line<'_>], from: usize, to: usize) -> usize {
    let Some(first) = lines
        .get(from)
        .map(Line::said)
        .filter(|text| text.len() >= REPAINTED)
    else {
        return from;
    };
    let again = (from + 1..to)
        .rev()
        .find(|at| lines.get(*at).is_some_and(|line| line.said() == first));
    let Some(again) = again else { return from };
    // The beginnings are cut off by a blank row; lines that are said twice follow each other.
    let is_copy = |at: &usize| lines.get(*at).is_some_and(|line| line.said() == first);
    let copies: Vec<usize> = (from..=again).filter(is_copy).collect();
    let said = |from: usize, to: usize| {
        let rows = lines.get(from..to).unwrap_or_default().iter();
        rows.map(Line::said).filter(|text| !text.is_empty())
    };
    let is_beginning = |pair: &[usize]| {
        let [at, next] = *pair else { return false };
        let mut rows = lines.iter().take(again + 1).skip(at + 1);
        let is_cut = rows.any(Line::is_blank);
        let count = said(at, next).count();
        let whole = said(at, next).zip(said(again, to)).take(count - 1);
        is_cut && count <= to - again && whole.into_iter().all(|(one, other)| one == other)
    };
    if copies.windows(2).all(is_beginning) {
        again
    } else {
        from
    }
}
