//! The lines of a log as JSON: when, how grave, which part of Synapse said it, and what.

use std::io::{self, Write};

use serde_json::{Deserializer, Map, Value, json};

/// Takes a log and writes an object for each of its lines.
pub(super) struct JsonLines<W> {
    out: W,
    /// A line that has not ended yet.
    rest: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    pub(super) fn new(out: W) -> Self {
        let rest = Vec::new();
        Self { out, rest }
    }
}

impl<W: Write> Write for JsonLines<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(text);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            writeln!(self.out, "{}", object(line.trim_end()))?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A line of the log: `2026-11-18T02:31:43.907856Z  INFO synapse::host: agent started handle="x"`. What is not of that
/// form, such as the end of a panic, is what was said and nothing else.
fn object(line: &str) -> Value {
    let parts = line.split_once(' ').and_then(|(at, rest)| {
        let (level, rest) = rest.trim_start().split_once(' ')?;
        let (from, said) = rest.split_once(": ")?;
        let is_line = at.parse::<jiff::Timestamp>().is_ok() && !from.contains(' ');
        is_line
            .then(|| json!({ "at": at, "level": level.to_lowercase(), "from": from, "said": said, "fields": fields(said) }))
    });
    parts.unwrap_or_else(
        || json!({ "at": null, "level": null, "from": null, "said": line, "fields": {} }),
    )
}

/// The values at the end of what was said: `task accepted task="9f4b" priority=1`.
fn fields(said: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut rest = said;
    while let Some((before, text)) = rest.split_once('=') {
        let key = before.rsplit(' ').next().unwrap_or_default();
        let mut values = Deserializer::from_str(text).into_iter();
        let (value, after) = if let Some(Ok(value)) = values.next() {
            (value, text.get(values.byte_offset()..).unwrap_or(""))
        } else {
            let (word, after) = text.split_once(' ').unwrap_or((text, ""));
            (Value::from(word), after)
        };
        fields.insert(key.to_owned(), value);
        rest = after;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_they_were_logged_as() {
        let said =
            "state state=\"idle\" evidence=\"title: a=\\\"b\\\" c\" queue=2 way=on screen=1.2.3";
        let wanted = json!({
            "state": "idle", "evidence": "title: a=\"b\" c", "queue": 2, "way": "on", "screen": "1.2.3"
        });
        assert_eq!(Value::from(fields(said)), wanted);
        assert_eq!(Value::from(fields("nothing but words")), json!({}));
    }

    #[test]
    fn each_line_is_an_object_in_whatever_pieces_it_comes() {
        let log = "2026-11-18T02:31:43.907856Z  INFO synapse::host: agent started handle=\"x\"\nat src: odd\n";
        let mut whole = Vec::new();
        JsonLines::new(&mut whole)
            .write_all(log.as_bytes())
            .unwrap();
        for size in 1..log.len() {
            let mut out = Vec::new();
            let mut lines = JsonLines::new(&mut out);
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
