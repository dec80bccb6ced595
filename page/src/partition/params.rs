//! The parameters of the page algorithms: every number that changes what is found.
//!
//! `paper` follows the print; `default` is what users get and differs where measurements favour it. Shares are
//! whole per cents, so that parameters compare exactly and decisions involve no rounding.
//! [`Params::digest`] writes the parameters and algorithm version as text, which every hierarchy holds.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::outline::OutlineParams;
use crate::generation::Generation;
use crate::preset::Preset;

/// Raised whenever the same parameters give another hierarchy or contribution.
const ALGORITHMS: u32 = 9;
/// Steps of the dynamic program for each millisecond of a page's time budget. A step takes about a nanosecond,
/// so partitioning stays under a tenth of the budget and the rest is left for parsing.
const STEPS_PER_MS: u64 = 100_000;

/// The method that turns the leaves of a page into a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Segments alone (`[OM05 §4.1]`).
    Flat,
    /// Segments by the entropy of paths alone (`[SP §3]`).
    Entropy,
    /// Entropy segments, groups by inferred regular expressions, promoted headers (`[SP §3-5]`).
    Regex,
    /// Binary partition by dynamic programming, then grouping and promotion (`[OM05 §4.3]`).
    Dp,
    /// Headers by evidence of presentation, from the leaves up.
    Outline,
}

/// The input of one run of the dynamic program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Each flat segment on its own; the segments are joined under the page.
    Segment,
    /// All leaves of the page.
    Page,
}

/// Which cost grouping compares with its threshold (`[OM05 §4.3.2]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupCost {
    /// The sum of the factors, as printed.
    Sum,
    /// The mean of the factors that apply. The threshold suits this one.
    Mean,
}

/// Parameters of the hierarchy, and so of what is counted from it.
///
/// ```
/// use newslode_page::Params;
/// use newslode_page::preset::Preset;
///
/// let (default, paper) = (Params::default(), Params::paper());
/// assert_eq!("paper".parse().map(Preset::params), Ok(paper.clone()));
/// // The digest names all parameters; it stands in each hierarchy, so that no two are confused.
/// assert!(paper.digest().contains("flat_delta=34"));
/// assert_ne!(default.digest(), paper.digest());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Name of the parameters: that of the preset, or of the file that changes it.
    pub name: String,
    /// The preset that these parameters come from; other algorithms with presets use the same one.
    pub preset: Preset,
    /// The method that turns leaves into a tree.
    pub method: Method,
    /// The input of one run of the dynamic program.
    pub scope: Scope,
    /// δ of the flat partition, in per cent: a segment ends where a smaller share of its links goes on.
    pub flat_delta: u32,
    /// Whether entropy segments may be runs of neighbouring siblings with a low average, or only single nodes.
    pub sibling_runs: bool,
    /// Cost in per cent below which siblings are instances of one group.
    pub group_below: u32,
    /// The cost that is compared with `group_below`.
    pub group_cost: GroupCost,
    /// Most leaves in one run of the dynamic program; larger scopes are cut along the page's elements.
    pub max_dp_leaves: usize,
    /// Most steps of the dynamic program on one page; what comes after is left flat.
    pub max_steps: u64,
    /// Parameters of the outline method.
    pub outline: OutlineParams,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            name: "default".into(),
            preset: Preset::Default,
            method: Method::Outline,
            group_cost: GroupCost::Mean,
            sibling_runs: true,
            ..Params::paper()
        }
    }
}

impl Preset {
    /// The parameters of the page algorithms.
    #[must_use]
    pub fn params(self) -> Params {
        match self {
            Preset::Default => Params::default(),
            Preset::Paper => Params::paper(),
        }
    }
}

impl Params {
    /// As printed: δ = 0.34, groups below a sum of 0.33.
    #[must_use]
    pub fn paper() -> Params {
        Params {
            name: "paper".into(),
            preset: Preset::Paper,
            method: Method::Dp,
            scope: Scope::Segment,
            flat_delta: 34,
            sibling_runs: false,
            group_below: 33,
            group_cost: GroupCost::Sum,
            max_dp_leaves: 2_000,
            max_steps: 5_000 * STEPS_PER_MS,
            outline: OutlineParams::default(),
        }
    }

    /// These parameters with the steps for a time budget. No clock is read.
    #[must_use]
    pub fn within(&self, budget: Duration) -> Params {
        let ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        Params { max_steps: ms.saturating_mul(STEPS_PER_MS), ..self.clone() }
    }

    /// These parameters with the current algorithms.
    #[must_use]
    pub fn generation(&self) -> Generation {
        Generation { number: ALGORITHMS, parameters: self.digest() }
    }

    /// All parameters and the version of the algorithms as stable text.
    #[must_use]
    pub fn digest(&self) -> String {
        let Params {
            name,
            // The preset's effect outside these parameters does not count.
            preset: _,
            method,
            scope,
            flat_delta,
            sibling_runs,
            group_below,
            group_cost,
            max_dp_leaves,
            max_steps,
            outline,
        } = self;
        let method = match method {
            Method::Flat => "flat",
            Method::Entropy => "entropy",
            Method::Regex => "regex",
            Method::Dp => "dp",
            Method::Outline => return format!("{name} v{ALGORITHMS} method=outline {}", outline.digest()),
        };
        let scope = match scope {
            Scope::Segment => "segment",
            Scope::Page => "page",
        };
        let group_cost = match group_cost {
            GroupCost::Sum => "sum",
            GroupCost::Mean => "mean",
        };
        format!(
            "{name} v{ALGORITHMS} method={method} scope={scope} flat_delta={flat_delta} \
             sibling_runs={sibling_runs} group_below={group_below} group_cost={group_cost} max_dp_leaves={max_dp_leaves} \
             max_steps={max_steps}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_know_their_preset() {
        for preset in Preset::ALL {
            let params = preset.params();
            assert_eq!((params.name.as_str(), params.preset), (preset.name(), preset));
        }
    }

    #[test]
    fn a_digest_tells_parameters_apart() {
        let paper = Params::paper();
        let others = [
            Params::default(),
            Params { method: Method::Flat, ..paper.clone() },
            Params { scope: Scope::Page, ..paper.clone() },
            Params { flat_delta: 35, ..paper.clone() },
            Params { method: Method::Entropy, ..paper.clone() },
            Params { method: Method::Regex, ..paper.clone() },
            Params { sibling_runs: true, ..paper.clone() },
            Params { group_below: 34, ..paper.clone() },
            Params { max_dp_leaves: 2_001, ..paper.clone() },
            paper.within(Duration::from_millis(1)),
        ];
        for other in others {
            assert_ne!(other.digest(), paper.digest());
        }
    }
}
