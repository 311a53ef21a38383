//! The size of a window.

use rustix::termios::Winsize;

/// Columns and rows, and pixels where the terminal tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters in a row, never 0.
    pub cols: u16,
    /// Rows, never 0.
    pub rows: u16,
    /// Width in pixels; 0 if not known.
    pub pixel_width: u16,
    /// Height in pixels; 0 if not known.
    pub pixel_height: u16,
}

impl Size {
    /// A window of so many characters.
    pub fn new(cols: u16, rows: u16) -> Self {
        Self {
            cols,
            rows,
            pixel_width: 0,
            pixel_height: 0,
        }
    }
}

/// What a terminal is that does not say.
impl Default for Size {
    fn default() -> Self {
        Self::new(80, 24)
    }
}

impl From<Size> for Winsize {
    fn from(size: Size) -> Self {
        // In a window of no size some programs draw nothing, for ever.
        Self {
            ws_col: size.cols.max(1),
            ws_row: size.rows.max(1),
            ws_xpixel: size.pixel_width,
            ws_ypixel: size.pixel_height,
        }
    }
}

impl From<Winsize> for Size {
    /// Serial lines and some pipes to containers say 0: then the usual size counts.
    fn from(winsize: Winsize) -> Self {
        if winsize.ws_col == 0 || winsize.ws_row == 0 {
            return Self::default();
        }
        Self {
            cols: winsize.ws_col,
            rows: winsize.ws_row,
            pixel_width: winsize.ws_xpixel,
            pixel_height: winsize.ws_ypixel,
        }
    }
}
