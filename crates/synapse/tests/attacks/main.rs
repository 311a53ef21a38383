//! What must not happen: intruders, hostile programs, deaths and floods.
#![cfg(test)]

mod crash;
mod door;
mod faults;
#[cfg(feature = "grpc")]
mod grpc;
mod hostile;
#[path = "../world/mod.rs"]
mod world;
