//! One check and its result.

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    pub(super) level: Level,
    /// What was looked at.
    pub(super) topic: String,
    pub(super) said: String,
    /// What to do about it.
    pub(super) advice: Option<String>,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Ok,
    /// It works, but somebody should look.
    Warn,
    /// Something will not work.
    Fail,
}

impl Level {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    /// The number of its colour.
    pub(super) fn ansi(self) -> u8 {
        match self {
            Self::Ok => 32,
            Self::Warn => 33,
            Self::Fail => 31,
        }
    }
}

impl Check {
    /// It is as it should be.
    pub(super) fn ok(topic: impl Into<String>, said: impl Into<String>) -> Self {
        Self {
            level: Level::Ok,
            topic: topic.into(),
            said: said.into(),
            advice: None,
        }
    }

    /// It works, but somebody should look.
    pub(super) fn warn(
        topic: impl Into<String>,
        said: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Warn,
            advice: Some(advice.into()),
            ..Self::ok(topic, said)
        }
    }

    /// Something will not work.
    pub(super) fn fail(
        topic: impl Into<String>,
        said: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Fail,
            ..Self::warn(topic, said, advice)
        }
    }
}
