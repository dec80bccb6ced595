//! Any number of pages like those of a recorded site.
//!
//! Page `n` counts like a recorded page. What several recorded pages of the site share stays as it is; what one page alone
//! has is renamed from copy to copy, so that the number of different labels, terms and addresses grows with a power of
//! the number of pages. The exponents are settings of this bench. Sites drawn from the same recorded one share only what several recorded sites share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use newslode_page::contribution::{Contribution, url_id};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::splitmix::SplitMix;
use newslode_page::{Params, Timestamp, analyse};
use serde::Deserialize;

/// Exponents of growth.
const LABELS: f64 = 0.71;
const TERMS: f64 = 0.45;
const TARGETS: f64 = 0.53;
const STORIES: f64 = 0.9;
/// Recorded sites with fewer pages are left out: they are collections of articles.
const LEAST_PAGES: usize = 40;

/// A recorded site.
pub(super) struct Recorded {
    pages: Vec<(CanonicalUrl, Contribution)>,
    /// What at least two of its pages have.
    shared: BTreeSet<String>,
}

/// What at least two recorded sites have.
pub(super) type Common = BTreeSet<String>;

#[derive(Deserialize)]
struct Line {
    file: String,
    url: String,
}

/// Reads recorded sites: folders with a `manifest.jsonl` each. Analyses every page.
pub(super) fn read(folder: &Path, say: &mut dyn FnMut(&str)) -> anyhow::Result<(Vec<Recorded>, Common)> {
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read `{}`", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    folders.sort();
    let mut sites = Vec::new();
    for site in folders.iter().filter(|site| site.join("manifest.jsonl").is_file()) {
        let manifest = std::fs::read_to_string(site.join("manifest.jsonl"))?;
        if manifest.lines().count() < LEAST_PAGES {
            continue;
        }
        say(&format!("reading {}", site.display()));
        let (mut pages, mut paths) = (Vec::new(), BTreeSet::new());
        for line in manifest.lines() {
            let line: Line =
                serde_json::from_str(line).with_context(|| format!("manifest of {}", site.display()))?;
            let Ok(url) = line.url.parse::<CanonicalUrl>() else { continue };
            if !paths.insert(url.path().trim_end_matches('/').to_owned()) {
                continue;
            }
            let html = std::fs::read(site.join(&line.file))?;
            let said = analyse(&url, Some("text/html"), &html, Timestamp(0), &Params::default());
            pages.push((url, said.contribution));
        }
        let shared = twice(pages.iter().map(|(_, page)| names(page)));
        sites.push(Recorded { pages, shared });
    }
    anyhow::ensure!(!sites.is_empty(), "no recorded site of {LEAST_PAGES} pages in `{}`", folder.display());
    let common =
        twice(sites.iter().map(|site| site.pages.iter().flat_map(|(_, page)| names(page)).collect()));
    Ok((sites, common))
}

/// What at least two of these sets have.
fn twice(sets: impl Iterator<Item = BTreeSet<String>>) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    sets.flatten().for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect()
}

/// All labels, terms, targets and stories of a page; they cannot be mistaken for one another.
fn names(page: &Contribution) -> BTreeSet<String> {
    let labels = page.labels.iter().map(|label| label.key.clone());
    let nested = page.nested.iter().flat_map(|pair| [pair.broader.clone(), pair.narrower.clone()]);
    let terms = page.terms.iter().map(|term| format!("term {}", term.term));
    let targets = page.links.iter().map(|link| link.target.to_string());
    let stories =
        page.filed.iter().flat_map(|filed| filed.stories.iter().map(|story| format!("story {story}")));
    labels.chain(nested).chain(terms).chain(targets).chain(stories).collect()
}

/// A site drawn from a recorded one.
pub(super) struct Drawn<'a> {
    pub(super) site: Site,
    recorded: &'a Recorded,
    common: &'a Common,
    number: u64,
}

