//! Visits of made-up listings.

use super::*;
use crate::message::wire::MOST_MISSING;

const START: u64 = 1_700_000_000;

fn url(id: u64) -> CanonicalUrl {
    format!("https://news.example.org/section/{id}").parse().unwrap()
}

fn name(id: u64) -> ListingId {
    ListingId::of(&url(id))
}

struct Visits {
    site: SiteSchedule,
    config: ScheduleConfig,
    allowance: Allowance,
}

impl Visits {
    fn new() -> Visits {
        Visits {
            site: SiteSchedule::default(),
            config: ScheduleConfig::default(),
            allowance: Allowance::full(1_000_000, at(START)),
        }
    }

    /// Visits a listing and returns the wait in seconds.
    fn visit(&mut self, id: u64, now: u64, new: u32) -> u64 {
        let shown = Shown { links: 20, new, top: 1 };
        let next = self.site.visit(name(id), Some(shown), at(now), &self.allowance, &self.config);
        assert_eq!(next.class, Class::Listing);
        seconds(next.due) - now
    }

    fn confirm(&mut self, by: u64, now: u64) {
        self.site.confirm(Some(name(by)), true, at(now));
    }
}

#[test]
fn the_second_visit_comes_soon_and_the_lead_is_visited_every_ten_minutes() {
    let mut visits = Visits::new();
    visits.site.meet(&url(1), ListingKind::Front);
    assert_eq!(visits.visit(1, START, 20), SECOND_VISIT);
    assert_eq!(visits.visit(1, START + 300, 0), 600, "alone it leads");
}

#[test]
fn only_who_showed_an_article_first_is_credited_and_not_for_its_first_visit() {
    let mut visits = Visits::new();
    for id in [1, 2] {
        visits.site.meet(&url(id), ListingKind::Feed);
        visits.visit(id, START, 5);
    }
    visits.confirm(1, START + 10);
    assert_eq!(visits.site.listing(name(1)).map(|listing| listing.credit), Some(0));
    let mut now = START;
    for _ in 0..400 {
        now += 600;
        visits.visit(1, now, 1);
        visits.visit(2, now, 0);
        visits.confirm(1, now);
    }
    let (busy, idle) = (visits.visit(1, now + 600, 0), visits.visit(2, now + 600, 0));
    assert!(busy <= 600 && idle > 4 * 3_600, "{busy} s and {idle} s");
}

#[test]
fn silent_sections_share_a_pool() {
    let mut visits = Visits::new();
    visits.site.meet(&url(0), ListingKind::Front);
    for id in 1..=200 {
        visits.site.meet(&url(id), ListingKind::Section);
    }
    let mut waits = Vec::new();
    for id in 1..=200 {
        visits.visit(id, START, 0);
    }
    for id in 1..=200 {
        waits.push(visits.visit(id, START + DAY, 0));
    }
    // 48 visits a day for 200 sections: each is visited every four days or so.
    assert_eq!(waits.last(), Some(&(200 * DAY / 48)));
}

#[test]
fn many_new_links_halve_the_wait_and_short_tokens_stretch_it() {
    let mut visits = Visits::new();
    visits.site.meet(&url(1), ListingKind::Front);
    visits.visit(1, START, 20);
    assert_eq!(visits.visit(1, START + 400, 12), 200);
    assert_eq!(visits.visit(1, START + 500, 12), 120, "never below the shortest interval");
    visits.allowance = Allowance { per_day: 400, milli: 10_000, at: at(START + 600) };
    assert_eq!(
        visits.visit(1, START + 600, 0),
        2_400,
        "a quarter of what all else waits for: four times as long"
    );
    visits.allowance.milli = 40_000;
    assert_eq!(visits.visit(1, START + 1_200, 0), 600, "all else is still asked for");
}

#[test]
fn an_absent_section_leaves_after_four_weeks_and_a_front_page_never() {
    let mut visits = Visits::new();
    visits.site.meet(&url(1), ListingKind::Front);
    visits.site.meet(&url(2), ListingKind::Section);
    for id in [1, 2] {
        let (mut now, mut tries) = (START, 0);
        while let Some(next) = visits.site.miss(name(id), at(now)) {
            now = seconds(next.due);
            tries += 1;
            if tries > 40 {
                break;
            }
        }
        assert_eq!(tries > 40, id == 1, "{id}: {tries} tries");
    }
    assert!(visits.site.listing(name(2)).is_none());
}

