//! What turns took of the models, priced for the page.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::Serialize;
use synapse_a2a::usage::{Tokens, Usage};
use utoipa::ToSchema;

use synapse_machine::prices::Prices;

/// What one turn took, and what of the conversation's room is left. What is not known is null.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct TurnUsage {
    pub(super) task: String,
    /// The model that answered last.
    pub(super) model: Option<String>,
    #[cfg_attr(test, ts(type = "number"))]
    pub(super) input: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub(super) cached: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub(super) cache_written: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub(super) output: u64,
    pub(super) cost_usd: Option<f64>,
    /// Some of the cost is not known.
    pub(super) cost_is_partial: bool,
    /// Tokens that the conversation takes.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub(super) context: Option<u64>,
    /// Tokens that it may take.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub(super) window: Option<u64>,
}

impl TurnUsage {
    pub(super) fn of(task: String, usage: &Usage, prices: &Prices) -> Self {
        let Tokens {
            input,
            cached,
            cache_written,
            output,
        } = usage.tokens();
        let cost = prices.cost_of(usage);
        Self {
            task,
            model: usage.models.last().and_then(|last| last.model.clone()),
            input,
            cached,
            cache_written,
            output,
            cost_usd: cost.dollars(),
            cost_is_partial: cost.is_partial,
            context: usage.context,
            window: prices.window(usage),
        }
    }
}

/// The prices as the file has them; read again when it has changed.
#[derive(Debug)]
pub(super) struct PriceBook {
    file: PathBuf,
    read: Mutex<(Option<SystemTime>, Arc<Prices>)>,
}

impl PriceBook {
    pub(super) fn new(file: PathBuf) -> Self {
        let read = Mutex::new((modified(&file), Arc::new(load(&file))));
        Self { file, read }
    }

    pub(super) fn prices(&self) -> Arc<Prices> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let now = modified(&self.file);
        if read.0 != now {
            *read = (now, Arc::new(load(&self.file)));
        }
        Arc::clone(&read.1)
    }
}

fn modified(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|it| it.modified()).ok()
}

/// A file that cannot be used says so in the log, and in `synapse usage`.
fn load(file: &Path) -> Prices {
    Prices::load(file).unwrap_or_else(|error| {
        tracing::warn!(%error, "these prices are not used");
        Prices::default()
    })
}
