//! Any bytes, cut anywhere, repeated, at any pace, on a screen of any size that changes: reading them must not
//! panic, take long, or keep much. `make fuzz` sets the limits on time and memory.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use synapse_term::profile::Profile;
use synapse_term::screen::Size;
use synapse_term::watch::{Event, Watcher};

static PROFILES: LazyLock<Vec<Arc<Profile>>> = LazyLock::new(|| {
    let builtin = |name| Arc::new(Profile::builtin(name).expect("a built-in profile is valid"));
    Profile::builtin_names().map(builtin).collect()
});

/// Long enough for every quiet time of a profile to pass.
const SILENCE: Duration = Duration::from_secs(10);

/// What one input may print, repetitions included: what a program prints in an instant.
const MOST: usize = 128 * 1024;

/// The byte behind which a repetition stands: what, how long, how often. Nothing that programs print.
const REPEAT: u8 = 0xff;

/// The byte behind which a new size stands.
const RESIZE: u8 = 0xfe;

fuzz_target!(|input: &[u8]| {
    // The head says how to play, the rest is what the program prints.
    let Some((&[profile, cols, rows, piece_len, pace], script)) = input.split_first_chunk::<5>()
    else {
        return;
    };
    let profile = &PROFILES[usize::from(profile) % PROFILES.len()];
    let pause = Duration::from_millis(u64::from(pace) * 10);
    let mut watcher = Watcher::new(Arc::clone(profile), size(cols, rows));
    let mut now = Duration::ZERO;
    for step in steps(script) {
        match step {
            Step::Print(bytes) => {
                for piece in bytes.chunks(1 + usize::from(piece_len) * 64) {
                    watcher.feed(piece, now);
                    now += pause;
                    watcher.tick(now);
                }
            }
            Step::Resize(size) => watcher.resize(size, now),
        }
    }
    watcher.tick(now + SILENCE);
    let _ = watcher.screen().snapshot();
    let is_lost = |event: &Event| matches!(event, Event::ScreenLost);
    assert!(
        !watcher.take_events().iter().any(is_lost),
        "the emulator failed"
    );
});

enum Step {
    Print(Vec<u8>),
    Resize(Size),
}

/// Mostly as windows are, sometimes as large as can be.
fn size(cols: u8, rows: u8) -> Size {
    match (cols, rows) {
        (255, 255) => Size::nearest(u64::MAX, u64::MAX),
        (cols, rows) => Size::nearest(cols.into(), rows.into()),
    }
}

/// What the script does: `REPEAT length count` prints that many bytes before it so often again.
fn steps(script: &[u8]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut bytes: Vec<u8> = Vec::new();
    let mut left = MOST;
    let mut rest = script.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            REPEAT => {
                let (Some(length), Some(count)) = (rest.next(), rest.next()) else {
                    break;
                };
                let from = bytes.len().saturating_sub(1 + usize::from(length));
                let unit = bytes[from..].to_vec();
                let count = (usize::from(count) * usize::from(count)).min(left / unit.len().max(1));
                left -= count * unit.len();
                bytes.extend(unit.repeat(count));
            }
            RESIZE => {
                let (Some(cols), Some(rows)) = (rest.next(), rest.next()) else {
                    break;
                };
                steps.push(Step::Print(std::mem::take(&mut bytes)));
                steps.push(Step::Resize(size(cols, rows)));
            }
            byte => bytes.push(byte),
        }
    }
    steps.push(Step::Print(bytes));
    steps
}
