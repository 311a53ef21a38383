//! `synapse profile`: list, show, check, trust, learn, replay.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use synapse_machine::paths::Paths;
use synapse_machine::private_file::{Trust, read_text};
use synapse_machine::trust;
use synapse_term::profile::Profile;

use super::flow::agree_to;
use super::{Failure, learn, replay, texts};
use crate::cli::{self, ProfileCommand};
use crate::verbs::print::{self, shown};

pub(crate) fn run(args: &cli::Profile) -> Result<()> {
    match &args.command {
        ProfileCommand::List { json } => list(*json),
        ProfileCommand::Show { profile } => show(profile),
        ProfileCommand::Check { file } => check(file),
        ProfileCommand::Trust { file } => agree(file),
        ProfileCommand::Learn(args) => learn::run(args),
        ProfileCommand::Replay(args) => replay::run(args, Arc::new(find(&args.profile)?)),
    }
}

/// A profile by its name or by its file.
pub(crate) fn find(name: &str) -> Result<Profile> {
    find_in(name, &std::env::current_dir()?)
}

/// The same, as it is found in a folder.
pub(super) fn find_in(name: &str, dir: &Path) -> Result<Profile> {
    if is_file(name) {
        return from_file(name);
    }
    let paths = Paths::from_env()?;
    let project = project_folder(&paths, dir).map(|folder| folder.join(format!("{name}.yaml")));
    let of_project = |file: &PathBuf| of_project(file).transpose();
    if let (Some(project), Some(text)) = (&project, project.as_ref().and_then(of_project)) {
        let text = text?;
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
        return parsed(&text_of(&own, Trust::Own)?, &own.to_string_lossy());
    }
    if !Profile::builtin_names().any(|known| known == name) {
        let known = Profile::builtin_names().collect::<Vec<_>>().join(", ");
        return Err(Failure::new(Failure::USAGE, texts::no_profile(name, known)).into());
    }
    Ok(Profile::builtin(name)?)
}

/// Whether there is a profile of that name, or a file is meant.
pub(crate) fn is_known(name: &str) -> Result<bool> {
    is_known_in(name, &std::env::current_dir()?)
}

/// The same, as it is found in a folder.
pub(super) fn is_known_in(name: &str, dir: &Path) -> Result<bool> {
    let project = Paths::project_profiles(dir).join(format!("{name}.yaml"));
    // What stands there and cannot be used is refused with a reason later.
    let exists = |path: &Path| path.symlink_metadata().is_ok();
    Ok(is_file(name)
        || exists(&project)
        || exists(&own_file(name)?)
        || Profile::builtin_names().any(|known| known == name))
}

/// Whether a name is meant as a path.
pub(crate) fn is_file(name: &str) -> bool {
    name.contains('/')
        || Path::new(name)
            .extension()
            .is_some_and(|e| e == "yaml" || e == "yml")
}

