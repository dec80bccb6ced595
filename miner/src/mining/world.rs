//! Which labels enough sites link.
//!
//! A page contributes to its site; a site contributes to the world: a label counts once for each site that links it. Stores
//! tell when a site begins to link a label and when it ceases to, so the world is kept right by what changes.

use newslode_page::contribution::names::of_bits;
use rustc_hash::{FxHashMap, FxHashSet};

/// Labels that enough sites link, by the bits of their names.
pub type Frequent = FxHashSet<u64>;

/// How many sites link each label.
#[derive(Clone, Debug, Default)]
pub struct World {
    sites: FxHashMap<u64, u32>,
    support: u32,
    frequent: Frequent,
    /// Labels that came or went since [`World::turn`].
    touched: FxHashSet<u64>,
}

impl World {
    /// Says which labels are frequent until the next turn.
    pub fn begin(&mut self, frequent: Frequent) {
        // No support: the next turn decides on all labels.
        (self.frequent, self.support) = (frequent, u32::MAX);
    }

    /// One more site links a label.
    pub fn come(&mut self, label: u64) {
        *self.sites.entry(label).or_default() += 1;
        self.touched.insert(label);
    }

    /// One site less links a label.
    pub fn go(&mut self, label: u64) {
        if let Some(sites) = self.sites.get_mut(&label) {
            *sites = sites.saturating_sub(1);
            if *sites == 0 {
                self.sites.remove(&label);
            }
            self.touched.insert(label);
        }
    }

    /// The labels that enough sites linked at the last [`World::turn`].
    #[must_use]
    pub fn frequent(&self) -> &Frequent {
        &self.frequent
    }

    /// Decides anew which labels are frequent: those that `support` sites link. Returns the names of those that were not
    /// before, and of those that are no longer, in order.
    pub fn turn(&mut self, support: u32) -> (Vec<String>, Vec<String>) {
        if self.support != support {
            self.support = support;
            self.touched.extend(self.sites.keys().chain(&self.frequent));
        }
        let (mut joined, mut left) = (Vec::new(), Vec::new());
        for label in std::mem::take(&mut self.touched) {
            if self.sites.get(&label).copied().unwrap_or(0) >= support.max(1) {
                joined.extend(self.frequent.insert(label).then(|| of_bits(label)));
            } else {
                left.extend(self.frequent.remove(&label).then(|| of_bits(label)));
            }
        }
        joined.sort_unstable();
        left.sort_unstable();
        (joined, left)
    }
}

#[cfg(test)]
mod tests {
    use newslode_page::contribution::names::{bits, name};

    use super::*;

    #[test]
    fn labels_join_and_leave_as_sites_link_them() {
        let (jazz, rock) = (name("en:jazz"), name("en:rock"));
        let mut world = World::default();
        world.come(bits(&jazz).unwrap());
        world.come(bits(&rock).unwrap());
        assert_eq!(world.turn(2), (vec![], vec![]));
        world.come(bits(&jazz).unwrap());
        assert!(world.frequent().is_empty(), "nothing is decided between turns");
        assert_eq!(world.turn(2), (vec![jazz.clone()], vec![]));
        world.go(bits(&jazz).unwrap());
        world.come(bits(&jazz).unwrap());
        assert_eq!(world.turn(2), (vec![], vec![]), "it came back");
        world.go(bits(&jazz).unwrap());
        assert_eq!(world.turn(2), (vec![], vec![jazz.clone()]));
        let mut both = [jazz.clone(), rock.clone()];
        both.sort_unstable();
        assert_eq!(world.turn(1), (both.to_vec(), vec![]));
        world.go(bits(&rock).unwrap());
        world.go(bits(&rock).unwrap());
        assert_eq!(world.turn(1), (vec![], vec![rock]));
        assert_eq!(world.frequent().len(), 1);
    }
}
