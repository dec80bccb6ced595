//! The parameters of the page algorithms: every number that changes what is found.
//!
//! `paper` follows the print; `default` is what users get and differs where measurements favour it. Shares are
//! whole per cents, so that parameters compare exactly and decisions involve no rounding.
//! [`Params::digest`] writes the parameters and algorithm version as text, which every hierarchy holds.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::outline::OutlineParams;
use super::papers::params::{GroupCost, PaperParams, Scope};
use crate::generation::Generation;
use crate::preset::Preset;

/// Raised whenever the same parameters give another hierarchy or contribution, or other slots.
const ALGORITHMS: u32 = 16;

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

/// Parameters of the hierarchy, and so of what is counted from it.
///
/// ```
/// use newslode_page::Params;
/// use newslode_page::preset::Preset;
///
/// let (default, paper) = (Params::default(), Params::paper());
/// assert_eq!("paper".parse().map(Preset::params), Ok(paper.clone()));
/// // The digest names all parameters; each hierarchy holds it, so that no two are confused.
/// assert!(paper.digest().contains("flat_delta=34"));
/// assert_ne!(default.digest(), paper.digest());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "ParamsFile", into = "ParamsFile")]
pub struct Params {
    /// Name of the parameters: that of the preset, or of the file that changes it.
    pub name: String,
    /// The preset that these parameters come from; other algorithms with presets use the same one.
    pub preset: Preset,
    /// The method that turns leaves into a tree.
    pub method: Method,
    /// Parameters of the papers' methods.
    pub papers: PaperParams,
    /// Parameters of the outline method.
    pub outline: OutlineParams,
}

/// [`Params`] as files write them: the parameters of the papers' methods are keys of the first level.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ParamsFile {
    name: String,
    preset: Preset,
    method: Method,
    scope: Scope,
    flat_delta: u32,
    sibling_runs: bool,
    group_below: u32,
    group_cost: GroupCost,
    max_dp_leaves: usize,
    max_steps: u64,
    outline: OutlineParams,
}

impl From<ParamsFile> for Params {
    fn from(file: ParamsFile) -> Params {
        let ParamsFile { name, preset, method, outline, .. } = file;
        let papers = PaperParams {
            scope: file.scope,
            flat_delta: file.flat_delta,
            sibling_runs: file.sibling_runs,
            group_below: file.group_below,
            group_cost: file.group_cost,
            max_dp_leaves: file.max_dp_leaves,
            max_steps: file.max_steps,
        };
        Params { name, preset, method, papers, outline }
    }
}

impl From<Params> for ParamsFile {
    fn from(params: Params) -> ParamsFile {
        let Params { name, preset, method, papers, outline } = params;
        let PaperParams {
            scope,
            flat_delta,
            sibling_runs,
            group_below,
            group_cost,
            max_dp_leaves,
            max_steps,
        } = papers;
        ParamsFile {
            name,
            preset,
            method,
            scope,
            flat_delta,
            sibling_runs,
            group_below,
            group_cost,
            max_dp_leaves,
            max_steps,
            outline,
        }
    }
}

impl Default for Params {
    fn default() -> Params {
        Params {
            name: "default".into(),
            preset: Preset::Default,
            method: Method::Outline,
            papers: PaperParams { group_cost: GroupCost::Mean, sibling_runs: true, ..PaperParams::default() },
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
            papers: PaperParams::default(),
            outline: OutlineParams::default(),
        }
    }

    /// These parameters with the steps for a time budget. No clock is read.
    #[must_use]
    pub fn within(&self, budget: Duration) -> Params {
        Params { papers: self.papers.within(budget), ..self.clone() }
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
            papers,
            outline,
        } = self;
        let method = match method {
            Method::Flat => "flat",
            Method::Entropy => "entropy",
            Method::Regex => "regex",
            Method::Dp => "dp",
            Method::Outline => return format!("{name} v{ALGORITHMS} method=outline {}", outline.digest()),
        };
        format!("{name} v{ALGORITHMS} method={method} {}", papers.digest())
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
        let with = |papers: PaperParams| Params { papers, ..paper.clone() };
        let others = [
            Params::default(),
            Params { method: Method::Flat, ..paper.clone() },
            Params { method: Method::Entropy, ..paper.clone() },
            Params { method: Method::Regex, ..paper.clone() },
            with(PaperParams { scope: Scope::Page, ..paper.papers }),
            with(PaperParams { flat_delta: 35, ..paper.papers }),
            with(PaperParams { sibling_runs: true, ..paper.papers }),
            with(PaperParams { group_below: 34, ..paper.papers }),
            with(PaperParams { max_dp_leaves: 2_001, ..paper.papers }),
            paper.within(Duration::from_millis(1)),
        ];
        for other in others {
            assert_ne!(other.digest(), paper.digest());
        }
    }

    #[test]
    fn files_write_all_parameters_at_the_first_level() {
        let written = serde_json::to_value(Params::paper()).unwrap();
        assert_eq!((&written["scope"], &written["max_dp_leaves"]), (&"segment".into(), &2_000.into()));
        assert_eq!(serde_json::from_value::<Params>(written.clone()).unwrap(), Params::paper());
        let mut unknown = written;
        unknown["papers"] = serde_json::json!({});
        assert!(serde_json::from_value::<Params>(unknown).is_err());
    }
}
