//! Real programs in real pseudo-terminals.
#![cfg(test)]

mod end;
mod flow;
mod human;
mod spawn;
mod talk;
