use synapse_term::frame::Frame;
use synapse_term::prompt::unknown;
use synapse_term::reply::{Outcome, Reply};

use super::*;

mod orders;
mod submit;

const AT: fn(u64) -> Duration = Duration::from_millis;
const TEXT: &str = "[A2A:1:user] do it";

fn scene(state: State) -> Scene {
    Scene {
        state,
        is_about_to_rest: false,
        has_screen_turn: true,
        is_box_empty: false,
        is_box_filled: false,
        has_foreign_words: false,
        is_painting: false,
        has_unread_keys: false,
    }
}

/// A turn with no transcript, and the steps that feed it.
struct Play {
    turn: Turn,
    state: State,
    is_box_empty: bool,
    is_box_filled: bool,
}

impl Play {
    fn new(has_transcript: bool) -> Self {
        let turn = Turn::begin(
            TEXT.to_owned(),
            b"\r".to_vec(),
            AT(250),
            has_transcript,
            AT(0),
        );
        Self {
            turn,
            state: State::Idle,
            is_box_empty: false,
            is_box_filled: false,
        }
    }

    fn submitted(has_transcript: bool) -> Self {
        let mut play = Self::new(has_transcript);
        assert_eq!(play.tick(250), [Effect::Write(b"\r".to_vec())]);
        play
    }

    fn step(&mut self, input: Input<'_>, at: u64) -> Vec<Effect> {
        let scene = Scene {
            is_box_empty: self.is_box_empty,
            is_box_filled: self.is_box_filled,
            ..scene(self.state)
        };
        self.turn.step(input, scene, AT(at))
    }

    fn tick(&mut self, at: u64) -> Vec<Effect> {
        self.step(Input::Tick, at)
    }

    fn see(&mut self, reading: &Reading, at: u64) -> Vec<Effect> {
        self.state = reading.state();
        self.step(Input::Reading(reading), at)
    }
}

fn asking() -> Reading {
    Reading::Asking(Box::new(unknown(&Frame::default())))
}

fn report(outcome: Outcome) -> TurnReport {
    let reply = Reply {
        text: "hi".to_owned(),
        blocks: Vec::new(),
        outcome,
        is_truncated: false,
    };
    TurnReport {
        at: AT(0),
        typed: String::new(),
        reply,
        outcome,
    }
}

fn taken(id: Option<&str>) -> HookFact {
    HookFact::Taken {
        prompt: TEXT.to_owned(),
        id: id.map(str::to_owned),
    }
}

fn over(text: &str, id: Option<&str>) -> HookFact {
    HookFact::Over {
        text: Some(text.to_owned()),
        id: id.map(str::to_owned),
    }
}

fn replied(text: &str, source: Source) -> Effect {
    let text = text.to_owned();
    Effect::Ended(Ending::Replied(Words::whole(text, source)))
}

fn broken(error: TurnError) -> Effect {
    Effect::Ended(Ending::Broken(error))
}

fn recorded(verdict: Option<Verdict>, is_closed: bool) -> TurnRecord {
    TurnRecord {
        said: "half".to_owned(),
        has_open_tool: false,
        verdict,
        is_closed,
        steps: Vec::new(),
        usage: None,
    }
}

#[test]
fn the_submit_key_is_a_write_of_its_own_after_the_delay() {
    let mut play = Play::new(false);
    assert_eq!(play.turn.deadline(), Some(AT(250)));
    assert_eq!(play.tick(249), []);
    assert_eq!(play.tick(250), [Effect::Write(b"\r".to_vec())]);
    assert_eq!(play.see(&Reading::Busy, 300), [Effect::Started]);
    assert_eq!(play.turn.deadline(), None);
    let ended = play.step(Input::Screen(&report(Outcome::Completed)), 400);
    assert_eq!(ended, [replied("hi", Source::Screen)]);
}

#[test]
fn never_submits_into_an_open_question() {
    let mut play = Play::new(false);
    assert_eq!(play.see(&asking(), 100), [broken(TurnError::QuestionOpen)]);
    assert_eq!(play.tick(10_000), []);
}

#[test]
fn a_question_is_told_once_and_its_answer_resumes() {
    let mut play = Play::submitted(false);
    let asked = play.see(&asking(), 300);
    assert!(matches!(asked[..], [Effect::Started, Effect::Asked(_)]));
    assert_eq!(play.see(&asking(), 310), []);
    assert_eq!(play.see(&Reading::Busy, 320), [Effect::Resumed]);
    let ended = play.step(Input::Screen(&report(Outcome::Interrupted)), 400);
    let words = Words::whole("hi".to_owned(), Source::Screen);
    assert_eq!(ended, [Effect::Ended(Ending::Interrupted(Some(words)))]);
}

