//! What a shell runs so that `@handle message`, typed at its own prompt, goes to an agent. The scripts
//! decide what is a message and hand it over as it was typed; nothing of it is parsed there.

use std::os::unix::process::parent_id;
use std::path::Path;

use clap::ValueEnum;
use synapse_platform::process;

/// Where our own path stands in the scripts.
const PROGRAM: &str = "@PROGRAM@";

/// How far up a shell is looked for: it runs us through a subshell, a script or a wrapper.
const GENERATIONS: usize = 8;

/// A shell that can be hooked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU bash, 4.4 or later.
    Bash,
    Zsh,
    /// fish, 3.4 or later.
    Fish,
}

impl Shell {
    /// The shell that runs us, or else the one the user logs in with.
    pub fn around() -> Option<Self> {
        ancestors()
            .find_map(|name| Self::of(&name))
            .or_else(|| Self::of(&std::env::var("SHELL").ok()?))
    }

    /// The shell of this name or path.
    pub fn of(program: &str) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        match name.trim_start_matches('-') {
            "bash" => Some(Self::Bash),
            "zsh" => Some(Self::Zsh),
            "fish" => Some(Self::Fish),
            _ => None,
        }
    }

    /// The script for this shell. It calls `program`.
    pub fn hook(self, program: &str) -> String {
        match self {
            Self::Bash => include_str!("hook/hook.bash"),
            Self::Zsh => include_str!("hook/hook.zsh"),
            Self::Fish => include_str!("hook/hook.fish"),
        }
        .replace(PROGRAM, &self.quote(program))
    }

    /// A word that the shell takes as it stands.
    pub(crate) fn quote(self, word: &str) -> String {
        match self {
            Self::Bash | Self::Zsh => quote(word),
            Self::Fish => format!("'{}'", word.replace('\\', r"\\").replace('\'', r"\'")),
        }
    }
}

/// A word that any POSIX shell takes as it stands.
pub(crate) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The names of the processes above us, the nearest first.
fn ancestors() -> impl Iterator<Item = String> {
    let mut pid = parent_id().cast_signed();
    std::iter::from_fn(move || {
        let name = process::name(pid)?;
        pid = process::parent(pid)?;
        Some(name)
    })
    .take(GENERATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_known_by_its_name_wherever_it_is_installed() {
        assert_eq!(Shell::of("/usr/local/bin/fish"), Some(Shell::Fish));
        assert_eq!(Shell::of("-zsh"), Some(Shell::Zsh));
        assert_eq!(Shell::of("bash"), Some(Shell::Bash));
        for other in ["", "/", "sh", "nu", "bashful"] {
            assert_eq!(Shell::of(other), None, "{other}");
        }
    }

    #[test]
    fn an_odd_path_cannot_leave_its_quotes() {
        let odd = r"/it's\here";
        assert!(Shell::Bash.hook(odd).contains(r"='/it'\''s\here'"));
        assert!(Shell::Fish.hook(odd).contains(r" '/it\'s\\here'"));
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            assert!(!shell.hook(odd).contains(PROGRAM), "{shell:?}");
        }
    }

    #[test]
    fn the_first_ancestor_is_the_parent() {
        let parent = process::name(parent_id().cast_signed());
        assert_eq!(ancestors().next(), parent);
    }
}
