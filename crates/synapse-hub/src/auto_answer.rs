//! Questions that are answered by rules a person made. Off until somebody turns it on.
//!
//! A rule answers as a person does: through the fingerprint of the question it read. It never types
//! text or passwords, each use is written down for people to see, and after a number of answers in a
//! row it waits for a person.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

mod act;
mod book;
mod command;
mod rule;

pub(super) use act::consider;
pub(super) use book::{BookError, Used};
pub(super) use rule::{BadRule, Left, Rule, Wish};

use super::shapes::Prompt;
use book::{BookFile, RuleRecords};
use synapse_machine::registry::{AgentId, Entry};

/// So many answers in a row are given to one agent; then a person has to look.
const IN_A_ROW: u32 = 10;

/// The rules, and what they did.
#[derive(Debug)]
pub(super) struct AutoAnswer(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    file: BookFile,
    book: RuleRecords,
    /// How many answers in a row each agent was given.
    rows: HashMap<AgentId, u32>,
    /// The question that was looked at last, by agent: each is looked at once.
    looked_at: HashMap<AgentId, String>,
    /// Why the rules for an agent left its last question to a person.
    left: HashMap<AgentId, Left>,
    /// Agents an answer is under way to.
    answering: HashSet<AgentId>,
}

/// What a rule answers to a question.
#[derive(Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) rule: String,
    pub(super) value: String,
}

/// Everything there is to see of it.
#[derive(Debug, Serialize)]
pub(super) struct View {
    enabled: bool,
    rules: Vec<Rule>,
    /// The latest first.
    used: Vec<Used>,
    /// Agents that were given so many answers in a row that a person has to look.
    resting: Vec<String>,
    /// How many that is.
    in_a_row: u32,
    /// Agents whose last question was left to a person, though there are rules for them, and why.
    left: BTreeMap<String, String>,
}

impl AutoAnswer {
    /// Reads what earlier runs wrote.
    pub(super) fn load(path: PathBuf) -> Result<Self, BookError> {
        let file = BookFile::new(path);
        Ok(Self(Mutex::new(Inner {
            book: file.read()?,
            file,
            rows: HashMap::new(),
            looked_at: HashMap::new(),
            left: HashMap::new(),
            answering: HashSet::new(),
        })))
    }

    pub(super) fn view(&self) -> View {
        let inner = self.lock();
        let resting = inner.rows.iter().filter(|(_, row)| **row >= IN_A_ROW);
        View {
            enabled: inner.book.enabled,
            rules: inner.book.rules.clone(),
            used: inner.book.used.iter().rev().cloned().collect(),
            resting: resting.map(|(id, _)| id.to_string()).collect(),
            in_a_row: IN_A_ROW,
            left: inner
                .left
                .iter()
                .map(|(id, why)| (id.to_string(), why.to_string()))
                .collect(),
        }
    }

    /// Whether rules answer questions here, as the file says.
    pub(super) fn is_on(path: PathBuf) -> bool {
        let book = BookFile::new(path).read();
        book.is_ok_and(|book| book.enabled && !book.rules.is_empty())
    }

    /// Turns it on or off.
    pub(super) fn enable(&self, enabled: bool) -> Result<(), BookError> {
        self.change(|book| book.enabled = enabled)
    }

    /// One rule more. Nothing if there are as many as there may be.
    pub(super) fn add(&self, rule: Rule) -> Result<Option<Rule>, BookError> {
        if self.lock().book.is_full() {
            return Ok(None);
        }
        self.change(|book| book.rules.push(rule.clone()))?;
        Ok(Some(rule))
    }

    /// One rule less. Whether there was one.
    pub(super) fn remove(&self, id: &str) -> Result<bool, BookError> {
        if !self.lock().book.rules.iter().any(|rule| rule.id == id) {
            return Ok(false);
        }
        self.change(|book| book.rules.retain(|rule| rule.id != id))?;
        Ok(true)
    }

    /// A person answered or wrote to this agent: the row is broken.
    pub(super) fn person_acted(&self, agent: &AgentId) {
        self.lock().rows.remove(agent);
    }

    /// An agent is gone.
    pub(super) fn forget(&self, agent: &AgentId) {
        let mut inner = self.lock();
        inner.rows.remove(agent);
        inner.looked_at.remove(agent);
        inner.left.remove(agent);
    }

    /// What to answer to a question that was opened; at most once for each opening.
    fn choose(&self, entry: &Entry, prompt: &Prompt) -> Option<Choice> {
        let mut inner = self.lock();
        let id = &entry.agent_id;
        let before = inner.looked_at.insert(id.clone(), prompt.id.clone());
        if before.as_ref() == Some(&prompt.id) || !inner.book.enabled {
            return None;
        }
        if inner.rows.get(id).is_some_and(|row| *row >= IN_A_ROW) {
            return None;
        }
        let mut left = None;
        let mut choice = None;
        for rule in &inner.book.rules {
            match rule.answer(&entry.profile, &entry.handle, &prompt.asked) {
                None => {}
                Some(Err(why)) => left = Some(why),
                Some(Ok(value)) => {
                    let rule = rule.id.clone();
                    choice = Some(Choice { rule, value });
                    break;
                }
            }
        }
        inner.left.remove(id);
        let Some(choice) = choice else {
            inner.left.extend(left.map(|why| (id.clone(), why)));
            return None;
        };
        // An answer that is under way may be for this very question, painted anew.
        inner.answering.insert(id.clone()).then_some(choice)
    }

    /// Takes note of what became of an answer.
    fn answered(&self, entry: &Entry, used: Option<Used>) -> Result<(), BookError> {
        let id = entry.agent_id.clone();
        self.lock().answering.remove(&id);
        let Some(used) = used else {
            return Ok(());
        };
        *self.lock().rows.entry(id).or_default() += 1;
        self.change(|book| book.note(used))
    }

    /// Changes the book if that can be written down.
    fn change(&self, change: impl FnOnce(&mut RuleRecords)) -> Result<(), BookError> {
        let mut inner = self.lock();
        let mut book = inner.book.clone();
        change(&mut book);
        inner.file.write(&book)?;
        inner.book = book;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
