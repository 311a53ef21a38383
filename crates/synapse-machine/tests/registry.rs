//! The registry among processes: who claims at once, who dies, who leaves rubbish behind.
#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use synapse_machine::registry::{
    Address, Applicant, Claim, Entry, PortError, PortWish, Registry, RegistryError, Status,
    Transport,
};
use tempfile::TempDir;

/// Set for a process that is to be an agent: the folder of its registry.
const FOLDER: &str = "SYNAPSE_TEST_REGISTRY";
const AGENTS: usize = 50;

/// A registry of its own, and a loopback address where no other test binds.
struct Place {
    dir: TempDir,
    registry: Registry,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::new(dir.path().join("registry"));
        Self { dir, registry }
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("registry")
    }

    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder())
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".lock")
            .collect();
        names.sort();
        names
    }

    fn handles(&self) -> Vec<String> {
        let entries = self.registry.list().unwrap();
        entries
            .iter()
            .map(|entry| entry.handle.to_string())
            .collect()
    }

    fn published(&self, agent_type: &str, name: Option<&str>) -> Claim {
        let mut claim = self.registry.claim(&applicant(agent_type, name)).unwrap();
        claim.publish(address(4711)).unwrap();
        claim
    }

    fn start_agent(&self) -> Agent {
        Agent::start(&self.folder())
    }
}

/// A process that claims a place when told, and keeps it until it is told or killed.
struct Agent {
    process: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Agent {
    fn start(folder: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "an_agent_in_a_process_of_its_own"])
            .args(["--ignored", "--nocapture", "--quiet"])
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    fn tell(&mut self) {
        let mut input = self.process.stdin.as_ref().unwrap();
        input.write_all(b"\n").unwrap();
    }

    fn wait_until_published(&mut self) {
        let mut line = String::new();
        while !line.contains("published") {
            line.clear();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "the agent died"
            );
        }
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn leave(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
#[ignore = "not a test: other tests start it as a process"]
fn an_agent_in_a_process_of_its_own() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let registry = Registry::new(&folder);
    io::stdin().read_exact(&mut [0]).unwrap();
    let mut claim = registry.claim(&applicant("codex", None)).unwrap();
    let wish = PortWish::from_flag(None, None);
    let listener = registry.bind(loopback(&folder), "codex", wish).unwrap();
    claim
        .publish(address(listener.local_addr().unwrap().port()))
        .unwrap();
    io::stdout().write_all(b"\npublished\n").unwrap();
    io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn applicant<'a>(agent_type: &'a str, name: Option<&'a str>) -> Applicant<'a> {
    Applicant {
        host: "box",
        dir: Path::new("/work"),
        agent_type,
        profile: agent_type,
        name,
    }
}

fn address(port: u16) -> Address {
    Address {
        program_dir: None,
        port,
        endpoint: format!("http://127.0.0.1:{port}"),
        transport: Transport::Http,
        token_path: None,
        is_token_replaced: false,
        may_answer_itself: false,
        has_no_terminal: false,
        is_adopted: false,
    }
}

/// An address of this machine that belongs to one folder, so that real ports can be tried.
fn loopback(folder: &Path) -> IpAddr {
    let sum = folder
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0_u32, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add((*byte).into())
        });
    let [_, a, b, c] = sum.to_be_bytes();
    Ipv4Addr::new(127, a | 1, b, c.clamp(1, 254)).into()
}

fn distinct<T: Ord>(entries: &[Entry], of: impl Fn(&Entry) -> T) -> BTreeSet<T> {
    entries.iter().map(of).collect()
}

#[test]
fn fifty_that_claim_at_once_get_fifty_ids_handles_and_ports() {
    let place = Place::new();
    let mut agents: Vec<Agent> = (0..AGENTS).map(|_| place.start_agent()).collect();
    agents.iter_mut().for_each(Agent::tell);
    agents.iter_mut().for_each(Agent::wait_until_published);

    let entries = place.registry.list().unwrap();
    assert_eq!(entries.len(), AGENTS);
    let ids = distinct(&entries, |entry| entry.agent_id.clone());
    assert_eq!(ids.len(), AGENTS);
    let handles = distinct(&entries, |entry| entry.handle.to_string());
    let wanted = (1..=AGENTS).map(|nth| match nth {
        1 => "codex".to_owned(),
        _ => format!("codex-{nth}"),
    });
    assert_eq!(handles, wanted.collect(), "no number is left out");
    let ports = distinct(&entries, |entry| entry.port);
    assert_eq!(ports.len(), AGENTS);
    assert!(ports.contains(&8101), "the first has the port of its kind");
    assert!(
        ports
            .iter()
            .all(|port| *port == 8101 || (8103..=8179).contains(port))
    );

    agents.into_iter().for_each(Agent::leave);
    assert_eq!(place.files(), [""; 0], "who leaves takes everything along");
}

