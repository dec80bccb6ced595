//! Which labels are concepts: they recur over sites, are linked inside them, and are listed with other concepts.
//!
//! A label is a candidate once enough sites link it inside themselves ([`least_support`]). `[OM05 §5.1]` drops labels that
//! are never a link and those whose links all leave the site. That leaves as much menu junk as concepts, since "log in"
//! recurs as "politics" does. Three tests tell them apart:
//! 1. A label must lead to one place that has no better name ([`faults`](crate::mining::faults)).
//! 2. It must keep good company. Its own score, by the traits of its links, flows through the lists that contain it
//!    (`company`). Learnt trees weigh that score with the traits of the label and of its company (`likeness`). Where the
//!    trees cannot judge, the scores are split into two groups ([`otsu`]).
//! 3. Once its pages are read, they must file stories of their own (the third abridgement rule).
//!
//! Invariant: a pure function of the sites' sums. Start at [`judge`], which gives one [`Verdict`] for each label.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::mining::faults::Fault;
use crate::mining::index::{Id, Index, Indexer, NONE, SiteLabel};
use crate::mining::summary::SiteSummary;

mod company;
pub(in crate::mining) mod key;
mod likeness;
mod merge;
mod tally;
mod verdict;
use key::language;
pub(crate) use merge::led_together;
pub use merge::{alike, by_target};
pub use verdict::{Judged, Verdict, verdict_of};

/// With fewer sites the split alone is not trusted: see [`Split::is_strict`].
const FEW_SITES: usize = 5;
/// If links spell less than this share of a language's labels, its paths are in other letters than its labels.
const SPELLED: f64 = 0.05;
/// Halves with closer means are one group, which is kept as a whole: a split would only find noise.
const LEAST_GAP: f64 = 0.05;

/// `Sup`: the number of sites that must show a label, or a pair, before it is frequent. If `configured` is 0,
/// the number of sites decides: 2, or 3 from 60 sites up, where two sites may agree by chance.
#[must_use]
pub fn least_support(configured: u32, sites: usize) -> u32 {
    match (configured, sites) {
        (0, 0..60) => 2,
        (0, _) => 3,
        (chosen, _) => chosen,
    }
}

/// Judges every label that at least `support` sites link, by key. `support` 1 judges all.
#[must_use]
pub fn judge(sites: &[Arc<SiteSummary>], support: u32) -> BTreeMap<String, Judged> {
    judged(&Indexer::default().index(sites), support)
}

/// The same for an index.
pub(crate) fn judged(index: &Index, support: u32) -> BTreeMap<String, Judged> {
    let mut count = index.names.table(0u32);
    for label in index.sites.iter().flat_map(|site| &site.labels).filter(|label| label.is_shown) {
        count[label.id as usize] += 1;
    }
    // A phrase that recurs only in texts is no label and must stay out of the split: it needs a link.
    let mut slots = index.names.table(NONE);
    let mut shown: Vec<LabelTotals> = Vec::new();
    for (id, slot) in slots.iter_mut().enumerate().filter(|(id, _)| count[*id] >= support.max(1)) {
        *slot = shown.len() as Id;
        shown.push(LabelTotals::of(index.names.name(id as Id)));
    }
    let slot = |id: Id| slots.get(id as usize).map_or(usize::MAX, |slot| *slot as usize);
    for (at, site) in index.sites.iter().enumerate() {
        for label in site.labels.iter().filter(|label| label.is_shown) {
            let Some(totals) = shown.get_mut(slot(label.id)) else { continue };
            totals.sites.push(at);
            totals.add_site(label);
        }
        for id in &site.directories {
            if let Some(totals) = shown.get_mut(slot(*id)) {
                totals.directories += 1;
            }
        }
    }
    let mut judged: BTreeMap<String, Judged> =
        shown.into_iter().map(|totals| (totals.key.to_owned(), candidate(totals, support))).collect();
    company::spread_scores(&mut judged, index);
    match index.sites.len() {
        0..FEW_SITES => judge_by_split(&mut judged, index.sites.len()),
        _ => judge_by_trees(&mut judged, index),
    }
    apply_third_rule(&mut judged);
    judged
}

/// A label that the expansion adds, on the evidence of these sites alone. It is a concept, whatever other sites say.
#[must_use]
pub(crate) fn judge_alone(key: &str, on: Vec<usize>, index: &Index) -> Judged {
    let mut totals = LabelTotals::of(key);
    let labels = on.iter().filter_map(|at| index.sites.get(*at)?.label(key, index.names));
    labels.for_each(|label| totals.add_site(label));
    totals.sites = on;
    Judged { verdict: Verdict::Concept, ..candidate(totals, 1) }
}

/// Judges by the paper's three abridgement rules alone (`[OM05 §5.1]`).
#[must_use]
pub fn judge_by_paper(sites: &[Arc<SiteSummary>], support: u32) -> BTreeMap<String, Judged> {
    apply_paper_rules(judge(sites, support))
}

