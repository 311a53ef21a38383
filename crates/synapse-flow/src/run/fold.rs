//! How each event changes a run.

use serde_json::{Value, json};

use super::{ItemPhase, ItemRun, Open, Phase, Run, RunError, Sending, StepRun};
use crate::event::{Event, Fact, Job, Key, Outcome, State, Work};

impl Run {
    /// Takes note of what has happened.
    ///
    /// # Errors
    /// When it cannot follow what happened before; then nothing is changed.
    pub fn apply(&mut self, event: &Event) -> Result<(), RunError> {
        let at = event.at;
        if self.state.is_over() && !matches!(event.fact, Fact::Resumed { .. }) {
            return Err(RunError::Illegal(format!("{:?}", event.fact)));
        }
        match &event.fact {
            Fact::Started(_) => return Err(RunError::Illegal("a second beginning".to_owned())),
            Fact::Began { key, job } => self.began(key, job, at)?,
            Fact::Sending {
                key,
                part,
                agent,
                agent_id,
            } => {
                let item = self.item(key)?;
                let open = open(item, "a message", key)?;
                open.sending = Some(Sending {
                    part: *part,
                    agent: agent.clone(),
                    agent_id: agent_id.clone(),
                    task: None,
                });
                item.agent = Some(agent.clone());
                item.agent_id.clone_from(agent_id);
                self.turns += u64::from(*part > 0);
            }
            Fact::Sent { key, part, task } => {
                let item = self.item(key)?;
                let open = open(item, "an accepted message", key)?;
                if let Some(sending) = &mut open.sending
                    && sending.part == *part
                {
                    sending.task = Some(task.clone());
                }
                item.task = Some(task.clone());
            }
            Fact::Asking { key, question } => {
                let item = self.item(key)?;
                open(item, "a question", key)?.asking.clone_from(question);
            }
            Fact::Unknown { key, why } => {
                let item = self.item(key)?;
                open(item, "a doubt", key)?.unknown = Some(why.clone());
            }
            Fact::Settled { key, again, by } => self.settled(key, *again, by, at)?,
            Fact::Ended { key, outcome } => self.end(key, outcome, at)?,
            Fact::Answered {
                step,
                round,
                answer,
                by,
            } => {
                let found = self.flow.find(step).and_then(|at| self.steps.get_mut(at));
                let Some(found) =
                    found.filter(|found| found.phase == Phase::Gate && found.round + 1 == *round)
                else {
                    return Err(RunError::Illegal(format!("an answer to '{step}'")));
                };
                found.answer = Some((answer.clone(), by.clone()));
                found.phase = Phase::Waiting;
            }
            Fact::Exceeded { why } => {
                self.failing.get_or_insert_with(|| why.clone());
            }
            Fact::Stopping { by } => {
                self.state = State::Stopping;
                self.why = Some(format!("stopped by {by}"));
            }
            Fact::Resumed { .. } => self.resume(at),
            Fact::Over { state, why } => {
                self.state = *state;
                self.why.clone_from(why);
            }
        }
        self.updated_at = at;
        self.settle(at);
        Ok(())
    }

    fn began(&mut self, key: &Key, job: &Job, at: u64) -> Result<(), RunError> {
        let item = self.item(key)?;
        if !matches!(item.phase, ItemPhase::Todo { .. }) {
            return Err(illegal("the beginning", key));
        }
        item.began_at = Some(at);
        item.ended_at = None;
        (item.agent, item.agent_id, item.task) = (None, None, None);
        if let Work::Prompt { agent, .. } = &job.work {
            item.agent = Some(agent.clone());
        }
        item.phase = ItemPhase::Open(Box::new(Open {
            job: job.clone(),
            since: at,
            sending: None,
            asking: None,
            unknown: None,
        }));
        if matches!(job.work, Work::Prompt { .. }) {
            self.turns += 1;
        }
        if let Some(step) = self.step_of(key)
            && step.began_at.is_none()
        {
            step.began_at = Some(at);
        }
        Ok(())
    }

    /// A person has said what to do about work of which nobody knows whether it was done.
    fn settled(&mut self, key: &Key, again: bool, by: &str, at: u64) -> Result<(), RunError> {
        let item = self.item(key)?;
        let doubt = open(item, "a decision", key)?.unknown.clone();
        let Some(doubt) = doubt else {
            return Err(illegal("a decision", key));
        };
        item.ended_at = Some(at);
        if again {
            item.attempt += 1;
            item.phase = ItemPhase::Todo { not_before: at };
        } else {
            let why = format!("{doubt}; {by} decided not to do it again");
            item.phase = failed(&item.item, why, &Value::Null);
        }
        Ok(())
    }

