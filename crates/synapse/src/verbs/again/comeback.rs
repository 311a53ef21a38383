//! An agent that is to be started again as it was started before, with its conversation.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use clap::Parser as _;
use serde_json::{Value, json};
use synapse::host::NotInstalled;
use synapse::launch::probe;
use synapse_machine::config::Config;
use synapse_machine::handle::Handle;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_machine::registry::Entry;
use synapse_pty::SpawnError;
use synapse_term::profile::{Backend, Profile};

use super::conversation::{known, open};
use crate::cli::{Start, Wrap};
use crate::verbs::program::Program;
use crate::verbs::{start, texts};

/// An agent whose folder, profile and program are there, so that it can be started again.
pub(super) struct Comeback {
    record: LaunchRecord,
    start: Start,
    /// Its arguments without those that belong to its first start.
    lasting: Vec<String>,
    conversation: Option<String>,
    /// Why its conversation is not continued, if that is so.
    warning: Option<String>,
}

impl Comeback {
    /// Looks whether an agent can be started again under this name, beside those that run.
    ///
    /// # Errors
    /// If something that it needs is not there.
    pub(super) fn of(
        record: &LaunchRecord,
        name: &Handle,
        running: &[Entry],
        paths: &Paths,
    ) -> Result<Self> {
        // Without its settings no host starts.
        Config::load(&paths.config())?;
        let mut start = started_with(record)?;
        start.name = Some(name.to_string());
        start.cwd = Some(record.dir.to_string_lossy().into_owned());
        let found = Program::find_in(&start, &record.dir);
        // Whoever typed `up` or `restart` has named no profile: theirs is no error of usage.
        let Program { profile, .. } = found.map_err(|error| anyhow!("{error:#}"))?;
        let place = profile.cwd.as_ref();
        let place = place.map_or_else(|| record.dir.clone(), |cwd| record.dir.join(cwd));
        for dir in [&record.dir, &place] {
            std::fs::metadata(dir.join("."))
                .with_context(|| texts::folder_cannot_be_used(dir.display()))?;
        }
        look_for_program(&profile, start.acp, &place)?;
        let conversation = continued(record, &profile);
        // What was to be said at the first start was said then, and the conversation is chosen by us.
        let lasting = lasting_args(&profile, &start);
        if conversation.is_some() {
            start.args.clone_from(&lasting);
        }
        let open = open(running, paths);
        let holder = open
            .iter()
            .find(|(name, _)| conversation.as_ref() == Some(name));
        let warning = holder.map(|(name, handle)| texts::conversation_is_open(name, handle));
        Ok(Self {
            record: record.clone(),
            start,
            lasting,
            conversation: conversation.filter(|_| warning.is_none()),
            warning,
        })
    }

    /// The same with a new conversation.
    pub(super) fn fresh(self) -> Self {
        Self {
            conversation: None,
            warning: None,
            start: Start {
                args: self.lasting.clone(),
                ..self.start
            },
            ..self
        }
    }

    /// How it would be started.
    pub(super) fn plan(&self) -> Value {
        json!({
            "handle": self.start.name, "dir": self.record.dir, "start": self.record.words,
            "conversation": self.conversation, "warning": self.warning,
        })
    }

    /// Starts it. A conversation that cannot be continued gives way to a new one.
    pub(super) fn start(&self) -> Result<Value> {
        let dir = &self.record.dir;
        let mut warning = self.warning.clone();
        let mut conversation = self.conversation.as_ref();
        let resumed = conversation.map(|name| {
            let resumed = Start {
                resume: Some(name.clone()),
                ..self.start.clone()
            };
            start::launch_in(&resumed, dir).inspect_err(|why| {
                warning = Some(texts::is_not_continued(name, texts::errors::told(why)));
            })
        });
        let mut told = if let Some(Ok(told)) = resumed {
            told
        } else {
            conversation = None;
            start::launch_in(&self.start, dir)?
        };
        if let Some(fields) = told.as_object_mut() {
            fields.insert("dir".to_owned(), json!(dir));
            fields.insert("conversation".to_owned(), json!(conversation));
        }
        if let Some(warning) = warning {
            start::warn(&mut told, &warning);
        }
        Ok(told)
    }
}

/// What somebody would type in a terminal to start an agent there that was started so, with its conversation.
pub(super) fn by_hand(record: &LaunchRecord) -> Result<String> {
    let start = started_with(record)?;
    let dir = word(&record.dir.to_string_lossy());
    let words = if start.profile.is_none() {
        // It takes no options of ours.
        record.words.clone()
    } else {
        let program = Program::find_in(&start, &record.dir)?;
        let resume = continued(record, &program.profile);
        let named = Start {
            name: Some(record.handle.to_string()),
            args: match resume {
                Some(_) => lasting_args(&program.profile, &start),
                None => start.args.clone(),
            },
            resume,
            ..start
        };
        named.words()
    };
    let words: Vec<String> = words.iter().map(|one| word(one)).collect();
    let words = words.join(" ");
    let words = words.strip_suffix(" --").unwrap_or(&words);
    Ok(format!("cd {dir} && synapse {words}"))
}

fn started_with(record: &LaunchRecord) -> Result<Start> {
    let words = std::iter::once("synapse".to_owned()).chain(record.words.iter().cloned());
    let wrap = Wrap::try_parse_from(words).context("it was started by another version")?;
    Ok(wrap.start)
}

/// The conversation of an agent, if its program can go on with it.
fn continued(record: &LaunchRecord, profile: &Profile) -> Option<String> {
    let can_resume = !profile.resume.is_empty();
    can_resume.then(|| known(record)).flatten()
}

/// The arguments of an agent that are for every start of it.
fn lasting_args(profile: &Profile, start: &Start) -> Vec<String> {
    let rules = profile.arguments.as_ref();
    rules.map_or_else(|| start.args.clone(), |rules| rules.lasting(&start.args))
}

/// Looks whether the program of a profile is there.
fn look_for_program(profile: &Profile, by_acp: bool, dir: &Path) -> Result<()> {
    let over_acp = if by_acp || profile.backend == Backend::Acp {
        profile.over_acp()?
    } else {
        None
    };
    let profile = over_acp.as_ref().unwrap_or(profile);
    // The dummy agent is this very program, wherever it is installed.
    let Some(program) = profile.command.first().filter(|it| *it != "synapse") else {
        return Ok(());
    };
    let place = if program.contains('/') {
        dir.join(program).to_string_lossy().into_owned()
    } else {
        program.clone()
    };
    if probe::find(&place, profile.env.get("PATH").map(String::as_str)).is_some() {
        return Ok(());
    }
    Err(match &profile.install {
        _ if Path::new(&place).is_file() => SpawnError::Denied(program.into()).into(),
        Some(install) => NotInstalled {
            program: program.clone(),
            install: install.clone(),
        }
        .into(),
        None => SpawnError::NotFound(program.into()).into(),
    })
}

/// A word as a shell reads it.
fn word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_read_it_otherwise() {
        for (plain, quoted) in [
            ("--resume=5f1c", "--resume=5f1c"),
            ("my project", "'my project'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
            ("", "''"),
        ] {
            assert_eq!(word(plain), quoted);
        }
    }
}
