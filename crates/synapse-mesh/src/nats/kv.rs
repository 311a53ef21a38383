//! A bucket of the server: the last value of each key. It is a stream that is made by hand, because servers before
//! 2.11 do not say of an account what the usual way asks; who watches listens to the subjects themselves, so that a
//! watcher needs nothing of the server and lives on when that is restarted.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{StreamExt as _, stream};
use hyper::body::Bytes;
use serde_json::{Value, json};

use super::{Message, Nats, NatsError, Subscription};

/// How many keys of a bucket are read at one time.
const AT_ONCE: usize = 64;

/// Where a bucket is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Memory,
    File,
}

/// A bucket as it is to be.
#[derive(Clone, Debug)]
pub struct Bucket {
    pub name: String,
    /// How long a value is kept; for ever if zero.
    pub max_age: Duration,
    pub storage: Storage,
    /// On how many servers of a cluster.
    pub replicas: u8,
    /// How much all values may have together, in bytes.
    pub max_bytes: u64,
}

/// A bucket that is there.
#[derive(Clone)]
pub struct Kv {
    nats: Nats,
    name: String,
}

impl Kv {
    /// The bucket of this name, whether it is there or not.
    pub fn of(nats: &Nats, name: &str) -> Self {
        Self {
            nats: nats.clone(),
            name: name.to_owned(),
        }
    }

    /// Makes the bucket unless it is there.
    ///
    /// # Errors
    /// When the server does not, in its words.
    pub async fn create(nats: &Nats, bucket: &Bucket) -> Result<Self, NatsError> {
        let kv = Self::of(nats, &bucket.name);
        let nanos = u64::try_from(bucket.max_age.as_nanos()).unwrap_or(0);
        let storage = match bucket.storage {
            Storage::Memory => "memory",
            Storage::File => "file",
        };
        let config = json!({
            "name": format!("KV_{}", bucket.name),
            "subjects": [format!("$KV.{}.>", bucket.name)],
            "max_msgs_per_subject": 1, "max_age": nanos, "max_bytes": bucket.max_bytes,
            "storage": storage, "num_replicas": bucket.replicas, "discard": "new",
            "allow_rollup_hdrs": true, "deny_delete": true, "allow_direct": true,
            "retention": "limits", "duplicate_window": nanos.min(120_000_000_000),
        });
        let subject = format!("$JS.API.STREAM.CREATE.KV_{}", bucket.name);
        match kv.ask(&subject, &config).await {
            // Made already, by a version that had other limits.
            Err(NatsError::Said(why)) if why.contains("already in use") => {}
            done => drop(done?),
        }
        Ok(kv)
    }

    /// Removes the bucket with all that is in it.
    ///
    /// # Errors
    /// When the server does not, in its words.
    pub async fn delete(&self) -> Result<(), NatsError> {
        let subject = format!("$JS.API.STREAM.DELETE.KV_{}", self.name);
        match self.ask(&subject, &json!({})).await {
            Err(NatsError::Said(why)) if why.contains("not found") => Ok(()),
            done => done.map(drop),
        }
    }

    /// Puts a value; with an id that the bucket has had lately nothing is put. An answer means that the server has it, not that it is on a disk.
    ///
    /// # Errors
    /// When the server does not take it, in its words: a full bucket says so.
    pub async fn put(&self, key: &str, id: &str, value: impl Into<Bytes>) -> Result<(), NatsError> {
        let answer = self
            .nats
            .request_once(&self.subject(key), id, value)
            .await?;
        read(&answer)?;
        Ok(())
    }

    /// Puts a value without waiting for the server's answer.
    pub async fn put_blindly(&self, key: &str, id: &str, value: impl Into<Bytes>) {
        self.nats.publish_once(&self.subject(key), id, value).await;
    }

    /// The value of a key, if there is one.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn get(&self, key: &str) -> Result<Option<Bytes>, NatsError> {
        let subject = format!("$JS.API.STREAM.MSG.GET.KV_{}", self.name);
        let asked = json!({ "last_by_subj": self.subject(key) });
        let said = match self.ask(&subject, &asked).await {
            Err(NatsError::Said(why)) if why.contains("no message found") => return Ok(None),
            said => said?,
        };
        let text = said.pointer("/message/data").and_then(Value::as_str);
        let data = STANDARD.decode(text.unwrap_or_default());
        let data = data.map_err(|_| NatsError::Said("a value is no base64".to_owned()))?;
        Ok(Some(data.into()))
    }

    /// The keys that have a value now.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn keys(&self) -> Result<Vec<String>, NatsError> {
        let subject = format!("$JS.API.STREAM.INFO.KV_{}", self.name);
        let prefix = self.subject("");
        let mut keys = Vec::new();
        loop {
            let asked = json!({ "subjects_filter": format!("{prefix}>"), "offset": keys.len() });
            let said = self.ask(&subject, &asked).await?;
            let subjects = said.pointer("/state/subjects").and_then(Value::as_object);
            let found = subjects.into_iter().flat_map(serde_json::Map::keys);
            let before = keys.len();
            // Servers differ in which filters they obey.
            keys.extend(found.filter_map(|key| Some(key.strip_prefix(&prefix)?.to_owned())));
            let total = said.get("total").and_then(Value::as_u64).unwrap_or(0);
            if keys.len() == before || keys.len() as u64 >= total {
                return Ok(keys);
            }
        }
    }

    /// Every key with its value. One that expires meanwhile is left out.
    ///
    /// A consumer would deliver them in one request, but whoever may make one chooses where the server delivers to, and
    /// could so write to the subjects of others.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn all(&self) -> Result<Vec<(String, Bytes)>, NatsError> {
        let keys = self.keys().await?;
        let read = stream::iter(keys).map(|key| async move {
            let value = self.get(&key).await?;
            Ok(value.map(|value| (key, value)))
        });
        let found: Vec<Result<_, NatsError>> = read.buffer_unordered(AT_ONCE).collect().await;
        found.into_iter().filter_map(Result::transpose).collect()
    }

    /// Every value that is put from now on, except those that are larger than this.
    pub async fn watch(&self, largest: usize) -> Subscription {
        self.nats.subscribe_below(&self.subject(">"), largest).await
    }

    /// The key of a message that [`watch`](Self::watch) gave.
    pub fn key_of<'a>(&self, message: &'a Message) -> Option<&'a str> {
        let rest = message.subject.strip_prefix("$KV.")?;
        rest.strip_prefix(&self.name)?.strip_prefix('.')
    }

    fn subject(&self, key: &str) -> String {
        format!("$KV.{}.{key}", self.name)
    }

    async fn ask(&self, subject: &str, asked: &Value) -> Result<Value, NatsError> {
        let answer = self.nats.request(subject, asked.to_string()).await?;
        read(&answer)
    }
}

/// What `JetStream` says, or its error.
fn read(answer: &Message) -> Result<Value, NatsError> {
    let odd = || NatsError::Said("something that is no answer of JetStream".to_owned());
    let said: Value = serde_json::from_slice(&answer.payload).map_err(|_| odd())?;
    match said.pointer("/error/description").and_then(Value::as_str) {
        Some(why) if why.contains("not enabled for account") => {
            Err(NatsError::NoAccountJetStream(why.to_owned()))
        }
        Some(why) => Err(NatsError::Said(why.to_owned())),
        None => Ok(said),
    }
}