    fn end(&mut self, key: &Key, outcome: &Outcome, at: u64) -> Result<(), RunError> {
        let place = self.flow.find(&key.step);
        let retry = place.and_then(|at| self.flow.steps.get(at));
        let retry = retry.map(|step| step.retry).unwrap_or_default();
        let item = self.item(key)?;
        // What could not even be begun is not tried again.
        let was_open = match &item.phase {
            ItemPhase::Open(_) => true,
            ItemPhase::Todo { .. } => false,
            _ => return Err(illegal("a second end", key)),
        };
        item.ended_at = Some(at);
        let mut tokens = 0;
        item.phase = match outcome {
            Outcome::Done { result } => {
                tokens = result.get("tokens").and_then(Value::as_u64).unwrap_or(0);
                let mut result = result.clone();
                if let Some(fields) = result.as_object_mut() {
                    fields.insert("ok".to_owned(), true.into());
                    if !item.item.is_null() {
                        fields.insert("item".to_owned(), item.item.clone());
                    }
                }
                ItemPhase::Done(result)
            }
            Outcome::Failed { why, result } => {
                item.why = Some(why.clone());
                item.failures += 1;
                if was_open && item.failures <= retry.times {
                    item.attempt += 1;
                    ItemPhase::Todo {
                        not_before: at + retry.wait_ms,
                    }
                } else {
                    failed(&item.item, why.clone(), result)
                }
            }
            Outcome::Canceled { why } => {
                item.why = Some(why.clone());
                item.attempt += 1;
                ItemPhase::Todo { not_before: at }
            }
        };
        self.tokens += tokens;
        Ok(())
    }

    /// Goes on after a stop, a failure or the death of the runner.
    fn resume(&mut self, at: u64) {
        let was_over = self.state != State::Running;
        self.state = State::Running;
        self.why = None;
        // Who was only killed goes on as if nothing had happened, limits and all.
        if !was_over {
            return;
        }
        self.failing = None;
        self.resumed_at = at;
        self.turns = 0;
        self.tokens = 0;
        for (step, run) in self.flow.steps.iter().zip(&mut self.steps) {
            if step.is_handler {
                *run = StepRun::new(at);
                continue;
            }
            if run.phase != Phase::Failed {
                continue;
            }
            run.why = None;
            run.ended_at = None;
            let mut is_any = false;
            for item in &mut run.items {
                if matches!(item.phase, ItemPhase::Failed { .. }) {
                    is_any = true;
                    item.attempt += 1;
                    item.failures = 0;
                    item.phase = ItemPhase::Todo { not_before: at };
                }
            }
            run.phase = if is_any {
                Phase::Active
            } else {
                Phase::Waiting
            };
            // A loop that came to its end gets as many rounds again.
            if !is_any {
                run.base = run.round;
            }
        }
    }

    fn step_of(&mut self, key: &Key) -> Option<&mut StepRun> {
        let at = self.flow.find(&key.step)?;
        self.steps.get_mut(at)
    }

    fn item(&mut self, key: &Key) -> Result<&mut ItemRun, RunError> {
        let step = self.step_of(key);
        let step = step.filter(|step| step.phase == Phase::Active && step.round == key.round);
        let item = step.and_then(|step| step.items.get_mut(key.item as usize));
        item.filter(|item| item.attempt == key.attempt)
            .ok_or_else(|| illegal("an event", key))
    }
}

fn open<'a>(item: &'a mut ItemRun, what: &str, key: &Key) -> Result<&'a mut Open, RunError> {
    match &mut item.phase {
        ItemPhase::Open(open) => Ok(open),
        _ => Err(illegal(what, key)),
    }
}

fn illegal(what: &str, key: &Key) -> RunError {
    RunError::Illegal(format!("{what} of {}", key.name()))
}

/// What is known of something that failed.
fn failed(item: &Value, why: String, result: &Value) -> ItemPhase {
    let mut fields = result.as_object().cloned().unwrap_or_default();
    fields.insert("ok".to_owned(), false.into());
    fields.insert("error".to_owned(), json!(why));
    if !item.is_null() {
        fields.insert("item".to_owned(), item.clone());
    }
    ItemPhase::Failed {
        why,
        result: fields.into(),
    }
}
