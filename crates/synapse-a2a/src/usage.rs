//! What a turn took of the model: tokens, and what of the conversation's room is left. Only what the program itself has
//! written down; what it does not write is unknown, never nought.

use serde::{Deserialize, Serialize};

/// What one turn has taken so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// By model, in the order in which they were first asked.
    pub models: Vec<ModelUsage>,
    /// Tokens that the conversation takes, as the model was last asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Tokens that it may take, where the program says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// What one model took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUsage {
    /// As the program names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(flatten)]
    pub tokens: Tokens,
    /// What the program says it cost, in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// Tokens, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Sent, and not known to the model's cache.
    pub input: u64,
    /// Sent, and read from the cache.
    pub cached: u64,
    /// Sent, and written to the cache.
    pub cache_written: u64,
    /// Written by the model, its thoughts included.
    pub output: u64,
}

impl Tokens {
    pub fn total(&self) -> u64 {
        [self.input, self.cached, self.cache_written, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            input: self.input.saturating_add(more.input),
            cached: self.cached.saturating_add(more.cached),
            cache_written: self.cache_written.saturating_add(more.cache_written),
            output: self.output.saturating_add(more.output),
        }
    }

    /// What was taken since an earlier count.
    #[must_use]
    pub fn minus(self, before: Self) -> Self {
        Self {
            input: self.input.saturating_sub(before.input),
            cached: self.cached.saturating_sub(before.cached),
            cache_written: self.cache_written.saturating_sub(before.cache_written),
            output: self.output.saturating_sub(before.output),
        }
    }
}

impl Usage {
    /// Adds what one answer of a model took.
    pub fn add(&mut self, model: Option<&str>, tokens: Tokens, cost_micros: Option<u64>) {
        let known = self
            .models
            .iter_mut()
            .find(|known| known.model.as_deref() == model);
        match known {
            Some(known) => {
                known.tokens = known.tokens.plus(tokens);
                known.cost_micros = match (known.cost_micros, cost_micros) {
                    (Some(one), Some(other)) => Some(one.saturating_add(other)),
                    // A sum with an unknown part is unknown.
                    _ => None,
                };
            }
            None => self.models.push(ModelUsage {
                model: model.map(str::to_owned),
                tokens,
                cost_micros,
            }),
        }
    }

    pub fn tokens(&self) -> Tokens {
        let all = self.models.iter().map(|model| model.tokens);
        all.fold(Tokens::default(), Tokens::plus)
    }

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        self.tokens().total() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_took_is_summed_and_an_unknown_cost_stays_unknown() {
        let tokens = |input, output| Tokens {
            input,
            output,
            ..Tokens::default()
        };
        let mut usage = Usage::default();
        assert!(!usage.is_known());
        usage.add(Some("a"), tokens(1, 2), Some(10));
        usage.add(Some("b"), tokens(5, 0), None);
        usage.add(Some("a"), tokens(3, 4), Some(20));
        assert_eq!(usage.tokens(), tokens(9, 6));
        let [a, b] = usage.models.as_slice() else {
            panic!("two models: {usage:?}");
        };
        assert_eq!((a.tokens, a.cost_micros), (tokens(4, 6), Some(30)));
        assert_eq!((b.tokens, b.cost_micros), (tokens(5, 0), None));
        usage.add(Some("a"), tokens(1, 0), None);
        assert_eq!(usage.models[0].cost_micros, None);
    }
}
