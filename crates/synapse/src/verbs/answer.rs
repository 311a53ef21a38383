//! `synapse answer`.

use anyhow::Result;
use hyper::Method;
use serde_json::json;

use super::reach;

/// Runs it.
pub(crate) fn run(agent: &str, value: &str, fingerprint: Option<&str>) -> Result<u8> {
    let body = json!({ "value": value, "fingerprint": fingerprint });
    reach::ask(agent, async |client| {
        client.call(Method::POST, "/answer", Some(&body)).await
    })?;
    Ok(0)
}
