//! The environment variables that Synapse reads.

/// An environment variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    /// What it changes.
    pub meaning: &'static str,
    /// Its value is a secret, which is never shown.
    pub is_secret: bool,
}

const fn variable(name: &'static str, meaning: &'static str) -> Variable {
    Variable {
        name,
        meaning,
        is_secret: false,
    }
}

/// Every variable, in the order in which `synapse config` and docs/config.md show them. `SHELL`, `HOME`, `PATH`, `TERM`
/// and `ZDOTDIR` mean what they mean everywhere.
pub const VARIABLES: &[Variable] = &[
    variable(
        "SYNAPSE_HOME",
        "The folder of Synapse's own files, instead of `~/.synapse`.",
    ),
    variable(
        "A2A_HOME",
        "The folder that all agents of this machine share, instead of `~/.a2a`.",
    ),
    variable(
        "SYNAPSE_AGENT_ID",
        "Set by Synapse in the environment of a wrapped program. Commands run there are sent in that agent's name.",
    ),
    Variable {
        name: "SYNAPSE_WEB_TOKEN",
        meaning: "A token that opens the page of `synapse web`. Its older name is `MCBD_AUTH_TOKEN`, which still works.",
        is_secret: true,
    },
    variable(
        "SYNAPSE_NATS_SERVER",
        "The program that `synapse mesh up` starts as its server, instead of the `nats-server` of `PATH`.",
    ),
    variable(
        "BROWSER",
        "The program with which `synapse web --open` opens the page, instead of `xdg-open`.",
    ),
    Variable {
        name: "HTTPS_PROXY",
        meaning: "The HTTP proxy for HTTPS calls to agents on other machines; also `https_proxy`.",
        is_secret: true,
    },
    variable(
        "NO_PROXY",
        "Hosts that are called without the proxy; also `no_proxy`.",
    ),
    variable("NO_COLOR", "If set and not empty, nothing is coloured."),
    variable(
        "CLAUDE_CONFIG_DIR",
        "Where Claude Code keeps its settings and transcripts, which Synapse reads. Likewise `CODEX_HOME`, `COPILOT_HOME`, `CONTINUE_GLOBAL_DIR`, `GPTME_LOGS_HOME`, `PI_CODING_AGENT_DIR` and `XDG_DATA_HOME` for the programs that know them.",
    ),
];
