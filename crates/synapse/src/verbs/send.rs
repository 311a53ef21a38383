//! `synapse send`: a message to one agent, or to all.

mod abroad;
mod across;
mod all;
mod growth;
mod report;
mod wait;

use std::cell::RefCell;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use jiff::Timestamp;
use serde_json::json;
use synapse_client::address::Whom;
use synapse_client::auto_start;
use synapse_client::client::Client;
use synapse_client::current_agent;
use synapse_client::message::OutgoingMessage;
use synapse_client::native::{TaskAnswer, TaskEvent, TaskShape};
use synapse_machine::config::Config;
use synapse_machine::handle::EVERYONE;
use synapse_machine::paths::Paths;
use synapse_machine::prompts::Prompt;
use synapse_machine::registry::Entry;
use synapse_term::router::ResponseMode;

use super::spinner::Spinner;
use super::table::short;
use super::{Failure, input, lookup, profile, tasks, texts};
use crate::cli::complete;
use crate::verbs::print;
use growth::Screenful;
pub(super) use report::note_choices;
use report::{Report, answer_command};
use wait::{Until, WaitDisplay};

/// How long a person waits for a coding agent, unless told otherwise.
const WATCHED: Duration = Duration::from_mins(10);

/// `synapse send …`
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct Send {
    /// The agent: its handle, profile, id or alias; `all` is everyone except the sender
    #[arg(add = complete::recipients())]
    agent: String,
    /// The message: its words are joined by blanks. Without any, and for a last word -, standard input is read
    #[arg(conflicts_with = "again", value_name = "MESSAGE")]
    words: Vec<String>,
    /// Send the message of this task again
    #[arg(long, value_name = "TASK", add = complete::tasks())]
    again: Option<String>,
    /// Send this prompt of yours, from ~/.synapse/prompts/NAME.md; the message fills its places
    #[arg(long, value_name = "NAME", conflicts_with = "again", add = complete::prompts())]
    template: Option<String>,
    /// Wait, and print the reply
    #[arg(long = "return", conflicts_with = "no_return")]
    wait: bool,
    /// Do not wait (the default, unless the configuration says otherwise)
    #[arg(long)]
    no_return: bool,
    /// The priority, 1 to 5; 5 interrupts what runs
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    priority: u8,
    /// How long to wait: 90, 0.5, 5m or 1h; by default `response_timeout`, and ten minutes for a coding agent at a terminal
    #[arg(long, value_parser = input::duration, value_name = "TIME")]
    timeout: Option<Duration>,
    /// A file to send along; may be given several times
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Type the message as it is, without the profile's prefix
    #[arg(long)]
    raw: bool,
    /// Wait, and show the reply as it grows
    #[arg(long, conflicts_with_all = ["no_return", "json"])]
    stream: bool,
    /// How long to keep the message for a machine that is away: 2h; by default a day
    #[arg(long, value_parser = input::duration, value_name = "TIME")]
    expires: Option<Duration>,
    /// Print JSON: one object, or one per line when sending to all
    #[arg(long)]
    json: bool,
}

/// How the answer is waited for.
#[derive(Clone, Copy)]
struct Manner {
    /// Nothing if it is not waited for.
    patience: Option<Duration>,
    /// Somebody has said how long.
    is_patience_chosen: bool,
    is_json: bool,
    streams: bool,
    /// How long it may wait for a machine that is away, if somebody has said.
    expires: Option<Duration>,
}

impl Manner {
    /// The reply is waited for as long as somebody said, here or in the settings.
    fn waiting(timeout: Option<Duration>, is_json: bool) -> Result<Self> {
        let loaded = Config::load(&Paths::from_env()?.config())?;
        let is_set = loaded.sets("response_timeout");
        Ok(Self {
            patience: Some(timeout.unwrap_or(loaded.config.response_timeout)),
            is_patience_chosen: timeout.is_some() || is_set,
            is_json,
            streams: false,
            expires: None,
        })
    }
}

pub(crate) fn run(args: &Send) -> Result<u8> {
    run_noting(args, &mut Vec::new())
}

/// Runs it, and notes the tasks that go on although Ctrl-C ended the wait for them.
pub(super) fn run_noting(args: &Send, left: &mut Vec<String>) -> Result<u8> {
    if args.json {
        texts::speak_english();
    }
    let manner = args.manner()?;
    let word = args.agent.strip_prefix('@').unwrap_or(&args.agent);
    let sender = lookup::own()?;
    let message = args.packed(sender.as_ref())?;
    if word.eq_ignore_ascii_case(EVERYONE) {
        return all::run(&message, sender.as_ref(), manner, left);
    }
    let done = to_one(word, &message, sender.as_ref(), manner, left);
    told(done, manner)
}

