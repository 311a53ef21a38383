//! Reads a transcript while a turn is open, as it grows. At rest it waits for a request and nothing
//! else.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::cursor::Cursor;
use super::opencode::Database;
use super::{Kind, Model, Needle, Source, TurnRecord, place};
use synapse_platform::Changes;

/// Requests that may wait; the session asks twice a turn.
const REQUESTS: usize = 32;

/// How often the transcript is looked for at first while nobody knows which file it is.
const SEARCH_PAUSE: Duration = Duration::from_millis(50);

/// How often a known file is looked at besides when the kernel says that it grew.
const SAFETY_PAUSE: Duration = Duration::from_millis(250);

/// How long a turn that is over is looked at.
const LATE: Duration = Duration::from_secs(2);

/// What is asked of the follower.
#[derive(Debug)]
enum Request {
    /// The program says which file is its transcript.
    Bind(PathBuf),
    /// Look out for the turn of this message.
    Expect(u64, Needle),
    /// The turn is over.
    Forget,
}

/// The session's end of a follower.
#[derive(Clone, Debug)]
pub struct Transcript {
    requests: mpsc::Sender<Request>,
}

impl Transcript {
    /// The program says which file is its transcript.
    pub fn bind(&self, path: &Path) {
        self.ask(Request::Bind(path.to_owned()));
    }

    /// Looks out for the turn of a message that is typed from `since` on. What is found of it is told
    /// under this number.
    pub fn expect(&self, number: u64, message: &str, since: Timestamp) {
        self.ask(Request::Expect(number, Needle::new(message, since)));
    }

    /// The turn is over.
    pub fn forget(&self) {
        self.ask(Request::Forget);
    }

    /// A follower that is behind by this many requests is stuck on a slow disk: the screen will do.
    fn ask(&self, request: Request) {
        let _ = self.requests.try_send(request);
    }
}

/// What a transcript has of the turn that is looked out for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The number under which it was asked for.
    pub number: u64,
    /// The file that has it.
    pub file: Option<PathBuf>,
    /// What the program calls the conversation of that file.
    pub conversation: Option<String>,
    /// What there is by now.
    pub record: TurnRecord,
}

/// Reads transcripts for one session.
#[derive(Debug)]
pub struct Follower {
    requests: mpsc::Receiver<Request>,
    files: Files,
    wanted: Option<(u64, Needle)>,
    told: Option<TurnRecord>,
    /// The turn before: programs write down what it took when it is over.
    late: Option<LateTurn>,
}

/// A turn that is over, and is looked at for a little longer.
#[derive(Debug)]
struct LateTurn {
    number: u64,
    needle: Needle,
    told: Option<TurnRecord>,
    until: Instant,
}

impl Follower {
    /// A follower of what the program with this process id writes.
    pub fn new(source: Source, program: i32) -> (Self, Transcript) {
        let (sender, requests) = mpsc::channel(REQUESTS);
        let follower = Self {
            requests,
            files: Files::new(source, program),
            wanted: None,
            told: None,
            late: None,
        };
        (follower, Transcript { requests: sender })
    }

