//! Articles: published, edited, moved, deleted.

use newslode_newsworld::living::clock::{HOUR, MINUTE};
use newslode_newsworld::living::{LivingArticle, LivingSite, LivingWorld};

use super::{get, month, path, short, text};

/// Articles with a property, on sites without block rule, while those are up.
fn some<'a>(
    world: &'a LivingWorld,
    which: impl Fn(&LivingArticle) -> Option<u64> + 'a,
) -> impl Iterator<Item = (&'a LivingSite, usize, u64)> + 'a {
    let open =
        world.sites().iter().filter(|site| site.troubles.block.is_none() && site.troubles.wall.is_none());
    open.flat_map(move |site| {
        let all = site.articles.iter().enumerate();
        let found = all.filter_map(|(number, article)| Some((site, number, which(article)?))).take(20);
        found
            .filter(|(site, _, at)| {
                site.troubles
                    .outages
                    .iter()
                    .all(|o| o.span.until_ms < at - HOUR || o.span.from_ms > at + HOUR)
            })
            .collect::<Vec<_>>()
    })
}

fn paragraphs(page: &str) -> Vec<&str> {
    let article = page.split("<article>").nth(1).and_then(|rest| rest.split("</article>").next()).unwrap();
    article.split("<p>").skip(1).filter_map(|rest| rest.split("</p>").next()).collect()
}

#[test]
fn an_article_is_there_from_its_publication_and_says_when_that_was() {
    let world = short();
    let mut n = 0;
    for (site, number, published) in some(&world, |article| Some(article.published_ms)) {
        let (address, from) = &site.addresses_of(number)[0];
        assert_eq!(*from, published);
        let path = path(site, address);
        assert_eq!(get(&world, site, path, published - 1).status, 404);
        let reply = get(&world, site, path, published);
        assert_eq!(reply.status, 200);
        let page = text(&reply);
        assert!(page.contains("property=\"og:type\" content=\"article\""));
        assert!(page.contains("property=\"article:published_time\" content=\"202"));
        assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{address}\">")));
        assert!(page.contains("<article>\n<h1>") && page.contains("<time datetime="));
        let texts = paragraphs(page);
        assert!((3..=6).contains(&texts.len()), "{texts:?}");
        assert!(texts.iter().map(|text| text.len()).sum::<usize>() >= 400, "{texts:?}");
        n += 1;
    }
    assert!(n > 100, "{n} articles");
}

#[test]
fn every_address_leads_back_to_its_article_and_a_made_up_headline_does_not() {
    let world = short();
    for site in world.sites() {
        for number in 0..site.articles.len() {
            for (address, _) in site.addresses_of(number) {
                let path = path(site, &address);
                assert_eq!(world.article_of(&site.host, path), Some((site.number, number)), "{address}");
                assert_eq!(world.article_of(&site.host, &path.replacen('-', "-x", 1)), None);
            }
        }
        assert_eq!(world.article_of(&site.host, "/"), None);
        assert_eq!(world.article_of("nobody.test", "/story/a-10000"), None);
    }
}

#[test]
fn an_edit_changes_one_paragraph_and_a_live_blog_grows() {
    let world = month();
    let (mut edited, mut live) = (0, 0);
    for (site, number, at) in some(&world, |article| article.edits_ms.first().copied()) {
        let article = &site.articles[number];
        let alone = article.edits_ms.get(1).is_none_or(|&second| second > at);
        if !alone || article.moved_ms.is_some() || article.deleted_ms.is_some() || at > world.end() {
            continue;
        }
        let (address, _) = &site.addresses_of(number)[0];
        let before = get(&world, site, path(site, address), at - 1);
        let after = get(&world, site, path(site, address), at);
        let (before, after) = (paragraphs(text(&before)), paragraphs(text(&after)));
        if article.live {
            assert_eq!(after[1..], before[..], "{address}");
            live += 1;
        } else {
            let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
            assert_eq!((before.len(), changed), (after.len(), 1), "{address}");
            edited += 1;
        }
    }
    assert!(edited > 200 && live > 10, "{edited} edited, {live} live");
}

#[test]
fn a_moved_article_redirects_to_its_new_address() {
    let world = month();
    let mut n = 0;
    for (site, number, at) in
        some(&world, |article| article.moved_ms.filter(|_| article.deleted_ms.is_none()))
    {
        let addresses = site.addresses_of(number);
        let [(old, _), (new, from)] = addresses.as_slice() else { panic!("{addresses:?}") };
        assert_eq!(*from, at);
        assert_eq!(get(&world, site, path(site, old), at - 1).status, 200);
        assert_eq!(get(&world, site, path(site, new), at - 1).status, 404);
        let reply = get(&world, site, path(site, old), at);
        assert_eq!((reply.status, reply.header("location")), (301, Some(new.as_str())));
        assert_eq!(get(&world, site, path(site, new), at).status, 200);
        n += 1;
    }
    assert!(n > 50, "{n} moved");
}

#[test]
fn a_deleted_article_is_gone_under_all_addresses() {
    let world = month();
    let mut statuses = [0, 0];
    for (site, number, at) in some(&world, |article| article.deleted_ms) {
        for (address, from) in site.addresses_of(number) {
            if from < at {
                assert_ne!(get(&world, site, path(site, &address), at - 1).status / 100, 4, "{address}");
            }
            let status = get(&world, site, path(site, &address), at.max(from)).status;
            assert!(status == 404 || status == 410, "{status} {address}");
            statuses[usize::from(status == 410)] += 1;
        }
    }
    assert!(statuses.iter().all(|&n| n > 10), "{statuses:?}");
}

#[test]
fn the_latest_stories_stand_beside_an_article() {
    let world = short();
    let with = world.sites().iter().find(|site| site.latest && site.rate > 20.0).unwrap();
    let number = with.articles.len() / 2;
    let (address, from) = &with.addresses_of(number)[0];
    let reply = get(&world, with, path(with, address), from + 40 * MINUTE);
    let latest = text(&reply).split("<h2>Latest</h2>").nth(1).unwrap();
    assert!(latest.matches("<li>").count() >= 5, "{latest}");
    let without = world.sites().iter().find(|site| !site.latest).unwrap();
    let (address, from) = &without.addresses_of(3)[0];
    assert!(!text(&get(&world, without, path(without, address), *from)).contains("<h2>Latest</h2>"));
}

/// The shares that studies of edits and the rates of real sites give.
#[test]
fn a_month_has_the_size_and_the_shares_that_it_should() {
    let world = month();
    let articles: Vec<&LivingArticle> = world.sites().iter().flat_map(|site| &site.articles).collect();
    assert!((170_000..260_000).contains(&articles.len()), "{} articles", articles.len());
    let share = |which: &dyn Fn(&LivingArticle) -> bool| {
        articles.iter().filter(|article| which(article)).count() as f64 / articles.len() as f64
    };
    assert!((0.35..0.38).contains(&share(&|a| !a.edits_ms.is_empty())));
    assert!((0.013..0.017).contains(&share(&|a| a.moved_ms.is_some())));
    assert!((0.005..0.009).contains(&share(&|a| a.deleted_ms.is_some())));
    assert!((0.8..0.98).contains(&share(&|a| a.avoidable)));
    let rates: Vec<f64> = world.sites().iter().map(|site| site.rate).collect();
    assert!(rates.is_sorted() && rates[0] < 1.2 && rates[29] > 15.0 && rates[29] < 30.0 && rates[59] > 500.0);
}