/// The same for labels that were judged by all evidence.
pub(crate) fn apply_paper_rules(mut judged: BTreeMap<String, Judged>) -> BTreeMap<String, Judged> {
    for label in judged.values_mut() {
        label.verdict = match label.verdict {
            verdict @ (Verdict::TooFewSites
            | Verdict::NoWord
            | Verdict::NowhereALink
            | Verdict::LeavesItsSite) => verdict,
            _ if label.files.is_some_and(|files| files < 0.5) => Verdict::FilesNothing,
            _ => Verdict::Concept,
        };
    }
    judged
}

/// A label over all sites, before it is judged. Its sites are summed as they are visited, since the fold visits some hundred
/// thousand.
#[derive(Default)]
struct LabelTotals<'a> {
    key: &'a str,
    sites: Vec<usize>,
    /// Sites that link it, and sites that link it inside themselves.
    linked: usize,
    inside: usize,
    /// Over the sites that link it.
    sums: Shares,
    faults: tally::Tally,
    /// Number of sites on which a page of the label was read, and of those on which such a page files stories.
    read: usize,
    filing: usize,
    /// Number of sites with stories in a directory of its name.
    directories: usize,
}

/// The fields are sums of the fields of the same names in [`SiteLabel`].
#[derive(Default)]
struct Shares {
    spelled: f64,
    inside: f64,
    empty: f64,
    no_follow: f64,
    tail: f64,
    grouped: f64,
}

