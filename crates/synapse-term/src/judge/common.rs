//! The verdict for a program nobody has seen, from what all terminal programs have in common:
//! they stop painting when they wait, they show where to type, and most say when they work.

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::facts::{Facts, Submission, TerminalUse};
use super::signs::{has_picture, shows_place, working_sign};
use super::{Opinion, View};
use crate::chrome::{is_rule, left_border};
use crate::frame::Frame;
use crate::pattern::constant;
use crate::profile::Profile;
use crate::prompt::{Prompt, Sureness, unasked};
use crate::reading::{Evidence, Reading, State};
use crate::signal::{AgentState, Mark};

/// A question at the end of a line must stand this long.
const LINE_QUIET: Duration = Duration::from_millis(500);

/// A menu must stand this long.
const MENU_HOLD: Duration = Duration::from_millis(200);

/// A reaction to a submit key may be the program's last.
const REACTION_HOLD: Duration = Duration::from_millis(100);

/// The quiet needed when the program's own prompt is back.
const PROMPT_QUIET: Duration = Duration::from_millis(200);

/// The quiet needed when a sign of work has gone.
const SIGN_GONE_QUIET: Duration = Duration::from_millis(450);

/// The quiet needed when the cursor stands behind something that looks like a prompt.
const CURSOR_QUIET: Duration = Duration::from_millis(700);

/// The quiet needed when the program merely could take input.
const PLACE_QUIET: Duration = Duration::from_secs(1);

/// The same while it starts: there is no work yet that could be mistaken.
const START_QUIET: Duration = Duration::from_millis(850);

/// The same while a program that takes the whole screen starts: it paints in several goes.
const FULL_SCREEN_START_QUIET: Duration = Duration::from_millis(1_200);

/// The same while it shows no place to type.
const FACELESS_QUIET: Duration = Duration::from_secs(6);

/// The same while it shows a large picture: that goes when it is ready.
const SPLASH_QUIET: Duration = Duration::from_millis(2_300);

/// How long a last row that ends in an ellipsis is believed: it may be a text that was cut.
const LOADING_PATIENCE: Duration = Duration::from_secs(3);

/// The same while the program starts.
const START_PATIENCE: Duration = Duration::from_secs(8);

/// Activity nobody asked for must last this long to be work.
const UNPROVOKED: Duration = Duration::from_millis(600);

/// A submit key explains activity that begins this much later.
const SUBMIT_SPAN: Duration = Duration::from_millis(1_500);

static PROMPT_LIKE: LazyLock<Regex> = LazyLock::new(|| constant(r"[>$#%❯›»➜λ:)\]]\s?$"));

/// The least quiet after which anything is decided.
pub(super) const SHORTEST_QUIET: Duration = Duration::from_millis(150);

/// How long a program may be silent without a sign of work before it answers a message.
pub(super) const SILENT_PATIENCE: Duration = Duration::from_mins(1);

/// The same after a command to the program itself, which may have nothing to say.
const COMMAND_PATIENCE: Duration = Duration::from_millis(2_500);

/// The quiet needed when the kernel says that the program waits in a read.
const READING_QUIET: Duration = Duration::from_millis(60);

