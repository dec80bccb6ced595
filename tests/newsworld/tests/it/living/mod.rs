//! Sites through simulated days: what listings and articles show when (`listings`, `articles`), what goes wrong
//! (`troubles`), and how a crawl is judged (`figures`).

mod articles;
mod figures;
mod listings;
mod troubles;

use newslode_newsworld::Reply;
use newslode_newsworld::living::{Answer, Ask, LivingSite, LivingSpec, LivingWorld};

/// Twelve sites for four days: quick to make, with most habits and few troubles.
fn short() -> LivingWorld {
    LivingWorld::generate(&LivingSpec {
        world: 3,
        sites: 12,
        days: 4,
        mishaps: false,
        ..LivingSpec::default()
    })
}

/// The month of 60 sites that figures are taken on.
fn month() -> LivingWorld {
    LivingWorld::generate(&LivingSpec {
        world: 2,
        sites: 60,
        days: 30,
        mishaps: false,
        ..LivingSpec::default()
    })
}

fn days(world: &LivingWorld, days: f64) -> u64 {
    world.start() + (days * 86_400_000.0) as u64
}

#[track_caller]
fn get(world: &LivingWorld, site: &LivingSite, path: &str, now_ms: u64) -> Reply {
    match world.answer(&Ask::plain(&site.host, path), now_ms) {
        Answer::Reply(reply) => reply,
        Answer::Timeout => panic!("`{}{path}` does not answer at {now_ms}", site.host),
    }
}

fn text(reply: &Reply) -> &str {
    std::str::from_utf8(&reply.body).unwrap()
}

/// The path of an address on a site.
fn path<'a>(site: &LivingSite, address: &'a str) -> &'a str {
    address.strip_prefix("http://").unwrap().strip_prefix(site.host.as_str()).unwrap()
}

/// Everything between `href="`, `<loc>`, `<link>` or `<link href="` and its end, as a path.
fn links(site: &LivingSite, reply: &Reply) -> Vec<String> {
    let text = text(reply);
    let mut found = Vec::new();
    for (start, end) in [("href=\"", '"'), ("<loc>", '<'), ("<link>", '<')] {
        let all = text.split(start).skip(1).filter_map(|rest| rest.split(end).next());
        found.extend(all.map(|link| {
            let link = link.replace("&amp;", "&");
            if link.starts_with('/') { link } else { path(site, &link).to_owned() }
        }));
    }
    found
}
