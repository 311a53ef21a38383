//! A member that means no good: it has a key of the mesh and speaks to the server itself.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use synapse_client::mesh::MeshAgent;
use synapse_machine::paths::Paths;
use synapse_mesh::bridge::{ROSTER_KEY, options, roster_bucket};
use synapse_mesh::folder::Folder;
use synapse_mesh::key::MachineKey;
use synapse_mesh::nats::{Auth, Kv, Nats, Options, Server as Address, Trust};
use synapse_mesh::presence::{Beat, record};
use synapse_mesh::signed::Signed;

use crate::machines::{Machine, Server};

const PATIENCE: Duration = Duration::from_secs(20);

/// The connection that the bridge of a machine would have; the bridge itself is ended.
struct Member {
    nats: Nats,
    key: Arc<MachineKey>,
}

impl Member {
    async fn of(machine: &Machine) -> Self {
        machine.stop_bridge();
        let home = machine.home.path();
        let folder = Folder::new(&Paths::new(home.join("a2a"), home.join("synapse")));
        let key = Arc::new(folder.key().unwrap());
        let options = options(&folder, &folder.membership().unwrap(), &key, None).unwrap();
        let nats = Nats::connect(options, PATIENCE).await.unwrap();
        Self { nats, key }
    }

    fn bucket(&self, name: &str) -> Kv {
        Kv::of(&self.nats, name)
    }

    fn rosters(&self) -> Kv {
        self.bucket(&roster_bucket("synapse", 1).name)
    }

