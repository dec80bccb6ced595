//! Compares two runs of a world, of which only one was killed.
//!
//! A kill may move a visit, and so show a run another state of a page. What each run was [shown](super::shown) is the evidence: a
//! difference that follows from it *may* be, any other *must not* be.
//!
//! - Each run alone: its sums are those of its pages, computed again; the text that each article showed it last is the one that counts;
//!   each article was announced, and each edit that the run was shown is a `changed`.
//! - Pages differ only if they showed something else last, or only one run asked for them. Of a listing, not every state counts (see
//!   `counts_a_late_state`). Sums differ only where pages do.
//! - Lives (the events of an article without their times) differ only if the article's addresses showed something else, or in another
//!   order.
//! - Of equal pages, title, authors, date and text are equal. The other fields differ only where the site's pages do, or where
//!   another listing spoke of the article first.
//! - Templates, which are learnt from pages as they come, differ only where the texts of articles came in another order.
//! - Filing differs only where the page does; the taxonomy does not differ.
//!
//! Taxonomy, filing and templates are compared after one more fold and view of both runs. Start at [`Held::after_rest`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::ensure;
use newslode::engine::{Ended, state_digests};
use newslode::queries::articles::each_article;
use newslode_common::message::FetchedPage;
use newslode_common::schedule::ScheduleConfig;
use newslode_common::time::Clock;
use newslode_common::version::ContentHash;
use newslode_crawler::Surroundings;
use newslode_crawler::error::FetchError;
use newslode_crawler::web::{HeaderMap, Response, Web};
use newslode_miner::work::generations::Generations;
use newslode_miner::work::histories::history::EventKind;
use newslode_miner::work::histories::read_history;
use newslode_miner::work::knowledge::Knowledge;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::verify::{Computed, verify};
use newslode_newsworld::living::LivingWorld;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::{Timestamp, template::Template};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::life;
use super::shown::{Shown, Sight, article_at};

/// The content of a page that is gone.
const GONE: &str = "gone";
/// Names of differences that are kept.
const MOST_NAMED: usize = 10;
/// Fields of an article that follow from its page alone, where it has templates or not.
const OF_THE_PAGE: [&str; 4] = ["title", "authors", "published", "body"];

/// What a run holds.
#[derive(Default)]
pub(super) struct Held {
    /// Site → digest of its sums.
    pub(super) sums: BTreeMap<String, String>,
    /// Page → the name under which the content that counts is archived; `gone` if none counts.
    pub(super) pages: BTreeMap<String, String>,
    pub(super) articles: BTreeMap<String, Value>,
    /// Article → its events.
    pub(super) lives: BTreeMap<String, Vec<Value>>,
    /// Article → what a listing said of it, as it was archived with its page.
    notes: BTreeMap<String, Value>,
    /// Article → the concepts that it is filed under.
    filing: BTreeMap<String, BTreeSet<String>>,
    taxonomy: Value,
    /// Site → its templates in use.
    pub(super) templates: BTreeMap<String, Vec<Value>>,
    /// What the sites showed it.
    pub(super) shown: Shown,
    /// What `verify` finds wrong.
    unproved: Vec<String>,
}

/// How many differ, and the first of them.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Found {
    pub(crate) count: usize,
    pub(crate) first: Vec<String>,
}

impl Found {
    fn note(&mut self, what: String) {
        self.count += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push(what);
        }
    }
}

/// Differences by what differs.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Kinds {
    /// Sites.
    pub(crate) sums: Found,
    pub(crate) pages: Found,
    pub(crate) articles: Found,
    /// Articles that have other events.
    pub(crate) lives: Found,
    pub(crate) filing: Found,
    /// Concepts and relations.
    pub(crate) taxonomy: Found,
    /// Sites.
    pub(crate) templates: Found,
}

