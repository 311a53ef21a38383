//! How fast tasks are written down and found again, beside a plain file that is appended to and synced with
//! the same bytes in the same run. Prints tables and asserts nothing.
//!
//! `cargo bench -p synapse --bench store`, or `scripts/bench-store`. `TASKS=10000` makes the long list
//! shorter, `HOSTS=8` the crowd smaller.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "this is a bench"
)]

mod crowd;
mod growth;
mod list;
mod supply;
mod table;
mod write;

use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, errand, place, name] = args.as_slice() {
        match errand.as_str() {
            "host" => return crowd::host(Path::new(place), name),
            "idle" => return write::idle(Path::new(place), name),
            "file" => return crowd::file(Path::new(place), name),
            "grow" => return growth::grow(Path::new(place), name.parse().unwrap()),
            "remove-before" => {
                return growth::remove_before(Path::new(place), name.parse().unwrap());
            }
            _ => {}
        }
    }
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    write::run(&home.path().join("write"));
    list::run(&home.path().join("list"), supply::number("TASKS", 100_000));
    crowd::run(&home.path().join("crowd"), supply::number("HOSTS", 50));
}
