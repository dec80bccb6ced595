//! TLS for a console that is reached without a proxy.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::queries::tokens::refuse_open_file;

/// An acceptor with the certificates in `cert` (the console's own first) and the key in `key`, both as PEM.
///
/// # Errors
/// When a file cannot be read, others may read the key, or the two do not belong together.
pub(crate) fn acceptor(cert: &Path, key: &Path) -> anyhow::Result<TlsAcceptor> {
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
