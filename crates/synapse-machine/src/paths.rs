//! Where the files of Synapse are. Nothing else knows.
//!
//! `~/.a2a` is what agents of a machine share, `~/.synapse` is ours; `A2A_HOME` and `SYNAPSE_HOME`
//! move them. Folders are made for their owner alone, and only when something is about to be
//! written: looking creates nothing.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::handle::Handle;
use crate::registry::AgentId;

/// The two homes, and every file below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    a2a: PathBuf,
    synapse: PathBuf,
}

/// Why the files have no place.
#[derive(Debug, thiserror::Error)]
pub enum PathsError {
    /// There is no home folder to put them in.
    #[error("there is no home folder: set HOME, or both SYNAPSE_HOME and A2A_HOME")]
    NoHome,
    /// A relative home, and no working directory to start from.
    #[error("{variable}={} cannot be made an absolute path", path.display())]
    Relative {
        /// The variable that says so.
        variable: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl Paths {
    /// The homes as the environment has them.
    ///
    /// # Errors
    /// When there is no home folder, or a relative override in a working directory that is gone.
    pub fn from_env() -> Result<Self, PathsError> {
        Self::resolve(|name| std::env::var_os(name), std::env::home_dir())
    }

    /// Homes of the caller's choice.
    pub fn new(a2a: impl Into<PathBuf>, synapse: impl Into<PathBuf>) -> Self {
        Self {
            a2a: a2a.into(),
            synapse: synapse.into(),
        }
    }

    fn resolve(
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<PathBuf>,
    ) -> Result<Self, PathsError> {
        // An empty HOME would put the files wherever the person happens to stand.
        let home = home.filter(|path| !path.as_os_str().is_empty());
        let place = |name: &'static str, usual: &str| match variable(name) {
            // A background host works elsewhere, so its paths must not depend on where it was started.
            Some(value) if !value.is_empty() => {
                std::path::absolute(&value).map_err(|source| PathsError::Relative {
                    variable: name,
                    path: value.into(),
                    source,
                })
            }
            _ => home
                .as_ref()
                .map(|home| home.join(usual))
                .ok_or(PathsError::NoHome),
        };
        Ok(Self::new(
            place("A2A_HOME", ".a2a")?,
            place("SYNAPSE_HOME", ".synapse")?,
        ))
    }

    /// The agents that run now, one file each.
    pub fn registry(&self) -> PathBuf {
        self.a2a.join("registry")
    }

    /// The agents elsewhere that were discovered, one file each.
    pub fn external(&self) -> PathBuf {
        self.a2a.join("external")
    }

    /// The person's settings.
    pub fn config(&self) -> PathBuf {
        self.synapse.join("config.yaml")
    }

    /// What models cost, where the person knows better than we do.
    pub fn prices(&self) -> PathBuf {
        self.synapse.join("prices.yaml")
    }

    /// The person's own prompts, a Markdown file each.
    pub fn prompts(&self) -> PathBuf {
        self.synapse.join("prompts")
    }

    /// Who is told when an agent needs somebody, and how.
    pub fn notify(&self) -> PathBuf {
        self.synapse.join("notify.json")
    }

    /// The certificate that `synapse web --tls self` made, and its key.
    pub fn own_certificate(&self) -> (PathBuf, PathBuf) {
        let folder = self.synapse.join("tls");
        (folder.join("self.crt"), folder.join("self.key"))
    }

    /// The person's own profiles.
    pub fn profiles(&self) -> PathBuf {
        self.synapse.join("profiles")
    }

    /// The profiles that come with the project in `dir`; used only once trusted.
    pub fn project_profiles(dir: &Path) -> PathBuf {
        dir.join(".synapse").join("profiles")
    }

    /// The project profiles that the person trusts, by content.
    pub fn trusted_profiles(&self) -> PathBuf {
        self.synapse.join("trusted.json")
    }

    /// The person's own flows.
    pub fn flows(&self) -> PathBuf {
        self.synapse.join("flows")
    }

    /// The flows that come with the project in `dir`; used only once trusted.
    pub fn project_flows(dir: &Path) -> PathBuf {
        dir.join(".synapse").join("flows")
    }

    /// What the runs of flows leave beside their events, a folder each.
    pub fn flow_runs(&self) -> PathBuf {
        self.synapse.join("flow-runs")
    }

    pub fn logs(&self) -> PathBuf {
        self.synapse.join("logs")
    }

    /// The log of one agent.
    pub fn log(&self, handle: &Handle) -> PathBuf {
        self.logs().join(format!("{handle}.log"))
    }

    /// The log of what was routed from people's keyboards.
    pub fn input_router_log(&self) -> PathBuf {
        self.logs().join("input_router.log")
    }

    /// The tokens that let others in, one file for each agent.
    pub fn tokens(&self) -> PathBuf {
        self.synapse.join("tokens")
    }

    /// The token of one agent.
    pub fn token(&self, id: &AgentId) -> PathBuf {
        self.tokens().join(id.as_str())
    }

    /// The token of the run of one agent, there while it runs.
    pub fn launch_token(&self, id: &AgentId) -> PathBuf {
        self.tokens().join(format!("{id}.launch"))
    }

    /// How each agent was started.
    pub fn launches(&self) -> PathBuf {
        self.synapse.join("agents")
    }

    /// How one agent was started.
    pub fn launch(&self, id: &AgentId) -> PathBuf {
        self.launches().join(format!("{id}.json"))
    }

    /// Held while agents are started again.
    pub fn up_lock(&self) -> PathBuf {
        self.synapse.join("up.lock")
    }

    /// The devices that may see the page, and codes that let in more.
    pub fn web(&self) -> PathBuf {
        self.synapse.join("web.json")
    }

    /// The rules by which the hub answers questions.
    pub fn auto_answer(&self) -> PathBuf {
        self.synapse.join("auto-answer.json")
    }

    /// Held and filled in by the hub that runs.
    pub fn hub(&self) -> PathBuf {
        self.synapse.join("hub.lock")
    }

    /// Leads a browser to the page when the hub opens one.
    pub fn detour(&self) -> PathBuf {
        self.synapse.join("open.html")
    }

    /// What programs are told of our MCP server, where they take it from a file.
    pub fn mcp(&self) -> PathBuf {
        self.synapse.join("mcp")
    }

    /// The sockets on which hosts hear the hooks of their programs.
    pub fn hooks(&self) -> PathBuf {
        self.synapse.join("hooks")
    }

    /// What is known of the programs that were started, until they change.
    pub fn programs(&self) -> PathBuf {
        self.synapse.join("programs.json")
    }

    /// The folders of tasks, each for the files that came with it.
    pub fn tasks(&self) -> PathBuf {
        self.synapse.join("tasks")
    }

    /// The key, the server and the view of the mesh that this machine is in.
    pub fn mesh(&self) -> PathBuf {
        self.synapse.join("mesh")
    }

    /// What programs of this user show to the bridge.
    pub fn mesh_token(&self) -> PathBuf {
        self.mesh().join("token")
    }

    /// The lines typed in `synapse shell`.
    pub fn shell_history(&self) -> PathBuf {
        self.synapse.join("shell_history")
    }

    /// Tasks, events and history.
    pub fn store(&self) -> PathBuf {
        self.synapse.join("synapse.db")
    }
}

/// A path as a shell would have it: `~` is the person's home.
pub fn expand_home(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path.to_owned(),
    }
}

