//! Bytes as hexadecimal digits.

use std::fmt::Write as _;

/// Two digits for each byte, in lower case.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