/// The verdict of common sense.
pub(super) fn assess(
    facts: &Facts,
    view: &View,
    profile: &Profile,
    state: State,
    now: Duration,
) -> Opinion {
    let frame = &view.frame;
    if let Some((prompt, Sureness::Shape)) = &view.prompt {
        let evidence = Evidence::new("menu on screen", prompt.question.clone());
        return Opinion::certain(
            Reading::Asking(Box::new(prompt.clone())),
            evidence,
            MENU_HOLD,
        );
    }
    if let Some((AgentState::Working | AgentState::Blocked, _)) = facts.agent {
        let mut opinion = busy(facts, state, Evidence::new("OSC 7501", "working"), now);
        // Its own word needs no second look, and its turns can be short.
        if let Some(verdict) = &mut opinion.verdict
            && facts.submitted_within(SUBMIT_SPAN, now)
        {
            verdict.hold = Duration::ZERO;
        }
        return opinion;
    }
    // Before it was ready its signs mean nothing, unless they answer a message.
    if (state != State::Starting || facts.reacted)
        && let Some((sign, until)) = working_sign(facts, frame, now)
    {
        let mut opinion = busy(facts, state, sign, now);
        opinion.ask_again = Some(until);
        return opinion;
    }
    if let Some(idle) = &profile.idle_regex {
        return by_regex(
            facts,
            view,
            idle.is_match(&frame.before_cursor()),
            state,
            now,
        );
    }
    // What somebody types is no question of the program's.
    let is_typed = state != State::Asking && facts.last_key > Some(facts.last_activity);
    if let Some((prompt, Sureness::Line)) = &view.prompt
        && frame.cursor.is_visible
        && !is_typed
    {
        return asked_at_cursor(facts, prompt, now);
    }
    rest(facts, frame, state, now)
}

fn asked_at_cursor(facts: &Facts, prompt: &Prompt, now: Duration) -> Opinion {
    let evidence = Evidence::new("question at the cursor", prompt.question.clone());
    quiet(
        facts,
        Reading::Asking(Box::new(prompt.clone())),
        evidence,
        LINE_QUIET,
        now,
    )
}

/// A profile that gives the program's prompt and nothing else.
fn by_regex(facts: &Facts, view: &View, is_idle: bool, state: State, now: Duration) -> Opinion {
    if is_idle {
        let evidence = Evidence::new("idle_regex", view.frame.before_cursor());
        if state == State::Idle && facts.reacted && facts.submitted_within(SUBMIT_SPAN, now) {
            return busy(facts, state, Evidence::new("output after submit", ""), now);
        }
        return quiet(facts, Reading::Idle, evidence, PROMPT_QUIET, now);
    }
    if let Some((prompt, Sureness::Line)) = &view.prompt {
        return asked_at_cursor(facts, prompt, now);
    }
    // Behind the prompt somebody is typing; anywhere else the program has the floor.
    let is_typing = state == State::Idle
        && facts
            .usual_prompt
            .as_ref()
            .is_some_and(|usual| view.frame.before_cursor().starts_with(usual.as_str()));
    if is_typing {
        return Opinion::none();
    }
    busy(facts, state, Evidence::new("no prompt", ""), now)
}

