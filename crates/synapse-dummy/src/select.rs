//! A menu with a mark that the arrow keys move, as many programs draw it.

use std::io::Write;

use super::Agent;
use super::input::Stop;
use super::key::Key;
use super::modes::Modes;

/// Lets somebody choose; what was chosen. None at a pipe, where nobody can press an arrow.
pub(super) fn choose<W: Write>(
    agent: &mut Agent<W>,
    options: &[String],
) -> Result<Option<usize>, Stop> {
    let modes = Modes::keys().and_then("\x1b[?25h");
    if !modes.is_terminal() {
        return Ok(None);
    }
    let last = options.len().saturating_sub(1);
    let mut at = 0;
    writeln!(agent.out, "\x1b[?25l\nWhich one?")?;
    paint(&mut agent.out, options, at)?;
    let chosen = loop {
        match agent.input.key(None) {
            Ok(Some(Key::Up | Key::Char('k'))) => at = at.checked_sub(1).unwrap_or(last),
            Ok(Some(Key::Down | Key::Char('j'))) => at = if at == last { 0 } else { at + 1 },
            Ok(Some(Key::Enter)) => break Ok(Some(at)),
            Ok(Some(Key::Escape)) => break Err(Stop::Interrupted),
            Ok(Some(Key::End)) => break Err(Stop::Exit(0)),
            Ok(_) => continue,
            Err(stop) => break Err(stop),
        }
        // Back to the first option, to paint over all of them.
        write!(agent.out, "\x1b[{}A\r", options.len() + 1)?;
        paint(&mut agent.out, options, at)?;
    };
    // The menu goes, the question stays.
    write!(agent.out, "\x1b[{}A\r\x1b[J", options.len() + 1)?;
    agent.out.flush()?;
    drop(modes);
    agent.input.take_lines();
    chosen
}

fn paint(out: &mut impl Write, options: &[String], at: usize) -> Result<(), Stop> {
    for (number, option) in options.iter().enumerate() {
        if number == at {
            writeln!(out, "\x1b[K\x1b[36m❯ {option}\x1b[0m")?;
        } else {
            writeln!(out, "\x1b[K  {option}")?;
        }
    }
    writeln!(
        out,
        "\x1b[K\x1b[2m(↑/↓ to move, Enter to select, Esc to cancel)\x1b[0m"
    )?;
    Ok(out.flush()?)
}
