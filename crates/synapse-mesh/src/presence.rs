//! Who is there. Every machine puts one record with its agents into a bucket every two seconds, and at once when
//! something changes; whoever reads keeps a clock of its own for each. A record counts only if the machine it names has
//! signed it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use synapse_client::mesh::MeshAgent;
use synapse_machine::registry::{Entry, Registry};
use synapse_platform::Changes;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::key::{MachineKey, random};
use crate::name::MachineName;
use crate::nats::{Bucket, Kv, Link, Nats, NatsError, Storage};
use crate::roster::Roster;
use crate::signed::Signed;

/// What a signature of a record is for.
const PURPOSE: &str = "presence";
/// How often a machine says that it is there, give or take a tenth.
pub const BEAT: Duration = Duration::from_secs(2);
/// How long one that says nothing counts as being there.
pub const GONE: Duration = Duration::from_secs(10);
/// Changes that come in such a time make one record.
const GATHER: Duration = Duration::from_millis(20);
/// How much the records of all machines may have.
const MOST_BYTES: u64 = 256 << 20;

/// One machine, as it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    pub name: MachineName,
    /// This run of its bridge.
    pub boot: String,
    /// When, in milliseconds of its clock; grows from record to record.
    pub at: i64,
    pub version: String,
    pub agents: Vec<MeshAgent>,
    /// It goes away on purpose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_leaving: bool,
}

/// One machine, as it was last seen.
#[derive(Clone, Debug)]
pub struct Sighting {
    pub beat: Beat,
    pub seen: Instant,
    /// The time of that on the clock of the wall.
    pub seen_at: jiff::Timestamp,
    pub is_here: bool,
}

/// Every machine that was seen.
pub type Sightings = Arc<BTreeMap<MachineName, Sighting>>;

/// The bucket of records.
pub fn bucket(mesh: &str, replicas: u8) -> Bucket {
    Bucket {
        name: format!("{mesh}_presence"),
        max_age: GONE,
        storage: Storage::Memory,
        replicas,
        max_bytes: MOST_BYTES,
    }
}

/// What this machine says of itself.
pub struct Speaker {
    pub kv: Kv,
    pub nats: Nats,
    pub key: Arc<MachineKey>,
    pub name: MachineName,
    pub boot: String,
    pub registry: PathBuf,
}

impl Speaker {
    /// Says it every two seconds and whenever an agent changes, until `stop`; then that it goes.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let mut changes = Changes::of(&self.registry);
        let mut link = self.nats.link();
        let mut stop = std::pin::pin!(stop);
        let mut last = 0;
        loop {
            last = self.say(last, false).await;
            let next = Instant::now() + jittered(BEAT);
            tokio::select! {
                () = &mut stop => break,
                () = sleep_until(next) => changes.take_up(),
                moved = link.changed() => {
                    if moved.is_err() {
                        return;
                    }
                }
                () = changes.next() => sleep(GATHER).await,
            }
        }
        self.say(last, true).await;
    }

    /// Puts a record that is later than the last.
    async fn say(&self, last: i64, is_leaving: bool) -> i64 {
        let at = jiff::Timestamp::now().as_millisecond().max(last + 1);
        let registry = self.registry.clone();
        let agents = tokio::task::spawn_blocking(move || agents(&registry)).await;
        let beat = Beat {
            name: self.name.clone(),
            boot: self.boot.clone(),
            at,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agents: agents.unwrap_or_default(),
            is_leaving,
        };
        match record(&self.key, &beat) {
            Ok(record) => self.kv.put_blindly(self.name.as_str(), record).await,
            Err(error) => tracing::warn!(%error, "this machine cannot say that it is here"),
        }
        at
    }
}

/// A record as it is put.
///
/// # Errors
/// When it cannot be written.
pub fn record(key: &MachineKey, beat: &Beat) -> serde_json::Result<Vec<u8>> {
    let signed = Signed::sign(key, PURPOSE, beat);
    let signed = signed.map_err(|error| serde::ser::Error::custom(error.to_string()))?;
    serde_json::to_vec(&signed)
}

/// The agents that run here.
fn agents(registry: &Path) -> Vec<MeshAgent> {
    let entries = Registry::new(registry.to_owned())
        .list()
        .unwrap_or_default();
    entries.iter().map(agent).collect()
}

fn agent(entry: &Entry) -> MeshAgent {
    let status = serde_json::to_value(&entry.status).unwrap_or_default();
    MeshAgent {
        id: entry.agent_id.to_string(),
        handle: entry.handle.to_string(),
        profile: entry.profile.clone(),
        agent_type: entry.agent_type.clone(),
        directory: entry.working_dir.display().to_string(),
        branch: branch(&entry.working_dir),
        status: status.as_str().unwrap_or_default().to_owned(),
        started_at: entry.started_at,
        version: entry.version.clone(),
    }
}

