//! By which algorithms something was computed.
//!
//! What a page says is a function of its bytes, the algorithms and the parameters. The first is named by a
//! content hash, the other two by a [`Generation`]. Whoever keeps results keeps them under both names, so that
//! an update of the algorithms never mistakes an old result for a new one.

use serde::{Deserialize, Serialize};

/// The number of the algorithms and the parameters as text. Equal generations give equal results.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Generation {
    /// Grows whenever the same parameters give another result for some page.
    pub number: u32,
    /// The parameters, as [`Params::digest`](crate::Params::digest) writes them.
    pub parameters: String,
}

impl Generation {
    /// 128 bits of BLAKE3 over both.
    #[must_use]
    pub fn digest(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.number.to_le_bytes());
        hasher.update(self.parameters.as_bytes());
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        short
    }
}

impl std::fmt::Display for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.parameters.split(' ').next().unwrap_or_default();
        write!(f, "page algorithms {} with parameters `{name}`", self.number)
    }
}
