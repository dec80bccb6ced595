//! A living site as it was drawn: everything that will happen to it.
//!
//! Articles are numbered in the order of publication; a *URL number* is an article's number or, from the number of articles
//! on, one of the second addresses that moved articles get.

use super::clock::{DAY, DAY_0, HOUR, MINUTE, Span};
use super::listing::Listing;
use super::masthead::Addresses;
use super::trouble::{Mishap, MishapKind, Troubles};

/// An article and its fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivingArticle {
    /// When its first address begins to answer.
    pub published_ms: u64,
    /// Number of its section.
    pub section: usize,
    /// When it moves to its second address; the first one redirects from then on.
    pub moved_ms: Option<u64>,
    /// When its text changes, ascending, none after its deletion.
    pub edits_ms: Vec<u64>,
    /// When its addresses begin to answer 404 or 410.
    pub deleted_ms: Option<u64>,
    /// Whether it is a live blog, which grows by a paragraph with each edit.
    pub live: bool,
    /// Whether a working listing, with the pages behind it, showed it for a day of the site's uptime: then
    /// missing it was avoidable.
    pub avoidable: bool,
    /// Whether a listing shows it at all before the world ends.
    pub listed: bool,
}

impl LivingArticle {
    /// Whether it was deleted less than a day after its publication; such articles are not judged.
    #[must_use]
    pub fn is_fleeting(&self) -> bool {
        self.deleted_ms.is_some_and(|deleted| deleted - self.published_ms < DAY)
    }

    /// Number of edits so far.
    pub(super) fn version(&self, now_ms: u64) -> usize {
        self.edits_ms.partition_point(|&edit| edit <= now_ms)
    }
}

/// A site of a living world, with everything that will happen to it.
#[derive(Debug, Clone)]
pub struct LivingSite {
    /// Number in the world.
    pub number: usize,
    /// Name on the masthead.
    pub name: String,
    /// Its only host.
    pub host: String,
    /// Mean number of articles a day, bursts apart.
    pub rate: f64,
    /// Least time between two requests: what robots.txt asks for, else a second.
    pub delay_ms: u64,
    /// Articles by publication.
    pub articles: Vec<LivingArticle>,
    /// Pages, feeds and maps that show articles; the front page is the first.
    pub listings: Vec<Listing>,
    /// What goes wrong.
    pub troubles: Troubles,
    /// What goes wrong for a while, by its start.
    pub mishaps: Vec<Mishap>,
    /// Whether its section pages have pages behind them.
    pub paged: bool,
    /// Whether article pages show the six latest articles.
    pub latest: bool,
    pub(super) addresses: Addresses,
    /// Articles that have a second address, ascending.
    pub(super) moved: Vec<u32>,
    /// All edits of all articles, ascending.
    pub(super) edits: Vec<u64>,
    /// Whether the bytes of its article pages differ at each request.
    pub(super) noisy: bool,
    /// Whether no link depends on the moment of a visit: [`LivingSpec::is_steady`](super::LivingSpec).
    pub(super) is_steady: bool,
    pub(super) shared_html: SharedHtml,
    pub(super) seed: u64,
}

impl LivingSite {
    /// The article behind a URL number.
    pub(super) fn article_of(&self, url: usize) -> usize {
        match url.checked_sub(self.articles.len()) {
            Some(nth) => self.moved[nth] as usize,
            None => url,
        }
    }

    /// The URL number of an article's second address, if it has one.
    pub(super) fn second_url(&self, article: usize) -> Option<usize> {
        let nth = self.moved.binary_search(&u32::try_from(article).ok()?).ok()?;
        Some(self.articles.len() + nth)
    }

    /// Whether a mishap of this kind happens at a time.
    pub(super) fn has_mishap(&self, kind: MishapKind, at_ms: u64) -> bool {
        self.mishaps.iter().any(|mishap| mishap.kind == kind && mishap.span.holds(at_ms))
    }

    /// Whether the site showed stories at some time within an hour of `at_ms`.
    #[must_use]
    pub(super) fn answers_within_an_hour(&self, at_ms: u64) -> bool {
        let is_hidden = |at: u64| {
            self.mishaps.iter().any(|mishap| mishap.kind.hides_articles() && mishap.span.holds(at))
                || self.troubles.outage(at).is_some()
                || self.troubles.is_walled(at)
        };
        (0..HOUR).step_by(5 * MINUTE as usize).any(|passed| !is_hidden(at_ms + passed))
    }

    /// An article's addresses, each with the time from which it holds. From the start of the second on, the
    /// first redirects to it.
    #[must_use]
    pub fn addresses_of(&self, article: usize) -> Vec<(String, u64)> {
        let facts = &self.articles[article];
        let second = self.second_url(article).zip(facts.moved_ms);
        std::iter::once((article, facts.published_ms))
            .chain(second)
            .map(|(url, from)| (format!("http://{}{}", self.host, self.path(url)), from))
            .collect()
    }

    /// The articles that are published in a span.
    #[must_use]
    pub fn published_in(&self, span: Span) -> std::ops::Range<usize> {
        let before = |at: u64| self.articles.partition_point(|article| article.published_ms < at);
        before(span.from_ms)..before(span.until_ms)
    }
}

/// HTML that all pages of a site share, made once.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedHtml {
    /// The menu before and after the redesign.
    pub(super) menus: [String; 2],
    /// `<link>` elements that lead to all feeds.
    pub(super) feeds: String,
    pub(super) footer: String,
}

/// Articles published on day 0 or later.
pub(super) fn published_from_day_0(site: &LivingSite) -> usize {
    site.published_in(Span { from_ms: DAY_0, until_ms: u64::MAX }).len()
}
