//! Options that name the key that picks them: `Yes (y)`, `No (esc)`.

use std::sync::LazyLock;

use regex::Regex;

use super::Choice;
use crate::pattern::constant;

static KEY_HINT: LazyLock<Regex> =
    LazyLock::new(|| constant(r"^(.*\S)\s+\((\w|esc|escape|enter|tab|shift\+tab|space)\)$"));

/// Options that each show a key behind their label. Only where every one does are these the keys;
/// else they are remarks.
pub(super) fn hinted_keys(labels: impl Iterator<Item = String>) -> Option<Vec<Choice>> {
    labels
        .map(|label| key_hint(&label).map(|(label, key)| Choice { label, key }))
        .collect()
}

fn key_hint(label: &str) -> Option<(String, String)> {
    let groups = KEY_HINT.captures(label)?;
    let key = match groups.get(2)?.as_str() {
        "esc" | "escape" => "Escape",
        "enter" => "Enter",
        "tab" => "Tab",
        "shift+tab" => "BTab",
        "space" => "Space",
        key => key,
    };
    Some((groups.get(1)?.as_str().to_owned(), key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_only_where_every_option_names_one() {
        let read = |labels: &[&str]| hinted_keys(labels.iter().map(|label| (*label).to_owned()));
        let options = read(&["Yes (y)", "No (esc)"]).unwrap();
        assert_eq!(options[1].label, "No");
        assert_eq!(options[1].key, "Escape");
        assert!(read(&["Yes (y)", "No"]).is_none());
    }
}
