//! The `synapse` command.

fn main() {}
