//! What the human types, as bytes.

use std::io::ErrorKind;

use tokio::net::unix::pipe::Receiver;

use super::{TtyError, open};

/// More than the kernel keeps, so that one read takes all.
const MOST_KEYS: usize = 4096;

/// Reads the terminal; one owner. Nothing is read ahead: what nobody asked for is left to the
/// shell.
#[derive(Debug)]
pub struct Keyboard {
    /// No pipe, but tokio treats all that can be read alike.
    fd: Receiver,
}

impl Keyboard {
    /// Reads from the terminal on standard input.
    ///
    /// # Errors
    /// If standard input is no terminal.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O.
    pub fn open() -> Result<Self, TtyError> {
        let fd = Receiver::from_owned_fd_unchecked(open()?)?;
        Ok(Self { fd })
    }

    /// The next bytes, never empty; none when the terminal is gone. Safe to cancel.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        let mut buffer = [0; MOST_KEYS];
        loop {
            self.fd.readable().await.ok()?;
            match self.fd.try_read(&mut buffer) {
                Ok(0) => return None,
                Ok(read) => return buffer.get(..read).map(<[u8]>::to_vec),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::Interrupted => {}
                    _ => return None,
                },
            }
        }
    }
}