/// Gemini CLI may answer so soon that nobody sees it work between a question and its rest.
#[test]
fn an_answer_too_quick_to_be_seen_running_is_still_taken_from_the_transcript() {
    for is_told_first in [true, false] {
        let mut play = Play::submitted(true);
        play.see(&asking(), 300);
        let record = recorded(Some(Verdict::Replied("exact".to_owned())), false);
        let exact = [replied("exact", Source::Record)];
        if is_told_first {
            // The question may still be open: another one than the transcript knows.
            assert_eq!(play.step(Input::Record(&record), 400), []);
        }
        play.see(&Reading::Idle, 450);
        let at_rest = play.step(Input::Screen(&report(Outcome::Completed)), 500);
        if is_told_first {
            assert_eq!(at_rest, exact);
        } else {
            assert_eq!(at_rest, []);
            assert_eq!(play.step(Input::Record(&record), 550), exact);
        }
    }
}

#[test]
fn a_program_that_dies_ends_the_turn_at_once() {
    let mut play = Play::new(false);
    assert_eq!(play.see(&Reading::Exited, 1), [broken(TurnError::Exited)]);
}

#[test]
fn a_turn_too_short_to_be_seen_running_is_still_a_turn() {
    let mut play = Play::submitted(false);
    let ended = play.step(Input::Screen(&report(Outcome::Completed)), 300);
    assert_eq!(ended, [Effect::Started, replied("hi", Source::Screen)]);
}

#[test]
fn a_message_that_a_hook_saw_taken_is_never_called_unnoticed() {
    let mut play = Play::submitted(true);
    assert_eq!(play.step(Input::Hook(&taken(None)), 280), [Effect::Started]);
    play.state = State::Busy;
    for at in (300..60_000).step_by(500) {
        assert_eq!(play.tick(at), [], "at {at}");
    }
    let ended = play.step(Input::Hook(&over("done", None)), 60_000);
    assert_eq!(ended, [replied("done", Source::Hook)]);
}

#[test]
fn the_end_of_another_turn_ends_nothing() {
    let mut play = Play::submitted(true);
    assert_eq!(play.step(Input::Hook(&over("before", None)), 260), []);
    assert_eq!(play.step(Input::Hook(&over("before", Some("a"))), 265), []);
    assert_eq!(
        play.step(Input::Hook(&taken(Some("b"))), 280),
        [Effect::Started]
    );
    assert_eq!(play.step(Input::Hook(&over("before", Some("a"))), 290), []);
    let ended = play.step(Input::Hook(&over("done", Some("b"))), 300);
    assert_eq!(ended, [replied("done", Source::Hook)]);
}

#[test]
fn an_end_that_overtakes_its_beginning_is_believed_by_its_name() {
    let mut play = Play::submitted(true);
    assert_eq!(play.step(Input::Hook(&over("done", Some("b"))), 280), []);
    let ended = play.step(Input::Hook(&taken(Some("b"))), 281);
    assert_eq!(ended, [Effect::Started, replied("done", Source::Hook)]);
}

#[test]
fn a_prompt_of_somebody_else_is_not_this_turn() {
    let mut play = Play::submitted(true);
    let other = HookFact::Taken {
        prompt: "what the person typed".to_owned(),
        id: None,
    };
    assert_eq!(play.step(Input::Hook(&other), 280), []);
    assert_eq!(play.step(Input::Hook(&over("theirs", None)), 290), []);
}

#[test]
fn the_screen_waits_for_the_transcript_and_then_is_believed() {
    let mut play = Play::submitted(true);
    play.see(&Reading::Busy, 300);
    assert_eq!(
        play.step(Input::Screen(&report(Outcome::Completed)), 400),
        []
    );
    assert_eq!(play.turn.deadline(), Some(AT(1_400)));
    assert_eq!(play.tick(1_400), [replied("hi", Source::Screen)]);

    let mut play = Play::submitted(true);
    play.see(&Reading::Busy, 300);
    play.step(Input::Screen(&report(Outcome::Completed)), 400);
    let exact = recorded(Some(Verdict::Replied("exact".to_owned())), false);
    assert_eq!(
        play.step(Input::Record(&exact), 420),
        [replied("exact", Source::Record)]
    );
}

#[test]
fn a_transcript_with_an_end_that_is_not_closed_waits_for_the_screen() {
    let mut play = Play::submitted(true);
    play.see(&Reading::Busy, 300);
    let open = recorded(Some(Verdict::Replied("exact".to_owned())), false);
    assert_eq!(
        play.step(Input::Record(&open), 350),
        [],
        "the program works on"
    );
    play.state = State::Idle;
    assert_eq!(play.tick(400), [replied("exact", Source::Record)]);

    let mut play = Play::submitted(true);
    play.see(&Reading::Busy, 300);
    let closed = recorded(Some(Verdict::Replied("exact".to_owned())), true);
    assert_eq!(
        play.step(Input::Record(&closed), 350),
        [replied("exact", Source::Record)]
    );
}

