//! Names of branches and commits that people typed. None of them can be taken for an option, a path or
//! anything that git works out further.

use std::fmt;

use axum::http::StatusCode;

use crate::problem::Problem;

/// Longer names make no branch that anybody could type.
const LONGEST: usize = 200;

/// The name of a branch, without `refs/heads/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch(String);

/// A branch, also one of a remote, a tag or the hash of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Revision(String);

impl Branch {
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        if is_ref(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(refusal("branch", text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// As git knows it, whatever else has the same name.
    pub(crate) fn full(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Revision {
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        if is_ref(text) || text == "HEAD" {
            return Ok(Self(text.to_owned()));
        }
        Err(refusal("branch or commit", text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The rules of `git check-ref-format`, and never an option.
fn is_ref(text: &str) -> bool {
    let is_bad = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\\u{7f}".contains(c);
    let is_part = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && part.strip_suffix(".lock").is_none()
    };
    text.len() <= LONGEST
        && !text.starts_with('-')
        && !text.ends_with('.')
        && !text.contains("..")
        && !text.contains("@{")
        && !matches!(text, "" | "@" | "HEAD")
        && !text.contains(is_bad)
        && text.split('/').all(is_part)
}

fn refusal(what: &str, text: &str) -> Problem {
    let error = format!(
        "'{text}' cannot be the name of a {what}: use letters, digits, '-', '_', '.' and '/', beginning with a letter or digit"
    );
    Problem::new(StatusCode::BAD_REQUEST, "bad_ref", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_what_git_takes_for_one() {
        for name in ["main", "fix/login-2", "v1.2", "機能", "a@b", "feature_x"] {
            assert!(Branch::parse(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn nothing_that_looks_like_an_option_or_an_expression_passes() {
        for name in [
            "",
            "-d",
            "--force",
            "--upload-pack=x",
            "a..b",
            "a b",
            "a\nb",
            "a~1",
            "a^",
            "a:b",
            "@{-1}",
            "@",
            "HEAD",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.",
            "a\\b",
            "a?",
            "a*",
            "[a]",
            "\u{0}",
        ] {
            assert!(Branch::parse(name).is_err(), "{name:?}");
        }
        assert!(Branch::parse(&"x".repeat(LONGEST + 1)).is_err());
        assert!(Revision::parse("HEAD").is_ok());
        assert!(Revision::parse("--all").is_err());
        assert!(Revision::parse("HEAD~3").is_err());
    }
}
