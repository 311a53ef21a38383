//! Handles of agents, and which agent a name means. Pure: it looks only at the entries it is given. A name
//! is never resolved by guessing; if several agents match, the error lists them.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use synapse_a2a::event::Origin;
use synapse_term::keys::nearest;

use crate::registry::{AgentId, Entry};

/// The word that means everyone but the sender, so nobody may be called that.
pub const EVERYONE: &str = "all";

/// What else nobody may be called: everybody but the sender, and how people and clients are named as senders.
const RESERVED: [&str; 4] = [EVERYONE, Origin::SOMEBODY, Origin::KEYBOARD, Origin::CLIENT];

/// A file is named after the handle, and people have to type it.
const LONGEST: usize = 64;
/// Words such as `add` or `bed` must not reach an agent because its id happens to begin with them.
const SHORTEST_PREFIX: usize = 4;
/// How many names are worth offering to somebody who mistyped one.
const SUGGESTIONS: usize = 3;

/// The name others address an agent by, without the `@`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Handle(String);

/// Why a word cannot be a handle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandleError {
    /// It could not be typed after an `@`.
    #[error(
        "'{0}' cannot be a handle: use letters, digits, '.', '_' and '-', beginning with a letter or digit"
    )]
    Letters(String),
    /// It is too long.
    #[error("a handle has at most {LONGEST} characters, '{0}' has more")]
    Length(String),
    /// It means something else.
    #[error("'{0}' is reserved: it means all agents or a person")]
    Reserved(String),
}

impl Handle {
    /// Takes a word as a handle.
    ///
    /// # Errors
    /// When it could not be addressed afterwards.
    pub fn parse(word: &str) -> Result<Self, HandleError> {
        let is_begin = |c: char| c.is_alphanumeric() || c == '_';
        let is_rest = |c: char| is_begin(c) || c == '.' || c == '-';
        if !word.starts_with(is_begin) || !word.chars().all(is_rest) {
            return Err(HandleError::Letters(word.to_owned()));
        }
        if word.chars().count() > LONGEST {
            return Err(HandleError::Length(word.to_owned()));
        }
        if RESERVED.iter().any(|reserved| is_same(word, reserved)) {
            return Err(HandleError::Reserved(word.to_owned()));
        }
        Ok(Self(word.to_owned()))
    }

    /// A handle that somebody else chose and that is only read.
    pub fn unchecked(word: &str) -> Self {
        Self(word.to_owned())
    }

    /// This handle for the `nth` of its kind: `codex`, `codex-2`, `codex-3`.
    #[must_use]
    pub fn nth(&self, nth: u32) -> Self {
        match nth {
            0 | 1 => self.clone(),
            _ => Self(format!("{self}-{nth}")),
        }
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is no name at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a person who types `word` means this handle.
    pub fn is(&self, word: &str) -> bool {
        is_same(&self.0, word)
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a name leads to no agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Nobody is called that.
    #[error("no agent is called '{wanted}'{}", suggest(.nearest))]
    Nobody {
        /// The name as given.
        wanted: String,
        /// The handles closest to it, the closest first.
        nearest: Vec<Handle>,
    },
    /// More than one could be meant.
    #[error("'{wanted}' could be any of {}", join(.candidates))]
    Several {
        /// The name as given.
        wanted: String,
        /// Those it could be.
        candidates: Vec<Candidate>,
    },
    /// No machine of the mesh is called that.
    #[error("no machine of the mesh is called '{wanted}'; there are {}", .known.join(", "))]
    NoMachine {
        /// The name as given.
        wanted: String,
        known: Vec<String>,
    },
    /// The agent of that name has ended, and another one has a name like it.
    #[error("@{wanted} has ended; @{other} is another agent")]
    Ended {
        /// The name as given.
        wanted: String,
        /// The one that runs.
        other: Handle,
    },
}

/// One of several agents that a name could mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What to call it to be understood.
    pub handle: Handle,
    /// Who it is.
    pub id: AgentId,
    pub working_dir: PathBuf,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{} in {}", self.handle, self.working_dir.display())
    }
}

