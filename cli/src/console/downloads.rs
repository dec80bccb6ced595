//! Lists as files: articles as CSV, JSON Lines and an Atom feed, sites and concepts as CSV and JSON Lines.
//!
//! A file is asked for with the query of its list. Articles come as `newslode export articles` writes them, newest first, and are
//! read from the archive while they are sent; a file holds a limited number, and a `Link` header leads to the next part. Start at
//! [`router`].

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use newslode_common::outcome::Outcome;
use newslode_common::time::iso;
use newslode_common::version::ContentHash;
use newslode_miner::mining::taxonomy::Concept;
use serde::Serialize;

use super::answer::Problem;
use super::api::{LIMIT, SiteAnswer, article_lines, article_texts, parse_limit};
use super::detail::Detail;
use super::filter::{ArticleQuery, parameters};
use super::pages::taxonomy::named_concepts;
use super::snapshot::{ArticleSummary, ConceptFacts, Mined, SiteFacts, Snapshot};
use super::state::{Console, ConsoleAddress};
use crate::csv::{self, Cells};
use crate::filter::times::{Calendar, parse_instant};
use crate::queries::table;

/// The most articles of a file.
const MOST: usize = 10_000;
/// Articles of a feed: the default, and the maximum.
const USUAL_ENTRIES: usize = 50;
const MOST_ENTRIES: usize = 200;

const CSV: &str = "text/csv; charset=utf-8";
const JSON_LINES: &str = "application/jsonl";
const ATOM: &str = "application/atom+xml; charset=utf-8";

pub(super) fn router() -> Router<Arc<Console>> {
    Router::new()
        .route("/articles.csv", get(articles_csv))
        .route("/articles.jsonl", get(articles_jsonl))
        .route("/articles.atom", get(articles_atom))
        .route("/sites.csv", get(sites_csv))
        .route("/sites.jsonl", get(sites_jsonl))
        .route("/taxonomy.csv", get(concepts_csv))
        .route("/taxonomy.jsonl", get(concepts_jsonl))
}

type FileResult = Result<Response, Problem>;

/// A file of this name, which browsers store instead of showing it.
fn file_response(name: &str, kind: &'static str, body: Body) -> Response {
    let place = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, place)], body).into_response()
}

/// The articles of a file, and what leads to the next part.
struct Part {
    ids: Vec<ContentHash>,
    /// The path and query of the next part.
    next: Option<String>,
}

fn select_part(snapshot: &Snapshot, query: Option<&str>, path: &str) -> Result<Part, Problem> {
    let (asked, values) = ArticleQuery::read(query, &[LIMIT])?;
    let most = parse_limit(&values, MOST, MOST)?;
    let selected = asked.select(snapshot, most, &Calendar::current())?;
    let next = selected.next.map(|cursor| format!("{path}?{}&limit={most}", asked.query(Some(cursor))));
    Ok(Part { ids: selected.articles.iter().map(|summary| summary.id).collect(), next })
}

/// Sends texts as a file, one after the other. If the store fails after the first, the answer breaks off.
async fn texts_response(
    head: &'static str,
    texts: impl Stream<Item = Result<String, Problem>> + Send + 'static,
    (name, kind): (&str, &'static str),
    next: Option<String>,
) -> FileResult {
    let mut texts = Box::pin(texts);
    let first = texts.next().await.transpose()?.unwrap_or_default();
    let begin = futures::stream::once(futures::future::ready(Ok(format!("{head}{first}"))));
    let rest = texts.map_err(|problem| std::io::Error::other(problem.sentence().to_owned()));
    let body = Body::from_stream(begin.chain(rest).map_ok(Bytes::from));
    let mut response = file_response(name, kind, body);
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&format!("<{next}>; rel=\"next\"")).ok()) {
        response.headers_mut().insert(header::LINK, next);
    }
    Ok(response)
}

