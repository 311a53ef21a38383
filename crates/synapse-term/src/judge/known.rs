//! The verdict where the profile knows the program's signs: title, OSC 7501, input box, busy rows.
//!
//! Ranked: a question whose options are on the screen, then signs of work, then the announcement
//! of a question, then signs of rest. Without any sign the reading stays, until the silence is
//! too long: then something must be asked that nobody recognised.

use std::time::Duration;

use super::facts::Facts;
use super::{Opinion, View};
use crate::frame::Frame;
use crate::profile::{AgentSignal, InputBox, Pattern, Profile};
use crate::prompt::{Kind, Sureness, escape_hint, unknown};
use crate::reading::{Evidence, Reading, State};
use crate::signal::AgentState;

/// Dialogs are painted in several goes.
const QUESTION_HOLD: Duration = Duration::from_millis(200);

/// Between two queued turns a program looks idle for a moment.
const IDLE_HOLD: Duration = Duration::from_millis(270);

/// A program that starts paints in many goes.
const START_QUIET: Duration = Duration::from_millis(100);

/// One repaint is not work.
const BUSY_HOLD: Duration = Duration::from_millis(30);

/// A start that flickers: idle, working, idle.
const UNPROVOKED_BUSY_HOLD: Duration = Duration::from_millis(150);

/// A submit key explains work that begins this much later.
const SUBMIT_SPAN: Duration = Duration::from_secs(3);

/// An announced question that has not appeared after this long will not be recognised.
const ANNOUNCED_PATIENCE: Duration = Duration::from_secs(2);

/// Silence without any sign, after which something must be wrong.
const SIGNLESS_PATIENCE: Duration = Duration::from_secs(3);

/// A panel that covers the input box of an idle program is painted within this time.
const PANEL_PATIENCE: Duration = Duration::from_millis(600);

/// The same while the program has never been ready: it may load for long.
const START_PATIENCE: Duration = Duration::from_secs(8);

/// A screen that has stood still for this long will show no older conversation.
const RESUME_PATIENCE: Duration = Duration::from_secs(5);

/// The verdict of the signs.
pub(super) fn assess(
    facts: &Facts,
    view: &View,
    profile: &Profile,
    reading: &Reading,
    now: Duration,
) -> Opinion {
    let state = reading.state();
    if let Some((prompt, Sureness::Shape)) = &view.prompt {
        let evidence = Evidence::new("menu on screen", prompt.question.clone());
        return Opinion::certain(
            Reading::Asking(Box::new(prompt.clone())),
            evidence,
            QUESTION_HOLD,
        );
    }
    // A list with a line to type the number into: the plain form of a menu.
    if let Some((prompt, Sureness::Line)) = &view.prompt
        && matches!(prompt.kind, Kind::Selection | Kind::Permission)
    {
        let evidence = Evidence::new("list to pick from", prompt.question.clone());
        return Opinion::certain(
            Reading::Asking(Box::new(prompt.clone())),
            evidence,
            QUESTION_HOLD,
        );
    }
    if let Some(evidence) = busy_sign(facts, view, profile) {
        let is_provoked = state != State::Starting && facts.submitted_within(SUBMIT_SPAN, now);
        let hold = if is_provoked && evidence.rule == "OSC 7501" {
            // Its own word needs no second look, and its turns can be short.
            Duration::ZERO
        } else if is_provoked || state == State::Asking {
            BUSY_HOLD
        } else {
            UNPROVOKED_BUSY_HOLD
        };
        // Until it was ready once, whatever it does is starting.
        let reading = if state == State::Starting {
            Reading::Starting
        } else {
            Reading::Busy
        };
        return Opinion::certain(reading, evidence, hold);
    }
    if let Some(evidence) = announced(facts, view, profile) {
        let since = facts
            .last_change
            .max(facts.agent.map_or(Duration::ZERO, |(_, at)| at));
        return patient(view, evidence, since + ANNOUNCED_PATIENCE, now);
    }
    let is_late = state == State::Starting && facts.is_resumed && profile.resumes_late;
    let shown_at = facts.last_change + RESUME_PATIENCE;
    if is_late && now < shown_at && !shows_conversation(facts, view, profile) {
        return Opinion::later(shown_at);
    }
    if let Some(evidence) = idle_sign(facts, view, profile) {
        let mut opinion = Opinion::certain(Reading::Idle, evidence, IDLE_HOLD);
        if let (State::Starting, Some(verdict)) = (state, &mut opinion.verdict) {
            verdict.not_before = facts.last_change + START_QUIET;
        }
        return opinion;
    }
    if matches!(reading, Reading::Asking(prompt) if prompt.kind != Kind::Unknown) {
        let evidence = Evidence::new("question gone", "");
        return Opinion::certain(Reading::Busy, evidence, UNPROVOKED_BUSY_HOLD);
    }
    // A panel over the box of an idle program: what is typed there goes astray.
    let lacks_box = facts.box_seen && view.input_box.is_none() && profile.idle.input_box.is_some();
    if let (State::Idle, true, Some(hint)) = (state, lacks_box, panel_hint(view)) {
        let evidence = Evidence::new("panel", hint);
        return patient(view, evidence, facts.last_change + PANEL_PATIENCE, now);
    }
    let patience = if state == State::Starting {
        START_PATIENCE
    } else {
        SIGNLESS_PATIENCE
    };
    let is_loading = state == State::Starting && view.input_box.is_some();
    if state == State::Idle || is_loading || view.frame.last_row().is_none() {
        return Opinion::none();
    }
    let evidence = Evidence::new("silence without a sign", "");
    patient(view, evidence, facts.last_look + patience, now)
}

