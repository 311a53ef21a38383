//! How the programs we know are given our MCP server: by arguments and environment of this one start, so
//! that none of the user's files is touched. What the user says himself has the last word.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// What is added to a start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// Arguments, before the user's own.
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    /// A file to be written first, and what is in it.
    pub file: Option<(PathBuf, String)>,
}

/// The server as a program is to start it.
#[derive(Clone, Debug)]
pub struct ToolServer {
    /// Where we are.
    pub synapse: PathBuf,
    /// What tells it whose server it is and where the agents are: not every program hands its own
    /// environment on.
    pub env: Vec<(String, String)>,
}

/// What the user has said himself.
pub struct UserSettings<'a> {
    pub args: &'a [String],
    /// Whether a variable is set.
    pub has_variable: &'a dyn Fn(&str) -> bool,
    /// What is in a file of the system, if it is there.
    pub read: &'a dyn Fn(&Path) -> Option<String>,
    /// Our files belong to root, as those of the system do.
    pub is_root: bool,
}

/// Why a program cannot be given our server.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum AttachError {
    /// Nobody knows how.
    #[error(
        "--mcp: {0} takes no MCP servers by argument; add it to its own settings: {server} mcp",
        server = "synapse"
    )]
    Unknown(String),
    /// Gemini CLI reads settings beside the user's from files of root alone.
    #[error(
        "--mcp: gemini takes settings beside your own only from files that belong to root; add the server to yours once: gemini mcp add --scope user synapse {} mcp", .0.display()
    )]
    NotRoot(PathBuf),
}

/// The variable by which Gemini finds settings beside the user's.
const GEMINI_SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";

/// Where it finds them otherwise.
const GEMINI_SYSTEM: &str = "/etc/gemini-cli/settings.json";

/// What gives `program` our server; nothing where the user says otherwise. Files go below `folder`.
///
/// # Errors
/// If the program takes no server in this way.
pub fn attached(
    program: &str,
    server: &ToolServer,
    folder: &Path,
    given: &UserSettings<'_>,
) -> Result<Attached, AttachError> {
    let attached = match program {
        "claude" => claude(server, given),
        "codex" => codex(server, given),
        "gemini" if !given.is_root => return Err(AttachError::NotRoot(server.synapse.clone())),
        "gemini" => gemini(server, folder, given),
        _ => return Err(AttachError::Unknown(program.to_owned())),
    };
    Ok(attached.unwrap_or_default())
}

fn claude(server: &ToolServer, given: &UserSettings<'_>) -> Option<Attached> {
    let is_flag = |word: &String| word == "--mcp-config" || word.starts_with("--mcp-config=");
    if given.args.iter().any(is_flag) {
        return None;
    }
    let config = json!({ "mcpServers": { "synapse": server.to_json() } });
    Some(Attached {
        // In one word: the flag takes all the words that follow it, the user's prompt as well.
        args: vec![format!("--mcp-config={config}")],
        ..Attached::default()
    })
}

fn codex(server: &ToolServer, given: &UserSettings<'_>) -> Option<Attached> {
    if given
        .args
        .iter()
        .any(|word| word.contains("mcp_servers.synapse"))
    {
        return None;
    }
    // A string of JSON is one of TOML.
    let variable = |(name, value): &(String, String)| format!("{name}={}", json!(value));
    let env: Vec<String> = server.env.iter().map(variable).collect();
    let settings = [
        format!("command={}", json!(server.synapse)),
        "args=[\"mcp\"]".to_owned(),
        format!("env={{{}}}", env.join(",")),
    ];
    let args = settings
        .iter()
        .flat_map(|setting| ["-c".to_owned(), format!("mcp_servers.synapse.{setting}")]);
    Some(Attached {
        args: args.collect(),
        ..Attached::default()
    })
}

/// Ours takes the place of the system's settings, so it has them in it.
fn gemini(server: &ToolServer, folder: &Path, given: &UserSettings<'_>) -> Option<Attached> {
    if (given.has_variable)(GEMINI_SETTINGS) {
        return None;
    }
    let mut settings = match (given.read)(Path::new(GEMINI_SYSTEM)) {
        // What we cannot read we must not replace.
        Some(text) => serde_json::from_str(&text).ok()?,
        None => json!({}),
    };
    let servers = settings.as_object_mut()?.entry("mcpServers");
    let servers = servers.or_insert_with(|| json!({})).as_object_mut()?;
    if servers.contains_key("synapse") {
        return None;
    }
    servers.insert("synapse".to_owned(), server.to_json());
    let path = folder.join("gemini-settings.json");
    Some(Attached {
        env: vec![(GEMINI_SETTINGS.to_owned(), path.display().to_string())],
        file: Some((path, settings.to_string())),
        ..Attached::default()
    })
}

