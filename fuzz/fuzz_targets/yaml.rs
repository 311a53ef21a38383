//! Random text as a profile.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_term::profile::Profile;

fuzz_target!(|text: &str| {
    let _ = Profile::parse(text, "fuzz.yaml", &|_| None);
});
