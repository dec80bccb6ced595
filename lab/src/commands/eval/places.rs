//! `newslode-lab eval places`: learns the own scheme of whole recorded sites and scores the places of their articles.
//!
//! A folder of sites holds a folder for each: `manifest.jsonl` (file, url), `kinds.jsonl` (url, kind) and `gold.jsonl` (url,
//! sections, tags). Which pages are articles is taken from `kinds.jsonl`, so that the scheme alone is measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use newslode::exit::{Exit, hinted};
use newslode::out;
use newslode::progress::ProgressDisplay;
use newslode_miner::mining::site_scheme::{
    Place, PlaceFinder, SchemePage, SiteScheme, SlotReport, broader_in_words, folded,
};
use newslode_page::article::NamedLink;
use newslode_page::contribution::Contribution;
use newslode_page::extract::SlotUse;
use newslode_page::reading::CanonicalUrl;
use newslode_page::{Params, Timestamp, analyse};
use serde::{Deserialize, Serialize};

use crate::args::EvalPlacesArgs;
use crate::eval::read_lines;

/// When the pages count as fetched: after all of them were written.
const FETCHED_AT: Timestamp = Timestamp(1_790_000_000_000);

#[derive(Debug, Deserialize)]
struct Stored {
    file: String,
    url: String,
}

#[derive(Debug, Deserialize)]
struct Kind {
    url: String,
    kind: String,
}

#[derive(Debug, Deserialize)]
struct Gold {
    url: String,
    sections: Option<Vec<String>>,
    tags: Option<Vec<String>>,
}

/// A page as it was read.
struct ReadPage {
    url: CanonicalUrl,
    /// The address in the manifest, by which kinds and gold name it.
    said: String,
    contribution: Contribution,
    slots: Vec<SlotUse>,
    authors: Vec<String>,
    published: Option<String>,
    breadcrumbs: Vec<NamedLink>,
}

/// What is counted of a site.
#[derive(Clone, Debug, Default, Serialize)]
struct Counts {
    articles: usize,
    /// Articles with a place.
    placed: usize,
    /// Articles with a place and a gold section or tag, and those whose best place is one of them.
    judged: usize,
    best: usize,
    /// Places of these, and those that are a gold section or tag.
    places: usize,
    right: usize,
    /// Gold sections and tags, and those that a place names.
    expected: usize,
    found: usize,
    sections: usize,
    found_sections: usize,
    /// By the number of kinds of evidence: judged places, and those that are right.
    by_evidence: BTreeMap<usize, (usize, usize)>,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        let pairs = [
            (&mut self.articles, other.articles),
            (&mut self.placed, other.placed),
            (&mut self.judged, other.judged),
            (&mut self.best, other.best),
            (&mut self.places, other.places),
            (&mut self.right, other.right),
            (&mut self.expected, other.expected),
            (&mut self.found, other.found),
            (&mut self.sections, other.sections),
            (&mut self.found_sections, other.found_sections),
        ];
        pairs.into_iter().for_each(|(sum, by)| *sum += by);
        for (kinds, (judged, right)) in &other.by_evidence {
            let sum = self.by_evidence.entry(*kinds).or_default();
            *sum = (sum.0 + judged, sum.1 + right);
        }
    }

    fn row(&self, name: &str) -> String {
        let share = |part: usize, of: usize| match of {
            0 => "    –".to_owned(),
            _ => format!("{:.3}", part as f64 / of as f64),
        };
        format!(
            "{name:40} {:>8} {:>7} {:>6} {:>6} {:>8} {:>9}",
            self.articles,
            share(self.placed, self.articles),
            share(self.best, self.judged),
            share(self.right, self.places),
            share(self.found_sections, self.sections),
            share(self.found, self.expected),
        )
    }
}

/// What is hidden of the pages before a site's scheme is learnt.
struct Ablation {
    name: &'static str,
    /// Whether slots of this name are hidden.
    hides: fn(&str) -> bool,
    /// Whether the links of all pages are hidden. By these, listings list articles back and give places to those without.
    hides_listings: bool,
}

