//! Every key of the configuration, and what may stand behind it.

use std::collections::BTreeMap;

use synapse_term::keys::meant;
use synapse_yaml::{Name, Node, Place};

/// One key of the configuration.
pub(super) struct Key {
    /// The names that lead to it, joined by dots; `*` is any name, and the empty path is the whole file.
    pub(super) path: &'static str,
    /// What may stand behind it.
    pub(super) right: &'static str,
    /// What it changes; empty for a key that only holds other keys.
    pub(super) meaning: &'static str,
}

const fn section(path: &'static str, right: &'static str) -> Key {
    key(path, right, "")
}

const fn key(path: &'static str, right: &'static str, meaning: &'static str) -> Key {
    Key {
        path,
        right,
        meaning,
    }
}

/// Every key, in the order in which `synapse config` and docs/config.md show them.
pub(super) const KEYS: &[Key] = &[
    section("", "keys with their values, such as `auth: token`"),
    section("agents", "names of agents, each with its settings below it"),
    section(
        "agents.*",
        "the settings of an agent: port, grpc_port, auto_start",
    ),
    key(
        "agents.*.auto_start",
        "true or false",
        "Whether a message to this profile starts an agent when none runs.",
    ),
    key(
        "agents.*.grpc_port",
        "a port from 1 to 65535, or 0 to let the system choose",
        "The port on which this profile's agents speak gRPC, unless `--grpc=PORT` names another; where it is taken, the system chooses one. It switches gRPC on for them.",
    ),
    key(
        "agents.*.port",
        "a port from 1 to 65535, or 0 to let the system choose",
        "The port of this profile's agents, unless `--port` names another. By default 8100 for claude, 8101 for codex, 8102 for gemini, and otherwise the first free port from 8103 on.",
    ),
    key(
        "auth",
        "token, same-user or none",
        "Who may call an agent: see [security](security.md).",
    ),
    key(
        "ca_file",
        "a PEM file of certificate authorities to trust",
        "Certificate authorities to trust, besides those of the system, when calling agents on other machines.",
    ),
    key(
        "default_response_mode",
        "display or return",
        "Whether `synapse send` and the shell hooks wait for the reply (`return`) when a message does not say.",
    ),
    key(
        "grpc",
        "true or false",
        "Whether every agent also speaks A2A over gRPC on a port of its own, as with `--grpc`: see [A2A](a2a.md).",
    ),
    key(
        "hooks",
        "true or false",
        "Whether Synapse gives programs hooks of its own, to hear from them what they do.",
    ),
    key(
        "host_names",
        "a list of names others call this machine by, such as [agents.example]",
        "Names that a request's `Host` may have, besides those of this machine.",
    ),
    section(
        "input_routing",
        "settings: enabled, feedback, passthrough_on_fail, pattern, return_to_agent",
    ),
    key(
        "input_routing.enabled",
        "true or false",
        "Whether lines typed into a wrapped program are looked at for `@handle`.",
    ),
    key(
        "input_routing.feedback",
        "silent or inline",
        "What the terminal shows of a message: that it was sent and its answer (`silent`), or every step (`inline`).",
    ),
    key(
        "input_routing.passthrough_on_fail",
        "true or false",
        "Whether a line to an unknown handle goes to the program instead.",
    ),
    key(
        "input_routing.pattern",
        r"a regular expression with a group for the handle and one for the message, such as '^@([\w.-]+(?:@[\w-]+)?)\s+(.+)$'",
        "What a line to another agent looks like.",
    ),
    key(
        "input_routing.return_to_agent",
        "true or false",
        "Whether the answer is also typed into the program from which the message was sent.",
    ),
    section("limits", "settings: connections, header_timeout"),
    key(
        "limits.connections",
        "a whole number from 1 to 65536",
        "How many connections an agent or the hub keeps open; others get 503.",
    ),
    key(
        "limits.header_timeout",
        "a number of seconds greater than 0",
        "How long a client may take for the headers of a request, and stay silent between two requests.",
    ),
    key(
        "listen",
        "an IP address, such as 127.0.0.1",
        "The address on which agents listen, unless `--listen` names another.",
    ),
    key(
        "mcp",
        "true or false",
        "Whether every agent is given the tools of `synapse mcp`, as with `--mcp`.",
    ),
    section("mesh", "settings: allow, machines, outbox_limit, replicas"),
    key(
        "mesh.allow",
        "view, send, answer or control",
        "The most that other machines of the mesh may do to agents of this machine, whatever their role: see [mesh](mesh.md).",
    ),
    section(
        "mesh.machines",
        "names of machines, each with the most that it may do, such as `laptop: view`",
    ),
    key(
        "mesh.machines.*",
        "view, send, answer or control",
        "The most that this machine may do, in place of `mesh.allow`.",
    ),
    key(
        "mesh.outbox_limit",
        "a whole number from 1 to 100000",
        "How many messages are kept for machines that are away; others are refused with 507.",
    ),
    key(
        "mesh.replicas",
        "a whole number from 1 to 5",
        "On how many servers of a NATS cluster the mesh keeps who is there.",
    ),
    key(
        "queue_limit",
        "a whole number from 1 to 10000",
        "How many tasks may wait for one agent; others get 429.",
    ),
    key(
        "response_timeout",
        "a number of seconds greater than 0",
        "How long `synapse send --return` waits unless `--timeout` says otherwise. The task goes on.",
    ),
    key("shell_prompt", "text", "The prompt of `synapse-shell`."),
    key(
        "size",
        "columns and rows from 20x5 to 1000x500, such as 120x40",
        "The terminal of an agent in the background, unless `--size` says otherwise.",
    ),
    section("tls", "a certificate and its key: cert, key"),
    key(
        "tls.cert",
        "a PEM file",
        "The certificate with which agents and the hub speak HTTPS, and its chain.",
    ),
    key(
        "tls.key",
        "a PEM file",
        "The private key of that certificate.",
    ),
    section("web", "settings: roots"),
    key(
        "web.roots",
        "a list of folders",
        "Folders whose repositories the page shows and in which it may start agents.",
    ),
];

