//! What happens on the screen, as events of tasks.

use std::time::Duration;

use synapse_a2a::artifact::Body;
use synapse_a2a::error::{Failure, FailureCode};
use synapse_a2a::event::{Event, Fact, Origin, Question, Said, Source, Status, Timestamp};
use synapse_a2a::id::{ArtifactId, ContextId, TaskId};
use synapse_a2a::parse::{Switches, parse};
use synapse_term::prompt::Prompt;

use super::{Late, Running, Session};
use crate::record::Recorded;
use crate::session::order::{Words, fill};
use crate::session::{Effect, Ending, Order, Refusal, Submission, TurnError};

/// How long a record may be late before the screen is believed.
const RECORD_PATIENCE: Duration = Duration::from_millis(500);

/// How often watchers are told of a reply that is still appearing.
const PARTIAL_PAUSE: Duration = Duration::from_millis(100);

/// How often a late record is looked at.
const RECORD_PAUSE: Duration = Duration::from_millis(20);

impl Session {
    /// Takes a task in.
    pub(super) fn submit(
        &mut self,
        submission: Submission,
        now: Duration,
    ) -> Result<TaskId, Refusal> {
        let task = TaskId::new(uuid::Uuid::now_v7().to_string());
        let context = ContextId::new(uuid::Uuid::now_v7().to_string());
        let text = submission.message.words();
        let words = Words {
            task: &task,
            message_id: &submission.message.id,
            context_id: &context,
            sender: &submission.sender,
            priority: submission.priority,
            text: &text,
        };
        let template = if submission.is_raw {
            "{text}"
        } else {
            &self.profile.prompt_template
        };
        let typed = fill(template, &words);
        let priority = submission.priority;
        self.queue.push(Order {
            task: task.clone(),
            priority,
            text: typed,
        })?;
        self.post(
            &task,
            Fact::Submitted {
                task: task.clone(),
                context,
                message: submission.message,
                origin: Origin {
                    sender: submission.sender,
                    priority: priority.number(),
                    hops: 0,
                },
            },
        );
        if priority.interrupts() && self.running.is_some() {
            self.cancel_running("a task of priority 5 came in", now);
        }
        Ok(task)
    }

    /// Ends a task: a waiting one at once, the running one by an interrupt.
    pub(super) fn cancel(
        &mut self,
        task: &TaskId,
        why: &str,
        now: Duration,
    ) -> Result<(), Refusal> {
        let Some(record) = self.board.record(task) else {
            return Err(Refusal::NoSuchTask(task.as_str().to_owned()));
        };
        if record.task.state().is_final() {
            return Err(Refusal::Over(record.task.state().name()));
        }
        if self.queue.remove(task) {
            self.cancel_waiting(task, why);
        } else {
            self.cancel_running(why, now);
        }
        Ok(())
    }

    /// The fingerprint of the question last told for a task.
    pub(super) fn told(&self, task: &TaskId) -> Option<String> {
        match self.board.record(task)?.task.status() {
            Status::InputRequired { question } => Some(question.fingerprint.clone()),
            _ => None,
        }
    }

    /// Puts what a turn did on the board.
    pub(super) fn record(&mut self, effect: Effect) {
        let Some(task) = self.running.as_ref().map(|running| running.task.clone()) else {
            return;
        };
        match effect {
            Effect::Started | Effect::Resumed => self.move_to(&task, Status::Working),
            Effect::Asked(prompt) => {
                let question = question(&prompt);
                self.move_to(&task, Status::InputRequired { question });
            }
            Effect::Ended(ending) => self.wait_for_record(ending),
            Effect::Write(_) => {}
        }
    }

    pub(super) fn cancel_waiting(&self, task: &TaskId, why: &str) {
        self.move_to(
            task,
            Status::Canceled {
                reason: why.to_owned(),
            },
        );
    }

