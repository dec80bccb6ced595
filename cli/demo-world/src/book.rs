//! A site with its stories and its register: which page each address serves.
//!
//! The register is filled once; HTML is made only when a page is requested (`world.rs`). A book also knows what goes
//! wrong: broken links, redirects and, in worlds with faults, slow and failing pages.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::era::Era;
use crate::facts::{FIGURES, Person, people, profile_path};
use crate::reply::Trouble;
use crate::site::SitePlan;
use crate::story::{Place, Story, section_place};

/// What an address serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The home page.
    Home,
    /// A page of a section's list, counted from 1.
    Section(usize, usize),
    /// An article.
    Story(usize),
    /// A page about the site, with its title.
    About(&'static str),
    /// A member of the newsroom.
    Profile(usize),
    /// Tables of figures.
    Figures,
    /// The page of old and broken links.
    Archive,
    /// A redirect to an absolute address.
    Redirect(String),
    /// A page that robots.txt forbids.
    Private,
    /// `robots.txt`
    Robots,
    /// A sitemap of pages.
    Sitemap,
    /// An index that lists one sitemap.
    SitemapIndex,
    /// The feed.
    Feed,
    /// A small PDF.
    Pdf,
    /// An empty page.
    Empty,
    /// A page whose bytes are not valid in its character set.
    BrokenText,
}

/// A site, ready to serve its pages.
#[derive(Debug)]
pub(crate) struct SiteBook {
    /// Its plan.
    pub plan: SitePlan,
    /// Its stories, by section.
    pub stories: Vec<Story>,
    /// Its newsroom.
    pub people: Vec<Person>,
    /// What each address serves.
    pub register: BTreeMap<Place, Kind>,
    /// Whether this world has faults.
    pub faults: bool,
}

/// Stories on one page of a paginated list.
const PAGE_SIZE: usize = 3;

impl SiteBook {
    /// Registers all pages of a site.
    #[must_use]
    pub(crate) fn new(plan: SitePlan, stories: Vec<Story>, faults: bool) -> Self {
        let people = people(&plan);
        let mut book = Self { plan, stories, people, register: BTreeMap::new(), faults };
        book.register_news();
        book.register_furniture();
        book
    }

    /// Takes over the layout of another era. Stories keep their addresses; those of sections change, and the old ones
    /// redirect.
    pub(crate) fn redesign(&mut self, era: Era) {
        let old: Vec<(Place, Kind)> = std::mem::take(&mut self.register).into_iter().collect();
        self.plan.era = era;
        self.register_news();
        self.register_furniture();
        for (place, kind) in old {
            if let Kind::Section(section, page) = kind {
                let target = url(&section_place(&self.plan, section, page));
                self.register.entry(place).or_insert(Kind::Redirect(target));
            }
        }
    }

    fn register_news(&mut self) {
        self.put("/", Kind::Home);
        for section in 0..self.plan.sections.len() {
            for page in 1..=self.list_pages(section) {
                self.register.insert(section_place(&self.plan, section, page), Kind::Section(section, page));
            }
        }
        for (i, story) in self.stories.iter().enumerate() {
            self.register.insert(story.place.clone(), Kind::Story(i));
        }
        // The root of a section's own host redirects to the section.
        for host in self.plan.hosts().into_iter().skip(1) {
            if let Some(top) = self.plan.sections.iter().position(|s| s.host == host) {
                let (host, path) = section_place(&self.plan, top, 1);
                let target = format!("http://{host}{path}");
                self.register.entry((host.clone(), "/".to_owned())).or_insert(Kind::Redirect(target));
                self.register.insert((host, "/robots.txt".to_owned()), Kind::Robots);
            }
        }
    }

