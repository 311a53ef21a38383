//! Sums of what turns took: by day, agent and model. Pure.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use synapse_a2a::usage::{Tokens, Usage};
use synapse_machine::prices::{Cost, Prices};

use super::KeptUsage;

/// What an agent took of one model on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageSum {
    pub day: Date,
    /// The id of the agent.
    pub agent: String,
    /// The name it had last on that day.
    pub handle: String,
    pub profile: String,
    pub model: Option<String>,
    pub turns: usize,
    pub tokens: Tokens,
    pub cost: Cost,
}

impl UsageSum {
    /// As programs read it: a cost that is not known is null.
    pub fn json(&self) -> Value {
        json!({
            "day": self.day.to_string(),
            "agent": self.agent,
            "handle": self.handle,
            "profile": self.profile,
            "model": self.model,
            "turns": self.turns,
            "tokens": self.tokens,
            "cost_usd": self.cost.dollars(),
            "cost_is_partial": self.cost.is_partial,
        })
    }
}

impl KeptUsage {
    /// As programs read it: what is not known is null.
    pub fn json(&self, prices: &Prices) -> Value {
        let millis = i64::try_from(self.at.0).unwrap_or_default();
        let at = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
        json!({
            "task": self.task.as_str(),
            "at": at.to_string(),
            "agent": self.agent,
            "handle": self.handle,
            "model": self.usage.model,
            "tokens": self.usage.tokens,
            "cost_usd": prices.cost(&self.usage).dollars(),
            "context": self.context,
            "window": self.window(prices),
        })
    }

    /// How many tokens the conversation may have, if that is known.
    pub fn window(&self, prices: &Prices) -> Option<u64> {
        prices.window(&Usage {
            models: vec![self.usage.clone()],
            context: self.context,
            window: self.window,
        })
    }
}

/// Sums rows up, the latest day first. Days are those of the time zone.
pub fn sum_usage(rows: &[KeptUsage], prices: &Prices, zone: &TimeZone) -> Vec<UsageSum> {
    let mut sums: BTreeMap<(Date, String, String, Option<String>), UsageSum> = BTreeMap::new();
    let mut turns: BTreeMap<(Date, String, Option<String>), BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        let millis = i64::try_from(row.at.0).unwrap_or_default();
        let at = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
        let day = zone.to_datetime(at).date();
        let model = row.usage.model.clone();
        let key = (day, row.handle.clone(), row.agent.clone(), model.clone());
        let sum = sums.entry(key).or_insert_with(|| UsageSum {
            day,
            agent: row.agent.clone(),
            handle: row.handle.clone(),
            profile: row.profile.clone(),
            model: model.clone(),
            turns: 0,
            tokens: Tokens::default(),
            cost: Cost::default(),
        });
        sum.tokens = sum.tokens.plus(row.usage.tokens);
        sum.cost = sum.cost.plus(prices.cost(&row.usage));
        let told = turns.entry((day, row.agent.clone(), model)).or_default();
        if told.insert(row.task.as_str()) {
            sum.turns += 1;
        }
    }
    let mut sums: Vec<UsageSum> = sums.into_values().collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.day));
    sums
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use synapse_a2a::event::Timestamp;
    use synapse_a2a::id::TaskId;
    use synapse_a2a::usage::ModelUsage;

    use super::*;

    #[test]
    fn turns_are_summed_by_day_agent_and_model() {
        let prices = Prices::load(Path::new("/nonexistent")).unwrap();
        let row = |task: &str, handle: &str, model: Option<&str>, at: u64| KeptUsage {
            task: TaskId::new(task),
            agent: handle.to_owned(),
            handle: handle.to_owned(),
            profile: "claude".to_owned(),
            at: Timestamp(at),
            usage: ModelUsage {
                model: model.map(str::to_owned),
                tokens: Tokens {
                    input: 1_000_000,
                    ..Tokens::default()
                },
                cost_micros: None,
            },
            context: None,
            window: None,
        };
        let day = 24 * 60 * 60 * 1_000;
        let rows = [
            row("1", "a", Some("gpt-5"), day),
            row("2", "a", Some("gpt-5"), day + 5),
            row("3", "b", None, day + 5),
            row("4", "a", Some("gpt-5"), 2 * day),
        ];
        let sums = sum_usage(&rows, &prices, &TimeZone::UTC);
        let told: Vec<_> = sums
            .iter()
            .map(|sum| {
                (
                    sum.day.to_string(),
                    &*sum.handle,
                    sum.turns,
                    sum.cost.micros,
                )
            })
            .collect();
        let expected = [
            ("1970-01-03".to_owned(), "a", 1, Some(1_250_000)),
            ("1970-01-02".to_owned(), "a", 2, Some(2_500_000)),
            ("1970-01-02".to_owned(), "b", 1, None),
        ];
        assert_eq!(told, expected);
    }
}
