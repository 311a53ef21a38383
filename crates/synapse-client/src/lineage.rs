//! On whose behalf a program acts: the agent that has started it, whoever asked that agent, whoever asked that one, and
//! so on. An agent does not approve itself, however many others it asks to do it.

use std::time::Duration;

use jiff::Timestamp;
use synapse_a2a::event::Origin;
use synapse_machine::registry::Entry;
use tokio::time::timeout;

use crate::client::Client;
use crate::native::TaskShape;

/// How many are named at most; a message passes through four agents.
const LONGEST: usize = 16;
/// How long an agent may take to say what it works on; one that is stuck asks for nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// Everybody on whose behalf a program acts that was started by those agents of this machine that `is_above` says: their
/// handles, and `name@machine` for those elsewhere. People are not among them.
pub async fn of(entries: &[Entry], is_above: impl Fn(&Entry) -> bool) -> Vec<String> {
    let above: Vec<&Entry> = entries.iter().filter(|entry| is_above(entry)).collect();
    let mut names: Vec<String> = above.iter().map(|entry| entry.handle.to_string()).collect();
    let mut open: Vec<(&Entry, Option<Timestamp>)> =
        above.into_iter().map(|entry| (entry, None)).collect();
    while let Some((entry, asked)) = open.pop() {
        for task in worked_on(entry, asked).await {
            let sent = task.created_at.parse().ok();
            for name in task.via.iter().chain([&task.sender]) {
                if names.len() >= LONGEST || names.contains(name) || is_person(name) {
                    continue;
                }
                names.push(name.clone());
                let asker = entries.iter().find(|entry| entry.handle.as_str() == name);
                open.extend(asker.map(|asker| (asker, sent)));
            }
        }
    }
    names
}

/// What an agent has at hand, or worked on when it asked another one.
async fn worked_on(entry: &Entry, asked: Option<Timestamp>) -> Vec<TaskShape> {
    let Ok(client) = Client::of(entry) else {
        return Vec::new();
    };
    let look = async {
        let Some(asked) = asked else {
            let at_hand = client.status().await?.task;
            return match at_hand {
                Some(at_hand) => Ok(vec![client.task(&at_hand).await?]),
                None => Ok(Vec::new()),
            };
        };
        let mut tasks = client.tasks().await?;
        tasks.retain(|task| was_open(task, asked));
        anyhow::Ok(tasks)
    };
    match timeout(PATIENCE, look).await {
        Ok(Ok(tasks)) => tasks,
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

fn was_open(task: &TaskShape, at: Timestamp) -> bool {
    let time = |text: &str| text.parse::<Timestamp>().ok();
    let began_later = time(&task.created_at).is_some_and(|began| began > at);
    let ended_before =
        task.status.state.is_final() && time(&task.updated_at).is_some_and(|ended| ended < at);
    !began_later && !ended_before
}

/// Whether a name stands for no agent.
fn is_person(name: &str) -> bool {
    let name = name.split('@').next().unwrap_or_default();
    [Origin::SOMEBODY, Origin::KEYBOARD, Origin::CLIENT].contains(&name)
}
