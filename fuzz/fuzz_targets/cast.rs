//! Random text as a recording.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_term::cast::Cast;

fuzz_target!(|text: &str| {
    let _ = Cast::parse(text);
});
