//! What a shell offers on Tab: the agents that run, tasks, profiles, keys, and the options of an open question.

use std::ffi::OsStr;

use clap::CommandFactory as _;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, SubcommandCandidates,
    ValueCompleter as _,
};
use synapse_a2a::task::TaskState;
use synapse_client::client::Client;
use synapse_client::flows::list as list_flows;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_machine::prompts::list;
use synapse_machine::registry::Entry;
use synapse_store::{Filter, Reader};

use super::{Cli, help};
use crate::verbs::answer;
use crate::verbs::lookup;
use crate::verbs::profile;
use crate::verbs::table::short;

/// How many tasks are offered.
const TASKS: usize = 30;

/// The states of tasks that are not over.
const OPEN: [TaskState; 3] = [
    TaskState::Submitted,
    TaskState::Working,
    TaskState::InputRequired,
];

/// Keys that people press by name.
const KEYS: [&str; 16] = [
    "Enter", "Escape", "Tab", "BTab", "BSpace", "Space", "Up", "Down", "Left", "Right", "Home",
    "End", "PageUp", "PageDown", "C-c", "C-u",
];

/// Names of agents that run.
pub(crate) fn agents() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let entries = lookup::agents().unwrap_or_default();
        matching(typed, entries.iter().map(named))
    })
}

/// Names of agents that run, and of those that would be brought back.
pub(crate) fn agents_to_end() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let entries = lookup::agents().unwrap_or_default();
        let paths = Paths::from_env().ok();
        let waiting = paths.and_then(|paths| LaunchRecord::waiting(&paths, &entries).ok());
        let waiting = waiting.unwrap_or_default().into_iter().map(|record| {
            let help = format!("does not run, in {}", record.dir.display());
            (record.handle.to_string(), help)
        });
        matching(typed, entries.iter().map(named).chain(waiting))
    })
}

/// The name of an agent, and what it is.
fn named(entry: &Entry) -> (String, String) {
    let help = format!("{} in {}", entry.profile, entry.place().display());
    (entry.handle.to_string(), help)
}

/// Everybody who can be sent a message, as `codex` or `@codex`.
pub(crate) fn recipients() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let all = lookup::book().map(|book| book.names()).unwrap_or_default();
        let is_called = typed.as_encoded_bytes().starts_with(b"@");
        let named = all.into_iter().map(|name| {
            let name = if is_called { format!("@{name}") } else { name };
            (name, String::new())
        });
        matching(typed, named)
    })
}

/// Aliases of agents elsewhere.
pub(crate) fn aliases() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let known = lookup::contacts().and_then(|contacts| Ok(contacts.list()?));
        let known = known.unwrap_or_default().into_iter();
        let named = known.map(|agent| (agent.alias.to_string(), agent.url));
        matching(typed, named)
    })
}

/// Names of profiles, and files of one's own.
pub(crate) fn profiles() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        if is_path(typed) {
            return PathCompleter::file().complete(typed);
        }
        let names = profile::names().unwrap_or_default();
        matching(typed, names.into_iter().map(|name| (name, String::new())))
    })
}

/// Profiles in the place of a command: `synapse claude`.
pub(crate) fn wrappable() -> SubcommandCandidates {
    SubcommandCandidates::new(|| {
        let commands = Cli::command();
        let profiles = profile::names().unwrap_or_default().into_iter();
        let free = profiles.filter(|name| commands.find_subcommand(name).is_none());
        let named = free.map(|name| (name, "Wrap it in this terminal".to_owned()));
        matching(OsStr::new(""), named)
    })
}

/// Commands and topics that `synapse help` explains.
pub(crate) fn explained() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut words: Vec<String> = words_behind("help").collect();
        if words.last().is_some_and(|last| OsStr::new(last) == typed) {
            words.pop();
        }
        matching(typed, help::explained(&words))
    })
}

