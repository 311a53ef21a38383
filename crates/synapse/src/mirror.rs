//! The human's terminal in front of an agent: what is painted goes to it at once, what is typed goes
//! to the program unchanged.

use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::pty::Writer;
use crate::session::{Command, SessionHandle};
use crate::tty::{self, Event, Keyboard, RawMode, Resumed, Signals, TtyError};

/// Shows an agent until it is gone. The terminal is as it was afterwards.
///
/// # Errors
/// If there is no terminal.
pub async fn show(
    session: SessionHandle,
    mut raw: RawMode,
    mut live: broadcast::Receiver<Arc<[u8]>>,
) -> Result<(), TtyError> {
    let mut keyboard = Keyboard::open()?;
    let mut display = tty::display()?;
    let mut signals = Signals::listen()?;
    let mut suspended = session.suspended.clone();
    loop {
        tokio::select! {
            biased;
            keys = keyboard.next() => match keys {
                // Whoever cannot be told is gone, which the end of what it paints will show.
                Some(keys) => drop(session.tell(Command::Keys(keys)).await),
                None => drop(session.tell(Command::Stop).await),
            },
            flushed = display.flush(), if !display.is_empty() => flushed?,
            painted = live.recv() => match painted {
                Ok(bytes) => paint(&session, &mut display, &bytes).await,
                Err(RecvError::Lagged(_)) => repaint(&session, &mut display).await,
                Err(RecvError::Closed) => break,
            },
            event = signals.next() => if event == Event::Resized {
                drop(session.tell(Command::Resize(tty::size())).await);
            },
            changed = suspended.changed() => {
                let is_suspended = changed.is_ok() && *suspended.borrow_and_update();
                if is_suspended && raw.suspend().await? == Resumed::Foreground {
                    drop(session.tell(Command::Continue).await);
                    drop(session.tell(Command::Resize(tty::size())).await);
                    repaint(&session, &mut display).await;
                }
            }
        }
    }
    display.flush().await?;
    drop(raw);
    Ok(())
}

/// A terminal that has not read for so long that there is no room is painted anew later.
async fn paint(session: &SessionHandle, display: &mut Writer, bytes: &[u8]) {
    if display.push(bytes).is_err() {
        repaint(session, display).await;
    }
}

async fn repaint(session: &SessionHandle, display: &mut Writer) {
    display.discard();
    if let Ok(look) = session.ask(Command::Look).await {
        let _ = display.push(&look.snapshot);
    }
}
