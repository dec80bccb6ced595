//! The places of a page in its site's own scheme, in words: what names each, or why there is none; and all places of a site.
//!
//! Start at [`PlaceExplanation::read`] and [`SchemeExplanation::new`].

use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_miner::mining::site_scheme::PlaceFinder;
use newslode_miner::mining::site_scheme::{
    BroaderBy, Place, PlaceKind, Rejected, SchemePlace, SiteScheme, broader_in_words,
};
use newslode_miner::work::places::explain_slots;
use newslode_miner::work::schemes::{places_of, read_scheme};
use newslode_miner::work::stores::Stores;
use newslode_page::article::Article;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::Serialize;

/// Slots that are shown to people, and names of each.
const SLOTS: usize = 12;
const NAMES: usize = 4;
/// Sections, and tags, of a site that are shown to people.
const PLACES: usize = 20;

/// The places of an article, or why it has none.
#[derive(Debug, Serialize)]
pub(crate) struct PlaceExplanation {
    site: Site,
    /// The places, best first.
    pub(crate) places: Vec<Place>,
    /// Why there are none.
    none: Option<NoPlace>,
    /// If there are none though the site has pages to learn from: what the page names, and whether that counts.
    slots: Vec<SlotExplanation>,
}

/// Why an article has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum NoPlace {
    /// The scheme of its site was not learnt yet.
    NoScheme,
    /// Its site names no places, as far as its pages show.
    NoPlaces,
    /// No accepted slot of the page names a place.
    NoneNamed,
}

/// A slot of a page.
#[derive(Debug, Serialize)]
struct SlotExplanation {
    slot: String,
    /// What it names on this page.
    names: Vec<String>,
    /// Why it is not accepted; `None` if it is.
    rejected: Option<&'static str>,
}

impl PlaceExplanation {
    /// Explains the article that counts at an address; `None` if no article does.
    ///
    /// # Errors
    /// When a store fails.
    pub(crate) async fn read(
        stores: &Stores,
        url: &CanonicalUrl,
    ) -> anyhow::Result<Option<PlaceExplanation>> {
        let site = url.site();
        let versions = stores.state.versions(&site, std::slice::from_ref(url)).await?;
        let content = versions.into_iter().next().flatten().map(|version| version.content);
        let Some(content) = content.filter(|content| *content != ContentHash::NONE) else { return Ok(None) };
        let Some(json) = stores.archive.get(Kind::Article, content).await? else { return Ok(None) };
        let article: Article = serde_json::from_slice(&json)?;
        let none = |none, slots| PlaceExplanation {
            site: site.clone(),
            places: Vec::new(),
            none: Some(none),
            slots,
        };
        let Some(scheme) = read_scheme(stores.state.as_ref(), &site).await? else {
            return Ok(Some(none(NoPlace::NoScheme, Vec::new())));
        };
        let finder = PlaceFinder::new(scheme);
        let places = places_of(&finder, stores.archive.as_ref(), (url, content), &article).await?;
        if !places.is_empty() {
            return Ok(Some(PlaceExplanation { site, places, none: None, slots: Vec::new() }));
        }
        let mut slots = explain_slots(stores, url, content).await?;
        // What is the same everywhere is known to name nothing: it comes last.
        slots.sort_by_key(|(report, _)| matches!(report.rejected, Some(Rejected::Constant | Rejected::Menu)));
        let slots = slots.into_iter().map(|(report, own)| SlotExplanation {
            slot: report.slot,
            names: own.names.into_iter().map(|name| name.name).collect(),
            rejected: report.rejected.map(rejected_text),
        });
        let why = if finder.scheme().is_empty() { NoPlace::NoPlaces } else { NoPlace::NoneNamed };
        Ok(Some(none(why, slots.collect())))
    }

