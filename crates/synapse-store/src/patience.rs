//! Waits while another process writes. `SQLite` cannot tell us when it is done, so we poll: at short
//! intervals, because a write takes a fraction of a millisecond, and at constant ones, because a process
//! that backs off is overtaken by all others.

use std::time::{Duration, Instant};

use rusqlite::Connection;

/// How long to wait at most.
const PATIENCE: Duration = Duration::from_secs(10);

/// After that long, whoever holds the database does not do so for its own work: it hangs.
const LONG: Duration = Duration::from_secs(1);

/// Lets a connection wait.
pub(super) fn wait(connection: &mut Connection) -> rusqlite::Result<()> {
    let mut began = Instant::now();
    connection.busy_handler(Some(move |looks| {
        if looks == 0 {
            began = Instant::now();
        }
        let pause = pause(looks, began.elapsed());
        if let Some(pause) = pause {
            std::thread::sleep(pause);
        }
        pause.is_some()
    }))
}

/// How long to wait before the next look; nothing if it has been enough.
fn pause(looks: i32, waited: Duration) -> Option<Duration> {
    match looks {
        _ if waited >= PATIENCE => None,
        _ if waited >= LONG => Some(Duration::from_millis(20)),
        0 => Some(Duration::from_micros(200)),
        1 => Some(Duration::from_micros(500)),
        _ => Some(Duration::from_millis(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_begins_short_stays_short_and_ends() {
        let mut waited = Duration::ZERO;
        let mut looks = 0;
        while let Some(next) = pause(looks, waited) {
            assert!(next <= Duration::from_millis(20));
            assert!(waited >= LONG || next <= Duration::from_millis(1));
            waited += next;
            looks += 1;
        }
        assert!(waited >= PATIENCE && waited < PATIENCE + LONG);
        assert!(looks < 2_000, "{looks} looks would be a load of their own");
    }
}
