//! The labels that may be the head of another.

use super::super::skeleton::NONE;
use super::scene::Scene;

/// Labels on each side.
const BESIDE: u32 = 2;
/// Labels on each side in a small box, and the most items of such a box.
const NEAR: u32 = 4;
const SMALL: u32 = 12;
/// Boxes around a label whose first labels may be heads.
const BOXES: usize = 8;
/// Styles before a label of which the last label may be a head.
const STYLES: usize = 8;
/// Heads above the one that the rules give.
const ABOVE: usize = 4;

/// Finds the candidates of the items of a page, in order.
pub(super) struct CandidateFinder<'a> {
    scene: &'a Scene<'a>,
    /// By item: the last one for which it was a candidate.
    seen: Vec<u32>,
    /// The last item of each style before the current one, the latest last.
    recent: Vec<(u32, u32)>,
}

impl<'a> CandidateFinder<'a> {
    pub(super) fn new(scene: &'a Scene<'a>) -> CandidateFinder<'a> {
        CandidateFinder { scene, seen: vec![NONE; scene.boxes.items.len()], recent: Vec::new() }
    }

    /// The candidates of an item, each once; equals in one box never head one another. Asked for every item, in order.
    pub(super) fn next(&mut self, item: u32) -> Vec<u32> {
        let scene = self.scene;
        let (boxes, forest) = (&scene.boxes, scene.forest);
        let count = boxes.items.len() as u32;
        let mut found = Vec::with_capacity(32);
        let seen = &mut self.seen;
        seen[item as usize] = item;
        let mut add = |candidate: u32| {
            if candidate < count
                && std::mem::replace(&mut seen[candidate as usize], item) != item
                && !scene.are_twins(item, candidate)
            {
                found.push(candidate);
            }
        };
        let above = |label: u32| Some(forest.parent[label as usize]).filter(|&above| above != NONE);
        let heads = std::iter::successors(above(boxes.items[item as usize].label), |&label| above(label));
        heads.take(ABOVE).map(|label| boxes.of_label[label as usize]).for_each(&mut add);
        (item.saturating_sub(BESIDE)..=item + BESIDE).for_each(&mut add);
        for at in boxes.around(item).take(BOXES).map(|at| boxes.boxes[at as usize]) {
            [at.lo, at.lo + 1, at.best].into_iter().for_each(&mut add);
            if at.items() <= SMALL {
                (at.lo.max(item.saturating_sub(NEAR))..at.hi.min(item + NEAR + 1)).for_each(&mut add);
            }
        }
        self.recent.iter().rev().for_each(|&(_, last)| add(last));
        let style = self.scene.style(item);
        self.recent.retain(|&(known, _)| known != style);
        self.recent.push((style, item));
        if self.recent.len() > STYLES {
            self.recent.remove(0);
        }
        found
    }
}
