use std::collections::BTreeMap;

use newslode_page::{Page, article};

use super::*;
use crate::work::histories::events::{ArticleEvent, GoneEvent};

fn url() -> CanonicalUrl {
    "https://news.example.org/rain".parse().unwrap()
}

fn story(title: &str, body: &str) -> Article {
    let html = format!(
        "<title>{title}</title><meta property=og:type content=article><h1>{title}</h1><p>{body} After eleven dry \
         weeks it rained over the valley on Thursday, and the farmers came out of their houses to watch it fall.\
         <p>The reservoir above the town rose by a hand's breadth before noon, the water board said, and the ban \
         on watering gardens will end today."
    );
    article(&Page::parse(&url(), None, html.as_bytes()), Timestamp(0)).1.unwrap()
}

fn fetch(number: u64) -> Fetch {
    Fetch { number, at: Timestamp(1_700_000_000_000 + number * 1_000) }
}

fn unread() -> ArticleHistory {
    ArticleHistory::new(&url(), Timestamp(1_699_999_000_000), "https://news.example.org/".parse().ok())
}

/// A history after another fetch, unless that was overtaken.
fn read(mut history: ArticleHistory, said: &Article, number: u64) -> (ArticleHistory, Option<Event>) {
    let event =
        if history.supersedes(fetch(number)) { None } else { history.record_fetch(said, fetch(number)) };
    (history, event)
}

fn born() -> ArticleHistory {
    read(unread(), &story("Rain", "It rained."), 2).0
}

#[test]
fn an_article_is_new_once_and_changes_with_its_text() {
    let (history, event) = read(unread(), &story("Rain", "It rained."), 2);
    assert_eq!((event.unwrap().event, history.first_seen), (EventKind::New, Timestamp(1_699_999_000_000)));
    assert_eq!(history.discovered_on, unread().discovered_on);
    let (history, event) = read(history, &story("Rain", "It rained."), 3);
    assert_eq!((event, history.fetched_at), (None, fetch(3).at), "the same text is no event");
    let (history, event) = read(history, &story("Rain", "It poured."), 4);
    let event = event.unwrap();
    assert_eq!((event.version, event.event, event.changed), (2, EventKind::Changed, vec![Field::Body]));
    assert_eq!(history.first_seen, Timestamp(1_699_999_000_000), "it was found when it was found");
}

#[test]
fn the_same_instant_in_another_zone_is_no_change() {
    let published =
        |written: &str| Article { published: Some(written.into()), ..story("Rain", "It rained.") };
    let mut history = read(unread(), &published("2026-01-03T06:50:43-02:00"), 2).0;
    for (number, written) in [(3, "2026-01-03T08:50:43Z"), (4, "2026-01-03T09:50:43+01:00")] {
        let (next, event) = read(history, &published(written), number);
        assert_eq!(event, None, "{written}");
        history = next;
    }
    // A history of an earlier version.
    history.field_hashes[2] = name("2026-01-03T09:50:43+01:00");
    let (history, event) = read(history, &published("2026-01-03T09:50:43+01:00"), 5);
    assert_eq!(event, None);
    let (_, event) = read(history, &published("2026-01-03T08:50:44Z"), 6);
    assert_eq!(event.unwrap().changed, [Field::Published]);
}

#[test]
fn a_late_fetch_or_end_changes_nothing() {
    let newer = read(born(), &story("Flood", "It rained."), 5).0;
    let (history, event) = read(newer.clone(), &story("Old", "Dry."), 4);
    assert_eq!((&history, event), (&newer, None));
    assert_eq!(newer.clone().record_end(Ending::NotFound, fetch(4)), None, "it was read since");
}

#[test]
fn an_article_ends_once_and_may_return() {
    let mut history = born();
    let event = history.record_end(Ending::NotFound, fetch(3)).unwrap();
    assert_eq!((event.version, event.event), (2, EventKind::Gone));
    assert_eq!(history.record_end(Ending::NotFound, fetch(4)), None);
    let read = |number, history: &ArticleHistory| read(history.clone(), &story("Rain", "It rained."), number);
    assert_eq!(read(3, &history).1, None, "what was read before the end");
    let (history, event) = read(5, &history);
    assert_eq!(event.map(|event| (event.version, event.event)), Some((3, EventKind::New)));
    assert!(!history.is_gone());
}

#[test]
fn a_long_history_keeps_its_first_and_its_last_events() {
    let mut history = born();
    for number in 3..200 {
        let said = story("Live", &format!("Update {number}."));
        history = read(history, &said, number).0;
    }
    let versions: Vec<u64> = history.events.iter().map(|event| event.version).collect();
    assert_eq!((versions.len(), versions[0], versions[1], versions[63]), (MAX_EVENTS, 1, 136, 198));
}

