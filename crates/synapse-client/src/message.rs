//! An outgoing message: its text, its files, its sender, its priority and its hop count.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use synapse_a2a::artifact::native_part;
use synapse_a2a::id::MessageId;
use synapse_a2a::message::{Content, Message, Part, Role};

use crate::client::a2a::Outgoing;

/// How much all files of a message may have together.
const MOST: u64 = 16 << 20;

/// How long an agent may take to accept a message.
pub const ACCEPTANCE: Duration = Duration::from_secs(10);

/// Why a message cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum UnsendableFile {
    /// A file cannot be read.
    #[error("cannot send {}: {why}", file.display())]
    Unreadable { file: PathBuf, why: io::Error },
    /// It is a folder, a device or the like.
    #[error("cannot send {}: it is not a file", .0.display())]
    NotAFile(PathBuf),
    /// The words alone are too much.
    #[error("the message is too long: it may have {} MiB; a file may be sent with --file", MOST >> 20)]
    TooLong,
    /// All together they are too much.
    #[error("{} is too large: the files of a message may have {} MiB together", .0.display(), MOST >> 20)]
    TooLarge(PathBuf),
}

/// A message, ready to go to any agent.
#[derive(Clone, Debug)]
pub struct OutgoingMessage {
    message: Message,
    sender: Option<String>,
    priority: Option<u8>,
    context: Option<String>,
    is_raw: bool,
}

impl OutgoingMessage {
    /// Packs some words, and files that are looked for in `dir`. Everything wrong with them is found before
    /// anybody hears of it.
    ///
    /// # Errors
    /// What is wrong with the first file that cannot be sent.
    pub fn pack(text: &str, files: &[PathBuf], dir: &Path) -> Result<Self, UnsendableFile> {
        // As it is sent: a line break takes two bytes.
        if json!(text).to_string().len() as u64 > MOST {
            return Err(UnsendableFile::TooLong);
        }
        let mut parts = Vec::new();
        if !text.is_empty() || files.is_empty() {
            parts.push(Part::text(text));
        }
        parts.extend(read(files, dir)?);
        Ok(Self::of(parts))
    }

    pub fn text(text: &str) -> Self {
        Self::of(vec![Part::text(text)])
    }

    /// A message of parts that somebody else has put together.
    pub fn of(parts: Vec<Part>) -> Self {
        let id = MessageId::new(uuid::Uuid::now_v7().to_string());
        Self {
            message: Message::new(id, Role::User, parts),
            sender: None,
            priority: None,
            context: None,
            is_raw: false,
        }
    }

    /// The conversation that it belongs to.
    #[must_use]
    pub fn in_context(mut self, context: &str) -> Self {
        self.context = Some(context.to_owned());
        self
    }

    /// Who sends it, and how many agents what it is about has passed through.
    #[must_use]
    pub fn sent_by(mut self, sender: Option<String>, hops: u8) -> Self {
        self.sender = sender;
        if hops > 0 {
            let noted = &mut self.message.metadata;
            noted.insert("hops".to_owned(), json!(hops));
        }
        self
    }

    /// Names it, so that whoever sends it again sends the same message.
    #[must_use]
    pub fn named(mut self, id: &str) -> Self {
        self.message.id = MessageId::new(id);
        self
    }

    /// How urgent it is, for those who know such a thing.
    #[must_use]
    pub fn with_priority(mut self, priority: Option<u8>) -> Self {
        self.priority = priority;
        self
    }

    /// It is typed as it is, without the profile's prefix.
    #[must_use]
    pub fn raw(mut self) -> Self {
        self.is_raw = true;
        self
    }

    /// The message in the native dialect.
    pub fn message(&self) -> Value {
        let parts: Vec<Value> = self.message.parts.iter().map(native_part).collect();
        json!({
            "messageId": self.message.id.as_str(), "role": "user", "parts": parts,
            "metadata": self.message.metadata,
        })
    }

    /// How urgent it is: 1, unless somebody said otherwise.
    pub fn priority(&self) -> u8 {
        self.priority.unwrap_or(1)
    }

    /// What an agent of this machine is sent.
    pub fn body(&self) -> Value {
        let mut body = json!({ "message": self.message(), "raw": self.is_raw });
        if let (Some(sender), Some(fields)) = (&self.sender, body.as_object_mut()) {
            fields.insert("sender".to_owned(), json!(sender));
        }
        if let (Some(context), Some(fields)) = (&self.context, body.as_object_mut()) {
            fields.insert("context_id".to_owned(), json!(context));
        }
        body
    }

    /// The message for an agent elsewhere. One of ours reads there who sends it and how urgent it is.
    pub fn outgoing(&self) -> Outgoing {
        let mut message = self.message.clone();
        let noted = &mut message.metadata;
        if let Some(sender) = &self.sender {
            noted.insert("synapse/sender".to_owned(), json!(sender));
        }
        if let Some(priority) = self.priority {
            noted.insert("synapse/priority".to_owned(), json!(priority));
        }
        Outgoing {
            priority: self.priority,
            context: self.context.clone(),
            ..Outgoing::new(message)
        }
    }
}

