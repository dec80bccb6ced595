//! How crawls are judged.

use std::process::Command;

use newslode_newsworld::living::clock::{DAY, HOUR, MINUTE};
use newslode_newsworld::living::{Ask, FetchLog, Figures, LivingWorld, Seen, judge};

use super::{days, month, short};

/// A crawl that fetches everything `late` after it happened.
fn crawl(world: &LivingWorld, late: u64) -> FetchLog {
    let mut fetches = Vec::new();
    for site in world.sites() {
        for (article, facts) in site.articles.iter().enumerate() {
            let events = facts.edits_ms.iter().chain(&facts.deleted_ms).chain([&facts.published_ms]);
            fetches.extend(events.map(|at| Seen { site: site.number, article, at_ms: at + late }));
        }
    }
    // the order is that of the crawl, not of the sites
    fetches.sort_unstable_by_key(|seen| std::cmp::Reverse(seen.at_ms));
    FetchLog { fetches }
}

fn shares(figures: &Figures) -> [f64; 6] {
    [
        figures.within_1h,
        figures.within_24h,
        figures.at_end,
        figures.edits_within_1h,
        figures.first_day_within_1h,
        figures.deletions_within_2d,
    ]
}

fn delays(figures: &Figures) -> [f64; 4] {
    [figures.delay_median_s, figures.delay_p90_s, figures.site_medians_median_s, figures.site_medians_p90_s]
}

#[test]
fn a_crawl_that_fetches_at_once_is_perfect() {
    let world = month();
    let figures = judge(&world, &crawl(&world, 0));
    assert_eq!(shares(&figures), [1.0; 6]);
    assert_eq!(delays(&figures), [0.0; 4]);
    assert_eq!((figures.avoidable_losses, figures.blocks), (0, 0));
    assert!(figures.articles > 150_000);
}

/// The clock of `first_after_outage_p90_s` starts when the outage ends, and stops at the first article of any age.
#[test]
fn the_first_article_after_an_outage_is_timed() {
    let world = month();
    let mut log = crawl(&world, 0);
    for seen in &mut log.fetches {
        let troubles = &world.sites()[seen.site].troubles;
        while let Some(outage) = troubles.outage(seen.at_ms) {
            seen.at_ms = outage.span.until_ms + 5 * MINUTE;
        }
    }
    let figures = judge(&world, &log);
    assert!((300.0..1_800.0).contains(&figures.first_after_outage_p90_s), "{figures:?}");
    log.fetches.retain(|seen| seen.at_ms < days(&world, 1.0));
    assert_eq!(judge(&world, &log).first_after_outage_p90_s, f64::INFINITY);
}

#[test]
fn delays_are_those_of_the_crawl() {
    let world = short();
    let figures = judge(&world, &crawl(&world, 50 * MINUTE));
    assert_eq!(delays(&figures), [3_000.0; 4]);
    assert_eq!((figures.within_1h, figures.edits_within_1h), (1.0, 1.0));
    let figures = judge(&world, &crawl(&world, 2 * HOUR));
    assert_eq!(delays(&figures), [7_200.0; 4]);
    assert_eq!((figures.within_1h, figures.within_24h), (0.0, 1.0));
    // a late fetch for one edit may come soon after the next one
    assert!(figures.edits_within_1h < 0.6, "{}", figures.edits_within_1h);
}

#[test]
fn a_crawl_that_got_nothing_lost_what_listings_showed() {
    let world = short();
    let figures = judge(&world, &FetchLog::default());
    assert_eq!(shares(&figures)[..5], [0.0; 5]);
    assert_eq!(delays(&figures), [f64::INFINITY; 4]);
    let judged = |site: &newslode_newsworld::living::LivingSite| {
        let span = days(&world, 1.0)..days(&world, 2.0);
        let facts = site.articles.iter().filter(|a| span.contains(&a.published_ms) && !a.is_fleeting());
        facts.filter(|a| a.avoidable).count()
    };
    assert_eq!(figures.avoidable_losses, world.sites().iter().map(judged).sum::<usize>());
    assert!(figures.avoidable_losses > 100);
    let json = serde_json::to_value(&figures).unwrap();
    assert!(json["delay_median_s"].is_null());
}

#[test]
fn an_article_that_was_deleted_before_its_first_fetch_is_lost() {
    let world = month();
    let mut log = crawl(&world, 0);
    let deleted = |seen: &Seen| {
        let article = &world.sites()[seen.site].articles[seen.article];
        article
            .deleted_ms
            .filter(|deleted| deleted - article.published_ms > DAY)
            .is_some_and(|at| seen.at_ms < at)
    };
    log.fetches.retain(|seen| !deleted(seen));
    let figures = judge(&world, &log);
    assert_eq!(figures.deletions_within_2d, 1.0);
    assert!(figures.at_end < 0.998 && figures.at_end > 0.99, "{}", figures.at_end);
    assert!(figures.avoidable_losses > 100);
}

#[test]
fn requests_are_counted_for_each_article_published() {
    let world = short();
    let site = &world.sites()[2];
    for minute in 0..600 {
        let path = if minute % 3 == 0 { "/" } else { "/about/" };
        let now = world.start() + minute * MINUTE;
        assert!(site.troubles.block.is_none());
        drop(world.answer(&Ask::plain(&site.host, path), now));
    }
    let count = |site: &newslode_newsworld::living::LivingSite| {
        site.articles.iter().filter(|article| article.published_ms >= world.start()).count()
    };
    let published = world.sites().iter().map(count).sum::<usize>() as f64;
    let figures = judge(&world, &FetchLog::default());
    assert_eq!(figures.requests_per_article, 600.0 / published);
    assert_eq!(figures.listing_requests_per_article, 200.0 / published);
}

#[test]
fn the_command_shows_sites_and_pages() {
    let run = |more: &[&str]| {
        let program = env!("CARGO_BIN_EXE_newslode-newsworld");
        let args = ["living", "--world", "2", "--sites", "3", "--days", "3"];
        let output = Command::new(program).args(args).args(more).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let lines = run(&[]);
    assert_eq!(lines.lines().count(), 3);
    let host = lines.split_whitespace().next().unwrap();
    assert!(lines.lines().all(|line| line.contains("/day ") && line.contains("1 front ")), "{lines}");
    let page = run(&["--page", &format!("http://{host}/"), "--at", "1.5"]);
    assert!(page.starts_with("200\n") && page.contains("<h2>Top stories</h2>"), "{page}");
    assert_eq!(run(&["--page", "http://nobody.test/"]), "no answer\n");
}
