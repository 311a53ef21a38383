//! A program that dies as soon as it is started, and what it died of.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use synapse_pty::Exit;
use synapse_session::Look;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A program that ended before anybody could have used it.
#[derive(Debug, thiserror::Error)]
#[error("the program ended at once, with code {}:\n{words}", exit.code())]
pub struct EarlyExit {
    pub exit: Exit,
    /// What it had to say.
    words: String,
    /// The agent was told to be ready by then.
    is_late: bool,
}

impl EarlyExit {
    /// The option of ours that the program says it does not know, if that is what it died of.
    pub fn refused_flag(&self) -> Option<&'static str> {
        const OURS: [&str; 5] = [
            "--settings",
            "--no-daemon",
            "--mcp-config",
            "--config",
            "-c",
        ];
        let words = self.words.to_lowercase();
        let complaints = [
            "unknown option",
            "unexpected argument",
            "unrecognized",
            "unknown argument",
        ];
        let told = complaints
            .iter()
            .find_map(|complaint| words.split_once(complaint))?
            .1;
        OURS.into_iter().find(|flag| {
            let is_flag = |word: &str| {
                word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '-')) == *flag
            };
            told.lines()
                .next()
                .is_some_and(|line| line.split_whitespace().any(is_flag))
        })
    }

    /// The last thing that it said, of one that ended when the agent was told to be ready.
    pub fn late_words(&self) -> Option<&str> {
        self.is_late
            .then(|| self.words.lines().last().unwrap_or_default())
    }

    pub(super) fn new(exit: Exit, look: &Look) -> Self {
        let screen: Vec<&str> = (0..look.frame.rows.len())
            .map(|row| look.frame.text(row))
            .collect();
        let words = screen.join("\n").trim().to_owned();
        let is_late = false;
        Self {
            exit,
            words,
            is_late,
        }
    }

    pub(super) fn late(exit: Exit, look: &Look) -> Self {
        Self {
            is_late: true,
            ..Self::new(exit, look)
        }
    }
}

/// The first look at a program, if it comes in time; and how the program ended, if it did meanwhile.
pub(super) async fn look(
    running: &mut (impl Future<Output = Exit> + Unpin),
    answer: &mut oneshot::Receiver<Arc<Look>>,
    patience: Duration,
) -> (Option<Exit>, Option<Arc<Look>>) {
    let mut first = pin!(timeout(patience, answer));
    let (ended, look) = tokio::select! {
        biased;
        look = first.as_mut() => (None, look),
        exit = running => (Some(exit), first.await),
    };
    (ended, look.ok().and_then(Result::ok))
}
