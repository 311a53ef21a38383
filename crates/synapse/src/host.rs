//! The process behind one agent: assembles it, publishes it, and owns the order in which it ends.

mod early_exit;
mod entry;
mod grpc;
mod housing;
mod life;
mod listen;
mod record;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::json;
use synapse_a2a::event::Timestamp;
use synapse_a2a::task::Task;
use synapse_a2a::wire::request::PushTarget;
use synapse_term::profile::{Backend, Profile};
use synapse_term::reading::State;
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use entry::{place, publish, tell};
use housing::{Housing, LabelledPane};
use life::Life;
use listen::{endpoint, in_service, is_stopped};
use record::{end_launch, launched, note_conversation, note_launch};

pub use early_exit::EarlyExit;

use crate::courier::{Courier, Orders};
use crate::http::{self, A2a, AccessPolicy, ServerState};
use crate::launch::ProgramPlace;
use synapse_client::client::{Callable, Web, post_ends};
use synapse_client::external::Contacts;
use synapse_machine::config::{Limits, ListenConfig};
use synapse_machine::launch_record::LaunchRecord;
use synapse_machine::paths::Paths;
use synapse_machine::registry::{Applicant, Claim, PortWish, Registry, Status};
use synapse_machine::token::Tokens;
use synapse_pty::tty::{Event, Signals};
use synapse_pty::{Exit, Size, SpawnError, Termios};
use synapse_serve::Server;
use synapse_session::{Command, Ledger, Look, Session, SessionHandle, Setup};
use synapse_store::push::settle;
use synapse_store::sweep::{claim_ends, sweep};
use synapse_store::{Owner, retain};

/// A program that dies this soon was not started as it should be.
const EARLY: Duration = Duration::from_secs(1);

/// How long whoever starts a program that continues a conversation waits until it rests. CLIs take one to five seconds
/// before they show their box or say that they do not find the conversation; just booted, a machine is slower.
const CONTINUING: Duration = Duration::from_secs(10);

/// How long finished tasks are kept.
const KEEP_FOR: Duration = Duration::from_hours(24 * 90);

/// How large the store may grow.
const KEEP_BYTES: u64 = 1 << 30;

/// How long open connections are waited for.
const CONNECTIONS: Duration = Duration::from_secs(2);

/// How long what the hosts before us owe is waited for.
const LAST_PUSHES: Duration = Duration::from_secs(2);

/// What to tell when the token is another one.
pub const REPLACED: &str = "the previous run did not end cleanly, so the token is new: give it to those who had the old one";

/// What is to be hosted.
pub struct Agent {
    /// What is known of the program.
    pub profile: Profile,
    /// Arguments added by the user.
    pub args: Vec<String>,
    /// Options of ours that the program was seen to refuse.
    pub refused_flags: Vec<String>,
    /// The handle, if the user chose one.
    pub name: Option<String>,
    pub port: PortWish,
    /// The port on which it speaks gRPC, if it does.
    pub grpc: Option<PortWish>,
    /// Where it listens, and who gets in.
    pub reach: ListenConfig,
    /// Authorities to trust besides those of the system when others are called.
    pub ca_file: Option<PathBuf>,
    pub dir: PathBuf,
    pub size: Size,
    /// How many tasks may wait.
    pub queue_limit: usize,
    /// What is sent from its terminal to others.
    pub orders: Orders,
    /// The human's terminal, where the agent has one.
    pub terminal: Option<Terminal>,
    /// Where the program runs.
    pub place: ProgramPlace,
    /// How it was asked for: what follows `synapse start`.
    pub words: Vec<String>,
    /// The conversation that is to go on, as the program calls it.
    pub resume: Option<String>,
}

/// The human's terminal.
pub struct Terminal {
    /// The modes it was found in.
    pub modes: Termios,
    /// Where the agent is shown.
    pub display: OwnedFd,
}

