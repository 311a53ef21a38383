//! The keys of one map: each is taken once, by its name and its type; an unknown one is told with the nearest.

use synapse_yaml::{Kind, Node};

use crate::expr::{Expr, parse};
use crate::problem::{Place, Problem, hint};
use crate::template::Template;

use super::scalar_text;

pub(super) struct Keys<'a> {
    left: Vec<(&'a str, &'a Node)>,
}

impl<'a> Keys<'a> {
    /// Nothing if it is no map.
    pub(super) fn of(
        node: &'a Node,
        what: &str,
        known: &[&str],
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let Kind::Map(entries) = &node.kind else {
            let message = format!("{what} must be a map, not {}", node.sort());
            problems.push(Problem::new(node.place, message));
            return None;
        };
        let mut left = Vec::new();
        for (name, value) in entries {
            if known.contains(&name.text.as_str()) {
                left.push((name.text.as_str(), value));
            } else {
                let near = hint(&name.text, known.iter().copied());
                let message = format!("{what} has no key '{}'{near}", name.text);
                problems.push(Problem::new(name.place, message));
            }
        }
        Some(Self { left })
    }

    /// The value of a key; one that says nothing is as good as none.
    pub(super) fn take(&mut self, key: &str) -> Option<&'a Node> {
        let at = self.left.iter().position(|(name, _)| *name == key)?;
        let (_, node) = self.left.swap_remove(at);
        (!node.is_null()).then_some(node)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.left
            .iter()
            .any(|(name, node)| *name == key && !node.is_null())
    }

    pub(super) fn text(&mut self, key: &str, problems: &mut Vec<Problem>) -> Option<String> {
        let node = self.take(key)?;
        let text = text_of(node);
        if text.is_none() {
            problems.push(wrong(key, "text", node));
        }
        text
    }

    pub(super) fn flag(&mut self, key: &str, problems: &mut Vec<Problem>) -> bool {
        let Some(node) = self.take(key) else {
            return false;
        };
        let flag = node.value().as_bool();
        if flag.is_none() {
            problems.push(wrong(key, "true or false", node));
        }
        flag.unwrap_or(false)
    }

    /// A whole number from 1 on.
    pub(super) fn count(&mut self, key: &str, problems: &mut Vec<Problem>) -> Option<u64> {
        let node = self.take(key)?;
        let count = node.value().as_u64().filter(|count| *count > 0);
        if count.is_none() {
            problems.push(wrong(key, "a whole number from 1 on", node));
        }
        count
    }

    /// A time in milliseconds: `90`, `0.5s`, `5m`, `1h`.
    pub(super) fn time(&mut self, key: &str, problems: &mut Vec<Problem>) -> Option<u64> {
        let node = self.take(key)?;
        let time = text_of(node).and_then(|text| millis(&text));
        if time.is_none() {
            problems.push(wrong(key, "a time such as 90s, 5m or 1h", node));
        }
        time
    }

    pub(super) fn template(&mut self, key: &str, problems: &mut Vec<Problem>) -> Option<Template> {
        let node = self.take(key)?;
        template(key, node, problems)
    }

    /// A condition: `${…}`, or an expression without it.
    pub(super) fn condition(&mut self, key: &str, problems: &mut Vec<Problem>) -> Option<Expr> {
        let node = self.take(key)?;
        condition(key, node, problems)
    }

    /// One name, or several.
    pub(super) fn names(
        &mut self,
        key: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Vec<(String, Place)>> {
        let node = self.take(key)?;
        let nodes = match &node.kind {
            Kind::List(list) => list.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut names = Vec::new();
        for node in nodes {
            match text_of(node) {
                Some(name) => names.push((name, node.place)),
                None => problems.push(wrong(key, "the name of a step, or a list of names", node)),
            }
        }
        Some(names)
    }
}

pub(super) fn wrong(key: &str, right: &str, node: &Node) -> Problem {
    Problem::new(
        node.place,
        format!("{key} must be {right}, not {}", node.sort()),
    )
}

/// A text as it is written, were it a number elsewhere: `1.10` is no `1.1`.
pub(super) fn text_of(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Scalar(scalar) => scalar_text(&scalar.value).map(|_| scalar.text.clone()),
        _ => None,
    }
}

pub(super) fn template(key: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Template> {
    let Some(text) = text_of(node) else {
        problems.push(wrong(key, "text", node));
        return None;
    };
    match Template::parse(&text) {
        Ok(template) => Some(template),
        Err(error) => {
            let place = within(node.place, &text, error.at);
            problems.push(Problem::new(place, format!("{key}: {}", error.message)));
            None
        }
    }
}

pub(super) fn condition(key: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Expr> {
    let Some(text) = text_of(node) else {
        problems.push(wrong(key, "a condition such as ${review.*.json.ok}", node));
        return None;
    };
    if text.contains("${") {
        let template = template(key, node, problems)?;
        let single = template.single().cloned();
        if single.is_none() {
            let message = format!("{key} must be one ${{…}} with nothing around it");
            problems.push(Problem::new(node.place, message));
        }
        return single;
    }
    match parse(&text) {
        Ok(expr) => Some(expr),
        Err(error) => {
            let place = within(node.place, &text, error.at);
            problems.push(Problem::new(place, format!("{key}: {}", error.message)));
            None
        }
    }
}

/// The place of a byte in a text, as far as it stands in the file as it is: in its first line, behind a quote.
fn within(place: Place, text: &str, at: usize) -> Place {
    let before = text.get(..at).unwrap_or(text);
    if before.contains('\n') {
        return place;
    }
    Place {
        line: place.line,
        column: place.column + before.chars().count() as u64,
    }
}

/// A time in milliseconds; plain numbers are seconds.
fn millis(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let factor = match unit.trim() {
        "ms" => 1.0,
        "" | "s" => 1_000.0,
        "m" | "min" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    let millis = number * factor;
    #[expect(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "it was looked at"
    )]
    (millis.is_finite() && millis > 0.0 && millis < 1e12).then_some(millis as u64)
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn times_have_units() {
        for (text, wanted) in [
            ("90", Some(90_000)),
            ("0.5s", Some(500)),
            ("5m", Some(300_000)),
            ("1h", Some(3_600_000)),
            ("20ms", Some(20)),
            ("", None),
            ("x", None),
            ("5 days", None),
            ("0", None),
        ] {
            assert_eq!(millis(text), wanted, "{text}");
        }
    }
}
