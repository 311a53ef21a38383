//! Streams a reply to watchers while it appears.

use std::time::Duration;

use synapse_a2a::artifact::Body;
use synapse_a2a::event::{Fact, Source};
use synapse_term::keys::Discipline;

use super::Session;
use super::tasks::artifact_of;
use crate::turn::{Ending, Words};

/// How often watchers are told of a reply that a program paints and repaints.
const PAINTED_PAUSE: Duration = Duration::from_millis(100);

/// How often watchers are told of what a plain program writes; a lone line is told at once.
const WRITTEN_PAUSE: Duration = Duration::from_millis(5);

/// How much text may be told again and again while a reply appears. A reply that is painted anew with each
/// line would be kept as often as it was told; past this its watchers wait for the end.
const PARTIAL_BUDGET: usize = 1 << 20;

/// A reply that appears.
#[derive(Default)]
pub(super) struct Growth {
    /// What was told of it.
    text: String,
    /// How much was told so far.
    told: usize,
    /// When more of it may be told, if there is more.
    tell_at: Duration,
    /// The program wrote since it was last told.
    has_news: bool,
    /// Somebody wants to hear of it.
    is_wanted: bool,
}

impl Growth {
    pub(super) fn deadline(&self) -> Option<Duration> {
        (self.has_news && self.is_wanted).then_some(self.tell_at)
    }

    pub(super) fn note_output(&mut self) {
        self.has_news = true;
    }
}

impl Session {
    /// Tells watchers what can be read of the reply by now: one text that grows, or is replaced
    /// where the program painted it anew. The end corrects it.
    pub(super) fn tell_partial(&mut self, now: Duration) {
        let has_marker = self.profile.response_end.is_some();
        // A program that may answer through the channel streams there; its screen would tell it twice.
        let is_streamed = self.ledger.board.is_watched() && !self.profile.channel;
        let is_wanted = is_streamed || has_marker;
        let pause = match self.discipline() {
            Discipline::Canonical => WRITTEN_PAUSE,
            Discipline::Raw => PAINTED_PAUSE,
        };
        let Some(running) = &mut self.running else {
            return;
        };
        let growth = &mut running.growth;
        let is_enough = growth.told > PARTIAL_BUDGET && !has_marker;
        growth.is_wanted = is_wanted;
        if running.turn.channel.has_answered || is_enough {
            growth.has_news = false;
        }
        let is_due = growth.deadline().is_some_and(|at| now >= at);
        if !is_due || !running.turn.is_running() {
            return;
        }
        growth.has_news = false;
        growth.tell_at = now + pause;
        if self.witnesses.is_protocol() {
            let said = self.running.as_ref().map(|running| running.said.clone());
            return self.tell_reply(said.unwrap_or_default());
        }
        let Some(mut reply) = self.watcher.partial_reply() else {
            return;
        };
        if let Some(text) = self.up_to_marker(&reply.text) {
            let source = Source::Marker;
            return self.finish(Ending::Replied(Words {
                text,
                source,
                is_truncated: reply.is_truncated,
            }));
        }
        // Who writes lines does not take one back that it has ended.
        let is_written = self.discipline() == Discipline::Canonical;
        if is_written && !reply.text.is_empty() && self.watcher.has_ended_line() {
            reply.text.push('\n');
        }
        if is_streamed {
            self.tell_reply(reply.text);
        }
    }

    /// The program told more of its reply.
    pub(super) fn hear_more(&mut self, text: &str) {
        if let Some(running) = &mut self.running {
            running.said.push_str(text);
            running.growth.note_output();
        }
    }

    fn tell_reply(&mut self, text: String) {
        let Some(running) = &mut self.running else {
            return;
        };
        let growth = &mut running.growth;
        if text.trim_end() == growth.text.trim_end() && text.len() <= growth.text.len() {
            return;
        }
        let more = match text.strip_prefix(growth.text.as_str()) {
            Some(more) => more.len(),
            None => text.len(),
        };
        growth.told += more;
        if growth.told > PARTIAL_BUDGET {
            return;
        }
        let (task, artifact) = (running.task.clone(), artifact_of(&running.task, 0));
        let told = std::mem::replace(&mut growth.text, text.clone());
        let fact = match text.strip_prefix(told.as_str()) {
            Some(more) if !told.is_empty() => Fact::ArtifactGrew {
                artifact,
                text: more.to_owned(),
            },
            _ => Fact::ArtifactOpened {
                artifact,
                body: Body::text(text),
            },
        };
        self.post(&task, fact);
    }

    /// What stands before the marker that ends a reply, if the profile has one and it is there.
    pub(super) fn up_to_marker(&self, reply: &str) -> Option<String> {
        let marker = self.profile.response_end.as_deref()?;
        let (said, _) = reply.split_once(marker)?;
        Some(said.trim_end().to_owned())
    }
}
