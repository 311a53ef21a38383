//! One piece of work: a message to an agent, or a command. It ends by itself or is canceled; either way it says how.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use synapse_flow::event::{Beginning, Fact, Job, Key, Outcome, Work};
use synapse_flow::run::{Open, Sending};
use synapse_flow::schedule::Canceled;
use synapse_flow::view::brief;
use synapse_flow::{Flow, reply};
use synapse_machine::paths::Paths;
use synapse_machine::private_file;
use tokio::sync::{Mutex, mpsc, oneshot};

use super::agents::AgentPool;
use super::runner::{Report, dir_of};
use super::{command, git, prompt};

/// The most of an output that later steps can use.
const OUTPUT: usize = 256 << 10;

/// What all work of a run shares.
pub(super) struct Desk {
    pub(super) paths: Paths,
    pub(super) begin: Beginning,
    pub(super) flow: Flow,
    pub(super) folder: PathBuf,
    pub(super) agents: AgentPool,
    pub(super) reports: mpsc::Sender<Report>,
}

impl Desk {
    /// Writes something down, and returns when it is on disk.
    pub(super) async fn report(&self, fact: Fact) -> Result<()> {
        let (written, is_written) = oneshot::channel();
        let sent = self.reports.send(Report { fact, written }).await;
        if sent.is_err() || is_written.await.is_err() {
            bail!("the run is over");
        }
        Ok(())
    }

    /// The name of a message: the same whenever the same work is taken up again.
    pub(super) fn message_name(&self, key: &Key, part: u8) -> String {
        format!("flow-{}-{}-{part}", self.begin.run, key.name())
    }
}

/// Why work has no result.
pub(super) enum Failed {
    /// Nobody knows whether it was done.
    Unknown(String),
    Because {
        why: String,
        result: Value,
    },
}

impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        Self::Because {
            why: format!("{error:#}"),
            result: Value::Null,
        }
    }
}

/// Does it; nothing if a person has to say whether it was done.
pub(super) async fn perform(
    desk: &Desk,
    key: &Key,
    open: &Open,
    canceled: oneshot::Receiver<Canceled>,
) -> Option<Outcome> {
    let sending = Mutex::new(open.sending.clone());
    let mut work = Box::pin(do_it(desk, key, open, &sending));
    let why = tokio::select! {
        done = &mut work => return ended(desk, key, done).await,
        Ok(why) = canceled => why,
    };
    // A message on its way is either sent or not, and an agent that is being started is there or not: who cancels in
    // between would leave behind what nobody knows of.
    let sent = tokio::select! {
        biased;
        done = &mut work => return ended(desk, key, done).await,
        sent = sending.lock() => sent,
    };
    match &open.job.work {
        Work::Prompt { .. } => prompt::cancel(desk, key, sent.as_ref()).await,
        Work::Run { .. } => {
            if let Err(error) = command::cancel(&desk.folder, key).await {
                tracing::warn!(%error, step = key.step, "a command could not be canceled");
            }
        }
    }
    Some(match why {
        Canceled::TimedOut { after_ms } => Outcome::Failed {
            why: format!("it was not done within {} s", after_ms.div_ceil(1_000)),
            result: Value::Null,
        },
        Canceled::Stopping => Outcome::Canceled {
            why: "the run was stopped".to_owned(),
        },
    })
}

async fn ended(desk: &Desk, key: &Key, done: Result<Value, Failed>) -> Option<Outcome> {
    match done {
        Ok(result) => Some(Outcome::Done { result }),
        Err(Failed::Because { why, result }) => Some(Outcome::Failed { why, result }),
        Err(Failed::Unknown(why)) => {
            let fact = Fact::Unknown {
                key: key.clone(),
                why,
            };
            // A run that is over asks nobody.
            let _ = desk.report(fact).await;
            None
        }
    }
}

/// What was sent for a piece of work. Held while it is being sent.
pub(super) type InFlight = Mutex<Option<Sending>>;

async fn do_it(desk: &Desk, key: &Key, open: &Open, sending: &InFlight) -> Result<Value, Failed> {
    let job = &open.job;
    if desk.begin.simulate {
        return simulated(desk, key, open, sending).await;
    }
    let base = dir_of(&desk.begin);
    for dir in &job.commit {
        let message = format!("{} ({})", desk.begin.name, desk.begin.run);
        git::commit(&PathBuf::from(dir), &message).await?;
    }
    let tree = if job.worktree {
        Some(git::worktree(&base, &tree_name(desk, key)).await?)
    } else {
        None
    };
    let dir = tree.as_ref().map(|tree| tree.dir.clone());
    let dir = dir.or_else(|| job.dir.as_ref().map(|dir| base.join(dir)));
    if let Some(dir) = &dir
        && !dir.is_dir()
    {
        let why = anyhow::anyhow!("there is no folder {}", dir.display());
        return Err(why.into());
    }
    let done = match &job.work {
        Work::Prompt { agent, prompt } => {
            prompt::ask(desk, key, sending, agent, prompt, dir.clone()).await
        }
        Work::Run { .. } => run(desk, key, job, dir.clone().unwrap_or(base.clone())).await,
    };
    let Some(tree) = tree else {
        return done;
    };
    // What was done before it failed is worth keeping, too.
    let diff = git::diff(&tree, &base).await.unwrap_or_default();
    let mut files = Vec::new();
    if !diff.is_empty() {
        let file = desk.folder.join(format!("{}.patch", key.name()));
        if private_file::replace_soon(&file, diff.as_bytes()).is_ok() {
            files.push(file.display().to_string());
        }
    }
    let more = |result: &mut Value| {
        if let Some(fields) = result.as_object_mut() {
            fields.insert("branch".to_owned(), json!(tree.branch));
            fields.insert("diff".to_owned(), json!(cut(&diff)));
            let listed = fields.entry("files").or_insert_with(|| json!([]));
            if let Some(list) = listed.as_array_mut() {
                list.extend(files.iter().map(|file| json!(file)));
            }
        }
    };
    match done {
        Ok(mut result) => {
            more(&mut result);
            Ok(result)
        }
        Err(Failed::Because { why, mut result }) => {
            if result.is_null() {
                result = json!({ "dir": tree.dir.display().to_string() });
            }
            more(&mut result);
            Err(Failed::Because { why, result })
        }
        unknown => unknown,
    }
}

