//! `synapse --help` in groups, and `synapse help`: commands and topics.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;
use clap::{Command, CommandFactory as _};
use synapse_term::frame::width;
use synapse_term::keys::meant;

use super::Cli;
use crate::verbs::{Failure, print, texts};

/// What comes before the commands.
pub(crate) const USAGE: &str = "\
Usage:
  synapse <PROFILE> [OPTIONS] [-- ARGS]   Wrap an agent here: synapse claude
  synapse -- PROGRAM [ARGS]               Or any program: synapse -- aider
  synapse <COMMAND> [OPTIONS]";

/// The commands, by what they are for.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Agents",
        &[
            "start",
            "adopt",
            "stop",
            "restart",
            "up",
            "conversations",
            "attach",
            "list",
            "status",
            "doctor",
        ],
    ),
    (
        "Talk",
        &[
            "send",
            "answer",
            "interrupt",
            "cancel",
            "keys",
            "reply",
            "replies",
            "external",
            "flow",
        ],
    ),
    (
        "Look",
        &["tasks", "task", "usage", "screen", "logs", "web", "open"],
    ),
    (
        "Set up",
        &[
            "profile",
            "config",
            "shell",
            "shell-hook",
            "mcp",
            "mesh",
            "acp",
            "vscode",
            "install-service",
            "completions",
            "man",
            "record",
            "demo",
            "dummy-agent",
            "help",
        ],
    ),
];

/// A subject that several commands share.
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    about: &'static str,
    pub(crate) text: &'static str,
}

/// What `synapse help topics` lists.
pub(crate) const TOPICS: [Topic; 6] = [
    Topic {
        name: "profiles",
        about: "How a program is described, and what happens without a description",
        text: "\
A profile says how a program is started and how its screen is read. Claude Code, Codex, Gemini CLI and other
coding CLIs have one built in; `synapse profile list` shows them all. Any other program is wrapped without a
profile: synapse -- PROGRAM.

  synapse profile list                     the profiles that can be named
  synapse profile show claude              the YAML of one
  synapse profile learn NAME -- PROGRAM    talk to a program and write a profile for it
  synapse profile check FILE               find mistakes in one

Yours are in ~/.synapse/profiles, a project's in .synapse/profiles. A project's profile is used once you have
agreed to it: synapse profile trust FILE.
",
    },
    Topic {
        name: "addresses",
        about: "How an agent or a task is named in a command",
        text: "\
An agent is named by
  codex            its handle, as `synapse list` shows it; @codex is the same
  claude           its profile, if one agent of that profile runs
  3f9c…            its id, or the beginning of it
  codex@laptop     its handle on another machine of the mesh (synapse list --mesh)
  reviewer         the alias of an agent on another machine (synapse external list)
  all              every other agent (send only)

A task is named by its id, or by the beginning or the end of it: the last eight characters, as `synapse tasks`
shows them, are enough.
",
    },
    Topic {
        name: "exit-codes",
        about: "What the exit code of a command says",
        text: EXIT_CODES,
    },
    Topic {
        name: "prompts",
        about: "Prompts of your own",
        text: "\
A prompt is a Markdown file, ~/.synapse/prompts/NAME.md. `synapse send AGENT --template NAME [WORDS]` sends it, and on
the page `/` in the message bar offers it.

In it $ARGUMENTS stands for all the words, $1 to $9 for single ones; without any of these the words follow it. A line
`description: …` between two lines of `---` at its beginning says what it is for.
",
    },
    Topic {
        name: "prices",
        about: "What models cost, for `synapse usage`",
        text: "\
`synapse usage` counts the tokens that programs write down in their own records, and prices them by a table that is
built in. Yours goes into ~/.synapse/prices.yaml and counts first, in dollars for a million tokens:

  models:
    my-model: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, window: 200000 }

A name stands for all models that begin with it. A model that is in no table has no price: its cost is unknown.
",
    },
    Topic {
        name: "config",
        about: "Settings, environment variables and files",
        text: "\
Synapse works without any configuration. Settings are in ~/.synapse/config.yaml:

  synapse config              every setting, its value, and where the value comes from
  synapse config --json       the same for programs

SYNAPSE_HOME and A2A_HOME move the folders ~/.synapse and ~/.a2a. The manual page synapse(1) lists every
environment variable and file.
",
    },
];