#[test]
fn a_site_gets_requests_for_what_it_publishes() {
    let mut visits = Visits::new();
    assert_eq!(visits.site.per_day(&visits.config), 700, "a new site is taken to publish 100 articles a day");
    // Ninety-six articles a day.
    for n in 0..96 * 20 {
        visits.site.confirm(None, true, at(START + n * 900));
    }
    let per_day = visits.site.per_day(&visits.config);
    assert!((640..=720).contains(&per_day), "{per_day}");
}

#[test]
fn a_calendar_is_junky_and_does_not_hasten_its_visits() {
    let mut visits = Visits::new();
    visits.site.meet(&url(1), ListingKind::Section);
    let mut waits = Vec::new();
    for n in 0..8 {
        let next = visits.site.visit(
            name(1),
            Some(Shown { links: 5, new: 5, top: n }),
            at(START + n * 600),
            &visits.allowance,
            &visits.config,
        );
        waits.push(seconds(next.due) - START - n * 600);
    }
    assert!(visits.site.listing(name(1)).is_some_and(Listing::is_junky));
    assert!(waits[7] > waits[1], "{waits:?}");
}

#[test]
fn schedules_of_versions_that_lack_the_last_fields_are_read() {
    let mut site = SiteSchedule::default();
    site.meet(&url(1), ListingKind::Feed);
    let bytes = crate::message::wire::encode(&site).unwrap();
    for missing in 1..=MOST_MISSING {
        let (old, none) = bytes.split_at(bytes.len() - missing);
        assert!(none.iter().all(|byte| *byte == 0), "these are the last fields");
        assert_eq!(crate::message::wire::decode_without_last::<SiteSchedule>(old).unwrap(), site);
    }
    let before = &bytes[..bytes.len() - MOST_MISSING - 1];
    assert!(
        crate::message::wire::decode_without_last::<SiteSchedule>(before).is_err(),
        "that field was always there"
    );
    site.ask_for(Days { first: 19_000, last: 19_030 });
    let read = |site: &SiteSchedule, missing: usize| {
        let bytes = crate::message::wire::encode(site).unwrap();
        let old = &bytes[..bytes.len() - missing];
        crate::message::wire::decode_without_last::<SiteSchedule>(old).unwrap()
    };
    assert_eq!(read(&site, 0), site);
    site.read_other(true, at(START));
    assert_eq!(read(&site, MOST_MISSING - 2), site, "as the version before wrote it");
    site.note_vanished(7, Vanished::Moved, None, at(START));
    assert_eq!(read(&site, 0), site);
    let others = [1, 2].map(|address| site.note_repeat(RepeatedEvent::Busy, &url(address), at(START)));
    assert_eq!(others, [0, 1]);
    assert_eq!(read(&site, 0), site);
    assert!(site.ask_for(Days { first: 19_000, last: 19_030 }), "the same days go on");
    assert!(!site.ask_for(Days { first: 19_000, last: 19_031 }));
}

/// The waits of a feed that says this of itself and shows nothing new, in seconds.
fn waits_of_feed(say: impl Fn(&mut FeedHints), visits: usize) -> Vec<u64> {
    let mut feed = Visits::new();
    feed.site.meet(&url(1), ListingKind::Feed);
    // Another listing leads, so that this one has its own pace.
    feed.site.meet(&url(2), ListingKind::Front);
    let mut now = START;
    feed.visit(2, now, 0);
    let mut hints = FeedHints::default();
    say(&mut hints);
    (0..visits)
        .map(|_| {
            feed.confirm(2, now);
            feed.visit(2, now + 1, 0);
            feed.site.hint(name(1), hints.clone());
            let wait = feed.visit(1, now + 2, 0);
            now += wait;
            wait
        })
        .collect()
}

#[test]
fn what_a_feed_says_hastens_its_first_visits_and_never_slows_them() {
    let silent = waits_of_feed(|_| (), 12);
    let hasty = waits_of_feed(|hints| hints.add_ttl(15), 40);
    assert!(silent[1] > HOUR, "{silent:?}");
    assert_eq!((hasty[0], hasty[1], hasty[2]), (silent[0], 900, 900), "after the second visit");
    let of_day = hasty.iter().scan(0, |sum, wait| {
        *sum += wait;
        Some(*sum)
    });
    let learnt = of_day.take_while(|passed| *passed < 7 * HOUR).count();
    assert!(hasty[learnt..].iter().all(|wait| *wait > HOUR), "its own rhythm is known then: {hasty:?}");
    for slow in [60 * 24 * 7, 60 * 24 * 365, u64::MAX] {
        assert_eq!(waits_of_feed(|hints| hints.add_ttl(slow), 12), silent, "{slow}");
    }
    let yearly = waits_of_feed(|hints| hints.add_period("yearly", 1), 12);
    assert_eq!(yearly, silent);
    // The first two are due before midnight.
    let skipping = waits_of_feed(|hints| (0..20).for_each(|hour| hints.skip_hour(hour)), 3);
    assert_eq!(skipping, [silent[0], silent[1], silent[2] + 600], "no more than ten minutes");
}

