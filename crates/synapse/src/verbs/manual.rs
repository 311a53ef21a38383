//! `synapse completions` and `synapse man`: made from the command line itself.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Command;
use clap_complete::Shell;
use clap_complete::env::Shells;
use synapse_machine::config::{VARIABLES, files};
use synapse_machine::paths::Paths;

use crate::cli::help;
use crate::verbs::print;

/// Set where a shell asks for completions.
const VARIABLE: &str = "COMPLETE";

/// Answers a shell that asks for completions, and ends.
pub(crate) fn complete() {
    if std::env::var_os(VARIABLE).is_some() {
        clap_complete::CompleteEnv::with_factory(help::command).complete();
    }
}

/// Prints the completions of a shell.
pub(crate) fn completions(shell: Shell) -> Result<u8> {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let Some(completer) = shells.completer(&name) else {
        bail!("there are no completions for {name}");
    };
    let mut script = Vec::new();
    match shell {
        Shell::Bash => script.extend(include_bytes!("completions.bash")),
        _ => {
            completer.write_registration(VARIABLE, "synapse", "synapse", "synapse", &mut script)?;
        }
    }
    print::out().write_all(&script)?;
    Ok(0)
}

/// Prints the manual page of the whole, or writes that of every command into a folder.
pub(crate) fn man(dir: Option<&Path>) -> Result<u8> {
    let mut whole = help::command();
    whole.build();
    let Some(dir) = dir else {
        print::out().write_all(&page(&whole, "synapse")?)?;
        return Ok(0);
    };
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    write_pages(&whole, "synapse", dir)?;
    Ok(0)
}

fn write_pages(command: &Command, name: &str, dir: &Path) -> Result<()> {
    let path = dir.join(format!("{name}.1"));
    std::fs::write(&path, page(command, name)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    for command in command.get_subcommands() {
        if !command.is_hide_set() {
            write_pages(command, &format!("{name}-{}", command.get_name()), dir)?;
        }
    }
    Ok(())
}

/// A manual page: what clap knows of the command, then what all of them share.
fn page(command: &Command, name: &str) -> Result<Vec<u8>> {
    let is_whole = name == "synapse";
    let man = clap_mangen::Man::new(command.clone())
        .title(name.to_owned())
        .source(format!("synapse {}", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    if is_whole {
        let mut synopsis = String::new();
        let usage = help::USAGE.trim_start_matches("Usage:\n");
        verbatim(&mut synopsis, "SYNOPSIS", &format!("{usage}\n"));
        page.extend(synopsis.into_bytes());
    } else {
        man.render_synopsis_section(&mut page)?;
    }
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut rest = String::new();
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let lines = examples.strip_prefix("Examples:\n");
        let lines = lines.or_else(|| examples.strip_prefix("Example:\n"));
        verbatim(
            &mut rest,
            "EXAMPLES",
            &format!("{}\n", lines.unwrap_or(&examples)),
        );
    }
    if is_whole {
        for topic in help::TOPICS
            .iter()
            .filter(|topic| topic.name != "exit-codes")
        {
            let title = topic.name.to_uppercase();
            verbatim(&mut rest, &title, topic.text);
        }
    }
    verbatim(&mut rest, "EXIT STATUS", help::EXIT_CODES);
    if is_whole {
        rest.push_str(".SH ENVIRONMENT\n");
        for variable in VARIABLES {
            entry(&mut rest, variable.name, variable.meaning);
        }
        rest.push_str(".SH FILES\n");
        for (path, meaning) in files(&Paths::new("~/.a2a", "~/.synapse")) {
            entry(&mut rest, &path.display().to_string(), meaning);
        }
    } else {
        rest.push_str(".SH FILES\nSettings are in \\fI~/.synapse/config.yaml\\fR; synapse(1) lists every file.\n");
        rest.push_str(
            ".SH ENVIRONMENT\nSYNAPSE_HOME, A2A_HOME, NO_COLOR and others: see synapse(1).\n",
        );
        rest.push_str(".SH SEE ALSO\nsynapse(1)\n");
    }
    page.extend(rest.into_bytes());
    Ok(page)
}

fn verbatim(page: &mut String, title: &str, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(page, ".SH {title}\n.nf\n{}.fi\n", plain(text));
}

fn entry(page: &mut String, name: &str, meaning: &str) {
    let _ = write!(
        page,
        ".TP\n\\fB{}\\fR\n{}\n",
        plain(name),
        plain(&unlinked(meaning))
    );
}

/// Text that roff takes for nothing but text.
fn plain(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = text.split('\n').map(|line| match line.chars().next() {
        Some('.' | '\'') => format!("\\&{line}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Markdown without its links and code marks: `[store.md](store.md)` is `docs/store.md`.
fn unlinked(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let target = link
            .split_once("](")
            .and_then(|(_, target)| target.split_once(')'));
        let Some((target, after)) = target else { break };
        plain.extend([before, "docs/", target]);
        rest = after;
    }
    plain.push_str(rest);
    plain.replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_the_sections_of_a_manual() {
        let dir = tempfile::tempdir().unwrap();
        man(Some(dir.path())).unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        for name in ["synapse.1", "synapse-send.1", "synapse-profile-learn.1"] {
            let page = read(name);
            for section in ["NAME", "SYNOPSIS", "FILES", "ENVIRONMENT", "EXIT STATUS"] {
                assert!(page.contains(section), "{name} has no {section}");
            }
        }
        let whole = read("synapse.1");
        assert!(whole.contains("SYNAPSE_HOME") && whole.contains("synapse <PROFILE>"));
        let send = read("synapse-send.1");
        assert!(send.contains("\"synapse "), "the source of a page: {send}");
        assert!(!send.contains("Examples:"), "the heading is there once");
        assert!(
            !dir.path().join("synapse-host.1").exists(),
            "hidden commands stay hidden"
        );
    }

    #[test]
    fn what_roff_would_obey_is_text() {
        assert_eq!(plain(".x\n'y\\n-z"), "\\&.x\n\\&'y\\en\\-z");
        assert_eq!(
            unlinked("A `b`: [store.md](store.md)."),
            "A b: docs/store.md."
        );
    }
}
