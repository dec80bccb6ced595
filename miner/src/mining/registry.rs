//! Identifiers of concepts that last, and the changes of the taxonomy.
//!
//! A concept is named by the label key that most sites show, so another key, a merge or a split gives it another name. The
//! registry has an [`Entry`] for each concept that ever was. [`Registry::follow`] compares a new taxonomy with the entries: a
//! concept continues the entry with which it shares most label keys. All others get new identifiers. An entry is never deleted,
//! so a concept that comes back gets its identifier back, and no identifier is given twice.
//!
//! Invariants: equal taxonomies in equal order give equal registries. Identifiers are hashes of the first key, so two
//! installations that find the same concepts usually agree. Each concept of the taxonomy that was followed last has exactly one
//! living entry. `replaced_by` always leads from a dead entry to one that was alive at that time, so it forms no cycle.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::mining::taxonomy::{Concept, Taxonomy};

/// Announced changes that are kept; older ones are dropped.
pub const MOST_CHANGES: usize = 1_000;
/// Former label keys of an entry that are kept; older ones are dropped.
const MOST_FORMER: usize = 100;
/// Letters of an identifier after its first one: 50 bits of a hash.
const LETTERS: usize = 10;

/// A concept over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its identifier.
    pub id: String,
    /// The concept's key; of a dead entry, the last one.
    pub key: String,
    /// The concept's label; of a dead entry, the last one.
    pub label: String,
    /// The concept's label keys; of a dead entry, the last ones.
    pub keys: BTreeSet<String>,
    /// Label keys that it had before, those that it lost last at the end.
    #[serde(default)]
    pub former: Vec<String>,
    /// Identifiers of all broader concepts.
    #[serde(default)]
    pub parents: BTreeSet<String>,
    /// When the concept was first followed.
    pub born: Timestamp,
    /// When the concept was first missed; nothing while the taxonomy has it.
    #[serde(default)]
    pub gone: Option<Timestamp>,
    /// The identifier of the concept that took its label keys.
    #[serde(default)]
    pub replaced_by: Option<String>,
}

impl Entry {
    /// Whether the taxonomy that was followed last has the concept.
    #[must_use]
    pub fn is_living(&self) -> bool {
        self.gone.is_none()
    }
}

/// What happened to a concept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ChangeKind {
    /// The first time that it is in the taxonomy.
    New,
    /// It is in the taxonomy again.
    Returned,
    /// The taxonomy lacks it, and no other concept has its label keys.
    Gone,
    /// Another concept has its label keys.
    Merged {
        /// Identifier of that concept.
        into: String,
    },
    /// It has label keys that another concept had; that concept goes on.
    Split {
        /// Identifier of that concept.
        from: String,
    },
    /// It has another label or key.
    Renamed {
        /// The label before.
        from: String,
        /// The key before.
        from_key: String,
    },
    /// It has other broader concepts.
    Moved {
        /// Identifiers of the broader concepts before.
        from: Vec<String>,
        /// Identifiers of the broader concepts now.
        to: Vec<String>,
    },
}

/// A change of the taxonomy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxonomyChange {
    /// Counts all changes from 1. Changes that were noticed before changes were counted have 0.
    #[serde(default)]
    pub number: u64,
    /// When it was noticed.
    pub at: Timestamp,
    /// Identifier of the concept.
    pub id: String,
    /// Its key after the change; of a concept that left, the last one.
    pub key: String,
    /// Its label after the change; of a concept that left, the last one.
    pub label: String,
    /// What happened.
    #[serde(flatten)]
    pub kind: ChangeKind,
}

/// All concepts that ever were, and the latest changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    /// Names the bytes of the taxonomy that was followed last; 0: none. Whoever stores the registry sets it.
    pub followed: u64,
    /// By birth; those of one time by key.
    pub entries: Vec<Entry>,
    /// The last [`MOST_CHANGES`] and all that were not announced yet, oldest first.
    pub changes: Vec<TaxonomyChange>,
    /// The number of the last change that readers were told. Whoever tells them sets it.
    #[serde(default)]
    pub announced: u64,
}

/// How well a concept continues an entry; the smallest is the best.
type Likeness = (Shared, Reverse<usize>, Reverse<u8>);

/// Which label keys an entry and a concept share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    /// Keys of the concept that a living entry has.
    Living,
    /// The last keys of a dead entry.
    Last,
    /// Keys that an entry had before.
    Former,
}

