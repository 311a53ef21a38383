//! Real bash, zsh and fish in real terminals, with the hook in them.
mod abroad;
mod awkward;
mod own;
mod scripts;
mod settings;
mod shell;
mod untouched;
