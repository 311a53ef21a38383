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
    /// The name it had last.
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
    /// The agents that tasks are kept of, the one with the latest task first.
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

/// One that was known by several names is one agent, by the last of them.
fn folded(rows: Vec<KeptAgent>) -> Vec<KeptAgent> {
    let mut agents: BTreeMap<String, KeptAgent> = BTreeMap::new();
    for row in rows {
        match agents.get_mut(&row.agent) {
            None => drop(agents.insert(row.agent.clone(), row)),
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
    fn an_agent_with_several_names_is_one_by_the_last_of_them() {
        let rows = vec![
            row("a", "old", 2, 10),
            row("b", "other", 1, 20),
            row("a", "new", 3, 30),
        ];
        let again: Vec<KeptAgent> = rows.iter().rev().cloned().collect();
        let expected = [row("a", "new", 5, 30), row("b", "other", 1, 20)];
        assert_eq!(folded(rows), expected);
        assert_eq!(folded(again), expected);
    }
}
