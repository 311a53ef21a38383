//! Reads a message from standard input.

use std::io::{IsTerminal as _, Read as _};
use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::{Context as _, Result};

/// The word that stands for standard input.
const INPUT: &str = "-";

/// A message as it was given, or for `-` what standard input has; behind other words in a paragraph of its own.
pub(super) fn message(words: &[String]) -> Result<String> {
    match words.split_last() {
        None if !std::io::stdin().is_terminal() => all(),
        Some((last, [])) if last == INPUT => all(),
        Some((last, words)) if last == INPUT && !std::io::stdin().is_terminal() => {
            Ok(format!("{}\n\n{}", words.join(" "), all()?))
        }
        _ => Ok(words.join(" ")),
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

/// How many are wanted, one at least.
pub(super) fn count(text: &str) -> Result<NonZeroUsize, String> {
    let wrong = |_| format!("'{text}' is no count: give a whole number, 1 or more");
    text.parse().map_err(wrong)
}

/// A length of time as people write it: `90` and `90s` are seconds, `0.5`, `5m`, `1h`, `500ms`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no time: give seconds, or 500ms, 90s, 5m, 1h");
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3_600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let read = |text| duration(text).map(|time| time.as_millis());
        let times = ["90", "0.5", "5m", "1h", "500ms", "2s"].map(read);
        assert_eq!(times, [90_000, 500, 300_000, 3_600_000, 500, 2_000].map(Ok));
        for wrong in [
            "",
            "x",
            "5 m",
            "-1",
            "1e3",
            "5d",
            "99999999999999999999h",
            "..",
            "m",
        ] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
