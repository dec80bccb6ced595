//! A site with two years of archives, which lists its past in three ways: sitemaps by month, archives by month, and sections and a front
//! page that go on page after page. Each way can be switched off.
//!
//! Four or five articles appear each day. Addresses of articles tell no day; sitemaps, archives and sections do, each beside its articles.
//! Start at [`ArchivedSite`].

use newslode_demo_world::dates::Moment;
use newslode_demo_world::{Content, Reply};

/// The site's host.
pub const HOST: &str = "www.valley-chronicle.test";
/// Its first day: 2022-01-01, in days since 1970-01-01.
pub const FIRST_DAY: u32 = 18_993;
/// Its number of days: two years.
pub const DAYS: u32 = 730;
/// Articles on a page of a section or of an archive.
const ON_A_PAGE: usize = 20;
/// Sections, also the names in their addresses.
const SECTIONS: [&str; 4] = ["politics", "economy", "culture", "sport"];

const WHO: [&str; 12] = [
    "Council", "Museum", "Harbour", "Library", "Railway", "Theatre", "Brewery", "Hospital", "Abbey",
    "College", "Ferry", "Market",
];
const PLACES: [&str; 15] = [
    "Ashford", "Brigham", "Corley", "Dunmore", "Elsdon", "Farndale", "Garston", "Hexton", "Ilford", "Jarvis",
    "Kelby", "Lorton", "Marden", "Norwell", "Oakham",
];
pub(crate) const VERBS: [&str; 7] = ["keeps", "opens", "closes", "rebuilds", "sells", "moves", "paints"];
pub(crate) const WHAT: [&str; 11] = [
    "bridge",
    "clocks",
    "quay",
    "archive",
    "branch line",
    "curtain",
    "cellar",
    "ward",
    "tower",
    "laboratory",
    "landing",
];
const AUTHORS: [&str; 5] = ["Ada Lovelace", "Alan Turing", "Mary Somerville", "Emmy Noether", "George Boole"];
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// What lists the past of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lists {
    /// A sitemap for each month, named by robots.txt.
    pub maps: bool,
    /// An archive for each month, to which the front page links.
    pub months: bool,
    /// Sections that are continued on further pages.
    pub sections: bool,
}

/// The site.
#[derive(Clone, Copy, Debug)]
pub struct ArchivedSite {
    lists: Lists,
}

/// An article of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchivedArticle {
    /// The day of its publication, in days since 1970-01-01.
    pub day: u32,
    number: u32,
}

impl ArchivedSite {
    /// The site with these lists.
    #[must_use]
    pub fn new(lists: Lists) -> ArchivedSite {
        ArchivedSite { lists }
    }

    /// The address of its front page.
    #[must_use]
    pub fn seed(&self) -> String {
        format!("http://{HOST}/")
    }

    /// Its articles from one day to another, both included, the oldest first.
    #[must_use]
    pub fn articles(&self, first: u32, last: u32) -> Vec<ArchivedArticle> {
        let days = first.max(FIRST_DAY)..=last.min(FIRST_DAY + DAYS - 1);
        days.flat_map(|day| {
            (0..4 + u32::from(day % 5 < 4)).map(move |number| ArchivedArticle { day, number })
        })
        .collect()
    }

    fn all(&self) -> Vec<ArchivedArticle> {
        self.articles(FIRST_DAY, FIRST_DAY + DAYS)
    }

    fn front(&self) -> String {
        let newest: Vec<_> = self.all().into_iter().rev().take(ON_A_PAGE).collect();
        let mut archives = String::new();
        if self.lists.months {
            for months_ago in 0..3 {
                let (year, month) = (2023, 12 - months_ago);
                archives.push_str(&format!(
                    "<li><a href=/archive/{year}/{month:02}/>{} {year}</a>",
                    MONTHS[month - 1]
                ));
            }
        }
        let menu: String =
            SECTIONS.iter().map(|name| format!("<li><a href=/{name}/>{}</a>", capital(name))).collect();
        format!(
            "{}<nav><ul>{menu}</ul></nav><main><h1>The Valley Chronicle</h1>{}</main><aside><ul>{archives}</ul></aside>",
            head("The Valley Chronicle"),
            items(&newest)
        )
    }

