//! Messages from shells: what a line typed at a prompt asks for.

mod line;

pub use line::message;
