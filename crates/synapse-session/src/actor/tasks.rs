//! Turns what happens to tasks into events.

use std::time::Duration;

use synapse_a2a::artifact::Body;
use synapse_a2a::error::{Failure, FailureCode};
use synapse_a2a::event::{Event, Fact, Question, Said, Status};
use synapse_a2a::id::{ArtifactId, TaskId};
use synapse_a2a::parse::{Switches, parse};
use synapse_a2a::task::{Task, TaskState};
use synapse_term::keys::Discipline;
use synapse_term::prompt::Prompt;

use super::Session;
use crate::ledger::{STOPPED, stopped};
use crate::order;
use crate::turn::{Input, Words};
use crate::{AcceptedTask, Command, Order, Priority, Refusal, TurnError, end_of, timestamp};

/// A task that is not over.
pub(super) struct Open {
    pub(super) task: Task,
    /// The number of its last event.
    pub(super) number: u64,
}

/// Who reads what is typed to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listener {
    /// A model: it understands who speaks.
    Chat,
    /// A shell, a REPL, a filter: every character counts.
    Lines,
}

impl Session {
    /// Queues a task that is on disk.
    pub(super) fn accept(&mut self, accepted: AcceptedTask, now: Duration) {
        let AcceptedTask {
            task,
            text,
            is_raw,
            place,
        } = accepted;
        let (id, priority) = (task.id().clone(), priority_of(&task));
        let message_id = task.message().id.clone();
        self.open.insert(id.clone(), Open { task, number: 1 });
        self.queue.push(Order {
            task: id,
            priority,
            text,
            message_id,
            is_raw,
            since: now,
            place: Some(place),
        });
        if priority.interrupts() {
            self.step(Input::Cancel("a task of priority 5 came in"), now);
        }
    }

    /// An order as it is typed: with the profile's words around it, or ours where they tell the program
    /// something, or where its first character would make a command of it.
    pub(super) fn introduced(&self, order: &Order) -> String {
        let Some(open) = self.open.get(&order.task).filter(|_| !order.is_raw) else {
            return order.text.clone();
        };
        let listener = self.listener();
        let commands = match &self.profile.command_chars {
            Some(chars) => chars.as_str(),
            None if listener == Listener::Chat => order::CHAT_COMMANDS,
            None => "",
        };
        let words = order::Words {
            task: &order.task,
            message_id: &order.message_id,
            context_id: open.task.context(),
            sender: &open.task.origin().sender,
            priority: order.priority,
            text: &order.text,
        };
        let is_told = listener == Listener::Chat && !open.task.origin().is_person();
        let own = self.profile.prompt_template.as_deref();
        let typed = order::introduce(own, is_told, commands, &words);
        match listener {
            Listener::Chat => order::closed(typed),
            Listener::Lines => typed,
        }
    }

    /// Who reads what is typed: a program that talks in prose, or one that takes each line at its word.
    fn listener(&self) -> Listener {
        // A program that reads keys away from a bare prompt is taken for a chat, though its box may look like no
        // other: what begins with a command would be run there.
        let looks_like_chat = self.discipline() == Discipline::Raw
            && !self.kernel.reads_lines()
            && (self.watcher.input_box().is_some() || !self.watcher.is_at_line_prompt());
        // Only conversations are recorded.
        let keeps_record = self.profile.record.is_some();
        if self.profile.knows_signs() || keeps_record || looks_like_chat {
            Listener::Chat
        } else {
            Listener::Lines
        }
    }

    /// Ends a task: a waiting or parked one at once, the running one by an interrupt.
    pub(super) fn cancel(&mut self, task: &TaskId, now: Duration) -> Result<(), Refusal> {
        const WHY: &str = "canceled on request";
        if !self.open.contains_key(task) {
            let record = self.ledger.board.record(task);
            let record = record.ok_or_else(|| Refusal::NoSuchTask(task.as_str().to_owned()))?;
            return Err(Refusal::Over(record.task.state().name()));
        }
        let is_running = self.running.as_ref().is_some_and(|r| r.task == *task);
        if is_running {
            self.step(Input::Cancel(WHY), now);
        } else {
            self.queue.remove(task);
            self.move_to(task, Status::canceled(WHY));
        }
        Ok(())
    }

