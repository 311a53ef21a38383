//! When words and keys on a screen are those of the ground truth.

/// The truth spells out what is typed at a line: `y e s Enter` for `yes`.
pub(super) fn same_key(ours: &str, truth: &str) -> bool {
    let typed = truth.strip_suffix(" Enter").unwrap_or(truth);
    let is_spelt = typed.split(' ').all(|key| key.chars().count() == 1);
    ours == truth
        || ours.eq_ignore_ascii_case(typed)
        || is_spelt && typed.replace(' ', "").eq_ignore_ascii_case(ours)
        || (ours, truth) == ("BTab", "BackTab")
}

/// Equal, where `…` in the truth stands for anything.
pub(super) fn exactly(ours: &str, truth: &str) -> bool {
    match truth.split_once('…') {
        Some((head, tail)) => ours.starts_with(head) && ours.ends_with(tail),
        None => ours == truth,
    }
}

/// Equal but for brackets and case, where `…` in the truth stands for anything. A question may be
/// given with the answers it shows behind it or without.
pub(super) fn loosely(ours: &str, truth: &str) -> bool {
    let plain = |text: &str| text.replace(['(', ')', '<', '>'], "").to_lowercase();
    let (ours, truth) = (plain(ours), plain(truth));
    let (ours, truth) = (ours.as_str(), truth.as_str());
    if truth.starts_with(ours) && truth.len() > ours.len() {
        let rest = truth[ours.len()..].trim();
        let is_answers =
            rest.starts_with(['[', 'y']) || rest == "tab" || rest == "esc" || rest == "shift+tab";
        if ours.len() > 3 && is_answers {
            return true;
        }
    }
    exactly(ours, truth)
}
