//! Random bytes as a stream of events: the same, however they are split.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_a2a::wire::sse::Decoder;

fuzz_target!(|bytes: &[u8]| {
    let together = Decoder::new(1 << 20).feed(bytes);
    let mut split = Decoder::new(1 << 20);
    let apart: Result<Vec<_>, _> = bytes.iter().map(|byte| split.feed(&[*byte])).collect();
    assert_eq!(together, apart.map(|events| events.concat()));
});
