//! A site's plan, made before any page: name, hosts, language, era, habits and concepts.
//!
//! Everything is drawn from the world's seed and the site's number, so site 3 is the same in a world of ten and in a
//! world of thirty. Start at [`SitePlan::draw`].

use std::collections::BTreeMap;

use crate::charset::{Charset, Declared};
use crate::dates::DateStyle;
use crate::era::Era;
use crate::language::Language;
use crate::looks::Looks;
use crate::mangle::Habits;
use crate::rng::Rng;
use crate::spec::WorldSpec;
use crate::taxonomy::{ancestors, concepts};

/// The form of article pages' metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metadata {
    /// A `NewsArticle` in JSON-LD.
    JsonLd,
    /// `og:*` and `article:*`.
    OpenGraph,
    /// `meta name=author`, `meta name=date`.
    PlainMeta,
    /// `itemprop`s in the body.
    Microdata,
    /// Byline and date as text only.
    Visible,
    /// Neither author nor date anywhere.
    Nothing,
}

/// A section of a site.
#[derive(Debug, Clone)]
pub struct Section {
    /// Index into the language's taxonomy.
    pub concept: usize,
    /// The site's spelling.
    pub label: String,
    /// Index of the broader section of the same site.
    pub parent: Option<usize>,
    /// The host that serves it.
    pub host: String,
    /// Path parts from the top section down.
    pub slugs: Vec<&'static str>,
}

/// A site's plan.
#[derive(Debug, Clone)]
pub struct SitePlan {
    /// Number in the world.
    pub number: usize,
    /// Name on the masthead.
    pub name: String,
    /// Main host, `www.x.test` or `x.test`.
    pub host: String,
    /// Registrable domain, `x.test`.
    pub domain: String,
    /// Language of all its pages.
    pub language: Language,
    /// Template.
    pub era: Era,
    /// Character set.
    pub charset: Charset,
    /// Markup habits.
    pub habits: Habits,
    /// Habits of layout.
    pub looks: Looks,
    /// Metadata of article pages.
    pub metadata: Metadata,
    /// Style of printed dates.
    pub dates: DateStyle,
    /// Offset of its clock from UTC.
    pub offset_hours: u8,
    /// Whether bodies are compressed for clients that accept it.
    pub gzip: bool,
    /// Whether article pages carry readers' comments.
    pub comments: bool,
    /// Whether a cookie banner stands on every page.
    pub cookies: bool,
    /// Whether links are written with scheme and host.
    pub absolute_links: bool,
    /// Whether lists are split into pages.
    pub paginated: bool,
    /// Whether robots.txt asks for a delay.
    pub crawl_delay: bool,
    /// Whether `sitemap.xml` is an index of sitemaps.
    pub sitemap_index: bool,
    /// Two colours, for eras with colours.
    pub colours: [String; 2],
    /// Sections, broader before narrower.
    pub sections: Vec<Section>,
    /// The site's own random generator.
    pub rng: Rng,
}

impl SitePlan {
    /// The plan of site `number` in a world.
    #[must_use]
    pub fn draw(spec: &WorldSpec, number: usize) -> Self {
        let world = Rng::new(spec.seed);
        let rng = world.fork(&format!("site {number}"));
        let mut draw = rng.fork("plan");
        let language = language_of(spec, number);
        let era = era_of(&world, number);
        let nth = (0..number).filter(|&n| language_of(spec, n) == language).count();
        let (name, label) = masthead(&world, language, nth);
        let domain = format!("{label}.test");
        let host = if draw.chance(60) { format!("www.{domain}") } else { domain.clone() };
        let mut plan = Self {
            number,
            name,
            host,
            domain,
            language,
            era,
            charset: charset(language, era, &mut draw),
            habits: habits(era, &mut draw),
            looks: Looks::draw(era, &mut rng.fork("looks")),
            metadata: metadata(era, &mut draw),
            dates: *draw.pick(&DateStyle::ALL),
            offset_hours: offset(language, &mut draw),
            gzip: draw.chance(50),
            comments: draw.chance(40),
            cookies: matches!(era, Era::Semantic | Era::Blog | Era::Cards20) && draw.chance(60),
            absolute_links: era == Era::Html514 || draw.chance(30),
            paginated: draw.chance(60),
            crawl_delay: number % 10 == 4,
            sitemap_index: number % 10 == 2,
            colours: [colour(&mut draw, false), colour(&mut draw, true)],
            sections: Vec::new(),
            rng,
        };
        plan.sections = sections(&plan, &mut draw);
        plan
    }

