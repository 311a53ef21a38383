//! What a program is reached by: its terminal, or a protocol.

use serde::Deserialize;

use super::{OutcomeRules, Pattern, Profile, ProfileError};

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
}

/// What our client of ACP shows where a message can be typed, and how it tells of a turn that went wrong.
const PROMPT: &str = "^acp> $";
const FAILED: &str = "^error: ";

impl Profile {
    /// The profile of the same program, reached by ACP: our own client stands before it, which tells through the channel
    /// what it hears. Nothing of the program's screen matters there. Nothing if it is not known how.
    ///
    /// # Errors
    /// Never, unless the built-in profiles are broken.
    pub fn over_acp(&self) -> Result<Option<Self>, ProfileError> {
        let own = (self.backend == Backend::Acp).then(|| AcpCommand {
            command: self.command.clone(),
            auth: None,
        });
        let Some(acp) = self.acp.clone().or(own) else {
            return Ok(None);
        };
        let mut command = vec!["synapse".to_owned(), "acp-client".to_owned()];
        command.extend(acp.auth.iter().map(|method| format!("--auth={method}")));
        command.push("--".to_owned());
        command.extend(acp.command.iter().cloned());
        let pattern = |text: &str| regex::Regex::new(text).ok().map(Pattern::from);
        Ok(Some(Self {
            name: self.name.clone(),
            command,
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            idle_regex: pattern(PROMPT),
            interrupt_key: Some("ctrl-c".to_owned()),
            prompt_template: self.prompt_template.clone(),
            // Nothing that is typed is a command of our client's.
            command_chars: Some(String::new()),
            channel: true,
            backend: Backend::Acp,
            acp: Some(acp),
            hooks: false,
            install: self.install.clone(),
            outcome: OutcomeRules {
                failed: pattern(FAILED).into_iter().collect(),
                ..OutcomeRules::default()
            },
            ..Self::builtin("generic")?
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_says_how_it_is_reached_by_acp() {
        let gemini = Profile::builtin("gemini")
            .unwrap()
            .over_acp()
            .unwrap()
            .unwrap();
        let expected = "synapse acp-client --auth=gemini-api-key -- gemini --acp";
        assert_eq!(gemini.command.join(" "), expected);
        assert!(gemini.channel && !gemini.hooks && gemini.record.is_none());
        assert_eq!(
            Profile::builtin("dummy")
                .unwrap()
                .over_acp()
                .unwrap()
                .map(|p| p.name),
            None
        );
        let own = Profile {
            backend: Backend::Acp,
            ..Profile::builtin("dummy").unwrap()
        };
        let own = own.over_acp().unwrap().unwrap();
        assert_eq!(
            own.command.join(" "),
            "synapse acp-client -- synapse dummy-agent"
        );
    }
}
