//! `synapse conversations`, and which one `start --resume` continues.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};
use synapse_machine::launch_record::is_conversation_name;
use synapse_machine::paths::Paths;
use synapse_term::profile::Profile;
use synapse_transcript::PastConversation;

use super::program::Program;
use super::table::{Table, age};
use super::{Failure, again, lookup, print, profile, texts};
use crate::cli::{Start, complete};

/// `synapse conversations …`
#[derive(Args)]
pub(crate) struct Conversations {
    /// The program: a profile that says how a conversation is continued
    #[arg(add = complete::profiles())]
    profile: String,
    /// The folder; by default this one
    #[arg(long)]
    cwd: Option<PathBuf>,
    /// Print JSON: {conversations}
    #[arg(long)]
    json: bool,
}

/// Lists the older conversations of a folder.
pub(crate) fn run(args: &Conversations) -> Result<u8> {
    let profile = profile::find(&args.profile)?;
    let dir = folder(args.cwd.as_deref())?;
    let past = past(&profile, &dir);
    if args.json {
        let past: Vec<Value> = past.iter().map(shown).collect();
        print::json(&json!({ "conversations": past }))?;
        return Ok(0);
    }
    if profile.resume.is_empty() {
        note!("{}", not_continued_by(&profile));
    } else if past.is_empty() {
        note!("{}", texts::no_conversations(&profile.name, dir.display()));
    } else {
        table(&past, |one| one.name.clone()).print()?;
        if io::stdout().is_terminal() {
            note!("{}", texts::continue_with(&args.profile));
        }
    }
    Ok(0)
}

/// Why there is nothing to continue, and which programs have something.
pub(super) fn not_continued_by(profile: &Profile) -> String {
    let builtin = Profile::builtin_names().filter_map(|name| Profile::builtin(name).ok());
    let able = builtin.filter(|profile| !profile.resume.is_empty());
    let able: Vec<String> = able.map(|profile| profile.name).collect();
    texts::continues_no_conversation(&profile.name, able.join(", "))
}

/// The conversations that a program can go on with in a folder, the newest first.
pub(super) fn past(profile: &Profile, dir: &Path) -> Vec<PastConversation> {
    if profile.resume.is_empty() {
        return Vec::new();
    }
    let dir = profile.cwd.as_ref().map_or(dir, Path::new);
    let found = synapse::launch::transcript(profile, dir);
    let mut past = found.map_or_else(Vec::new, |source| source.past_conversations());
    past.retain(|one| is_conversation_name(&one.name));
    past
}

/// Lets a person at a terminal choose, where `--resume` names none and there are several that no agent has open.
pub(super) fn choose(start: &Start) -> Result<Start> {
    let is_asked = start.resume.as_deref() == Some("");
    if !is_asked || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(start.clone());
    }
    let program = Program::find(start)?;
    let dir = folder(start.cwd.as_deref().map(Path::new))?;
    let mut past = past(&program.profile, &dir);
    let open = again::open(&lookup::agents()?, &Paths::from_env()?);
    past.retain(|one| open.iter().all(|(name, _)| *name != one.name));
    if past.len() < 2 {
        return Ok(start.clone());
    }
    let mut number = 0;
    let numbered = table(&past, |_| {
        number += 1;
        number.to_string()
    });
    numbered.print_to_person()?;
    let mut line = String::new();
    loop {
        write!(print::err(), "{} ", texts::which_conversation(past.len()))?;
        line.clear();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Err(Failure::new(Failure::INTERRUPTED, texts::nothing_chosen()).into());
        }
        let chosen = match line.trim() {
            "" => past.first(),
            word => word
                .parse::<usize>()
                .ok()
                .and_then(|number| past.get(number.checked_sub(1)?)),
        };
        if let Some(one) = chosen {
            return Ok(Start {
                resume: Some(one.name.clone()),
                ..start.clone()
            });
        }
    }
}

fn folder(asked: Option<&Path>) -> Result<PathBuf> {
    let dir = asked.unwrap_or(Path::new("."));
    dir.canonicalize()
        .with_context(|| format!("the folder {} cannot be used", dir.display()))
}

fn table(
    past: &[PastConversation],
    mut first: impl FnMut(&PastConversation) -> String,
) -> Table<3> {
    let mut table = Table::new([
        texts::column_conversation(),
        texts::column_last(),
        texts::column_first_words(),
    ]);
    for one in past {
        let ago = SystemTime::now().duration_since(one.last_at);
        let cells = [
            first(one),
            age(ago.unwrap_or_default().as_secs()),
            one.begins.clone(),
        ];
        table.push(cells, [None; 3], &[]);
    }
    table
}

fn shown(one: &PastConversation) -> Value {
    let at = jiff::Timestamp::try_from(one.last_at).unwrap_or_default();
    json!({ "id": one.name, "last_at": at.to_string(), "begins": one.begins })
}
