//! What can be asked of an agent, by the names each version has for it.

use super::Dialect;
use super::protocol_error::ProtocolError;

/// What can be asked of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A message, answered once.
    Send,
    /// A message, answered with a stream.
    Stream,
    /// A task as it stands.
    Get,
    /// A page of tasks.
    List,
    /// The end of a task.
    Cancel,
    /// What happens to a task from here on.
    Subscribe,
    /// Notifications for a task.
    PushSet,
    /// One configuration of them.
    PushGet,
    /// All of them.
    PushList,
    /// None any more.
    PushDelete,
    /// What the agent tells of itself to those it knows.
    ExtendedCard,
}

/// The methods, by the version that is spoken. The shared names of 0.1 and 0.3 count as 0.3.
const METHODS: &[(&str, Dialect, Operation)] = &[
    ("SendMessage", Dialect::V1, Operation::Send),
    ("SendStreamingMessage", Dialect::V1, Operation::Stream),
    ("GetTask", Dialect::V1, Operation::Get),
    ("ListTasks", Dialect::V1, Operation::List),
    ("CancelTask", Dialect::V1, Operation::Cancel),
    ("SubscribeToTask", Dialect::V1, Operation::Subscribe),
    (
        "CreateTaskPushNotificationConfig",
        Dialect::V1,
        Operation::PushSet,
    ),
    (
        "GetTaskPushNotificationConfig",
        Dialect::V1,
        Operation::PushGet,
    ),
    (
        "ListTaskPushNotificationConfigs",
        Dialect::V1,
        Operation::PushList,
    ),
    (
        "DeleteTaskPushNotificationConfig",
        Dialect::V1,
        Operation::PushDelete,
    ),
    ("GetExtendedAgentCard", Dialect::V1, Operation::ExtendedCard),
    ("message/send", Dialect::V03, Operation::Send),
    ("message/stream", Dialect::V03, Operation::Stream),
    ("tasks/get", Dialect::V03, Operation::Get),
    ("tasks/cancel", Dialect::V03, Operation::Cancel),
    ("tasks/resubscribe", Dialect::V03, Operation::Subscribe),
    (
        "tasks/pushNotificationConfig/set",
        Dialect::V03,
        Operation::PushSet,
    ),
    (
        "tasks/pushNotificationConfig/get",
        Dialect::V03,
        Operation::PushGet,
    ),
    (
        "tasks/pushNotificationConfig/list",
        Dialect::V03,
        Operation::PushList,
    ),
    (
        "tasks/pushNotificationConfig/delete",
        Dialect::V03,
        Operation::PushDelete,
    ),
    (
        "agent/getAuthenticatedExtendedCard",
        Dialect::V03,
        Operation::ExtendedCard,
    ),
    ("tasks/send", Dialect::V01, Operation::Send),
    ("tasks/sendSubscribe", Dialect::V01, Operation::Stream),
    (
        "tasks/pushNotification/set",
        Dialect::V01,
        Operation::PushSet,
    ),
    (
        "tasks/pushNotification/get",
        Dialect::V01,
        Operation::PushGet,
    ),
];

/// The version a caller speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    V1,
    /// 0.3 and what came before it.
    V03,
}

impl Version {
    /// Reads the `A2A-Version` of a request. Who does not say, speaks 0.3; only major and minor count.
    ///
    /// # Errors
    /// For a version that is not spoken here.
    pub fn read(said: Option<&str>) -> Result<Self, ProtocolError> {
        let said = said.unwrap_or_default().trim();
        let mut numbers = said.split('.');
        match (numbers.next(), numbers.next()) {
            (Some(""), None) | (Some("0"), Some("3")) => Ok(Self::V03),
            (Some("1"), None | Some("0")) => Ok(Self::V1),
            _ => Err(ProtocolError::VersionNotSupported(format!(
                "A2A-Version '{said}' is not spoken here; use 1.0 or 0.3"
            ))),
        }
    }
}

/// What a method is, for a caller of this version.
///
/// # Errors
/// If there is no such method, with a hint if another version has it.
pub fn operation(method: &str, version: Version) -> Result<(Dialect, Operation), ProtocolError> {
    let found = METHODS.iter().find(|(name, _, _)| *name == method);
    match found {
        Some((_, dialect, operation)) if (*dialect == Dialect::V1) == (version == Version::V1) => {
            Ok((*dialect, *operation))
        }
        Some((_, Dialect::V1, _)) => Err(ProtocolError::NoMethod(format!(
            "there is no method {method} in A2A 0.3, which is what a request without the header 'A2A-Version: 1.0' speaks"
        ))),
        Some(_) => Err(ProtocolError::NoMethod(format!(
            "there is no method {method} in A2A 1.0; leave 'A2A-Version' away to speak 0.3"
        ))),
        None => Err(ProtocolError::NoMethod(format!(
            "there is no method {method}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_no_version_speaks_03_and_only_major_and_minor_count() {
        for (said, version) in [
            (None, Version::V03),
            (Some(""), Version::V03),
            (Some("0.3"), Version::V03),
            (Some("0.3.0"), Version::V03),
            (Some("1.0"), Version::V1),
            (Some("1.0.1"), Version::V1),
            (Some("1"), Version::V1),
        ] {
            assert_eq!(Version::read(said), Ok(version), "{said:?}");
        }
        for said in ["99.0", "1.1", "0.2", "x", "2"] {
            assert_eq!(Version::read(Some(said)).unwrap_err().code(), -32009);
        }
    }

    #[test]
    fn a_method_belongs_to_its_version() {
        assert_eq!(
            operation("SendMessage", Version::V1),
            Ok((Dialect::V1, Operation::Send))
        );
        assert_eq!(
            operation("tasks/sendSubscribe", Version::V03),
            Ok((Dialect::V01, Operation::Stream))
        );
        for (method, version) in [
            ("SendMessage", Version::V03),
            ("message/send", Version::V1),
            ("nonsense", Version::V1),
        ] {
            assert_eq!(operation(method, version).unwrap_err().code(), -32601);
        }
    }
}
