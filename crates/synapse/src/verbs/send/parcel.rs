//! What is sent: the text, the files, who sends it, how urgent it is.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use serde_json::{Value, json};
use synapse::client::Client;
use synapse::registry::Entry;

use super::super::{Failure, reach};
use super::Send;

/// How much all files of a message may have together.
const MOST: u64 = 16 << 20;

/// How long an agent may take to accept a message.
const PATIENCE: Duration = Duration::from_secs(10);

/// A message, ready to go to any agent.
pub(super) struct Parcel {
    body: Value,
    priority: u8,
}

/// A message that was accepted.
pub(super) struct Sent {
    /// Its task.
    pub(super) id: String,
    /// What the agent said.
    pub(super) body: Value,
}

impl Parcel {
    /// Reads what is to be sent. Everything wrong with it is found before anybody hears of it.
    pub(super) fn pack(args: &Send, sender: Option<&Entry>) -> Result<Self> {
        let (message, files) = args.content();
        let text = if message == "-" {
            let mut text = String::new();
            std::io::stdin()
                .lock()
                .read_to_string(&mut text)
                .context("cannot read standard input")?;
            text.trim_end_matches('\n').to_owned()
        } else {
            message.to_owned()
        };
        if text.trim().is_empty() && files.is_empty() {
            return Err(Failure::new(2, "the message is empty; say something").into());
        }
        let mut body = json!({ "message": content(&text, &read(files)?), "raw": args.raw });
        if let (Some(sender), Some(fields)) = (sender, body.as_object_mut()) {
            fields.insert("sender".to_owned(), json!(sender.handle));
        }
        Ok(Self {
            body,
            priority: args.priority,
        })
    }

    /// The message, for an agent elsewhere.
    pub(super) fn message(&self) -> &Value {
        self.body.get("message").unwrap_or(&Value::Null)
    }

    /// Sends it; returns when the agent has accepted it.
    pub(super) async fn deliver(&self, client: &Client) -> Result<Sent> {
        let path = format!("/tasks/send-priority?priority={}", self.priority);
        let call = client.call(Method::POST, &path, Some(&self.body));
        let body = reach::within(PATIENCE, call).await?;
        let id = body.pointer("/task/id").and_then(Value::as_str);
        let id = id.context("the agent named no task")?.to_owned();
        Ok(Sent { id, body })
    }
}

/// A file by its name and what is in it.
type File = (String, Vec<u8>);

/// Reads the files, if they are not too large together.
fn read(paths: &[PathBuf]) -> Result<Vec<File>> {
    let mut left = MOST;
    let mut files = Vec::new();
    for path in paths {
        let shown = path.display();
        let about = std::fs::metadata(path).with_context(|| format!("cannot send {shown}"))?;
        if !about.is_file() {
            return Err(Failure::new(1, format!("cannot send {shown}: it is not a file")).into());
        }
        let file = std::fs::File::open(path).with_context(|| format!("cannot send {shown}"))?;
        let mut bytes = Vec::new();
        // One more than may be: the file may have grown since it was looked at.
        file.take(left + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {shown}"))?;
        let size = bytes.len() as u64;
        if size > left {
            let limit = MOST >> 20;
            let error = format!(
                "{shown} is too large: the files of a message may have {limit} MiB together"
            );
            return Err(Failure::new(1, error).into());
        }
        left -= size;
        let name = path.file_name().unwrap_or(path.as_os_str());
        files.push((name.to_string_lossy().into_owned(), bytes));
    }
    Ok(files)
}

/// A message as the wire has it: plain text, or parts if files come with it.
fn content(text: &str, files: &[File]) -> Value {
    if files.is_empty() {
        return json!(text);
    }
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({ "type": "text", "text": text }));
    }
    for (name, bytes) in files {
        parts.push(json!({ "type": "file", "file": {
            "name": name, "mimeType": kind(name, bytes), "bytes": STANDARD.encode(bytes),
        } }));
    }
    json!({ "role": "user", "parts": parts })
}

/// What a file is, by the end of its name, or else by whether it can be read.
fn kind(name: &str, bytes: &[u8]) -> &'static str {
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
        _ if std::str::from_utf8(bytes).is_ok() => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_alone_stays_text_and_files_become_parts() {
        assert_eq!(content("hi", &[]), json!("hi"));
        let files = [("a.png".to_owned(), vec![0xff, 0])];
        let parts = content("see", &files);
        assert_eq!(parts["parts"][0]["text"], "see");
        assert_eq!(
            parts["parts"][1],
            json!({ "type": "file", "file": { "name": "a.png", "mimeType": "image/png", "bytes": "/wA=" } })
        );
        assert_eq!(content("", &files)["parts"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_file_without_a_known_ending_is_looked_at() {
        assert_eq!(kind("Makefile", b"all:\n"), "text/plain");
        assert_eq!(kind("core", &[0xff, 0xfe]), "application/octet-stream");
        assert_eq!(kind("A.JPG", &[]), "image/jpeg");
    }

    #[test]
    fn files_are_sent_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let [large, small] = ["large", "small"].map(|name| place.path().join(name));
        std::fs::write(&large, vec![b'x'; MOST as usize]).unwrap();
        std::fs::write(&small, "y").unwrap();
        assert_eq!(
            read(std::slice::from_ref(&large)).unwrap()[0].1.len() as u64,
            MOST
        );
        let error = read(&[large, small]).unwrap_err().to_string();
        assert!(
            error.contains("small is too large") && error.contains("16 MiB"),
            "{error}"
        );
        for (path, why) in [
            ("/no/such/file", "cannot send"),
            ("/", "not a file"),
            ("/dev/zero", "not a file"),
        ] {
            let error = format!("{:#}", read(&[path.into()]).unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }
}
