//! Draws what a site publishes and what becomes of it: the gold of a living world.
//!
//! A [`LivingSite`] is drawn from the world's seed and its number.

use super::LivingSpec;
use super::catalogue::listings;
use super::chance::{Chance, exp, ln};
use super::clock::{DAY, HOUR, MINUTE, SECOND};
use super::masthead::Addresses;
use super::pace::publications;
use super::render;
use super::site::{LivingArticle, LivingSite, SharedHtml};
use super::topic::Topic;
use super::trouble::{Troubles, draw_mishaps};

impl LivingSite {
    /// Site `number` of a world.
    pub(super) fn draw(spec: &LivingSpec, number: usize) -> Self {
        let world = Chance::new(spec.world);
        let mut chance = world.fork(&format!("living site {number}"));
        let mut draw = chance.fork("plan");
        let place = (number as f64 + draw.uniform(0.0, 1.0)) / spec.sites.max(1) as f64;
        let rate = exp(place * ln(f64::from(spec.most_a_day.max(1))));
        let delay_ms = if draw.happens(0.12) { 10 * SECOND } else { SECOND };
        let n_sections = (4.0 + 3.4 * ln(rate + 1.0) * draw.uniform(0.6, 1.1)).round().clamp(5.0, 25.0);
        let addresses = Addresses::draw(&world, &mut chance.fork("addresses"), number, n_sections as usize);
        let published = publications(&mut chance.fork("pace"), rate, spec.days);
        let seed = chance.bits();
        let articles = articles(seed, &addresses.topics, &published, &mut draw);
        let has = |probability: f64, name: &str| chance.fork(name).happens(probability);
        let mut site = Self {
            number,
            name: addresses.name.clone(),
            host: addresses.host.clone(),
            rate,
            delay_ms,
            listings: Vec::new(),
            troubles: Troubles::draw(&mut chance.fork("troubles")),
            mishaps: if spec.mishaps { draw_mishaps(&chance, number) } else { Vec::new() },
            paged: number * 7 % 10 < 6,
            latest: !spec.is_steady && has(0.5, "latest"),
            noisy: !spec.is_steady && has(0.5, "noisy articles"),
            is_steady: spec.is_steady,
            moved: numbers(&articles, |article| article.moved_ms.is_some()),
            edits: edits(&articles),
            shared_html: SharedHtml::default(),
            addresses,
            articles,
            seed,
        };
        site.listings = listings(&site, &chance.fork("listings"));
        site.shared_html = render::shared_html(&site);
        site.judge_losses(spec.end());
        site
    }

    /// Marks the articles that some working listing showed for a day of uptime.
    fn judge_losses(&mut self, end_ms: u64) {
        let mut shown = vec![false; self.articles.len()];
        for listing in self.listings.iter().filter(|listing| listing.is_honest()) {
            for (nth, item) in listing.items().iter().enumerate() {
                let article = self.article_of(item.url as usize);
                shown[article] =
                    shown[article] || self.troubles.uptime(listing.shown_for(nth, self.paged, end_ms)) >= DAY;
            }
        }
        for (article, shown) in self.articles.iter_mut().zip(shown) {
            article.avoidable = shown;
        }
        for listing in &self.listings {
            let until = listing.end.map_or(end_ms, |(at, _)| at);
            for item in listing.items().iter().filter(|item| item.at_ms < until) {
                let article = self.article_of(item.url as usize);
                self.articles[article].listed = true;
            }
        }
    }
}

/// Draws the fates of the articles. Each has a source of its own: a longer world adds articles, and changes none.
fn articles(seed: u64, topics: &[Topic], published: &[u64], draw: &mut Chance) -> Vec<LivingArticle> {
    let slope = draw.uniform(0.6, 1.2);
    let weights: Vec<f64> = (1..=topics.len()).map(|rank| exp(-slope * ln(rank as f64))).collect();
    let total: f64 = weights.iter().sum();
    let one = |(number, &published_ms): (usize, &u64)| {
        let mut chance = Chance::new(seed ^ (number as u64 + 1).wrapping_mul(0x9fb2_1c65_1e98_df25));
        let mut left = chance.uniform(0.0, total);
        let section = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        let later = |chance: &mut Chance, mean: u64| published_ms + chance.exponential(mean as f64) as u64;
        let moved_ms = chance.happens(0.015).then(|| later(&mut chance, 8 * HOUR));
        let deleted_ms = chance.happens(0.007).then(|| later(&mut chance, 4 * DAY));
        let (edited, live) = (chance.happens(0.35), chance.happens(0.02));
        let mut edits_ms = match (live, edited) {
            (true, _) => updates(&mut chance, published_ms),
            (_, true) => corrections(&mut chance, published_ms),
            _ => Vec::new(),
        };
        edits_ms.retain(|&edit| deleted_ms.is_none_or(|deleted| edit < deleted));
        edits_ms.sort_unstable();
        let section = section.unwrap_or(0);
        LivingArticle {
            published_ms,
            section,
            moved_ms,
            edits_ms,
            deleted_ms,
            live,
            avoidable: false,
            listed: false,
        }
    };
    published.iter().enumerate().map(one).collect()
}

/// The updates of a live blog, a quarter of an hour apart on average.
fn updates(chance: &mut Chance, published_ms: u64) -> Vec<u64> {
    let mut at = published_ms;
    let count = chance.rng().between(8, 39);
    let next = |_| {
        at += chance.exponential((15 * MINUTE) as f64) as u64;
        at
    };
    (0..count).map(next).collect()
}

/// Edits of an ordinary article: 1.94 on average, most of them within hours.
fn corrections(chance: &mut Chance, published_ms: u64) -> Vec<u64> {
    (0..chance.geometric(1.94))
        .map(|_| {
            let kind = chance.uniform(0.0, 1.0);
            let mean = if kind < 0.7 {
                3 * HOUR / 2
            } else if kind < 0.95 {
                8 * HOUR
            } else {
                3 * DAY
            };
            published_ms + chance.exponential(mean as f64) as u64
        })
        .collect()
}

fn numbers(articles: &[LivingArticle], which: impl Fn(&LivingArticle) -> bool) -> Vec<u32> {
    let all = articles.iter().enumerate();
    all.filter(|(_, article)| which(article)).map(|(number, _)| number as u32).collect()
}

fn edits(articles: &[LivingArticle]) -> Vec<u64> {
    let mut all: Vec<u64> = articles.iter().flat_map(|article| article.edits_ms.iter().copied()).collect();
    all.sort_unstable();
    all
}
