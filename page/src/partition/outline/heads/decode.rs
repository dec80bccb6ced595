//! From how likely each label heads each other one to one head a label, without circles.

use super::super::skeleton::NONE;

/// A head that a label may get.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) item: u32,
    /// `NONE`: no head, the label is at the top.
    pub(super) head: u32,
    pub(super) score: f32,
}

/// The heads of `items` labels: arcs by falling score, one for each label, none that closes a circle.
pub(super) fn decode(items: usize, mut arcs: Vec<Arc>) -> Vec<u32> {
    let order = |a: &Arc, b: &Arc| b.score.total_cmp(&a.score).then((a.item, a.head).cmp(&(b.item, b.head)));
    arcs.sort_unstable_by(order);
    let mut heads = vec![NONE; items];
    let mut done = vec![false; items];
    // By label: one nearer to the top of its tree, or itself.
    let mut nearer: Vec<u32> = (0..items as u32).collect();
    for Arc { item, head, .. } in arcs {
        // A label without a head is the top of its tree.
        if done[item as usize] || (head != NONE && top(&mut nearer, head) == item) {
            continue;
        }
        (heads[item as usize], done[item as usize]) = (head, true);
        if head != NONE {
            nearer[item as usize] = head;
        }
    }
    heads
}

/// The top of a label's tree. Shortens the way there.
fn top(nearer: &mut [u32], mut at: u32) -> u32 {
    while nearer[at as usize] != at {
        nearer[at as usize] = nearer[nearer[at as usize] as usize];
        at = nearer[at as usize];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likelier_of_two_that_head_each_other_wins() {
        let arc = |item, head, score| Arc { item, head, score };
        let arcs = vec![arc(0, 1, 2.0), arc(1, 0, 3.0), arc(0, NONE, -1.0), arc(1, NONE, -1.0)];
        assert_eq!(decode(2, arcs), [NONE, 0]);
    }
}