#[test]
fn a_publication_delay_needs_a_recent_instant_with_a_zone() {
    let now = Timestamp(1_700_000_000_000);
    let late = |published: &str| {
        let published = Some(published.to_owned());
        publication_delay(&Article { published, ..story("Rain", "It rained.") }, now)
            .map(|delay| delay.as_secs())
    };
    assert_eq!(late("2023-11-14T22:03:20Z"), Some(600));
    assert_eq!(late("2023-11-14T23:03:20+01:00"), Some(600));
    for none in ["2023-11-14", "2023-11-14T22:03:20", "2023-11-15T22:13:20Z", "2023-10-14T22:13:20Z"] {
        assert_eq!(late(none), None, "{none}");
    }
}

#[test]
fn readers_get_the_event_with_the_article_or_with_its_end() {
    let labels = BTreeMap::from([("team".to_owned(), "europe".to_owned())]);
    let article = story("Rain", "It rained.");
    let mut history = born();
    let told = serde_json::to_value(ArticleEvent::latest(&history, &article, &labels).unwrap()).unwrap();
    let keys = ["event", "version", "first_seen", "fetched_at", "title"].map(|key| told[key].clone());
    let (found, fetched) = ("2023-11-14T21:56:40Z", "2023-11-14T22:13:22Z");
    assert_eq!(serde_json::to_value(keys).unwrap(), serde_json::json!(["new", 1, found, fetched, "Rain"]));
    assert_eq!(told["labels"]["team"], "europe");
    let target: CanonicalUrl = "https://news.example.org/rain-2".parse().unwrap();
    history.record_end(Ending::Moved(target.clone()), fetch(9)).unwrap();
    assert!(ArticleEvent::latest(&history, &article, &labels).is_none());
    let lost = serde_json::to_value(GoneEvent::latest(&history, &labels).unwrap()).unwrap();
    assert_eq!(
        (&lost["event"], &lost["reason"], &lost["moved_to"]),
        (&"gone".into(), &"moved".into(), &target.as_str().into())
    );
    let past: Vec<_> =
        history.history().map(|past| serde_json::to_value(past).unwrap()["id"].clone()).collect();
    assert!(past.len() == 2 && past.iter().all(|id| *id == history_key(&url()).to_string()), "{past:?}");
    assert_eq!(lost["id"], past[0]);
}

#[test]
fn a_history_absorbs_addresses_and_an_earlier_start() {
    let address = |path: &str| format!("https://news.example.org/{path}").parse::<CanonicalUrl>().unwrap();
    let mut history = born();
    let mut earlier = ArticleHistory::new(&address("amp/rain"), Timestamp(5), Some(address("feed")));
    earlier.addresses = [url(), address("rain?print=1")].into();
    history.absorb(&earlier);
    let others = [address("amp/rain"), address("rain?print=1")].into();
    assert_eq!(history.addresses, others, "its own is none of its others");
    assert_eq!((history.first_seen, history.discovered_on.clone()), (Timestamp(5), Some(address("feed"))));
    history.absorb(&ArticleHistory::new(&address("m/rain"), Timestamp(6), None));
    assert_eq!(history.first_seen, Timestamp(5));
    for number in 0..100 {
        history.absorb(&ArticleHistory::new(&address(&format!("?id={number}")), Timestamp(6), None));
    }
    assert_eq!(history.addresses.len(), MAX_ADDRESSES);
}

#[test]
fn a_twin_is_announced_once_it_is_an_article_of_its_own() {
    let mut history = unread();
    history.record_twin_fetch(fetch(2), &"https://news.example.org/first".parse().unwrap());
    assert!(!history.is_announced() && !history.is_gone());
    assert_eq!(history.record_end(Ending::NotFound, fetch(3)), None, "readers never heard of it");
    let (history, event) = read(history, &story("Rain", "It rained."), 4);
    assert_eq!((event.unwrap().event, history.twin_of), (EventKind::New, None));
}

#[test]
fn a_history_written_without_a_fingerprint_is_read() {
    let mut json = serde_json::to_value(born()).unwrap();
    json.as_object_mut().unwrap().remove("print");
    assert_eq!(serde_json::from_value::<ArticleHistory>(json).unwrap().fingerprint, Fingerprint::default());
}

#[test]
fn an_article_that_is_none_comes_back_after_a_week_and_ends_again_a_week_later() {
    const DAY: Duration = Duration::from_secs(86_400);
    let mut history = born();
    let start = fetch(3).at;
    assert!(history.may_change_kind(start), "what never was another kind may change at once");
    history.record_end(Ending::NotAnArticle, Fetch { number: 2, at: start }).unwrap();
    assert!(history.is_no_article());
    assert!(!history.may_change_kind(start.plus(6 * DAY)) && history.may_change_kind(start.plus(7 * DAY)));
    // The text is that of the fetch from before, but readers get events in the order of their times.
    let back = history.record_fetch(&story("Rain", "It rained."), fetch(2)).unwrap();
    assert_eq!((back.event, back.at), (EventKind::New, start));
    assert!(!history.is_no_article() && !history.may_change_kind(start.plus(6 * DAY)));
    assert!(history.may_change_kind(start.plus(7 * DAY)));
}