/// `synapse external send`: to nobody but an agent elsewhere, and perhaps as the answer to a question of its task.
pub(super) fn run_abroad(args: &Send, task: Option<String>) -> Result<u8> {
    let manner = args.manner()?;
    let message = args.packed(lookup::own()?.as_ref())?;
    let sent = || {
        let external = lookup::external(&args.agent)?;
        abroad::deliver(&external, &message, task, manner)
    };
    told(sent(), manner)
}

/// Tells what went wrong. Whoever waits for an object gets one.
fn told(done: Result<u8>, manner: Manner) -> Result<u8> {
    match done {
        Err(error) if manner.is_json && manner.patience.is_some() => {
            let report = Report::not_sent(&error);
            writeln!(print::out(), "{}", report.to_json())?;
            Ok(report.code)
        }
        done => done,
    }
}

fn to_one(
    word: &str,
    message: &OutgoingMessage,
    sender: Option<&Entry>,
    manner: Manner,
    left: &mut Vec<String>,
) -> Result<u8> {
    let whom = match lookup::whom(word)? {
        Whom::Startable(name) => {
            awake(&name)?;
            lookup::whom(word)?
        }
        whom => whom,
    };
    let entry = match whom {
        Whom::Local(entry) => *entry,
        Whom::Mesh(found) => return across::deliver(&found, message, manner, left),
        Whom::External(external) => return abroad::deliver(&external, message, None, manner),
        Whom::Startable(name) => anyhow::bail!("{name} was started but has already ended"),
    };
    let is_itself = sender.is_some_and(|sender| sender.agent_id == entry.agent_id);
    if is_itself && manner.patience.is_some() {
        let error = texts::cannot_wait_for_itself(&entry.handle);
        return Err(Failure::new(1, error).into());
    }
    let client = Client::of(&entry)?;
    lookup::block_on(async {
        if wait::is_asking(&client).await {
            note!("{}", texts::waits_for_answer(&entry.handle));
        }
        let task = lookup::deliver(&client, message).await?;
        after(&entry, &client, task, manner, left).await
    })
}

/// What follows once an agent has a message: its id is told, or the reply is waited for.
async fn after(
    entry: &Entry,
    client: &Client,
    task: TaskShape,
    manner: Manner,
    left: &mut Vec<String>,
) -> Result<u8> {
    let mut out = print::out();
    let Some(patience) = patience(entry, manner) else {
        if manner.is_json {
            writeln!(out, "{}", json!(TaskAnswer { task }))?;
            return Ok(0);
        }
        if is_seen() {
            let (handle, id) = (&entry.handle, short(&task.id));
            note!("{}", texts::sent(handle, id));
        }
        if let Some(held) = &task.held {
            note!("{}", texts::held(held));
        }
        writeln!(out, "{}", task.id)?;
        return Ok(0);
    };
    let shown = RefCell::new(WaitDisplay::new(&entry.handle, streaming(entry, manner)));
    let each = |event: &TaskEvent| shown.borrow_mut().take(event);
    let ended = wait::until_settled(client, &task.id, Until::Settled, patience, each);
    let ended = tokio::select! {
        ended = ended => ended,
        never = wait::show_what_holds(client, &task.id, &shown), if is_seen() => match never {},
    };
    let told = shown.into_inner().finish();
    let report = Report::of(&task.id, ended);
    left.extend(report.left());
    print_report(entry, &report, &told, manner)
}

fn print_report(entry: &Entry, report: &Report, written: &str, manner: Manner) -> Result<u8> {
    let mut out = print::out();
    if manner.is_json {
        writeln!(out, "{}", report.to_json())?;
    } else {
        let answer = answer_command(entry.handle.as_str());
        report.print(&mut out, written, &answer)?;
    }
    Ok(report.code)
}

/// `synapse answer --return`: how the reply to an answered question is waited for.
pub(super) struct ReplyWait {
    manner: Manner,
}

impl ReplyWait {
    pub(super) fn new(timeout: Option<Duration>, is_json: bool) -> Result<Self> {
        let manner = Manner::waiting(timeout, is_json)?;
        Ok(Self { manner })
    }

    /// Waits until a task is over or asks something else than it did at `asked`, and prints what came of it.
    pub(super) async fn run(&self, entry: &Entry, task: &str, asked: Timestamp) -> Result<u8> {
        let client = Client::of(entry)?;
        let patience = patience(entry, self.manner).unwrap_or_default();
        let until = Until::SettledAfter(asked);
        let mut shown = WaitDisplay::new(&entry.handle, None);
        let each = |event: &TaskEvent| shown.take(event);
        let ended = wait::until_settled(&client, task, until, patience, each).await;
        let told = shown.finish();
        print_report(entry, &Report::of(task, ended), &told, self.manner)
    }

