//! Names: a site's masthead, host and sections, and where its articles stand.
//!
//! An article's address ends with its headline and a number, in one of four styles. [`LivingSite::url_at`] reads the
//! number back and compares the whole path, so that a made-up headline is not found.

use super::chance::Chance;
use super::clock::ymd;
use super::plan::LivingSite;
use super::words::Source;
use newslode_demo_world::Language;
use newslode_demo_world::taxonomy::{beat, concepts};

/// A section: its name, and the words of its stories.
#[derive(Debug, Clone)]
pub(super) struct Topic {
    /// Name in menus.
    pub label: &'static str,
    /// Path part.
    pub slug: &'static str,
    /// Things its stories speak of.
    pub terms: &'static [&'static str],
    /// Templates of headlines.
    pub headlines: Vec<&'static str>,
    /// Templates of sentences.
    pub sentences: Vec<&'static str>,
    /// Who is quoted.
    pub roles: &'static [&'static str],
    /// For whom they speak.
    pub bodies: &'static [&'static str],
}

/// Where the date and the section stand in an article's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `/economy/2026/01/05/headline-123/`
    SectionAndDate,
    /// `/economy/headline-123.html`
    Section,
    /// `/2026/01/05/headline-123`
    Date,
    /// `/story/headline-123`
    Plain,
}

/// The names of a site.
#[derive(Debug, Clone)]
pub(super) struct Addresses {
    /// Name on the masthead.
    pub name: String,
    /// Host.
    pub host: String,
    /// Sections, the busiest first.
    pub topics: Vec<Topic>,
    /// Whether links are written with scheme and host.
    pub absolute: bool,
    style: Style,
    /// The number of the first article.
    first: usize,
}

impl Topic {
    /// The section of a concept of the English taxonomy.
    pub(super) fn new(concept: usize) -> Self {
        let pack = Language::English.pack();
        let facts = &concepts(Language::English)[concept];
        let beat = beat(Language::English, concept);
        let both = |general: &[&'static str], special: Option<&[&'static str]>| {
            [general, special.unwrap_or_default()].concat()
        };
        Self {
            label: facts.label,
            slug: facts.slug,
            terms: &facts.terms,
            headlines: both(pack.headlines, beat.map(|b| b.headlines)),
            sentences: both(pack.sentences, beat.map(|b| b.sentences)),
            roles: beat.map_or(pack.roles, |b| b.roles),
            bodies: beat.map_or(pack.bodies, |b| b.bodies),
        }
    }
}

impl Addresses {
    /// The names of site `number`, which differ from those of all other sites of the world.
    pub(super) fn draw(world: &Chance, chance: &mut Chance, number: usize, sections: usize) -> Self {
        let (name, domain) = masthead(world, number);
        let all = concepts(Language::English).len();
        let topics = chance.rng().sample(all, sections).into_iter().map(Topic::new).collect();
        let prefix = if chance.happens(0.6) { "www." } else { "" };
        Self {
            name,
            host: format!("{prefix}{domain}.test"),
            topics,
            absolute: chance.happens(0.5),
            style: chance.pick(&[Style::SectionAndDate, Style::Section, Style::Date, Style::Plain]),
            first: chance.rng().between(10_000, 900_000),
        }
    }
}

impl LivingSite {
    /// What the texts of an article are made of.
    pub(super) fn source(&self, article: usize) -> Source<'_> {
        let section = self.articles[article].section;
        let seed = self.seed ^ (article as u64 + 1).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        Source { seed, topic: &self.addresses.topics[section] }
    }

    /// The headline under which a URL number stands. An article that moves gets a new one.
    pub(super) fn headline(&self, url: usize) -> String {
        self.source(self.article_of(url)).headline(u64::from(url >= self.articles.len()))
    }

    /// The path of a URL number.
    #[must_use]
    pub(super) fn path(&self, url: usize) -> String {
        self.path_with(url, &self.headline(url))
    }

    /// The path of a URL number whose headline is known.
    pub(super) fn path_with(&self, url: usize, headline: &str) -> String {
        let article = self.article_of(url);
        let facts = &self.articles[article];
        let section = self.addresses.topics[facts.section].slug;
        let (y, m, d) = ymd(facts.published_ms);
        let mut out = match self.addresses.style {
            Style::SectionAndDate => format!("/{section}/{y}/{m:02}/{d:02}/"),
            Style::Section => format!("/{section}/"),
            Style::Date => format!("/{y}/{m:02}/{d:02}/"),
            Style::Plain => "/story/".to_owned(),
        };
        push_slug(&mut out, headline);
        // the mark keeps both addresses apart even if the editor finds the same words again
        out.push_str(if url == article { "-" } else { "-update-" });
        out.push_str(&(self.addresses.first + article).to_string());
        out.push_str(match self.addresses.style {
            Style::SectionAndDate => "/",
            Style::Section => ".html",
            Style::Date | Style::Plain => "",
        });
        out
    }

    /// The URL number of a path, whether or not it is published.
    pub(super) fn url_at(&self, path: &str) -> Option<usize> {
        let bare = path.strip_suffix('/').or_else(|| path.strip_suffix(".html")).unwrap_or(path);
        let number: usize = bare.rsplit_once('-')?.1.parse().ok()?;
        let article = number.checked_sub(self.addresses.first)?;
        if article >= self.articles.len() {
            return None;
        }
        let mut urls = std::iter::once(article).chain(self.second_url(article));
        urls.find(|&url| self.path(url) == path)
    }

    /// `path` as the site's pages link to it.
    pub(super) fn href(&self, path: &str) -> String {
        if self.addresses.absolute { format!("http://{}{path}", self.host) } else { path.to_owned() }
    }
}

/// At most nine words of a headline, in lower case, joined by hyphens.
fn push_slug(out: &mut String, headline: &str) {
    let words = headline.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for (nth, word) in words.take(9).enumerate() {
        if nth > 0 {
            out.push('-');
        }
        out.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    }
}

/// Name and domain label of the n-th site: a town's paper. Towns and kinds repeat with a number after some 260.
fn masthead(world: &Chance, number: usize) -> (String, String) {
    const KINDS: [&str; 12] = [
        "Herald",
        "Gazette",
        "Ledger",
        "Observer",
        "Tribune",
        "Courier",
        "Chronicle",
        "Sentinel",
        "Times",
        "Post",
        "Examiner",
        "Star",
    ];
    let towns = Language::English.pack().cities;
    let n = towns.len() * KINDS.len();
    let mut order: Vec<usize> = (0..n).collect();
    world.fork("mastheads").rng().shuffle(&mut order);
    let (town, kind) = (towns[order[number % n] / KINDS.len()], KINDS[order[number % n] % KINDS.len()]);
    let mut name = format!("{town} {kind}");
    if number >= n {
        name = format!("{name} {}", number / n + 1);
    }
    let domain = name.to_ascii_lowercase().replace(' ', "-");
    (name, domain)
}
