//! The port where gRPC is spoken: the same door as the other one, and bytes that no client sends.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::world::World;
use crate::world::grpc::{
    Channel, connect, endless, field, framed, request, runtime, saying, whole,
};

const LIST: &str = "/lf.a2a.v1.A2AService/ListTasks";
const SEND: &str = "/lf.a2a.v1.A2AService/SendMessage";

fn with(settings: &str) -> World {
    World::configured(&format!("grpc: true\n{settings}"))
}

/// That nothing of what came before has done any harm.
#[track_caller]
fn still_works(world: &World) {
    let answer = Channel::new(world).call("ListTasks", &[], b"");
    assert_eq!((answer.http, answer.code()), (200, 0), "{answer:?}");
    assert_eq!(world.state("dummy"), "IDLE");
}

#[test]
fn a_missing_or_foreign_token_is_refused() {
    let world = with("auth: token\n");
    let other = with("");
    let channel = Channel::new(&world);
    let list = |token: &str| {
        let shown = format!("Bearer {token}");
        channel.call("ListTasks", &[("authorization", &shown)], b"")
    };
    let nothing = channel.call("ListTasks", &[], b"");
    nothing.refused(16, "who are you?");
    list("wrong").refused(16, "not the agent's token");
    list(&other.token()).refused(16, "not the agent's token");
    let query = format!("{LIST}?token={}", world.token());
    let query = request("localhost", &query, &[]);
    let query = channel.send(query.body(whole(framed(b""))).unwrap());
    query.refused(16, "who are you?");
    let welcome = list(&world.token());
    assert_eq!(welcome.code(), 0, "{welcome:?}");
    assert!(!format!("{nothing:?}").contains(&world.token()));
}

#[test]
fn another_user_of_this_machine_is_refused() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: needs root, to be another user");
        return;
    }
    let world = with("");
    let stream = connect(&world);
    // The kernel tells whose a socket is by this.
    std::os::unix::fs::fchown(&stream, Some(65_533), None).unwrap();
    let stranger = Channel::over(stream, None);
    let refused = stranger.call("SendMessage", &[], &saying("say:x"));
    refused.refused(16, "who are you?");
    let shown = format!("Bearer {}", world.token());
    let welcome = stranger.call("ListTasks", &[("authorization", &shown)], b"");
    assert_eq!(welcome.code(), 0, "{welcome:?}");
    still_works(&world);
}

#[test]
fn a_foreign_name_a_web_page_and_a_proxy_are_refused() {
    let world = with("");
    let channel = Channel::new(&world);
    let list = |authority: &str, metadata: &[(&str, &str)]| {
        let request = request(authority, LIST, metadata);
        channel.send(request.body(whole(framed(b""))).unwrap())
    };
    list("evil.example", &[]).refused(3, "not served here");
    list("localhost", &[("host", "evil.example")]).refused(3, "one Host");
    list("localhost", &[("origin", "https://evil.example")]).refused(7, "may not drive");
    list("localhost", &[("sec-fetch-site", "cross-site")]).refused(7, "may not drive");
    list("localhost", &[("x-forwarded-for", "203.0.113.9")]).refused(16, "who are you?");
    // What is no gRPC is refused by HTTP.
    for kind in [
        "application/json",
        "text/plain",
        "application/grpc-web",
        "application/grpc+json",
    ] {
        let refused = request("localhost", LIST, &[("content-type", kind)]);
        let refused = channel.open(refused.body(whole(b"{}".to_vec())).unwrap());
        assert_eq!(refused.status(), 415, "{kind}");
    }
    // The other port does not speak it.
    let head = format!("POST {LIST} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/grpc");
    assert_eq!(world.http(&head, "").0, 415);
    still_works(&world);
}