/// The agent that somebody who works in `dir` means by `wanted`, with or without an `@` before it.
///
/// A handle is unique and wins; then an id, `profile-port`, a profile's name and the beginning of an
/// id are tried in this order.
///
/// # Errors
/// When nobody is meant, or several could be and not exactly one of them works in `dir`.
pub fn find<'a>(entries: &'a [Entry], wanted: &str, dir: &Path) -> Result<&'a Entry, AddressError> {
    let word = wanted.strip_prefix('@').unwrap_or(wanted);
    let ways: [fn(&Entry, &str) -> bool; 5] = [
        |entry, word| entry.handle.is(word),
        |entry, word| is_same(entry.agent_id.as_str(), word),
        is_profile_and_port,
        |entry, word| is_same(&entry.profile, word) || is_same(&entry.agent_type, word),
        is_beginning_of_id,
    ];
    for is_meant in ways {
        let meant: Vec<&Entry> = entries
            .iter()
            .filter(|entry| is_meant(entry, word))
            .collect();
        let mut here = meant.iter().filter(|entry| entry.working_dir == dir);
        match (meant.as_slice(), here.next(), here.next()) {
            ([], ..) => {}
            ([one], ..) | (_, Some(one), None) => return Ok(one),
            _ => {
                return Err(AddressError::Several {
                    wanted: word.to_owned(),
                    candidates: meant.into_iter().map(candidate).collect(),
                });
            }
        }
    }
    Err(AddressError::Nobody {
        wanted: word.to_owned(),
        nearest: nearest_handles(entries.iter().map(|entry| &entry.handle), word),
    })
}

/// The agent that is to be ended. Unlike for [`find`], a profile means its agent only if no other agent of that
/// profile runs, and not if it got its name because another one was called like the profile.
///
/// # Errors
/// If nobody or several are meant.
pub fn find_to_end<'a>(
    entries: &'a [Entry],
    wanted: &str,
    dir: &Path,
) -> Result<&'a Entry, AddressError> {
    let found = find(entries, wanted, dir)?;
    let word = wanted.strip_prefix('@').unwrap_or(wanted);
    let is_profile =
        |entry: &&Entry| is_same(&entry.profile, word) || is_same(&entry.agent_type, word);
    if found.handle.is(word) || !is_profile(&found) {
        return Ok(found);
    }
    let others: Vec<&Entry> = entries.iter().filter(is_profile).collect();
    if others.len() > 1 {
        return Err(AddressError::Several {
            wanted: word.to_owned(),
            candidates: others.into_iter().map(candidate).collect(),
        });
    }
    let number = found.handle.as_str().get(word.len()..);
    let number = number.and_then(|rest| rest.strip_prefix('-'));
    if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
        return Err(AddressError::Ended {
            wanted: word.to_owned(),
            other: found.handle.clone(),
        });
    }
    Ok(found)
}

/// Who is meant by a word: an agent of this machine, or one elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Whom<'a> {
    /// One that runs here.
    Local(&'a Entry),
    /// One elsewhere, by its alias.
    External(&'a Handle),
}

/// The agent that is meant by `wanted`: one of this machine, as [`find`] finds it, and only then one elsewhere.
///
/// # Errors
/// As [`find`] has them.
pub fn find_anywhere<'a>(
    entries: &'a [Entry],
    aliases: &'a [Handle],
    wanted: &str,
    dir: &Path,
) -> Result<Whom<'a>, AddressError> {
    let missing = match find(entries, wanted, dir) {
        Err(AddressError::Nobody { wanted, .. }) => wanted,
        found => return found.map(Whom::Local),
    };
    let mut meant = aliases.iter().filter(|alias| alias.is(&missing));
    meant.next().map(Whom::External).ok_or_else(|| {
        let handles = entries.iter().map(|entry| &entry.handle);
        AddressError::Nobody {
            nearest: nearest_handles(handles.chain(aliases), &missing),
            wanted: missing,
        }
    })
}

