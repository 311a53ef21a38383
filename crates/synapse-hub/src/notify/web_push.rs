//! Web Push: a message that only one browser can read (RFC 8291), and the word that it is from us (RFC 8292). The push
//! service of the browser's maker sees when and to whom, not what.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hyper::Uri;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

/// How large one record is; ours are far smaller.
const RECORD: u32 = 4096;
/// The length of a public key, not compressed.
const POINT: usize = 65;
/// How long our word counts, in seconds; a day at most is allowed.
const WORD_LIFE: i64 = 12 * 60 * 60;

/// Why nothing can be pushed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PushError {
    #[error("the browser's {0} is no key of Web Push")]
    Key(&'static str),
    #[error("the system gives no random numbers, or a key cannot be used")]
    Crypto,
    #[error("'{0}' is not an address of a push service")]
    Address(String),
}

impl From<ring::error::Unspecified> for PushError {
    fn from(_: ring::error::Unspecified) -> Self {
        Self::Crypto
    }
}

/// The key by which push services know this hub.
pub(crate) struct Vapid {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl Vapid {
    /// A fresh key, as it is kept.
    pub(crate) fn generate() -> Result<String, PushError> {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)?;
        Ok(STANDARD.encode(made))
    }

    /// The key that was kept.
    pub(crate) fn read(kept: &str) -> Result<Self, PushError> {
        let random = SystemRandom::new();
        let bytes = STANDARD.decode(kept).map_err(|_| PushError::Crypto)?;
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &bytes, &random);
        let pair = pair.map_err(|_| PushError::Crypto)?;
        Ok(Self { pair, random })
    }

    /// What a browser subscribes with.
    pub(crate) fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pair.public_key())
    }

    /// The `Authorization` for a push service. `subject` says how to reach us, `now` is in seconds.
    pub(crate) fn authorization(
        &self,
        endpoint: &Uri,
        subject: &str,
        now: i64,
    ) -> Result<String, PushError> {
        let odd = || PushError::Address(endpoint.to_string());
        let scheme = endpoint.scheme_str().ok_or_else(odd)?;
        let authority = endpoint.authority().ok_or_else(odd)?;
        let head = json!({ "typ": "JWT", "alg": "ES256" }).to_string();
        let claims = json!({
            "aud": format!("{scheme}://{authority}"), "exp": now + WORD_LIFE, "sub": subject,
        });
        let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let signed = format!("{}.{}", encode(&head), encode(&claims.to_string()));
        let signature = self.pair.sign(&self.random, signed.as_bytes())?;
        let signature = URL_SAFE_NO_PAD.encode(signature);
        Ok(format!("vapid t={signed}.{signature}, k={}", self.public()))
    }
}

impl std::fmt::Debug for Vapid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vapid").finish_non_exhaustive()
    }
}

/// A message for one browser, as `aes128gcm`.
pub(crate) fn sealed(p256dh: &str, auth: &str, text: &[u8]) -> Result<Vec<u8>, PushError> {
    let random = SystemRandom::new();
    let theirs = point(p256dh)?;
    let auth = URL_SAFE_NO_PAD.decode(auth.trim_end_matches('='));
    let auth = auth.map_err(|_| PushError::Key("auth"))?;
    if auth.len() != 16 {
        return Err(PushError::Key("auth"));
    }
    let private = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let ours = private.compute_public_key()?;
    let mut salt = [0; 16];
    random.fill(&mut salt)?;
    let peer = UnparsedPublicKey::new(&ECDH_P256, &theirs);
    let (key, nonce) = agree_ephemeral(private, &peer, |shared| {
        let info = [b"WebPush: info\0".as_slice(), &theirs, ours.as_ref()].concat();
        let mut material = [0; 32];
        derive(&auth, shared, &info, &mut material)?;
        let (mut key, mut nonce) = ([0; 16], [0; 12]);
        derive(&salt, &material, b"Content-Encoding: aes128gcm\0", &mut key)?;
        derive(&salt, &material, b"Content-Encoding: nonce\0", &mut nonce)?;
        Ok::<_, PushError>((key, nonce))
    })
    .map_err(|_| PushError::Key("p256dh"))??;
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    // The last record of a message ends with a two.
    let mut record = [text, [2].as_slice()].concat();
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::empty(), &mut record)?;
    let length = u8::try_from(POINT).unwrap_or_default();
    Ok([
        salt.as_slice(),
        RECORD.to_be_bytes().as_slice(),
        [length].as_slice(),
        ours.as_ref(),
        record.as_slice(),
    ]
    .concat())
}

