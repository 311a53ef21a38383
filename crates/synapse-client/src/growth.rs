//! A reply while it grows. What was told of it may be replaced; pure, so that it can be tested.

use crate::native::ArtifactEvent;

/// What was told of a reply: its pieces, in the order in which they were begun.
#[derive(Debug, Default)]
pub struct ReplyPieces {
    pieces: Vec<(String, String)>,
}

impl ReplyPieces {
    pub fn take(&mut self, event: &ArtifactEvent) {
        let (id, text) = (&event.artifact_id, event.text());
        match self.pieces.iter_mut().find(|(known, _)| known == id) {
            Some((_, told)) if event.append => told.push_str(&text),
            Some((_, told)) => *told = text,
            None => self.pieces.push((id.clone(), text)),
        }
    }

    /// All of it.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.pieces.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("\n")
    }
}

/// Writes a text that grows where nothing can be taken back: a text that ends with a line break goes
/// out at once, any other line when it was finished and the same twice in a row, the rest when the
/// text is whole.
#[derive(Debug, Default)]
pub struct Lines {
    before: String,
    written: String,
}

impl Lines {
    /// What can be written now that the text is this.
    pub fn grow(&mut self, text: &str) -> String {
        // Of a reply that may be painted anew nobody tells the line break behind its last line.
        let same = if text.ends_with('\n') {
            text
        } else {
            common(&self.before, text)
        };
        let finished = same.rfind('\n').map_or(0, |at| at + 1);
        text.clone_into(&mut self.before);
        let more = text
            .get(..finished)
            .and_then(|stable| stable.strip_prefix(self.written.as_str()))
            .unwrap_or("");
        self.written.push_str(more);
        more.to_owned()
    }

    /// What was written of the text.
    pub fn written(self) -> String {
        self.written
    }
}

/// What two texts begin with alike.
fn common<'a>(one: &str, two: &'a str) -> &'a str {
    let mut pairs = one.chars().zip(two.char_indices());
    let end = pairs.find(|(a, (_, b))| a != b).map(|(_, (at, _))| at);
    let shorter = one.len().min(two.len());
    two.get(..end.unwrap_or(shorter)).unwrap_or(two)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(id: &str, append: bool, text: &str) -> ArtifactEvent {
        ArtifactEvent {
            task_id: "t".to_owned(),
            artifact_id: id.to_owned(),
            artifact: Some(json!({ "parts": [{ "type": "text", "text": text }] })),
            append,
            last_chunk: false,
        }
    }

    #[test]
    fn pieces_grow_are_replaced_and_keep_their_order() {
        let mut told = ReplyPieces::default();
        told.take(&event("a", false, "one"));
        told.take(&event("a", true, " two"));
        told.take(&event("b", false, "three"));
        assert_eq!(told.text(), "one two\nthree");
        told.take(&event("a", false, "ONE"));
        told.take(&ArtifactEvent {
            artifact: None,
            last_chunk: true,
            ..event("a", true, "")
        });
        assert_eq!(told.text(), "ONE\nthree");
    }

    #[test]
    fn only_finished_lines_go_out_and_none_twice() {
        let mut lines = Lines::default();
        assert_eq!(lines.grow("one\ntwo\nthr"), "", "seen once");
        assert_eq!(lines.grow("one\ntwo\nthree"), "one\ntwo\n");
        assert_eq!(lines.grow("one\ntwo\nthree\nfour"), "");
        assert_eq!(lines.grow("one\ntwo\nthree\nfour"), "three\n");
        assert_eq!(lines.written(), "one\ntwo\nthree\n");
    }

    #[test]
    fn a_line_that_was_ended_goes_out_at_once() {
        let mut lines = Lines::default();
        assert_eq!(lines.grow("one\n"), "one\n");
        assert_eq!(lines.grow("one\ntw"), "");
        assert_eq!(lines.grow("one\ntwo\nthree\n"), "two\nthree\n");
    }

    #[test]
    fn what_is_replaced_holds_the_rest_back() {
        let mut lines = Lines::default();
        lines.grow("one\ntwo\nx");
        assert_eq!(lines.grow("one\ntwo\nx"), "one\ntwo\n");
        lines.grow("other\ntwo\nx\ny");
        assert_eq!(
            lines.grow("other\ntwo\nx\ny"),
            "",
            "it cannot be taken back"
        );
        lines.grow("one\ntwo\nx\ny");
        assert_eq!(lines.grow("one\ntwo\nx\ny"), "x\n");
    }

    #[test]
    fn letters_of_any_length_are_compared_whole() {
        assert_eq!(common("é\n", "e\n"), "");
        assert_eq!(common("日本", "日曜"), "日");
        assert_eq!(common("日", "日本"), "日");
        assert_eq!(common("日本", "日"), "日");
    }
}
