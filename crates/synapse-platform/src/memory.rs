//! Memory that the allocator keeps although nobody uses it.
#![allow(unsafe_code, reason = "the allocator is asked in C")]

/// Gives back to the system what was freed and the allocator has kept. Whoever allocates meanwhile may wait for some
/// milliseconds, so this is for times of rest. Does nothing where the C library has no such call.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and may be called on any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}