impl Kinds {
    /// Each kind by its name.
    pub(crate) fn named(&self) -> [(&'static str, &Found); 7] {
        [
            ("sums", &self.sums),
            ("pages", &self.pages),
            ("articles", &self.articles),
            ("lives", &self.lives),
            ("filing", &self.filing),
            ("taxonomy", &self.taxonomy),
            ("templates", &self.templates),
        ]
    }
}

/// How two runs differ.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Differences {
    /// What is wrong with one run alone: sums and histories that `verify` cannot prove.
    pub(crate) unproved: Found,
    /// Articles of which another text counts than the one that they showed the same run last, or none.
    pub(crate) lost: Found,
    /// Articles of which readers were not told, or of fewer edits than the same run was shown.
    pub(crate) untold: Found,
    /// Differences that what the runs were shown does not explain.
    pub(crate) must_not_differ: Kinds,
    /// Differences that follow from what the runs were shown.
    pub(crate) may_differ: Kinds,
    /// Pages among these that only one run asked for.
    pub(crate) met_by_one: usize,
    /// Lives among these that differ only in how many edits the run saw.
    pub(crate) merged_edits: usize,
}

impl Differences {
    /// The differences that what the runs were shown explains, or the others.
    fn kinds(&mut self, explained: bool) -> &mut Kinds {
        if explained { &mut self.may_differ } else { &mut self.must_not_differ }
    }

    /// Whether the kills changed nothing that must not differ.
    pub(crate) fn are_none(&self) -> bool {
        let found = self.must_not_differ.named().map(|(_, found)| found.count);
        self.unproved.count + self.lost.count + self.untold.count + found.iter().sum::<usize>() == 0
    }
}

/// A network without sites: nothing is fetched any more.
struct Nowhere;

#[async_trait::async_trait]
impl Web for Nowhere {
    async fn address(&self, _: &Url) -> Option<std::net::IpAddr> {
        None
    }
    async fn send(&self, url: &Url, _: HeaderMap) -> Result<Response, FetchError> {
        Err(FetchError::Timeout { url: url.clone(), limit: std::time::Duration::ZERO })
    }
}

impl Held {
    /// Folds and views a run once more, and reads it.
    ///
    /// # Errors
    /// When the run cannot be read.
    pub(super) async fn after_rest(folder: &Path, end: u64, world: &LivingWorld) -> anyhow::Result<Held> {
        let clock = Clock::standing(Timestamp(end));
        let engine = life::open(folder, Surroundings { web: Arc::new(Nowhere), clock })?.offline();
        let ended = engine.mine(async { Ok(()) }, &CancellationToken::new(), |_| {}).await?;
        ensure!(ended == Ended::Complete, "the run in `{}` did not come to rest", folder.display());
        let parts = engine.miner_parts();
        let state = parts.stores.state.as_ref();
        let mut held = Held { shown: Shown::read(folder, world)?, ..Held::default() };
        let generation = parts.params.generation();
        for (site, _) in state.sites().await? {
            for (url, version) in state.pages(&site).await? {
                let is_gone = version.content == ContentHash::NONE;
                let content =
                    if is_gone { GONE.to_owned() } else { version.content.seen_by(&generation).to_string() };
                held.pages.insert(url.to_string(), content);
            }
            let (knowledge, _) = Knowledge::read(state, &site).await?;
            let live = knowledge.templates.live().iter().map(|live| {
                // Its number counts those that were learnt before.
                serde_json::to_value(Template { version: 0, ..live.template.clone() })
            });
            held.templates.insert(site.to_string(), live.collect::<Result<_, _>>()?);
        }
        let mut urls: Vec<CanonicalUrl> = Vec::new();
        let taxonomy = each_article(&parts, |article| {
            held.filing.insert(article.url.clone(), article.concepts.iter().cloned().collect());
            let mut value = serde_json::to_value(article)?;
            if let Some(fields) = value.as_object_mut() {
                fields.remove("concepts");
            }
            held.articles.insert(article.url.clone(), value);
            urls.push(article.url.parse()?);
            Ok(())
        })
        .await?;
        let generations = Generations::read(state).await?;
        let archive = parts.stores.archive.as_ref();
        for url in urls {
            let version = state.versions(&url.site(), std::slice::from_ref(&url)).await?;
            if let Some(version) = version.into_iter().flatten().next() {
                let page = generations.fetched(archive, version.content).await?;
                let note = serde_json::to_value(page.and_then(|page| page.listed))?;
                held.notes.insert(url.to_string(), note);
            }
            let Some(history) = read_history(archive, &url).await? else { continue };
            let told = history.events.iter().map(|event| serde_json::json!([event.event, event.ending]));
            held.lives.insert(url.to_string(), told.collect());
        }
        held.sums = state_digests(state).await?.into_iter().collect();
        held.taxonomy = serde_json::to_value(taxonomy)?;
        held.unproved = unproved(&parts).await?;
        Ok(held)
    }

