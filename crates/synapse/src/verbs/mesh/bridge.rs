//! `synapse mesh run`: the process of a machine that is in a mesh, and how it is started and ended.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use hyper::Method;
use serde_json::{Value, json};
use synapse_client::client::Client;
use synapse_client::mesh::bridge_entry;
use synapse_machine::child;
use synapse_machine::log_file::LogFile;
use synapse_machine::paths::Paths;
use synapse_mesh::bridge::{self, Settings};
use synapse_mesh::folder::Folder;
use synapse_mesh::rights::Rights;
use tokio::signal::unix::{SignalKind, signal};

use super::config;
use crate::verbs::log_fields::LogFields;
use crate::verbs::spinner::Spinner;
use crate::verbs::{lookup, print};

/// How long a bridge may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the bridge. It tells one line on standard output, that it can be used or why not.
pub(super) fn run(paths: &Paths) -> Result<u8> {
    synapse_platform::background::leave_starter();
    match serve(paths) {
        Ok(()) => Ok(0),
        Err(error) => {
            writeln!(print::out(), "{}", json!({ "error": format!("{error:#}") }))?;
            Ok(1)
        }
    }
}

fn serve(paths: &Paths) -> Result<()> {
    let config = config(paths)?;
    let authorities = config.ca_file.as_ref().map(fs::read_to_string).transpose();
    let authorities = authorities.context("ca_file cannot be read")?;
    let settings = Settings {
        paths: paths.clone(),
        rights: Rights {
            most: config.mesh.allow,
            machines: config.mesh.machines,
        },
        replicas: config.mesh.replicas,
        outbox_limit: config.mesh.outbox_limit,
        authorities: authorities.map(Arc::from),
        limits: config.limits,
    };
    log(paths);
    let ready = |trouble: Option<String>| {
        writeln!(
            print::out(),
            "{}",
            json!({ "ready": true, "trouble": trouble })
        )?;
        Ok(rustix::stdio::dup2_stdout(
            File::create("/dev/null")?.as_fd(),
        )?)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut end = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let stop = async move {
            tokio::select! {
                _ = end.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        bridge::run(settings, ready, stop).await
    })
}

fn log(paths: &Paths) {
    let log = std::sync::Mutex::new(LogFile::new(paths.logs().join("mesh.log")));
    tracing_subscriber::fmt()
        .with_ansi(false)
        .fmt_fields(LogFields)
        .log_internal_errors(false)
        .with_writer(log)
        .init();
    synapse_store::survive_file_size_limit();
}

/// Starts the bridge in the background unless it runs; what is wrong with the connection, if anything is.
pub(super) fn start(paths: &Paths) -> Result<Option<String>> {
    if Folder::new(paths).is_bridge_running()? {
        return Ok(None);
    }
    let own =
        synapse_machine::child::own_program().context("cannot find the path of this program")?;
    let child = child::command(own)
        .args(["mesh", "run"])
        // It belongs to no agent.
        .env_remove("SYNAPSE_AGENT_ID")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.context("the bridge could not be started")?;
    let spinner = Spinner::begin("the mesh is coming up");
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    drop(spinner);
    let told: Value = serde_json::from_str(&line).unwrap_or_default();
    if told.get("ready").is_none() {
        let _ = child.wait();
        let error = told.get("error").and_then(Value::as_str);
        bail!(
            "{}",
            error.unwrap_or("the bridge ended before it was ready")
        );
    }
    Ok(told
        .get("trouble")
        .and_then(Value::as_str)
        .map(str::to_owned))
}

/// `synapse up`: brings the mesh back with the agents.
pub(in crate::verbs) fn bring_back(paths: &Paths) -> Result<()> {
    if !Folder::new(paths).has_membership() {
        return Ok(());
    }
    if let Some(trouble) = start(paths)? {
        bail!("{trouble}");
    }
    Ok(())
}

/// Asks the bridge something.
pub(super) fn ask(paths: &Paths, method: Method, path: &str, body: &Value) -> Result<Value> {
    let Some(entry) = bridge_entry(paths)? else {
        bail!("the mesh is not up here: synapse mesh up");
    };
    let client = Client::of(&entry)?;
    lookup::block_on(client.call(method, path, Some(body)))
}

/// Ends the bridge, and with it a server that runs here.
pub(super) fn stop(paths: &Paths, ends_mesh: bool) -> Result<()> {
    let folder = Folder::new(paths);
    if !folder.is_bridge_running()? {
        return Ok(());
    }
    ask(paths, Method::POST, "/stop", &json!({ "end": ends_mesh }))?;
    let deadline = Instant::now() + PATIENCE;
    while folder.is_bridge_running()? {
        if Instant::now() > deadline {
            bail!(
                "the bridge did not end within {} s; see {}",
                PATIENCE.as_secs(),
                paths.logs().join("mesh.log").display()
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
