//! What the actor asks the courier to do, because it must not touch files and sockets itself, and what the
//! courier reports back.

use synapse_term::router;

/// Something to be done outside.
#[derive(Debug)]
pub enum OutboxRequest {
    /// Say whether a line can be sent, by [`super::Command::Found`].
    Find {
        line: u64,
        /// Who is addressed, as typed.
        handle: String,
        /// What goes with it, as typed.
        files: Vec<String>,
    },
    /// Send a message.
    Send(Dispatch),
    /// Write down what was decided about a line; never its words.
    Log(String),
}

/// A message on its way to another agent.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// What was asked for.
    pub command: router::Command,
    /// How many agents it has passed through.
    pub hops: u8,
    /// Who wrote it.
    pub author: Author,
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The person at the keyboard.
    Person,
    /// The program, in its reply.
    Program,
}

/// Whether a line can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineTarget {
    /// To somebody we know.
    Known,
    /// Nobody is called that; the words say who there is.
    Nobody(String),
    /// Somebody is, but not like this; the words say what is wrong.
    Wrong(String),
}

/// Something the person is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about: a later one about the same takes its place.
    pub about: u64,
    pub text: String,
}
