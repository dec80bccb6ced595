//! A taxonomy under correction: one step for each kind of correction, in a fixed order.
//!
//! Concepts are found by any of their label keys. After the splits each label key belongs to one concept; merges then lead
//! from the concept that goes to the one that stays. Relations that corrections add are marked, and those that an editor set
//! stay even if they follow from others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use newslode_page::contribution::labels::LabelKeys;
use newslode_page::reading::Site;

use super::{Cause, Corrected, Correction, Entry, Unmatched, folded};
use crate::mining::taxminer::{Related, acyclic, reduced};
use crate::mining::taxonomy::{Concept, Edit, Form, Relation, Taxonomy};

/// Broader and narrower, by concept key.
type Pair = (String, String);

/// What a relation is proved by.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Proof {
    level: u8,
    sites: BTreeSet<Site>,
    is_listed: bool,
    edited: bool,
}

impl Proof {
    /// Both together prove one pair.
    fn join(&mut self, other: Proof) {
        self.level = self.level.min(other.level);
        self.sites.extend(other.sites);
        self.is_listed |= other.is_listed;
        self.edited |= other.edited;
    }

    /// What follows from a pair and one below it.
    fn through(&self, below: &Proof) -> Proof {
        Proof {
            level: self.level.saturating_add(below.level),
            sites: self.sites.intersection(&below.sites).cloned().collect(),
            is_listed: self.is_listed && below.is_listed,
            edited: true,
        }
    }
}

type Relations = BTreeMap<Pair, Proof>;

fn add(relations: &mut Relations, pair: Pair, proof: Proof) {
    match relations.entry(pair) {
        std::collections::btree_map::Entry::Vacant(free) => {
            free.insert(proof);
        }
        std::collections::btree_map::Entry::Occupied(mut held) => held.get_mut().join(proof),
    }
}

