//! A made site whose single pages are read badly: its name is the `h1`, the share title and the document's title of every
//! page, its editor and the date of today stand above each story; headline, byline and date are anonymous boxes.

use super::*;
use crate::SiteKnowledge;
use crate::article::Article;
use crate::extract::article;
use crate::testing::page_at;
use crate::time::Timestamp;

/// 2024-06-01T00:00:00Z.
const NOW: Timestamp = Timestamp(1_717_200_000_000);
const SUBJECTS: [(&str, &str, &str); 12] = [
    ("Council", "bridge", "Ashford"),
    ("Museum", "clocks", "Brigham"),
    ("Harbour", "quay", "Corley"),
    ("Library", "archive", "Dunmore"),
    ("Railway", "branch line", "Elsdon"),
    ("Theatre", "curtain", "Farndale"),
    ("Brewery", "cellar", "Garston"),
    ("Observatory", "telescope", "Hexton"),
    ("Orchestra", "rehearsals", "Ilford"),
    ("Hospital", "ward", "Jarvis"),
    ("Lighthouse", "lamp", "Kelby"),
    ("Vineyard", "harvest", "Lorton"),
];
const VERBS: [&str; 5] = ["keeps", "opens", "closes", "rebuilds", "sells"];
const PEOPLE: [&str; 5] = ["Ada Lovelace", "Alan Turing", "Mary Somerville", "Emmy Noether", "George Boole"];

/// A story's title, author and day.
fn gold(story: usize) -> (String, &'static str, String) {
    let (who, what, place) = SUBJECTS[story];
    let title = format!("{who} of {place} {} its {what}", VERBS[story % VERBS.len()]);
    (title, PEOPLE[story % PEOPLE.len()], format!("2024-05-{:02}", 3 + 2 * story))
}

fn page(story: usize) -> Page {
    page_at(&format!("https://herald.example/p?{story}"), &html(story))
}

fn html(story: usize) -> String {
    let ((who, what, place), (title, author, _)) = (SUBJECTS[story], gold(story));
    let verb = VERBS[story % VERBS.len()];
    let day = 3 + 2 * story;
    format!(
        "<html lang=en><title>The Valley Herald</title><meta property=og:title content='The Valley Herald'>\
             <meta property=og:type content=article><table><tr><td class=a0><h1>The Valley Herald</h1>\
             <p class=k0>Saturday, 1 June 2024<p class=k1>By Grace Hopper</td></tr>\
             <tr><td class=a1><div class=q7>{title}</div><div class=q2>By {author}</div><div class=q9>\
             <p>The {who} of {place} {verb} its {what} after a debate of two years, the people who run it said on \
             Tuesday, and those who had asked for it were glad.\
             <p>What becomes of the {what} was asked in {place} for a long time, and {day} hundred people signed a \
             letter to the mayor, who had not answered it until this week.\
             <p>The work costs {day} million and will be done before winter, said the builders, if the weather along \
             the coast lets them begin in {place} next month.</div><div class=q4>{day} May 2024</div></td></tr></table>"
    )
}

/// How many pages are right in title, authors and day.
fn right(read: impl Fn(&Page) -> Article) -> [usize; 3] {
    let mut right = [0; 3];
    for story in 0..SUBJECTS.len() {
        let (title, author, day) = gold(story);
        let found = read(&page(story));
        right[0] += usize::from(found.title.as_deref() == Some(&title));
        right[1] += usize::from(found.authors == [author]);
        right[2] += usize::from(found.published.as_deref() == Some(&day));
    }
    right
}

fn knowledge_of(stories: std::ops::Range<usize>) -> SiteKnowledge {
    let pages: Vec<Page> = stories.map(page).collect();
    let mut site = SiteKnowledge::default();
    site.learn(&pages.iter().collect::<Vec<_>>());
    site
}

#[test]
fn a_site_whose_single_pages_are_read_badly_is_read_well_by_its_other_pages() {
    let alone = right(|page| article(page, NOW).1.unwrap());
    assert!(alone.iter().all(|right| *right <= 6), "{alone:?}");
    let site = knowledge_of(0..12);
    assert_eq!(right(|page| site.article(page, NOW).1.unwrap()), [12; 3]);
    // A page that nobody has seen, too.
    let site = knowledge_of(0..11);
    let found = site.article(&page(11), NOW).1.unwrap();
    let (title, author, day) = gold(11);
    assert_eq!((found.title, found.authors, found.published), (Some(title), vec![author.into()], Some(day)));
    let witness = match site.template_of(&page(11)) {
        Some(version) => format!("template v{version}"),
        None => SIBLINGS.to_owned(),
    };
    for field in ["title", "authors", "published"] {
        assert_eq!(found.evidence[field].witness, witness, "{field}");
    }
}

