//! Regular expressions that are part of the program.

use regex::Regex;

/// Compiles a constant. Each is touched by a test of its own module, so a mistake in one cannot
/// reach a user.
#[expect(clippy::unwrap_used, reason = "a constant, compiled by a test")]
pub(crate) fn constant(text: &str) -> Regex {
    Regex::new(text).unwrap()
}