/// A taxonomy under correction.
pub(super) struct Draft<'a> {
    mined: &'a Taxonomy,
    entries: &'a [Entry],
    /// By key.
    concepts: BTreeMap<String, Concept>,
    relations: Relations,
    /// Label key → key of its concept after the splits.
    concept_of: BTreeMap<String, String>,
    /// Concept key → key of the concept that it is merged into.
    merged: BTreeMap<String, String>,
    hidden: BTreeSet<String>,
    /// Pairs that an editor set → place of the correction.
    set: BTreeMap<Pair, usize>,
    /// Pairs that an editor forbade.
    forbidden: BTreeSet<Pair>,
    unmatched: BTreeMap<u64, Cause>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(mined: &'a Taxonomy, entries: &'a [Entry]) -> Draft<'a> {
        let concepts = mined.concepts.iter().map(|concept| (concept.key.clone(), concept.clone())).collect();
        let relations = mined.relations.iter().map(|relation| {
            let Relation { broader, narrower, level, sites, is_listed, edited } = relation;
            let (is_listed, edited) = (*is_listed, *edited);
            let proof = Proof { level: *level, sites: sites.iter().cloned().collect(), is_listed, edited };
            ((broader.clone(), narrower.clone()), proof)
        });
        let mut draft = Draft {
            mined,
            entries,
            concepts,
            relations: relations.collect(),
            concept_of: BTreeMap::new(),
            merged: BTreeMap::new(),
            hidden: BTreeSet::new(),
            set: BTreeMap::new(),
            forbidden: BTreeSet::new(),
            unmatched: BTreeMap::new(),
        };
        draft.name_concepts();
        draft
    }

    pub(super) fn correct(mut self) -> Corrected {
        self.split();
        self.merge();
        self.rename();
        let wanted = self.forbid_parents();
        self.hide();
        self.set_parents(wanted);
        self.check_maps();
        self.finish()
    }

    /// Notes which concept each label key belongs to. A key that is some concept's own belongs to that one.
    fn name_concepts(&mut self) {
        let mut concept_of = BTreeMap::new();
        for (key, concept) in &self.concepts {
            concept_of.extend(concept.keys.iter().map(|own| (own.clone(), key.clone())));
        }
        concept_of.extend(self.concepts.keys().map(|key| (key.clone(), key.clone())));
        self.concept_of = concept_of;
    }

    fn refuse(&mut self, number: u64, cause: Cause) {
        self.unmatched.insert(number, cause);
    }

    /// The concept of a label key before merges.
    fn named(&self, key: &str) -> Result<String, Cause> {
        self.concept_of.get(key).cloned().ok_or_else(|| Cause::Missing { key: key.to_owned() })
    }

    /// The concept that stays of this one.
    fn staying(&self, key: &str) -> String {
        let mut stays = key;
        while let Some(into) = self.merged.get(stays) {
            stays = into;
        }
        stays.to_owned()
    }

    /// The concept of a label key after merges.
    fn concept(&self, key: &str) -> Result<String, Cause> {
        Ok(self.staying(&self.named(key)?))
    }

    /// The concept of a label key, which must not be merged into another one.
    fn own_concept(&self, key: &str) -> Result<String, Cause> {
        let named = self.named(key)?;
        let into = self.staying(&named);
        if into == named { Ok(named) } else { Err(Cause::Merged { key: named, into }) }
    }

    fn mark(&mut self, key: &str, edit: Edit) {
        if let Some(concept) = self.concepts.get_mut(key)
            && let Err(at) = concept.edited.binary_search(&edit)
        {
            concept.edited.insert(at, edit);
        }
    }

    // Splits.

    fn split(&mut self) {
        let mut splits: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
        for entry in self.entries {
            let Correction::Split { concept, forms, label } = &entry.correction else { continue };
            match self.named(concept) {
                Ok(key) => {
                    let wanted = forms.iter().map(|form| folded(form)).collect();
                    let piece = Piece { number: entry.number, wanted, label: label.clone() };
                    splits.entry(key).or_default().push(piece);
                }
                Err(cause) => self.refuse(entry.number, cause),
            }
        }
        for (key, pieces) in splits {
            self.split_concept(&key, pieces);
        }
        self.name_concepts();
    }

    /// Splits pieces off one concept. A label key goes with a piece that has all of its forms.
    fn split_concept(&mut self, key: &str, pieces: Vec<Piece>) {
        let Some(whole) = self.concepts.remove(key) else { return };
        let keys = LabelKeys::new((whole.language != "und").then_some(whole.language.as_str()));
        let key_of = |form: &Form| keys.key(&form.text).filter(|key| whole.keys.contains(key));
        let mut rest = Rest { forms: whole.forms.clone(), keys: whole.keys.clone() };
        let mut made = Vec::new();
        for piece in pieces {
            let is_own = |form: &&Form| piece.wanted.contains(&folded(&form.text));
            let (forms, left): (Vec<Form>, Vec<Form>) =
                rest.forms.iter().cloned().partition(|form| is_own(&form));
            if forms.is_empty() {
                self.refuse(piece.number, Cause::NoForms { key: key.to_owned() });
            } else if left.is_empty() {
                self.refuse(piece.number, Cause::AllForms { key: key.to_owned() });
            } else {
                rest.forms = left;
                made.push((piece.label, forms));
            }
        }
        if made.is_empty() {
            self.concepts.insert(key.to_owned(), whole);
            return;
        }
        let mut parts = Vec::new();
        for (label, forms) in made {
            let goes = |key: &String| {
                let mut spelled = whole.forms.iter().filter(|form| key_of(form).as_ref() == Some(key));
                let first = spelled.next();
                first.is_some_and(|first| forms.contains(first)) && spelled.all(|form| forms.contains(form))
            };
            let (gone, kept): (Vec<String>, Vec<String>) = rest.keys.iter().cloned().partition(goes);
            rest.keys = kept;
            parts.push((label, forms, gone));
        }
        // What is left keeps the key if it can.
        let own_key = |keys: &[String], forms: &[Form]| {
            let by_form = forms.iter().filter_map(key_of).find(|key| keys.contains(key));
            match keys.iter().any(|own| own == key) {
                true => Some(key.to_owned()),
                false => by_form.or_else(|| keys.first().cloned()),
            }
        };
        let concept_of = &self.concept_of;
        let mut made = BTreeSet::new();
        let mut choose = |keys: &[String], forms: &[Form]| {
            own_key(keys, forms).unwrap_or_else(|| {
                let is_free = |key: &String| !concept_of.contains_key(key) && made.insert(key.clone());
                made_key(&whole.language, forms, is_free)
            })
        };
        let above: Vec<(String, Proof)> = self.parents_of(key);
        let mut new_concepts = Vec::new();
        for (label, forms, keys) in parts {
            let key = choose(&keys, &forms);
            new_concepts.push(part_of(&whole, key, keys, forms, label));
        }
        let rest_key = choose(&rest.keys, &rest.forms);
        let label = (rest.forms.iter().any(|form| form.text == whole.label)).then(|| whole.label.clone());
        let left = part_of(&whole, rest_key.clone(), rest.keys, rest.forms, label);
        self.rename_key(key, &rest_key);
        for concept in new_concepts {
            for (parent, proof) in &above {
                let proof = Proof { edited: true, ..proof.clone() };
                add(&mut self.relations, (parent.clone(), concept.key.clone()), proof);
            }
            self.insert_part(concept);
        }
        self.insert_part(left);
    }

    fn insert_part(&mut self, concept: Concept) {
        let key = concept.key.clone();
        self.concept_of.insert(key.clone(), key.clone());
        self.concepts.insert(key.clone(), concept);
        self.mark(&key, Edit::Split);
    }

    fn parents_of(&self, key: &str) -> Vec<(String, Proof)> {
        let above = self.relations.iter().filter(|((_, narrower), _)| narrower == key);
        above.map(|((broader, _), proof)| (broader.clone(), proof.clone())).collect()
    }

    /// Gives a concept's relations to another key.
    fn rename_key(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        let renamed = |key: String| if key == from { to.to_owned() } else { key };
        let relations = std::mem::take(&mut self.relations).into_iter();
        self.relations = relations.map(|((a, b), proof)| ((renamed(a), renamed(b)), proof)).collect();
    }

    // Merges.

    fn merge(&mut self) {
        let mut by: BTreeMap<String, u64> = BTreeMap::new();
        for entry in self.entries {
            let Correction::Merge { concept, into } = &entry.correction else { continue };
            let (from, into) = match (self.named(concept), self.named(into)) {
                (Ok(from), Ok(into)) => (from, into),
                (Err(cause), _) | (_, Err(cause)) => {
                    self.refuse(entry.number, cause);
                    continue;
                }
            };
            // Mining may have come to the same.
            if from == into {
                continue;
            }
            let language = |key: &String| self.concepts.get(key).map(|concept| concept.language.clone());
            if language(&from) != language(&into) {
                self.refuse(entry.number, Cause::Languages { key: from, into });
                continue;
            }
            let before = self.merged.remove(&from);
            if self.staying(&into) == from {
                let path = self.merge_path(&into);
                if let Some(before) = before {
                    self.merged.insert(from, before);
                }
                self.refuse(entry.number, Cause::Cycle { path });
                continue;
            }
            if let Some(earlier) = by.insert(from.clone(), entry.number) {
                self.refuse(earlier, Cause::Overruled { by: entry.number });
            }
            self.merged.insert(from, into);
        }
        if self.merged.is_empty() {
            return;
        }
        let mut groups: BTreeMap<String, Vec<Concept>> = BTreeMap::new();
        for from in self.merged.keys() {
            if let Some(concept) = self.concepts.remove(from) {
                groups.entry(self.staying(from)).or_default().push(concept);
            }
        }
        for (into, members) in groups {
            if let Some(concept) = self.concepts.get_mut(&into) {
                join_concepts(concept, members);
            }
            self.mark(&into, Edit::Merged);
        }
        self.contract();
    }

    /// The way from the concept that would go down to itself.
    fn merge_path(&self, from: &str) -> Vec<String> {
        let mut path = vec![from.to_owned()];
        let mut at = from;
        while let Some(into) = self.merged.get(at) {
            path.insert(0, into.clone());
            at = into;
        }
        path
    }

    /// Relates the concepts that stay. Where that closes a circle, the weakest pair goes.
    fn contract(&mut self) {
        let mut joined = Relations::new();
        for ((broader, narrower), proof) in std::mem::take(&mut self.relations) {
            let pair = (self.staying(&broader), self.staying(&narrower));
            if pair.0 != pair.1 {
                add(&mut joined, pair, proof);
            }
        }
        let kept = pairs(acyclic(related(&joined)));
        joined.retain(|pair, _| kept.contains(pair));
        self.relations = joined;
    }

    // Labels.

    fn rename(&mut self) {
        let mut labels: BTreeMap<String, (u64, &str)> = BTreeMap::new();
        for entry in self.entries {
            let Correction::Rename { concept, label } = &entry.correction else { continue };
            match self.own_concept(concept) {
                Ok(key) => {
                    if let Some((earlier, _)) = labels.insert(key, (entry.number, label)) {
                        self.refuse(earlier, Cause::Overruled { by: entry.number });
                    }
                }
                Err(cause) => self.refuse(entry.number, cause),
            }
        }
        for (key, (_, label)) in labels {
            if let Some(concept) = self.concepts.get_mut(&key) {
                concept.label = label.trim().to_owned();
            }
            self.mark(&key, Edit::Label);
        }
    }

    // Parents.

    /// Removes what is forbidden. Returns what is set: place and number of the correction, and the pair.
    fn forbid_parents(&mut self) -> Vec<(usize, u64, Pair)> {
        // What the last correction says of each pair.
        let mut said: BTreeMap<Pair, (usize, u64, bool)> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let (concept, parent, is_set) = match &entry.correction {
                Correction::Under { concept, parent } => (concept, parent, true),
                Correction::NotUnder { concept, parent } => (concept, parent, false),
                _ => continue,
            };
            let pair = match (self.concept(parent), self.concept(concept)) {
                (Ok(broader), Ok(narrower)) if broader == narrower => Err(Cause::Same { key: narrower }),
                (Ok(broader), Ok(narrower)) => Ok((broader, narrower)),
                (Err(cause), _) | (_, Err(cause)) => Err(cause),
            };
            match pair {
                Ok(pair) => {
                    if let Some((_, earlier, _)) = said.insert(pair, (at, entry.number, is_set)) {
                        self.refuse(earlier, Cause::Overruled { by: entry.number });
                    }
                }
                Err(cause) => self.refuse(entry.number, cause),
            }
        }
        let (set, forbidden): (Vec<_>, Vec<_>) = said.into_iter().partition(|(_, (_, _, is_set))| *is_set);
        for (pair, _) in forbidden {
            if self.relations.remove(&pair).is_some() {
                self.mark(&pair.1, Edit::Parents);
            }
            self.forbidden.insert(pair);
        }
        set.into_iter().map(|(pair, (at, number, _))| (at, number, pair)).collect()
    }

    /// Sets parents, in the order of the corrections.
    fn set_parents(&mut self, mut wanted: Vec<(usize, u64, Pair)>) {
        wanted.sort_unstable();
        let mut below = below(&self.relations);
        for (at, number, pair) in wanted {
            if let Some(key) = [&pair.0, &pair.1].into_iter().find(|key| self.hidden.contains(*key)) {
                let key = key.clone();
                self.refuse(number, Cause::Hidden { key });
                continue;
            }
            if let Some(path) = way(&below, &pair.1, &pair.0) {
                self.refuse(number, Cause::Cycle { path });
                continue;
            }
            below.entry(pair.0.clone()).or_default().insert(pair.1.clone());
            let proof = Proof { level: 1, sites: BTreeSet::new(), is_listed: false, edited: true };
            self.relations.entry(pair.clone()).or_insert(proof).edited = true;
            self.mark(&pair.1, Edit::Parents);
            self.set.insert(pair, at);
        }
    }

    // What is left out.

    fn hide(&mut self) {
        for entry in self.entries {
            let Correction::Hide { concept } = &entry.correction else { continue };
            match self.own_concept(concept) {
                Ok(key) => {
                    self.hidden.insert(key);
                }
                Err(cause) => self.refuse(entry.number, cause),
            }
        }
        for hidden in self.hidden.clone() {
            self.concepts.remove(&hidden);
            let mut above = Vec::new();
            let mut under = Vec::new();
            self.relations.retain(|(broader, narrower), proof| {
                if *broader == hidden {
                    under.push((narrower.clone(), proof.clone()));
                } else if *narrower == hidden {
                    above.push((broader.clone(), proof.clone()));
                }
                *broader != hidden && *narrower != hidden
            });
            for (parent, first) in &above {
                for (child, second) in &under {
                    add(&mut self.relations, (parent.clone(), child.clone()), first.through(second));
                }
            }
        }
        self.relations.retain(|pair, _| !self.forbidden.contains(pair));
    }

    fn check_maps(&mut self) {
        for entry in self.entries {
            let Correction::Map { concept, .. } = &entry.correction else { continue };
            match self.concept(concept) {
                Ok(key) if self.hidden.contains(&key) => self.refuse(entry.number, Cause::Hidden { key }),
                Ok(_) => {}
                Err(cause) => self.refuse(entry.number, cause),
            }
        }
    }

    fn finish(self) -> Corrected {
        let Draft { mined, concepts, mut relations, set, unmatched, .. } = self;
        let kept = pairs(reduced(related(&relations)));
        relations.retain(|pair, _| kept.contains(pair) || set.contains_key(pair));
        let mut parents: BTreeMap<&str, Vec<(&Pair, &Proof)>> = BTreeMap::new();
        for (pair, proof) in &relations {
            parents.entry(&pair.1).or_default().push((pair, proof));
        }
        // What an editor set last is shown; without that, what most sites show, then the nearest, then by name.
        let rank = |(pair, proof): &(&Pair, &Proof)| {
            (Reverse(set.get(*pair).copied()), Reverse(proof.sites.len()), proof.level)
        };
        let concepts = concepts.into_values().map(|concept| {
            let above = parents.get(concept.key.as_str()).map(Vec::as_slice).unwrap_or_default();
            let shown = above.iter().min_by_key(|above| rank(above));
            Concept {
                parents: above.iter().map(|(pair, _)| pair.0.clone()).collect(),
                parent: shown.map(|(pair, _)| pair.0.clone()),
                ..concept
            }
        });
        let concepts = concepts.collect();
        let relations = relations.into_iter().map(|((broader, narrower), proof)| Relation {
            broader,
            narrower,
            level: proof.level,
            sites: proof.sites.into_iter().collect(),
            is_listed: proof.is_listed,
            edited: proof.edited,
        });
        let taxonomy = Taxonomy {
            support: mined.support,
            sites: mined.sites,
            concepts,
            relations: relations.collect(),
            schemes: mined.schemes.clone(),
        };
        let unmatched = unmatched.into_iter().map(|(number, cause)| Unmatched { number, cause });
        Corrected { taxonomy, unmatched: unmatched.collect() }
    }
}