    /// Tells what is found until the session is gone.
    pub async fn run(mut self, told: mpsc::Sender<Sighting>) {
        let mut changes: Option<Changes> = None;
        let mut search = SEARCH_PAUSE;
        loop {
            let request = if self.wanted.is_none() && self.late.is_none() {
                match self.requests.recv().await {
                    Some(request) => Some(request),
                    None => return,
                }
            } else {
                let pause = match changes {
                    Some(_) => SAFETY_PAUSE,
                    None => search,
                };
                search = (search * 2).min(SAFETY_PAUSE);
                tokio::select! {
                    request = self.requests.recv() => match request {
                        Some(request) => Some(request),
                        None => return,
                    },
                    () = grown(&mut changes) => None,
                    () = sleep(pause) => None,
                }
            };
            match request {
                Some(Request::Bind(path)) => self.files.bound = Some(path),
                Some(Request::Expect(number, needle)) => {
                    self.let_go();
                    self.wanted = Some((number, needle));
                    self.told = None;
                    search = SEARCH_PAUSE;
                }
                Some(Request::Forget) => self.let_go(),
                None => {}
            }
            if let Some(mut late) = self.late.take() {
                let Some((files, found)) = look(self.files, late.needle.clone()).await else {
                    return;
                };
                self.files = files;
                if found != late.told
                    && let Some(record) = found.clone()
                {
                    late.told = found;
                    let number = late.number;
                    if told
                        .send(self.files.sighting(number, record))
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
                self.late = Some(late).filter(|late| Instant::now() < late.until);
            }
            let Some((number, needle)) = self.wanted.clone() else {
                if self.late.is_none() {
                    changes = None;
                }
                continue;
            };
            let Some((files, found)) = look(self.files, needle).await else {
                return;
            };
            self.files = files;
            if changes.is_none() {
                let file = self.files.bound.as_ref().or(self.files.likely.as_ref());
                let folder = file.and_then(|file| file.parent());
                changes = folder.filter(|folder| folder.is_dir()).map(Changes::of);
            }
            if found != self.told
                && let Some(record) = found.clone()
            {
                self.told = found;
                if told
                    .send(self.files.sighting(number, record))
                    .await
                    .is_err()
                {
                    return;
                }
            }
        }
    }
}

impl Follower {
    /// The turn is over; what it took may not be written yet.
    fn let_go(&mut self) {
        if let Some((number, needle)) = self.wanted.take() {
            self.late = Some(LateTurn {
                number,
                needle,
                told: self.told.take(),
                until: Instant::now() + LATE,
            });
        }
    }
}

/// Looks for a turn where it may wait for the disk; nothing if that could not be done at all.
async fn look(mut files: Files, needle: Needle) -> Option<(Files, Option<TurnRecord>)> {
    let looked = tokio::task::spawn_blocking(move || {
        let found = files.look(&needle);
        (files, found)
    });
    looked.await.ok()
}

async fn grown(changes: &mut Option<Changes>) {
    match changes {
        Some(changes) => changes.next().await,
        None => std::future::pending().await,
    }
}

/// The files that may be ours, and what was read of them.
#[derive(Debug)]
struct Files {
    source: Source,
    program: i32,
    /// The transcript, as the program says or its open files show.
    bound: Option<PathBuf>,
    /// The only one that had the last message.
    likely: Option<PathBuf>,
    readers: HashMap<PathBuf, Reader>,
    /// Transcripts of other folders.
    foreign: HashSet<PathBuf>,
    /// Where the program keeps no files but a database.
    database: Option<Database>,
}

#[derive(Debug)]
struct Reader {
    cursor: Cursor,
    model: Model,
}

impl Files {
    fn new(source: Source, program: i32) -> Self {
        let has_database = source.kind == Kind::Opencode;
        Self {
            database: has_database.then(|| Database::new(&source.root)),
            source,
            program,
            bound: None,
            likely: None,
            readers: HashMap::new(),
            foreign: HashSet::new(),
        }
    }

    fn sighting(&self, number: u64, record: TurnRecord) -> Sighting {
        let file = self.bound.as_ref().or(self.likely.as_ref()).cloned();
        let reader = file.as_ref().and_then(|file| self.readers.get(file));
        Sighting {
            number,
            conversation: reader.and_then(|reader| reader.model.name(file.as_ref()?)),
            file,
            record,
        }
    }

    /// What there is of a turn by now.
    fn look(&mut self, needle: &Needle) -> Option<TurnRecord> {
        if let Some(database) = &mut self.database {
            let turn = database.turn(needle, &self.source.dir, self.source.since);
            self.likely = turn.is_some().then(|| database.path().to_owned());
            return turn;
        }
        // Codex keeps its transcript open. Gemini opens that of the conversation before, to sum it up.
        if self.bound.is_none()
            && self.source.kind == Kind::Codex
            && let [path] = place::open_files(self.program, &self.source.root).as_slice()
        {
            self.bound = Some(path.clone());
        }
        if let Some(path) = self.bound.clone() {
            return self.read(&path)?.model.turn(needle);
        }
        // The conversation most likely goes on where it was.
        if let Some(path) = self.likely.clone()
            && let Some(turn) = self
                .read(&path)
                .and_then(|reader| reader.model.turn(needle))
        {
            return Some(turn);
        }
        let candidates = self.source.changed_since(self.source.since);
        let mut found = Vec::new();
        for (_, path) in candidates {
            if self.foreign.contains(&path) {
                continue;
            }
            let source = self.source.clone();
            let Some(reader) = self.read(&path) else {
                continue;
            };
            let is_ours = reader.model.is_of(&source.dir);
            match is_ours.or_else(|| source.is_ours_by_neighbour(&path)) {
                Some(true) => found.extend(reader.model.turn(needle).map(|turn| (path, turn))),
                Some(false) => {
                    self.readers.remove(&path);
                    self.foreign.insert(path);
                }
                None => {}
            }
        }
        let only = found.pop();
        // Two conversations with the same message: nobody knows which of them is ours.
        let (path, turn) = only.filter(|_| found.is_empty())?;
        self.likely = Some(path);
        Some(turn)
    }

