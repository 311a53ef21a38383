//! The head of an open task: its last event number and its state, which is all that is needed to write its
//! next event. Pure. The task itself is not kept here, so that a long reply does not take memory twice.

use std::collections::HashMap;

use synapse_a2a::event::{Event, Fact, Status, Timestamp};
use synapse_a2a::id::TaskId;
use synapse_a2a::task::{IllegalEvent, TaskState};

use super::Entry;
use super::error::StoreError;
use super::row::Row;
use super::weight::weight;

/// How old the time in the row of an open task may be, in milliseconds.
const ROW_AGE: u64 = 1_000;

/// The outline of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskHead {
    /// Its row, once it has one.
    pub(super) key: Option<i64>,
    /// The number of its last event.
    last: u64,
    pub(super) state: TaskState,
    pub(super) updated_at: Timestamp,
    /// About how much its events take.
    pub(super) bytes: usize,
    /// The last event that is written, or is to be, and the state it left the task in. It falls behind
    /// only when events were lost.
    pub(super) kept: u64,
    kept_state: TaskState,
    /// Events were lost. Those behind them are not written, so that there is no hole; only the end is.
    pub(super) is_cut: bool,
    /// What its row says of it, once it has one.
    row: Option<RowFacts>,
}

/// What a list may be narrowed or ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowFacts {
    state: TaskState,
    is_cut: bool,
    updated_at: Timestamp,
}

/// The open tasks.
pub(super) type TaskHeads = HashMap<TaskId, TaskHead>;

/// What entries mean for the store.
#[derive(Debug)]
pub(super) struct Admission {
    /// The heads of their tasks, afterwards.
    pub(super) heads: TaskHeads,
    /// What is to be written.
    pub(super) rows: Vec<Row>,
    /// A task of theirs that has lost events.
    pub(super) cut: Option<TaskId>,
}

/// Looks whether entries may follow what came before. Heads in `draft` count more than those in
/// `open`; neither is changed.
pub(super) fn admit(
    entries: &[Entry],
    draft: &TaskHeads,
    open: &TaskHeads,
) -> Result<Admission, StoreError> {
    let mut admitted = Admission {
        heads: TaskHeads::new(),
        rows: Vec::with_capacity(entries.len()),
        cut: None,
    };
    for entry in entries {
        let task = &entry.task;
        let known = admitted.heads.remove(task);
        let known = known.or_else(|| draft.get(task).or_else(|| open.get(task)).cloned());
        let head = match known {
            None => TaskHead::begin(entry)?,
            Some(mut head) => {
                head.follow(entry)?;
                head
            }
        };
        let head = head.write(entry, &mut admitted)?;
        admitted.heads.insert(task.clone(), head);
    }
    Ok(admitted)
}

impl TaskHead {
    fn begin(entry: &Entry) -> Result<Self, StoreError> {
        if entry.number != 1 {
            return Err(out_of_order(entry, 1));
        }
        match &entry.event.fact {
            Fact::Submitted { task, .. } if *task == entry.task => Ok(Self {
                key: None,
                last: 1,
                state: TaskState::Submitted,
                updated_at: entry.event.at,
                bytes: weight(&entry.event),
                kept: 0,
                kept_state: TaskState::Submitted,
                is_cut: false,
                row: None,
            }),
            _ => Err(illegal(entry, IllegalEvent::NotSubmitted)),
        }
    }

    /// Whether the row of the task is to be written again. A row has an entry in each index, so writing it costs
    /// several times what an event costs: while a reply grows, it is written now and then.
    pub(super) fn is_row_stale(&self) -> bool {
        self.row.is_none_or(|row| {
            row.state != self.state
                || row.is_cut != self.is_cut
                || self.updated_at.0.abs_diff(row.updated_at.0) >= ROW_AGE
        })
    }

    /// The row of the task was written.
    pub(super) fn note_row(&mut self) {
        self.row = Some(RowFacts {
            state: self.state,
            is_cut: self.is_cut,
            updated_at: self.updated_at,
        });
    }

