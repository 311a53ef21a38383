//! The host's end of the hooks: a unix socket of this launch. Who connects must be of the same user and
//! below the wrapped program, as far as the kernel can tell.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use synapse_platform::process::is_below;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::event::{HookEvent, What};

/// The longest payload: the result of a tool may be in it.
const LONGEST: u64 = 16 << 20;

/// How long a hook may take to say what it has to say.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many hooks may wait for the session.
const QUEUE: usize = 64;

/// The longest path of a socket that every system takes.
const LONGEST_PATH: usize = 100;

/// What a hook said, and where its answer goes, if it waits for one.
#[derive(Debug)]
pub struct HookMessage {
    pub event: HookEvent,
    /// Where the answer to a permission request goes. Dropped without an answer, the program's own dialog
    /// decides.
    pub answer: Option<oneshot::Sender<Decision>>,
}

/// The answer to a permission request.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    Allow,
    /// Do it with this input instead.
    AllowWith(Value),
    /// The option with this number, from 0 on.
    Option(usize),
    /// Do not; the message is for the model.
    Deny {
        /// What the model is told.
        message: String,
        /// The turn ends as well.
        ends_turn: bool,
    },
}

impl Decision {
    /// What a hook prints; nothing where no hook has asked in this way.
    fn output(&self) -> Option<Value> {
        let decision = match self {
            Self::Option(_) => return None,
            Self::Allow => serde_json::json!({ "behavior": "allow" }),
            Self::AllowWith(input) => {
                serde_json::json!({ "behavior": "allow", "updatedInput": input })
            }
            Self::Deny { message, ends_turn } => serde_json::json!({
                "behavior": "deny", "message": message, "interrupt": ends_turn,
            }),
        };
        Some(serde_json::json!({
            "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision },
        }))
    }
}

/// A socket that hears the hooks of one launch. Its file goes with it.
#[derive(Debug)]
pub struct HookListener {
    listener: UnixListener,
    path: PathBuf,
    program: Arc<OnceLock<i32>>,
    waits: bool,
}

impl HookListener {
    /// Listens below `folder`, or in a folder of its own where that path is too long for a socket.
    /// `waits` says whether the program's permission requests wait for us.
    ///
    /// # Errors
    /// If the socket cannot be made.
    pub fn bind(folder: &Path, waits: bool) -> io::Result<Self> {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let usual = folder.join(format!("{name}.sock"));
        let path = if usual.as_os_str().len() <= LONGEST_PATH {
            synapse_machine::paths::create_folder(folder)?;
            sweep(folder);
            usual
        } else {
            let own = std::env::temp_dir().join(format!("synapse-{name}"));
            synapse_machine::paths::create_folder(&own)?;
            own.join("hook.sock")
        };
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Self {
            listener,
            path,
            program: Arc::default(),
            waits,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The process that is wrapped, once it runs; nobody is heard before.
    pub fn program(&self) -> Arc<OnceLock<i32>> {
        Arc::clone(&self.program)
    }

    /// Hears hooks until nobody listens to us.
    pub async fn run(self, heard: mpsc::Sender<HookMessage>) {
        loop {
            let stream = tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        tracing::warn!(%error, "hooks cannot be heard");
                        return;
                    }
                },
                () = heard.closed() => return,
            };
            let Some(program) = self.program.get().copied() else {
                continue;
            };
            if let Err(why) = check(&stream, program) {
                tracing::warn!(why, "a stranger spoke to the hooks");
                continue;
            }
            let (heard, waits) = (heard.clone(), self.waits);
            tokio::spawn(async move {
                let _ = serve(stream, heard, waits).await;
            });
        }
    }
}

impl Drop for HookListener {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        if let Some(folder) = self.path.parent()
            && folder.starts_with(std::env::temp_dir())
            && self.path.ends_with("hook.sock")
        {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

impl HookMessage {
    /// A channel for what hooks say.
    pub fn channel() -> (mpsc::Sender<Self>, mpsc::Receiver<Self>) {
        mpsc::channel(QUEUE)
    }
}

/// Removes the sockets of hosts that were killed.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_socket = path
            .extension()
            .is_some_and(|extension| extension == "sock");
        let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        if is_socket && std::os::unix::net::UnixStream::connect(&path).is_err_and(refused) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether a caller is of our user and below the wrapped program.
fn check(stream: &UnixStream, program: i32) -> Result<(), &'static str> {
    let caller = stream
        .peer_cred()
        .map_err(|_| "the kernel does not know who it is")?;
    if caller.uid() != rustix::process::geteuid().as_raw() {
        return Err("it is another user");
    }
    let process = caller
        .pid()
        .ok_or("the kernel does not know which process it is")?;
    if process == program || is_below(process, program) {
        Ok(())
    } else {
        Err("it is not below the program")
    }
}

async fn serve(
    mut stream: UnixStream,
    heard: mpsc::Sender<HookMessage>,
    waits: bool,
) -> io::Result<()> {
    let mut payload = Vec::new();
    let mut limited = (&mut stream).take(LONGEST);
    timeout(PATIENCE, limited.read_to_end(&mut payload)).await??;
    let Some(event) = HookEvent::parse(&payload) else {
        tracing::warn!(
            bytes = payload.len(),
            "a hook said something that is no event"
        );
        return Ok(());
    };
    let is_waiting = waits && matches!(event.what, What::Permission(_));
    let (answer, answered) = oneshot::channel();
    let message = HookMessage {
        event,
        answer: is_waiting.then_some(answer),
    };
    if heard.send(message).await.is_err() || !is_waiting {
        return Ok(());
    }
    // The session drops the question when it was answered elsewhere, and the hook ends with this stream.
    if let Some(output) = answered.await.ok().and_then(|it| it.output()) {
        stream.write_all(output.to_string().as_bytes()).await?;
    }
    Ok(())
}
