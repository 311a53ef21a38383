//! Random bytes as an HTTP+JSON request of 1.0 and of 0.3: its path, its query, its body, its page token.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use synapse_a2a::wire::operation::Version;
use synapse_a2a::wire::{page, rest, v03_rest, v1};

fuzz_target!(|body: &[u8]| {
    if let Ok(text) = std::str::from_utf8(body) {
        let _ = page::Cursor::read(text);
        for version in [Version::V1, Version::V03] {
            let _ = rest::route("GET", text, version);
        }
        let query = rest::query(Some(text));
        let _ = v1::list_query(&query);
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    if let Ok(request) = v1::send_request(&value) {
        // What was read can be written again.
        let context = request.context.unwrap_or(synapse_a2a::id::ContextId::new("c"));
        let _ = v1::sent_message(&request.message, &context);
    }
    let _ = v03_rest::send_request(&value);
    let _ = v1::push_config(&value, Some("t"));
    let _ = v03_rest::push_config(&value);
    if let Value::Object(query) = &value {
        let _ = v1::list_query(query);
        let _ = v1::task_query("t", query);
        let _ = v03_rest::task_query("t", query);
    }
});
