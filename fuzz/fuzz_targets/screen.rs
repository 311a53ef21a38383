//! Any bytes, cut anywhere, at any pace, on any screen: reading them must not panic.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use synapse_term::profile::Profile;
use synapse_term::screen::Size;
use synapse_term::watch::Watcher;

static PROFILES: LazyLock<Vec<Arc<Profile>>> = LazyLock::new(|| {
    let builtin = |name| Arc::new(Profile::builtin(name).expect("a built-in profile is valid"));
    Profile::builtin_names().map(builtin).collect()
});

/// Long enough for every quiet time of a profile to pass.
const SILENCE: Duration = Duration::from_secs(10);

fuzz_target!(|input: &[u8]| {
    // The head says how to play, the rest is what the program prints.
    let Some((&[profile, cols, rows, piece_len, pace], bytes)) = input.split_first_chunk::<5>()
    else {
        return;
    };
    let profile = &PROFILES[usize::from(profile) % PROFILES.len()];
    let Ok(size) = Size::new(u64::from(cols), u64::from(rows)) else {
        return;
    };
    let pause = Duration::from_millis(u64::from(pace) * 10);

    let mut watcher = Watcher::new(Arc::clone(profile), size);
    let mut now = Duration::ZERO;
    for piece in bytes.chunks(1 + usize::from(piece_len)) {
        watcher.feed(piece, now);
        now += pause;
        watcher.tick(now);
    }
    watcher.tick(now + SILENCE);
});
