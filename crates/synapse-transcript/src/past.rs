//! The older conversations of a folder, as the program's own files tell them: what each is called, when it was last
//! written to, and how it began. Only the beginning of a file is read.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::SystemTime;

use super::{Kind, Model, Source};
use synapse_machine::private_file::{Trust, open_regular};

/// How many files are looked into, the newest first.
const MOST_FILES: usize = 500;

/// How many conversations are told.
const MOST: usize = 50;

/// How much of a file is read for its first message: what programs write before it can be long.
const LONGEST_BEGINNING: u64 = 256 << 10;

/// As much of the first message as a list has room for, in characters.
const LONGEST_WORDS: usize = 200;

/// A conversation that a program can go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastConversation {
    /// What the program calls it.
    pub name: String,
    pub last_at: SystemTime,
    /// The first words of its first message, on one line.
    pub begins: String,
}

impl Source {
    /// The conversations of this folder, the newest first. None for programs whose files we cannot read so.
    pub fn past_conversations(&self) -> Vec<PastConversation> {
        if !matches!(self.kind, Kind::Claude | Kind::Codex | Kind::Gemini) {
            return Vec::new();
        }
        let mut files = self.changed_since(SystemTime::UNIX_EPOCH);
        files.sort_unstable_by(|one, other| other.cmp(one));
        let files = files.into_iter().take(MOST_FILES);
        let mut past: Vec<PastConversation> = Vec::new();
        for (last_at, path) in files {
            let Some((name, begins)) = self.beginning(&path) else {
                continue;
            };
            // Some programs write a file for each run: the oldest has the first words.
            if let Some(newer) = past.iter_mut().find(|newer| newer.name == name) {
                newer.begins = begins;
            } else if past.len() == MOST {
                break;
            } else {
                past.push(PastConversation {
                    name,
                    last_at,
                    begins,
                });
            }
        }
        past
    }

    /// What a conversation of this folder is called, and its first message.
    fn beginning(&self, path: &Path) -> Option<(String, String)> {
        let file = open_regular(path, Trust::Chosen)
            .ok()?
            .take(LONGEST_BEGINNING);
        let mut model = Model::new(self.kind);
        for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
            model.push(&line, None);
        }
        // One in which nothing was asked cannot be continued.
        let begins = model.first_message();
        let begins = begins.filter(|_| model.is_of(&self.dir) == Some(true))?;
        let words: Vec<&str> = begins.split_whitespace().collect();
        let begins = words.join(" ").chars().take(LONGEST_WORDS).collect();
        Some((model.name(path)?, begins))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    /// A home with files of one program, each a minute newer than the one before.
    fn found(program: &str, files: &[(&str, String)]) -> Vec<(String, String)> {
        let home = tempfile::tempdir().unwrap();
        for (age, (path, content)) in files.iter().enumerate() {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            let at = SystemTime::UNIX_EPOCH + Duration::from_mins(1_000 + age as u64);
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(at).unwrap();
        }
        let source = Source::of(program, home.path(), Path::new("/w"), |_| None).unwrap();
        let past = source.past_conversations().into_iter();
        past.map(|one| (one.name, one.begins)).collect()
    }

    fn pair(name: &str, begins: &str) -> (String, String) {
        (name.to_owned(), begins.to_owned())
    }

    #[test]
    fn those_of_the_folder_are_told_the_newest_first() {
        let claude = |dir: &str, words: &str| {
            let line = serde_json::json!({
                "type": "user", "cwd": dir, "uuid": "u", "message": { "role": "user", "content": words },
            });
            format!("{{\"type\":\"summary\"}}\n{line}\n")
        };
        let files = [
            (
                ".claude/projects/-w/one.jsonl",
                claude("/w", "fix\n the cart"),
            ),
            (".claude/projects/-x/two.jsonl", claude("/x", "elsewhere")),
            (
                ".claude/projects/-w/three.jsonl",
                claude("/w", "add a test"),
            ),
            (".claude/projects/-w/empty.jsonl", String::new()),
        ];
        assert_eq!(
            found("claude", &files),
            [pair("three", "add a test"), pair("one", "fix the cart")]
        );
    }

    /// As Claude Code writes what it does for a slash command.
    #[test]
    fn a_command_is_no_first_word_of_a_person() {
        let user = |content: &str| {
            let line = serde_json::json!({
                "type": "user", "cwd": "/w", "message": { "role": "user", "content": content },
            });
            format!("{line}\n")
        };
        let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"ok"}]}}"#;
        let clear = user(
            "<command-name>/clear</command-name>\n  <command-message>clear</command-message>\n  <command-args></command-args>",
        ) + &user("<local-command-stdout></local-command-stdout>");
        let review = user(
            "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>the cart</command-args>",
        );
        let files = [
            (".claude/projects/-w/cleared.jsonl", clear.clone()),
            (
                ".claude/projects/-w/command.jsonl",
                clear.clone() + &review + said,
            ),
            (
                ".claude/projects/-w/words.jsonl",
                clear + &review + &user("fix <b> it") + said,
            ),
        ];
        assert_eq!(
            found("claude", &files),
            [
                pair("words", "fix <b> it"),
                pair("command", "/review the cart")
            ]
        );
    }

    /// As Gemini CLI 0.61.0 writes a conversation that was continued once.
    #[test]
    fn a_conversation_in_several_files_is_told_once_by_the_first_words_of_a_person() {
        use sha2::{Digest as _, Sha256};
        let project = synapse_machine::hex::hex(&Sha256::digest("/w"));
        let lines = |words: &str| {
            let head = serde_json::json!({ "sessionId": "abc-1", "projectHash": project });
            let user = |id: &str, text: &str| serde_json::json!({ "id": id, "type": "user", "content": [{ "text": text }] });
            let context = user(
                "a",
                "<session_context>\nThis is the Gemini CLI.\n</session_context>",
            );
            let set = serde_json::json!({ "$set": { "messages": [context] } });
            format!("{head}\n{set}\n{}\n", user("b", words))
        };
        let files = [
            (
                ".gemini/tmp/w/chats/session-1-abc.jsonl",
                lines("fix the cart"),
            ),
            (
                ".gemini/tmp/w/chats/session-2-abc.jsonl",
                lines("and the test"),
            ),
            // Nothing was asked in this run.
            (
                ".gemini/tmp/w/chats/session-3-abc.jsonl",
                lines("").lines().take(2).collect::<Vec<_>>().join("\n"),
            ),
        ];
        assert_eq!(found("gemini", &files), [pair("abc-1", "fix the cart")]);
    }

    #[test]
    fn codex_names_its_sessions_in_their_first_line() {
        let lines = |dir: &str| {
            let head = serde_json::json!({ "type": "session_meta", "payload": { "id": "abc-1", "cwd": dir } });
            let asked = serde_json::json!({ "type": "event_msg", "payload": { "type": "user_message", "message": "hi" } });
            format!("{head}\n{asked}\n")
        };
        let files = [
            (".codex/sessions/2026/11/18/rollout-a.jsonl", lines("/w")),
            (".codex/sessions/2026/11/18/rollout-b.jsonl", lines("/v")),
        ];
        assert_eq!(found("codex", &files), [pair("abc-1", "hi")]);
    }
}
