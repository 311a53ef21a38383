//! Completion at the cursor: handles, flags, commands, paths. Pure, except for the lookups it is given.

use super::quoting::{Dialect, Quoting};

/// The flags of a message, as people are offered them.
const FLAGS: [&str; 5] = ["--return", "--no-return", "--priority", "--file", "--here"];

/// Where words come from.
pub(super) trait Source {
    /// Who can be addressed, without the `@`.
    fn handles(&self) -> Vec<String>;
    /// The names of commands that begin so.
    fn commands(&self, begin: &str) -> Vec<String>;
    /// The names in a folder; those of folders end with `/`.
    fn names(&self, folder: &str) -> Vec<String>;
}

/// A word that may stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// What takes the place of the line from `start` to the cursor.
    pub(super) text: String,
    /// Whether it is whole, so that a blank may follow.
    pub(super) is_whole: bool,
}

/// The words that may stand at the end of `line`, and where they begin.
pub(super) fn complete(line: &str, dialect: Dialect, source: &impl Source) -> (usize, Vec<Word>) {
    let command = last_command(line, dialect);
    let before_command = line.len() - command.len();
    let inner = command.trim_start();
    let blanks = command.len() - inner.len();
    let is_message = inner.starts_with('@');
    let word_at = if is_message {
        inner.rfind(char::is_whitespace).map_or(0, |at| at + 1)
    } else {
        word_begin(inner, dialect)
    };
    let start = before_command + blanks + word_at;
    let (head, word) = inner.split_at_checked(word_at).unwrap_or((inner, ""));
    let words = match (is_message, head.is_empty()) {
        (true, true) => handles(word, source),
        (true, false) => in_message(head, word, source),
        (false, true) if !word.contains('/') => whole(source.commands(word)),
        (false, _) => paths(word, Escaping::Shell, source),
    };
    (start, words)
}

/// What stands behind the last pipe that leads to an agent, or else the whole line.
fn last_command(line: &str, dialect: Dialect) -> &str {
    if line.trim_start().starts_with('@') {
        return line;
    }
    let pipes = Quoting::of(line, dialect);
    let behind = pipes
        .pipes()
        .filter_map(|at| line.get(at + 1..))
        .find(|rest| rest.trim_start().starts_with('@'));
    behind.unwrap_or(line)
}

/// Where the last word of a command begins.
fn word_begin(line: &str, dialect: Dialect) -> usize {
    let quoting = Quoting::of(line, dialect);
    let parts = |c: char| c.is_whitespace() || "|&;<>()".contains(c);
    let last = quoting.plain.iter().rev().find(|(_, c)| parts(*c));
    last.map_or(0, |(at, c)| at + c.len_utf8())
}

fn handles(word: &str, source: &impl Source) -> Vec<Word> {
    let begin = word.trim_start_matches('@').to_lowercase();
    let is_meant = |handle: &String| handle.to_lowercase().starts_with(&begin);
    let handles = source.handles().into_iter().filter(is_meant);
    whole(handles.map(|handle| format!("@{handle}")).collect())
}

/// A word of a message: a flag as long as there are only flags, the value of one, or a path.
fn in_message(head: &str, word: &str, source: &impl Source) -> Vec<Word> {
    let flags: Vec<&str> = head.split_whitespace().skip(1).collect();
    match flags.last() {
        Some(&"--priority") => {
            let numbers = (1..=5).map(|number| number.to_string());
            return whole(numbers.filter(|number| number.starts_with(word)).collect());
        }
        Some(&"--file") => return paths(word, Escaping::None, source),
        _ => {}
    }
    let mut rest = flags.iter();
    let mut only_flags = true;
    while let Some(flag) = rest.next() {
        match *flag {
            "--priority" | "--file" => drop(rest.next()),
            flag => only_flags &= flag.starts_with("--") && flag != "--",
        }
    }
    if let (true, Some(file)) = (only_flags, word.strip_prefix("--file=")) {
        let mut found = paths(file, Escaping::None, source);
        for word in &mut found {
            word.text.insert_str(0, "--file=");
        }
        return found;
    }
    if only_flags && word.starts_with('-') {
        let flags = FLAGS.iter().filter(|flag| flag.starts_with(word));
        return whole(flags.map(ToString::to_string).collect());
    }
    paths(word, Escaping::None, source)
}

/// Whether blanks in a path would end it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escaping {
    /// They stand for themselves.
    None,
    /// A backslash must stand before them.
    Shell,
}