fn rest(facts: &Facts, frame: &Frame, state: State, now: Duration) -> Opinion {
    let before = frame.before_cursor();
    if state == State::Idle {
        return stays_idle(facts, frame, &before, now);
    }
    if facts.terminal_use() == Some(TerminalUse::Reads) && !frame.modes.alternate_screen {
        if is_away(facts, &before) {
            let mut prompt = unasked();
            facts.number(&mut prompt);
            let evidence = Evidence::new("waits in a read away from its prompt", "");
            return quiet(
                facts,
                Reading::Asking(Box::new(prompt)),
                evidence,
                LINE_QUIET,
                now,
            );
        }
        let evidence = Evidence::new("waits in a read", "");
        return quiet(facts, Reading::Idle, evidence, READING_QUIET, now);
    }
    let patience = if state == State::Starting {
        START_PATIENCE
    } else {
        LOADING_PATIENCE
    };
    if frame.last_row().is_none() || is_loading(frame) && now < facts.last_change + patience {
        let mut opinion = busy(
            facts,
            state,
            Evidence::new("it says that it works", ""),
            now,
        );
        opinion.ask_again = Some(facts.last_change + patience);
        return opinion;
    }
    // A pager or an editor that was opened by a message has not answered it.
    if frame.modes.alternate_screen && facts.given != Submission::Nothing && !facts.was_full_screen
    {
        return busy(
            facts,
            state,
            Evidence::new("a full screen was opened", ""),
            now,
        );
    }
    let usual = facts.usual_prompt.as_deref();
    let at_usual = frame.cursor.is_visible
        && usual == Some(before.as_str())
        && (facts.last_submit.is_none() || has_spoken(frame, &before));
    let looks_ready = frame.cursor.is_visible && PROMPT_LIKE.is_match(&before);
    let (needed, evidence) = if at_usual {
        (PROMPT_QUIET, Evidence::new("prompt is back", before.trim()))
    } else if facts.agent.is_some() && has_place(frame, &before) {
        // Not by its word alone: anything a program prints could say so.
        (PROMPT_QUIET, Evidence::new("OSC 7501", "idle"))
    } else if facts.explicit_seen.is_some() && state != State::Starting && has_place(frame, &before)
    {
        (SIGN_GONE_QUIET, Evidence::new("sign of work gone", ""))
    } else if looks_ready && facts.mark.is_some_and(|mark| mark != Mark::OutputStart) {
        (PROMPT_QUIET, Evidence::new("OSC 133 prompt", before.trim()))
    } else if state == State::Starting && frame.modes.alternate_screen {
        let needed = if !shows_place(frame) {
            FACELESS_QUIET
        } else if has_picture(frame) {
            SPLASH_QUIET
        } else {
            FULL_SCREEN_START_QUIET
        };
        (needed, Evidence::new("quiet", ""))
    } else if looks_ready && !before.trim().is_empty() {
        (
            CURSOR_QUIET,
            Evidence::new("cursor at a prompt", before.trim()),
        )
    } else if has_place(frame, &before) && state == State::Starting {
        (START_QUIET, Evidence::new("quiet", ""))
    } else if has_place(frame, &before) {
        (PLACE_QUIET, Evidence::new("quiet", ""))
    } else {
        return busy(facts, state, Evidence::new("no prompt", ""), now);
    };
    // Who shows the cursor at rest hides it while it paints.
    let is_painting = facts.rests_with_cursor && !frame.cursor.is_visible;
    let needed = if is_painting && !frame.modes.alternate_screen {
        needed.max(FACELESS_QUIET)
    } else {
        needed
    };
    let quiet_since = facts.last_activity.max(facts.last_change);
    let mut due = quiet_since + needed;
    let mut doing = Evidence::new("output", "");
    if facts.awaits_reply() && !is_back(&evidence, frame) {
        due = due.max(quiet_since + reply_patience(facts));
        doing = Evidence::new("no reply yet", "");
    }
    if now >= due {
        return Opinion::certain(Reading::Idle, evidence, Duration::ZERO);
    }
    let mut opinion = busy(facts, state, doing, now);
    // Whether there is a reply is looked for as soon as the screen stands still.
    let look = quiet_since + SHORTEST_QUIET;
    opinion.ask_again = Some(if now < look { due.min(look) } else { due });
    opinion
}

/// Whether a program that reads a line was given one at its prompt and does not show that again: what it runs reads.
fn is_away(facts: &Facts, before: &str) -> bool {
    let has_prompt = facts.usual_prompt.is_some();
    has_prompt && facts.is_in_turn && !PROMPT_LIKE.is_match(before)
}

/// How long a program may take to answer without any sign that it works.
fn reply_patience(facts: &Facts) -> Duration {
    match facts.given {
        Submission::Message => SILENT_PATIENCE,
        Submission::Command => COMMAND_PATIENCE,
        Submission::Nothing => Duration::ZERO,
    }
}

/// A program that says so itself, or shows its prompt anew, is done though it said nothing.
fn is_back(evidence: &Evidence, frame: &Frame) -> bool {
    let row = frame.cursor.row;
    let is_rule_above = row
        .checked_sub(1)
        .is_some_and(|row| is_rule(frame.text(row)));
    match evidence.rule {
        "OSC 7501" | "OSC 133 prompt" => true,
        // An input box stays where it is while the program works; the prompt of a line program
        // comes when it is done.
        "prompt is back" | "cursor at a prompt" => frame.last_row() == Some(row) && !is_rule_above,
        _ => false,
    }
}

