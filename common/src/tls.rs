//! The cryptography under TLS: `ring`, for all clients alike.
//!
//! Of rustls's providers it is the one that a C compiler builds in seconds. reqwest takes the process's
//! default, which somebody must choose: whoever makes an HTTP client calls [`ready`] first.

/// Chooses the provider, once.
pub fn ready() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error says that another thread was first.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
}