    /// Hosts that serve pages: the main one, then those of sections.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        let mut hosts = vec![self.host.clone()];
        for section in &self.sections {
            if !hosts.contains(&section.host) {
                hosts.push(section.host.clone());
            }
        }
        hosts
    }

    /// The host that only redirects to the main one: with `www.` if that has none, without it if it has.
    #[must_use]
    pub fn alias(&self) -> String {
        if self.host == self.domain { format!("www.{}", self.domain) } else { self.domain.clone() }
    }

    /// Sections directly below `parent`, in menu order.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        (0..self.sections.len()).filter(move |&s| self.sections[s].parent == parent)
    }
}

/// The spec's languages in turn. If it names none, seven in ten sites are English, and the other languages change with
/// every ten sites.
fn language_of(spec: &WorldSpec, number: usize) -> Language {
    if !spec.languages.is_empty() {
        return spec.languages[number % spec.languages.len()];
    }
    let turn = |languages: &[Language]| languages[number / 10 % languages.len()];
    match number % 10 {
        3 => turn(&[Language::German, Language::French]),
        6 => turn(&[Language::Spanish, Language::Portuguese]),
        8 => turn(&[Language::Russian, Language::Japanese, Language::Arabic, Language::Chinese]),
        _ => Language::English,
    }
}

/// Each run of eight sites has all eight eras, in an order of its own.
fn era_of(world: &Rng, number: usize) -> Era {
    let mut eras = Era::ALL;
    world.fork(&format!("eras {}", number / eras.len())).shuffle(&mut eras);
    eras[number % eras.len()]
}

/// Name and first host label of the language's n-th site; sites beyond the list of names get a number.
fn masthead(world: &Rng, language: Language, nth: usize) -> (String, String) {
    let all = language.pack().mastheads;
    let mut order: Vec<usize> = (0..all.len()).collect();
    world.fork(&format!("mastheads {}", language.code())).shuffle(&mut order);
    let (name, label) = all[order[nth % all.len()]];
    match nth / all.len() {
        0 => (name.to_owned(), label.to_owned()),
        round => (format!("{name} {}", round + 1), format!("{label}-{}", round + 1)),
    }
}

fn charset(language: Language, era: Era, rng: &mut Rng) -> Charset {
    let old = matches!(era, Era::Tables99 | Era::Divs08 | Era::Portal03) || rng.chance(40);
    let name = match language {
        _ if !old => "utf-8",
        Language::English | Language::Spanish | Language::French | Language::Portuguese => {
            *rng.pick(&["windows-1252", "iso-8859-1"])
        }
        Language::German => *rng.pick(&["windows-1252", "iso-8859-2", "iso-8859-15"]),
        Language::Russian => *rng.pick(&["windows-1251", "koi8-r"]),
        Language::Japanese => *rng.pick(&["shift_jis", "euc-jp"]),
        Language::Arabic => *rng.pick(&["windows-1256", "iso-8859-6"]),
        Language::Chinese => *rng.pick(&["gbk", "gb18030"]),
    };
    let declared = *rng.pick(&[Declared::Header, Declared::Meta, Declared::Both, Declared::Nowhere]);
    Charset::new(name, declared)
}