impl<'a> LabelTotals<'a> {
    fn of(key: &'a str) -> LabelTotals<'a> {
        LabelTotals { key, ..LabelTotals::default() }
    }

    /// Adds the label as one more site shows it.
    fn add_site(&mut self, label: &SiteLabel) {
        self.read += usize::from(label.files.is_some());
        self.filing += usize::from(label.files == Some(true));
        if label.is_linked {
            self.linked += 1;
            self.inside += usize::from(label.is_inside);
            self.sums.spelled += label.spelled;
            self.sums.inside += label.inside;
            self.sums.empty += label.empty;
            self.sums.no_follow += label.no_follow;
            self.sums.tail += label.tail;
            self.sums.grouped += label.grouped;
            self.faults.add(label.fault);
        }
    }
}

/// The abridgement rules, the faults and the own score: everything that needs no other label.
fn candidate(totals: LabelTotals, support: u32) -> Judged {
    let LabelTotals { key, sites, linked, inside, sums, faults, read, filing, directories } = totals;
    let words = key.split_once(':').map_or(key, |(_, stems)| stems);
    let verdict = if !words.chars().any(char::is_alphabetic) {
        Verdict::NoWord
    } else if linked == 0 {
        Verdict::NowhereALink
    } else if inside == 0 {
        Verdict::LeavesItsSite
    } else if inside < support as usize {
        Verdict::TooFewSites
    } else {
        faults.usual(linked).map_or(Verdict::Concept, Verdict::Fault)
    };
    let count = linked.max(1) as f64;
    let (spelled, tail) = (sums.spelled / count, sums.tail / count);
    let filed = (directories as f64 / count).min(1.0);
    let (not_empty, followed) = (1.0 - sums.empty / count, 1.0 - sums.no_follow / count);
    let shares = [spelled, filed, sums.inside / count, not_empty, followed, 1.0 - tail];
    let own = shares.iter().sum::<f64>() / shares.len() as f64;
    let own = if linked < support as usize { 0.0 } else { own };
    let grouped = sums.grouped / count;
    // The share of sites where the label's page files stories, among those that counted such a page.
    let files = (read > 0).then(|| filing as f64 / read as f64);
    Judged { sites, own, score: own, spelled, tail, grouped, files, verdict }
}

/// The third abridgement rule. Until pages of half of the candidates are read, a label whose pages are not is taken for a
/// concept, so that its pages are fetched. After that it is dropped, since its pages could not be read (gone, forbidden,
/// redirected).
fn apply_third_rule(judged: &mut BTreeMap<String, Judged>) {
    let kept = || judged.values().filter(|label| label.verdict == Verdict::Concept);
    let is_read = 2 * kept().filter(|label| label.files.is_some()).count() >= kept().count();
    for label in judged.values_mut().filter(|label| label.verdict == Verdict::Concept) {
        match label.files {
            Some(files) if files < 0.5 => label.verdict = Verdict::FilesNothing,
            None if is_read => label.verdict = Verdict::Unread,
            _ => {}
        }
    }
}

/// Drops the candidates that the trees reject. In languages whose paths are in other letters, links never spell their labels;
/// the trees would miss their best trait there, so the scores are split instead.
fn judge_by_trees(judged: &mut BTreeMap<String, Judged>, index: &Index) {
    let sums = likeness::sums(judged, index);
    let unspelled = unspelled(judged);
    let linked = judged.iter_mut().filter(|(_, label)| label.own > 0.0);
    for ((key, label), sum) in linked.zip(sums) {
        if let Some(least) = unspelled.get(language(key)) {
            if label.verdict == Verdict::Concept && label.score < *least {
                label.verdict = Verdict::BadCompany;
            }
            continue;
        }
        // The trees weigh these shares themselves: on how many sites it leads inside, or is a second name.
        let is_open = matches!(
            label.verdict,
            Verdict::Concept
                | Verdict::TooFewSites
                | Verdict::Fault(Fault::SecondName | Fault::LeadsAnywhere)
        );
        label.verdict = match label.verdict {
            _ if is_open && sum >= likeness::LEAST => Verdict::Concept,
            Verdict::Concept => Verdict::BadCompany,
            verdict => verdict,
        };
    }
}

/// The languages whose links hardly ever spell their labels, each with the least score of its upper group.
fn unspelled(judged: &BTreeMap<String, Judged>) -> BTreeMap<String, f64> {
    let mut labels: BTreeMap<&str, (f64, Vec<f64>)> = BTreeMap::new();
    for (key, label) in judged.iter().filter(|(_, label)| label.own > 0.0) {
        let (spelled, scores) = labels.entry(language(key)).or_default();
        *spelled += label.spelled;
        scores.push(label.score);
    }
    let few = labels.into_iter().filter(|(_, (spelled, scores))| *spelled < SPELLED * scores.len() as f64);
    few.map(|(language, (_, scores))| (language.to_owned(), otsu(scores).unwrap_or(f64::NEG_INFINITY)))
        .collect()
}

/// The names of the measures by which the trees decide.
#[must_use]
pub fn measures() -> Vec<String> {
    likeness::measures()
}

/// The keys of the labels that enough sites link, and their measures in rows: what the trees learn from.
#[must_use]
pub fn measured(sites: &[Arc<SiteSummary>], support: u32) -> (Vec<String>, Vec<f32>) {
    let mut indexer = Indexer::default();
    let index = indexer.index(sites);
    let judged = judged(&index, support);
    let rows = likeness::rows(&judged, &index);
    (judged.into_iter().filter(|(_, label)| label.own > 0.0).map(|(key, _)| key).collect(), rows)
}

/// Drops the lower group of the remaining candidates, if their scores fall into two groups.
fn judge_by_split(judged: &mut BTreeMap<String, Judged>, sites: usize) {
    let split = Split::of(judged, sites);
    for label in judged.values_mut().filter(|label| label.verdict == Verdict::Concept) {
        if !split.keeps(label) {
            label.verdict = Verdict::BadCompany;
        }
    }
}

/// A split of the candidates by their scores.
struct Split {
    /// The least score of the upper group.
    least: f64,
    /// With few sites one list decides a score. So a label must also have the traits of a section by itself: its links spell
    /// it (if any candidate's do) and are not at the end of the page.
    is_strict: bool,
    spelling_tells: bool,
}

impl Split {
    fn of(judged: &BTreeMap<String, Judged>, sites: usize) -> Split {
        let linked = judged.values().filter(|label| label.own > 0.0);
        let least = otsu(linked.map(|label| label.score).collect());
        let mut candidates = judged.values().filter(|label| label.verdict == Verdict::Concept);
        Split {
            least: least.unwrap_or(f64::NEG_INFINITY),
            is_strict: sites < FEW_SITES || judged.values().all(|label| label.score == label.own),
            spelling_tells: candidates.any(|label| label.spelled >= 0.5),
        }
    }

    fn keeps(&self, label: &Judged) -> bool {
        let looks_right = label.tail < 0.5 && (label.spelled >= 0.5 || !self.spelling_tells);
        label.score >= self.least && (looks_right || !self.is_strict)
    }
}

/// Otsu's split: the least value of the upper group, where the variance between the groups is largest. `None` if all values
/// are equal, or the means of the groups differ by less than a twentieth.
#[must_use]
pub fn otsu(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    // Each gap between neighbours is a possible split; running sums give both means.
    let (count, total) = (values.len() as f64, values.iter().sum::<f64>());
    let mut below = 0.0;
    let mut best: Option<(f64, f64, f64)> = None;
    for (at, pair) in values.windows(2).enumerate() {
        let [value, next] = pair else { continue };
        below += value;
        if value == next {
            continue;
        }
        let lower = (at + 1) as f64;
        let gap = (total - below) / (count - lower) - below / lower;
        let between = lower * (count - lower) * gap * gap;
        if best.is_none_or(|(most, ..)| between > most) {
            best = Some((between, gap, *next));
        }
    }
    best.filter(|(_, gap, _)| *gap >= LEAST_GAP).map(|(.., least)| least)
}

#[cfg(test)]
mod tests;