/// An idle program becomes busy when it reacts to a submit key, leaves its prompt, or paints by
/// itself for a while.
fn stays_idle(facts: &Facts, frame: &Frame, before: &str, now: Duration) -> Opinion {
    // A program that announces its states needs less guessing.
    let announces = facts.agent.is_some();
    let is_given =
        facts.given != Submission::Nothing && facts.submitted_within(SILENT_PATIENCE, now);
    if !announces && facts.reacted && (is_given || facts.submitted_within(SUBMIT_SPAN, now)) {
        let evidence = Evidence::new("output after submit", "");
        let mut opinion = busy(facts, State::Idle, evidence, now);
        // The kernel knows a reaction from an echo.
        let is_told = !matches!(facts.terminal_use(), None | Some(TerminalUse::Unclear));
        if let Some(verdict) = opinion.verdict.as_mut().filter(|_| is_told) {
            verdict.hold = Duration::ZERO;
        }
        return opinion;
    }
    // Before anything was typed here it may have another prompt by now. An empty line is none.
    let left_prompt = frame.cursor.is_visible
        && (facts.last_submit.is_some() || before.is_empty())
        && facts
            .usual_prompt
            .as_ref()
            .is_some_and(|usual| !before.starts_with(usual.as_str()));
    if !announces && left_prompt {
        return busy(
            facts,
            State::Idle,
            Evidence::new("prompt left", before.trim()),
            now,
        );
    }
    let is_painting = facts.last_activity > facts.published_at
        && facts.last_activity >= facts.activity_since.max(facts.published_at) + UNPROVOKED
        && now < facts.last_activity + PLACE_QUIET;
    if is_painting {
        return busy(
            facts,
            State::Idle,
            Evidence::new("output nobody asked for", ""),
            now,
        );
    }
    Opinion::none()
}

/// Whether the last thing on the screen says that something is being done.
fn is_loading(frame: &Frame) -> bool {
    let Some(last) = frame.last_row() else {
        return true;
    };
    let text = frame.text(last).trim_end();
    let is_typed_in = frame.cursor.is_visible && frame.cursor.row == last;
    !is_typed_in && (text.ends_with('…') || text.ends_with("..."))
}

/// Whether anything stands between the program's prompt and the message last given to it: some
/// programs show their prompt while they work.
fn has_spoken(frame: &Frame, prompt: &str) -> bool {
    let above = (0..frame.line_start(frame.cursor.row))
        .rev()
        .map(|row| frame.text(row));
    let mut texts = above.filter(|text| !text.trim().is_empty() && !is_rule(text));
    texts
        .next()
        .is_none_or(|text| !text.trim_start().starts_with(prompt.trim()))
}

/// Whether the program could take input: it shows a cursor behind text or in a box, hides it, has
/// bracketed paste on, or owns the whole screen.
fn has_place(frame: &Frame, before: &str) -> bool {
    let behind_text =
        frame.cursor.is_visible && PROMPT_LIKE.is_match(before) && !before.trim().is_empty();
    let in_box = frame.cursor.is_visible && left_border(before).is_some();
    // Who hides the cursor paints one, and paints nothing else while waiting for a key.
    behind_text
        || in_box
        || frame.modes.bracketed_paste
        || frame.modes.alternate_screen
        || !frame.cursor.is_visible
}

/// Busy, or still starting.
fn busy(facts: &Facts, state: State, evidence: Evidence, now: Duration) -> Opinion {
    // Who reacts to a message was ready for it.
    let is_answering = facts.reacted && facts.submitted_within(SUBMIT_SPAN, now);
    if state == State::Starting && !is_answering {
        return Opinion::none();
    }
    let is_provoked = facts.submitted_within(SUBMIT_SPAN, now) || state != State::Idle;
    let hold = if is_provoked {
        REACTION_HOLD
    } else {
        MENU_HOLD
    };
    Opinion::certain(Reading::Busy, evidence, hold)
}

fn quiet(
    facts: &Facts,
    reading: Reading,
    evidence: Evidence,
    needed: Duration,
    now: Duration,
) -> Opinion {
    let due = facts.last_change + needed;
    if now >= due {
        return Opinion::certain(reading, evidence, Duration::ZERO);
    }
    Opinion::later(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(PROMPT_LIKE.is_match("toy> "));
    }
}