/// The kinds of evidence, each left out, and what few kinds give alone.
const ABLATIONS: [Ablation; 11] = [
    Ablation { name: "without links with rel", hides: is_rel, hides_listings: false },
    Ablation {
        name: "without other links",
        hides: |slot| is_link(slot) && !is_rel(slot),
        hides_listings: false,
    },
    Ablation { name: "without all links", hides: is_link, hides_listings: false },
    Ablation { name: "without directories", hides: is_directory, hides_listings: false },
    Ablation { name: "without meta names", hides: |slot| slot.starts_with("meta "), hides_listings: false },
    Ablation { name: "without JSON-LD", hides: |slot| slot.starts_with("json "), hides_listings: false },
    Ablation { name: "without microdata", hides: |slot| slot.starts_with("item "), hides_listings: false },
    Ablation { name: "without classes", hides: |slot| slot.starts_with("class "), hides_listings: false },
    Ablation { name: "without listings", hides: |_| false, hides_listings: true },
    Ablation {
        name: "links, directories, listings alone",
        hides: |slot| !is_link(slot) && !is_directory(slot),
        hides_listings: false,
    },
    Ablation {
        name: "declarations alone",
        hides: |slot| is_directory(slot) || is_link(slot) && !is_rel(slot),
        hides_listings: true,
    },
];

/// A site of which fewer pages are read.
struct Part {
    name: &'static str,
    /// The articles that are read, in thousandths.
    articles: u64,
    /// The other pages that are read, in thousandths. The front page always is.
    others: u64,
}

/// Parts of a site, as a crawl that has begun or that follows the news alone reads them.
const PARTS: [Part; 8] = [
    Part { name: "half of the articles", articles: 500, others: 1000 },
    Part { name: "a tenth of the articles", articles: 100, others: 1000 },
    Part { name: "half of the other pages", articles: 1000, others: 500 },
    Part { name: "a fifth of the other pages", articles: 1000, others: 200 },
    Part { name: "a twentieth of the other pages", articles: 1000, others: 50 },
    Part { name: "articles and the front page alone", articles: 1000, others: 0 },
    Part { name: "a fifth of all pages", articles: 200, others: 200 },
    Part { name: "a tenth of the articles and the front page", articles: 100, others: 0 },
];

impl Part {
    /// Whether it has a page; equal on every machine.
    fn has(&self, page: &ReadPage, is_article: bool) -> bool {
        let of_all = if is_article { self.articles } else { self.others };
        let is_front = url::Url::parse(page.url.as_str()).is_ok_and(|url| url.path() == "/");
        let number = page.url.as_str().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        is_front || (number >> 32) % 1000 < of_all
    }
}

fn is_link(slot: &str) -> bool {
    slot.starts_with("a ")
}

fn is_rel(slot: &str) -> bool {
    slot.starts_with("a rel=")
}

fn is_directory(slot: &str) -> bool {
    slot.starts_with("dir ")
}

