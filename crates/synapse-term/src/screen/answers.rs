//! What a terminal answers when the program asks: device attributes, colours, cursor position,
//! modes, version. Used only while no real terminal is attached to answer for itself.

use alacritty_terminal::event::{Event, WindowSize};
use alacritty_terminal::vte::ansi::Rgb;

use super::Size;

/// XTVERSION: who we say we are.
pub(super) const VERSION: &str = concat!("\x1bP>|synapse ", env!("CARGO_PKG_VERSION"), "\x1b\\");

/// DA1 as the emulator says it (a bare VT102) and as the programs expect a colour terminal to.
const DA1_EMULATOR: &str = "\x1b[?6c";
const DA1: &str = "\x1b[?62;22c";

/// The pixel size of one cell we claim where a program insists on pixels.
const CELL: (u16, u16) = (8, 16);

/// The colours a background agent is told it has.
const FOREGROUND: Rgb = Rgb {
    r: 0xd4,
    g: 0xd4,
    b: 0xd4,
};
const BACKGROUND: Rgb = Rgb {
    r: 0x1e,
    g: 0x1e,
    b: 0x1e,
};

/// The first sixteen colours, as xterm ships them.
const PALETTE: [(u8, u8, u8); 16] = [
    (0x00, 0x00, 0x00),
    (0xcd, 0x00, 0x00),
    (0x00, 0xcd, 0x00),
    (0xcd, 0xcd, 0x00),
    (0x00, 0x00, 0xee),
    (0xcd, 0x00, 0xcd),
    (0x00, 0xcd, 0xcd),
    (0xe5, 0xe5, 0xe5),
    (0x7f, 0x7f, 0x7f),
    (0xff, 0x00, 0x00),
    (0x00, 0xff, 0x00),
    (0xff, 0xff, 0x00),
    (0x5c, 0x5c, 0xff),
    (0xff, 0x00, 0xff),
    (0x00, 0xff, 0xff),
    (0xff, 0xff, 0xff),
];

/// The bytes to write back for one event of the emulator, if it is a question.
pub(super) fn answer(event: &Event, size: Size) -> Option<String> {
    match event {
        Event::PtyWrite(text) if text == DA1_EMULATOR => Some(DA1.to_owned()),
        Event::PtyWrite(text) => Some(text.clone()),
        Event::ColorRequest(index, format) => Some(format(colour(*index))),
        Event::TextAreaSizeRequest(format) => Some(format(WindowSize {
            num_lines: size.rows(),
            num_cols: size.cols(),
            cell_width: CELL.0,
            cell_height: CELL.1,
        })),
        _ => None,
    }
}

fn colour(index: usize) -> Rgb {
    let (r, g, b) = match index {
        0..16 => PALETTE.get(index).copied().unwrap_or_default(),
        16..232 => {
            let level = |n: usize| [0, 95, 135, 175, 215, 255].get(n % 6).copied().unwrap_or(0);
            let cube = index - 16;
            (level(cube / 36), level(cube / 6), level(cube))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232) as u8;
            (grey, grey, grey)
        }
        257 => return BACKGROUND,
        _ => return FOREGROUND,
    };
    Rgb { r, g, b }
}
