//! The emulator behind one door: bytes in, frames and signals out.
//!
//! Owns the grid, the scrollback, the modes and the answers to terminal queries. It never looks at
//! a clock: time is an argument, and only synchronized updates (mode 2026) need it.

mod answers;
mod emulator;
mod extract;
mod history;
mod overlay;
mod parser;
mod scan;
mod shed;
mod size;
mod snapshot;
mod sync;
mod unseen;
mod work;

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions as _;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::{Term, TermDamage, TermMode};

use crate::frame::{Cursor, Frame, Modes, Row};
use crate::signal::{CHANNEL, Signal};
use emulator::Emulator;
use history::History;
use parser::Parser;
use scan::{ScanResult, Scanner};
use shed::ScrollbackTrimmer;
use sync::Sync;

pub use overlay::Overlay;
pub use size::{Size, SizeError};
pub use work::Meter;

/// Rows kept above the screen; fewer where it is wider than 500 columns.
pub const SCROLLBACK: usize = 2_000;

/// How long a synchronized update may hold the screen back, as in the emulator's own default.
pub const SYNC_PATIENCE: Duration = Duration::from_millis(150);

/// How many signals wait for somebody to take them; of more, the older half is forgotten.
const SIGNALS: usize = 1_024;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread, at this moment, is caught and costs no more than a screen. For panic
/// hooks, which run before anything is caught.
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// A terminal without a window.
pub struct Screen {
    emulator: Emulator<Mailbox>,
    parser: Parser,
    scanner: Scanner,
    mail: Mailbox,
    size: Size,
    title: Arc<str>,
    rows: Vec<Arc<Row>>,
    answers: Vec<u8>,
    signals: Vec<Signal>,
    /// What the program said on the channel.
    words: Vec<String>,
    sync: Option<Sync>,
    finished_frames: u64,
    is_damaged: bool,
    /// The beginning of a character whose end has not come.
    partial: Vec<u8>,
    /// The emulator failed since somebody asked.
    is_lost: bool,
    shed: ScrollbackTrimmer,
    history: History,
}

impl Screen {
    /// An empty screen.
    pub fn new(size: Size) -> Self {
        let mail = Mailbox::default();
        Self {
            emulator: Emulator::new(size, mail.clone()),
            parser: Parser::new(),
            scanner: Scanner::default(),
            mail,
            size,
            title: Arc::from(""),
            rows: Vec::new(),
            answers: Vec::new(),
            signals: Vec::new(),
            words: Vec::new(),
            sync: None,
            finished_frames: 0,
            is_damaged: true,
            partial: Vec::new(),
            is_lost: false,
            shed: ScrollbackTrimmer::default(),
            history: History::default(),
        }
    }

    /// Takes what the program wrote. `now` counts from any fixed moment and never goes back.
    /// `at_frame` is called right after each synchronized update, when the screen is whole.
    pub fn feed(&mut self, bytes: &[u8], now: Duration, mut at_frame: impl FnMut(&mut Self)) {
        let (mut done, mut from) = (0, 0);
        let mut is_skipping = self.scanner.is_skipping();
        while let Some((cut, next, found)) = self.scanner.next(bytes, from) {
            if !is_skipping {
                self.advance(bytes.get(done..cut).unwrap_or_default());
            }
            (done, from) = (cut, next);
            match found {
                // One that begins inside another has more time, but may hold back no more than the first.
                ScanResult::SyncBegins => match &mut self.sync {
                    Some(sync) => sync.since = now,
                    None => self.sync = Some(Sync::new(now)),
                },
                ScanResult::SyncEnds => {
                    self.sync = None;
                    self.finished_frames += 1;
                    at_frame(self);
                }
                ScanResult::VersionQuery => self.answers.extend(answers::VERSION.as_bytes()),
                ScanResult::Osc(CHANNEL, text) => self.words.push(text),
                ScanResult::Osc(number, text) => {
                    if let Some(signal) = Signal::from_osc(number, text) {
                        self.push_signal(signal);
                    }
                }
                ScanResult::Overlong => is_skipping = true,
                ScanResult::OverlongEnds => is_skipping = false,
                ScanResult::Repeats(count) => {
                    let most = self.size.cells();
                    if u32::from(count) > most {
                        self.advance(format!("\x18\x1b[{most}b").as_bytes());
                        done = next;
                    }
                }
            }
        }
        if !is_skipping {
            self.advance(bytes.get(done..).unwrap_or_default());
        }
    }

    /// Ends a synchronized update that has been open for too long.
    pub fn tick(&mut self, now: Duration) {
        if self.sync_deadline().is_some_and(|deadline| now >= deadline) {
            self.release();
        }
    }

    /// When `tick` must be called next, if at all.
    pub fn sync_deadline(&self) -> Option<Duration> {
        self.sync.as_ref().map(|sync| sync.since + SYNC_PATIENCE)
    }

