//! A table for people: as wide as its cells where there is room; in a narrow terminal long names are cut, and columns that
//! can be missed are left out. Without a header and whole where it is piped.

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::Result;
use synapse_pty::tty;
use synapse_term::frame::width;

use super::paint;
use super::print;

/// Blanks between two columns.
const GAP: &str = "  ";

/// How much of the last column is to be seen before a column is left out for it.
const LAST: usize = 16;

/// To what long names are cut before that.
const NAME: usize = 16;

/// The same where no column can be left out any more.
const LAST_AT_LEAST: usize = 8;
const NAME_AT_LEAST: usize = 4;

/// Rows under a header.
pub(super) struct Table<const N: usize> {
    header: [String; N],
    /// Columns that are left out where there is no room, the first one first.
    spare: &'static [usize],
    rows: Vec<TableRow<N>>,
}

struct TableRow<const N: usize> {
    cells: [String; N],
    /// The colours of cells, by the numbers of ANSI.
    colours: [Option<u8>; N],
    /// Lines below it, under its second column.
    below: Vec<String>,
}

impl<const N: usize> Table<N> {
    pub(super) fn new(header: [String; N]) -> Self {
        Self {
            header,
            spare: &[],
            rows: Vec::new(),
        }
    }

    /// Leaves these columns out where there is no room for all of them, the first one first.
    pub(super) fn sparing(mut self, columns: &'static [usize]) -> Self {
        self.spare = columns;
        self
    }

    pub(super) fn push(&mut self, cells: [String; N], colours: [Option<u8>; N], below: &[String]) {
        let cells = cells.map(|cell| print::shown(&cell).replace(['\n', '\t'], " "));
        let below = below.iter().map(|line| print::shown(line)).collect();
        self.rows.push(TableRow {
            cells,
            colours,
            below,
        });
    }

    /// Prints it, if it has rows.
    pub(super) fn print(&self) -> Result<()> {
        let is_terminal = io::stdout().is_terminal();
        let cols = is_terminal.then(|| usize::from(tty::size().cols));
        let text = self.text(cols, paint::is_coloured(is_terminal));
        print::painted().write_all(text.as_bytes())?;
        Ok(())
    }

    /// Prints it on standard error, where somebody is asked something about it.
    pub(super) fn print_to_person(&self) -> Result<()> {
        let text = self.text(Some(usize::from(tty::size().cols)), false);
        print::painted_err().write_all(text.as_bytes())?;
        Ok(())
    }

    fn text(&self, cols: Option<usize>, is_coloured: bool) -> String {
        let mut widths = self.header.each_ref().map(|name| width(name));
        for row in &self.rows {
            for (wide, cell) in widths.iter_mut().zip(&row.cells) {
                *wide = (*wide).max(width(cell));
            }
        }
        if let Some(cols) = cols {
            self.fit(&mut widths, cols);
        }
        let mut text = String::new();
        if cols.is_some() && !self.rows.is_empty() {
            text.push_str(&line(&self.header, &widths, &[None; N], cols));
        }
        let first = widths.iter().copied().find(|wide| *wide > 0).unwrap_or(0);
        for row in &self.rows {
            let colours = if is_coloured { row.colours } else { [None; N] };
            text.push_str(&line(&row.cells, &widths, &colours, cols));
            for below in &row.below {
                let below = format!("{:first$}{GAP}{below}", "");
                text.push_str(&cut(&below, cols.unwrap_or(usize::MAX)));
                text.push('\n');
            }
        }
        text
    }

    /// Makes room for the last column: cuts long names, then leaves columns out (they get no width), then cuts more.
    fn fit(&self, widths: &mut [usize; N], cols: usize) {
        self.shorten(widths, NAME, |widths| has_room(widths, cols, LAST));
        for column in self.spare {
            if !has_room(widths, cols, LAST)
                && let Some(wide) = widths.get_mut(*column)
            {
                *wide = 0;
            }
        }
        self.shorten(widths, NAME_AT_LEAST, |widths| {
            has_room(widths, cols, LAST_AT_LEAST)
        });
    }

    /// Cuts the widest of the columns that are never left out, to no less than this, until it is enough.
    fn shorten(
        &self,
        widths: &mut [usize; N],
        shortest: usize,
        is_enough: impl Fn(&[usize; N]) -> bool,
    ) {
        while !is_enough(widths) {
            let columns = widths.iter_mut().enumerate().take(N.saturating_sub(1));
            let long = columns.filter(|(at, wide)| **wide > shortest && !self.spare.contains(at));
            let Some((_, widest)) = long.max_by_key(|(_, wide)| **wide) else {
                return;
            };
            *widest -= 1;
        }
    }
}

