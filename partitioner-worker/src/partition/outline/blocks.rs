//! The blocks of a page: where a reader sees something new begin.
//!
//! From the root down: an element is a block if it is small, or one thing (a closed box or a list) that is
//! not too large; else its parts are looked at. Short runs join what follows, and the limits are raised until
//! there are few enough.

use super::OutlineParams;
use super::forest::Part;
use super::labels::Label;
use super::skeleton::Skeleton;

/// Leaves of an element that is always one block, and of a closed box or list that is.
const SMALL: u32 = 8;
const LARGE: u32 = 80;
/// A run shorter than this joins what follows.
const SHORT: u32 = 4;
/// A page has about so many blocks at most.
const MOST: usize = 28;

/// The first leaves of the blocks after the first, ascending.
pub(super) fn boundaries(
    skeleton: &Skeleton,
    labels: &[Label],
    spans: &[(u32, u32)],
    done: &[Option<Part>],
    _params: &OutlineParams,
) -> Vec<u32> {
    let mut found = Vec::new();
    let _ = (labels, spans);
    for scale in 0..6 {
        found = cut(skeleton, done, SMALL << scale, LARGE << scale, SHORT << scale.min(2));
        if found.len() <= MOST {
            break;
        }
    }
    found
}

fn cut(skeleton: &Skeleton, done: &[Option<Part>], small: u32, large: u32, short: u32) -> Vec<u32> {
    let mut starts: Vec<u32> = Vec::new();
    let mut element = 0;
    // Leaves before the element that no block holds yet.
    let mut open: Option<u32> = None;
    while element < skeleton.elements.len() as u32 {
        let this = skeleton.get(element);
        let is_block = this.leaves() <= small
            || done[element as usize].is_none_or(|part| {
                part.labels == part.tops || ((part.is_closed() || part.is_list) && this.leaves() <= large)
            });
        if !is_block {
            element += 1;
            continue;
        }
        let start = open.take().unwrap_or(this.lo);
        if this.hi - start < short {
            open = Some(start);
        } else {
            starts.push(start);
        }
        element = this.end;
    }
    starts.extend(open);
    starts.retain(|&start| start > 0);
    starts
}
