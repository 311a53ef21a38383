//! A server that somebody else runs: an operator, an account, and a credentials file for each machine, as NATS tools make
//! them.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use synapse_mesh::key::MachineKey;

use crate::machines::{Machine, Server, free_port};

/// The first bytes of public keys, as NATS has them.
const OPERATOR: u8 = 14 << 3;
const ACCOUNT: u8 = 0;
const USER: u8 = 20 << 3;

/// A key that signs the rights of others.
struct Issuer {
    key: MachineKey,
    prefix: u8,
}

impl Issuer {
    fn new(prefix: u8) -> Self {
        let key = MachineKey::generate().unwrap();
        Self { key, prefix }
    }

    fn name(&self) -> String {
        nkey(self.prefix, &self.key.public().0)
    }

    /// A JWT that gives somebody rights.
    fn jwt(&self, subject: &str, name: &str, rights: &Value) -> String {
        let head = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
        let claims = json!({
            "jti": name, "iat": jiff::Timestamp::now().as_second(), "iss": self.name(),
            "sub": subject, "name": name, "nats": rights,
        });
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", encode(&head), encode(&claims));
        let signature = self.key.sign(text.as_bytes());
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// A public key as NATS writes it: base 32 of a prefix, the key and a checksum.
fn nkey(prefix: u8, key: &[u8]) -> String {
    let mut bytes = vec![prefix];
    bytes.extend(key);
    let sum = bytes.iter().fold(0_u16, |sum, byte| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| {
            if sum & 0x8000 == 0 {
                sum << 1
            } else {
                (sum << 1) ^ 0x1021
            }
        })
    });
    bytes.extend(sum.to_le_bytes());
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let five =
        |at: usize| usize::from_str_radix(&format!("{:0<5}", &bits[at..bits.len().min(at + 5)]), 2);
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let text = (0..bits.len())
        .step_by(5)
        .map(|at| char::from(letters[five(at).unwrap()]));
    text.collect()
}

/// A server with one account, and credentials of its users.
struct Company {
    server: Server,
    account: Issuer,
    place: tempfile::TempDir,
}

impl Company {
    fn begin(limits: &Value) -> Self {
        let place = tempfile::tempdir().unwrap();
        let (operator, account) = (Issuer::new(OPERATOR), Issuer::new(ACCOUNT));
        let system = Issuer::new(ACCOUNT);
        let of_account = |jetstream: &Value| {
            let mut limits = json!({
                "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true,
                "conn": -1, "leaf": -1,
            });
            limits
                .as_object_mut()
                .unwrap()
                .extend(jetstream.as_object().unwrap().clone());
            json!({ "type": "account", "version": 2, "limits": limits })
        };
        let rights = json!({ "type": "operator", "version": 2, "system_account": system.name() });
        let config = format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n  {}: {}\n  {}: {}\n}}\njetstream {{ store_dir: {:?} }}\n",
            operator.jwt(&operator.name(), "company", &rights),
            system.name(),
            account.name(),
            operator.jwt(&account.name(), "agents", &of_account(limits)),
            system.name(),
            operator.jwt(&system.name(), "SYS", &of_account(&json!({}))),
            place.path().join("store"),
        );
        let file = place.path().join("server.conf");
        std::fs::write(&file, config).unwrap();
        let server = Server::start_on(free_port(), &["-c", file.to_str().unwrap()]);
        Self {
            server,
            account,
            place,
        }
    }

    /// The credentials file of a user that may do this.
    fn creds(&self, name: &str, permissions: &Value) -> PathBuf {
        let key = MachineKey::generate().unwrap();
        let mut rights =
            json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
        rights
            .as_object_mut()
            .unwrap()
            .extend(permissions.as_object().unwrap().clone());
        let jwt = self
            .account
            .jwt(&nkey(USER, &key.public().0), name, &rights);
        let file = self.place.path().join(format!("{name}.creds"));
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
            key.seed()
        );
        std::fs::write(&file, text).unwrap();
        file
    }
}

/// What docs/mesh.md says that the account needs.
fn documented() -> Value {
    let subjects = [
        "synapse.>",
        "$KV.synapse_presence.>",
        "$KV.synapse_roster.>",
        "$JS.API.>",
        "_INBOX.>",
    ];
    json!({ "pub": { "allow": subjects }, "sub": { "allow": subjects } })
}

