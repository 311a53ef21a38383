//! What machines send each other: pieces of a tunnel, each sealed to the machine it is for and signed by the one it is
//! from. The server in between can read who talks to whom and how much, and nothing else; what it changes, repeats or
//! reorders is noticed. Pure.

use std::sync::Arc;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};

use crate::key::{MachineKey, PublicNkey};
use crate::name::MachineName;
use crate::roster::Member;

/// Of the frames, so that one of a later version is known.
const VERSION: u8 = 1;
const HEAD: usize = 2 + 16 + 8;
const SIGNATURE: usize = 64;

/// One tunnel: chosen by whoever opens it, never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TunnelId(pub [u8; 16]);

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A request: who is asked for what.
    Open = 1,
    /// The status and headers of the answer.
    Head = 2,
    /// A piece of a body.
    Data = 3,
    /// Nothing more comes from this side.
    End = 4,
    /// The tunnel is no more; why.
    Reset = 5,
    /// So many bytes more may be sent.
    Window = 6,
}

/// A frame that came in, and was proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: Kind,
    pub tunnel: TunnelId,
    pub number: u64,
    pub payload: Vec<u8>,
}

/// Why a frame is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of {0} bytes is none")]
    Short(usize),
    #[error(
        "a frame of version {0} is not understood here; are both machines on the same version of Synapse?"
    )]
    Version(u8),
    #[error("a frame is not signed by the machine it names")]
    Forged,
    #[error("a frame cannot be opened")]
    Sealed,
}

/// The two ends that share secrets.
#[derive(Debug)]
pub struct Pair {
    own: Arc<MachineKey>,
    own_name: MachineName,
    peer_name: MachineName,
    peer_key: PublicNkey,
    shared: [u8; 32],
}

impl Pair {
    pub fn new(own: &Arc<MachineKey>, own_name: &MachineName, peer: &Member) -> Self {
        Self {
            own: Arc::clone(own),
            own_name: own_name.clone(),
            peer_name: peer.name.clone(),
            peer_key: peer.key,
            shared: own.shared(peer.seal),
        }
    }

    pub fn peer(&self) -> &MachineName {
        &self.peer_name
    }

    /// A frame for the peer.
    ///
    /// # Errors
    /// When it cannot be sealed, which no payload causes.
    pub fn seal(&self, frame: &Frame) -> Result<Vec<u8>, FrameError> {
        let mut out = vec![VERSION, frame.kind as u8];
        out.extend(frame.tunnel.0);
        out.extend(frame.number.to_be_bytes());
        let mut sealed = frame.payload.clone();
        let key = self.key(frame.tunnel, &self.own_name, &self.peer_name)?;
        let aad = Aad::from(out.clone());
        key.seal_in_place_append_tag(nonce(frame.number), aad, &mut sealed)
            .map_err(|_| FrameError::Sealed)?;
        out.extend(sealed);
        let signature = self
            .own
            .sign(&signed(&self.own_name, &self.peer_name, &out));
        out.extend(signature);
        Ok(out)
    }

    /// A frame of the peer.
    ///
    /// # Errors
    /// When it is not of the peer, not for us, or changed on the way.
    pub fn open(&self, bytes: &[u8]) -> Result<Frame, FrameError> {
        let short = || FrameError::Short(bytes.len());
        let cut = bytes.len().checked_sub(SIGNATURE).ok_or_else(short)?;
        let (body, signature) = bytes.split_at_checked(cut).ok_or_else(short)?;
        let (head, sealed) = body.split_at_checked(HEAD).ok_or_else(short)?;
        let (version, kind) = match head {
            [version, kind, ..] => (*version, *kind),
            _ => return Err(short()),
        };
        if version != VERSION {
            return Err(FrameError::Version(version));
        }
        if !self
            .peer_key
            .verifies(&signed(&self.peer_name, &self.own_name, body), signature)
        {
            return Err(FrameError::Forged);
        }
        let kind = match kind {
            1 => Kind::Open,
            2 => Kind::Head,
            3 => Kind::Data,
            4 => Kind::End,
            5 => Kind::Reset,
            6 => Kind::Window,
            other => return Err(FrameError::Version(other)),
        };
        let tunnel = head.get(2..18).and_then(|id| id.try_into().ok());
        let tunnel = TunnelId(tunnel.ok_or_else(short)?);
        let number = head.get(18..26).and_then(|number| number.try_into().ok());
        let number = u64::from_be_bytes(number.ok_or_else(short)?);
        let key = self.key(tunnel, &self.peer_name, &self.own_name)?;
        let mut payload = sealed.to_vec();
        let length = key
            .open_in_place(nonce(number), Aad::from(head), &mut payload)
            .map_err(|_| FrameError::Sealed)?
            .len();
        payload.truncate(length);
        Ok(Frame {
            kind,
            tunnel,
            number,
            payload,
        })
    }

