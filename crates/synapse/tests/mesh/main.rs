//! Several machines as one mesh: homes of their own on this machine, a real nats-server between them.
#![cfg(test)]

#[path = "../world/mod.rs"]
mod world;

mod away;
mod door;
mod engine;
mod gateway;
mod machines;
mod talk;
