//! Random bytes as a JSON-RPC request: the envelope, then the parameters in the dialect of the method.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synapse_a2a::wire::ask::Ask;
use synapse_a2a::wire::jsonrpc;
use synapse_a2a::wire::operation::{Version, operation};

fuzz_target!(|body: &[u8]| {
    let call = match jsonrpc::read(body) {
        Ok(call) => call,
        Err(refused) => {
            let _ = jsonrpc::error(&refused.id, &refused.error);
            return;
        }
    };
    for version in [Version::V1, Version::V03] {
        if let Ok((dialect, operation)) = operation(&call.method, version)
            && let Err(error) = Ask::from_rpc(operation, dialect, &call.params)
        {
            let _ = jsonrpc::error(&call.id, &error);
        }
    }
});
