//! The configuration as people write it: complete, with slips, and nonsense.
#![cfg(test)]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use synapse_machine::config::{Auth, Config, Feedback, LoadedConfig, Size};
use synapse_term::profile::Profile;
use synapse_term::router::ResponseMode;

fn parse(text: &str) -> LoadedConfig {
    Config::parse(text, Path::new("config.yaml")).unwrap()
}

fn refused(text: &str) -> String {
    Config::parse(text, Path::new("config.yaml"))
        .unwrap_err()
        .to_string()
}

fn warnings(text: &str) -> Vec<String> {
    parse(text)
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn without_a_file_everything_has_its_default() {
    let place = tempfile::tempdir().unwrap();
    let loaded = Config::load(&place.path().join("config.yaml")).unwrap();
    let config = loaded.config;
    assert!(loaded.warnings.is_empty());
    assert!(config.input_routing.enabled && config.input_routing.passthrough_on_fail);
    assert!(config.input_routing.pattern.is_none());
    assert_eq!(config.input_routing.feedback, Feedback::Silent);
    assert_eq!(config.default_response_mode, ResponseMode::Display);
    assert_eq!(config.response_timeout, Duration::from_secs(30));
    assert_eq!(config.shell_prompt, "synapse> ");
    assert_eq!(config.auth, Auth::SameUser);
    assert_eq!(config.queue_limit, 64);
    assert_eq!(config.size.to_string(), "120x40");
    assert_eq!(config.listen.to_string(), "127.0.0.1");
    assert!(config.agents.is_empty() && config.web.roots.is_empty());
}

#[test]
fn the_files_of_the_requirements_are_understood() {
    let routing = parse(
        "# ~/.synapse/config.yaml\ninput_routing:\n  enabled: true\n  \
         pattern: \"^@(\\\\w+)\\\\s+(.+)$\"\n  feedback: \"silent\"  # or \"inline\"\n  \
         passthrough_on_fail: true\n",
    );
    assert!(routing.warnings.is_empty());
    let pattern = routing.config.input_routing.pattern.unwrap();
    assert!(pattern.read("@gemini hello").is_some());

    let universal = parse(
        "default_response_mode: display\nresponse_timeout: 30  # seconds\n\
         shell_prompt: \"synapse> \"\n\nagents:\n  gemini:\n    port: 8102\n    \
         auto_start: true\n  claude:\n    port: 8100\n    auto_start: false\n",
    );
    assert!(universal.warnings.is_empty());
    let agents = universal.config.agents;
    assert_eq!(agents["gemini"].port, Some(8102));
    assert!(agents["gemini"].auto_start && !agents["claude"].auto_start);
}

#[test]
fn every_other_key_can_be_set() {
    let config = parse(
        "auth: token\nqueue_limit: 3\nsize: 200x50\nlisten: 0.0.0.0\nresponse_timeout: 0.5\n\
         default_response_mode: return\ninput_routing: {enabled: no, feedback: inline}\n\
         web:\n  roots: [/src, /work]\n",
    )
    .config;
    assert_eq!(config.auth, Auth::Token);
    assert_eq!(config.queue_limit, 3);
    assert_eq!(config.size, "200x50".parse::<Size>().unwrap());
    assert_eq!(config.listen.to_string(), "0.0.0.0");
    assert_eq!(config.response_timeout, Duration::from_millis(500));
    assert_eq!(config.default_response_mode, ResponseMode::Return);
    assert!(!config.input_routing.enabled);
    assert_eq!(config.web.roots.len(), 2);
}

#[test]
fn how_agents_are_reached_can_be_set() {
    let config = parse(
        "host_names: [box.lan]\ntls: {cert: /c.pem, key: /k.pem}\nca_file: /ca.pem\n\
         limits: {connections: 7, header_timeout: 1.5}\n",
    )
    .config;
    let reach = config.reach();
    assert_eq!(reach.host_names, ["box.lan"]);
    assert_eq!(reach.tls.unwrap().key, Path::new("/k.pem"));
    assert_eq!(reach.limits.connections, 7);
    assert_eq!(reach.limits.header_timeout, Duration::from_millis(1_500));
    assert_eq!(config.ca_file.unwrap(), Path::new("/ca.pem"));
    assert!(refused("tls: {cert: /c.pem}\n").contains("both"));
    assert!(refused("host_names: [https://x]\n").contains("not a host name"));
    assert!(refused("limits: {connections: 0}\n").contains("from 1 to 65536"));
}

#[test]
fn sections_may_be_empty() {
    for text in [
        "",
        "# nothing\n",
        "---\n",
        "agents:\n",
        "agents:\n  codex:\nweb:\n",
    ] {
        assert!(warnings(text).is_empty(), "{text}");
    }
}

#[test]
fn an_unknown_key_is_a_warning_with_the_nearest() {
    assert_eq!(
        warnings("auth: none\nrespnse_timeout: 3\nagents:\n  codex:\n    Port: 1\n  x: {}\n"),
        [
            "config.yaml:2:1: there is no key 'respnse_timeout'; the nearest is 'response_timeout'",
            "config.yaml:5:5: there is no key 'Port'; the nearest is 'port'",
        ]
    );
    assert_eq!(
        warnings("portz: 3\n"),
        ["config.yaml:1:1: there is no key 'portz'; synapse config lists them all"],
        "none is near"
    );
    assert_eq!(
        warnings("input_routing:\n  enable: true\nextra: [{a: 1}]\n").len(),
        2
    );
}

#[test]
fn a_wrong_value_says_where_it_is_and_what_would_be_right() {
    for (text, wanted) in [
        (
            "auth: tok\n",
            "config.yaml:1:7: auth must be token, same-user or none",
        ),
        (
            "\nagents:\n  codex:\n    port: many\n",
            "config.yaml:4:11: agents.codex.port must be a port from 1 to 65535, or 0 to let the system choose",
        ),
        (
            "queue_limit: 0\n",
            "config.yaml:1:14: queue_limit must be a whole number from 1 to 10000 (0 is out of range)",
        ),
        (
            "size: 120\n",
            "config.yaml:1:7: size must be columns and rows from 20x5 to 1000x500, such as 120x40 ('120' is not a size",
        ),
        (
            "response_timeout: -1\n",
            "config.yaml:1:19: response_timeout must be a number of seconds greater than 0",
        ),
        (
            "listen: everywhere\n",
            "config.yaml:1:9: listen must be an IP address",
        ),
        (
            "input_routing:\n  enabled: perhaps\n",
            "config.yaml:2:12: input_routing.enabled must be true or false",
        ),
        (
            "input_routing: yes\n",
            "config.yaml:1:16: input_routing must be settings: enabled",
        ),
        (
            "input_routing:\n  pattern: '@(.*)'\n",
            "it has 1 of 2 groups",
        ),
        (
            "web:\n  roots: /src\n",
            "config.yaml:2:10: web.roots must be a list of folders",
        ),
        (
            "- auth\n",
            "config.yaml:1:1: the file must be keys with their values",
        ),
        (
            "auth\n",
            "config.yaml:1:1: the file must be keys with their values",
        ),
    ] {
        let error = refused(text);
        assert!(
            error.starts_with(wanted) || error.contains(wanted),
            "{text}\n{error}"
        );
    }
}

#[test]
fn what_is_no_yaml_is_refused_with_its_place() {
    assert_eq!(
        refused("auth: none\nauth: token\n"),
        "config.yaml:2:1: the key 'auth' appears a second time"
    );
    assert_eq!(
        refused("a: *b\n"),
        "config.yaml:1:4: alias references unknown anchor"
    );
    for text in [
        "response_timeout: .nan\n",
        "auth: [\n",
        "a: b: c\n",
        "\t- x\n  y",
        "{",
        "'",
    ] {
        let error = refused(text);
        assert!(error.starts_with("config.yaml:"), "{text}\n{error}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_not_taken_for_a_missing_one() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("config.yaml");
    fs::create_dir(&file).unwrap();
    assert!(Config::load(&file).is_err());
    fs::remove_dir(&file).unwrap();
    fs::write(&file, b"\xff\xfe").unwrap();
    assert!(Config::load(&file).is_err());
}

/// A value for every key that differs from its default.
const OTHER_VALUES: &[(&str, &str)] = &[
    ("agents.codex.auto_start", "true"),
    ("agents.codex.grpc_port", "50051"),
    ("agents.codex.port", "8200"),
    ("auth", "token"),
    ("ca_file", "/ca.pem"),
    ("default_response_mode", "return"),
    ("grpc", "true"),
    ("hooks", "false"),
    ("host_names", "[box.lan]"),
    ("input_routing.enabled", "false"),
    ("input_routing.feedback", "inline"),
    ("input_routing.passthrough_on_fail", "false"),
    ("input_routing.pattern", "'^#(\\w+) (.+)$'"),
    ("input_routing.return_to_agent", "true"),
    ("limits.connections", "7"),
    ("limits.header_timeout", "1.5"),
    ("listen", "0.0.0.0"),
    ("mcp", "true"),
    ("mesh.allow", "view"),
    ("mesh.outbox_limit", "3"),
    ("mesh.replicas", "3"),
    ("queue_limit", "3"),
    ("response_timeout", "0.5"),
    ("shell_prompt", "$"),
    ("size", "200x50"),
    ("tls.cert", "/c.pem"),
    ("tls.key", "/k.pem"),
    ("web.roots", "[/src]"),
];

/// The file that sets this key alone.
fn file_with(key: &str, value: &str) -> String {
    // A certificate is refused without its key.
    if key.starts_with("tls.") {
        return "tls: {cert: /c.pem, key: /k.pem}\n".to_owned();
    }
    let names: Vec<&str> = key.split('.').collect();
    let lines = names.iter().enumerate();
    let lines = lines.map(|(depth, name)| format!("{}{name}:", "  ".repeat(depth)));
    format!("{} {value}\n", lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn every_key_changes_its_setting_and_names_the_line_that_did() {
    let usual = LoadedConfig::default().settings();
    let all: Vec<String> = parse("agents: {codex: {}}\n")
        .settings()
        .into_iter()
        .map(|setting| setting.key)
        .collect();
    let tried: Vec<&str> = OTHER_VALUES.iter().map(|(key, _)| *key).collect();
    assert_eq!(all, tried, "every key is tried here");
    for (key, value) in OTHER_VALUES {
        let text = file_with(key, value);
        let settings = parse(&text).settings();
        let set = settings.iter().find(|setting| setting.key == *key).unwrap();
        let before = usual.iter().find(|setting| setting.key == *key);
        assert_ne!(
            Some(&set.value),
            before.map(|setting| &setting.value),
            "{key}"
        );
        assert!(!set.value.is_null(), "{key}");
        let line = text.lines().count() as u64;
        assert_eq!(set.line, Some(line), "{key}\n{text}");
    }
    assert!(usual.iter().all(|setting| setting.line.is_none()));
}

/// A field that some code reads, and the name of what it reads it from.
type Access = (String, String);

/// All field accesses in the sources of all crates, but for the files that only take settings in.
fn accesses() -> HashSet<Access> {
    fn walk(folder: &Path, found: &mut HashSet<Access>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if matches!(name, "config" | "profile" | "tests" | "benches") {
                continue;
            }
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                collect(&fs::read_to_string(&path).unwrap(), found);
            }
        }
    }
    fn collect(text: &str, found: &mut HashSet<Access>) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut holder = String::new();
        for part in text.split('.') {
            let part = part.trim_start();
            let field: String = part.chars().take_while(|c| is_word(*c)).collect();
            let is_call = part[field.len()..].starts_with('(');
            let before = part.trim_end().trim_end_matches("()");
            let start = before.rfind(|c: char| !is_word(c));
            let start = start.map_or(0, |at| at + before[at..].chars().next().unwrap().len_utf8());
            let from = std::mem::replace(&mut holder, before[start..].to_owned());
            if !is_call {
                found.insert((from, field));
            }
        }
    }
    let mut found = HashSet::new();
    walk(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
        &mut found,
    );
    assert!(found.len() > 1_000, "{}", found.len());
    found
}

#[test]
fn every_key_is_read_by_something() {
    let accesses = accesses();
    for (key, _) in OTHER_VALUES {
        let field = key.rsplit('.').next().unwrap();
        let is_read = accesses.iter().any(|(_, read)| read == field);
        assert!(is_read, "nobody reads {key}");
    }
}

/// The keys that a profile may have below `section`, as the error for a wrong one lists them.
fn profile_keys(section: &str) -> Vec<String> {
    let text = if section.is_empty() {
        "no_such_key: 1\n".to_owned()
    } else {
        format!("{section}: {{no_such_key: 1}}\n")
    };
    let error = Profile::parse(&text, "test", &|_| None).unwrap_err();
    let error = error.to_string();
    let listed = error.split("There are ").nth(1).unwrap();
    let listed = listed.lines().next().unwrap();
    listed.split(", ").map(str::to_owned).collect()
}

#[test]
fn every_key_of_a_profile_is_read_by_something() {
    let accesses = accesses();
    let keys = profile_keys("");
    assert!(keys.len() > 25, "{keys:?}");
    for key in &keys {
        let is_read = match key.as_str() {
            // They are part of what the profile is made of.
            "extends" | "args" => true,
            key => accesses.contains(&("profile".to_owned(), key.to_owned())),
        };
        assert!(is_read, "nobody reads {key} of a profile");
    }
    for section in [
        "busy",
        "idle",
        "asking",
        "speech",
        "outcome",
        "input_detection",
        "output_routing",
    ] {
        let keys = profile_keys(section);
        assert!(keys.len() > 1, "{section}: {keys:?}");
        for key in keys {
            let field = if key == "box" { "input_box" } else { &key };
            let is_read = accesses.iter().any(|(_, read)| read == field);
            assert!(is_read, "nobody reads {section}.{key} of a profile");
        }
    }
}
