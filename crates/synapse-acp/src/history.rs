//! Earlier conversations, from the store: which there are, and what was said. Reads the disk; changes nothing.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use synapse_a2a::id::ContextId;
use synapse_a2a::message::{Content, Part};
use synapse_a2a::task::Task;
use synapse_client::native::time;
use synapse_store::{Filter, Kept, Reader};

use crate::narrator::Narrator;
use crate::wire::{SessionInfo, Update, text};

/// How many of the latest tasks are looked at for a list of conversations.
const LISTED: usize = 300;

/// How many tasks of a conversation are told again.
const REPLAYED: usize = 200;

/// The longest title of a conversation, in characters.
const TITLE: usize = 80;

/// The conversations with an agent, or with any, the latest first; in a folder, or anywhere.
pub(crate) fn sessions(
    store: &Path,
    agent: Option<&str>,
    dir: Option<&Path>,
) -> Result<Vec<SessionInfo>> {
    let filter = Filter {
        limit: LISTED,
        ..Filter::default()
    };
    let page = Reader::open(store)?.page(&filter)?;
    let is_meant = |kept: &&Kept| {
        let is_agent = agent.is_none_or(|word| {
            let is_same = |name: &str| name.eq_ignore_ascii_case(word);
            is_same(&kept.handle) || is_same(&kept.profile)
        });
        is_agent && dir.is_none_or(|dir| kept.dir == dir)
    };
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut listed: Vec<SessionInfo> = Vec::new();
    for kept in page.tasks.iter().filter(is_meant) {
        let context = kept.task.context().as_str();
        let place = *places.entry(context).or_insert_with(|| {
            listed.push(SessionInfo {
                session_id: context.to_owned(),
                cwd: kept.dir.clone(),
                title: String::new(),
                updated_at: time(kept.task.updated_at()),
            });
            listed.len() - 1
        });
        // The latest comes first, so the title that stays is that of the first message.
        if let Some(info) = listed.get_mut(place) {
            info.title = title(&kept.task);
        }
    }
    Ok(listed)
}

/// What was said in a conversation, and with whom.
pub(crate) struct Conversation {
    /// The handle of the agent that was asked last.
    pub(crate) agent: String,
    pub(crate) updates: Vec<Update>,
}

/// Reads a conversation; nothing if there is none.
pub(crate) fn conversation(store: &Path, context: &str) -> Result<Option<Conversation>> {
    let filter = Filter {
        context: Some(ContextId::new(context)),
        keyboard: true,
        limit: REPLAYED,
        ..Filter::default()
    };
    let mut tasks = Reader::open(store)?.page(&filter)?.tasks;
    let Some(latest) = tasks.first() else {
        return Ok(None);
    };
    let agent = latest.handle.clone();
    tasks.sort_by_key(|kept| kept.task.created_at());
    let updates = tasks.iter().flat_map(|kept| replay(&kept.task, &kept.dir));
    Ok(Some(Conversation {
        agent,
        updates: updates.collect(),
    }))
}

/// A task as it would have been told.
fn replay(task: &Task, dir: &Path) -> Vec<Update> {
    let mut narrator = Narrator::new(dir, true);
    let asked = task.message().parts.iter().map(shown);
    let mut updates: Vec<Update> = asked
        .map(|words| Update::UserMessageChunk {
            content: text(words),
        })
        .collect();
    for step in task.steps() {
        updates.extend(narrator.step(step));
    }
    if let Some(said) = task.reply() {
        updates.extend(narrator.reply(&said.text));
    }
    updates
}

/// A part of a message as words.
fn shown(part: &Part) -> String {
    match &part.content {
        Content::Text { text } => text.clone(),
        Content::Data { data } => data.to_string(),
        Content::Url { url } => format!("[File: {url}]"),
        Content::Raw { .. } => {
            let name = part.filename.as_deref().unwrap_or("file");
            format!("[File: {name}]")
        }
    }
}

fn title(task: &Task) -> String {
    let words = task.message().words();
    let line = words.lines().find(|line| !line.trim().is_empty());
    let mut title: String = line.unwrap_or_default().trim().to_owned();
    if let Some((at, _)) = title.char_indices().nth(TITLE) {
        title.truncate(at);
        title.push('…');
    }
    title
}