fn habits(era: Era, rng: &mut Rng) -> Habits {
    let (likely, doubled) = match era {
        Era::Tables99 => (80, 30),
        Era::Divs08 => (40, 60),
        Era::Html514 => (15, 20),
        Era::Blog => (25, 20),
        Era::Portal03 => (60, 40),
        Era::Columns10 => (20, 20),
        Era::Cards20 => (5, 5),
        Era::Semantic => (0, 0),
    };
    Habits {
        capitals: era == Era::Tables99 && rng.chance(70),
        unquoted: rng.chance(likely),
        unclosed: rng.chance(likely),
        doubled: rng.chance(doubled),
        misnested: rng.chance(likely),
    }
}

fn metadata(era: Era, rng: &mut Rng) -> Metadata {
    *rng.pick(match era {
        Era::Tables99 => &[Metadata::PlainMeta, Metadata::Visible, Metadata::Nothing],
        Era::Divs08 => &[Metadata::PlainMeta, Metadata::OpenGraph, Metadata::Visible],
        Era::Html514 => &[Metadata::OpenGraph, Metadata::Microdata, Metadata::JsonLd],
        Era::Semantic => &[Metadata::JsonLd, Metadata::OpenGraph, Metadata::Visible],
        Era::Blog => &[Metadata::Microdata, Metadata::PlainMeta, Metadata::Visible],
        Era::Portal03 => &[Metadata::PlainMeta, Metadata::Visible, Metadata::Visible],
        Era::Cards20 => &[Metadata::JsonLd, Metadata::OpenGraph, Metadata::OpenGraph],
        Era::Columns10 => &[Metadata::OpenGraph, Metadata::Visible, Metadata::PlainMeta],
    })
}

fn offset(language: Language, rng: &mut Rng) -> u8 {
    match language {
        Language::English => *rng.pick(&[0, 0, 1]),
        Language::German | Language::Spanish | Language::French => 1,
        Language::Russian | Language::Arabic => 3,
        Language::Japanese => 9,
        Language::Chinese => 8,
        Language::Portuguese => 0,
    }
}

/// A web colour, dark or pale.
fn colour(rng: &mut Rng, pale: bool) -> String {
    let base = if pale { 200 } else { 10 };
    let mut part = || format!("{:02x}", base + rng.below(50));
    format!("#{}{}{}", part(), part(), part())
}

/// A large part of the taxonomy. Some sections have the site's own spelling, some a host of their own.
fn sections(plan: &SitePlan, rng: &mut Rng) -> Vec<Section> {
    let all = concepts(plan.language);
    let kept: Vec<usize> = (0..all.len())
        .filter(|&c| rng.chance(if all[c].parent.is_empty() { 88 } else { 70 }) || c == 0)
        .collect();
    // A concept without a broader one on this site would move to the top of the menu: leave it out.
    let kept: Vec<usize> = kept
        .iter()
        .copied()
        .filter(|&c| all[c].parent.is_empty() || ancestors(plan.language, c).iter().any(|a| kept.contains(a)))
        .collect();
    let subdomain = rng.chance(40).then(|| *rng.pick(&kept));
    let mut at: BTreeMap<usize, usize> = BTreeMap::new();
    let mut made: Vec<Section> = Vec::with_capacity(kept.len());
    for concept in kept {
        let parent = ancestors(plan.language, concept).iter().find_map(|a| at.get(a).copied());
        let label = match all[concept].synonyms.as_slice() {
            [] => all[concept].label,
            others if rng.chance(40) => *rng.pick(others),
            _ => all[concept].label,
        };
        let mut slugs = parent.map_or_else(Vec::new, |p| made[p].slugs.clone());
        slugs.push(all[concept].slug);
        let host = match parent {
            Some(parent) => made[parent].host.clone(),
            None if subdomain == Some(concept) => format!("{}.{}", all[concept].slug, plan.domain),
            None => plan.host.clone(),
        };
        at.insert(concept, made.len());
        made.push(Section { concept, label: label.to_owned(), parent, host, slugs });
    }
    made
}