    /// Number of concepts.
    pub(super) fn concepts(&self) -> usize {
        self.taxonomy["concepts"].as_array().map_or(0, Vec::len)
    }

    /// How another run of a world differs.
    pub(super) fn differences(&self, other: &Held, world: &LivingWorld) -> Differences {
        let mut all = Differences::default();
        for run in [self, other] {
            run.unproved.iter().for_each(|what| all.unproved.note(what.clone()));
            run.lost(world).into_iter().for_each(|url| all.lost.note(url));
            run.untold(world).into_iter().for_each(|url| all.untold.note(url));
        }
        // 1. Pages, and the sites that have other pages.
        let mut with_other_pages = BTreeSet::new();
        for url in differing(&self.pages, &other.pages) {
            let (one, two) = (self.shown.last(&url), other.shown.last(&url));
            let is_late = [self, other].iter().all(|held| held.counts_a_late_state(world, &url));
            let explained = one != two || is_late;
            if explained {
                all.met_by_one += usize::from(one.is_empty() || two.is_empty());
                with_other_pages.extend(site_of(&url));
            }
            all.kinds(explained).pages.note(url);
        }
        let has_other_page = |url: &str| self.pages.get(url) != other.pages.get(url);
        for site in differing(&self.sums, &other.sums) {
            let explained = with_other_pages.contains(&site);
            all.kinds(explained).sums.note(site);
        }
        // 2. Templates.
        let mut with_other_templates = BTreeSet::new();
        for site in differing(&self.templates, &other.templates) {
            let number = world.sites().iter().position(|of| Site::of_host(&of.host).as_str() == site);
            let order = |held: &Held| -> Option<Vec<String>> {
                let order = held.shown.order_of_articles(world, number?);
                Some(order.into_iter().map(str::to_owned).collect())
            };
            let explained = order(self) != order(other);
            with_other_templates.extend(explained.then(|| site.clone()));
            all.kinds(explained).templates.note(site);
        }
        // 3. Articles, their lives, and where they are filed.
        for url in differing(&self.articles, &other.articles) {
            let explained = match (self.articles.get(&url), other.articles.get(&url)) {
                (Some(one), Some(two)) if !has_other_page(&url) => {
                    // Evidence names the template that reads a body, and compares the article with its site's pages.
                    let is_other_site = |site: String| {
                        with_other_pages.contains(&site) || with_other_templates.contains(&site)
                    };
                    OF_THE_PAGE.iter().all(|field| one.get(field) == two.get(field))
                        && (self.notes.get(&url) != other.notes.get(&url)
                            || site_of(&url).is_some_and(is_other_site))
                }
                _ => self.was_shown_otherwise(other, world, &url),
            };
            all.kinds(explained).articles.note(url);
        }
        for url in differing(&self.lives, &other.lives) {
            let explained = self.was_shown_otherwise(other, world, &url);
            let is_merged = merged(self.lives.get(&url)) == merged(other.lives.get(&url));
            all.merged_edits += usize::from(explained && is_merged);
            all.kinds(explained).lives.note(url);
        }
        for url in differing(&self.filing, &other.filing) {
            let explained = has_other_page(&url) && self.was_shown_otherwise(other, world, &url);
            all.kinds(explained).filing.note(url);
        }
        // 4. The taxonomy.
        let (one, two) = (taxonomy_parts(&self.taxonomy), taxonomy_parts(&other.taxonomy));
        one.symmetric_difference(&two).for_each(|part| all.must_not_differ.taxonomy.note(part.clone()));
        all
    }

