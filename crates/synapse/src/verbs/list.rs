//! `synapse list`.

use std::io::Write as _;

use anyhow::Result;

use super::reach;

/// Runs it.
pub(crate) fn run(json: bool) -> Result<u8> {
    let entries = reach::agents()?;
    let mut out = std::io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, &entries)?;
        writeln!(out)?;
        return Ok(0);
    }
    if entries.is_empty() {
        eprintln!("no agent runs; start one with: synapse start <profile>");
    }
    for entry in entries {
        let (handle, dir) = (entry.handle.to_string(), entry.working_dir.display());
        writeln!(
            out,
            "{handle:16} {:10} {:7} {:26} {dir}",
            entry.profile, entry.pid, entry.endpoint
        )?;
    }
    Ok(0)
}
