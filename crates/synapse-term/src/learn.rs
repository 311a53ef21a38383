//! Learns a profile from a recording in which it is known what was typed and what the model replied: what stands
//! before the message and before the reply, what is shown only during work, where the user types. Every group of
//! rules is tried on the same recording and kept only if nothing is read worse with it.

mod rules;
mod scene;
mod trial;

use std::fmt::Write as _;

use crate::cast::Cast;
use crate::profile::Profile;
use rules::Group;
use scene::Scene;

pub use trial::Score;

/// One exchange whose truth is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The message, as it was typed.
    pub typed: String,
    /// What the model replied, if that is known.
    pub reply: Option<String>,
}

/// Something that was learned, or that could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about: rest, work, box, echo, speech, furniture, dialogs, interrupt, paste.
    pub about: &'static str,
    /// What was seen, in words.
    pub what: String,
    /// In how many of how many places it was seen.
    pub seen: (usize, usize),
    /// Whether the profile has it.
    pub is_kept: bool,
}

/// A profile that was learned, and how well it reads the recording it was learned from.
#[derive(Clone, Debug)]
pub struct LearnedProfile {
    /// What was learned, in the order of the profile.
    pub findings: Vec<Finding>,
    /// How well the recording is read with the profile.
    pub score: Score,
    /// How well it is read by `generic`.
    pub generic: Score,
    rules: String,
}

impl LearnedProfile {
    /// Whether the profile reads anything otherwise than `generic` does.
    pub fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The profile as YAML.
    pub fn yaml(&self, name: &str, command: &[String]) -> String {
        let mut text = String::from(
            "# Learned by `synapse profile learn`. Each line says where it was seen.\n",
        );
        for finding in &self.findings {
            let (seen, of) = finding.seen;
            let kept = if finding.is_kept { "" } else { ", not used" };
            let _ = writeln!(
                text,
                "#   {}: {} ({seen} of {of}{kept})",
                finding.about, finding.what
            );
        }
        let _ = writeln!(
            text,
            "# Read with it: {}; with generic: {}",
            self.score, self.generic
        );
        let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        let _ = write!(
            text,
            "name: {}\ncommand: [{}]\n{}",
            quoted(name),
            words.join(", "),
            self.rules
        );
        text
    }
}

/// Learns from a recording. `None` if none of the lessons is in it.
pub fn learn(cast: &Cast, lessons: &[Lesson]) -> Option<LearnedProfile> {
    let scene = Scene::of(cast, lessons);
    if scene.exchanges.is_empty() {
        return None;
    }
    let bare = trial::of("", cast, &scene)?;
    let (mut rules, mut best) = (String::new(), bare);
    let mut findings = Vec::new();
    for Group { yaml, found } in rules::groups(&scene) {
        let with = format!("{rules}{yaml}");
        let score = trial::of(&with, cast, &scene);
        let is_kept = !yaml.is_empty() && score.is_some_and(|score| score.is_no_worse_than(best));
        if let (true, Some(score)) = (is_kept, score) {
            best = score;
            rules = with;
        }
        // What needs no rule is kept as a fact.
        let is_kept = is_kept || yaml.is_empty();
        findings.extend(found.into_iter().map(|found| Finding { is_kept, ..found }));
    }
    Some(LearnedProfile {
        findings,
        score: best,
        generic: bare,
        rules,
    })
}

/// The profile that these rules make, over `generic`.
fn profile(rules: &str) -> Option<Profile> {
    Profile::parse(&format!("name: learned\n{rules}"), "learned", &|_| None).ok()
}

/// A text as a YAML scalar in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace(['\n', '\r'], " "))
}
