//! opencode's database: sessions, their messages, and the parts of each. It is opened for reading only,
//! while the program has it open.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use synapse_a2a::step::{Edit, StepState};

use super::log::{Conversation, Entry};
use super::steps::{Call, Outcome};
use super::tokens::Took;
use super::{Asked, Needle, TurnRecord, text};

/// How long the program may keep its database to itself.
const PATIENCE: Duration = Duration::from_millis(200);

/// The sessions of a folder that changed since then; those of subagents have a parent.
const SESSIONS: &str = "SELECT id FROM session \
     WHERE directory = ?1 AND parent_id IS NULL AND time_updated >= ?2";

/// The messages of a session since then. Names grow with time.
const MESSAGES: &str = "SELECT id, time_created, data FROM message \
     WHERE session_id = ?1 AND time_created >= ?2 ORDER BY id";

const PARTS: &str = "SELECT data FROM part WHERE message_id = ?1 ORDER BY id";

/// Where the conversations are.
#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    connection: Option<Connection>,
}

impl Database {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            path: root.join("opencode.db"),
            connection: None,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The turn of a message in the only session of this folder that has it.
    pub(super) fn turn(
        &mut self,
        needle: &Needle,
        dir: &Path,
        since: SystemTime,
    ) -> Option<TurnRecord> {
        let since = since.duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = i64::try_from(since.as_millis()).ok()?;
        let mut turns = match self.turns(needle, dir, since) {
            Ok(turns) => turns,
            Err(error) => {
                tracing::debug!(%error, "cannot read opencode's database");
                // It may have been replaced.
                self.connection = None;
                return None;
            }
        };
        let only = turns.pop();
        only.filter(|_| turns.is_empty())
    }

    fn turns(
        &mut self,
        needle: &Needle,
        dir: &Path,
        since: i64,
    ) -> rusqlite::Result<Vec<TurnRecord>> {
        let connection = match &self.connection {
            Some(connection) => connection,
            None => self.connection.insert(open(&self.path)?),
        };
        let mut sessions = connection.prepare_cached(SESSIONS)?;
        let dir = dir.to_string_lossy();
        let sessions = sessions.query_map((&*dir, since), |row| row.get::<_, String>(0))?;
        let mut turns = Vec::new();
        for session in sessions {
            let mut conversation = Conversation::default();
            conversation.extend(entries(connection, &session?, since)?);
            turns.extend(conversation.turn(needle));
        }
        Ok(turns)
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn entries(connection: &Connection, session: &str, since: i64) -> rusqlite::Result<Vec<Entry>> {
    let mut messages = connection.prepare_cached(MESSAGES)?;
    let messages = messages.query_map((session, since), |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, i64>(1)?,
            row.get::<_, String>(2)?,
        ))
    })?;
    let mut found = Vec::new();
    for message in messages {
        let (id, at, data) = message?;
        let mut parts = connection.prepare_cached(PARTS)?;
        let parts = parts.query_map([&id], |row| row.get::<_, String>(0))?;
        let parts = parts.collect::<rusqlite::Result<Vec<String>>>()?;
        let parts: Vec<Value> = parts
            .iter()
            .filter_map(|part| serde_json::from_str(part).ok())
            .collect();
        let Ok(message) = serde_json::from_str::<Value>(&data) else {
            continue;
        };
        match text(&message, "/role") {
            Some("user") => found.push(Entry::Asked(Asked {
                text: spoken(&parts, "\n"),
                at: Timestamp::from_millisecond(at).ok(),
            })),
            Some("assistant") => found.extend(answer(&message, &parts)),
            _ => {}
        }
    }
    Ok(found)
}

/// One step of the model: what it said, what it called, and how that ended.
fn answer(message: &Value, parts: &[Value]) -> Vec<Entry> {
    let tools = || {
        parts
            .iter()
            .filter(|part| text(part, "/type") == Some("tool"))
    };
    let is_thought = |part: &&Value| text(part, "/type") == Some("reasoning");
    let thoughts = parts.iter().filter(is_thought);
    let thoughts = thoughts.filter_map(|part| text(part, "/text"));
    let mut found: Vec<Entry> = thoughts
        .map(|words| Entry::Thought(words.to_owned()))
        .collect();
    found.extend(Took::of_opencode(message).map(Entry::Took));
    found.push(Entry::Said {
        text: spoken(parts, "\n\n"),
        calls: tools().map(call).collect(),
    });
    found.extend(tools().filter_map(outcome).map(Entry::Result));
    let was_refused = |part: &Value| state_of(part) == Some(StepState::Refused);
    if message.get("error").is_some() {
        let why = text(message, "/error/data/message").or_else(|| text(message, "/error/name"));
        found.push(match text(message, "/error/name") {
            Some("MessageAbortedError") => Entry::Interrupted,
            _ => Entry::Failed(why.unwrap_or("the model failed").to_owned()),
        });
        found.push(Entry::Closed);
    } else if tools().any(was_refused) {
        found.push(Entry::Interrupted);
    } else if message.pointer("/time/completed").is_some()
        && text(message, "/finish").is_some_and(|why| why != "tool-calls")
    {
        found.push(Entry::Closed);
    }
    found
}

