//! Pages in, fields out.

mod hostile;

use super::*;
use crate::article::BlockKind;
use crate::reading::{Listed, ListedBy, ListedEntry};
use crate::testing::{page, page_at};

/// 2024-06-01T00:00:00Z.
const NOW: Timestamp = Timestamp(1_717_200_000_000);

const TEXT: &str = "<p>The council voted on Tuesday to keep the old bridge open for another year, after \
    <b>hundreds</b> of people had asked for it.</p><h2>What now</h2><p>Engineers will look at it every \
    month, the mayor said, and a new bridge is planned for the end of the decade.</p><p>It was built in \
    1907, survived two floods and a war, and carries forty thousand cars on every working day.</p>\
    <ul><li>It is closed to lorries from next week on.</li></ul><blockquote>We love it, and we will fight \
    for it, one resident said.</blockquote><p>The vote was close: nine were for it and eight against it, \
    and two stayed away from the meeting.</p>";

fn read_page(head: &str, body: &str) -> (PageKind, Option<Article>) {
    let html = format!("<html lang=en><head>{head}</head><body>{body}</body></html>");
    let page = page_at("https://news.example.org/2024/bridge", &html);
    article(&page, NOW)
}

fn fields(head: &str, body: &str) -> Article {
    read_page(head, body).1.unwrap()
}

#[test]
fn json_ld_gives_all_fields() {
    let head = r##"<title>Bridge stays open | The Post</title><meta property=og:site_name content="The Post">
        <meta property=og:image content=/i/bridge.jpg>
        <script type="application/ld+json">{"@context":"https://schema.org","@graph":[
          {"@type":"Organization","@id":"#o","name":"The Post"},
          {"@type":"Person","@id":"#ada","name":"Ada Lovelace"},
          {"@type":["NewsArticle"],"headline":"Bridge stays open","author":[{"@id":"#ada"},{"name":"Alan Turing"}],
           "datePublished":"2024-05-03T10:30:00+02:00","dateModified":"2024-05-04T08:00:00Z",
           "articleSection":["Local","News"],"dateline":"RIVERTON"}]}</script>"##;
    let found = fields(head, &format!("<h1>Bridge stays open</h1>{TEXT}"));
    assert_eq!(found.title.as_deref(), Some("Bridge stays open"));
    assert_eq!(found.authors, ["Ada Lovelace", "Alan Turing"]);
    assert_eq!(found.published.as_deref(), Some("2024-05-03T10:30:00+02:00"));
    assert_eq!(found.modified.as_deref(), Some("2024-05-04T08:00:00Z"));
    assert_eq!((found.section.as_deref(), found.place.as_deref()), (Some("Local"), Some("RIVERTON")));
    assert_eq!(found.image.as_deref(), Some("https://news.example.org/i/bridge.jpg"));
    assert_eq!(found.language.as_deref(), Some("en"));
    assert_eq!(found.evidence["published"].witness, "json-ld");
}

#[test]
fn the_body_is_blocks_in_page_order() {
    let menu = "<nav><a href=/a>Sport</a><a href=/b>World</a></nav>";
    let found = fields(
        "<meta property=og:type content=article>",
        &format!("{menu}<article><h1>Bridge</h1>{TEXT}</article><footer><p>All rights.</p></footer>"),
    );
    let kinds: Vec<BlockKind> = found.body.iter().map(|block| block.kind).collect();
    use BlockKind::{Heading, ListItem, Paragraph, Quote};
    assert_eq!(kinds, [Paragraph, Heading, Paragraph, Paragraph, ListItem, Quote, Paragraph]);
    assert!(found.body[0].text.contains("after hundreds of people"), "{}", found.body[0].text);
    assert!(!found.text().contains("Sport") && !found.text().contains("rights"));
}

