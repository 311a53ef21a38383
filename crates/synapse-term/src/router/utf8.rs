//! Characters of several bytes, which may arrive in pieces.

use super::lexer::{Input, Verdict};

/// A character of several bytes, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct PartialChar {
    value: u32,
    missing: u8,
    /// The smallest value that needs this many bytes.
    least: u32,
}

impl PartialChar {
    pub(super) fn is_begun(&self) -> bool {
        self.missing > 0
    }

    /// Takes one byte; a whole character becomes `input`.
    pub(super) fn push(&mut self, byte: u8, input: impl FnOnce(char) -> Input) -> Verdict {
        if self.missing == 0 {
            (self.missing, self.value, self.least) = match byte {
                0xc2..=0xdf => (1, u32::from(byte & 0x1f), 0x80),
                0xe0..=0xef => (2, u32::from(byte & 0x0f), 0x800),
                0xf0..=0xf4 => (3, u32::from(byte & 0x07), 0x1_0000),
                _ => return Verdict::Done(Input::Foreign),
            };
            return Verdict::More;
        }
        if byte & 0xc0 != 0x80 {
            self.missing = 0;
            return Verdict::Broken(Input::Foreign);
        }
        self.value = self.value << 6 | u32::from(byte & 0x3f);
        self.missing -= 1;
        if self.missing > 0 {
            return Verdict::More;
        }
        let c = char::from_u32(self.value).filter(|_| self.value >= self.least);
        Verdict::Done(c.map_or(Input::Foreign, input))
    }
}
