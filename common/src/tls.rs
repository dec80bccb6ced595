//! The cryptography under TLS: `ring`, for all clients alike.
//!
//! A C compiler builds it in seconds, unlike rustls's other providers. reqwest takes the process's default
//! provider, which somebody must choose: call [`ready`] before making an HTTP client.

/// Chooses the provider, once.
pub fn ready() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error means that another thread was first.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}
