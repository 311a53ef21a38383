//! Which certificate authorities are trusted: those of the system, and the one of `ca_file`.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use tokio_rustls::TlsConnector;

/// What speaks TLS as a client. Reading the system's authorities takes some time, so it is done when the first address
/// needs it.
#[derive(Default)]
pub(super) struct Trust {
    ca_file: Option<PathBuf>,
    connector: OnceLock<TlsConnector>,
}

impl Trust {
    pub(super) fn new(ca_file: Option<PathBuf>) -> Self {
        Self {
            ca_file,
            connector: OnceLock::new(),
        }
    }

    pub(super) fn connector(&self) -> io::Result<&TlsConnector> {
        if let Some(connector) = self.connector.get() {
            return Ok(connector);
        }
        let connector = self.build()?;
        Ok(self.connector.get_or_init(|| connector))
    }

    fn build(&self) -> io::Result<TlsConnector> {
        let mut roots = RootCertStore::empty();
        // One odd certificate of the system must not take the others away.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(file) = &self.ca_file {
            let odd = |error: &dyn std::fmt::Display| {
                io::Error::other(format!("ca_file {}: {error}", file.display()))
            };
            let added = CertificateDer::pem_file_iter(file).map_err(|error| odd(&error))?;
            for certificate in added {
                let certificate = certificate.map_err(|error| odd(&error))?;
                roots.add(certificate).map_err(|error| odd(&error))?;
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsConnector::from(Arc::new(config)))
    }
}