impl ToolServer {
    fn to_json(&self) -> Value {
        let env = self
            .env
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)));
        let env: serde_json::Map<String, Value> = env.collect();
        json!({ "command": self.synapse, "args": ["mcp"], "env": env })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program gets where the user gave these words and the system has these settings.
    fn of(program: &str, args: &[&str], has_variable: bool, system: Option<&str>) -> Attached {
        as_user(true, program, args, has_variable, system).unwrap()
    }

    fn as_user(
        is_root: bool,
        program: &str,
        args: &[&str],
        has_variable: bool,
        system: Option<&str>,
    ) -> Result<Attached, AttachError> {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let server = ToolServer {
            synapse: "/bin/synapse".into(),
            env: vec![("SYNAPSE_AGENT_ID".to_owned(), "7 \"x\"".to_owned())],
        };
        let given = UserSettings {
            args: &args,
            has_variable: &|_| has_variable,
            read: &|_| system.map(str::to_owned),
            is_root,
        };
        attached(program, &server, Path::new("/home/s"), &given)
    }

    fn file(attached: Attached) -> Value {
        serde_json::from_str(&attached.file.unwrap().1).unwrap()
    }

    #[test]
    fn what_cannot_be_given_is_refused_with_what_to_do_instead() {
        for is_root in [true, false] {
            let refused = as_user(is_root, "cat", &[], false, None).unwrap_err();
            assert_eq!(refused, AttachError::Unknown("cat".to_owned()));
            let claude = as_user(is_root, "claude", &[], false, None).unwrap();
            assert_eq!(claude.args.len(), 1, "it takes them from everybody");
        }
        let refused = as_user(false, "gemini", &[], false, None).unwrap_err();
        let told = refused.to_string();
        assert!(
            told.contains("gemini mcp add --scope user synapse /bin/synapse mcp"),
            "{told}"
        );
    }

    #[test]
    fn every_program_we_know_has_its_own_way() {
        let claude = of("claude", &[], false, None);
        let config = claude.args[0].strip_prefix("--mcp-config=").unwrap();
        let config: Value = serde_json::from_str(config).unwrap();
        let server = &config["mcpServers"]["synapse"];
        assert_eq!(server["command"], "/bin/synapse");
        assert_eq!(server["env"]["SYNAPSE_AGENT_ID"], "7 \"x\"");

        let codex = of("codex", &[], false, None);
        let settings: Vec<&str> = codex
            .args
            .iter()
            .skip(1)
            .step_by(2)
            .map(String::as_str)
            .collect();
        assert_eq!(
            settings,
            [
                r#"mcp_servers.synapse.command="/bin/synapse""#,
                r#"mcp_servers.synapse.args=["mcp"]"#,
                r#"mcp_servers.synapse.env={SYNAPSE_AGENT_ID="7 \"x\""}"#,
            ]
        );

        let gemini = of("gemini", &[], false, None);
        assert_eq!(gemini.env[0].0, GEMINI_SETTINGS);
        assert!(gemini.env[0].1.starts_with("/home/s/"));
        assert_eq!(file(gemini)["mcpServers"]["synapse"]["args"][0], "mcp");
    }

    #[test]
    fn what_the_user_says_has_the_last_word() {
        let nothing = Attached::default();
        assert_eq!(of("claude", &["--mcp-config", "x"], false, None), nothing);
        assert_eq!(of("claude", &["--mcp-config=x"], false, None), nothing);
        let own = ["-c", "mcp_servers.synapse.command=x"];
        assert_eq!(of("codex", &own, false, None), nothing);
        assert_eq!(of("gemini", &[], true, None), nothing);
    }

    #[test]
    fn settings_of_the_system_stay_in_force() {
        let system = r#"{"ui":{"theme":"x"},"mcpServers":{"other":{"command":"y"}}}"#;
        let both = file(of("gemini", &[], false, Some(system)));
        assert_eq!(both["ui"]["theme"], "x");
        assert_eq!(both["mcpServers"]["other"]["command"], "y");
        assert!(both["mcpServers"]["synapse"].is_object());
        let own = r#"{"mcpServers":{"synapse":{"command":"z"}}}"#;
        for kept in [own, "{ // not JSON\n}", "[]"] {
            assert_eq!(
                of("gemini", &[], false, Some(kept)),
                Attached::default(),
                "{kept}"
            );
        }
    }
}
