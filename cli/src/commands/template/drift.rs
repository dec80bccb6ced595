//! A site changes its layout in the middle of a crawl: what the stream of its pages says of its templates.

use newslode_common::page::CanonicalUrl;
use newslode_common::time::Timestamp;
use newslode_miner::templates::{Learner, Reason, Settings, Templates, Verdict};
use newslode_newsworld::{Era, World, WorldSpec};
use newslode_partitioner::Page;
use newslode_partitioner::template::{Template, fit, induce};
use newslode_partitioner::work::limits;

/// Templates as the partitioner makes them.
struct Pages;

impl Learner for Pages {
    type Page = Page;
    type Template = Template;

    fn accepts(&self, template: &Template, page: &Page) -> bool {
        fit(std::slice::from_ref(template), page).is_some()
    }

    fn induce(&self, pages: &[&Page]) -> Vec<Template> {
        induce(pages)
    }
}

/// The pages of a site's stories.
fn stories(world: &World, host: &str) -> Vec<Page> {
    let here =
        world.gold().articles.iter().filter(|article| article.url.starts_with(&format!("http://{host}/")));
    let page = |url: &str| {
        let path = url.splitn(4, '/').nth(3)?;
        let reply = world.page(host, &format!("/{path}"))?;
        let url: CanonicalUrl = url.parse().ok()?;
        (reply.status == 200).then(|| Page::parse(&url, None, &reply.body, &limits()))
    };
    here.filter_map(|article| page(&article.url)).collect()
}

#[test]
fn a_new_layout_is_learnt_and_the_old_one_dropped() {
    let mut world =
        World::generate(&WorldSpec { seed: 5, sites: 3, articles_per_section: 12, faults: false });
    let host = world.hosts()[0].clone();
    assert!(world.redesign(&host, Era::Semantic));
    let before = stories(&world, &host);
    assert!(world.redesign(&host, Era::Blog));
    let after = stories(&world, &host);
    assert!(before.len() >= 60, "{}", before.len());
    let half = 30;
    let settings = Settings { enough: 10, silence: 20, ..Settings::default() };
    let mut site: Templates<Template, Page> = Templates::new(settings);
    let mut clock = 0;
    let mut observe = |page: &Page| {
        clock += 1000;
        site.observe(&Pages, page.clone(), Timestamp(clock))
    };
    let first: Vec<Verdict<Page>> = before[..half].iter().map(&mut observe).collect();
    let changed_at = Timestamp(half as u64 * 1000);
    let second: Vec<Verdict<Page>> = after[half..].iter().map(&mut observe).collect();
    let learnt = |verdicts: &[Verdict<Page>]| {
        verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Learnt { .. })).count()
    };
    let accepted = |verdicts: &[Verdict<Page>]| {
        verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Accepted { .. })).count()
    };
    assert!(
        learnt(&first) > 0 && accepted(&first) > 5,
        "{} learnt, {} accepted",
        learnt(&first),
        accepted(&first)
    );
    assert!(
        learnt(&second) > 0 && accepted(&second) > 5,
        "{} learnt, {} accepted",
        learnt(&second),
        accepted(&second)
    );
    // The first pages of the new layout fit no template, and are those that are read again.
    assert!(second[..5].iter().all(|verdict| matches!(verdict, Verdict::Waiting { .. })));
    let since = second.iter().find_map(|verdict| match verdict {
        Verdict::Learnt { since, redo, .. } => Some((*since, redo.len())),
        _ => None,
    });
    assert!(since.is_some_and(|(since, redo)| since > changed_at && redo >= 3), "{since:?}");
    let dropped = site.dropped();
    assert!(dropped.iter().all(|dropped| dropped.last_at <= changed_at), "{dropped:?}");
    assert!(
        dropped.iter().any(|dropped| matches!(dropped.reason, Reason::LayoutChanged { .. })),
        "{dropped:?}"
    );
}
