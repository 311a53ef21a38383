//! Which process is at the other end of a connection within this machine, and who started it.

use std::fs;
use std::path::Path;

/// Longer chains of parents are no chains.
const LONGEST: usize = 1_024;

/// The processes that have the socket of this inode, as far as we may see them.
pub fn holders(inode: u32) -> Vec<u32> {
    let wanted = format!("socket:[{inode}]");
    let listing = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = listing.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| holds(*pid, &wanted)).collect()
}

fn holds(pid: u32, wanted: &str) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd"));
    let mut files = files.into_iter().flatten().flatten();
    files.any(|file| fs::read_link(file.path()).is_ok_and(|to| to == Path::new(wanted)))
}

/// Whether a process descends from another.
pub fn is_below(pid: u32, above: u32) -> bool {
    let mut at = pid;
    for _ in 0..LONGEST {
        match parent(at) {
            Some(parent) if parent == above => return true,
            Some(parent) if parent > 1 => at = parent,
            _ => return false,
        }
    }
    false
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, parentheses too.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_below_us_and_we_are_not_below_it() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let own = std::process::id();
        assert!(is_below(child.id(), own));
        assert!(!is_below(own, child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
