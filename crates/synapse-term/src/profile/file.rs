//! A profile as it is written: every key may be missing, and then comes from the one it extends.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use synapse_yaml::{Error, What};

use super::arguments::ArgumentRules;
use super::backend::{AcpCommand, Backend};
use super::excerpt::excerpt;
use super::rules::{
    AskingRules, BusyRules, IdleRules, InputDetection, OutcomeRules, OutputRouting, Pattern,
    SpeechRules,
};
use super::{Profile, ProfileError};
use crate::keys::{Key, meant};

/// The keys of a profile file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileFile {
    name: Option<String>,
    extends: Option<String>,
    command: Option<CommandWords>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
    cwd: Option<String>,
    idle_regex: Option<Pattern>,
    submit_sequence: Option<String>,
    submit_delay: Option<u64>,
    interrupt_key: Option<KeyName>,
    interrupt_presses: Option<u8>,
    clear_input_keys: Option<Vec<KeyName>>,
    exit_keys: Option<Vec<KeyName>>,
    newline_keys: Option<Vec<KeyName>>,
    prompt_template: Option<String>,
    command_chars: Option<String>,
    input_detection: Option<InputDetection>,
    output_routing: Option<OutputRouting>,
    response_end: Option<String>,
    response_timeout: Option<Seconds>,
    parse_code_blocks: Option<bool>,
    parse_file_refs: Option<bool>,
    parse_json: Option<bool>,
    channel: Option<bool>,
    backend: Option<Backend>,
    acp: Option<AcpFile>,
    mcp: Option<bool>,
    hooks: Option<bool>,
    record: Option<String>,
    install: Option<String>,
    resume: Option<Vec<String>>,
    resumes_late: Option<bool>,
    arguments: Option<ArgumentRules>,
    busy: Option<BusyRules>,
    idle: Option<IdleRules>,
    asking: Option<AskingRules>,
    chrome: Option<Vec<Pattern>>,
    speech: Option<SpeechRules>,
    outcome: Option<OutcomeRules>,
}

impl ProfileFile {
    pub(super) fn parse(text: &str, origin: &str) -> Result<Self, ProfileError> {
        synapse_yaml::from_str(text).map_err(|error| {
            let place = error.place();
            ProfileError::Syntax {
                origin: format!("{origin}:{}:{}", place.line, place.column),
                message: format!("{}\n{}", said(&error), excerpt(text, place)),
            }
        })
    }

    /// What it starts from: `generic`, which itself starts from nothing.
    pub(super) fn base(&self, origin: &str) -> Result<Option<String>, ProfileError> {
        match (&self.extends, &self.name) {
            (Some(base), Some(name)) if base == name => Err(ProfileError::Circle {
                origin: origin.to_owned(),
                base: base.clone(),
            }),
            (Some(base), _) => Ok(Some(base.clone())),
            (None, Some(name)) if name == "generic" => Ok(None),
            (None, _) => Ok(Some("generic".to_owned())),
        }
    }

    /// This file laid over the profile it extends.
    pub(super) fn over(self, base: Profile) -> Profile {
        let mut command = self.command.map_or(base.command, |c| c.0);
        command.extend(self.args.unwrap_or_default());
        let keys = |names: Vec<KeyName>| names.into_iter().map(|key| key.0).collect();
        Profile {
            name: self.name.unwrap_or(base.name),
            command,
            env: base
                .env
                .into_iter()
                .chain(self.env.unwrap_or_default())
                .collect(),
            cwd: self.cwd.or(base.cwd),
            idle_regex: self.idle_regex.or(base.idle_regex),
            submit_sequence: self.submit_sequence.unwrap_or(base.submit_sequence),
            submit_delay: self
                .submit_delay
                .map_or(base.submit_delay, Duration::from_millis),
            interrupt_key: self.interrupt_key.map(|key| key.0).or(base.interrupt_key),
            interrupt_presses: self.interrupt_presses.unwrap_or(base.interrupt_presses),
            clear_input_keys: self.clear_input_keys.map_or(base.clear_input_keys, keys),
            exit_keys: self.exit_keys.map_or(base.exit_keys, keys),
            newline_keys: self.newline_keys.map_or(base.newline_keys, keys),
            prompt_template: self.prompt_template.or(base.prompt_template),
            command_chars: self.command_chars.or(base.command_chars),
            input_detection: self.input_detection.unwrap_or(base.input_detection),
            output_routing: self.output_routing.unwrap_or(base.output_routing),
            response_end: self.response_end.or(base.response_end),
            response_timeout: self.response_timeout.map(|s| s.0).or(base.response_timeout),
            parse_code_blocks: self.parse_code_blocks.unwrap_or(base.parse_code_blocks),
            parse_file_refs: self.parse_file_refs.unwrap_or(base.parse_file_refs),
            parse_json: self.parse_json.unwrap_or(base.parse_json),
            channel: self.channel.unwrap_or(base.channel),
            backend: self.backend.unwrap_or(base.backend),
            acp: self.acp.map(AcpFile::into_command).or(base.acp),
            mcp: self.mcp.unwrap_or(base.mcp),
            hooks: self.hooks.unwrap_or(base.hooks),
            record: self.record.or(base.record).filter(|name| name != "none"),
            install: self.install.or(base.install),
            resume: self.resume.unwrap_or(base.resume),
            resumes_late: self.resumes_late.unwrap_or(base.resumes_late),
            arguments: self.arguments.or(base.arguments),
            busy: self.busy.unwrap_or(base.busy),
            idle: self.idle.unwrap_or(base.idle),
            asking: self.asking.unwrap_or(base.asking),
            chrome: self.chrome.unwrap_or(base.chrome),
            speech: self.speech.unwrap_or(base.speech),
            outcome: self.outcome.unwrap_or(base.outcome),
        }
    }
}

