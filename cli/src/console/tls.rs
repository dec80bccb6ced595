//! TLS for a console that is reached without a proxy. A renewed certificate counts within seconds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::followed::{Followed, LOOK};
use crate::queries::tokens::refuse_open_file;

/// The acceptor of these files, which are read again when they change.
pub(crate) struct Certificates {
    newest: watch::Sender<TlsAcceptor>,
    files: Followed<TlsAcceptor>,
}

impl Certificates {
    /// # Errors
    /// As [`acceptor`].
    pub(crate) fn read(cert: PathBuf, key: PathBuf) -> anyhow::Result<Certificates> {
        let files = vec![cert.clone(), key.clone()];
        let (first, files) = Followed::start("certificate", files, move || acceptor(&cert, &key))?;
        Ok(Certificates { newest: watch::Sender::new(first), files })
    }

    pub(crate) fn newest(&self) -> watch::Receiver<TlsAcceptor> {
        self.newest.subscribe()
    }

    /// Looks at the files until `stop`.
    pub(crate) async fn follow(mut self, stop: CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
            if let Some(acceptor) = self.files.look() {
                self.newest.send_replace(acceptor);
            }
        }
    }
}

/// An acceptor with the certificates in `cert` (the console's own first) and the key in `key`, both as PEM.
///
/// # Errors
/// When a file cannot be read, others may read the key, or the two do not belong together.
fn acceptor(cert: &Path, key: &Path) -> anyhow::Result<TlsAcceptor> {
    newslode_common::tls::ready();
    let read = || format!("cannot read certificates in `{}`", cert.display());
    let certs: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(cert)
        .with_context(read)?
        .collect::<Result<_, _>>()
        .with_context(read)?;
    refuse_open_file(key, "key")?;
    let private = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("cannot read a private key in `{}`", key.display()))?;
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(certs, private);
    let mut config = config.with_context(|| {
        format!("the certificate in `{}` and the key in `{}` do not fit", cert.display(), key.display())
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