    fn read(&mut self, path: &Path) -> Option<&Reader> {
        if !self.readers.contains_key(path) {
            let reader = Reader {
                cursor: Cursor::open(path).ok()?,
                model: Model::new(self.source.kind),
            };
            self.readers.insert(path.to_owned(), reader);
        }
        let reader = self.readers.get_mut(path)?;
        if self.source.kind.is_rewritten() {
            if let Some((whole, changed)) = reader.cursor.read_anew().ok()? {
                reader.model = Model::new(self.source.kind);
                reader.model.push(&whole, Timestamp::try_from(changed).ok());
            }
            return Some(reader);
        }
        let appended = reader.cursor.read().ok()?;
        let changed = Timestamp::try_from(appended.changed).ok();
        for line in &appended.lines {
            reader.model.push(line, changed);
        }
        Some(reader)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::Verdict;
    use super::*;

    fn asked(dir: &str, message: &str, reply: &str) -> String {
        format!(
            r#"{{"type":"user","cwd":"{dir}","timestamp":"2030-01-01T00:00:00Z","message":{{"content":"{message}"}}}}
{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{reply}"}}],"stop_reason":"end_turn"}}}}
"#
        )
    }

    fn files(root: &Path) -> Files {
        let source = Source {
            kind: Kind::Claude,
            root: root.to_owned(),
            older_root: None,
            dir: PathBuf::from("/work/here"),
            since: SystemTime::UNIX_EPOCH,
        };
        // No process has this number.
        Files::new(source, i32::MAX)
    }

    fn needle(message: &str) -> Needle {
        Needle::new(message, Timestamp::UNIX_EPOCH)
    }

    fn reply(found: Option<TurnRecord>) -> Option<String> {
        match found?.verdict? {
            Verdict::Replied(text) => Some(text),
            _ => None,
        }
    }

    #[test]
    fn a_transcript_of_another_folder_is_never_ours() {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join("own.jsonl");
        std::fs::write(&own, asked("/work/here", "hi", "ours")).unwrap();
        std::fs::write(
            root.path().join("z.jsonl"),
            asked("/elsewhere", "hi", "theirs"),
        )
        .unwrap();
        let mut files = files(root.path());
        assert_eq!(reply(files.look(&needle("hi"))), Some("ours".to_owned()));
        std::fs::remove_file(own).unwrap();
        let mut files = self::files(root.path());
        assert_eq!(files.look(&needle("hi")), None);
    }

    #[test]
    fn a_transcript_that_names_no_folder_is_ours_by_the_file_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let cline = r#"{"messages":[{"role":"user","content":[{"text":"hi"}]},{"role":"assistant","content":[{"text":"yes"}]}]}"#;
        let vibe = r#"{"payload":{"delta":[{"entry":{"type":"message","role":"user","content":[{"text":"hi"}]}},{"entry":{"type":"message","role":"assistant","content":[{"text":"yes"}]}}]}}"#;
        let code = r#"{"type":"turn.prompt","input":[{"text":"hi"}],"origin":{"kind":"user"}}
{"type":"agent.message.appended","message":{"message":{"role":"assistant","content":[{"text":"yes"}],"toolCalls":[]}}}"#;
        let cli = r#"{"message":{"type":"TurnBegin","payload":{"user_input":[{"text":"hi"}]}}}
{"message":{"type":"ContentPart","payload":{"text":"yes"}}}
{"message":{"type":"StatusUpdate","payload":{"token_usage":{}}}}"#;
        for (kind, transcript, text, beside, names) in [
            (
                Kind::Cline,
                "1/1.messages.json",
                cline,
                "1/1.json",
                r#"{"cwd":"DIR"}"#,
            ),
            (
                Kind::Vibe,
                "1/journal/1.jsonl",
                vibe,
                "1/meta.json",
                r#"{"environment":{"working_directory":"DIR"}}"#,
            ),
            (
                Kind::Kimi,
                "w/1/agents/main/wire.jsonl",
                code,
                "w/1/state.json",
                r#"{"cwd":"DIR"}"#,
            ),
            (
                Kind::Kimi,
                "w/1/wire.jsonl",
                cli,
                "w/1/context.jsonl",
                r#"{"content":"The current working directory is `DIR`."}"#,
            ),
        ] {
            let _ = std::fs::remove_dir_all(root.path().join("w"));
            put(transcript, &format!("{text}\n"));
            put(beside, &names.replace("DIR", "/elsewhere"));
            let look = || {
                let mut files = files(root.path());
                files.source.kind = kind;
                reply(files.look(&needle("hi")))
            };
            assert_eq!(look(), None, "{kind:?}");
            put(beside, &names.replace("DIR", "/work/here"));
            assert_eq!(look(), Some("yes".to_owned()), "{kind:?}");
        }
    }

    #[test]
    fn two_of_one_folder_with_the_same_message_are_a_doubt() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "b.jsonl"] {
            std::fs::write(root.path().join(name), asked("/work/here", "hi", name)).unwrap();
        }
        let mut files = files(root.path());
        assert_eq!(files.look(&needle("hi")), None);
        files.bound = Some(root.path().join("b.jsonl"));
        assert_eq!(reply(files.look(&needle("hi"))), Some("b.jsonl".to_owned()));
    }

    #[test]
    fn the_same_words_said_before_are_another_turn() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.jsonl");
        std::fs::write(&path, asked("/work/here", "hi", "old")).unwrap();
        let mut files = files(root.path());
        let later = Needle::new("hi", "2030-01-01T00:00:01Z".parse().unwrap());
        assert_eq!(files.look(&later), None);
    }
}
