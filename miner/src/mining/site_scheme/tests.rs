use newslode_page::article::NamedLink;
use newslode_page::contribution::LinkUse;
use newslode_page::extract::{SlotName, SlotUse};
use newslode_page::reading::CanonicalUrl;
use proptest::prelude::*;

use super::*;

const SECTIONS: [&str; 3] = ["Sport", "Arts & Music", "Trade"];

const TAGS: [&str; 6] = ["cup", "rain", "law", "wine", "golf", "silk"];

/// A site as pages say it: forty articles in three sections.
#[derive(Clone, Default)]
struct MadeSite {
    articles: Vec<MadeArticle>,
    listings: Vec<(CanonicalUrl, Vec<LinkUse>)>,
}

#[derive(Clone)]
struct MadeArticle {
    url: CanonicalUrl,
    authors: Vec<String>,
    published: String,
    slots: Vec<SlotUse>,
    breadcrumbs: Vec<NamedLink>,
}

fn url(path: &str) -> CanonicalUrl {
    format!("https://example.org{path}").parse().unwrap()
}

fn linked(slot: &str, names: &[(&str, &str)]) -> SlotUse {
    let name = |(name, path): &(&str, &str)| SlotName { name: (*name).into(), target: Some(url(path)) };
    SlotUse { slot: slot.into(), names: names.iter().map(name).collect() }
}

fn said(slot: &str, text: &str) -> SlotUse {
    SlotUse { slot: slot.into(), names: vec![SlotName { name: text.into(), target: None }] }
}

fn link(to: &CanonicalUrl) -> LinkUse {
    LinkUse { target: to.clone(), label: None, in_group: true, inside: true }
}

fn section_path(section: usize) -> String {
    format!("/{}/", ["sport", "arts-music", "trade"][section])
}

/// Articles whose slots `slots` gives, by number and section; their sections list them.
fn made(slots: impl Fn(usize, usize) -> Vec<SlotUse>) -> MadeSite {
    let mut site = MadeSite::default();
    for number in 0..42 {
        let month = 1 + number % 12;
        site.articles.push(MadeArticle {
            url: url(&format!("/2024/story-{number}")),
            authors: vec![format!("Author {}", number % 5)],
            published: format!("{}-{month:02}-03", 2020 + number / 12),
            slots: slots(number, number % 3),
            breadcrumbs: Vec::new(),
        });
    }
    for section in 0..3 {
        let shown = site.articles.iter().skip(section).step_by(3).map(|article| link(&article.url)).collect();
        site.listings.push((url(&section_path(section)), shown));
    }
    site
}

/// A link to the article's section in its header.
fn header(section: usize) -> SlotUse {
    linked("a div.head>p>a", &[(SECTIONS[section], &section_path(section))])
}

impl MadeSite {
    fn pages(&self) -> Vec<SchemePage<'_>> {
        let articles = self.articles.iter().map(|article| SchemePage {
            url: &article.url,
            authors: Some(&article.authors),
            published: Some(&article.published),
            slots: &article.slots,
            breadcrumbs: &article.breadcrumbs,
            links: &[],
        });
        let listings = self.listings.iter().map(|(url, links)| SchemePage {
            url,
            authors: None,
            published: None,
            slots: &[],
            breadcrumbs: &[],
            links,
        });
        articles.chain(listings).collect()
    }

    /// The places of an article, best first.
    fn places(&self, number: usize) -> Vec<Place> {
        let finder = PlaceFinder::new(SiteScheme::learn(&self.pages()).0);
        let article = &self.articles[number];
        finder.places_of(&article.url, &article.authors, &article.slots)
    }

    fn labels(&self, number: usize) -> Vec<String> {
        self.places(number).into_iter().map(|place| place.label).collect()
    }

    fn verdict(&self, slot: &str) -> Option<Rejected> {
        let reports = SiteScheme::learn(&self.pages()).1;
        reports.into_iter().find(|report| report.slot == slot).expect("the slot is known").rejected
    }
}

#[test]
fn a_link_to_a_listing_that_lists_the_article_back_is_its_section() {
    let site = made(|_, section| vec![header(section)]);
    let places = site.places(4);
    assert_eq!(places.len(), 1);
    assert_eq!((places[0].label.as_str(), places[0].kind), ("Arts & Music", PlaceKind::Section));
    assert_eq!(places[0].address.as_deref(), Some("https://example.org/arts-music/"));
    assert_eq!(places[0].evidence, ["link"]);
}

