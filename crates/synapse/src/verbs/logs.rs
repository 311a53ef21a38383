//! `synapse logs`: the last lines of an agent's log, and those to come, also across a rotation.

mod follow;
mod lines;

use std::fs::File;
use std::io::{IsTerminal as _, Read as _, Write};
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;
use synapse_machine::handle::Handle;
use synapse_machine::log_file::{KEPT, old};
use synapse_machine::paths::Paths;

use super::lookup;
use crate::verbs::print;
use lines::Lines;

/// `synapse logs …`
#[derive(Args)]
pub(crate) struct Logs {
    /// The agent: its handle, even if it has ended
    #[arg(add = crate::cli::complete::agents())]
    agent: String,
    /// How many lines
    #[arg(short = 'n', long, default_value_t = 20)]
    lines: usize,
    /// Follow the log as it grows
    #[arg(short, long)]
    follow: bool,
    /// Print JSON, a line each: {at, level, from, said, fields}
    #[arg(long)]
    json: bool,
}

/// Runs it. The log of an agent that is gone can be read too, by its handle.
pub(crate) fn run(args: &Logs) -> Result<u8> {
    let paths = Paths::from_env()?;
    let path = match lookup::agent(&args.agent) {
        Ok(entry) => paths.log(&entry.handle),
        Err(error) => {
            let gone = Handle::parse(args.agent.trim_start_matches('@')).ok();
            let path = gone.map(|handle| paths.log(&handle));
            path.filter(|path| path.exists()).ok_or(error)?
        }
    };
    let mut log = open(&path)?;
    let mut text = last_lines(&mut log, &path, args.lines)?;
    if !args.follow && text.last().is_some_and(|last| *last != b'\n') {
        // A full disk leaves a line without an end, and none will come.
        text.push(b'\n');
    }
    let mut out: Box<dyn Write> = match args.json {
        true => Box::new(Lines::as_json(print::out())),
        // What stands in the file is for programs and for reports.
        false if !std::io::stdout().is_terminal() => Box::new(print::out()),
        false => Box::new(Lines::for_person(print::out())),
    };
    out.write_all(&text)?;
    out.flush()?;
    if !args.follow {
        return Ok(0);
    }
    // The file stands where the last lines ended, so that nothing is lost in between.
    let mut follower = follow::Follower::new(&path, log);
    lookup::block_on(async move { follower.run(&mut out).await })
}

/// The last lines of an agent's log.
pub(super) fn tail(path: &Path, count: usize) -> Result<Vec<u8>> {
    last_lines(&mut open(path)?, path, count)
}

fn open(path: &Path) -> Result<File> {
    File::open(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The last lines, from the logs before it as well if there are not enough in it.
fn last_lines(log: &mut File, path: &Path, count: usize) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    log.read_to_end(&mut text)?;
    for number in 1..=KEPT {
        if lines(&text) >= count {
            break;
        }
        let Ok(mut before) = std::fs::read(old(path, number)) else {
            break;
        };
        before.append(&mut text);
        text = before;
    }
    let skipped = lines(&text).saturating_sub(count);
    let rest = text.split_inclusive(|byte| *byte == b'\n').skip(skipped);
    Ok(rest.flatten().copied().collect())
}

fn lines(text: &[u8]) -> usize {
    text.split_inclusive(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_across_rotations() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.log");
        std::fs::write(old(&path, 2), "1\n2\n").unwrap();
        std::fs::write(old(&path, 1), "3\n4\n").unwrap();
        std::fs::write(&path, "5\n6\n").unwrap();
        let text = |count| {
            let text = last_lines(&mut open(&path).unwrap(), &path, count);
            String::from_utf8(text.unwrap()).unwrap()
        };
        assert_eq!(text(0), "");
        assert_eq!(text(1), "6\n");
        assert_eq!(text(3), "4\n5\n6\n");
        assert_eq!(text(99), "1\n2\n3\n4\n5\n6\n");
    }

    #[test]
    fn a_log_that_is_not_there_is_named() {
        let error = open(Path::new("/no/such.log")).unwrap_err().to_string();
        assert!(error.contains("/no/such.log"));
    }
}