async fn run(desk: &Desk, key: &Key, job: &Job, dir: PathBuf) -> Result<Value, Failed> {
    let Work::Run { words, env, find } = &job.work else {
        return Err(anyhow::anyhow!("this is no command").into());
    };
    let order = command::Order {
        words: words.clone(),
        env: env.clone(),
        dir: dir.clone(),
        run: desk.begin.run.clone(),
    };
    let done = match command::run(&desk.folder, key, &order).await? {
        command::Done::Ended(done) => done,
        command::Done::Lost => {
            let why = format!(
                "nobody knows whether '{}' was run to its end",
                brief(&words.join(" "))
            );
            return Err(Failed::Unknown(why));
        }
    };
    let out = cut(&done.out);
    let mut result = json!({ "out": out, "code": done.code, "dir": dir.display().to_string() });
    if let (Some(pattern), Some(fields)) = (find, result.as_object_mut()) {
        let pattern = regex::Regex::new(pattern)
            .map_err(|error| anyhow::anyhow!("find is no pattern: {error}"))?;
        fields.insert("found".to_owned(), json!(reply::find(&pattern, &done.out)));
    }
    if done.code == Some(0) {
        return Ok(result);
    }
    let last = done.out.lines().rev().find(|line| !line.trim().is_empty());
    let last = last
        .map(|line| format!(": {}", line.trim()))
        .unwrap_or_default();
    let why = match done.code {
        Some(code) => format!("'{}' ended with {code}{last}", brief(&words.join(" "))),
        None => format!(
            "'{}' could not be run to its end{last}",
            brief(&words.join(" "))
        ),
    };
    Err(Failed::Because { why, result })
}

/// Nothing is changed anywhere: the dummy agent says what an agent might say, and commands are not run.
async fn simulated(
    desk: &Desk,
    key: &Key,
    open: &Open,
    sending: &InFlight,
) -> Result<Value, Failed> {
    let dir = desk.begin.dir.clone();
    let mut result = match &open.job.work {
        Work::Prompt { agent, .. } => {
            let said = synapse_flow::simulate::reply(&desk.flow, &key.step);
            let said = format!("say:{}", said.replace('\n', " "));
            prompt::ask(desk, key, sending, agent, &said, None).await?
        }
        Work::Run { find, .. } => {
            let mut result = json!({ "out": "", "code": 0, "dir": dir });
            if let (Some(_), Some(fields)) = (find, result.as_object_mut()) {
                fields.insert("found".to_owned(), json!(["simulated"]));
            }
            result
        }
    };
    if open.job.worktree
        && let Some(fields) = result.as_object_mut()
    {
        fields.insert("branch".to_owned(), json!(tree_name(desk, key)));
        fields.insert("diff".to_owned(), json!(""));
    }
    Ok(result)
}

/// What the worktree of a step is called; it is the same in every round.
fn tree_name(desk: &Desk, key: &Key) -> String {
    let run = desk.begin.run.get(desk.begin.run.len().saturating_sub(6)..);
    let step = key.step.replace('.', "-");
    let each = desk
        .flow
        .find(&key.step)
        .and_then(|at| desk.flow.steps.get(at));
    let item = match each {
        Some(step) if step.each.is_some() => format!("-{}", key.item + 1),
        _ => String::new(),
    };
    format!(
        "{}-{}-{step}{item}",
        desk.begin.name,
        run.unwrap_or_default()
    )
}

/// A text with its middle left out where it is too long.
fn cut(text: &str) -> String {
    if text.len() <= OUTPUT {
        return text.to_owned();
    }
    let mut begin = OUTPUT / 2;
    while !text.is_char_boundary(begin) {
        begin -= 1;
    }
    let mut end = text.len() - OUTPUT / 2;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let (first, last) = (text.get(..begin), text.get(end..));
    format!(
        "{}\n[… {} bytes are left out …]\n{}",
        first.unwrap_or_default(),
        end - begin,
        last.unwrap_or_default()
    )
}
