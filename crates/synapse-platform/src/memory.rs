//! Memory that is held although nobody uses it.
#![allow(unsafe_code, reason = "the allocator and the kernel are asked in C")]

/// Gives back to the system what was freed and the allocator has kept, and the code that ran. Whoever allocates
/// meanwhile may wait for some milliseconds, so this is for times of rest. Does nothing where there is no such call.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and may be called on any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
    #[cfg(target_os = "linux")]
    if let Ok(maps) = std::fs::read_to_string("/proc/self/maps") {
        for (start, length) in linux::code(&maps) {
            // SAFETY: the pages are read-only, of a file, and were never written: the kernel fetches them again from
            // there when they are touched, at the same place.
            unsafe {
                libc::madvise(start as *mut _, length, libc::MADV_DONTNEED);
            }
        }
    }
}

/// Gives back what the calling thread, which must be the first of the process, once had on its stack and has no longer.
/// Does nothing where that is not known.
pub fn give_back_stack() {
    #[cfg(target_os = "linux")]
    if let Ok(maps) = std::fs::read_to_string("/proc/self/maps") {
        let here = std::ptr::addr_of!(maps) as usize;
        if let Some((start, length)) = linux::left_stack(&maps, here, rustix::param::page_size()) {
            // SAFETY: this thread runs on that stack, far above these pages, and whatever it puts there later begins
            // with writing to it.
            unsafe {
                libc::madvise(start as *mut _, length, libc::MADV_DONTNEED);
            }
        }
    }
}

/// Has all threads but one share what the allocator keeps for them. To be called before there are threads; for
/// processes with many threads that do little.
pub fn share_between_threads() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and no other thread allocates yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 2);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    /// What a thread may be using below the place that it knows: the functions that it calls, and signals.
    const IN_USE: usize = 32 * 1024;

    /// The part of the first thread's stack that it has left, where it is at `here` now. Stacks grow downwards.
    pub(super) fn left_stack(maps: &str, here: usize, page: usize) -> Option<(usize, usize)> {
        let line = maps.lines().find(|line| line.ends_with(" [stack]"))?;
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        let used_from = here.checked_sub(IN_USE)? / page * page;
        let is_left = (start..end).contains(&here) && start < used_from;
        is_left.then(|| (start, used_from - start))
    }

    /// Where the program's code is, and the constants before it. What comes behind it, the loader has written to.
    pub(super) fn code(maps: &str) -> Vec<(usize, usize)> {
        let mut places = Vec::new();
        let mut program = None;
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let range = words.next().and_then(|range| range.split_once('-'));
            let (Some((start, end)), Some(access), Some(file)) =
                (range, words.next(), words.nth(3))
            else {
                break;
            };
            let address = |text| usize::from_str_radix(text, 16).ok();
            let (Some(start), Some(end)) = (address(start), address(end)) else {
                break;
            };
            // The program itself comes first.
            if *program.get_or_insert(file) != file || !matches!(access, "r--p" | "r-xp") {
                break;
            }
            places.push((start, end.saturating_sub(start)));
            if access == "r-xp" {
                return places;
            }
        }
        Vec::new()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn what_was_written_to_is_not_code() {
            let maps = "1000-2000 r--p 00000000 fe:00 7  /bin/x\n\
                        2000-5000 r-xp 00001000 fe:00 7  /bin/x\n\
                        5000-6000 r--p 00004000 fe:00 7  /bin/x\n\
                        6000-7000 rw-p 00005000 fe:00 7  /bin/x\n";
            assert_eq!(code(maps), [(0x1000, 0x1000), (0x2000, 0x3000)]);
            for unknown in [
                maps.replacen("r--p", "rw-p", 1),
                maps.replacen("/bin/x", "/bin/y", 1),
                maps.replace("r-xp", "r--p"),
                String::new(),
            ] {
                assert_eq!(code(&unknown), [], "{unknown}");
            }
        }

        #[test]
        fn a_stack_is_left_far_below_the_place_that_is_used() {
            let maps = "7000000-7100000 rw-p 00000000 00:00 0                          [stack]\n";
            let left = |maps, here| left_stack(maps, here, 0x1000);
            assert_eq!(left(maps, 0x70f_0123), Some((0x700_0000, 0xe_8000)));
            for elsewhere in [0x6ff_ffff, 0x700_0010, 0x710_0000] {
                assert_eq!(left(maps, elsewhere), None);
            }
            assert_eq!(left("", 0x70f_0123), None);
        }

        #[test]
        fn the_program_goes_on_without_its_code() {
            let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
            assert!(!code(&maps).is_empty());
            crate::memory::give_back();
        }
    }
}
