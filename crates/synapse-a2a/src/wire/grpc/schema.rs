//! The messages of A2A 1.0 (`lf.a2a.v1`) that go over gRPC: which number stands for which member of the JSON, and what
//! it holds. Numbers and names are those of the published definitions.

use Kind::{Bytes, Enum, Flag, Int, Struct, Text, Timestamp};
use Label::{List, OneOf, Optional, Plain};

/// What a message is made of.
#[derive(Debug)]
pub(super) struct Message(pub(super) &'static [Field]);

/// One field of a message.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) number: u32,
    /// The member of the JSON.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) label: Label,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    /// Bytes, which are base64 in JSON.
    Bytes,
    Flag,
    Int,
    /// A name, by its place in the list.
    Enum(&'static [&'static str]),
    Message(&'static Message),
    /// A JSON object of whatever its sender liked.
    Struct,
    /// Any JSON value.
    Value,
    Timestamp,
    /// A map from text to text.
    Texts,
}

/// How often a field is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// Once; what is empty or zero is as good as absent, and is not written.
    Plain,
    /// Once or not at all, which is not the same as zero.
    Optional,
    /// Of the fields with this label a message has one at most: the last that comes.
    OneOf,
    List,
}

const fn field(number: u32, name: &'static str, kind: Kind, label: Label) -> Field {
    Field {
        number,
        name,
        kind,
        label,
    }
}

const STATES: &[&str] = &[
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
];

const ROLES: &[&str] = &["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"];

pub(super) static EMPTY: Message = Message(&[]);

static PART: Message = Message(&[
    field(1, "text", Text, OneOf),
    field(2, "raw", Bytes, OneOf),
    field(3, "url", Text, OneOf),
    field(4, "data", Kind::Value, OneOf),
    field(5, "metadata", Struct, Plain),
    field(6, "filename", Text, Plain),
    field(7, "mediaType", Text, Plain),
]);

static MESSAGE: Message = Message(&[
    field(1, "messageId", Text, Plain),
    field(2, "contextId", Text, Plain),
    field(3, "taskId", Text, Plain),
    field(4, "role", Enum(ROLES), Plain),
    field(5, "parts", Kind::Message(&PART), List),
    field(6, "metadata", Struct, Plain),
    field(7, "extensions", Text, List),
    field(8, "referenceTaskIds", Text, List),
]);

static ARTIFACT: Message = Message(&[
    field(1, "artifactId", Text, Plain),
    field(2, "name", Text, Plain),
    field(3, "description", Text, Plain),
    field(4, "parts", Kind::Message(&PART), List),
    field(5, "metadata", Struct, Plain),
    field(6, "extensions", Text, List),
]);

static STATUS: Message = Message(&[
    field(1, "state", Enum(STATES), Plain),
    field(2, "message", Kind::Message(&MESSAGE), Plain),
    field(3, "timestamp", Timestamp, Plain),
]);

pub(super) static TASK: Message = Message(&[
    field(1, "id", Text, Plain),
    field(2, "contextId", Text, Plain),
    field(3, "status", Kind::Message(&STATUS), Plain),
    field(4, "artifacts", Kind::Message(&ARTIFACT), List),
    field(5, "history", Kind::Message(&MESSAGE), List),
    field(6, "metadata", Struct, Plain),
]);

static STATUS_UPDATE: Message = Message(&[
    field(1, "taskId", Text, Plain),
    field(2, "contextId", Text, Plain),
    field(3, "status", Kind::Message(&STATUS), Plain),
    field(4, "metadata", Struct, Plain),
]);

static ARTIFACT_UPDATE: Message = Message(&[
    field(1, "taskId", Text, Plain),
    field(2, "contextId", Text, Plain),
    field(3, "artifact", Kind::Message(&ARTIFACT), Plain),
    field(4, "append", Flag, Plain),
    field(5, "lastChunk", Flag, Plain),
    field(6, "metadata", Struct, Plain),
]);

/// `SendMessageResponse`
pub(super) static SENT: Message = Message(&[
    field(1, "task", Kind::Message(&TASK), OneOf),
    field(2, "message", Kind::Message(&MESSAGE), OneOf),
]);

/// `StreamResponse`
pub(super) static STREAMED: Message = Message(&[
    field(1, "task", Kind::Message(&TASK), OneOf),
    field(2, "message", Kind::Message(&MESSAGE), OneOf),
    field(3, "statusUpdate", Kind::Message(&STATUS_UPDATE), OneOf),
    field(4, "artifactUpdate", Kind::Message(&ARTIFACT_UPDATE), OneOf),
]);

