//! Schemes of sites whose pages are odd or hostile: the pages are analysed, the scheme is learnt, and the places are right and
//! bounded.

use newslode_miner::mining::site_scheme::{Place, PlaceFinder, PlaceKind, SchemePage, SiteScheme};
use newslode_page::extract::check_slots;
use newslode_page::{Analysis, Params, Timestamp, analyse};

use crate::world::url;

/// After all stories.
const FETCHED_AT: Timestamp = Timestamp(1_790_000_000_000);
/// Sections of a site, and their paths.
const SECTIONS: [(&str, &str); 3] = [("Politics", "politics"), ("Economy", "economy"), ("Sport", "sport")];
const HOST: &str = "https://www.herald.test";

/// A page of a site.
struct Made {
    path: String,
    is_article: bool,
    said: Analysis,
}

/// A site under construction.
#[derive(Default)]
struct Site {
    pages: Vec<Made>,
}

impl Site {
    fn add(&mut self, path: &str, is_article: bool, html: &str) {
        let at = url(&format!("{HOST}{path}"));
        let said =
            analyse(&at, Some("text/html; charset=utf-8"), html.as_bytes(), FETCHED_AT, &Params::default());
        assert_eq!(said.notes.failed, None, "{path}");
        check_slots(&said.slots, &at.site()).unwrap();
        self.pages.push(Made { path: path.to_owned(), is_article, said });
    }

    /// Adds story `n`, with what its head and the places above and below its text say.
    fn story(&mut self, n: usize, head: &str, above: &str, below: &str) {
        let html = format!(
            "<html lang=en><head><meta charset=utf-8><title>Story {n} of the year</title>{head}</head><body>\
             <nav><ul><li><a href=/>Home</a>{}</ul></nav><article>{above}<h1>Story {n} of the year</h1>\
             <p>By Ada Lovelace, 2 May 2024<p>The council met for the {n}th time on Thursday and spoke about bridge {n} until the \
             lamps went out.<p>Those who came from village {n} said that they would come again.{below}</article></body>",
            menu()
        );
        self.add(&path(n), true, &html);
    }

    /// Adds a listing of these stories.
    fn listing(&mut self, path_of_it: &str, title: &str, stories: impl Iterator<Item = usize>) {
        let items: String =
            stories.map(|n| format!("<li><a href={}>Story {n} of the year</a>", path(n))).collect();
        self.add(path_of_it, false, &format!("<title>{title}</title><h1>{title}</h1><ul>{items}</ul>"));
    }

    /// Adds the listing of each section, of the stories that [`section`] puts there.
    fn sections(&mut self, stories: usize) {
        for (at, (name, slug)) in SECTIONS.into_iter().enumerate() {
            let own = (0..stories).filter(|n| n % SECTIONS.len() == at);
            self.listing(&format!("/{slug}/"), name, own);
        }
    }

    fn learn(&self) -> PlaceFinder {
        let urls: Vec<_> = self.pages.iter().map(|page| url(&format!("{HOST}{}", page.path))).collect();
        let authors = ["Ada Lovelace".to_owned()];
        let page = |(page, url)| -> SchemePage<'_> {
            let Made { is_article, said, .. }: &Made = page;
            SchemePage {
                url,
                authors: is_article.then_some(authors.as_slice()),
                published: Some("2024-05-02"),
                slots: &said.slots,
                breadcrumbs: said.article.as_ref().map_or(&[], |article| &article.breadcrumbs),
                links: &said.contribution.links,
            }
        };
        PlaceFinder::new(SiteScheme::learn(&self.pages.iter().zip(&urls).map(page).collect::<Vec<_>>()).0)
    }

    /// The places of story `n`.
    fn places(&self, finder: &PlaceFinder, n: usize) -> Vec<Place> {
        let path = path(n);
        let page = self.pages.iter().find(|page| page.path == path).unwrap();
        finder.places_of(&url(&format!("{HOST}{path}")), &["Ada Lovelace".to_owned()], &page.said.slots)
    }
}

fn path(n: usize) -> String {
    format!("/stories/{n}-of-the-year")
}

fn menu() -> String {
    SECTIONS.iter().map(|(name, slug)| format!("<li><a href=/{slug}/>{name}</a>")).collect()
}