/// How a program is reached by ACP, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcpFile {
    command: CommandWords,
    auth: Option<String>,
    install: Option<String>,
}

impl AcpFile {
    fn into_command(self) -> AcpCommand {
        AcpCommand {
            command: self.command.0,
            auth: self.auth,
            install: self.install,
        }
    }
}

/// A command: a list, or one string split as a shell would, though no shell is run.
#[derive(Debug)]
struct CommandWords(Vec<String>);

impl<'de> Deserialize<'de> for CommandWords {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Line(String),
            List(Vec<String>),
        }
        match Either::deserialize(deserializer)? {
            Either::List(words) => Ok(Self(words)),
            Either::Line(line) => split_words(&line)
                .map(Self)
                .map_err(serde::de::Error::custom),
        }
    }
}

/// A key by its name, checked when the profile is read.
#[derive(Debug)]
struct KeyName(String);

impl<'de> Deserialize<'de> for KeyName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Key::parse(&name).map_err(serde::de::Error::custom)?;
        Ok(Self(name))
    }
}

/// A time in seconds, longer than none.
#[derive(Debug)]
struct Seconds(Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        let time = Duration::try_from_secs_f64(seconds).ok();
        let time = time.filter(|time| !time.is_zero());
        time.map(Self)
            .ok_or_else(|| serde::de::Error::custom("must be a number of seconds greater than 0"))
    }
}

/// Splits a command line as a POSIX shell does: blanks, quotes and backslashes, nothing else.
///
/// # Errors
/// If a quote is not closed.
pub fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => text.push(c),
                        None => return Err(format!("the quote ' is not closed in: {line}")),
                    }
                }
            }
            '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => text.push(c),
                            Some(c) => text.extend(['\\', c]),
                            None => return Err(format!("the quote \" is not closed in: {line}")),
                        },
                        Some(c) => text.push(c),
                        None => return Err(format!("the quote \" is not closed in: {line}")),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// What is wrong; of a key that does not exist also the one that it is a slip of.
fn said(error: &Error) -> String {
    let What::UnknownKey { key, known } = error.what() else {
        return error.to_string();
    };
    let near = meant(key, known.iter().copied()).map(|near| format!("; the nearest is '{near}'"));
    let near = near.unwrap_or_default();
    format!(
        "there is no key '{key}'{near}. There are {}",
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_once_what_is_wrong_and_where() {
        for (text, what) in [
            ("name: x\nsubmit_dely: 1", "the nearest is 'submit_delay'"),
            ("name: x\nnope: 1", "there is no key 'nope'"),
            ("name: x\nbogus: 1", "there is no key 'bogus'. There are"),
            ("name: x\nidle_regex: '('", "unclosed group"),
        ] {
            let error = ProfileFile::parse(text, "x.yaml").err().unwrap();
            let error = error.to_string();
            assert_eq!(error.matches(what).count(), 1, "{error}");
            assert!(error.starts_with("x.yaml:2:"), "{error}");
            assert_eq!(error.matches("2:1").count().max(1), 1, "{error}");
        }
    }

    #[test]
    fn splits_a_command_as_a_shell_would() {
        let words = |line| split_words(line).unwrap();
        assert_eq!(
            words(r#"toy  --say "a \"b\"" 'c d'\ e ''"#),
            ["toy", "--say", "a \"b\"", "c d e", ""]
        );
        assert!(split_words("toy 'x").is_err());
    }
}