#[test]
fn meta_microdata_and_text_stand_in() {
    let meta = "<meta property=og:type content=article><meta name=author content='By Ada Lovelace'>\
                <meta property=article:published_time content=2024-05-03><meta property=article:section content=Local>";
    let found = fields(meta, TEXT);
    assert_eq!((found.authors[0].as_str(), found.published.as_deref()), ("Ada Lovelace", Some("2024-05-03")));
    assert_eq!(found.section.as_deref(), Some("Local"));

    let microdata = "<div itemscope><span itemprop=author>Alan Turing</span>\
                     <span itemprop=datePublished content='2024-05-02T01:00:00Z'></span></div>";
    let found = fields("<meta property=og:type content=article>", &format!("{microdata}{TEXT}"));
    assert_eq!(found.authors, ["Alan Turing"]);
    assert_eq!(found.published.as_deref(), Some("2024-05-02T01:00:00Z"));

    let shown = "<p class='post-byline'>By Grace Hopper</p><time datetime='2024-05-01'>May 1</time>";
    let found = fields("<meta property=og:type content=article>", &format!("{shown}{TEXT}"));
    assert_eq!((found.authors[0].as_str(), found.published.as_deref()), ("Grace Hopper", Some("2024-05-01")));
}

#[test]
fn a_meta_date_may_be_that_of_a_change() {
    let meta = "<meta property=og:type content=article><meta name=date content=2024-05-10>";
    let check = |shown: &str, expected: &str| {
        let found = fields(meta, &format!("<h1>Bridge stays open</h1>{shown}{TEXT}"));
        assert_eq!(found.published.as_deref(), Some(expected), "{shown}");
    };
    check("<p>3 May 2024</p>", "2024-05-03");
    check("<time>3 May 2024</time>", "2024-05-03");
    check("", "2024-05-10");
}

#[test]
fn dates_are_given_as_readers_see_them_too() {
    let meta = "<meta property=og:type content=article><meta property=article:published_time content=2024-05-03T10:30:00Z>";
    let shown = "<p>Published on Friday 3 May 2024, 10:30 | Updated: 5.5.2024</p>";
    let found = fields(meta, &format!("<h1>Bridge stays open</h1>{shown}{TEXT}"));
    let written = |field: &str| found.dates.get(field).and_then(|date| date.written.as_deref());
    assert_eq!(found.modified.as_deref(), Some("2024-05-05"));
    assert_eq!((written("published"), written("modified")), (Some("3 May 2024, 10:30"), Some("5.5.2024")));
    let found = fields(meta, &format!("<h1>Bridge stays open</h1>{TEXT}"));
    assert_eq!(found.dates["published"].written, None);
}

#[test]
fn what_no_witness_gives_is_empty() {
    let found = fields("<meta property=og:type content=article>", TEXT);
    assert_eq!((found.title, found.published, found.place), (None, None, None));
    assert!(found.authors.is_empty());
    // Only its kind and its language are said by the page as a whole.
    assert!(found.evidence.keys().eq(["kind", "language"]), "{:?}", found.evidence);
}

#[test]
fn a_date_after_the_fetch_is_none() {
    let later =
        "<meta property=og:type content=article><meta property=article:published_time content=2031-01-01>";
    assert_eq!(fields(later, TEXT).published, None);
}

#[test]
fn a_dateline_is_a_place() {
    let body = TEXT.replacen("<p>The council", "<p>RIVERTON (Wire) — The council", 1);
    let found = fields("<meta property=og:type content=article>", &body);
    assert_eq!(found.place.as_deref(), Some("RIVERTON"));
}

#[test]
fn kinds_of_pages() {
    let links: String = (0..40).map(|n| format!("<li><a href=/{n}>Story number {n} of today</a>")).collect();
    assert_eq!(read_page("", &links).0, PageKind::Section);
    assert_eq!(read_page("", "<p>Contact us.").0, PageKind::Other);
    assert_eq!(read_page("", &format!("<div>{TEXT}{TEXT}{TEXT}</div>")).0, PageKind::Article);
    let home = page_at("https://news.example.org/", TEXT);
    assert_eq!(article(&home, NOW), (PageKind::Home, None));
}

#[test]
fn the_day_in_the_url_is_the_readers_day() {
    let published = |path: &str, date: &str| {
        let head = format!(
            "<meta property=og:type content=article><meta property=article:published_time content='{date}'>"
        );
        let html =
            format!("<html lang=en><head>{head}</head><body><h1>Rain at last</h1>{TEXT}</body></html>");
        article(&page_at(&format!("https://news.example.org/{path}"), &html), NOW).1.unwrap().published
    };
    let late = "2024-04-30T23:40:00Z";
    assert_eq!(published("2024/05/01/rain", late).as_deref(), Some("2024-05-01"));
    assert_eq!(published("2024/04/30/rain", late).as_deref(), Some(late));
    // What is further away is another day, and an offset tells the readers' day itself.
    assert_eq!(published("2024/04/20/rain", late).as_deref(), Some(late));
    let zoned = "2024-04-30T23:40:00+02:00";
    assert_eq!(published("2024/05/01/rain", zoned).as_deref(), Some(zoned));
}

