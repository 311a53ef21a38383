//! Every key of the configuration, and what may stand behind it.

use synapse_term::keys::nearest;

use super::tree::{Branch, Tree};

/// The keys by their path, where `*` is any name, and what is right for each.
const KEYS: &[(&str, &str)] = &[
    ("", "keys with their values, such as `auth: token`"),
    ("agents", "names of agents, each with its settings below it"),
    ("agents.*", "the settings of an agent: port, auto_start"),
    ("agents.*.auto_start", "true or false"),
    (
        "agents.*.port",
        "a port from 1 to 65535, or 0 to let the system choose",
    ),
    ("auth", "token, same-user or none"),
    ("ca_file", "a PEM file of certificate authorities to trust"),
    ("default_response_mode", "display or return"),
    ("hooks", "true or false"),
    (
        "host_names",
        "a list of names others call this machine by, such as [agents.example]",
    ),
    (
        "input_routing",
        "settings: enabled, feedback, passthrough_on_fail, pattern, return_to_agent",
    ),
    ("input_routing.enabled", "true or false"),
    ("input_routing.feedback", "silent or inline"),
    ("input_routing.passthrough_on_fail", "true or false"),
    (
        "input_routing.pattern",
        r"a regular expression with a group for the handle and one for the message, such as '^@([\w.-]+)\s+(.+)$'",
    ),
    ("limits", "settings: connections, header_timeout"),
    ("limits.connections", "a whole number from 1 to 65536"),
    (
        "limits.header_timeout",
        "a number of seconds greater than 0",
    ),
    ("input_routing.return_to_agent", "true or false"),
    ("listen", "an IP address, such as 127.0.0.1"),
    ("mcp", "true or false"),
    ("queue_limit", "a whole number from 1 to 10000"),
    ("response_timeout", "a number of seconds greater than 0"),
    ("shell_prompt", "text"),
    (
        "size",
        "columns and rows from 20x5 to 1000x500, such as 120x40",
    ),
    ("tls", "a certificate and its key: cert, key"),
    ("tls.cert", "a PEM file"),
    ("tls.key", "a PEM file"),
    ("web", "settings: roots"),
    ("web.roots", "a list of folders"),
];

/// What is right for the key at `path`, or else for what is above it.
pub(super) fn right(path: &[&str]) -> (String, &'static str) {
    let mut path = path;
    loop {
        if let Some((_, right)) = KEYS.iter().find(|(known, _)| is_at(known, path)) {
            return (path.join("."), right);
        }
        match path.split_last() {
            Some((_, above)) => path = above,
            None => return (String::new(), ""),
        }
    }
}

/// The keys that nobody knows, each with the one that was probably meant.
pub(super) fn unknown(tree: &Tree) -> Vec<(&Branch, String)> {
    let mut found = Vec::new();
    collect_unknown(tree, &mut Vec::new(), &mut found);
    found
}

fn collect_unknown<'a>(
    tree: &'a Tree,
    above: &mut Vec<&'a str>,
    found: &mut Vec<(&'a Branch, String)>,
) {
    for branch in &tree.0 {
        above.push(&branch.key);
        let is_known = KEYS.iter().any(|(known, _)| is_at(known, above));
        if is_known {
            collect_unknown(&branch.below, above, found);
        }
        above.pop();
        if !is_known && let Some(nearest) = nearest(&branch.key, siblings(above)) {
            found.push((branch, nearest.to_owned()));
        }
    }
}

/// The names of the keys right below `above`.
fn siblings(above: &[&str]) -> impl Iterator<Item = &'static str> {
    KEYS.iter()
        .filter(|(known, _)| !known.is_empty())
        .filter_map(move |(known, _)| match known.rsplit_once('.') {
            Some((parent, name)) => is_at(parent, above).then_some(name),
            None => above.is_empty().then_some(*known),
        })
}

fn is_at(known: &str, path: &[&str]) -> bool {
    let known: Vec<&str> = known.split('.').filter(|name| !name.is_empty()).collect();
    known.len() == path.len()
        && known
            .iter()
            .zip(path)
            .all(|(known, name)| *known == "*" || known == name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Config, ConfigError};
    use super::*;

    #[test]
    fn every_key_is_read_and_says_what_would_be_right() {
        for (path, right) in KEYS {
            let names = path.split('.').filter(|name| !name.is_empty());
            let lines = names.enumerate().map(|(depth, name)| {
                let indent = "  ".repeat(depth);
                format!("{indent}{}:", name.replace('*', "codex"))
            });
            let text = lines.collect::<Vec<_>>().join("\n") + " [[]]\n";
            let Err(error) = Config::parse(&text, Path::new("c.yaml")) else {
                panic!("{path} takes anything, so nobody reads it");
            };
            assert!(matches!(error, ConfigError::Value { .. }), "{error}");
            assert!(error.to_string().contains(right), "{path}: {error}");
        }
    }
}