    /// Whether what counts of a listing that shows no page any more is one of its last states. A listing is handed on for mining at
    /// most every [`mine_again_s`](ScheduleConfig::mine_again_s), so the last state before it led elsewhere may never have been; which
    /// one was depends on when it was visited before. A listing that still shows a page is handed on once more after the sites stand still.
    fn counts_a_late_state(&self, world: &LivingWorld, url: &str) -> bool {
        let wait = ScheduleConfig::default().mine_again_s * 1_000;
        let late = self.shown.late_states(url, wait);
        let counts = self.pages.get(url).map(String::as_str);
        article_at(world, url).is_none() && late.iter().any(|page| counts == Some(page))
    }

    /// Whether the addresses of an article showed another run something else, or in another order.
    fn was_shown_otherwise(&self, other: &Held, world: &LivingWorld, url: &str) -> bool {
        self.shown.of_article(world, url) != other.shown.of_article(world, url)
    }

    /// The addresses of articles of which another text counts than the one that was shown last.
    fn lost(&self, world: &LivingWorld) -> Vec<String> {
        let is_lost = |(url, sights): &(&String, &Vec<(u64, Sight)>)| match sights.last() {
            Some((_, Sight::Page(page))) => {
                article_at(world, url).is_some() && self.pages.get(*url) != Some(page)
            }
            Some((_, Sight::Redirect | Sight::Gone)) | None => false,
        };
        self.shown.by_address.iter().filter(is_lost).map(|(url, _)| url.clone()).collect()
    }

    /// The articles that were not announced, or changed less often than their only address showed the run.
    fn untold(&self, world: &LivingWorld) -> Vec<String> {
        let is_untold = |(url, events): &(&String, &Vec<Value>)| {
            let count = |kind: EventKind| {
                let kind = serde_json::json!(kind);
                events.iter().filter(|event| event[0] == kind).count()
            };
            let states = self.shown.states_of(world, url);
            states.is_some_and(|states| count(EventKind::New) == 0 || count(EventKind::Changed) + 1 < states)
        };
        self.lives.iter().filter(is_untold).map(|(url, _)| url.clone()).collect()
    }
}

/// What `verify` finds wrong with a run.
async fn unproved(parts: &Parts) -> anyhow::Result<Vec<String>> {
    let state = parts.stores.state.as_ref();
    let sites: Vec<Site> = state.sites().await?.into_iter().map(|(site, _)| site).collect();
    let params = parts.params.clone();
    let recompute = |page: FetchedPage| {
        let bytes = page.bytes().unwrap_or_default();
        Computed::from(page.analyse(&bytes, &params))
    };
    let archive = parts.stores.archive.as_ref();
    let report = verify(state, archive, &sites, &params.generation(), recompute, |_| {}).await?;
    if report.is_proof() {
        return Ok(Vec::new());
    }
    let cells = report.differences.iter().map(|cell| format!("{}: {:?}", cell.site, cell.cell));
    let lists = [&report.missing, &report.outdated, &report.changed, &report.without_article];
    let pages = lists.into_iter().flatten().map(ToString::to_string);
    let histories = report.histories.iter().map(|fault| format!("{}: {}", fault.url, fault.what));
    let registry = report.registry.faults.iter().map(|fault| format!("{fault:?}"));
    Ok(cells.chain(pages).chain(histories).chain(registry).collect())
}

/// Events, with a `changed` after another one as one with it.
fn merged(events: Option<&Vec<Value>>) -> Option<Vec<Value>> {
    let mut events = events?.clone();
    let changed = serde_json::json!(EventKind::Changed);
    events.dedup_by(|next, before| next[0] == changed && before[0] == changed);
    Some(events)
}

fn site_of(url: &str) -> Option<String> {
    Some(url.parse::<CanonicalUrl>().ok()?.site().to_string())
}

/// The keys whose values differ, or that only one has.
fn differing<V: PartialEq>(one: &BTreeMap<String, V>, other: &BTreeMap<String, V>) -> Vec<String> {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).cloned().collect()
}

