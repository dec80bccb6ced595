//! Sites that name the sections and tags of their articles, each in a way of its own, and sites that have no sections.
//!
//! The ways are those of publishing systems: a link above the headline, `rel` words, trails, JSON-LD, meta names, directories of
//! the address, classes of the article's element, and all of them at once. Sites without sections have tables of contents by
//! month or issue, linked bylines and links to the previous and next story, which look like places and are none. Gold holds what
//! the page names. Start at [`PlacedWorld`] and [`Naming`].

use crate::archived::{MONTHS, VERBS, WHAT};
use std::collections::BTreeSet;

use newslode_demo_world::dates::Moment;
use newslode_demo_world::{Content, GoldArticle, Reply, Rng};
use serde_json::json;

/// What kind of world to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedSpec {
    /// Seed of all randomness.
    pub seed: u64,
    /// Number of sites; they take the ways of [`Naming::ALL`] in turn.
    pub sites: usize,
    /// A fifth of the stories of each site.
    pub stories: usize,
}

/// The sections above which a site with subsections has others. Each site takes [`TOP`] of them.
const SECTIONS: [(&str, [&str; 2]); 7] = [
    ("World", ["Europe", "Asia"]),
    ("Politics", ["Elections", "Parliament"]),
    ("Business", ["Markets", "Companies"]),
    ("Arts & Culture", ["Books", "Theatre"]),
    ("Sport", ["Football", "Tennis"]),
    ("Science", ["Space", "Medicine"]),
    ("Opinion", ["Columns", "Letters"]),
];
/// Number of sections of a site, without subsections.
const TOP: usize = 5;
const TAGS: [&str; 14] = [
    "budget",
    "climate change",
    "Cup final",
    "drought",
    "housing",
    "immigration",
    "inflation",
    "railway strike",
    "schools",
    "spaceflight",
    "tariffs",
    "vaccination",
    "water supply",
    "World Cup 2026",
];
/// Number of tags of a site.
const SITE_TAGS: usize = 9;
/// Stories of a month or an issue of a site without sections.
const PERIOD: usize = 6;
/// Stories on a front page.
const NEWEST: usize = 12;

const TOWNS: [&str; 15] = [
    "Ashford", "Brigham", "Corley", "Dunmore", "Elsdon", "Farndale", "Garston", "Hexton", "Ilford", "Jarvis",
    "Kelby", "Lorton", "Marden", "Norwell", "Oakham",
];
const PAPERS: [&str; 5] = ["Herald", "Courier", "Observer", "Gazette", "Post"];
const WHO: [&str; 13] = [
    "Council",
    "Museum",
    "Harbour",
    "Library",
    "Railway",
    "Theatre",
    "Brewery",
    "Hospital",
    "Abbey",
    "College",
    "Ferry",
    "Market",
    "Orchestra",
];
const AUTHORS: [&str; 7] = [
    "Ada Lovelace",
    "Alan Turing",
    "Mary Somerville",
    "Emmy Noether",
    "George Boole",
    "Lise Meitner",
    "Max Born",
];

/// How a site names the places of its articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Naming {
    /// A link above the headline.
    Kicker,
    /// Links with `rel="category tag"` and `rel=tag`.
    Rel,
    /// Visible breadcrumbs.
    Trail,
    /// Breadcrumbs in JSON-LD.
    DeclaredTrail,
    /// `articleSection` and `keywords` in JSON-LD.
    Declared,
    /// The meta names `article:section` and `news_keywords`.
    Metas,
    /// Directories of the address.
    Directory,
    /// Classes of the article's element.
    Classes,
    /// Nearly all of these at once.
    Several,
    /// No sections; tables of contents by month.
    Months,
    /// No sections; tables of contents by issue.
    Issues,
}

