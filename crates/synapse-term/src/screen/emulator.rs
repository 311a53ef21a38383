//! The emulator within limits: what it would keep for ever, or do for a long time, is bounded here.
//!
//! Every call of the parser passes through [`Emulator`]. It hands most of them on as they are, and keeps the
//! stacks itself which the emulator keeps too deep: it panics on the 4,097th keyboard mode, and copies a
//! title of any length 4,096 times.

use std::collections::VecDeque;

use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions as _;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Osc52, Term, TermMode};
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
    KeyboardModesApplyBehavior, LineClearMode, Mode, NamedPrivateMode, PrivateMode, Rgb,
    StandardCharset, TabulationClearMode,
};
use unicode_width::UnicodeWidthChar;

use super::{SCROLLBACK, Size};

/// How many keyboard modes, and how many titles, a program can put aside.
const DEPTH: usize = 16;

/// The longest title in bytes.
const TITLE: usize = 4_096;

/// The longest link in bytes, as in other terminals. One that was cut is longer.
const LINK: usize = 2_083;

/// When links of this many bytes have come, those on the screen are forgotten.
const LINKS: usize = 16 << 20;

/// The most combining marks a cell keeps.
const MARKS: usize = 16;

/// The most cells that are kept above the screen.
const SCROLLBACK_CELLS: usize = 1_000_000;

/// How many rows are kept above a screen of this size.
pub(super) fn scrollback(size: Size) -> usize {
    SCROLLBACK.min(SCROLLBACK_CELLS / usize::from(size.cols()))
}

/// Whether a character may take no column. Latin text, and the arrows, boxes and spinners that programs are
/// drawn with, are passed by without a look into the table.
#[inline]
fn may_be_mark(c: char) -> bool {
    c >= '\u{300}' && !('\u{2100}'..='\u{2bff}').contains(&c)
}

/// The emulator, and what it keeps to itself or would keep without a limit.
pub(super) struct Emulator<L: EventListener> {
    pub(super) term: Term<L>,
    /// The rows that scroll, from 1, unless all do.
    pub(super) scroll_region: Option<(u16, u16)>,
    keyboard: VecDeque<KeyboardModes>,
    /// That of the screen out of sight.
    other_keyboard: VecDeque<KeyboardModes>,
    title: Option<String>,
    titles: VecDeque<Option<String>>,
    /// Bytes of links since they were last forgotten.
    links: usize,
    /// How often the rows above the screen were cleared, or made anew.
    pub(super) clears: usize,
}

impl<L: EventListener> Emulator<L> {
    pub(super) fn new(size: Size, listener: L) -> Self {
        Self {
            term: Term::new(config(size), &size, listener),
            scroll_region: None,
            keyboard: VecDeque::new(),
            other_keyboard: VecDeque::new(),
            title: None,
            titles: VecDeque::new(),
            links: 0,
            clears: 0,
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        // First, or the rows above the screen would all be made wide.
        self.term.set_options(config(size));
        self.term.resize(size);
        self.clears += 1;
        self.scroll_region = None;
    }

    pub(super) fn is_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// Looks at the primary screen while the alternate one covers it, which is as before afterwards.
    pub(super) fn look_below<T>(&mut self, look: impl FnOnce(&Self) -> T) -> T {
        let above = self.term.grid().clone();
        let keyboard = *self.term.mode() & TermMode::KITTY_KEYBOARD_PROTOCOL;
        self.term.swap_alt();
        let seen = look(self);
        // This covers it again, but with an empty screen.
        self.term.swap_alt();
        *self.term.grid_mut() = above;
        let keyboard = keyboard.bits() >> TermMode::DISAMBIGUATE_ESC_CODES.bits().trailing_zeros();
        let keyboard = KeyboardModes::from_bits_truncate(keyboard.to_le_bytes()[0]);
        Handler::set_keyboard_mode(
            &mut self.term,
            keyboard,
            KeyboardModesApplyBehavior::Replace,
        );
        seen
    }

    /// Does what may change between primary and alternate screen, which have a keyboard each.
    fn switch(&mut self, action: impl FnOnce(&mut Term<L>)) {
        let was_alternate = self.is_alternate();
        action(&mut self.term);
        if self.is_alternate() != was_alternate {
            std::mem::swap(&mut self.keyboard, &mut self.other_keyboard);
        }
    }

    /// Whether the cell that the next combining mark goes to has no room for it.
    fn has_marks_enough(&self) -> bool {
        let grid = self.term.grid();
        let cursor = &grid.cursor;
        let row = &grid[cursor.point.line];
        let mut col = cursor.point.column.0;
        if !cursor.input_needs_wrap {
            col = col.saturating_sub(1);
        }
        if row[Column(col)].flags.contains(Flags::WIDE_CHAR_SPACER) {
            col = col.saturating_sub(1);
        }
        let marks = row[Column(col)].zerowidth();
        marks.is_some_and(|marks| marks.len() >= MARKS)
    }

    fn forget_links(&mut self) {
        let grid = self.term.grid_mut();
        let (first, last) = (grid.topmost_line(), grid.bottommost_line());
        for line in first.0..=last.0 {
            let linked = |cell: &&mut Cell| cell.extra.is_some();
            for cell in (&mut grid[Line(line)]).into_iter().filter(linked) {
                cell.set_hyperlink(None);
            }
        }
    }
}

/// Very wide screens have fewer rows above them.
fn config(size: Size) -> Config {
    Config {
        scrolling_history: scrollback(size),
        kitty_keyboard: true,
        osc52: Osc52::Disabled,
        ..Config::default()
    }
}

/// Pushes onto a stack that has no more than [`DEPTH`]: the oldest is lost. Says whether one was.
fn push<T>(stack: &mut VecDeque<T>, item: T) -> bool {
    let is_full = stack.len() >= DEPTH;
    if is_full {
        stack.pop_front();
    }
    stack.push_back(item);
    is_full
}

/// Hands calls on as they are.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(
            #[inline]
            fn $name(&mut self, $($argument: $kind),*) {
                Handler::$name(&mut self.term, $($argument),*);
            }
        )*
    };
}