/// What is right for the key at `path`, or else for what is above it.
pub(super) fn right(path: &[&str]) -> (String, &'static str) {
    let mut path = path;
    loop {
        if let Some(key) = KEYS.iter().find(|key| is_at(key.path, path)) {
            return (path.join("."), key.right);
        }
        match path.split_last() {
            Some((_, above)) => path = above,
            None => return (String::new(), ""),
        }
    }
}

/// The keys that nobody knows, each with the one that it is a slip of.
pub(super) fn unknown(node: &Node) -> Vec<(&Name, Option<&'static str>)> {
    let mut found = Vec::new();
    collect_unknown(node, &mut Vec::new(), &mut found);
    found
}

fn collect_unknown<'a>(
    node: &'a Node,
    above: &mut Vec<&'a str>,
    found: &mut Vec<(&'a Name, Option<&'static str>)>,
) {
    for (name, below) in node.entries() {
        above.push(&name.text);
        let is_known = KEYS.iter().any(|key| is_at(key.path, above));
        if is_known {
            collect_unknown(below, above, found);
        }
        above.pop();
        if !is_known && siblings(above).next().is_some() {
            found.push((name, meant(&name.text, siblings(above))));
        }
    }
}

/// The line of every key, by the names that lead to it, joined by dots.
pub(super) fn lines(node: &Node) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for (name, below) in node.entries() {
        let below = lines(below).into_iter();
        found.extend(below.map(|(path, line)| (format!("{}.{path}", name.text), line)));
        found.insert(name.text.clone(), name.place.line);
    }
    found
}

/// The key that a place in the file belongs to: the last that begins before it.
pub(super) fn path_to(node: &Node, place: Place) -> Vec<&str> {
    let before = node
        .entries()
        .iter()
        .filter(|(name, _)| name.place <= place);
    match before.max_by_key(|(name, _)| name.place) {
        None => Vec::new(),
        Some((name, below)) => {
            let mut path = path_to(below, place);
            path.insert(0, &name.text);
            path
        }
    }
}

/// The names of the keys right below `above`.
fn siblings(above: &[&str]) -> impl Iterator<Item = &'static str> {
    KEYS.iter()
        .filter(|key| !key.path.is_empty())
        .filter_map(move |key| match key.path.rsplit_once('.') {
            Some((parent, name)) => is_at(parent, above).then_some(name),
            None => above.is_empty().then_some(key.path),
        })
}

/// Whether a path that may hold `*` is this one.
pub(super) fn is_at(known: &str, path: &[&str]) -> bool {
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
        for Key { path, right, .. } in KEYS {
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
