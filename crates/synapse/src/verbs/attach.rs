//! `synapse attach`: an agent's terminal in this one.

use anyhow::{Context as _, Result};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use synapse::client::{Client, Terminal};
use synapse::tty::{self, Event, Keyboard, RawMode, Signals};
use tokio_tungstenite::tungstenite::Message;

use super::reach;

/// `Ctrl-]`, then `d`.
const DETACH: (u8, u8) = (0x1d, b'd');

/// Runs it.
pub(crate) fn run(agent: &str) -> Result<u8> {
    show(agent)?;
    Ok(0)
}

/// Shows an agent's terminal, and says how that ended.
pub(super) fn show(agent: &str) -> Result<()> {
    let entry = reach::agent(agent)?;
    let client = Client::of(&entry)?;
    tty::restore_on_panic();
    let is_detached = reach::block_on(async {
        let socket = client.terminal().await?;
        let raw = RawMode::enter()?;
        let shown = mirror(socket).await;
        drop(raw);
        shown
    })?;
    tty::restore();
    let what = if is_detached {
        "detached; it runs on"
    } else {
        "gone"
    };
    eprintln!("{} is {what}", entry.handle);
    Ok(())
}

/// Shows the terminal until somebody detaches or the agent is gone. Whether somebody detached.
async fn mirror(mut socket: Terminal) -> Result<bool> {
    let mut keyboard = Keyboard::open()?;
    let mut display = tty::display()?;
    let mut signals = Signals::listen().context("signals cannot be heard")?;
    let mut detach = Detach::default();
    socket.send(window()).await?;
    loop {
        tokio::select! {
            biased;
            keys = keyboard.next() => {
                let Some(keys) = keys else { return Ok(true) };
                let (keys, is_detached) = detach.take(&keys);
                if !keys.is_empty() {
                    socket.send(Message::Binary(keys.into())).await?;
                }
                if is_detached {
                    return Ok(true);
                }
            }
            flushed = display.flush(), if !display.is_empty() => flushed?,
            said = socket.next() => match said {
                Some(Ok(Message::Binary(bytes))) => drop(display.push(&bytes)),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => {
                    display.flush().await?;
                    return Ok(false);
                }
            },
            event = signals.next() => match event {
                Event::Resized => socket.send(window()).await?,
                event if event.is_end() => return Ok(true),
                _ => {}
            }
        }
    }
}

fn window() -> Message {
    let size = tty::size();
    Message::text(json!({ "resize": [size.cols, size.rows] }).to_string())
}

/// Looks for the keys that detach. The first is held until the next decides.
#[derive(Default)]
struct Detach {
    is_held: bool,
}

impl Detach {
    /// The keys to pass on, and whether to detach.
    fn take(&mut self, keys: &[u8]) -> (Vec<u8>, bool) {
        let mut passed = Vec::with_capacity(keys.len() + 1);
        for key in keys {
            match (self.is_held, *key) {
                (true, key) if key == DETACH.1 => return (passed, true),
                (false, key) if key == DETACH.0 => self.is_held = true,
                (true, key) => {
                    self.is_held = false;
                    passed.extend([DETACH.0, key]);
                }
                (false, key) => passed.push(key),
            }
        }
        (passed, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_both_keys_detach_and_none_is_lost() {
        let mut detach = Detach::default();
        assert_eq!(detach.take(b"ab\x1d"), (b"ab".to_vec(), false));
        assert_eq!(detach.take(b"x"), (b"\x1dx".to_vec(), false));
        assert_eq!(detach.take(b"c\x1dd"), (b"c".to_vec(), true));
    }
}
