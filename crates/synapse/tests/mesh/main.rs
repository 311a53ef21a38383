//! Several machines as one mesh: homes of their own on this machine, a real nats-server between them.
#![cfg(test)]
#![allow(
    clippy::print_stdout,
    reason = "scripts/soak-mesh shows what was measured"
)]

#[path = "../world/mod.rs"]
mod world;

mod attacks;
mod away;
mod company;
mod door;
mod engine;
mod errors;
mod faults;
mod gateway;
mod itself;
mod machines;
mod talk;
