//! Odd answers that browsers and other crawlers take: what is read of them, and that none teaches too much.

use std::io::Write as _;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, Health, ListingKind, PageSchedule, Role, ScheduleConfig};
use newslode_common::store::Why;

use crate::answers::read_raw;
use crate::sim::*;
use crate::world::PAGE;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A text in UTF-16, from this byte order mark on.
fn utf_16(text: &str, is_big: bool, has_mark: bool) -> Vec<u8> {
    let mark = if has_mark { "\u{feff}" } else { "" };
    let units = mark.encode_utf16().chain(text.encode_utf16());
    units.flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[tokio::test]
async fn unusual_ways_to_send_a_page_are_read() {
    let (html, length) = ("Content-Type: text/html\r\n", PAGE.len());
    let plain = format!("HTTP/1.1 200 OK\r\n{html}Connection: close\r\n\r\n{PAGE}");
    let half = PAGE.len() / 2;
    let chunks = format!(
        "{:x};name=\"a;b\"\r\n{}\r\n{:X} ; x\r\n{}\r\n0\r\nX-Sum: 1\r\nSet-Cookie: a=1\r\n\r\n",
        half,
        &PAGE[..half],
        PAGE.len() - half,
        &PAGE[half..]
    );
    for answer in [
        format!("HTTP/1.1 100 Continue\r\n\r\n{plain}"),
        format!(
            "HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n{plain}"
        ),
        format!("HTTP/1.0 200 OK\r\n{html}\r\n{PAGE}"),
        format!("HTTP/1.1 200 \r\n{html}Connection: close\r\n\r\n{PAGE}"),
        format!("HTTP/1.1 203 Non-Authoritative Information\r\n{html}Content-Length: {length}\r\n\r\n{PAGE}"),
        format!(
            "HTTP/1.1 206 Partial Content\r\n{html}Content-Range: bytes 0-{}/{length}\r\nContent-Length: {length}\r\n\r\n{PAGE}",
            length - 1
        ),
        format!(
            "HTTP/1.1 200 OK\r\n{html}Content-Length: {length}\r\nContent-Length: {length}\r\n\r\n{PAGE}"
        ),
        format!("HTTP/1.1 200 OK\r\n{html}Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n{chunks}"),
    ] {
        let (outcome, body) = read_raw(answer.clone().into_bytes()).await;
        assert_eq!((outcome, body.as_slice()), (Some(Outcome::Fetched), PAGE.as_bytes()), "{answer}");
    }
}

#[tokio::test]
async fn what_came_of_a_page_that_was_packed_twice_is_read() {
    let long = format!("<html><p>{}", "Many words of a page. ".repeat(2_000));
    let inner = gzip(long.as_bytes());
    let twice = gzip(&inner);
    let cut_inside = gzip(&inner[..inner.len() / 2]);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Encoding: ";
    for (codings, body, least) in [
        ("gzip, gzip", &twice[..], long.len()),
        ("gzip\r\nContent-Encoding: gzip", &twice[..], long.len()),
        ("gzip, gzip", &twice[..twice.len() - 12], 1_000),
        ("gzip, gzip", &cut_inside[..], 1_000),
        // Said twice and done once.
        ("gzip, gzip", &inner[..], long.len()),
    ] {
        let answer = [head.as_bytes(), codings.as_bytes(), b"\r\n\r\n", body].concat();
        let (outcome, read) = read_raw(answer).await;
        assert_eq!(outcome, Some(Outcome::Fetched), "{codings:?}");
        assert!(read.len() >= least && read.starts_with(b"<html"), "{codings:?}: {} bytes", read.len());
    }
}

#[tokio::test]
async fn part_of_a_page_that_nobody_asked_for_never_replaces_the_whole() {
    let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
    sim.set_answer(STORY, 200, &[], page("Story", &[]));
    sim.add_story().await;
    sim.run(60).await;
    sim.judge(|_| true).await;
    let before = sim.outbox.pages.lock().unwrap().len();
    sim.set_answer(STORY, 206, &[("content-range", "bytes 0-99/5000")], page("Part of another story", &[]));
    sim.run(2 * DAY).await;
    assert!(sim.asked(STORY).len() > 3, "it is asked for again soon");
    assert_eq!(sim.outbox.pages.lock().unwrap().len(), before);
    sim.set_answer(
        "http://a.test/robots.txt",
        206,
        &[("content-range", "bytes 0-19/90")],
        "User-agent: *\nAllow:/",
    );
    sim.run(5 * DAY).await;
    let asked = sim.asked(STORY).len();
    sim.run(7 * DAY).await;
    assert_eq!(
        sim.asked(STORY).len(),
        asked,
        "part of robots.txt allows nothing once the last one is too old"
    );
}

#[tokio::test]
async fn a_redirect_that_leads_nowhere_concerns_its_address_alone() {
    let answers: [(u16, Headers); 7] = [
        (302, &[]),
        (301, &[("location", "")]),
        (307, &[("location", "  ")]),
        (300, &[]),
        (302, &[("location", "javascript:alert(1)")]),
        (302, &[("location", "http://")]),
        (304, &[]),
    ];
    for (status, headers) in answers {
        let sim = Sim::new().await;
        sim.run(10).await;
        sim.set_answer(STORY, status, headers, page("Moved", &[]));
        sim.add_story().await;
        sim.run(HOUR).await;
        let health = sim.site_schedule().await.health(sim.clock.now());
        assert_eq!(health, Health::Healthy, "{status} {headers:?}");
        let (asked, visits) = (sim.asked(STORY).len(), sim.asked(FRONT).len());
        assert!((1..=4).contains(&asked) && visits >= 2, "{status} {headers:?}: {asked} and {visits}");
    }
}

#[tokio::test]
async fn a_listing_is_read_where_any_spelling_of_a_redirect_leads() {
    for (location, wanted) in [
        ("/a b?c=d e", "http://a.test/a%20b?c=d%20e"),
        ("//a.test/news", "http://a.test/news"),
        ("\\news", "http://a.test/news"),
        ("HTTP://A.TEST/news#top", "http://a.test/news"),
        ("?page=home", "http://a.test/?page=home"),
        ("http:/news", "http://a.test/news"),
        ("./x/../news", "http://a.test/news"),
    ] {
        let sim = Sim::new().await;
        let headers: Headers = Vec::from([("location", location)]).leak();
        sim.set_answer(FRONT, 302, headers, "");
        sim.set_answer(
            wanted,
            200,
            &[],
            page(
                "Front",
                &[("/2026/a-long-way-home-for-the-cup", "A long way home for the cup and its bearers")],
            ),
        );
        sim.set_answer(STORY, 200, &[], page("Story", &[]));
        sim.run(10 * MINUTE).await;
        assert!(!sim.asked(STORY).is_empty(), "{location}: {:?}", sim.web.asked.lock().unwrap());
    }
}

#[tokio::test]
async fn redirects_between_http_and_https_end() {
    for status in [301, 302, 307] {
        let sim = Sim::with(ScheduleConfig { lead_interval_s: DAY, ..ScheduleConfig::default() }).await;
        let secure = STORY.replace("http:", "https:");
        let to_secure: Headers = Vec::from([("location", &*secure.clone().leak())]).leak();
        sim.set_answer(STORY, status, to_secure, "");
        sim.set_answer(&secure, status, &[("location", STORY)], "");
        sim.add_story().await;
        sim.run(3 * DAY).await;
        let asked = sim.asked(STORY).len() + sim.asked(&secure).len();
        assert!((2..=42).contains(&asked), "{status}: {asked} requests");
        assert_eq!(sim.site_schedule().await.health(sim.clock.now()), Health::Healthy);
    }
}

#[tokio::test]
async fn a_feed_is_read_whatever_it_is_said_to_be() {
    const FEED: &str = "http://a.test/news";
    let feed = |encoding: &str| {
        format!(
            "<?xml version='1.0' encoding='{encoding}'?><rss version='2.0'><channel><title>Ä</title><item><title>Ü</title>\
             <link>{STORY}</link></item></channel></rss>"
        )
    };
    let cases: [(Headers, Vec<u8>); 10] = [
        (&[("content-type", "text/html; charset=utf-8")], feed("utf-8").into()),
        (&[("content-type", "application/octet-stream")], feed("utf-8").into()),
        (&[("content-type", "text/plain")], format!("\n \u{feff}{}", feed("utf-8")).into()),
        (&[], feed("utf-8").into()),
        (&[("content-type", "application/xml")], utf_16(&feed("utf-16"), false, true)),
        (&[("content-type", "text/html")], utf_16(&feed("utf-16"), true, true)),
        (&[("content-type", "application/rss+xml; charset=utf-16le")], utf_16(&feed("utf-16"), false, false)),
        (&[("content-type", "application/rss+xml")], utf_16(&feed("utf-8"), true, false)),
        (&[("content-type", "application/gzip")], gzip(feed("utf-8").as_bytes())),
        (
            &[("content-type", "text/xml"), ("content-encoding", "gzip")],
            gzip(&gzip(feed("utf-8").as_bytes())),
        ),
    ];
    for (headers, bytes) in cases {
        let sim = Sim::new().await;
        sim.set_answer(STORY, 200, &[], page("Story", &[]));
        sim.set_answer(FEED, 200, headers, bytes);
        sim.add(FEED, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Feed))).await;
        sim.run(10 * MINUTE).await;
        assert!(!sim.asked(STORY).is_empty(), "{headers:?}");
    }
}

