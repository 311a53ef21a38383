//! The answer to a message: shown, kept, and given to the program if that is wanted.

use synapse_a2a::event::{Origin, Timestamp};
use synapse_a2a::id::{MessageId, TaskId};
use synapse_a2a::message::{Message, Role};

use super::send_job::SendJob;
use synapse_machine::config::Feedback;
use synapse_session::Submission;
use synapse_store::replies;

/// What came back.
pub(super) struct Answer {
    pub(super) task: String,
    /// The reply, or why there is none.
    pub(super) reply: Result<String, String>,
}

impl SendJob {
    /// Shows the answer, keeps it, and gives it to the program if that is wanted.
    pub(super) async fn bring_back(&self, from: &str, answer: Answer) {
        let text = match &answer.reply {
            Ok(reply) => {
                self.keep(from, &answer.task, reply).await;
                format!("[← {from}] {reply}")
            }
            Err(why) => format!("[← {from}] {why}"),
        };
        let text = match (self.outbox.feedback, &answer.reply) {
            (Feedback::Inline, Ok(_)) => format!("→ {from}: Answered\n{text}"),
            (Feedback::Inline, Err(_)) => format!("→ {from}: Failed\n{text}"),
            (Feedback::Silent, _) => text,
        };
        self.notify(text).await;
        if let (true, Ok(reply)) = (self.outbox.returns_to_agent, answer.reply) {
            self.give_to_program(from, reply).await;
        }
    }

    async fn keep(&self, from: &str, task: &str, reply: &str) {
        let reply = replies::Reply {
            to: self.outbox.own.handle.to_string(),
            from: from.to_owned(),
            task: TaskId::new(task),
            text: reply.to_owned(),
            at: Timestamp(jiff::Timestamp::now().as_millisecond().unsigned_abs()),
            is_seen: false,
        };
        let store = self.outbox.store.clone();
        let kept = tokio::task::spawn_blocking(move || replies::add(&store, &reply));
        if let Ok(Err(error)) = kept.await {
            tracing::warn!(%error, "a reply could not be kept");
        }
    }

    async fn give_to_program(&self, from: &str, reply: String) {
        let id = MessageId::new(uuid::Uuid::now_v7().to_string());
        let submission = Submission {
            message: Message::text(id, Role::User, reply),
            context: None,
            origin: Origin {
                sender: from.to_owned(),
                hops: self.dispatch.hops.saturating_add(1),
                ..Origin::default()
            },
            is_raw: false,
        };
        if let Err(refusal) = self.outbox.session.send(submission).await {
            let text = format!("[← {from}] the answer was not typed: {refusal}");
            self.notify(text).await;
        }
    }
}