impl Naming {
    /// All ways.
    pub const ALL: [Naming; 11] = [
        Naming::Kicker,
        Naming::Months,
        Naming::Rel,
        Naming::Trail,
        Naming::DeclaredTrail,
        Naming::Declared,
        Naming::Metas,
        Naming::Directory,
        Naming::Classes,
        Naming::Several,
        Naming::Issues,
    ];

    /// Whether sites of this kind have sections.
    #[must_use]
    pub fn has_sections(self) -> bool {
        !matches!(self, Naming::Months | Naming::Issues)
    }

    fn has_subsections(self) -> bool {
        matches!(self, Naming::Trail | Naming::DeclaredTrail | Naming::Directory | Naming::Several)
    }

    fn has_tags(self) -> bool {
        matches!(self, Naming::Declared | Naming::Metas | Naming::Classes) || self.has_tag_pages()
    }

    fn has_tag_pages(self) -> bool {
        matches!(self, Naming::Rel | Naming::Several)
    }
}

/// A section or tag of a site.
#[derive(Clone, Debug)]
struct Topic {
    name: String,
    path: String,
    /// Number of the section above.
    parent: Option<usize>,
}

/// A story of a site.
#[derive(Clone, Debug)]
struct Story {
    path: String,
    title: String,
    author: &'static str,
    moment: Moment,
    /// Numbers of its sections, without those above.
    sections: Vec<usize>,
    tags: Vec<usize>,
    paragraphs: Vec<String>,
}

/// A site of the world.
#[derive(Clone, Debug)]
pub struct PlacedSite {
    /// Its host.
    pub host: String,
    /// How it names places.
    pub naming: Naming,
    name: String,
    sections: Vec<Topic>,
    tags: Vec<Topic>,
    /// The newest first.
    stories: Vec<Story>,
}

/// A world of such sites.
#[derive(Clone, Debug)]
pub struct PlacedWorld {
    sites: Vec<PlacedSite>,
    gold: Vec<GoldArticle>,
}

impl PlacedWorld {
    /// The world of a specification; the same one gives the same bytes.
    #[must_use]
    pub fn generate(spec: &PlacedSpec) -> PlacedWorld {
        let sites: Vec<PlacedSite> = (0..spec.sites).map(|number| PlacedSite::draw(spec, number)).collect();
        let gold = sites.iter().flat_map(PlacedSite::gold).collect();
        PlacedWorld { sites, gold }
    }

    /// The front pages.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        self.sites.iter().map(|site| format!("http://{}/", site.host)).collect()
    }

    /// The sites.
    #[must_use]
    pub fn sites(&self) -> &[PlacedSite] {
        &self.sites
    }

    /// The addresses of all pages, by site: front pages, listings, stories.
    #[must_use]
    pub fn urls(&self) -> Vec<Vec<String>> {
        let of = |site: &PlacedSite| {
            site.paths().into_iter().map(|path| format!("http://{}{path}", site.host)).collect()
        };
        self.sites.iter().map(of).collect()
    }

    /// The right answers for each story.
    #[must_use]
    pub fn gold(&self) -> &[GoldArticle] {
        &self.gold
    }
}

impl Content for PlacedWorld {
    fn respond(&self, host: &str, path: &str) -> Reply {
        let host = host.split(':').next().unwrap_or_default();
        let found = self.sites.iter().find(|site| site.host == host).and_then(|site| site.page(path));
        match found {
            Some(html) => Reply::ok("text/html; charset=utf-8", html.into_bytes()),
            None => Reply::not_found(),
        }
    }
}

