//! The loop: ask the scheduler, write down, act, wait for something to happen.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use synapse_client::flows::{Request, RunFolder, events, tell_of_change};
use synapse_flow::event::{Beginning, Event, Fact, Key, Outcome, State};
use synapse_flow::run::{Open, Run};
use synapse_flow::schedule::{Action, Canceled};
use synapse_flow::view::AGAIN;
use synapse_machine::paths::Paths;
use synapse_platform::Changes;
use synapse_store::{FlowLog, FlowRun, Reader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::agents::AgentPool;
use super::work::{Desk, perform};

/// Reports that may wait to be written.
const AHEAD: usize = 256;

/// How long a process that has told the end of a run may take to be gone: it stops agents that it started.
const LEAVING: Duration = Duration::from_secs(10);

/// How often to look whether it is gone.
const LOOK: Duration = Duration::from_millis(20);

/// A simulation needs no person.
const SIMULATION: &str = "the simulation";

/// Sees every event once it is on disk.
pub type Observer<'a> = &'a mut dyn FnMut(&Run, &Event);

/// A fact that is to be written down before whoever reports it goes on.
pub(super) struct Report {
    pub(super) fact: Fact,
    pub(super) written: oneshot::Sender<()>,
}

/// How it ended.
#[derive(Clone, Debug)]
pub struct Ended {
    pub state: State,
    pub why: Option<String>,
    pub output: Value,
}

/// A run in our hands.
pub struct Runner {
    paths: Paths,
    run: Run,
    log: FlowLog,
    folder: RunFolder,
    desk: Arc<Desk>,
    reports: mpsc::Receiver<Report>,
    working: JoinSet<(Key, Option<Outcome>)>,
    cancels: HashMap<Key, oneshot::Sender<Canceled>>,
    /// Released when we are gone, however that comes about.
    _held: File,
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// Writes down that a run begins. It is run by whoever opens it.
///
/// # Errors
/// When the flow is not in order, or the run cannot be kept.
pub fn begin(paths: &Paths, beginning: Beginning) -> Result<String> {
    let at = now();
    let run = Run::new(beginning.clone(), at)?;
    let id = beginning.run.clone();
    let row = FlowRun {
        id: id.clone(),
        name: beginning.name.clone(),
        state: run.state().word().to_owned(),
        dir: beginning.dir.clone(),
        by: beginning.by.clone(),
        started_at: at,
        updated_at: at,
        events: 0,
    };
    let event = Event {
        at,
        fact: Fact::Started(Box::new(beginning)),
    };
    FlowLog::create(&paths.store(), &row, &serde_json::to_string(&event)?)?;
    tell_of_change(paths, &id);
    Ok(id)
}

/// Takes hold of a run. A process that has told the end of it and only tidies up is waited for.
fn hold(folder: &RunFolder, paths: &Paths, id: &str) -> Result<Option<File>> {
    let until = Instant::now() + LEAVING;
    loop {
        let held = folder.hold();
        let held = held.with_context(|| format!("cannot use {}", folder.path().display()))?;
        if held.is_some() || Instant::now() >= until {
            return Ok(held);
        }
        let run = Run::replay(&events(&Reader::open(paths.store())?, id, 1)?)?;
        if !run.state().is_over() {
            return Ok(None);
        }
        // Nothing tells when a lock is free.
        std::thread::sleep(LOOK);
    }
}

impl Runner {
    /// Takes up a run, if no other process has it.
    ///
    /// # Errors
    /// When there is none, another process has it, or it is over for good.
    pub fn open(paths: &Paths, id: &str) -> Result<Self> {
        let folder = RunFolder::of(paths, id);
        let Some(held) = hold(&folder, paths, id)? else {
            bail!("the run {id} is running already; synapse flow show {id} --follow shows it");
        };
        let log = FlowLog::open(&paths.store(), id)?;
        let log = log.with_context(|| format!("there is no run {id}"))?;
        let reader = Reader::open(paths.store())?;
        let run = Run::replay(&events(&reader, id, 1)?)?;
        let (sender, reports) = mpsc::channel(AHEAD);
        let pool = AgentPool::new(paths, &run.begin, folder.path())?;
        let desk = Desk {
            paths: paths.clone(),
            begin: run.begin.clone(),
            flow: run.flow.clone(),
            folder: folder.path().to_owned(),
            agents: pool,
            reports: sender,
        };
        Ok(Self {
            paths: paths.clone(),
            run,
            log,
            folder,
            desk: Arc::new(desk),
            reports,
            working: JoinSet::new(),
            cancels: HashMap::new(),
            _held: held,
        })
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Runs it to its end. `ask_stop` ends when somebody wants it to stop; `answers` are those typed here.
    ///
    /// # Errors
    /// When its events cannot be written; then it can be resumed.
    pub async fn to_the_end(
        mut self,
        observe: Observer<'_>,
        stop: impl Future<Output = String>,
        mut answers: mpsc::Receiver<Request>,
    ) -> Result<Ended> {
        let mut stop = std::pin::pin!(stop);
        let mut is_stopping = false;
        let mut changes = Changes::of(self.folder.path());
        self.take_up();
        let mut takes_answers = true;
        loop {
            self.requests(observe)?;
            let wake = self.act(observe)?;
            if self.run.state().is_over() {
                break;
            }
            let nap = wake.map(|at| Duration::from_millis(at.saturating_sub(now())));
            tokio::select! {
                Some(report) = self.reports.recv() => {
                    let mut batch = vec![report];
                    while batch.len() < AHEAD && let Ok(more) = self.reports.try_recv() {
                        batch.push(more);
                    }
                    self.note(batch, observe)?;
                }
                Some(ended) = self.working.join_next() => {
                    let mut batch = vec![ended];
                    while let Some(more) = self.working.try_join_next() {
                        batch.push(more);
                    }
                    self.ended(batch, observe)?;
                }
                () = changes.next() => {}
                request = answers.recv(), if takes_answers => match request {
                    Some(request) => self.request(&request, observe)?,
                    None => takes_answers = false,
                },
                by = &mut stop, if !is_stopping => {
                    is_stopping = true;
                    self.stop(by, observe)?;
                }
                () = tokio::time::sleep(nap.unwrap_or(Duration::MAX)), if nap.is_some() => {}
            }
        }
        self.desk.agents.stop_all().await;
        tell_of_change(&self.paths, &self.run.begin.run);
        Ok(Ended {
            state: self.run.state(),
            why: self.run.why().map(str::to_owned),
            output: self.run.output(),
        })
    }

    /// Goes on with what was under way when another process died.
    fn take_up(&mut self) {
        for (key, open) in self.run.open() {
            if open.unknown.is_none() {
                self.spawn(key, open);
            }
        }
    }

    fn spawn(&mut self, key: Key, open: Open) {
        let (cancel, canceled) = oneshot::channel();
        self.cancels.insert(key.clone(), cancel);
        let desk = Arc::clone(&self.desk);
        self.working.spawn(async move {
            let outcome = perform(&desk, &key, &open, canceled).await;
            (key, outcome)
        });
    }

    /// Does what the scheduler says, until it says to wait; until when.
    fn act(&mut self, observe: Observer<'_>) -> Result<Option<u64>> {
        loop {
            let mut facts = Vec::new();
            let mut wake = None;
            let mut cancels = Vec::new();
            for action in self.run.next(now()) {
                match action {
                    Action::Begin { key, job } => facts.push(Fact::Began { key, job }),
                    Action::Refuse { key, why } => {
                        let result = Value::Null;
                        let outcome = Outcome::Failed { why, result };
                        facts.push(Fact::Ended { key, outcome });
                    }
                    Action::Cancel { key, why } => cancels.push((key, why)),
                    Action::Answer { step, round } => facts.push(Fact::Answered {
                        step,
                        round,
                        answer: "yes".to_owned(),
                        by: "a rule".to_owned(),
                    }),
                    Action::Exceed { why } => facts.push(Fact::Exceeded { why }),
                    Action::Wake { at } => wake = Some(at),
                    Action::Finish { state, why } => facts.push(Fact::Over { state, why }),
                }
            }
            for (key, why) in cancels {
                if let Some(cancel) = self.cancels.remove(&key) {
                    // Whoever has ended meanwhile needs no telling.
                    let _ = cancel.send(why);
                } else if self.is_doubtful(&key) {
                    let why = "the run was stopped".to_owned();
                    let outcome = Outcome::Canceled { why };
                    facts.push(Fact::Ended { key, outcome });
                }
            }
            if self.run.begin.simulate {
                facts.extend(self.simulated_answers());
            }
            if facts.is_empty() {
                return Ok(wake);
            }
            let begun: Vec<Key> = facts.iter().filter_map(begun).collect();
            self.write(facts, observe)?;
            for (key, open) in self.run.open() {
                if begun.contains(&key) {
                    self.spawn(key, open);
                }
            }
        }
    }

    /// Whether nobody works on it, since nobody knows whether it was done.
    fn is_doubtful(&self, key: &Key) -> bool {
        let open = self.run.open();
        let mut open = open.iter();
        open.any(|(known, open)| known == key && open.unknown.is_some())
    }

    fn simulated_answers(&self) -> Vec<Fact> {
        let asks = self.run.asks().into_iter();
        let asks = asks.filter(|ask| ask.doubt.is_none());
        asks.map(|ask| Fact::Answered {
            answer: ask.options.into_iter().next().unwrap_or_default(),
            by: SIMULATION.to_owned(),
            step: ask.step,
            round: ask.round,
        })
        .collect()
    }

    fn note(&mut self, batch: Vec<Report>, observe: Observer<'_>) -> Result<()> {
        let (facts, told): (Vec<Fact>, Vec<oneshot::Sender<()>>) = batch
            .into_iter()
            .map(|report| (report.fact, report.written))
            .unzip();
        self.write(facts, observe)?;
        for written in told {
            let _ = written.send(());
        }
        Ok(())
    }

    fn ended(
        &mut self,
        batch: Vec<Result<(Key, Option<Outcome>), tokio::task::JoinError>>,
        observe: Observer<'_>,
    ) -> Result<()> {
        let mut facts = Vec::new();
        for ended in batch {
            let (key, outcome) = ended.context("a step of the flow broke down")?;
            self.cancels.remove(&key);
            facts.extend(outcome.map(|outcome| Fact::Ended { key, outcome }));
        }
        self.write(facts, observe)
    }

    /// Takes what others have asked.
    fn requests(&mut self, observe: Observer<'_>) -> Result<()> {
        for (file, request) in self.folder.requests() {
            if let Some(request) = request {
                self.request(&request, observe)?;
            }
            // It is written down, or makes no sense.
            let _ = std::fs::remove_file(file);
        }
        Ok(())
    }

    fn request(&mut self, request: &Request, observe: Observer<'_>) -> Result<()> {
        match request {
            Request::Stop { by } => self.stop(by.clone(), observe),
            Request::Answer { id, answer, by } => {
                let asks = self.run.asks();
                let ask = asks.into_iter().find(|ask| ask.id == *id);
                // Somebody else was quicker, or it is no answer to this.
                let Some(ask) = ask else { return Ok(()) };
                let mut options = ask.options.iter();
                let Some(answer) = options.find(|option| option.eq_ignore_ascii_case(answer))
                else {
                    return Ok(());
                };
                let by = by.clone();
                let fact = match ask.doubt {
                    Some(key) => Fact::Settled {
                        key,
                        again: answer == AGAIN,
                        by,
                    },
                    None => Fact::Answered {
                        answer: answer.clone(),
                        step: ask.step,
                        round: ask.round,
                        by,
                    },
                };
                self.write(vec![fact], observe)
            }
        }
    }

    fn stop(&mut self, by: String, observe: Observer<'_>) -> Result<()> {
        if self.run.state() != State::Running {
            return Ok(());
        }
        self.write(vec![Fact::Stopping { by }], observe)
    }

    /// Notes that we have taken it up.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn resume(&mut self, by: &str, observe: Observer<'_>) -> Result<()> {
        let by = by.to_owned();
        self.write(vec![Fact::Resumed { by }], observe)
    }

    /// Puts facts on disk, all or none; then they have happened.
    fn write(&mut self, facts: Vec<Fact>, observe: Observer<'_>) -> Result<()> {
        if facts.is_empty() {
            return Ok(());
        }
        let at = now();
        let mut events = Vec::new();
        for fact in facts {
            let event = Event { at, fact };
            match self.run.apply(&event) {
                Ok(()) => events.push(event),
                Err(error) => tracing::warn!(%error, "an event of the flow is left out"),
            }
        }
        let texts: Vec<String> = events
            .iter()
            .map(serde_json::to_string)
            .collect::<serde_json::Result<_>>()?;
        // Should this fail, what we have in memory goes with us, and nobody has acted on it.
        self.log.append(&texts, self.run.state().word(), at)?;
        for event in &events {
            observe(&self.run, event);
        }
        tell_of_change(&self.paths, &self.run.begin.run);
        Ok(())
    }
}

fn begun(fact: &Fact) -> Option<Key> {
    match fact {
        Fact::Began { key, .. } => Some(key.clone()),
        _ => None,
    }
}

/// Where a run works.
pub(super) fn dir_of(begin: &Beginning) -> PathBuf {
    PathBuf::from(&begin.dir)
}
