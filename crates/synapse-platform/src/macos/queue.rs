//! kqueue: the kernel tells of processes that end and of files that change.
#![expect(unsafe_code, reason = "kevent takes raw descriptors")]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::ptr::null_mut;

use rustix::event::Timespec;
use rustix::event::kqueue::{
    Event, EventFilter, EventFlags, ProcessEvents, VnodeEvents, kevent_timespec, kqueue,
};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::Pid;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A queue of events that is readable while one waits in it.
pub(super) fn open() -> io::Result<OwnedFd> {
    let queue = kqueue()?;
    fcntl_setfd(&queue, FdFlags::CLOEXEC)?;
    Ok(queue)
}

/// Has the runtime say when something waits in a queue.
pub(super) fn watch(queue: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: it owns the descriptor, which stays open as long as it lives.
    Ok(unsafe { AsyncFd::register_with_interest(queue, Interest::READABLE) }?)
}

/// Asks for the end of a process.
pub(super) fn add_exit(queue: &OwnedFd, pid: Pid) -> io::Result<()> {
    let flags = ProcessEvents::EXIT;
    let filter = EventFilter::Proc { pid, flags };
    add(queue, filter, EventFlags::ADD)
}

/// Asks for changes of a file. It must stay open as long as the queue.
pub(super) fn add_file(queue: &OwnedFd, file: impl AsFd, flags: VnodeEvents) -> io::Result<()> {
    let vnode = file.as_fd().as_raw_fd();
    let filter = EventFilter::Vnode { vnode, flags };
    add(queue, filter, EventFlags::ADD | EventFlags::CLEAR)
}

fn add(queue: &OwnedFd, filter: EventFilter, flags: EventFlags) -> io::Result<()> {
    let wanted = [Event::new(filter, flags, null_mut())];
    let mut none: [MaybeUninit<Event>; 0] = [];
    // SAFETY: the descriptor that the event names is open, and no event is taken.
    unsafe { kevent_timespec(queue, &wanted, &mut none, None) }?;
    Ok(())
}

/// Takes what waits in the queue, without waiting for more: the descriptors of files, with what happened to them.
pub(super) fn take(queue: &OwnedFd) -> io::Result<Vec<(i32, VnodeEvents)>> {
    let mut room = [const { MaybeUninit::<Event>::uninit() }; 64];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: nothing is asked for, and only what the kernel has filled in is read.
    let (events, _) = unsafe { kevent_timespec(queue, &[], &mut room, Some(&now)) }?;
    let events = events.iter().filter_map(|event| match event.filter() {
        EventFilter::Vnode { vnode, flags } => Some((vnode, flags)),
        _ => None,
    });
    Ok(events.collect())
}
