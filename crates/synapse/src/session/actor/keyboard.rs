//! Turns of the person at the agent's own keyboard: nobody asked for them over the network, but they
//! are part of what was said, so they are kept like tasks.

use synapse_a2a::event::{Event, Fact, Origin, Source, Status};
use synapse_a2a::id::{ContextId, MessageId, TaskId};
use synapse_a2a::message::{Message, Role};
use synapse_a2a::task::Task;
use synapse_term::reply::Outcome;
use synapse_term::watch::TurnReport;

use super::Session;
use super::tasks::{Open, code_of};
use crate::record::Recorded;
use crate::session::timestamp;

impl Session {
    /// Keeps a turn that a person had.
    pub(super) fn keep_human_turn(&mut self, report: TurnReport) {
        let new = || uuid::Uuid::now_v7().to_string();
        let id = TaskId::new(new());
        let fact = Fact::Submitted {
            task: id.clone(),
            context: ContextId::new(new()),
            message: Message::text(MessageId::new(new()), Role::User, report.typed.as_str()),
            origin: Origin {
                sender: Origin::KEYBOARD.to_owned(),
                ..Origin::default()
            },
        };
        let event = Event {
            at: timestamp(),
            fact,
        };
        let Ok(task) = Task::begin(event.clone()) else {
            return;
        };
        self.ledger.append(&id, 1, event);
        self.open.insert(id.clone(), Open { task, number: 1 });
        self.move_to(&id, Status::Working);
        match report.outcome {
            Outcome::Completed => {
                let record = self.record.as_ref();
                let recorded = record.and_then(|record| record.of_turn(&report.typed));
                let (text, source) = match recorded {
                    Some(Recorded::Replied(text)) => (text, Source::Record),
                    _ => (report.reply.text, Source::Screen),
                };
                self.reply(&id, text, source);
                self.move_to(&id, Status::Completed);
            }
            Outcome::Failed => self.fail(&id, code_of(&report.reply.text), report.reply.text),
            Outcome::Interrupted | Outcome::Open => {
                let reason = "interrupted at the keyboard".to_owned();
                self.move_to(&id, Status::Canceled { reason });
            }
        }
    }
}
