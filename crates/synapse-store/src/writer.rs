//! The writer thread: takes everything that waits, writes it in one transaction, and reports the result.
//! Only this thread knows the open tasks; it sleeps when there is nothing to do.

use std::collections::VecDeque;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use synapse_a2a::id::TaskId;
use synapse_a2a::usage::Usage;

use super::error::{AboutStore as _, StoreError};
use super::filing;
use super::group;
use super::inbox::{Batch, Inbox, Promise, Work};
use super::row::Row;
use super::task_head::{TaskHeads, admit};
use super::usage;
use super::{Entry, Owner, database};

/// What may wait in memory for a disk that takes nothing.
const MOST_BACKLOG: usize = 8 << 20;

/// How long to leave a disk alone that took nothing, when nobody has anything new for it.
const RETRY: Duration = Duration::from_secs(2);

/// Why nothing could be written the last time, for everybody to read.
pub(super) type Trouble = Arc<Mutex<Option<String>>>;

pub(super) struct Writer<Seen> {
    path: PathBuf,
    owner: Owner,
    inbox: Arc<Inbox>,
    trouble: Trouble,
    seen: Seen,
    database: Option<OpenDatabase>,
    /// The tasks that are not over, and those whose end is not written yet.
    open: TaskHeads,
    backlog: Backlog,
    /// Tasks that are over and not yet filed.
    over: VecDeque<i64>,
}

/// The database, while it is open.
struct OpenDatabase {
    connection: Connection,
    /// What is to be synced before anything counts as written.
    log: File,
}

/// Events that happened and could not be written. They come first the next time.
#[derive(Default)]
struct Backlog {
    rows: Vec<Row>,
    bytes: usize,
}

impl<Seen: FnMut(Vec<Entry>, Option<&StoreError>)> Writer<Seen> {
    pub(super) fn new(
        path: PathBuf,
        owner: Owner,
        inbox: Arc<Inbox>,
        trouble: Trouble,
        seen: Seen,
    ) -> Self {
        Self {
            path,
            owner,
            inbox,
            trouble,
            seen,
            database: None,
            open: TaskHeads::new(),
            backlog: Backlog::default(),
            over: VecDeque::new(),
        }
    }

    /// Writes until nothing more will come.
    pub(super) fn run(mut self) {
        // An early look, so that trouble is known before the first task is asked for.
        if let Err(error) = self.connect() {
            self.note(Some(&error));
        }
        loop {
            match self.inbox.take(self.patience()) {
                Work::Group(batches) => self.take(batches),
                Work::Nothing if self.over.is_empty() => self.take(Vec::new()),
                Work::Nothing => self.file_some(),
                Work::End => break,
            }
        }
        if !self.backlog.rows.is_empty() {
            self.take(Vec::new());
        }
        while !self.over.is_empty() {
            self.file_some();
        }
    }

    fn patience(&self) -> Option<Duration> {
        if !self.over.is_empty() {
            Some(Duration::ZERO)
        } else if !self.backlog.rows.is_empty() {
            Some(RETRY)
        } else {
            None
        }
    }

    fn take(&mut self, batches: Vec<Batch>) {
        if batches.first().is_some_and(|batch| batch.is_refused) {
            return self.fail(batches, &StoreError::Behind);
        }
        let usages: Vec<(TaskId, Usage)> = batches
            .iter()
            .filter_map(|batch| batch.usage.clone())
            .collect();
        match self.write(&batches) {
            Ok(outcomes) => {
                self.tell(batches, outcomes);
                self.note_usages(&usages);
            }
            Err(error) => {
                self.note(Some(&error));
                // After most of these the connection is as good as before; after the others it is not.
                if !matches!(error, StoreError::Busy { .. } | StoreError::NoRoom { .. }) {
                    self.database = None;
                }
                self.fail(batches, &error);
            }
        }
    }

    /// Keeps what turns took. Nobody was promised it, so a failure is told and nothing more.
    fn note_usages(&mut self, usages: &[(TaskId, Usage)]) {
        if usages.is_empty() {
            return;
        }
        let written = self.connect().and_then(|()| {
            let Some(OpenDatabase { connection, .. }) = &mut self.database else {
                return Err(StoreError::Closed);
            };
            for (task, usage) in usages {
                usage::put(connection, &self.owner, task, usage).about(&self.path)?;
            }
            Ok(())
        });
        if let Err(error) = written {
            tracing::warn!(%error, "what a turn took is not written down");
        }
    }

