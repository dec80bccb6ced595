//! *News*, the first page: what is new since the last visit, what rises, which sources went silent or broke, and what is being fetched.
//!
//! Every figure and bar leads to the list that it counts. The time of the last visit is kept in a cookie; `since` names another one.
//! With the names of a filter (`/?concept=sport`) the page shows what is new under this condition. Start at [`page`].

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use maud::{Markup, html};
use newslode_common::schedule::Health;
use newslode_common::version::ContentHash;
use newslode_miner::mining::taxonomy::Concept;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

use super::parts::{
    Found, article_file_links, article_summaries, concept_link, site_link, site_state, standstill_note,
};
use super::shell::{NavigationItem, Page, feed_path, list_response};
use crate::console::access::{Caller, Visitor, cookie};
use crate::console::answer::{PageResult, Problem};
use crate::console::filter::{ArticleQuery, parameters};
use crate::console::follows::Follows;
use crate::console::frame::SCRIPT_PATH;
use crate::console::rising::{day_of, recent_articles};
use crate::console::snapshot::{ArticleSummary, ByDay, RisingTerm, SiteFacts, Snapshot};
use crate::console::state::Console;
use crate::console::writing::follows::follow_button;
use crate::filter::times::{Calendar, When};
use crate::filter::{Filter, FilterError};
use crate::html::charts::{self, Bars, day_chart};
use crate::html::values::{Number, count_with_noun, empty_note, time_element};

/// Days that the chart shows.
const DAYS: i64 = 14;
/// New articles, concepts, and sites that are shown at most.
const ARTICLES: usize = 12;
const TOPICS: usize = 8;
const SITES: usize = 12;
/// Words and phrases that are shown at most.
const TERMS: usize = 12;
/// The names of a filter that the page takes.
const SCOPE: [&str; 6] = ["q", "words", "concept", "site", "language", "label"];
/// In place of what rises in a run that is new.
const TOO_EARLY: &str = "It is too early to tell. The first visit of a site usually brings only its latest articles, so there is nothing to compare \
                         the last day with. Come back after two days.";
/// The cookie of the last visit.
const COOKIE: &str = "newslode_visit";
/// A visit ends with a pause of so many seconds.
const PAUSE: u64 = 30 * 60;
/// For how many seconds the time of the last visit is kept.
const KEPT: u64 = 365 * 86_400;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    Extension(caller): Extension<Arc<Caller>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let values = parameters(query.as_deref(), &[SCOPE.as_slice(), &["since"]].concat())?;
    let calendar = Calendar::current();
    let visit = Visit::of(cookie(&headers, COOKIE), calendar.now);
    let view = View { snapshot: &snapshot, filter: Filter::read(&values)?, visit, calendar: &calendar };
    // While the store is away, the page shows what was read before.
    let (follows, unread) = match console.follows.read().await {
        Ok(follows) => (follows, None),
        Err(error) => (Follows::default(), Some(format!("{error:#}"))),
    };
    let since = match values.value("since") {
        "" => view.visit.since(),
        text => text
            .parse()
            .map_err(|_| Problem::from(FilterError::NoTime { name: "since", value: text.to_owned() }))?,
    };
    let followed = match view.filter.is_empty() {
        true => Followed::find(&snapshot, &follows, since.start(&calendar), calendar.now).await?,
        false => None,
    };
    let button = visitor.mark.as_ref().map(|mark| follow_button(&view.filter, &follows, mark));
    let page = Page {
        place: NavigationItem::News,
        title: "What is new".into(),
        trail: html! { @if !view.filter.is_empty() { a href="/" { "News" } } },
        lead: view.since_choices(since),
        main: html! {
            (standstill_note(&console.source, &snapshot))
            @if let Some(reason) = unread { p.note { "Everything is shown, because what you follow cannot be read: " (reason) "." } }
            (view.main(since, followed)?)
            @if let Some(button) = button { (button) }
        },
    };
    let list = ArticleQuery::of(view.filter.clone());
    let mut response = list_response(&console, &snapshot, page, &list)?;
    let kept = view.visit.set_cookie(caller.origin.is_encrypted);
    if let Ok(kept) = HeaderValue::from_str(&kept) {
        response.headers_mut().insert(SET_COOKIE, kept);
    }
    Ok(response)
}

