//! The agents that tasks are kept of, whether they run or not.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use synapse_a2a::event::Timestamp;

use super::column::{as_number, as_time};
use super::error::StoreError;
use super::read::Reader;

/// An agent that was given something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAgent {
    /// Its id: the same again when it is started again in the same place.
    pub agent: String,
    /// Its name: agents of several names may have had one id, each in its time.
    pub handle: String,
    /// What kind of program it was.
    pub profile: String,
    /// Where it worked.
    pub dir: PathBuf,
    /// How many of its tasks are kept.
    pub tasks: u64,
    /// When something last happened to one of them.
    pub last: Timestamp,
}

impl Reader {
    /// The agents that tasks are kept of, by id and name, the one with the latest task first.
    pub fn agents(&self) -> Result<Vec<KeptAgent>, StoreError> {
        let rows: Vec<KeptAgent> = self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT agent, handle, profile, dir,
                    (SELECT coalesce(sum(tasks), 0) FROM tally WHERE tally.agent = agents.key),
                    (SELECT max(updated_at) FROM tasks WHERE tasks.agent = agents.key) AS last
                 FROM agents WHERE last IS NOT NULL",
            )?;
            let rows = select.query_map([], |row| {
                Ok(KeptAgent {
                    agent: row.get(0)?,
                    handle: row.get(1)?,
                    profile: row.get(2)?,
                    dir: OsString::from_vec(row.get(3)?).into(),
                    tasks: as_number(row.get(4)?),
                    last: as_time(row.get(5)?),
                })
            })?;
            rows.collect()
        })?;
        Ok(folded(rows))
    }
}

/// A name is the same in any spelling of its letters.
fn folded(rows: Vec<KeptAgent>) -> Vec<KeptAgent> {
    let mut agents: BTreeMap<(String, String), KeptAgent> = BTreeMap::new();
    for row in rows {
        let key = (row.agent.clone(), row.handle.to_lowercase());
        match agents.get_mut(&key) {
            None => drop(agents.insert(key, row)),
            Some(known) => {
                let tasks = known.tasks + row.tasks;
                if row.last > known.last {
                    *known = row;
                }
                known.tasks = tasks;
            }
        }
    }
    let mut agents: Vec<KeptAgent> = agents.into_values().collect();
    agents.sort_by(|one, other| (other.last, &one.agent).cmp(&(one.last, &other.agent)));
    agents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(agent: &str, handle: &str, tasks: u64, last: u64) -> KeptAgent {
        KeptAgent {
            agent: agent.to_owned(),
            handle: handle.to_owned(),
            profile: "dummy".to_owned(),
            dir: "/w".into(),
            tasks,
            last: Timestamp(last),
        }
    }

    #[test]
    fn agents_of_one_folder_are_told_apart_by_their_names() {
        let rows = vec![
            row("a", "old", 2, 10),
            row("b", "other", 1, 20),
            row("a", "new", 3, 30),
            row("a", "Old", 1, 15),
        ];
        let again: Vec<KeptAgent> = rows.iter().rev().cloned().collect();
        let expected = [
            row("a", "new", 3, 30),
            row("b", "other", 1, 20),
            row("a", "Old", 3, 15),
        ];
        assert_eq!(folded(rows), expected);
        assert_eq!(folded(again), expected);
    }
}
