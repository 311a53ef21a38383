//! `make bench-mesh`: machines that are only simulated, on a real nats-server. Each puts its record with ten agents
//! every two seconds; some read them all. Prints a table for docs/mesh.md.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement"
)]

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use synapse_client::mesh::MeshAgent;
use synapse_mesh::engine;
use synapse_mesh::key::MachineKey;
use synapse_mesh::name::MachineName;
use synapse_mesh::nats::{Auth, Kv, Nats, Options, Server, Trust};
use synapse_mesh::presence::{BEAT, Beat, bucket, record};
use tokio::time::{sleep, timeout};

/// How long is measured once all machines are there.
const MEASURED: Duration = Duration::from_secs(8);
/// Agents on each machine.
const AGENTS: usize = 10;
/// Machines that read all records; on a real mesh all do.
const READERS: usize = 10;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn options(port: u16, name: &str) -> Options {
    Options {
        servers: vec![Server::new("127.0.0.1", port)],
        auth: Auth::FromAddress,
        trust: Trust::System(None),
        inbox: name.to_owned(),
        name: name.to_owned(),
    }
}

fn beat(name: &str, at: i64) -> Beat {
    let agent = |n: usize| MeshAgent {
        id: "9d1ef7f4f81c5fa13cbe22dc23fad9fa381327c93669f13c16fe828f00185289".to_owned(),
        handle: format!("codex-{n}"),
        profile: "codex".to_owned(),
        agent_type: "codex".to_owned(),
        directory: "/home/somebody/projects/something".to_owned(),
        branch: Some("feature/what-it-is".to_owned()),
        status: "IDLE".to_owned(),
        started_at: Some(jiff::Timestamp::now()),
        version: "0.1.0".to_owned(),
    };
    Beat {
        name: MachineName::parse(name).unwrap(),
        boot: "0123456789abcdef".to_owned(),
        at,
        version: "0.1.0".to_owned(),
        agents: (0..AGENTS).map(agent).collect(),
        is_leaving: false,
    }
}

fn memory(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        / 1_024
}

async fn measure(machines: usize) {
    let place = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let server = Command::new(engine::program().unwrap())
        .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
        .arg(place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Running(server);
    let own = Nats::connect(options(port, "own"), Duration::from_secs(20))
        .await
        .unwrap();
    let kv = Kv::create(&own, &bucket("synapse", 1)).await.unwrap();
    let size = record(&MachineKey::generate().unwrap(), &beat("m0", 0))
        .unwrap()
        .len();
    for n in 0..machines {
        let name = format!("m{n}");
        tokio::spawn(async move {
            let nats = Nats::connect(options(port, &name), Duration::from_mins(1))
                .await
                .unwrap();
            let kv = Kv::of(&nats, "synapse_presence");
            let key = MachineKey::generate().unwrap();
            // A broadcast reaches everybody, who says so.
            let mut asked = nats.subscribe("synapse.broadcast").await;
            sleep(BEAT * u32::try_from(n % 100).unwrap() / 100).await;
            let mut at = 0;
            loop {
                at += 1;
                kv.put_blindly(
                    &name,
                    &format!("{name}-{at}"),
                    record(&key, &beat(&name, at)).unwrap(),
                )
                .await;
                let wait = timeout(BEAT, asked.next()).await;
                if let Ok(Some(message)) = wait
                    && let Some(reply) = message.reply
                {
                    nats.publish(&reply, "here").await;
                }
            }
        });
    }
    let deadline = Instant::now() + Duration::from_mins(2);
    while kv.keys().await.unwrap_or_default().len() < machines && Instant::now() < deadline {
        sleep(Duration::from_millis(200)).await;
    }
    let taken = Arc::new(AtomicU64::new(0));
    for n in 0..READERS.min(machines) {
        let taken = Arc::clone(&taken);
        let nats = Nats::connect(options(port, &format!("r{n}")), Duration::from_secs(20))
            .await
            .unwrap();
        tokio::spawn(async move {
            let mut records = Kv::of(&nats, "synapse_presence").watch(1 << 20).await;
            while records.next().await.is_some() {
                taken.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    sleep(Duration::from_secs(1)).await;
    let before = taken.load(Ordering::Relaxed);
    sleep(MEASURED).await;
    let rate = (taken.load(Ordering::Relaxed) - before) as f64 / MEASURED.as_secs_f64();
    let begin = Instant::now();
    let listed = kv.all().await.unwrap().len();
    let list = begin.elapsed();
    // One message to all, until the last has answered.
    let inbox = "_INBOX.own.all";
    let mut answers = own.subscribe(inbox).await;
    let begin = Instant::now();
    own.publish_with_reply("synapse.broadcast", inbox, "who?")
        .await;
    let mut answered = 0;
    while answered < machines
        && timeout(Duration::from_secs(10), answers.next())
            .await
            .is_ok()
    {
        answered += 1;
    }
    let fan_out = begin.elapsed();
    println!(
        "| {machines} | {} | {:.1} MB | {:.0} ms ({listed}) | {:.0} | {:.0} | {:.0} ms ({answered}) | {} MB |",
        size,
        (size * machines) as f64 / 1e6,
        list.as_secs_f64() * 1e3,
        machines as f64 / BEAT.as_secs_f64(),
        rate / READERS.min(machines) as f64,
        fan_out.as_secs_f64() * 1e3,
        memory(server.0.id()),
    );
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    println!("nats-server {}", engine::version().unwrap());
    println!(
        "| machines | record, bytes | bucket | list all | records put per s | records taken per s by each reader | broadcast answered | server's memory |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let asked: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|n| n.parse().ok())
        .collect();
    let sizes = if asked.is_empty() {
        vec![1, 100, 1_000]
    } else {
        asked
    };
    for machines in sizes {
        measure(machines).await;
    }
}
