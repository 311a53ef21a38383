//! How a program is given our hook command. What the user passes to the program stays in force: their
//! settings are merged with ours where that is possible, else ours stay out and the start says so.

use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use synapse_machine::hex::hex;

/// What the user gives the program.
pub struct UserArguments<'a> {
    pub args: &'a [String],
    /// What is in a file, if it can be read.
    pub read: &'a dyn Fn(&Path) -> Option<String>,
}

/// A start with our hooks in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injection {
    /// Arguments of ours, before the user's.
    pub args: Vec<String>,
    /// The user's arguments, where ours had to be merged into them.
    pub user_args: Option<Vec<String>>,
    /// The program will run our hooks, unless a policy forbids them.
    pub is_promised: bool,
    /// Why not, where the user's arguments stand in the way.
    pub obstacle: Option<String>,
}

/// The events of Claude Code that every version from 2.1.120 on has: at an unknown one it shows a warning.
const CLAUDE_EVENTS: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionDenied",
    PERMISSION,
    "Stop",
    "StopFailure",
    "SessionEnd",
];

/// The events of Codex, with the names under which it keeps whom it trusts.
const CODEX_EVENTS: [(&str, &str); 8] = [
    ("SessionStart", "session_start"),
    ("UserPromptSubmit", "user_prompt_submit"),
    ("PreToolUse", "pre_tool_use"),
    (PERMISSION, "permission_request"),
    ("PostToolUse", "post_tool_use"),
    ("Stop", "stop"),
    ("Interrupt", "interrupt"),
    ("SessionEnd", "session_end"),
];

/// The one event that waits for an answer.
const PERMISSION: &str = "PermissionRequest";

/// How long Claude lets a permission request wait, in seconds: longer than any person.
const ANSWER_PATIENCE: u32 = 7 * 24 * 3600;

/// How long any other hook may take, in seconds. Codex waits for its hooks.
const PATIENCE: u32 = 1;

/// What makes `program` run `command` as its hook. Nothing for a program that takes no hooks by argument.
pub fn inject(program: &str, command: &str, given: &UserArguments<'_>) -> Injection {
    match program {
        "claude" => claude(command, given),
        "codex" => codex(command, given),
        _ => Injection::default(),
    }
}

fn obstructed(why: String) -> Injection {
    Injection {
        obstacle: Some(why),
        ..Injection::default()
    }
}

fn claude(command: &str, given: &UserArguments<'_>) -> Injection {
    let is_bare = |word: &String| word == "--bare" || word == "--safe-mode";
    if let Some(flag) = given.args.iter().find(|word| is_bare(word)) {
        return obstructed(format!("{flag} switches hooks off"));
    }
    let Some((at, own)) = own_settings(given.args) else {
        let settings = json!({ "hooks": claude_hooks(command) });
        return Injection {
            args: vec!["--settings".to_owned(), settings.to_string()],
            is_promised: true,
            ..Injection::default()
        };
    };
    let is_inline = own.trim_start().starts_with('{');
    let text = if is_inline {
        Some(own.to_owned())
    } else {
        (given.read)(Path::new(own))
    };
    let settings = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let Some(mut settings) = settings.filter(Value::is_object) else {
        return obstructed(format!(
            "the --settings {own} cannot be read, so they are passed on as they are"
        ));
    };
    if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        return obstructed("the --settings switch hooks off (disableAllHooks)".to_owned());
    }
    merge(&mut settings, claude_hooks(command));
    let mut args = given.args.to_vec();
    if let Some(word) = args.get_mut(at) {
        *word = match word.strip_prefix("--settings=") {
            Some(_) => format!("--settings={settings}"),
            None => settings.to_string(),
        };
    }
    Injection {
        user_args: Some(args),
        is_promised: true,
        ..Injection::default()
    }
}

/// The settings among the user's arguments: the index of the word that holds them, and what they are.
fn own_settings(args: &[String]) -> Option<(usize, &str)> {
    args.iter()
        .enumerate()
        .find_map(|(at, word)| match word.strip_prefix("--settings") {
            Some("") => Some((at + 1, args.get(at + 1)?.as_str())),
            Some(rest) => Some((at, rest.strip_prefix('=')?)),
            None => None,
        })
}

fn claude_hooks(command: &str) -> Map<String, Value> {
    let hook = |event: &str| {
        if event == PERMISSION {
            json!({ "type": "command", "command": command, "timeout": ANSWER_PATIENCE })
        } else {
            json!({ "type": "command", "command": command, "async": true, "timeout": 60 })
        }
    };
    let entry = |event: &&str| ((*event).to_owned(), json!([{ "hooks": [hook(event)] }]));
    CLAUDE_EVENTS.iter().map(entry).collect()
}

/// Adds our hooks behind those that are there.
fn merge(settings: &mut Value, ours: Map<String, Value>) {
    let Some(settings) = settings.as_object_mut() else {
        return;
    };
    let hooks = settings.entry("hooks").or_insert_with(|| json!({}));
    let Some(hooks) = hooks.as_object_mut() else {
        return;
    };
    for (event, mut entry) in ours {
        match hooks.get_mut(&event).and_then(Value::as_array_mut) {
            Some(theirs) => theirs.append(entry.as_array_mut().unwrap_or(&mut Vec::new())),
            None => {
                hooks.insert(event, entry);
            }
        }
    }
}

