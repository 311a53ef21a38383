//! A command of a step, in a process of its own that outlives the runner and leaves behind what came of it. So a runner
//! that dies and is taken up again neither runs a command twice nor forgets one.
//!
//! The folder of a command has `order.json` before it is begun, `began` once it may have been, and `ended.json` once it
//! is over; the lock of `began` is held in between. Whoever cancels it before takes the name `began` for himself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};
use synapse_flow::event::Key;
use synapse_machine::child;
use synapse_machine::paths::create_folder;
use synapse_machine::private_file::{Trust, open_empty, open_regular, read, replace};

/// The most of an output that is kept, from its end.
const OUTPUT: u64 = 1 << 20;

/// How long a command may take to end when it is told to.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often, and how long apart, a command that was started and has not begun is looked for.
const LOOKS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// What is to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub words: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub dir: PathBuf,
    pub run: String,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Output {
    /// Nothing if it could not be started, or was killed.
    pub(super) code: Option<i32>,
    pub(super) out: String,
}

pub(super) enum Done {
    Ended(Output),
    /// It was begun, and nobody is there to say how it ended.
    Lost,
}

fn folder_of(run: &Path, key: &Key) -> PathBuf {
    run.join("commands").join(key.name())
}

/// Runs a command unless that was done before, and waits for its end.
pub(super) async fn run(run: &Path, key: &Key, order: &Order) -> Result<Done> {
    let folder = folder_of(run, key);
    if !folder.join("began").exists() {
        create_folder(&folder)?;
        replace(&folder.join("order.json"), &serde_json::to_vec(order)?)?;
        let program = synapse_machine::child::own_program()
            .context("cannot find the path of this program")?;
        let mut command = child::command(program);
        command
            .args(["flow", "command", "--"])
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A Ctrl-C in our terminal is not meant for it.
            .process_group(0);
        let mut child = command.spawn().context("the command cannot be started")?;
        tokio::task::spawn_blocking(move || child.wait()).await??;
    }
    // One that was started by a runner that died may be about to begin.
    for _ in 0..LOOKS {
        let waited = folder.clone();
        let was_begun = tokio::task::spawn_blocking(move || over(&waited)).await?;
        if let Ok(text) = read(&folder.join("ended.json")) {
            return Ok(Done::Ended(serde_json::from_slice(&text)?));
        }
        if was_begun {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(Done::Lost)
}

/// Waits until nobody runs it; whether anybody did. The one who runs it has the lock until it is over.
fn over(folder: &Path) -> bool {
    let began = open_regular(&folder.join("began"), Trust::Own);
    began.and_then(|file| file.lock_shared()).is_ok()
}

/// Ends a command that is under way, and all it has started. One that is about to begin never does.
pub(super) async fn cancel(run: &Path, key: &Key) -> Result<()> {
    let folder = folder_of(run, key);
    create_folder(&folder)?;
    let draft = folder.join("never");
    open_empty(&draft)?;
    let is_never = std::fs::hard_link(&draft, folder.join("began")).is_ok();
    std::fs::remove_file(&draft)?;
    if is_never {
        return Ok(());
    }
    for signal in [Signal::TERM, Signal::KILL] {
        let Some(pid) = holder(&folder) else { break };
        let _ = kill_process_group(pid, signal);
        let waited = folder.clone();
        let over = tokio::task::spawn_blocking(move || over(&waited));
        if tokio::time::timeout(PATIENCE, over).await.is_ok() {
            break;
        }
    }
    Ok(())
}

/// The process that runs it, while it does.
fn holder(folder: &Path) -> Option<Pid> {
    let mut file = open_regular(&folder.join("began"), Trust::Own).ok()?;
    if file.try_lock_shared().is_ok() {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Pid::from_raw(text.trim().parse().ok()?)
}

/// `synapse flow command`: runs what a folder says, once.
///
/// # Errors
/// When the folder cannot be used.
pub fn carry_out(folder: &Path) -> Result<()> {
    let order: Order = serde_json::from_slice(&read(&folder.join("order.json"))?)?;
    let draft = folder.join(format!("began.{}", std::process::id()));
    let mut began = open_empty(&draft).context("it cannot be begun")?;
    began.lock()?;
    write!(began, "{}", std::process::id())?;
    began.sync_all()?;
    // It appears under its name only when it is held, and only once: who finds it free knows that we are gone, and who
    // comes second, since another runner has taken over, leaves it alone.
    let is_first = std::fs::hard_link(&draft, folder.join("began"));
    std::fs::remove_file(&draft)?;
    is_first.context("it was begun before")?;
    let output = carry_out_order(folder, &order);
    replace(&folder.join("ended.json"), &serde_json::to_vec(&output)?)?;
    Ok(())
}

fn carry_out_order(folder: &Path, order: &Order) -> Output {
    let failed = |why: String| Output {
        code: None,
        out: why,
    };
    let Some((program, args)) = order.words.split_first() else {
        return failed("no program was named".to_owned());
    };
    let out = match open_empty(&folder.join("output")) {
        Ok(out) => out,
        Err(error) => return failed(error.to_string()),
    };
    let (Ok(stdout), Ok(stderr)) = (out.try_clone(), out.try_clone()) else {
        return failed("its output cannot be kept".to_owned());
    };
    let mut command = child::command(program);
    command
        .args(args)
        .envs(&order.env)
        .env("SYNAPSE_FLOW_RUN", &order.run)
        .current_dir(&order.dir)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr);
    let status = match command.status() {
        Ok(status) => status,
        Err(error) => return failed(format!("{program} cannot be run: {error}")),
    };
    Output {
        code: status.code(),
        out: tail(out).unwrap_or_default(),
    }
}

/// The end of what it has said.
fn tail(mut out: File) -> std::io::Result<String> {
    let length = out.metadata()?.len();
    out.seek(SeekFrom::Start(length.saturating_sub(OUTPUT)))?;
    let mut bytes = Vec::new();
    out.take(OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
