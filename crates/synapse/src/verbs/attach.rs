//! `synapse attach`: an agent's terminal in this one.

mod detach;

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use synapse_client::client::{Client, Terminal};
use synapse_pty::tty::{self, Event, Keyboard, RawMode, Signals};
use tokio_tungstenite::tungstenite::Message;

use super::print::painted_err;
use super::{lookup, texts};
use detach::Detach;

pub(crate) use detach::DetachKeys;

/// The keys that detach, unless others are chosen.
pub(super) const USUAL_KEYS: &str = "ctrl-],d";

/// How much may wait for a terminal that is slow to show it.
const MOST_PAINT: usize = 256 * 1024;

/// `synapse attach …`
#[derive(Args)]
pub(crate) struct Attach {
    /// The agent: its handle, profile or id
    #[arg(add = crate::cli::complete::agents())]
    agent: String,
    /// The keys that detach: characters, alone or with ctrl-, separated by commas
    #[arg(long, value_name = "KEYS", default_value = USUAL_KEYS)]
    detach_keys: DetachKeys,
}

pub(crate) fn run(args: &Attach) -> Result<u8> {
    show(&args.agent, &args.detach_keys)?;
    Ok(0)
}

/// Shows an agent's terminal, and says how that ended.
pub(super) fn show(agent: &str, keys: &DetachKeys) -> Result<()> {
    let entry = lookup::agent(agent)?;
    if !std::io::stdin().is_terminal() {
        bail!("{}", texts::attach_needs_a_terminal(&entry.handle));
    }
    let client = Client::of(&entry)?;
    tty::restore_on_panic();
    let is_detached = lookup::block_on(async {
        let socket = client.terminal().await?;
        let raw = RawMode::enter()?;
        let shown = mirror(socket, Detach::new(keys.clone())).await;
        drop(raw);
        shown
    })?;
    tty::restore();
    let handle = &entry.handle;
    let what = if is_detached {
        texts::is_detached(handle)
    } else {
        texts::is_gone(handle)
    };
    // What it painted stays; we go on below it.
    let below = if std::io::stderr().is_terminal() {
        format!("\x1b[{};1H\n", tty::size().rows)
    } else {
        String::new()
    };
    let _ = write!(painted_err(), "{below}");
    note!("{what}");
    Ok(())
}

/// Shows the terminal until somebody detaches or the agent is gone. Whether somebody detached.
async fn mirror(mut socket: Terminal, mut detach: Detach) -> Result<bool> {
    let mut keyboard = Keyboard::open()?;
    let mut display = tty::display()?;
    let mut signals = Signals::listen().context("cannot listen for signals")?;
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
            // Who does not read is behind at the other end, too, and gets a snapshot from there.
            said = socket.next(), if display.queued() < MOST_PAINT => match said {
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