#[test]
fn a_frame_that_is_too_large_compressed_cut_or_doubled_is_refused() {
    let world = with("");
    let channel = Channel::new(&world);
    // 4 GiB are announced, and not one byte of them comes: nobody waits for them.
    let open = |begin: Vec<u8>| {
        let request = request("localhost", SEND, &[])
            .body(endless(begin))
            .unwrap();
        channel.send(request)
    };
    open(vec![0, 255, 255, 255, 255]).refused(8, "too large");
    open(vec![0, 1, 16, 0, 1]).refused(8, "at most 17825792 are taken");
    open(vec![1, 0, 0, 0, 9]).refused(12, "compressed");
    let large = channel.post("GetTask", &[], framed(&field(2, &vec![b'x'; 1 << 20])));
    large.refused(8, "too large");
    let half = framed(&saying("say:x"));
    let half = channel.post("SendMessage", &[], half[..half.len() / 2].to_vec());
    half.refused(3, "ended in the middle");
    channel
        .post("ListTasks", &[], Vec::new())
        .refused(3, "ended in the middle");
    let twice = framed(b"").repeat(2);
    channel
        .post("ListTasks", &[], twice)
        .refused(3, "more than the one");
    let gzip = [("grpc-encoding", "gzip")];
    channel
        .post("ListTasks", &gzip, vec![1, 0, 0, 0, 0])
        .refused(12, "compressed");
    channel
        .call("GetTask", &[], &[0x12, 0x7f])
        .refused(3, "in the middle of a field");
    channel
        .call("GetTask", &[], &field(2, b"\xff"))
        .refused(3, "not UTF-8");
    still_works(&world);
}

#[test]
fn bytes_that_are_no_http2_end_the_connection_and_nothing_else() {
    let world = with("");
    for bytes in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        &[0xff; 4_096],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let mut stream = connect(&world);
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        // It is closed in whatever way.
        let _ = stream.read_to_end(&mut answer);
    }
    still_works(&world);
}

#[test]
fn ten_thousand_headers_are_refused() {
    let world = with("");
    let channel = Channel::new(&world);
    let names: Vec<String> = (0..10_000).map(|number| format!("x-{number}")).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "value")).collect();
    let many = request("localhost", LIST, &many);
    let answer = channel.try_send(many.body(whole(framed(b""))).unwrap());
    assert!(
        answer
            .as_ref()
            .map_or(true, |answer| answer.status() == 431),
        "{answer:?}"
    );
    still_works(&world);
}

#[test]
fn who_does_not_read_keeps_nobody_waiting_and_misses_nothing() {
    let world = with("");
    // The server may send 64 bytes of a stream before they are read.
    let slow = Channel::over(connect(&world), Some(64));
    let metadata = [("a2a-version", "1.0")];
    let path = "/lf.a2a.v1.A2AService/SendStreamingMessage";
    let stream = request("localhost", path, &metadata);
    let stream = slow.open(
        stream
            .body(whole(framed(&saying("long:300 0.005"))))
            .unwrap(),
    );
    // The agent is done with it, and others are served meanwhile.
    let other = Channel::new(&world);
    let next = other.call("SendMessage", &[], &saying("say:next"));
    assert!(next.code() == 0 && next.tells("next"), "{next:?}");
    assert_eq!(world.task_state("long:300 0.005"), "completed");
    let told = slow.read(stream);
    assert_eq!(told.code(), 0);
    // More than is kept for a stream.
    assert!(told.messages.len() > 64, "{}", told.messages.len());
    let all = told.messages.concat();
    for line in ["1", "150", "300"] {
        let line = format!("line {line}");
        assert!(crate::world::grpc::holds(&all, &line), "{line}");
    }
    still_works(&world);
}

#[test]
fn a_connection_on_which_nothing_happens_is_closed_and_a_stream_is_not() {
    let world = with("limits: {header_timeout: 0.4}\n");
    let channel = Channel::new(&world);
    assert_eq!(channel.call("ListTasks", &[], b"").code(), 0);
    world.wait_until("it is closed", |_| channel.is_closed());
    let channel = Channel::new(&world);
    let told = channel.call("SendStreamingMessage", &[], &saying("wait:2"));
    assert_eq!(told.code(), 0, "{told:?}");
}

