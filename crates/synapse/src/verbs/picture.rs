//! An agent's screen as it was read: what each row was taken for, tinted where the terminal has colours.

use std::io::{IsTerminal as _, Write};

use anyhow::Result;
use serde_json::Value;

use super::paint;
use super::print::{self, shown};

/// Prints the answer of `GET /explain`.
pub(super) fn print(picture: &Value) -> Result<()> {
    let is_coloured = paint::is_coloured(std::io::stdout().is_terminal());
    write(&mut print::painted(), picture, is_coloured)
}

/// The rows that show something: what each was taken for, the row, and why the first of its kind was.
fn write(out: &mut impl Write, picture: &Value, is_coloured: bool) -> Result<()> {
    let rows = picture.get("rows").and_then(Value::as_array);
    let text = |row: &Value, name: &str| {
        let text = row.get(name).and_then(Value::as_str).unwrap_or("");
        shown(text)
    };
    let mut before = (String::new(), String::new());
    for row in rows.into_iter().flatten() {
        let (part, why, line) = (text(row, "part"), text(row, "why"), text(row, "text"));
        if part == "blank" {
            continue;
        }
        let line = line.trim_end();
        match tint(&part).filter(|_| is_coloured) {
            Some(code) => writeln!(
                out,
                "\x1b[{code}m{part:>10} \u{2502}\x1b[0m \x1b[{code}m{line}\x1b[0m"
            )?,
            None => writeln!(out, "{part:>10} \u{2502} {line}")?,
        }
        let now = (part, why);
        if now != before {
            writeln!(out, "{:>10} \u{2502}   \u{2191} {}", "", now.1)?;
        }
        before = now;
    }
    Ok(())
}

/// The colour of a kind of row.
fn tint(part: &str) -> Option<&'static str> {
    Some(match part {
        "box" => "36",
        "dialog" => "33",
        "speech" => "32",
        "echo" => "34",
        "furniture" | "status" => "35",
        "decoration" | "earlier" => "2",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_named_and_reasons_told_once() {
        let row =
            |part: &str, text: &str, why: &str| json!({ "part": part, "text": text, "why": why });
        let picture = json!({ "rows": [
            row("speech", "one", "below"), row("blank", "", ""), row("speech", "two", "below"),
            row("box", "> ", "prompt"),
        ] });
        let mut plain = Vec::new();
        write(&mut plain, &picture, false).unwrap();
        let plain = String::from_utf8(plain).unwrap();
        assert_eq!(plain.matches("below").count(), 1, "{plain}");
        assert!(plain.contains("    speech \u{2502} one\n"), "{plain}");
        let mut painted = Vec::new();
        write(&mut painted, &picture, true).unwrap();
        let painted = String::from_utf8(painted).unwrap();
        assert!(painted.contains("\x1b[36m>\x1b[0m"), "{painted:?}");
    }
}
