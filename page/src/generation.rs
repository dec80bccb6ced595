//! Names the algorithms that computed a result.
//!
//! What is found in a page depends on its bytes, the algorithms and the parameters. A content hash names the
//! bytes; a [`Generation`] names the algorithms and parameters. Results are stored under both names, so that
//! after an update of the algorithms an old result is never taken for a new one.

use serde::{Deserialize, Serialize};

/// The number of the algorithms, and the parameters as text. Equal generations give equal results.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Generation {
    /// Raised whenever the same parameters give another result for some page.
    pub number: u32,
    /// The parameters, as [`Params::digest`](crate::Params::digest) writes them.
    pub parameters: String,
}

impl Generation {
    /// 128 bits of BLAKE3 over number and parameters.
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
