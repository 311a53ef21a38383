//! Flows that are in order and flows that are not, and what the scheduler makes of the former.
#![cfg(test)]

use serde_json::{Value, json};
use synapse_flow::event::{Beginning, State, Work};
use synapse_flow::{Action, Event, Fact, Flow, Key, Outcome, Run};

const REVIEW: &str = r#"
name: review
inputs: {goal: {}, branch: {default: HEAD}}
steps:
  plan:    {agent: claude, prompt: "Plan how to add ${inputs.goal}. List the files."}
  build:   {agent: codex, worktree: true, prompt: "Do this plan:\n${plan.reply}"}
  review:  {each: [claude, gemini], dir: "${build.dir}", prompt: 'Review `git diff ${inputs.branch}`. End with JSON {"ok": bool, "issues": []}', expect: json}
  fix:     {until: "${review.*.json.ok}", max: 3, agent: codex, dir: "${build.dir}", prompt: "Fix:\n${review.*.json.issues}", again: review}
  merge:   {gate: "Merge ${build.branch}?", run: [git, merge, "${build.branch}"]}
"#;

fn problems(text: &str) -> String {
    let found = Flow::parse(text).unwrap_err();
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

struct Play {
    run: Run,
    now: u64,
}

impl Play {
    fn new(text: &str, inputs: Value) -> Self {
        let begin = Beginning {
            run: "r".to_owned(),
            name: "f".to_owned(),
            text: text.to_owned(),
            file: None,
            inputs,
            dir: "/".to_owned(),
            by: "me".to_owned(),
            hops: 0,
            simulate: false,
        };
        Self {
            run: Run::new(begin, 0).unwrap(),
            now: 0,
        }
    }

    fn tell(&mut self, fact: Fact) {
        self.now += 1;
        let event = Event { at: self.now, fact };
        self.run.apply(&event).unwrap();
    }

    /// Begins what can begin; the names and what is asked or run.
    fn begin(&mut self) -> Vec<(Key, String)> {
        let mut begun = Vec::new();
        for action in self.run.next(self.now) {
            match action {
                Action::Begin { key, job } => {
                    let what = match &job.work {
                        Work::Prompt { agent, prompt } => format!("{agent}: {prompt}"),
                        Work::Run { words, .. } => words.join(" "),
                    };
                    self.tell(Fact::Began {
                        key: key.clone(),
                        job,
                    });
                    begun.push((key, what));
                }
                Action::Refuse { key, why } => {
                    begun.push((key.clone(), format!("refused: {why}")));
                    let outcome = Outcome::Failed {
                        why,
                        result: Value::Null,
                    };
                    self.tell(Fact::Ended { key, outcome });
                }
                Action::Finish { state, why } => self.tell(Fact::Over { state, why }),
                Action::Exceed { why } => self.tell(Fact::Exceeded { why }),
                _ => {}
            }
        }
        begun
    }

    fn done(&mut self, key: &Key, result: Value) {
        let outcome = Outcome::Done { result };
        self.tell(Fact::Ended {
            key: key.clone(),
            outcome,
        });
    }

    fn failed(&mut self, key: &Key, why: &str) {
        let outcome = Outcome::Failed {
            why: why.to_owned(),
            result: Value::Null,
        };
        self.tell(Fact::Ended {
            key: key.clone(),
            outcome,
        });
    }

    fn answer(&mut self, answer: &str) {
        let ask = self.run.asks().remove(0);
        self.tell(Fact::Answered {
            step: ask.step,
            round: ask.round,
            answer: answer.to_owned(),
            by: "me".to_owned(),
        });
    }
}

#[test]
fn what_looks_like_a_number_is_text_as_it_is_written_where_text_is_asked() {
    for (step, expected) in [
        ("run: [tag, 1.10, 0x1F, 007, yes]", "tag 1.10 0x1F 007 yes"),
        ("agent: codex, prompt: 1.10", "codex: 1.10"),
    ] {
        let text = format!("name: f\nsteps:\n  a: {{{step}}}\n");
        let begun = Play::new(&text, json!({})).begin();
        assert_eq!(begun[0].1, expected);
    }
}

#[test]
fn the_flow_of_the_manual_goes_round_and_asks_before_it_merges() {
    let mut play = Play::new(REVIEW, json!({"goal": "login", "branch": "HEAD"}));
    let first = play.begin();
    assert_eq!(first[0].1, "claude: Plan how to add login. List the files.");
    play.done(&first[0].0, json!({"reply": "a.rs"}));
    let build = play.begin();
    assert_eq!(build[0].1, "codex: Do this plan:\na.rs");
    play.done(
        &build[0].0,
        json!({"reply": "ok", "dir": "/w", "branch": "b"}),
    );
    let review = play.begin();
    assert_eq!(review.len(), 2, "both review at once");
    play.done(&review[0].0, json!({"json": {"ok": true, "issues": []}}));
    assert!(play.begin().is_empty(), "fan-in waits for both");
    play.done(
        &review[1].0,
        json!({"json": {"ok": false, "issues": ["x", "y"]}}),
    );
    let fix = play.begin();
    assert_eq!(fix[0].1, "codex: Fix:\nx\ny");
    play.done(&fix[0].0, json!({"reply": "done"}));
    let again = play.begin();
    assert_eq!((again.len(), again[0].0.round), (2, 2), "reviewed again");
    for (key, _) in &again {
        play.done(key, json!({"json": {"ok": true, "issues": []}}));
    }
    assert!(play.begin().is_empty());
    assert_eq!(play.run.asks()[0].question, "Merge b?");
    play.answer("yes");
    let merge = play.begin();
    assert_eq!(merge[0].1, "git merge b");
    play.done(&merge[0].0, json!({"code": 0}));
    play.begin();
    assert_eq!(play.run.state(), State::Done);
}

#[test]
fn a_loop_that_is_content_at_once_never_runs_and_one_that_never_is_fails() {
    let mut play = Play::new(REVIEW, json!({"goal": "x", "branch": "HEAD"}));
    for result in [json!({"reply": "p"}), json!({"dir": "/w", "branch": "b"})] {
        let begun = play.begin();
        play.done(&begun[0].0, result);
    }
    for (key, _) in play.begin() {
        play.done(&key, json!({"json": {"ok": true}}));
    }
    assert!(play.begin().is_empty());
    assert_eq!(play.run.asks().len(), 1, "straight to the gate");
    play.answer("no");
    play.begin();
    assert_eq!(play.run.state(), State::Done);
    let merge = play.run.view().steps.pop().unwrap();
    assert_eq!(merge.state.word(), "refused");
    let why = play.run.why().unwrap();
    assert!(why.starts_with("'merge' was refused: "), "{why}");

    let text =
        "name: f\nsteps: {a: {agent: x, prompt: p, until: '${a.json.ok}', max: 2, expect: json}}";
    let mut play = Play::new(text, json!({}));
    for _ in 0..2 {
        let begun = play.begin();
        play.done(&begun[0].0, json!({"json": {"ok": false}}));
    }
    play.begin();
    assert_eq!(play.run.state(), State::Failed);
    assert!(
        play.run.why().unwrap().contains("after 2 rounds"),
        "{:?}",
        play.run.why()
    );
}

#[test]
fn retries_have_a_reason_and_an_end_and_what_failed_can_be_resumed() {
    let text = "name: f\nsteps: {a: {agent: x, prompt: p, retry: {times: 1, wait: 1s}}, b: {run: [echo, x]}}";
    let mut play = Play::new(text, json!({}));
    let first = play.begin();
    play.failed(&first[0].0, "no network");
    assert!(play.begin().is_empty(), "it waits a second");
    assert_eq!(
        play.run.view().steps[0].items[0].why.as_deref(),
        Some("no network")
    );
    play.now += 1_000;
    let second = play.begin();
    assert_eq!(second[0].0.attempt, 2);
    play.failed(&second[0].0, "no network");
    play.begin();
    assert_eq!(play.run.state(), State::Failed);
    assert_eq!(play.run.why(), Some("a: no network"));
    play.tell(Fact::Resumed {
        by: "me".to_owned(),
    });
    let third = play.begin();
    assert_eq!(third[0].0.attempt, 3, "never the same attempt twice");
    play.done(&third[0].0, json!({"reply": "r"}));
    assert_eq!(play.begin()[0].1, "echo x");
}

#[test]
fn limits_stop_a_run_and_say_so() {
    let text = "name: f\nmax_turns: 2\nsteps: {a: {each: [1, 2, 3], agent: x, prompt: '${item}'}}";
    let mut play = Play::new(text, json!({}));
    let begun = play.begin();
    assert_eq!(begun.len(), 2);
    let cancels = play.run.next(play.now).into_iter();
    assert!(
        cancels
            .clone()
            .all(|action| matches!(action, Action::Cancel { .. }))
    );
    for (key, _) in begun {
        let why = "stopped".to_owned();
        play.tell(Fact::Ended {
            key,
            outcome: Outcome::Canceled { why },
        });
    }
    play.begin();
    assert_eq!(play.run.why(), Some("it needs more than max_turns: 2"));

    let text = "name: f\nmax_minutes: 1\nsteps: {a: {agent: x, prompt: p, timeout: 5s}}";
    let mut play = Play::new(text, json!({}));
    play.begin();
    assert_eq!(play.run.next(0), [Action::Wake { at: 5_001 }]);
    assert!(matches!(
        play.run.next(5_001)[..],
        [Action::Cancel { .. }, ..]
    ));
    assert!(matches!(play.run.next(60_000)[..], [Action::Exceed { .. }]));
}

#[test]
fn at_most_so_many_at_once_and_a_pool_has_one_for_each() {
    let text = "name: f\nsteps: {a: {each: [1, 2, 3, 4], at_once: 2, agent: x, prompt: '${item}'}}";
    let mut play = Play::new(text, json!({}));
    let begun = play.begin();
    assert_eq!(begun.len(), 2);
    play.done(&begun[1].0, json!({"reply": "r"}));
    assert_eq!(play.begin()[0].1, "x: 3");

    let text = "name: f\nsteps: {a: {each: [1, 2, 3], agent: [x, y], prompt: '${item}'}}";
    let mut play = Play::new(text, json!({}));
    let begun = play.begin();
    let said: Vec<&str> = begun.iter().map(|(_, said)| said.as_str()).collect();
    assert_eq!(said, ["x: 1", "y: 2"]);
    play.done(&begun[1].0, json!({"reply": "r"}));
    assert_eq!(play.begin()[0].1, "y: 3", "whoever is idle");
}

#[test]
fn a_value_never_becomes_an_option_a_program_or_another_argument() {
    let text = "name: f\ninputs: {b: {}}\nsteps: {a: {run: [git, merge, '${inputs.b}']}}";
    for (value, said) in [
        ("x y; rm -rf /", "git merge x y; rm -rf /"),
        (
            "--upload-pack=evil",
            "refused: the argument '--upload-pack=evil' comes from a value and begins with -, so it would be an option",
        ),
    ] {
        let mut play = Play::new(text, json!({"b": value}));
        let actions = play.run.next(0);
        if let Action::Begin { job, .. } = &actions[0] {
            let Work::Run { words, .. } = &job.work else {
                panic!()
            };
            assert_eq!(words.len(), 3, "one argument stays one");
        }
        assert_eq!(play.begin()[0].1, said);
    }
    let prefixed = "name: f\ninputs: {b: {}}\nsteps: {a: {run: [x, '--to=${inputs.b}']}}";
    let mut play = Play::new(prefixed, json!({"b": "-y"}));
    assert_eq!(play.begin()[0].1, "x --to=-y");
    let agent = "name: f\ninputs: {b: {}}\nsteps: {a: {agent: '${inputs.b}', prompt: p}}";
    let mut play = Play::new(agent, json!({"b": "--help"}));
    assert!(play.begin()[0].1.contains("cannot be the name of an agent"));
}

#[test]
fn steps_run_in_order_unless_they_may_run_at_once() {
    let steps = "steps: {a: {run: [a]}, b: {run: [b]}, c: {run: [c], needs: [a]}}";
    let mut play = Play::new(&format!("name: f\n{steps}"), json!({}));
    let a = play.begin();
    assert_eq!(a.len(), 1);
    play.done(&a[0].0, json!({}));
    let said: Vec<String> = play.begin().into_iter().map(|(_, said)| said).collect();
    assert_eq!(said, ["b", "c"], "needs says what c waits for");
    let mut play = Play::new(&format!("name: f\nparallel: true\n{steps}"), json!({}));
    assert_eq!(play.begin().len(), 2);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (text, wanted) in [
        (
            "name: f\nsteps:\n  a: {agent: x, promt: p}\n",
            "3:17: the step 'a' has no key 'promt'; did you mean 'prompt'?",
        ),
        (
            "name: f\nsteps:\n  a: {agent: x, prompt: '${plam.reply}'}\n  plan: {run: [x]}\n",
            "3:3: plam.reply: there is no step 'plam'; did you mean 'plan'?",
        ),
        (
            "name: f\nsteps: {a: {run: [x], needs: [b]}, b: {run: [x], needs: [a]}}",
            "these steps wait for each other: a → b → a",
        ),
        (
            "name: f\nsteps: {a: {agent: x, prompt: '${b.out}'}, b: {run: [x]}}",
            "wait for each other",
        ),
        (
            "name: f\nsteps: {a: {agent: x, prompt: p}, b: {run: [echo, '${a.json.ok}']}}",
            "'a' gives no json: it has no expect: json",
        ),
        (
            "name: f\nsteps: {a: {each: [x, y], prompt: p}, b: {run: [echo, '${a.reply}']}}",
            "'a' has each, so it gives a list",
        ),
        (
            "name: f\nsteps: {a: {agent: x, prompt: p}, b: {each: '${a.reply}', run: [x]}}",
            "each of 'b' needs a list, and a.reply is text",
        ),
        (
            "name: f\nsteps: {a: {shell: 'echo ${inputs.x}'}}",
            "a shell text takes no values",
        ),
        (
            "name: f\ninputs: {p: {}}\nsteps: {a: {run: ['${inputs.p}', x]}}",
            "must be written out",
        ),
        (
            "name: f\ninputs: {p: {}}\nsteps: {a: {run: '${inputs.p}'}}",
            "must have type: command",
        ),
        (
            "name: f\nsteps: {a: {agent: x, prompt: p}, b: {run: [x], dir: '${a.reply}'}}",
            "cannot choose a folder",
        ),
        (
            "name: f\nsteps: {a: {agent: x, prompt: 'a ${b ~ c}'}}",
            "was not expected here",
        ),
        (
            "name: f\nsteps: {a: {agent: x}}",
            "has an agent, but no prompt",
        ),
        ("name: f\nsteps: {a: {prompt: p}}", "must name its agent"),
        (
            "name: f\nsteps: {a: {run: [x], timeout: soon}}",
            "timeout must be a time such as 90s",
        ),
        (
            "name: f\nsteps: {a: {agent: x, prompt: p, expect: {type: object, patternProperties: {}}}}",
            "'patternProperties', which is not known here",
        ),
        (
            "name: f\nsteps: {a: {agent: x, prompt: p, expect: {type: object, properties: {ok: {}}}}, b: {run: [x, '${a.json.no}']}}",
            "the schema of the reply has no 'no'",
        ),
        (
            "name: f\nsteps: {a: {run: [x], again: a}}",
            "has max or again, but no until",
        ),
        (
            "name: f\nsteps: {a: {run: [x], on_error: nobody}}",
            "there is no step 'nobody'",
        ),
        ("steps: {a: {run: [x]}}", "a flow must have a name"),
        ("name: f", "a flow must have steps"),
        (
            "name: f\nsteps: {inputs: {run: [x]}}",
            "cannot be the name of a step",
        ),
        (
            "name: f\nsteps: {a: {run: [x], gate: 'ok ${item}?'}}",
            "there is no item",
        ),
        (
            "name: f\ninputs: {n: {type: number, default: many}}\nsteps: {a: {run: [x]}}",
            "the default of 'n' must be a number",
        ),
    ] {
        let found = problems(text);
        assert!(found.contains(wanted), "{text}\n{found}\nis not: {wanted}");
    }
}

#[test]
fn a_group_is_at_work_while_one_of_its_steps_is() {
    let text =
        "name: f\nsteps: {g: {all: {a: {run: [a]}, b: {run: [b], needs: a}}}, end: {run: [e]}}";
    let mut play = Play::new(text, json!({}));
    let shown = |play: &Play| {
        let steps = play.run.view().steps;
        let group = steps.into_iter().find(|step| step.name == "g").unwrap();
        (group.state.word(), group.began_at.is_some())
    };
    assert_eq!(shown(&play), ("waiting", false));
    for _ in 0..2 {
        let begun = play.begin();
        assert_eq!(shown(&play), ("running", true));
        play.done(&begun[0].0, json!({}));
    }
    assert_eq!(shown(&play), ("done", true));
}

#[test]
fn what_is_wrong_is_told_once() {
    for (step, wanted) in [
        ("{agent: x, prompt: 'say ${inputs.}'}", "prompt: ${inputs.}"),
        ("{gate: 'go ${inputs.}?'}", "gate: ${inputs.}"),
        ("{each: '${inputs.}', prompt: p}", "each: ${inputs.}"),
        (
            "{run: [x], until: '${inputs.}', max: 2}",
            "until: ${inputs.}",
        ),
        ("{run: [x, '${inputs.}']}", "run: ${inputs.}"),
        ("{run: '${inputs.}'}", "run: ${inputs.}"),
        ("{shell: {}}", "shell"),
    ] {
        let text = format!("name: f\nsteps:\n  a: {step}\n  b: {{run: [x], needs: a}}\n");
        let found = problems(&text);
        assert_eq!(found.lines().count(), 1, "{text}\n{found}");
        assert!(found.contains(wanted), "{text}\n{found}");
    }
}

#[test]
fn a_plan_tells_who_is_asked_what() {
    let begin = Beginning {
        run: "r".to_owned(),
        name: "review".to_owned(),
        text: REVIEW.to_owned(),
        file: None,
        inputs: json!({"goal": "login", "branch": "main"}),
        dir: "/repo".to_owned(),
        by: "me".to_owned(),
        hops: 0,
        simulate: false,
    };
    let plan = synapse_flow::plan::tell(&begin).unwrap();
    for part in [
        "plan  asks claude  at once",
        "| Plan how to add login. List the files.",
        "build  asks codex  after plan",
        "once for each of claude, gemini",
        "| Fix:\n",
        "| ${review.*.json.issues}",
        "a person is asked: Merge ${build.branch}?",
        "runs git merge ${build.branch}  after build, fix",
    ] {
        assert!(plan.contains(part), "{plan}\nlacks: {part}");
    }
}

#[test]
fn in_a_simulation_replies_lead_to_the_end() {
    let flow = Flow::parse(REVIEW).unwrap();
    let reply = synapse_flow::simulate::reply(&flow, "review");
    assert_eq!(
        serde_json::from_str::<Value>(&reply).unwrap(),
        json!({"ok": true, "issues": []})
    );
    assert!(synapse_flow::simulate::reply(&flow, "plan").contains("plan"));
}
