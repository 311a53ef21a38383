//! One exchange with the program: paste, submit, prove, wait, end. Pure: readings and time in,
//! effects out.

use std::time::Duration;

use synapse_term::prompt::Prompt;
use synapse_term::reading::Reading;
use synapse_term::reply::{Outcome, Speaker};
use synapse_term::watch::TurnReport;
use thiserror::Error;

/// How long an agent may take to show that it noticed our submit key.
const SUBMIT_PATIENCE: Duration = Duration::from_millis(1_500);

/// A turn in progress.
#[derive(Debug)]
pub struct Turn {
    phase: Phase,
    submit: Vec<u8>,
    /// The fingerprint of the question last told.
    asked: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The text is in the box; the submit key is pressed at this time.
    Pasted { submit_at: Duration },
    /// The submit key was pressed; nothing has shown yet that it was noticed.
    Submitted { since: Duration, is_retry: bool },
    /// The program works on it.
    Running,
    /// It is over.
    Over,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Write these bytes to the program.
    Write(Vec<u8>),
    /// The program works on it.
    Started,
    /// The program asks something.
    Asked(Box<Prompt>),
    /// The question is answered.
    Resumed,
    /// It is over.
    Ended(Ending),
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a reply.
    Replied(String),
    /// It was interrupted, or refused what it wanted to do.
    Interrupted,
    /// The program said that it failed.
    Failed(String),
    /// It could not be had.
    Broken(TurnError),
}

/// Why a turn could not be had.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TurnError {
    /// A question opened before the submit key was pressed.
    #[error(
        "a question opened before the message could be submitted; it is still in the input box"
    )]
    QuestionOpen,
    /// The submit key did nothing, twice.
    #[error(
        "the agent did not react to the submit key, pressed twice, within {SUBMIT_PATIENCE:?} each"
    )]
    NoReaction,
    /// The program rests, and nobody saw it work.
    #[error("the agent is idle again, but what it answered could not be told from its screen")]
    Unseen,
    /// The program is gone.
    #[error("the agent exited before it answered")]
    Exited,
}

impl Turn {
    /// A turn whose text was just pasted; `submit` is pressed after `delay`.
    pub fn begin(submit: Vec<u8>, delay: Duration, now: Duration) -> Self {
        Self {
            phase: Phase::Pasted {
                submit_at: now + delay,
            },
            submit,
            asked: None,
        }
    }

    /// What the program does now.
    pub fn see(&mut self, reading: &Reading) -> Vec<Effect> {
        match (self.phase, reading) {
            (Phase::Over, _) => Vec::new(),
            (_, Reading::Exited) => self.end(Ending::Broken(TurnError::Exited)),
            // Pressing submit here would accept whatever the question offers first.
            (Phase::Pasted { .. }, Reading::Asking(_)) => {
                self.end(Ending::Broken(TurnError::QuestionOpen))
            }
            (Phase::Submitted { .. }, Reading::Busy) => {
                self.phase = Phase::Running;
                vec![Effect::Started]
            }
            (Phase::Submitted { .. }, Reading::Asking(prompt)) => {
                self.phase = Phase::Running;
                let mut effects = vec![Effect::Started];
                effects.extend(self.ask(prompt));
                effects
            }
            (Phase::Running, Reading::Asking(prompt)) => self.ask(prompt),
            (Phase::Running, Reading::Busy) if self.asked.take().is_some() => vec![Effect::Resumed],
            _ => Vec::new(),
        }
    }

    /// The program finished a turn: ours, since nobody else may type meanwhile.
    pub fn finish(&mut self, report: &TurnReport) -> Vec<Effect> {
        match self.phase {
            Phase::Submitted { .. } => {
                let mut effects = vec![Effect::Started];
                effects.extend(self.end(ending(report)));
                effects
            }
            Phase::Running => self.end(ending(report)),
            Phase::Pasted { .. } | Phase::Over => Vec::new(),
        }
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) -> Vec<Effect> {
        match self.phase {
            Phase::Pasted { submit_at } if now >= submit_at => {
                self.phase = Phase::Submitted {
                    since: now,
                    is_retry: false,
                };
                vec![Effect::Write(self.submit.clone())]
            }
            Phase::Submitted {
                since,
                is_retry: false,
            } if now >= since + SUBMIT_PATIENCE => {
                // A missed Enter is harmless: the text is still in the box, and another sends it.
                self.phase = Phase::Submitted {
                    since: now,
                    is_retry: true,
                };
                vec![Effect::Write(self.submit.clone())]
            }
            Phase::Submitted {
                since,
                is_retry: true,
            } if now >= since + SUBMIT_PATIENCE => self.end(Ending::Broken(TurnError::NoReaction)),
            _ => Vec::new(),
        }
    }

    /// When `tick` must be called next, if at all.
    pub fn deadline(&self) -> Option<Duration> {
        match self.phase {
            Phase::Pasted { submit_at } => Some(submit_at),
            Phase::Submitted { since, .. } => Some(since + SUBMIT_PATIENCE),
            Phase::Running | Phase::Over => None,
        }
    }

