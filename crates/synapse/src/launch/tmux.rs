//! A program in a new window of tmux, for people who attach with tmux.

use std::ffi::OsString;

use anyhow::{Context as _, Result, bail};
use synapse_machine::handle::Handle;
use synapse_pty::{Spawn, Tenure};
use synapse_term::profile::Profile;
use synapse_tmux::{Adoption, Server};

/// The session that is made where nobody named one and we are in none.
const SESSION: &str = "synapse";

/// What the program must find as we do; tmux would give it what its server was started with.
const PASSED_ON: [&str; 4] = ["PATH", "HOME", "SYNAPSE_HOME", "A2A_HOME"];

/// Where a program runs.
pub enum ProgramPlace {
    /// In a terminal of its own.
    Own,
    /// In somebody's pane of tmux, already.
    Pane(Box<Adoption>),
    /// In a window of tmux that is to be opened.
    Window(WindowWish),
}

/// A window that is wanted.
pub struct WindowWish {
    server: Server,
    /// The session it is to be in.
    session: String,
}

impl WindowWish {
    /// In the session of this name; else in the one around us, or in one of our own.
    pub fn new(session: Option<String>) -> Self {
        let around = Server::around(std::env::var_os("TMUX"), std::env::var_os("TMUX_PANE"));
        let (server, pane) = around.map_or((Server::default(), None), |(server, pane)| {
            (server, Some(pane))
        });
        let here = pane.and_then(|pane| {
            let said = server.run(&["display-message", "-p", "-t", &pane, "#{session_name}"]);
            Some(said.ok()?.trim().to_owned())
        });
        Self {
            server,
            session: session.or(here).unwrap_or_else(|| SESSION.to_owned()),
        }
    }

    /// Opens the window and starts the program in it.
    ///
    /// # Errors
    /// If tmux is not there or refuses.
    pub(crate) fn open(
        &self,
        spawn: &Spawn,
        handle: &Handle,
        profile: &Profile,
    ) -> Result<Adoption> {
        if self.session.contains([':', '.']) || self.session.is_empty() {
            bail!(
                "'{}' cannot be the name of a tmux session: it has no ':' and no '.' in it",
                self.session
            );
        }
        let exact = format!("={}", self.session);
        let exists = self.server.run(&["has-session", "-t", &exact]).is_ok();
        let mut words: Vec<OsString> = Vec::new();
        let mut push = |word: &str| words.push(word.into());
        if exists {
            ["new-window", "-d", "-t", &format!("{exact}:")]
                .into_iter()
                .for_each(&mut push);
        } else {
            let size = [spawn.size.cols.to_string(), spawn.size.rows.to_string()];
            [
                "new-session",
                "-d",
                "-s",
                &self.session,
                "-x",
                &size[0],
                "-y",
                &size[1],
            ]
            .into_iter()
            .for_each(&mut push);
        }
        ["-P", "-F", "#{pane_id}", "-n", handle.as_str()]
            .into_iter()
            .for_each(&mut push);
        if let Some(dir) = &spawn.cwd {
            words.extend(["-c".into(), dir.clone().into_os_string()]);
        }
        let passed = PASSED_ON
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        for (name, value) in passed.chain(spawn.env.iter().cloned()) {
            let mut pair = name;
            pair.push("=");
            pair.push(value);
            words.extend(["-e".into(), pair]);
        }
        // More than one word is run as it stands, and by no shell.
        words.extend(["--".into(), "env".into()]);
        for name in &spawn.env_remove {
            words.extend(["-u".into(), name.clone()]);
        }
        words.extend(spawn.argv.iter().cloned());
        let pane = self.server.run(&words)?;
        let pane = self.server.pane(pane.trim());
        let pane = pane.context("the program ended as it started in the new window")?;
        Ok(Adoption {
            server: self.server.clone(),
            program: pane.pid,
            pane,
            tenure: Tenure::Lodger,
            marks_pastes: marks_pastes(profile),
        })
    }
}

/// Whether a program of this profile is taken to want its pastes marked.
pub fn marks_pastes(profile: &Profile) -> bool {
    profile.knows_signs() || profile.record.is_some()
}