/// The exit codes, as the help and the manual pages have them.
pub(crate) const EXIT_CODES: &str = "  0     done
  1     failed, canceled or rejected
  2     wrong usage
  3     no such agent
  4     your own task waits for an answer; the question is printed
  5     timed out; the task goes on
  130   Ctrl-C; the task goes on
";

/// The whole command line, with its help in groups.
pub(crate) fn command() -> Command {
    let columns = columns();
    let command = Cli::command()
        .disable_help_subcommand(true)
        .term_width(columns);
    let template = template(&command, columns);
    command.help_template(template)
}

/// How wide a line of help may be: as the terminal is, but not wider than one reads.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    let cols = size.map_or(0, |size| usize::from(size.ws_col));
    if cols == 0 { 80 } else { cols.clamp(40, 100) }
}

/// A text whose lines are no wider: prose is filled anew, what is indented keeps its lines and its columns.
fn fill(text: &str, columns: usize) -> String {
    let mut filled = String::new();
    let mut prose = String::new();
    for line in text.lines().chain([""]) {
        if !line.is_empty() && !line.starts_with(' ') {
            prose.push_str(if prose.is_empty() { "" } else { " " });
            prose.push_str(line);
            continue;
        }
        if !prose.is_empty() {
            fill_line(&mut filled, &std::mem::take(&mut prose), columns);
        }
        fill_line(&mut filled, line, columns);
    }
    filled.pop();
    filled
}

/// A line, whose second column is where it goes on.
fn fill_line(filled: &mut String, line: &str, columns: usize) {
    let indent = line.len() - line.trim_start().len();
    let second = line.trim_start().find("  ").and_then(|gap| {
        let rest = line.get(indent + gap..)?;
        Some(indent + gap + rest.len() - rest.trim_start().len())
    });
    let indent = second.filter(|at| *at < columns * 2 / 3).unwrap_or(indent);
    let mut rest = line;
    let mut room = columns;
    while width(rest) > room {
        let cut = rest
            .char_indices()
            .take(room + 1)
            .filter(|(_, c)| *c == ' ');
        let from = if room == columns { indent } else { 0 };
        let Some((cut, _)) = cut.filter(|(at, _)| *at > from).last() else {
            break;
        };
        let (head, tail) = rest.split_at(cut);
        let _ = write!(filled, "{}\n{:indent$}", head.trim_end(), "");
        rest = tail.trim_start();
        room = columns - indent;
    }
    filled.push_str(rest);
    filled.push('\n');
}

fn template(command: &Command, columns: usize) -> String {
    let mut text = format!("{{about}}\n\n{}", fill(USAGE, columns));
    let width = GROUPS
        .iter()
        .flat_map(|(_, names)| *names)
        .map(|name| name.len())
        .max()
        .unwrap_or(0);
    for (title, names) in GROUPS {
        let _ = write!(text, "\n{title}:\n");
        for name in names {
            let about = command
                .find_subcommand(name)
                .and_then(|command| command.get_about().map(ToString::to_string));
            if let Some(about) = about {
                fill_line(&mut text, &format!("  {name:width$}  {about}"), columns);
            }
        }
    }
    let end =
        "synapse help COMMAND has examples; synapse help topics explains what commands share.";
    text.push_str("\nOptions:\n{options}\n\n");
    fill_line(&mut text, end, columns);
    text
}

