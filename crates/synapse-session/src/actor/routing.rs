//! The person's keys on their way to the program. All pass at once and unchanged, but for the Enter of
//! a line for another agent: it waits until it is known who is meant and until the screen shows that
//! the line is really there. Where either is in doubt it passes like any other key.

use std::time::Duration;

use synapse_term::keys::{Discipline, Key, encode};
use synapse_term::reading::State;
use synapse_term::router::{Candidate, LineFeed, Pattern, Router, Step};
use tokio::sync::mpsc;

use super::{Session, bare};
use crate::{Author, Dispatch, LineTarget, Notice, OutboxRequest};

/// How long an Enter may be held until the screen has drawn the line.
const SCREEN_PATIENCE: Duration = Duration::from_millis(150);

/// The same while the program is seen painting: on a busy machine it is behind, and the line will come.
const PAINTING_PATIENCE: Duration = Duration::from_millis(600);

/// A program that has painted nothing for this long has drawn all it had.
const PAINTED: Duration = Duration::from_millis(100);

/// A lone ESC is the Escape key if nothing follows it for this long.
const ESCAPE_PATIENCE: Duration = Duration::from_millis(30);

/// How long the program may take to show an empty box.
const CLEAR_PATIENCE: Duration = Duration::from_millis(600);

/// How long the echo of a terminal that reads lines may take to erase one.
const ECHO_PATIENCE: Duration = Duration::from_millis(60);

/// After this long without a key, an empty box is empty and not late.
const QUIET: Duration = Duration::from_secs(1);

/// The same where it is not known what is in it: somebody may have leafed through the history and back.
const LOST_QUIET: Duration = Duration::from_millis(200);

/// How many bytes may wait behind a held Enter.
const MOST_HELD: usize = 64 << 10;

/// How lines are routed.
pub struct RoutingSetup {
    /// What a line for another agent looks like.
    pub pattern: Option<Pattern>,
    /// A line for nobody we know goes to the program.
    pub passes_unknown: bool,
    /// Lines of the person are looked at; else all go to the program.
    pub lines: bool,
    /// Who does what must be done outside.
    pub outbox: mpsc::Sender<OutboxRequest>,
}

/// The person's keyboard.
pub(super) struct Routing {
    router: Router,
    passes_unknown: bool,
    lines: bool,
    outbox: mpsc::Sender<OutboxRequest>,
    line: Option<HeldLine>,
    /// What was typed behind it.
    behind: Vec<u8>,
    release_at: Option<Duration>,
    /// When to look whether the box is empty though the router does not know.
    look_at: Option<Duration>,
    count: u64,
}

/// A line whose Enter was not passed.
struct HeldLine {
    number: u64,
    candidate: Candidate,
    found: Option<LineTarget>,
    phase: RoutingPhase,
    /// When it is decided at the latest.
    last: Duration,
}

#[derive(Clone, Copy, PartialEq)]
enum RoutingPhase {
    /// Nothing is decided before this.
    Deciding { until: Duration },
    /// The box is being emptied.
    Clearing { until: Duration },
}

impl Routing {
    pub(super) fn new(setup: RoutingSetup) -> Self {
        Self {
            router: Router::new(setup.pattern.unwrap_or_default(), LineFeed::Breaks),
            passes_unknown: setup.passes_unknown,
            lines: setup.lines,
            outbox: setup.outbox,
            line: None,
            behind: Vec::new(),
            release_at: None,
            look_at: None,
            count: 0,
        }
    }

