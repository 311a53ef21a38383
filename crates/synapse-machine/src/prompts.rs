//! Prompts of one's own: Markdown files in `~/.synapse/prompts`, sent with `synapse send --template NAME` and chosen with
//! `/` on the page. `$ARGUMENTS` stands for everything that is said beside the name, `$1` to `$9` for single words.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::private_file::{Trust, open_regular};

/// The longest prompt; beyond that it is a document.
const LONGEST: u64 = 64 << 10;
/// Prompts that are listed.
const MOST: usize = 200;
/// How much of a prompt is told in a list.
const ABOUT: usize = 100;

/// A prompt, by the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub name: String,
    /// What it is for: `description` of its front matter, else its first line.
    pub about: String,
    pub text: String,
}

/// Why a prompt cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("'{0}' is no name of a prompt: use letters, digits, '-', '_' and '.'")]
    Name(String),
    #[error("there is no prompt '{name}'{}; write it to {}", others(.known), file.display())]
    Missing {
        name: String,
        file: PathBuf,
        known: Vec<String>,
    },
    #[error("{}: {why}", file.display())]
    Read { file: PathBuf, why: io::Error },
    #[error("{}: it is longer than {} kB", file.display(), LONGEST >> 10)]
    Long { file: PathBuf },
    #[error("{}: it is empty", file.display())]
    Empty { file: PathBuf },
    #[error("the prompt '{name}' wants {wants} words behind its name, and there are {given}")]
    Words {
        name: String,
        wants: usize,
        given: usize,
    },
}

fn others(known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!(" (there are {})", known.join(", ")),
    }
}

impl Prompt {
    /// The prompt of this name.
    ///
    /// # Errors
    /// When there is none, or its file cannot be used.
    pub fn load(folder: &Path, name: &str) -> Result<Self, PromptError> {
        if !is_name(name) {
            return Err(PromptError::Name(name.to_owned()));
        }
        let file = folder.join(format!("{name}.md"));
        let text = match read(&file) {
            Err(PromptError::Read { why, .. }) if why.kind() == io::ErrorKind::NotFound => {
                let known = list(folder).into_iter().map(|prompt| prompt.name);
                return Err(PromptError::Missing {
                    name: name.to_owned(),
                    known: known.collect(),
                    file,
                });
            }
            text => text?,
        };
        let (description, text) = split(&text);
        let text = text.trim();
        if text.is_empty() {
            return Err(PromptError::Empty { file });
        }
        let first = text.lines().next().unwrap_or_default();
        let about = description.unwrap_or(first.trim_start_matches(['#', ' ']));
        Ok(Self {
            name: name.to_owned(),
            about: about.chars().take(ABOUT).collect(),
            text: text.to_owned(),
        })
    }

    /// The prompt with these words in the places for them; where it has none, they follow it.
    ///
    /// # Errors
    /// When it has a place for a word that is not given.
    pub fn filled(&self, words: &[String]) -> Result<String, PromptError> {
        let all = words.join(" ");
        let (mut text, mut rest) = (String::new(), self.text.as_str());
        let (mut has_place, mut wants) = (false, 0);
        while let Some((before, behind)) = rest.split_once('$') {
            text.push_str(before);
            rest = behind;
            if let Some(behind) = rest.strip_prefix("ARGUMENTS") {
                (has_place, rest) = (true, behind);
                text.push_str(&all);
                continue;
            }
            let digit = rest.chars().next().and_then(|c| c.to_digit(10));
            let is_alone = !rest
                .chars()
                .nth(1)
                .is_some_and(|c| c.is_ascii_alphanumeric());
            match digit {
                Some(place @ 1..=9) if is_alone => {
                    let place = place as usize;
                    has_place = true;
                    wants = wants.max(place);
                    rest = rest.get(1..).unwrap_or_default();
                    text.push_str(words.get(place - 1).map_or("", String::as_str));
                }
                _ => text.push('$'),
            }
        }
        text.push_str(rest);
        if wants > words.len() {
            return Err(PromptError::Words {
                name: self.name.clone(),
                wants,
                given: words.len(),
            });
        }
        if !has_place && !all.is_empty() {
            text.push_str("\n\n");
            text.push_str(&all);
        }
        Ok(text)
    }
}

