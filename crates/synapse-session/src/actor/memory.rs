//! Gives memory back when the program rests: what the start needed, and what a long output took.

/// With less output than this since the last time there is too little to give back.
const WORTHWHILE: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// What was painted since memory was last given back; none, before it ever was.
    painted: Option<usize>,
}

impl Memory {
    pub(super) fn note_painted(&mut self, bytes: usize) {
        self.painted = self.painted.map(|painted| painted.saturating_add(bytes));
    }

    /// The program rests.
    pub(super) fn note_rest(&mut self) {
        if self.painted.is_none_or(|painted| painted >= WORTHWHILE) {
            self.painted = Some(0);
            tokio::task::spawn_blocking(synapse_platform::memory::give_back);
        }
    }
}