/// An agent that runs and can be reached.
pub struct Host {
    /// Goes before the claim: whoever claims the place next takes a file that is still there for that of a crash.
    tokens: Tokens,
    claim: Claim,
    session: Session,
    handle: SessionHandle,
    listener: std::net::TcpListener,
    /// Where gRPC is spoken.
    grpc: Option<std::net::TcpListener>,
    tls: Option<tokio_rustls::TlsAcceptor>,
    limits: Limits,
    resources: ServerState,
    ledger: Ledger,
    owner: Owner,
    courier: Courier,
    paths: Paths,
    ca_file: Option<PathBuf>,
    notes: Vec<String>,
    launched: Option<LaunchRecord>,
    is_resumed: bool,
    /// The pane of tmux that the agent is in.
    pane: Option<LabelledPane>,
}

impl Host {
    /// Starts the program, binds the port and publishes the agent.
    ///
    /// # Errors
    /// If the name or the port is taken, or the program cannot be started.
    pub fn start(agent: &Agent, paths: &Paths) -> Result<Self> {
        let (profile, reach) = (&agent.profile, &agent.reach);
        reach.check()?;
        let tls = listen::tls(reach)?;
        let registry = Registry::new(paths.registry());
        let mut claim = claim(&registry, agent)?;
        let listener = registry.bind(reach.listen, &profile.name, agent.port)?;
        let address = listener.local_addr()?;
        let grpc = grpc::bind(&registry, reach.listen, agent.grpc)?;
        let token_path = paths.token(claim.id());
        let tokens = Tokens::issue(&token_path, &paths.launch_token(claim.id()))
            .with_context(|| format!("cannot write below {}", paths.tokens().display()))?;

        let id = claim.id().as_str().to_owned();
        let started_at = claim.entry().started_at.unwrap_or_default();
        let owner = owner(&claim, agent);
        let ledger = Ledger::open(paths.store(), owner.clone())?;
        let (routing, requests) = agent.orders.line();
        let display = agent.terminal.as_ref().map(|it| it.display.try_clone());
        let housing = Housing::open(agent, &claim, paths)?;
        let transcripts = housing.transcript.as_ref();
        let claude_transcripts = transcripts.and_then(synapse_transcript::Source::of_claude);
        let claude_transcripts = claude_transcripts.map(Path::to_owned);
        let (session, handle) = Session::start(Setup {
            profile: Arc::new(profile.clone()),
            under: housing.under,
            is_resumed: agent.resume.is_some(),
            queue_limit: agent.queue_limit,
            display: display.transpose()?,
            transcript: housing.transcript,
            hooks: housing.hooks,
            ledger: ledger.clone(),
            files: paths.tasks(),
            routing,
        })
        .map_err(|error| explained(error, profile))?;
        let endpoint = endpoint(address);
        let access_policy = AccessPolicy::new(reach, &endpoint, &tokens);
        let name = claim.handle().to_string();
        let grpc_place = grpc::place(grpc.as_ref(), reach)?;
        let a2a = A2a::new(&name, profile, &access_policy, grpc_place, started_at);
        let about = json!({ "id": id, "handle": name, "profile": profile.name, "dir": agent.dir });
        let callable = Callable::by_agent(access_policy.is_local);
        let web = Web::new(callable, agent.ca_file.clone());
        let contacts = Contacts::new(paths, web.clone());
        let resources = ServerState {
            session: handle.clone(),
            a2a: Arc::new(a2a),
            access_policy: Arc::new(access_policy),
            has_terminal: profile.backend == Backend::Terminal,
            adopted: housing.pane.as_ref().map(LabelledPane::program),
            agent: id.into(),
            handle: name.into(),
            about: Arc::new(about),
            paths: Arc::new(paths.clone()),
            store: paths.store().into(),
            contacts: Contacts::new(paths, web.clone().for_others()),
            web: web.for_others(),
        };
        claim.publish(place(agent, address.port(), endpoint, token_path, &tokens)?)?;
        let launched = launched(&claim, agent);
        let mut notes = housing.notes;
        notes.extend(launched.as_ref().and_then(|it| note_launch(it, paths)));
        notes.extend(tokens.is_replaced.then(|| REPLACED.to_owned()));
        let own = claim.entry().clone();
        Ok(Self {
            courier: Courier::new(
                own,
                handle.clone(),
                paths,
                contacts,
                &agent.orders,
                claude_transcripts.as_deref(),
                requests,
            ),
            tokens,
            claim,
            session,
            handle,
            listener,
            grpc,
            tls,
            limits: reach.limits,
            resources,
            ledger,
            owner,
            paths: paths.clone(),
            ca_file: agent.ca_file.clone(),
            notes,
            launched,
            is_resumed: agent.resume.is_some(),
            pane: housing.pane,
        })
    }