/// A page with what a feed says of it.
fn listed_page(html: &str, entry: ListedEntry, text: Option<&str>) -> Page {
    let html_of_feed = text.map(str::to_owned);
    let url = "https://news.example.org/weather/drought-is-over-4711";
    page_at(url, html).with_listed(Some(Listed { entry, html: html_of_feed }))
}

fn feed_entry() -> ListedEntry {
    let feed = "https://news.example.org/feed".parse().unwrap();
    ListedEntry {
        title: Some("Rain ends the drought".into()),
        published: Some("2024-05-02T06:00:00Z".into()),
        authors: vec!["Ada Lane".into()],
        image: Some("https://news.example.org/rain.jpg".into()),
        ..ListedEntry::new(feed, ListedBy::Feed)
    }
}

const FEED_TEXT: &str = "<p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came out of \
    their houses to watch it fall.</p><h2>The reservoir</h2><p>The reservoir above the town rose by a hand's breadth \
    before noon, the water board said, and the ban on watering gardens will end today.</p>\
    <p>The post <a href=/1>Rain ends the drought</a> appeared first on <a href=/>The Herald</a>.</p>";

#[test]
fn a_page_that_needs_scripts_is_an_article_if_a_feed_holds_its_text() {
    let stub = "<title>The Herald</title><div id=root></div><script src=/app.js></script>";
    let now = Timestamp(1_714_700_000_000);
    assert_eq!(crawled_article(&page(stub), now).1, None);
    let found = crawled_article(&listed_page(stub, feed_entry(), Some(FEED_TEXT)), now).1.unwrap();
    let kinds: Vec<BlockKind> = found.body.iter().map(|block| block.kind).collect();
    assert_eq!(kinds, [BlockKind::Paragraph, BlockKind::Heading, BlockKind::Paragraph], "{}", found.text());
    assert_eq!((found.method.as_str(), found.evidence["kind"].witness.as_str()), ("feed", "feed"));
    assert_eq!(found.title.as_deref(), Some("Rain ends the drought"), "not the name of the site");
    let explained = explain_kind(&listed_page(stub, feed_entry(), Some(FEED_TEXT)), None);
    assert_eq!((explained.kind, explained.probability), (PageKind::Article, 0.8));
    assert!(explained.reasons[0].text.contains("a feed of its site"), "{:?}", explained.reasons);
    assert_eq!(found.published.as_deref(), Some("2024-05-02T06:00:00Z"));
    assert_eq!((found.authors[0].as_str(), found.evidence["authors"].witness.as_str()), ("Ada Lane", "feed"));
    assert_eq!(found.listed, Some(feed_entry()));
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Article>(&json).unwrap(), found);
    // A title and a time alone make no article.
    assert_eq!(crawled_article(&listed_page(stub, feed_entry(), None), now).1, None);
}

#[test]
fn what_the_page_says_itself_comes_before_what_a_feed_says() {
    let html = "<title>Drought over</title><meta property=og:type content=article>\
        <meta name=author content='Ben Cole'><meta property=article:published_time content=2024-05-01T08:00:00Z>\
        <h1>Drought over</h1><p>After eleven dry weeks it rained over the valley on Thursday, and the farmers came \
        out of their houses to watch it fall.<p>The reservoir above the town rose by a hand's breadth before noon, \
        the water board said, and the ban on watering gardens will end today.";
    let found =
        crawled_article(&listed_page(html, feed_entry(), Some(FEED_TEXT)), Timestamp(1_714_700_000_000));
    let found = found.1.unwrap();
    assert_eq!((found.title.as_deref(), found.method.as_str()), (Some("Drought over"), "runs"));
    assert_eq!(
        (found.authors, found.published),
        (vec!["Ben Cole".into()], Some("2024-05-01T08:00:00Z".into()))
    );
    assert_eq!(
        found.image.as_deref(),
        Some("https://news.example.org/rain.jpg"),
        "only the feed has a picture"
    );
}
