//! Answers to questions: on the screen by the keys that give them, through the channel by a line.

use std::collections::VecDeque;
use std::time::Duration;

use synapse_a2a::act::{Act, ActKind, Actor};
use synapse_a2a::event::{Fact, Status};
use synapse_a2a::id::{MessageId, TaskId};
use synapse_a2a::message::{Message, Role};
use synapse_a2a::task::TaskState;
use synapse_term::keys::paste;
use synapse_term::prompt::{AnswerError, Kind, Prompt};
use synapse_term::reading::{Reading, State};

use super::Session;
use crate::{Answer, Order, Priority, Refusal};

/// What is kept of an answer that nobody may read.
const SECRET: &str = "••••••••";

/// How many characters of an answer are kept with who gave it.
const MOST_OF_ANSWER: usize = 200;

/// How long a program may take to open a field and to show what was typed there.
const FIELD_PAUSE: Duration = Duration::from_millis(400);

impl Session {
    /// Gives an answer, if it is one to the question that is open.
    pub(super) fn answer(&mut self, answer: &Answer, now: Duration) -> Result<(), Refusal> {
        if let Some(task) = &answer.task {
            self.check_waits(task)?;
            if self.is_parked(task) {
                return self.go_on(task, answer);
            }
        }
        if self.is_asked_by_channel(answer.task.as_ref()) {
            return self.answer_channel(answer, now);
        }
        let Reading::Asking(prompt) = self.watcher.reading() else {
            return Err(Refusal::NotAsking(self.watcher.reading().state()));
        };
        let told = answer.task.as_ref().and_then(|task| self.told(task));
        let wanted = answer.fingerprint.as_deref().or(told.as_deref());
        if wanted.is_some_and(|wanted| wanted != prompt.fingerprint.to_string()) {
            return Err(Refusal::Changed {
                now: prompt.question.clone(),
                fingerprint: prompt.fingerprint.to_string(),
            });
        }
        let prompt = prompt.clone();
        if let Some(answered) = self.answer_by_hook(&prompt, &answer.value, now) {
            answered?;
            self.keep(said(answer));
            self.note_answer(&prompt, answer);
            return Ok(());
        }
        let mode = self.watcher.screen().modes().keyboard();
        let writes = match prompt.keys_for(&answer.value, &mode) {
            Err(AnswerError::NoSuchOption { .. }) if prompt.own_words().is_some() => {
                self.answer_in_own_words(&prompt, &answer.value, now)
            }
            writes => writes,
        };
        let writes = writes.map_err(|error| Refusal::BadAnswer(error.to_string()))?;
        if prompt.kind == Kind::Password {
            self.keep(text(SECRET));
        } else {
            self.keep(said(answer));
        }
        self.note_answer(&prompt, answer);
        for bytes in writes {
            self.write(&bytes, now);
        }
        Ok(())
    }

    /// Picks the option that opens a field, and types the answer there as soon as the field is open.
    fn answer_in_own_words(
        &mut self,
        prompt: &Prompt,
        value: &str,
        now: Duration,
    ) -> Result<Vec<Vec<u8>>, AnswerError> {
        let mode = self.watcher.screen().modes().keyboard();
        let label = prompt
            .own_words()
            .map_or("", |option| option.label.as_str());
        let opens = prompt.keys_for(label, &mode)?;
        let text = paste(value, &mode, self.discipline(), &self.profile.newline_keys)?;
        let submit = self.profile.submit_sequence.as_bytes().to_vec();
        let (typed, submitted) = (now + FIELD_PAUSE, now + FIELD_PAUSE * 2);
        self.own_words = VecDeque::from([(typed, text), (submitted, submit)]);
        Ok(opens)
    }

    /// Types what is due of an answer in one's own words. If the question is gone, so is its field.
    pub(super) fn type_own_words(&mut self, now: Duration) {
        if self.watcher.reading().state() != State::Asking {
            self.own_words.clear();
        }
        while let Some((_, bytes)) = self.own_words.pop_front_if(|(at, _)| now >= *at) {
            self.write(&bytes, now);
        }
    }

    /// What one task is told never answers the question of another.
    fn check_waits(&self, task: &TaskId) -> Result<(), Refusal> {
        let open = self.state_of(task);
        let state = open.or_else(|| Some(self.ledger.board.record(task)?.task.state()));
        match state {
            Some(TaskState::InputRequired) => Ok(()),
            Some(state) => Err(Refusal::NotWaiting(state.name())),
            None => Err(Refusal::NoSuchTask(task.as_str().to_owned())),
        }
    }

