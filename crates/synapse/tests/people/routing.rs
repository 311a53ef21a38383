//! `@handle message` typed into a wrapped program, as a person types: real terminals, real agents.

mod abroad;
mod answers;
mod desk;
mod output;
mod passing;
mod recorder;
mod typing;