#[test]
fn coming_going_and_looking_do_not_get_in_each_others_way() {
    let place = Place::new();
    let come_and_go = || {
        for _ in 0..25 {
            let claim = place.published("codex", None);
            let survey = place.registry.survey().unwrap();
            let is_ours = |entry: &Entry| entry.agent_id == *claim.id();
            assert_eq!(survey.entries.iter().filter(|e| is_ours(e)).count(), 1);
            assert!(survey.unreadable.is_empty(), "{survey:?}");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(come_and_go);
        }
    });
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn what_a_killed_agent_leaves_vanishes_at_the_next_look() {
    let place = Place::new();
    let mut agent = place.start_agent();
    agent.tell();
    agent.wait_until_published();
    assert_eq!(place.handles(), ["codex"]);
    agent.kill();
    assert_eq!(place.files().len(), 2, "nobody has looked yet");

    let survey = place.registry.survey().unwrap();
    assert_eq!(survey.entries, []);
    assert_eq!(survey.swept[0].pid, agent.process.id(), "one is told of it");
    assert_eq!(place.files(), [""; 0]);
    assert_eq!(place.registry.survey().unwrap().swept, [], "and only one");
}

#[test]
fn the_place_of_a_killed_agent_is_free_at_once() {
    let place = Place::new();
    let mut agent = place.start_agent();
    agent.tell();
    agent.wait_until_published();
    let before = place.registry.list().unwrap();
    agent.kill();
    let claim = place.registry.claim(&applicant("codex", None)).unwrap();
    assert_eq!(claim.id(), &before[0].agent_id);
    assert_eq!(claim.handle().as_str(), "codex");
    assert_eq!(
        place.handles(),
        [""; 0],
        "its old entry does not speak for us"
    );
}

#[test]
fn a_name_is_taken_before_its_agent_can_be_found() {
    let place = Place::new();
    let first = place.registry.claim(&applicant("codex", None)).unwrap();
    assert_eq!(place.handles(), [""; 0]);
    let second = place.registry.claim(&applicant("codex", None)).unwrap();
    assert_eq!(second.handle().as_str(), "codex-2");
    drop(first);
    let third = place.registry.claim(&applicant("codex", None)).unwrap();
    assert_eq!(
        third.handle().as_str(),
        "codex",
        "a free name is used again"
    );
}

