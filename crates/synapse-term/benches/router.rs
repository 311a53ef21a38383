//! What the router adds to each key. Prints; asserts nothing.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "this is a bench"
)]

use std::hint::black_box;
use std::time::Instant;

use synapse_term::router::{LineFeed, Pattern, Router};

const ROUNDS: u32 = 20_000;

fn main() {
    let line = "@codex please review the design of the router, 全部\x7f\x1b[D\x1b[C.";
    let prose = "an ordinary line with an email@example.com in it\r";
    let paste = format!(
        "\x1b[200~{}\x1b[201~\r",
        "words of a long paste ".repeat(40)
    );
    for (name, keys) in [
        ("a line for an agent", line),
        ("an ordinary line", prose),
        ("a paste", &paste),
    ] {
        let mut router = Router::new(Pattern::default(), LineFeed::Breaks);
        let (mut keys_fed, begin) = (0, Instant::now());
        for _ in 0..ROUNDS {
            // One key at a time, as a keyboard sends them.
            for byte in keys.as_bytes() {
                black_box(router.feed(black_box(&[*byte])));
                keys_fed += 1;
            }
            black_box(router.feed(b"\x03"));
        }
        let mean = begin.elapsed() / keys_fed;
        println!("router: {name}: {mean:?} a key (goal ≤ 5 µs)");
    }
}