    fn register_furniture(&mut self) {
        let ui = &self.plan.language.pack().ui;
        for (text, path) in ui.footer.iter().chain(ui.utility) {
            self.put(&format!("/{path}"), Kind::About(text));
        }
        let oldest = self.stories.first().map_or_else(|| self.home(), |s| url(&s.place));
        let newest = self.stories.last().map_or_else(|| self.home(), |s| url(&s.place));
        for person in 0..self.people.len() {
            self.put(&profile_path(person), Kind::Profile(person));
        }
        self.put(FIGURES, Kind::Figures);
        self.put("/archive", Kind::Archive);
        self.put("/old/front.html", Kind::Redirect(self.home()));
        self.put("/old/story.html", Kind::Redirect(oldest));
        self.put("/old/chain1", Kind::Redirect(format!("http://{}/old/chain2", self.plan.host)));
        self.put("/old/chain2", Kind::Redirect(newest));
        self.put("/private/members", Kind::Private);
        self.put("/search?q=news", Kind::Private);
        self.put("/robots.txt", Kind::Robots);
        self.put("/feed.xml", Kind::Feed);
        if self.plan.sitemap_index {
            self.put("/sitemap.xml", Kind::SitemapIndex);
            self.put("/sitemap-1.xml", Kind::Sitemap);
        } else {
            self.put("/sitemap.xml", Kind::Sitemap);
        }
        if self.faults {
            self.put("/files/report.pdf", Kind::Pdf);
            self.put("/old/empty.html", Kind::Empty);
            self.put("/old/broken.html", Kind::BrokenText);
        }
    }

    fn put(&mut self, path: &str, kind: Kind) {
        self.register.insert((self.plan.host.clone(), path.to_owned()), kind);
    }

    /// Address of the home page.
    #[must_use]
    pub(crate) fn home(&self) -> String {
        format!("http://{}/", self.plan.host)
    }

    /// Stories of a section, newest first.
    #[must_use]
    pub(crate) fn of_section(&self, section: usize) -> Vec<usize> {
        self.newest((0..self.stories.len()).filter(|&s| self.stories[s].section == section).collect())
    }

    /// Stories of a section and of all below it, newest first.
    #[must_use]
    pub(crate) fn under_section(&self, section: usize) -> Vec<usize> {
        let below = |s: usize| {
            std::iter::successors(Some(s), |&x| self.plan.sections[x].parent)
                .any(|ancestor| ancestor == section)
        };
        self.newest((0..self.stories.len()).filter(|&s| below(self.stories[s].section)).collect())
    }

    /// Sorts `stories`, newest first.
    #[must_use]
    pub(crate) fn newest(&self, mut stories: Vec<usize>) -> Vec<usize> {
        stories.sort_by_key(|&s| (std::cmp::Reverse(self.stories[s].published), s));
        stories
    }

    /// Number of pages of a section's list.
    #[must_use]
    pub(crate) fn list_pages(&self, section: usize) -> usize {
        let n = self.stories.iter().filter(|s| s.section == section).count();
        if self.plan.paginated { n.div_ceil(PAGE_SIZE).max(1) } else { 1 }
    }

    /// The stories on one page of a section's list.
    #[must_use]
    pub(crate) fn list_page(&self, section: usize, page: usize) -> Vec<usize> {
        let all = self.of_section(section);
        if self.plan.paginated {
            all.chunks(PAGE_SIZE).nth(page - 1).unwrap_or_default().to_vec()
        } else {
            all
        }
    }

    /// Paths on the main host that the archive page links to but that do not exist.
    #[must_use]
    pub(crate) fn broken(&self) -> Vec<String> {
        vec!["/old/gone.html".to_owned(), format!("/story/{}", 9000 + self.plan.number)]
    }

    /// The fault of a story's page: its delay, and how its first requests fail.
    #[must_use]
    pub(crate) fn fault(&self, story: usize) -> (Duration, Option<Trouble>) {
        if !self.faults {
            return (Duration::ZERO, None);
        }
        let chosen = self.plan.rng.fork("faults").sample(self.stories.len(), 6);
        let trouble = match chosen.iter().position(|&c| c == story) {
            Some(0 | 1) => return (Duration::from_millis(300), None),
            Some(2) => Some(Trouble::Status { status: 503, times: 1 }),
            Some(3) => Some(Trouble::Status { status: 503, times: 2 }),
            Some(4) => Some(Trouble::Status { status: 429, times: 1 }),
            Some(5) => Some(Trouble::Cut),
            _ => None,
        };
        (Duration::ZERO, trouble)
    }
}

/// The absolute address of a place.
#[must_use]
pub(crate) fn url((host, path): &Place) -> String {
    format!("http://{host}{path}")
}
