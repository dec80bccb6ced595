//! The names of a living site: its masthead, host and sections, and the style of its addresses.

use super::chance::Chance;
use super::topic::Topic;
use newslode_demo_world::Language;
use newslode_demo_world::taxonomy::concepts;

/// Where the date and the section stand in an article's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
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
    pub style: Style,
    /// The number of the first article.
    pub first: usize,
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