    /// The program has shown in its own way that it noticed the message. Whether that is news.
    pub fn notice(&mut self) -> bool {
        let is_news = matches!(self.phase, Phase::Submitted { .. });
        if is_news {
            self.phase = Phase::Running;
        }
        is_news
    }

    /// Whether the program works on it.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running && self.asked.is_none()
    }

    /// Whether a question is open.
    pub fn is_asking(&self) -> bool {
        self.asked.is_some()
    }

    fn ask(&mut self, prompt: &Prompt) -> Vec<Effect> {
        let fingerprint = prompt.fingerprint.to_string();
        if self.asked.as_ref() == Some(&fingerprint) {
            return Vec::new();
        }
        self.asked = Some(fingerprint);
        vec![Effect::Asked(Box::new(prompt.clone()))]
    }

    fn end(&mut self, ending: Ending) -> Vec<Effect> {
        self.phase = Phase::Over;
        vec![Effect::Ended(ending)]
    }
}

fn ending(report: &TurnReport) -> Ending {
    match report.outcome {
        Outcome::Completed => Ending::Replied(report.reply.text.clone()),
        Outcome::Interrupted => Ending::Interrupted,
        Outcome::Failed => {
            let mut said = report
                .reply
                .blocks
                .iter()
                .filter(|b| b.speaker == Speaker::Program);
            let said = said
                .next()
                .map_or("the agent reported an error", |block| block.text.as_str());
            Ending::Failed(said.to_owned())
        }
        Outcome::Open => Ending::Broken(TurnError::Exited),
    }
}

#[cfg(test)]
mod tests {
    use synapse_term::prompt::unknown;
    use synapse_term::reply::Reply;

    use super::*;

    const AT: fn(u64) -> Duration = Duration::from_millis;

    fn turn() -> Turn {
        Turn::begin(b"\r".to_vec(), AT(250), AT(0))
    }

    fn asking() -> Reading {
        Reading::Asking(Box::new(unknown(&synapse_term::frame::Frame::default())))
    }

    fn report(outcome: Outcome) -> TurnReport {
        let reply = Reply {
            text: "hi".to_owned(),
            blocks: Vec::new(),
            outcome,
        };
        TurnReport {
            at: AT(0),
            typed: String::new(),
            reply,
            outcome,
        }
    }

    #[test]
    fn the_submit_key_is_a_write_of_its_own_after_the_delay() {
        let mut turn = turn();
        assert_eq!(turn.deadline(), Some(AT(250)));
        assert_eq!(turn.tick(AT(249)), []);
        assert_eq!(turn.tick(AT(250)), [Effect::Write(b"\r".to_vec())]);
        assert_eq!(turn.see(&Reading::Busy), [Effect::Started]);
        assert_eq!(turn.deadline(), None);
        assert_eq!(
            turn.finish(&report(Outcome::Completed)),
            [Effect::Ended(Ending::Replied("hi".to_owned()))]
        );
    }

    #[test]
    fn never_submits_into_an_open_question() {
        let mut turn = turn();
        assert_eq!(
            turn.see(&asking()),
            [Effect::Ended(Ending::Broken(TurnError::QuestionOpen))]
        );
        assert_eq!(turn.tick(AT(10_000)), []);
    }

    #[test]
    fn a_submit_key_that_did_nothing_is_pressed_once_more_and_no_more() {
        let mut turn = turn();
        turn.tick(AT(250));
        assert_eq!(turn.tick(AT(1_749)), []);
        assert_eq!(turn.tick(AT(1_750)), [Effect::Write(b"\r".to_vec())]);
        let ended = Effect::Ended(Ending::Broken(TurnError::NoReaction));
        assert_eq!(turn.tick(AT(3_250)), [ended]);
    }

    #[test]
    fn a_question_is_told_once_and_its_answer_resumes() {
        let mut turn = turn();
        turn.tick(AT(250));
        assert!(matches!(
            turn.see(&asking())[..],
            [Effect::Started, Effect::Asked(_)]
        ));
        assert_eq!(turn.see(&asking()), []);
        assert_eq!(turn.see(&Reading::Busy), [Effect::Resumed]);
        let ended = turn.finish(&report(Outcome::Interrupted));
        assert_eq!(ended, [Effect::Ended(Ending::Interrupted)]);
    }

    #[test]
    fn a_program_that_dies_ends_the_turn_at_once() {
        let mut turn = turn();
        let ended = Effect::Ended(Ending::Broken(TurnError::Exited));
        assert_eq!(turn.see(&Reading::Exited), [ended]);
    }

    #[test]
    fn a_turn_too_short_to_be_seen_running_is_still_a_turn() {
        let mut turn = turn();
        turn.tick(AT(250));
        assert!(matches!(
            turn.finish(&report(Outcome::Completed))[..],
            [Effect::Started, Effect::Ended(Ending::Replied(_))]
        ));
    }
}