/// What a correction wants split off.
struct Piece {
    number: u64,
    /// Forms, folded.
    wanted: BTreeSet<String>,
    label: Option<String>,
}

/// What is left of a concept.
struct Rest {
    forms: Vec<Form>,
    keys: Vec<String>,
}

/// A key for a concept whose forms share all their label keys with others. No label has such a key.
fn made_key(language: &str, forms: &[Form], mut is_free: impl FnMut(&String) -> bool) -> String {
    let first = forms.first().map(|form| folded(&form.text)).unwrap_or_default();
    let mut key = format!("{language}:~{first}");
    while !is_free(&key) {
        key.push('~');
    }
    key
}

/// A part of a concept. The taxonomy does not say which sites write which forms, so each part has the sites of the whole.
fn part_of(
    whole: &Concept,
    key: String,
    mut keys: Vec<String>,
    forms: Vec<Form>,
    label: Option<String>,
) -> Concept {
    if keys.is_empty() {
        keys.push(key.clone());
    }
    let label = label.map(|label| label.trim().to_owned());
    let label = label.or_else(|| forms.first().map(|form| form.text.clone())).unwrap_or_else(|| key.clone());
    Concept { key, keys, label, forms, ..whole.clone() }
}

/// Adds the label keys, forms and sites of concepts to another one, which keeps its label and its own forms first.
fn join_concepts(concept: &mut Concept, members: Vec<Concept>) {
    let mut keys: BTreeSet<String> = std::mem::take(&mut concept.keys).into_iter().collect();
    let mut sites: BTreeSet<Site> = std::mem::take(&mut concept.sites).into_iter().collect();
    let mut others: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for member in members {
        keys.extend(member.keys);
        sites.extend(member.sites);
        concept.score = concept.score.max(member.score);
        for form in member.forms {
            let (sites, pages) = others.entry(form.text).or_default();
            *sites += form.sites;
            *pages += form.pages;
        }
    }
    for form in &mut concept.forms {
        if let Some((sites, pages)) = others.remove(&form.text) {
            form.sites += sites;
            form.pages += pages;
        }
    }
    let mut others: Vec<Form> =
        others.into_iter().map(|(text, (sites, pages))| Form { text, sites, pages }).collect();
    others.sort_by(|a, b| (b.sites, b.pages, &a.text).cmp(&(a.sites, a.pages, &b.text)));
    concept.forms.extend(others);
    concept.keys = keys.into_iter().collect();
    concept.sites = sites.into_iter().collect();
}

