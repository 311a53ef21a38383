//! A text with the signature of whoever wrote it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::key::{MachineKey, PublicNkey};

/// JSON as it was signed, and the signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    body: String,
    signature: String,
}

/// Why something signed is not believed.
#[derive(Debug, thiserror::Error)]
pub enum SignedError {
    #[error("the signature is not that of the key it should be from")]
    Forged,
    #[error("it has another shape than this version knows: {0}")]
    Shape(#[from] serde_json::Error),
}

impl Signed {
    /// Signs something. The purpose keeps what was signed for one thing from being taken for another.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn sign(
        key: &MachineKey,
        purpose: &str,
        what: &impl Serialize,
    ) -> Result<Self, SignedError> {
        let body = serde_json::to_string(what)?;
        let signature = URL_SAFE_NO_PAD.encode(key.sign(&message(purpose, &body)));
        Ok(Self { body, signature })
    }

    /// What was signed, if this key did.
    ///
    /// # Errors
    /// When it did not, or the shape is another.
    pub fn open<T: DeserializeOwned>(
        &self,
        key: PublicNkey,
        purpose: &str,
    ) -> Result<T, SignedError> {
        let signature = URL_SAFE_NO_PAD.decode(&self.signature);
        let signature = signature.map_err(|_| SignedError::Forged)?;
        if !key.verifies(&message(purpose, &self.body), &signature) {
            return Err(SignedError::Forged);
        }
        Ok(serde_json::from_str(&self.body)?)
    }

    /// What it says, believed or not: only to learn whose signature to look for.
    ///
    /// # Errors
    /// When the shape is another.
    pub fn peek<T: DeserializeOwned>(&self) -> Result<T, SignedError> {
        Ok(serde_json::from_str(&self.body)?)
    }
}

fn message(purpose: &str, body: &str) -> Vec<u8> {
    format!("synapse mesh {purpose}\0{body}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_key_or_another_purpose_signed_is_not_believed() {
        let [one, other] = [(); 2].map(|()| MachineKey::generate().unwrap());
        let signed = Signed::sign(&one, "roster", &"text").unwrap();
        assert_eq!(
            signed.open::<String>(one.public(), "roster").unwrap(),
            "text"
        );
        assert!(signed.open::<String>(other.public(), "roster").is_err());
        assert!(signed.open::<String>(one.public(), "presence").is_err());
        let forged = Signed {
            body: "\"other\"".to_owned(),
            ..signed
        };
        assert!(forged.open::<String>(one.public(), "roster").is_err());
    }
}
