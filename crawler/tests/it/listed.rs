//! What feeds say of pages travels with the pages.

use newslode_common::message::{FetchedPage, envelope};
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role};
use newslode_common::store::{Kind, PageArchive as _, Why, listed_key};
use newslode_crawler::listed_alternates;
use newslode_page::reading::ListedBy;

use crate::sim::*;

const HEADLINE: &str = "A long way home for the cup and its bearers";

/// A feed with an item for the story, and one for a page of another site.
fn feed(author: &str) -> String {
    format!(
        "<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel><item><title>{HEADLINE}</title>\
         <link>{STORY}</link><author>{author}</author><pubDate>Tue, 14 Nov 2023 10:00:00 GMT</pubDate>\
         <content:encoded>&lt;p&gt;The cup came home.</content:encoded></item>\
         <item><title>Elsewhere</title><link>http://b.test/1</link><author>Ann Lee</author></item></channel></rss>"
    )
}

/// The messages about the story, in their order.
fn messages(sim: &Sim) -> Vec<FetchedPage> {
    let pages = sim.outbox.pages.lock().unwrap();
    let pages = pages.iter().map(|bytes| envelope::open::<FetchedPage>(bytes).unwrap());
    pages.filter(|page| page.url.as_str() == STORY).collect()
}

fn name_feed(sim: &Sim) {
    let link = "<link rel=alternate type='application/rss+xml' href=/feed.xml>";
    let front = page("Front", &[("/2026/a-long-way-home-for-the-cup", HEADLINE)]);
    sim.set_answer(FRONT, 200, &[], front.replace("<title>", &format!("{link}<title>")));
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
}

const XML: Headers = &[("content-type", "application/rss+xml")];

#[tokio::test]
async fn what_a_feed_says_of_a_page_is_in_its_message_and_is_archived_with_it() {
    let sim = Sim::new().await;
    name_feed(&sim);
    sim.set_answer("http://a.test/feed.xml", 200, XML, feed("Ann Lee"));
    sim.run(60).await;
    let [message] = &messages(&sim)[..] else { panic!("{:?}", messages(&sim)) };
    let listed = message.listed.as_ref().unwrap();
    assert_eq!((listed.entry.by, listed.entry.listing.as_str()), (ListedBy::Feed, "http://a.test/feed.xml"));
    assert_eq!(
        (listed.entry.title.as_deref(), &*listed.entry.authors),
        (Some(HEADLINE), &["Ann Lee".to_owned()][..])
    );
    assert_eq!(listed.entry.published.as_deref(), Some("2023-11-14T10:00:00Z"));
    assert_eq!(listed.html.as_deref(), Some("<p>The cup came home."));
    let archived = sim.archive.get(Kind::Page, message.content()).await.unwrap().unwrap();
    assert_eq!(envelope::open::<FetchedPage>(&archived).unwrap().listed, message.listed);
    assert_eq!(
        message.hash_with(&message.bytes().unwrap()),
        message.content(),
        "a note is no part of the content"
    );
    let elsewhere = listed_key(&"http://b.test/1".parse().unwrap());
    assert_eq!(
        sim.archive.get(Kind::Listed, elsewhere).await.unwrap(),
        None,
        "a feed speaks for its own site"
    );
}

#[tokio::test]
async fn what_a_feed_says_later_reaches_the_page_at_its_next_visit_and_then_stays() {
    let sim = Sim::new().await;
    name_feed(&sim);
    sim.set_answer("http://a.test/feed.xml", 200, XML, "<rss version='2.0'><channel></channel></rss>");
    sim.run(60).await;
    assert_eq!(messages(&sim).last().unwrap().listed, None);
    sim.judge(|_| true).await;
    sim.set_answer("http://a.test/feed.xml", 200, XML, feed("Ann Lee"));
    for hours in 1..30 {
        sim.run(hours * HOUR).await;
        sim.judge(|_| true).await;
    }
    let said = |message: &FetchedPage| message.listed.as_ref().map(|listed| listed.entry.authors.clone());
    let all: Vec<_> = messages(&sim).iter().map(said).collect();
    assert_eq!(
        all,
        [None, Some(vec!["Ann Lee".to_owned()])],
        "the same bytes are handed on again with what the feed says"
    );
    sim.judge(|_| true).await;
    sim.set_answer("http://a.test/feed.xml", 200, XML, feed("Ben Cole"));
    sim.run(5 * DAY).await;
    assert_eq!(messages(&sim).len(), 2, "a note is not changed");
}

#[tokio::test]
async fn where_a_sitemap_says_that_a_page_is_in_other_languages_is_kept_and_changes_with_it() {
    const MAP: &str = "http://a.test/sitemap.xml";
    let map = |language: &str| {
        let link =
            format!("<xhtml:link rel='alternate' hreflang='{language}' href='https://{language}.test/1'/>");
        format!(
            "<urlset><url><loc>{STORY}</loc>{link}</url><url><loc>http://b.test/1</loc>{link}</url></urlset>"
        )
    };
    let sim = Sim::new().await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.set_answer(MAP, 200, &[], map("de"));
    sim.add(MAP, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Map))).await;
    let said = async |url: &str| {
        let found = listed_alternates(sim.archive.as_ref(), &url.parse().unwrap()).await.unwrap();
        found.iter().map(|found| format!("{} {}", found.language, found.url)).collect::<Vec<_>>()
    };
    sim.run(HOUR).await;
    assert_eq!(said(STORY).await, ["de https://de.test/1"]);
    assert!(said("http://b.test/1").await.is_empty(), "a map speaks for its own site");
    let [message] = &messages(&sim)[..] else { panic!("{:?}", messages(&sim)) };
    assert_eq!(message.listed, None, "it is no witness of the article");
    sim.set_answer(MAP, 200, &[], map("fr"));
    sim.run(4 * DAY).await;
    assert_eq!(said(STORY).await, ["fr https://fr.test/1"]);
}
