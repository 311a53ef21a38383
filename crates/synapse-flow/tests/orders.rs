//! The law of the scheduler: whatever the order in which things end, and wherever the runner is killed, every piece of
//! work is begun exactly once and the run comes to the same end.
#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use synapse_flow::event::{Beginning, State};
use synapse_flow::{Action, Event, Fact, Key, Outcome, Run};

const FLOWS: [&str; 8] = [
    "name: a\nsteps:\n  plan: {agent: x, prompt: p}\n  build: {agent: y, prompt: '${plan.reply}'}\n  end: {run: [echo, '${build.reply}']}\n",
    "name: b\nparallel: true\nat_once: 3\nsteps:\n  one: {each: [a, b, c, d, e], prompt: p}\n  two: {agent: z, prompt: p, retry: 2}\n  three: {agent: z, prompt: '${one.*.reply} ${two.reply}'}\n",
    "name: c\nsteps:\n  build: {agent: y, prompt: p}\n  review: {each: [a, b], prompt: '${build.reply}', expect: json}\n  fix: {until: '${review.*.json.ok}', max: 3, agent: y, prompt: '${review.*.json.ok}', again: review}\n  merge: {gate: 'go ${build.reply}?', run: [git, merge]}\n  after: {run: [echo, done]}\n",
    "name: d\nsteps:\n  both:\n    all:\n      one: {agent: a, prompt: p}\n      two: {agent: b, prompt: '${both.one.reply}'}\n      three: {agent: c, prompt: p, on_error: continue}\n  end: {agent: z, prompt: '${both.two.reply}', when: '${both.one.ok}'}\n",
    "name: e\nmax_turns: 6\nparallel: true\nsteps:\n  many: {each: [1, 2, 3, 4, 5, 6, 7, 8, 9], agent: [a, b], prompt: '${item}'}\n",
    "name: f\nsteps:\n  a: {agent: x, prompt: fail, on_error: rescue}\n  rescue: {run: [echo, '${a.error}']}\n  b: {run: [true]}\n",
    "name: g\nsteps:\n  a: {agent: x, prompt: p, until: '${a.json.ok}', max: 4, expect: json}\n  b: {each: [u, v, w], run: [echo, '${item}'], at_once: 1, on_error: continue}\n",
    "name: h\nparallel: true\nsteps:\n  a: {gate: {ask: 'rule?', yes_if: '1 == 1'}}\n  b: {gate: {ask: which?, options: [l, r]}}\n  c: {agent: x, prompt: '${b.answer}', when: '${b.answer == \"l\"}', retry: 1}\n  d: {run: [echo, x], needs: [a]}\n",
];

/// What the work of a key gives: always the same, whoever does it and when.
fn outcome(key: &Key, salt: u64) -> Outcome {
    let mut hash = salt ^ 0xcbf2_9ce4_8422_2325;
    for byte in key.name().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    match (hash >> 7) % 5 {
        0 => Outcome::Failed {
            why: "it did not work".to_owned(),
            result: json!({"code": 1}),
        },
        n => Outcome::Done {
            result: json!({"reply": format!("r{n}"), "json": {"ok": n > 2}, "out": "", "code": 0}),
        },
    }
}

/// A runner that may be killed, and the world it works in, which lives on.
struct World {
    disk: Vec<Event>,
    run: Run,
    salt: u64,
    /// What was begun for real, and has not been told yet.
    under_way: BTreeSet<Key>,
    begun: BTreeMap<Key, u32>,
    choices: Vec<u8>,
    at: usize,
    kills: u32,
    now: u64,
}

impl World {
    fn new(text: &str, salt: u64, choices: Vec<u8>) -> Self {
        let begin = Beginning {
            run: "r".to_owned(),
            name: "f".to_owned(),
            text: text.to_owned(),
            file: None,
            inputs: json!({}),
            dir: "/".to_owned(),
            by: "somebody".to_owned(),
            hops: 0,
            simulate: false,
        };
        let first = Event {
            at: 1,
            fact: Fact::Started(Box::new(begin)),
        };
        Self {
            run: Run::replay([&first]).unwrap(),
            disk: vec![first],
            salt,
            under_way: BTreeSet::new(),
            begun: BTreeMap::new(),
            choices,
            at: 0,
            kills: 0,
            now: 1,
        }
    }

    /// The next choice; without any left, the usual one.
    fn choose(&mut self, among: usize) -> usize {
        self.at += 1;
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        usize::from(choice) % among.max(1)
    }

    fn write(&mut self, fact: Fact) {
        self.now += 1;
        let event = Event { at: self.now, fact };
        self.run.apply(&event).unwrap();
        self.disk.push(event);
    }

    /// All memory is lost; the disk and the world are not.
    fn kill(&mut self) {
        self.kills += 1;
        let disk = serde_json::to_string(&self.disk).unwrap();
        self.disk = serde_json::from_str(&disk).unwrap();
        self.run = Run::replay(&self.disk).unwrap();
        if self.run.state() == State::Running {
            self.write(Fact::Resumed {
                by: "test".to_owned(),
            });
        }
        // Who takes it up does what was written down and not begun.
        for (key, _) in self.run.open() {
            if !self.begun.contains_key(&key) {
                self.begin(key);
            }
        }
    }

    fn begin(&mut self, key: Key) {
        *self.begun.entry(key.clone()).or_default() += 1;
        self.under_way.insert(key);
    }