    /// Waits until the server has taken all that was published before.
    async fn settle(&self) {
        self.rosters().keys().await.unwrap();
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().unwrap()
}

#[test]
fn a_member_says_nothing_in_the_name_of_another() {
    let desk = Machine::begin("desk");
    let liar = desk.join("liar", "control");
    let server = desk.join("server", "send");
    server.start("theirs");
    desk.wait_for_agent("theirs@server");
    runtime().block_on(async {
        let member = Member::of(&liar).await;
        let mut overheard = member.nats.subscribe("synapse.to.server.*").await;
        for subject in [
            "synapse.to.server.desk",
            "$KV.synapse_presence.server",
            "$KV.synapse_roster.roster",
            "$JS.API.STREAM.DELETE.KV_synapse_roster",
            "$JS.API.STREAM.PURGE.KV_synapse_presence",
            "$JS.API.STREAM.UPDATE.KV_synapse_roster",
            "$JS.API.CONSUMER.CREATE.KV_synapse_roster",
            "_INBOX.server.x",
        ] {
            member.nats.publish(subject, "{}").await;
        }
        member.settle().await;
        let roster = member.rosters().get(ROSTER_KEY).await.unwrap().unwrap();
        assert!(serde_json::from_slice::<Signed>(&roster).is_ok());
        let presence = member.bucket("synapse_presence");
        let said = presence.get("server").await.unwrap().unwrap();
        assert!(serde_json::from_slice::<Signed>(&said).is_ok());
        // What the others say to each other does not come by.
        desk.ok(&["send", "theirs@server", "hello", "--return"]);
        member.settle().await;
        assert!(overheard.take_ready().is_none());
    });
}

#[test]
fn a_roster_that_a_member_has_the_server_overwrite_is_put_back() {
    let desk = Machine::begin("desk");
    let liar = desk.join("liar", "send");
    runtime().block_on(async {
        let member = Member::of(&liar).await;
        // The server answers to wherever it is asked to, in its own name.
        let target = format!("$KV.synapse_roster.{ROSTER_KEY}");
        let asked = "$JS.API.STREAM.INFO.KV_synapse_roster";
        let mut seen = member.rosters().watch(1 << 20).await;
        member.settle().await;
        member.nats.publish_with_reply(asked, &target, "").await;
        let mut is_signed = Vec::new();
        while is_signed.last() != Some(&true) {
            let message = tokio::time::timeout(PATIENCE, seen.next()).await;
            let message = message.expect("the roster is put back").unwrap();
            is_signed.push(serde_json::from_slice::<Signed>(&message.payload).is_ok());
        }
        assert_eq!(is_signed, [false, true], "it was overwritten, and put back");
    });
    let server = desk.join("server", "send");
    server.wait_for_machine("desk", true);
}

fn agent(handle: &str, directory: &str) -> MeshAgent {
    MeshAgent {
        id: "id".to_owned(),
        handle: handle.to_owned(),
        profile: "codex".to_owned(),
        agent_type: "codex".to_owned(),
        directory: directory.to_owned(),
        branch: Some("main\u{1b}[2J\u{202e}".to_owned()),
        status: "IDLE".to_owned(),
        started_at: None,
        version: String::new(),
    }
}

#[test]
fn what_a_member_says_of_its_agents_is_shown_and_not_obeyed() {
    let desk = Machine::begin("desk");
    let liar = desk.join("liar", "send");
    desk.wait_for_machine("liar", true);
    runtime().block_on(async {
        let member = Member::of(&liar).await;
        let presence = member.bucket("synapse_presence");
        let name = "liar".parse().unwrap();
        let mut beat = Beat {
            name,
            boot: "b".to_owned(),
            at: jiff::Timestamp::now().as_millisecond() + 1,
            version: "0\u{1b}[1m".to_owned(),
            agents: vec![
                agent("fine", "/a\u{1b}]0;owned\u{7}/b\nc"),
                agent("../../etc", "/"),
                agent("x\u{1b}[31m", "/"),
                agent("codex@desk", "/"),
                agent("", "/"),
            ],
            is_leaving: false,
        };
        presence
            .put_blindly("liar", "one", record(&member.key, &beat).unwrap())
            .await;
        desk.wait_for_agent("fine@liar");
        let seen = desk.sees("liar");
        let handles: Vec<&Value> = seen["agents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|agent| &agent["handle"])
            .collect();
        assert_eq!(handles, ["fine"], "{seen}");
        assert!(!seen.to_string().contains("\\u001b"), "{seen}");
        assert_eq!(seen["agents"][0]["directory"], "/a]0;owned/bc", "{seen}");
        let list = desk.ok(&["list", "--mesh"]);
        assert!(
            list.contains("fine@liar") && !list.contains('\u{1b}'),
            "{list:?}"
        );
        // A record that is larger than any machine has reason for is not taken, and neither is one of 10 MB.
        for (at, agents) in [(2, 2_000), (3, 30_000)] {
            beat.at += at;
            beat.agents = (0..agents)
                .map(|n| agent(&format!("many{n}"), "/"))
                .collect();
            let record = record(&member.key, &beat).unwrap();
            presence.put_blindly("liar", &at.to_string(), record).await;
        }
    });
    // Everybody else goes on.
    let server = desk.join("server", "send");
    server.start("codex");
    desk.wait_for_agent("codex@server");
    let seen = desk.sees("liar");
    assert!(seen["agents"].as_array().unwrap().len() < 10);
}

#[test]
fn a_member_that_says_it_is_here_without_end_keeps_nobody_from_work() {
    let desk = Machine::begin("desk");
    let liar = desk.join("liar", "send");
    let server = desk.join("server", "send");
    server.start("codex");
    desk.wait_for_agent("codex@server");
    runtime().block_on(async {
        let member = Member::of(&liar).await;
        let presence = member.bucket("synapse_presence");
        let begin = jiff::Timestamp::now().as_millisecond();
        for n in 0..5_000 {
            let beat = Beat {
                name: "liar".parse().unwrap(),
                boot: format!("b{n}"),
                at: begin + n,
                version: String::new(),
                agents: vec![agent(&format!("a{n}"), "/")],
                is_leaving: false,
            };
            let record = record(&member.key, &beat).unwrap();
            presence.put_blindly("liar", &n.to_string(), record).await;
        }
        assert_eq!(
            desk.ok(&["send", "codex@server", "hello", "--return"]),
            "ok: hello\n"
        );
        member.settle().await;
        desk.wait_for_agent("a4999@liar");
    });
}

#[test]
fn whoever_runs_the_server_reads_nothing_and_what_it_sends_again_is_not_done_again() {
    let store = tempfile::tempdir().unwrap();
    let engine = Server::start(&["-js", "-sd", store.path().to_str().unwrap()]);
    let desk = Machine::new();
    desk.ok(&["mesh", "join", &engine.url(), "--name", "desk"]);
    let laptop = desk.join("laptop", "send");
    laptop.start("codex");
    desk.wait_for_agent("codex@laptop");
    runtime().block_on(async {
        let options = Options {
            servers: vec![engine.url().parse::<Address>().unwrap()],
            auth: Auth::FromAddress,
            trust: Trust::System(None),
            inbox: "spy".to_owned(),
            name: "spy".to_owned(),
        };
        let spy = Nats::connect(options, PATIENCE).await.unwrap();
        let mut frames = spy.subscribe("synapse.to.>").await;
        spy.request("$JS.API.INFO", "").await.unwrap();
        let said = desk.ok(&["send", "codex@laptop", "a secret word", "--return"]);
        assert_eq!(said, "ok: a secret word\n");
        spy.request("$JS.API.INFO", "").await.unwrap();
        let mut recorded = Vec::new();
        while let Some(frame) = frames.take_ready() {
            recorded.push(frame);
        }
        assert!(recorded.len() > 3, "{}", recorded.len());
        for frame in &recorded {
            let is_read = |word: &[u8]| frame.payload.windows(word.len()).any(|part| part == word);
            assert!(!is_read(b"secret") && !is_read(b"/tasks/send"));
            spy.publish(&frame.subject, frame.payload.clone()).await;
        }
        spy.request("$JS.API.INFO", "").await.unwrap();
    });
    // What comes behind is done, so what was sent again has come and was not.
    desk.ok(&["send", "codex@laptop", "after", "--return"]);
    let tasks = laptop.json(&["tasks", "--json"]);
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 2, "{tasks}");
}
