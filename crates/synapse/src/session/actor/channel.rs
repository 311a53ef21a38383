//! What the wrapped program says through its own channel (OSC 7710), where its profile allows it.

use synapse_a2a::channel::{ChannelArtifact, Word};
use synapse_a2a::event::{Fact, Question, Source};
use synapse_a2a::id::{ArtifactId, MessageId, TaskId};
use synapse_a2a::message::{Message, Part, Role};

use super::Session;
use super::turns::ASK_PAUSE;
use crate::session::Effect;

impl Session {
    /// The program said something. Outside a turn there is no task it could be about.
    pub(super) fn hear(&mut self, words: &str) {
        let word = match Word::parse(words) {
            Ok(word) => word,
            Err(error) => {
                tracing::warn!(%error, "the program said something on its channel that is no word of it");
                return;
            }
        };
        let Some(task) = self.running.as_ref().map(|running| running.task.clone()) else {
            return;
        };
        // Who speaks has noticed the message, whatever the screen shows.
        self.step(|turn| {
            if turn.notice() {
                vec![Effect::Started]
            } else {
                Vec::new()
            }
        });
        match word {
            Word::Artifact(artifact) => self.take_artifact(&task, artifact),
            Word::Message(parts) => self.take_message(&task, parts),
            Word::Ask(question) => self.take_question(question),
            Word::Reject(reason) => {
                if let Some(running) = &mut self.running {
                    running.channel.refusal = Some(reason);
                }
            }
            Word::Progress(text) => self.post(&task, Fact::Noted { text }),
        }
    }

    fn take_artifact(&mut self, task: &TaskId, given: ChannelArtifact) {
        self.mark_answered();
        let open = self.open.get(task);
        let artifacts = open.map(|open| open.task.artifacts()).unwrap_or_default();
        let name = given.id.unwrap_or_else(|| artifacts.len().to_string());
        // Its own names, apart from ours.
        let artifact = ArtifactId::new(format!("{task}-c-{name}"));
        let is_known = artifacts.iter().any(|known| known.id == artifact);
        if given.is_appended && is_known {
            let parts = given.parts;
            let artifact = artifact.clone();
            self.post(task, Fact::ArtifactExtended { artifact, parts });
        } else {
            let body = given.body;
            let artifact = artifact.clone();
            self.post(task, Fact::ArtifactOpened { artifact, body });
        }
        if given.is_last {
            self.post(task, Fact::ArtifactClosed { artifact });
        }
    }

    fn take_message(&mut self, task: &TaskId, parts: Vec<Part>) {
        self.mark_answered();
        let id = MessageId::new(uuid::Uuid::now_v7().to_string());
        let message = Message::new(id, Role::Agent, parts);
        let text = message.words();
        self.post(task, Fact::Spoke { message });
        let said = synapse_a2a::event::Said {
            text,
            source: Source::Channel,
        };
        self.post(task, Fact::Replied { said });
    }

    /// Keeps a question until it is clear where its answer goes.
    fn take_question(&mut self, question: Question) {
        let question = Question {
            fingerprint: uuid::Uuid::now_v7().simple().to_string(),
            ..question
        };
        let now = self.now();
        if let Some(running) = &mut self.running {
            running.channel.question = Some(question);
            running.channel.ask_at = Some(now + ASK_PAUSE);
        }
    }

    fn mark_answered(&mut self) {
        if let Some(running) = &mut self.running {
            running.channel.has_answered = true;
        }
    }
}