fn from_file(file: &str) -> Result<Profile> {
    parsed(&chosen(file)?, file)
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

/// The text of a file that the person names, or of one that is theirs.
fn text_of(file: &Path, trust: Trust) -> Result<String> {
    read_text(file, trust).with_context(|| format!("cannot read {}", file.display()))
}

fn chosen(file: &str) -> Result<String> {
    text_of(Path::new(file), Trust::Chosen)
}

fn parsed(text: &str, file: &str) -> Result<Profile> {
    let find = |name: &str| read_text(&own_file(name).ok()?, Trust::Own).ok();
    Ok(Profile::parse(text, file, &find)?)
}

/// Where the user keeps a profile of this name.
pub(super) fn own_file(name: &str) -> Result<PathBuf> {
    Ok(Paths::from_env()?.profiles().join(format!("{name}.yaml")))
}

/// Where the project in this folder keeps its profiles. A folder that is the user's own, as in `$HOME`, is no
/// project's.
fn project_folder(paths: &Paths, dir: &Path) -> Option<PathBuf> {
    let folder = Paths::project_profiles(dir);
    let is_own = match (folder.canonicalize(), paths.profiles().canonicalize()) {
        (Ok(folder), Ok(own)) => folder == own,
        _ => false,
    };
    Some(folder).filter(|_| !is_own)
}

/// A row of `profile list`.
#[derive(Serialize)]
struct ProfileRow {
    name: String,
    /// Nothing for a profile that cannot be read, or may not be yet.
    command: Option<Vec<String>>,
    /// `built-in`, `yours` or `project`.
    source: &'static str,
    file: Option<PathBuf>,
    /// Nothing where nobody has to agree to it.
    is_trusted: Option<bool>,
    problem: Option<String>,
}

impl ProfileRow {
    fn of(name: &str, source: &'static str, file: PathBuf, text: Result<String>) -> Self {
        let profile = text.and_then(|text| parsed(&text, &file.to_string_lossy()));
        Self {
            name: name.to_owned(),
            source,
            is_trusted: None,
            problem: profile.as_ref().err().map(|error| format!("{error:#}")),
            command: profile.ok().map(|profile| profile.command),
            file: Some(file),
        }
    }
}

/// The names of all profiles that can be named here.
pub(crate) fn names() -> Result<Vec<String>> {
    Ok(rows()?.into_iter().map(|row| row.name).collect())
}

/// All profiles that can be named here, those that win first: the project's, the user's, the built-in ones.
fn rows() -> Result<Vec<ProfileRow>> {
    let paths = Paths::from_env()?;
    let mut rows = Vec::new();
    if let Some(folder) = project_folder(&paths, &std::env::current_dir()?) {
        for (name, file) in files_in(&folder) {
            let text = read_text(&file, Trust::Stranger).map_err(Into::into);
            let is_trusted = match &text {
                Ok(text) => trust::is_trusted(&paths.trusted_profiles(), String::as_bytes(text))?,
                Err(_) => false,
            };
            rows.push(ProfileRow {
                is_trusted: Some(is_trusted),
                ..ProfileRow::of(&name, "project", file, text)
            });
        }
    }
    for (name, file) in files_in(&paths.profiles()) {
        let text = text_of(&file, Trust::Own);
        rows.push(ProfileRow::of(&name, "yours", file, text));
    }
    for name in Profile::builtin_names() {
        rows.push(ProfileRow {
            name: name.to_owned(),
            command: Some(Profile::builtin(name)?.command),
            source: "built-in",
            file: None,
            is_trusted: None,
            problem: None,
        });
    }
    Ok(rows)
}

/// The profiles of a folder, by name.
fn files_in(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry
                .file_name()
                .to_str()?
                .strip_suffix(".yaml")?
                .to_owned();
            Some((name, entry.path()))
        })
        .collect();
    files.sort();
    files
}

fn list(json: bool) -> Result<()> {
    let rows = rows()?;
    let mut out = print::out();
    if json {
        print::json(&serde_json::json!({ "profiles": rows }))?;
        return Ok(());
    }
    for row in rows {
        let command = match (&row.command, &row.problem) {
            (Some(command), _) if command.is_empty() => "(any)".to_owned(),
            (Some(command), _) => command.join(" "),
            (None, problem) => problem.clone().unwrap_or_default(),
        };
        let trust = match row.is_trusted {
            None => "",
            Some(true) => ", trusted",
            Some(false) => ", not trusted: synapse profile trust FILE",
        };
        let file = row.file.map(|file| format!(" ({})", file.display()));
        let file = file.unwrap_or_default();
        let [name, command, file] = [row.name, command, file].map(|text| shown(&text));
        writeln!(out, "{name:10} {command:28} {}{trust}{file}", row.source)?;
    }
    Ok(())
}

fn show(name: &str) -> Result<()> {
    let mut out = print::out();
    if is_file(name) {
        out.write_all(chosen(name)?.as_bytes())?;
        return Ok(());
    }
    let Some(row) = rows()?.into_iter().find(|row| row.name == name) else {
        // It says which there are.
        return find(name).map(drop);
    };
    let text = match &row.file {
        // To look at a profile is not to agree to it.
        Some(file) if row.source == "project" => read_text(file, Trust::Stranger)?,
        Some(file) => text_of(file, Trust::Own)?,
        None => Profile::builtin_text(name).unwrap_or_default().to_owned(),
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Agrees to a profile that came with a project.
fn agree(file: &str) -> Result<()> {
    let text = chosen(file)?;
    let profile = parsed(&text, file)?;
    agree_to(&text)?;
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
        "{}",
        texts::profile_is_in_order(file, &profile.name)
    )?;
    Ok(())
}