/// When this browser came, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Visit {
    /// The end of the visit before this one, if there was one.
    last: Option<u64>,
    /// The latest request of this visit.
    now: u64,
}

impl Visit {
    /// The visit that goes on or begins with this request. The cookie is what a browser says, so anything may be in it.
    fn of(cookie: Option<&str>, now: Timestamp) -> Visit {
        let now = now.0 / 1_000;
        let times = cookie.and_then(|text| text.split_once('-'));
        let times = times.and_then(|(last, latest)| Some((last.parse().ok()?, latest.parse().ok()?)));
        let Some((last, latest)) =
            times.filter(|(last, latest): &(u64, u64)| last <= latest && *latest <= now)
        else {
            return Visit { last: None, now };
        };
        let last = if now - latest > PAUSE { latest } else { last };
        Visit { last: (last > 0).then_some(last), now }
    }

    /// Since when an article is new.
    fn since(self) -> When {
        self.last.map_or(When::Yesterday, |last| When::At(Timestamp(last * 1_000)))
    }

    fn set_cookie(self, is_encrypted: bool) -> String {
        let secure = if is_encrypted { "; Secure" } else { "" };
        let (last, now) = (self.last.unwrap_or_default(), self.now);
        format!("{COOKIE}={last}-{now}; Path=/; HttpOnly; SameSite=Strict; Max-Age={KEPT}{secure}")
    }
}

/// What a request looks at.
struct View<'a> {
    snapshot: &'a Snapshot,
    /// Empty: everything.
    filter: Filter,
    visit: Visit,
    calendar: &'a Calendar,
}

/// Something whose new articles are counted.
struct Topic {
    /// Its name.
    text: String,
    language: Option<String>,
    filter: Filter,
    /// How many are new, and when all were published; nothing for words before the run was read.
    counts: Option<(u64, ByDay)>,
}

/// What is new on what is followed.
struct Followed {
    topics: Vec<Topic>,
    /// The articles that are new, each once.
    new: HashSet<ContentHash>,
}

impl Followed {
    /// Looks at everything that is followed; `None` if nothing is.
    ///
    /// # Errors
    /// When the run was not read yet, or the search index fails.
    async fn find(
        snapshot: &Arc<Snapshot>,
        follows: &Follows,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Followed>, Problem> {
        if follows.is_empty() {
            return Ok(None);
        }
        let (snapshot, filters) = (snapshot.clone(), follows.filters());
        let find = move || {
            let mut followed = Followed { topics: Vec::new(), new: HashSet::new() };
            let calendar = Calendar { now, ..Calendar::current() };
            for filter in filters {
                // What the last process showed has no index of words.
                let is_read = filter.q.is_empty() || snapshot.mined.search.is_some();
                let mut counts = is_read.then_some((0, ByDay::default()));
                if let Some((new, days)) = &mut counts {
                    for article in
                        ArticleQuery::of(filter.clone()).select(&snapshot, usize::MAX, &calendar)?.articles
                    {
                        count_day(days, article, now);
                        if article.found.is_some_and(|found| found >= since) {
                            *new += 1;
                            followed.new.insert(article.id);
                        }
                    }
                }
                let concept = snapshot.mined.concept_with_facts(&filter.concept).map(|(concept, _)| concept);
                let text = match concept {
                    Some(concept) => concept.label.clone(),
                    None => filter.pairs().into_iter().map(|(_, value)| value).collect(),
                };
                let language = concept.map(|concept| concept.language.clone());
                followed.topics.push(Topic { text, language, filter, counts });
            }
            Ok(Some(followed))
        };
        tokio::task::spawn_blocking(find).await.map_err(|error| Problem::away(&error))?
    }
}

impl View<'_> {
    /// Since when the page looks, and links to other times.
    fn since_choices(&self, since: When) -> Markup {
        let choices = [
            ("since midnight", When::Today),
            ("since yesterday", When::Yesterday),
            ("last 7 days", "7d".parse().unwrap_or(When::Yesterday)),
        ];
        let is_visit = self.visit.last.is_some() && since == self.visit.since();
        html! {
            @if !self.filter.is_empty() { p { (self.condition()) } }
            p.lead {
                @if is_visit { "Since your last visit, " } @else { "Since " }
                (time_element(since.start(self.calendar))) "."
            }
            p.since {
                @if let Some(last) = self.visit.last.filter(|_| !is_visit) {
                    a href=(self.address(None)) { "since your last visit, " (time_element(Timestamp(last * 1_000))) }
                }
                @for (name, when) in choices { @if when != since { a href=(self.address(Some(when))) { (name) } } }
            }
        }
    }

