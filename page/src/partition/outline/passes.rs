//! The two passes of the rules over a page: the first votes on styles, the second decides with these votes.

use super::compose::{Composition, compose};
use super::evidence::Evidence;
use super::rules::OutlineParams;
use super::votes::Votes;
use super::{decoration, panels};
use crate::Page;

/// Which label is under which by the rules, before data tables are placed.
pub(super) fn ruled(page: &Page, evidence: &Evidence, params: &OutlineParams) -> Composition {
    let mut made = compose(evidence, params, &Votes::default(), evidence.ranks.clone());
    if params.votes {
        let mut ranks = evidence.ranks.clone();
        let votes = made.ballot.count(evidence, &made.forest, &mut ranks);
        made = compose(evidence, params, &votes, ranks);
    }
    if params.tabs {
        panels::place_panels(page, evidence, &mut made.forest);
    }
    if params.decoration {
        decoration::place_decoration(evidence, &made.done, &mut made.forest);
    }
    made
}