#[tokio::test]
async fn a_packed_sitemap_is_read_whether_its_packing_is_announced_or_not() {
    const MAP: &str = "http://a.test/sitemap.xml.gz";
    let map = format!("<urlset><url><loc>{STORY}</loc></url></urlset>").into_bytes();
    let cases: [(Headers, Vec<u8>); 5] = [
        (&[("content-type", "application/x-gzip")], gzip(&map)),
        (&[("content-type", "application/xml"), ("content-encoding", "gzip")], gzip(&map)),
        (&[("content-type", "application/x-gzip"), ("content-encoding", "x-gzip")], gzip(&gzip(&map))),
        (&[("content-type", "application/x-gzip"), ("content-encoding", "gzip")], map.clone()),
        (&[("content-type", "text/html")], map.clone()),
    ];
    for (headers, bytes) in cases {
        let sim = Sim::new().await;
        sim.set_answer(STORY, 200, &[], page("Story", &[]));
        sim.set_answer(MAP, 200, headers, bytes);
        sim.add(MAP, Why::Link, Class::Listing, PageSchedule::of(Role::Listing(ListingKind::Map))).await;
        sim.run(10 * MINUTE).await;
        assert!(!sim.asked(STORY).is_empty(), "{headers:?}");
    }
}

#[tokio::test]
async fn rules_are_obeyed_in_whatever_encoding_they_come() {
    let rules = "User-agent: *\nDisallow: /2026/\n";
    for file in [
        utf_16(rules, false, true),
        utf_16(rules, true, true),
        utf_16(rules, false, false),
        utf_16(rules, true, false),
        format!("\u{feff}{rules}").into_bytes(),
        rules.replace('\n', "\r").into_bytes(),
        rules.replace('\n', "\r\r\n").into_bytes(),
        gzip(rules.as_bytes()),
    ] {
        let sim = Sim::new().await;
        sim.set_answer("http://a.test/robots.txt", 200, &[("content-type", "text/plain")], file.clone());
        sim.set_answer(STORY, 200, &[], page("Story", &[]));
        sim.add_story().await;
        sim.run(HOUR).await;
        assert!(sim.asked(STORY).is_empty() && !sim.asked(FRONT).is_empty(), "{:?}", &file[..20]);
        assert_eq!(sim.entry(STORY).await.outcome, Some(Outcome::Disallowed));
    }
}

#[tokio::test]
async fn pages_that_refresh_elsewhere_in_any_spelling_are_redirects() {
    for meta in [
        "<META HTTP-EQUIV=REFRESH CONTENT='0;URL =\"/2026/a-long-way-home-for-the-cup\"'>",
        "<meta content=\".5 , url='/2026/a-long-way-home-for-the-cup\" http-equiv=' Refresh '>",
        "<meta http-equiv=refresh content='1\nURL=/2026/a-long-way-home-for-the-cup'>",
        "<base href=/2026/><meta http-equiv=refresh content='0;a-long-way-home-for-the-cup'>",
        "<meta http-equiv=refresh content='0.0.1;url=&quot;/2026/a-long-way-home-for-the-cup&quot;'>",
    ] {
        let sim = Sim::new().await;
        let first = "http://a.test/2026/an-old-address-of-the-cup";
        sim.set_answer(first, 200, &[], format!("<html><head>{meta}<title>x</title></head><p>Go on"));
        sim.set_answer(STORY, 200, &[], page("Story", &[]));
        sim.add(first, Why::Link, Class::New, PageSchedule::page(None, START)).await;
        sim.run(10 * MINUTE).await;
        assert!(!sim.asked(STORY).is_empty(), "{meta}");
    }
}
