//! Whom we believe to be the server: the authority of this mesh, the one whose fingerprint an invitation names, or those
//! of the system.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

/// The name in the certificate of a server that we set up. Its authority signs no other, so the address by which a
/// server is reached, which changes with the network, need not be in it.
pub const CA_NAME: &str = "synapse-mesh";

/// Which certificates are believed.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those of this authority alone, PEM.
    Authority(Arc<str>),
    /// Those of the authority with this fingerprint, SHA-256.
    Fingerprint([u8; 32]),
    /// Those of the system, and of this file of authorities.
    System(Option<Arc<str>>),
}

impl Trust {
    /// Whether a server must speak TLS.
    pub(super) fn needs_tls(&self) -> bool {
        !matches!(self, Self::System(_))
    }

    /// The name to look for in a certificate, if it is not that of the server's address.
    pub(super) fn name(&self) -> Option<&'static str> {
        self.needs_tls().then_some(CA_NAME)
    }

    pub(super) fn config(&self) -> Result<ClientConfig, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        Ok(match self {
            Self::Authority(pem) => {
                let mut roots = RootCertStore::empty();
                add(&mut roots, pem)?;
                builder.with_root_certificates(roots).with_no_client_auth()
            }
            Self::System(more) => {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                if let Some(pem) = more {
                    add(&mut roots, pem)?;
                }
                builder.with_root_certificates(roots).with_no_client_auth()
            }
            Self::Fingerprint(fingerprint) => {
                let verifier = ByFingerprint {
                    fingerprint: *fingerprint,
                    provider,
                };
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(verifier))
                    .with_no_client_auth()
            }
        })
    }
}

fn add(roots: &mut RootCertStore, pem: &str) -> Result<(), String> {
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Believes the server whose chain holds an authority with a known fingerprint that has signed it.
#[derive(Debug)]
struct ByFingerprint {
    fingerprint: [u8; 32],
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for ByFingerprint {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let other = |why: String| rustls::Error::General(why);
        let is_it = |certificate: &&CertificateDer<'_>| {
            let sum = ring::digest::digest(&ring::digest::SHA256, certificate);
            sum.as_ref() == self.fingerprint
        };
        let authority = intermediates.iter().find(is_it).ok_or_else(|| {
            other("it is not the server that the invitation names (another fingerprint)".to_owned())
        })?;
        let mut roots = RootCertStore::empty();
        roots.add(authority.clone().into_owned())?;
        let verifier = WebPkiServerVerifier::builder_with_provider(
            Arc::new(roots),
            Arc::clone(&self.provider),
        )
        .build()
        .map_err(|error| other(error.to_string()))?;
        let name = ServerName::try_from(CA_NAME).map_err(|error| other(error.to_string()))?;
        verifier.verify_server_cert(end_entity, intermediates, &name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
