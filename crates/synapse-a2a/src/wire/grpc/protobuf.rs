//! The wire format of protocol buffers: fields of a number and a kind of bytes, one behind the other. Knows no message.

/// How deep messages, structs and lists may lie in each other.
pub(super) const DEEPEST: usize = 100;

/// Why bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("the message ends in the middle of a field")]
    Short,
    #[error("the message has a number of more than 64 bits")]
    LongNumber,
    #[error("the message has a field that is none of protocol buffers")]
    NoField,
    #[error("the message is nested more than {DEEPEST} deep")]
    TooDeep,
    #[error("the message has too many values")]
    TooMany,
    #[error("'{0}' is not UTF-8")]
    NotText(&'static str),
    #[error("'{0}' is a number that JSON does not have")]
    NoNumber(&'static str),
    #[error("'{0}' is no time between the years 1 and 9999")]
    NoTime(&'static str),
}

/// What stands in a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Content<'a> {
    Varint(u64),
    Double(f64),
    Bytes(&'a [u8]),
    /// Nothing that any message of ours has.
    Other,
}

/// The fields of a message, one after the other.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next field; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Content<'a>)>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (number, kind) = self.tag()?;
        let content = match kind {
            0 => Content::Varint(self.varint()?),
            1 => Content::Double(f64::from_le_bytes(self.array()?)),
            2 => Content::Bytes(self.bytes()?),
            3 => {
                self.skip_group(number)?;
                Content::Other
            }
            5 => {
                self.array::<4>()?;
                Content::Other
            }
            _ => return Err(Malformed::NoField),
        };
        Ok(Some((number, content)))
    }

    /// Passes over a group, an old kind of message that ends with a mark instead of having a length.
    fn skip_group(&mut self, number: u32) -> Result<(), Malformed> {
        let mut open = vec![number];
        while let Some(innermost) = open.last().copied() {
            match self.tag()? {
                (_, 0) => drop(self.varint()?),
                (_, 1) => drop(self.array::<8>()?),
                (_, 2) => drop(self.bytes()?),
                (number, 3) if open.len() < DEEPEST => open.push(number),
                (_, 3) => return Err(Malformed::TooDeep),
                (number, 4) if number == innermost => drop(open.pop()),
                (_, 5) => drop(self.array::<4>()?),
                _ => return Err(Malformed::NoField),
            }
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<(u32, u64), Malformed> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| Malformed::NoField)?;
        if number == 0 || number >= 1 << 29 {
            return Err(Malformed::NoField);
        }
        Ok((number, tag & 7))
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let [byte] = self.array()?;
            // The tenth byte has room for one more bit.
            if shift == 63 && byte > 1 {
                return Err(Malformed::LongNumber);
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed::LongNumber)
    }

    fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_| Malformed::Short)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(*bytes)
    }
}

/// A message in the making.
#[derive(Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn varint(&mut self, number: u32, value: u64) {
        self.tag(number, 0);
        self.raw_varint(value);
    }

    pub(super) fn double(&mut self, number: u32, value: f64) {
        self.tag(number, 1);
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.tag(number, 2);
        self.raw_varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, number: u32, kind: u64) {
        self.raw_varint(u64::from(number) << 3 | kind);
    }

    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
