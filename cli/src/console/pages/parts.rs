//! What several pages show: links, times, numbers, lists of articles, charts, tables of facts.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, Render, html};
use newslode_common::outcome::Outcome;
use newslode_common::schedule::Health;
use newslode_common::store::SiteStatus;
use newslode_miner::mining::taxonomy::Concept;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

use crate::console::snapshot::{Mined, Summary};

/// A part of a path: everything that could mean something else is encoded.
pub(in crate::console) fn segment(text: &str) -> String {
    let mut path = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => path.push(byte as char),
            // A part of dots alone would mean another folder.
            b'.' if text.bytes().any(|byte| byte != b'.') => path.push('.'),
            _ => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

/// The address of a concept's page.
pub(in crate::console) fn concept_path(key: &str) -> String {
    format!("/taxonomy/{}", segment(key))
}

/// The address of a site's page.
pub(in crate::console) fn site_path(site: &Site) -> String {
    format!("/sites/{}", segment(site.as_str()))
}

/// The address of an article's page.
pub(in crate::console) fn article_path(article: &Summary) -> String {
    format!("/articles/{}", article.id)
}

/// The address of the page that explains another one.
pub(in crate::console) fn explain_path(target: &str) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("target", target).finish();
    format!("/explain?{query}")
}

/// A link to a concept.
pub(super) fn concept_link(concept: &Concept) -> Markup {
    html! { a href=(concept_path(&concept.key)) dir="auto" lang=(concept.language) { (concept.label) } }
}

/// A link to a site.
pub(in crate::console) fn site_link(site: &Site) -> Markup {
    html! { a href=(site_path(site)) { (site) } }
}

/// An address that may be linked: one of a page, which runs nothing here.
pub(super) fn page_url(address: &str) -> Option<url::Url> {
    url::Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// A link to another server, if it leads to a page; otherwise its text.
pub(super) fn away(address: &str) -> Markup {
    html! {
        @if page_url(address).is_some() {
            a href=(address) rel="noopener noreferrer nofollow" { (address) }
        } @else {
            span { (address) }
        }
    }
}

/// The same where an address matters less: only its host is shown.
pub(super) fn away_shortly(address: &str) -> Markup {
    match page_url(address).as_ref().and_then(|url| url.host_str()) {
        Some(host) => html! { a href=(address) rel="noopener noreferrer nofollow" { "at " (host) } },
        None => html! { span { (address) } },
    }
}

/// A time for people and programs: UTC, to the minute.
pub(super) fn time(at: Timestamp) -> Markup {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let instant = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    html! {
        time datetime=(instant.strftime("%Y-%m-%dT%H:%M:%SZ")) { (instant.strftime("%Y-%m-%d %H:%M")) }
    }
}

/// The day (UTC) of a number of days since 1970.
pub(super) fn day(number: u32) -> jiff::civil::Date {
    let start = jiff::civil::date(1970, 1, 1);
    start.checked_add(jiff::Span::new().days(i64::from(number.min(2_000_000)))).unwrap_or(start)
}

/// A number with its thousands apart.
pub(super) struct Number(pub(super) u64);

impl Render for Number {
    fn render(&self) -> Markup {
        let digits = self.0.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                // A narrow space that does not break.
                text.push('\u{202f}');
            }
            text.push(digit);
        }
        PreEscaped(text)
    }
}

/// A share in thousandths, as percent.
pub(super) fn percent(thousandths: u64) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// A number and what it counts.
pub(super) fn counted(count: u64, one: &str, many: &str) -> Markup {
    html! { (Number(count)) " " @if count == 1 { (one) } @else { (many) } }
}

/// What to do where there is nothing to show.
pub(super) fn empty(text: impl Render) -> Markup {
    html! { p.empty { (text) } }
}

/// Names and values.
pub(super) fn facts(rows: &[(String, Markup)]) -> Markup {
    html! { dl.facts { @for (name, value) in rows { dt { (name) } dd { (value) } } } }
}

/// A list of articles. A tight one has no texts.
pub(super) fn articles<'a>(
    mined: &Mined,
    articles: impl IntoIterator<Item = &'a Summary>,
    is_tight: bool,
) -> Markup {
    html! {
        ol.articles.tight[is_tight] {
            @for article in articles {
                li {
                    h3 dir="auto" lang=[language(article)] { a href=(article_path(article)) { (article.headline()) } }
                    p.meta {
                        span { (article.site) }
                        span { @if article.published.is_none() { "found " } (time(article.at)) }
                        @for concept in mined.concepts_of(article).take(6) { (concept_link(concept)) }
                    }
                    @if !is_tight && !article.lead.is_empty() {
                        p.lead dir="auto" lang=[language(article)] { (article.lead) }
                    }
                }
            }
        }
    }
}

/// The language of an article's text.
fn language(article: &Summary) -> Option<&str> {
    article.language.as_deref()
}

