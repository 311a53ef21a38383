//! `synapse usage`: what turns took of the models, from what the programs themselves have written down.

use anyhow::{Context as _, Result};
use clap::Args;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};
use synapse_a2a::event::Timestamp as Time;
use synapse_a2a::usage::Tokens;
use synapse_machine::paths::Paths;
use synapse_machine::prices::{Cost, Prices};
use synapse_store::{KeptUsage, Reader, UsageSum, sum_usage};

use super::lookup;
use super::table::Table;
use super::texts;
use crate::cli::complete;
use crate::verbs::print;

/// `synapse usage …`
#[derive(Args)]
pub(crate) struct UsageArgs {
    /// Of this agent only
    #[arg(add = complete::agents())]
    agent: Option<String>,
    /// How many days back, today included
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=400))]
    days: u16,
    /// Print JSON, with each turn
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &UsageArgs) -> Result<u8> {
    let paths = Paths::from_env()?;
    let prices = Prices::load(&paths.prices())?;
    let reader = Reader::open(paths.store())?;
    let zone = TimeZone::system();
    let since = first_moment(&zone, args.days)?;
    let agent = args.agent.as_deref().map(whom);
    let rows = reader.usage(since, agent.as_deref())?;
    let sums = sum_usage(&rows, &prices, &zone);
    if args.json {
        let days: Vec<Value> = sums.iter().map(UsageSum::json).collect();
        let turns: Vec<Value> = rows.iter().map(|row| row.json(&prices)).collect();
        print::json(&json!({ "days": days, "turns": turns }))?;
        return Ok(0);
    }
    if sums.is_empty() {
        note!("{}", texts::no_usage(args.days));
        return Ok(0);
    }
    let mut table = Table::new([
        texts::column_day(),
        texts::column_whose(),
        texts::column_model(),
        texts::column_turns(),
        texts::column_input(),
        texts::column_cached(),
        texts::column_output(),
        texts::column_cost(),
    ]);
    for sum in &sums {
        table.push(cells(sum), [None; 8], &[]);
    }
    let sum = |start: UsageSum, sum: &UsageSum| UsageSum {
        tokens: start.tokens.plus(sum.tokens),
        cost: start.cost.plus(sum.cost),
        turns: start.turns + sum.turns,
        ..start
    };
    if let [first, _, ..] = sums.as_slice() {
        let start = UsageSum {
            turns: 0,
            tokens: Tokens::default(),
            cost: Cost::default(),
            ..first.clone()
        };
        let mut total = cells(&sums.iter().fold(start, sum));
        let [day, agent, model, ..] = &mut total;
        *day = texts::in_total();
        agent.clear();
        model.clear();
        table.push(total, [Some(1); 8], &[]);
    }
    table.print()?;
    if let Some(left) = rows.first().and_then(|row| context_left(row, &prices)) {
        note!("{left}");
    }
    Ok(0)
}

/// The agent that runs by this name, else whoever had it.
fn whom(word: &str) -> String {
    match lookup::agent(word) {
        Ok(entry) => entry.agent_id.to_string(),
        Err(_) => word.trim_start_matches('@').to_owned(),
    }
}

/// When the first of so many days began.
fn first_moment(zone: &TimeZone, days: u16) -> Result<Time> {
    let today = Timestamp::now().to_zoned(zone.clone()).date();
    let first = today.checked_sub(i64::from(days - 1).days())?;
    let start = first.to_zoned(zone.clone()).context("no such day")?;
    let millis = start.timestamp().as_millisecond();
    Ok(Time(millis.unsigned_abs()))
}

fn cells(sum: &UsageSum) -> [String; 8] {
    let Tokens {
        input,
        cached,
        cache_written,
        output,
    } = sum.tokens;
    [
        sum.day.to_string(),
        format!("@{}", sum.handle),
        sum.model.clone().unwrap_or_else(texts::is_unknown),
        sum.turns.to_string(),
        short(input + cache_written),
        short(cached),
        short(output),
        dollars(sum.cost),
    ]
}

/// The room that the last turn left, where it is known how much there is.
fn context_left(row: &KeptUsage, prices: &Prices) -> Option<String> {
    let (context, window) = (row.context?, row.window(prices)?);
    let left = window.saturating_sub(context);
    let percent = left * 100 / window.max(1);
    Some(texts::context_left(
        &row.handle,
        short(left),
        short(window),
        percent,
    ))
}

fn dollars(cost: Cost) -> String {
    match cost.dollars() {
        Some(dollars) if cost.is_partial => texts::partly_unknown(format!("${dollars:.2}")),
        Some(dollars) if dollars < 0.01 => format!("${dollars:.4}"),
        Some(dollars) => format!("${dollars:.2}"),
        None => texts::is_unknown(),
    }
}

/// A count as people say it.
#[allow(clippy::cast_precision_loss, reason = "it is rounded anyway")]
fn short(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.2}M", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_said_to_be() {
        let cost = |micros, is_partial| Cost { micros, is_partial };
        assert_eq!(dollars(cost(None, true)), "unknown");
        assert_eq!(dollars(cost(Some(1_230_000), true)), "$1.23 + unknown");
        assert_eq!(dollars(cost(Some(1_234), false)), "$0.0012");
        assert_eq!(short(9_999), "9999");
        assert_eq!(short(12_345), "12.3k");
    }
}