impl Registry {
    /// Follows a taxonomy, and returns what changed since the one before.
    ///
    /// Pairs of entries and concepts are taken from the most alike to the least, each entry and concept once. Living entries
    /// come first, then dead ones by their last keys, then all by keys that they had before. Within these, the pair with most
    /// keys in common comes first, then one whose own keys agree, then the smaller identifier.
    pub fn follow(&mut self, taxonomy: &Taxonomy, now: Timestamp) -> Vec<TaxonomyChange> {
        let concepts = &taxonomy.concepts;
        let before = self.living_keys();
        // 1. The entry of each concept: one that it continues, or a new one.
        let known = self.entries.len();
        let mut taken: BTreeSet<String> = self.entries.iter().map(|entry| entry.id.clone()).collect();
        let continued = self.matched(concepts);
        let places: Vec<usize> = continued
            .iter()
            .zip(concepts)
            .map(|(place, concept)| place.unwrap_or_else(|| self.mint(concept, &mut taken, now)))
            .collect();
        let ids: BTreeMap<&str, String> = concepts
            .iter()
            .zip(&places)
            .map(|(c, at)| (c.key.as_str(), self.entries[*at].id.clone()))
            .collect();
        let living: BTreeSet<String> = ids.values().cloned().collect();
        // 2. Entries that no concept continues are dead, and those whose keys other concepts have are replaced.
        let mut changes = self.bury(concepts, &places, now);
        // 3. The entries of concepts become what the taxonomy says.
        for (at, concept) in places.into_iter().zip(concepts) {
            let entry = &self.entries[at];
            let split = concept
                .keys
                .iter()
                .filter_map(|key| before.get(key))
                .find(|id| **id != entry.id && self.entry(id).is_some_and(Entry::is_living));
            let mut kinds = Vec::new();
            if at >= known || !entry.is_living() {
                let otherwise = if at >= known { ChangeKind::New } else { ChangeKind::Returned };
                kinds.push(split.map_or(otherwise, |from| ChangeKind::Split { from: from.clone() }));
            } else if entry.label != concept.label || entry.key != concept.key {
                let (from, from_key) = (entry.label.clone(), entry.key.clone());
                kinds.push(ChangeKind::Renamed { from, from_key });
            }
            let parents: BTreeSet<String> =
                concept.parents.iter().filter_map(|key| ids.get(key.as_str()).cloned()).collect();
            let today = |id: &String| {
                let replaced = if living.contains(id) { None } else { self.last_of(id) };
                replaced.map_or(id, |entry| &entry.id).clone()
            };
            let was: BTreeSet<String> = entry.parents.iter().map(today).collect();
            if at < known && entry.is_living() && was != parents {
                let (from, to) = (was.into_iter().collect(), parents.iter().cloned().collect());
                kinds.push(ChangeKind::Moved { from, to });
            }
            let entry = &mut self.entries[at];
            entry.continue_with(concept, parents);
            changes.extend(kinds.into_iter().map(|kind| entry.change(kind, now)));
        }
        for (change, number) in changes.iter_mut().zip(self.last_number() + 1..) {
            change.number = number;
        }
        self.changes.extend(changes.iter().cloned());
        let announced = self.changes.partition_point(|change| change.number <= self.announced);
        self.changes.drain(..announced.min(self.changes.len().saturating_sub(MOST_CHANGES)));
        changes
    }

    /// The number of the last change; 0 if there was none.
    #[must_use]
    pub fn last_number(&self) -> u64 {
        self.changes.last().map_or(0, |change| change.number)
    }

    /// The changes that come after the one of this number.
    #[must_use]
    pub fn changes_since(&self, number: u64) -> &[TaxonomyChange] {
        let before = self.changes.partition_point(|change| change.number <= number);
        self.changes.get(before..).unwrap_or_default()
    }

    /// The identifiers of the living entries, by label key.
    fn living_keys(&self) -> BTreeMap<String, String> {
        let living = self.entries.iter().filter(|entry| entry.is_living());
        living.flat_map(|entry| entry.keys.iter().map(|key| (key.clone(), entry.id.clone()))).collect()
    }