/// The keys of concepts, and the relations. Identifiers depend on the keys that concepts had at first.
fn taxonomy_parts(taxonomy: &Value) -> BTreeSet<String> {
    let list = |name: &str| taxonomy[name].as_array().into_iter().flatten();
    let concepts = list("concepts").map(|concept| concept["key"].to_string());
    let relations =
        list("relations").map(|relation| format!("{} > {}", relation["broader"], relation["narrower"]));
    concepts.chain(relations).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::SMALL;
    use super::*;

    /// A site's name, the addresses of two of its articles, and an advert.
    struct Scene {
        world: LivingWorld,
        site: String,
        articles: [String; 2],
        advert: String,
    }

    fn scene() -> Scene {
        let world = LivingWorld::generate(&SMALL);
        let site = &world.sites()[2];
        let has_one = |article: &usize| site.addresses_of(*article).len() == 1;
        let mut addresses = (0..).filter(has_one).map(|article| site.addresses_of(article).remove(0).0);
        let articles = [addresses.next().unwrap(), addresses.next().unwrap()];
        let advert = format!("http://{}/partner/offer-1", site.host);
        let site = Site::of_host(&site.host).to_string();
        Scene { world, site, articles, advert }
    }

    /// A run to which addresses showed these pages, one after the other, and that counts the last one of each.
    fn run(scene: &Scene, seen: &[(&String, &str)]) -> Held {
        let mut held = Held::default();
        for (at, (url, page)) in seen.iter().enumerate() {
            let sights = held.shown.by_address.entry((*url).clone()).or_default();
            sights.push((at as u64, Sight::Page((*page).to_owned())));
            held.pages.insert((*url).clone(), (*page).to_owned());
            if !scene.articles.contains(url) {
                continue;
            }
            let life = held.lives.entry((*url).clone()).or_default();
            life.push(json!([if life.is_empty() { "new" } else { "changed" }, null]));
            held.articles.insert((*url).clone(), json!({ "title": *url, "body": *page, "confidence": 1.0 }));
            held.notes.insert((*url).clone(), Value::Null);
            held.filing.insert((*url).clone(), BTreeSet::from(["Nature".to_owned()]));
        }
        held.sums.insert(scene.site.clone(), format!("{:?}", held.pages));
        held.templates.insert(scene.site.clone(), vec![json!("a template")]);
        held.taxonomy = json!({ "concepts": [{ "key": "nature" }], "relations": [] });
        held
    }

    fn counts(kinds: &Kinds) -> Vec<(&'static str, usize)> {
        let found = kinds.named().into_iter().map(|(what, found)| (what, found.count));
        found.filter(|(_, count)| *count > 0).collect()
    }

    #[test]
    fn equal_runs_do_not_differ() {
        let scene = scene();
        let [one, two] = &scene.articles;
        let seen = [(one, "a1"), (two, "b1"), (one, "a2")];
        let differences = run(&scene, &seen).differences(&run(&scene, &seen), &scene.world);
        assert_eq!(differences, Differences::default());
        assert!(differences.are_none());
    }

    #[test]
    fn an_edit_that_one_run_did_not_see_explains_the_life_the_templates_and_nothing_else() {
        let scene = scene();
        let [one, two] = &scene.articles;
        let mut all = run(&scene, &[(one, "a1"), (two, "b1"), (one, "a2"), (one, "a3")]);
        let less = run(&scene, &[(one, "a1"), (two, "b1"), (one, "a3")]);
        all.templates.insert(scene.site.clone(), vec![json!("another template")]);
        let differences = all.differences(&less, &scene.world);
        assert_eq!(counts(&differences.must_not_differ), []);
        assert_eq!(counts(&differences.may_differ), [("lives", 1), ("templates", 1)]);
        assert_eq!(differences.merged_edits, 1);
        assert!(differences.are_none());
        // The evidence of a body names its template; the body must be the same.
        all.articles.get_mut(two).unwrap()["evidence"] = json!("a template");
        let differences = all.differences(&less, &scene.world);
        assert_eq!(counts(&differences.may_differ), [("articles", 1), ("lives", 1), ("templates", 1)]);
        all.articles.get_mut(two).unwrap()["body"] = json!("half of it");
        assert_eq!(counts(&all.differences(&less, &scene.world).must_not_differ), [("articles", 1)]);
    }

    #[test]
    fn the_last_page_before_a_redirect_and_a_second_404_explain_pages() {
        let scene = scene();
        let [one, two] = &scene.articles;
        let [mut late, mut early] = ["a2", "a1"].map(|page| run(&scene, &[(one, page), (two, "b1")]));
        for held in [&mut late, &mut early] {
            held.shown.by_address.get_mut(one).unwrap().push((9, Sight::Redirect));
            held.shown.by_address.get_mut(two).unwrap().push((9, Sight::Gone));
        }
        late.shown.by_address.get_mut(two).unwrap().push((10, Sight::Gone));
        late.pages.insert(two.clone(), GONE.to_owned());
        let differences = late.differences(&early, &scene.world);
        assert_eq!((differences.must_not_differ.pages.count, differences.may_differ.pages.count), (0, 2));
        early.shown = late.shown.clone();
        let differences = late.differences(&early, &scene.world);
        assert_eq!((differences.must_not_differ.pages.count, differences.may_differ.pages.count), (2, 0));
    }

    #[test]
    fn a_listing_that_leads_elsewhere_now_may_count_as_it_was_some_hours_before() {
        const HOUR: u64 = 3_600_000;
        let scene = scene();
        let section = format!("http://{}/section/sport", scene.world.sites()[2].host);
        let counting = |url: &String, page: &str| {
            let mut held = run(&scene, &[(url, page)]);
            let states = [(0, "s0"), (2, "s1"), (7, "s2"), (9, "s3"), (10, "s4")];
            let sights = states.map(|(hour, page)| (hour * HOUR, Sight::Page(page.to_owned())));
            held.shown.by_address.insert(url.clone(), sights.to_vec());
            held
        };
        let differences = |url: &String, [one, two]: [&str; 2], ending: Option<Sight>| {
            let [mut one, mut two] = [counting(url, one), counting(url, two)];
            for held in [&mut one, &mut two] {
                held.shown
                    .by_address
                    .get_mut(url)
                    .unwrap()
                    .extend(ending.clone().map(|sight| (11 * HOUR, sight)));
            }
            let differences = one.differences(&two, &scene.world);
            (differences.must_not_differ.pages.count, differences.may_differ.pages.count)
        };
        // Its last state is of the tenth hour, and in the six hours before it was handed on once; in the fourth it showed "s1".
        assert_eq!(differences(&section, ["s1", "s4"], Some(Sight::Redirect)), (0, 1));
        assert_eq!(differences(&section, ["s2", "s3"], Some(Sight::Gone)), (0, 1));
        // Older states do not count, nor does one of a listing that still shows a page, nor one of an article.
        assert_eq!(differences(&section, ["s0", "s4"], Some(Sight::Redirect)), (1, 0));
        assert_eq!(differences(&section, ["s2", "s3"], None), (1, 0));
        assert_eq!(differences(&scene.articles[0], ["s2", "s3"], Some(Sight::Redirect)), (1, 0));
    }

    #[test]
    fn an_edit_after_the_last_visit_of_one_run_explains_page_sums_article_and_filing() {
        let scene = scene();
        let [one, two] = &scene.articles;
        let late = run(&scene, &[(one, "a1"), (two, "b1"), (one, "a2")]);
        let mut early = run(&scene, &[(one, "a1"), (two, "b1")]);
        early.filing.insert(one.clone(), BTreeSet::new());
        let differences = late.differences(&early, &scene.world);
        assert_eq!(counts(&differences.must_not_differ), []);
        let kinds = [("sums", 1), ("pages", 1), ("articles", 1), ("lives", 1), ("filing", 1)];
        assert_eq!(counts(&differences.may_differ), kinds);
        assert_eq!((differences.met_by_one, differences.merged_edits), (0, 0));
    }

    #[test]
    fn a_page_that_one_run_met_explains_the_sums_and_what_other_pages_say_of_articles_but_not_their_text() {
        let scene = scene();
        let [one, two] = &scene.articles;
        let with = run(&scene, &[(one, "a1"), (two, "b1"), (&scene.advert, "c1")]);
        let mut without = run(&scene, &[(one, "a1"), (two, "b1")]);
        without.articles.get_mut(one).unwrap()["confidence"] = json!(0.9);
        let differences = with.differences(&without, &scene.world);
        assert_eq!(counts(&differences.must_not_differ), []);
        assert_eq!(counts(&differences.may_differ), [("sums", 1), ("pages", 1), ("articles", 1)]);
        assert_eq!(differences.met_by_one, 1);
        without.articles.get_mut(two).unwrap()["body"] = json!("half of it");
        let differences = with.differences(&without, &scene.world);
        assert_eq!(differences.must_not_differ.articles.first, std::slice::from_ref(two));
        assert!(!differences.are_none());
    }

    #[test]
    fn nothing_explains_what_differs_between_runs_that_were_shown_the_same() {
        let scene = scene();
        let [one, two] = &scene.articles;
        let seen = [(one, "a1"), (two, "b1"), (one, "a2")];
        let whole = run(&scene, &seen);
        let mut other = run(&scene, &seen);
        other.lives.get_mut(one).unwrap().pop();
        other.sums.insert(scene.site.clone(), "counted twice".to_owned());
        other.articles.get_mut(two).unwrap()["confidence"] = json!(0.9);
        other.filing.insert(two.clone(), BTreeSet::new());
        other.templates.insert(scene.site.clone(), Vec::new());
        other.taxonomy = json!({ "concepts": [], "relations": [] });
        let differences = whole.differences(&other, &scene.world);
        let kinds =
            [("sums", 1), ("articles", 1), ("lives", 1), ("filing", 1), ("taxonomy", 1), ("templates", 1)];
        assert_eq!(counts(&differences.must_not_differ), kinds);
        assert_eq!(counts(&differences.may_differ), []);
        assert!(!differences.are_none());
    }

    #[test]
    fn an_edit_that_was_shown_and_is_in_no_event_is_untold() {
        let scene = scene();
        let (site, article, edit) = (scene.world.sites().iter())
            .find_map(|site| {
                let is_plain = |article: &usize| {
                    let facts = &site.articles[*article];
                    site.addresses_of(*article).len() == 1
                        && facts.edits_ms.first().is_some_and(|edit| *edit <= scene.world.end())
                };
                let article = (0..site.articles.len()).find(is_plain)?;
                Some((site, article, site.articles[article].edits_ms[0]))
            })
            .unwrap();
        let url = site.addresses_of(article).remove(0).0;
        let life = |told: &[&str], sights: &[u64]| {
            let mut held = Held::default();
            held.lives.insert(url.clone(), told.iter().map(|event| json!([event, null])).collect());
            let sight = |at: &u64| (*at, Sight::Page(format!("page of {at}")));
            held.shown.by_address.insert(url.clone(), sights.iter().map(sight).collect());
            held.untold(&scene.world)
        };
        assert_eq!(life(&["new", "changed"], &[edit - 1, edit]), [""; 0]);
        assert_eq!(life(&["new"], &[edit]), [""; 0]);
        assert_eq!(life(&["new"], &[edit - 2, edit - 1]), [""; 0], "another layout is no edit");
        assert_eq!(life(&["new"], &[edit - 1, edit]), [url.as_str()]);
        assert_eq!(life(&[], &[edit]), [url.as_str()]);
    }

    #[test]
    fn a_text_that_was_shown_and_does_not_count_is_lost_and_what_cannot_be_proved_is_a_fault() {
        let scene = scene();
        let [one, two] = &scene.articles;
        let seen = [(one, "a1"), (two, "b1"), (one, "a2")];
        let whole = run(&scene, &seen);
        let mut lossy = run(&scene, &seen);
        lossy.pages.insert(one.clone(), "a1".to_owned());
        lossy.pages.remove(two);
        lossy.unproved.push("a sum".to_owned());
        let differences = whole.differences(&lossy, &scene.world);
        assert_eq!(differences.lost.count, 2);
        assert_eq!(differences.unproved.first, ["a sum"]);
        assert_eq!(differences.must_not_differ.pages.count, 2);
        assert!(!differences.are_none());
    }
}
