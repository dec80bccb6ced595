//! The world: all its sites behind one function from address to page, and the gold.
//!
//! Plans and stories are made when the world is generated. HTML is made when a page is requested, always the same
//! bytes. Start at [`World::generate`] and [`World::page`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::book::{Kind, SiteBook, url};
use crate::dates::{Moment, today};
use crate::desk::view;
use crate::era::Era;
use crate::gold::{self, Gold, GoldHierarchy};
use crate::marks::{GoldTable, Ink, Mark, numbers, tables_in_order};
use crate::reply::{Content, Reply};
use crate::services;
use crate::site::SitePlan;
use crate::spec::WorldSpec;
use crate::story::{Ending, Place, section_place, write};
use crate::template::render;

/// The kind of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageKind {
    /// The home page.
    Home,
    /// A section's list.
    Section,
    /// An article.
    Story,
    /// A member of the newsroom.
    Profile,
    /// Data tables.
    Figures,
    /// A page about the site, its archive, or a private page.
    Other,
}

/// A page with the gold of its texts.
#[derive(Debug)]
pub struct MarkedPage {
    /// Its kind.
    pub kind: PageKind,
    /// The page as UTF-8, each text with its number in front (see [`number`](crate::marks::number)).
    pub html: String,
    /// The gold of each text, by number. A template may leave texts out.
    pub marks: Vec<Mark>,
    /// Every `table` element in the order of the page.
    pub tables: Vec<GoldTable>,
}

/// A generated world.
#[derive(Debug)]
pub struct World {
    books: Vec<SiteBook>,
    hosts: BTreeMap<String, usize>,
    gold: Gold,
    today: Moment,
}

/// The concept that has sections on most sites.
fn most_frequent_subject(plans: &[SitePlan]) -> Option<usize> {
    let mut sites: BTreeMap<usize, usize> = BTreeMap::new();
    for section in plans.iter().flat_map(|plan| &plan.sections) {
        *sites.entry(section.concept).or_default() += 1;
    }
    sites.into_iter().min_by_key(|&(concept, sites)| (Reverse(sites), concept)).map(|(concept, _)| concept)
}

impl World {
    /// Makes the world of `spec`. The same spec gives the same bytes.
    #[must_use]
    pub fn generate(spec: &WorldSpec) -> Self {
        let today = spec.ends.unwrap_or_else(|| today(spec.seed));
        let plans: Vec<SitePlan> = (0..spec.sites).map(|number| SitePlan::draw(spec, number)).collect();
        let subject_of_the_day = spec.ends.and_then(|_| most_frequent_subject(&plans));
        let ending = Ending { today, subject_of_the_day };
        let mut titles = BTreeSet::new();
        let books: Vec<SiteBook> = plans
            .into_iter()
            .map(|plan| {
                let stories = write(&plan, spec.articles_per_section.max(1), ending, &mut titles);
                SiteBook::new(plan, stories, spec.faults)
            })
            .collect();
        let mut hosts = BTreeMap::new();
        for (i, book) in books.iter().enumerate() {
            hosts.extend(book.plan.hosts().into_iter().chain([book.plan.alias()]).map(|host| (host, i)));
        }
        let gold = gold(&books);
        Self { books, hosts, gold, today: Moment { minutes: today, offset_hours: 0 } }
    }

    /// Gives the site of a host the layout of another era, with the same stories at the same addresses. Sections get
    /// new addresses, to which the old ones redirect. The gold's outlines stay those of the old layout. Returns
    /// whether there is such a host.
    pub fn redesign(&mut self, host: &str, era: Era) -> bool {
        let book = self.hosts.get(host).and_then(|&site| self.books.get_mut(site));
        book.map(|book| book.redesign(era)).is_some()
    }