/// Whether a browser's keys can be used.
pub(crate) fn check(p256dh: &str, auth: &str) -> Result<(), PushError> {
    sealed(p256dh, auth, b"").map(|_| ())
}

fn point(key: &str) -> Result<Vec<u8>, PushError> {
    let bytes = URL_SAFE_NO_PAD.decode(key.trim_end_matches('='));
    let bytes = bytes.map_err(|_| PushError::Key("p256dh"))?;
    if bytes.len() == POINT {
        Ok(bytes)
    } else {
        Err(PushError::Key("p256dh"))
    }
}

fn derive(salt: &[u8], secret: &[u8], info: &[u8], out: &mut [u8]) -> Result<(), PushError> {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let extracted = Salt::new(HKDF_SHA256, salt).extract(secret);
    let info = [info];
    let expanded = extracted.expand(&info, Length(out.len()))?;
    Ok(expanded.fill(out)?)
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey as VerifyingKey};

    use super::*;

    #[test]
    fn only_the_browser_it_is_for_can_read_it() {
        let random = SystemRandom::new();
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &random).unwrap();
        let public = private.compute_public_key().unwrap();
        let auth = [7; 16];
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let body = sealed(&encode(public.as_ref()), &encode(&auth), b"hello").unwrap();
        let (salt, rest) = body.split_at(16);
        let (size, rest) = rest.split_at(4);
        assert_eq!(size, RECORD.to_be_bytes());
        assert_eq!(usize::from(rest[0]), POINT);
        let (theirs, record) = rest[1..].split_at(POINT);
        let peer = UnparsedPublicKey::new(&ECDH_P256, theirs);
        let opened = agree_ephemeral(private, &peer, |shared| {
            let info = [b"WebPush: info\0".as_slice(), public.as_ref(), theirs].concat();
            let (mut material, mut key, mut nonce) = ([0; 32], [0; 16], [0; 12]);
            derive(&auth, shared, &info, &mut material).unwrap();
            derive(salt, &material, b"Content-Encoding: aes128gcm\0", &mut key).unwrap();
            derive(salt, &material, b"Content-Encoding: nonce\0", &mut nonce).unwrap();
            let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
            let mut record = record.to_vec();
            let nonce = Nonce::assume_unique_for_key(nonce);
            let open = key.open_in_place(nonce, Aad::empty(), &mut record);
            open.unwrap().to_vec()
        });
        assert_eq!(opened.unwrap(), b"hello\x02");
    }

    #[test]
    fn our_word_is_signed_and_names_the_service_it_is_for() {
        let vapid = Vapid::read(&Vapid::generate().unwrap()).unwrap();
        let endpoint: Uri = "https://push.example:8443/send/abc".parse().unwrap();
        let word = vapid
            .authorization(&endpoint, "https://me.example", 100)
            .unwrap();
        let (token, key) = word
            .strip_prefix("vapid t=")
            .unwrap()
            .split_once(", k=")
            .unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let claims: serde_json::Value =
            serde_json::from_slice(&decode(signed.split_once('.').unwrap().1)).unwrap();
        assert_eq!(claims["aud"], "https://push.example:8443");
        assert_eq!(claims["exp"], 100 + WORD_LIFE);
        VerifyingKey::new(&ECDSA_P256_SHA256_FIXED, decode(key))
            .verify(signed.as_bytes(), &decode(signature))
            .unwrap();
    }

    #[test]
    fn keys_that_are_none_are_named() {
        let named = |p256dh: &str, auth: &str| check(p256dh, auth).unwrap_err().to_string();
        assert!(named("AAAA", "AAAAAAAAAAAAAAAAAAAAAA").contains("p256dh"));
        let zeros = URL_SAFE_NO_PAD.encode([4; POINT]);
        assert!(named(&zeros, "AAAA").contains("auth"));
        assert!(
            named(&zeros, "AAAAAAAAAAAAAAAAAAAAAA").contains("p256dh"),
            "on no curve"
        );
    }
}
