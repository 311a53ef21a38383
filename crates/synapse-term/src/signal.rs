//! What a program says about itself beside the screen: title, bell, notifications, prompt marks,
//! agent states.

/// The OSC by which a program speaks to Synapse.
pub(crate) const CHANNEL: u32 = 7710;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The window title changed.
    Title(String),
    Bell,
    /// OSC 9 or 777: a desktop notification.
    Notification(String),
    /// OSC 133: a mark of a shell-like prompt.
    Mark(Mark),
    /// OSC 7501: an agent's state in its own words.
    Agent(AgentState),
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

/// What OSC 7501 can say.
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
            7501 => AgentState::parse(&text).map(Self::Agent),
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
    fn parse(text: &str) -> Option<Self> {
        let state = text
            .split([':', ';'])
            .find_map(|field| field.strip_prefix("state="))?;
        match state {
            "idle" => Some(Self::Idle),
            "working" => Some(Self::Working),
            "blocked" => Some(Self::Blocked),
            "done" => Some(Self::Done),
            "error" => Some(Self::Error),
            _ => None,
        }
    }
}