    /// Addresses of the home pages, one for each site.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        self.books.iter().map(SiteBook::home).collect()
    }

    /// Hosts that serve pages. The other spelling of each domain (with or without `www.`) only redirects and is not
    /// listed.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        self.books.iter().flat_map(|b| b.plan.hosts()).collect()
    }

    /// The plans of the sites.
    pub fn sites(&self) -> impl Iterator<Item = &SitePlan> {
        self.books.iter().map(|b| &b.plan)
    }

    /// The right answers.
    #[must_use]
    pub const fn gold(&self) -> &Gold {
        &self.gold
    }

    /// Every address that links reach from the home pages, that robots.txt allows and that does not redirect: HTML
    /// pages, feeds and, with faults, files that are not HTML. Sorted.
    #[must_use]
    pub fn urls(&self) -> Vec<String> {
        let is_listed = |kind: &Kind| {
            !matches!(
                kind,
                Kind::Private | Kind::Robots | Kind::Sitemap | Kind::SitemapIndex | Kind::Redirect(_)
            )
        };
        let mut urls: Vec<String> = self
            .books
            .iter()
            .flat_map(|b| b.register.iter().filter(|(_, kind)| is_listed(kind)).map(|(place, _)| url(place)))
            .collect();
        urls.sort();
        urls
    }

    /// Addresses that pages link to but that do not exist.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        self.books
            .iter()
            .flat_map(|b| b.broken().into_iter().map(|path| format!("http://{}{path}", b.plan.host)))
            .collect()
    }

    /// The reply for a path (with its query) of a host; nothing if nothing is there.
    #[must_use]
    pub fn page(&self, host: &str, path: &str) -> Option<Reply> {
        let (name, site) = self.hosts.get_key_value(host)?;
        let book = &self.books[*site];
        if *name == book.plan.alias() {
            return Some(Reply::redirect(&format!("http://{}{path}", book.plan.host)));
        }
        if book.faults && *name == book.plan.host && path.starts_with("/calendar/") {
            return services::calendar(book, path);
        }
        let at: Place = (name.clone(), path.to_owned());
        let kind = book.register.get(&at)?;
        let mut reply = self.reply(book, &at, kind);
        reply.gzip = book.plan.gzip;
        if reply.status == 200 {
            self.validators(book, kind, &mut reply);
        }
        Some(reply)
    }

    fn reply(&self, book: &SiteBook, at: &Place, kind: &Kind) -> Reply {
        match kind {
            Kind::Redirect(to) => Reply::redirect(to),
            Kind::Robots => services::robots(book),
            Kind::Sitemap => services::sitemap(book),
            Kind::SitemapIndex => services::sitemap_index(book),
            Kind::Feed => services::feed(book),
            Kind::Pdf => services::pdf(),
            Kind::Empty => Reply::ok(book.plan.charset.content_type(), Vec::new()),
            Kind::BrokenText => services::broken_text(),
            _ => self.html(book, at, kind),
        }
    }

    /// The marked copy of the page at an address; nothing if it is not HTML.
    #[must_use]
    pub fn marked(&self, address: &str) -> Option<MarkedPage> {
        let (book, at, kind) = self.find(address)?;
        marked_page(book, &at, kind)
    }

    /// The kind of the page at an address; nothing if it is not HTML.
    #[must_use]
    pub fn kind(&self, address: &str) -> Option<PageKind> {
        page_kind(self.find(address)?.2)
    }

    fn find(&self, address: &str) -> Option<(&SiteBook, Place, &Kind)> {
        let (host, path) = address.strip_prefix("http://")?.split_once('/')?;
        let book = &self.books[*self.hosts.get(host)?];
        let at: Place = (host.to_owned(), format!("/{path}"));
        let kind = book.register.get(&at)?;
        Some((book, at, kind))
    }

    fn html(&self, book: &SiteBook, at: &Place, kind: &Kind) -> Reply {
        let Some(view) = view(book, at, kind, &Ink::default()) else { return Reply::not_found() };
        let charset = book.plan.charset;
        let mut reply = Reply::ok(charset.content_type(), charset.encode(&render(&view, &at.1)));
        if let Kind::Story(story) = kind {
            (reply.delay, reply.trouble) = book.fault(*story);
        }
        reply
    }

    /// Adds `ETag` on two sites in three, `Last-Modified` on two in three: some have both, none has neither.
    fn validators(&self, book: &SiteBook, kind: &Kind, reply: &mut Reply) {
        let modified = match kind {
            Kind::Story(story) => book.stories[*story].published,
            _ => self.today,
        };
        if !book.plan.number.is_multiple_of(3) {
            let digest = blake3::hash(&reply.body).to_hex();
            reply.headers.push(("etag", format!("\"{}\"", &digest[..16])));
        }
        if book.plan.number % 3 != 1 {
            reply.headers.push(("last-modified", modified.http()));
        }
    }
}

