//! When the kernel is asked what the program does with its terminal: as soon as output settles, then
//! at growing intervals, and never while the program rests.

use std::time::Duration;

use super::Watcher;
use crate::judge::TerminalUse;

/// The first look after keys, or where nothing has been painted yet.
const FIRST: Duration = Duration::from_millis(40);

/// The longest pause between two looks while somebody waits for a reply.
const LONGEST: Duration = Duration::from_millis(200);

/// No pause grows beyond this.
const MOST: Duration = Duration::from_mins(1);

/// Who wants to know that the program is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// A task waits for its reply.
    Task,
    /// Nobody in particular.
    Nobody,
}

/// The next question to the kernel.
#[derive(Debug)]
pub(super) struct Inquiry {
    /// When it is put; none while the last one has no answer.
    due: Option<Duration>,
    /// When it was last put, or what it is about last changed.
    since: Duration,
    pause: Duration,
    /// Something was painted or typed since the kernel was asked: its answer is about the past.
    is_stale: bool,
}

impl Default for Inquiry {
    fn default() -> Self {
        Self {
            due: Some(FIRST),
            since: Duration::ZERO,
            pause: FIRST,
            is_stale: false,
        }
    }
}

impl Inquiry {
    pub(super) fn note_stale(&mut self) {
        self.is_stale = true;
    }

    pub(super) fn note_keys(&mut self, now: Duration) {
        self.is_stale = true;
        self.pause = FIRST;
        self.since = now;
        self.due = Some(now + FIRST);
    }

    pub(super) fn note_settled(&mut self, now: Duration) {
        self.is_stale = true;
        self.pause = FIRST;
        self.since = now;
        self.due = Some(now);
    }
}

impl Watcher {
    /// When the kernel is to be asked what the program does with its terminal, if at all.
    pub fn inquiry_deadline(&self, interest: Interest) -> Option<Duration> {
        let due = self.inquiry.due?;
        let due = match interest {
            Interest::Task => due.min(self.inquiry.since + LONGEST),
            Interest::Nobody => due,
        };
        self.judge.asks_kernel(&self.profile).then_some(due)
    }

    /// The kernel is asked now.
    pub fn note_inquiry(&mut self, now: Duration) {
        self.inquiry.since = now;
        self.inquiry.is_stale = false;
        self.inquiry.due = None;
    }

    /// The kernel has answered.
    pub fn note_terminal_use(&mut self, said: TerminalUse, now: Duration) {
        self.tick(now);
        if self.inquiry.due.is_none() {
            self.inquiry.due = Some(now + self.inquiry.pause);
            self.inquiry.pause = self.inquiry.pause.saturating_mul(2).min(MOST);
        }
        if !self.inquiry.is_stale {
            let change = self.judge.note_terminal_use(said, &self.profile, now);
            self.publish(change);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::profile::Profile;
    use crate::reading::State;
    use crate::screen::Size;
    use crate::watch::Event;

    /// A program that nobody has described, and its clock.
    struct Toy {
        watcher: Watcher,
        now: Duration,
    }

    impl Toy {
        fn new() -> Self {
            let profile = Profile::builtin("generic").unwrap();
            Self {
                watcher: Watcher::new(Arc::new(profile), Size::USUAL),
                now: Duration::ZERO,
            }
        }

        fn wait(&mut self, span: Duration) -> &mut Self {
            self.now += span;
            self.watcher.tick(self.now);
            self
        }

        fn prints(&mut self, text: &str) -> &mut Self {
            self.watcher.feed(text.as_bytes(), self.now);
            self.wait(Duration::from_millis(30))
        }

        fn types(&mut self, text: &str) -> &mut Self {
            self.watcher.input(text.as_bytes(), self.now);
            self.wait(Duration::from_millis(20))
        }

        /// The kernel is asked, and answers at once.
        fn told(&mut self, said: TerminalUse) -> &mut Self {
            self.watcher.note_inquiry(self.now);
            self.watcher.note_terminal_use(said, self.now);
            self
        }

        fn state(&self) -> State {
            self.watcher.reading().state()
        }

        fn due(&self) -> Option<Duration> {
            self.watcher.inquiry_deadline(Interest::Task)
        }
    }

    const WHILE: Duration = Duration::from_millis(500);

    #[test]
    fn a_line_program_without_a_prompt_is_done_when_it_reads_again() {
        let mut toy = Toy::new();
        toy.told(TerminalUse::Reads).wait(WHILE);
        assert_eq!(
            toy.state(),
            State::Idle,
            "it has printed nothing, and reads"
        );
        toy.types("hello\r").prints("hello\r\n").prints("hello\r\n");
        toy.told(TerminalUse::Reads).wait(WHILE);
        assert_eq!(toy.state(), State::Idle);
        let events = toy.watcher.take_events();
        let reply = events.iter().find_map(|event| match event {
            Event::Turn(turn) => Some(turn.reply.text.as_str()),
            _ => None,
        });
        assert_eq!(reply, Some("hello"));
    }

    #[test]
    fn what_the_kernel_says_of_the_time_before_new_output_does_not_count() {
        let mut toy = Toy::new();
        toy.prints("ready\r\n");
        toy.watcher.note_inquiry(toy.now);
        toy.watcher.feed(b"one moment\r\n", toy.now);
        toy.watcher.note_terminal_use(TerminalUse::Reads, toy.now);
        toy.wait(WHILE);
        assert_eq!(toy.state(), State::Starting);
        toy.told(TerminalUse::Reads).wait(WHILE);
        assert_eq!(toy.state(), State::Idle);
    }

    #[test]
    fn the_kernel_is_asked_when_output_settles_and_in_a_turn_and_never_at_rest() {
        let mut toy = Toy::new();
        assert!(toy.due().is_some(), "it starts");
        toy.told(TerminalUse::Reads).wait(WHILE);
        assert_eq!((toy.state(), toy.due()), (State::Idle, None), "it rests");
        toy.types("hello").types("\r").prints("hello\r\n");
        assert!(toy.due().is_some_and(|at| at <= toy.now), "output settled");
        // At work, for long: the looks grow apart, but not without end where a task waits.
        let mut gaps = Vec::new();
        for _ in 0..12 {
            let gap = toy.due().unwrap().saturating_sub(toy.now);
            gaps.push(gap);
            toy.wait(gap).told(TerminalUse::Works);
        }
        assert_eq!(toy.state(), State::Busy);
        assert!(
            gaps.is_sorted() && gaps.last() == Some(&LONGEST),
            "{gaps:?}"
        );
        let patient = toy.watcher.inquiry_deadline(Interest::Nobody).unwrap();
        assert!(patient > toy.now + LONGEST * 10, "nobody waits");
        // A task may take as long as it likes.
        for _ in 0..200 {
            toy.wait(LONGEST).told(TerminalUse::Works);
        }
        let patient = toy.watcher.inquiry_deadline(Interest::Nobody).unwrap();
        assert!(patient <= toy.now + MOST, "it is looked at now and then");
        toy.told(TerminalUse::Reads);
        assert_eq!((toy.state(), toy.due()), (State::Idle, None));
    }
}
