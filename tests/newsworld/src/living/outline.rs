//! A site of a living world in one line, for a person who wants to know what is in it.

use std::collections::BTreeMap;
use std::fmt;

use super::clock::{DAY, DAY_0, HOUR, Span};
use super::listing::{ListingKind, Validators};
use super::site::LivingSite;
use super::trouble::Failure;

/// Host, rate, number of articles, listings by kind, habits and troubles.
impl fmt::Display for LivingSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:28} {:6.1}/day {:6} articles;", self.host, self.rate, self.articles.len())?;
        let mut kinds: BTreeMap<ListingKind, usize> = BTreeMap::new();
        for listing in &self.listings {
            *kinds.entry(listing.kind).or_default() += 1;
        }
        for (kind, count) in kinds {
            let name = match kind {
                ListingKind::Front => "front",
                ListingKind::Section => "section",
                ListingKind::Feed => "feed",
                ListingKind::NewsMap => "news map",
                ListingKind::Map => "map",
            };
            write!(f, " {count} {name}{}", if count == 1 { "" } else { "s" })?;
        }
        f.write_str(";")?;
        for habit in habits(self) {
            write!(f, " {habit}")?;
        }
        for trouble in troubles(self) {
            write!(f, " [{trouble}]")?;
        }
        Ok(())
    }
}

fn habits(site: &LivingSite) -> Vec<String> {
    let mut habits = Vec::new();
    let mut add = |has: bool, name: &str| {
        if has {
            habits.push(name.to_owned());
        }
    };
    let any = |which: &dyn Fn(&super::Listing) -> bool| site.listings.iter().any(which);
    add(site.delay_ms > 1_000, "crawl-delay");
    add(site.paged, "paged");
    add(site.latest, "latest");
    add(any(&|l| l.junk.is_some()), "partner-links");
    add(any(&|l| l.traps > 0), "trap");
    add(any(&|l| l.validators == Validators::Sticky), "304-lies");
    add(any(&|l| l.kind == ListingKind::Feed && l.end.is_some_and(|(at, _)| at == 0)), "dead-feed");
    add(any(&|l| l.stale_ms.is_some()), "stale-listing");
    habits
}

fn troubles(site: &LivingSite) -> Vec<String> {
    let mut all = Vec::new();
    let troubles = &site.troubles;
    let own = |failure| failure == Failure::OurLine;
    for outage in troubles.outages.iter().filter(|outage| !own(outage.failure)) {
        all.push(format!("{:?} {}", outage.failure, stretch(outage.span)));
    }
    all.extend(troubles.wall.map(|wall| format!("wall {}", stretch(wall))));
    all.extend(troubles.block.map(|rule| format!("{} above {}/10 min", rule.status, rule.requests)));
    all.extend(troubles.redesign.map(|redesign| {
        let script = if redesign.script_front { ", script front" } else { "" };
        format!("redesign day {:.1}{script}", days(redesign.at_ms))
    }));
    if !troubles.robots_down.is_empty() {
        all.push(format!("robots.txt down {} times", troubles.robots_down.len()));
    }
    all
}

fn stretch(span: Span) -> String {
    let hours = (span.until_ms - span.from_ms) as f64 / HOUR as f64;
    format!("day {:.1} for {hours:.1} h", days(span.from_ms))
}

fn days(ms: u64) -> f64 {
    (ms as f64 - DAY_0 as f64) / DAY as f64
}
