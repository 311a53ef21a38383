//! `synapse profile`: list, show, check, trust, replay.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use synapse::paths::Paths;
use synapse::private_file::{Trust, read_text};
use synapse::trust;
use synapse_term::profile::Profile;

use super::replay;
use crate::cli::{self, ProfileCommand};
use crate::verbs::print;

/// Runs it.
pub(crate) fn run(args: &cli::Profile) -> Result<()> {
    match &args.command {
        ProfileCommand::List { json } => list(*json),
        ProfileCommand::Show { profile } => show(profile),
        ProfileCommand::Check { file } => check(file),
        ProfileCommand::Trust { file } => agree(file),
        ProfileCommand::Replay(args) => replay::run(args, Arc::new(find(&args.profile)?)),
    }
}

/// A profile by its name or by its file.
pub(crate) fn find(name: &str) -> Result<Profile> {
    if is_file(name) {
        return from_file(name);
    }
    let paths = Paths::from_env()?;
    let project = Paths::project_profiles(&std::env::current_dir()?).join(format!("{name}.yaml"));
    if let Some(text) = of_project(&project)? {
        let file = project.display();
        if !trust::is_trusted(&paths.trusted_profiles(), text.as_bytes())? {
            bail!(
                "the profile '{name}' comes with this project and names a command to run; look at it, then: synapse profile trust {file}"
            );
        }
        return parsed(&text, &file.to_string());
    }
    let own = own_file(name)?;
    if own.is_file() {
        return from_file(&own.to_string_lossy());
    }
    if !Profile::builtin_names().any(|known| known == name) {
        let known = Profile::builtin_names().collect::<Vec<_>>().join(", ");
        bail!("there is no profile '{name}'; built in are {known}, or give a YAML file");
    }
    Ok(Profile::builtin(name)?)
}

/// Whether there is a profile of that name, or a file is meant.
pub(crate) fn is_known(name: &str) -> Result<bool> {
    let project = Paths::project_profiles(&std::env::current_dir()?).join(format!("{name}.yaml"));
    Ok(is_file(name)
        || project.is_file()
        || own_file(name)?.is_file()
        || Profile::builtin_names().any(|known| known == name))
}

/// Whether a name is meant as a path.
fn is_file(name: &str) -> bool {
    name.contains('/')
        || Path::new(name)
            .extension()
            .is_some_and(|e| e == "yaml" || e == "yml")
}

fn from_file(file: &str) -> Result<Profile> {
    parsed(&text_of(file)?, file)
}

/// The profile of a project, which anybody may have written.
fn of_project(file: &Path) -> Result<Option<String>> {
    match read_text(file, Trust::Stranger) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let file = file.display();
            bail!("the profile {file} comes with this project and cannot be used: {error}")
        }
    }
}

fn text_of(file: &str) -> Result<String> {
    read_text(Path::new(file), Trust::Own).with_context(|| format!("cannot read {file}"))
}

fn parsed(text: &str, file: &str) -> Result<Profile> {
    let find = |name: &str| read_text(&own_file(name).ok()?, Trust::Own).ok();
    Ok(Profile::parse(text, file, &find)?)
}

/// Where the user keeps a profile of this name.
fn own_file(name: &str) -> Result<PathBuf> {
    Ok(Paths::from_env()?.profiles().join(format!("{name}.yaml")))
}

/// A row of `profile list`.
#[derive(Serialize)]
struct Row {
    name: String,
    command: Vec<String>,
    source: &'static str,
}

fn list(json: bool) -> Result<()> {
    let mut rows = Vec::new();
    for name in Profile::builtin_names() {
        let profile = Profile::builtin(name)?;
        rows.push(Row {
            name: profile.name,
            command: profile.command,
            source: "built-in",
        });
    }
    let mut out = print::out();
    if json {
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
        return Ok(());
    }
    for row in rows {
        let command = if row.command.is_empty() {
            "(any)".to_owned()
        } else {
            row.command.join(" ")
        };
        writeln!(out, "{:10} {:28} {}", row.name, command, row.source)?;
    }
    Ok(())
}

fn show(name: &str) -> Result<()> {
    let text = if is_file(name) {
        text_of(name)?
    } else {
        find(name)?;
        Profile::builtin_text(name).unwrap_or_default().to_owned()
    };
    print::out().write_all(text.as_bytes())?;
    Ok(())
}

/// Agrees to a profile that came with a project.
fn agree(file: &str) -> Result<()> {
    let text = text_of(file)?;
    let profile = parsed(&text, file)?;
    trust::trust(&Paths::from_env()?.trusted_profiles(), text.as_bytes())?;
    let command = profile.command.join(" ");
    writeln!(
        print::out(),
        "{file}: trusted as it is now; it runs: {command}"
    )?;
    Ok(())
}

fn check(file: &str) -> Result<()> {
    let profile = from_file(file)?;
    writeln!(
        print::out(),
        "{file}: profile '{}' is in order",
        profile.name
    )?;
    Ok(())
}
