//! A tmux server: which panes it has, and what runs in them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;

use rustix::process::Pid;
use synapse_machine::child;
use synapse_platform::process;
use synapse_pty::Size;

/// What is asked of each pane, parted by tabs.
const ABOUT: &str = "#{pane_id}\t#{pane_pid}\t#{pane_tty}\t#{pane_width}\t#{pane_height}\t#{session_id}\t#{session_name}:#{window_index}.#{pane_index}\t#{pane_dead}\t#{@synapse}\t#{pane_current_path}";

/// The option of a pane that names the agent it is.
const OPTION: &str = "@synapse";

/// Why something cannot be done with tmux.
#[derive(Debug, thiserror::Error)]
pub enum TmuxError {
    #[error("tmux cannot be started: {0}; is it installed?")]
    Missing(io::Error),
    #[error("tmux: {0}")]
    Refused(String),
    #[error("there is no pane {0}; `synapse adopt --list` has them all")]
    NoPane(String),
    #[error("the program in pane {0} has ended")]
    Dead(String),
    #[error("the terminal of pane {pane} cannot be opened: {why}")]
    Terminal { pane: String, why: io::Error },
}

/// One tmux server, by its socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    socket: Option<PathBuf>,
}

/// A pane, and what runs in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaneInfo {
    /// As tmux names it: `%3`.
    pub id: String,
    /// The process that tmux started there: a shell, most often.
    pub pid: Pid,
    pub tty: String,
    pub size: Size,
    /// The session it is in, as tmux names it: `$0`.
    pub session: String,
    /// As people name it: `main:0.1`.
    pub place: String,
    pub is_dead: bool,
    /// The agent it was adopted as.
    pub agent: Option<String>,
    pub dir: PathBuf,
}

impl Server {
    /// The server behind a socket; the usual one without.
    pub fn at(socket: Option<PathBuf>) -> Self {
        Self { socket }
    }

    /// The server around this process, and the pane it runs in, by what tmux sets in its panes.
    pub fn around(tmux: Option<OsString>, pane: Option<OsString>) -> Option<(Self, String)> {
        let tmux = tmux?.into_string().ok()?;
        // `SOCKET,SERVER PID,SESSION`
        let socket = tmux
            .rsplitn(3, ',')
            .last()
            .filter(|path| !path.is_empty())?;
        let pane = pane?.into_string().ok()?;
        Some((Self::at(Some(socket.into())), pane))
    }

    pub fn socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// The words that begin every call of this server.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let socket = self.socket.iter();
        socket
            .flat_map(|path| ["-S".into(), path.clone().into_os_string()])
            .collect()
    }

    /// Runs a command.
    ///
    /// # Errors
    /// If tmux is not there, or refuses; in its words.
    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, words: &[S]) -> Result<String, TmuxError> {
        let Output {
            status,
            stdout,
            stderr,
        } = child::command("tmux")
            .args(self.words())
            .args(words)
            .output()
            .map_err(TmuxError::Missing)?;
        if !status.success() {
            let said = String::from_utf8_lossy(&stderr).trim().to_owned();
            return Err(TmuxError::Refused(said));
        }
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    }

    /// All panes of the server; none where there is no server.
    ///
    /// # Errors
    /// If tmux is not there.
    pub fn panes(&self) -> Result<Vec<PaneInfo>, TmuxError> {
        match self.run(&["list-panes", "-a", "-F", ABOUT]) {
            Ok(listed) => Ok(listed.lines().filter_map(PaneInfo::parse).collect()),
            Err(TmuxError::Refused(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The pane that a word names as tmux does: `%3`, `main:0.1`.
    ///
    /// # Errors
    /// If there is none.
    pub fn pane(&self, word: &str) -> Result<PaneInfo, TmuxError> {
        let said = self.run(&["display-message", "-p", "-t", word, ABOUT]);
        let none = || TmuxError::NoPane(word.to_owned());
        let said = said.map_err(|error| match error {
            TmuxError::Refused(_) => none(),
            error => error,
        })?;
        PaneInfo::parse(said.trim_end_matches('\n')).ok_or_else(none)
    }

    /// Notes at the pane which agent it is, for people and for us; or that it is none.
    ///
    /// # Errors
    /// If tmux refuses.
    pub fn label(&self, pane: &str, agent: Option<&str>) -> Result<(), TmuxError> {
        match agent {
            Some(agent) => self.run(&["set-option", "-p", "-t", pane, OPTION, agent]),
            None => self.run(&["set-option", "-p", "-u", "-t", pane, OPTION]),
        }
        .map(drop)
    }
}

impl PaneInfo {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(10, '\t');
        let mut text = || fields.next().map(str::to_owned);
        let id = text().filter(|id| id.starts_with('%'))?;
        let pid = Pid::from_raw(text()?.parse().ok().filter(|pid| *pid > 0)?)?;
        let tty = text()?;
        let size = Size::new(text()?.parse().ok()?, text()?.parse().ok()?);
        let (session, place) = (text()?, text()?);
        let is_dead = text()? == "1";
        let agent = text()?;
        Some(Self {
            id,
            pid,
            tty,
            size,
            session,
            place,
            is_dead,
            agent: Some(agent).filter(|agent| !agent.is_empty()),
            dir: text()?.into(),
        })
    }

    /// The process that has the keyboard there: the program that a person sees.
    pub fn program(&self) -> Pid {
        process::keyboard_group(self.pid).unwrap_or(self.pid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_around_us_is_found_by_what_it_sets() {
        let around = |tmux: &str| Server::around(Some(tmux.into()), Some("%7".into()));
        let (server, pane) = around("/tmp/a,b/default,123,0").unwrap();
        assert_eq!(server.socket(), Some(Path::new("/tmp/a,b/default")));
        assert_eq!(pane, "%7");
        assert_eq!(Server::around(None, Some("%7".into())), None);
    }

    #[test]
    fn a_pane_is_read_from_its_line() {
        let line = "%3\t77\t/dev/pts/4\t80\t24\t$0\tmain:1.0\t0\t\t/w/a\tb";
        let pane = PaneInfo::parse(line).unwrap();
        assert_eq!((pane.id.as_str(), pane.place.as_str()), ("%3", "main:1.0"));
        assert_eq!(pane.agent, None);
        assert_eq!(pane.dir, Path::new("/w/a\tb"));
        assert_eq!(PaneInfo::parse(""), None);
    }
}
