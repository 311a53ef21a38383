//! How fast the bytes of real programs are fed and read, beside the emulator alone.
//!
//! Four rows in one run, so that they can be compared whatever the machine is doing: `floor` is the
//! emulator without us; `screen` adds signals and frames of synchronized updates; `watch` adds
//! readings, prompts and replies at the recorded times (a few kilobytes a second, so the looks
//! weigh more than the bytes); `flood` is the same when the bytes come as fast as a PTY gives them.
//! `lines` has coloured lines instead, as `make bench` floods a terminal with, in the pieces a host takes.

#![allow(missing_docs, clippy::unwrap_used, reason = "this is a bench")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::term::test::TermSize;
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::{Processor, StdSyncHandler};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use synapse_term::cast::{Cast, What};
use synapse_term::profile::Profile;
use synapse_term::screen::{Meter, Screen, Size};
use synapse_term::watch::Watcher;

/// The three recordings with the most bytes: a reply of 200 lines.
const RECORDINGS: [(&str, &str); 3] = [
    (
        "claude",
        include_str!("../../../fixtures/recordings/claude/08_long200.cast"),
    ),
    (
        "codex",
        include_str!("../../../fixtures/recordings/codex/08_long200.cast"),
    ),
    (
        "gemini",
        include_str!("../../../fixtures/recordings/gemini/08_long200.cast"),
    ),
];

/// A Linux PTY gives about 80 MB a second.
const PTY_BYTE: Duration = Duration::from_nanos(12);

fn output(cast: &Cast) -> Vec<(Duration, &str)> {
    let events = cast.events.iter();
    events
        .filter_map(|event| match &event.what {
            What::Output(text) => Some((event.at, text.as_str())),
            _ => None,
        })
        .collect()
}

fn feed(c: &mut Criterion) {
    for (name, text) in RECORDINGS {
        let cast = Cast::parse(text).unwrap();
        let output = output(&cast);
        let bytes: usize = output.iter().map(|(_, text)| text.len()).sum();
        let profile = Arc::new(Profile::builtin(name).unwrap());
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function("floor", |b| {
            b.iter(|| {
                let size = TermSize::new(cast.size.cols().into(), cast.size.rows().into());
                let config = Config {
                    scrolling_history: 2_000,
                    ..Config::default()
                };
                let mut term = Term::new(config, &size, VoidListener);
                let mut parser = Processor::<StdSyncHandler>::new();
                for (_, text) in &output {
                    parser.advance(&mut term, text.as_bytes());
                }
                black_box(term.grid().cursor.point)
            });
        });
        group.bench_function("screen", |b| {
            b.iter(|| {
                let mut screen = Screen::new(cast.size);
                for (at, text) in &output {
                    screen.feed(text.as_bytes(), *at, |_| {});
                }
                black_box(screen.frame())
            });
        });
        group.bench_function("watch", |b| {
            b.iter(|| {
                let mut watcher = Watcher::new(Arc::clone(&profile), cast.size);
                for event in &cast.events {
                    watcher.replay(event);
                }
                watcher.finish(cast.end());
                black_box(watcher.take_events())
            });
        });
        group.bench_function("flood", |b| {
            b.iter(|| {
                let mut watcher = Watcher::new(Arc::clone(&profile), cast.size);
                let mut now = Duration::ZERO;
                for event in &cast.events {
                    match &event.what {
                        What::Output(text) => {
                            now += PTY_BYTE * u32::try_from(text.len()).unwrap();
                            watcher.feed(text.as_bytes(), now);
                        }
                        What::Input(text) => watcher.input(text.as_bytes(), now),
                        _ => {}
                    }
                }
                watcher.finish(now);
                black_box(watcher.take_events())
            });
        });
        group.finish();
    }
}

/// How much of a program's output the host takes at once, and how much of a flood.
const PIECE: usize = 64 * 1024;
const FLOOD_PIECE: usize = 1 << 20;

fn lines(c: &mut Criterion) {
    let line = |n: usize| format!("\x1b[3{}m{}\x1b[0m\r\n", n % 8, "x".repeat(78));
    let text: String = (0..20_000).map(line).collect();
    let size = Size::USUAL;
    let mut group = c.benchmark_group("lines");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("floor", |b| {
        let size = TermSize::new(size.cols().into(), size.rows().into());
        let config = Config {
            scrolling_history: 2_000,
            ..Config::default()
        };
        let mut term = Term::new(config, &size, VoidListener);
        let mut parser = Processor::<StdSyncHandler>::new();
        b.iter(|| {
            for piece in text.as_bytes().chunks(PIECE) {
                parser.advance(&mut term, piece);
            }
        });
    });
    group.bench_function("meter", |b| {
        let mut meter = Meter::default();
        b.iter(|| {
            for piece in text.as_bytes().chunks(PIECE) {
                black_box(meter.portion(piece, size));
            }
        });
    });
    group.bench_function("screen", |b| {
        let mut screen = Screen::new(size);
        b.iter(|| {
            for piece in text.as_bytes().chunks(PIECE) {
                screen.feed(piece, Duration::ZERO, |_| {});
            }
        });
    });
    group.bench_function("skipped", |b| {
        let mut screen = Screen::new(size);
        b.iter(|| {
            for piece in text.as_bytes().chunks(FLOOD_PIECE) {
                let skipped = screen.skip_unseen(piece);
                let rest = piece.get(skipped..).unwrap_or_default();
                screen.feed(rest, Duration::ZERO, |_| {});
            }
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(3)).sample_size(30);
    targets = feed, lines
}
criterion_main!(benches);