    /// What others read of the agent.
    pub fn entry(&self) -> &synapse_machine::registry::Entry {
        self.claim.entry()
    }

    /// What the person should know about the start.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What asks and answers.
    pub fn session(&self) -> SessionHandle {
        self.handle.clone()
    }

    /// Serves until the program is gone or somebody ends us; how the program ended. `ready` is
    /// called once, when the agent can be reached and its program has not died right away.
    ///
    /// The session runs here, on the caller's thread; what others ask of it is served by `service`. No request
    /// stands between a key and the program then, and no key wakes a thread that serves requests.
    ///
    /// # Errors
    /// If the server cannot run, or the program died right away, or before it rested in the conversation that it was
    /// to continue: then a [`EarlyExit`].
    pub async fn run(self, service: &Handle, ready: impl FnOnce() -> Result<()>) -> Result<Exit> {
        let Self {
            tokens,
            claim,
            session,
            handle,
            listener,
            grpc,
            tls,
            limits,
            resources,
            ledger,
            owner,
            courier,
            paths,
            ca_file,
            notes,
            launched,
            is_resumed,
            pane,
        } = self;
        for note in &notes {
            tracing::warn!("{note}");
        }
        let a2a = Arc::clone(&resources.a2a);
        let (stop, stopped) = watch::channel(());
        let grpc = grpc.map(|listener| in_service(listener, service));
        let grpc = grpc::serve(grpc.transpose()?, &resources, tls.clone(), limits, &stopped);
        let accept = Server {
            listener: in_service(listener, service)?,
            router: http::router(resources),
            tls,
            limits,
        };
        let http = accept.run(is_stopped(stopped));
        let mut server = service.spawn(async { tokio::join!(http, grpc) });
        let kept = paths.clone();
        let mut tidying = service.spawn(tidy(paths, ca_file));
        let signals = Signals::listen().context("cannot listen for signals")?;
        // Asked before the session runs, so that no program can die too soon to be asked about.
        let (asked, mut answer) = oneshot::channel();
        handle.tell(Command::Ready(asked)).await?;
        let claim = Arc::new(Mutex::new(Some(claim)));
        let telling = service.spawn(tell(Arc::clone(&claim), handle.board.state()));
        let ending = Arc::clone(&claim);
        let conversing = service.spawn(note_conversation(
            launched.clone(),
            kept.clone(),
            handle.board.conversation(),
        ));
        // What ends with the machine or with its terminal comes back with `synapse up`.
        let goes_down = Arc::new(AtomicBool::new(false));
        let down = Arc::clone(&goes_down);
        let watch = tokio::spawn(stop_on_signal(signals, down, ending, handle));
        let courier = service.spawn(courier.run());
        let mut running = Box::pin(session.run());
        let patience = if is_resumed { CONTINUING } else { EARLY };
        let (ended, look) = early_exit::look(&mut running, &mut answer, patience).await;
        let is_answered = look.is_some();
        let is_gone = |look: &Arc<Look>| look.standing.state == State::Exited;
        let died = look.filter(is_gone);
        let life = match &died {
            None => Some(Life::begin(ready, kept.store(), owner)?),
            Some(_) => None,
        };
        let exit = if let Some(exit) = ended {
            exit
        } else {
            running.await
        };
        // It ends with the session; what it still waits for is lost with our end.
        let _ = courier.await;
        // What is not told by now, the next host tells.
        if timeout(LAST_PUSHES, &mut tidying).await.is_err() {
            tidying.abort();
        }
        // The last events reach the disk first, then who still listens.
        ledger.close().await;
        a2a.finish().await;
        drop(stop);
        // Streams end with their tasks; whoever keeps a connection open for longer is cut off.
        if timeout(CONNECTIONS, &mut server).await.is_err() {
            server.abort();
        }
        // Until here: where all processes are told to end, the program may be quicker than our signal.
        watch.abort();
        telling.abort();
        conversing.abort();
        let _ = tokio::join!(telling, watch, conversing);
        if let Some(launched) = launched.filter(|_| !goes_down.load(Ordering::Relaxed)) {
            end_launch(&kept, &launched);
        }
        drop(pane);
        Life::end(life, life::how(&ledger, exit)).await;
        drop(tokens);
        // The entry goes with the claim, whoever still wants to write into it.
        drop(claim.lock().unwrap_or_else(PoisonError::into_inner).take());
        // One that never rested has not continued its conversation.
        let has_failed = is_resumed && !is_answered && exit.code() != 0;
        let has_failed = has_failed && !ledger.board.is_stopping();
        let late = has_failed.then(|| answer.try_recv().ok()).flatten();
        match (died, late.filter(is_gone)) {
            (Some(look), _) => Err(EarlyExit::new(exit, &look).into()),
            (None, Some(look)) => Err(EarlyExit::late(exit, &look).into()),
            (None, None) => Ok(exit),
        }
    }
}

