//! Random bytes as an HTTP+JSON request of 1.0 and of 0.3: path, query and body, one a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::operation::Version;
use synapse_a2a::wire::{page, rest};

fuzz_target!(|input: &[u8]| {
    let mut lines = input.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (Ok(path), Ok(query)) = (std::str::from_utf8(line()), std::str::from_utf8(line())) else {
        return;
    };
    let body = line();
    let _ = page::Cursor::read(query);
    let query = rest::query(Some(query));
    for (version, dialect) in [(Version::V1, Dialect::V1), (Version::V03, Dialect::V03Rest)] {
        for method in ["GET", "POST", "DELETE"] {
            if let Ok(target) = rest::route(method, path, version)
                && let Err(error) = Ask::from_rest(target, dialect, &query, body)
            {
                let _ = error.to_rest();
            }
        }
    }
});