/// All prompts that can be used, by name.
pub fn list(folder: &Path) -> Vec<Prompt> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| {
        let name = file.file_name();
        name.to_str()?.strip_suffix(".md").map(str::to_owned)
    });
    let mut names: Vec<String> = names.filter(|name| is_name(name)).collect();
    names.sort();
    names.truncate(MOST);
    let usable = names.iter().filter_map(|name| {
        Prompt::load(folder, name)
            .inspect_err(|error| tracing::warn!(%error, "a prompt is not offered"))
            .ok()
    });
    usable.collect()
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && name.len() <= 60 && name.chars().all(is_plain)
}

fn read(file: &Path) -> Result<String, PromptError> {
    let unreadable = |why: io::Error| PromptError::Read {
        file: file.to_owned(),
        why,
    };
    let opened = open_regular(file, Trust::Own).map_err(unreadable)?;
    let mut text = String::new();
    let mut opened = opened.take(LONGEST + 1);
    opened.read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > LONGEST {
        let file = file.to_owned();
        return Err(PromptError::Long { file });
    }
    Ok(text)
}

/// The description of the front matter, if there is one, and what follows it.
fn split(text: &str) -> (Option<&str>, &str) {
    let matter = text.strip_prefix("---\n").and_then(|rest| {
        let (matter, rest) = rest.split_once("\n---")?;
        Some((matter, rest.split_once('\n').map_or("", |(_, rest)| rest)))
    });
    let Some((matter, rest)) = matter else {
        return (None, text);
    };
    let mut lines = matter.lines();
    let description = lines.find_map(|line| line.strip_prefix("description:"));
    let description = description.map(|text| text.trim().trim_matches(['"', '\'']));
    (description.filter(|text| !text.is_empty()), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, words: &[&str]) -> Result<String, PromptError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let prompt = Prompt {
            name: "p".to_owned(),
            about: String::new(),
            text: text.to_owned(),
        };
        prompt.filled(&words)
    }

    #[test]
    fn words_take_their_places_or_follow() {
        let ok = |text: &str, words: &[&str]| filled(text, words).unwrap();
        assert_eq!(ok("fix $1 in $2", &["a bug", "x.rs"]), "fix a bug in x.rs");
        assert_eq!(ok("fix $ARGUMENTS!", &["a", "b"]), "fix a b!");
        assert_eq!(ok("fix it", &["now", "please"]), "fix it\n\nnow please");
        assert_eq!(ok("costs $10, $HOME, $", &[]), "costs $10, $HOME, $");
        assert_eq!(ok("$ARGUMENTS", &["$1 $ARGUMENTS"]), "$1 $ARGUMENTS");
        let error = filled("fix $1 in $2", &["a"]).unwrap_err().to_string();
        assert!(
            error.contains("wants 2 words") && error.ends_with("there are 1"),
            "{error}"
        );
    }

    #[test]
    fn prompts_are_read_by_name_and_never_from_elsewhere() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(home.path().join(name), text).unwrap();
        put(
            "review.md",
            "---\ndescription: \"Look for bugs\"\n---\n\nReview $1.\n",
        );
        put("plain.md", "# Plain words\n\nSay so.\n");
        put("empty.md", "\n");
        put("long.md", &"x".repeat(70_000));
        put(".hidden.md", "no");
        let all = list(home.path());
        let told: Vec<(&str, &str)> = all.iter().map(|it| (&*it.name, &*it.about)).collect();
        assert_eq!(
            told,
            [("plain", "Plain words"), ("review", "Look for bugs")]
        );
        assert_eq!(all[1].text, "Review $1.");
        let error = |name: &str| Prompt::load(home.path(), name).unwrap_err().to_string();
        assert!(error("../x").contains("is no name"), "{}", error("../x"));
        let missing = error("nothing");
        assert!(missing.contains("(there are plain, review)"), "{missing}");
        assert!(missing.ends_with("nothing.md"), "{missing}");
        assert!(error("long").contains("longer than 64 kB"));
        assert!(error("empty").contains("it is empty"));
    }
}