/// `ListTasksResponse`
pub(super) static LISTED: Message = Message(&[
    field(1, "tasks", Kind::Message(&TASK), List),
    field(2, "nextPageToken", Text, Plain),
    field(3, "pageSize", Int, Plain),
    field(4, "totalSize", Int, Plain),
]);

static AUTHENTICATION: Message = Message(&[
    field(1, "scheme", Text, Plain),
    field(2, "credentials", Text, Plain),
]);

/// `TaskPushNotificationConfig`
pub(super) static PUSH_CONFIG: Message = Message(&[
    field(1, "tenant", Text, Plain),
    field(2, "id", Text, Plain),
    field(3, "taskId", Text, Plain),
    field(4, "url", Text, Plain),
    field(5, "token", Text, Plain),
    field(6, "authentication", Kind::Message(&AUTHENTICATION), Plain),
]);

/// `ListTaskPushNotificationConfigsResponse`
pub(super) static PUSH_LISTED: Message = Message(&[
    field(1, "configs", Kind::Message(&PUSH_CONFIG), List),
    field(2, "nextPageToken", Text, Plain),
]);

static CONFIGURATION: Message = Message(&[
    field(1, "acceptedOutputModes", Text, List),
    field(
        2,
        "taskPushNotificationConfig",
        Kind::Message(&PUSH_CONFIG),
        Plain,
    ),
    field(3, "historyLength", Int, Optional),
    field(4, "returnImmediately", Flag, Plain),
]);

/// `SendMessageRequest`
pub(super) static SEND_REQUEST: Message = Message(&[
    field(1, "tenant", Text, Plain),
    field(2, "message", Kind::Message(&MESSAGE), Plain),
    field(3, "configuration", Kind::Message(&CONFIGURATION), Plain),
    field(4, "metadata", Struct, Plain),
]);

/// `GetTaskRequest`
pub(super) static GET_REQUEST: Message = Message(&[
    field(1, "tenant", Text, Plain),
    field(2, "id", Text, Plain),
    field(3, "historyLength", Int, Optional),
]);

/// `ListTasksRequest`
pub(super) static LIST_REQUEST: Message = Message(&[
    field(1, "tenant", Text, Plain),
    field(2, "contextId", Text, Plain),
    field(3, "status", Enum(STATES), Plain),
    field(4, "pageSize", Int, Optional),
    field(5, "pageToken", Text, Plain),
    field(6, "historyLength", Int, Optional),
    field(7, "statusTimestampAfter", Timestamp, Plain),
    field(8, "includeArtifacts", Flag, Optional),
]);

/// `CancelTaskRequest`
pub(super) static CANCEL_REQUEST: Message = Message(&[
    field(1, "tenant", Text, Plain),
    field(2, "id", Text, Plain),
    field(3, "metadata", Struct, Plain),
]);

/// `SubscribeToTaskRequest`
pub(super) static SUBSCRIBE_REQUEST: Message =
    Message(&[field(1, "tenant", Text, Plain), field(2, "id", Text, Plain)]);

/// `GetTaskPushNotificationConfigRequest`, and the request to delete one
pub(super) static PUSH_REQUEST: Message = Message(&[
    field(1, "tenant", Text, Plain),
    field(2, "taskId", Text, Plain),
    field(3, "id", Text, Plain),
]);

/// `ListTaskPushNotificationConfigsRequest`
pub(super) static PUSH_LIST_REQUEST: Message = Message(&[
    field(1, "taskId", Text, Plain),
    field(2, "pageSize", Int, Plain),
    field(3, "pageToken", Text, Plain),
    field(4, "tenant", Text, Plain),
]);

/// `GetExtendedAgentCardRequest`
pub(super) static CARD_REQUEST: Message = Message(&[field(1, "tenant", Text, Plain)]);

/// `google.rpc.ErrorInfo`
pub(super) static ERROR_INFO: Message = Message(&[
    field(1, "reason", Text, Plain),
    field(2, "domain", Text, Plain),
    field(3, "metadata", Kind::Texts, Plain),
]);

static VIOLATION: Message = Message(&[
    field(1, "field", Text, Plain),
    field(2, "description", Text, Plain),
]);

/// `google.rpc.BadRequest`
pub(super) static BAD_REQUEST: Message =
    Message(&[field(1, "fieldViolations", Kind::Message(&VIOLATION), List)]);
