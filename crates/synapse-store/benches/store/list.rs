//! Reading: pages, tasks and words out of a long history.

use std::path::Path;
use std::time::Instant;

use synapse_a2a::event::Timestamp;
use synapse_a2a::id::ContextId;
use synapse_a2a::task::TaskState;
use synapse_store::{Filter, Reader};

use crate::supply::{runtime, store, task, task_id};
use crate::table::{Times, row, times, title};

const AGENTS: usize = 10;
const LOOKS: usize = 300;

pub(crate) fn run(home: &Path, tasks: usize) {
    title(&format!("out of {tasks} tasks of {AGENTS} agents"));
    let path = home.join("list.db");
    let began = Instant::now();
    fill(&path, tasks);
    let size = std::fs::metadata(&path).unwrap().len();
    let seconds = began.elapsed().as_secs_f64();
    let each = size / tasks as u64;
    row(
        "to fill it",
        &format!("{seconds:.1} s, {} MB, {each} bytes a task", size >> 20),
    );

    let opened = Times::of(LOOKS, |_| drop(Reader::open(&path).unwrap()));
    times("to open it", &opened);
    let reader = Reader::open(&path).unwrap();
    let page = |name: &str, looks: usize, filter: &Filter| {
        let found = reader.page(filter).unwrap();
        let name = format!("{name}: {} of {}", found.tasks.len(), found.total);
        times(
            &name,
            &Times::of(looks, |_| drop(reader.page(filter).unwrap())),
        );
        found
    };
    let agent = Some("agent-of-agent3".to_owned());
    let of_agent = Filter {
        agent: agent.clone(),
        ..Filter::default()
    };
    let first = page("the first page of an agent", LOOKS, &of_agent);
    let deep = (0..50).fold(first.next, |before, _| {
        let filter = Filter {
            before,
            ..of_agent.clone()
        };
        reader.page(&filter).unwrap().next
    });
    page(
        "a later page",
        LOOKS,
        &Filter {
            before: deep,
            ..of_agent.clone()
        },
    );
    page("the first page of all agents", LOOKS, &Filter::default());
    let state = Some(TaskState::Failed);
    page(
        "a state that no task has",
        20,
        &Filter {
            state,
            ..of_agent.clone()
        },
    );
    let context = Some(ContextId::new("context-7"));
    page(
        "one context",
        20,
        &Filter {
            context,
            ..Filter::default()
        },
    );

    let middle = tasks / 2;
    let id = task_id(&format!("agent{}", middle % AGENTS), middle);
    times(
        "a task with its events",
        &Times::of(LOOKS, |_| drop(reader.task(&id).unwrap().unwrap())),
    );
    let end = id.as_str().get(id.as_str().len() - 8..).unwrap().to_owned();
    times(
        "a task by the end of its name",
        &Times::of(20, |_| drop(reader.find(&end).unwrap())),
    );
    times(
        "who asked whom",
        &Times::of(20, |_| drop(reader.edges(Timestamp(0)).unwrap())),
    );
    for query in [
        "lexer drops",
        &format!("case {middle}"),
        "zz",
        "no such words",
    ] {
        let search = || reader.search(query, 20, None).unwrap();
        let name = format!("search {query:?}: {} found", search().len());
        times(&name, &Times::of(20, |_| drop(search())));
    }
}

/// Writes so many tasks of several agents.
pub(crate) fn fill(path: &Path, tasks: usize) {
    let runtime = runtime();
    for agent in 0..AGENTS {
        let handle = format!("agent{agent}");
        let store = store(path.to_owned(), &handle);
        for number in (agent..tasks).step_by(AGENTS) {
            store.append(task(&handle, number, 3));
            if number % 10_000 == agent {
                runtime.block_on(store.commit(Vec::new())).unwrap();
            }
        }
        runtime.block_on(store.close());
    }
}