    pub(super) fn fail_exited(&self, task: &TaskId) {
        let message = TurnError::Exited.to_string();
        self.fail(task, FailureCode::AgentExited, message);
    }

    /// A message that cannot be typed.
    pub(super) fn refuse(&self, task: &TaskId, why: &str) {
        self.fail(task, FailureCode::SubmitFailed, why.to_owned());
    }

    fn cancel_running(&mut self, why: &str, now: Duration) {
        if let Some(running) = &mut self.running {
            running.canceled = Some(why.to_owned());
            self.interrupt(None, None, now);
        }
    }

    /// A turn is over on the screen. Where the program keeps a record, that has the last word: it
    /// is looked at now, and for a moment if it is late.
    fn wait_for_record(&mut self, ending: Ending) {
        let now = self.now();
        let may_differ = matches!(ending, Ending::Replied(_) | Ending::Failed(_));
        match &mut self.running {
            Some(running) if may_differ && self.record.is_some() => {
                running.late = Some(Late {
                    ending,
                    until: now + RECORD_PATIENCE,
                    look_at: now,
                });
                self.look_for_record(now);
            }
            _ => self.finish(ending, Source::Screen),
        }
    }

    /// A program that looks at rest may be between two of its own steps; where its record says that
    /// the turn is over, there is nothing left to wait for.
    pub(super) fn end_by_record(&mut self, now: Duration) {
        let is_resting = self.watcher.is_about_to_rest();
        let Some(running) = &mut self.running else {
            return;
        };
        let is_open = running.turn.is_running() && !running.is_interrupted;
        if !is_resting || running.late.is_some() || !is_open {
            running.peek_at = None;
            return;
        }
        let Some(record) = &self.record else { return };
        if running.peek_at.is_some_and(|at| now < at) {
            return;
        }
        running.peek_at = Some(now + RECORD_PAUSE);
        if let Some(Recorded::Replied(text)) = record.of_turn(&running.typed) {
            self.finish(Ending::Replied(text), Source::Record);
        }
    }

    /// Looks into the record, if a turn waits for it and it is time.
    pub(super) fn look_for_record(&mut self, now: Duration) {
        let Some(running) = &mut self.running else {
            return;
        };
        let Some(late) = running.late.as_mut().filter(|late| now >= late.look_at) else {
            return;
        };
        late.look_at = now + RECORD_PAUSE;
        let is_due = now >= late.until;
        let found = self
            .record
            .as_ref()
            .and_then(|record| record.of_turn(&running.typed));
        match found {
            Some(Recorded::Replied(text)) => self.finish(Ending::Replied(text), Source::Record),
            Some(Recorded::Failed(why)) => self.finish(Ending::Failed(why), Source::Record),
            None if is_due => {
                if let Some(late) = running.late.take() {
                    self.finish(late.ending, Source::Screen);
                }
            }
            None => {}
        }
    }

    /// Tells watchers what can be read of the reply by now: one text that grows, or is replaced
    /// where the program painted it anew. The end corrects it.
    pub(super) fn tell_partial(&mut self, now: Duration) {
        let Some(running) = &mut self.running else {
            return;
        };
        let is_early = running
            .partial
            .as_ref()
            .is_some_and(|(_, at)| now < *at + PARTIAL_PAUSE);
        if is_early || !running.turn.is_running() || !self.board.is_watched() {
            return;
        }
        let Some(reply) = self.watcher.partial_reply() else {
            return;
        };
        let told = running.partial.replace((reply.text.clone(), now));
        let told = told.map(|(text, _)| text).unwrap_or_default();
        if reply.text == told || reply.text.is_empty() {
            return;
        }
        let (task, artifact) = (running.task.clone(), artifact_of(&running.task, 0));
        let fact = match reply.text.strip_prefix(told.as_str()) {
            Some(more) if !told.is_empty() => Fact::ArtifactGrew {
                artifact,
                text: more.to_owned(),
            },
            _ => Fact::ArtifactOpened {
                artifact,
                body: Body::text(reply.text),
            },
        };
        self.post(&task, fact);
    }

