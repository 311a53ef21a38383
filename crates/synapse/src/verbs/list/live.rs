//! The list on a whole screen, until somebody leaves it. It is looked at anew when the registry
//! changes, and once a second for what the agents do.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use synapse_machine::handle::Handle;
use synapse_machine::paths::Paths;
use synapse_pty::Writer;
use synapse_pty::tty::{self, Event, Keyboard, RawMode, Signals, SuspendEnd};
use tokio::time::{MissedTickBehavior, interval};

use super::press::{self, Press};
use super::row::{self, Row};
use super::view::View;
use crate::verbs::{lookup, paint};
use synapse_platform::Changes;

/// How often the agents are asked what they do.
const PACE: Duration = Duration::from_secs(1);

/// The other screen, without a cursor. The way back is the terminal's own reset.
const BEGIN: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";

/// Why the list is no longer shown.
pub(super) enum End {
    Left,
    Chosen(Handle),
}

/// Shows the list, with the bar on `chosen` if it is there.
pub(super) fn show(chosen: Option<&Handle>, is_mesh: bool) -> Result<End> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        bail!("{}", crate::verbs::texts::watch_needs_a_terminal());
    }
    tty::restore_on_panic();
    lookup::block_on(async {
        let raw = RawMode::enter()?;
        let mut live = Live::begin(raw, chosen.cloned(), is_mesh)?;
        let end = live.run().await;
        drop(live);
        end
    })
}

/// Agents being asked.
type Looking = Pin<Box<dyn Future<Output = Result<Vec<Row>>>>>;

struct Live {
    raw: RawMode,
    display: Writer,
    /// The rows of the screen as they were painted last.
    painted: Vec<String>,
    rows: Vec<Row>,
    trouble: Option<String>,
    /// Who has the bar: a place would be another agent's when the order changes.
    chosen: Option<Handle>,
    /// Those of other machines are shown, too.
    is_mesh: bool,
}

impl Live {
    fn begin(raw: RawMode, chosen: Option<Handle>, is_mesh: bool) -> Result<Self> {
        let mut display = tty::display()?;
        display.push(BEGIN.as_bytes())?;
        Ok(Self {
            raw,
            display,
            painted: Vec::new(),
            rows: Vec::new(),
            trouble: None,
            chosen,
            is_mesh,
        })
    }

    async fn run(&mut self) -> Result<End> {
        let mut keyboard = Keyboard::open()?;
        let mut signals = Signals::listen().context("cannot listen for signals")?;
        let mut changes = Changes::of(&Paths::from_env()?.registry());
        let mut pace = interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Whoever is slow to answer must not hold the keyboard.
        let mut looking: Option<Looking> = None;
        loop {
            tokio::select! {
                biased;
                event = signals.next() => match event {
                    Event::Resized => self.resize()?,
                    Event::Suspended => self.suspend().await?,
                    event if event.is_end() => return Ok(End::Left),
                    _ => {}
                },
                keys = keyboard.next() => {
                    let Some(keys) = keys else { return Ok(End::Left) };
                    for press in press::read(&keys) {
                        if let Some(end) = self.take(press).await? {
                            return Ok(end);
                        }
                    }
                }
                flushed = self.display.flush(), if !self.display.is_empty() => {
                    flushed?;
                    continue;
                }
                found = wait_for(&mut looking), if looking.is_some() => {
                    looking = None;
                    self.see(found);
                }
                () = changes.next(), if looking.is_none() => looking = Some(Box::pin(look(self.is_mesh))),
                _ = pace.tick(), if looking.is_none() => {
                    changes.take_up();
                    looking = Some(Box::pin(look(self.is_mesh)));
                    continue;
                }
            }
            self.draw();
        }
    }

    async fn take(&mut self, press: Press) -> Result<Option<End>> {
        let last = self.rows.len().saturating_sub(1);
        let place = self.place();
        let place = match press {
            Press::Up => place.saturating_sub(1),
            Press::Down => (place + 1).min(last),
            Press::First => 0,
            Press::Last => last,
            Press::Attach => return Ok(self.chosen.clone().map(End::Chosen)),
            Press::Leave => return Ok(Some(End::Left)),
            Press::Suspend => {
                self.suspend().await?;
                place
            }
        };
        self.chosen = self.rows.get(place).map(|row| row.entry.handle.clone());
        Ok(None)
    }

    fn see(&mut self, found: Result<Vec<Row>>) {
        match found {
            Ok(rows) => {
                self.rows = rows;
                self.trouble = None;
            }
            Err(error) => self.trouble = Some(format!("{error:#}")),
        }
        let place = self.place();
        self.chosen = self.rows.get(place).map(|row| row.entry.handle.clone());
    }

    /// Where the bar is: on the chosen one, or on the first.
    fn place(&self) -> usize {
        let mut handles = self.rows.iter().map(|row| Some(&row.entry.handle));
        handles
            .position(|handle| handle == self.chosen.as_ref())
            .unwrap_or(0)
    }

    fn draw(&mut self) {
        let view = View {
            rows: &self.rows,
            chosen: self.place(),
            is_coloured: paint::is_coloured(true),
            trouble: self.trouble.as_deref(),
        };
        let size = tty::size();
        let lines = view.lines(size.cols.max(1).into(), size.rows.max(1).into());
        let mut bytes = String::new();
        for (row, line) in lines.iter().enumerate() {
            if self.painted.get(row) != Some(line) {
                let _ = write!(bytes, "\x1b[{};1H\x1b[2K{line}", row + 1);
            }
        }
        self.painted = lines;
        if self.display.push(bytes.as_bytes()).is_err() {
            // A terminal that does not read is painted whole when it does.
            self.display.discard();
            self.painted.clear();
        }
    }

    fn resize(&mut self) -> Result<()> {
        self.painted.clear();
        self.display.push(BEGIN.as_bytes())?;
        Ok(())
    }

    async fn suspend(&mut self) -> Result<()> {
        match self.raw.suspend().await? {
            SuspendEnd::Foreground => self.resize(),
            SuspendEnd::ToEnd | SuspendEnd::NeverStopped => Ok(()),
        }
    }
}

/// Asks everybody anew.
async fn look(is_mesh: bool) -> Result<Vec<Row>> {
    if is_mesh {
        return super::machines::rows().await;
    }
    Ok(row::gather(lookup::agents()?).await)
}

async fn wait_for(looking: &mut Option<Looking>) -> Result<Vec<Row>> {
    match looking {
        Some(looking) => looking.await,
        None => std::future::pending().await,
    }
}