/// Whether so much of the last column can be seen beside the others.
fn has_room(widths: &[usize], cols: usize, enough: usize) -> bool {
    let Some((last, others)) = widths.split_last() else {
        return true;
    };
    let others = others.iter().filter(|wide| **wide > 0);
    let taken: usize = others.map(|wide| wide + GAP.len()).sum();
    taken + (*last).min(enough) <= cols
}

fn line(cells: &[String], widths: &[usize], colours: &[Option<u8>], cols: Option<usize>) -> String {
    let mut line = String::new();
    let mut left = cols.unwrap_or(usize::MAX);
    let last = cells.len().saturating_sub(1);
    for (at, ((cell, wide), colour)) in cells.iter().zip(widths).zip(colours).enumerate() {
        let cell = match at {
            _ if *wide == 0 => continue,
            _ if at == last => cell.clone(),
            _ => {
                let cell = cut(cell, *wide);
                let padding = wide.saturating_sub(width(&cell));
                format!("{cell}{:padding$}", "")
            }
        };
        let gap = if at == last { "" } else { GAP };
        let shown = cut(&cell, left);
        left = left.saturating_sub(width(&shown) + gap.len());
        match colour {
            Some(colour) => {
                let colour = colour.to_string();
                line.extend(["\x1b[", &colour, "m", &shown, "\x1b[0m", gap]);
            }
            None => line.extend([&shown, gap]),
        }
        if left == 0 {
            break;
        }
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

/// As much of a line as there is room for, with a mark where it was cut.
pub(super) fn cut(text: &str, cols: usize) -> String {
    if width(text) <= cols {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        shown.push(c);
        if width(&shown) >= cols {
            shown.pop();
            break;
        }
    }
    if cols > 0 {
        shown.push('…');
    }
    shown
}

/// The end of a task's id, which tells it apart: it is accepted wherever a task is named.
pub(crate) fn short(id: &str) -> &str {
    let start = id.len().saturating_sub(8);
    id.get(start..).unwrap_or(id)
}

/// How long ago something was: `5s`, `12m`, `3h`, `2d`.
pub(super) fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<3> {
        let mut table = Table::new(["HANDLE", "STATE", "MESSAGE"].map(str::to_owned));
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        table.push(
            row(["日本", "idle", "a long message of many words"]),
            [None; 3],
            &[],
        );
        table.push(
            row(["reviewer", "busy", "b"]),
            [None, Some(32), None],
            &["asks: Go?".to_owned()],
        );
        table
    }

    #[test]
    fn columns_are_aligned_and_cut_to_the_terminal() {
        let text = table().text(Some(30), false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "HANDLE    STATE  MESSAGE",
                "日本      idle   a long messa…",
                "reviewer  busy   b",
                "          asks: Go?",
            ]
        );
        assert!(lines.iter().all(|line| width(line) <= 30));
        for cols in 0..40 {
            let text = table().text(Some(cols), false);
            assert!(
                text.lines().all(|line| width(line) <= cols),
                "{cols}: {text}"
            );
        }
    }

    #[test]
    fn a_long_name_takes_no_other_column_away() {
        let mut table =
            Table::new(["HANDLE", "STATE", "PID", "FOLDER"].map(str::to_owned)).sparing(&[2]);
        let cells = [
            &"n".repeat(64),
            "working",
            "12345",
            "/home/me/projects/synapse",
        ];
        table.push(
            cells.map(str::to_owned),
            [None; 4],
            &["asks: Go?".to_owned()],
        );
        let shown = |cols| table.text(Some(cols), false);
        assert_eq!(
            shown(52),
            "HANDLE              STATE    PID    FOLDER\n\
             nnnnnnnnnnnnnnnnn…  working  12345  /home/me/projec…\n\
             \u{20}                   asks: Go?\n"
        );
        assert_eq!(
            shown(44),
            "HANDLE            STATE    FOLDER\n\
             nnnnnnnnnnnnnnn…  working  /home/me/project…\n\
             \u{20}                 asks: Go?\n"
        );
        assert_eq!(
            shown(30),
            "HANDLE       STATE    FOLDER\n\
             nnnnnnnnnn…  working  /home/m…\n\
             \u{20}            asks: Go?\n"
        );
    }

    #[test]
    fn what_is_piped_has_no_header_and_is_whole() {
        let text = table().text(None, false);
        assert!(
            text.starts_with("日本      idle   a long message of many words\n"),
            "{text}"
        );
    }

    #[test]
    fn ages_and_ids_are_short() {
        assert_eq!([5, 119, 7_200, 200_000].map(age), ["5s", "1m", "2h", "2d"]);
        assert_eq!(short("019a-0123456789ab"), "456789ab");
        assert_eq!(short("ab"), "ab");
    }
}
