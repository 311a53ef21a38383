//! Times, and how they are printed.

use std::time::{Duration, Instant};

/// How long each of many things took.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// Does something many times.
    pub(crate) fn of(count: usize, mut work: impl FnMut(usize)) -> Self {
        let once = |number| {
            let began = Instant::now();
            work(number);
            began.elapsed()
        };
        Self::new((0..count).map(once).collect())
    }

    /// In microseconds, that share of them was quicker.
    pub(crate) fn micros(&self, share: f64) -> f64 {
        let place = (self.0.len() as f64 * share) as usize;
        self.0[place.min(self.0.len() - 1)].as_secs_f64() * 1e6
    }

    /// How many a second, one after the other.
    pub(crate) fn rate(&self) -> f64 {
        self.0.len() as f64 / self.0.iter().sum::<Duration>().as_secs_f64()
    }
}

pub(crate) fn title(text: &str) {
    println!("\n{text}");
}

pub(crate) fn row(name: &str, value: &str) {
    println!("  {name:<52} {value}");
}

/// Half of them, nearly all of them, and how many a second.
pub(crate) fn times(name: &str, times: &Times) {
    let (half, most) = (times.micros(0.5), times.micros(0.99));
    row(
        name,
        &format!(
            "p50 {half:>9.0} µs   p99 {most:>9.0} µs   {:>8.0} /s",
            times.rate()
        ),
    );
}

/// How the store compares with the floor.
pub(crate) fn ratio(name: &str, ours: f64, floor: f64) {
    row(name, &format!("{:.2} × the plain file", ours / floor));
}