    /// The explanation for people: names and values.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let place = |place: &Place| {
            let address = place.address.as_ref().map(|address| format!(", {address}")).unwrap_or_default();
            (
                kind_text(place.kind).to_owned(),
                format!("{}{address}: named by {}", place.label, evidence_text(place)),
            )
        };
        let mut facts: Vec<(String, String)> = self.places.iter().map(place).collect();
        let site = &self.site;
        let reason = self.none.map(|none| match none {
            NoPlace::NoScheme => format!(
                "none: the sections and tags of {site} are not known yet; they are learnt when all of its pages are viewed"
            ),
            NoPlace::NoPlaces => {
                format!("none: {site} names no sections or tags that its articles share, or it has too few articles")
            }
            NoPlace::NoneNamed if self.slots.is_empty() => {
                format!("none: this page names nothing that could be a section or tag of {site}")
            }
            NoPlace::NoneNamed => format!("none: no part of this page that names sections or tags of {site} does so here"),
        });
        facts.extend(reason.map(|reason| ("place".to_owned(), reason)));
        let slot = |SlotExplanation { slot, names, rejected }: &SlotExplanation| {
            let more = if names.len() > NAMES { ", …" } else { "" };
            let names = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
            let why =
                rejected.unwrap_or("names places on other pages; here only dates, authors or nothing known");
            ("  slot".to_owned(), format!("{slot} ({names}{more}): {why}"))
        };
        facts.extend(self.slots.iter().take(SLOTS).map(slot));
        if let Some(more) = self.slots.len().checked_sub(SLOTS).filter(|more| *more > 0) {
            facts.push(("  slot".to_owned(), format!("and {more} more")));
        }
        facts
    }
}

/// The sections and tags of a site, as the site itself files its articles.
#[derive(Debug, Serialize)]
pub(crate) struct SchemeExplanation {
    /// Articles from which it was learnt.
    articles: u32,
    /// What names the places on the pages of the site.
    evidence: Vec<&'static str>,
    /// Those of most articles first.
    places: Vec<PlaceOfScheme>,
}

/// A section or tag of a site.
#[derive(Debug, Serialize)]
struct PlaceOfScheme {
    label: String,
    /// Its page, if it is known.
    address: Option<CanonicalUrl>,
    kind: PlaceKind,
    /// Articles that name it, of those from which the scheme was learnt.
    articles: u32,
    /// The place within which it lies, if the site says so.
    broader: Option<BroaderOfPlace>,
    /// A larger place that holds most of its articles as well. That makes neither place broader than the other.
    mostly_in: Option<MostlyIn>,
}

/// The place within which another one lies.
#[derive(Debug, Serialize)]
struct BroaderOfPlace {
    label: String,
    address: Option<CanonicalUrl>,
    /// What says so.
    by: Vec<BroaderBy>,
    /// Articles whose breadcrumbs say so.
    articles: u32,
}

/// A place that holds most articles of another place as well.
#[derive(Debug, Serialize)]
struct MostlyIn {
    label: String,
    address: Option<CanonicalUrl>,
    /// Articles that name both.
    articles: u32,
}

impl SchemeExplanation {
    pub(crate) fn new(scheme: &SiteScheme) -> SchemeExplanation {
        let place = |(at, SchemePlace { label, address, kind, articles, .. }): (usize, &SchemePlace)| {
            let broader = scheme.broader(at).map(|(place, found)| BroaderOfPlace {
                label: place.label.clone(),
                address: place.address.clone(),
                by: found.by.clone(),
                articles: found.articles,
            });
            let mostly_in = scheme.mostly_in(at).map(|(place, found)| MostlyIn {
                label: place.label.clone(),
                address: place.address.clone(),
                articles: found.articles,
            });
            PlaceOfScheme {
                label: label.clone(),
                address: address.clone(),
                kind: *kind,
                articles: *articles,
                broader,
                mostly_in,
            }
        };
        SchemeExplanation {
            articles: scheme.articles(),
            evidence: scheme.evidence().into_iter().collect(),
            places: scheme.places().iter().enumerate().map(place).collect(),
        }
    }