    /// The fingerprint of the question last told for a task.
    fn told(&self, task: &TaskId) -> Option<String> {
        match self.open.get(task)?.task.status() {
            Status::InputRequired { question } => Some(question.fingerprint.clone()),
            _ => None,
        }
    }

    /// Whether a task waits for an answer while its program does other things.
    fn is_parked(&self, task: &TaskId) -> bool {
        let is_running = self.running.as_ref().is_some_and(|r| r.task == *task);
        !is_running && self.state_of(task) == Some(TaskState::InputRequired)
    }

    /// Queues the answer for a parked task.
    fn go_on(&mut self, task: &TaskId, answer: &Answer) -> Result<(), Refusal> {
        self.check_channel_question(task, answer)?;
        let message = said(answer);
        let id = message.id.clone();
        self.post(task, Fact::Answered { message });
        self.move_to(task, Status::Working);
        let Some(open) = self.open.get(task) else {
            return Ok(());
        };
        let priority = Priority::new(open.task.origin().priority.into());
        self.queue.push(Order {
            task: task.clone(),
            priority: priority.unwrap_or(Priority::NORMAL),
            text: answer.value.clone(),
            message_id: id,
            is_raw: false,
            since: self.now(),
            place: None,
        });
        Ok(())
    }

    fn is_asked_by_channel(&self, task: Option<&TaskId>) -> bool {
        self.running.as_ref().is_some_and(|running| {
            running.turn.channel.has_told() && task.is_none_or(|task| running.task == *task)
        })
    }

    /// Types the answer for a program that asked through the channel and waits for a line.
    fn answer_channel(&mut self, answer: &Answer, now: Duration) -> Result<(), Refusal> {
        let Some(task) = self.running.as_ref().map(|running| running.task.clone()) else {
            return Err(Refusal::NotAsking(self.watcher.reading().state()));
        };
        self.check_channel_question(&task, answer)?;
        let mode = self.watcher.screen().modes().keyboard();
        let typed = paste(
            &answer.value,
            &mode,
            self.discipline(),
            &self.profile.newline_keys,
        );
        let mut typed = typed.map_err(|error| Refusal::BadAnswer(error.to_string()))?;
        typed.extend_from_slice(self.profile.submit_sequence.as_bytes());
        if let Some(running) = &mut self.running {
            running.turn.channel.settle_question();
        }
        self.keep(said(answer));
        self.move_to(&task, Status::Working);
        self.write(&typed, now);
        Ok(())
    }

    fn check_channel_question(&self, task: &TaskId, answer: &Answer) -> Result<(), Refusal> {
        let Some(Status::InputRequired { question }) =
            self.open.get(task).map(|open| open.task.status())
        else {
            return Err(Refusal::NotAsking(self.watcher.reading().state()));
        };
        match &answer.fingerprint {
            Some(wanted) if *wanted != question.fingerprint => Err(Refusal::Changed {
                now: question.prompt.clone(),
                fingerprint: question.fingerprint.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Keeps who answered what, in the words of the option.
    fn note_answer(&mut self, prompt: &Prompt, answer: &Answer) {
        let value = match prompt.kind {
            Kind::Password => "",
            _ => prompt.label_of(&answer.value).unwrap_or(&answer.value),
        };
        self.note_act(ActKind::Answered, value, answer.by.clone());
    }

    /// Keeps who stopped the task at hand. One that only waits is not stopped by this.
    pub(super) fn note_stop(&mut self, by: Actor) {
        self.note_act(ActKind::Stopped, "", by);
    }

    fn note_act(&mut self, what: ActKind, value: &str, by: Actor) {
        let running = self.running.as_ref().map(|running| running.task.clone());
        let state = running.as_ref().and_then(|task| self.state_of(task));
        let is_on = matches!(state, Some(TaskState::Working | TaskState::InputRequired));
        if let Some(task) = running.filter(|_| is_on) {
            let value = value.chars().take(MOST_OF_ANSWER).collect();
            let act = Act { what, value, by };
            self.post(&task, Fact::Acted { act });
        }
    }

    /// Keeps what was answered with the task that asked.
    fn keep(&mut self, message: Message) {
        let Some(task) = self.running.as_ref().map(|running| running.task.clone()) else {
            return;
        };
        self.post(&task, Fact::Answered { message });
    }
}

/// An answer as a message: the one it came in, or one made for it.
fn said(answer: &Answer) -> Message {
    let given = answer.message.clone();
    given.unwrap_or_else(|| text(&answer.value))
}

fn text(value: &str) -> Message {
    let id = MessageId::new(uuid::Uuid::now_v7().to_string());
    Message::text(id, Role::User, value)
}