    /// Writes the backlog and the batches; what became of each batch.
    fn write(&mut self, batches: &[Batch]) -> Result<Vec<Result<(), StoreError>>, StoreError> {
        let mut draft: TaskHeads = self
            .backlog
            .rows
            .iter()
            .filter_map(|row| Some((row.task.clone(), self.open.get(&row.task)?.clone())))
            .collect();
        let mut rows = Vec::new();
        let mut outcomes = Vec::with_capacity(batches.len());
        for batch in batches {
            outcomes.push(match admit(&batch.entries, &draft, &self.open) {
                Ok(admitted) => {
                    let is_kept = admitted.cut.is_none() || batch.happened_anyway();
                    if is_kept {
                        draft.extend(admitted.heads);
                        rows.extend(admitted.rows);
                    }
                    admitted
                        .cut
                        .map_or(Ok(()), |task| Err(StoreError::Incomplete { task }))
                }
                Err(error) => Err(error),
            });
        }
        if draft.is_empty() {
            return Ok(outcomes);
        }
        self.connect()?;
        let Some(OpenDatabase { connection, log }) = &mut self.database else {
            return Err(StoreError::Closed);
        };
        let all = self.backlog.rows.iter().chain(&rows);
        let taken = group::write(connection, &self.path, &self.owner, all, &mut draft)?;
        let synced = log.sync_data().map_err(|error| StoreError::Unconfirmed {
            path: self.path.clone(),
            reason: error.to_string(),
        });
        self.backlog = Backlog::default();
        self.open.extend(draft);
        // Whoever has the name of a task first has the task.
        self.open
            .retain(|task, head| head.key.is_some() || !taken.contains(task));
        let over = self.open.extract_if(|_, head| head.state.is_final());
        self.over.extend(over.filter_map(|(_, head)| head.key));
        self.note(synced.as_ref().err());
        if synced.is_err() {
            self.database = None;
        }
        for (batch, outcome) in batches.iter().zip(&mut outcomes) {
            let mut entries = batch.entries.iter();
            if outcome.is_ok() {
                *outcome = match entries.find(|entry| taken.contains(&entry.task)) {
                    Some(entry) => Err(StoreError::Taken {
                        task: entry.task.clone(),
                        number: entry.number,
                    }),
                    None => synced.clone(),
                };
            }
        }
        Ok(outcomes)
    }

    /// Nothing of these batches was written. What happened all the same is kept for later.
    fn fail(&mut self, batches: Vec<Batch>, error: &StoreError) {
        let mut outcomes = Vec::with_capacity(batches.len());
        for batch in &batches {
            let admitted = match admit(&batch.entries, &TaskHeads::new(), &self.open) {
                Ok(admitted) => admitted,
                Err(own) => {
                    outcomes.push(Err(own));
                    continue;
                }
            };
            outcomes.push(Err(error.clone()));
            if !batch.happened_anyway() {
                continue;
            }
            let bytes: usize = admitted.rows.iter().map(Row::bytes).sum();
            if self.backlog.bytes + bytes <= MOST_BACKLOG {
                self.backlog.bytes += bytes;
                self.backlog.rows.extend(admitted.rows);
                self.open.extend(admitted.heads);
            } else {
                self.cut(&batch.entries);
            }
        }
        self.tell(batches, outcomes);
    }

    /// There is no room for these entries even in memory. Their tasks are cut short here; of what
    /// follows only the end counts. A task that is not known at all stays unknown.
    fn cut(&mut self, entries: &[Entry]) {
        let mut known = Vec::new();
        for entry in entries {
            if let Some(head) = self.open.get_mut(&entry.task) {
                head.is_cut = true;
                known.push(entry.clone());
            }
        }
        if let Ok(admitted) = admit(&known, &TaskHeads::new(), &self.open) {
            self.backlog.rows.extend(admitted.rows);
            self.open.extend(admitted.heads);
        }
    }

    fn tell(&mut self, batches: Vec<Batch>, outcomes: Vec<Result<(), StoreError>>) {
        let mut written = Vec::new();
        let mut told = Vec::new();
        for (batch, outcome) in batches.into_iter().zip(outcomes) {
            match &outcome {
                Ok(()) => written.extend(batch.entries),
                Err(error) => {
                    self.see(&mut written);
                    (self.seen)(batch.entries, Some(error));
                }
            }
            if let Promise::Told(teller) = batch.promise {
                told.push((teller, outcome));
            }
        }
        self.see(&mut written);
        for (teller, outcome) in told {
            // Whoever asked may have stopped waiting.
            let _ = teller.send(outcome);
        }
    }

    fn see(&mut self, written: &mut Vec<Entry>) {
        if !written.is_empty() {
            (self.seen)(std::mem::take(written), None);
        }
    }

    /// Makes some tasks that are over searchable. That can be done again from their events, so it needs
    /// neither be on the disk nor succeed.
    fn file_some(&mut self) {
        let Some(OpenDatabase { connection, .. }) = &mut self.database else {
            return self.over.clear();
        };
        if let Err(error) = filing::file(connection, &mut self.over) {
            tracing::debug!(%error, "tasks that are over could not be filed");
            self.over.clear();
        }
    }

    fn connect(&mut self) -> Result<(), StoreError> {
        if self.database.is_none() {
            let (connection, log) = database::open_to_write_much(&self.path)?;
            let over = filing::not_filed(&connection).about(&self.path)?;
            self.over.extend(over);
            self.database = Some(OpenDatabase { connection, log });
        }
        Ok(())
    }

    fn note(&self, error: Option<&StoreError>) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        match (error, &*trouble) {
            (Some(error), None) => tracing::warn!(%error, "tasks cannot be written down"),
            (None, Some(_)) => tracing::info!("tasks are written down again"),
            _ => {}
        }
        *trouble = error.map(ToString::to_string);
    }
}
