//! Writes to a terminal: a bounded queue in front of a non-blocking descriptor, so that a program (or a
//! terminal) that does not read cannot block its owner.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{ioctl_fionbio, retry_on_intr};
use tokio::io::Interest;
use tokio::net::unix::pipe::Sender;

/// A message of 1 MiB with its paste marks, and as much again of what was typed meanwhile.
const LIMIT: usize = 2 << 20;

/// Writes in order; one owner.
#[derive(Debug)]
pub struct Writer {
    fd: OwnedFd,
    queue: VecDeque<u8>,
    /// Tells when more can be written. There is one only while something is queued: a descriptor that is watched
    /// wakes the thread behind every write, and with it behind every key.
    room: Option<Sender>,
}

impl Writer {
    /// Writes to a descriptor, which becomes non-blocking for all who share it.
    pub fn new(fd: OwnedFd) -> io::Result<Self> {
        ioctl_fionbio(&fd, true)?;
        Ok(Self {
            fd,
            queue: VecDeque::new(),
            room: None,
        })
    }

    /// Takes all of `bytes` or nothing, and writes at once what goes.
    ///
    /// # Errors
    /// If nobody has read for so long that there is no room.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Full> {
        if bytes.len() > LIMIT.saturating_sub(self.queue.len()) {
            return Err(Full {
                queued: self.queue.len(),
            });
        }
        let mut rest = bytes;
        // What goes wrong here goes wrong in `flush` again, where somebody hears of it.
        while self.queue.is_empty()
            && !rest.is_empty()
            && let Ok(written @ 1..) = retry_on_intr(|| rustix::io::write(&self.fd, rest))
        {
            rest = rest.get(written..).unwrap_or_default();
        }
        self.queue.extend(rest);
        Ok(())
    }

    /// Writes the queue, as the reader lets it. Safe to cancel: nothing is lost or written twice.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub async fn flush(&mut self) -> io::Result<()> {
        while !self.queue.is_empty() {
            self.flush_some().await?;
        }
        Ok(())
    }

    /// Writes what the reader takes at once, as soon as it takes something; the queue must not be empty.
    /// Safe to cancel, as [`Writer::flush`].
    ///
    /// # Errors
    /// If the terminal is gone.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O.
    pub async fn flush_some(&mut self) -> io::Result<()> {
        loop {
            let room = match &mut self.room {
                Some(room) => room,
                // Not always a pipe, but tokio treats all that can be written to alike.
                none => none.insert(Sender::from_owned_fd_unchecked(self.fd.try_clone()?)?),
            };
            let is_closed = room.ready(Interest::WRITABLE).await?.is_write_closed();
            let (front, _) = self.queue.as_slices();
            match room.try_write(front) {
                Ok(written) => {
                    self.queue.drain(..written);
                    if self.queue.is_empty() {
                        self.room = None;
                    }
                    return Ok(());
                }
                // A terminal that nobody has open counts as ready for ever, and takes no more than fits.
                Err(error) if is_passing(&error) && is_closed => {
                    if is_hung_up(&self.fd)? {
                        return Err(ErrorKind::BrokenPipe.into());
                    }
                    self.room = None;
                }
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether all was written.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How many bytes wait to be read by somebody.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Forgets what was not written yet, and says how much that was.
    pub fn discard(&mut self) -> usize {
        let discarded = self.queue.len();
        self.queue = VecDeque::new();
        self.room = None;
        discarded
    }
}

/// No room in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program is not reading its input: {queued} bytes are queued")]
pub struct Full {
    /// How many bytes wait.
    pub queued: usize,
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Whether nobody has the other end open at this moment.
fn is_hung_up(fd: &OwnedFd) -> io::Result<bool> {
    let mut polled = [PollFd::new(fd, PollFlags::empty())];
    retry_on_intr(|| poll(&mut polled, Some(&Timespec::default())))?;
    let [polled] = polled;
    Ok(polled.revents().intersects(PollFlags::HUP | PollFlags::ERR))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn pipe() -> (Writer, io::PipeReader) {
        let (reader, writer) = io::pipe().unwrap();
        (Writer::new(writer.into()).unwrap(), reader)
    }

    #[tokio::test]
    async fn takes_all_or_nothing_and_never_blocks() {
        let (mut writer, _reader) = pipe();
        writer.push(&vec![b'x'; LIMIT]).unwrap();
        let queued = writer.queued();
        assert!(queued > 0, "a pipe that nobody reads is full");
        assert_eq!(writer.push(&vec![b'y'; LIMIT]), Err(Full { queued }));
        assert_eq!(writer.queued(), queued);
        assert_eq!(writer.discard(), queued);
        assert!(writer.is_empty());
    }

    #[tokio::test]
    async fn keeps_the_order_of_what_waited_and_what_came_later() {
        let (mut writer, mut reader) = pipe();
        let text: Vec<u8> = (0..LIMIT).map(|n| (n % 251) as u8).collect();
        let (first, second) = text.split_at(LIMIT / 3);
        writer.push(first).unwrap();
        writer.push(second).unwrap();
        let reading = tokio::task::spawn_blocking(move || {
            let mut read = Vec::new();
            reader.read_to_end(&mut read).map(|_| read)
        });
        writer.flush().await.unwrap();
        drop(writer);
        assert!(reading.await.unwrap().unwrap() == text);
    }

    #[tokio::test]
    async fn says_so_when_the_reader_is_gone() {
        let (mut writer, reader) = pipe();
        drop(reader);
        writer.push(b"hello").unwrap();
        let error = writer.flush().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
