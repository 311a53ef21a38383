//! Random bytes as a JSON-RPC request: the envelope, then the parameters in every dialect that has the
//! method.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_a2a::wire::operation::{Version, operation};
use synapse_a2a::wire::{Dialect, jsonrpc, v01, v03, v1};

fuzz_target!(|body: &[u8]| {
    let call = match jsonrpc::read(body) {
        Ok(call) => call,
        Err(refused) => {
            let _ = jsonrpc::error(&refused.id, &refused.error);
            return;
        }
    };
    let versions = [Version::V1, Version::V03];
    let known = versions.map(|version| operation(&call.method, version));
    for (dialect, _) in known.into_iter().flatten() {
        match dialect {
            Dialect::V1 => {
                let _ = v1::send_request(&call.params);
                let _ = v1::task_request(&call.params);
                let _ = v1::list_request(&call.params);
                let _ = v1::push_config(&call.params, None);
                let _ = v1::push_request(&call.params);
            }
            Dialect::V03 | Dialect::V03Rest => {
                let _ = v03::send_request(&call.params);
                let _ = v03::task_request(&call.params);
                let _ = v03::push_config(&call.params);
                let _ = v03::push_request(&call.params);
            }
            Dialect::V01 => {
                let _ = v01::send_request(&call.params);
                let _ = v01::push_config(&call.params);
            }
        }
    }
});
