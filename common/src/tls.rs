//! The cryptography under TLS: `ring`, for all clients alike.
//!
//! A C compiler builds it in seconds, unlike rustls's other providers. reqwest takes the process's default
//! provider, which somebody must choose: call [`ready`] before making an HTTP client. [`with_remedy`] completes errors.

/// Chooses the provider, once.
pub fn ready() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error means that another thread was first.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}

/// An error's text; if a certificate was refused, with the remedy.
#[must_use]
pub fn with_remedy(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    // Clients pass on the error of rustls only as text, in one of two forms.
    let mends: [(&[&str], &str); 4] = [
        (
            &["UnknownIssuer"],
            "no authority that this machine trusts vouches for it: if it is your own authority, set `SSL_CERT_FILE` to the file \
             of its certificate",
        ),
        (&["Expired", "certificate expired"], "renew it; the services connect again by themselves"),
        (&["NotValidForName", "not valid for name"], "use a name of the certificate in the URL"),
        (
            &["NotValidYet", "certificate not valid yet"],
            "the clock of this machine or of the server's is wrong",
        ),
    ];
    let is_of = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    match mends.iter().find(|(signs, _)| text.contains("invalid peer certificate") && is_of(signs)) {
        Some((_, mend)) => format!("{text} ({mend})"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustls::pki_types::{ServerName, UnixTime};
    use rustls::{CertificateError, Error};

    use super::*;

    #[test]
    fn what_rustls_says_of_certificates_has_a_mend() {
        let (now, then) = (UnixTime::since_unix_epoch(Duration::from_secs(200)), Duration::from_secs(100));
        let then = UnixTime::since_unix_epoch(then);
        let name = ServerName::try_from("redis").unwrap();
        let wanted = [
            (CertificateError::UnknownIssuer, "SSL_CERT_FILE"),
            (CertificateError::Expired, "renew"),
            (CertificateError::ExpiredContext { time: now, not_after: then }, "renew"),
            (CertificateError::NotValidForName, "in the URL"),
            (
                CertificateError::NotValidForNameContext { expected: name.to_owned(), presented: Vec::new() },
                "in the URL",
            ),
            (CertificateError::NotValidYet, "clock"),
            (CertificateError::NotValidYetContext { time: then, not_before: now }, "clock"),
        ];
        for (error, mend) in wanted {
            let text = with_remedy(&Error::InvalidCertificate(error));
            assert!(text.contains(mend), "{text}");
        }
        assert_eq!(with_remedy(&"connection refused"), "connection refused");
    }
}