pub(super) fn run(args: &EvalPlacesArgs, quiet: bool) -> anyhow::Result<Exit> {
    let mut sites: Vec<PathBuf> = std::fs::read_dir(&args.pages)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("kinds.jsonl").exists())
        .collect();
    sites.sort();
    if let Some(only) = &args.site {
        sites.retain(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().contains(only.as_str()))
        });
    }
    if sites.is_empty() {
        let path = args.pages.display();
        return Err(hinted(
            format!("no site in `{path}`"),
            "each site is a folder with manifest.jsonl, kinds.jsonl and gold.jsonl",
        ));
    }
    let header = format!(
        "{:40} {:>8} {:>7} {:>6} {:>6} {:>8} {:>9}",
        "site", "articles", "placed", "best", "all", "sections", "with tags"
    );
    out::line(&header)?;
    let mut all = Counts::default();
    let mut ablated = [(); ABLATIONS.len()].map(|()| Counts::default());
    let mut in_part = [(); PARTS.len()].map(|()| Counts::default());
    for path in sites {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let site = RecordedSite::read(&path, quiet)?;
        let counts = site.score(args)?;
        out::line(counts.row(&name))?;
        all.add(&counts);
        if args.ablation {
            for (sum, ablation) in ablated.iter_mut().zip(&ABLATIONS) {
                sum.add(&site.score_ablated(args, ablation));
            }
        }
        if args.parts {
            for (sum, part) in in_part.iter_mut().zip(&PARTS) {
                let counts = site.score_part(args, part)?;
                out::line(counts.row(&format!("  {}", part.name)))?;
                sum.add(&counts);
            }
        }
    }
    out::line(all.row("all"))?;
    if args.ablation {
        for (counts, ablation) in ablated.iter().zip(&ABLATIONS) {
            out::line(counts.row(ablation.name))?;
        }
    }
    if args.parts {
        for (counts, part) in in_part.iter().zip(&PARTS) {
            out::line(counts.row(part.name))?;
        }
    }
    for (kinds, (judged, right)) in &all.by_evidence {
        let share = *right as f64 / (*judged).max(1) as f64;
        out::line(format!("places by {kinds} kinds of evidence: {judged}, right {share:.3}"))?;
    }
    Ok(Exit::Done)
}

/// A site whose pages are read.
struct RecordedSite {
    pages: Vec<ReadPage>,
    /// Address → what kind of page it is.
    kinds: BTreeMap<String, String>,
    gold: BTreeMap<String, Gold>,
}

impl RecordedSite {
    fn read(path: &Path, quiet: bool) -> anyhow::Result<RecordedSite> {
        let kinds: Vec<Kind> = read_lines(&path.join("kinds.jsonl"))?;
        let gold: Vec<Gold> = read_lines(&path.join("gold.jsonl"))?;
        Ok(RecordedSite {
            pages: read_pages(path, quiet)?,
            kinds: kinds.into_iter().map(|kind| (kind.url, kind.kind)).collect(),
            gold: gold.into_iter().map(|gold| (gold.url.clone(), gold)).collect(),
        })
    }

    fn is_article(&self, page: &ReadPage) -> bool {
        self.kinds.get(&page.said).is_some_and(|kind| kind == "article")
    }

    /// The slots of each page, without those that are hidden.
    fn slots(&self, hides: impl Fn(&str) -> bool) -> Vec<Vec<SlotUse>> {
        let shown = |page: &ReadPage| page.slots.iter().filter(|slot| !hides(&slot.slot)).cloned().collect();
        self.pages.iter().map(shown).collect()
    }