/// The section of story `n`.
fn section(n: usize) -> (&'static str, &'static str) {
    SECTIONS[n % SECTIONS.len()]
}

/// A link to the section of story `n` above its headline.
fn kicker(n: usize) -> String {
    let (name, slug) = section(n);
    format!("<p class=kicker><a href=/{slug}/>{name}</a></p>")
}

fn labels(places: &[Place]) -> Vec<&str> {
    places.iter().map(|place| place.label.as_str()).collect()
}

fn tags(links: impl Iterator<Item = (String, String)>) -> String {
    let links: String =
        links.map(|(slug, name)| format!("<a rel=tag href=/tag/{slug}/>{name}</a> ")).collect();
    format!("<p class=tags>{links}</p>")
}

#[test]
fn a_site_with_5000_tags_has_them_all() {
    const TAGS: usize = 5_000;
    const OF_STORY: usize = 40;
    const STORIES: usize = TAGS * 2 / OF_STORY;
    let of = |n: usize| {
        // Each tag has two stories that share few others.
        (0..OF_STORY)
            .map(move |k| if n.is_multiple_of(2) { n / 2 * OF_STORY + k } else { k * STORIES / 2 + n / 2 })
    };
    let mut site = Site::default();
    for n in 0..STORIES {
        site.story(
            n,
            "",
            &kicker(n),
            &tags(of(n).map(|tag| (format!("t{tag}x"), format!("Subject {tag} x")))),
        );
    }
    site.sections(STORIES);
    let finder = site.learn();
    let known = finder.scheme().places();
    assert_eq!(known.len(), TAGS + SECTIONS.len());
    assert_eq!(known.iter().filter(|place| place.kind == PlaceKind::Tag).count(), TAGS);
    for n in [0, 1, 100, STORIES - 1] {
        let places = site.places(&finder, n);
        assert_eq!((places.len(), places[0].label.as_str()), (OF_STORY + 1, section(n).0), "{n}");
        let mut said: Vec<String> = labels(&places)[1..].iter().map(ToString::to_string).collect();
        let mut wanted: Vec<String> = of(n).map(|tag| format!("Subject {tag} x")).collect();
        said.sort();
        wanted.sort();
        assert_eq!(said, wanted, "{n}");
    }
}

/// A list of more tags than an article has names none, and hides no section.
#[test]
fn a_list_of_very_many_tags_names_none() {
    let mut site = Site::default();
    for n in 0..12 {
        let all = (0..200).map(|tag| (format!("t{}x", tag + n), format!("Subject {} x", tag + n)));
        site.story(n, "", &kicker(n), &tags(all));
    }
    site.sections(12);
    let finder = site.learn();
    for n in 0..12 {
        assert_eq!(labels(&site.places(&finder, n)), [section(n).0]);
    }
}

#[test]
fn tags_that_are_sentences_are_no_places() {
    let mut site = Site::default();
    for n in 0..20 {
        let sentence =
            format!("The council of Ashford closes bridge number {} for repairs until Christmas", n % 4);
        let head =
            format!("<meta name=keywords content=\"{sentence}, people of the village say that it is late\">");
        site.story(n, &head, &kicker(n), &tags([(format!("s{}x", n % 4), sentence.clone())].into_iter()));
    }
    site.sections(20);
    let finder = site.learn();
    for n in 0..20 {
        assert_eq!(labels(&site.places(&finder, n)), [section(n).0]);
    }
}

/// The first half of the stories was fetched before the section had its new name.
#[test]
fn a_section_that_was_renamed_stays_one_place_at_one_address() {
    let mut site = Site::default();
    let name = |n: usize| if n < 12 { "Sport" } else { "Sports & Games" };
    for n in 0..30 {
        let (own, slug) = section(n);
        let own = if slug == "sport" { name(n).replace('&', "&amp;") } else { own.to_owned() };
        site.story(n, "", &format!("<p class=kicker><a href=/{slug}/>{own}</a></p>"), "");
    }
    site.sections(30);
    let finder = site.learn();
    for n in (0..30).filter(|n| section(*n).1 == "sport") {
        let places = site.places(&finder, n);
        // The menu and the address say so.
        assert_eq!(labels(&places), ["Sport"], "{n}");
        assert_eq!(places[0].address.as_deref(), Some("https://www.herald.test/sport/"));
    }
}

