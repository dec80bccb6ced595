//! The parameters of the papers' methods.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Steps of the dynamic program for each millisecond of a page's time budget. A step takes about a nanosecond,
/// so partitioning stays under a tenth of the budget and the rest is left for parsing.
const STEPS_PER_MS: u64 = 100_000;

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

/// Parameters of the papers' methods; the default follows the print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PaperParams {
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
}

impl Default for PaperParams {
    /// As printed: δ = 0.34, groups below a sum of 0.33.
    fn default() -> PaperParams {
        PaperParams {
            scope: Scope::Segment,
            flat_delta: 34,
            sibling_runs: false,
            group_below: 33,
            group_cost: GroupCost::Sum,
            max_dp_leaves: 2_000,
            max_steps: 5_000 * STEPS_PER_MS,
        }
    }
}

impl PaperParams {
    /// These parameters with the steps for a time budget. No clock is read.
    #[must_use]
    pub fn within(&self, budget: Duration) -> PaperParams {
        let ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        PaperParams { max_steps: ms.saturating_mul(STEPS_PER_MS), ..*self }
    }

    /// All parameters as stable text.
    pub(crate) fn digest(&self) -> String {
        let PaperParams {
            scope,
            flat_delta,
            sibling_runs,
            group_below,
            group_cost,
            max_dp_leaves,
            max_steps,
        } = self;
        let scope = match scope {
            Scope::Segment => "segment",
            Scope::Page => "page",
        };
        let group_cost = match group_cost {
            GroupCost::Sum => "sum",
            GroupCost::Mean => "mean",
        };
        format!(
            "scope={scope} flat_delta={flat_delta} sibling_runs={sibling_runs} group_below={group_below} \
             group_cost={group_cost} max_dp_leaves={max_dp_leaves} max_steps={max_steps}"
        )
    }
}