    /// Learns the site's scheme from those of its pages that `has` has.
    fn learn(
        &self,
        slots: &[Vec<SlotUse>],
        hides_listings: bool,
        has: impl Fn(&ReadPage) -> bool,
    ) -> (PlaceFinder, Vec<SlotReport>) {
        let scheme_page = |(page, slots)| -> SchemePage<'_> {
            let page: &ReadPage = page;
            let slots: &Vec<SlotUse> = slots;
            let is_article = self.is_article(page);
            SchemePage {
                url: &page.url,
                authors: is_article.then_some(page.authors.as_slice()),
                published: page.published.as_deref(),
                slots,
                breadcrumbs: if is_article { &page.breadcrumbs } else { &[] },
                links: if hides_listings { &[] } else { &page.contribution.links },
            }
        };
        let read = self.pages.iter().zip(slots).filter(|(page, _)| has(page));
        let pages: Vec<SchemePage<'_>> = read.map(scheme_page).collect();
        let (scheme, reports) = SiteScheme::learn(&pages);
        (PlaceFinder::new(scheme), reports)
    }

    /// Learns the site's scheme and scores it. Prints what was asked for.
    fn score(&self, args: &EvalPlacesArgs) -> anyhow::Result<Counts> {
        let slots = self.slots(|slot| is_hidden(args, slot));
        let (finder, reports) = self.learn(&slots, false, |_| true);
        if args.slots {
            print_slots(&reports)?;
        }
        if args.tree {
            print_tree(finder.scheme())?;
        }
        let (mut counts, mut shown) = (Counts::default(), 0);
        for (page, slots) in self.pages.iter().zip(&slots).filter(|(page, _)| self.is_article(page)) {
            let places = finder.places_of(&page.url, &page.authors, slots);
            let gold = self.gold.get(&page.said);
            let is_wrong = count(&mut counts, &places, gold);
            if is_wrong && shown < args.errors {
                shown += 1;
                let named: Vec<String> = places
                    .iter()
                    .map(|place| format!("{} [{}]", place.label, place.evidence.join(" ")))
                    .collect();
                let wanted =
                    gold.map(|gold| format!("{:?} {:?}", gold.sections, gold.tags)).unwrap_or_default();
                out::line(format!("  {}\n    {}\n    gold {wanted}", page.url, named.join(" | ")))?;
            }
        }
        Ok(counts)
    }

    /// The score of what is learnt with more hidden.
    fn score_ablated(&self, args: &EvalPlacesArgs, ablation: &Ablation) -> Counts {
        let slots = self.slots(|slot| is_hidden(args, slot) || (ablation.hides)(slot));
        let (finder, _) = self.learn(&slots, ablation.hides_listings, |_| true);
        let mut counts = Counts::default();
        for (page, slots) in self.pages.iter().zip(&slots).filter(|(page, _)| self.is_article(page)) {
            count(&mut counts, &finder.places_of(&page.url, &page.authors, slots), self.gold.get(&page.said));
        }
        counts
    }

    /// Learns the scheme from a part of the pages and scores the articles of that part.
    fn score_part(&self, args: &EvalPlacesArgs, part: &Part) -> anyhow::Result<Counts> {
        let slots = self.slots(|slot| is_hidden(args, slot));
        let has = |page: &ReadPage| part.has(page, self.is_article(page));
        let (finder, reports) = self.learn(&slots, false, has);
        if args.slots {
            print_slots(&reports)?;
        }
        let mut counts = Counts::default();
        let read = self.pages.iter().zip(&slots).filter(|(page, _)| self.is_article(page) && has(page));
        for (page, slots) in read {
            count(&mut counts, &finder.places_of(&page.url, &page.authors, slots), self.gold.get(&page.said));
        }
        Ok(counts)
    }
}

/// Whether slots of this name are to be hidden.
fn is_hidden(args: &EvalPlacesArgs, slot: &str) -> bool {
    args.without.iter().any(|prefix| slot.starts_with(prefix.as_str()))
}

/// Prints the place above each place, and the place that holds most of its articles as well.
fn print_tree(scheme: &SiteScheme) -> anyhow::Result<()> {
    for (at, place) in scheme.places().iter().enumerate() {
        let (label, articles) = (&place.label, place.articles);
        if let Some((broader, by)) = scheme.broader(at) {
            let by = broader_in_words(&by.by, by.articles);
            out::line(format!("  {} > {label} ({articles}), by {by}", broader.label))?;
        }
        if let Some((wider, mostly)) = scheme.mostly_in(at) {
            out::line(format!("  {label} ({articles}) is mostly in {}: {}", wider.label, mostly.articles))?;
        }
    }
    Ok(())
}

fn read_pages(path: &Path, quiet: bool) -> anyhow::Result<Vec<ReadPage>> {
    let rows: Vec<Stored> = read_lines(&path.join("manifest.jsonl"))?;
    let rows: Vec<Stored> = rows.into_iter().filter(|row| row.file.starts_with("pages/")).collect();
    let progress = ProgressDisplay::new(quiet);
    let read = |row: &Stored| -> Option<ReadPage> {
        let url: CanonicalUrl = row.url.parse().ok()?;
        let bytes = std::fs::read(path.join(&row.file)).ok()?;
        let found = analyse(&url, Some("text/html"), &bytes, FETCHED_AT, &Params::default());
        let (authors, published, breadcrumbs) = found
            .article
            .map(|article| (article.authors, article.published, article.breadcrumbs))
            .unwrap_or_default();
        Some(ReadPage {
            url,
            said: row.url.clone(),
            contribution: found.contribution,
            slots: found.slots,
            authors,
            published,
            breadcrumbs,
        })
    };
    let halves: Vec<&[Stored]> = rows.chunks(rows.len().div_ceil(2).max(1)).collect();
    let pages = std::thread::scope(|scope| {
        let work: Vec<_> = halves
            .iter()
            .map(|half| scope.spawn(|| half.iter().filter_map(read).collect::<Vec<_>>()))
            .collect();
        work.into_iter().filter_map(|work| work.join().ok()).flatten().collect()
    });
    drop(progress);
    Ok(pages)
}

