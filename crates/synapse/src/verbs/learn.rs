//! `synapse profile learn`: talks to a program that nobody has described, compares what its screen showed with what
//! was asked for, and writes a profile that says what was learned and how sure that is.

mod calibration;
mod teacher;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use synapse_term::cast::Cast;
use synapse_term::learn::{Finding, LearnedProfile, Lesson, learn};
use synapse_term::profile::Profile;

use super::profile;
use crate::cli::Learn;
use crate::verbs::print;

pub(crate) fn run(args: &Learn) -> Result<()> {
    if args.reply.len() > args.typed.len() {
        bail!("there are more replies than messages: give --typed before each --reply");
    }
    let output = output(args)?;
    if output.exists() && !args.force {
        bail!("{} is there already; --force replaces it", output.display());
    }
    let lessons = lessons(args);
    let recording = if let Some(file) = &args.recording {
        PathBuf::from(file)
    } else {
        let recording = output.with_extension("cast");
        talk(args, &lessons, &recording)?;
        recording
    };
    let file = recording.display();
    let text =
        std::fs::read_to_string(&recording).with_context(|| format!("cannot read {file}"))?;
    let cast = Cast::parse(&text).with_context(|| file.to_string())?;
    note!("reading {file}, with each rule that was found and without it");
    let Some(learned) = learn(&cast, &lessons) else {
        bail!(
            "nothing was learned: none of the messages was typed and submitted in {file}; see what happened with: synapse profile replay {file}"
        );
    };
    write(args, &learned, &output)?;
    tell(&learned, &output, &recording)
}

/// Where the profile goes: among those of this user, unless a file is named.
fn output(args: &Learn) -> Result<PathBuf> {
    match &args.output {
        Some(file) => Ok(PathBuf::from(file)),
        None => profile::own_file(&args.name),
    }
}

/// What is typed: what the user gives, or our own messages.
fn lessons(args: &Learn) -> Vec<Lesson> {
    if args.typed.is_empty() {
        return calibration::lessons(args.ask_permission);
    }
    let lesson = |(index, typed): (usize, &String)| Lesson {
        typed: typed.clone(),
        reply: args.reply.get(index).cloned(),
    };
    args.typed.iter().enumerate().map(lesson).collect()
}

/// Starts the program in front of the user, types the lessons and writes down what happens.
fn talk(args: &Learn, lessons: &[Lesson], recording: &Path) -> Result<()> {
    if args.command.is_empty() {
        bail!(
            "say which program to learn: synapse profile learn {0} -- {0}",
            args.name
        );
    }
    if let Some(folder) = recording
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let file = std::fs::File::create(recording)
        .with_context(|| format!("cannot write {}", recording.display()))?;
    let taught = teacher::teach(&args.command, lessons, file)?;
    if taught.has_ended {
        note!("the program ended by itself");
    }
    if taught.left > 0 {
        note!(
            "{} of {} messages were not answered",
            taught.left,
            lessons.len()
        );
    }
    Ok(())
}

fn write(args: &Learn, learned: &LearnedProfile, output: &Path) -> Result<()> {
    let command = match args.command.as_slice() {
        [] => std::slice::from_ref(&args.name),
        command => command,
    };
    let yaml = learned.yaml(&args.name, command);
    let file = output.display().to_string();
    // What was learned from a screen is text from elsewhere: it must still be a profile.
    Profile::parse(&yaml, &file, &|_| None)?;
    if let Some(folder) = output
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(output, yaml).with_context(|| format!("cannot write {file}"))
}

fn tell(learned: &LearnedProfile, output: &Path, recording: &Path) -> Result<()> {
    let mut out = print::out();
    for Finding {
        about,
        what,
        seen,
        is_kept,
    } in &learned.findings
    {
        let (seen, of) = seen;
        let note = if *is_kept { "" } else { "  (not used)" };
        writeln!(out, "{about:10} {seen}/{of}  {what}{note}")?;
    }
    writeln!(out, "\nread with this profile: {}", learned.score)?;
    writeln!(out, "read with generic:      {}", learned.generic)?;
    if !learned.has_rules() {
        writeln!(
            out,
            "\nno rule reads it better than generic does: the profile only names the program"
        )?;
    }
    writeln!(
        out,
        "\nprofile:   {}\nrecording: {}",
        output.display(),
        recording.display()
    )?;
    Ok(())
}