    /// The agent is about to go: whatever has not begun never will.
    pub(super) fn cancel_all(&mut self) {
        self.queue.drain();
        let now = self.now();
        self.step(Input::Abandon(STOPPED), now);
        let running = self.running.as_ref().map(|running| running.task.clone());
        for task in self.open.keys().cloned().collect::<Vec<_>>() {
            if Some(&task) != running.as_ref() {
                self.move_to(&task, stopped());
            }
        }
    }

    /// The program is gone, and every open task with it.
    pub(super) fn fail_all_exited(&mut self) {
        self.queue.drain();
        for task in self.open.keys().cloned().collect::<Vec<_>>() {
            let message = self.exit_in_words();
            self.fail(&task, FailureCode::AgentExited, message);
        }
    }

    /// That the program is gone, and how it went where nobody asked it to.
    pub(super) fn exit_in_words(&self) -> String {
        let end = self.exit.map(end_of).filter(|end| end.is_death());
        let is_asked = self.ledger.board.is_stopping();
        match end.filter(|_| !is_asked) {
            Some(end) => format!("{}: it died ({})", TurnError::Exited, end.words()),
            None => TurnError::Exited.to_string(),
        }
    }

    /// Takes nothing more in. A task that was promised and waits in the inbox is ended; whoever asked something
    /// else learns that we are gone.
    pub(super) fn close_inbox(&mut self) {
        self.inbox.close();
        while let Ok(command) = self.inbox.try_recv() {
            if let Command::Accept(accepted) = command {
                self.ledger.withdraw(accepted.task.id(), stopped());
            }
        }
    }

    /// Puts a reply on the board, in the pieces it is made of.
    pub(super) fn reply(&mut self, task: &TaskId, words: Words) {
        let Words {
            text: reply,
            source,
            is_truncated,
        } = words;
        // An answer is an artifact even where the screen shows none.
        self.move_to(task, Status::Working);
        let switches = Switches {
            parse_code_blocks: self.profile.parse_code_blocks,
            parse_file_refs: self.profile.parse_file_refs,
            parse_json: self.profile.parse_json,
        };
        let bodies = parse(&reply, switches);
        self.route_output(task, &reply);
        let said = Said {
            text: reply,
            source,
            is_truncated,
        };
        self.post(task, Fact::Replied { said });
        for (index, body) in bodies.into_iter().enumerate() {
            self.give(task, artifact_of(task, index), body);
        }
    }

    fn give(&mut self, task: &TaskId, artifact: ArtifactId, body: Body) {
        let opened = Fact::ArtifactOpened {
            artifact: artifact.clone(),
            body,
        };
        self.post(task, opened);
        self.post(task, Fact::ArtifactClosed { artifact });
    }

    pub(super) fn fail(&mut self, task: &TaskId, code: FailureCode, message: String) {
        let failure = Failure { code, message };
        self.move_to(task, Status::Failed { failure });
    }

    /// Moves a task, unless it stands there already.
    pub(super) fn move_to(&mut self, task: &TaskId, status: Status) {
        let stands = self.open.get(task).map(|open| open.task.status());
        if stands.is_some_and(|stands| *stands != status) {
            self.post(task, Fact::Moved { status });
        }
    }

    /// The state of an open task.
    pub(super) fn state_of(&self, task: &TaskId) -> Option<TaskState> {
        self.open.get(task).map(|open| open.task.state())
    }

    /// Lets something happen to an open task.
    pub(super) fn post(&mut self, task: &TaskId, fact: Fact) {
        let Some(open) = self.open.get_mut(task) else {
            return;
        };
        let event = Event {
            at: timestamp(),
            fact,
        };
        if let Err(error) = open.task.apply(event.clone()) {
            tracing::error!(%error, task = task.as_str(), "an event was not legal");
            return;
        }
        open.number += 1;
        self.ledger.append(task, open.number, event);
        if open.task.state().is_final() {
            self.open.remove(task);
        }
    }
}

fn priority_of(task: &Task) -> Priority {
    Priority::new(task.origin().priority.into()).unwrap_or(Priority::NORMAL)
}

/// The artifacts of a task are numbered; the first is what streamed.
pub(super) fn artifact_of(task: &TaskId, index: usize) -> ArtifactId {
    ArtifactId::new(format!("{}-{index}", task.as_str()))
}

/// What kind of failure a program's own error line tells of.
pub(super) fn code_of(said: &str) -> FailureCode {
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

pub(super) fn question(prompt: &Prompt) -> Question {
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
