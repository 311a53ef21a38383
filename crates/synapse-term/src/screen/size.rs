//! How large a screen can be.

use alacritty_terminal::grid::Dimensions;
use thiserror::Error;

/// The most columns, and the most rows.
const LONGEST: u64 = 4_096;

/// The most cells.
const CELLS: u64 = 500_000;

/// The size of a screen in cells. At least 2 columns and 1 row, at most 4,096 of each and 500,000 cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    cols: u16,
    rows: u16,
}

/// A size no screen can have.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "a screen of {cols}x{rows} is not possible: columns must be 2 to 4096, rows 1 to 4096, and together \
     no more than 500000 cells"
)]
pub struct SizeError {
    cols: u64,
    rows: u64,
}

impl Size {
    /// The size terminals have had since there were terminals.
    pub const USUAL: Self = Self { cols: 80, rows: 24 };

    /// A size, if a screen can have it.
    ///
    /// # Errors
    /// If it is too small to show anything or too large to keep.
    pub fn new(cols: u64, rows: u64) -> Result<Self, SizeError> {
        let size = Self::nearest(cols, rows);
        if (u64::from(size.cols), u64::from(size.rows)) == (cols, rows) {
            Ok(size)
        } else {
            Err(SizeError { cols, rows })
        }
    }

    /// The size a screen can have that is nearest to this one: rows give way before columns do.
    pub fn nearest(cols: u64, rows: u64) -> Self {
        let cols = cols.clamp(2, LONGEST);
        let rows = rows.clamp(1, LONGEST.min(CELLS / cols));
        let cells = |count: u64| u16::try_from(count).unwrap_or(u16::MAX);
        Self {
            cols: cells(cols),
            rows: cells(rows),
        }
    }

    pub fn cols(self) -> u16 {
        self.cols
    }

    pub fn rows(self) -> u16 {
        self.rows
    }

    /// Columns times rows.
    pub fn cells(self) -> u32 {
        u32::from(self.cols) * u32::from(self.rows)
    }
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        usize::from(self.rows)
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.rows)
    }

    fn columns(&self) -> usize {
        usize::from(self.cols)
    }
}
