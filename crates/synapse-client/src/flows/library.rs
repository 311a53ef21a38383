//! Flows by name: those of the project, which must be trusted, the person's own, and those that come with Synapse.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use synapse_flow::{Flow, shipped};
use synapse_machine::paths::Paths;
use synapse_machine::private_file::{Trust, read_text};
use synapse_machine::trust;

/// Where a flow comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Project,
    Own,
    Shipped,
}

impl Origin {
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Own => "yours",
            Self::Shipped => "built-in",
        }
    }
}

/// A flow that can be named.
#[derive(Clone, Debug)]
pub struct Found {
    pub name: String,
    pub origin: Origin,
    pub file: Option<PathBuf>,
    pub text: String,
    /// Nobody has agreed to it yet.
    pub is_untrusted: bool,
}

impl Found {
    /// The flow, if it is in order.
    ///
    /// # Errors
    /// Everything that is wrong with it, with file, line and column.
    pub fn flow(&self) -> Result<Flow> {
        let file = self.file.as_deref().map(Path::display);
        let file = file.map_or_else(|| self.name.clone(), |file| file.to_string());
        Flow::parse(&self.text).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(|one| format!("{file}:{one}")).collect();
            anyhow::anyhow!("{}", lines.join("\n"))
        })
    }
}

/// A flow by its name, for somebody who works in `dir`.
///
/// # Errors
/// When there is none of that name, or it comes with the project and nobody has agreed to it.
pub fn find(paths: &Paths, name: &str, dir: &Path) -> Result<Found> {
    let mut all = list(paths, dir)?;
    let Some(at) = all.iter().position(|found| found.name == name) else {
        let names: Vec<&str> = all.iter().map(|found| found.name.as_str()).collect();
        bail!(
            "there is no flow '{name}'; there are {}, or give a YAML file",
            names.join(", ")
        );
    };
    let found = all.swap_remove(at);
    if found.is_untrusted {
        let file = found.file.as_deref().unwrap_or(Path::new("")).display();
        bail!(
            "the flow '{name}' comes with this project and says what is run; look at it, then: synapse flow trust {file}"
        );
    }
    Ok(found)
}

/// Whether there is a flow of that name.
pub fn is_known(paths: &Paths, name: &str, dir: &Path) -> bool {
    let all = list(paths, dir).unwrap_or_default();
    all.iter().any(|found| found.name == name)
}

/// All that can be named, those that win first; a name is there once.
///
/// # Errors
/// When the list of what is trusted cannot be read.
pub fn list(paths: &Paths, dir: &Path) -> Result<Vec<Found>> {
    let mut all: Vec<Found> = Vec::new();
    let own = paths.flows();
    let project = Paths::project_flows(dir);
    let is_own = project.canonicalize().ok() == own.canonicalize().ok();
    let folders = [
        (project, Origin::Project, Trust::Stranger),
        (own, Origin::Own, Trust::Own),
    ];
    for (folder, origin, trusted) in folders {
        if origin == Origin::Project && is_own {
            continue;
        }
        for (name, file) in files_in(&folder) {
            let text = read_text(&file, trusted)
                .with_context(|| format!("the flow {} cannot be used", file.display()));
            // One that cannot be read must not hide the others.
            let Ok(text) = text else { continue };
            let is_untrusted = origin == Origin::Project
                && !trust::is_trusted(&paths.trusted_profiles(), text.as_bytes())?;
            all.push(Found {
                name,
                origin,
                file: Some(file),
                text,
                is_untrusted,
            });
        }
    }
    for (name, text) in shipped::FLOWS {
        all.push(Found {
            name: name.to_owned(),
            origin: Origin::Shipped,
            file: None,
            text: text.to_owned(),
            is_untrusted: false,
        });
    }
    let mut names = std::collections::BTreeSet::new();
    all.retain(|found| names.insert(found.name.clone()));
    Ok(all)
}

fn files_in(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str()?.strip_suffix(".yaml")?.to_owned();
            Some((name, entry.path()))
        })
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_of_the_project_is_used_only_once_trusted() {
        let place = tempfile::tempdir().unwrap();
        let paths = Paths::new(place.path().join("a"), place.path().join("s"));
        let dir = place.path().join("repo");
        let folder = Paths::project_flows(&dir);
        std::fs::create_dir_all(&folder).unwrap();
        let text = "name: review\nsteps: {a: {run: [echo, hi]}}";
        std::fs::write(folder.join("review.yaml"), text).unwrap();
        let error = find(&paths, "review", &dir).unwrap_err().to_string();
        assert!(error.contains("synapse flow trust"), "{error}");
        trust::trust(&paths.trusted_profiles(), text.as_bytes()).unwrap();
        let found = find(&paths, "review", &dir).unwrap();
        assert_eq!(found.origin, Origin::Project);
        std::fs::write(folder.join("review.yaml"), format!("{text}\n# changed")).unwrap();
        assert!(find(&paths, "review", &dir).is_err());
        assert_eq!(
            find(&paths, "debate", &dir).unwrap().origin,
            Origin::Shipped
        );
        let error = find(&paths, "nobody", &dir).unwrap_err().to_string();
        assert!(error.contains("debate, race, triage"), "{error}");
    }
}