impl<'a> Drawn<'a> {
    /// The site with this number.
    pub(super) fn new(sites: &'a [Recorded], common: &'a Common, number: u64) -> Drawn<'a> {
        let at = usize::try_from(number).unwrap_or(0) % sites.len();
        Drawn { site: Site::of_host(&format!("drawn{number}.example")), recorded: &sites[at], common, number }
    }

    /// The page with this number.
    pub(super) fn page(&self, number: usize) -> anyhow::Result<(CanonicalUrl, Contribution)> {
        let (copy, at) = (number / self.recorded.pages.len(), number % self.recorded.pages.len());
        let (url, page) = &self.recorded.pages[at];
        let variants = Variants { copy, seed: (number as u64) << 20 | self.number };
        let label = |key: &str| self.renamed(key, key, variants.of(key, LABELS), false);
        let address = |url: &CanonicalUrl, growth| self.address(url, variants.of(url.as_str(), growth));
        let mut page = page.clone();
        for used in &mut page.labels {
            let renamed = label(&used.key);
            if renamed != used.key {
                used.form = format!("{} {}", used.form, renamed.len());
            }
            used.key = renamed;
        }
        for pair in &mut page.pairs {
            (pair.broader, pair.narrower) = (label(&pair.broader), label(&pair.narrower));
        }
        for pair in &mut page.nested {
            (pair.broader, pair.narrower) = (label(&pair.broader), label(&pair.narrower));
        }
        for term in &mut page.terms {
            let name = format!("term {}", term.term);
            term.term = self.renamed(&name, &term.term, variants.of(&name, TERMS), true);
        }
        for list in &mut page.lists {
            list.labels.iter_mut().for_each(|key| *key = label(key));
        }
        page.directories.iter_mut().for_each(|key| *key = label(key));
        for link in &mut page.links {
            link.target = if link.inside { address(&link.target, TARGETS)? } else { link.target.clone() };
            link.label = link.label.as_deref().map(label);
        }
        let own = match copy {
            0 => self.address(url, 0)?,
            _ => format!("https://{}/copy-{number}", self.site).parse()?,
        };
        if let Some(filed) = &mut page.filed {
            filed.page = url_id(&own);
            for story in &mut filed.stories {
                let name = format!("story {story}");
                let hash = variants.of(&name, STORIES) as u64 ^ self.number << 32;
                let bits = u64::from_str_radix(story, 16).unwrap_or(0);
                *story = format!("{:016x}", SplitMix(bits ^ hash).draw());
            }
        }
        Ok((own, page))
    }

    /// A label or term under another name, unless it is shared.
    fn renamed(&self, name: &str, text: &str, variant: usize, is_term: bool) -> String {
        let is_common = self.common.contains(name);
        let is_shared = self.recorded.shared.contains(name);
        let site = if is_common && is_shared { 0 } else { self.number };
        let variant = if is_shared { 0 } else { variant };
        if site == 0 && variant == 0 {
            return text.to_owned();
        }
        let tag = letters(site * 1_000_003 + variant as u64);
        // Stems of letters alone take the tag, so that numbers stay numbers.
        match text.rfind(|letter: char| letter.is_alphabetic()) {
            Some(at) if !is_term || text.len() < 40 => {
                let at = at + text[at..].chars().next().map_or(1, char::len_utf8);
                format!("{}{tag}{}", &text[..at], &text[at..])
            }
            _ => text.to_owned(),
        }
    }

    fn address(&self, url: &CanonicalUrl, variant: usize) -> anyhow::Result<CanonicalUrl> {
        let is_shared = variant == 0 || self.recorded.shared.contains(url.as_str());
        let path = url.path();
        let whole = match is_shared {
            true => format!("https://{}{}/", self.site, path.trim_end_matches('/')),
            false => format!("https://{}{}-{variant}", self.site, path.trim_end_matches('/')),
        };
        whole.parse().with_context(|| format!("`{whole}` is not a URL"))
    }
}

/// Chooses variants of what one page alone has.
struct Variants {
    copy: usize,
    seed: u64,
}

impl Variants {
    /// The variant for a copy: a new one, so rarely that their number grows with this power of the copies, or one of an
    /// earlier copy.
    fn of(&self, name: &str, growth: f64) -> usize {
        let mut at = self.copy;
        let mut bits = SplitMix(self.seed ^ u64::from(hash(name)));
        while at > 0 {
            let share = (bits.draw() >> 11) as f64 / (1u64 << 53) as f64;
            if share < growth * (at as f64).powf(growth - 1.0) {
                break;
            }
            at = usize::try_from(bits.draw() % at as u64).unwrap_or(0);
        }
        at
    }
}

fn hash(text: &str) -> u32 {
    text.bytes().fold(5381u32, |hash, byte| hash.wrapping_mul(33) ^ u32::from(byte))
}

fn letters(mut number: u64) -> String {
    let mut letters = String::new();
    while number > 0 {
        letters.push(char::from(b"bcdfghjklmnpqrstvwxz"[usize::try_from(number % 20).unwrap_or(0)]));
        number /= 20;
    }
    letters
}
