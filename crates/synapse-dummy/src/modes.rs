//! The modes of the dummy agent's own terminal, changed for a while.

use std::io::{self, Write as _};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Changed modes, until dropped. At a pipe there are none to change.
pub(super) struct Modes {
    before: Option<Termios>,
    /// What is written when they are given back.
    way_back: &'static str,
}

impl Modes {
    /// Nothing that is typed is shown.
    pub(super) fn hidden() -> Self {
        Self::without(LocalModes::ECHO)
    }

    /// Keys come as they are pressed, Ctrl-C among them.
    pub(super) fn keys() -> Self {
        Self::without(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN)
    }

    fn without(off: LocalModes) -> Self {
        let before = tcgetattr(io::stdin()).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(off);
            if off.contains(LocalModes::ICANON) {
                modes.input_modes.remove(rustix::termios::InputModes::ICRNL);
            }
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
        }
        Self {
            before,
            way_back: "",
        }
    }

    /// Whether there is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.before.is_some()
    }

    /// Writes this as well when the modes are given back.
    pub(super) fn and_then(mut self, way_back: &'static str) -> Self {
        self.way_back = way_back;
        self
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let mut out = io::stdout();
            let _ = out.write_all(self.way_back.as_bytes());
            let _ = out.flush();
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}
