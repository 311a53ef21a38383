//! A process that goes on when whoever started it is gone.
#![allow(
    unsafe_code,
    reason = "files that were handed over are closed by their numbers"
)]

/// Leaves the terminal and the files of whoever started this process: no terminal can hang it up, no Ctrl-C of the
/// starter reaches it, and no lock, pipe or deleted file of a script stays in use as long as it runs. To be called
/// first of all, before this process opens anything itself.
pub fn leave_starter() {
    let _ = rustix::process::setsid();
    let Ok(open) = std::fs::read_dir("/dev/fd") else {
        return;
    };
    let numbers = open.filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok());
    let numbers: Vec<i32> = numbers.filter(|number| *number > 2).collect();
    for number in numbers {
        // SAFETY: nothing of ours is open yet but what was listed, the folder itself, which is closed by now.
        unsafe { libc::close(number) };
    }
}
