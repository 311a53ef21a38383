//! Agents elsewhere: our own from another home, and scripted ones of every generation, on real sockets.

mod client;
mod foreign;
mod ours;
mod script;
