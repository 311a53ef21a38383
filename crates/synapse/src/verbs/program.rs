//! Which program is to be wrapped: one with a profile, or any other, which `generic` reads.

use std::path::Path;

use anyhow::{Result, anyhow};
use synapse::launch::probe;
use synapse_term::profile::{Backend, Profile};

use super::{Failure, profile, texts};
use crate::cli::Start;

/// A program and how it is read.
pub(super) struct Program {
    pub(super) profile: Profile,
    /// Arguments behind those of the profile.
    pub(super) args: Vec<String>,
}

impl Program {
    /// The program that was asked for: by its profile, by its name where no profile has it, or as a command.
    pub(super) fn find(start: &Start) -> Result<Self> {
        Self::find_in(start, &std::env::current_dir()?)
    }

    /// The same, as it is found in a folder, whose project may have profiles.
    pub(super) fn find_in(start: &Start, dir: &Path) -> Result<Self> {
        let args = start.args.clone();
        match &start.profile {
            None => Ok(Self {
                profile: generic(args, start.acp)?,
                args: Vec::new(),
            }),
            Some(name) if !profile::is_known_in(name, dir)? && is_on_path(name) => Ok(Self {
                profile: generic(vec![name.clone()], start.acp)?,
                args,
            }),
            Some(name) if !profile::is_known_in(name, dir)? => {
                let profiles = Profile::builtin_names().collect::<Vec<_>>().join(", ");
                let error = texts::no_profile_and_no_program(name, profiles);
                Err(Failure::new(Failure::USAGE, error).into())
            }
            Some(name) => Ok(Self {
                profile: profile::find_in(name, dir)?,
                args,
            }),
        }
    }
}

/// A program that nobody has described. It is known by the name of its file.
fn generic(command: Vec<String>, speaks_acp: bool) -> Result<Profile> {
    let program = command
        .first()
        .ok_or_else(|| anyhow!("no program was named"))?;
    Ok(Profile {
        name: name_of(program),
        command,
        backend: if speaks_acp {
            Backend::Acp
        } else {
            Backend::Terminal
        },
        ..Profile::builtin("generic")?
    })
}

/// What a program is called: the name of its file, as far as a handle may have its letters.
fn name_of(program: &str) -> String {
    let file = Path::new(program).file_name().unwrap_or_default();
    let file = file.to_string_lossy();
    let name: String = file
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "_.-".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect();
    if name.is_empty() {
        "program".to_owned()
    } else {
        name
    }
}

/// Whether the shell would find a program of this name.
pub(super) fn is_on_path(program: &str) -> bool {
    !program.contains('/') && probe::find(program, None).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_called_by_the_name_of_its_file() {
        let names = [
            ("python3", "python3"),
            ("/usr/bin/g++", "g--"),
            ("./my tool.sh", "my-tool.sh"),
            ("..", "program"),
        ];
        for (program, name) in names {
            assert_eq!(name_of(program), name);
        }
    }

    #[test]
    fn the_shell_finds_programs_and_nothing_else() {
        assert!(is_on_path("sh"));
        assert!(!is_on_path("no-such-program-anywhere") && !is_on_path("/bin/sh"));
    }
}
