//! What turns took of the models, a row for each task and model. It outlives the tasks, so that sums stay true.

use std::collections::HashMap;

use rusqlite::{Connection, Row, params};
use synapse_a2a::event::Timestamp;
use synapse_a2a::id::TaskId;
use synapse_a2a::usage::{ModelUsage, Tokens, Usage};

use super::Owner;
use super::column::{as_number, as_time, now, number, time};
use super::error::StoreError;
use super::read::Reader;

/// What one model took in one turn, and whose turn it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptUsage {
    pub task: TaskId,
    /// The id of the agent.
    pub agent: String,
    pub handle: String,
    pub profile: String,
    /// When it was first told.
    pub at: Timestamp,
    pub usage: ModelUsage,
    pub context: Option<u64>,
    pub window: Option<u64>,
}

/// Puts what a turn took in the place of what was known of it.
pub(super) fn put(
    connection: &Connection,
    owner: &Owner,
    task: &TaskId,
    usage: &Usage,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO usage (task, model, agent, handle, profile, at, input, cached, cache_written, output,
            cost_micros, context, context_window)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (task, model) DO UPDATE SET input = ?7, cached = ?8, cache_written = ?9,
            output = ?10, cost_micros = ?11, context = ?12, context_window = ?13",
    )?;
    for model in &usage.models {
        let Tokens {
            input,
            cached,
            cache_written,
            output,
        } = model.tokens;
        insert.execute(params![
            task.as_str(),
            model.model.as_deref().unwrap_or_default(),
            owner.agent,
            owner.handle,
            owner.profile,
            time(now()),
            number(input),
            number(cached),
            number(cache_written),
            number(output),
            model.cost_micros.map(number),
            usage.context.map(number),
            usage.window.map(number),
        ])?;
    }
    Ok(())
}

impl Reader {
    /// What turns took since then, the latest first; of one agent, by id or handle, or of all.
    pub fn usage(
        &self,
        since: Timestamp,
        agent: Option<&str>,
    ) -> Result<Vec<KeptUsage>, StoreError> {
        self.ask(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT * FROM usage
                 WHERE at >= ?1 AND (?2 IS NULL OR agent = ?2 OR handle = ?2 COLLATE NOCASE)
                 ORDER BY at DESC, task DESC, model",
            )?;
            let rows = select.query_map(params![time(since), agent], row)?;
            rows.collect()
        })
    }

    /// What these tasks took, as far as it is known.
    pub fn usage_of(&self, tasks: &[TaskId]) -> Result<HashMap<TaskId, Usage>, StoreError> {
        self.ask(|connection| {
            let mut select =
                connection.prepare_cached("SELECT * FROM usage WHERE task = ?1 ORDER BY rowid")?;
            let mut found = HashMap::new();
            for task in tasks {
                for kept in select.query_map([task.as_str()], row)? {
                    let kept = kept?;
                    let usage: &mut Usage = found.entry(kept.task).or_default();
                    usage.models.push(kept.usage);
                    usage.context = kept.context.or(usage.context);
                    usage.window = kept.window.or(usage.window);
                }
            }
            Ok(found)
        })
    }
}

fn row(row: &Row<'_>) -> rusqlite::Result<KeptUsage> {
    let count = |at: usize| row.get::<_, i64>(at).map(as_number);
    let maybe = |at: usize| row.get::<_, Option<i64>>(at).map(|n| n.map(as_number));
    let model: String = row.get(1)?;
    Ok(KeptUsage {
        task: TaskId::new(row.get::<_, String>(0)?),
        agent: row.get(2)?,
        handle: row.get(3)?,
        profile: row.get(4)?,
        at: as_time(row.get(5)?),
        usage: ModelUsage {
            model: Some(model).filter(|model| !model.is_empty()),
            tokens: Tokens {
                input: count(6)?,
                cached: count(7)?,
                cache_written: count(8)?,
                output: count(9)?,
            },
            cost_micros: maybe(10)?,
        },
        context: maybe(11)?,
        window: maybe(12)?,
    })
}
