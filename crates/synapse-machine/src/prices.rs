//! What models cost: a table of ours, and the person's own before it, in `~/.synapse/prices.yaml`. A model that is in
//! neither has no price.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use synapse_a2a::usage::{ModelUsage, Tokens, Usage};

use crate::private_file::{Trust, read_text};

/// The table that comes with Synapse.
const BUILT_IN: &str = include_str!("prices.yaml");

/// Tokens for which a price is given.
const UNIT: f64 = 1e6;

/// Why the prices cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PricesError {
    #[error("{}: {why}", file.display())]
    Read { file: PathBuf, why: io::Error },
    /// Line and field are in the message.
    #[error(
        "{}: {message}; a price looks like `models: {{ my-model: {{ input: 3, output: 15 }} }}`",
        file.display()
    )]
    Broken { file: PathBuf, message: String },
    #[error("{}: models.{model}.{field} must be a number of dollars that is not below 0", file.display())]
    Negative {
        file: PathBuf,
        model: String,
        field: &'static str,
    },
}

/// What models cost.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    own: BTreeMap<String, Price>,
    built_in: BTreeMap<String, Price>,
}

/// What one model costs, in dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: f64,
    output: f64,
    /// As input where it is not given.
    cache_read: Option<f64>,
    /// As input where it is not given.
    cache_write: Option<f64>,
    /// How many tokens a conversation may have.
    window: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    models: BTreeMap<String, Price>,
}

/// What something cost, as far as that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// What is known, in millionths of a dollar; nothing where nothing is.
    pub micros: Option<u64>,
    /// Some of it is not known.
    pub is_partial: bool,
}

impl Cost {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let micros = match (self.micros, other.micros) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        Self {
            micros,
            is_partial: self.is_partial || other.is_partial,
        }
    }

    fn of(micros: Option<u64>) -> Self {
        Self {
            micros,
            is_partial: micros.is_none(),
        }
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "nobody spends so much that it shows"
    )]
    pub fn dollars(self) -> Option<f64> {
        self.micros.map(|micros| micros as f64 / 1e6)
    }
}

impl Prices {
    /// Our prices, and those of the person's file where there is one.
    ///
    /// # Errors
    /// When that file cannot be read or understood.
    pub fn load(file: &Path) -> Result<Self, PricesError> {
        let built_in = table(BUILT_IN).map_err(|message| PricesError::Broken {
            file: "the built-in prices".into(),
            message,
        })?;
        let text = match read_text(file, Trust::Own) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let own = BTreeMap::new();
                return Ok(Self { own, built_in });
            }
            Err(why) => {
                let file = file.to_owned();
                return Err(PricesError::Read { file, why });
            }
        };
        let own = table(&text).map_err(|message| PricesError::Broken {
            file: file.to_owned(),
            message,
        })?;
        for (model, price) in &own {
            if let Some(field) = price.odd_field() {
                return Err(PricesError::Negative {
                    file: file.to_owned(),
                    model: model.clone(),
                    field,
                });
            }
        }
        Ok(Self { own, built_in })
    }

    /// What one model took, in dollars: as the program says, else by the table.
    pub fn cost(&self, usage: &ModelUsage) -> Cost {
        let by_table = || {
            let price = self.price(usage.model.as_deref()?)?;
            price.micros(usage.tokens)
        };
        Cost::of(usage.cost_micros.or_else(by_table))
    }

    pub fn cost_of(&self, usage: &Usage) -> Cost {
        let costs = usage.models.iter().map(|model| self.cost(model));
        costs.fold(Cost::default(), Cost::plus)
    }

    /// How many tokens a conversation may have: as the program says, else by the table.
    pub fn window(&self, usage: &Usage) -> Option<u64> {
        let last = usage.models.last().and_then(|last| last.model.as_deref());
        usage.window.or_else(|| self.price(last?)?.window)
    }

    fn price(&self, model: &str) -> Option<&Price> {
        // Some programs put the provider before it.
        let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
        [&self.own, &self.built_in].into_iter().find_map(|table| {
            let fits = table.iter().filter(|(known, _)| stands_for(known, &name));
            fits.max_by_key(|(known, _)| known.len())
                .map(|(_, price)| price)
        })
    }
}