    /// For each concept, the position of the entry that it continues.
    fn matched(&self, concepts: &[Concept]) -> Vec<Option<usize>> {
        // 1. The entries that have or had a key.
        let mut holders: BTreeMap<&str, Vec<(usize, Shared)>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let shared = if entry.is_living() { Shared::Living } else { Shared::Last };
            for key in &entry.keys {
                holders.entry(key).or_default().push((at, shared));
            }
            for key in entry.former.iter().filter(|key| !entry.keys.contains(*key)) {
                holders.entry(key).or_default().push((at, Shared::Former));
            }
        }
        // 2. How many keys each concept shares with each entry. What they share as a living one hides what they shared before.
        let mut pairs: Vec<(Likeness, &str, usize, usize)> = Vec::new();
        for (number, concept) in concepts.iter().enumerate() {
            let mut shares: BTreeMap<usize, (Shared, usize)> = BTreeMap::new();
            let keys: BTreeSet<&str> = concept.keys.iter().map(String::as_str).collect();
            for (at, shared) in keys.iter().flat_map(|key| holders.get(key).into_iter().flatten()) {
                let best = shares.entry(*at).or_insert((*shared, 0));
                match shared.cmp(&best.0) {
                    std::cmp::Ordering::Less => *best = (*shared, 1),
                    std::cmp::Ordering::Equal => best.1 += 1,
                    std::cmp::Ordering::Greater => {}
                }
            }
            for (at, (shared, count)) in shares {
                let entry = &self.entries[at];
                let likeness = (shared, Reverse(count), Reverse(own_keys(entry, concept)));
                pairs.push((likeness, &entry.id, number, at));
            }
        }
        // 3. The most alike first.
        pairs.sort_unstable();
        let mut continued = vec![None; concepts.len()];
        let mut taken = BTreeSet::new();
        for (_, _, number, at) in pairs {
            if continued[number].is_none() && taken.insert(at) {
                continued[number] = Some(at);
            }
        }
        continued
    }

    /// Adds the entry of a new concept, and returns its position.
    fn mint(&mut self, concept: &Concept, taken: &mut BTreeSet<String>, now: Timestamp) -> usize {
        let mut tried = (0..).map(|birth| identifier(&concept.language, &concept.key, birth));
        let id = tried.find(|id| taken.insert(id.clone()));
        self.entries.push(Entry {
            id: id.unwrap_or_default(),
            key: concept.key.clone(),
            label: concept.label.clone(),
            keys: concept.keys.iter().cloned().collect(),
            former: Vec::new(),
            parents: BTreeSet::new(),
            born: now,
            gone: None,
            replaced_by: None,
        });
        self.entries.len() - 1
    }

    /// Marks the entries that no concept continues. `places` are the positions of the concepts' entries.
    fn bury(&mut self, concepts: &[Concept], places: &[usize], now: Timestamp) -> Vec<TaxonomyChange> {
        let continued: BTreeSet<usize> = places.iter().copied().collect();
        let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
        for (concept, at) in concepts.iter().zip(places) {
            owners.extend(concept.keys.iter().map(|key| (key.as_str(), *at)));
        }
        // Concepts are alive from now on, also those that were not.
        for at in &continued {
            self.entries[*at].replaced_by = None;
        }
        let mut changes = Vec::new();
        for at in (0..self.entries.len()).filter(|at| !continued.contains(at)) {
            let target = self.heir(&self.entries[at], &owners);
            let entry = &mut self.entries[at];
            let was_living = entry.is_living();
            entry.gone = entry.gone.or(Some(now));
            match target {
                // One that was replaced before leads to the concept that has its keys today, which is no change of its own.
                Some(into) => {
                    let is_new = entry.replaced_by.replace(into.clone()).is_none();
                    changes.extend(is_new.then(|| entry.change(ChangeKind::Merged { into }, now)));
                }
                None if was_living => changes.push(entry.change(ChangeKind::Gone, now)),
                None => {}
            }
        }
        changes
    }

    /// The identifier of the concept that has most of a dead entry's last keys, then its own key, then the smaller one.
    fn heir(&self, entry: &Entry, owners: &BTreeMap<&str, usize>) -> Option<String> {
        let mut shares: BTreeMap<usize, usize> = BTreeMap::new();
        for at in entry.keys.iter().filter_map(|key| owners.get(key.as_str())) {
            *shares.entry(*at).or_default() += 1;
        }
        let own = owners.get(entry.key.as_str());
        let best = shares.into_iter().min_by_key(|(at, count)| {
            (Reverse(*count), Reverse(own == Some(at)), self.entries[*at].id.as_str())
        });
        best.map(|(at, _)| self.entries[at].id.clone())
    }

    /// An entry by its identifier.
    #[must_use]
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The entry at the end of the replacements of this one; nothing for an unknown identifier or a cycle.
    fn last_of(&self, id: &str) -> Option<&Entry> {
        let mut entry = self.entry(id)?;
        for _ in 0..self.entries.len() {
            match &entry.replaced_by {
                None => return Some(entry),
                Some(next) => entry = self.entry(next)?,
            }
        }
        None
    }

    /// The entry that an identifier or a label key leads to today: by identifier, by key of a living concept, or by key of a
    /// concept that was. A concept that was merged leads to the one that it was merged into. The entry may be dead.
    #[must_use]
    pub fn resolve(&self, named: &str) -> Option<&Entry> {
        let rank = |entry: &Entry| {
            let has = entry.keys.contains(named);
            let had = || entry.former.iter().any(|key| key == named);
            match (entry.is_living(), entry.key == named) {
                _ if entry.id == named => Some(0),
                (true, _) if has => Some(1),
                (false, true) => Some(2),
                (false, false) if has => Some(3),
                _ if had() => Some(4),
                _ => None,
            }
        };
        let ranked = self.entries.iter().filter_map(|entry| Some((rank(entry)?, Reverse(entry.gone), entry)));
        let (_, _, entry) = ranked.min_by_key(|(rank, gone, _)| (*rank, *gone))?;
        self.last_of(&entry.id)
    }

    /// The identifiers of the living concepts, by key.
    #[must_use]
    pub fn identifiers(&self) -> BTreeMap<&str, &str> {
        let living = self.entries.iter().filter(|entry| entry.is_living());
        living.map(|entry| (entry.key.as_str(), entry.id.as_str())).collect()
    }

    /// The entries that were replaced, each with the living entry at the end of its replacements.
    #[must_use]
    pub fn replaced(&self) -> Vec<(&Entry, &Entry)> {
        let replaced = self.entries.iter().filter(|entry| entry.replaced_by.is_some());
        let pairs = replaced.filter_map(|entry| Some((entry, self.last_of(&entry.id)?)));
        pairs.filter(|(_, heir)| heir.is_living()).collect()
    }

    /// What is wrong with the registry, in words. `taxonomy` is the one that was followed last; nothing if that is not known.
    #[must_use]
    pub fn faults(&self, taxonomy: Option<&Taxonomy>) -> Vec<String> {
        let mut faults = Vec::new();
        let mut entries: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in &self.entries {
            if entries.insert(&entry.id, entry).is_some() {
                faults.push(format!("the identifier `{}` is given twice", entry.id));
            }
        }
        for entry in &self.entries {
            let Some(next) = &entry.replaced_by else { continue };
            if entry.is_living() {
                faults.push(format!("`{}` is a concept, and replaced by `{next}`", entry.id));
            }
            let mut seen = BTreeSet::from([entry.id.as_str()]);
            let mut next = Some(next.as_str());
            while let Some(id) = next {
                let Some(heir) = entries.get(id) else {
                    faults.push(format!("`{}` is replaced by `{id}`, which does not exist", entry.id));
                    break;
                };
                if !seen.insert(id) {
                    faults.push(format!("the replacements of `{}` form a cycle", entry.id));
                    break;
                }
                next = heir.replaced_by.as_deref();
            }
        }
        let Some(taxonomy) = taxonomy else { return faults };
        let mut living: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry.is_living()) {
            *living.entry(&entry.key).or_default() += 1;
        }
        for concept in &taxonomy.concepts {
            match living.remove(concept.key.as_str()).unwrap_or_default() {
                1 => {}
                number => faults.push(format!("the concept `{}` has {number} identifiers", concept.key)),
            }
        }
        faults.extend(living.into_keys().map(|key| format!("the taxonomy lacks the concept `{key}`")));
        faults
    }
}

