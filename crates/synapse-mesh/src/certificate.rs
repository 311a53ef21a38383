//! The certificate of a server that we set up, and the authority that signs it and nothing else.

use anyhow::{Context as _, Result};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::nats::CA_NAME;

/// What a server needs to speak TLS, as PEM.
pub struct Certificates {
    pub authority: String,
    /// The certificate of the server, and its authority behind it, so that who knows the fingerprint finds it.
    pub chain: String,
    pub key: String,
}

/// Makes an authority, and a certificate of it. The key of the authority is forgotten: it signs nothing else.
///
/// # Errors
/// When the system gives no random numbers.
pub fn make() -> Result<Certificates> {
    let authority_key = KeyPair::generate().context("no key can be made")?;
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    authority
        .distinguished_name
        .push(DnType::CommonName, "the authority of a mesh of Synapse");
    let signed = authority.self_signed(&authority_key)?;
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().context("no key can be made")?;
    let mut server = CertificateParams::new(vec![CA_NAME.to_owned()])?;
    server.distinguished_name.push(DnType::CommonName, CA_NAME);
    let certificate = server.signed_by(&key, &issuer)?;
    Ok(Certificates {
        chain: format!("{}{}", certificate.pem(), signed.pem()),
        authority: signed.pem(),
        key: key.serialize_pem(),
    })
}

/// The fingerprint of an authority, SHA-256.
///
/// # Errors
/// When the text holds no certificate.
pub fn fingerprint(pem: &str) -> Result<[u8; 32]> {
    let der = CertificateDer::from_pem_slice(pem.as_bytes());
    let der = der.map_err(|error| anyhow::anyhow!("the authority cannot be read: {error}"))?;
    let sum = ring::digest::digest(&ring::digest::SHA256, &der);
    Ok(sum.as_ref().try_into()?)
}
