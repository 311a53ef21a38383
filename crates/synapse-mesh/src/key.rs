//! The key of a machine: an NKEY (Ed25519) that signs, and a key derived from it that others seal to.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use x25519_dalek::{PublicKey, StaticSecret};

/// The first byte of a public key of a user, and of the seed of one, as NATS has them.
const USER: u8 = 20 << 3;
const SEED: u8 = 18 << 3;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// What is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is not written as NATS writes keys.
    #[error("this is not a {0}: it is mistyped or cut off")]
    Malformed(&'static str),
    /// The system has no random numbers.
    #[error("the system gives no random numbers")]
    NoRandom,
}

/// The private key of a machine.
pub struct MachineKey {
    seed: [u8; 32],
    pair: Ed25519KeyPair,
    sealing: StaticSecret,
}

/// The public key of a machine, written as NATS writes it (`U…`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicNkey(pub [u8; 32]);

/// The key that others seal to.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SealingKey(pub [u8; 32]);

impl MachineKey {
    /// # Errors
    /// When the system gives no random numbers.
    pub fn generate() -> Result<Self, KeyError> {
        Self::from_raw(random()?)
    }

    /// # Errors
    /// Never for 32 bytes that are random.
    pub fn from_raw(seed: [u8; 32]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed);
        let pair = pair.map_err(|_| KeyError::Malformed("key"))?;
        let mut context = ring::digest::Context::new(&ring::digest::SHA256);
        context.update(b"synapse mesh sealing key\0");
        context.update(&seed);
        let mut derived = [0; 32];
        derived.copy_from_slice(context.finish().as_ref());
        Ok(Self {
            seed,
            pair,
            sealing: StaticSecret::from(derived),
        })
    }

    /// Reads a seed as NATS writes it (`SU…`).
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let odd = || KeyError::Malformed("seed of an NKEY");
        let bytes = checked(text.trim()).ok_or_else(odd)?;
        match bytes.split_first_chunk::<2>() {
            Some(([first, _], rest)) if first & 0xf8 == SEED => {
                Self::from_raw(rest.try_into().map_err(|_| odd())?)
            }
            _ => Err(odd()),
        }
    }

    /// The seed as NATS writes it.
    pub fn seed(&self) -> String {
        let mut bytes = vec![SEED | (USER >> 5), (USER & 31) << 3];
        bytes.extend(self.seed);
        written(bytes)
    }

    /// The bytes of the seed, for an invitation.
    pub fn raw(&self) -> [u8; 32] {
        self.seed
    }

    pub fn public(&self) -> PublicNkey {
        let mut key = [0; 32];
        key.copy_from_slice(self.pair.public_key().as_ref());
        PublicNkey(key)
    }

    pub fn sealing_key(&self) -> SealingKey {
        SealingKey(PublicKey::from(&self.sealing).to_bytes())
    }

    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        let mut signature = [0; 64];
        signature.copy_from_slice(self.pair.sign(message).as_ref());
        signature
    }

    /// What this machine and another share, and nobody else.
    pub fn shared(&self, other: SealingKey) -> [u8; 32] {
        let shared = self.sealing.diffie_hellman(&PublicKey::from(other.0));
        shared.to_bytes()
    }
}

impl fmt::Debug for MachineKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MachineKey({})", self.public())
    }
}

impl PublicNkey {
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, self.0);
        key.verify(message, signature).is_ok()
    }
}

impl TryFrom<String> for PublicNkey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        let odd = || KeyError::Malformed("public NKEY of a user");
        let bytes = checked(&text).ok_or_else(odd)?;
        match bytes.split_first() {
            Some((&USER, rest)) => Ok(Self(rest.try_into().map_err(|_| odd())?)),
            _ => Err(odd()),
        }
    }
}

impl From<PublicNkey> for String {
    fn from(key: PublicNkey) -> Self {
        key.to_string()
    }
}

impl fmt::Display for PublicNkey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![USER];
        bytes.extend(self.0);
        f.write_str(&written(bytes))
    }
}

impl fmt::Debug for PublicNkey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl TryFrom<String> for SealingKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        let odd = || KeyError::Malformed("sealing key");
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| odd())?;
        Ok(Self(bytes.try_into().map_err(|_| odd())?))
    }
}

impl From<SealingKey> for String {
    fn from(key: SealingKey) -> Self {
        URL_SAFE_NO_PAD.encode(key.0)
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from(*self))
    }
}

/// # Errors
/// When the system gives none.
pub fn random<const N: usize>() -> Result<[u8; N], KeyError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| KeyError::NoRandom)?;
    Ok(bytes)
}

/// Bytes with their checksum, in base 32.
fn written(mut bytes: Vec<u8>) -> String {
    let sum = crc16(&bytes);
    bytes.extend(sum.to_le_bytes());
    let mut out = String::new();
    let (mut held, mut bits) = (0_u32, 0);
    for byte in bytes {
        held = (held << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(letter(held >> bits));
        }
    }
    if bits > 0 {
        out.push(letter(held << (5 - bits)));
    }
    out
}

fn letter(five: u32) -> char {
    let letter = ALPHABET.get((five & 31) as usize);
    letter.map_or('A', |letter| char::from(*letter))
}

/// The bytes of a key whose checksum is right.
fn checked(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.bytes() {
        let five = ALPHABET.iter().position(|known| *known == letter)?;
        held = (held << 5) | u32::try_from(five).ok()?;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    let (body, sum) = bytes.split_last_chunk::<2>()?;
    (crc16(body) == u16::from_le_bytes(*sum)).then(|| body.to_vec())
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| {
            if sum & 0x8000 == 0 {
                sum << 1
            } else {
                (sum << 1) ^ 0x1021
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair from the documentation of NATS.
    const KNOWN_SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    const KNOWN_KEY: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

    #[test]
    fn keys_are_those_of_nats() {
        let key = MachineKey::parse(KNOWN_SEED).unwrap();
        assert_eq!(key.public().to_string(), KNOWN_KEY);
        assert_eq!(key.seed(), KNOWN_SEED);
        let read = PublicNkey::try_from(KNOWN_KEY.to_owned()).unwrap();
        assert_eq!(read, key.public());
    }

    #[test]
    fn a_mistyped_key_is_noticed() {
        for odd in ["", "SU", KNOWN_KEY, &KNOWN_SEED.replace('V', "W")] {
            assert!(MachineKey::parse(odd).is_err(), "{odd}");
        }
        let odd = PublicNkey::try_from(KNOWN_SEED.to_owned());
        assert!(odd.is_err());
    }

    #[test]
    fn what_one_signs_others_verify_and_two_share_a_secret() {
        let [one, other] = [(); 2].map(|()| MachineKey::generate().unwrap());
        let signature = one.sign(b"go");
        assert!(one.public().verifies(b"go", &signature));
        assert!(!one.public().verifies(b"no", &signature));
        assert!(!other.public().verifies(b"go", &signature));
        assert_eq!(
            one.shared(other.sealing_key()),
            other.shared(one.sealing_key())
        );
        assert!(!format!("{one:?}").contains(&one.seed()));
    }
}