impl Entry {
    /// Becomes what the taxonomy says of its concept.
    fn continue_with(&mut self, concept: &Concept, parents: BTreeSet<String>) {
        let keys: BTreeSet<String> = concept.keys.iter().cloned().collect();
        self.former.retain(|key| !keys.contains(key));
        self.former.extend(self.keys.difference(&keys).cloned());
        self.former.drain(..self.former.len().saturating_sub(MOST_FORMER));
        self.keys = keys;
        self.key.clone_from(&concept.key);
        self.label.clone_from(&concept.label);
        self.parents = parents;
        self.gone = None;
        self.replaced_by = None;
    }

    fn change(&self, kind: ChangeKind, at: Timestamp) -> TaxonomyChange {
        let (id, key, label) = (self.id.clone(), self.key.clone(), self.label.clone());
        TaxonomyChange { number: 0, at, id, key, label, kind }
    }
}

/// How far the own keys of an entry and a concept agree: 2 if they are equal, 1 if the concept has the entry's.
fn own_keys(entry: &Entry, concept: &Concept) -> u8 {
    match () {
        () if entry.key == concept.key => 2,
        () if concept.keys.contains(&entry.key) => 1,
        () => 0,
    }
}

/// The identifier of a concept that was born with this key, after that many others.
fn identifier(language: &str, key: &str, birth: u64) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let hash = blake3::hash(format!("{language}\0{key}\0{birth}").as_bytes());
    let bits = hash.as_bytes().iter().take(8).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let letter = |at: usize| char::from(ALPHABET[(bits >> (5 * at) & 31) as usize]);
    std::iter::once('c').chain((0..LETTERS).map(letter)).collect()
}

#[cfg(test)]
mod tests;
