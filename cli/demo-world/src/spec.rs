//! What kind of world to make: the parameters from which everything in it follows.

use crate::language::Language;

/// What kind of world to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldSpec {
    /// Seed of all randomness.
    pub seed: u64,
    /// Number of sites.
    pub sites: usize,
    /// The sites' languages in turn. If empty, seven in ten sites are English; ten sites include German, Spanish and
    /// Russian ones.
    pub languages: Vec<Language>,
    /// Stories in each section of each site, at least 1.
    pub articles_per_section: usize,
    /// Whether some pages are slow, fail at first, break off or are not HTML.
    pub faults: bool,
    /// When the news ends, in minutes since 1970; by default at a time that the seed chooses. With a time, one subject has many stories on
    /// the last day.
    pub ends: Option<u64>,
}

impl Default for WorldSpec {
    fn default() -> Self {
        Self { seed: 1, sites: 10, languages: Vec::new(), articles_per_section: 4, faults: false, ends: None }
    }
}
