//! `synapse flow run` and `resume`: in this terminal, or in a process of its own.

use std::collections::BTreeMap;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use synapse::flow::{Runner, begin};
use synapse_client::current_agent;
use synapse_client::flows::{self, Found, Request};
use synapse_flow::event::{Beginning, State};
use synapse_flow::view::Ask;
use synapse_flow::{Flow, inputs, plan};
use synapse_machine::paths::Paths;
use synapse_store::Reader;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::display::{Display, short};
use super::{Purpose, find, person};
use crate::cli::complete;
use crate::verbs::spinner::Spinner;
use crate::verbs::texts::flow as words;
use crate::verbs::{Failure, lookup, print, profile};

/// `synapse flow run …`
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(super) struct Run {
    /// The name of a flow, or a YAML file
    #[arg(add = complete::flows())]
    flow: String,
    /// An input: name=value; may be given several times
    #[arg(long = "input", value_name = "NAME=VALUE", value_parser = input)]
    inputs: Vec<(String, String)>,
    /// Print what would be done, and do nothing
    #[arg(long, conflicts_with_all = ["simulate", "detach"])]
    plan: bool,
    /// Run it with the dummy agent: nothing is changed, commands are not run, gates are answered
    #[arg(long)]
    simulate: bool,
    /// Run it in the background; prints the id of the run
    #[arg(long)]
    detach: bool,
    /// Print JSON: the events, a line each; with --detach {id}
    #[arg(long)]
    json: bool,
    /// Who starts it
    #[arg(long, hide = true)]
    by: Option<String>,
    /// An agent starts it, and so many stand behind that
    #[arg(long, hide = true)]
    hops: Option<u8>,
    /// No file is meant
    #[arg(long, hide = true)]
    by_name: bool,
}

/// `synapse flow resume …`
#[derive(Args)]
pub(super) struct Resume {
    /// The run: its id, or the beginning or end of it
    run: String,
    /// Go on in the background
    #[arg(long)]
    detach: bool,
    /// Print JSON: the events, a line each; with --detach {id}
    #[arg(long)]
    json: bool,
}

fn input(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' is no input: write name=value"))?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn run(args: &Run) -> Result<u8> {
    let hops = started_by_agent(args)?;
    let is_agent = hops.is_some();
    if profile::is_file(&args.flow) && (args.by_name || is_agent) {
        bail!(words::not_by_file());
    }
    let found = find(&args.flow, Purpose::Run)?;
    let flow = found.flow()?;
    if is_agent && flow.runs_commands() && !flow.agents {
        bail!(words::not_for_agents(&flow.name));
    }
    let beginning = beginning(args, &found, &flow, hops)?;
    if args.plan {
        print::out().write_all(plan::tell(&beginning)?.as_bytes())?;
        return Ok(0);
    }
    let paths = Paths::from_env()?;
    let id = begin(&paths, beginning)?;
    if args.detach {
        return detach(&id, args.json);
    }
    watch(&paths, &id, args.json, Mode::Begin)
}

/// How many agents stand behind the one that starts it, if an agent does.
fn started_by_agent(args: &Run) -> Result<Option<u8>> {
    if args.hops.is_some() {
        return Ok(args.hops);
    }
    match lookup::own()? {
        None => Ok(None),
        Some(own) => {
            let hops = lookup::within(lookup::MOMENT, current_agent::hops(&own));
            Ok(Some(lookup::block_on(hops)?))
        }
    }
}

fn beginning(args: &Run, found: &Found, flow: &Flow, hops: Option<u8>) -> Result<Beginning> {
    let given: BTreeMap<String, Value> = args
        .inputs
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.clone())))
        .collect();
    let starter = if hops.is_some() {
        inputs::Starter::Agent
    } else {
        inputs::Starter::Person
    };
    let values =
        inputs::gather(flow, &given, starter).map_err(|why| Failure::new(Failure::USAGE, why))?;
    let id = uuid::Uuid::now_v7().simple().to_string();
    Ok(Beginning {
        run: id,
        name: flow.name.clone(),
        text: found.text.clone(),
        file: found.file.as_ref().map(|file| file.display().to_string()),
        inputs: values,
        dir: std::env::current_dir()?.to_string_lossy().into_owned(),
        by: args.by.clone().unwrap_or_else(person),
        hops: hops.unwrap_or(0),
        simulate: args.simulate,
    })
}

pub(super) fn resume(args: &Resume) -> Result<u8> {
    let paths = Paths::from_env()?;
    let reader = Reader::open(paths.store())?;
    let id = flows::resolve(&reader, &args.run)?;
    if flows::replay(&reader, &id)?.state() == State::Done {
        bail!(words::nothing_to_resume(&id));
    }
    if args.detach {
        let mut runner = Runner::open(&paths, &id)?;
        runner.resume(&person(), &mut |_, _| {})?;
        drop(runner);
        return detach(&id, args.json);
    }
    watch(&paths, &id, args.json, Mode::Resume)
}

/// Cancels what a run whose process has died had begun, as the request in its folder says.
pub(super) fn finish_stopping(id: &str) -> Result<()> {
    host(id).map(|_| ())
}

