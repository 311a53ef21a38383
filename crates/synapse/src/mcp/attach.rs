//! How the programs we know are given our MCP server: by arguments and environment of this one start, so
//! that none of the user's files is touched. What the user says himself has the last word.

use std::path::Path;

use serde_json::json;

/// What is added to a start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// Arguments, before the user's own.
    pub args: Vec<String>,
    /// Variables.
    pub env: Vec<(String, String)>,
    /// A file to be written first, and what is in it.
    pub file: Option<(std::path::PathBuf, String)>,
}

/// The variable by which Gemini finds settings beside the user's.
const GEMINI_SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";

/// What gives `program` our server, started as `synapse mcp`. Nothing for a program we do not know, or
/// where the user's own arguments or environment say otherwise.
pub fn attached(
    program: &str,
    synapse: &Path,
    folder: &Path,
    given: &[String],
    has_variable: impl Fn(&str) -> bool,
) -> Attached {
    let synapse = synapse.display().to_string();
    let says = |flag: &str| {
        given
            .iter()
            .any(|word| word == flag || word.starts_with(&format!("{flag}=")))
    };
    let server = json!({ "mcpServers": { "synapse": { "command": synapse, "args": ["mcp"] } } });
    match program {
        "claude" if !says("--mcp-config") => Attached {
            args: vec!["--mcp-config".to_owned(), server.to_string()],
            ..Attached::default()
        },
        "codex"
            if !given
                .iter()
                .any(|word| word.contains("mcp_servers.synapse")) =>
        {
            Attached {
                args: vec![
                    "-c".to_owned(),
                    format!("mcp_servers.synapse.command={}", json!(synapse)),
                    "-c".to_owned(),
                    "mcp_servers.synapse.args=[\"mcp\"]".to_owned(),
                ],
                ..Attached::default()
            }
        }
        "gemini" if !has_variable(GEMINI_SETTINGS) => {
            let path = folder.join("gemini-settings.json");
            Attached {
                env: vec![(GEMINI_SETTINGS.to_owned(), path.display().to_string())],
                file: Some((path, server.to_string())),
                ..Attached::default()
            }
        }
        _ => Attached::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(program: &str, given: &[&str], has: bool) -> Attached {
        let given: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
        attached(
            program,
            Path::new("/bin/synapse"),
            Path::new("/home/s"),
            &given,
            |_| has,
        )
    }

    #[test]
    fn every_program_we_know_has_its_own_way() {
        let claude = of("claude", &[], false);
        assert_eq!(claude.args[0], "--mcp-config");
        let config: serde_json::Value = serde_json::from_str(&claude.args[1]).unwrap();
        assert_eq!(config["mcpServers"]["synapse"]["command"], "/bin/synapse");
        let codex = of("codex", &[], false);
        assert_eq!(
            codex.args[1],
            "mcp_servers.synapse.command=\"/bin/synapse\""
        );
        let gemini = of("gemini", &[], false);
        assert_eq!(gemini.env[0].0, GEMINI_SETTINGS);
        assert!(
            gemini
                .file
                .is_some_and(|(path, _)| path.starts_with("/home/s"))
        );
        assert_eq!(of("bash", &[], false), Attached::default());
    }

    #[test]
    fn what_the_user_says_has_the_last_word() {
        let nothing = Attached::default();
        assert_eq!(of("claude", &["--mcp-config", "x"], false), nothing);
        assert_eq!(of("claude", &["--mcp-config=x"], false), nothing);
        assert_eq!(
            of("codex", &["-c", "mcp_servers.synapse.command=x"], false),
            nothing
        );
        assert_eq!(of("gemini", &[], true), nothing);
    }
}