#[test]
fn what_a_feed_says_leaves_with_it() {
    let mut site = SiteSchedule::default();
    let mut hints = FeedHints::default();
    hints.add_ttl(60);
    site.hint(name(1), hints.clone());
    assert_eq!(site, SiteSchedule::default(), "no listing says it");
    site.meet(&url(1), ListingKind::Feed);
    site.hint(name(1), hints.clone());
    assert_eq!(site.hints(name(1)), Some(&hints));
    site.retire(name(1));
    assert_eq!(site, SiteSchedule::default());
}

#[test]
fn a_site_whose_articles_turn_is_not_healthy_until_they_stand() {
    for (how, health) in [(Vanished::NotFound, Health::Failing), (Vanished::Forbidden, Health::Blocked)] {
        let mut site = SiteSchedule::default();
        for n in 0..5 {
            assert_eq!(site.health(at(START + n)), Health::Healthy);
            site.note_vanished(n, how, None, at(START + n));
        }
        assert_eq!(site.health(at(START + DAY)), health);
        site.answered("http://a.test", at(START + DAY));
        assert_eq!(site.health(at(START + DAY)), health, "other pages answer");
        site.note_present(9, "http://a.test", at(START + DAY));
        assert_eq!(site.health(at(START + DAY)), Health::Healthy);
    }
}

#[test]
fn a_site_whose_new_pages_are_no_articles_for_a_day_says_so() {
    let mut site = SiteSchedule::default();
    let time = |n: u64| at(START + n);
    for n in 0..29 {
        assert!(site.read_other(n % 2 == 0, time(n)));
    }
    assert_eq!(site.health(time(29)), Health::Healthy, "so few say little");
    site.read_other(true, time(29));
    assert_eq!(site.health(time(30)), Health::NoArticles, "there was none ever");
    assert!(site.yields().are_bare());
    site.confirm(None, true, time(40));
    assert_eq!(site.health(time(41)), Health::Healthy);
    for n in 0..200 {
        site.read_other(false, time(50 + n));
    }
    assert!(!site.read_other(false, time(300)), "enough is known");
    assert_eq!(site.health(time(400)), Health::Healthy, "the last one was a moment ago");
    assert_eq!(site.health(time(40 + 86_400)), Health::Healthy);
    assert_eq!(site.health(time(50 + 86_400)), Health::NoArticles);
    let yields = site.yields();
    assert_eq!(
        (yields.articles, yields.first, yields.last, yields.are_bare()),
        (1, START + 40, START + 40, false)
    );
    // Other troubles come first.
    site.trouble(Trouble::Failing, 1, time(90_000));
    assert_eq!(site.health(time(90_000)), Health::Failing);
}

#[test]
fn a_listing_takes_at_most_eighty_bytes_beside_its_address() {
    let mut visits = Visits::new();
    let mut addresses = 0;
    for id in 1..=100 {
        visits.site.meet(&url(id), ListingKind::Section);
        visits.visit(id, START, 20);
        visits.visit(id, START + DAY, 20);
        visits.confirm(id, START + DAY);
        addresses += url(id).as_str().len();
    }
    let bytes = crate::message::wire::encode(&visits.site).unwrap().len() - addresses;
    assert!(bytes <= 100 * 80, "{bytes} bytes for 100 listings");
}