#[test]
fn what_behaves_otherwise_is_rejected_and_says_why() {
    let menu = [("Sport", "/sport/"), ("Arts & Music", "/arts-music/"), ("Trade", "/trade/")];
    type Makes<'m> = &'m dyn Fn(usize, usize) -> SlotUse;
    let cases: [(&str, Rejected, Makes<'_>); 7] = [
        ("a nav>a", Rejected::Constant, &|_, _| linked("a nav>a", &menu)),
        ("a div.next>a", Rejected::Unique, &|number, _| {
            linked("a div.next>a", &[(&format!("Story {number}"), &format!("/2024/story-{}", number + 1))])
        }),
        ("a p.by>a", Rejected::Author, &|number, _| {
            let author = number % 5;
            linked("a p.by>a", &[(&format!("Author {author}"), &format!("/people/{author}/"))])
        }),
        ("dir 1", Rejected::Date, &|number, _| {
            let year = 2020 + number / 12;
            linked("dir 1", &[(&year.to_string(), &format!("/{year}/"))])
        }),
        ("a aside>a", Rejected::Documents, &|number, _| {
            let other = number % 4;
            linked("a aside>a", &[(&format!("Read story {other}"), &format!("/2024/story-{other}"))])
        }),
        ("a h2>a", Rejected::Unnamed, &|number, section| {
            let (topic, _) = (number % 7, section);
            linked("a h2>a", &[("See all", &format!("/all/{topic}/"))])
        }),
        ("meta reading-time", Rejected::NoWitness, &|number, _| {
            said("meta reading-time", &format!("{} minutes", ["two", "three", "four"][number % 3]))
        }),
    ];
    for (slot, why, with) in cases {
        let site = made(|number, section| vec![with(number, section), header(section)]);
        assert_eq!(site.verdict(slot), Some(why), "{slot}");
        assert_eq!(site.labels(0), ["Sport"], "{slot}");
    }
}

#[test]
fn boxes_of_other_stories_are_not_listed_back() {
    // Cards below each article name the sections of other stories.
    let card = |number: usize| {
        let other = (number / 3) % 3;
        linked("a rel=category div.card>a", &[(SECTIONS[other], &section_path(other))])
    };
    let site = made(|number, section| vec![card(number), header(section)]);
    assert_eq!(site.verdict("a rel=category div.card>a"), Some(Rejected::NotListedBack));
    assert!((0..42).all(|number| site.labels(number) == [SECTIONS[number % 3]]));
}

#[test]
fn a_site_without_sections_has_no_places() {
    // Issues list their articles back, bylines lead to lists of stories, months are archives.
    let issue = |number: usize| number / 6;
    let mut site = made(|number, _| {
        let (issue, author) = (issue(number), number % 5);
        vec![
            linked(
                "a body>div>a",
                &[
                    ("Home", "/home.html"),
                    (&format!("March {} (#{issue})", 2001 + issue), &format!("/{issue}/")),
                ],
            ),
            linked("a p>b>a", &[(&format!("Author {author}"), &format!("/authors/{author}.html"))]),
            linked("dir 1", &[(&format!("{issue}"), &format!("/{issue}/"))]),
        ]
    });
    site.listings.clear();
    for number in 0..7 {
        let of_issue = site.articles.iter().enumerate().filter(|(at, _)| issue(*at) == number);
        site.listings
            .push((url(&format!("/{number}/")), of_issue.map(|(_, article)| link(&article.url)).collect()));
    }
    for author in 0..5 {
        let of_author =
            site.articles.iter().skip(author).step_by(5).map(|article| link(&article.url)).collect();
        site.listings.push((url(&format!("/authors/{author}.html")), of_author));
    }
    let reports = SiteScheme::learn(&site.pages()).1;
    let accepted: Vec<_> = reports.iter().filter(|report| report.rejected.is_none()).collect();
    assert!(accepted.is_empty(), "{accepted:?}");
    assert!((0..42).all(|number| site.places(number).is_empty()));
    assert!(SiteScheme::learn(&site.pages()).0.is_empty());
}

#[test]
fn issues_with_names_are_periods() {
    // Each holds the articles of a short time, and together they span the time of the site.
    let names = ["Alder", "Birch", "Cedar", "Douglas", "Elm", "Fir", "Gorse"];
    let mut site =
        made(|number, _| vec![linked("a p>a", &[(names[number / 6], &format!("/{}/", names[number / 6]))])]);
    for (at, article) in site.articles.iter_mut().enumerate() {
        article.published = format!("{}-05-03", 2001 + 3 * (at / 6));
    }
    site.listings.clear();
    for (number, name) in names.iter().enumerate() {
        let shown = site.articles.iter().enumerate().filter(|(at, _)| at / 6 == number);
        site.listings
            .push((url(&format!("/{name}/")), shown.map(|(_, article)| link(&article.url)).collect()));
    }
    assert_eq!(site.verdict("a p>a"), Some(Rejected::Period));
}

#[test]
fn what_leads_through_issues_names_no_places() {
    // The directories are issues. Links above each article lead to its contents, to the front page and to common pages.
    let issue = |number: usize| ["alder", "birch", "cedar", "douglas", "elm", "fir", "gorse"][number / 6];
    let mut site = made(|number, _| {
        let contents = format!("/{}/contents.html", issue(number));
        let rest = [("Front page", "/home.html"), ("Questions", "/faq.html")];
        vec![
            linked("dir 1", &[(issue(number), &format!("/{}/", issue(number)))]),
            linked("a body>center>a", &[("Contents", &contents), rest[number % 2]]),
        ]
    });
    for (at, article) in site.articles.iter_mut().enumerate() {
        article.url = url(&format!("/{}/story-{at}.html", issue(at)));
        article.published = format!("{}-05-03", 2001 + 3 * (at / 6));
    }
    site.listings.clear();
    for number in 0..7 {
        let of_issue =
            site.articles.iter().skip(6 * number).take(6).map(|article| link(&article.url)).collect();
        site.listings.push((url(&format!("/{}/contents.html", issue(6 * number))), of_issue));
    }
    let all = site.articles.iter().step_by(2).map(|article| link(&article.url)).collect();
    site.listings.push((url("/home.html"), all));
    assert_eq!(site.verdict("dir 1"), Some(Rejected::Period));
    assert!((0..42).all(|number| site.places(number).is_empty()), "{:?}", site.places(0));
}

#[test]
fn sections_beside_folders_of_days_are_no_issues() {
    // Articles of a section are in folders of days, and so are those of its parts: directories of one level are days and parts.
    let part = |number: usize| TAGS[number % 3 * 2 + number / 3 % 2];
    let day = |number: usize| format!("2024-07-{:02}", 1 + number / 2);
    let mut site = made(|number, section| {
        let path = section_path(section);
        let own = format!("{path}{}/", part(number));
        let second = if number % 5 < 2 {
            (day(number), format!("{path}{}/", day(number)))
        } else {
            (part(number).into(), own.clone())
        };
        vec![
            linked("dir 1", &[(SECTIONS[section], &path)]),
            linked("dir 2", &[(&second.0, &second.1)]),
            linked("a p.kicker>a", &[(part(number), &own)]),
        ]
    });
    for (at, article) in site.articles.iter_mut().enumerate() {
        let (section, part) = (section_path(at % 3), part(at));
        let below = if at % 5 < 2 { String::new() } else { format!("{part}/") };
        article.url = url(&format!("{section}{below}{}/story-{at}.html", day(at)));
        article.published = day(at);
    }
    site.listings.clear();
    for section in 0..3 {
        for name in &TAGS[2 * section..2 * section + 2] {
            let of_part =
                site.articles.iter().enumerate().filter(|(at, _)| at % 3 == section && part(*at) == *name);
            let shown = of_part.map(|(_, article)| link(&article.url)).collect();
            site.listings.push((url(&format!("{}{name}/", section_path(section))), shown));
        }
    }
    assert_eq!(site.verdict("dir 2"), Some(Rejected::Period));
    assert_eq!(site.verdict("a p.kicker>a"), None);
    assert!(site.labels(4).contains(&part(4).to_owned()), "{:?}", site.labels(4));
}

#[test]
fn listings_of_articles_that_were_not_read_are_no_documents() {
    let mut site = made(|_, section| vec![header(section)]);
    let story = |section: usize, at: usize| link(&url(&format!("/2023/older-{section}-{at}")));
    for (section, (_, links)) in site.listings.iter_mut().enumerate().skip(1) {
        *links = (0..9).map(|at| story(section, at)).collect();
    }
    assert_eq!(site.verdict("a div.head>p>a"), None);
    assert!((0..42).all(|number| site.labels(number) == [SECTIONS[number % 3]]));

    // Pages that link only what all pages link are none.
    let menu: Vec<LinkUse> = (0..9).map(|at| link(&url(&format!("/page-{at}")))).collect();
    for (_, links) in site.listings.iter_mut().skip(1) {
        links.clone_from(&menu);
    }
    site.listings.extend((0..9).map(|at| (url(&format!("/plain-{at}")), menu.clone())));
    assert_eq!(site.verdict("a div.head>p>a"), Some(Rejected::Documents));
}

#[test]
fn tags_side_by_side_in_a_folder_need_no_listing() {
    let tag = |number: usize, folder: &str| {
        let names = [TAGS[number % 6], TAGS[(number / 2) % 6]].map(|name| (name, format!("{folder}{name}/")));
        linked("a div.labels>a", &names.each_ref().map(|(name, path)| (*name, path.as_str())))
    };
    let mut site = made(|number, _| vec![tag(number, "/about/")]);
    site.listings.clear();
    assert_eq!(site.verdict("a div.labels>a"), None);
    assert_eq!(site.labels(1), ["cup", "rain"]);
    // Pages beside the articles may be stories.
    let mut site = made(|number, _| vec![tag(number, "/2024/")]);
    site.listings.clear();
    assert_eq!(site.verdict("a div.labels>a"), Some(Rejected::NoWitness));
    // What is called otherwise than its address may be anything.
    let mut site = made(|number, _| {
        let name = TAGS[number % 6];
        vec![linked("a div.labels>a", &[(name, &format!("/about/{}/", TAGS[(number + 1) % 6]))])]
    });
    site.listings.clear();
    assert_eq!(site.verdict("a div.labels>a"), Some(Rejected::NoWitness));
}

#[test]
fn a_section_of_the_menu_needs_no_listing() {
    let menu =
        [("Sport", "/c1.html"), ("Arts & Music", "/c2.html"), ("Trade", "/c3.html"), ("Contact", "/c4.html")];
    let mut site =
        made(|_, section| vec![linked("a nav>a", &menu), linked("a div.head>p>a", &menu[section..=section])]);
    site.listings.clear();
    assert_eq!(site.verdict("a div.head>p>a"), None);
    assert!((0..42).all(|number| site.labels(number) == [SECTIONS[number % 3]]));
    // Several at once are a part of the menu.
    let mut site = made(|number, _| {
        let rest = [&menu[..3], &menu[1..], &menu[..2]][number % 3];
        vec![linked("a nav>a", &menu), linked("a footer>p>a", rest)]
    });
    site.listings.clear();
    assert!(site.verdict("a footer>p>a").is_some());
}

#[test]
fn names_without_a_link_join_the_page_that_is_called_so() {
    let site = made(|number, section| {
        let class = ["sport", "arts music", "trade"][section];
        vec![
            header(section),
            said("class category", class),
            said("json articleSection", SECTIONS[section]),
            said("meta keywords", &format!("{}, {}", SECTIONS[section], TAGS[number % 4])),
        ]
    });
    let places = site.places(1);
    let labels: Vec<(&str, usize)> =
        places.iter().map(|place| (place.label.as_str(), place.evidence.len())).collect();
    assert_eq!(labels, [("Arts & Music", 4), ("rain", 1)]);
    assert_eq!((places[0].kind, places[1].kind), (PlaceKind::Section, PlaceKind::Tag));
    assert!(places[0].probability > places[1].probability);
}

#[test]
fn names_are_split_at_commas_unless_a_link_or_an_initial_joins_them() {
    let tags = [
        "Sport, Law, Food & Drink",
        "Rain; Snow",
        "Trump, Donald J; Cup",
        "null, 9A43D8FC-F4CF-44D9-9B34-138D30468F8F, Cup",
    ];
    let expected: [&[&str]; 4] =
        [&["Food & Drink", "Sport, Law"], &["Rain", "Snow"], &["Cup", "Trump, Donald J"], &["Cup"]];
    let site = made(|number, _| {
        // Each tag is on several articles.
        let text = tags[(number / 2) % 4];
        match number % 2 {
            0 => vec![said("meta keywords", text)],
            _ => vec![
                said("meta keywords", text),
                linked("a p>a", &[("Sport, Law", "/sport-law/"), ("Other", &format!("/{}/", number % 3))]),
            ],
        }
    });
    for (at, expected) in expected.iter().enumerate() {
        let mut labels = site.labels(2 * at);
        labels.sort();
        assert_eq!(labels, *expected);
    }
}

#[test]
fn what_nearly_all_articles_have_comes_last_or_not_at_all() {
    let trail = |section: usize| {
        linked("a div.trail>a", &[("Start", "/start/"), (SECTIONS[section], &section_path(section))])
    };
    let mut site = made(|_, section| vec![trail(section)]);
    let all = site.articles.iter().map(|article| link(&article.url)).collect();
    site.listings.push((url("/start/"), all));
    assert!((0..42).all(|number| site.labels(number) == [SECTIONS[number % 3]]));

    // Where a category says it, it is the publisher's word, but not the best.
    let category = |section: usize| {
        linked("a rel=category p>a", &[("General", "/general/"), (SECTIONS[section], &section_path(section))])
    };
    let site = made(|_, section| vec![category(section)]);
    assert_eq!(site.labels(0), ["Sport", "General"]);
}

#[test]
fn an_article_that_names_nothing_is_where_a_listing_shows_it() {
    let site = made(|number, section| if number < 6 { Vec::new() } else { vec![header(section)] });
    let places = site.places(2);
    assert_eq!(
        (places[0].label.as_str(), places[0].evidence.as_slice()),
        ("Trade", &["listing".to_owned()][..])
    );
}

#[test]
fn new_tags_are_found_on_an_article_that_the_scheme_never_saw() {
    let tag = |number: usize| {
        let tag = TAGS[number % 6];
        linked("a rel=tag p>a", &[(tag, &format!("/tag/{tag}/"))])
    };
    let site = made(|number, section| vec![header(section), tag(number)]);
    let finder = PlaceFinder::new(SiteScheme::learn(&site.pages()).0);
    let slots =
        [header(2), linked("a rel=tag p>a", &[("Floods", "/tag/floods/")]), said("class tag", "floods")];
    let places = finder.places_of(&url("/2024/new"), &[], &slots);
    let found: Vec<(&str, Option<&str>)> =
        places.iter().map(|place| (place.label.as_str(), place.address.as_deref())).collect();
    assert_eq!(
        found,
        [("Trade", Some("https://example.org/trade/")), ("Floods", Some("https://example.org/tag/floods/"))]
    );
}

#[test]
fn addresses_are_those_that_links_lead_to() {
    // The sections were not read: what an accepted slot links is their address, as it is written.
    let path = |section: usize| format!("/index.php?cat={section}");
    let mut site =
        made(|_, section| vec![linked("a rel=category p>a", &[(SECTIONS[section], &path(section))])]);
    site.listings.clear();
    assert_eq!(site.places(2)[0].address.as_deref(), Some("https://example.org/index.php?cat=2"));
    let finder = PlaceFinder::new(SiteScheme::learn(&site.pages()).0);
    let places =
        finder.places_of(&url("/new"), &[], &[linked("a rel=category p>a", &[("Law", "/index.php?cat=9")])]);
    assert_eq!(places[0].address.as_deref(), Some("https://example.org/index.php?cat=9"));
}

#[test]
fn classes_of_single_articles_do_not_split_a_slot() {
    let site = made(|number, section| {
        let class = ["hot", "cold", "mild", "wet", "dry"][number % 5];
        vec![linked(&format!("a div.{class}.head>p>a"), &[(SECTIONS[section], &section_path(section))])]
    });
    let reports = SiteScheme::learn(&site.pages()).1;
    assert_eq!(reports.iter().map(|report| report.slot.as_str()).collect::<Vec<_>>(), ["a div.head>p>a"]);
    assert_eq!(site.labels(5), ["Trade"]);
}

#[test]
fn too_few_articles_teach_nothing() {
    let mut site = made(|_, section| vec![header(section)]);
    site.articles.truncate(4);
    assert!(SiteScheme::learn(&site.pages()).0.is_empty());
    assert!(SiteScheme::learn(&[]).0.is_empty());
}

/// A site whose articles are in "Tennis" and "Football" of "Sport", and in "Opera" and "Jazz" of "Music". Breadcrumbs say so if
/// `crumbs` gives the names of an article's.
fn with_breadcrumbs(crumbs: impl Fn(usize) -> Vec<&'static str>) -> MadeSite {
    const PATHS: [(&str, &str); 6] = [
        ("Sport", "/sport/"),
        ("Music", "/music/"),
        ("Tennis", "/c12/"),
        ("Football", "/c13/"),
        ("Opera", "/c14/"),
        ("Jazz", "/c15/"),
    ];
    let path = |name: &str| PATHS.iter().find(|(own, _)| *own == name).unwrap().1;
    let mut site = made(|number, _| {
        let (broader, narrower) = steps_of(number);
        vec![linked("a rel=category p>a", &[(broader, path(broader)), (narrower, path(narrower))])]
    });
    for (number, article) in site.articles.iter_mut().enumerate() {
        let link =
            |name: &str| NamedLink { name: name.into(), address: Some(url(path(name)).as_str().into()) };
        article.breadcrumbs = crumbs(number).into_iter().map(link).collect();
    }
    site.listings.clear();
    site
}

/// The place of an article, and the one within which it is.
fn steps_of(number: usize) -> (&'static str, &'static str) {
    [("Sport", "Tennis"), ("Sport", "Football"), ("Music", "Opera"), ("Music", "Jazz")][number % 4]
}

/// The pairs of a scheme's tree, as labels.
fn tree(site: &MadeSite) -> Vec<(String, String)> {
    let scheme = SiteScheme::learn(&site.pages()).0;
    let pair = |at: usize| Some((scheme.broader(at)?.0.label.clone(), scheme.places()[at].label.clone()));
    let mut pairs: Vec<_> = (0..scheme.places().len()).filter_map(pair).collect();
    pairs.sort();
    pairs
}

#[test]
fn breadcrumbs_of_articles_make_the_tree_of_a_scheme() {
    let all = [("Music", "Jazz"), ("Music", "Opera"), ("Sport", "Football"), ("Sport", "Tennis")];
    let all: Vec<(String, String)> = all.map(|(a, b)| (a.into(), b.into())).into();
    let site = with_breadcrumbs(|number| {
        let (broader, narrower) = steps_of(number);
        vec![broader, narrower]
    });
    assert_eq!(tree(&site), all);
    let scheme = SiteScheme::learn(&site.pages()).0;
    let tennis = scheme.places().iter().position(|place| place.label == "Tennis").unwrap();
    let (_, by) = scheme.broader(tennis).unwrap();
    assert_eq!((by.by.as_slice(), by.articles), (&[BroaderBy::Breadcrumbs][..], 11));
    assert!(scheme.mostly_in(tennis).is_none(), "what the tree says is not said again");

    // Some articles show the way back: the way of more articles counts.
    let site = with_breadcrumbs(|number| {
        let (broader, narrower) = steps_of(number);
        if number % 5 == 0 { vec![narrower, broader] } else { vec![broader, narrower] }
    });
    assert_eq!(tree(&site), all);
}

#[test]
fn breadcrumbs_that_are_no_trails_make_no_tree() {
    // A menu that calls itself breadcrumbs.
    assert_eq!(tree(&with_breadcrumbs(|_| vec!["Sport", "Music", "Tennis", "Football"])), []);
    // Two articles are too few.
    let few = with_breadcrumbs(|number| {
        let (broader, narrower) = steps_of(number);
        if number < 8 { vec![broader, narrower] } else { vec![narrower] }
    });
    assert_eq!(tree(&few), []);
    // A list of tags, in any order.
    let shuffled = with_breadcrumbs(|number| {
        let names = ["Sport", "Music", "Tennis", "Football", "Opera", "Jazz"];
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|at| (number * names.len() + at + 1).pow(3) * 7_919 % 1_009);
        order.into_iter().take(3).map(|at| names[at]).collect()
    });
    assert_eq!(tree(&shuffled), []);
    // Without any, the addresses say nothing, and all that is left is how the articles are spread.
    let none = with_breadcrumbs(|_| Vec::new());
    assert_eq!(tree(&none), []);
    let scheme = SiteScheme::learn(&none.pages()).0;
    let tennis = scheme.places().iter().position(|place| place.label == "Tennis").unwrap();
    let (wider, mostly) = scheme.mostly_in(tennis).unwrap();
    assert_eq!((wider.label.as_str(), mostly.articles), ("Sport", 11));
    let sport = scheme.places().iter().position(|place| place.label == "Sport").unwrap();
    assert!(scheme.mostly_in(sport).is_none());
}

