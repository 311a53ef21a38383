//! Raw mode, and the way back from it on every path: drop, panic, signal, suspension. What is to be
//! restored is registered for the whole process, because whoever restores it may not know who set
//! it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::reset::{ALTERNATE, MODES, REST};
use super::{TtyError, is_in_background, open};

/// How long a terminal that has stopped reading may hold up our exit.
const RESET_PATIENCE: Duration = Duration::from_millis(300);

static HELD: Mutex<Option<SavedTerminal>> = Mutex::new(None);

static MAY_BE_ALTERNATE: AtomicBool = AtomicBool::new(true);

/// Says whether the alternate screen is on. Until somebody who knows says otherwise, it may be.
pub fn note_alternate(is_on: bool) {
    MAY_BE_ALTERNATE.store(is_on, Ordering::Relaxed);
}

/// The terminal in raw mode; dropped, it is as it was found.
#[derive(Debug)]
pub struct RawMode {
    modes: Termios,
}

impl RawMode {
    /// Puts the terminal on standard input into raw mode.
    ///
    /// # Errors
    /// If it is no terminal, or is in raw mode already.
    pub fn enter() -> Result<Self, TtyError> {
        let mut slot = lock();
        if slot.is_some() {
            return Err(TtyError::AlreadyRaw);
        }
        let mut held = SavedTerminal::open()?;
        held.make_raw()?;
        let modes = held.modes.clone();
        *slot = Some(held);
        Ok(Self { modes })
    }

    /// The modes the terminal had: those a program should find in its own.
    pub fn modes(&self) -> &Termios {
        &self.modes
    }

    /// Puts it into raw mode again after a [`restore`], from the modes it has by now.
    pub fn enter_again(&mut self) -> Result<(), TtyError> {
        if let Some(held) = lock().as_mut() {
            held.make_raw()?;
            self.modes = held.modes.clone();
        }
        Ok(())
    }
}

impl RawMode {
    /// Gives the modes back and resets nothing else: programs came and went as they do in a shell, and
    /// what they left on the screen is theirs.
    pub fn leave(self) {
        if let Some(mut held) = lock().take() {
            held.restore_modes();
        }
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        if let Some(mut held) = lock().take() {
            held.restore();
        }
    }
}

/// Gives the terminal back as it was found, if this process has it in raw mode: for exits that drop
/// nothing. It may be called from anywhere, and again.
pub fn restore() {
    let mut slot = match HELD.try_lock() {
        Ok(slot) => slot,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        // A panic in the middle of this module, or another thread that restores it at this moment.
        Err(TryLockError::WouldBlock) => return,
    };
    if let Some(held) = slot.as_mut() {
        held.restore();
    }
}

/// From now on a panic gives the terminal back before it is reported. A host that goes on after one
/// has to [enter again](RawMode::enter_again).
pub fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // It costs a screen that nobody sees, not the session.
            if !synapse_term::screen::is_guarded() {
                restore();
                report(info);
            }
        }));
    });
}

/// Whether the terminal is another job's now.
pub(super) fn is_elsewhere() -> bool {
    let slot = lock();
    slot.as_ref()
        .is_some_and(|held| is_in_background(held.tty.as_fd()))
}

/// What is to be restored, and where.
struct SavedTerminal {
    tty: OwnedFd,
    modes: Termios,
    is_raw: bool,
}

impl SavedTerminal {
    fn open() -> Result<Self, TtyError> {
        let tty = open()?;
        let modes = tcgetattr(&tty).map_err(io::Error::from)?;
        Ok(Self {
            tty,
            modes,
            is_raw: false,
        })
    }

    fn make_raw(&mut self) -> Result<(), TtyError> {
        if self.is_raw {
            return Ok(());
        }
        self.modes = tcgetattr(&self.tty).map_err(io::Error::from)?;
        let mut raw = self.modes.clone();
        raw.make_raw();
        tcsetattr(&self.tty, OptionalActions::Now, &raw).map_err(io::Error::from)?;
        self.is_raw = true;
        Ok(())
    }

    fn restore(&mut self) {
        if self.restore_modes() {
            let may_be_alternate = MAY_BE_ALTERNATE.load(Ordering::Relaxed);
            let alternate = if may_be_alternate { ALTERNATE } else { "" };
            self.write([MODES, alternate, REST].concat().as_bytes());
        }
    }

    /// Whether there was anything to restore.
    fn restore_modes(&mut self) -> bool {
        if !self.is_raw || is_in_background(self.tty.as_fd()) {
            return false;
        }
        self.is_raw = false;
        // A terminal that is gone needs nothing. To wait until all is written could take for ever.
        let _ = tcsetattr(&self.tty, OptionalActions::Now, &self.modes);
        true
    }

    fn write(&self, mut bytes: &[u8]) {
        let deadline = Instant::now() + RESET_PATIENCE;
        while !bytes.is_empty() {
            match retry_on_intr(|| rustix::io::write(&self.tty, bytes)) {
                Ok(written @ 1..) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(Errno::AGAIN) if self.is_writable_before(deadline) => {}
                Ok(0) | Err(_) => return,
            }
        }
    }

    fn is_writable_before(&self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        let mut fds = [PollFd::new(&self.tty, PollFlags::OUT)];
        matches!(poll(&mut fds, left.as_ref()), Ok(1) | Err(Errno::INTR))
            && Instant::now() < deadline
    }
}

/// A panic while it was locked leaves nothing half done that restoring would mind.
fn lock() -> MutexGuard<'static, Option<SavedTerminal>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}