#[test]
fn an_interrupted_turn_keeps_what_was_said() {
    let mut play = Play::submitted(true);
    play.see(&Reading::Busy, 300);
    play.step(Input::Record(&recorded(None, false)), 310);
    assert_eq!(
        play.step(Input::Interrupt(None), 320),
        [Effect::Press(None)]
    );
    let stopped = recorded(Some(Verdict::Interrupted), true);
    let ended = play.step(Input::Record(&stopped), 400);
    let words = Words::whole("half".to_owned(), Source::Record);
    assert_eq!(ended, [Effect::Ended(Ending::Interrupted(Some(words)))]);
}

/// A program that is stopped rests on the screen before it says that it was stopped.
#[test]
fn an_interrupt_that_is_told_after_the_screen_keeps_what_the_screen_showed() {
    let shown = || Words::whole("hi".to_owned(), Source::Screen);
    for (outcome, has_transcript) in [
        (Outcome::Completed, true),
        (Outcome::Completed, false),
        (Outcome::Failed, true),
    ] {
        for canceled in [false, true] {
            let mut play = Play::submitted(has_transcript);
            play.step(Input::Hook(&taken(None)), 300);
            let stop = if canceled {
                Input::Cancel("enough")
            } else {
                Input::Interrupt(None)
            };
            play.step(stop, 320);
            assert_eq!(play.step(Input::Screen(&report(outcome)), 400), []);
            let ended = play.step(Input::Hook(&HookFact::Interrupted), 450);
            let ending = if canceled {
                Ending::Canceled("enough".to_owned(), Some(shown()))
            } else {
                Ending::Interrupted(Some(shown()))
            };
            assert_eq!(ended, [Effect::Ended(ending)], "{outcome:?}");
        }
    }
}

#[test]
fn a_stop_before_the_beginning_is_pressed_at_the_beginning() {
    let mut play = Play::new(false);
    assert_eq!(play.step(Input::Cancel("no longer wanted"), 100), []);
    assert_eq!(play.tick(250), [Effect::Write(b"\r".to_vec())]);
    let begun = play.see(&Reading::Busy, 300);
    assert_eq!(begun, [Effect::Started, Effect::Press(None)]);
    assert_eq!(play.tick(3_299), []);
    assert_eq!(
        play.tick(3_300),
        [Effect::Press(None)],
        "a canceled task is pressed once more"
    );
    assert_eq!(play.tick(9_000), []);
    let ended = play.step(Input::Screen(&report(Outcome::Completed)), 9_100);
    assert!(matches!(ended[..], [Effect::Ended(Ending::Canceled(..))]));
}

#[test]
fn a_program_that_rests_with_the_turn_open_does_not_keep_everybody_waiting() {
    let mut play = Play::submitted(false);
    play.see(&Reading::Busy, 300);
    let rest = Scene {
        has_screen_turn: false,
        ..scene(State::Idle)
    };
    assert_eq!(play.turn.step(Input::Tick, rest, AT(400)), []);
    let ended = play.turn.step(Input::Tick, rest, AT(3_400));
    assert_eq!(ended, [broken(TurnError::Unseen)]);
}

#[test]
fn a_program_that_falls_silent_has_answered() {
    let timed_out = [Effect::Ended(Ending::TimedOut)];
    let silent = || {
        let mut play = Play::submitted(false);
        play.turn = play.turn.with_response_timeout(Some(AT(5_000)));
        assert_eq!(play.see(&Reading::Busy, 400), [Effect::Started]);
        play
    };
    let mut play = silent();
    assert_eq!(play.turn.deadline(), Some(AT(5_400)));
    assert_eq!(play.step(Input::Output, 1_000), []);
    assert_eq!(play.turn.deadline(), Some(AT(6_000)), "it wrote something");
    assert_eq!(play.tick(5_999), []);
    assert_eq!(play.tick(6_000), timed_out);

    let mut play = silent();
    play.see(&asking(), 500);
    assert_eq!(
        play.tick(60_000),
        [],
        "a question waits as long as it takes"
    );
    play.see(&Reading::Busy, 70_000);
    assert_eq!(play.tick(74_999), [], "the time begins anew");
    assert_eq!(play.tick(75_000), timed_out);

    let mut play = silent();
    play.step(Input::Hook(&taken(None)), 500);
    assert_eq!(play.tick(60_000), [], "its hook will say when it is over");

    let mut play = Play::submitted(false);
    play.see(&Reading::Busy, 400);
    assert_eq!(play.turn.deadline(), None, "no profile asks for it");
}

#[test]
fn never_submits_what_somebody_else_has_begun_to_write() {
    let mut play = Play::new(false);
    let foreign = Scene {
        has_foreign_words: true,
        ..scene(State::Idle)
    };
    let effects = play.turn.step(Input::Tick, foreign, AT(250));
    let broken = Ending::Broken(TurnError::ForeignWords);
    assert_eq!(effects, [Effect::Ended(broken)]);
}
