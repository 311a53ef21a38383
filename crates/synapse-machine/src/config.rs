//! The settings, `~/.synapse/config.yaml`. Every key may be missing.
//!
//! An unknown key is a warning, because ignoring it does no harm; a wrong value is an error that says where
//! it is and what would be right.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use synapse_term::router::{Pattern, ResponseMode};
use synapse_yaml::Booleans;

use crate::private_file::{Trust, read_text};

mod error;
mod files;
mod keys;
mod listen;
mod mesh;
#[cfg(test)]
mod reference;
mod settings;
mod variables;

pub use error::{ConfigError, Place, UnknownKey};
pub use files::files;
pub use listen::{Limits, ListenConfig, OpenToAll, PublicUrl, PublicUrlError, Tls};
pub use mesh::{Mesh, MeshRole, MeshRoleError};
pub use settings::Setting;
pub use variables::{VARIABLES, Variable};

/// The largest queue an agent may be given.
const LONGEST_QUEUE: usize = 10_000;

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct Config {
    /// Messages typed as `@handle …` in a wrapped terminal.
    pub input_routing: InputRouting,
    /// Where the answer goes when a message does not say.
    #[serde(
        deserialize_with = "response_mode",
        serialize_with = "settings::response_mode"
    )]
    pub default_response_mode: ResponseMode,
    /// How long to wait for an answer.
    #[serde(deserialize_with = "seconds", serialize_with = "settings::seconds")]
    pub response_timeout: Duration,
    /// The prompt of `synapse-shell`.
    pub shell_prompt: String,
    /// Settings for agents, by profile.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Who gets in.
    pub auth: Auth,
    /// How many tasks may wait for one agent.
    #[serde(deserialize_with = "queue_limit")]
    pub queue_limit: usize,
    /// Whether the programs' own hooks are used as witnesses.
    pub hooks: bool,
    /// Whether agents are given the tools of `synapse mcp`.
    pub mcp: bool,
    /// Whether agents speak gRPC, each on a port of its own.
    pub grpc: bool,
    /// The screen of an agent in the background.
    pub size: Size,
    /// Where agents listen.
    pub listen: IpAddr,
    /// The names this machine may be called by, besides its own.
    #[serde(deserialize_with = "listen::names")]
    pub host_names: Vec<String>,
    /// What makes agents speak TLS.
    pub tls: Option<Tls>,
    /// Authorities to trust besides those of the system when agents elsewhere are called, PEM.
    #[serde(deserialize_with = "listen::optional_file")]
    pub ca_file: Option<PathBuf>,
    /// Limits on connections, headers and bodies.
    pub limits: Limits,
    /// What the other machines of the mesh may do here.
    pub mesh: Mesh,
    /// The web page.
    pub web: Web,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            input_routing: InputRouting::default(),
            default_response_mode: ResponseMode::Display,
            response_timeout: Duration::from_secs(30),
            shell_prompt: "synapse> ".to_owned(),
            agents: BTreeMap::new(),
            auth: Auth::SameUser,
            queue_limit: 64,
            hooks: true,
            mcp: false,
            grpc: false,
            size: Size {
                columns: 120,
                rows: 40,
            },
            listen: Ipv4Addr::LOCALHOST.into(),
            host_names: Vec::new(),
            tls: None,
            ca_file: None,
            limits: Limits::default(),
            mesh: Mesh::default(),
            web: Web::default(),
        }
    }
}

