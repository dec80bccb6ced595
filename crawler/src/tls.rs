//! Which certificates of web servers the crawler trusts, and what it means if TLS fails.
//!
//! Certificates are checked as the system checks them, with the authorities of `crawler.ca_file` beside the system's. Only the
//! hosts of sites with `accept_invalid_certificate` are let through unchecked. The check is ours for another reason, too:
//! it alone sees the certificate that was refused, and so whether it vouches for itself. Start at [`client_config`];
//! [`outcome_of`] finds the cause of a failure in a client's error.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

use anyhow::Context as _;
use newslode_common::outcome::Outcome;
use newslode_common::tls;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError,
    SignatureScheme,
};
use rustls_platform_verifier::Verifier;
use webpki::EndEntityCert;

use crate::site_requests::SiteRequests;

/// The TLS of the crawler's clients. `ca_file`: authorities beside the system's, as PEM; empty: none.
///
/// # Errors
/// When the file cannot be read, or the system's authorities cannot.
pub(crate) fn client_config(ca_file: &str, sites: Arc<SiteRequests>) -> anyhow::Result<ClientConfig> {
    tls::ready();
    let provider = CryptoProvider::get_default().context("TLS has no cryptography")?.clone();
    let roots = if ca_file.is_empty() { Vec::new() } else { authorities(ca_file)? };
    let verifier = Verifier::new_with_extra_roots(roots, provider.clone())
        .context("cannot trust the authorities of `crawler.ca_file` and of the system")?;
    let check = Arc::new(Check { verifier, sites });
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = builder.dangerous().with_custom_certificate_verifier(check).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The certificates of a file.
fn authorities(file: &str) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let read = || format!("`crawler.ca_file`: cannot read certificates in `{file}`");
    let found: Vec<_> = CertificateDer::pem_file_iter(file)
        .with_context(read)?
        .collect::<Result<_, _>>()
        .with_context(read)?;
    anyhow::ensure!(
        !found.is_empty(),
        "`crawler.ca_file`: `{file}` has no certificate; it must be PEM, with `-----BEGIN CERTIFICATE-----`"
    );
    Ok(found)
}

/// The system's check, except for the sites that need none.
#[derive(Debug)]
struct Check {
    verifier: Verifier,
    sites: Arc<SiteRequests>,
}

/// A certificate that vouches for itself.
#[derive(Debug, thiserror::Error)]
#[error("the certificate is self-signed")]
struct SelfSigned;

impl ServerCertVerifier for Check {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.sites.accepts_invalid_certificate(&name.to_str()) {
            return Ok(ServerCertVerified::assertion());
        }
        let checked = self.verifier.verify_server_cert(certificate, intermediates, name, ocsp, now);
        checked.map_err(|error| match error {
            // An authority's own certificate is refused as a server's in a way of its own.
            Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::Other(_))
                if is_self_signed(certificate) =>
            {
                CertificateError::Other(OtherError(Arc::new(SelfSigned))).into()
            }
            other => other,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

fn is_self_signed(certificate: &CertificateDer<'_>) -> bool {
    EndEntityCert::try_from(certificate)
        .is_ok_and(|certificate| certificate.issuer() == certificate.subject())
}

/// How a visit ends whose client failed with this error, if TLS is the cause.
pub(crate) fn outcome_of(error: &(dyn StdError + 'static)) -> Option<Outcome> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<Error>() {
            return Some(outcome_of_tls(error));
        }
        // The source of an I/O error is that of the error in it, which is left out.
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

fn outcome_of_tls(error: &Error) -> Outcome {
    match error {
        Error::InvalidCertificate(error) => match error {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Outcome::TlsExpired,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Outcome::TlsWrongHost
            }
            CertificateError::UnknownIssuer => Outcome::TlsUnknownIssuer,
            CertificateError::Other(error) if error.0.is::<SelfSigned>() => Outcome::TlsSelfSigned,
            _ => Outcome::TlsFailed,
        },
        Error::PeerIncompatible(_)
        | Error::NoApplicationProtocol
        | Error::AlertReceived(
            AlertDescription::ProtocolVersion
            | AlertDescription::HandshakeFailure
            | AlertDescription::InsufficientSecurity
            | AlertDescription::NoApplicationProtocol,
        ) => Outcome::TlsNoCommonProtocol,
        // The server has no certificate for the name that it was asked for.
        Error::AlertReceived(AlertDescription::UnrecognisedName) => Outcome::TlsWrongHost,
        _ => Outcome::TlsFailed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_found_below_errors_of_input_and_output() {
        let expired = Error::InvalidCertificate(CertificateError::Expired);
        let wrapped = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, expired));
        assert_eq!(outcome_of(&wrapped), Some(Outcome::TlsExpired));
        assert_eq!(outcome_of(&io::Error::other("connection refused")), None);
    }

    #[test]
    fn each_failure_of_tls_has_its_outcome() {
        let of = |error: CertificateError| outcome_of_tls(&error.into());
        assert_eq!(of(CertificateError::NotValidForName), Outcome::TlsWrongHost);
        assert_eq!(of(CertificateError::UnknownIssuer), Outcome::TlsUnknownIssuer);
        let of_itself = CertificateError::Other(OtherError(Arc::new(SelfSigned)));
        assert_eq!(of(of_itself), Outcome::TlsSelfSigned);
        assert_eq!(of(CertificateError::Revoked), Outcome::TlsFailed);
        let alert = |alert| outcome_of_tls(&Error::AlertReceived(alert));
        assert_eq!(alert(AlertDescription::ProtocolVersion), Outcome::TlsNoCommonProtocol);
        assert_eq!(alert(AlertDescription::UnrecognisedName), Outcome::TlsWrongHost);
        assert_eq!(alert(AlertDescription::InternalError), Outcome::TlsFailed);
    }
}
