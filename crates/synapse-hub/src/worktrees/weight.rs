//! How much room a worktree takes on the disk.

use std::fs;
use std::path::{Path, PathBuf};

use super::Spot;

/// Files that are counted; more take too long for a page.
const FILES: usize = 200_000;

/// The bytes of all files, links not followed; nothing if there are too many.
pub(crate) async fn bytes(spot: &Spot) -> Option<u64> {
    let path = spot.path.clone();
    let counted = tokio::task::spawn_blocking(move || count(&path)).await;
    counted.ok().flatten()
}

fn count(root: &Path) -> Option<u64> {
    let (mut bytes, mut left) = (0, FILES);
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
            match entry.metadata() {
                Ok(data) if data.is_dir() => folders.push(entry.path()),
                Ok(data) => bytes += data.len(),
                Err(_) => {}
            }
        }
    }
    Some(bytes)
}
