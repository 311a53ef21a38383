//! Lists of tasks: every page size gives the same list, and every filter what it says.

use std::sync::OnceLock;

use proptest::prelude::*;
use synapse_a2a::event::{Origin, Status, Timestamp};
use synapse_a2a::id::ContextId;
use synapse_a2a::task::TaskState;
use synapse_store::{Cursor, Edge, Filter, Kept, Page, Reader};

use crate::shelf::{Shelf, Tale};

const HANDLES: [&str; 3] = ["ada", "bob", "cleo"];
const SENDERS: [&str; 3] = ["user", "bob", Origin::KEYBOARD];
const TASKS: u64 = 240;

/// A store with tasks of every kind, many of the same moment.
fn shelf() -> &'static Shelf {
    static SHELF: OnceLock<Shelf> = OnceLock::new();
    SHELF.get_or_init(|| {
        let shelf = Shelf::new();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        for (place, handle) in HANDLES.into_iter().enumerate() {
            let mine = (0..TASKS).filter(|number| number % 3 == place as u64);
            runtime.block_on(shelf.fill(handle, mine.map(tale)));
        }
        shelf
    })
}

fn tale(number: u64) -> Tale {
    let sender = SENDERS[(number / 3 % 3) as usize];
    let context = format!("c{}", number % 4);
    let at = 1_000 + number * 7 % 40;
    let tale = Tale::of(&format!("t{number:03}"), "q", at, sender, &context);
    match number / 9 % 4 {
        0 => tale,
        1 => tale.works(),
        2 => tale.replies("done"),
        _ => tale.moves(Status::canceled("by the test")),
    }
}

/// All pages, one after the other.
fn walk(reader: &Reader, filter: &Filter) -> Vec<Kept> {
    let mut filter = filter.clone();
    let mut all = Vec::new();
    loop {
        let Page { tasks, next, .. } = reader.page(&filter).unwrap();
        assert!(tasks.len() <= filter.limit);
        all.extend(tasks);
        match next {
            Some(cursor) => filter.before = Some(cursor),
            None => return all,
        }
    }
}

fn matches(handle: &str, tale: &Tale, filter: &Filter) -> bool {
    let task = tale.task();
    let sender = &task.origin().sender;
    filter
        .agent
        .as_ref()
        .is_none_or(|agent| *agent == format!("agent-of-{handle}"))
        && filter
            .handle
            .as_ref()
            .is_none_or(|wanted| wanted.eq_ignore_ascii_case(handle))
        && filter
            .context
            .as_ref()
            .is_none_or(|context| context == task.context())
        && filter.state.is_none_or(|state| state == task.state())
        && filter
            .updated_after
            .is_none_or(|after| task.updated_at() >= after)
        && filter.sender.as_ref().is_none_or(|wanted| wanted == sender)
        && (filter.keyboard || sender != Origin::KEYBOARD)
}

/// The names a list should have, by looking at every task.
fn expected(filter: &Filter) -> Vec<String> {
    let all = (0..TASKS).map(|number| (HANDLES[(number % 3) as usize], tale(number)));
    let mut places: Vec<(Timestamp, String)> = all
        .filter(|(handle, tale)| matches(handle, tale, filter))
        .map(|(_, tale)| (tale.task().updated_at(), tale.task().id().to_string()))
        .collect();
    places.sort_unstable_by(|one, other| other.cmp(one));
    places.into_iter().map(|(_, name)| name).collect()
}

fn names(tasks: &[Kept]) -> Vec<String> {
    tasks
        .iter()
        .map(|kept| kept.task.id().to_string())
        .collect()
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let maybe =
        |values: Vec<String>| proptest::option::weighted(0.3, proptest::sample::select(values));
    let strings = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    (
        maybe(strings(&[
            "agent-of-ada",
            "agent-of-bob",
            "agent-of-nobody",
        ])),
        maybe(strings(&["ADA", "cleo", "nobody"])),
        maybe(strings(&["c0", "c3", "c9"])),
        proptest::option::weighted(0.3, proptest::sample::select(TaskState::ALL.to_vec())),
        proptest::option::weighted(0.3, 995_u64..1_045),
        maybe(strings(&SENDERS)),
        any::<bool>(),
        1_usize..300,
    )
        .prop_map(
            |(agent, handle, context, state, after, sender, keyboard, limit)| Filter {
                agent,
                handle,
                context: context.map(ContextId::new),
                state,
                updated_after: after.map(Timestamp),
                sender,
                keyboard,
                before: None,
                limit,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_page_size_gives_the_same_list(filter in any_filter()) {
        let reader = shelf().reader();
        let wanted = expected(&filter);
        prop_assert_eq!(names(&walk(&reader, &filter)), wanted.clone());
        prop_assert_eq!(reader.page(&filter).unwrap().total, wanted.len());
    }
}

#[test]
fn a_page_has_whole_tasks_without_their_events() {
    let page = shelf().reader().page(&Filter::default()).unwrap();
    assert_eq!(page.tasks.len(), 50);
    for kept in page.tasks {
        let number = kept
            .task
            .id()
            .as_str()
            .trim_start_matches('t')
            .parse()
            .unwrap();
        assert_eq!(kept.task, tale(number).task());
        assert!(kept.events.is_empty());
    }
}

#[test]
fn a_cursor_of_a_task_that_is_gone_still_marks_a_place() {
    let reader = shelf().reader();
    let before = Some(Cursor {
        updated_at: Timestamp(1_020),
        id: synapse_a2a::id::TaskId::new("no such task"),
    });
    let filter = Filter {
        before,
        limit: 500,
        keyboard: true,
        ..Filter::default()
    };
    let page = reader.page(&filter).unwrap();
    assert!(
        page.tasks
            .iter()
            .all(|kept| kept.task.updated_at() < Timestamp(1_020))
    );
    assert_eq!(page.next, None);
    assert_eq!(
        page.total, TASKS as usize,
        "a cursor does not change how many there are"
    );
}

#[test]
fn nothing_is_a_page_too() {
    let reader = shelf().reader();
    let page = reader
        .page(&Filter {
            limit: 0,
            ..Filter::default()
        })
        .unwrap();
    assert!(page.tasks.is_empty());
    let nobody = Filter {
        agent: Some("' OR 1=1 --".to_owned()),
        ..Filter::default()
    };
    assert_eq!(reader.page(&nobody).unwrap(), Page::default());
}

#[test]
fn edges_say_who_asked_whom() {
    let edges = shelf().reader().edges(Timestamp(0)).unwrap();
    let count = |sender: &str, handle: &str| {
        let edge = |edge: &&Edge| edge.sender == sender && edge.handle == handle;
        edges.iter().find(edge).map_or(0, |edge| edge.count)
    };
    assert_eq!(edges.iter().map(|edge| edge.count).sum::<u64>(), TASKS);
    assert_eq!(
        count("user", "ada") + count("bob", "ada") + count("keyboard", "ada"),
        TASKS / 3
    );
    assert!(shelf().reader().edges(Timestamp(2_000)).unwrap().is_empty());
}