fn is_profile_and_port(entry: &Entry, word: &str) -> bool {
    word.rsplit_once('-').is_some_and(|(kind, port)| {
        port.parse() == Ok(entry.port)
            && (is_same(&entry.profile, kind) || is_same(&entry.agent_type, kind))
    })
}

fn is_beginning_of_id(entry: &Entry, word: &str) -> bool {
    let beginning = entry.agent_id.as_str().get(..word.len());
    word.len() >= SHORTEST_PREFIX && beginning.is_some_and(|text| is_same(text, word))
}

fn is_same(a: &str, b: &str) -> bool {
    a.chars()
        .flat_map(char::to_lowercase)
        .eq(b.chars().flat_map(char::to_lowercase))
}

fn candidate(entry: &Entry) -> Candidate {
    Candidate {
        handle: entry.handle.clone(),
        id: entry.agent_id.clone(),
        working_dir: entry.working_dir.clone(),
    }
}

fn nearest_handles<'a>(handles: impl Iterator<Item = &'a Handle>, word: &str) -> Vec<Handle> {
    let mut left: Vec<&str> = handles.map(Handle::as_str).collect();
    let mut found = Vec::new();
    while found.len() < SUGGESTIONS
        && let Some(next) = nearest(word, left.iter().copied())
    {
        left.retain(|handle| *handle != next);
        found.push(Handle::unchecked(next));
    }
    found
}

fn suggest(nearest: &[Handle]) -> String {
    match nearest {
        [] => "; none is running".to_owned(),
        [one] => format!("; the only one is @{one}"),
        several => {
            let names: Vec<String> = several.iter().map(|handle| format!("@{handle}")).collect();
            format!("; there are {}", names.join(", "))
        }
    }
}