impl PlacedSite {
    fn draw(spec: &PlacedSpec, number: usize) -> PlacedSite {
        let rng = Rng::new(spec.seed).fork(&format!("placed site {number}"));
        let naming = Naming::ALL[number % Naming::ALL.len()];
        let (town, paper) = (TOWNS[number % TOWNS.len()], PAPERS[number % PAPERS.len()]);
        let round = match number / TOWNS.len() {
            0 => String::new(),
            round => format!(" {}", round + 1),
        };
        let name = format!("{town} {paper}{round}");
        let mut draw = rng.fork("plan");
        let mut site = PlacedSite {
            host: format!("www.{}.test", slug(&name)),
            naming,
            name,
            sections: Vec::new(),
            tags: Vec::new(),
            stories: Vec::new(),
        };
        if naming.has_sections() {
            site.draw_sections(&mut draw);
        }
        if naming.has_tags() {
            site.tags = draw
                .sample(TAGS.len(), SITE_TAGS)
                .into_iter()
                .map(|at| Topic {
                    name: TAGS[at].to_owned(),
                    path: format!("/tag/{}/", slug(TAGS[at])),
                    parent: None,
                })
                .collect();
        }
        let stories = (spec.stories * TOP).max(1);
        site.stories = (0..stories).map(|at| site.draw_story(&rng, number, at, stories)).collect();
        site
    }

    fn draw_sections(&mut self, draw: &mut Rng) {
        let base = if self.naming == Naming::Rel { "/category" } else { "" };
        for top in draw.sample(SECTIONS.len(), TOP) {
            let (name, below) = SECTIONS[top];
            let parent = self.sections.len();
            let path = format!("{base}/{}/", slug(name));
            self.sections.push(Topic { name: name.to_owned(), path: path.clone(), parent: None });
            for name in below.into_iter().filter(|_| self.naming.has_subsections()) {
                self.sections.push(Topic {
                    name: name.to_owned(),
                    path: format!("{path}{}/", slug(name)),
                    parent: Some(parent),
                });
            }
        }
    }

    /// The sections that have none below.
    fn narrowest(&self) -> Vec<usize> {
        let has_below = |at: &usize| self.sections.iter().any(|section| section.parent == Some(*at));
        (0..self.sections.len()).filter(|at| !has_below(at)).collect()
    }

    fn draw_story(&self, rng: &Rng, site: usize, at: usize, stories: usize) -> Story {
        let mut draw = rng.fork(&format!("story {at}"));
        // Numbers without a common divisor: no two stories of a world have one title.
        let mixed = ((site * 1_200 + at) * 7_919) % (WHO.len() * TOWNS.len() * WHAT.len() * VERBS.len());
        let (who, rest) = (WHO[mixed % WHO.len()], mixed / WHO.len());
        let (town, rest) = (TOWNS[rest % TOWNS.len()], rest / TOWNS.len());
        let (what, verb) = (WHAT[rest % WHAT.len()], VERBS[rest / WHAT.len() % VERBS.len()]);
        let title = format!("{who} of {town} {verb} its {what} for the {} time", 3 + at);
        // Two and a half years that end in June 2025, or a period every three months.
        let days_ago = match self.naming.has_sections() {
            true => at * 900 / stories,
            false => at / PERIOD * 91,
        };
        let minutes = (20_254 - days_ago.min(9_000)) as u64 * 1_440 + 400 + (at % PERIOD * 37) as u64;
        let moment = Moment { minutes, offset_hours: 0 };
        let narrowest = self.narrowest();
        let mut sections = Vec::new();
        if !narrowest.is_empty() {
            sections.push(if draw.chance(70) {
                narrowest[at % narrowest.len()]
            } else {
                *draw.pick(&narrowest)
            });
            let other = *draw.pick(&narrowest);
            if self.naming == Naming::Rel && draw.chance(20) && !sections.contains(&other) {
                sections.push(other);
            }
        }
        let count = draw.between(1, 3);
        let tags = draw.sample(self.tags.len(), count);
        let slug = slug(&title);
        let (year, month, day) = moment.ymd();
        let path = match self.naming {
            Naming::Kicker => format!("/article/{slug}.html"),
            Naming::Rel => format!("/{year}/{month:02}/{day:02}/{slug}/"),
            Naming::Trail | Naming::DeclaredTrail => format!("/{slug}-{}", 4_000 + at),
            Naming::Declared => format!("/stories/{slug}"),
            Naming::Metas => format!("/a/{}/{slug}", 10_000 + at),
            Naming::Directory | Naming::Several => {
                let section = sections.first().and_then(|at| self.sections.get(*at));
                format!("{}{slug}", section.map_or("/", |section| &section.path))
            }
            Naming::Classes => format!("/{slug}/"),
            Naming::Months => format!("/{year}/{month:02}/{slug}"),
            Naming::Issues => format!("/story-{}", stories - at),
        };
        let author = *draw.pick(&AUTHORS);
        let paragraphs = paragraphs(&mut draw, [who, town, what], &self.name, at);
        Story { path, title, author, moment, sections, tags, paragraphs }
    }