/// The section moved, too: each story keeps the one that it names.
#[test]
fn a_section_that_moved_is_two_places_and_each_story_has_one() {
    let mut site = Site::default();
    let of = |n: usize| match section(n) {
        ("Sport", _) if n >= 15 => ("Games", "games"),
        other => other,
    };
    for n in 0..30 {
        let (name, slug) = of(n);
        site.story(n, "", &format!("<p class=kicker><a href=/{slug}/>{name}</a></p>"), "");
    }
    for (name, slug) in SECTIONS.into_iter().chain([("Games", "games")]) {
        site.listing(&format!("/{slug}/"), name, (0..30).filter(|n| of(*n).1 == slug));
    }
    let finder = site.learn();
    for n in 0..30 {
        assert_eq!(labels(&site.places(&finder, n)), [of(n).0]);
    }
}

/// `Arts &amp;amp; Culture` is what a system writes that escapes twice.
#[test]
fn names_that_are_escaped_twice_are_read_and_joined() {
    let mut site = Site::default();
    for n in 0..24 {
        let (name, slug) = match section(n) {
            ("Sport", _) => ("Arts &amp;amp; Culture", "arts-and-culture"),
            other => other,
        };
        let head = format!(
            "<meta property=article:section content=\"{name}\"><script type=application/ld+json>\
             {{\"@type\":\"NewsArticle\",\"headline\":\"Story {n} of the year\",\"articleSection\":\"{}\"}}</script>",
            name.replace("&amp;amp;", "&amp;")
        );
        site.story(n, &head, &format!("<p class=kicker><a href=/{slug}/>{name}</a></p>"), "");
    }
    let own = |at: usize| (0..24).filter(move |n| n % 3 == at);
    site.listing("/politics/", "Politics", own(0));
    site.listing("/economy/", "Economy", own(1));
    site.listing("/arts-and-culture/", "Arts &amp;amp; Culture", own(2));
    let finder = site.learn();
    for n in own(2) {
        let places = site.places(&finder, n);
        assert_eq!(labels(&places), ["Arts & Culture"], "{places:?}");
        assert_eq!(places[0].evidence, ["json-ld", "link", "meta"]);
    }
}

/// Keywords are joined by commas, which are also in names: `Trump, Donald J` is one where a link has that name.
#[test]
fn a_name_with_a_comma_stays_whole_where_a_link_has_it() {
    let names = [("trump-donald-j", "Trump, Donald J"), ("budget", "Budget"), ("tariffs", "Tariffs")];
    let of = |n: usize| [names[n % 3], names[(n + 1 + n / 3 % 2) % 3]];
    let mut site = Site::default();
    for n in 0..30 {
        let head = format!("<meta name=news_keywords content=\"{}, {}\">", of(n)[0].1, of(n)[1].1);
        let links = of(n).map(|(slug, name)| (slug.to_owned(), name.to_owned()));
        site.story(n, &head, &kicker(n), &tags(links.into_iter()));
    }
    site.sections(30);
    for (slug, name) in names {
        site.listing(&format!("/tag/{slug}/"), name, (0..30).filter(|n| of(*n).contains(&(slug, name))));
    }
    let finder = site.learn();
    for n in 0..30 {
        let places = site.places(&finder, n);
        let mut wanted = vec![section(n).0, of(n)[0].1, of(n)[1].1];
        wanted.sort_unstable();
        let mut said = labels(&places);
        assert_eq!(said[0], section(n).0);
        said.sort_unstable();
        assert_eq!(said, wanted, "{places:?}");
        let is_in_both = |place: &&Place| place.evidence == ["link", "meta"];
        assert_eq!(places.iter().filter(is_in_both).count(), 2, "{places:?}");
    }
}

