//! What happens to a run of a flow, one fact at a time. Facts are on disk before anybody acts on them; a run is the
//! fold over its facts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A fact and when it came about, in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub at: u64,
    #[serde(flatten)]
    pub fact: Fact,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Fact {
    /// The first of all. The flow is in it as it was, whatever becomes of its file.
    Started(Box<Beginning>),
    /// A piece of work is about to be done. It may not be done before this is on disk.
    Began {
        key: Key,
        job: Job,
    },
    /// A message is about to be given to an agent. Who goes on after a crash gives it to the same one, or asks.
    Sending {
        key: Key,
        /// The first message, or the one that asks for a repair.
        part: u8,
        agent: String,
        /// The id of an agent of this machine; nothing for one elsewhere.
        agent_id: Option<String>,
    },
    /// The agent has taken it.
    Sent {
        key: Key,
        part: u8,
        task: String,
    },
    /// The agent asks something, or asks no more.
    Asking {
        key: Key,
        question: Option<String>,
    },
    /// It cannot be known whether the work was done; a person has to say.
    Unknown {
        key: Key,
        why: String,
    },
    /// A person says what to do about it.
    Settled {
        key: Key,
        again: bool,
        by: String,
    },
    Ended {
        key: Key,
        outcome: Outcome,
    },
    /// A gate was answered.
    Answered {
        step: String,
        round: u32,
        answer: String,
        by: String,
    },
    /// A limit was reached.
    Exceeded {
        why: String,
    },
    /// Somebody wants it to stop.
    Stopping {
        by: String,
    },
    /// Another process has taken it up.
    Resumed {
        by: String,
    },
    /// Nothing more happens, unless it is resumed.
    Over {
        state: State,
        why: Option<String>,
    },
}

/// What a run begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    pub run: String,
    pub name: String,
    /// The YAML.
    pub text: String,
    pub file: Option<String>,
    pub inputs: Value,
    pub dir: String,
    pub by: String,
    /// How many agents what it is about has passed through.
    #[serde(default)]
    pub hops: u8,
    #[serde(default)]
    pub simulate: bool,
}

/// Which piece of work: the step, the round of its loop, the item of its `each`, and which attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    pub step: String,
    pub round: u32,
    pub item: u32,
    pub attempt: u32,
}

impl Key {
    /// A name that no other piece of work of the run has.
    pub fn name(&self) -> String {
        format!(
            "{}.{}.{}.{}",
            self.step, self.round, self.item, self.attempt
        )
    }
}

/// What is to be done, with all values put in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    #[serde(flatten)]
    pub work: Work,
    /// Where; where the run was started, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worktree: bool,
    /// The worktrees that are committed before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commit: Vec<String>,
    /// The item, if there is one.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub item: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "snake_case")]
pub enum Work {
    Prompt {
        agent: String,
        prompt: String,
    },
    Run {
        words: Vec<String>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        env: BTreeMap<String, String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        find: Option<String>,
    },
}

/// How a piece of work ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum Outcome {
    Done {
        result: Value,
    },
    Failed {
        why: String,
        /// What there is nevertheless: an exit code, an output.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        result: Value,
    },
    /// It was stopped on the way and may be begun anew.
    Canceled {
        why: String,
    },
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Running,
    Stopping,
    Done,
    Failed,
    Stopped,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Stopped)
    }
}