    fn follow(&mut self, entry: &Entry) -> Result<(), StoreError> {
        if entry.number != self.last + 1 {
            return Err(out_of_order(entry, self.last + 1));
        }
        let next = self.state.after(&entry.event.fact);
        self.state = next.map_err(|error| illegal(entry, error))?;
        self.last = entry.number;
        self.updated_at = self.updated_at.max(entry.event.at);
        self.bytes += weight(&entry.event);
        Ok(())
    }

    /// Turns an entry that may follow into what is written of it.
    fn write(mut self, entry: &Entry, into: &mut Admission) -> Result<Self, StoreError> {
        if self.is_cut {
            into.cut = Some(entry.task.clone());
            if !self.state.is_final() {
                return Ok(self);
            }
            // The task must not look open for ever; its end is written behind what there is of it.
            if !self.kept_state.can_become(self.state) {
                let status = Status::Working;
                let bridge = Fact::Moved { status };
                self.push(
                    entry,
                    &Event {
                        at: entry.event.at,
                        fact: bridge,
                    },
                    into,
                )?;
            }
        }
        self.push(entry, &entry.event, into)?;
        Ok(self)
    }

    fn push(
        &mut self,
        entry: &Entry,
        event: &Event,
        into: &mut Admission,
    ) -> Result<(), StoreError> {
        self.kept += 1;
        self.kept_state = self.state;
        into.rows.push(Row::new(&entry.task, self.kept, event)?);
        Ok(())
    }
}

fn out_of_order(entry: &Entry, expected: u64) -> StoreError {
    StoreError::OutOfOrder {
        task: entry.task.clone(),
        expected,
        got: entry.number,
    }
}

