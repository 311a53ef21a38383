//! Who we are to the server: a key, a credentials file, a name and password, a token, or nobody.

use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};

use crate::key::MachineKey;

/// What is shown to the server.
#[derive(Clone, Debug)]
pub enum Auth {
    /// The key of a user that the server knows.
    Nkey(Arc<MachineKey>),
    /// A JWT and the key that belongs to it, from a credentials file.
    Jwt { jwt: Arc<str>, key: Arc<MachineKey> },
    /// What stands in the address of the server, if anything does.
    FromAddress,
}

impl Auth {
    /// Reads a credentials file as NATS tools write it.
    ///
    /// # Errors
    /// When it cannot be read, or has no JWT or no seed in it; which file, and what is missing.
    pub fn from_creds(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let block = |name: &str| {
            let begin = format!("-----BEGIN {name}-----");
            let rest = text.split_once(&begin)?.1;
            let inner = rest.split_once("---")?.0;
            Some(inner.trim_matches(['-', '\n', '\r', ' ']).to_owned())
        };
        let missing = |name| format!("{}: there is no block '{name}'", file.display());
        let jwt = block("NATS USER JWT").ok_or_else(|| missing("NATS USER JWT"))?;
        let seed = block("USER NKEY SEED").ok_or_else(|| missing("USER NKEY SEED"))?;
        let key = MachineKey::parse(&seed)
            .map_err(|error| format!("{}: USER NKEY SEED: {error}", file.display()))?;
        Ok(Self::Jwt {
            jwt: jwt.into(),
            key: Arc::new(key),
        })
    }

    /// The fields of CONNECT.
    pub(super) fn fields(&self, nonce: Option<&str>, userinfo: Option<&str>) -> Map<String, Value> {
        let signed = |key: &MachineKey| {
            let signature = key.sign(nonce.unwrap_or_default().as_bytes());
            URL_SAFE_NO_PAD.encode(signature)
        };
        let fields = match self {
            Self::Nkey(key) => json!({ "nkey": key.public(), "sig": signed(key) }),
            Self::Jwt { jwt, key } => json!({ "jwt": &**jwt, "sig": signed(key) }),
            Self::FromAddress => match userinfo.map(|info| info.split_once(':').ok_or(info)) {
                None => json!({}),
                Some(Ok((user, pass))) => json!({ "user": user, "pass": pass }),
                Some(Err(token)) => json!({ "auth_token": token }),
            },
        };
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credentials_file_is_read_and_a_bad_one_named() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a.creds");
        let key = MachineKey::generate().unwrap();
        let text = format!(
            "-----BEGIN NATS USER JWT-----\neyJ0.abc.def\n------END NATS USER JWT------\n\n*** keep it\n\n-----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
            key.seed()
        );
        std::fs::write(&file, &text).unwrap();
        let Auth::Jwt { jwt, key: read } = Auth::from_creds(&file).unwrap() else {
            panic!("no JWT");
        };
        assert_eq!((&*jwt, read.seed()), ("eyJ0.abc.def", key.seed()));
        std::fs::write(&file, text.replace("USER NKEY SEED", "X")).unwrap();
        let error = Auth::from_creds(&file).unwrap_err();
        assert!(
            error.contains("a.creds") && error.contains("USER NKEY SEED"),
            "{error}"
        );
    }
}
