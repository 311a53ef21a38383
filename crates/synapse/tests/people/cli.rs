//! The commands, as a person types them: the built binary, real terminals, the dummy agent.

mod again;
mod answer;
mod config;
mod continued;
mod doctor;
mod habits;
mod install;
mod learn;
mod list;
mod logs;
mod screens;
mod send;
mod service;
mod start;
mod tasks;
mod words;