    /// What the page of a story names: its sections with those above them that it names, and its tags.
    fn named(&self, story: &Story) -> [Vec<&Topic>; 2] {
        let mut sections: Vec<&Topic> = Vec::new();
        for at in &story.sections {
            let Some(section) = self.sections.get(*at) else { continue };
            sections.push(section);
            sections.extend(section.parent.and_then(|parent| self.sections.get(parent)));
        }
        [sections, story.tags.iter().filter_map(|at| self.tags.get(*at)).collect()]
    }

    fn gold(&self) -> Vec<GoldArticle> {
        let of = |story: &Story| {
            let names = self
                .named(story)
                .map(|topics| topics.iter().map(|topic| topic.name.clone()).collect::<Vec<String>>());
            let [sections, tags] = names;
            GoldArticle {
                url: format!("http://{}{}", self.host, story.path),
                title: story.title.clone(),
                authors: vec![story.author.to_owned()],
                published: Some(rfc3339(story.moment)),
                modified: None,
                place: None,
                section: sections.first().cloned().unwrap_or_default(),
                section_said: matches!(self.naming, Naming::Declared | Naming::Metas | Naming::Several)
                    .then(|| sections.first().cloned())
                    .flatten(),
                section_shown: sections.first().cloned().unwrap_or_default(),
                sections,
                tags,
                picture: None,
                language: "en".to_owned(),
                body: story.paragraphs.join("\n"),
            }
        };
        self.stories.iter().map(of).collect()
    }

    /// The paths of all pages.
    fn paths(&self) -> Vec<String> {
        let tags = self.tags.iter().enumerate().filter(|(at, _)| {
            self.naming.has_tag_pages() && self.stories.iter().any(|story| story.tags.contains(at))
        });
        // Only half of the bylines are links.
        let linked = |(at, story): (usize, &Story)| self.links_author(at).then(|| person(story.author));
        let people: BTreeSet<String> = self.stories.iter().enumerate().filter_map(linked).collect();
        std::iter::once("/".to_owned())
            .chain(self.sections.iter().map(|section| section.path.clone()))
            .chain(tags.map(|(_, tag)| tag.path.clone()))
            .chain(people)
            .chain(self.periods().into_iter().map(|(_, path)| path))
            .chain(self.stories.iter().map(|story| story.path.clone()))
            .collect()
    }

    /// Whether the byline of this story is a link.
    fn links_author(&self, at: usize) -> bool {
        at.is_multiple_of(2) || !self.naming.has_sections()
    }