#[test]
fn machines_with_credentials_make_a_mesh_on_a_server_of_somebody_else() {
    let company = Company::begin(&json!({ "mem_storage": -1, "disk_storage": -1 }));
    let url = company.server.url();
    let (one, two, three) = (Machine::new(), Machine::new(), Machine::new());
    let creds = |name: &str| company.creds(name, &documented()).display().to_string();
    let (first, second) = (creds("one"), creds("two"));
    // Without credentials nobody gets in.
    let (_, said) = three.fails(&["mesh", "join", &url]);
    assert!(said.contains("does not let this machine in"), "{said}");
    let (_, said) = three.fails(&["mesh", "join", &url, "--creds", "/no/such.creds"]);
    assert!(said.contains("cannot read /no/such.creds"), "{said}");
    one.ok(&["mesh", "join", &url, "--creds", &first, "--name", "one"]);
    // One that has credentials and no invitation is told whom to ask.
    let (_, said) = three.fails(&["mesh", "join", &url, "--creds", &second, "--name", "three"]);
    assert!(
        said.contains("there is a mesh on this server already"),
        "{said}"
    );
    let line = one.run(&["mesh", "invite", "two", "--role", "control"]);
    let told = String::from_utf8_lossy(&line.stderr).into_owned();
    assert!(
        told.contains("server"),
        "it says what the server allows: {told}"
    );
    let line = String::from_utf8(line.stdout).unwrap();
    assert!(line.contains("--creds FILE"), "{line}");
    let line = line.replace("FILE", &second);
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    two.ok(&words);
    one.start("codex");
    two.wait_for_agent("codex@one");
    assert_eq!(
        two.ok(&["send", "codex@one", "hello", "--return"]),
        "ok: hello\n"
    );
    // Revoked, it is still let in by the server, and believed by nobody.
    let revoked = one.run(&["mesh", "revoke", "two"]);
    let told = String::from_utf8_lossy(&revoked.stderr).into_owned();
    assert!(
        revoked.status.success() && told.contains("server"),
        "{told}"
    );
    two.wait_until("it knows", |world| {
        let told = world.run(&["mesh", "status"]);
        String::from_utf8_lossy(&told.stderr).contains("revoked")
    });
    let (_, said) = two.fails(&["send", "codex@one", "still?"]);
    assert!(said.contains("revoked"), "{said}");
    let tasks = one.json(&["tasks", "--json"]);
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
}

#[test]
fn an_account_without_jetstream_is_told_so() {
    let company = Company::begin(&json!({ "mem_storage": 0, "disk_storage": 0 }));
    let creds = company.creds("one", &documented()).display().to_string();
    let machine = Machine::new();
    let (_, said) = machine.fails(&["mesh", "join", &company.server.url(), "--creds", &creds]);
    assert!(said.contains("has no JetStream"), "{said}");
    let (_, said) = machine.fails(&["mesh", "status"]);
    assert!(
        said.contains("in no mesh"),
        "nothing half-made stays: {said}"
    );
}

#[test]
fn credentials_that_do_not_suffice_are_told_so() {
    let company = Company::begin(&json!({ "mem_storage": -1, "disk_storage": -1 }));
    let subjects = ["synapse.>", "_INBOX.>"];
    let few = json!({ "pub": { "allow": subjects }, "sub": { "allow": subjects } });
    let creds = company.creds("one", &few).display().to_string();
    let machine = Machine::new();
    let (_, said) = machine.fails(&["mesh", "join", &company.server.url(), "--creds", &creds]);
    assert!(
        said.contains("does not let this machine publish to $JS.API"),
        "{said}"
    );
}

#[test]
fn a_name_and_password_in_the_address_are_used_and_not_shown() {
    let store = tempfile::tempdir().unwrap();
    let (user, store) = ("somebody", store.path().to_str().unwrap().to_owned());
    let server = Server::start(&["-js", "-sd", &store, "--user", user, "--pass", "hunter2"]);
    let url = server
        .url()
        .replace("nats://", &format!("nats://{user}:hunter2@"));
    let desk = Machine::new();
    let (_, said) = desk.fails(&["mesh", "join", &server.url(), "--name", "desk"]);
    assert!(said.contains("does not let this machine in"), "{said}");
    desk.ok(&["mesh", "join", &url, "--name", "desk"]);
    let line = desk.ok(&["mesh", "invite", "laptop"]);
    assert!(!line.contains("hunter2"), "{line}");
    let status = desk.run(&["mesh", "status"]);
    assert!(!String::from_utf8_lossy(&status.stderr).contains("hunter2"));
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let laptop = Machine::new();
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    words[2] = url;
    laptop.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
    desk.wait_for_machine("laptop", true);
}
