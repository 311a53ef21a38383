//! A message as it goes over the wire: its words, its files, who sends it, how far it has come.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use synapse_a2a::id::MessageId;
use synapse_a2a::message::{Content, Message, Part, Role};
use synapse_term::router;

/// How much all files of a message may have together.
const MOST: u64 = 16 << 20;

/// Looks whether the files of a message can be sent; the names are as typed.
///
/// # Errors
/// What is wrong with the first that cannot.
pub(super) fn check(files: &[String], dir: &Path) -> Result<()> {
    let mut left = MOST;
    for name in files {
        let about = std::fs::metadata(dir.join(name));
        let about = about.with_context(|| format!("cannot send {name}"))?;
        if !about.is_file() {
            bail!("cannot send {name}: it is not a file");
        }
        let Some(rest) = left.checked_sub(about.len()) else {
            bail!("{name} is too large: the files of a message may have 16 MiB together");
        };
        left = rest;
    }
    Ok(())
}

/// Packs a message.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn pack(command: &router::Command, hops: u8, dir: &Path) -> Result<Message> {
    check(&command.files, dir)?;
    let mut parts = Vec::new();
    if !command.message.is_empty() {
        parts.push(Part::text(command.message.clone()));
    }
    for name in &command.files {
        let path = dir.join(name);
        let file = std::fs::File::open(&path).with_context(|| format!("cannot send {name}"))?;
        let mut bytes = Vec::new();
        let read = file.take(MOST).read_to_end(&mut bytes);
        read.with_context(|| format!("cannot read {name}"))?;
        let bare = path.file_name().unwrap_or(path.as_os_str());
        parts.push(Part {
            filename: Some(bare.to_string_lossy().into_owned()),
            ..Part::new(Content::Raw { bytes })
        });
    }
    let id = MessageId::new(uuid::Uuid::now_v7().to_string());
    let mut message = Message::new(id, Role::User, parts);
    if hops > 0 {
        message.metadata.insert("hops".to_owned(), json!(hops));
    }
    Ok(message)
}
