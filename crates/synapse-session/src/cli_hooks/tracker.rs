//! Decides which hook events to believe. Pure.
//!
//! Each hook is a process of its own, so events can overtake each other. Tools are children of the program
//! just as hooks are, so a tool could send a false event. A turn is not over while one of its tools runs:
//! an event that says so is ignored, and the transcript or the screen decides. Where an end may be that of
//! another turn, or may be made up, somebody else must agree.

use std::collections::HashSet;
use std::path::PathBuf;

use super::event::{HookEvent, What};
use crate::HookFact;

/// How the hooks of one program stand.
#[derive(Debug, Default)]
pub struct Tracker {
    session: Option<String>,
    /// Tools that were begun and have not ended.
    open: HashSet<String>,
    /// Tools of this turn that have ended.
    ended: HashSet<String>,
    /// A message was taken, and its turn is not over.
    is_working: bool,
    ends: Ends,
    /// An end, with the name of its turn, that was told while no turn was open: it may have overtaken the beginning.
    early: Option<(String, HookFact)>,
    has_spoken: bool,
}

/// Which ends of turns are still to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Ends {
    #[default]
    Told,
    /// That of the last turn.
    Owed,
    /// Those of the last turn and of the one before, and without names nobody can tell them apart.
    Unclear,
}

/// Something that follows from an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// This file is the transcript of the conversation.
    Bound(PathBuf),
    /// Something about the turn.
    Turn(HookFact),
    /// The program goes on: a tool begins or has ended.
    Goes,
    /// The turn is said to be over while a tool is at work.
    Doubt,
    /// The turn may have ended in this way, if somebody else agrees.
    Unsure(HookFact),
}

impl Tracker {
    /// Whether the program has spoken at all.
    pub fn has_spoken(&self) -> bool {
        self.has_spoken
    }

    /// Whether a turn is open, for all the hooks said.
    pub fn is_working(&self) -> bool {
        self.is_working
    }

    /// What follows from an event.
    pub fn note(&mut self, event: &HookEvent) -> Vec<Statement> {
        self.has_spoken = true;
        let mut statements = Vec::new();
        if self.is_another(event) {
            return statements;
        }
        let is_new = self.session.as_ref() != Some(&event.session);
        self.session = Some(event.session.clone());
        if let Some(path) = event.transcript.as_ref().filter(|_| is_new) {
            statements.push(Statement::Bound(path.clone()));
        }
        let id = event.turn.clone();
        match &event.what {
            What::Prompt(prompt) => {
                // A tool that pretends to be the next message is still at work.
                if !self.is_working {
                    self.open.clear();
                    self.ended.clear();
                    self.ends = match self.ends {
                        Ends::Owed | Ends::Unclear if id.is_none() => Ends::Unclear,
                        _ => Ends::Owed,
                    };
                }
                self.is_working = true;
                let early = self
                    .early
                    .take()
                    .filter(|(turn, _)| Some(turn) == id.as_ref());
                let prompt = prompt.clone();
                statements.push(Statement::Turn(HookFact::Taken { prompt, id }));
                if let Some((_, fact)) = early {
                    statements.push(self.end(fact));
                }
            }
            What::ToolBegins(tool) => {
                self.open.insert(tool.id.clone());
                statements.push(Statement::Goes);
            }
            What::ToolEnds(tool, _) => {
                self.open.remove(&tool.id);
                self.ended.insert(tool.id.clone());
                statements.push(Statement::Goes);
            }
            What::Step(_) => statements.push(Statement::Goes),
            What::Over(_) | What::Failed(_) if !self.open.is_empty() => {
                statements.push(Statement::Doubt);
            }
            What::Over(text) => {
                let text = text.clone();
                statements.push(self.end(HookFact::Over { text, id }));
            }
            What::Failed(text) => {
                let text = text.clone();
                statements.push(self.end(HookFact::Failed { text, id }));
            }
            // A program is stopped while a tool is at work, too.
            What::Interrupted if !self.open.is_empty() => {
                statements.push(Statement::Unsure(HookFact::Interrupted));
            }
            What::Interrupted => statements.push(self.end(HookFact::Interrupted)),
            What::Permission(_)
            | What::Said(_)
            | What::SessionStart
            | What::SessionEnd
            | What::Other => {}
        }
        statements
    }

    /// Whether the end of this tool was told.
    pub fn has_ended(&self, tool: &str) -> bool {
        self.ended.contains(tool)
    }

    /// This tool has answered, by the transcript: no hook tells of one that a hook of the user's has blocked.
    pub fn note_answered(&mut self, tool: &str) {
        self.open.remove(tool);
    }

