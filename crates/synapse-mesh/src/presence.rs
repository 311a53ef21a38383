//! Who is there. Every machine puts one record with its agents into a bucket every two seconds, and at once when
//! something changes; whoever reads keeps a clock of its own for each. A record counts only if the machine it names has
//! signed it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use synapse_client::mesh::MeshAgent;
use synapse_machine::bidi::is_bidi_control;
use synapse_machine::handle::Handle;
use synapse_machine::paths::create_folder;
use synapse_machine::registry::{Entry, Registry};
use synapse_platform::Changes;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::key::{MachineKey, random};
use crate::name::MachineName;
use crate::nats::{Bucket, Kv, Link, Message, Nats, NatsError, Storage, Subscription};
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
/// How far a clock may be off that was set back, in milliseconds.
const SKEW: u64 = 120_000;
/// The largest record that is taken: several hundred agents have room in it.
const LARGEST: usize = 256 << 10;
/// How much the records of all machines may have.
const MOST_BYTES: u64 = 256 << 20;

/// One machine, as it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    pub name: MachineName,
    /// This run of its bridge, and which connection of it: what was on its way over another one is lost.
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
    pub beat: Arc<Beat>,
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
        // Where no agent has run yet there is nothing to listen to.
        if let Err(error) = create_folder(&self.registry) {
            tracing::warn!(%error, "agents that start are noticed with the next beat");
        }
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
        let mut beat = Beat {
            name: self.name.clone(),
            boot: format!(
                "{}-{}",
                self.boot,
                self.nats.generation().unwrap_or_default()
            ),
            at,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agents: agents.unwrap_or_default(),
            is_leaving,
        };
        let mut written = record(&self.key, &beat);
        while written.as_ref().is_ok_and(|record| record.len() > LARGEST) {
            tracing::warn!(
                agents = beat.agents.len(),
                "too many agents: others see only some"
            );
            beat.agents.truncate(beat.agents.len() / 2);
            written = record(&self.key, &beat);
        }
        match written {
            Ok(record) => {
                let id = format!("{}-{at}", beat.boot);
                self.kv.put_blindly(self.name.as_str(), &id, record).await;
            }
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
        let mut records = self.kv.watch(LARGEST).await;
        let mut link = self.nats.link();
        // A cluster that elects does not answer for seconds. What machines say meanwhile is heard all the same.
        let mut look = self.nats.is_up().then(|| Box::pin(self.kv.all()));
        // Nobody can be gone before this: whoever is seen later is gone later.
        let mut next_look = Instant::now() + GONE;
        loop {
            tokio::select! {
                message = records.next() => {
                    let Some(message) = message else { return };
                    self.take_last(message, &mut records, &sightings);
                }
                all = wait_for(&mut look) => {
                    look = None;
                    match all {
                        Ok(all) => {
                            for (key, record) in all {
                                self.take(&key, &record, &sightings);
                            }
                        }
                        // Everybody says within a beat or two that they are here.
                        Err(error) => tracing::debug!(%error, "the list of machines is not read"),
                    }
                }
                changed = link.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let is_up = matches!(*link.borrow_and_update(), Link::Up(_));
                    look = is_up.then(|| Box::pin(self.kv.all()));
                }
                () = sleep_until(next_look) => {
                    expire(&sightings, Instant::now());
                    next_look = next_end(&sightings.borrow()).unwrap_or_else(|| Instant::now() + GONE);
                }
                () = sightings.closed() => return,
            }
        }
    }

    /// Takes the last record of each machine among those that have come: each says everything, so a machine that says
    /// much costs no more than one that does not.
    fn take_last(
        &self,
        first: Message,
        records: &mut Subscription,
        sightings: &watch::Sender<Sightings>,
    ) {
        let mut last = BTreeMap::from([(first.subject.clone(), first)]);
        while let Some(next) = records.take_ready() {
            last.insert(next.subject.clone(), next);
        }
        for message in last.values() {
            if let Some(key) = self.kv.key_of(message) {
                self.take(key, &message.payload, sightings);
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
        let Some(mut beat) = opened.filter(|beat| beat.name == member.name) else {
            tracing::warn!(
                machine = key,
                "a record that this machine has not signed is ignored"
            );
            return;
        };
        beat.tidy();
        let now = jiff::Timestamp::now();
        // Most records say nothing but that a machine is still there. Nobody is woken by those, and they cost no copy,
        // or every machine would do work for all machines with every beat of each.
        sightings.send_if_modified(|known| {
            let before = known.get(&beat.name);
            if before.is_some_and(|before| !beat.is_later_than(&before.beat, now)) {
                return false;
            }
            let is_news = before.is_none_or(|before| {
                before.is_here == beat.is_leaving || !beat.says_the_same(&before.beat)
            });
            let sighting = Sighting {
                is_here: !beat.is_leaving,
                seen: Instant::now(),
                seen_at: now,
                beat: Arc::new(beat),
            };
            Arc::make_mut(known).insert(sighting.beat.name.clone(), sighting);
            is_news
        });
    }
}

impl Beat {
    /// Takes out what no machine of ours says: it is shown on terminals and pages, and names files.
    fn tidy(&mut self) {
        plain(&mut self.version);
        self.agents
            .retain(|agent| Handle::parse(&agent.handle).is_ok());
        for agent in &mut self.agents {
            for text in [
                &mut agent.id,
                &mut agent.profile,
                &mut agent.agent_type,
                &mut agent.directory,
                &mut agent.status,
                &mut agent.version,
            ] {
                plain(text);
            }
            agent.branch.as_mut().map(plain);
        }
    }

    /// Whether it was said after `before`. A clock that was set back while its machine was away is believed if it is
    /// about right.
    fn is_later_than(&self, before: &Self, now: jiff::Timestamp) -> bool {
        let is_about_now = now.as_millisecond().abs_diff(self.at) <= SKEW;
        self.at > before.at || (self.boot != before.boot && is_about_now)
    }

    /// Whether it differs from `before` in nothing but its time.
    fn says_the_same(&self, before: &Self) -> bool {
        self.boot == before.boot && self.version == before.version && self.agents == before.agents
    }
}

/// What a look gives, once there is one.
async fn wait_for<F: Future + Unpin>(look: &mut Option<F>) -> F::Output {
    match look {
        Some(look) => look.await,
        None => std::future::pending().await,
    }
}

/// Takes out what a terminal would obey, and what turns the direction of text.
fn plain(text: &mut String) {
    text.retain(|c| !c.is_control() && !is_bidi_control(c));
}

/// When the next machine counts as gone.
fn next_end(sightings: &Sightings) -> Option<Instant> {
    let here = sightings.values().filter(|sighting| sighting.is_here);
    here.map(|sighting| sighting.seen + GONE).min()
}

fn expire(sightings: &watch::Sender<Sightings>, now: Instant) {
    let is_gone = |sighting: &Sighting| sighting.is_here && now >= sighting.seen + GONE;
    sightings.send_if_modified(|known| {
        if !known.values().any(is_gone) {
            return false;
        }
        let gone = Arc::make_mut(known).values_mut();
        for sighting in gone.filter(|sighting| is_gone(sighting)) {
            sighting.is_here = false;
        }
        true
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
                Ok(kv) => return Ok(kv),
                Err(error) if error.is_lasting() => return Err(error),
                Err(error) => tracing::info!(%error, bucket = bucket.name, "not there yet"),
            }
            sleep(Duration::from_millis(200)).await;
        }
    };
    match timeout(patience, make).await {
        Ok(done) => done,
        Err(_) => Kv::create(nats, bucket).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(boot: &str, at: i64) -> Beat {
        Beat {
            name: MachineName::parse("laptop").unwrap(),
            boot: boot.to_owned(),
            at,
            version: String::new(),
            agents: Vec::new(),
            is_leaving: false,
        }
    }

    #[test]
    fn an_old_record_is_not_believed_and_a_clock_that_was_set_back_is() {
        let now = jiff::Timestamp::now();
        let millis = now.as_millisecond();
        let last = beat("a", millis);
        assert!(beat("a", millis + 1).is_later_than(&last, now));
        assert!(!beat("a", millis).is_later_than(&last, now));
        assert!(!beat("a", millis - 5).is_later_than(&last, now));
        assert!(beat("b", millis - 5).is_later_than(&last, now));
        assert!(!beat("b", millis - 3_600_000).is_later_than(&last, now));
    }

    #[tokio::test]
    async fn a_beat_that_says_nothing_new_wakes_nobody() {
        let key = MachineKey::generate().unwrap();
        let member = crate::roster::Member {
            name: MachineName::parse("laptop").unwrap(),
            key: key.public(),
            seal: key.sealing_key(),
            role: crate::role::Role::Send,
            since: jiff::Timestamp::now(),
        };
        let roster = Roster {
            mesh: "synapse".to_owned(),
            version: 1,
            machines: vec![member],
        };
        let (_roster, roster) = watch::channel(Arc::new(roster));
        let nats = Nats::begin(crate::nats::Options {
            servers: Vec::new(),
            auth: crate::nats::Auth::FromAddress,
            trust: crate::nats::Trust::System(None),
            inbox: String::new(),
            name: String::new(),
        });
        let watcher = Watcher {
            kv: Kv::of(&nats, "synapse_presence"),
            nats,
            roster,
        };
        let (sightings, mut seen) = watch::channel(Sightings::default());
        let mut say = |key: &MachineKey, beat: &Beat| {
            watcher.take("laptop", &record(key, beat).unwrap(), &sightings);
            let is_news = seen.has_changed().unwrap();
            seen.mark_unchanged();
            is_news
        };
        let at = jiff::Timestamp::now().as_millisecond();
        assert!(say(&key, &beat("a", at)), "a machine came");
        assert!(!say(&key, &beat("a", at + 1)), "it is still there");
        let stranger = MachineKey::generate().unwrap();
        assert!(!say(&stranger, &beat("c", at + 2)), "somebody lies");
        assert!(say(&key, &beat("b", at + 3)), "it was started again");
        let leaving = Beat {
            is_leaving: true,
            ..beat("b", at + 4)
        };
        assert!(say(&key, &leaving), "it goes");
        assert!(say(&key, &beat("b", at + 5)), "it is back");
        expire(&sightings, Instant::now() + GONE);
        assert!(seen.has_changed().unwrap() && !seen.borrow().values().any(|one| one.is_here));
    }
}
