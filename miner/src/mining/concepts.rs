//! Which labels are concepts: they recur over sites, are linked inside them, and stand in good company.
//!
//! A label is a candidate once enough sites link it inside themselves ([`least_support`]). `[OM05 §5.1]`
//! drops labels that are never a link and those whose links all leave the site. That leaves as much menu junk
//! as concepts, since "log in" recurs as "politics" does. Three tests tell them apart. First, a label must
//! lead to one place that has no better name ([`faults`](crate::mining::faults)). Second, it must keep good
//! company: its own score (how its links look) flows through the lists it stands in, and learnt trees weigh that
//! score with the traits of the label and of its company (`likeness`). Where they cannot judge, the scores are split
//! where they fall into two groups ([`otsu`]). Third, once its pages are read, they must file stories of their own
//! (the third abridgement rule).
//!
//! Invariant: a pure function of the sites' sums. Start at [`judge`]: it gives one [`Verdict`] for each
//! label.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::mining::faults::Fault;
use crate::mining::index::{Id, Index, Indexer, Look, NONE};
use crate::mining::summary::SiteSummary;

mod company;
mod genres;
mod key;
mod likeness;
mod merge;
mod tally;
mod verdict;
pub(crate) use genres::genres;
use key::language;
pub(crate) use merge::led_together;
pub use merge::{alike, by_target};
pub use verdict::{Judged, Verdict, verdict_of};

/// With fewer sites the split alone is not trusted: see [`Rule::strict`].
const FEW_SITES: usize = 5;
/// A language whose links spell less than this share of its labels is written in other letters than its paths.
const SPELLED: f64 = 0.05;
/// Halves closer than this are one group, and all of it is kept: the split would only find noise.
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
    for look in index.sites.iter().flat_map(|site| &site.looks).filter(|look| look.is_shown) {
        count[look.id as usize] += 1;
    }
    // A phrase that recurs only in texts is no label and must stay out of the split: it needs a link.
    let mut slots = index.names.table(NONE);
    let mut shown: Vec<Shown> = Vec::new();
    for (id, slot) in slots.iter_mut().enumerate().filter(|(id, _)| count[*id] >= support.max(1)) {
        *slot = shown.len() as Id;
        shown.push(Shown::of(index.names.name(id as Id)));
    }
    let slot = |id: Id| slots.get(id as usize).map_or(usize::MAX, |slot| *slot as usize);
    for (at, site) in index.sites.iter().enumerate() {
        for look in site.looks.iter().filter(|look| look.is_shown) {
            let Some(shown) = shown.get_mut(slot(look.id)) else { continue };
            shown.sites.push(at);
            shown.see(look);
        }
        for id in &site.directories {
            if let Some(shown) = shown.get_mut(slot(*id)) {
                shown.directories += 1;
            }
        }
    }
    let mut judged: BTreeMap<String, Judged> =
        shown.into_iter().map(|shown| (shown.key.to_owned(), candidate(shown, support))).collect();
    company::keep(&mut judged, index);
    match index.sites.len() {
        0..FEW_SITES => split(&mut judged, index.sites.len()),
        _ => weigh(&mut judged, index),
    }
    read_pages(&mut judged);
    judged
}

/// A label that single sites vouch for. It is a concept, whatever other sites say.
#[must_use]
pub(crate) fn judge_alone(key: &str, on: Vec<usize>, index: &Index) -> Judged {
    let id = index.names.get(key).unwrap_or(NONE);
    let mut shown = Shown::of(key);
    on.iter().filter_map(|at| index.sites.get(*at)?.look(id)).for_each(|look| shown.see(look));
    shown.sites = on;
    Judged { verdict: Verdict::Concept, ..candidate(shown, 1) }
}

/// Judges by the paper's three abridgement rules alone (`[OM05 §5.1]`).
#[must_use]
pub fn judge_as_printed(sites: &[Arc<SiteSummary>], support: u32) -> BTreeMap<String, Judged> {
    printed(judge(sites, support))
}