#[test]
fn a_section_that_has_shown_no_article_yet_shares_what_is_read_with_the_news() {
    let mut visits = Visits::new();
    for (id, kind) in [(1, ListingKind::Front), (2, ListingKind::Section), (3, ListingKind::Section)] {
        visits.site.meet(&url(id), kind);
        visits.visit(id, START, 20);
    }
    let left = |visits: &Visits| [10_000, 100].map(|budget| visits.site.unproven_links_left(budget));
    let is_unproven = |visits: &Visits, id| visits.site.listing(name(id)).map(Listing::is_unproven);
    assert_eq!([1, 2, 3].map(|id| is_unproven(&visits, id)), [Some(false), Some(true), Some(true)]);
    assert_eq!(left(&visits), [UNPROVEN_LINKS, 10]);
    visits.visit(2, START + 600, 15);
    visits.visit(3, START + 600, 15);
    assert_eq!(left(&visits), [UNPROVEN_LINKS - 30, 0]);
    visits.confirm(3, START + 700);
    assert_eq!(left(&visits), [UNPROVEN_LINKS - 15, 0]);
    assert_eq!(is_unproven(&visits, 3), Some(false));
}

#[test]
fn a_site_whose_front_pages_lead_to_another_site_for_a_day_is_redirected() {
    let (mut visits, other) = (Visits::new(), Site::of_host("other.example"));
    for (id, kind) in [(1, ListingKind::Front), (2, ListingKind::Front), (3, ListingKind::Feed)] {
        visits.site.meet(&url(id), kind);
    }
    let lead_away = |visits: &mut Visits, ids: &[u64], now: u64| {
        for id in ids {
            visits.site.leads_to(name(*id), Some(&other), at(now));
            visits.visit(*id, now, 0);
        }
    };
    lead_away(&mut visits, &[1, 2], START);
    lead_away(&mut visits, &[1], START + DAY);
    assert_eq!(visits.site.health(at(START + DAY)), Health::Healthy, "one of two does so for a moment");
    lead_away(&mut visits, &[2], START + DAY);
    let led = visits.site.redirected().cloned();
    assert_eq!(led, Some(Elsewhere { site: other.clone(), since: START, until: START + DAY }));
    assert_eq!(visits.site.health(at(START + DAY)), Health::Redirected);
    // The feed still shows news.
    visits.visit(3, START + DAY, 1);
    visits.visit(3, START + DAY + 600, 1);
    visits.confirm(3, START + DAY + 600);
    assert_eq!(visits.site.health(at(START + DAY + 600)), Health::Healthy);
    lead_away(&mut visits, &[1, 2], START + 3 * DAY);
    assert_eq!(visits.site.health(at(START + 3 * DAY)), Health::Redirected, "it showed none for a day");
    visits.visit(1, START + 3 * DAY + 600, 0);
    assert_eq!(visits.site.health(at(START + 3 * DAY + 600)), Health::Healthy, "its own page is back");
    let read: SiteSchedule =
        crate::message::wire::decode_without_last(&crate::message::wire::encode(&visits.site).unwrap())
            .unwrap();
    assert_eq!(read, visits.site);
}

#[test]
fn a_site_all_of_whose_sources_lead_elsewhere_is_redirected() {
    let (mut visits, other) = (Visits::new(), Site::of_host("other.example"));
    for id in [1, 2] {
        visits.site.meet(&url(id), ListingKind::Feed);
        visits.site.leads_to(name(id), Some(&other), at(START));
    }
    visits.site.leads_to(name(1), Some(&other), at(START + DAY));
    assert_eq!(visits.site.redirected(), None);
    visits.site.leads_to(name(2), Some(&other), at(START + DAY));
    assert_eq!(visits.site.health(at(START + DAY)), Health::Redirected);
    visits.site.leads_to(name(2), None, at(START + 2 * DAY));
    visits.visit(2, START + 2 * DAY, 0);
    assert_eq!(visits.site.health(at(START + 2 * DAY)), Health::Healthy);
}

#[test]
fn a_site_that_asks_to_come_back_later_is_no_site_that_fails_or_blocks() {
    for trouble in [Trouble::Blocked(Some(60)), Trouble::Busy, Trouble::Failing] {
        let mut site = SiteSchedule::default();
        site.trouble(trouble, 10, at(START));
        assert_ne!(site.health(at(START)), Health::RateLimited);
        site.asks_to_wait();
        assert_eq!(site.health(at(START)), Health::RateLimited, "{trouble:?}");
        site.trouble(Trouble::Failing, 10, at(START + 60));
        assert_ne!(site.health(at(START + 60)), Health::RateLimited, "its last trouble is another one");
        site.trouble(trouble, 10, at(START + 120));
        site.asks_to_wait();
        site.answered("http://a.test", at(START + 180));
        assert_eq!(site.health(at(START + 180)), Health::Healthy);
    }
}

