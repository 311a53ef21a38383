//! `synapse flow`: run, list, show, answer, stop, resume and check flows.

mod agent;
mod check;
mod display;
mod list;
mod show;
mod start;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use synapse_client::flows::{self, Found, Origin, Request, RunFolder};
use synapse_flow::event::State;
use synapse_machine::paths::Paths;
use synapse_machine::private_file::{Trust, read_text};
use synapse_machine::trust;
use synapse_store::Reader;

use super::{Failure, lookup, profile};
use crate::cli::complete;
use crate::verbs::print;
use crate::verbs::texts::flow as words;

/// `synapse flow …`
#[derive(Args)]
#[command(
    after_help = "Examples:\n  synapse flow list\n  synapse flow run review --input goal='a login page'\n  synapse flow show 4f9a21 --follow"
)]
pub(crate) struct Flow {
    #[command(subcommand)]
    command: FlowCommand,
}

#[derive(Subcommand)]
enum FlowCommand {
    /// Run a flow: a name, or a YAML file
    #[command(after_help = "\
Examples:
  synapse flow run review --input goal='a login page'
  synapse flow run review --input goal=x --plan
  synapse flow run review --input goal=x --simulate
  synapse flow run ./my-flow.yaml --json")]
    Run(start::Run),
    /// List the flows there are and the latest runs
    #[command(after_help = "Example:\n  synapse flow list --json")]
    List(list::List),
    /// Show a run as a tree
    #[command(
        after_help = "Examples:\n  synapse flow show 4f9a21\n  synapse flow show 4f9a21 --follow"
    )]
    Show(show::Show),
    /// Answer what a run asks; agents cannot
    #[command(
        after_help = "Examples:\n  synapse flow answer 4f9a21 yes\n  synapse flow answer 4f9a21 no --step merge"
    )]
    Answer(Answer),
    /// Stop a run: its tasks are canceled, the agents started for it are stopped
    #[command(after_help = "Example:\n  synapse flow stop 4f9a21")]
    Stop {
        /// The run: its id, or the beginning or end of it
        run: String,
        /// Print JSON: the run
        #[arg(long)]
        json: bool,
    },
    /// Go on with a run that was stopped, has failed or lost its process; what is done stays done
    #[command(after_help = "Example:\n  synapse flow resume 4f9a21")]
    Resume(start::Resume),
    /// Check a flow: keys, names, circles, types, agents; says file, line and column
    #[command(after_help = "Example:\n  synapse flow check my-flow.yaml")]
    Check {
        /// A YAML file, or the name of a flow
        #[arg(add = complete::flows())]
        flow: String,
        /// Print JSON: the problems
        #[arg(long)]
        json: bool,
    },
    /// Trust a flow that comes with a project (./.synapse/flows), as it is now
    #[command(after_help = "Example:\n  synapse flow trust .synapse/flows/deploy.yaml")]
    Trust {
        /// The YAML file
        file: String,
    },
    /// Print the YAML of a flow
    #[command(after_help = "Example:\n  synapse flow print review > my-review.yaml")]
    Print {
        /// A YAML file, or the name of a flow
        #[arg(add = complete::flows())]
        flow: String,
    },
    /// A command of a step, in a process of its own
    #[command(hide = true)]
    Command { folder: PathBuf },
    /// The process behind a run in the background
    #[command(hide = true)]
    Host { run: String },
    /// The program of an agent that is a flow
    #[command(hide = true)]
    Agent { flow: String },
}

/// `synapse flow answer …`
#[derive(Args)]
struct Answer {
    /// The run: its id, or the beginning or end of it
    run: String,
    /// The answer: yes, no, or one of the options
    #[arg(value_name = "ANSWER")]
    value: String,
    /// The step that asks, if several do
    #[arg(long)]
    step: Option<String>,
}

pub(crate) fn run(args: &Flow) -> Result<u8> {
    match &args.command {
        FlowCommand::Run(args) => start::run(args),
        FlowCommand::Resume(args) => start::resume(args),
        FlowCommand::Host { run } => start::host(run),
        FlowCommand::List(args) => list::run(args),
        FlowCommand::Show(args) => show::run(args),
        FlowCommand::Answer(args) => answer(args),
        FlowCommand::Stop { run, json } => stop(run, *json),
        FlowCommand::Check { flow, json } => check::run(flow, *json),
        FlowCommand::Trust { file } => agree(file),
        FlowCommand::Print { flow } => {
            use std::io::Write as _;
            let found = find(flow, Purpose::Look)?;
            print::out().write_all(found.text.as_bytes())?;
            Ok(0)
        }
        FlowCommand::Command { folder } => {
            synapse::flow::command::carry_out(folder)?;
            Ok(0)
        }
        FlowCommand::Agent { flow } => agent::run(flow),
    }
}

/// What a flow is wanted for. To look at one is not to agree to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Run,
    Look,
}