    /// When something is to be done about the keys, if at all.
    pub(super) fn deadline(&self) -> Option<Duration> {
        let line = self.line.as_ref().map(|line| match line.phase {
            RoutingPhase::Deciding { until } | RoutingPhase::Clearing { until } => until,
        });
        [line, self.release_at, self.look_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// Somebody at a terminal has begun a line.
    pub(super) fn has_draft(&self) -> bool {
        self.line.is_some() || !self.router.is_at_rest()
    }

    pub(super) fn tell(&self, outbox_request: OutboxRequest) -> bool {
        self.outbox.try_send(outbox_request).is_ok()
    }

    fn log(&self, line: &HeldLine, decision: &str) {
        let handle = match &line.candidate.command {
            Ok(command) => &command.handle,
            Err(error) => &error.handle,
        };
        self.tell(OutboxRequest::Log(format!("to={handle} {decision}")));
    }
}

impl Session {
    /// The person pressed keys.
    pub(super) fn type_keys(&mut self, bytes: &[u8], now: Duration) {
        self.dismiss_notices(now);
        let routing = &mut self.routing;
        if routing.line.is_some() {
            routing.behind.extend_from_slice(bytes);
            if routing.behind.len() > MOST_HELD {
                self.pass_line("passed: too much was typed behind it", now);
            }
            return;
        }
        self.feed_keys(bytes, now);
    }

    /// A program pressed keys: they make a draft like any other, but are never a message.
    pub(super) fn press_keys(&mut self, keys: &[Key], now: Duration) {
        let mode = self.watcher.screen().modes().keyboard();
        let bytes: Vec<u8> = keys.iter().flat_map(|key| encode(key, &mode)).collect();
        if self.routing.line.is_some() || self.reads_answer_keys() {
            return self.write(&bytes, now);
        }
        for step in self.routing.router.feed(&bytes) {
            match step {
                Step::Pass(bytes) => self.write(&bytes, now),
                Step::Line(candidate) => self.write(&candidate.enter, now),
            }
        }
        self.wait_for_more(now);
    }

    /// A question that is read key by key: what is pressed is an answer, and begins no line.
    fn reads_answer_keys(&self) -> bool {
        self.watcher.reading().state() == State::Asking && self.discipline() == Discipline::Raw
    }

    fn feed_keys(&mut self, bytes: &[u8], now: Duration) {
        if self.routing.router.is_at_rest() && self.reads_answer_keys() {
            return self.write(bytes, now);
        }
        if bytes.contains(&b'\n') {
            let line_feed = match self.discipline() {
                Discipline::Canonical => LineFeed::Submits,
                Discipline::Raw => LineFeed::Breaks,
            };
            self.routing.router.set_line_feed(line_feed);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let (steps, taken) = self.routing.router.feed_to_line(rest);
            rest = rest.get(taken..).unwrap_or_default();
            for step in steps {
                match step {
                    Step::Pass(bytes) => self.write(&bytes, now),
                    Step::Line(candidate) => self.hold(candidate, now),
                }
            }
            if self.routing.line.is_some() {
                self.routing.behind.extend_from_slice(rest);
                break;
            }
        }
        self.wait_for_more(now);
    }

    fn wait_for_more(&mut self, now: Duration) {
        let routing = &mut self.routing;
        routing.release_at = routing.router.is_waiting().then_some(now + ESCAPE_PATIENCE);
        let quiet = if routing.router.shadow().is_known {
            QUIET
        } else {
            LOST_QUIET
        };
        routing.look_at = (!routing.router.is_at_rest()).then_some(now + quiet);
    }

    /// Keeps an Enter back, and asks who is meant.
    fn hold(&mut self, candidate: Candidate, now: Duration) {
        self.routing.count += 1;
        let line = HeldLine {
            number: self.routing.count,
            candidate,
            found: None,
            phase: RoutingPhase::Deciding {
                until: now + SCREEN_PATIENCE,
            },
            last: now + PAINTING_PATIENCE,
        };
        let (handle, files) = match &line.candidate.command {
            Ok(command) => (command.handle.clone(), command.files.clone()),
            Err(error) => (error.handle.clone(), Vec::new()),
        };
        let outbox_request = OutboxRequest::Find {
            line: line.number,
            handle,
            files,
        };
        let is_asked = self.may_route() && self.routing.tell(outbox_request);
        self.routing.line = Some(line);
        if !is_asked {
            self.pass_line("passed: nothing is routed now", now);
        }
    }

    /// In a question an Enter is an answer, and before the program is ready nothing is sure.
    fn may_route(&self) -> bool {
        let state = self.watcher.reading().state();
        self.routing.lines && matches!(state, State::Idle | State::Busy)
    }

    /// The courier has found out who is meant.
    pub(super) fn take_found(&mut self, number: u64, found: LineTarget) {
        if let Some(line) = &mut self.routing.line
            && line.number == number
        {
            line.found = Some(found);
        }
    }

    /// The screen, the courier or the time may have decided something.
    pub(super) fn advance_routing(&mut self, now: Duration) {
        if self.routing.release_at.is_some_and(|at| now >= at) {
            self.routing.release_at = None;
            for step in self.routing.router.release() {
                if let Step::Pass(bytes) = step {
                    self.write(&bytes, now);
                }
            }
        }
        if self.routing.look_at.is_some_and(|at| now >= at) {
            self.routing.look_at = None;
            self.look_for_empty_box();
        }
        match self.routing.line.as_ref().map(|line| line.phase) {
            Some(RoutingPhase::Deciding { until }) => self.decide(until, now),
            Some(RoutingPhase::Clearing { until }) => self.confirm_cleared(until, now),
            None => {}
        }
    }

    /// The program shows an empty box: whatever the router believes, nobody is in the middle of a line.
    pub(super) fn look_for_empty_box(&mut self) {
        if self.routing.line.is_some() {
            return;
        }
        // What is typed ahead of a line program waits in its terminal, not on the screen.
        let shadow = self.routing.router.shadow();
        let is_in_terminal = shadow.is_known && self.discipline() == Discipline::Canonical;
        if !is_in_terminal && self.watcher.typed_text().is_none_or(|text| text.is_empty()) {
            self.routing.router.saw_empty_box();
        }
    }

    fn decide(&mut self, until: Duration, now: Duration) {
        let still_at = self.painted_at + PAINTED;
        let mut is_due = now >= until;
        if let Some(line) = &mut self.routing.line
            && is_due
            && line.found.is_some()
            && now < still_at.min(line.last)
        {
            let until = still_at.min(line.last);
            line.phase = RoutingPhase::Deciding { until };
            is_due = false;
        }
        let Some(line) = &self.routing.line else {
            return;
        };
        let Some(found) = line.found.clone() else {
            if is_due {
                self.pass_line("passed: it was not found out in time who is meant", now);
            }
            return;
        };
        if let (LineTarget::Nobody(why), true) = (&found, self.routing.passes_unknown) {
            let why = format!("[{why}; the line went to {}]", self.profile.name);
            self.tell_person(&why, now);
            return self.pass_line("passed: nobody is called that", now);
        }
        let typed = bare(&line.candidate.text);
        let is_there = self
            .watcher
            .typed_text()
            .is_some_and(|text| bare(&text) == typed);
        if !self.may_route() {
            return self.pass_line("passed: the program asks something", now);
        }
        if !is_there {
            if is_due {
                self.pass_line("passed: the screen does not show the line", now);
            }
            return;
        }
        let command = match &self.routing.line {
            Some(line) => line.candidate.command.clone(),
            None => return,
        };
        match (command, found) {
            (Ok(command), LineTarget::Known) => {
                let dispatch = Dispatch {
                    command,
                    hops: 0,
                    author: Author::Person,
                };
                if !self.routing.tell(OutboxRequest::Send(dispatch)) {
                    return self.pass_line("passed: too many messages are on their way", now);
                }
                self.clear_box("sent", now);
            }
            (Ok(_), LineTarget::Nobody(why)) => {
                self.tell_person(&format!("[{why}; nothing was sent]"), now);
                self.clear_box("removed: nobody is called that", now);
            }
            (Ok(_), LineTarget::Wrong(why)) => self.leave_line(&why, now),
            (Err(error), _) => self.leave_line(&error.to_string(), now),
        }
    }

    /// Lets the Enter go as if nothing had been.
    fn pass_line(&mut self, decision: &str, now: Duration) {
        let Some(line) = self.routing.line.take() else {
            return;
        };
        self.routing.log(&line, decision);
        self.write(&line.candidate.enter, now);
        self.go_on_typing(now);
    }

    /// Swallows the Enter and leaves the text, for the person to mend.
    fn leave_line(&mut self, why: &str, now: Duration) {
        let Some(line) = self.routing.line.take() else {
            return;
        };
        self.routing
            .log(&line, "left in the box: it cannot be sent like this");
        self.routing.router.put_back(&line.candidate);
        self.tell_person(&format!("[{why}; nothing was sent]"), now);
        self.go_on_typing(now);
    }

    fn go_on_typing(&mut self, now: Duration) {
        let behind = std::mem::take(&mut self.routing.behind);
        self.feed_keys(&behind, now);
    }

    /// Takes the line out of the box with the profile's keys, or else with Backspace, which is safe
    /// everywhere and at any time: Ctrl-C would stop a program at work, and twice in a second it ends
    /// Claude even with text in its box.
    fn clear_box(&mut self, decision: &str, now: Duration) {
        let (discipline, mode) = (self.discipline(), self.watcher.screen().modes().keyboard());
        let Some(line) = &mut self.routing.line else {
            return;
        };
        let press =
            |name: &str| Key::parse(name).map_or_else(|_| Vec::new(), |key| encode(&key, &mode));
        let given = &self.profile.clear_input_keys;
        let (keys, patience) = match discipline {
            _ if !given.is_empty() => {
                let keys = given.iter().flat_map(|name| press(name));
                (keys.collect(), CLEAR_PATIENCE)
            }
            Discipline::Canonical => (press("ctrl-u"), ECHO_PATIENCE),
            Discipline::Raw => {
                let Candidate { text, cursor, .. } = &line.candidate;
                let mut keys = if *cursor < text.len() {
                    press("end")
                } else {
                    Vec::new()
                };
                // Editors are not of one mind about what a character is; one more does no harm.
                keys.extend(press("backspace").repeat(text.chars().count()));
                (keys, CLEAR_PATIENCE)
            }
        };
        line.phase = RoutingPhase::Clearing {
            until: now + patience,
        };
        if let Some(line) = &self.routing.line {
            self.routing.log(line, decision);
        }
        self.write(&keys, now);
    }

    /// The box must be seen empty before anything else is typed. No key is pressed twice: on an empty
    /// box the same one may end the program.
    fn confirm_cleared(&mut self, until: Duration, now: Duration) {
        let is_empty = self
            .watcher
            .typed_text()
            .is_some_and(|text| text.is_empty());
        if !is_empty && now < until {
            return;
        }
        self.routing.line = None;
        if !is_empty {
            match self.discipline() {
                Discipline::Canonical => self.wipe_echo(),
                Discipline::Raw => {
                    let text = "[the message is on its way; its text may still be in the box]";
                    self.tell_person(text, now);
                }
            }
        }
        self.go_on_typing(now);
    }

    /// The terminal's echo cannot erase what has wrapped into another row, so we do.
    fn wipe_echo(&mut self) {
        let frame = self.watcher.frame();
        let top = frame.line_start(frame.cursor.row);
        let Some(prompt) = self.watcher.usual_prompt() else {
            return;
        };
        if !frame.text(top).starts_with(prompt.trim_end()) {
            return;
        }
        let (up, col) = (
            frame.cursor.row - top,
            synapse_term::frame::width(prompt) + 1,
        );
        let up = if up > 0 {
            format!("\x1b[{up}A")
        } else {
            String::new()
        };
        // With output on its way the line is not where it seems to be.
        if self.take_over_display() {
            self.paint(format!("{up}\x1b[{col}G\x1b[J").as_bytes());
        }
    }

    fn tell_person(&mut self, text: &str, now: Duration) {
        let notice = Notice {
            // Ours are not about a message, so none takes the place of another's.
            about: u64::MAX,
            text: text.to_owned(),
        };
        self.notify(notice, now);
    }
}