#[test]
fn tls_is_spoken_with_a_certificate_and_local_clients_may_do_without() {
    let world = World::new();
    if !world.make_certificate() {
        eprintln!("SKIPPED: openssl makes no certificate here");
        return;
    }
    let file = |name| world.home.path().join(name).display().to_string();
    let (cert, key) = (file("cert.pem"), file("key.pem"));
    world.configure(&format!("tls: {{cert: {cert}, key: {key}}}\n"));
    world.ok(&["start", "dummy", "--port", "0", "--grpc"]);
    still_works(&world);

    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(&cert).unwrap())
        .unwrap();
    let mut config = ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let stream = connect(&world);
    stream.set_nonblocking(true).unwrap();
    let runtime = runtime();
    let encrypted = runtime.block_on(async {
        let stream = tokio::net::TcpStream::from_std(stream).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        connector.connect(name, stream).await.unwrap()
    });
    assert_eq!(encrypted.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let channel = Channel::speaking(runtime, encrypted, None);
    let answer = channel.call("SendMessage", &[], &saying("say:encrypted"));
    assert!(
        answer.code() == 0 && answer.tells("encrypted"),
        "{answer:?}"
    );
}

/// A whole call of HTTP/2 as bytes, which is answered at once: what a program can send without a client. The connection
/// is closed when it is answered, because the client says that nothing else will come.
fn bare_call(text: &str) -> Vec<u8> {
    let return_immediately = field(3, &[0x20, 1]);
    let message = [saying(text), return_immediately].concat();
    let frame = |kind: u8, flags: u8, stream: u8, payload: &[u8]| {
        let size = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&size[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
    };
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    // POST and http by their numbers, the rest as it is.
    let headers = [
        vec![0x83, 0x86, 0x04],
        text(SEND),
        vec![0x01],
        text("localhost"),
        vec![0x0f, 0x10],
        text("application/grpc"),
    ];
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        frame(4, 0, 0, &[]),
        frame(1, 4, 1, &headers.concat()),
        frame(0, 1, 1, &framed(&message)),
        frame(7, 0, 0, &[0; 8]),
    ]
    .concat()
}

/// How many tasks come of a call from below the agent, and of the same call from outside.
fn taken(options: &[&str]) -> [usize; 2] {
    let world = World::new();
    let home = world.home.path();
    let script = "while read -rp '> ' line; do\n\
        [ \"$line\" = go ] || continue\n\
        exec 3<>/dev/tcp/127.0.0.1/$(cat port); cat call >&3; cat <&3 >answer; exec 3<&-; mv answer answered\n\
        done\n";
    std::fs::write(home.join("program.sh"), script).unwrap();
    let profile = "name: caller\ncommand: [bash, program.sh]\nidle_regex: '^> $'\n";
    std::fs::write(home.join("caller.yaml"), profile).unwrap();
    let file = home.join("caller.yaml");
    let file = file.to_str().unwrap();
    let start = ["start", file, "--name", "caller", "--port", "0", "--grpc"];
    world.ok(&[&start[..], options].concat());
    let port = crate::world::grpc::port(&world).to_string();
    std::fs::write(home.join("port"), port).unwrap();
    let count = |text: &str| {
        let tasks = world.json(&["tasks", "caller", "--json"])["tasks"].clone();
        let tasks = tasks.as_array().unwrap().iter();
        tasks.filter(|task| task.to_string().contains(text)).count()
    };
    std::fs::write(home.join("call"), bare_call("from-below")).unwrap();
    world.ok(&["send", "caller", "go"]);
    world.wait_until("it was answered", |_| home.join("answered").exists());
    let mut outside = connect(&world);
    outside.write_all(&bare_call("from-outside")).unwrap();
    // It is closed in whatever way, once it is answered.
    let _ = outside.read_to_end(&mut Vec::new());
    ["from-below", "from-outside"].map(count)
}

#[test]
fn what_the_agent_has_started_does_not_answer_it() {
    assert_eq!(taken(&[]), [0, 1]);
    assert_eq!(taken(&["--may-answer-itself"]), [1, 1]);
}
