//! The concepts on which nearly all articles of a site's section or directory agree.

use std::collections::{BTreeMap, HashMap};

use newslode_page::article::Article;
use serde::{Deserialize, Serialize};

use super::catalogue::Number;

/// Least filed articles of a place that teach, and the share of them that must agree.
pub(super) const LEAST: i64 = 4;
pub(super) const AGREEING: f32 = 0.9;
/// Number of directories of a URL that count as places.
const DEEPEST: usize = 2;

/// By place: the filed articles, and those under each concept.
#[derive(Default)]
pub(super) struct Places {
    counts: HashMap<String, (i64, BTreeMap<Number, i64>)>,
    agreed: AgreedPlaces,
}

/// By place: the concepts under which nearly all of its filed articles are, with their share.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct AgreedPlaces(BTreeMap<String, Vec<(Number, f32)>>);

/// The name of an article's section as a place.
pub(super) fn section(article: &Article) -> Option<String> {
    let section = article.section.as_ref()?;
    Some(format!("{} {}", article.site, section.trim().to_lowercase()))
}

/// The names of the directories of an address as places.
pub(super) fn directories(url: &str) -> Vec<String> {
    let mut parts = url.split('/').skip(2);
    let host = parts.next().unwrap_or_default().to_owned();
    let names: Vec<&str> = parts.collect();
    let directories = names.split_last().map_or(&[][..], |(_, directories)| directories);
    let said = directories.iter().filter(|name| name.chars().any(char::is_alphabetic)).take(DEEPEST);
    let mut path = host;
    said.map(|name| {
        path = format!("{path}/{name}");
        path.clone()
    })
    .collect()
}

impl Places {
    /// Adds an article of these places that is filed under these concepts.
    pub(super) fn add(
        &mut self,
        places: impl IntoIterator<Item = String>,
        named: impl Iterator<Item = Number> + Clone,
    ) {
        if named.clone().next().is_none() {
            return;
        }
        for place in places {
            let (articles, concepts) = self.counts.entry(place).or_default();
            *articles += 1;
            named.clone().for_each(|concept| *concepts.entry(concept).or_default() += 1);
        }
    }

    /// Keeps of all places seen so far only what their articles agree in. No more of their articles may follow.
    pub(super) fn settle(&mut self) {
        for (place, (articles, concepts)) in self.counts.drain().filter(|(_, (count, _))| *count >= LEAST) {
            let share = |count: i64| count as f32 / articles as f32;
            let of_most = concepts.into_iter().map(|(concept, count)| (concept, share(count)));
            let agreed: Vec<_> = of_most.filter(|(_, share)| *share >= AGREEING).collect();
            if !agreed.is_empty() {
                self.agreed.0.insert(place, agreed);
            }
        }
    }

    pub(super) fn agreed(mut self) -> AgreedPlaces {
        self.settle();
        self.agreed
    }
}

impl AgreedPlaces {
    /// The concepts under which nearly all filed articles of one of an article's places are, with their share.
    pub(super) fn concepts_of(&self, article: &Article) -> impl Iterator<Item = (Number, f32)> {
        let places = section(article).into_iter().chain(directories(&article.url));
        places.filter_map(|place| self.0.get(&place)).flatten().copied()
    }
}
