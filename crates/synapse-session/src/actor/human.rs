//! Turns of the person at the agent's own keyboard: nobody asked for them over the network, but they
//! are part of what was said, so they are kept like tasks.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use synapse_a2a::event::{Event, Fact, Origin, Source, Status};
use synapse_a2a::id::{ContextId, MessageId, TaskId};
use synapse_a2a::message::{Message, Role};
use synapse_a2a::step::Step;
use synapse_a2a::task::Task;
use synapse_a2a::usage::Usage;
use synapse_term::reply::Outcome;
use synapse_term::watch::TurnReport;

use super::Session;
use super::tasks::{Open, code_of};
use crate::timestamp;
use crate::turn::Words;
use synapse_transcript::{TurnRecord, Verdict};

/// How long the transcript may take to have what the screen shows.
const PATIENCE: Duration = Duration::from_millis(500);

/// A turn cannot have begun longer before it was seen than this.
const BEFORE: SignedDuration = SignedDuration::from_secs(6);

/// A turn that is over on the screen; its exact words may still come.
pub(super) struct HumanTurn {
    report: TurnReport,
    pub(super) until: Duration,
    /// What the transcript has of the way.
    steps: Vec<Step>,
    /// The number under which the transcript is looked at, and what it has told of the cost.
    number: Option<u64>,
    usage: Option<Usage>,
}

impl HumanTurn {
    fn new(report: TurnReport, until: Duration) -> Self {
        Self {
            report,
            until,
            steps: Vec::new(),
            number: None,
            usage: None,
        }
    }
}

impl Session {
    /// The person's turn is over on the screen.
    pub(super) fn take_human_turn(&mut self, report: TurnReport, now: Duration) {
        self.keep_human_turn(None);
        if let Some((prompt, reply)) = self.witnesses.heard_reply(&report.typed) {
            // The hooks do not tell what it took.
            let number = self.expect_human(&prompt);
            let typed = prompt;
            let turn = HumanTurn::new(TurnReport { typed, ..report }, now);
            self.human = Some(HumanTurn { number, ..turn });
            let words = Words::whole(reply, Source::Hook);
            return self.keep_human_turn(Some(words));
        }
        if let number @ Some(_) = self.expect_human(&report.typed) {
            let turn = HumanTurn::new(report, now + PATIENCE);
            self.human = Some(HumanTurn { number, ..turn });
            return;
        }
        self.human = Some(HumanTurn::new(report, now));
        self.keep_human_turn(None);
    }

    /// Looks out for the person's message in the transcript, if there is one to look at.
    fn expect_human(&mut self, typed: &str) -> Option<u64> {
        if self.running.is_some() || !self.witnesses.has_transcript() {
            return None;
        }
        let began = self.busy_since.saturating_sub(BEFORE);
        let began = began.unwrap_or(Timestamp::UNIX_EPOCH);
        Some(self.witnesses.expect(typed, began))
    }

    /// The transcript has something of it.
    pub(super) fn take_human_record(&mut self, record: &TurnRecord) {
        if let (Some(_), Some(Verdict::Replied(text))) = (&self.human, &record.verdict) {
            let words = Words::whole(text, Source::Record);
            if let Some(human) = &mut self.human {
                human.steps.clone_from(&record.steps);
                human.usage.clone_from(&record.usage);
            }
            self.keep_human_turn(Some(words));
        }
    }

    /// What the transcript has not told in time is taken from the screen.
    pub(super) fn expire_human_turn(&mut self, now: Duration) {
        if self.human.as_ref().is_some_and(|human| now >= human.until) {
            self.keep_human_turn(None);
        }
    }

    /// Keeps the turn that waits, if one does, with its exact words or those of the screen.
    pub(super) fn keep_human_turn(&mut self, words: Option<Words>) {
        let Some(HumanTurn {
            report,
            steps,
            number,
            usage,
            ..
        }) = self.human.take()
        else {
            return;
        };
        if self.running.is_none() {
            self.witnesses.forget();
        }
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
        if let Some(number) = number {
            self.usages.expect(number, id.clone());
            if let Some(usage) = &usage {
                self.note_usage(number, usage);
            }
        }
        self.move_to(&id, Status::Working);
        for step in &steps {
            self.keep_step(&id, step);
        }
        self.close_steps(&id);
        let shown = || Words::shown(&report.reply);
        match report.outcome {
            Outcome::Completed => {
                self.reply(&id, words.unwrap_or_else(shown));
                self.move_to(&id, Status::Completed);
            }
            Outcome::Failed => self.fail(&id, code_of(&report.reply.text), report.reply.text),
            Outcome::Interrupted | Outcome::Open => {
                if !report.reply.text.trim().is_empty() {
                    self.reply(&id, shown());
                }
                self.move_to(&id, Status::canceled("interrupted at the keyboard"));
            }
        }
    }
}
