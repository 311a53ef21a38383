//! All orders of all witnesses: late, early, missing, twice, contradicting. A script of what really happens
//! is given to the turn as distorted as it can come, and what must never happen does not.

use proptest::prelude::*;

use super::*;

/// What really happens after the submit key, and when.
#[derive(Clone, Debug)]
struct Truth {
    taken_at: u64,
    asked_at: Option<u64>,
    over_at: u64,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Replied,
    Failed,
    Interrupted,
}

/// How one witness tells it.
#[derive(Clone, Debug)]
struct Voice {
    speaks: bool,
    delay: u64,
    twice: bool,
}

/// One input, at one time.
#[derive(Clone, Debug)]
enum Said {
    Hook(HookFact),
    Record(TurnRecord),
    Reading(State),
    Report(Outcome),
    Tick,
}

fn truth() -> impl Strategy<Value = Truth> {
    let end = prop_oneof![
        Just(End::Replied),
        Just(End::Failed),
        Just(End::Interrupted)
    ];
    (
        260_u64..1_200,
        proptest::option::of(10_u64..800),
        20_u64..5_000,
        end,
    )
        .prop_map(|(taken_at, asked, length, end)| Truth {
            taken_at,
            asked_at: asked
                .filter(|after| *after < length)
                .map(|after| taken_at + after),
            over_at: taken_at + length,
            end,
        })
}

fn voice() -> impl Strategy<Value = Voice> {
    (any::<bool>(), 0_u64..900, any::<bool>()).prop_map(|(speaks, delay, twice)| Voice {
        speaks,
        delay,
        twice,
    })
}

fn script(
    truth: &Truth,
    hook: &Voice,
    record: &Voice,
    screen: &Voice,
    has_ids: bool,
) -> Vec<(u64, Said)> {
    let mut said = Vec::new();
    let mut say = |voice: &Voice, at: u64, what: Said| {
        if voice.speaks {
            said.push((at + voice.delay, what.clone()));
            if voice.twice {
                said.push((at + voice.delay + 7, what));
            }
        }
    };
    let id = has_ids.then_some("own");
    say(hook, truth.taken_at, Said::Hook(taken(id)));
    let begun = recorded(None, false);
    say(record, truth.taken_at, Said::Record(begun));
    say(screen, truth.taken_at, Said::Reading(State::Busy));
    if let Some(at) = truth.asked_at {
        say(screen, at, Said::Reading(State::Asking));
        say(screen, at + 5, Said::Reading(State::Busy));
    }
    let (fact, verdict, outcome) = match truth.end {
        End::Replied => (
            Some(over("the reply", id)),
            Verdict::Replied("the reply".to_owned()),
            Outcome::Completed,
        ),
        End::Failed => {
            let text = "API Error".to_owned();
            (
                Some(HookFact::Failed {
                    text: text.clone(),
                    id: id.map(str::to_owned),
                }),
                Verdict::Failed(text),
                Outcome::Failed,
            )
        }
        // Claude reports no interrupt.
        End::Interrupted => (None, Verdict::Interrupted, Outcome::Interrupted),
    };
    if let Some(fact) = fact {
        say(hook, truth.over_at, Said::Hook(fact));
    }
    say(
        record,
        truth.over_at,
        Said::Record(recorded(Some(verdict), true)),
    );
    say(screen, truth.over_at, Said::Reading(State::Idle));
    say(screen, truth.over_at + 1, Said::Report(outcome));
    said
}

struct Run {
    effects: Vec<(u64, Effect)>,
}

fn play(mut script: Vec<(u64, Said)>, stale: &[(u64, Said)], has_transcript: bool) -> Run {
    script.extend(stale.iter().cloned());
    script.extend((0..30_000).step_by(50).map(|at| (at, Said::Tick)));
    script.sort_by_key(|(at, _)| *at);
    let mut play = Play::new(has_transcript);
    let mut effects = Vec::new();
    for (at, said) in script {
        let done = match said {
            Said::Hook(fact) => play.step(Input::Hook(&fact), at),
            Said::Record(record) => play.step(Input::Record(&record), at),
            Said::Reading(State::Busy) => play.see(&Reading::Busy, at),
            Said::Reading(State::Asking) => play.see(&asking(), at),
            Said::Reading(_) => play.see(&Reading::Idle, at),
            Said::Report(outcome) => {
                let mut report = report(outcome);
                "the reply".clone_into(&mut report.reply.text);
                play.step(Input::Screen(&report), at)
            }
            Said::Tick => play.tick(at),
        };
        effects.extend(done.into_iter().map(|effect| (at, effect)));
    }
    Run { effects }
}

impl Run {
    fn endings(&self) -> Vec<(u64, &Ending)> {
        let ends = self.effects.iter().filter_map(|(at, effect)| match effect {
            Effect::Ended(ending) => Some((*at, ending)),
            _ => None,
        });
        ends.collect()
    }

    fn writes(&self) -> impl Iterator<Item = u64> {
        self.effects
            .iter()
            .filter(|(_, effect)| matches!(effect, Effect::Write(_)))
            .map(|(at, _)| *at)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn whatever_the_witnesses_do_the_turn_is_told_truly(
        truth in truth(),
        hook in voice(),
        record in voice(),
        screen in voice(),
        has_ids in any::<bool>(),
        stale_at in 250_u64..1_000,
    ) {
        // Somebody must speak for the end: an interrupt is told by no hook.
        let is_told = record.speaks || screen.speaks || hook.speaks && truth.end != End::Interrupted;
        prop_assume!(is_told);
        let said = script(&truth, &hook, &record, &screen, has_ids);
        // The end of the turn before, told late.
        let stale_id = has_ids.then_some("before");
        let is_after = hook.speaks && truth.taken_at + hook.delay <= stale_at;
        let stale = [(stale_at, Said::Hook(over("ANOTHER TURN'S REPLY", stale_id)))];
        let stale = if has_ids || !is_after { &stale[..] } else { &[] };
        let run = play(said, stale, record.speaks || hook.speaks);
        let endings = run.endings();
        prop_assert_eq!(endings.len(), 1, "one end, not {:?}", endings);
        let (at, ending) = endings[0];
        let first_sign = [&hook, &record, &screen]
            .into_iter()
            .filter(|voice| voice.speaks)
            .map(|voice| truth.taken_at + voice.delay)
            .min();
        match ending {
            Ending::Replied(words) => {
                prop_assert_eq!(truth.end, End::Replied, "a false completed");
                prop_assert!(at >= truth.over_at, "completed before it was over");
                prop_assert_eq!(&words.text, "the reply");
            }
            Ending::Failed(_) => prop_assert_eq!(truth.end, End::Failed),
            Ending::Interrupted(_) => prop_assert_eq!(truth.end, End::Interrupted),
            Ending::Broken(TurnError::NoReaction) => {
                // Only where nobody had spoken in the time that the submit key has.
                prop_assert!(first_sign.is_none_or(|sign| sign >= 7_750), "it was taken: {first_sign:?}");
            }
            Ending::Broken(error) => {
                prop_assert_eq!(*error, TurnError::Unseen);
                prop_assert!(!screen.speaks, "a turn that was seen");
            }
            other => prop_assert!(false, "nobody asked for {other:?}"),
        }
        for write in run.writes() {
            let is_taken = first_sign.is_some_and(|sign| sign < write);
            prop_assert!(!is_taken, "the submit key was pressed into a working program at {write}");
        }
    }
}
