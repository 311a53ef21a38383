//! Which of a program's arguments are meant for one start alone: the first message, and the choice of a conversation.

use serde::Deserialize;

/// What is known of the options of a program. Behind an option that is not listed anything may be its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArgumentRules {
    /// Options that take no value.
    pub switches: Vec<String>,
    /// Options that take one value, or may take one.
    pub values: Vec<String>,
    /// Options for one start, with what belongs to them.
    pub once: Vec<String>,
}

/// What the next word is, if it is no option.
enum Behind {
    /// The message that the program begins with.
    Prompt,
    /// The value of an option.
    Value { is_kept: bool },
    /// A value of an option of which nobody knows how many it takes.
    Values { is_kept: bool },
}

impl ArgumentRules {
    /// The arguments that count for every start. What may be the value of an option that stays is left in.
    pub fn lasting(&self, args: &[String]) -> Vec<String> {
        let mut lasting = Vec::new();
        let mut behind = Behind::Prompt;
        // Behind `--` there are no options.
        for arg in args.iter().take_while(|arg| *arg != "--") {
            let is_option = arg.starts_with('-') && arg.len() > 1;
            let is_kept = if is_option {
                let (name, value) = arg.split_once('=').unzip();
                let name = name.unwrap_or(arg);
                let is_in = |list: &[String]| list.iter().any(|one| one == name);
                let is_kept = !is_in(&self.once);
                behind = if value.is_some() || is_in(&self.switches) {
                    Behind::Prompt
                } else if is_in(&self.values) {
                    Behind::Value { is_kept }
                } else {
                    Behind::Values { is_kept }
                };
                is_kept
            } else {
                match behind {
                    Behind::Prompt => false,
                    Behind::Value { is_kept } => {
                        behind = Behind::Prompt;
                        is_kept
                    }
                    Behind::Values { is_kept } => is_kept,
                }
            };
            lasting.extend(is_kept.then(|| arg.clone()));
        }
        lasting
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;

    /// Words in single quotes are one.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(nth, part)| match nth % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn the_prompt_and_the_choice_of_a_conversation_are_for_one_start() {
        for (profile, given, lasting) in [
            ("claude", "'fix the bug'", ""),
            ("claude", "--model opus 'fix the bug'", "--model opus"),
            ("claude", "'fix the bug' --model=opus", "--model=opus"),
            ("claude", "--verbose fix", "--verbose"),
            ("claude", "-c --verbose", "--verbose"),
            ("claude", "--resume 5f1c 'go on' --verbose", "--verbose"),
            ("claude", "--resume --model opus", "--model opus"),
            ("claude", "--resume=5f1c --fork-session fix", ""),
            (
                "claude",
                "--allowedTools Bash Edit -c",
                "--allowedTools Bash Edit",
            ),
            (
                "claude",
                "--append-system-prompt '- be brief'",
                "--append-system-prompt '- be brief'",
            ),
            ("claude", "--verbose -- --resume", "--verbose"),
            ("claude", "--of-tomorrow one two", "--of-tomorrow one two"),
            (
                "codex",
                "-c model_reasoning_effort=high 'fix it'",
                "-c model_reasoning_effort=high",
            ),
            ("codex", "resume --last --yolo", "--yolo"),
            (
                "codex",
                "-m gpt -i a.png b.png --search 'fix it'",
                "-m gpt --search",
            ),
            ("gemini", "-y -i 'fix the bug'", "-y"),
            (
                "gemini",
                "--resume latest --model flash 'fix it'",
                "--model flash",
            ),
        ] {
            let rules = Profile::builtin(profile).unwrap().arguments.unwrap();
            assert_eq!(
                rules.lasting(&words(given)),
                words(lasting),
                "{profile} {given}"
            );
        }
    }
}
