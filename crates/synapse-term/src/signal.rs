//! What a program says about itself beside the screen: title, bell, notifications, prompt marks,
//! agent states.

/// The OSC by which a program speaks to Synapse.
pub(crate) const CHANNEL: u32 = 7710;

/// The OSC by which a program tells its terminal what it is doing.
const AGENT_STATUS: u32 = 7501;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The window title changed.
    Title(String),
    Bell,
    /// OSC 9 or 777: a desktop notification.
    Notification(String),
    /// OSC 133: a mark of a shell-like prompt.
    Mark(Mark),
    /// OSC 7501: an agent's state in its own words; none where it takes back what it said.
    Agent(Option<AgentState>),
}

/// The prompt marks of OSC 133.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `A`: a prompt begins.
    PromptStart,
    /// `B`: the prompt ends, input begins.
    InputStart,
    /// `C`: the input was accepted, output begins.
    OutputStart,
    /// `D`: the command is over.
    Finished,
}

/// What OSC 7501 can say (Program Status Protocol, revision 0.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// Waiting for a message.
    Idle,
    Working,
    /// A question is open or about to open.
    Blocked,
    /// A turn is over.
    Done,
    /// A turn is over and failed.
    Error,
}

impl Signal {
    /// The signal an OSC carries, if it is one of those we know.
    pub(crate) fn from_osc(number: u32, text: String) -> Option<Self> {
        match number {
            // OSC 9;4 is a progress bar of Windows terminals, not a message.
            9 if !text.starts_with("4;") => Some(Self::Notification(text)),
            133 => Mark::parse(&text).map(Self::Mark),
            777 => text
                .strip_prefix("notify;")
                .map(|t| Self::Notification(t.to_owned())),
            AGENT_STATUS => AgentState::parse(&text).map(Self::Agent),
            _ => None,
        }
    }
}

impl Mark {
    fn parse(text: &str) -> Option<Self> {
        match text.split(';').next()? {
            "A" => Some(Self::PromptStart),
            "B" => Some(Self::InputStart),
            "C" => Some(Self::OutputStart),
            "D" => Some(Self::Finished),
            _ => None,
        }
    }
}

impl AgentState {
    /// Whether a turn has not ended.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Working | Self::Blocked)
    }

    /// The outer option: whether this is a report on the agent itself. Reports with an `id` are about one of its tasks.
    #[expect(
        clippy::option_option,
        reason = "`clear` is a report, too: of no state"
    )]
    fn parse(text: &str) -> Option<Option<Self>> {
        let value = |key: &str| {
            text.split([':', ';'])
                .find_map(|field| field.strip_prefix(key)?.strip_prefix('='))
        };
        if value("id").is_some() {
            return None;
        }
        match value("state")? {
            "idle" => Some(Some(Self::Idle)),
            "working" => Some(Some(Self::Working)),
            "blocked" => Some(Some(Self::Blocked)),
            "done" => Some(Some(Self::Done)),
            "error" => Some(Some(Self::Error)),
            "clear" => Some(None),
            _ => None,
        }
    }
}
