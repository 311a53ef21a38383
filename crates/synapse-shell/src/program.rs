//! The user's shell: which program it is, and how it is made to run lines for us.
//!
//! Pure but for [`Program::of_user`]. What a kind of shell needs to know is in `init/`.

use std::path::Path;

use super::quoting::Dialect;
use crate::hook::{Shell, quote};

/// Where the word of the marks stands in the scripts.
const WORD: &str = "@WORD@";

/// Goes to the end of what may have been typed ahead and takes it away: it was for another program.
const CLEAR: &str = "\x05\x15";

/// Looks whether the line has taken away what tells us that it is over.
const KEEP: &str = "; __synapse_co_keep";

/// A shell, and what it understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What to execute.
    pub path: String,
    kind: Kind,
}

/// What a shell is to run.
pub(super) enum Line<'a> {
    /// As it is.
    Run(&'a str),
    /// The output of the pipeline goes to a file, which is not made if the pipeline does not run.
    Captured {
        before: &'a str,
        command: &'a str,
        file: &'a str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Known(Shell),
    /// Anything that reads what POSIX says.
    Posix,
}

/// A file that the shell reads when it starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StartUp {
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(&'static str, String)>,
    /// Names below our folder, and what is in them.
    pub(super) files: Vec<(&'static str, String)>,
}

impl Program {
    /// The shell of the user, by `SHELL`. One we cannot drive is replaced by `sh`, which is said.
    pub fn of_user() -> (Self, Option<String>) {
        let path = std::env::var("SHELL").unwrap_or_default();
        if path.is_empty() {
            return (Self::posix("/bin/sh"), None);
        }
        Self::at(&path).map_or_else(
            || {
                let notice = format!("{path} is not a supported shell; lines run in /bin/sh");
                (Self::posix("/bin/sh"), Some(notice))
            },
            |program| (program, None),
        )
    }

    fn at(path: &str) -> Option<Self> {
        if let Some(shell) = Shell::of(path) {
            let path = path.to_owned();
            return Some(Self {
                path,
                kind: Kind::Known(shell),
            });
        }
        let name = Path::new(path).file_name()?.to_str()?;
        matches!(name, "sh" | "dash" | "ash" | "ksh" | "mksh").then(|| Self::posix(path))
    }

    fn posix(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            kind: Kind::Posix,
        }
    }

    /// Whose quotes count.
    pub fn dialect(&self) -> Dialect {
        match self.kind {
            Kind::Known(Shell::Fish) => Dialect::Fish,
            Kind::Known(Shell::Bash | Shell::Zsh) | Kind::Posix => Dialect::Posix,
        }
    }

    /// How it is started, with our own words after the user's own settings.
    pub(super) fn start_up(&self, folder: &str, word: &str) -> StartUp {
        let file = |name: &str| self.quote(&format!("{folder}/{name}"));
        let with_word = |script: &str| script.replace(WORD, word);
        match self.kind {
            Kind::Known(Shell::Bash) => StartUp {
                args: vec!["--rcfile".into(), format!("{folder}/rc"), "-i".into()],
                env: Vec::new(),
                files: vec![
                    (
                        "rc",
                        format!("[ -f ~/.bashrc ] && . ~/.bashrc\n. {}\n", file("init")),
                    ),
                    ("init", with_word(include_str!("init/init.bash"))),
                ],
            },
            Kind::Known(Shell::Zsh) => StartUp {
                args: vec!["-i".into()],
                env: vec![
                    ("ZDOTDIR", folder.to_owned()),
                    ("SYNAPSE_ZDOTDIR", zdotdir()),
                ],
                files: vec![
                    (".zshenv", zshenv(folder)),
                    (".zshrc", format!("{ZSHRC}. {}\n", file("init"))),
                    ("init", with_word(include_str!("init/init.zsh"))),
                ],
            },
            Kind::Known(Shell::Fish) => StartUp {
                args: vec!["-i".into(), "-C".into(), format!("source {}", file("init"))],
                env: Vec::new(),
                files: vec![("init", with_word(include_str!("init/init.fish")))],
            },
            Kind::Posix => StartUp {
                args: vec!["-i".into()],
                env: vec![("ENV", format!("{folder}/init"))],
                files: vec![("init", with_word(include_str!("init/init.sh")))],
            },
        }
    }

    /// The keys that make it run the line in a file.
    pub(super) fn keys(&self, file: &str) -> String {
        let file = self.quote(file);
        let (read, keep) = match self.kind {
            Kind::Known(Shell::Bash | Shell::Zsh) => (format!("<{file}"), KEEP),
            Kind::Known(Shell::Fish) => (format!("cat {file}"), ""),
            Kind::Posix => (format!("cat {file}"), KEEP),
        };
        format!("{CLEAR} __synapse_co_mark start; eval \"$({read})\"{keep}\r")
    }

    /// A line as it goes into the file: the exit code before it is in sight, and the output of its last
    /// pipeline goes to a file if somebody wants it.
    pub(super) fn script(&self, line: &Line<'_>, code: u8) -> String {
        let is_fish = self.dialect() == Dialect::Fish;
        // With `set -e` a bare failure would end the shell.
        let status = if is_fish { "" } else { " && :" };
        let line = match line {
            Line::Run(line) => (*line).to_owned(),
            Line::Captured {
                before,
                command,
                file,
            } if is_fish => format!("{before} begin\n{command}\nend >{}", self.quote(file)),
            Line::Captured {
                before,
                command,
                file,
            } => format!("{before} {{ {command}\n}} >{}", self.quote(file)),
        };
        format!("__synapse_co_status {code}{status}\n{line}\n")
    }

    /// The loop that runs lines where there is no terminal: a line of input for each line in `file`,
    /// a line in `done` when it is over. Commands read `input`.
    pub(super) fn lines(&self, file: &str, done: &str, input: &str) -> String {
        let [file, done, input] = [file, done, input].map(|path| self.quote(path));
        if self.dialect() == Dialect::Fish {
            return format!(
                "function __synapse_co_status; return $argv[1]; end\n\
                 while read __synapse_co_go; eval \"$(cat {file})\" <{input}; \
                 echo \"$status $PWD\" >{done}; end"
            );
        }
        // Opened once, so that what one command leaves of it the next one finds.
        format!(
            "__synapse_co_status() {{ return \"$1\"; }}\nexec 9<{input}\n\
             while IFS= read -r __synapse_co_go; do eval \"$(cat {file})\" <&9 9<&-; \
             echo \"$? $PWD\" >{done}; done"
        )
    }

    fn quote(&self, word: &str) -> String {
        match self.kind {
            Kind::Known(shell) => shell.quote(word),
            Kind::Posix => quote(word),
        }
    }
}

/// Where zsh would look for the user's own files.
fn zdotdir() -> String {
    let given = std::env::var("ZDOTDIR").ok().filter(|dir| !dir.is_empty());
    given
        .or_else(|| std::env::var("HOME").ok())
        .unwrap_or_default()
}

/// Reads the user's own file, which sees its own folder and may move it, and then leads back here.
fn zshenv(folder: &str) -> String {
    format!(
        "ZDOTDIR=$SYNAPSE_ZDOTDIR\n\
         [[ -f $ZDOTDIR/.zshenv ]] && . $ZDOTDIR/.zshenv\n\
         SYNAPSE_ZDOTDIR=$ZDOTDIR ZDOTDIR={}\n",
        quote(folder)
    )
}

/// Reads the user's own file, and leaves no trace of where it was read from.
const ZSHRC: &str = "ZDOTDIR=$SYNAPSE_ZDOTDIR; unset SYNAPSE_ZDOTDIR\n\
    [[ -f $ZDOTDIR/.zshrc ]] && . $ZDOTDIR/.zshrc\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_driven_if_it_is_known() {
        for (path, dialect) in [
            ("/bin/bash", Dialect::Posix),
            ("/usr/bin/zsh", Dialect::Posix),
            ("/usr/bin/fish", Dialect::Fish),
            ("/bin/dash", Dialect::Posix),
        ] {
            assert_eq!(Program::at(path).unwrap().dialect(), dialect, "{path}");
        }
        for other in ["/usr/bin/nu", "/bin/tcsh", "", "/"] {
            assert_eq!(Program::at(other), None, "{other}");
        }
    }

    #[test]
    fn every_script_knows_the_word() {
        for path in ["bash", "zsh", "fish", "sh"] {
            let program = Program::at(path).unwrap();
            let start = program.start_up("/tmp/it's", "secret");
            let all: String = start.files.iter().map(|(_, text)| text.as_str()).collect();
            assert!(all.contains(";secret;") && !all.contains(WORD), "{path}");
        }
    }

    #[test]
    fn a_line_keeps_to_itself() {
        let bash = Program::at("bash").unwrap();
        assert_eq!(
            bash.script(&Line::Run("ls"), 3),
            "__synapse_co_status 3 && :\nls\n"
        );
        let captured = Line::Captured {
            before: "cd x &&",
            command: "ls # all",
            file: "/it's",
        };
        let piped = bash.script(&captured, 0);
        assert!(
            piped.ends_with("\ncd x && { ls # all\n} >'/it'\\''s'\n"),
            "{piped}"
        );
        let fish = Program::at("fish").unwrap();
        let piped = fish.script(&captured, 0);
        assert!(
            piped.ends_with("\ncd x && begin\nls # all\nend >'/it\\'s'\n"),
            "{piped}"
        );
    }
}
