//! TLS: the certificate that a server shows.

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// The certificate of a server, with its key: HTTP/2 and HTTP/1.1 over TLS 1.3 and 1.2.
///
/// ```no_run
/// use sabir_bindings::{ServerConfig, Tls};
///
/// let tls = Tls::read("/etc/sabir/cert.pem", "/etc/sabir/key.pem")?;
/// let config = ServerConfig { tls: Some(tls), ..ServerConfig::default() };
/// # Ok::<(), sabir_bindings::TlsError>(())
/// ```
#[derive(Clone)]
pub struct Tls(Arc<ServerConfig>);

/// Why a certificate and a key cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The certificates are not in PEM, or there are none.
    #[error("no certificate in PEM: {0}")]
    Certificate(String),
    /// The key is not in PEM, or there is none.
    #[error("no private key in PEM: {0}")]
    Key(String),
    /// The key is not that of the certificate, or they are of a kind that TLS does not take.
    #[error("the certificate and the key cannot be served: {0}")]
    Unusable(#[from] rustls::Error),
}

impl Tls {
    /// Reads a chain of certificates, the server's own first, and its key, both in PEM.
    ///
    /// # Errors
    /// When a file cannot be read, or what is in it is no certificate or no key of it.
    pub fn read(certificate: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, TlsError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|source| TlsError::File { path: path.to_owned(), source })
        };
        Self::from_pem(&read(certificate.as_ref())?, &read(key.as_ref())?)
    }

    /// The same from what stands in the files.
    ///
    /// # Errors
    /// When that is no certificate, or no key of it.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError::Certificate(error.to_string()))?;
        if chain.is_empty() {
            return Err(TlsError::Certificate("there is none".to_owned()));
        }
        let key =
            PrivateKeyDer::from_pem_slice(key).map_err(|error| TlsError::Key(error.to_string()))?;
        // The program may have chosen another provider.
        let provider = CryptoProvider::get_default().cloned();
        let provider = provider.unwrap_or_else(|| Arc::new(ring::default_provider()));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.0.clone())
    }
}

/// Whether they are one and the same: what was read twice may differ.
impl PartialEq for Tls {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The key is nobody's business.
impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// Marks requests that came over TLS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OverTls;