/// Looks whether files can be sent, as far as that can be known without reading them.
///
/// # Errors
/// What is wrong with the first that cannot.
pub fn check(files: &[PathBuf], dir: &Path) -> Result<(), UnsendableFile> {
    let mut left = MOST;
    for file in files {
        let size = size_of(file, dir)?;
        left = left
            .checked_sub(size)
            .ok_or_else(|| UnsendableFile::TooLarge(file.clone()))?;
    }
    Ok(())
}

/// The size of what really is a file.
fn size_of(file: &Path, dir: &Path) -> Result<u64, UnsendableFile> {
    let about = std::fs::metadata(dir.join(file)).map_err(|why| unreadable(file, why))?;
    if !about.is_file() {
        return Err(UnsendableFile::NotAFile(file.to_owned()));
    }
    Ok(about.len())
}

/// Reads the files, if they are not too large together.
fn read(files: &[PathBuf], dir: &Path) -> Result<Vec<Part>, UnsendableFile> {
    let mut left = MOST;
    let mut parts = Vec::new();
    for file in files {
        size_of(file, dir)?;
        let mut bytes = Vec::new();
        // One more than may be: the file may have grown since it was looked at.
        std::fs::File::open(dir.join(file))
            .and_then(|open| open.take(left + 1).read_to_end(&mut bytes))
            .map_err(|why| unreadable(file, why))?;
        left = left
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| UnsendableFile::TooLarge(file.clone()))?;
        let name = file.file_name().unwrap_or(file.as_os_str());
        let name = name.to_string_lossy().into_owned();
        parts.push(Part {
            media_type: Some(media_type(&name, &bytes).to_owned()),
            filename: Some(name),
            ..Part::new(Content::Raw { bytes })
        });
    }
    Ok(parts)
}

fn unreadable(file: &Path, why: io::Error) -> UnsendableFile {
    UnsendableFile::Unreadable {
        file: file.to_owned(),
        why,
    }
}

/// The media type of a file, by the end of its name, or else by whether it can be read.
pub fn media_type(name: &str, bytes: &[u8]) -> &'static str {
    let ending = Path::new(name)
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref().unwrap_or("") {
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "webmanifest" => "application/manifest+json",
        _ if std::str::from_utf8(bytes).is_ok() => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn here() -> &'static Path {
        Path::new("")
    }

    #[test]
    fn words_and_files_become_parts() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("a.png"), [0xff, 0]).unwrap();
        let message = OutgoingMessage::pack("see", &["a.png".into()], place.path()).unwrap();
        assert_eq!(
            message.message()["parts"],
            json!([{ "type": "text", "text": "see" }, { "type": "file", "file": {
                "name": "a.png", "mimeType": "image/png", "bytes": "/wA=",
            } }])
        );
        let bare = OutgoingMessage::pack("", &["a.png".into()], place.path()).unwrap();
        assert_eq!(bare.message()["parts"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn who_sends_it_and_how_far_it_came_travel_along() {
        let message = OutgoingMessage::pack("hi", &[], here()).unwrap();
        assert_eq!(message.outgoing().message.metadata, Map::new());
        let message = message
            .sent_by(Some("codex".to_owned()), 2)
            .with_priority(Some(5));
        assert_eq!(message.message()["metadata"], json!({ "hops": 2 }));
        let outgoing = message.outgoing();
        assert_eq!(
            json!(outgoing.message.metadata),
            json!({ "hops": 2, "synapse/sender": "codex", "synapse/priority": 5 })
        );
        assert_eq!(outgoing.priority, Some(5));
    }

    #[test]
    fn a_file_without_a_known_ending_is_looked_at() {
        assert_eq!(media_type("Makefile", b"all:\n"), "text/plain");
        assert_eq!(
            media_type("core", &[0xff, 0xfe]),
            "application/octet-stream"
        );
        assert_eq!(media_type("A.JPG", &[]), "image/jpeg");
    }

    #[test]
    fn files_are_sent_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let [large, small] = ["large", "small"].map(|name| place.path().join(name));
        std::fs::write(&large, vec![b'x'; MOST as usize]).unwrap();
        std::fs::write(&small, "y").unwrap();
        assert!(read(std::slice::from_ref(&large), here()).is_ok());
        let both = [large, small];
        for error in [
            read(&both, here()).unwrap_err(),
            check(&both, here()).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(
                error.contains("small is too large") && error.contains("16 MiB"),
                "{error}"
            );
        }
        for (path, why) in [
            ("/no/such/file", "cannot send"),
            ("/", "not a file"),
            ("/dev/zero", "not a file"),
        ] {
            for error in [
                read(&[path.into()], here()).unwrap_err(),
                check(&[path.into()], here()).unwrap_err(),
            ] {
                assert!(error.to_string().contains(why), "{error}");
            }
        }
    }
}
