//! The messages that an agent had not begun when it went down.

use anyhow::Result;
use synapse_a2a::error::FailureCode;
use synapse_a2a::event::{Fact, Status, Timestamp};
use synapse_a2a::task::TaskState;
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_store::{Filter, Kept, Reader};

use crate::verbs::table::short;
use crate::verbs::texts;

/// How many messages that were not begun are named.
const OFFERED: usize = 100;

/// Names the messages that were waiting when an agent went down, which has this name by now. They are not sent
/// unasked.
pub(super) fn offer(record: &LaunchRecord, name: &str, paths: &Paths) -> Result<()> {
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
    for listed in ended {
        // A list has no events.
        let Some(kept) = reader.task(listed.task.id())?.filter(is_untouched) else {
            continue;
        };
        let id = short(kept.task.id().as_str());
        let words = kept.task.message().words().replace('\n', " ");
        let words: String = words.chars().take(60).collect();
        note!("{}", texts::not_begun(format!("{words:?}"), name, id));
    }
    Ok(())
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