impl Config {
    /// Reads the file; without one, everything has its default.
    ///
    /// # Errors
    /// When the file cannot be read, is no YAML, or has a wrong value.
    pub fn load(file: &Path) -> Result<LoadedConfig, ConfigError> {
        match read_text(file, Trust::Own) {
            Ok(text) => Self::parse(&text, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(LoadedConfig::default()),
            Err(why) => Err(ConfigError::Read {
                file: file.to_owned(),
                why,
            }),
        }
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is no YAML or has a wrong value.
    pub fn parse(text: &str, file: &Path) -> Result<LoadedConfig, ConfigError> {
        let node = synapse_yaml::parse(text, Booleans::Words)
            .map_err(|error| ConfigError::syntax(file, &error))?;
        let config = node.read().map_err(|error| {
            let (key, right) = keys::right(&keys::path_to(&node, error.place()));
            ConfigError::value(file, &error, key, right)
        })?;
        let unknown = keys::unknown(&node).into_iter();
        let warnings = unknown.map(|(name, nearest)| UnknownKey {
            place: Place::new(file, name.place),
            key: name.text.clone(),
            nearest: nearest.map(str::to_owned),
        });
        Ok(LoadedConfig {
            config,
            warnings: warnings.collect(),
            lines: keys::lines(&node),
        })
    }
}

/// The settings, and what is odd about the file they came from.
#[derive(Clone, Debug, Default)]
pub struct LoadedConfig {
    pub config: Config,
    /// Keys that are ignored.
    pub warnings: Vec<UnknownKey>,
    /// The line of each key in the file, by its path.
    lines: BTreeMap<String, u64>,
}

/// `input_routing`
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default)]
pub struct InputRouting {
    /// Whether lines are looked at.
    pub enabled: bool,
    /// What a line for another agent looks like; nothing is the router's own pattern.
    #[serde(deserialize_with = "pattern", serialize_with = "settings::pattern")]
    pub pattern: Option<Pattern>,
    /// How the person is told what became of a message.
    pub feedback: Feedback,
    /// Whether a line for nobody we know goes to the program instead.
    pub passthrough_on_fail: bool,
    /// Whether an answer is also typed into the program, as a message.
    pub return_to_agent: bool,
}

impl Default for InputRouting {
    fn default() -> Self {
        Self {
            enabled: true,
            pattern: None,
            feedback: Feedback::Silent,
            passthrough_on_fail: true,
            return_to_agent: false,
        }
    }
}

/// How a person is told what became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Feedback {
    /// One line when it is sent, one for the answer.
    Silent,
    Inline,
}

/// `agents.<name>`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct AgentSettings {
    /// The port it has unless told otherwise.
    pub port: Option<u16>,
    /// The port on which it speaks gRPC unless told otherwise.
    pub grpc_port: Option<u16>,
    /// Whether a message for it starts it.
    pub auto_start: bool,
}

/// Who gets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// Whoever shows the token.
    Token,
    /// The user who started the agent, and whoever shows the token.
    SameUser,
    None,
}

/// How large a screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size {
    /// Characters in a row.
    pub columns: u16,
    pub rows: u16,
}

/// `web`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Web {
    /// Folders whose repositories the page shows, and in which it may start agents.
    pub roots: Vec<PathBuf>,
}

/// A word that is not a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a size from 20x5 to 1000x500, such as 120x40")]
pub struct SizeError(String);

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let size = text
            .split_once(['x', 'X', '×'])
            .and_then(|(columns, rows)| {
                Some(Self {
                    columns: columns.parse().ok()?,
                    rows: rows.parse().ok()?,
                })
            });
        size.filter(|size| (20..=1_000).contains(&size.columns) && (5..=500).contains(&size.rows))
            .ok_or_else(|| SizeError(text.to_owned()))
    }
}

impl TryFrom<String> for Size {
    type Error = SizeError;

    fn try_from(text: String) -> Result<Self, SizeError> {
        text.parse()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> Self {
        size.to_string()
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)
    }
}

fn response_mode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ResponseMode, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Display,
        Return,
    }
    Ok(match Word::deserialize(deserializer)? {
        Word::Display => ResponseMode::Display,
        Word::Return => ResponseMode::Return,
    })
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    let time = Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)?;
    if time.is_zero() {
        return Err(D::Error::custom("it must be longer than 0"));
    }
    Ok(time)
}

fn queue_limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let limit = usize::deserialize(deserializer)?;
    if !(1..=LONGEST_QUEUE).contains(&limit) {
        return Err(D::Error::custom(format!("{limit} is out of range")));
    }
    Ok(limit)
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Pattern>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Pattern::new(&text).map(Some).map_err(D::Error::custom)
}
