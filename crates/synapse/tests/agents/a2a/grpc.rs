//! The gRPC binding: what of it no published client shows.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

use crate::world::World;
use crate::world::grpc::{self, Channel, field, framed, request, saying, sending, whole};

fn with_grpc() -> World {
    let world = World::new();
    world.ok(&["start", "dummy", "--port", "0", "--grpc"]);
    world
}

fn interfaces(world: &World) -> Vec<Value> {
    let (_, card) = world.call("GET", "/.well-known/agent-card.json", &Value::Null);
    card["supportedInterfaces"].as_array().unwrap().clone()
}

#[test]
fn it_is_spoken_and_named_in_the_card_only_where_it_is_asked_for() {
    let is_grpc = |one: &&Value| one["protocolBinding"] == "GRPC";
    let world = World::with_dummy();
    assert_eq!(interfaces(&world).iter().filter(is_grpc).count(), 0);
    drop(world);

    let world = World::configured("grpc: true\n");
    let all = interfaces(&world);
    let [named] = all.iter().filter(is_grpc).collect::<Vec<_>>()[..] else {
        panic!("{all:?}");
    };
    assert_eq!(named["protocolVersion"], "1.0");
    let port = grpc::port(&world);
    assert_ne!(world.entry()["port"], port);
    drop(world);

    // By name: that one, and where another agent has it already, an error that says so.
    let world = World::new();
    let flag = format!("--grpc={port}");
    world.ok(&["start", "dummy", "--port", "0", &flag]);
    assert_eq!(grpc::port(&world), port);
    let again = world.run(&["start", "dummy", "--name", "two", "--port", "0", &flag]);
    let error = String::from_utf8_lossy(&again.stderr);
    assert!(error.contains(&format!("port {port} is taken")), "{error}");
    // A port that is only configured gives way.
    world.configure(&format!("agents: {{dummy: {{grpc_port: {port}}}}}\n"));
    world.ok(&["start", "dummy", "--name", "three", "--port", "0"]);
}

#[test]
fn an_agent_that_is_restarted_speaks_it_again() {
    let world = with_grpc();
    world.ok(&["restart", "dummy"]);
    let answer = Channel::new(&world).call("ListTasks", &[], b"");
    assert_eq!(answer.code(), 0, "{answer:?}");
}

#[test]
fn a_public_address_is_the_one_in_the_card() {
    let world = World::new();
    let url = "https://agents.example/dummy";
    world.ok(&[
        "start",
        "dummy",
        "--port",
        "0",
        "--grpc",
        "--public-url",
        url,
    ]);
    let all = interfaces(&world);
    let mut all = all.iter();
    let named = all.find(|one| one["protocolBinding"] == "GRPC").unwrap();
    assert!(
        named["url"]
            .as_str()
            .unwrap()
            .starts_with("agents.example:")
    );
}

#[test]
fn a_message_is_answered_once_or_with_a_stream_and_ends_with_trailers() {
    let world = with_grpc();
    let channel = Channel::new(&world);
    let once = channel.call("SendMessage", &[], &saying("say:once"));
    assert_eq!(
        (once.http, once.code(), once.messages.len()),
        (200, 0, 1),
        "{once:?}"
    );
    assert_eq!(once.headers["content-type"], "application/grpc");
    assert!(once.tells("once"));
    assert_eq!(once.trailers["grpc-status"], "0", "trailers, not headers");
    let live = channel.call("SendStreamingMessage", &[], &saying("slow:1"));
    assert_eq!((live.http, live.code()), (200, 0), "{live:?}");
    assert!(live.messages.len() > 2, "{live:?}");
    // The first is the task, the last says where it stands.
    assert_eq!(live.messages[0][0], 0x0a);
    assert_eq!(live.messages.last().unwrap()[0], 0x1a);
    // A file goes through as it is.
    let file = [field(2, &[0, 159, 255]), field(6, b"odd.bin")].concat();
    let sent = channel.call("SendMessage", &[], &sending(&file));
    assert_eq!(sent.code(), 0, "{sent:?}");
    assert!(sent.tells("odd.bin"));
}

#[test]
fn errors_have_a_code_words_and_a_reason() {
    let world = with_grpc();
    let channel = Channel::new(&world);
    let missing = channel.call("GetTask", &[], &field(2, b"nobody"));
    missing.refused(5, "there is no task nobody");
    let details = STANDARD_NO_PAD.decode(missing.said("grpc-status-details-bin"));
    let details = details.unwrap();
    for told in ["google.rpc.ErrorInfo", "TASK_NOT_FOUND", "a2a-protocol.org"] {
        assert!(grpc::holds(&details, told), "{told}");
    }
    let empty = channel.call("SendMessage", &[], b"");
    empty.refused(3, "'message' is missing");
    let card = channel.call("GetExtendedAgentCard", &[], b"");
    card.refused(9, "extended card");
    channel.call("Nonsense", &[], b"").refused(12, "Nonsense");
    let send = |path: &str, metadata: &[(&str, &str)], body: &[u8]| {
        let request = request("localhost", path, metadata);
        channel.send(request.body(whole(framed(body))).unwrap())
    };
    send("/grpc.health.v1.Health/Check", &[], b"").refused(12, "there is nothing at");
    let get = "/lf.a2a.v1.A2AService/GetTask";
    for version in ["99.0", "0.3"] {
        let metadata = [("a2a-version", version)];
        send(get, &metadata, b"").refused(9, "is not spoken over gRPC");
    }
    // The name of the service says which version it is.
    send(get, &[], b"").refused(3, "'id' is missing");
    let asked = [("a2a-extensions", "urn:other, urn:synapse:metadata:1")];
    let active = channel.call("ListTasks", &asked, b"");
    assert_eq!(active.said("a2a-extensions"), "urn:synapse:metadata:1");
}

#[test]
fn a_client_that_has_waited_long_enough_is_told_so() {
    let world = with_grpc();
    let channel = Channel::new(&world);
    let soon = [("grpc-timeout", "300m")];
    let late = channel.call("SendMessage", &soon, &saying("slow:60"));
    late.refused(4, "a task that was taken goes on");
    world.wait_for_task("slow:60", "working");
    let id = world.json(&["tasks", "dummy", "--json"])["tasks"][0]["id"].clone();
    let subscribe = field(2, id.as_str().unwrap().as_bytes());
    let cut = channel.call("SubscribeToTask", &soon, &subscribe);
    assert_eq!((cut.http, cut.code()), (200, 4), "{cut:?}");
    assert!(!cut.messages.is_empty(), "the task was told");
    assert_eq!(cut.trailers["grpc-status"], "4");
    let odd = channel.call("ListTasks", &[("grpc-timeout", "soon")], b"");
    odd.refused(3, "grpc-timeout");
}