    /// The explanation for people: names and values.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        if self.places.is_empty() {
            let none = format!(
                "none: no part of its pages names sections or tags that its articles share ({} articles)",
                self.articles
            );
            return vec![("sections".to_owned(), none)];
        }
        let mut facts = Vec::new();
        for (name, kind) in [("sections", PlaceKind::Section), ("tags", PlaceKind::Tag)] {
            let of_kind: Vec<&PlaceOfScheme> =
                self.places.iter().filter(|place| place.kind == kind).collect();
            let shown = of_kind.iter().take(PLACES);
            let shown: Vec<String> =
                shown.map(|place| format!("{} ({})", place.label, place.articles)).collect();
            let more = match of_kind.len().saturating_sub(PLACES) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            if !shown.is_empty() {
                facts.push((name.to_owned(), format!("{}{more}", shown.join(", "))));
            }
        }
        facts.extend(self.order_facts());
        let by = joined_words(self.evidence.iter().copied().map(evidence_word));
        facts.push(("  named by".to_owned(), format!("{by}; learnt from {} articles", self.articles)));
        facts
    }
}

impl SchemeExplanation {
    /// How the places lie in each other, for people.
    fn order_facts(&self) -> Vec<(String, String)> {
        let broader = self.places.iter().filter_map(|place| {
            let found = place.broader.as_ref()?;
            let by = broader_in_words(&found.by, found.articles);
            Some(format!("{} in {} ({by})", place.label, found.label))
        });
        let mostly = self.places.iter().filter_map(|place| {
            let found = place.mostly_in.as_ref()?;
            Some(format!(
                "{} of {} articles of {} also in {}",
                found.articles, place.articles, place.label, found.label
            ))
        });
        let lines: [(&str, Vec<String>); 2] =
            [("  within", broader.collect()), ("  mostly in", mostly.collect())];
        let mut facts = Vec::new();
        for (name, lines) in lines.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            let more = match lines.len().saturating_sub(PLACES) {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            let shown = lines.iter().take(PLACES).map(String::as_str).collect::<Vec<_>>().join("; ");
            facts.push((name.to_owned(), format!("{shown}{more}")));
        }
        facts
    }
}

/// A kind of place in words.
pub(crate) fn kind_text(kind: PlaceKind) -> &'static str {
    match kind {
        PlaceKind::Section => "section",
        PlaceKind::Tag => "tag",
    }
}

/// What names a place, in words.
pub(crate) fn evidence_text(place: &Place) -> String {
    joined_words(place.evidence.iter().map(|evidence| evidence_word(evidence)))
}

/// A kind of evidence in words.
fn evidence_word(evidence: &str) -> &'static str {
    match evidence {
        "link" => "a link",
        "meta" => "a meta element",
        "json-ld" => "JSON-LD",
        "microdata" => "microdata",
        "directory" => "the address",
        "class" => "a class name",
        "listing" => "its page, which lists the article",
        _ => "other evidence",
    }
}

/// Words as a list in a sentence.
fn joined_words(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => "nothing".into(),
    }
}