/// Names of the person's own prompts.
pub(crate) fn prompts() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let paths = Paths::from_env().ok();
        let all = paths.map(|paths| list(&paths.prompts()));
        let all = all.unwrap_or_default().into_iter();
        matching(typed, all.map(|prompt| (prompt.name, prompt.about)))
    })
}

/// The newest tasks, by the end of their ids, or by all of them if that is what somebody types.
pub(crate) fn tasks() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| matching(typed, tasks_in(&[None], typed)))
}

/// Those that are not over.
pub(crate) fn open_tasks() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| matching(typed, tasks_in(&OPEN.map(Some), typed)))
}

/// The newest tasks in each of these states, or in any.
fn tasks_in(states: &[Option<TaskState>], typed: &OsStr) -> Vec<(String, String)> {
    let typed = typed.to_string_lossy();
    let paths = Paths::from_env().ok();
    let Some(reader) = paths.and_then(|paths| Reader::open(paths.store()).ok()) else {
        return Vec::new();
    };
    let pages = states.iter().filter_map(|state| {
        let filter = Filter {
            state: *state,
            limit: TASKS,
            ..Filter::default()
        };
        reader.page(&filter).ok()
    });
    let named = pages.flat_map(|page| page.tasks).map(|kept| {
        let words = kept.task.message().words();
        let words: String = words.chars().filter(|c| !c.is_control()).take(40).collect();
        let (id, state) = (kept.task.id().as_str(), kept.task.state());
        let name = Some(short(id)).filter(|name| name.starts_with(&*typed));
        (
            name.unwrap_or(id).to_owned(),
            format!("{} {state}: {words}", kept.handle),
        )
    });
    named.collect()
}

/// Names of the flows there are, and files of one's own.
pub(crate) fn flows() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        if is_path(typed) {
            return PathCompleter::file().complete(typed);
        }
        let paths = Paths::from_env().ok();
        let here = std::env::current_dir().ok();
        let all = paths
            .zip(here)
            .and_then(|(paths, here)| list_flows(&paths, &here).ok());
        let all = all.unwrap_or_default().into_iter();
        let named = all.map(|found| {
            let about = found.flow().ok().and_then(|flow| flow.about);
            (found.name, about.unwrap_or_default())
        });
        matching(typed, named)
    })
}

/// Names of keys.
pub(crate) fn keys() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        matching(typed, KEYS.map(|key| (key.to_owned(), String::new())))
    })
}

/// The options of the question that the agent asks which was named before, or whose task was.
pub(crate) fn options() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let whom = words_behind("answer").find(|word| !word.starts_with('-'));
        let prompt = whom.and_then(|whom| {
            let asked = lookup::block_on(async {
                let (entry, _) = answer::whom(&whom).await?;
                let client = Client::of(&entry)?;
                lookup::within(lookup::MOMENT, client.status()).await
            });
            asked.ok()?.prompt
        });
        let options = prompt.map(|prompt| prompt.options).unwrap_or_default();
        let keyed = options.into_iter().enumerate();
        matching(
            typed,
            keyed.map(|(at, option)| ((at + 1).to_string(), option.label)),
        )
    })
}

/// Whether it is the beginning of a path, and of no name.
fn is_path(typed: &OsStr) -> bool {
    let text = typed.as_encoded_bytes();
    text.starts_with(b".") || text.contains(&b'/')
}

/// The words of the line behind a command.
fn words_behind(command: &str) -> impl Iterator<Item = String> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.skip_while(move |word| word != command).skip(1)
}

fn matching(
    typed: &OsStr,
    named: impl IntoIterator<Item = (String, String)>,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let named = named
        .into_iter()
        .filter(|(name, _)| name.starts_with(&*typed));
    let candidates = named.map(|(name, help)| {
        // A shell shows it in the person's terminal.
        let help: String = help.chars().filter(|c| !c.is_control()).collect();
        CompletionCandidate::new(name).help((!help.is_empty()).then(|| help.into()))
    });
    candidates.collect()
}