    fn finish(&mut self, ending: Ending, source: Source) {
        let Some(Running { task, canceled, .. }) = self.running.take() else {
            return;
        };
        let failure = match ending {
            Ending::Replied(reply) => {
                self.reply(&task, &reply, source);
                return self.move_to(&task, Status::Completed);
            }
            Ending::Interrupted => (
                FailureCode::Interrupted,
                "the turn was interrupted".to_owned(),
            ),
            Ending::Failed(said) => (code_of(&said), said),
            Ending::Broken(error @ TurnError::Exited) => {
                (FailureCode::AgentExited, error.to_string())
            }
            Ending::Broken(error) => (FailureCode::SubmitFailed, error.to_string()),
        };
        match canceled {
            Some(reason) => self.move_to(&task, Status::Canceled { reason }),
            None => self.fail(&task, failure.0, failure.1),
        }
    }

    fn reply(&self, task: &TaskId, reply: &str, source: Source) {
        // An answer is an artifact even where the screen shows none.
        self.move_to(task, Status::Working);
        let switches = Switches {
            parse_code_blocks: self.profile.parse_code_blocks,
            parse_file_refs: self.profile.parse_file_refs,
            parse_json: self.profile.parse_json,
        };
        let text = reply.to_owned();
        let said = Said { text, source };
        self.post(task, Fact::Replied { said });
        for (index, body) in parse(reply, switches).into_iter().enumerate() {
            self.open(task, artifact_of(task, index), body);
        }
    }

    fn open(&self, task: &TaskId, artifact: ArtifactId, body: Body) {
        self.post(
            task,
            Fact::ArtifactOpened {
                artifact: artifact.clone(),
                body,
            },
        );
        self.post(task, Fact::ArtifactClosed { artifact });
    }

    fn fail(&self, task: &TaskId, code: FailureCode, message: String) {
        self.move_to(
            task,
            Status::Failed {
                failure: Failure { code, message },
            },
        );
    }

    /// Moves a task, unless it stands there already.
    fn move_to(&self, task: &TaskId, status: Status) {
        let is_there = |record: crate::session::Record| *record.task.status() == status;
        if !self.board.record(task).is_some_and(is_there) {
            self.post(task, Fact::Moved { status });
        }
    }

    fn post(&self, task: &TaskId, fact: Fact) {
        if let Err(error) = self.board.post(
            task,
            Event {
                at: timestamp(),
                fact,
            },
        ) {
            tracing::error!(%error, task = task.as_str(), "an event was not legal");
        }
    }
}

/// The artifacts of a task are numbered; the first is what streamed.
fn artifact_of(task: &TaskId, index: usize) -> ArtifactId {
    ArtifactId::new(format!("{}-{index}", task.as_str()))
}

/// What kind of failure a program's own error line tells of.
fn code_of(said: &str) -> FailureCode {
    let said = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&[
        "429",
        "rate limit",
        "rate_limit",
        "quota",
        "usage limit",
        "overloaded",
    ]) {
        FailureCode::RateLimited
    } else if has(&[
        "401",
        "403",
        "unauthorized",
        "log in",
        "login",
        "sign in",
        "api key",
        "authenticat",
    ]) {
        FailureCode::AuthRequired
    } else {
        FailureCode::AgentError
    }
}

fn question(prompt: &Prompt) -> Question {
    let kind = serde_json::to_value(prompt.kind).ok();
    Question {
        kind: kind
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_default(),
        prompt: prompt.question.clone(),
        options: prompt
            .options
            .iter()
            .map(|option| option.label.clone())
            .collect(),
        default: prompt.default.clone(),
        fingerprint: prompt.fingerprint.to_string(),
    }
}

fn timestamp() -> Timestamp {
    let millis = jiff::Timestamp::now().as_millisecond();
    Timestamp(u64::try_from(millis).unwrap_or_default())
}
