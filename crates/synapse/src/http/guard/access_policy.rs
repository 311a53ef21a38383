//! The access policy of one agent: who may call it, and the host names it answers to.

use std::net::IpAddr;

use synapse_machine::config::{Auth, ListenConfig};
use synapse_machine::token::{Token, Tokens};

/// The names under which a client knows this machine as itself.
const OWN: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The access policy of one agent.
#[derive(Debug)]
pub struct AccessPolicy {
    /// The address others know the agent by, without a slash at its end.
    pub url: String,
    /// Whether its card is always that of the newest protocol, with nothing for older clients.
    pub is_pure_card: bool,
    /// Whether it listens on this machine only.
    pub is_local: bool,
    /// Whether what the agent has started may answer its questions.
    pub may_answer_itself: bool,
    pub(super) auth: Auth,
    pub(super) token: Token,
    /// Shown by programs of this machine; it counts here only.
    pub(super) launch_token: Token,
    /// The user we run as.
    pub(super) user: u32,
    names: Vec<String>,
}

/// What a client called this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// By a name that only means this machine when it is used on it, or by its address.
    Own,
    /// By a name that others know, perhaps through a proxy.
    Public,
}

impl AccessPolicy {
    /// The access policy of an agent that is reached like this.
    pub fn new(reach: &ListenConfig, endpoint: &str, tokens: &Tokens) -> Self {
        let public = reach.public_url.as_ref();
        let mut names = reach.host_names.clone();
        names.extend(public.map(|url| url.host().to_owned()));
        let is_local = reach.listen.to_canonical().is_loopback();
        // Those who come from elsewhere must speak TLS where it is spoken.
        let endpoint = match (&reach.tls, is_local) {
            (Some(_), false) => endpoint.replacen("http://", "https://", 1),
            _ => endpoint.to_owned(),
        };
        Self {
            url: public.map_or(endpoint, ToString::to_string),
            is_pure_card: reach.is_pure_card,
            is_local,
            may_answer_itself: reach.may_answer_itself,
            auth: reach.auth,
            token: tokens.lasting.clone(),
            launch_token: tokens.launch.clone(),
            user: rustix::process::geteuid().as_raw(),
            names,
        }
    }

    /// Whether nobody comes in without showing the token.
    pub fn wants_token(&self) -> bool {
        !self.is_local || self.auth == Auth::Token
    }

    /// What the host of a request, which came in at `local`, is to us; nothing if it is not ours.
    pub(super) fn name(&self, host: &str, local: Option<IpAddr>) -> Option<Name> {
        let name = without_port(host);
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let is_address = || {
            let bare = name.trim_start_matches('[').trim_end_matches(']');
            local.is_some() && bare.parse().ok() == local
        };
        if OWN.into_iter().any(is) || is_address() {
            return Some(Name::Own);
        }
        let is_known = self
            .names
            .iter()
            .any(|known| is(known) || known.eq_ignore_ascii_case(host));
        is_known.then_some(Name::Public)
    }
}

/// A host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
pub(super) fn example(auth: Auth) -> AccessPolicy {
    let place = tempfile::tempdir().unwrap();
    let mut reach = synapse_machine::config::Config::default().reach();
    reach.auth = auth;
    reach.host_names = vec!["box.lan".to_owned()];
    reach.public_url = Some("https://agents.example/a".parse().unwrap());
    let file = |name| place.path().join(name);
    let tokens = Tokens::issue(&file("token"), &file("launch")).unwrap();
    AccessPolicy::new(&reach, "http://127.0.0.1:8100", &tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_are_answered_to() {
        let access_policy = example(Auth::SameUser);
        let local = Some("192.168.1.5".parse().unwrap());
        for (host, name) in [
            ("127.0.0.1", Some(Name::Own)),
            ("127.0.0.1:8100", Some(Name::Own)),
            ("LocalHost:9999", Some(Name::Own)),
            ("[::1]:8100", Some(Name::Own)),
            ("192.168.1.5:8100", Some(Name::Own)),
            ("box.lan:8100", Some(Name::Public)),
            ("Agents.Example", Some(Name::Public)),
            ("192.168.1.6:8100", None),
            ("evil.example", None),
            ("localhost.evil.example", None),
            ("127.0.0.1.evil.example:8100", None),
            ("", None),
            (":8100", None),
        ] {
            assert_eq!(access_policy.name(host, local), name, "{host}");
        }
        assert_eq!(access_policy.name("192.168.1.5", None), None);
        assert_eq!(access_policy.url, "https://agents.example/a");
    }

    #[test]
    fn the_address_that_was_called_is_a_name_of_ours() {
        let access_policy = example(Auth::SameUser);
        let local = Some("2001:db8::1".parse().unwrap());
        assert_eq!(
            access_policy.name("[2001:db8::1]:8100", local),
            Some(Name::Own)
        );
        assert_eq!(access_policy.name("[2001:db8::2]:8100", local), None);
    }
}