impl Content for World {
    fn respond(&self, host: &str, path_and_query: &str) -> Reply {
        self.page(host, path_and_query).unwrap_or_else(Reply::not_found)
    }
}

fn gold(books: &[SiteBook]) -> Gold {
    let plans: Vec<&SitePlan> = books.iter().map(|b| &b.plan).collect();
    let (concepts, is_a) = gold::taxonomy(&plans);
    let mut hierarchies = Vec::new();
    for book in books {
        let sections =
            (0..book.plan.sections.len()).map(|s| (section_place(&book.plan, s, 1), Kind::Section(s, 1)));
        let home = ((book.plan.host.clone(), "/".to_owned()), Kind::Home);
        for (place, kind) in std::iter::once(home).chain(sections) {
            let outline = marked_page(book, &place, &kind).map(|page| page.outline());
            hierarchies.extend(outline.map(|outline| GoldHierarchy { url: url(&place), outline }));
        }
    }
    Gold {
        concepts,
        is_a,
        articles: books.iter().flat_map(|b| b.stories.iter().map(|s| gold::article(&b.plan, s))).collect(),
        hierarchies,
        junk: gold::junk(&plans),
    }
}

fn page_kind(kind: &Kind) -> Option<PageKind> {
    Some(match kind {
        Kind::Home => PageKind::Home,
        Kind::Section(..) => PageKind::Section,
        Kind::Story(_) => PageKind::Story,
        Kind::Profile(_) => PageKind::Profile,
        Kind::Figures => PageKind::Figures,
        Kind::About(_) | Kind::Archive | Kind::Private => PageKind::Other,
        _ => return None,
    })
}

fn marked_page(book: &SiteBook, at: &Place, kind: &Kind) -> Option<MarkedPage> {
    let ink = Ink::marking();
    let html = render(&view(book, at, kind, &ink)?, &at.1);
    let kind = page_kind(kind)?;
    let (marks, recorded) = ink.into_parts();
    let tables = tables_in_order(&html, &recorded);
    Some(MarkedPage { kind, html, marks, tables })
}

impl MarkedPage {
    /// Depth and text of the judged texts, each after the one that heads it.
    fn outline(&self) -> Vec<(usize, String)> {
        let mut shown = vec![false; self.marks.len()];
        numbers(&self.html).for_each(|id| shown[id] = true);
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.marks.len()];
        let mut top = Vec::new();
        for (id, mark) in self.marks.iter().enumerate().filter(|(id, mark)| shown[*id] && !mark.is_unjudged) {
            match mark.above.filter(|&above| shown[above] && !self.marks[above].is_unjudged) {
                Some(above) => below[above].push(id),
                None => top.push(id),
            }
        }
        let mut outline = Vec::new();
        let mut stack: Vec<(usize, usize)> = top.into_iter().rev().map(|id| (0, id)).collect();
        while let Some((depth, id)) = stack.pop() {
            outline.push((depth, self.marks[id].text.clone()));
            stack.extend(below[id].iter().rev().map(|&child| (depth + 1, child)));
        }
        outline
    }
}
