//! What a site does not name is looked for, and what is new goes first.

use newslode_common::schedule::ListingKind;
use newslode_common::store::Frontier;

use crate::sim::*;

const HEADLINE: &str = "A long way home for the cup and its bearers";

#[tokio::test]
async fn unnamed_feeds_are_tried_at_the_usual_addresses() {
    let feed = format!(
        "<rss version='2.0'><channel><item><title>{HEADLINE}</title><link>{STORY}</link></item></channel></rss>"
    );
    for is_named in [false, true] {
        let sim = Sim::new().await;
        let link = "<link rel=alternate type='application/rss+xml' href=/named.xml>";
        let head = if is_named { format!("{link}<title>") } else { "<title>".into() };
        sim.set_answer(FRONT, 200, &[], page("Front", &[]).replace("<title>", &head));
        for place in ["http://a.test/rss", "http://a.test/named.xml"] {
            sim.set_answer(place, 200, &[("content-type", "application/rss+xml")], feed.clone());
        }
        sim.run(3 * DAY).await;
        let elsewhere = sim.asked("http://a.test/atom.xml").len();
        let feeds =
            sim.site_schedule().await.listings().filter(|listing| listing.kind == ListingKind::Feed).count();
        assert_eq!((elsewhere, feeds), if is_named { (0, 1) } else { (2, 1) });
        assert!(!sim.asked(STORY).is_empty());
        let left = sim.store.entry(&"http://a.test/atom.xml".parse().unwrap()).await.unwrap();
        assert_eq!(left, None, "what is not there leaves");
    }
}

#[tokio::test]
async fn the_first_links_of_a_long_list_are_fetched_first() {
    let sim = Sim::new().await;
    // The addresses grow older from above, and sort the other way round.
    let path = |place: u64| format!("/story/{}-a-headline-of-some-words", 900 - place);
    let paths: Vec<String> = (0..80).map(path).collect();
    let links: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), HEADLINE)).collect();
    sim.set_answer(FRONT, 200, &[], page("Front", &links));
    sim.run(90).await;
    let asked = sim.web.asked.lock().unwrap();
    let order: Vec<usize> = asked
        .iter()
        .filter_map(|(_, url, _)| paths.iter().position(|path| url.ends_with(path.as_str())))
        .collect();
    assert_eq!(order.len(), 80);
    assert!(order.windows(2).all(|pair| pair[0] / 25 <= pair[1] / 25), "{order:?}");
}