#[test]
fn an_address_below_that_of_another_section_is_within_it() {
    let path = |number: usize| ["/sport/tennis/", "/sport/golf/", "/trade/", "/sport-news/cup/"][number % 4];
    let name = |number: usize| ["Tennis", "Golf", "Trade", "Cup"][number % 4];
    let mut site = made(|number, _| {
        let mut names = vec![(name(number), path(number))];
        if number % 3 == 0 {
            names.push(("Sport", "/sport/"));
        }
        vec![linked("a rel=category p>a", &names)]
    });
    site.listings.clear();
    let pair = |narrower: &str| ("Sport".to_owned(), narrower.to_owned());
    assert_eq!(tree(&site), [pair("Golf"), pair("Tennis")]);
}

#[test]
fn a_section_and_a_tag_of_one_name_are_not_mostly_in_each_other() {
    let scheme = SiteScheme::learn(&with_breadcrumbs(|_| Vec::new()).pages()).0;
    let mut places = scheme.places()[..2].to_vec();
    let articles = [(0, (0..20).collect()), (1, (8..20).collect())].into();
    for (names, is_mostly) in [(["Sport", "Tennis"], true), (["Sport", "sport"], false)] {
        places.iter_mut().zip(names).for_each(|(place, name)| place.label = name.to_owned());
        let found = SchemeTree::default().mostly_in(&places, &articles, 40);
        assert_eq!(found.contains_key(&1), is_mostly, "{names:?}");
    }
}

