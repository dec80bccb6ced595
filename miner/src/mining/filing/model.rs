//! Files articles by what was learnt: see [`Filing`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::catalogue::Number;
use super::direct::Plain;
use super::places::Agreed;
use super::shown::Shown;
use super::witness::{Asked, Filed, Witness};
use super::words::Reader;

/// Files articles.
#[derive(Serialize, Deserialize)]
pub struct Filing {
    pub(super) plain: Plain,
    pub(super) places: Agreed,
    pub(super) shown: Shown,
    pub(super) reader: Reader,
}

impl Filing {
    /// The keys of the concepts that one witness names; nothing for those that learn.
    #[must_use]
    pub fn says(&self, asked: Asked<'_>, witness: Witness) -> Vec<&str> {
        let url = asked.article.url.parse().ok();
        let said = self.plain.says(asked, url.as_ref(), witness);
        said.into_iter().filter_map(|number| Some(self.plain.catalogue.get(number)?.key.as_str())).collect()
    }

    /// The concepts that an article is filed under, by key.
    #[must_use]
    pub fn of(&self, asked: Asked<'_>) -> Vec<Filed> {
        let mut found: BTreeMap<Number, (Witness, f32)> = BTreeMap::new();
        for (concept, witness) in self.plain.named(asked) {
            found.insert(concept, (witness, witness.trust()));
        }
        for (concept, share) in asked.found_on.into_iter().flat_map(|page| self.shown.on(page)) {
            if found.get(&concept).is_none_or(|(witness, _)| *witness > Witness::List) {
                found.insert(concept, (Witness::List, share));
            }
        }
        if self.plain.hidden != Some(Witness::Place) {
            for (concept, agreement) in self.places.of(asked.article) {
                found.entry(concept).or_insert((Witness::Place, agreement));
            }
        }
        if !found.keys().any(|concept| self.plain.catalogue.is_subject(*concept))
            && let Some((concept, confidence)) = self.reader.read(asked.article)
        {
            found.entry(concept).or_insert((Witness::Words, confidence));
        }
        let filed = |(number, (witness, confidence))| {
            let concept = self.plain.catalogue.get(number)?;
            Some(Filed { concept: concept.key.clone(), label: concept.label.clone(), witness, confidence })
        };
        found.into_iter().filter_map(filed).collect()
    }

    /// Forgets what was learnt about a witness; the others stay as they are.
    pub fn forget(&mut self, witness: Witness) {
        match witness {
            Witness::List => self.shown = Shown::default(),
            Witness::Place => self.places = Agreed::default(),
            Witness::Words => self.reader = Reader::default(),
            Witness::Section | Witness::Address => {}
        }
    }
}
