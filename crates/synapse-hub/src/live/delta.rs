//! The updates sent to pages.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::change::{Answer, Gone};
use crate::deaths::Death;
use crate::shapes::{Agent, Edge, Prompt};

/// One change, as the page sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type")]
pub(crate) enum Delta {
    #[serde(rename = "agent.added")]
    AgentAdded { agent: Box<Agent> },
    #[serde(rename = "agent.changed")]
    AgentChanged { agent: Box<Agent> },
    #[serde(rename = "agent.removed")]
    AgentRemoved {
        id: String,
        handle: String,
        reason: Gone,
        /// Of what it died, if it did.
        how: Option<String>,
    },
    #[serde(rename = "prompt.opened")]
    PromptOpened { agent: String, prompt: Prompt },
    #[serde(rename = "prompt.closed")]
    PromptClosed {
        agent: String,
        id: String,
        answer: Option<Answer>,
    },
    #[serde(rename = "task")]
    Task {
        agent: String,
        task: String,
        #[cfg_attr(test, ts(type = "number"))]
        number: u64,
        event: String,
        #[cfg_attr(test, ts(type = "unknown"))]
        data: Value,
    },
    #[serde(rename = "mesh.edge")]
    MeshEdge { edge: Edge },
    #[serde(rename = "worktrees")]
    Worktrees,
    #[serde(rename = "deaths")]
    Deaths { deaths: Vec<Death> },
    #[serde(rename = "auto-answer")]
    AutoAnswer,
}

impl Delta {
    /// With its number and time.
    pub(super) fn encode(&self, seq: u64, at: Timestamp) -> String {
        #[derive(Serialize)]
        struct Numbered<'a> {
            seq: u64,
            at: String,
            #[serde(flatten)]
            delta: &'a Delta,
        }
        let at = at.to_string();
        let numbered = Numbered {
            seq,
            at,
            delta: self,
        };
        serde_json::to_string(&numbered).unwrap_or_default()
    }
}
