//! Messages that the program itself sends: lines of its reply that are addressed to other agents, and
//! replies it submits with `synapse reply`.

use synapse_a2a::event::{Origin, Source};
use synapse_a2a::id::TaskId;

use super::Session;
use crate::outgoing::messages;
use crate::turn::Words;
use crate::{Author, Dispatch, OutboxRequest, Refusal};

impl Session {
    /// Sends the lines of a reply that are meant for others, where the profile wants that.
    pub(super) fn route_output(&mut self, task: &TaskId, reply: &str) {
        let Some(open) = self.open.get(task) else {
            return;
        };
        let heard = open.task.message().words();
        let hops = open.task.origin().hops.saturating_add(1);
        for command in messages(reply, &heard, &self.profile.output_routing) {
            if hops > Origin::MOST_HOPS {
                let log = format!(
                    "to={} stopped: it has made {} hops",
                    command.handle,
                    Origin::MOST_HOPS
                );
                self.routing.tell(OutboxRequest::Log(log));
                continue;
            }
            let dispatch = Dispatch {
                command,
                hops,
                author: Author::Program,
            };
            self.routing.tell(OutboxRequest::Send(dispatch));
        }
    }

    /// The program, or somebody in its place, answers the task at hand.
    pub(super) fn reply_by_word(&mut self, text: String) -> Result<TaskId, Refusal> {
        let Some(running) = &mut self.running else {
            return Err(Refusal::NoTaskAtHand);
        };
        if running.turn.channel.has_answered {
            return Err(Refusal::Replied);
        }
        running.turn.channel.has_answered = true;
        let task = running.task.clone();
        let source = Source::Channel;
        self.reply(&task, Words::whole(text, source));
        Ok(task)
    }
}