    /// One key for each tunnel and direction, so that a number is used once with it.
    fn key(
        &self,
        tunnel: TunnelId,
        from: &MachineName,
        to: &MachineName,
    ) -> Result<LessSafeKey, FrameError> {
        let secret = Salt::new(HKDF_SHA256, b"synapse mesh 1").extract(&self.shared);
        let info = [
            &tunnel.0[..],
            from.as_str().as_bytes(),
            b">",
            to.as_str().as_bytes(),
        ];
        let okm = secret.expand(&info, &CHACHA20_POLY1305);
        let key = okm.map_err(|_| FrameError::Sealed)?;
        Ok(LessSafeKey::new(UnboundKey::from(key)))
    }
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    let (_, tail) = bytes.split_at_mut(4);
    tail.copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}

fn signed(from: &MachineName, to: &MachineName, body: &[u8]) -> Vec<u8> {
    let mut message = format!("synapse mesh frame\0{from}\0{to}\0").into_bytes();
    message.extend_from_slice(body);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    struct End {
        key: Arc<MachineKey>,
        name: MachineName,
    }

    fn end(name: &str) -> End {
        End {
            key: Arc::new(MachineKey::generate().unwrap()),
            name: MachineName::parse(name).unwrap(),
        }
    }

    fn pair(own: &End, peer: &End) -> Pair {
        let peer = Member {
            name: peer.name.clone(),
            key: peer.key.public(),
            seal: peer.key.sealing_key(),
            role: crate::role::Role::Send,
            since: jiff::Timestamp::UNIX_EPOCH,
        };
        Pair::new(&own.key, &own.name, &peer)
    }

    fn frame(number: u64) -> Frame {
        Frame {
            kind: Kind::Data,
            tunnel: TunnelId([7; 16]),
            number,
            payload: b"rm -rf nothing".to_vec(),
        }
    }

    #[test]
    fn only_the_receiver_reads_it_and_only_from_the_sender() {
        let [one, two, three] = ["one", "two", "three"].map(end);
        let sent = pair(&one, &two).seal(&frame(3)).unwrap();
        assert!(!sent.windows(6).any(|part| part == b"rm -rf"));
        assert_eq!(pair(&two, &one).open(&sent), Ok(frame(3)));
        // For somebody else, or from somebody else.
        assert_eq!(pair(&three, &one).open(&sent), Err(FrameError::Forged));
        assert_eq!(pair(&two, &three).open(&sent), Err(FrameError::Forged));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let [one, two] = ["one", "two"].map(end);
        let sent = pair(&one, &two).seal(&frame(0)).unwrap();
        for at in 0..sent.len() {
            let mut changed = sent.clone();
            changed[at] ^= 1;
            assert!(pair(&two, &one).open(&changed).is_err(), "byte {at}");
        }
        for length in 0..sent.len() {
            assert!(
                pair(&two, &one).open(&sent[..length]).is_err(),
                "{length} bytes"
            );
        }
    }

    #[test]
    fn a_machine_that_lies_about_its_name_is_not_believed() {
        let [liar, honest, reader] = ["liar", "honest", "reader"].map(end);
        // It signs with its own key under another's name.
        let lie = End {
            key: liar.key,
            name: honest.name.clone(),
        };
        let sent = pair(&lie, &reader).seal(&frame(0)).unwrap();
        assert_eq!(pair(&reader, &honest).open(&sent), Err(FrameError::Forged));
    }
}