/// The same for labels that were judged by all evidence.
pub(crate) fn printed(mut judged: BTreeMap<String, Judged>) -> BTreeMap<String, Judged> {
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

/// A label over all sites, before it is judged. Its looks are summed as they are met, since the fold meets
/// some hundred thousand.
#[derive(Default)]
struct Shown<'a> {
    key: &'a str,
    sites: Vec<usize>,
    /// Sites that link it, and sites that link it inside themselves.
    linked: usize,
    inside: usize,
    /// Over the sites that link it.
    sums: Shares,
    faults: tally::Tally,
    /// Sites on which a page of the label was read, and those of them on which such a page files stories.
    read: usize,
    filing: usize,
    /// Sites with stories in a directory of its name.
    directories: usize,
}

/// The fields are sums of the fields of the same names in [`Look`].
#[derive(Default)]
struct Shares {
    spelled: f64,
    inside: f64,
    empty: f64,
    no_follow: f64,
    tail: f64,
    grouped: f64,
}

impl<'a> Shown<'a> {
    fn of(key: &'a str) -> Shown<'a> {
        Shown { key, ..Shown::default() }
    }

    /// Adds the label's look on one more site.
    fn see(&mut self, look: &Look) {
        self.read += usize::from(look.files.is_some());
        self.filing += usize::from(look.files == Some(true));
        if look.is_linked {
            self.linked += 1;
            self.inside += usize::from(look.is_inside);
            self.sums.spelled += look.spelled;
            self.sums.inside += look.inside;
            self.sums.empty += look.empty;
            self.sums.no_follow += look.no_follow;
            self.sums.tail += look.tail;
            self.sums.grouped += look.grouped;
            self.faults.add(look.fault);
        }
    }
}

/// Abridgement, vetoes and the own score: everything that needs no other label.
fn candidate(shown: Shown, support: u32) -> Judged {
    let Shown { key, sites, linked, inside, sums, faults, read, filing, directories } = shown;
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

/// The third abridgement rule. Until pages of half of the candidates were read, a label without a page that
/// was read is taken for a concept, and so is followed. After that it is dropped: its pages could not be read
/// (gone, forbidden, redirected).
fn read_pages(judged: &mut BTreeMap<String, Judged>) {
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

/// Drops the candidates that trees do not take for concepts. Links of some languages never spell their labels, since
/// paths are in other letters: there the trees would miss what they know best, and the scores are split.
fn weigh(judged: &mut BTreeMap<String, Judged>, index: &Index) {
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
        // On how many of its sites it leads inside, whether it is a second name: trees weigh these.
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

/// The languages whose links hardly ever spell their labels, each with the least score of the upper half.
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

/// The measures by which trees tell concepts.
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

/// Drops the lower half of the remaining candidates, if there are two halves.
fn split(judged: &mut BTreeMap<String, Judged>, sites: usize) {
    let rule = Rule::of(judged, sites);
    for label in judged.values_mut().filter(|label| label.verdict == Verdict::Concept) {
        if !rule.keeps(label) {
            label.verdict = Verdict::BadCompany;
        }
    }
}

struct Rule {
    /// The least score.
    least: f64,
    /// With few sites one list decides a score. So a label must also look like a section by itself: its links
    /// spell it (where any candidate's do) and do not stand at the page's end.
    strict: bool,
    spelling_tells: bool,
}

impl Rule {
    fn of(judged: &BTreeMap<String, Judged>, sites: usize) -> Rule {
        let linked = judged.values().filter(|label| label.own > 0.0);
        let least = otsu(linked.map(|label| label.score).collect());
        let mut candidates = judged.values().filter(|label| label.verdict == Verdict::Concept);
        Rule {
            least: least.unwrap_or(f64::NEG_INFINITY),
            strict: sites < FEW_SITES || judged.values().all(|label| label.score == label.own),
            spelling_tells: candidates.any(|label| label.spelled >= 0.5),
        }
    }

    fn keeps(&self, label: &Judged) -> bool {
        let looks_right = label.tail < 0.5 && (label.spelled >= 0.5 || !self.spelling_tells);
        label.score >= self.least && (looks_right || !self.strict)
    }
}

/// Otsu's split: the least value of the upper half where the variance between the halves is largest. `None`
/// if there is nothing to split or the halves' means differ by less than a twentieth.
#[must_use]
pub fn otsu(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
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