#[test]
fn sections_that_json_ld_joins_are_parted() {
    let mut site = Site::default();
    let of = |n: usize| if n.is_multiple_of(4) { vec![section(n), section(n + 1)] } else { vec![section(n)] };
    for n in 0..36 {
        let names: Vec<&str> = of(n).iter().map(|(name, _)| *name).collect();
        let head = format!(
            "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"headline\":\"Story {n} of the year\",\
             \"articleSection\":\"{}\"}}</script>",
            names.join(", ")
        );
        site.story(n, &head, "", "");
    }
    for (name, slug) in SECTIONS {
        site.listing(&format!("/{slug}/"), name, (0..36).filter(|n| of(*n).contains(&(name, slug))));
    }
    let finder = site.learn();
    for n in 0..36 {
        let places = site.places(&finder, n);
        let mut wanted: Vec<&str> = of(n).iter().map(|(name, _)| *name).collect();
        let mut said = labels(&places);
        wanted.sort_unstable();
        said.sort_unstable();
        assert_eq!(said, wanted, "{n}: {places:?}");
    }
}

/// Each link has classes of its own, or all have the same.
#[test]
fn a_page_with_10000_links_is_bounded_and_keeps_its_section() {
    let letters = |n: usize| -> String {
        n.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect()
    };
    let many = |is_ragged: bool| -> String {
        (0..10_000)
            .map(|n| {
                let class = if is_ragged { letters(n) } else { "same".to_owned() };
                format!("<p class={class}><a href=/elsewhere/{n}/>Subject {}</a>", letters(n))
            })
            .collect()
    };
    let (ragged, same) = (many(true), many(false));
    let mut site = Site::default();
    for n in 0..9 {
        let below = match n {
            0 => ragged.as_str(),
            1 => same.as_str(),
            _ => "",
        };
        site.story(n, "", &kicker(n), below);
    }
    site.sections(9);
    let slots: usize = site.pages.iter().map(|page| page.said.slots.len()).max().unwrap();
    assert!(slots <= 200, "{slots}");
    let finder = site.learn();
    for n in 0..9 {
        assert!(labels(&site.places(&finder, n)).contains(&section(n).0), "{n}");
    }
    assert!(finder.scheme().places().len() <= 20, "{:?}", finder.scheme().places());
}

#[test]
fn words_of_the_text_that_lead_to_a_section_do_not_name_it() {
    let mut site = Site::default();
    for n in 0..30 {
        let (name, slug) = section(n);
        let says = format!(
            "<p>So it has been for <a href=/{slug}/>{} years</a> in the village by the bridge.",
            20 + n % 3
        );
        let head = format!("<meta property=article:section content={name}>");
        site.story(n, &head, "", if n % 2 == 0 { &says } else { "" });
    }
    site.sections(30);
    let finder = site.learn();
    assert!((0..30).all(|n| labels(&site.places(&finder, n)) == [section(n).0]));
}

#[test]
fn pages_of_the_footer_are_no_places_where_its_links_look_like_those_to_sections() {
    let mut site = Site::default();
    for n in 0..30 {
        let footer = "<p><a href=/contact>Contact</a><p><a href=/terms>Terms</a><p><a href=/rss>RSS</a>";
        let (name, slug) = section(n);
        site.story(
            n,
            "",
            &format!("<p><a href=/{slug}/>{name}</a></p>"),
            if n % 5 == 0 { "" } else { footer },
        );
    }
    site.sections(30);
    for page in ["contact", "terms", "rss"] {
        site.add(&format!("/{page}"), false, "<h1>Contact</h1><p>Write to us at any time of day.");
    }
    let finder = site.learn();
    assert!((0..30).all(|n| labels(&site.places(&finder, n)) == [section(n).0]));
}

#[test]
fn months_of_a_young_site_are_no_places() {
    let mut site = Site::default();
    let month = |n: usize| (["March 2025", "April 2025", "May 2025"][n / 10], n / 10 + 3);
    for n in 0..30 {
        let (name, number) = month(n);
        site.story(n, "", &format!("<p><a href=/2025/{number:02}/>{name}</a>"), "");
    }
    for number in 0..3 {
        let (name, at) = month(number * 10);
        site.listing(&format!("/2025/{at:02}/"), name, number * 10..number * 10 + 10);
    }
    let finder = site.learn();
    assert!((0..30).all(|n| site.places(&finder, n).is_empty()));
}