    /// A page of a list of articles, the newest first. `address` is that of its first page.
    fn list(&self, title: &str, address: &str, articles: &[ArchivedArticle], page: usize) -> Reply {
        let shown: Vec<_> =
            articles.iter().rev().skip((page - 1) * ON_A_PAGE).take(ON_A_PAGE).copied().collect();
        if shown.is_empty() {
            return Reply::not_found();
        }
        let pages = articles.len().div_ceil(ON_A_PAGE);
        let next = match page < pages {
            true => format!("<a rel=next href={address}page/{}/>Older</a>", page + 1),
            false => String::new(),
        };
        text(format!("{}<h1>{title}</h1>{}<p>{next}", head(title), items(&shown)))
    }

    fn map(&self, year: u32, month: u32) -> String {
        let entries: String = self
            .all()
            .iter()
            .filter(|article| article.is_of(year, month))
            .map(|article| {
                format!(
                    "<url><loc>http://{HOST}{}</loc><lastmod>{}</lastmod></url>",
                    article.path(),
                    article.iso()
                )
            })
            .collect();
        format!(
            "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>"
        )
    }

    fn index() -> String {
        let months = [2022, 2023].into_iter().flat_map(|year| (1..=12).map(move |month| (year, month)));
        let maps: String = months
            .map(|(year, month)| {
                format!("<sitemap><loc>http://{HOST}/sitemap-{year}-{month:02}.xml</loc></sitemap>")
            })
            .collect();
        format!(
            "<?xml version='1.0'?><sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{maps}</sitemapindex>"
        )
    }
}

impl Content for ArchivedSite {
    fn respond(&self, host: &str, path: &str) -> Reply {
        if host.split(':').next() != Some(HOST) {
            return Reply::not_found();
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let number = |text: &str| text.parse::<u32>().ok();
        let page = |text: Option<&&str>| {
            text.map_or(Some(1), |text| text.parse::<usize>().ok()).filter(|page| *page > 0)
        };
        match parts[..] {
            [] => text(self.front()),
            ["robots.txt"] if self.lists.maps => {
                Reply::ok("text/plain", format!("Sitemap: http://{HOST}/sitemap.xml\n").into_bytes())
            }
            ["sitemap.xml"] if self.lists.maps => Reply::ok("application/xml", Self::index().into_bytes()),
            [map] if self.lists.maps && map.starts_with("sitemap-") => {
                let date = map.trim_start_matches("sitemap-").trim_end_matches(".xml").split_once('-');
                match date.and_then(|(year, month)| Some((number(year)?, number(month)?))) {
                    Some((year, month)) => Reply::ok("application/xml", self.map(year, month).into_bytes()),
                    None => Reply::not_found(),
                }
            }
            ["archive", year, month] | ["archive", year, month, "page", _] if self.lists.months => {
                let (Some(year), Some(month), Some(page)) = (number(year), number(month), page(parts.get(4)))
                else {
                    return Reply::not_found();
                };
                let mut articles = self.all();
                articles.retain(|article| article.is_of(year, month));
                let title = format!("Archive of {year}-{month:02}");
                self.list(&title, &format!("/archive/{year}/{month:02}/"), &articles, page)
            }
            ["story", slug] => {
                let id = slug.rsplit('-').next().and_then(number);
                let found = id.map(|id| ArchivedArticle { day: FIRST_DAY + id / 10, number: id % 10 });
                let is_there =
                    |article: &ArchivedArticle| self.articles(article.day, article.day).contains(article);
                match found.filter(is_there).filter(|article| article.path() == format!("/story/{slug}")) {
                    Some(article) => text(article.html()),
                    None => Reply::not_found(),
                }
            }
            [section] | [section, "page", _] => {
                let Some(page) = page(parts.get(2)) else { return Reply::not_found() };
                let mut articles = self.all();
                articles.retain(|article| article.section() == section);
                if articles.is_empty() || (page > 1 && !self.lists.sections) {
                    return Reply::not_found();
                }
                if !self.lists.sections {
                    articles.drain(..articles.len() - ON_A_PAGE);
                }
                self.list(&capital(section), &format!("/{section}/"), &articles, page)
            }
            _ => Reply::not_found(),
        }
    }
}

impl ArchivedArticle {
    fn id(self) -> u32 {
        (self.day - FIRST_DAY) * 10 + self.number
    }

