//! Random text as a word of the channel (OSC 7710).
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_a2a::channel::Word;

fuzz_target!(|text: &str| {
    let _ = Word::parse(text);
});