fn paths(word: &str, escaping: Escaping, source: &impl Source) -> Vec<Word> {
    let (folder, begin) = match word.rfind('/') {
        Some(at) => word.split_at_checked(at + 1).unwrap_or(("", word)),
        None => ("", word),
    };
    // An empty word could be anything, which helps nobody in the middle of a message.
    if word.is_empty() && escaping == Escaping::None {
        return Vec::new();
    }
    let plain = |text: &str| text.replace('\\', "");
    let (folder_name, begin) = match escaping {
        Escaping::None => (folder.to_owned(), begin.to_owned()),
        Escaping::Shell => (plain(folder), plain(begin)),
    };
    let names = source.names(&folder_name).into_iter();
    let is_meant = |name: &String| {
        name.starts_with(&begin) && (begin.starts_with('.') || !name.starts_with('.'))
    };
    let word = |name: String| {
        let is_whole = !name.ends_with('/');
        let name = match escaping {
            Escaping::None => name,
            Escaping::Shell => escape(&name),
        };
        Word {
            text: format!("{folder}{name}"),
            is_whole,
        }
    };
    names.filter(is_meant).map(word).collect()
}

/// A name that any shell takes as it stands.
fn escape(name: &str) -> String {
    let mut escaped = String::new();
    for c in name.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !"/._-+,:@%=".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn whole(texts: Vec<String>) -> Vec<Word> {
    let word = |text| Word {
        text,
        is_whole: true,
    };
    texts.into_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Source for Fixed {
        fn handles(&self) -> Vec<String> {
            ["codex", "Claude", "all"].map(str::to_owned).to_vec()
        }

        fn commands(&self, begin: &str) -> Vec<String> {
            let known = ["cat", "cargo", "ls"].into_iter();
            known
                .filter(|name| name.starts_with(begin))
                .map(str::to_owned)
                .collect()
        }

        fn names(&self, folder: &str) -> Vec<String> {
            let names: &[&str] = match folder {
                "" => &["a file", "src/", ".git/", "server.log"],
                "src/" => &["main.rs", "my file"],
                _ => &[],
            };
            names.iter().map(ToString::to_string).collect()
        }
    }

    /// The line with each of the words in it.
    fn lines(line: &str) -> Vec<String> {
        let (start, words) = complete(line, Dialect::Posix, &Fixed);
        let begin = &line[..start];
        words
            .iter()
            .map(|word| format!("{begin}{}", word.text))
            .collect()
    }

    #[test]
    fn handles_at_the_beginning_and_behind_a_pipe() {
        assert_eq!(lines("@c"), ["@codex", "@Claude"]);
        assert_eq!(lines("  @CL"), ["  @Claude"]);
        assert_eq!(lines("cat x | @a"), ["cat x | @all"]);
        assert_eq!(lines("@codex x | @a"), [""; 0], "all of it is the message");
    }

    #[test]
    fn flags_where_only_flags_are() {
        assert_eq!(lines("@codex --r"), ["@codex --return"]);
        assert_eq!(
            lines("@codex --priority 3 --fi"),
            ["@codex --priority 3 --file"]
        );
        assert_eq!(lines("@codex --priority 3").len(), 1);
        assert_eq!(lines("@codex words --r"), [""; 0]);
        assert_eq!(lines("@codex -- --r"), [""; 0]);
    }

    #[test]
    fn paths_in_messages_are_not_escaped_and_in_commands_they_are() {
        assert_eq!(
            lines("@codex look at s"),
            ["@codex look at src/", "@codex look at server.log"]
        );
        assert_eq!(lines("@codex --file a"), ["@codex --file a file"]);
        assert_eq!(lines("@codex --file=src/ma"), ["@codex --file=src/main.rs"]);
        assert_eq!(lines("@codex "), [""; 0]);
        assert_eq!(lines("cat a"), ["cat a\\ file"]);
        assert_eq!(lines("cat a\\ "), ["cat a\\ file"]);
        assert_eq!(lines("cat >.g"), ["cat >.git/"]);
        assert_eq!(lines("cat src/my"), ["cat src/my\\ file"]);
        assert_eq!(lines("./"), [""; 0]);
    }

    #[test]
    fn commands_where_a_command_stands() {
        assert_eq!(lines("ca"), ["cat", "cargo"]);
        let after_a_pipe = |line: &str| lines(line).len();
        assert_eq!(
            after_a_pipe("日本語 |"),
            after_a_pipe("日本語 | "),
            "any text is read"
        );
    }

    #[test]
    fn only_folders_go_on() {
        let (_, words) = complete("cat s", Dialect::Posix, &Fixed);
        let whole: Vec<bool> = words.iter().map(|word| word.is_whole).collect();
        assert_eq!(whole, [false, true]);
    }
}
