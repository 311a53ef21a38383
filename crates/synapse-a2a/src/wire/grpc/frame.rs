//! The frames of gRPC: one byte that says whether the message is compressed, four for its length, and the message.

/// How many bytes stand before a message.
pub const HEAD: usize = 5;

/// Why the body of a call is not one message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("compressed messages are not taken; send them as they are")]
    Compressed,
    #[error("the message is too large: it has {size} bytes, and at most {most} are taken")]
    TooLarge { size: usize, most: usize },
    #[error("the call ended in the middle of its message")]
    Short,
    #[error("the call has more than the one message it may have")]
    More,
}

/// Puts a message into a frame.
pub fn frame(message: &[u8]) -> Vec<u8> {
    // A task of more than 4 GiB does not fit into memory first.
    let size = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let mut framed = Vec::with_capacity(HEAD + message.len());
    framed.push(0);
    framed.extend(size.to_be_bytes());
    framed.extend_from_slice(message);
    framed
}

/// Collects the one message of a call, however its bytes are split. What is too large is refused by its first bytes.
#[derive(Debug)]
pub struct Inbox {
    most: usize,
    bytes: Vec<u8>,
}

impl Inbox {
    /// For a message of at most so many bytes.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            bytes: Vec::new(),
        }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// If nothing behind them can make it a message that is taken.
    pub fn take(&mut self, chunk: &[u8]) -> Result<(), FrameError> {
        self.bytes.extend_from_slice(chunk);
        match self.size()? {
            Some(size) if self.bytes.len() > HEAD + size => Err(FrameError::More),
            _ => Ok(()),
        }
    }

    /// The message, once the call has sent everything.
    ///
    /// # Errors
    /// If it is not complete.
    pub fn done(self) -> Result<Vec<u8>, FrameError> {
        match self.size()? {
            Some(size) if self.bytes.len() == HEAD + size => {
                let mut bytes = self.bytes;
                bytes.drain(..HEAD);
                Ok(bytes)
            }
            _ => Err(FrameError::Short),
        }
    }

    /// The size of the message, as soon as it is known.
    fn size(&self) -> Result<Option<usize>, FrameError> {
        let Some((head, _)) = self.bytes.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let [flag, size @ ..] = *head;
        if flag != 0 {
            return Err(FrameError::Compressed);
        }
        let (size, most) = (u32::from_be_bytes(size) as usize, self.most);
        if size > most {
            return Err(FrameError::TooLarge { size, most });
        }
        Ok(Some(size))
    }
}
