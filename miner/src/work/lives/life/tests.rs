use newslode_page::{Page, article};

use super::*;

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

fn born() -> Life {
    Life::read(None, &url(), &story("Rain", "It rained."), fetch(2), Discovery::default()).0
}

#[test]
fn an_article_is_new_once_and_changes_with_its_text() {
    let found =
        Discovery { at: Some(Timestamp(1_699_999_000_000)), on: "https://news.example.org/".parse().ok() };
    let (life, event) = Life::read(None, &url(), &story("Rain", "It rained."), fetch(2), found.clone());
    assert_eq!((event.unwrap().event, life.first_seen), (EventKind::New, Timestamp(1_699_999_000_000)));
    assert_eq!(life.discovered_on, found.on);
    let again = story("Rain", "It rained.");
    let (life, event) = Life::read(Some(life), &url(), &again, fetch(3), Discovery::default());
    assert_eq!((event, life.fetched_at), (None, fetch(3).at), "the same text is no event");
    let (life, event) =
        Life::read(Some(life), &url(), &story("Rain", "It poured."), fetch(4), Discovery::default());
    let event = event.unwrap();
    assert_eq!((event.version, event.event, event.changed), (2, EventKind::Changed, vec![Field::Body]));
    assert_eq!(life.first_seen, Timestamp(1_699_999_000_000), "it was found when it was found");
}

#[test]
fn what_is_late_changes_nothing() {
    let newer =
        Life::read(Some(born()), &url(), &story("Flood", "It rained."), fetch(5), Discovery::default()).0;
    let (life, event) =
        Life::read(Some(newer.clone()), &url(), &story("Old", "Dry."), fetch(4), Discovery::default());
    assert_eq!((&life, event), (&newer, None));
    assert_eq!(newer.clone().end(Ending::NotFound, fetch(4)), None, "it was read since");
}

#[test]
fn it_ends_once_and_may_come_back() {
    let mut life = born();
    let event = life.end(Ending::NotFound, fetch(3)).unwrap();
    assert_eq!((event.version, event.event), (2, EventKind::Gone));
    assert_eq!(life.end(Ending::NotFound, fetch(4)), None);
    let read = |number, life: &Life| {
        Life::read(
            Some(life.clone()),
            &url(),
            &story("Rain", "It rained."),
            fetch(number),
            Discovery::default(),
        )
    };
    assert_eq!(read(3, &life).1, None, "what was read before the end");
    let (life, event) = read(5, &life);
    assert_eq!(event.map(|event| (event.version, event.event)), Some((3, EventKind::New)));
    assert!(!life.is_gone());
}

#[test]
fn a_long_life_keeps_its_beginning_and_its_last_events() {
    let mut life = born();
    for number in 3..200 {
        let said = story("Live", &format!("Update {number}."));
        life = Life::read(Some(life), &url(), &said, fetch(number), Discovery::default()).0;
    }
    let versions: Vec<u64> = life.events.iter().map(|event| event.version).collect();
    assert_eq!((versions.len(), versions[0], versions[1], versions[63]), (KEPT, 1, 136, 198));
}

#[test]
fn only_an_instant_of_the_last_days_says_how_late_we_are() {
    let now = Timestamp(1_700_000_000_000);
    let late = |published: &str| {
        let published = Some(published.to_owned());
        delay(&Article { published, ..story("Rain", "It rained.") }, now).map(|delay| delay.as_secs())
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
    let mut life = born();
    let told = serde_json::to_value(Told::of(&life, &article, &labels).unwrap()).unwrap();
    let keys = ["event", "version", "first_seen", "fetched_at", "title"].map(|key| told[key].clone());
    let time = "2023-11-14T22:13:22Z";
    assert_eq!(serde_json::to_value(keys).unwrap(), serde_json::json!(["new", 1, time, time, "Rain"]));
    assert_eq!(told["labels"]["team"], "europe");
    let target: CanonicalUrl = "https://news.example.org/rain-2".parse().unwrap();
    life.end(Ending::Moved(target.clone()), fetch(9)).unwrap();
    assert!(Told::of(&life, &article, &labels).is_none());
    let lost = serde_json::to_value(Lost::of(&life, &labels).unwrap()).unwrap();
    assert_eq!(
        (&lost["event"], &lost["reason"], &lost["moved_to"]),
        (&"gone".into(), &"moved".into(), &target.as_str().into())
    );
}
