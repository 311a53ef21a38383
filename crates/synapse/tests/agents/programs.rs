//! Programs that nobody has described, wrapped as they are: real ones, and small ones of our own.

mod chat;
mod lines;
mod start;

use crate::world::World;
use serde_json::{Value, json};

/// A world with one program in it, wrapped by `synapse start -- …`, once it is idle.
fn wrapped(handle: &str, command: &[&str]) -> World {
    let world = World::new();
    start(&world, handle, command);
    world
}

fn start(world: &World, handle: &str, command: &[&str]) {
    let flags = ["start", "--name", handle, "--port", "0", "--"];
    world.ok(&[&flags[..], command].concat());
    world.wait_for_state(handle, "IDLE");
}

/// Sends a message in somebody's name and waits for its end.
fn send_as(world: &World, sender: &str, text: &str) -> Value {
    let body = json!({ "message": text, "sender": sender });
    let (status, answer) = world.call("POST", "/tasks/send", &body);
    assert_eq!(status, 200, "{answer}");
    let id = answer["task"]["id"].as_str().unwrap().to_owned();
    settled(world, &id)
}

/// The task once it is over.
fn settled(world: &World, id: &str) -> Value {
    let path = format!("/tasks/{id}");
    let task = || world.call("GET", &path, &Value::Null).1["task"].clone();
    world.wait_until("the task is over", |_| {
        let state = task()["status"]["state"].clone();
        !["submitted", "working"].iter().any(|open| state == *open)
    });
    task()
}