async fn articles_csv(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> FileResult {
    let snapshot = console.snapshot().await?;
    let part = select_part(&snapshot, query.as_deref(), "/articles.csv")?;
    let row = |_: &ArticleSummary, detail: &Detail| Ok(table::row(&detail.filed_article(), Cells::Neutral));
    let rows = article_texts(console, snapshot, part.ids, row);
    texts_response(table::HEAD, rows, ("articles.csv", CSV), part.next).await
}

async fn articles_jsonl(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    address: ConsoleAddress,
) -> FileResult {
    let snapshot = console.snapshot().await?;
    let part = select_part(&snapshot, query.as_deref(), "/articles.jsonl")?;
    let lines = article_lines(console, snapshot, part.ids, address).map_ok(|line| line + "\n");
    texts_response("", lines, ("articles.jsonl", JSON_LINES), part.next).await
}

async fn articles_atom(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    address: ConsoleAddress,
    headers: HeaderMap,
) -> FileResult {
    let snapshot = console.snapshot().await?;
    let (asked, values) = ArticleQuery::read(query.as_deref(), &[LIMIT])?;
    let most = parse_limit(&values, USUAL_ENTRIES, MOST_ENTRIES)?;
    let selected = asked.select(&snapshot, most, &Calendar::current())?;
    // 1. Whether the reader has it already. Only what the entries say counts.
    let own = format!("/articles.atom?{}", asked.query(asked.cursor));
    let mut told = format!("{} {} {own} {most}", env!("CARGO_PKG_VERSION"), address.at(""));
    for summary in &selected.articles {
        told.push_str(&format!(" {}:{:x}", summary.id, summary.reading));
        told.extend(snapshot.mined.concepts_of(summary).map(|concept| format!(",{}", concept.key)));
    }
    let tag = format!("W/\"{:016x}\"", newslode_common::schedule::name(&told));
    let cached = [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, "private, no-cache".to_owned())];
    let known = headers.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|tags| tags.to_str().ok());
    if known.flat_map(|tags| tags.split(',')).any(|known| known.trim() == tag) {
        return Ok((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    // 2. The feed.
    let ids = selected.articles.iter().map(|summary| summary.id).collect();
    let (mined, of) = (snapshot.mined.clone(), address.clone());
    let write = move |summary: &ArticleSummary, detail: &Detail| Ok(entry(&mined, summary, detail, &of));
    let entries = article_texts(console.clone(), snapshot.clone(), ids, write);
    let entries: Vec<String> = entries.try_collect().await?;
    let feed = Feed {
        title: feed_title(&snapshot, &asked),
        id: newslode_common::schedule::name(&format!("{} {}", console.source.name, asked.query(None))),
        own: address.at(&own),
        list: address.at(&format!("/articles?{}", asked.query(None))),
        next: selected
            .next
            .map(|cursor| address.at(&format!("/articles.atom?{}&limit={most}", asked.query(Some(cursor))))),
        made: iso(snapshot.made),
    };
    Ok((cached, [(header::CONTENT_TYPE, ATOM)], feed.write(&entries)).into_response())
}

fn feed_title(snapshot: &Snapshot, asked: &ArticleQuery) -> String {
    let concept = |named: &str| Some(snapshot.mined.concept_with_facts(named)?.0.label.clone());
    let conditions = asked.filter.pairs().into_iter().map(|(name, value)| match name {
        "concept" => concept(&value).unwrap_or(value),
        "q" | "site" => value,
        _ => format!("{name} {value}"),
    });
    let conditions: Vec<String> = conditions.collect();
    if conditions.is_empty() { "Newslode".to_owned() } else { format!("Newslode: {}", conditions.join(", ")) }
}

/// A feed without its entries.
struct Feed {
    title: String,
    /// Names the list in this installation.
    id: u64,
    own: String,
    list: String,
    next: Option<String>,
    /// When a feed without entries was last changed.
    made: String,
}

impl Feed {
    /// The feed with its entries. It changed when the last of them did.
    fn write(&self, entries: &[String]) -> String {
        let updated = entries
            .iter()
            .filter_map(|entry| Some(entry.split_once("<updated>")?.1.split_once("</updated>")?.0));
        let mut feed = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
             <title>{}</title>\n<id>urn:newslode:list:{:016x}</id>\n<updated>{}</updated>\n\
             <generator version=\"{}\">Newslode</generator>\n<link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>\n\
             <link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>\n",
            xml(&self.title),
            self.id,
            updated.max().unwrap_or(&self.made),
            env!("CARGO_PKG_VERSION"),
            xml(&self.own),
            xml(&self.list),
        );
        if let Some(next) = &self.next {
            feed.push_str(&format!(
                "<link rel=\"next\" type=\"application/atom+xml\" href=\"{}\"/>\n",
                xml(next)
            ));
        }
        feed + &entries.concat() + "</feed>\n"
    }
}

/// An article's entry. It was updated when its text was fetched.
fn entry(mined: &Mined, summary: &ArticleSummary, detail: &Detail, address: &ConsoleAddress) -> String {
    let article = &detail.article;
    let updated = detail.history.as_ref().map_or(summary.at, |history| history.fetched_at);
    let mut entry = format!(
        "<entry>\n<id>urn:newslode:article:{}</id>\n<title>{}</title>\n<updated>{}</updated>\n",
        summary.id,
        xml(summary.headline()),
        iso(updated),
    );
    if let Some(published) = article.published.as_deref().and_then(parse_instant) {
        entry.push_str(&format!("<published>{}</published>\n", iso(published)));
    }
    let site = [summary.site.to_string()];
    let authors = if article.authors.is_empty() { site.as_slice() } else { article.authors.as_slice() };
    for author in authors {
        entry.push_str(&format!("<author><name>{}</name></author>\n", xml(author)));
    }
    entry.push_str(&format!("<link rel=\"alternate\" href=\"{}\"/>\n", xml(summary.url.as_str())));
    let own = address.at(&format!("/articles/{}", summary.id));
    entry.push_str(&format!("<link rel=\"related\" type=\"text/html\" href=\"{}\"/>\n", xml(&own)));
    for concept in mined.concepts_of(summary) {
        entry.push_str(&format!(
            "<category term=\"{}\" scheme=\"{}\" label=\"{}\"/>\n",
            xml(&concept.key),
            xml(&address.at("/taxonomy")),
            xml(&concept.label)
        ));
    }
    let language = article
        .language
        .as_deref()
        .filter(|language| language.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let language = language.map(|language| format!(" xml:lang=\"{language}\"")).unwrap_or_default();
    entry + &format!("<summary{language}>{}</summary>\n</entry>\n", xml(&summary.lead))
}

/// A text in XML 1.0, in an element or an attribute. Characters that XML does not know are replaced.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Lines of JSON.
fn json_lines<T: Serialize>(values: impl Iterator<Item = T>) -> Result<String, Problem> {
    let mut lines = String::new();
    for value in values {
        lines.push_str(&serde_json::to_string(&value).map_err(|error| Problem::away(&error))?);
        lines.push('\n');
    }
    Ok(lines)
}

async fn sites_csv(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> FileResult {
    parameters(query.as_deref(), &[])?;
    let snapshot = console.snapshot().await?;
    let mut rows = String::from(
        "site,state,articles,urls,read,not_read,waiting,recall,listings,delay_ms,next_request,cause,first_article,last_article,articles_a_day,read_in_full\r\n",
    );
    snapshot.sites.iter().for_each(|facts| rows.push_str(&site_row(facts)));
    Ok(file_response("sites.csv", CSV, rows.into()))
}

fn site_row(facts: &SiteFacts) -> String {
    let (status, health) = (&facts.status, &facts.health);
    let share = |thousandths: Option<u64>| {
        thousandths.map(|share| format!("{}.{:03}", share / 1_000, share % 1_000)).unwrap_or_default()
    };
    let came = [Outcome::Fetched, Outcome::Unchanged];
    let read: u64 = came.iter().filter_map(|outcome| status.outcomes.get(outcome)).sum();
    let ended: u64 = status.outcomes.values().sum();
    let row = [
        status.site.to_string(),
        if status.settings.paused { "paused" } else { health.health.name() }.to_owned(),
        facts.articles.to_string(),
        status.urls.to_string(),
        read.to_string(),
        ended.saturating_sub(read).to_string(),
        status.pending.to_string(),
        share(facts.recall),
        facts.listings.to_string(),
        status.settings.delay_ms.to_string(),
        status.ready.map(iso).unwrap_or_default(),
        health.cause.map(|cause| cause.name().to_owned()).unwrap_or_default(),
        health.first_article.map(iso).unwrap_or_default(),
        health.last_article.map(iso).unwrap_or_default(),
        health.articles_a_day.map(|rate| rate.to_string()).unwrap_or_default(),
        share(health.read_in_full),
    ];
    csv::row(row, Cells::Neutral)
}

async fn sites_jsonl(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> FileResult {
    parameters(query.as_deref(), &[])?;
    let snapshot = console.snapshot().await?;
    let lines = json_lines(snapshot.sites.iter().map(SiteAnswer::of))?;
    Ok(file_response("sites.jsonl", JSON_LINES, lines.into()))
}

/// A concept with its numbers of articles: all, those of the last day, and those of the seven days before.
#[derive(Serialize)]
struct ConceptLine<'a> {
    #[serde(flatten)]
    concept: &'a Concept,
    articles: u64,
    articles_last_day: u64,
    articles_week_before: u64,
}

/// The concepts that have a written form with `wanted` in it, and their numbers of articles; all concepts if `wanted` is empty.
fn listed_concepts<'a>(mined: &'a Mined, wanted: &str) -> Vec<(&'a Concept, ConceptFacts)> {
    let facts = |concept: &Concept| mined.facts(&concept.key).cloned().unwrap_or_default();
    named_concepts(&mined.taxonomy, wanted).into_iter().map(|concept| (concept, facts(concept))).collect()
}

async fn concepts_csv(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> FileResult {
    let values = parameters(query.as_deref(), &["q"])?;
    let snapshot = console.snapshot().await?;
    let mut rows = String::from(
        "key,label,language,parents,sites,articles,articles_last_day,articles_week_before,score,is_genre,forms\r\n",
    );
    for (concept, facts) in listed_concepts(&snapshot.mined, values.value("q")) {
        let forms: Vec<&str> = concept.forms.iter().map(|form| form.text.as_str()).collect();
        let row = [
            concept.key.clone(),
            concept.label.clone(),
            concept.language.clone(),
            concept.parents.join("; "),
            concept.sites.len().to_string(),
            facts.articles.to_string(),
            facts.lately.to_string(),
            facts.before.to_string(),
            concept.score.to_string(),
            concept.is_genre.to_string(),
            forms.join("; "),
        ];
        rows.push_str(&csv::row(row, Cells::Neutral));
    }
    Ok(file_response("concepts.csv", CSV, rows.into()))
}

async fn concepts_jsonl(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> FileResult {
    let values = parameters(query.as_deref(), &["q"])?;
    let snapshot = console.snapshot().await?;
    let concepts = listed_concepts(&snapshot.mined, values.value("q"));
    let lines = json_lines(concepts.into_iter().map(|(concept, facts)| ConceptLine {
        concept,
        articles: facts.articles,
        articles_last_day: facts.lately,
        articles_week_before: facts.before,
    }))?;
    Ok(file_response("concepts.jsonl", JSON_LINES, lines.into()))
}

#[cfg(test)]
mod tests {
    use newslode_crawler::listing::{self, ListingLimits};
    use newslode_page::time::Timestamp;

    use super::*;

    #[test]
    fn a_feed_is_read_as_it_was_written() {
        let entry = |number: u32| {
            format!(
                "<entry>\n<id>urn:newslode:article:{number}</id>\n<title>{}</title>\n<updated>2026-11-2{number}T00:00:00Z</updated>\n\
                 <link rel=\"alternate\" href=\"{}\"/>\n</entry>\n",
                xml("A <b>\"rain\"</b> & \u{1}\u{ffff}snow"),
                xml(&format!("https://a.test/?a=1&b={number}"))
            )
        };
        let feed = Feed {
            title: "Newslode: <script>".into(),
            id: 7,
            own: "http://localhost/articles.atom?site=a.test&q=%22x".into(),
            list: "http://localhost/articles?site=a.test".into(),
            next: None,
            made: "2026-11-28T00:00:00Z".into(),
        };
        let text = feed.write(&[entry(1), entry(3), entry(2)]);
        assert!(text.contains(
            "<id>urn:newslode:list:0000000000000007</id>\n<updated>2026-11-23T00:00:00Z</updated>"
        ));
        assert!(
            text.contains("<title>Newslode: &lt;script&gt;</title>")
                && text.contains("a.test&amp;q=%22x\"/>")
        );
        let url = "https://a.test/feed".parse().unwrap();
        let now = Timestamp(1_795_824_000_000);
        let read = listing::read(&url, None, text.as_bytes(), now, &ListingLimits::default()).unwrap();
        let found: Vec<&str> = read.items.iter().map(|item| item.url.as_str()).collect();
        assert_eq!(found, ["https://a.test/?a=1&b=1", "https://a.test/?a=1&b=3", "https://a.test/?a=1&b=2"]);
        assert!(feed.write(&[]).contains("<updated>2026-11-28T00:00:00Z</updated>"));
    }
}
