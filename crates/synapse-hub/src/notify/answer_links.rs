//! Links that answer one question once. They are kept in memory only: a hub that is started anew knows none of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::login::new_secret;
use crate::shapes::Prompt;

/// How long a link can be used.
pub(crate) const LIFE: Duration = Duration::from_mins(10);
/// Links that may wait to be used.
const MOST: usize = 256;

/// What a link does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkedAnswer {
    /// The id of the agent.
    pub(crate) agent: String,
    /// The question that was open when the link was made; an answer to another one is refused.
    pub(crate) prompt: Prompt,
    /// `yes` or `no`.
    pub(crate) value: &'static str,
}

#[derive(Debug, Default)]
pub(crate) struct AnswerLinks {
    /// By the hash of what the link has in it.
    links: Mutex<HashMap<[u8; 32], (Instant, LinkedAnswer)>>,
}

impl AnswerLinks {
    /// A link for an answer: what stands in it.
    pub(crate) fn mint(&self, answer: LinkedAnswer, now: Instant) -> String {
        let secret = new_secret();
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|_, (until, _)| *until > now);
        if links.len() >= MOST {
            let oldest = links.iter().min_by_key(|(_, (until, _))| *until);
            if let Some(oldest) = oldest.map(|(hash, _)| *hash) {
                links.remove(&oldest);
            }
        }
        links.insert(hash(&secret), (now + LIFE, answer));
        secret
    }

    /// Uses a link up, and with it all others for the same question: what it was for, if it is known and not too old.
    pub(crate) fn take(&self, secret: &str, now: Instant) -> Option<LinkedAnswer> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, answer) = links.remove(&hash(secret))?;
        links.retain(|_, (_, other)| other.prompt.id != answer.prompt.id);
        (until > now).then_some(answer)
    }
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Asked;

    fn answer(prompt: &str, value: &'static str) -> LinkedAnswer {
        LinkedAnswer {
            agent: "a".to_owned(),
            prompt: Prompt {
                id: prompt.to_owned(),
                asked: Asked {
                    fingerprint: "f".to_owned(),
                    kind: "permission".to_owned(),
                    question: String::new(),
                    detail: String::new(),
                    call: None,
                    options: Vec::new(),
                    selected: None,
                    default: serde_json::Value::Null,
                },
                since: String::new(),
            },
            value,
        }
    }

    #[test]
    fn a_link_works_once_for_ten_minutes_and_ends_its_siblings() {
        let links = AnswerLinks::default();
        let now = Instant::now();
        let [no, yes] = ["no", "yes"].map(|value| links.mint(answer("p", value), now));
        let other = links.mint(answer("q", "no"), now);
        assert_eq!(links.take("guess", now), None);
        assert_eq!(links.take(&no, now), Some(answer("p", "no")));
        assert_eq!(links.take(&no, now), None, "used up");
        assert_eq!(links.take(&yes, now), None, "the question is answered");
        assert_eq!(links.take(&other, now + LIFE), None, "too old");
        for _ in 0..1_000 {
            links.mint(answer("r", "no"), now);
        }
        assert_eq!(links.links.lock().unwrap().len(), MOST);
    }
}