    /// Tells what went wrong, as `send --return` does.
    pub(super) fn told(&self, done: Result<u8>) -> Result<u8> {
        told(done, self.manner)
    }
}

/// `synapse task --follow`: shows a task to its end, its questions too.
pub(super) fn follow(entry: &Entry, task: &str) -> Result<u8> {
    let client = Client::of(entry)?;
    let manner = Manner {
        patience: Some(Duration::MAX),
        is_patience_chosen: true,
        is_json: false,
        streams: true,
        expires: None,
    };
    lookup::block_on(async {
        let shown = RefCell::new(WaitDisplay::new(&entry.handle, streaming(entry, manner)));
        let each = |event: &TaskEvent| {
            if let TaskEvent::Status(event) = event {
                shown.borrow().tell(event);
            }
            shown.borrow_mut().take(event);
        };
        let ended = wait::until_settled(&client, task, Until::Over, Duration::MAX, each);
        let ended = tokio::select! {
            ended = ended => ended,
            never = wait::show_what_holds(&client, task, &shown), if is_seen() => match never {},
        };
        let told = shown.into_inner().finish();
        let report = Report::of(task, ended);
        let answer = answer_command(entry.handle.as_str());
        report.print(&mut print::out(), &told, &answer)?;
        Ok(report.code)
    })
}

/// Starts an agent that a message may start, where we are.
fn awake(name: &str) -> Result<()> {
    let here = std::env::current_dir()?;
    let spinner = Spinner::begin(texts::is_starting(name));
    let started = lookup::block_on(auto_start::start(name, &here));
    drop(spinner);
    started.with_context(|| format!("{name} cannot be started"))?;
    note!("{}", texts::is_started(name));
    Ok(())
}

/// How long is waited for an agent. A coding agent works for minutes, and a person at a terminal can see that it does.
fn patience(entry: &Entry, manner: Manner) -> Option<Duration> {
    let patience = manner.patience?;
    let is_watched = is_seen() && !manner.is_patience_chosen;
    let is_coding_agent =
        || profile::find(&entry.profile).is_ok_and(|profile| profile.record.is_some());
    Some(if is_watched && is_coding_agent() {
        patience.max(WATCHED)
    } else {
        patience
    })
}

/// Whether somebody sees what is waited for.
fn is_seen() -> bool {
    std::io::stderr().is_terminal()
}

/// How a reply is shown while it grows, if it is to be.
fn streaming(entry: &Entry, manner: Manner) -> Option<Screenful> {
    if !manner.streams {
        return None;
    }
    if std::io::stdout().is_terminal() && std::io::stderr().is_terminal() {
        return Some(Screenful::Preview);
    }
    // The record may spell what the screen shows in another way, and what is written to a pipe
    // cannot be taken back. A program without a profile keeps none that is known.
    let has_record = profile::find(&entry.profile).is_ok_and(|profile| profile.record.is_some());
    (!has_record).then_some(Screenful::Growth)
}

impl Send {
    /// How the answer is waited for, by the flags and the settings.
    fn manner(&self) -> Result<Manner> {
        let config = Config::load(&Paths::from_env()?.config())?.config;
        let is_asked_for = self.wait || self.stream;
        let is_usual = config.default_response_mode == ResponseMode::Return;
        let waits = is_asked_for || is_usual && !self.no_return;
        let waiting = Manner::waiting(self.timeout, self.json)?;
        Ok(Manner {
            patience: waiting.patience.filter(|_| waits),
            streams: self.stream,
            expires: self.expires,
            ..waiting
        })
    }

    /// Reads what is to be sent.
    fn packed(&self, sender: Option<&Entry>) -> Result<OutgoingMessage> {
        let text = match (&self.again, &self.template) {
            (Some(task), _) => tasks::message(task)?,
            (None, Some(name)) => {
                let words = match self.words.as_slice() {
                    [one] if one == "-" => vec![input::all()?],
                    words => words.to_vec(),
                };
                let folder = Paths::from_env()?.prompts();
                Prompt::load(&folder, name)?.filled(&words)?
            }
            (None, None) => input::message(&self.words)?,
        };
        if text.trim().is_empty() && self.files.is_empty() {
            return Err(Failure::new(Failure::USAGE, texts::message_is_empty()).into());
        }
        let mut message = OutgoingMessage::pack(&text, &self.files, Path::new(""))?
            .with_priority((self.priority > 1).then_some(self.priority));
        if let Some(own) = sender {
            let hops = lookup::block_on(lookup::within(lookup::MOMENT, current_agent::hops(own)))?;
            message = message.sent_by(Some(own.handle.to_string()), hops);
        }
        Ok(if self.raw { message.raw() } else { message })
    }
}