/// A flow by its file or its name.
fn find(word: &str, purpose: Purpose) -> Result<Found> {
    if profile::is_file(word) {
        let text = read_text(Path::new(word), Trust::Chosen);
        let text = text.with_context(|| format!("cannot read {word}"))?;
        let file = PathBuf::from(word);
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        return Ok(Found {
            name: name.into_owned(),
            origin: Origin::Own,
            file: Some(file),
            text,
            is_untrusted: false,
        });
    }
    let (paths, dir) = (Paths::from_env()?, std::env::current_dir()?);
    if purpose == Purpose::Look {
        let mut all = flows::list(&paths, &dir)?;
        if let Some(at) = all.iter().position(|found| found.name == word) {
            return Ok(all.swap_remove(at));
        }
    }
    flows::find(&paths, word, &dir)
}

/// Trusts a text that came with a project, if a person asks for it: an agent could have written it.
pub(super) fn agree_to(text: &str) -> Result<()> {
    let paths = Paths::from_env()?;
    if flows::is_inside_agent(&paths) {
        bail!("no agent trusts a file for a person: do it in a terminal of your own");
    }
    trust::trust(&paths.trusted_profiles(), text.as_bytes())?;
    Ok(())
}

fn agree(file: &str) -> Result<u8> {
    use std::io::Write as _;
    let found = find(file, Purpose::Look)?;
    let flow = found.flow()?;
    agree_to(&found.text)?;
    let commands = flow.runs_commands().then(words::runs_commands);
    let commands = commands.unwrap_or_default();
    writeln!(print::out(), "{}{commands}", words::is_trusted(file))?;
    Ok(0)
}

/// Who types.
fn person() -> String {
    std::env::var("USER")
        .ok()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "user".to_owned())
}

fn answer(args: &Answer) -> Result<u8> {
    let paths = Paths::from_env()?;
    if flows::is_inside_agent(&paths) {
        bail!(words::agents_do_not_answer());
    }
    let reader = Reader::open(paths.store())?;
    let id = flows::resolve(&reader, &args.run)?;
    let run = flows::replay(&reader, &id)?;
    let mut asks = run.asks();
    asks.retain(|ask| args.step.as_ref().is_none_or(|step| ask.step == *step));
    let ask = match (asks.len(), asks.pop()) {
        (_, None) => bail!(words::asks_nothing(&id, of_step(args.step.as_deref()))),
        (1, Some(ask)) => ask,
        (_, Some(_)) => {
            let steps: Vec<String> = run.asks().into_iter().map(|ask| ask.step).collect();
            bail!(words::several_ask(steps.join(", ")))
        }
    };
    let mut options = ask.options.iter();
    if !options.any(|option| option.eq_ignore_ascii_case(&args.value)) {
        let options = ask.options.join(", ");
        let error = words::no_answer_to(&args.value, &ask.question, options);
        return Err(Failure::new(Failure::USAGE, error).into());
    }
    let folder = RunFolder::of(&paths, &id);
    folder.ask(&Request::Answer {
        id: ask.id,
        answer: args.value.clone(),
        by: person(),
    })?;
    if folder.is_held() {
        note!("{}: {}", ask.step, args.value);
    } else {
        note!("{}", words::nobody_runs_it(&ask.step, &args.value, &id));
    }
    Ok(0)
}

fn of_step(step: Option<&str>) -> String {
    step.map(words::at_step).unwrap_or_default()
}

fn stop(part: &str, is_json: bool) -> Result<u8> {
    use std::io::Write as _;
    let paths = Paths::from_env()?;
    let reader = Reader::open(paths.store())?;
    let id = flows::resolve(&reader, part)?;
    let run = flows::replay(&reader, &id)?;
    let folder = RunFolder::of(&paths, &id);
    if !run.state().is_over() {
        folder.ask(&Request::Stop { by: person() })?;
        // Where its process has died, somebody must cancel what it had begun.
        if !folder.is_held()
            && let Err(error) = start::finish_stopping(&id)
            && !folder.is_held()
            && !flows::replay(&reader, &id)?.state().is_over()
        {
            return Err(error);
        }
        // A process that was just beginning has taken hold of it and found the request.
        lookup::block_on(async {
            let mut changes = flows::changes(&paths);
            loop {
                if flows::replay(&reader, &id)?.state().is_over() && !folder.is_held() {
                    return Ok(());
                }
                // Who released the lock may have told of its last change before.
                let _ = tokio::time::timeout(Duration::from_millis(200), changes.next()).await;
            }
        })?;
    }
    let run = flows::replay(&reader, &id)?;
    if is_json {
        writeln!(print::out(), "{}", serde_json::to_string(&run.view())?)?;
    } else {
        let state = run.state();
        let again = if state == State::Stopped {
            words::goes_on(&id)
        } else {
            String::new()
        };
        let state = words::run_is(&run.begin.name, words::state(state.word()));
        note!("{state}{again}");
    }
    Ok(0)
}
