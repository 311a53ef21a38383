//! The profiles that come with the program.

const PROFILES: [(&str, &str); 16] = [
    ("aider", include_str!("../../profiles/aider.yaml")),
    ("claude", include_str!("../../profiles/claude.yaml")),
    ("cline", include_str!("../../profiles/cline.yaml")),
    ("cn", include_str!("../../profiles/cn.yaml")),
    ("codex", include_str!("../../profiles/codex.yaml")),
    ("copilot", include_str!("../../profiles/copilot.yaml")),
    ("dummy", include_str!("../../profiles/dummy.yaml")),
    ("flow", include_str!("../../profiles/flow.yaml")),
    ("gemini", include_str!("../../profiles/gemini.yaml")),
    ("generic", include_str!("../../profiles/generic.yaml")),
    ("gptme", include_str!("../../profiles/gptme.yaml")),
    ("kimi", include_str!("../../profiles/kimi.yaml")),
    ("opencode", include_str!("../../profiles/opencode.yaml")),
    ("pi", include_str!("../../profiles/pi.yaml")),
    ("qwen", include_str!("../../profiles/qwen.yaml")),
    ("vibe", include_str!("../../profiles/vibe.yaml")),
];

/// The YAML of a built-in profile.
pub(super) fn text(name: &str) -> Option<&'static str> {
    PROFILES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// Their names, in order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|(name, _)| *name)
}
