//! How an event is spelled in a log: `task ended task="9f4b" bytes=12`. An event is one line, and a text is quoted as
//! JSON quotes it, whoever wrote it: no text ends a line, ends its value, or moves the cursor of whoever reads.

use std::fmt::{self, Debug, Write as _};

use serde_json::{Value, json};
use synapse_machine::bidi::is_bidi_control;
use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

/// Writes the message and the fields of an event.
pub(super) struct LogFields;

impl<'a> FormatFields<'a> for LogFields {
    fn format_fields<R: RecordFields>(&self, to: Writer<'a>, fields: R) -> fmt::Result {
        let mut line = Line {
            to,
            is_begun: false,
            result: Ok(()),
        };
        fields.record(&mut line);
        line.result
    }
}

struct Line<'a> {
    to: Writer<'a>,
    is_begun: bool,
    result: fmt::Result,
}

impl Line<'_> {
    fn add(&mut self, field: &Field, value: &Value) {
        let said = spelled(field.name(), value);
        let gap = if self.is_begun { " " } else { "" };
        self.is_begun = true;
        self.result = self.result.and_then(|()| write!(self.to, "{gap}{said}"));
    }
}

impl Visit for Line<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, &json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, &json!(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, &json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, &json!(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, &json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, &json!(format!("{value:?}")));
    }
}

/// A field, or the message, which is quoted only if it could be taken for something else.
fn spelled(name: &str, value: &Value) -> String {
    if name != "message" {
        return format!("{name}={}", quoted(value));
    }
    match value.as_str() {
        Some(words) if !words.starts_with('"') && !words.contains(|c| c == '=' || is_obeyed(c)) => {
            words.to_owned()
        }
        _ => quoted(value),
    }
}

/// As JSON, without anything that a terminal or a reader of lines obeys.
fn quoted(value: &Value) -> String {
    let mut quoted = String::new();
    for c in value.to_string().chars() {
        if is_obeyed(c) {
            let _ = write!(quoted, "\\u{:04x}", u32::from(c));
        } else {
            quoted.push(c);
        }
    }
    quoted
}

fn is_obeyed(c: char) -> bool {
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() || ends_line || is_bidi_control(c)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(text)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(log: impl FnOnce()) -> String {
        let text = Log::default();
        let to = text.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .fmt_fields(LogFields)
            .with_writer(move || to.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, log);
        let text = text.0.lock().unwrap().clone();
        String::from_utf8(text).unwrap().trim_start().to_owned()
    }

    #[test]
    fn whatever_a_text_is_logged_as_it_is_quoted() {
        let foreign = "a\nb=\"c\" \u{1b}[m\u{9b}\u{202e}\u{61c}";
        let quoted = r#""a\nb=\"c\" \u001b[m\u009b\u202e\u061c""#;
        let error = io::Error::other(foreign);
        let error: &(dyn std::error::Error + 'static) = &error;
        let line = format!("INFO said one={quoted} two={quoted} three={quoted}\n");
        let log = || tracing::info!(one = foreign, two = %foreign, three = error, "said");
        assert_eq!(logged(log), line);
        let log = || tracing::info!("{foreign}");
        assert_eq!(logged(log), format!("INFO {quoted}\n"));
    }

    #[test]
    fn numbers_and_plain_words_are_bare() {
        let log = || tracing::info!(code = 137, is = true, gone = None::<u8>, "agent ended: yes");
        assert_eq!(logged(log), "INFO agent ended: yes code=137 is=true\n");
    }
}