fn join(candidates: &[Candidate]) -> String {
    let names: Vec<String> = candidates.iter().map(ToString::to_string).collect();
    names.join("; ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::registry::{Status, Transport};

    fn agent(handle: &str, profile: &str, port: u16, dir: &str) -> Entry {
        Entry {
            agent_id: AgentId::derive("box", Path::new(dir), handle, 1),
            agent_type: profile.to_owned(),
            port,
            status: Status::Idle,
            pid: 1,
            working_dir: dir.into(),
            endpoint: format!("http://127.0.0.1:{port}"),
            handle: Handle::parse(handle).unwrap(),
            profile: profile.to_owned(),
            started_at: None,
            transport: Transport::Http,
            token_path: None,
            is_token_replaced: false,
            program_dir: None,
            may_answer_itself: false,
            has_no_terminal: false,
            is_adopted: false,
            version: String::new(),
            other: BTreeMap::new(),
        }
    }

    fn agents() -> Vec<Entry> {
        vec![
            agent("codex", "codex", 8101, "/a"),
            agent("codex-2", "codex", 8103, "/b"),
            agent("reviewer", "claude", 8100, "/a"),
            agent("Painter", "claude", 8104, "/b"),
            agent("記録", "claude", 8105, "/b"),
        ]
    }

    fn found(word: &str, dir: &str) -> String {
        match find(&agents(), word, Path::new(dir)) {
            Ok(entry) => entry.handle.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_handle_is_found_in_any_spelling() {
        assert_eq!(found("reviewer", "/"), "reviewer");
        assert_eq!(found("@REVIEWER", "/"), "reviewer");
        assert_eq!(found("painter", "/"), "Painter");
        assert_eq!(found("記録", "/"), "記録");
    }

    #[test]
    fn a_handle_wins_over_the_profile_of_others() {
        assert_eq!(found("codex", "/b"), "codex");
    }

    #[test]
    fn profile_and_port_name_one() {
        assert_eq!(found("Codex-8103", "/"), "codex-2");
        assert_eq!(found("claude-8104", "/"), "Painter");
    }

    #[test]
    fn a_profile_means_its_only_agent_here() {
        assert_eq!(found("claude", "/a"), "reviewer");
    }

    #[test]
    fn several_that_could_be_meant_are_listed() {
        assert_eq!(
            found("claude", "/elsewhere"),
            "'claude' could be any of @reviewer in /a; @Painter in /b; @記録 in /b"
        );
        assert!(
            found("claude", "/b").contains("could be any"),
            "two of them work here"
        );
    }

    #[test]
    fn an_id_or_its_beginning_is_enough() {
        let id = agents()[2].agent_id.to_string();
        assert_eq!(found(&id, "/"), "reviewer");
        assert_eq!(found(&id[..8].to_uppercase(), "/"), "reviewer");
        assert!(
            found(&id[..3], "/").contains("no agent"),
            "a short word is no id"
        );
    }

    #[test]
    fn the_nearest_names_are_offered() {
        let Err(AddressError::Nobody { nearest, .. }) = find(&agents(), "codec", Path::new("/"))
        else {
            panic!("codec is nobody");
        };
        assert_eq!(nearest[0].as_str(), "codex");
        assert_eq!(nearest.len(), SUGGESTIONS);
        assert_eq!(
            find(&[], "codex", Path::new("/")).unwrap_err().to_string(),
            "no agent is called 'codex'; none is running"
        );
        for odd in ["", "@", "-", "é", "codex-99999999", "会"] {
            assert!(found(odd, "/").contains("no agent"), "{odd}");
        }
    }

    #[test]
    fn an_agent_elsewhere_is_meant_when_none_here_is() {
        let agents = agents();
        let aliases = ["weather", "Codex"].map(|alias| Handle::parse(alias).unwrap());
        let found = |word: &str| find_anywhere(&agents, &aliases, word, Path::new("/"));
        assert_eq!(found("@WEATHER"), Ok(Whom::External(&aliases[0])));
        assert_eq!(found("codex"), Ok(Whom::Local(&agents[0])), "here first");
        assert!(
            found("claude")
                .unwrap_err()
                .to_string()
                .contains("could be any")
        );
        let error = found("wether").unwrap_err().to_string();
        assert!(error.contains("there are @weather"), "{error}");
    }

    #[test]
    fn a_handle_can_be_typed_and_be_a_file_name() {
        for word in ["codex", "codex-2", "v1.2_x", "記録", "_", "7"] {
            assert_eq!(Handle::parse(word).unwrap().as_str(), word);
        }
        for word in ["", "-x", ".x", "..", "a b", "a/b", "@a", "a\n", "ALL"] {
            assert!(Handle::parse(word).is_err(), "{word}");
        }
        assert!(Handle::parse(&"x".repeat(LONGEST + 1)).is_err());
    }

    #[test]
    fn who_is_ended_is_called_by_name() {
        let here = Path::new("/a");
        let end = |entries: &[Entry], word: &str| {
            find_to_end(entries, word, here).map(|entry| entry.handle.to_string())
        };
        let second = agent("dummy-2", "dummy", 2, "/a");
        let ended = AddressError::Ended {
            wanted: "dummy".to_owned(),
            other: Handle::parse("dummy-2").unwrap(),
        };
        assert_eq!(end(std::slice::from_ref(&second), "@dummy"), Err(ended));
        assert_eq!(
            end(std::slice::from_ref(&second), "dummy-2").unwrap(),
            "dummy-2"
        );
        let named = agent("tester", "dummy", 3, "/b");
        assert_eq!(
            end(std::slice::from_ref(&named), "dummy").unwrap(),
            "tester"
        );
        // One of them works here, which is not enough to end it.
        assert!(matches!(
            end(&[second.clone(), named.clone()], "dummy"),
            Err(AddressError::Several { .. })
        ));
        let first = agent("dummy", "dummy", 1, "/c");
        assert_eq!(end(&[first, second, named], "dummy").unwrap(), "dummy");
    }
}
