//! Any bytes as the body of a gRPC call: a frame that is taken or refused, a message that is read or refused, and a
//! request that the dialect takes or refuses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::grpc::{Inbox, Status, frame, read};
use synapse_a2a::wire::operation::{Version, operation};

const METHODS: [&str; 8] = [
    "SendMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "GetExtendedAgentCard",
];

fuzz_target!(|body: &[u8]| {
    let mut inbox = Inbox::new(1 << 20);
    let is_taken = inbox.take(body).is_ok();
    if let Ok(message) = inbox.done() {
        assert!(is_taken && frame(&message) == body);
    }
    for method in METHODS {
        let (_, operation) = operation(method, Version::V1).expect("a method of 1.0");
        match read(operation, body) {
            Ok(asked) => {
                if let Err(error) = Ask::from_rpc(operation, Dialect::V1, &asked) {
                    assert!(!Status::from(&error).trailers().is_empty());
                }
            }
            Err(error) => assert!(!Status::from(&error).trailers().is_empty()),
        }
    }
});
