//! Connects the human's terminal to a wrapped program: keys, window size and suspension go to the program
//! unchanged. Output does not pass through here: the session shows it.

use synapse_pty::tty::{self, Event, Keyboard, RawMode, Signals, SuspendEnd, TtyError};
use synapse_session::{Command, SessionHandle};

/// Serves the human until the agent is gone. The terminal is as it was afterwards.
///
/// # Errors
/// If there is no terminal.
pub async fn serve(session: SessionHandle, mut raw: RawMode) -> Result<(), TtyError> {
    let mut keyboard = Keyboard::open()?;
    let mut signals = Signals::listen()?;
    let mut suspended = session.suspended.clone();
    let mut is_there = true;
    loop {
        tokio::select! {
            biased;
            keys = keyboard.next(), if is_there => {
                is_there = keys.is_some();
                // Whoever cannot be told is gone.
                drop(session.tell(keys.map_or(Command::Stop, Command::Keys)).await);
            }
            event = signals.next() => if event == Event::Resized {
                drop(session.tell(Command::Resize(tty::size())).await);
            },
            changed = suspended.changed() => {
                if changed.is_err() {
                    break;
                }
                let is_suspended = *suspended.borrow_and_update();
                tty::note_alternate(session.board.is_alternate());
                if is_suspended && raw.suspend().await? == SuspendEnd::Foreground {
                    drop(session.tell(Command::Resize(tty::size())).await);
                    drop(session.tell(Command::Continue).await);
                }
            }
        }
    }
    tty::note_alternate(session.board.is_alternate());
    drop(raw);
    Ok(())
}
