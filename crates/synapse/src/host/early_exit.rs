//! A program that dies as soon as it is started, and what it died of.

use synapse_pty::Exit;
use synapse_session::Look;

/// A program that ended before anybody could have used it.
#[derive(Debug, thiserror::Error)]
#[error("the program ended at once, with code {}:\n{words}", exit.code())]
pub struct EarlyExit {
    pub exit: Exit,
    /// What it had to say.
    words: String,
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

    pub(super) fn new(exit: Exit, look: &Look) -> Self {
        let screen: Vec<&str> = (0..look.frame.rows.len())
            .map(|row| look.frame.text(row))
            .collect();
        let words = screen.join("\n").trim().to_owned();
        Self { exit, words }
    }
}
