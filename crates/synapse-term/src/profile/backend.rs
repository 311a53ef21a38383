//! What a program is reached by: its terminal, or a protocol.

use std::time::Duration;

use serde::Deserialize;

use super::{Pattern, Profile, ProfileError};

/// What a program is reached by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// What it paints, and the keys it reads.
    #[default]
    Terminal,
    /// The Agent Client Protocol. There is no screen.
    Acp,
}

/// How a program is reached by ACP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcpCommand {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The method of authentication, where the program asks for one.
    pub auth: Option<String>,
    /// How the command is installed.
    pub install: Option<String>,
}

/// What stands where a message can be typed; the rest is told by the protocol.
const PROMPT: &str = "^acp> $";

impl Profile {
    /// The profile of the same program, reached by ACP: what is known of its screen and keys does not matter there.
    /// Nothing if it is not known how it is reached.
    ///
    /// # Errors
    /// Never, unless the built-in profiles are broken.
    pub fn over_acp(&self) -> Result<Option<Self>, ProfileError> {
        let own = (self.backend == Backend::Acp).then(|| AcpCommand {
            command: self.command.clone(),
            auth: None,
            install: self.install.clone(),
        });
        let Some(acp) = self.acp.clone().or(own) else {
            return Ok(None);
        };
        Ok(Some(Self {
            name: self.name.clone(),
            command: acp.command.clone(),
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            idle_regex: regex::Regex::new(PROMPT).ok().map(Pattern::from),
            interrupt_key: Some("ctrl-c".to_owned()),
            submit_delay: Duration::ZERO,
            prompt_template: self.prompt_template.clone(),
            // Nothing that is typed is a command to the terminal.
            command_chars: Some(String::new()),
            backend: Backend::Acp,
            install: acp.install.clone().or_else(|| self.install.clone()),
            acp: Some(acp),
            mcp: self.mcp,
            ..Self::builtin("generic")?
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_says_how_it_is_reached_by_acp() {
        let over_acp = |profile: &Profile| profile.over_acp().unwrap();
        let gemini = over_acp(&Profile::builtin("gemini").unwrap()).unwrap();
        assert_eq!(gemini.command, ["gemini", "--acp"]);
        assert_eq!(gemini.acp.unwrap().auth.unwrap(), "gemini-api-key");
        assert!(gemini.record.is_none());
        let dummy = Profile::builtin("dummy").unwrap();
        assert!(over_acp(&dummy).is_none());
        let backend = Backend::Acp;
        let own = over_acp(&Profile {
            backend,
            ..dummy.clone()
        })
        .unwrap();
        assert_eq!(own.command, dummy.command);
    }
}
