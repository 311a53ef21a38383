//! Reads a message from standard input.

use std::io::Read as _;

use anyhow::{Context as _, Result};

/// The word that stands for standard input.
const INPUT: &str = "-";

/// A message as it was given, or for `-` what standard input has.
pub(super) fn message(given: &str) -> Result<String> {
    if given == INPUT {
        all()
    } else {
        Ok(given.to_owned())
    }
}

/// All of standard input, without the line breaks at its end.
pub(super) fn all() -> Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    read.context("cannot read standard input")?;
    text.truncate(text.trim_end_matches('\n').len());
    Ok(text)
}
