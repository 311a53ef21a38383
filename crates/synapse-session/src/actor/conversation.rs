//! Which of the program's conversations the agent is in, so that it can go on with it another time.

use synapse_transcript::Sighting;

use super::Session;

impl Session {
    /// Notes in which conversation a message was found, where no hook says so. What is found late of a turn says
    /// nothing once the next message was found.
    pub(super) fn note_conversation_of(&mut self, sighting: &Sighting) {
        let witnesses = &mut self.witnesses;
        if witnesses.tracker.has_spoken() || sighting.number < witnesses.last_found {
            return;
        }
        witnesses.last_found = sighting.number;
        if let Some(name) = &sighting.conversation {
            self.ledger.board.note_conversation(name);
        }
    }
}