/// Whether a name of the table stands for a model: `gpt-5` for `gpt-5.1-codex`, not for `gpt-50`.
fn stands_for(known: &str, model: &str) -> bool {
    let rest = model.strip_prefix(&*known.to_lowercase());
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

impl Price {
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "tokens are few enough, prices are not below nought"
    )]
    fn micros(&self, tokens: Tokens) -> Option<u64> {
        let read = self.cache_read.unwrap_or(self.input);
        let write = self.cache_write.unwrap_or(self.input);
        let dollars = (tokens.input as f64 * self.input
            + tokens.cached as f64 * read
            + tokens.cache_written as f64 * write
            + tokens.output as f64 * self.output)
            / UNIT;
        let micros = (dollars * 1e6).round();
        (micros.is_finite() && micros >= 0.0).then_some(micros as u64)
    }

    fn odd_field(&self) -> Option<&'static str> {
        let fields = [
            ("input", Some(self.input)),
            ("output", Some(self.output)),
            ("cache_read", self.cache_read),
            ("cache_write", self.cache_write),
        ];
        let is_odd = |value: &Option<f64>| value.is_some_and(|value| !(0.0..1e9).contains(&value));
        let odd = fields.iter().find(|(_, value)| is_odd(value));
        odd.map(|(field, _)| *field)
    }
}

fn table(text: &str) -> Result<BTreeMap<String, Price>, String> {
    let table: Table = synapse_yaml::from_str(text).map_err(|error| {
        let place = error.place();
        format!("line {} column {}: {error}", place.line, place.column)
    })?;
    Ok(table.models)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn usage(model: &str, cost_micros: Option<u64>) -> ModelUsage {
        ModelUsage {
            model: Some(model.to_owned()),
            tokens: Tokens {
                input: 1_000_000,
                cached: 1_000_000,
                cache_written: 0,
                output: 100_000,
            },
            cost_micros,
        }
    }

    #[test]
    fn the_longest_name_that_fits_counts_and_an_unknown_model_has_no_price() {
        let none = Path::new("/nonexistent/prices.yaml");
        let prices = Prices::load(none).unwrap();
        let micros = |model: &str| prices.cost(&usage(model, None)).micros;
        assert_eq!(micros("claude-opus-4-5-20251101"), Some(8_000_000));
        assert_eq!(micros("claude-opus-4-1-20250805"), Some(24_000_000));
        assert_eq!(micros("openai/gpt-5.1-codex"), Some(2_375_000));
        assert_eq!(micros("gpt-50"), None);
        assert_eq!(micros("my-own-model"), None);
        assert_eq!(prices.cost(&usage("my-own-model", Some(7))).micros, Some(7));
        let mut both = Usage::default();
        assert_eq!(prices.cost_of(&both), Cost::default());
        both.models = vec![usage("gpt-5", None), usage("my-own-model", None)];
        let cost = prices.cost_of(&both);
        assert_eq!((cost.micros, cost.is_partial), (Some(2_375_000), true));
        assert_eq!(prices.window(&both), None, "of the last model");
    }

    #[test]
    fn a_price_of_ones_own_counts_first_and_a_wrong_one_is_named() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("prices.yaml");
        let load = |text: &str| {
            fs::write(&file, text).unwrap();
            Prices::load(&file)
        };
        let prices = load("models:\n  gpt: { input: 1, output: 0 }\n").unwrap();
        assert_eq!(prices.cost(&usage("gpt-5", None)).micros, Some(2_000_000));
        let error = |text: &str| load(text).unwrap_err().to_string();
        let wrong = error("models:\n  gpt: { input: 1, ouput: 2 }\n");
        assert!(
            wrong.contains("prices.yaml") && wrong.contains("ouput"),
            "{wrong}"
        );
        assert!(wrong.contains("line 2"), "{wrong}");
        let negative = error("models:\n  gpt: { input: -1, output: 2 }\n");
        assert!(negative.contains("models.gpt.input must be"), "{negative}");
    }
}
