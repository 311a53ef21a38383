//! `synapse vscode install`: puts the extension into the editors of this machine that can take it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use synapse_machine::child;

use super::{print, program, texts};

/// The commands of VS Code and of the editors made of it.
const EDITORS: [&str; 4] = ["code", "codium", "cursor", "code-server"];
/// The file of the extension.
const VSIX: &str = "synapse.vsix";

/// `synapse vscode …`
#[derive(Args)]
pub(crate) struct Vscode {
    #[command(subcommand)]
    command: VscodeCommand,
}

/// The commands below `vscode`.
#[derive(Subcommand)]
enum VscodeCommand {
    /// Put the extension into the editors on your PATH: code, codium, cursor, code-server
    #[command(
        after_help = "Examples:\n  synapse vscode install\n  synapse vscode install codium --vsix vscode/synapse.vsix"
    )]
    Install(Install),
}

/// `synapse vscode install …`
#[derive(Args)]
struct Install {
    /// The editors, by their commands; without any, those on your PATH
    editors: Vec<String>,
    /// The file of the extension; without it, the one that was installed with synapse
    #[arg(long, value_name = "FILE")]
    vsix: Option<PathBuf>,
    #[arg(long, help = "Print JSON")]
    json: bool,
}

/// What became of one editor: nothing went wrong, or what it said.
type Outcome = (String, Result<(), String>);

pub(crate) fn run(args: &Vscode) -> Result<u8> {
    let VscodeCommand::Install(args) = &args.command;
    let vsix = match &args.vsix {
        Some(path) => named(path)?,
        None => beside(
            &synapse_machine::child::own_program()
                .context("cannot find the path of this program")?,
        )?,
    };
    let outcomes: Vec<Outcome> = editors(&args.editors)?
        .into_iter()
        .map(|editor| {
            let done = put_into(&editor, &vsix);
            (editor, done)
        })
        .collect();
    let is_well = outcomes.iter().all(|(_, done)| done.is_ok());
    let mut out = print::out();
    if args.json {
        let list: Vec<_> = outcomes
            .iter()
            .map(|(editor, done)| json!({ "editor": editor, "error": done.as_ref().err() }))
            .collect();
        print::json(&json!({ "vsix": vsix, "editors": list }))?;
    } else {
        for (editor, done) in &outcomes {
            match done {
                Ok(()) => writeln!(out, "{}", texts::extension_installed(editor))?,
                Err(why) => note!("{}", texts::extension_refused(editor, why)),
            }
        }
    }
    Ok(u8::from(!is_well))
}

/// The file that a person names.
fn named(path: &Path) -> Result<PathBuf> {
    // An editor may look for it from another folder.
    path.canonicalize()
        .with_context(|| format!("there is no extension at {}", path.display()))
}

/// The file that came with this program: in `share/synapse` of the same prefix, or beside it.
fn beside(own: &Path) -> Result<PathBuf> {
    let own = own.canonicalize().unwrap_or_else(|_| own.to_owned());
    let folder = own.parent().unwrap_or(Path::new("/"));
    let prefix = folder.parent().unwrap_or(folder);
    let places = [prefix.join("share/synapse").join(VSIX), folder.join(VSIX)];
    if let Some(found) = places.iter().find(|place| place.is_file()) {
        return Ok(found.clone());
    }
    let [shared, near] = places.map(|place| place.display().to_string());
    bail!("{}", texts::no_extension(shared, near))
}

/// Those that were named, else those on the PATH.
fn editors(named: &[String]) -> Result<Vec<String>> {
    if let Some(missing) = named.iter().find(|name| !program::is_on_path(name)) {
        bail!("{}", texts::no_such_editor(missing));
    }
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let found = EDITORS.iter().filter(|name| program::is_on_path(name));
    let found: Vec<String> = found.map(|name| (*name).to_owned()).collect();
    if found.is_empty() {
        bail!("{}", texts::no_editor(EDITORS.join(", ")));
    }
    Ok(found)
}

fn put_into(editor: &str, vsix: &Path) -> Result<(), String> {
    let done = child::command(editor)
        .arg("--install-extension")
        .arg(vsix)
        .arg("--force")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(last.map_or_else(|| done.status.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_extension_is_found_in_the_prefix_and_beside_the_program() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let own = home.join("bin/synapse");
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::write(&own, "").unwrap();
        let error = beside(&own).unwrap_err().to_string();
        assert!(error.contains("share/synapse/synapse.vsix"), "{error}");
        assert!(error.contains("make vscode"), "{error}");

        let near = home.join("bin/synapse.vsix");
        fs::write(&near, "").unwrap();
        assert_eq!(beside(&own).unwrap(), near);
        let shared = home.join("share/synapse/synapse.vsix");
        fs::create_dir_all(home.join("share/synapse")).unwrap();
        fs::write(&shared, "").unwrap();
        assert_eq!(beside(&own).unwrap(), shared);
    }

    #[test]
    fn an_editor_that_is_not_there_is_named() {
        let error = editors(&["no-such-editor".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("no-such-editor"), "{error}");
        assert_eq!(editors(&["sh".to_owned()]).unwrap(), ["sh"]);
    }

    #[test]
    fn what_an_editor_refuses_is_told_in_its_words() {
        // `ls` knows no such option.
        let error = put_into("ls", Path::new("/x.vsix")).unwrap_err();
        assert!(!error.is_empty());
        assert_eq!(put_into("true", Path::new("/x.vsix")), Ok(()));
    }
}