fn rejected_text(rejected: Rejected) -> &'static str {
    match rejected {
        Rejected::Constant => "names the same on nearly all articles",
        Rejected::Menu => "is a menu: it names much in few combinations",
        Rejected::Unique => "names what no two articles share",
        Rejected::Author => "names authors",
        Rejected::Date => "names dates",
        Rejected::Unnamed => "calls many pages by one name",
        Rejected::Period => "leads to issues or months, each with the articles of a short time",
        Rejected::Documents => "leads to articles, or to pages that list none",
        Rejected::NotListedBack => "leads to pages that do not list the articles",
        Rejected::NoWitness => "nothing says that it names places",
        Rejected::Rare => "is on too few articles",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(evidence: &[&str]) -> Place {
        Place {
            label: "Tennis".into(),
            address: Some("https://a.test/tennis/".into()),
            kind: PlaceKind::Section,
            evidence: evidence.iter().map(|&name| name.to_owned()).collect(),
            probability: 0.9,
        }
    }

    fn explained(none: Option<NoPlace>, places: Vec<Place>, slots: Vec<SlotExplanation>) -> PlaceExplanation {
        PlaceExplanation { site: Site::of_host("a.test"), places, none, slots }
    }

    #[test]
    fn a_place_is_told_with_what_names_it() {
        let facts = explained(None, vec![place(&["directory", "link"])], Vec::new()).facts();
        let wanted = "Tennis, https://a.test/tennis/: named by the address and a link";
        assert_eq!(facts, [("section".to_owned(), wanted.to_owned())]);
        assert_eq!(evidence_text(&place(&["json-ld", "link", "meta"])), "JSON-LD, a link and a meta element");
        assert_eq!(evidence_text(&place(&["listing"])), "its page, which lists the article");
    }

    #[test]
    fn an_article_without_places_is_told_why() {
        let said = |none| explained(Some(none), Vec::new(), Vec::new()).facts().remove(0).1;
        assert!(
            said(NoPlace::NoScheme).starts_with("none: the sections and tags of a.test are not known yet")
        );
        assert!(said(NoPlace::NoPlaces).starts_with("none: a.test names no sections or tags"));
        assert!(said(NoPlace::NoneNamed).starts_with("none: this page names nothing"));
        let slot = |number: usize| SlotExplanation {
            slot: format!("meta field-{number}"),
            names: (0..=number).map(|name| format!("name {name}")).collect(),
            rejected: (number > 0).then(|| rejected_text(Rejected::Author)),
        };
        let facts =
            explained(Some(NoPlace::NoneNamed), Vec::new(), (0..SLOTS + 3).map(slot).collect()).facts();
        let values: Vec<&str> = facts.iter().map(|(_, value)| value.as_str()).collect();
        assert!(values[1].starts_with("meta field-0 (name 0): names places on other pages"), "{values:?}");
        assert_eq!(values[5], "meta field-4 (name 0, name 1, name 2, name 3, …): names authors");
        assert_eq!(values.last(), Some(&"and 3 more"));
    }

    #[test]
    fn the_places_of_a_site_are_listed_with_their_articles_and_what_names_them() {
        let place = |number: usize, kind| PlaceOfScheme {
            label: format!("{} {number}", kind_text(kind)),
            address: None,
            kind,
            articles: 90 - number as u32,
            broader: None,
            mostly_in: None,
        };
        let sections = (0..PLACES + 2).map(|number| place(number, PlaceKind::Section));
        let places = sections.chain([place(30, PlaceKind::Tag)]).collect();
        let explained = SchemeExplanation { articles: 99, evidence: vec!["directory", "link"], places };
        let facts = explained.facts();
        let names: Vec<&str> = facts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["sections", "tags", "  named by"]);
        assert!(facts[0].1.starts_with("section 0 (90), section 1 (89), "), "{facts:?}");
        assert!(facts[0].1.ends_with("section 19 (71), and 2 more"), "{facts:?}");
        assert_eq!(facts[1].1, "tag 30 (60)");
        assert_eq!(facts[2].1, "the address and a link; learnt from 99 articles");
        let tennis = PlaceOfScheme {
            label: "Tennis".into(),
            broader: Some(BroaderOfPlace {
                label: "Sport".into(),
                address: None,
                by: vec![BroaderBy::Breadcrumbs, BroaderBy::Address],
                articles: 12,
            }),
            mostly_in: Some(MostlyIn { label: "Video".into(), address: None, articles: 70 }),
            ..place(5, PlaceKind::Section)
        };
        let explained = SchemeExplanation { articles: 99, evidence: vec!["link"], places: vec![tennis] };
        let facts = explained.facts();
        let within = "Tennis in Sport (breadcrumbs of 12 articles and its address)";
        assert_eq!(facts[1], ("  within".to_owned(), within.to_owned()));
        let mostly = "70 of 85 articles of Tennis also in Video";
        assert_eq!(facts[2], ("  mostly in".to_owned(), mostly.to_owned()));
        let none = SchemeExplanation::new(&SiteScheme::default()).facts();
        assert!(none[0].1.starts_with("none: no part of its pages names sections or tags"), "{none:?}");
    }
}
