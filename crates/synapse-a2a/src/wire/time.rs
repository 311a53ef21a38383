//! Points in time as text: RFC 3339 in UTC with milliseconds. Reads no clock.

use jiff::{RoundMode, TimestampRound, Unit};

use crate::event::Timestamp;

/// As it goes over the wire: `2026-01-31T09:30:00.125Z`.
pub(super) fn write(at: Timestamp) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let at = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    format!("{at:.3}")
}

/// Reads a time with any offset. What is finer than a millisecond is rounded up, so that "not before
/// this" still excludes everything before it.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let at: jiff::Timestamp = text.parse().ok()?;
    let round = TimestampRound::new()
        .smallest(Unit::Millisecond)
        .mode(RoundMode::Ceil);
    let millis = at.round(round).ok()?.as_millisecond();
    Some(Timestamp(u64::try_from(millis).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_milliseconds_and_ends_with_z() {
        assert_eq!(write(Timestamp(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            write(Timestamp(1_769_851_800_125)),
            "2026-01-31T09:30:00.125Z"
        );
        assert!(write(Timestamp(u64::MAX)).ends_with('Z'));
    }

    #[test]
    fn a_time_is_read_whatever_its_offset() {
        let noon = Some(Timestamp(43_200_000));
        assert_eq!(read("1970-01-01T12:00:00Z"), noon);
        assert_eq!(read("1970-01-01T13:00:00+01:00"), noon);
        assert_eq!(read("1970-01-01T11:59:59.9995Z"), noon);
        assert_eq!(read("1960-01-01T00:00:00Z"), Some(Timestamp(0)));
        assert_eq!(read("yesterday"), None);
    }
}