/// Relations as the miner relates concepts; sites are numbered.
fn related(relations: &Relations) -> Vec<Related> {
    let names: BTreeSet<&Site> = relations.values().flat_map(|proof| &proof.sites).collect();
    let number: BTreeMap<&Site, usize> = names.into_iter().zip(0..).collect();
    let related = relations.iter().map(|((broader, narrower), proof)| Related {
        broader: broader.clone(),
        narrower: narrower.clone(),
        level: proof.level,
        sites: proof.sites.iter().filter_map(|site| number.get(site).copied()).collect(),
        is_listed: proof.is_listed,
    });
    related.collect()
}

fn pairs(related: Vec<Related>) -> BTreeSet<Pair> {
    related.into_iter().map(|related| (related.broader, related.narrower)).collect()
}

fn below(relations: &Relations) -> BTreeMap<String, BTreeSet<String>> {
    let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (broader, narrower) in relations.keys() {
        below.entry(broader.clone()).or_default().insert(narrower.clone());
    }
    below
}

/// The shortest way down from one concept to another, with both ends.
fn way(below: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut came: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = std::collections::VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        if at == to {
            let mut path = vec![to.to_owned()];
            let mut at = to;
            while at != from {
                at = came.get(at)?;
                path.insert(0, at.to_owned());
            }
            return Some(path);
        }
        for next in below.get(at).into_iter().flatten() {
            if next != from && !came.contains_key(next.as_str()) {
                came.insert(next, at);
                open.push_back(next);
            }
        }
    }
    None
}