    fn maybe_kill(&mut self) -> bool {
        let is_killed = self.choose(9) == 1;
        if is_killed {
            self.kill();
        }
        is_killed
    }

    fn act(&mut self, action: Action) {
        if self.maybe_kill() {
            return;
        }
        match action {
            Action::Begin { key, job } => {
                self.write(Fact::Began {
                    key: key.clone(),
                    job,
                });
                if self.maybe_kill() {
                    return;
                }
                self.begin(key);
            }
            Action::Refuse { key, why } => {
                let outcome = Outcome::Failed {
                    why,
                    result: Value::Null,
                };
                self.write(Fact::Ended { key, outcome });
            }
            Action::Cancel { key, .. } => {
                self.under_way.remove(&key);
                let why = "stopped".to_owned();
                self.write(Fact::Ended {
                    key,
                    outcome: Outcome::Canceled { why },
                });
            }
            Action::Answer { step, round } => {
                let (answer, by) = ("yes".to_owned(), "rule".to_owned());
                self.write(Fact::Answered {
                    step,
                    round,
                    answer,
                    by,
                });
            }
            Action::Exceed { why } => self.write(Fact::Exceeded { why }),
            Action::Wake { at } => self.now = self.now.max(at),
            Action::Finish { state, why } => self.write(Fact::Over { state, why }),
        }
        self.maybe_kill();
    }

    /// One thing that happens in the world, if anything can.
    fn happen(&mut self) {
        let keys: Vec<Key> = self.under_way.iter().cloned().collect();
        let asks = self.run.asks();
        let choice = self.choose(keys.len() + asks.len());
        if let Some(key) = keys.get(choice) {
            let outcome = outcome(key, self.salt);
            self.under_way.remove(key);
            self.write(Fact::Ended {
                key: key.clone(),
                outcome,
            });
        } else if let Some(ask) = asks.get(choice - keys.len()) {
            let answer = ask.options.first().unwrap().clone();
            let (step, round) = (ask.step.clone(), ask.round);
            self.write(Fact::Answered {
                step,
                round,
                answer,
                by: "me".to_owned(),
            });
        }
        self.maybe_kill();
    }

    fn run_to_the_end(mut self) -> Self {
        for _ in 0..2_000 {
            if self.run.state().is_over() {
                return self;
            }
            let actions = self.run.next(self.now);
            let is_idle = actions
                .iter()
                .all(|action| matches!(action, Action::Wake { .. }));
            let is_news = !self.under_way.is_empty() || !self.run.asks().is_empty();
            if is_news && (is_idle || self.choose(2) == 1) {
                self.happen();
                continue;
            }
            let kills = self.kills;
            for action in actions {
                self.act(action);
                if self.kills > kills {
                    break;
                }
            }
        }
        panic!("it comes to no end: {:?}", self.run.view());
    }
}

fn names(view: &synapse_flow::view::RunView) -> Vec<(String, &'static str, u32)> {
    let steps = view.steps.iter();
    steps
        .map(|step| (step.name.clone(), step.state.word(), step.round))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn whoever_is_killed_wherever_nothing_is_repeated_or_lost(
        flow in 0..FLOWS.len(),
        salt in 0_u64..40,
        choices in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let text = FLOWS[flow];
        let calm = World::new(text, salt, Vec::new()).run_to_the_end();
        prop_assert_eq!(calm.kills, 0);
        let wild = World::new(text, salt, choices).run_to_the_end();
        for (key, times) in &wild.begun {
            prop_assert_eq!(*times, 1, "{} was begun {} times", key.name(), times);
        }
        // What had come to its end when a run fails depends on the order; what succeeds does not.
        if calm.run.state() == State::Done {
            prop_assert_eq!(wild.run.state(), State::Done);
            let keys = |world: &World| world.begun.keys().cloned().collect::<Vec<_>>();
            prop_assert_eq!(keys(&wild), keys(&calm));
            prop_assert_eq!(wild.run.output(), calm.run.output());
            prop_assert_eq!(names(&wild.run.view()), names(&calm.run.view()));
        }
        prop_assert_eq!(wild.run.state(), calm.run.state());
    }

    #[test]
    fn a_stopped_run_goes_on_with_what_is_done(
        flow in 0..4_usize,
        salt in 0_u64..40,
        until in 1_usize..12,
        choices in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let calm = World::new(FLOWS[flow], salt, Vec::new()).run_to_the_end();
        let mut world = World::new(FLOWS[flow], salt, choices);
        while world.disk.len() < until && !world.run.state().is_over() {
            let actions = world.run.next(world.now);
            match actions.into_iter().next() {
                Some(Action::Wake { .. }) | None => world.happen(),
                Some(action) => world.act(action),
            }
        }
        if !world.run.state().is_over() {
            world.write(Fact::Stopping { by: "me".to_owned() });
            world = world.run_to_the_end();
            prop_assert_eq!(world.run.state(), State::Stopped);
            world.write(Fact::Resumed { by: "me".to_owned() });
            world = world.run_to_the_end();
        }
        prop_assert!(world.begun.values().all(|times| *times == 1));
        if calm.run.state() == State::Done && world.run.state() == State::Done {
            prop_assert_eq!(world.run.view().steps.len(), calm.run.view().steps.len());
        }
    }
}
