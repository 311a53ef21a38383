//! Gives memory back once the program rests: what the start and the first turn needed, and what a long output took.

use std::time::Duration;

use synapse_term::reading::Reading;

use super::Session;

/// With less output than this since the last time there is too little to give back.
const WORTHWHILE: usize = 1 << 20;

/// How long the program rests first. By then the task's events are on disk, and those who waited for them have them,
/// so that nobody holds the text any longer.
const PAUSE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Memory {
    /// What was painted since memory was last given back.
    painted: usize,
    has_had_turn: bool,
    /// When the program will have rested long enough.
    due: Option<Duration>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            // The start takes more than it keeps.
            painted: WORTHWHILE,
            has_had_turn: false,
            due: None,
        }
    }
}

impl Memory {
    pub(super) fn note_painted(&mut self, bytes: usize) {
        self.painted = self.painted.saturating_add(bytes);
    }

    /// A turn is over. The first one compiles the patterns that replies are read with.
    pub(super) fn note_turn(&mut self) {
        if !std::mem::replace(&mut self.has_had_turn, true) {
            self.painted = WORTHWHILE;
        }
    }

    /// When it wants to be asked again.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.due
    }

    /// Whether memory is to be given back now.
    pub(super) fn is_due(&mut self, is_at_rest: bool, now: Duration) -> bool {
        if !is_at_rest || self.painted < WORTHWHILE {
            self.due = None;
            return false;
        }
        if now < *self.due.get_or_insert(now + PAUSE) {
            return false;
        }
        self.painted = 0;
        self.due = None;
        true
    }
}

impl Session {
    /// Gives memory back that nobody has used since the program came to rest.
    pub(super) fn give_back_memory(&mut self, now: Duration) {
        let is_at_rest = self.running.is_none() && self.watcher.reading() == &Reading::Idle;
        if self.memory.is_due(is_at_rest, now) {
            self.watcher.screen().release_spare_rows();
            synapse_platform::memory::give_back_stack();
            tokio::task::spawn_blocking(synapse_platform::memory::give_back);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATER: Duration = Duration::from_mins(1);

    #[test]
    fn memory_is_given_back_after_the_start_and_the_first_turn() {
        let mut memory = Memory::default();
        assert!(!memory.is_due(true, Duration::ZERO));
        assert_eq!(memory.deadline(), Some(PAUSE));
        assert!(memory.is_due(true, PAUSE));
        assert_eq!(memory.deadline(), None);
        assert!(!memory.is_due(true, LATER));
        for (turn, is_first) in [true, false].into_iter().enumerate() {
            memory.note_turn();
            let now = LATER * u32::try_from(turn + 1).unwrap();
            assert!(!memory.is_due(true, now));
            assert_eq!(memory.is_due(true, now + PAUSE), is_first);
        }
    }

    #[test]
    fn a_long_output_is_waited_out() {
        let mut memory = Memory::default();
        memory.is_due(true, Duration::ZERO);
        assert!(memory.is_due(true, PAUSE));
        memory.note_painted(WORTHWHILE);
        assert!(!memory.is_due(true, LATER));
        // It went on to work before the pause was over: the pause begins anew.
        assert!(!memory.is_due(false, LATER + PAUSE));
        assert_eq!(memory.deadline(), None);
        assert!(!memory.is_due(true, LATER * 2));
        assert!(memory.is_due(true, LATER * 2 + PAUSE));
    }
}
