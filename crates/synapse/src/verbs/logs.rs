//! `synapse logs`.

use std::fs::File;
use std::io::{Read as _, Write as _};

use anyhow::{Context as _, Result};
use rustix::fs::inotify;
use synapse::handle::Handle;
use synapse::paths::Paths;

use super::reach;

/// Runs it. The log of an agent that is gone can be read too, by its handle.
pub(crate) fn run(agent: &str, count: usize, follow: bool) -> Result<u8> {
    let handle = match reach::agent(agent) {
        Ok(entry) => entry.handle,
        Err(error) => Handle::parse(agent.trim_start_matches('@')).map_err(|_| error)?,
    };
    let path = Paths::from_env()?.log(&handle);
    let mut file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let mut out = std::io::stdout().lock();
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().skip(lines.len().saturating_sub(count)) {
        writeln!(out, "{line}")?;
    }
    if !follow {
        return Ok(0);
    }
    let changes = inotify::init(inotify::CreateFlags::CLOEXEC)?;
    inotify::add_watch(&changes, &path, inotify::WatchFlags::MODIFY)?;
    let mut events = [std::mem::MaybeUninit::uninit(); 1_024];
    loop {
        // What was written before the watch began is there already.
        text.clear();
        file.read_to_string(&mut text)?;
        out.write_all(text.as_bytes())?;
        out.flush()?;
        inotify::Reader::new(&changes, &mut events).next()?;
    }
}