#[test]
fn a_chosen_name_that_is_taken_is_refused_with_its_holder() {
    let place = Place::new();
    let claim = place.published("codex", Some("Reviewer"));
    let refused = place.registry.claim(&applicant("claude", Some("reviewer")));
    let Err(RegistryError::NameTaken { handle, pid, id }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(handle.as_str(), "Reviewer");
    assert_eq!((pid, &id), (std::process::id(), claim.id()));
    let strange = place.registry.claim(&applicant("claude", Some("a b")));
    assert!(strange.unwrap_err().to_string().contains("letters"));
}

#[test]
fn a_default_name_steps_aside_for_a_chosen_one() {
    let place = Place::new();
    let _chosen = place.published("claude", Some("codex"));
    let claim = place.published("codex", None);
    assert_eq!(claim.handle().as_str(), "codex-2");
}

#[test]
fn an_entry_says_what_others_need_and_follows_the_agent() {
    let place = Place::new();
    let mut claim = place.published("codex", None);
    claim.update(Status::Busy).unwrap();
    let path = place.folder().join(format!("{}.json", claim.id()));
    let written: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(written["agent_id"], claim.id().as_str());
    assert_eq!(written["status"], "BUSY");
    assert_eq!(written["working_dir"], "/work");
    assert_eq!(written["endpoint"], "http://127.0.0.1:4711");
    assert_eq!(written["version"], env!("CARGO_PKG_VERSION"));
    assert!(written["started_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(place.registry.list().unwrap(), [claim.entry().clone()]);
    for name in place.files() {
        let mode = place.folder().join(&name).metadata().unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
    }
    drop(claim);
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn a_broken_entry_is_skipped_and_kept() {
    let place = Place::new();
    let _claim = place.published("codex", None);
    for (name, text) in [("half.json", "{\"agent_id\":"), ("other.json", "[]")] {
        fs::write(place.folder().join(name), text).unwrap();
    }
    fs::write(place.folder().join("notes.txt"), "").unwrap();
    assert_eq!(place.handles(), ["codex"]);
    let survey = place.registry.survey().unwrap();
    let names: Vec<_> = survey
        .unreadable
        .iter()
        .map(|file| file.path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["half.json", "other.json"]);
    let files = place.files();
    for name in ["half.json", "other.json", "notes.txt"] {
        assert!(files.iter().any(|file| file == name), "{name} is gone");
    }
}

#[test]
fn an_entry_without_a_lock_is_stale() {
    let place = Place::new();
    fs::create_dir(place.folder()).unwrap();
    let entry = r#"{"agent_id":"abc","agent_type":"claude","port":8100,"status":"BUSY","pid":1,
        "working_dir":"/","endpoint":"http://localhost:8100"}"#;
    fs::write(place.folder().join("abc.json"), entry).unwrap();
    for draft in [
        ".def.lock.draft",
        ".ghi.json.7-1.draft",
        ".jkl.lock.8-23.draft",
    ] {
        fs::write(place.folder().join(draft), "").unwrap();
    }
    assert_eq!(place.handles(), [""; 0]);
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn a_folder_that_is_not_there_is_empty() {
    let place = Place::new();
    assert_eq!(place.handles(), [""; 0]);
    assert!(!place.folder().exists(), "looking creates nothing");
}

#[test]
fn fifty_threads_bind_fifty_ports() {
    let place = Place::new();
    let ip = loopback(&place.folder());
    let bind = || {
        place
            .registry
            .bind(ip, "dummy", PortWish::from_flag(None, None))
    };
    let listeners: Vec<TcpListener> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..AGENTS).map(|_| scope.spawn(bind)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap().unwrap())
            .collect()
    });
    let ports: BTreeSet<u16> = listeners.iter().map(port_of).collect();
    assert_eq!(ports, (8103..8153).collect(), "the lowest free ones");
    let more: Vec<TcpListener> = (AGENTS..77).map(|_| bind().unwrap()).collect();
    assert!(matches!(bind(), Err(PortError::AllTaken)));
    drop(more);
}

#[test]
fn a_chosen_port_that_is_taken_is_refused_with_its_holder() {
    let place = Place::new();
    let ip = loopback(&place.folder());
    let bind = |port| {
        place
            .registry
            .bind(ip, "codex", PortWish::from_flag(Some(port), None))
    };
    let listener = bind(0).unwrap();
    let port = port_of(&listener);
    assert_eq!(
        bind(port).unwrap_err().to_string(),
        format!("port {port} is taken by another program")
    );
    let mut claim = place
        .registry
        .claim(&applicant("codex", Some("painter")))
        .unwrap();
    claim.publish(address(port)).unwrap();
    let error = bind(port).unwrap_err().to_string();
    assert!(error.contains("taken by @painter (pid"), "{error}");
}

#[test]
fn a_configured_port_comes_before_the_usual_one() {
    let place = Place::new();
    let ip = loopback(&place.folder());
    let bind = || {
        place
            .registry
            .bind(ip, "gemini", PortWish::from_flag(None, Some(8200)))
    };
    let [first, second] = [bind().unwrap(), bind().unwrap()];
    assert_eq!(port_of(&first), 8200);
    assert_eq!(port_of(&second), 8103);
}

#[test]
fn an_address_that_is_not_ours_is_refused_at_once() {
    let place = Place::new();
    let elsewhere = Ipv4Addr::new(192, 0, 2, 1).into();
    let error = place
        .registry
        .bind(elsewhere, "codex", PortWish::from_flag(None, None))
        .unwrap_err();
    assert!(error.to_string().contains("192.0.2.1:8101"), "{error}");
}

fn port_of(listener: &TcpListener) -> u16 {
    listener.local_addr().unwrap().port()
}