    /// A number that looks arbitrary.
    fn mixed(self, salt: u32) -> usize {
        let mut mixed = self.id().wrapping_add(salt).wrapping_mul(2_654_435_761);
        mixed ^= mixed >> 15;
        mixed = mixed.wrapping_mul(2_246_822_519);
        (mixed ^ mixed >> 13) as usize
    }

    fn pick(self, salt: u32, from: &[&'static str]) -> &'static str {
        from[self.mixed(salt) % from.len()]
    }

    fn section(self) -> &'static str {
        SECTIONS[self.id() as usize % SECTIONS.len()]
    }

    fn title(self) -> String {
        let (who, place, verb, what) =
            (self.pick(1, &WHO), self.pick(2, &PLACES), self.pick(3, &VERBS), self.pick(4, &WHAT));
        format!("{who} of {place} {verb} its {what} for the {} time", 3 + self.id() % 90)
    }

    /// Its path, which tells no day.
    #[must_use]
    pub fn path(self) -> String {
        format!("/story/{}-{}", self.title().to_lowercase().replace(' ', "-"), self.id())
    }

    /// Its address.
    #[must_use]
    pub fn url(self) -> String {
        format!("http://{HOST}{}", self.path())
    }

    /// Year, month and day.
    fn date(self) -> (u64, u64, u64) {
        Moment { minutes: u64::from(self.day) * 1_440, offset_hours: 0 }.ymd()
    }

    fn is_of(self, year: u32, month: u32) -> bool {
        let (own_year, own_month, _) = self.date();
        (own_year, own_month) == (u64::from(year), u64::from(month))
    }

    fn iso(self) -> String {
        let (year, month, day) = self.date();
        format!("{year}-{month:02}-{day:02}T{:02}:{:02}:00Z", 6 + self.number * 3, self.mixed(9) % 60)
    }

    fn html(self) -> String {
        let (who, place, what) = (self.pick(1, &WHO), self.pick(2, &PLACES), self.pick(4, &WHAT));
        let (title, author, iso) = (self.title(), self.pick(5, &AUTHORS), self.iso());
        let (other, elsewhere, id) = (self.pick(6, &WHO), self.pick(7, &PLACES), self.id());
        let paragraphs = [
            format!(
                "The {who} of {place} made its decision about the {what} on a long evening, after {id} letters from people of \
                 {elsewhere} had been read aloud, and few of those who listened went home before the end."
            ),
            format!(
                "What becomes of the {what} now is in the hands of the {other}, which has asked builders from {elsewhere} for an \
                 offer of at most {} thousand and wants to see the work done within {} weeks.",
                100 + id % 900,
                4 + id % 40
            ),
            format!(
                "\"We have waited for this in {place} since the year {},\" said a speaker of the {who}, who thanked the {other} \
                 for its patience and promised to report again in number {id} of the bulletin.",
                1900 + id % 100
            ),
        ];
        let text: String = paragraphs.iter().map(|paragraph| format!("<p>{paragraph}</p>")).collect();
        format!(
            "{}<meta property=og:type content=article><meta property=article:published_time content={iso}><article><h1>{title}</h1>\
             <p class=byline>By {author}, <time datetime={iso}>{}</time></p>{text}</article>",
            head(&format!("{title} - The Valley Chronicle")),
            iso.split('T').next().unwrap_or_default()
        )
    }
}

fn items(articles: &[ArchivedArticle]) -> String {
    let item = |article: &ArchivedArticle| {
        let iso = article.iso();
        format!(
            "<article><h3><a href={}>{}</a></h3><p><time datetime={iso}>{}</time></article>",
            article.path(),
            article.title(),
            iso.split('T').next().unwrap_or_default()
        )
    };
    articles.iter().map(item).collect()
}

fn head(title: &str) -> String {
    format!("<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>")
}

fn capital(name: &str) -> String {
    name.get(..1).unwrap_or_default().to_uppercase() + name.get(1..).unwrap_or_default()
}

fn text(html: String) -> Reply {
    Reply::ok("text/html; charset=utf-8", html.into_bytes())
}