/// `synapse help [WORD…]`
pub(crate) fn run(words: &[String]) -> Result<u8> {
    let mut whole = command();
    whole.build();
    let mut out = print::out();
    match words {
        [] => writeln!(out, "{}", whole.render_help())?,
        [word] if word == "topics" => {
            for Topic { name, about, .. } in &TOPICS {
                writeln!(out, "  {name:10}  {about}")?;
            }
        }
        words => {
            let topic = topic(words);
            if let Some(topic) = topic {
                write!(out, "{}", fill(topic.text, columns()))?;
            }
            let mut command = &mut whole;
            for word in words {
                let names: Vec<String> = command
                    .get_subcommands()
                    .filter(|command| !command.is_hide_set())
                    .map(|command| command.get_name().to_owned())
                    .collect();
                command = match command.find_subcommand_mut(word) {
                    Some(command) => command,
                    None if topic.is_some() => return Ok(0),
                    None => return Err(unknown(word, &names)),
                };
            }
            if topic.is_some() {
                writeln!(out)?;
            }
            writeln!(out, "{}", command.render_long_help())?;
        }
    }
    Ok(0)
}

/// The topic that these words name: `exit-codes`, or `exit codes`.
fn topic(words: &[String]) -> Option<&'static Topic> {
    let name = words.join("-");
    TOPICS.iter().find(|topic| topic.name == name)
}

/// What can stand behind `synapse help` and these words, each with what it is about.
pub(crate) fn explained(words: &[String]) -> Vec<(String, String)> {
    let whole = command();
    let mut command = Some(&whole);
    for word in words {
        command = command.and_then(|command| command.find_subcommand(word));
    }
    let commands = command.into_iter().flat_map(Command::get_subcommands);
    let commands = commands.filter(|command| !command.is_hide_set());
    let commands = commands.map(|command| {
        let about = command.get_about().map(ToString::to_string);
        (command.get_name().to_owned(), about.unwrap_or_default())
    });
    let mut all: Vec<(String, String)> = commands.collect();
    if words.is_empty() {
        all.push(("topics".to_owned(), String::new()));
        let topics = TOPICS.iter();
        let topics = topics.filter(|topic| whole.find_subcommand(topic.name).is_none());
        all.extend(topics.map(|topic| (topic.name.to_owned(), topic.about.to_owned())));
    }
    all
}

fn unknown(word: &str, names: &[String]) -> anyhow::Error {
    let topics = TOPICS.iter().map(|topic| topic.name);
    let names = names.iter().map(String::as_str).chain(topics);
    let error = match meant(word, names) {
        Some(near) => texts::meant_help(word, near),
        None => texts::no_help(word),
    };
    Failure::new(Failure::USAGE, error).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = command();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let visible = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        let mut visible: Vec<&str> = visible.map(Command::get_name).collect();
        grouped.sort_unstable();
        visible.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn the_help_names_every_way_to_begin_and_fits_a_terminal() {
        let help = command().term_width(80).render_help().to_string();
        for part in [
            "[-- ARGS]   Wrap an agent here: synapse claude\n",
            "[ARGS]               Or any program: synapse -- aider\n",
            "[OPTIONS]\n\nAgents:\n",
            "Talk:\n  send",
            "--version",
        ] {
            assert!(help.contains(part), "{part} is not in\n{help}");
        }
    }

    #[test]
    fn no_help_is_wider_than_a_terminal() {
        fn check(command: &mut Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            for help in [command.render_help(), command.render_long_help()] {
                for line in help.to_string().lines() {
                    assert!(width(line) <= 80, "{path}: {line}");
                }
            }
            for command in command.get_subcommands_mut() {
                check(command, &path);
            }
        }
        let mut whole = command().term_width(80);
        whole.build();
        check(&mut whole, "");
        for Topic { text, .. } in &TOPICS {
            for line in fill(text, 80).lines() {
                assert!(width(line) <= 80, "{line}");
            }
        }
    }

    #[test]
    fn prose_is_filled_and_columns_go_on_where_they_began() {
        let text = "one two three four\nfive six\n\n  name   about it all\n";
        let filled = "one two three\nfour five six\n\n  name   about\n         it all\n";
        assert_eq!(fill(text, 15), filled);
    }

    #[test]
    fn every_command_has_an_example() {
        fn check(command: &Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            let help = command.get_after_help().map(ToString::to_string);
            if !command.is_hide_set() {
                assert!(help.is_some(), "{path} has no example");
            }
            command
                .get_subcommands()
                .for_each(|command| check(command, &path));
        }
        command()
            .get_subcommands()
            .for_each(|command| check(command, "synapse"));
    }
}
