//! Conversions to the database's signed 64-bit integers. No value is ever that large; if one were, it would
//! saturate.

use std::time::{SystemTime, UNIX_EPOCH};

use synapse_a2a::event::Timestamp;

/// This moment.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    Timestamp(u64::try_from(millis).unwrap_or(u64::MAX))
}

/// A count as a column.
pub(super) fn number(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// A time as a column.
pub(super) fn time(at: Timestamp) -> i64 {
    number(at.0)
}

/// A column as a count.
pub(super) fn as_number(column: i64) -> u64 {
    u64::try_from(column).unwrap_or_default()
}

/// A column as a time.
pub(super) fn as_time(column: i64) -> Timestamp {
    Timestamp(as_number(column))
}