/// The branch that is checked out in a folder, as far as a look at its files tells.
fn branch(dir: &Path) -> Option<String> {
    let git = dir
        .ancestors()
        .map(|dir| dir.join(".git"))
        .find(|git| git.exists())?;
    let git = if git.is_dir() {
        git
    } else {
        // A worktree: a file that names its folder.
        let text = std::fs::read_to_string(&git).ok()?;
        let named = PathBuf::from(text.trim().strip_prefix("gitdir: ")?);
        git.parent()?.join(named)
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => head.get(..7)?.to_owned(),
    })
}

/// Reads the records of all machines.
pub struct Watcher {
    pub nats: Nats,
    pub kv: Kv,
    pub roster: watch::Receiver<Arc<Roster>>,
}

impl Watcher {
    /// Keeps `sightings` up to date for as long as somebody reads them.
    pub async fn run(self, sightings: watch::Sender<Sightings>) {
        let mut records = self.kv.watch().await;
        let mut link = self.nats.link();
        let mut look = self.nats.is_up();
        loop {
            if std::mem::take(&mut look) {
                match self.kv.all().await {
                    Ok(all) => {
                        for (key, record) in all {
                            self.take(&key, &record, &sightings);
                        }
                    }
                    // Everybody says within a beat or two that they are here.
                    Err(error) => tracing::debug!(%error, "the list of machines is not read"),
                }
            }
            let end = next_end(&sightings.borrow());
            tokio::select! {
                message = records.next() => {
                    let Some(message) = message else { return };
                    if let Some(key) = self.kv.key_of(&message) {
                        self.take(key, &message.payload, &sightings);
                    }
                }
                changed = link.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    look = matches!(*link.borrow_and_update(), Link::Up(_));
                }
                () = sleep_until(end.unwrap_or_else(|| Instant::now() + GONE)) => expire(&sightings),
                () = sightings.closed() => return,
            }
        }
    }

    fn take(&self, key: &str, record: &[u8], sightings: &watch::Sender<Sightings>) {
        let roster = Arc::clone(&self.roster.borrow());
        let Some(member) = roster.member(key) else {
            return;
        };
        let read: Result<Signed, _> = serde_json::from_slice(record);
        let opened = read
            .ok()
            .and_then(|signed| signed.open::<Beat>(member.key, PURPOSE).ok());
        let Some(beat) = opened.filter(|beat| beat.name == member.name) else {
            tracing::warn!(
                machine = key,
                "a record that this machine has not signed is ignored"
            );
            return;
        };
        let known = Arc::clone(&sightings.borrow());
        if let Some(before) = known.get(&beat.name)
            && before.beat.at >= beat.at
        {
            return;
        }
        let mut next = BTreeMap::clone(&known);
        let sighting = Sighting {
            is_here: !beat.is_leaving,
            seen: Instant::now(),
            seen_at: jiff::Timestamp::now(),
            beat,
        };
        next.insert(sighting.beat.name.clone(), sighting);
        sightings.send_replace(Arc::new(next));
    }
}

/// When the next machine counts as gone.
fn next_end(sightings: &Sightings) -> Option<Instant> {
    let here = sightings.values().filter(|sighting| sighting.is_here);
    here.map(|sighting| sighting.seen + GONE).min()
}

fn expire(sightings: &watch::Sender<Sightings>) {
    let now = Instant::now();
    sightings.send_if_modified(|known| {
        let mut next = BTreeMap::clone(known);
        let mut changed = false;
        for sighting in next.values_mut() {
            if sighting.is_here && now >= sighting.seen + GONE {
                sighting.is_here = false;
                changed = true;
            }
        }
        *known = Arc::new(next);
        changed
    });
}

fn jittered(time: Duration) -> Duration {
    let part = random::<1>().map_or(128, |[byte]| byte);
    // From nine tenths to eleven tenths.
    time * (900 + u32::from(part) * 200 / 255) / 1_000
}

/// Makes the bucket of records; on a cluster that has just been started this takes a while.
///
/// # Errors
/// When the server does not within this time.
pub async fn prepare(nats: &Nats, bucket: &Bucket, patience: Duration) -> Result<Kv, NatsError> {
    let make = async {
        loop {
            match Kv::create(nats, bucket).await {
                Ok(kv) => return kv,
                Err(error) => tracing::info!(%error, bucket = bucket.name, "not there yet"),
            }
            sleep(Duration::from_millis(200)).await;
        }
    };
    match timeout(patience, make).await {
        Ok(kv) => Ok(kv),
        Err(_) => Kv::create(nats, bucket).await,
    }
}
