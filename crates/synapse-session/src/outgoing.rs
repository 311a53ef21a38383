//! Lines of a reply that are messages to other agents. Pure.

use synapse_a2a::parse::unfenced_lines;
use synapse_term::profile::OutputRouting;
use synapse_term::router::{Command, parse_line};

use synapse_machine::handle::EVERYONE;

/// How many messages one reply may send.
const MOST: usize = 4;

/// The messages in a reply: lines that are `@handle …` from their first character to their last, not in
/// code, not quoted, and not heard from whoever asked.
pub(super) fn messages(reply: &str, heard: &str, rules: &OutputRouting) -> Vec<Command> {
    if !rules.enabled {
        return Vec::new();
    }
    let mut found = Vec::new();
    for line in unfenced_lines(reply) {
        let is_echo = heard.lines().any(|heard| heard.trim() == line.trim());
        let is_ignored = rules.ignore_patterns.iter().any(|p| p.is_match(line));
        if is_echo || is_ignored {
            continue;
        }
        if let Some(Ok(command)) = parse_line(line)
            && !command.handle.eq_ignore_ascii_case(EVERYONE)
        {
            found.push(command);
        }
    }
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use synapse_term::profile::Profile;

    use super::*;

    fn rules(more: &str) -> OutputRouting {
        let yaml = format!("name: x\noutput_routing:\n  enabled: true\n{more}");
        let none = |_: &str| None;
        Profile::parse(&yaml, "x", &none).unwrap().output_routing
    }

    fn handles(reply: &str, heard: &str) -> Vec<String> {
        let found = messages(reply, heard, &rules(""));
        found.into_iter().map(|command| command.handle).collect()
    }

    #[test]
    fn a_line_of_its_own_is_a_message() {
        let reply = "I shall ask.\n@codex --priority 2 review it\nDone, email@example.com";
        let found = messages(reply, "", &rules(""));
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].handle.as_str(), found[0].priority),
            ("codex", Some(2))
        );
        assert_eq!(found[0].message, "review it");
    }

    #[test]
    fn code_quotes_echoes_and_everyone_are_not() {
        assert!(
            handles(
                "```py\n@codex do it\n```\n> @codex do it\n  @codex do it",
                ""
            )
            .is_empty()
        );
        assert!(handles("~~~~\n```\n@codex a\n~~~\n@codex b\n~~~~", "").is_empty());
        assert!(handles("- @codex do it\n@all hello\n@codex", "").is_empty());
        assert!(handles("@codex do it", "please:\n@codex do it").is_empty());
        assert_eq!(handles("```\nx\n```\n@codex do it", ""), ["codex"]);
    }

    #[test]
    fn what_the_profile_ignores_and_what_is_off_is_not_sent() {
        let ignoring = rules("  ignore_patterns: ['^@param']\n");
        assert!(messages("@param x is it", "", &ignoring).is_empty());
        assert!(messages("@codex do it", "", &OutputRouting::default()).is_empty());
    }
}