fn call(part: &Value) -> Call {
    let id = text(part, "/callID").unwrap_or_default();
    let name = text(part, "/tool").unwrap_or_default();
    let input = part.pointer("/state/input").unwrap_or(&Value::Null);
    Call::new(id, name, input, moment(part, "/state/time/start"))
}

/// How a tool did, once it is over.
fn outcome(part: &Value) -> Option<Outcome> {
    let id = text(part, "/callID").unwrap_or_default();
    let at = moment(part, "/state/time/end");
    let diff = text(part, "/state/metadata/diff");
    let path = text(part, "/state/input/filePath").unwrap_or_default();
    let edit = diff.map(|diff| Edit::of_diff(path, diff));
    Some(Outcome::new(id, state_of(part)?, at).with_edit(edit))
}

fn state_of(part: &Value) -> Option<StepState> {
    let why = text(part, "/state/error").unwrap_or_default();
    match text(part, "/state/status")? {
        "completed" => Some(StepState::Ok),
        "error" if why.contains("user rejected permission") => Some(StepState::Refused),
        "error" => Some(StepState::Failed),
        _ => None,
    }
}

fn moment(part: &Value, pointer: &str) -> Option<Timestamp> {
    let millis = part.pointer(pointer).and_then(Value::as_i64)?;
    Timestamp::from_millisecond(millis).ok()
}

/// What the parts say; what the program put into a message is not the user's.
fn spoken(parts: &[Value], between: &str) -> String {
    let is_synthetic = |part: &Value| part.get("synthetic").and_then(Value::as_bool) == Some(true);
    let texts: Vec<&str> = parts
        .iter()
        .filter(|part| text(part, "/type") == Some("text") && !is_synthetic(part))
        .filter_map(|part| text(part, "/text"))
        .collect();
    texts.join(between)
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn database(folder: &Path) -> Connection {
        let database = Connection::open(folder.join("opencode.db")).unwrap();
        let schema =
            "CREATE TABLE session (id TEXT, directory TEXT, parent_id TEXT, time_updated INTEGER);
            CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
            CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);
            INSERT INTO session VALUES ('s', '/w', NULL, 1000), ('t', '/elsewhere', NULL, 1000);";
        database.execute_batch(schema).unwrap();
        database
    }

    fn say(database: &Connection, session: &str, id: &str, message: &str, parts: &[&str]) {
        let row = (id, session, message);
        database
            .execute("INSERT INTO message VALUES (?1, ?2, 1000, ?3)", row)
            .unwrap();
        for (index, part) in parts.iter().enumerate() {
            let row = (index.to_string(), id, part);
            database
                .execute("INSERT INTO part VALUES (?1, ?2, ?3)", row)
                .unwrap();
        }
    }

    fn look(folder: &Path) -> Option<TurnRecord> {
        let needle = Needle::new("a question of ours", Timestamp::UNIX_EPOCH);
        Database::new(folder).turn(&needle, Path::new("/w"), UNIX_EPOCH)
    }

    const ASKED: &str = r#"{"type":"text","text":"a question of ours"}"#;
    const SAID: &str = r#"{"type":"text","text":"the answer"}"#;

    #[test]
    fn a_turn_of_this_folder_is_found_with_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(folder.path());
        say(&database, "t", "m0", r#"{"role":"user"}"#, &[ASKED]);
        assert_eq!(look(folder.path()), None);
        say(&database, "s", "m1", r#"{"role":"user"}"#, &[ASKED]);
        let tool = r#"{"type":"tool","callID":"1","state":{"status":"running"}}"#;
        say(
            &database,
            "s",
            "m2",
            r#"{"role":"assistant","finish":"tool-calls","time":{"completed":1}}"#,
            &[tool],
        );
        let turn = look(folder.path()).unwrap();
        assert!(turn.has_open_tool && turn.verdict.is_none() && !turn.is_closed);
        say(
            &database,
            "s",
            "m3",
            r#"{"role":"assistant","finish":"stop","time":{"completed":1}}"#,
            &[SAID],
        );
        let turn = look(folder.path()).unwrap();
        assert_eq!(
            turn.verdict,
            Some(Verdict::Replied("the answer".to_owned()))
        );
        assert!(turn.is_closed);
    }

    #[test]
    fn an_error_and_an_interrupt_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(folder.path());
        say(&database, "s", "m1", r#"{"role":"user"}"#, &[ASKED]);
        say(
            &database,
            "s",
            "m2",
            r#"{"role":"assistant","error":{"name":"APIError","data":{"message":"400 no"}}}"#,
            &[],
        );
        let verdict = look(folder.path()).unwrap().verdict;
        assert_eq!(verdict, Some(Verdict::Failed("400 no".to_owned())));
        database
            .execute("DELETE FROM message WHERE id = 'm2'", ())
            .unwrap();
        say(
            &database,
            "s",
            "m2",
            r#"{"role":"assistant","error":{"name":"MessageAbortedError"}}"#,
            &[SAID],
        );
        let turn = look(folder.path()).unwrap();
        assert_eq!(turn.verdict, Some(Verdict::Interrupted));
        assert_eq!(turn.said, "the answer");
    }
}
