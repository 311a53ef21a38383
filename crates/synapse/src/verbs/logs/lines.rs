//! The lines of a log in another spelling: as JSON for programs, and short for a person.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Deserializer, Map, Value, json};

/// Takes a log, and writes each of its lines in another spelling.
pub(super) struct Lines<W> {
    out: W,
    spell: fn(&str) -> String,
    /// A line that has not ended yet.
    rest: Vec<u8>,
}

impl<W: Write> Lines<W> {
    /// As JSON: when, how grave, which part of Synapse said it, and what.
    pub(super) fn as_json(out: W) -> Self {
        Self::new(out, |line| object(line).to_string())
    }

    /// With the time of this place, and without what only who works on Synapse asks for.
    pub(super) fn for_person(out: W) -> Self {
        Self::new(out, |line| {
            short(line, &TimeZone::system(), Timestamp::now())
        })
    }

    fn new(out: W, spell: fn(&str) -> String) -> Self {
        let rest = Vec::new();
        Self { out, spell, rest }
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        for piece in text.split_inclusive(|byte| *byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.rest);
                writeln!(self.out, "{}", (self.spell)(line.trim_end()))?;
                self.rest.clear();
            }
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A line of the log: `2026-11-18T02:31:43.907856Z  INFO synapse::host: agent started handle="x"`.
struct Line<'a> {
    at: &'a str,
    time: Timestamp,
    level: &'a str,
    from: &'a str,
    said: &'a str,
}

/// The parts of a line. What is not of that form is what was said and nothing else.
fn parts(line: &str) -> Option<Line<'_>> {
    let (at, rest) = line.split_once(' ')?;
    let (level, rest) = rest.trim_start().split_once(' ')?;
    let (from, said) = rest
        .split_once(": ")
        .filter(|(from, _)| !from.contains(' '))?;
    let time = at.parse().ok()?;
    Some(Line {
        at,
        time,
        level,
        from,
        said,
    })
}

fn object(line: &str) -> Value {
    let Some(line) = parts(line) else {
        return json!({ "at": null, "level": null, "from": null, "said": line, "fields": {} });
    };
    let level = line.level.to_lowercase();
    json!({ "at": line.at, "level": level, "from": line.from, "said": line.said, "fields": fields(line.said) })
}

fn short(line: &str, here: &TimeZone, now: Timestamp) -> String {
    let Some(line) = parts(line) else {
        return line.to_owned();
    };
    let [at, now] = [line.time, now].map(|time| time.to_zoned(here.clone()));
    let form = if at.date() == now.date() {
        "%H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M:%S"
    };
    let level = match line.level {
        "INFO" => String::new(),
        grave => format!("{grave} "),
    };
    format!("{} {level}{}", at.strftime(form), line.said)
}

/// The values at the end of what was said: `task accepted task="9f4b" priority=1`. They are numbers, facts and quoted
/// texts; behind what is none of these, whoever wrote it, nothing is a value.
fn fields(said: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut rest = after_message(said);
    while let Some((key, text)) = rest.split_once('=') {
        let Some((value, after)) = value(text).filter(|_| !key.contains(' ')) else {
            break;
        };
        fields.insert(key.to_owned(), value);
        rest = after;
    }
    fields
}

/// What follows the message: words without `=`, or one quoted text.
fn after_message(said: &str) -> &str {
    if said.starts_with('"') {
        return value(said).map_or("", |(_, after)| after);
    }
    let before = said.split_once('=').map_or(said, |(before, _)| before);
    let begin = before.rfind(' ').map_or(0, |blank| blank + 1);
    said.get(begin..).unwrap_or("")
}

/// The value that a text begins with, and what follows it.
fn value(text: &str) -> Option<(Value, &str)> {
    let mut values = Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    let after = text.get(values.byte_offset()..)?;
    let after = if after.is_empty() {
        after
    } else {
        after.strip_prefix(' ')?
    };
    Some((value, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_they_were_logged_as() {
        let said = "state state=\"idle\" evidence=\"title: a=\\\"b\\\" c\" queue=2 is=true screen=\"1.2.3\"";
        let wanted = json!({
            "state": "idle", "evidence": "title: a=\"b\" c", "queue": 2, "is": true, "screen": "1.2.3"
        });
        assert_eq!(Value::from(fields(said)), wanted);
        assert_eq!(Value::from(fields("nothing but words")), json!({}));
        assert_eq!(
            Value::from(fields("\"a=\\\"b\\\"\" c=1")),
            json!({ "c": 1 })
        );
        assert_eq!(Value::from(fields("8 hops a=1")), json!({ "a": 1 }));
    }

    #[test]
    fn what_is_not_quoted_is_no_value_and_nothing_behind_it_is() {
        let said = "task ended task=\"1\" why=no thanks task=\"x\" state=\"completed\"";
        assert_eq!(Value::from(fields(said)), json!({ "task": "1" }));
    }

    #[test]
    fn a_person_gets_the_time_of_the_place_and_what_was_said() {
        let log = "2026-11-18T02:31:43.907856Z  INFO synapse::host: agent started handle=\"x\"";
        let at = |now: &str| short(log, &TimeZone::UTC, now.parse().unwrap());
        assert_eq!(
            at("2026-11-18T20:00:00Z"),
            "02:31:43 agent started handle=\"x\""
        );
        assert_eq!(
            at("2026-11-19T00:00:00Z"),
            "2026-11-18 02:31:43 agent started handle=\"x\""
        );
        let now = "2026-11-18T20:00:00Z".parse().unwrap();
        let grave = log.replace("INFO", "WARN");
        assert_eq!(
            short(&grave, &TimeZone::UTC, now),
            "02:31:43 WARN agent started handle=\"x\""
        );
        assert_eq!(short("at src: odd", &TimeZone::UTC, now), "at src: odd");
    }

    #[test]
    fn each_line_is_an_object_in_whatever_pieces_it_comes() {
        let log = "2026-11-18T02:31:43.907856Z  INFO synapse::host: agent started handle=\"x\"\nat src: odd\n";
        let mut whole = Vec::new();
        Lines::as_json(&mut whole)
            .write_all(log.as_bytes())
            .unwrap();
        for size in 1..log.len() {
            let mut out = Vec::new();
            let mut lines = Lines::as_json(&mut out);
            for piece in log.as_bytes().chunks(size) {
                lines.write_all(piece).unwrap();
            }
            assert_eq!(out, whole);
        }
        let lines: Vec<Value> = whole
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        assert_eq!(lines[0]["level"], "info");
        assert_eq!(lines[0]["from"], "synapse::host");
        assert_eq!(lines[0]["said"], "agent started handle=\"x\"");
        assert_eq!(lines[0]["fields"]["handle"], "x");
        assert_eq!(lines[1]["said"], "at src: odd");
        assert_eq!(lines[1]["at"], Value::Null);
    }
}
