//! `synapse keys`.

use anyhow::Result;
use hyper::Method;
use serde_json::json;

use super::lookup;

pub(crate) fn run(agent: &str, keys: &[String]) -> Result<u8> {
    let body = json!({ "keys": keys });
    lookup::ask(agent, async |client| {
        client.call(Method::POST, "/keys", Some(&body)).await
    })?;
    Ok(0)
}