/// The mark of how a site is: a shape and words, besides a colour.
pub(super) fn state(status: &SiteStatus, health: Health) -> Markup {
    let (class, words) = match (status.settings.paused, health) {
        (true, _) => ("idle", "paused"),
        (false, Health::Healthy) => ("good", "healthy"),
        (false, Health::Quiet) => ("warn", "quiet"),
        (false, Health::Blocked) => ("bad", "blocks us"),
        (false, Health::Failing) => ("bad", "fails"),
        (false, Health::RobotsClosed) => ("bad", "robots.txt unreadable"),
    };
    html! { span class={ "state " (class) } { (words) } }
}

/// How URLs ended, the most frequent first; nothing if none did.
pub(super) fn ends(outcomes: &BTreeMap<Outcome, u64>) -> Option<Markup> {
    let mut outcomes: Vec<_> = outcomes.iter().filter(|(_, count)| **count > 0).collect();
    outcomes.sort_by_key(|(outcome, count)| (std::cmp::Reverse(**count), **outcome));
    (!outcomes.is_empty()).then(|| {
        html! {
            div.scroll {
                table {
                    thead { tr { th scope="col" { "Outcome" } th scope="col" { "Meaning" } th.number scope="col" { "URLs" } } }
                    tbody {
                        @for (outcome, count) in outcomes {
                            tr { th.code scope="row" { (outcome) } td { (meaning(*outcome)) } td.number { (Number(*count)) } }
                        }
                    }
                }
            }
        }
    })
}

/// What an outcome means.
fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fetched => "a page was read",
        Outcome::Unchanged => "the same page as before",
        Outcome::Redirected => "the server points elsewhere",
        Outcome::RedirectLoop => "it points elsewhere too often",
        Outcome::Disallowed => "robots.txt forbids it",
        Outcome::RobotsUnreachable => "robots.txt cannot be read, so nothing is asked for",
        Outcome::Gone => "there is no such page (404 or 410)",
        Outcome::Refused => "the server refuses it (another 4xx)",
        Outcome::ServerError => "the server fails (5xx)",
        Outcome::NotHtml => "it is no HTML page",
        Outcome::Empty => "it is empty",
        Outcome::TooLarge => "it is larger than the limit",
        Outcome::Unreachable => "no connection, or a broken answer",
        Outcome::Timeout => "no answer in time",
        Outcome::PrivateAddress => "its host leads to a private address",
        Outcome::Noindex => "the page asks not to be indexed",
    }
}

/// A chart of bars.
pub(super) struct Bars<'a> {
    /// For people who do not see it.
    pub(super) about: &'a str,
    /// A name and a value each, in order.
    pub(super) values: Vec<(String, u64)>,
    /// Every how many bars one is named.
    pub(super) every: usize,
}

impl Render for Bars<'_> {
    fn render(&self) -> Markup {
        const WIDTH: usize = 640;
        const HEIGHT: u64 = 120;
        // Room for a bar's value above it.
        const TOP: u64 = 24;
        let most = self.values.iter().map(|(_, value)| *value).max().unwrap_or(0).max(1);
        let step = WIDTH / self.values.len().max(1);
        html! {
            svg.chart viewBox=(format!("0 0 {WIDTH} {}", TOP + HEIGHT + 26)) role="img" aria-label=(self.about) {
                @for (at, (name, value)) in self.values.iter().enumerate() {
                    @let (x, wide) = (at * step, step.saturating_sub(3).max(1));
                    @let height = (value * HEIGHT).div_ceil(most);
                    @let middle = x + wide / 2;
                    rect.ground x=(x) y=(TOP) width=(wide) height=(HEIGHT) {}
                    rect x=(x) y=(TOP + HEIGHT - height) width=(wide) height=(height) { title { (name) ": " (value) } }
                    @if *value > 0 {
                        text.count x=(middle) y=(TOP - 5 + HEIGHT - height) text-anchor="middle" { (value) }
                    }
                    @if at.is_multiple_of(self.every) {
                        @let (x, anchor) = if at == 0 { (0, "start") } else { (middle, "middle") };
                        text x=(x) y=(TOP + HEIGHT + 20) text-anchor=(anchor) { (name) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths_lead_back_to_their_texts() {
        assert_eq!(segment("en:top news/ü"), "en%3Atop%20news%2F%C3%BC");
        assert_eq!((segment(".."), segment("a.b")), ("%2E%2E".into(), "a.b".into()));
    }

    #[test]
    fn only_pages_are_linked() {
        assert!(away("https://a.test/").0.contains("rel=\"noopener noreferrer nofollow\""));
        for address in ["javascript:alert(1)", "data:text/html,x", " JavaScript:x", "//a.test", "\"><b>"] {
            let text = away(address).0;
            assert!(!text.contains("href") && !text.contains("<b>"), "{text}");
        }
    }

    #[test]
    fn thousands_stand_apart() {
        let written = [7, 1_000, 1_234_567].map(|number| Number(number).render().0);
        assert_eq!(written, ["7", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
    }
}
