//! The messages that an agent had not begun when it went down.

use synapse_a2a::error::FailureCode;
use synapse_a2a::event::{Fact, Status, Timestamp};
use synapse_a2a::id::TaskId;
use synapse_a2a::task::TaskState;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_store::{Filter, Kept, Reader, StoreError};

use crate::verbs::table::short;

/// How many messages that were not begun are named.
const OFFERED: usize = 100;

/// A message that an agent had not begun.
pub(super) struct Unbegun {
    pub(super) id: TaskId,
    /// Its first words, on one line.
    pub(super) words: String,
}

impl Unbegun {
    pub(super) fn short_id(&self) -> &str {
        short(self.id.as_str())
    }
}

/// The messages that were waiting when an agent went down, the oldest first. They are not sent unasked.
pub(super) fn unbegun(record: &LaunchRecord, paths: &Paths) -> Result<Vec<Unbegun>, StoreError> {
    let since = record.started_at.as_millisecond().unsigned_abs();
    let reader = Reader::open(paths.store())?;
    let mut ended = Vec::new();
    for state in [TaskState::Failed, TaskState::Canceled] {
        let filter = Filter {
            handle: Some(record.handle.to_string()),
            state: Some(state),
            updated_after: Some(Timestamp(since)),
            limit: OFFERED,
            ..Filter::default()
        };
        ended.extend(reader.page(&filter)?.tasks);
    }
    // Another agent of this name may have been started since.
    ended.retain(|kept| record.is_of_run(&kept.run));
    // Their names go by the time they were made.
    ended.sort_by(|one, other| one.task.id().as_str().cmp(other.task.id().as_str()));
    let mut found = Vec::new();
    for listed in ended {
        // A list has no events.
        let Some(kept) = reader.task(listed.task.id())?.filter(is_untouched) else {
            continue;
        };
        let words = kept.task.message().words().replace('\n', " ");
        found.push(Unbegun {
            id: kept.task.id().clone(),
            words: words.chars().take(60).collect(),
        });
    }
    Ok(found)
}

/// Whether an agent went down, or was stopped, before it began a task.
fn is_untouched(kept: &Kept) -> bool {
    let ended_with_agent = match kept.task.status() {
        Status::Failed { failure } => {
            [FailureCode::HostCrashed, FailureCode::AgentExited].contains(&failure.code)
        }
        Status::Canceled { with_agent, .. } => *with_agent,
        _ => false,
    };
    let is_work = |fact: &Fact| {
        matches!(
            fact,
            Fact::Moved {
                status: Status::Working
            }
        )
    };
    ended_with_agent && !kept.events.iter().any(|event| is_work(&event.fact))
}