#[test]
fn the_template_that_accepts_a_page_is_its_witness() {
    let site = knowledge_of(0..12);
    let found = site.article(&page(3), NOW).1.unwrap();
    assert_eq!(found.evidence["title"].witness, "template v1");
}

#[test]
fn a_picture_of_the_pages_own_stands_where_its_peers_have_theirs() {
    let with_pictures = |story: usize, head: &str| {
        let pictures = format!(
            "<img class=logo src=/logo.png><a href=/x><img class=l src=/teaser{story}.jpg></a><img width=1 height=1 \
             src=/count?{story}><img class=p src=/{story}.jpg>"
        );
        let html = html(story).replace("<div class=q9>", &format!("{pictures}<div class=q9>"));
        page_at(&format!("https://herald.example/p?{story}"), &format!("{head}{html}"))
    };
    let read = |head: &str, most: usize| {
        let pages: Vec<Page> = (0..most).map(|story| with_pictures(story, head)).collect();
        let mut site = SiteKnowledge::default();
        site.see_only(&pages.iter().collect::<Vec<_>>());
        site.article(&pages[1], NOW).1.unwrap().image
    };
    let own = Some("https://herald.example/1.jpg".to_owned());
    assert_eq!(read("", 6), own);
    assert_eq!(
        read("<meta property=og:image content=/logo.png>", 6),
        own,
        "the site's picture is no story's"
    );
    assert_eq!(read("", 3), None, "two peers are too few");
}

#[test]
fn few_pages_decide_nothing() {
    let site = knowledge_of(0..3);
    let read = site.article(&page(2), NOW).1.unwrap();
    let alone = article(&page(2), NOW).1.unwrap();
    assert_eq!((read.title, read.authors, read.published), (alone.title, alone.authors, alone.published));
}

#[test]
fn pages_of_another_layout_decide_nothing() {
    let site = knowledge_of(0..12);
    let html = "<title>The Valley Herald</title><meta property=og:type content=article><main><section><h1>The Valley \
                Herald</h1><p class=text>The council voted on Tuesday to keep the old bridge open for another year, after \
                hundreds had asked for it.</p><p class=text>Engineers will look at it every month, the mayor said, and a \
                new one is planned for the next decade.</p></section></main>";
    let other = page_at("https://herald.example/new", html);
    let (read, alone) = (site.article(&other, NOW).1.unwrap(), article(&other, NOW).1.unwrap());
    assert_eq!((read.title, read.authors, read.published), (alone.title, alone.authors, alone.published));
}

#[test]
fn what_0_1_0_kept_of_pages_is_read_and_says_nothing() {
    let site = knowledge_of(0..4);
    let mut stored: serde_json::Value = serde_json::to_value(&site).unwrap();
    for seen in stored["seen"].as_array_mut().unwrap() {
        seen.as_object_mut().unwrap().remove("said").unwrap();
    }
    let old: SiteKnowledge = serde_json::from_value(stored).unwrap();
    assert_eq!(old.seen().count(), 4);
    let alone = article(&page(5), NOW).1.unwrap();
    assert_eq!(old.article(&page(5), NOW).1.unwrap().title, alone.title);
    let again: SiteKnowledge = serde_json::from_str(&serde_json::to_string(&site).unwrap()).unwrap();
    assert_eq!(again, {
        let mut site = site;
        site.set_templates(Vec::new());
        site
    });
}

#[test]
fn values_of_most_pages_are_the_sites_and_varying_ones_the_storys() {
    let pages: Vec<BTreeSet<FieldMark>> =
        (0..5).map(|page| [FieldMark(1, 7), FieldMark(2, page)].into()).collect();
    let values = FieldValues::new(pages.iter());
    assert!(values.is_same(FieldMark(1, 7)));
    assert!(
        !values.is_same(FieldMark(1, 8))
            && !values.is_same(FieldMark(2, 3))
            && !values.is_same(FieldMark(3, 7))
    );
    assert_eq!(values.by_key[&2].1.len(), 5);
}
