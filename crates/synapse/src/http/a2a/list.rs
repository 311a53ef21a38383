//! Lists of tasks, page by page, the latest standing first: the open ones from the board, which knows
//! how they stand, the others from the store, which has them all.

use serde_json::Value;
use synapse_a2a::event::Origin;
use synapse_a2a::task::Task;
use synapse_a2a::wire::page::{self, Cursor, PAGE_SIZE};
use synapse_a2a::wire::protocol_error::ProtocolError;
use synapse_a2a::wire::request::{ListRequest, StateFilter};
use synapse_a2a::wire::shown::Snapshot;
use synapse_a2a::wire::v1;

use super::super::{ServerState, archive};
use super::refusal::by_store;

pub(super) async fn page(
    served: &ServerState,
    request: &ListRequest,
) -> Result<Value, ProtocolError> {
    let size = request.page_size.unwrap_or(PAGE_SIZE);
    let cursor = request
        .page_token
        .as_deref()
        .map(Cursor::read)
        .transpose()?;
    let records = served.session.board.records();
    let mut tasks: Vec<Task> = records
        .iter()
        .filter(|record| is_wanted(&record.task, request))
        .map(|record| record.task.clone())
        .collect();
    tasks.retain(|task| !task.state().is_final());

    let state = match request.state {
        StateFilter::Any => None,
        StateFilter::Is(state) => Some(state),
        StateFilter::Never => return Ok(v1::page(&[], None, size, 0)),
    };
    let filter = synapse_store::Filter {
        agent: Some(served.agent.to_string()),
        handle: Some(served.handle.to_string()),
        context: request.context.clone(),
        state,
        updated_after: request.since,
        before: cursor.as_ref().map(|cursor| synapse_store::Cursor {
            updated_at: cursor.since,
            id: cursor.task.clone(),
        }),
        // Of those that are open the board knows better, so their places must be filled.
        limit: size + 1 + tasks.len(),
        ..synapse_store::Filter::default()
    };
    let read = archive::read(served, move |reader| reader.page(&filter)).await;
    let kept = read.map_err(|problem| by_store(&problem))?;
    let total = kept.total;
    for task in kept.tasks.into_iter().map(|kept| kept.task) {
        if task.state().is_final() {
            tasks.retain(|open| open.id() != task.id());
            tasks.push(task);
        }
    }
    tasks.retain(|task| cursor.as_ref().is_none_or(|cursor| cursor.is_before(task)));
    tasks.sort_by(page::order);
    let has_more = tasks.len() > size;
    tasks.truncate(size);
    let next = tasks.last().filter(|_| has_more);
    let next = next.map(|task| Cursor::behind(task).token());
    let shown: Vec<Snapshot> = tasks.iter().map(|task| show(task, request)).collect();
    Ok(v1::page(
        &shown,
        next.as_deref(),
        size,
        total.max(shown.len()),
    ))
}

fn show(task: &Task, request: &ListRequest) -> Snapshot {
    if request.has_artifacts {
        Snapshot::of(task, request.history)
    } else {
        Snapshot::without_pieces(task, request.history)
    }
}

fn is_wanted(task: &Task, request: &ListRequest) -> bool {
    task.origin().sender != Origin::KEYBOARD
        && request
            .context
            .as_ref()
            .is_none_or(|context| task.context() == context)
        && request.state.takes(task.state())
        && request.since.is_none_or(|since| task.since() >= since)
}