#[test]
fn mostly_in_needs_ten_articles_and_more_than_chance() {
    let cases = [(10, 8, true), (10, 7, false), (9, 9, false)];
    for (own, both, is_mostly) in cases {
        let articles = [(0, (0..20).collect()), (1, (20 - both..20 - both + own).collect())].into();
        let tree = SchemeTree::default();
        let found = SchemeTree { mostly_in: tree.mostly_in(&[], &articles, 40), ..tree };
        assert_eq!(found.mostly_in.contains_key(&1), is_mostly, "{both} of {own}");
        // Where nearly all articles are in the wider place, that says nothing.
        assert!(SchemeTree::default().mostly_in(&[], &articles, 22).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever pages say, the scheme does not depend on their order, and no place is named twice or without a label.
    #[test]
    fn a_scheme_follows_from_the_pages_and_not_from_their_order(
        seed in any::<u64>(),
        texts in prop::collection::vec("[a-zA-Z,;& ]{1,12}", 4..9),
        paths in prop::collection::vec("/[a-z]{1,3}/", 3..6),
    ) {
        let pick = |number: usize, of: usize| (seed.rotate_left((number % 64) as u32) ^ number as u64) as usize % of;
        let site = made(|number, section| vec![
            header(section),
            linked("a rel=tag p>a", &[(&texts[pick(number, texts.len())], &paths[pick(number + 1, paths.len())])]),
            said("meta keywords", &texts[pick(number + 2, texts.len())]),
        ]);
        let mut turned = site.clone();
        turned.articles.rotate_left(pick(1, 42));
        turned.listings.reverse();
        let (scheme, other) = (SiteScheme::learn(&site.pages()).0, SiteScheme::learn(&turned.pages()).0);
        prop_assert_eq!(&scheme, &other);
        let finder = PlaceFinder::new(scheme);
        for article in &site.articles {
            let places = finder.places_of(&article.url, &article.authors, &article.slots);
            let mut seen: Vec<(&str, Option<&str>)> = places.iter().map(|place| (place.label.as_str(), place.address.as_deref())).collect();
            prop_assert!(seen.iter().all(|(label, _)| !label.is_empty()));
            let all = seen.len();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), all);
        }
    }
}
