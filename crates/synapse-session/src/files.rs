//! The files of a message: written below the task's own folder and named in the text, since a terminal
//! can be given nothing but words.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use synapse_a2a::message::{Content, Message, Part};

use synapse_machine::paths::create_folder;

/// What an attachment is called that has no name that could be a file's.
const NAMELESS: &str = "file";

/// The longest name that every file system takes.
const LONGEST: usize = 200;

/// Puts the files of a message into the folder. The words to type: those of the message, and where its
/// files and data are.
///
/// # Errors
/// If a file cannot be written.
pub(super) async fn unpack(message: &Message, folder: &Path) -> io::Result<String> {
    let mut lines = Vec::new();
    let mut names = HashSet::new();
    for part in &message.parts {
        match &part.content {
            Content::Text { text } => lines.push(text.clone()),
            Content::Data { data } => lines.push(data.to_string()),
            Content::Url { url } => lines.push(format!("[File: {url}]")),
            Content::Raw { bytes } => {
                create_folder(folder)?;
                let path = folder.join(unused(&name_of(part), &mut names));
                tokio::fs::write(&path, bytes).await?;
                lines.push(format!("[File: {}]", path.display()));
            }
        }
    }
    Ok(lines.join("\n"))
}

/// The bare name of a file: nothing that leads out of the folder, hides, or breaks a line.
fn name_of(part: &Part) -> String {
    let given = part.filename.as_deref().unwrap_or(NAMELESS);
    let bare = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let bare: String = bare.chars().filter(|c| !c.is_control()).collect();
    let bare = bare.trim_start_matches('.').trim();
    let mut end = bare.len().min(LONGEST);
    while !bare.is_char_boundary(end) {
        end -= 1;
    }
    match bare.get(..end) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => NAMELESS.to_owned(),
    }
}

/// The name, or one beside it that is still free.
fn unused(name: &str, taken: &mut HashSet<String>) -> String {
    let mut free = name.to_owned();
    let mut count = 1;
    while !taken.insert(free.clone()) {
        count += 1;
        free = format!("{count}-{name}");
    }
    free
}

#[cfg(test)]
mod tests {
    use synapse_a2a::id::MessageId;
    use synapse_a2a::message::Role;

    use super::*;

    fn file(name: &str) -> Part {
        Part {
            filename: Some(name.to_owned()),
            ..Part::new(Content::Raw {
                bytes: name.as_bytes().to_vec(),
            })
        }
    }

    #[tokio::test]
    async fn files_stay_below_their_folder_and_apart() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("task");
        let parts = vec![
            Part::text("look"),
            file("../../etc/passwd"),
            file("a\\passwd"),
            file(".."),
        ];
        let message = Message::new(MessageId::new("m"), Role::User, parts);
        let text = unpack(&message, &folder).await.unwrap();
        let named = |name: &str| format!("[File: {}]", folder.join(name).display());
        let expected = [
            "look".to_owned(),
            named("passwd"),
            named("2-passwd"),
            named("file"),
        ];
        assert_eq!(text, expected.join("\n"));
        let kept = std::fs::read(folder.join("passwd")).unwrap();
        assert_eq!(kept, b"../../etc/passwd");
    }
}