    /// This page since another time; without one, since the last visit.
    fn address(&self, since: Option<When>) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.filter.pairs());
        if let Some(since) = since {
            query.append_pair("since", &since.to_string());
        }
        format!("/?{}", query.finish())
    }

    /// The filter in words.
    fn condition(&self) -> Markup {
        let concept = self.snapshot.mined.concept_with_facts(&self.filter.concept);
        html! {
            @for (name, value) in self.filter.pairs() {
                span.soft { (if name == "q" { "words" } else { name }) " " }
                @match concept.filter(|_| name == "concept") {
                    Some((concept, _)) => { (concept_link(concept)) }
                    None => b dir="auto" { (value) },
                }
                " "
            }
        }
    }

    fn main(&self, since: When, followed: Option<Followed>) -> Result<Markup, Problem> {
        let new = ArticleQuery::of(Filter { found_since: Some(since), ..self.filter.clone() });
        let mut articles = new.select(self.snapshot, usize::MAX, self.calendar)?.articles;
        let all = articles.len() as u64;
        let (topics, is_followed) = match followed {
            Some(Followed { topics, new }) => {
                articles.retain(|article| new.contains(&article.id));
                (topics, true)
            }
            None => (self.largest_concepts(&articles), false),
        };
        let start = When::At(since.start(self.calendar));
        Ok(html! {
            p #live.live role="status" data-new=(articles.len()) data-address=(self.address(Some(start))) {}
            script src=(*SCRIPT_PATH) defer {}
            (self.figures(since, &articles, is_followed.then_some(all)))
            div.columns {
                // A list has one concept, so those under a condition would have no lists.
                @if self.filter.is_empty() { (self.topic_section(since, &topics, is_followed)) }
                (self.published_by_day()?)
            }
            (self.new_section(&new, &articles, is_followed))
            @if self.filter.is_empty() {
                div.columns { (self.rising_concepts()) (self.rising_terms()) }
                div.columns { (self.trouble_section()) (self.fetching_section()) }
            }
        })
    }

    /// `all`: the number of all new articles, if only those that are followed are shown.
    fn figures(&self, since: When, new: &[&ArticleSummary], all: Option<u64>) -> Markup {
        let start = since.start(self.calendar);
        let published = new.iter().filter(|article| article.at >= start).count() as u64;
        let found = Filter { found_since: Some(since), ..self.filter.clone() };
        let both = Filter { from: Some(since), ..found.clone() };
        let (found, both) = (list_path(found), list_path(both));
        let mut figures = match all {
            Some(all) => {
                vec![
                    ("#new", "new on what you follow", new.len() as u64),
                    (found.as_str(), "new articles", all),
                ]
            }
            None => vec![
                (found.as_str(), "new articles", new.len() as u64),
                (both.as_str(), "published since", published),
            ],
        };
        if self.filter.is_empty() {
            let fetched: u64 = self.sites_at_work().map(|facts| facts.status.leased).sum();
            figures.push(("#trouble", "sources silent or broken", self.troubled().count() as u64));
            figures.push(("#fetching", "pages being fetched", fetched));
        }
        charts::figure_list(&figures)
    }

    /// The concepts under which most new articles are filed.
    fn largest_concepts(&self, new: &[&ArticleSummary]) -> Vec<Topic> {
        let mut counts: HashMap<u32, (u64, ByDay)> = HashMap::new();
        for place in new.iter().flat_map(|article| &article.filings) {
            counts.entry(place.concept).or_default().0 += 1;
        }
        let mined = &self.snapshot.mined;
        let concepts = mined.taxonomy.concepts.iter().zip(0_u32..);
        let mut largest: Vec<(&Concept, u32, u64)> =
            concepts.filter_map(|(concept, at)| Some((concept, at, counts.get(&at)?.0))).collect();
        largest.sort_by_key(|(concept, _, count)| (std::cmp::Reverse(*count), &concept.key));
        largest.truncate(TOPICS);
        for article in recent_articles(mined, self.calendar.now) {
            for place in &article.filings {
                if let Some((_, days)) = counts.get_mut(&place.concept) {
                    count_day(days, article, self.calendar.now);
                }
            }
        }
        let topic = |(concept, at, new): (&Concept, u32, u64)| {
            let filter = Filter { concept: concept.key.clone(), ..Filter::default() };
            let days = counts.get(&at).map(|(_, days)| *days).unwrap_or_default();
            let counts = Some((new, days));
            Topic { text: concept.label.clone(), language: Some(concept.language.clone()), filter, counts }
        };
        largest.into_iter().map(topic).collect()
    }

    fn topic_section(&self, since: When, topics: &[Topic], is_followed: bool) -> Markup {
        let (title, name) = if is_followed { ("What you follow", "On") } else { ("By concept", "Concept") };
        html! {
            section {
                h2 { (title) " " small { a href="/following" { @if is_followed { "change" } @else { "choose what to follow" } } } }
                @if topics.is_empty() {
                    (empty_note("No new article is filed under a concept."))
                } @else {
                    div.scroll {
                        table.topics {
                            thead { tr {
                                th scope="col" { (name) } th.number scope="col" { "New" } th scope="col" { "8 days" } th scope="col" { "Feed" }
                            } }
                            tbody {
                                @for topic in topics {
                                    tr {
                                        th scope="row" { a href=(scope_path(&topic.filter)) dir="auto" lang=[topic.language.as_deref()] { (topic.text) } }
                                        @match &topic.counts {
                                            Some((new, days)) => {
                                                td.number { a href=(list_path(Filter { found_since: Some(since), ..topic.filter.clone() })) { (Number(*new)) } }
                                                td { (day_chart(days, &topic.text, &days_path(&topic.filter))) }
                                            }
                                            None => { td.number { span.soft { "being read" } } td {} }
                                        }
                                        td { a href=(feed_path(&topic.filter)) aria-label={ "Atom feed of " (topic.text) } { "Atom" } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn published_by_day(&self) -> Result<Markup, Problem> {
        let today = self.calendar.today();
        let first = today.checked_sub(jiff::Span::new().days(DAYS - 1)).unwrap_or(today);
        let mut days: BTreeMap<jiff::civil::Date, u64> = first
            .series(jiff::Span::new().days(1))
            .take_while(|day| *day <= today)
            .map(|day| (day, 0))
            .collect();
        let recent = Filter { from: Some(When::Day(first)), ..self.filter.clone() };
        let recent = ArticleQuery::of(recent).select(self.snapshot, usize::MAX, self.calendar)?;
        for article in recent.articles {
            if let Some(count) = days.get_mut(&self.calendar.local(article.at).date()) {
                *count += 1;
            }
        }
        let is_quiet = days.values().all(|count| *count == 0);
        let links = days.keys().map(|day| list_path(Filter { day: Some(*day), ..self.filter.clone() }));
        let values = days.iter().map(|(day, count)| (day.strftime("%d %b").to_string(), *count));
        let about = "Articles by day of publication, last two weeks";
        Ok(html! {
            section {
                h2 { "Published " small { "by day" } }
                @if is_quiet {
                    (empty_note("No article of these two weeks is there; all are older."))
                } @else {
                    (Bars { about, values: values.collect(), links: links.collect(), every: 3 })
                }
            }
        })
    }

    fn new_section(&self, asked: &ArticleQuery, new: &[&ArticleSummary], is_followed: bool) -> Markup {
        let mined = &self.snapshot.mined;
        html! {
            section #new {
                h2 { @if is_followed { "New on what you follow " } @else { "New articles " } small { "latest publication first" } }
                @if mined.articles.is_empty() {
                    (empty_note("No article was read yet. Mine some sites: newslode mine https://www.example.com --out DIR --contact you@example.org"))
                } @else if new.is_empty() {
                    (empty_note(html! { "No article came in since then. " a href="/articles" { "See all articles" } "." }))
                } @else {
                    (article_summaries(mined, new.iter().copied().take(ARTICLES), true, &Found::default()))
                    p.pager {
                        a href={ "/articles?" (asked.query(None)) } { "All new articles" }
                        a href="/articles" { "All articles" }
                    }
                    @if !is_followed { (article_file_links(asked)) }
                }
            }
        }
    }

    fn rising_concepts(&self) -> Markup {
        let mined = &self.snapshot.mined;
        let rising = self.snapshot.rising.concepts.iter().filter_map(|rising| {
            let at = rising.concept as usize;
            Some((mined.taxonomy.concepts.get(at)?, rising.usual, rising.days))
        });
        let rising: Vec<_> = rising.take(TERMS).collect();
        html! {
            section {
                h2 { "Concepts that rise " small { "against the week before" } }
                @if self.snapshot.rising.is_too_early {
                    (empty_note(TOO_EARLY))
                } @else if rising.is_empty() {
                    (empty_note("No concept has clearly more articles of the last day than it had on a usual day of the week before."))
                } @else {
                    div.scroll {
                        table.topics {
                            thead { tr {
                                th scope="col" { "Concept" } th.number scope="col" { "Last day" }
                                th.number scope="col" { "Usual day" } th scope="col" { "8 days" }
                            } }
                            tbody {
                                @for (concept, usual, days) in rising {
                                    @let filter = Filter { concept: concept.key.clone(), ..Filter::default() };
                                    tr {
                                        th scope="row" { (concept_link(concept)) }
                                        td.number { a href=(list_path(Filter { from: last_day(), ..filter.clone() })) { (Number(days.last().copied().unwrap_or_default())) } }
                                        td.number { (format!("{usual:.1}")) }
                                        td { (day_chart(&days, &concept.label, &days_path(&filter))) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn rising_terms(&self) -> Markup {
        let terms = &self.snapshot.rising.terms;
        html! {
            section {
                h2 { "Words that rise " small { "in titles" } }
                @if self.snapshot.rising.is_too_early {
                    (empty_note(TOO_EARLY))
                } @else if terms.is_empty() {
                    (empty_note("No word or phrase is in clearly more titles of the last day than in those of the week before."))
                } @else {
                    div.scroll {
                        table.topics {
                            thead { tr {
                                th scope="col" { "Words" } th.number scope="col" { "Last day" } th.number scope="col" { "Usual day" }
                                th.number scope="col" { "Sites" } th scope="col" { "8 days" }
                            } }
                            tbody { @for term in terms.iter().take(TERMS) { (term_row(term)) } }
                        }
                    }
                }
            }
        }
    }

    /// Sites that are not paused.
    fn sites_at_work(&self) -> impl Iterator<Item = &SiteFacts> {
        self.snapshot.sites.iter().filter(|facts| !facts.status.settings.paused)
    }

    fn troubled(&self) -> impl Iterator<Item = &SiteFacts> {
        self.sites_at_work().filter(|facts| facts.health.health != Health::Healthy)
    }

    fn trouble_section(&self) -> Markup {
        let troubled: Vec<&SiteFacts> = self.troubled().collect();
        let well = self.sites_at_work().count() - troubled.len();
        let mut newest: HashMap<&Site, Timestamp> = HashMap::new();
        if !troubled.is_empty() {
            for article in &self.snapshot.mined.articles {
                newest.entry(&article.site).or_insert(article.at);
            }
        }
        html! {
            section #trouble {
                h2 { "Sources that went silent or broke " small { (count_with_noun(well as u64, "is healthy", "are healthy")) } }
                @if self.snapshot.sites.is_empty() {
                    (empty_note("No site is known. Add one: newslode seed add https://www.example.com"))
                } @else if troubled.is_empty() {
                    p { "All sites answer and publish as they used to. " a href="/sites" { "See them" } }
                } @else {
                    div.scroll {
                        table {
                            thead { tr { th scope="col" { "Site" } th scope="col" { "State" } th scope="col" { "Newest article" } } }
                            tbody {
                                @for facts in troubled.iter().take(SITES) {
                                    @let site = &facts.status.site;
                                    tr {
                                        th scope="row" { (site_link(site)) }
                                        td { (site_state(&facts.status, &facts.health)) }
                                        td {
                                            @match newest.get(site) {
                                                Some(at) => a href=(list_path(Filter { site: site.to_string(), ..Filter::default() })) { (time_element(*at)) },
                                                None => span.soft { "none" },
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                    @if troubled.len() > SITES { p.small { a href="/sites" { "all " (Number(self.snapshot.sites.len() as u64)) " sites" } } }
                }
            }
        }
    }

    fn fetching_section(&self) -> Markup {
        let now = self.calendar.now;
        let mut fetched: Vec<&SiteFacts> =
            self.sites_at_work().filter(|facts| facts.status.leased > 0).collect();
        fetched.sort_by_key(|facts| (std::cmp::Reverse(facts.status.leased), &facts.status.site));
        let due =
            self.sites_at_work().filter(|facts| facts.status.next_due.is_some_and(|due| due <= now)).count();
        let next = self.sites_at_work().filter_map(|facts| facts.status.ready).min();
        html! {
            section #fetching {
                h2 { "Being fetched now " small { "at the last look" } }
                @if fetched.is_empty() {
                    p {
                        "Nothing is being fetched. "
                        @match next {
                            Some(next) if next <= now => { (count_with_noun(due as u64, "site has", "sites have")) " pages that are due." }
                            Some(next) => { "The next page is due at " (time_element(next)) "." }
                            None => "No page is due.",
                        }
                    }
                } @else {
                    div.scroll {
                        table {
                            thead { tr { th scope="col" { "Site" } th.number scope="col" { "Pages" } th.number scope="col" { "Waiting" } } }
                            tbody {
                                @for facts in fetched.iter().take(SITES) {
                                    tr {
                                        th scope="row" { (site_link(&facts.status.site)) }
                                        td.number { (Number(facts.status.leased)) }
                                        td.number { (Number(facts.status.pending)) }
                                    }
                                }
                            }
                        }
                    }
                }
                p.small { a href="/operations" { "Queues, outcomes and what waits" } }
            }
        }
    }
}

fn term_row(term: &RisingTerm) -> Markup {
    let (lately, before) =
        term.days.split_last().map_or((0, 0), |(last, before)| (*last, before.iter().sum()));
    let is_phrase = term.text.chars().any(|letter| !letter.is_alphanumeric());
    let q = if is_phrase { format!("\"{}\"", term.text) } else { term.text.clone() };
    let filter = Filter { q, language: term.language.clone().unwrap_or_default(), ..Filter::default() };
    html! {
        tr {
            th scope="row" { a href=(scope_path(&filter)) dir="auto" lang=[term.language.as_deref()] { (term.text) } }
            td.number { a href=(list_path(Filter { from: last_day(), ..filter.clone() })) { (Number(lately)) } }
            td.number { (usual_day(before)) }
            td.number { (Number(term.sites as u64)) }
            td { (day_chart(&term.days, &term.text, &days_path(&filter))) }
        }
    }
}

fn count_day(days: &mut ByDay, article: &ArticleSummary, now: Timestamp) {
    if let Some(count) = day_of(article.at, now).and_then(|day| days.get_mut(day)) {
        *count += 1;
    }
}

/// What a day of the week before had.
pub(super) fn usual_day(before: u64) -> String {
    format!("{:.1}", before as f64 / 7.0)
}

fn last_day() -> Option<When> {
    "24h".parse().ok()
}

/// The list of articles of a filter.
fn list_path(filter: Filter) -> String {
    format!("/articles?{}", ArticleQuery::of(filter).query(None))
}

/// The list of the days that small charts show.
fn days_path(filter: &Filter) -> String {
    list_path(Filter { from: "8d".parse().ok(), ..filter.clone() })
}

/// This page under a condition.
fn scope_path(filter: &Filter) -> String {
    format!("/?{}", ArticleQuery::of(filter.clone()).query(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_ends_with_a_pause_and_says_since_when_articles_are_new() {
        let at = |seconds: u64| Timestamp(seconds * 1_000);
        let cookie = |visit: Visit| {
            let cookie = visit.set_cookie(false);
            cookie.split_once('=').unwrap().1.split_once(';').unwrap().0.to_owned()
        };
        let first = Visit::of(None, at(1_000_000));
        assert_eq!(first.since(), When::Yesterday);
        let again = Visit::of(Some(&cookie(first)), at(1_000_060));
        assert_eq!(again, Visit { last: None, now: 1_000_060 }, "still the first visit");
        let second = Visit::of(Some(&cookie(again)), at(1_090_000));
        assert_eq!(second.since(), When::At(at(1_000_060)));
        let again = Visit::of(Some(&cookie(second)), at(1_090_000 + PAUSE));
        assert_eq!(again.since(), second.since(), "a reload does not change since when articles are new");
        for wrong in ["", "-", "1", "x-1", "5-4", "1-99999999999999999999", "0-1000001"] {
            assert_eq!(Visit::of(Some(wrong), at(1_000_000)).last, None, "{wrong}");
        }
    }
}