fn illegal(entry: &Entry, reason: IllegalEvent) -> StoreError {
    StoreError::Illegal {
        task: entry.task.clone(),
        number: entry.number,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use synapse_a2a::artifact::Body;
    use synapse_a2a::event::Question;
    use synapse_a2a::id::{ArtifactId, ContextId, MessageId};
    use synapse_a2a::message::{Message, Role};
    use synapse_a2a::task::Task;

    use super::*;

    fn entry(number: u64, fact: Fact) -> Entry {
        let at = Timestamp(number);
        Entry {
            task: TaskId::new("t"),
            number,
            event: Event { at, fact },
        }
    }

    fn submitted() -> Entry {
        let fact = Fact::Submitted {
            task: TaskId::new("t"),
            context: ContextId::new("c"),
            message: Message::text(MessageId::new("m"), Role::User, "hello"),
            origin: synapse_a2a::event::Origin::default(),
        };
        entry(1, fact)
    }

    fn moved(number: u64, status: Status) -> Entry {
        entry(number, Fact::Moved { status })
    }

    fn open_after(entries: &[Entry]) -> TaskHeads {
        let nothing = TaskHeads::new();
        admit(entries, &nothing, &nothing).unwrap().heads
    }

    fn numbers(admitted: &Admission) -> Vec<u64> {
        admitted.rows.iter().map(|row| row.number).collect()
    }

    proptest::proptest! {
        /// Whatever happens in whichever order, the store takes what the task takes and stands where it stands.
        #[test]
        fn the_head_agrees_with_the_task(steps in proptest::collection::vec(0..8_u8, 0..12)) {
            let first = submitted();
            let mut task = Task::begin(first.event.clone()).unwrap();
            let mut heads = open_after(&[first]);
            let mut number = 1;
            for step in steps {
                let fact = match step {
                    0 => Fact::Moved { status: Status::Working },
                    1 => Fact::Moved { status: Status::Completed },
                    2 => Fact::Moved { status: Status::canceled("x") },
                    3 => Fact::Noted { text: "x".to_owned() },
                    4 => Fact::Moved { status: Status::Submitted },
                    5 => Fact::ArtifactOpened { artifact: ArtifactId::new("a"), body: Body::text("x") },
                    6 => Fact::Moved { status: Status::InputRequired { question: question() } },
                    _ => submitted().event.fact,
                };
                let next = entry(number + 1, fact);
                let by_task = task.apply(next.event.clone());
                let by_store = admit(&[next], &TaskHeads::new(), &heads);
                proptest::prop_assert_eq!(by_task.is_ok(), by_store.is_ok());
                if let Ok(admitted) = by_store {
                    number += 1;
                    heads = admitted.heads;
                }
                proptest::prop_assert_eq!(heads[&TaskId::new("t")].state, task.state());
            }
        }
    }

    fn question() -> Question {
        Question {
            kind: "text".to_owned(),
            prompt: "Go on?".to_owned(),
            options: Vec::new(),
            default: None,
            fingerprint: "f".to_owned(),
        }
    }

    #[test]
    fn events_that_follow_each_other_are_written_as_they_are() {
        let nothing = TaskHeads::new();
        let entries = [submitted(), moved(2, Status::Working)];
        let admitted = admit(&entries, &nothing, &nothing).unwrap();
        assert_eq!(numbers(&admitted), [1, 2]);
        assert!(admitted.rows.first().unwrap().birth.is_some());
        let head = admitted.heads.get(&TaskId::new("t")).unwrap();
        assert_eq!(
            (head.state, head.updated_at, head.kept),
            (TaskState::Working, Timestamp(2), 2)
        );
    }

    #[test]
    fn numbers_have_no_hole_and_no_repetition() {
        let open = open_after(&[submitted()]);
        for number in [1, 3, 0, u64::MAX] {
            let error = admit(&[moved(number, Status::Working)], &TaskHeads::new(), &open);
            let is_right = matches!(error, Err(StoreError::OutOfOrder { expected: 2, .. }));
            assert!(is_right, "{number}: {error:?}");
        }
        let nothing = TaskHeads::new();
        let error = admit(&[moved(2, Status::Working)], &nothing, &nothing);
        assert!(matches!(
            error,
            Err(StoreError::OutOfOrder { expected: 1, .. })
        ));
    }

    #[test]
    fn a_task_begins_with_its_submission_and_ends_with_its_end() {
        let nothing = TaskHeads::new();
        let error = admit(&[moved(1, Status::Working)], &nothing, &nothing);
        assert!(matches!(error, Err(StoreError::Illegal { .. })));
        let open = open_after(&[
            submitted(),
            moved(2, Status::Working),
            moved(3, Status::Completed),
        ]);
        let text = "too late".to_owned();
        for fact in [
            Fact::Noted { text },
            Fact::Moved {
                status: Status::Working,
            },
        ] {
            let error = admit(&[entry(4, fact)], &nothing, &open);
            assert!(
                matches!(error, Err(StoreError::Illegal { .. })),
                "{error:?}"
            );
        }
    }

    #[test]
    fn of_a_task_that_lost_events_only_the_end_is_written() {
        let mut open = open_after(&[submitted()]);
        for head in open.values_mut() {
            head.is_cut = true;
        }
        let text = "lost".to_owned();
        let entries = [
            moved(2, Status::Working),
            entry(3, Fact::Noted { text }),
            moved(4, Status::Completed),
        ];
        let admitted = admit(&entries, &TaskHeads::new(), &open).unwrap();
        assert_eq!(admitted.cut, Some(TaskId::new("t")));
        assert_eq!(
            numbers(&admitted),
            [2, 3],
            "a bridge to the end, and the end"
        );
        let events = admitted
            .rows
            .iter()
            .map(|row| serde_json::from_str(&row.event).unwrap());
        let history = std::iter::once(submitted().event).chain(events);
        let task = synapse_a2a::task::Task::fold(history).unwrap();
        assert_eq!(task.state(), TaskState::Completed);
    }
}
