//! Which labels are frequent: linked on enough sites, or named by the schemes of sites.
//!
//! As a page contributes to its site, a site contributes to the world: a label counts once for each site that links it. The
//! logs of the sums say when a site starts or stops linking a label, so the world is kept up to date by changes alone.

use newslode_page::contribution::names::name_from_bits;
use rustc_hash::{FxHashMap, FxHashSet};

/// Labels that enough sites link, by the bits of their names.
pub type Frequent = FxHashSet<u64>;

/// How many sites link each label.
#[derive(Clone, Debug, Default)]
pub struct World {
    sites: FxHashMap<u64, u32>,
    support: u32,
    frequent: Frequent,
    /// Labels that are frequent however few sites link them.
    wanted: Frequent,
    /// Labels whose number of sites changed since [`World::update`].
    touched: FxHashSet<u64>,
}

impl World {
    /// Sets the labels that are frequent until the next [`World::update`].
    pub fn restore(&mut self, frequent: Frequent) {
        // An impossible support, so that the next update decides on all labels.
        (self.frequent, self.support) = (frequent, u32::MAX);
    }

    /// Sets the labels that are frequent however few sites link them, from the next [`World::update`] on.
    pub fn want(&mut self, wanted: Frequent) {
        self.touched.extend(self.wanted.symmetric_difference(&wanted));
        self.wanted = wanted;
    }

    /// The labels that are frequent however few sites link them.
    #[must_use]
    pub fn wanted(&self) -> &Frequent {
        &self.wanted
    }

    /// Counts one more site that links a label.
    pub fn add(&mut self, label: u64) {
        *self.sites.entry(label).or_default() += 1;
        self.touched.insert(label);
    }

    /// Counts one site less that links a label.
    pub fn remove(&mut self, label: u64) {
        if let Some(sites) = self.sites.get_mut(&label) {
            *sites = sites.saturating_sub(1);
            if *sites == 0 {
                self.sites.remove(&label);
            }
            self.touched.insert(label);
        }
    }

    /// The labels that were frequent at the last [`World::update`].
    #[must_use]
    pub fn frequent(&self) -> &Frequent {
        &self.frequent
    }

    /// Decides which labels are frequent: those that `support` sites link, and the wanted ones. Returns the names of the labels that became
    /// frequent, and of those that no longer are, in order.
    pub fn update(&mut self, support: u32) -> (Vec<String>, Vec<String>) {
        if self.support != support {
            self.support = support;
            self.touched.extend(self.sites.keys().chain(&self.frequent).chain(&self.wanted));
        }
        let (mut joined, mut left) = (Vec::new(), Vec::new());
        for label in std::mem::take(&mut self.touched) {
            let is_linked = self.sites.get(&label).copied().unwrap_or(0) >= support.max(1);
            if is_linked || self.wanted.contains(&label) {
                joined.extend(self.frequent.insert(label).then(|| name_from_bits(label)));
            } else {
                left.extend(self.frequent.remove(&label).then(|| name_from_bits(label)));
            }
        }
        joined.sort_unstable();
        left.sort_unstable();
        (joined, left)
    }
}

#[cfg(test)]
mod tests {
    use newslode_page::contribution::names::{name_bits, short_name};

    use super::*;

    #[test]
    fn labels_are_frequent_while_enough_sites_link_them() {
        let (jazz, rock) = (short_name("en:jazz"), short_name("en:rock"));
        let mut world = World::default();
        world.add(name_bits(&jazz).unwrap());
        world.add(name_bits(&rock).unwrap());
        assert_eq!(world.update(2), (vec![], vec![]));
        world.add(name_bits(&jazz).unwrap());
        assert!(world.frequent().is_empty(), "nothing is decided between updates");
        assert_eq!(world.update(2), (vec![jazz.clone()], vec![]));
        world.remove(name_bits(&jazz).unwrap());
        world.add(name_bits(&jazz).unwrap());
        assert_eq!(world.update(2), (vec![], vec![]), "it came back");
        world.remove(name_bits(&jazz).unwrap());
        assert_eq!(world.update(2), (vec![], vec![jazz.clone()]));
        let mut both = [jazz.clone(), rock.clone()];
        both.sort_unstable();
        assert_eq!(world.update(1), (both.to_vec(), vec![]));
        world.remove(name_bits(&rock).unwrap());
        world.remove(name_bits(&rock).unwrap());
        assert_eq!(world.update(1), (vec![], vec![rock.clone()]));
        assert_eq!(world.frequent().len(), 1);
        world.want(Frequent::from_iter(name_bits(&rock)));
        assert_eq!(world.update(1), (vec![rock.clone()], vec![]), "a scheme names it");
        world.want(Frequent::default());
        assert_eq!(world.update(1), (vec![], vec![rock]));
    }
}
