//! The chat history of aider: Markdown that every session in a folder appends to. What the user said
//! stands behind `####`, what aider itself said behind `>`; both end with two blanks, which tells them
//! from such lines in a reply. There are no times: a row is as old as the file was when it was read.

use jiff::Timestamp;

use super::Asked;
use super::log::Entry;
use super::tokens::Took;

/// The rows of a chat history, put together to what they mean.
#[derive(Debug, Default)]
pub(super) struct Rows {
    asked: Vec<String>,
    said: Vec<String>,
    /// Nothing ended the last turn yet.
    is_open: bool,
    /// The user stopped the last turn; what it had heard by then is written after that.
    was_stopped: bool,
}

impl Rows {
    /// Takes one row, and when the file was last changed before it was read.
    pub(super) fn push(&mut self, row: &str, changed: Option<Timestamp>) -> Vec<Entry> {
        let mut found = Vec::new();
        // An empty one has lost the blank behind its mark.
        let own = |mark: &str| {
            row.strip_prefix(mark)?
                .strip_suffix("  ")
                .map(str::trim_start)
        };
        if let Some(text) = own("####") {
            self.said.clear();
            self.was_stopped = false;
            self.asked.push(text.trim_end().to_owned());
            return found;
        }
        if !self.asked.is_empty() {
            let mut text = std::mem::take(&mut self.asked).join("\n");
            // Another session writes to the same file: nobody knows whose the next reply is.
            if std::mem::replace(&mut self.is_open, true) {
                text.clear();
            }
            found.push(Entry::Asked(Asked { text, at: changed }));
        }
        match own(">") {
            Some(note) => found.extend(self.noted(note)),
            None if row.starts_with("# aider chat started at ") => {
                self.said.clear();
                self.is_open = false;
            }
            None => self.said.push(row.to_owned()),
        }
        found
    }

    /// A word of aider's own ends what the model said.
    fn noted(&mut self, note: &str) -> Vec<Entry> {
        self.is_open = false;
        let text = std::mem::take(&mut self.said).join("\n");
        let text = text.trim_matches('\n').to_owned();
        let mut found = Vec::new();
        if !text.is_empty() && !self.was_stopped {
            found.push(Entry::Said {
                text,
                calls: Vec::new(),
            });
        }
        found.extend(Took::of_aider(note).map(Entry::Took));
        if note.starts_with("litellm.") || note.contains("Error: ") {
            found.push(Entry::Failed(note.to_owned()));
        } else if note.starts_with("^C") {
            self.was_stopped = true;
            found.push(Entry::Interrupted);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Verdict, turn_of};

    const HISTORY: &str = "
# aider chat started at 2026-11-16 09:23:43

> Aider v0.86.2  

#### [A2A:1:user] first  
#### second line  

Here it is:

#### A heading

> a quotation

```python
print(1)
```

> Tokens: 2.3k sent, 6 received.  
";

    #[test]
    fn a_reply_may_look_like_what_aider_writes_itself() {
        let reply = "Here it is:\n\n#### A heading\n\n> a quotation\n\n```python\nprint(1)\n```";
        let turn = turn_of(Kind::Aider, HISTORY, "[A2A:1:user] first\nsecond line").unwrap();
        assert_eq!(turn.verdict, Some(Verdict::Replied(reply.to_owned())));
    }

    #[test]
    fn two_sessions_at_once_in_one_file_are_a_doubt() {
        let both =
            "#### theirs  \n\n#### ours, and long enough  \n\nwhose?\n\n> Tokens: 1 sent  \n";
        assert_eq!(turn_of(Kind::Aider, both, "ours, and long enough"), None);
        let theirs = turn_of(Kind::Aider, both, "theirs").unwrap();
        assert_eq!(theirs.verdict, None);
    }

    #[test]
    fn an_error_and_an_interrupt_are_told_apart() {
        let failed = "#### a  \n\n> litellm.BadRequestError: no  \n";
        let why = Verdict::Failed("litellm.BadRequestError: no".to_owned());
        assert_eq!(
            turn_of(Kind::Aider, failed, "a").unwrap().verdict,
            Some(why)
        );
        let stopped = "#### a  \n>  \n>  \n> ^C again to exit  \n\nalpha bravo\n\n> more  \n";
        let turn = turn_of(Kind::Aider, stopped, "a").unwrap();
        assert_eq!(turn.verdict, Some(Verdict::Interrupted));
        assert_eq!(turn.said, "");
    }
}