/// The process behind a run in the background.
pub(super) fn host(id: &str) -> Result<u8> {
    synapse_platform::background::leave_starter();
    let paths = Paths::from_env()?;
    let runner = Runner::open(&paths, id)?;
    let runtime = runtime()?;
    let (_answers, received) = mpsc::channel(1);
    runtime.block_on(async {
        let mut terminated = signal(SignalKind::terminate())?;
        let stop = async {
            terminated.recv().await;
            "a signal".to_owned()
        };
        runner.to_the_end(&mut |_, _| {}, stop, received).await
    })?;
    Ok(0)
}

fn detach(id: &str, is_json: bool) -> Result<u8> {
    flows::take_up(id)?;
    if is_json {
        writeln!(print::out(), "{}", json!({ "id": id }))?;
    } else {
        writeln!(print::out(), "{}", short(id))?;
    }
    Ok(0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Begin,
    Resume,
}

/// Runs it here, and shows it.
fn watch(paths: &Paths, id: &str, is_json: bool, mode: Mode) -> Result<u8> {
    let mut runner = Runner::open(paths, id)?;
    let mut display = Display::new(is_json);
    let tree = display.tree();
    let asks: Arc<Mutex<Vec<Ask>>> = Arc::default();
    let noted = Arc::clone(&asks);
    let mut observe = |run: &synapse_flow::Run, event: &synapse_flow::Event| {
        *noted.lock().unwrap_or_else(PoisonError::into_inner) = run.asks();
        display.take(run, event);
    };
    // Whoever reads along learns how to find it again.
    let first = synapse_flow::Event {
        at: synapse::flow::now(),
        fact: synapse_flow::Fact::Started(Box::new(runner.run().begin.clone())),
    };
    if mode == Mode::Begin {
        observe(runner.run(), &first);
        if !is_json && !std::io::stderr().is_terminal() {
            note!("{}", words::is_run(&runner.run().begin.name, short(id)));
        }
    } else {
        runner.resume(&person(), &mut observe)?;
    }
    let (sender, answers) = mpsc::channel(4);
    if std::io::stdin().is_terminal() && !is_json && !flows::is_inside_agent(paths) {
        listen(sender, asks, tree);
    }
    let ended = runtime()?.block_on(async {
        let mut interrupted = signal(SignalKind::interrupt())?;
        let mut terminated = signal(SignalKind::terminate())?;
        let stop = async {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
            // Whoever cannot wait leaves it as it is; it can be resumed.
            tokio::spawn(async move {
                interrupted.recv().await;
                std::process::exit(i32::from(Failure::INTERRUPTED));
            });
            person()
        };
        runner.to_the_end(&mut observe, stop, answers).await
    })?;
    let reader = Reader::open(paths.store())?;
    let run = flows::replay(&reader, id)?;
    display.finish(&run.view());
    let is_refused = ended.state == State::Done && ended.why.is_some();
    let mut out = print::out();
    if is_json {
        let line = json!({
            "event": "result", "id": id, "state": ended.state.word(), "why": ended.why, "output": ended.output,
        });
        writeln!(out, "{line}")?;
    } else if is_refused {
        // The tree or the last line has told who said no.
    } else if ended.state == State::Done {
        let text = said(&ended.output);
        if !text.is_empty() {
            writeln!(out, "{text}")?;
        }
    } else {
        note!("{}", words::goes_on_with_done(short(id)));
    }
    Ok(match ended.state {
        // `synapse flow run release && deploy` is not to deploy what a person refused.
        State::Done => u8::from(is_refused),
        State::Stopped => Failure::INTERRUPTED,
        _ => 1,
    })
}

/// What a run gave, in words where there are some.
pub(super) fn said(output: &Value) -> String {
    let field = |name: &str| output.get(name).and_then(Value::as_str);
    match output {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        output => match field("reply").or_else(|| field("out")) {
            Some(text) => text.trim_end().to_owned(),
            None => output.to_string(),
        },
    }
}

/// Takes answers that are typed here. The thread waits for the person and ends with the process.
fn listen(sender: mpsc::Sender<Request>, asks: Arc<Mutex<Vec<Ask>>>, tree: Weak<Spinner>) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if let Some(tree) = tree.upgrade() {
                tree.entered();
            }
            let typed = line.trim().to_lowercase();
            let first = asks
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .first()
                .cloned();
            let Some(ask) = first.filter(|_| !typed.is_empty()) else {
                continue;
            };
            let Some(answer) = meant(&typed, &ask.options) else {
                let options = words::options(&ask.options);
                let say = || note!("{}", words::no_answer(&typed, &options));
                match tree.upgrade() {
                    Some(tree) => tree.aside(say),
                    None => say(),
                }
                continue;
            };
            let request = Request::Answer {
                id: ask.id.clone(),
                answer,
                by: person(),
            };
            if sender.blocking_send(request).is_err() {
                return;
            }
        }
    });
}

/// The option that was typed: all of it, or a beginning that no other option has.
fn meant(typed: &str, options: &[String]) -> Option<String> {
    let whole = options.iter().find(|option| option.to_lowercase() == typed);
    let mut beginning = options
        .iter()
        .filter(|option| option.to_lowercase().starts_with(typed));
    match (whole, beginning.next(), beginning.next()) {
        (Some(option), _, _) | (None, Some(option), None) => Some(option.clone()),
        _ => None,
    }
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.context("no runtime")
}