/// A name as the gold is compared: without case, accents, punctuation and a final s.
fn plain(name: &str) -> String {
    let name = folded(name);
    name.strip_suffix('s').map_or(name.clone(), str::to_owned)
}

fn is_right(place: &Place, names: &BTreeSet<String>) -> bool {
    let last = place.address.as_deref().and_then(|address| {
        let path = address.split(['?', '#']).next()?.trim_end_matches('/');
        let last = path.rsplit('/').next()?;
        let last = last.rsplit_once('.').map_or(last, |(name, _)| name);
        let decoded = percent_decoded(last);
        Some(plain(&decoded))
    });
    names.contains(&plain(&place.label)) || last.is_some_and(|last| !last.is_empty() && names.contains(&last))
}

fn percent_decoded(text: &str) -> String {
    url::form_urlencoded::parse(text.as_bytes()).next().map(|(text, _)| text.into_owned()).unwrap_or_default()
}

/// Counts an article. Returns whether something is wrong or missing.
fn count(counts: &mut Counts, places: &[Place], gold: Option<&Gold>) -> bool {
    counts.articles += 1;
    counts.placed += usize::from(!places.is_empty());
    let named = |names: Option<&Vec<String>>| -> BTreeSet<String> {
        names.into_iter().flatten().map(|name| plain(name)).filter(|name| !name.is_empty()).collect()
    };
    let (sections, tags) = (
        named(gold.and_then(|gold| gold.sections.as_ref())),
        named(gold.and_then(|gold| gold.tags.as_ref())),
    );
    let names: BTreeSet<String> = sections.union(&tags).cloned().collect();
    let said = |name: &String| places.iter().any(|place| is_right(place, &BTreeSet::from([name.clone()])));
    let found = names.iter().filter(|name| said(name)).count();
    counts.expected += names.len();
    counts.found += found;
    counts.sections += sections.len();
    counts.found_sections += sections.iter().filter(|name| said(name)).count();
    let mut is_wrong = found < names.len() || places.is_empty();
    if !names.is_empty() && !places.is_empty() {
        let right: Vec<bool> = places.iter().map(|place| is_right(place, &names)).collect();
        counts.judged += 1;
        counts.best += usize::from(right.first() == Some(&true));
        counts.places += right.len();
        counts.right += right.iter().filter(|right| **right).count();
        for (place, right) in places.iter().zip(&right) {
            let of_kinds = counts.by_evidence.entry(place.evidence.len()).or_default();
            *of_kinds = (of_kinds.0 + 1, of_kinds.1 + usize::from(*right));
        }
        is_wrong |= right.contains(&false);
    }
    is_wrong
}

fn print_slots(reports: &[SlotReport]) -> anyhow::Result<()> {
    let mut sorted: Vec<&SlotReport> = reports.iter().collect();
    sorted.sort_by_key(|report| (report.rejected, std::cmp::Reverse(report.articles)));
    for report in sorted {
        let verdict = report.rejected.map_or("accepted".to_owned(), |why| format!("{why:?}").to_lowercase());
        let agreement = report.agreement.map_or("   –".to_owned(), |agreement| format!("{agreement:.2}"));
        out::line(format!(
            "  {verdict:14} {:5} articles {:5} targets, listed back {agreement}  {}  ({})",
            report.articles,
            report.targets,
            report.slot,
            report.examples.join(", ")
        ))?;
    }
    Ok(())
}