/// Takes a name and an id for an agent.
fn claim(registry: &Registry, agent: &Agent) -> Result<Claim> {
    let machine = rustix::system::uname();
    let applicant = Applicant {
        host: &machine.nodename().to_string_lossy(),
        dir: &agent.dir,
        agent_type: &agent.profile.name,
        profile: &agent.profile.name,
        name: agent.name.as_deref(),
    };
    Ok(registry.claim(&applicant)?)
}

/// A program that is not on this machine.
#[derive(Debug, thiserror::Error)]
#[error("{program}: command not found; to install it: {install}")]
pub struct NotInstalled {
    pub program: String,
    /// The command that installs it.
    pub install: String,
}

/// Why a program cannot be started, and where it is not there, how to get it.
fn explained(error: SpawnError, profile: &Profile) -> anyhow::Error {
    match (&error, &profile.install) {
        (SpawnError::NotFound(program), Some(install)) => NotInstalled {
            program: program.to_string_lossy().into_owned(),
            install: install.clone(),
        }
        .into(),
        _ => error.into(),
    }
}

/// Stops the agent when a signal says so, and notes whether it was one of a machine that goes down. That ends a wrapped
/// agent by its terminal as well, like a window that somebody closes and a connection that breaks: they look the same.
async fn stop_on_signal(
    mut signals: Signals,
    goes_down: Arc<AtomicBool>,
    claim: Arc<Mutex<Option<Claim>>>,
    session: SessionHandle,
) {
    let mut signal = signals.next().await;
    while !signal.is_end() {
        signal = signals.next().await;
    }
    let is_down = matches!(signal, Event::Terminated | Event::HungUp);
    goes_down.store(is_down, Ordering::Relaxed);
    publish(claim, Status::Stopping).await;
    let _ = session.tell(Command::Stop).await;
}

/// Whose the tasks of this run are.
fn owner(claim: &Claim, agent: &Agent) -> Owner {
    let started_at = claim.entry().started_at.unwrap_or_default();
    Owner {
        run: claim.entry().run(),
        agent: claim.id().as_str().to_owned(),
        handle: claim.handle().to_string(),
        profile: agent.profile.name.clone(),
        dir: agent.dir.clone(),
        pid: std::process::id(),
        started_at: Timestamp(started_at.as_millisecond().unsigned_abs()),
    }
}

/// Ends what hosts that died have left open, lets go of what is too old to keep, and tells who waits for it
/// how the tasks of the dead have ended.
async fn tidy(paths: Paths, ca_file: Option<PathBuf>) {
    let store = paths.store();
    let ends = tokio::task::spawn_blocking(move || {
        if let Err(error) = sweep(&paths) {
            tracing::warn!(%error, "tasks of hosts that died are still open");
        }
        match retain(&paths.store(), KEEP_FOR, KEEP_BYTES) {
            Ok(gone) => {
                for task in gone {
                    // A task without files has no folder.
                    let _ = std::fs::remove_dir_all(paths.tasks().join(task.as_str()));
                }
            }
            Err(error) => tracing::warn!(%error, "old tasks are still kept"),
        }
        claim_ends(&paths)
    });
    let ends = ends.await.unwrap_or_default();
    let settle = move |task: &Task, push: &PushTarget| settle(&store, task.id(), push);
    post_ends(ends, ca_file, settle).await;
}