/// Codex asks before it runs a hook that it does not know, so each is passed with the proof that it is
/// the one that was agreed to: a hash of exactly this command. A version that computes it in another way
/// shows its dialog, and nothing is run unseen.
fn codex(command: &str, given: &UserArguments<'_>) -> Injection {
    if configured(given.args).any(is_about_hooks) {
        return obstructed("hooks are configured by arguments of your own".to_owned());
    }
    let text = json!(command);
    let mut args = Vec::new();
    let mut trusted = Vec::new();
    for (event, label) in CODEX_EVENTS {
        // A string of JSON is one of TOML.
        let hook = format!(r#"{{type="command",command={text},timeout={PATIENCE}}}"#);
        args.extend([
            "-c".to_owned(),
            format!("hooks.{event}=[{{hooks=[{hook}]}}]"),
        ]);
        let agreed = format!(
            r#"{{"event_name":"{label}","hooks":[{{"async":false,"command":{text},"timeout":{PATIENCE},"type":"command"}}]}}"#
        );
        let hash = hex(&Sha256::digest(agreed.as_bytes()));
        trusted.push(format!(
            r#""/<session-flags>/config.toml:{label}:0:0"={{trusted_hash="sha256:{hash}"}}"#
        ));
    }
    args.extend([
        "-c".to_owned(),
        format!("hooks.state={{{}}}", trusted.join(",")),
    ]);
    Injection {
        args,
        is_promised: true,
        ..Injection::default()
    }
}

/// The settings among the user's arguments, as they are written.
fn configured(args: &[String]) -> impl Iterator<Item = &str> {
    let is_flag = |word: &str| matches!(word, "-c" | "--config" | "--enable" | "--disable");
    args.iter().enumerate().filter_map(move |(at, word)| {
        let before = at.checked_sub(1).and_then(|at| args.get(at));
        let is_value = before.is_some_and(|before| is_flag(before));
        match word.strip_prefix("--config=") {
            Some(value) => Some(value),
            None if is_value => Some(word),
            None => word.strip_prefix("-c").filter(|value| !value.is_empty()),
        }
    })
}

fn is_about_hooks(setting: &str) -> bool {
    let setting = setting.trim_start();
    let setting = setting.strip_prefix("features.").unwrap_or(setting);
    let rest = setting
        .strip_prefix("codex_hooks")
        .or_else(|| setting.strip_prefix("hooks"));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '=', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(program: &str, args: &[&str]) -> Injection {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let read = |path: &Path| {
            let is_there = path == Path::new("own.json");
            is_there.then(|| r#"{"model":"m","hooks":{"Stop":[{"hooks":[1]}]}}"#.to_owned())
        };
        let given = UserArguments {
            args: &args,
            read: &read,
        };
        inject(program, "'/bin/synapse' hook-event '/run/x'", &given)
    }

    #[test]
    fn only_claudes_permission_requests_wait() {
        let injection = of("claude", &["--model", "m"]);
        let settings: Value = serde_json::from_str(&injection.args[1]).unwrap();
        for event in CLAUDE_EVENTS {
            let hook = &settings["hooks"][event][0]["hooks"][0];
            assert_eq!(hook["command"], "'/bin/synapse' hook-event '/run/x'");
            assert_eq!(hook["async"] == true, event != PERMISSION, "{event}");
        }
        assert!(injection.is_promised && injection.user_args.is_none());
    }

    #[test]
    fn settings_of_the_user_stay_in_force() {
        for args in [
            ["--settings", "own.json"].as_slice(),
            &["--settings=own.json"],
        ] {
            let injection = of("claude", args);
            let args = injection.user_args.unwrap();
            let own = args.last().unwrap().trim_start_matches("--settings=");
            let settings: Value = serde_json::from_str(own).unwrap();
            assert_eq!(settings["model"], "m");
            let stop = settings["hooks"]["Stop"].as_array().unwrap();
            assert_eq!((stop.len(), &stop[0]["hooks"][0]), (2, &json!(1)));
            assert!(injection.args.is_empty() && injection.is_promised);
        }
    }

    #[test]
    fn what_stands_in_the_way_is_said() {
        for args in [
            ["--settings", "nosuch.json"].as_slice(),
            &["--settings", "{ broken"],
            &["--settings", r#"{"disableAllHooks":true}"#],
            &["--bare"],
        ] {
            let injection = of("claude", args);
            assert!(
                !injection.is_promised && injection.obstacle.is_some(),
                "{args:?}"
            );
            assert!(injection.args.is_empty() && injection.user_args.is_none());
        }
        for args in [
            ["-c", "hooks.Stop=[]"].as_slice(),
            &["--config=hooks={}"],
            &["-chooks.Stop=[]"],
            &["-c", "features.hooks = false"],
            &["--disable", "codex_hooks"],
        ] {
            let own = of("codex", args);
            assert!(own.obstacle.is_some() && own.args.is_empty(), "{args:?}");
        }
        for args in [
            ["explain the hooks.json of this project"].as_slice(),
            &["-c", "model=hooks.v2"],
            &["--cd", "hooks"],
        ] {
            let own = of("codex", args);
            assert!(own.obstacle.is_none() && own.is_promised, "{args:?}");
        }
        assert_eq!(of("gemini", &[]), Injection::default());
    }

    #[test]
    fn codex_is_told_whom_it_may_trust() {
        let args = of("codex", &[]).args;
        assert!(args.iter().step_by(2).all(|word| word == "-c"));
        let state = args.last().unwrap();
        assert_eq!(
            state.matches("trusted_hash=\"sha256:").count(),
            CODEX_EVENTS.len()
        );
        assert!(state.contains(r#""/<session-flags>/config.toml:stop:0:0"={trusted_hash="#));
    }
}
