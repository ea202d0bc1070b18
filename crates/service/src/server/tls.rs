use std::io;
use std::path::Path;
use std::sync::Arc;

use swampbox_material::Code;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::file::{read_regular, unread};

/// The longest file of certificates, or of a key, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A certificate with its key, to serve over TLS.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
}

/// The certificate or its key can't be used (`config_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidCertificate(String);

impl InvalidCertificate {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::ConfigInvalid
    }
}

impl Tls {
    /// Reads a chain of certificates and the key of the first, each a PEM file of a MiB at the most.
    ///
    /// # Errors
    ///
    /// `config_invalid`.
    pub fn read(certificates: &Path, key: &Path) -> Result<Self, InvalidCertificate> {
        let unusable = |path: &Path, error: &dyn std::fmt::Display| {
            InvalidCertificate(format!("{}: {error}", path.display()))
        };
        let read = |path: &Path| {
            let bytes = read_regular(path, MAX_BYTES).map(|(bytes, _)| bytes);
            bytes.map_err(|error| InvalidCertificate(unread(path, &error)))
        };
        let chain = read(certificates)?;
        let chain = CertificateDer::pem_slice_iter(&chain)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| unusable(certificates, &error))?;
        let secret = PrivateKeyDer::from_pem_slice(&read(key)?);
        let secret = secret.map_err(|error| unusable(key, &error))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(|error| unusable(certificates, &error))?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)) })
    }

    pub(super) async fn accept<C>(&self, connection: C) -> io::Result<TlsStream<C>>
    where
        C: AsyncRead + AsyncWrite + Unpin,
    {
        self.acceptor.accept(connection).await
    }
}