    /// Changes the size; wrapped lines are joined and wrapped again.
    pub fn resize(&mut self, size: Size) {
        if size != self.size {
            self.size = size;
            self.guarded(|emulator, _| emulator.resize(size));
            self.renew_slack();
            self.is_damaged = true;
            self.collect();
        }
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// The modes the program has set.
    pub fn modes(&self) -> Modes {
        let has = |mode| self.term().mode().contains(mode);
        let kitty = [
            TermMode::DISAMBIGUATE_ESC_CODES,
            TermMode::REPORT_EVENT_TYPES,
            TermMode::REPORT_ALTERNATE_KEYS,
            TermMode::REPORT_ALL_KEYS_AS_ESC,
            TermMode::REPORT_ASSOCIATED_TEXT,
        ];
        Modes {
            bracketed_paste: has(TermMode::BRACKETED_PASTE),
            alternate_screen: has(TermMode::ALT_SCREEN),
            application_cursor: has(TermMode::APP_CURSOR),
            application_keypad: has(TermMode::APP_KEYPAD),
            focus_events: has(TermMode::FOCUS_IN_OUT),
            mouse: self.term().mode().intersects(TermMode::MOUSE_MODE),
            kitty_flags: kitty
                .iter()
                .enumerate()
                .map(|(bit, mode)| u8::from(has(*mode)) << bit)
                .sum(),
        }
    }

    /// The screen as it is now. Inside a synchronized update: as it was before it.
    pub fn frame(&mut self) -> Frame {
        self.refresh_rows();
        let point = self.term().grid().cursor.point;
        Frame {
            rows: self.rows.clone(),
            cursor: Cursor {
                row: usize::try_from(point.line.0).unwrap_or(0),
                col: point.column.0,
                is_visible: self.term().mode().contains(TermMode::SHOW_CURSOR),
            },
            modes: self.modes(),
            title: Arc::clone(&self.title),
            cols: usize::from(self.size.cols()),
        }
    }

    /// One row of the screen, without the cost of a whole frame.
    pub fn row(&self, row: usize) -> Row {
        if row >= usize::from(self.size.rows()) {
            return Row::default();
        }
        extract::row(self.term(), Line(i32::try_from(row).unwrap_or(0)))
    }

    /// Rows above the screen that are still kept.
    pub fn scrollback_len(&self) -> usize {
        self.term().grid().history_size()
    }

    /// The last `count` rows above the screen, oldest first.
    pub fn scrollback(&mut self, count: usize) -> Vec<Arc<Row>> {
        if self.emulator.is_alternate() {
            return Vec::new();
        }
        self.history.last(&self.emulator, count)
    }

    /// ANSI bytes that bring a fresh terminal of this size to the same contents, colours, cursor,
    /// title and modes.
    pub fn snapshot(&mut self) -> Vec<u8> {
        let below = self.emulator.is_alternate().then(|| {
            self.emulator
                .look_below(|below| snapshot::primary(&below.term, below.scroll_region))
        });
        snapshot::whole(
            &self.emulator.term,
            below.as_deref(),
            self.emulator.scroll_region,
            &self.title,
        )
    }

    /// ANSI bytes that draw lines over a terminal which shows this screen, and change nothing else.
    pub fn draw_over(&self, overlay: &Overlay) -> Vec<u8> {
        overlay::draw(&self.emulator.term, self.emulator.scroll_region, overlay)
    }

    /// ANSI bytes that paint some rows of such a terminal as they are, and change nothing else.
    pub fn repaint_rows(&self, rows: Range<usize>) -> Vec<u8> {
        overlay::repaint(&self.emulator.term, self.emulator.scroll_region, rows)
    }

    /// Whether something else may be sent to a terminal at this point of the program's output: no
    /// sequence, character or synchronized update has been begun.
    pub fn is_at_boundary(&self) -> bool {
        self.scanner.is_at_rest() && self.partial.is_empty() && self.sync.is_none()
    }

    /// Whether a terminal that showed other things before the program began counts its rows as we do.
    pub fn has_own_rows(&self) -> bool {
        let mode = self.term().mode();
        mode.intersects(TermMode::ALT_SCREEN | TermMode::ORIGIN)
            || self.emulator.scroll_region.is_some()
    }

    /// Gives back the rows that the emulator holds ready for a longer scrollback: up to a thousand.
    pub fn release_spare_rows(&mut self) {
        self.emulator.term.grid_mut().truncate();
    }

    /// Bytes to write back to the program, if no real terminal answers its questions.
    pub fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.answers)
    }

    /// What the program said on the channel since the last call, in order.
    pub fn take_words(&mut self) -> Vec<String> {
        std::mem::take(&mut self.words)
    }

    /// What the program signalled since the last call, in order.
    pub fn take_signals(&mut self) -> Vec<Signal> {
        std::mem::take(&mut self.signals)
    }

    /// Whether the emulator failed since the last call, so that the screen is empty and the modes are
    /// forgotten, whatever the program painted and set.
    pub fn take_loss(&mut self) -> bool {
        std::mem::take(&mut self.is_lost)
    }

    /// How many synchronized updates have been finished.
    pub fn finished_frames(&self) -> u64 {
        self.finished_frames
    }

    /// Whether a synchronized update is open.
    pub fn is_held(&self) -> bool {
        self.sync.is_some()
    }

    fn advance(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        // The parser must see characters whole: broken ones it reads by the pieces they come in.
        if !self.partial.is_empty() {
            let mut joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(bytes);
            return self.advance_whole(&joined);
        }
        self.advance_whole(bytes);
    }

    fn advance_whole(&mut self, bytes: &[u8]) {
        let (whole, partial) = bytes.split_at(bytes.len() - partial_char(bytes));
        self.partial.extend_from_slice(partial);
        self.is_damaged = true;
        let mut rest = whole;
        if let Some(sync) = &mut self.sync {
            let (held, over) = rest.split_at(sync.hold(rest, self.size));
            self.guarded(|emulator, parser| parser.advance(emulator, held));
            rest = over;
            if !over.is_empty() {
                self.release();
            }
        }
        self.advance_by_pieces(rest);
        self.collect();
    }

    fn release(&mut self) {
        if self.sync.take().is_some() {
            self.guarded(|emulator, parser| parser.stop_sync(emulator));
            self.is_damaged = true;
            self.collect();
        }
    }

    fn collect(&mut self) {
        for event in self.mail.take() {
            match event {
                Event::Title(title) => self.set_title(title),
                Event::ResetTitle => self.set_title(String::new()),
                Event::Bell => self.push_signal(Signal::Bell),
                other => self.answers.extend(
                    answers::answer(&other, self.size)
                        .iter()
                        .flat_map(|a| a.bytes()),
                ),
            }
        }
    }

    fn set_title(&mut self, title: String) {
        if *self.title != *title {
            self.title = Arc::from(title.as_str());
            self.push_signal(Signal::Title(title));
        }
    }

    fn push_signal(&mut self, signal: Signal) {
        if self.signals.len() >= SIGNALS {
            self.signals.drain(..SIGNALS / 2);
        }
        self.signals.push(signal);
    }

    /// Lets the emulator work. If it panics, an empty screen takes its place: the program lives on, and
    /// paints anew when it is asked to.
    fn guarded(&mut self, work: impl FnOnce(&mut Emulator<Mailbox>, &mut Parser)) {
        let (emulator, parser) = (&mut self.emulator, &mut self.parser);
        let was_guarded = IS_GUARDED.replace(true);
        let result = catch_unwind(AssertUnwindSafe(|| work(emulator, parser)));
        IS_GUARDED.set(was_guarded);
        if result.is_err() {
            self.emulator = Emulator::new(self.size, self.mail.clone());
            self.parser = Parser::new();
            self.scanner = Scanner::default();
            self.sync = None;
            self.partial.clear();
            self.rows.clear();
            self.history.forget();
            self.shed.has_slack = false;
            self.is_damaged = true;
            self.is_lost = true;
        }
        let limit = self.shed.limit(self.size);
        self.history.note_output(&self.emulator, limit);
    }

    fn term(&self) -> &Term<Mailbox> {
        &self.emulator.term
    }

    fn refresh_rows(&mut self) {
        if !self.is_damaged {
            return;
        }
        self.is_damaged = false;
        let count = usize::from(self.size.rows());
        let damaged: Vec<usize> = match self.emulator.term.damage() {
            TermDamage::Partial(lines) if self.rows.len() == count => {
                lines.map(|l| l.line).collect()
            }
            _ => (0..count).collect(),
        };
        self.emulator.term.reset_damage();
        self.rows.resize_with(count, Arc::default);
        for line in damaged {
            let fresh = extract::row(self.term(), Line(i32::try_from(line).unwrap_or(0)));
            if let Some(row) = self.rows.get_mut(line)
                && **row != fresh
            {
                *row = Arc::new(fresh);
            }
        }
    }
}

/// How many bytes at the end begin a UTF-8 character without finishing it.
fn partial_char(bytes: &[u8]) -> usize {
    let tail = bytes.len().min(3);
    for back in 1..=tail {
        let Some(byte) = bytes.get(bytes.len() - back) else {
            return 0;
        };
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        return if back < length { back } else { 0 };
    }
    0
}

/// Where the emulator drops its events; emptied after every feed.
#[derive(Clone, Default)]
struct Mailbox(Arc<Mutex<Vec<Event>>>);

impl Mailbox {
    fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl EventListener for Mailbox {
    fn send_event(&self, event: Event) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event);
    }
}

#[cfg(test)]
mod tests;