#[test]
fn a_crawl_delay_matters_only_to_a_site_that_publishes_more_than_it_allows() {
    let publishing = |articles_a_day: u64| {
        let mut visits = Visits::new();
        visits.site.meet(&url(1), ListingKind::Feed);
        visits.visit(1, START, 5);
        let (step, mut now) = (DAY / articles_a_day, START);
        while now < START + 3 * DAY {
            now += step;
            visits.visit(1, now, 1);
            visits.confirm(1, now);
        }
        // If several hosts of a site ask for a delay, the longest one counts.
        visits.site.asks_delay(120_000);
        visits.site.asks_delay(30_000);
        visits.site.health(at(now))
    };
    assert_eq!(publishing(100), Health::Healthy);
    assert_eq!(publishing(900), Health::RateLimited);
}

#[test]
fn a_site_whose_listings_never_show_its_new_articles_has_too_few() {
    let mut visits = Visits::new();
    visits.site.meet(&url(1), ListingKind::Front);
    visits.visit(1, START, 20);
    let hours = |visits: &mut Visits, of: std::ops::Range<u64>| {
        for hour in of {
            visits.site.confirm(None, true, at(START + hour * 3_600));
            visits.visit(1, START + hour * 3_600 + 1, 0);
        }
    };
    hours(&mut visits, 0..70);
    assert_eq!(visits.site.health(at(START + 70 * 3_600)), Health::Healthy, "these are too few days");
    let mut without_visits = visits.site.clone();
    hours(&mut visits, 70..75);
    assert_eq!(visits.site.health(at(START + 75 * 3_600)), Health::TooFewListings);
    without_visits.answered("http://a.test", at(START + 9 * DAY));
    assert_eq!(without_visits.health(at(START + 9 * DAY)), Health::Healthy, "nobody looked at its listings");
    visits.confirm(1, START + 75 * 3_600);
    assert_eq!(visits.site.health(at(START + 75 * 3_600)), Health::Healthy);
}

#[test]
fn failures_that_were_not_the_sites_own_are_taken_back() {
    for trouble in [Trouble::Failing, Trouble::RobotsUnreachable] {
        let mut site = SiteSchedule::default();
        site.trouble(Trouble::Failing, 1, at(START));
        let before = site.clone();
        let rest = |site: &mut SiteSchedule| site.trouble(Trouble::Failing, 1, at(START + DAY)).until;
        let next = rest(&mut before.clone());
        site.trouble(trouble, 1, at(START + 60));
        site.forgive(trouble);
        assert_eq!((site.health(at(START + 60)), rest(&mut site)), (Health::Failing, next), "{trouble:?}");
    }
}

#[test]
fn what_a_clock_noted_that_was_ahead_is_brought_back_to_now() {
    const AHEAD: u64 = START + 5 * DAY;
    let mut visits = Visits::new();
    for id in 1..4 {
        visits.site.meet(&url(id), ListingKind::Section);
        visits.visit(id, AHEAD, 3);
        visits.confirm(id, AHEAD + 60);
    }
    let (site, now) = (&mut visits.site, at(AHEAD + 120));
    let other = Site::of_host("other.test");
    site.miss(name(1), now);
    site.leads_to(name(2), Some(&other), now);
    site.count_article(true, true, now);
    site.read_other(true, now);
    site.trouble(Trouble::Blocked(None), 9, now);
    site.answered("http://a.test", now);
    (0..9).for_each(|article| _ = site.note_vanished(article, Vanished::NotFound, None, now));
    site.note_repeat(RepeatedEvent::Busy, &url(7), now);
    let later = |site: &SiteSchedule| {
        let mut values = vec![serde_json::to_value(site).unwrap()];
        let mut later = 0;
        while let Some(value) = values.pop() {
            match value {
                serde_json::Value::Number(number) => {
                    later +=
                        usize::from(number.as_u64().is_some_and(|n| (START + 1..AHEAD + DAY).contains(&n)));
                }
                serde_json::Value::Array(list) => values.extend(list),
                serde_json::Value::Object(object) => {
                    values.extend(object.into_iter().map(|(_, value)| value))
                }
                _ => {}
            }
        }
        later
    };
    assert!(later(site) > 20, "{} times lie in the future", later(site));
    site.bring_back(at(START));
    assert_eq!(later(site), 0, "{site:?}");
    assert_eq!(site.output(at(START)).unwrap().full, Some(1_000), "the article was read today");
}