impl<L: EventListener> Handler for Emulator<L> {
    #[inline]
    fn input(&mut self, c: char) {
        if may_be_mark(c) && c.width() == Some(0) && self.has_marks_enough() {
            return;
        }
        self.term.input(c);
    }

    fn set_title(&mut self, title: Option<String>) {
        let title = title.map(|mut title| {
            title.truncate(title.floor_char_boundary(TITLE));
            title
        });
        self.title.clone_from(&title);
        self.term.set_title(title);
    }

    fn push_title(&mut self) {
        push(&mut self.titles, self.title.clone());
    }

    fn pop_title(&mut self) {
        if let Some(title) = self.titles.pop_back() {
            self.set_title(title);
        }
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        let is_full = push(&mut self.keyboard, mode);
        if is_full {
            // The emulator cannot lose its oldest: it gets all but that anew.
            self.term.pop_keyboard_modes(u16::MAX);
            for mode in &self.keyboard {
                self.term.push_keyboard_mode(*mode);
            }
        } else {
            self.term.push_keyboard_mode(mode);
        }
    }

    fn pop_keyboard_modes(&mut self, count: u16) {
        let left = self.keyboard.len().saturating_sub(usize::from(count));
        self.keyboard.truncate(left);
        self.term.pop_keyboard_modes(count);
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        if mode == PrivateMode::Named(NamedPrivateMode::ColumnMode) {
            self.scroll_region = None;
        }
        self.switch(|term| term.set_private_mode(mode));
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        if mode == PrivateMode::Named(NamedPrivateMode::ColumnMode) {
            self.scroll_region = None;
        }
        self.switch(|term| term.unset_private_mode(mode));
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        // As the emulator takes it, which does not tell.
        let rows = self.term.screen_lines();
        let (from, to) = (top.max(1), bottom.unwrap_or(rows));
        if from < to {
            let row = |row: usize| u16::try_from(row).unwrap_or(u16::MAX);
            let is_whole = from == 1 && to >= rows;
            self.scroll_region = (!is_whole).then_some((row(from), row(to)));
        }
        self.term.set_scrolling_region(top, bottom);
    }

    fn reset_state(&mut self) {
        self.scroll_region = None;
        self.keyboard.clear();
        self.other_keyboard.clear();
        self.title = None;
        self.titles.clear();
        self.links = 0;
        self.clears += 1;
        self.term.reset_state();
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        self.clears += usize::from(matches!(mode, ClearMode::Saved));
        self.term.clear_screen(mode);
    }

    fn set_hyperlink(&mut self, link: Option<Hyperlink>) {
        let length = |link: &Hyperlink| link.uri.len() + link.id.as_ref().map_or(0, String::len);
        let link = link.filter(|link| length(link) <= LINK);
        self.links += link.as_ref().map_or(0, length);
        if self.links > LINKS {
            self.links = 0;
            self.forget_links();
        }
        self.term.set_hyperlink(link);
    }

    pass_on! {
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, col: usize);
        goto_line(line: i32);
        goto_col(col: usize);
        insert_blank(count: usize);
        move_up(count: usize);
        move_down(count: usize);
        identify_terminal(intermediate: Option<char>);
        device_status(arg: usize);
        move_forward(count: usize);
        move_backward(count: usize);
        move_down_and_cr(count: usize);
        move_up_and_cr(count: usize);
        put_tab(count: u16);
        backspace();
        carriage_return();
        linefeed();
        bell();
        substitute();
        newline();
        set_horizontal_tabstop();
        scroll_up(count: usize);
        scroll_down(count: usize);
        insert_blank_lines(count: usize);
        delete_lines(count: usize);
        erase_chars(count: usize);
        delete_chars(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        restore_cursor_position();
        clear_line(mode: LineClearMode);
        clear_tabs(mode: TabulationClearMode);
        reverse_index();
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        report_private_mode(mode: PrivateMode);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_active_charset(index: CharsetIndex);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, colour: Rgb);
        dynamic_color_sequence(prefix: String, index: usize, terminator: &str);
        reset_color(index: usize);
        decaln();
        text_area_size_pixels();
        text_area_size_chars();
        report_keyboard_mode();
        set_keyboard_mode(mode: KeyboardModes, apply: KeyboardModesApplyBehavior);
    }
}