    /// The page at a path.
    fn page(&self, path: &str) -> Option<String> {
        if path == "/" {
            return Some(self.front());
        }
        if let Some(at) = self.stories.iter().position(|story| story.path == path) {
            return Some(self.story(at));
        }
        let listed = |title: &str, kept: &dyn Fn(&Story) -> bool| {
            let stories: Vec<&Story> = self.stories.iter().filter(|story| kept(story)).collect();
            (!stories.is_empty()).then(|| self.listing(title, "", &stories))
        };
        if let Some(at) = self.sections.iter().position(|section| section.path == path) {
            let section = &self.sections[at];
            let below: Vec<usize> =
                (0..self.sections.len()).filter(|below| self.sections[*below].parent == Some(at)).collect();
            let is_in = |story: &&Story| story.sections.iter().any(|of| *of == at || below.contains(of));
            let links: String =
                below.iter().map(|below| format!("<li>{}</li>", link(&self.sections[*below]))).collect();
            let links = if links.is_empty() { links } else { format!("<ul class=subsections>{links}</ul>") };
            return Some(self.listing(
                &section.name,
                &links,
                &self.stories.iter().filter(is_in).collect::<Vec<_>>(),
            ));
        }
        if self.naming.has_tag_pages()
            && let Some(at) = self.tags.iter().position(|tag| tag.path == path)
        {
            return listed(&self.tags[at].name, &|story| story.tags.contains(&at));
        }
        if let Some(author) = AUTHORS.iter().find(|author| person(author) == path) {
            return listed(author, &|story| story.author == *author);
        }
        let (title, _) = self.periods().into_iter().find(|(_, known)| known == path)?;
        listed(&title, &|story| self.period(story).is_some_and(|(_, known)| known == path))
    }

    /// The month or issue of a story: its name and path.
    fn period(&self, story: &Story) -> Option<(String, String)> {
        let (year, month, _) = story.moment.ymd();
        let name = MONTHS.get(month.saturating_sub(1) as usize)?;
        match self.naming {
            Naming::Months => Some((format!("{name} {year}"), format!("/{year}/{month:02}/"))),
            Naming::Issues => {
                let first = self.stories.last()?.moment.minutes;
                let number = (story.moment.minutes.saturating_sub(first) / 1_440 + 45) / 91 + 1;
                Some((format!("Issue {number}"), format!("/issue-{number}")))
            }
            _ => None,
        }
    }

    fn periods(&self) -> Vec<(String, String)> {
        let mut periods: Vec<_> = self.stories.iter().filter_map(|story| self.period(story)).collect();
        periods.dedup();
        periods
    }

    fn head(&self, title: &str, more: &str) -> String {
        let menu: String = self
            .sections
            .iter()
            .filter(|section| section.parent.is_none())
            .map(|section| format!("<li>{}</li>", link(section)))
            .collect();
        let title = match title == self.name {
            true => esc(title),
            false => format!("{} - {}", esc(title), self.name),
        };
        format!(
            "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{more}</head>\n<body><header><a href=/>{}</a>\
             <nav><ul><li><a href=/>Home</a></li>{menu}</ul></nav></header>\n",
            self.name
        )
    }

    fn foot(&self) -> String {
        format!("<footer><p>All rights reserved by the {}.</p></footer></body></html>", self.name)
    }

    fn front(&self) -> String {
        let newest: Vec<&Story> = self.stories.iter().take(NEWEST).collect();
        let periods: String =
            self.periods().iter().map(|(name, path)| format!("<li><a href={path}>{name}</a></li>")).collect();
        let periods = if periods.is_empty() {
            periods
        } else {
            format!("<aside><h2>Contents</h2><ul>{periods}</ul></aside>")
        };
        format!(
            "{}<main><h1>{}</h1>{}</main>{periods}{}",
            self.head(&self.name, ""),
            self.name,
            items(&newest),
            self.foot()
        )
    }

    fn listing(&self, title: &str, above: &str, stories: &[&Story]) -> String {
        format!(
            "{}<main><h1>{}</h1>{above}{}</main>{}",
            self.head(title, ""),
            esc(title),
            items(stories),
            self.foot()
        )
    }