/// Whether a conversation is in sight above the input box: something that was said, or, where all that is in sight is
/// part of a long reply, another top than that of the program's first screen.
fn shows_conversation(facts: &Facts, view: &View, profile: &Profile) -> bool {
    let Some(found) = &view.input_box else {
        return false;
    };
    let rules = [&profile.speech.echo, &profile.speech.say];
    let is_said = |text: &str| rules.iter().any(|rule| is_behind(rule.as_ref(), text));
    let has_scrolled = facts.first_top.as_deref() != top(&view.frame);
    has_scrolled || (0..found.top).any(|row| is_said(view.frame.text(row)))
}

/// Whether a row has text behind what begins such rows.
fn is_behind(rule: Option<&Pattern>, text: &str) -> bool {
    let found = rule.and_then(|rule| rule.find(text));
    found.is_some_and(|found| {
        !text
            .get(found.end()..)
            .unwrap_or_default()
            .trim()
            .is_empty()
    })
}

/// The first row that has something on it.
pub(super) fn top(frame: &Frame) -> Option<&str> {
    let mut rows = (0..frame.rows.len()).map(|row| frame.text(row));
    rows.find(|text| !text.trim().is_empty())
}

/// The words at the end of a screen that say how to leave what covers the input box.
fn panel_hint(view: &View) -> Option<String> {
    let last = view.frame.last_row()?;
    let rows = last.saturating_sub(BESIDE)..=last;
    rows.rev().find_map(|row| escape_hint(view.frame.text(row)))
}

/// A question that nobody recognises, but only from `due` on.
fn patient(view: &View, evidence: Evidence, due: Duration, now: Duration) -> Opinion {
    if now < due {
        return Opinion::later(due);
    }
    Opinion::certain(
        Reading::Asking(Box::new(unknown(&view.frame))),
        evidence,
        Duration::ZERO,
    )
}

/// What the program says of itself, where it is to be believed.
fn announced_state(facts: &Facts, profile: &Profile) -> Option<AgentState> {
    let (state, _) = facts.agent?;
    (profile.idle.agent_signal != AgentSignal::Never).then_some(state)
}

fn busy_sign(facts: &Facts, view: &View, profile: &Profile) -> Option<Evidence> {
    let agent = announced_state(facts, profile);
    if agent == Some(AgentState::Working) {
        return Some(Evidence::new("OSC 7501", "working"));
    }
    if let Some(title) = &profile.busy.title
        && title.is_match(&view.frame.title)
    {
        return Some(Evidence::new("title", view.frame.title.trim()));
    }
    // Without a box the rows beside it are unknown, and a reply may quote them.
    let near = view.input_box.as_ref()?;
    let rows = near.top.saturating_sub(BESIDE)..near.top;
    let below = near.bottom + 1..view.frame.rows.len();
    rows.chain(below)
        .map(|row| view.frame.text(row))
        .find(|text| profile.busy.lines.iter().any(|line| line.is_match(text)))
        .map(|text| Evidence::new("busy line", text.trim()))
}

/// How many rows above the input box belong to it.
const BESIDE: usize = 6;

fn announced(facts: &Facts, view: &View, profile: &Profile) -> Option<Evidence> {
    if announced_state(facts, profile) == Some(AgentState::Blocked) {
        return Some(Evidence::new("OSC 7501", "blocked"));
    }
    let title = profile.asking.title.as_ref()?;
    title
        .is_match(&view.frame.title)
        .then(|| Evidence::new("title", view.frame.title.trim()))
}

fn idle_sign(facts: &Facts, view: &View, profile: &Profile) -> Option<Evidence> {
    // Without its box a program is showing something else, unless it has a mode without one and
    // was never seen in the other.
    let can_lack_it = |rules: &InputBox| rules.is_optional && !facts.box_seen;
    let is_blank = view.frame.last_row().is_none();
    if is_blank
        || view.input_box.is_none() && !profile.idle.input_box.as_ref().is_none_or(can_lack_it)
    {
        return None;
    }
    let agent = announced_state(facts, profile);
    if agent.is_some() || profile.idle.agent_signal == AgentSignal::Always {
        let is_idle = agent.is_some_and(|agent| !agent.is_open());
        return is_idle.then(|| Evidence::new("OSC 7501", "idle"));
    }
    if let Some(title) = &profile.idle.title {
        let is_idle = title.is_match(&view.frame.title);
        return is_idle.then(|| Evidence::new("title", view.frame.title.trim()));
    }
    view.input_box
        .as_ref()
        .map(|_| Evidence::new("input box", ""))
}