/// Makes a folder and those above it, each for its owner alone; one that exists stays as it is.
///
/// # Errors
/// When the system does not let us.
pub fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn resolve(variables: &[(&str, &str)], home: Option<&str>) -> Result<Paths, PathsError> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        Paths::resolve(variable, home.map(PathBuf::from))
    }

    #[test]
    fn files_are_below_the_home_folder() {
        let paths = resolve(&[("SYNAPSE_HOME", "")], Some("/home/ada")).unwrap();
        assert_eq!(paths.registry(), Path::new("/home/ada/.a2a/registry"));
        assert_eq!(
            paths.config(),
            Path::new("/home/ada/.synapse/config.yaml"),
            "an empty variable is one that is not set"
        );
    }

    #[test]
    fn each_variable_moves_its_own_folder() {
        let paths = resolve(&[("A2A_HOME", "/a")], Some("/home/ada")).unwrap();
        assert_eq!(paths.external(), Path::new("/a/external"));
        assert_eq!(paths.store(), Path::new("/home/ada/.synapse/synapse.db"));
        let paths = resolve(&[("SYNAPSE_HOME", "/s"), ("A2A_HOME", "/a")], None).unwrap();
        assert_eq!(paths.store(), Path::new("/s/synapse.db"));
    }

    #[test]
    fn a_relative_home_does_not_depend_on_where_a_host_goes_later() {
        let paths = resolve(&[("SYNAPSE_HOME", "here")], Some("/home/ada")).unwrap();
        let here = std::env::current_dir().unwrap().join("here");
        assert_eq!(paths.config(), here.join("config.yaml"));
    }

    #[test]
    fn without_any_home_it_says_what_to_set() {
        for home in [None, Some("")] {
            let error = resolve(&[("A2A_HOME", "/a")], home).unwrap_err();
            assert!(error.to_string().contains("set HOME"), "{error}");
        }
    }

    #[test]
    fn folders_are_for_their_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let paths = Paths::new(place.path().join("a"), place.path().join("s"));
        create_folder(&paths.registry()).unwrap();
        create_folder(&paths.registry()).unwrap();
        for folder in [place.path().join("a"), paths.registry()] {
            let mode = folder.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
        }
    }
}
