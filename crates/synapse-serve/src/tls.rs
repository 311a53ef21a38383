//! TLS by a certificate and a key, for agents that are reached from elsewhere.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls_pki_types::pem::{self, PemObject as _};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

/// The first byte of a client that begins with TLS.
const HELLO: u8 = 0x16;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is no PEM, or cannot be read.
    #[error("{}: {why}; it must be a PEM file", file.display())]
    File { file: PathBuf, why: pem::Error },
    /// The certificate file has none.
    #[error("{} holds no certificate", .0.display())]
    NoCertificate(PathBuf),
    /// They do not fit each other.
    #[error("the certificate and the key cannot be used: {0}")]
    Unusable(rustls::Error),
}

/// What speaks TLS with this certificate, the chain behind it, and its key.
///
/// # Errors
/// When a file cannot be read or they do not belong together.
pub fn acceptor(cert: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let at = |file: &Path| {
        let file = file.to_owned();
        move |why| TlsError::File { file, why }
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(at(cert))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(cert.to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(at(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(TlsError::Unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The same for clients that speak HTTP/2.
#[cfg(feature = "http2")]
pub(super) fn over_http2(acceptor: &TlsAcceptor) -> TlsAcceptor {
    let mut config = ServerConfig::clone(acceptor.config());
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

/// Whether a client begins with TLS. Waits for its first byte and leaves it where it is.
pub(super) async fn is_hello(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0; 1];
    Ok(stream.peek(&mut first).await? == 1 && first == [HELLO])
}