    fn story(&self, at: usize) -> String {
        let story = &self.stories[at];
        let [sections, tags] = self.named(story);
        let iso = rfc3339(story.moment);
        let mut head = format!(
            "<meta property=og:type content=article><meta property=article:published_time content=\"{iso}\">"
        );
        let is = |naming: &[Naming]| naming.contains(&self.naming);
        let (own, tag_names) =
            (sections.first(), tags.iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>());
        if is(&[Naming::Metas, Naming::Several])
            && let Some(own) = own
        {
            head += &format!("<meta property=\"article:section\" content=\"{}\">", esc(&own.name));
            head += &format!("<meta name=news_keywords content=\"{}\">", esc(&tag_names.join(", ")));
        }
        let mut objects = Vec::new();
        if is(&[Naming::Declared, Naming::Several]) {
            objects.push(json!({
                "@context": "https://schema.org", "@type": "NewsArticle", "headline": story.title,
                "datePublished": iso, "author": [{"@type": "Person", "name": story.author}],
                "articleSection": own.map(|own| own.name.as_str()), "keywords": tag_names,
            }));
        }
        // From the top down.
        let steps: Vec<&&Topic> = sections.iter().rev().collect();
        if is(&[Naming::DeclaredTrail, Naming::Several]) {
            let step = |(at, section): (usize, &&&Topic)| {
                let item = format!("http://{}{}", self.host, section.path);
                json!({"@type": "ListItem", "position": at + 1, "name": section.name, "item": item})
            };
            let steps: Vec<_> = steps.iter().enumerate().map(step).collect();
            objects.push(json!({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": steps}));
        }
        for object in objects {
            // A script must not contain its own end tag.
            let text = object.to_string().replace("</", "<\\/");
            head += &format!("<script type=\"application/ld+json\">{text}</script>");
        }
        let mut above = String::new();
        if is(&[Naming::Trail, Naming::Several]) {
            let steps: String = steps.iter().map(|section| format!(" › {}", link(section))).collect();
            above += &format!("<nav class=breadcrumbs><a href=/>Home</a>{steps}</nav>");
        }
        let kicker = match self.naming {
            Naming::Kicker => own.map(|own| format!("<p class=kicker>{}</p>", link(own))),
            Naming::Rel => Some(format!("<p class=cats>{}</p>", links(&sections, "category tag"))),
            Naming::Months | Naming::Issues => {
                self.period(story).map(|(name, path)| format!("<p><a href={path}>{name}</a></p>"))
            }
            _ => None,
        };
        let classes = match self.naming {
            Naming::Classes | Naming::Several => {
                let own = sections.iter().take(1).map(|section| format!("category-{}", slug(&section.name)));
                let tags = tags.iter().map(|tag| format!("tag-{}", slug(&tag.name)));
                let all: Vec<String> = own.chain(tags).collect();
                format!(" class=\"post-{} type-post hentry {}\"", 100 + at, all.join(" "))
            }
            _ => String::new(),
        };
        let byline = match self.links_author(at) {
            true => format!("<a href={}>{}</a>", person(story.author), story.author),
            false => story.author.to_owned(),
        };
        let (year, month, day) = story.moment.ymd();
        let date = format!("{day} {} {year}", MONTHS[month.saturating_sub(1) as usize % 12]);
        let text: String = story.paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
        let mut below = String::new();
        if is(&[Naming::Rel, Naming::Several]) {
            below += &format!("<p class=tags>{}</p>", links(&tags, "tag"));
        }
        if !self.naming.has_sections() {
            let step = |at: Option<usize>, name: &str| {
                let story = at.and_then(|at| self.stories.get(at));
                story.map_or_else(String::new, |story| format!("<a href={}>{name}</a> ", story.path))
            };
            below += &format!(
                "<p class=steps>{}{}</p>",
                step(Some(at + 1), "Previous story"),
                step(at.checked_sub(1), "Next story")
            );
        }
        // The same on all pages of the site, as boxes of what is read most are.
        let most_read: Vec<&Story> =
            [3, 11, 17].into_iter().filter_map(|at| self.stories.get(at % self.stories.len())).collect();
        let most_read: String = most_read
            .iter()
            .map(|story| format!("<li><a href={}>{}</a></li>", story.path, story.title))
            .collect();
        format!(
            "{}<main>{above}<article{classes}>{}<h1>{}</h1><p class=byline>By {byline}, <time datetime=\"{iso}\">{date}</time></p>\
             <div class=text>{text}</div>{below}</article></main><aside><h2>Most read</h2><ol>{most_read}</ol></aside>{}",
            self.head(&story.title, &head),
            kicker.unwrap_or_default(),
            story.title,
            self.foot()
        )
    }
}

fn items(stories: &[&Story]) -> String {
    let item = |story: &&Story| {
        let (year, month, day) = story.moment.ymd();
        let teaser: String = story.paragraphs.first().map_or("", String::as_str).chars().take(90).collect();
        format!(
            "<article><h3><a href={}>{}</a></h3><p>{teaser}…</p><time datetime={year}-{month:02}-{day:02}>{day}.{month}.{year}</time></article>",
            story.path, story.title
        )
    };
    stories.iter().map(item).collect()
}

/// Three paragraphs on a subject, which no other story has.
fn paragraphs(draw: &mut Rng, [who, town, what]: [&str; 3], paper: &str, number: usize) -> Vec<String> {
    let (other, elsewhere, author) = (*draw.pick(&WHO), *draw.pick(&TOWNS), *draw.pick(&AUTHORS));
    let (cost, weeks, year) = (100 + draw.below(900), 4 + draw.below(40), 1900 + draw.below(100));
    let openings = [
        format!(
            "The {who} of {town} made its decision about the {what} on a long evening, after {cost} letters from {elsewhere} had been read aloud."
        ),
        format!(
            "For {weeks} weeks nobody in {town} knew what would become of the {what}, until the {who} told the {paper} on the telephone."
        ),
        format!(
            "It took the {who} of {town} {weeks} meetings with the {other} of {elsewhere} to agree on the {what}, people who sat there say."
        ),
    ];
    let middles = [
        format!(
            "What becomes of it now is in the hands of the {other}, which has asked builders from {elsewhere} for an offer of at most {cost} thousand and wants to see the work done within {weeks} weeks."
        ),
        format!(
            "The {other}, which owns the land towards {elsewhere}, expects {cost} visitors on the first weekend and has ordered {weeks} benches for those who come on foot."
        ),
        format!(
            "Two of the {weeks} people who voted against it left the room before the count; the {other} of {elsewhere} had warned them of the price, some {cost} thousand."
        ),
    ];
    let ends = [
        format!(
            "\"We have waited for this in {town} since the year {year},\" said a speaker of the {who}, who thanked {author} for the patience and promised to report again in number {number} of the bulletin."
        ),
        format!(
            "A plaque of {year} that workers found under the {what} goes to the {other}; {author}, who read the inscription, counts it as number {number} of the collection in {elsewhere}."
        ),
        format!(
            "Whoever wants to see the plans finds them at the {who} until the {}th of the month, on page {number} of a book that {author} began in {year}.",
            5 + weeks % 20
        ),
    ];
    [openings, middles, ends].iter().map(|choices| draw.pick(choices).clone()).collect()
}

fn rfc3339(moment: Moment) -> String {
    let (year, month, day) = moment.ymd();
    let minutes = moment.minutes % 1_440;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:00Z", minutes / 60, minutes % 60)
}

fn person(name: &str) -> String {
    format!("/people/{}", slug(name))
}

fn link(topic: &Topic) -> String {
    format!("<a href={}>{}</a>", topic.path, esc(&topic.name))
}

fn links(topics: &[&Topic], rel: &str) -> String {
    let link = |topic: &&Topic| format!("<a href=\"{}\" rel=\"{rel}\">{}</a>", topic.path, esc(&topic.name));
    topics.iter().map(link).collect::<Vec<_>>().join(", ")
}

fn slug(name: &str) -> String {
    let words: Vec<String> = name
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-")
}

fn esc(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