    /// No tool is at work any longer: what one wanted to do was refused.
    pub fn close_tools(&mut self) {
        self.open.clear();
    }

    /// The turn ended in a way that no hook tells.
    pub fn close_turn(&mut self) {
        self.open.clear();
        self.is_working = false;
    }

    /// Subagents have turns of their own, and so have other conversations; one that begins while no turn
    /// is open is where the program goes on.
    fn is_another(&self, event: &HookEvent) -> bool {
        if event.is_aside && !matches!(event.what, What::Permission(_)) {
            return true;
        }
        let is_same = self
            .session
            .as_ref()
            .is_none_or(|own| *own == event.session);
        let begins = matches!(event.what, What::SessionStart | What::Prompt(_));
        !is_same && (self.is_working || !begins)
    }

    fn end(&mut self, fact: HookFact) -> Statement {
        let turn = fact.id().filter(|_| !self.is_working);
        self.early = turn.map(|turn| (turn.clone(), fact.clone()));
        if self.ends == Ends::Unclear {
            self.ends = Ends::Owed;
            return Statement::Unsure(fact);
        }
        self.ends = Ends::Told;
        self.close_turn();
        Statement::Turn(fact)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use synapse_a2a::step::StepState;

    use super::super::event::{ToolEnd, ToolUse};
    use super::*;

    fn event(session: &str, what: What) -> HookEvent {
        HookEvent {
            session: session.to_owned(),
            transcript: Some(PathBuf::from(format!("/{session}.jsonl"))),
            turn: None,
            is_aside: false,
            what,
        }
    }

    fn prompt(text: &str) -> What {
        What::Prompt(text.to_owned())
    }

    fn over(text: &str) -> Statement {
        Statement::Turn(HookFact::Over {
            text: Some(text.to_owned()),
            id: None,
        })
    }

    fn tool(name: &str) -> (What, What) {
        let tool = ToolUse {
            id: name.to_owned(),
            tool: "Bash".to_owned(),
            input: serde_json::Value::Null,
        };
        let end = ToolEnd {
            state: StepState::Ok,
            duration_ms: None,
            edit: None,
        };
        (What::ToolBegins(tool.clone()), What::ToolEnds(tool, end))
    }

    #[test]
    fn a_turn_is_not_over_while_a_tool_is_at_work() {
        let mut tracker = Tracker::default();
        let (begins, ends) = tool("t");
        tracker.note(&event("a", prompt("hi")));
        assert_eq!(tracker.note(&event("a", begins)), [Statement::Goes]);
        let said = event("a", What::Over(Some("done".to_owned())));
        assert_eq!(tracker.note(&said), [Statement::Doubt]);
        assert!(tracker.is_working());
        assert_eq!(tracker.note(&event("a", ends)), [Statement::Goes]);
        assert!(tracker.is_working(), "what was said too early stays unsaid");
        assert_eq!(tracker.note(&said), [over("done")]);
        assert!(!tracker.is_working());
    }

    #[test]
    fn a_tool_that_was_refused_is_not_at_work() {
        let mut tracker = Tracker::default();
        tracker.note(&event("a", prompt("hi")));
        tracker.note(&event("a", tool("t").0));
        tracker.close_tools();
        let said = event("a", What::Over(Some("done".to_owned())));
        assert_eq!(tracker.note(&said), [over("done")]);
    }

    #[test]
    fn other_conversations_and_subagents_end_no_turn() {
        let mut tracker = Tracker::default();
        let bound = |name: &str| Statement::Bound(PathBuf::from(name));
        assert_eq!(
            tracker.note(&event("a", What::SessionStart)),
            [bound("/a.jsonl")]
        );
        tracker.note(&event("a", prompt("hi")));
        assert_eq!(tracker.note(&event("title", prompt("name this"))), []);
        assert_eq!(tracker.note(&event("title", What::Over(None))), []);
        let aside = HookEvent {
            is_aside: true,
            ..event("a", What::Over(Some("aside".to_owned())))
        };
        assert_eq!(tracker.note(&aside), []);
        let own = event("a", What::Over(Some("done".to_owned())));
        assert_eq!(tracker.note(&own), [over("done")]);
        assert_eq!(
            tracker.note(&event("b", What::SessionStart)),
            [bound("/b.jsonl")]
        );
    }

    #[test]
    fn a_turn_that_failed_or_was_stopped_while_a_tool_is_at_work_is_not_taken_on_trust() {
        let mut tracker = Tracker::default();
        tracker.note(&event("a", prompt("hi")));
        tracker.note(&event("a", tool("t").0));
        let failed = event("a", What::Failed("no credit".to_owned()));
        assert_eq!(tracker.note(&failed), [Statement::Doubt]);
        let stopped = event("a", What::Interrupted);
        let unsure = Statement::Unsure(HookFact::Interrupted);
        assert_eq!(tracker.note(&stopped), [unsure]);
        assert!(tracker.is_working());
    }

    #[test]
    fn a_tool_whose_answer_the_transcript_has_is_not_at_work() {
        let mut tracker = Tracker::default();
        tracker.note(&event("a", prompt("hi")));
        tracker.note(&event("a", tool("blocked").0));
        tracker.note_answered("blocked");
        let said = event("a", What::Over(Some("done".to_owned())));
        assert_eq!(tracker.note(&said), [over("done")]);
    }

    /// Claude Code below 2.1.197 gives its turns no names.
    #[test]
    fn an_end_without_a_name_may_be_that_of_a_turn_whose_end_was_not_heard() {
        let mut tracker = Tracker::default();
        tracker.note(&event("a", prompt("one")));
        tracker.close_turn();
        tracker.note(&event("a", prompt("two")));
        let end = |text: &str| event("a", What::Over(Some(text.to_owned())));
        let unsure = |text: &str| {
            vec![Statement::Unsure(HookFact::Over {
                text: Some(text.to_owned()),
                id: None,
            })]
        };
        assert_eq!(tracker.note(&end("one's")), unsure("one's"));
        assert_eq!(tracker.note(&end("two's")), [over("two's")]);
        tracker.note(&event("a", prompt("three")));
        assert_eq!(tracker.note(&end("three's")), [over("three's")]);

        let named = |what: What, turn: &str| HookEvent {
            turn: Some(turn.to_owned()),
            ..event("a", what)
        };
        let mut tracker = Tracker::default();
        tracker.note(&named(prompt("one"), "1"));
        tracker.close_turn();
        tracker.note(&named(prompt("two"), "2"));
        let late = tracker.note(&named(What::Over(None), "1"));
        assert!(matches!(late[..], [Statement::Turn(_)]), "its name tells");
    }

    #[test]
    fn an_end_that_overtakes_its_beginning_leaves_no_turn_open() {
        let named = |what: What| HookEvent {
            turn: Some("1".to_owned()),
            ..event("a", what)
        };
        let mut tracker = Tracker::default();
        tracker.note(&event("a", What::SessionStart));
        let end = tracker.note(&named(What::Over(Some("done".to_owned()))));
        let begun = tracker.note(&named(prompt("hi")));
        assert!(matches!(
            begun[..],
            [Statement::Turn(HookFact::Taken { .. }), _]
        ));
        assert_eq!(begun[1..], end);
        assert!(!tracker.is_working());
        tracker.note(&named(prompt("hi")));
        assert!(tracker.is_working(), "what was told is told");
    }

    fn made_up() -> impl Strategy<Value = HookEvent> {
        let what = prop_oneof![
            Just(What::SessionStart),
            Just(What::SessionEnd),
            Just(What::Other),
            Just(prompt("hi")),
            Just(prompt("another")),
            Just(tool("another").0),
            Just(tool("another").1),
            Just(tool("").1),
            Just(What::Over(Some("FALSE".to_owned()))),
            Just(What::Over(None)),
            Just(What::Failed("FALSE".to_owned())),
            Just(What::Interrupted),
        ];
        let session = prop_oneof![Just("a"), Just("b")];
        let turn = proptest::option::of(prop_oneof![Just("1"), Just("2")]);
        (what, session, turn, any::<bool>()).prop_map(|(what, session, turn, is_aside)| HookEvent {
            turn: turn.map(str::to_owned),
            is_aside,
            transcript: Some(PathBuf::from("/made/up")),
            ..event(session, what)
        })
    }

    proptest! {
        /// A tool may say whatever it likes, except that it has ended: it does not know its name.
        #[test]
        fn nothing_that_a_tool_makes_up_ends_the_turn_it_runs_in(
            events in proptest::collection::vec(made_up(), 1..12),
        ) {
            let mut tracker = Tracker::default();
            tracker.note(&event("a", What::SessionStart));
            tracker.note(&event("a", prompt("hi")));
            tracker.note(&event("a", tool("t").0));
            for event in &events {
                for statement in tracker.note(event) {
                    let is_end = match &statement {
                        Statement::Turn(fact) => !matches!(fact, HookFact::Taken { .. }),
                        Statement::Bound(_) => true,
                        Statement::Goes | Statement::Doubt | Statement::Unsure(_) => false,
                    };
                    prop_assert!(!is_end, "{statement:?} after {events:?}");
                }
                prop_assert!(tracker.is_working());
            }
        }
    }
}
