//! The JSON API under `/api/v1`. Names and values are those of the command line: an article is a line of `articles.jsonl`, the
//! taxonomy that of `newslode taxonomy --format json`, sites and pages those of `newslode explain --json`.
//!
//! What cannot be answered is an object with a `code` for programs and a `message` for people. `openapi.json` describes every
//! route; the end-to-end tests hold the answers of a run against it.

mod corrections;
pub(in crate::console) mod events;
pub(in crate::console) mod lines;
mod seeds;
mod sent;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use newslode_common::network::NoNetwork;
use newslode_common::store::SiteStatus;
use newslode_common::time::now;
use newslode_common::version::ContentHash;
use newslode_miner::mining::taxonomy::{OtherLanguages, Relation};
use newslode_miner::work::histories::history::history_key;
use newslode_page::formats::Format;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::Serialize;

use super::answer::{Problem, unknown_concept};
use super::detail::Detail;
use super::filter::{ArticleQuery, parameters};
use super::pages::explain::query_value;
use super::snapshot::{ArticleSummary, SiteFacts, Snapshot};
use super::state::{Console, ConsoleAddress};
use super::writing::corrections::listed;
use crate::filter::Parameters;
use crate::filter::phrases::{PASSAGE, Snippet, WordQuery};
use crate::filter::times::Calendar;
use crate::queries::explain;
use crate::queries::health::SiteHealth;
use crate::queries::taxonomy::{IdentifiedConcept, IdentifiedTaxonomy, change_lines};

/// The description of the API.
const OPENAPI: &str = include_str!("openapi.json");
/// The name of the parameter that says how many articles are wanted.
pub(super) const LIMIT: &str = "limit";
/// Number of articles in an answer: the default, and the maximum.
const USUAL: usize = 50;
const MOST: usize = 200;
/// Articles of an answer that are read at once.
const AT_ONCE: usize = 8;

/// The routes, by path.
fn routes() -> [(&'static str, MethodRouter<Arc<Console>>); 12] {
    [
        ("/api/v1/openapi.json", get(get_openapi)),
        ("/api/v1/taxonomy", get(get_taxonomy)),
        ("/api/v1/taxonomy/changes", get(get_changes)),
        ("/api/v1/concepts/{key}", get(get_concept)),
        ("/api/v1/corrections", get(get_corrections).post(corrections::post_correction)),
        ("/api/v1/articles", get(get_articles)),
        ("/api/v1/article", get(get_article)),
        ("/api/v1/sites", get(get_sites)),
        ("/api/v1/sites/{site}", get(get_site)),
        ("/api/v1/explain", get(get_explanation)),
        (events::PATH, get(events::stream_events)),
        ("/api/v1/seeds", post(seeds::post_seed)),
    ]
}

pub(super) fn router() -> Router<Arc<Console>> {
    routes().into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods))
}

/// An answer, or why there is none.
type ApiResult = Result<Response, Problem>;

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.json()
    }
}

fn json_response(value: &impl Serialize) -> ApiResult {
    let text = serde_json::to_string(value).map_err(|error| Problem::away(&error))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

async fn get_openapi() -> Response {
    let text = OPENAPI.replace("{version}", env!("CARGO_PKG_VERSION"));
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn get_taxonomy(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> ApiResult {
    parameters(query.as_deref(), &[])?;
    let snapshot = console.snapshot().await?;
    json_response(&IdentifiedTaxonomy::new(&snapshot.mined.taxonomy, &snapshot.registry))
}

async fn get_changes(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> ApiResult {
    parameters(query.as_deref(), &[])?;
    let snapshot = console.snapshot().await?;
    json_response(&BTreeMap::from([("changes", change_lines(&snapshot.registry))]))
}

async fn get_corrections(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> ApiResult {
    parameters(query.as_deref(), &[])?;
    json_response(&serde_json::json!({ "corrections": listed(&console).await? }))
}

/// A concept with its relations, counts and explanation.
#[derive(Serialize)]
struct ConceptAnswer<'a> {
    #[serde(flatten)]
    concept: IdentifiedConcept<'a>,
    /// Those that it is part of.
    relations: Vec<&'a Relation>,
    /// Articles that are filed under it: all, those of the last day, and those of the seven days before.
    articles: u64,
    articles_last_day: u64,
    articles_week_before: u64,
    /// As `newslode taxonomy --explain` prints it.
    explanation: &'a str,
}

async fn get_concept(State(console): State<Arc<Console>>, Path(named): Path<String>) -> ApiResult {
    let snapshot = console.snapshot().await?;
    let mined = &snapshot.mined;
    let current = || mined.concept_with_facts(&snapshot.current_concept(&named)?.key);
    let found = mined.concept_with_facts(&named).or_else(current);
    let (concept, facts) = found.ok_or_else(|| unknown_concept(&named))?;
    let is_part = |relation: &&Relation| relation.broader == concept.key || relation.narrower == concept.key;
    json_response(&ConceptAnswer {
        concept: IdentifiedConcept::new(
            concept,
            &snapshot.registry.identifiers(),
            &OtherLanguages::of(&mined.taxonomy),
        ),
        relations: mined.taxonomy.relations.iter().filter(is_part).collect(),
        articles: facts.articles,
        articles_last_day: facts.lately,
        articles_week_before: facts.before,
        explanation: &facts.explanation,
    })
}

async fn get_articles(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    address: ConsoleAddress,
) -> ApiResult {
    let snapshot = console.snapshot().await?;
    let (asked, values) = ArticleQuery::read(query.as_deref(), &[LIMIT])?;
    let filter = &asked.filter;
    let most = parse_limit(&values, USUAL, MOST)?;
    if !filter.concept.is_empty() && snapshot.concept(&filter.concept).is_none() {
        return Err(unknown_concept(&filter.concept));
    }
    if !filter.code.is_empty() && snapshot.mined.coder.codes_within(&filter.code).is_empty() {
        let sentence = format!("No scheme has a concept with the code or URI `{}`.", filter.code);
        return Err(Problem::not_found(sentence));
    }
    if !filter.site.is_empty() {
        snapshot.known_site(&filter.site)?;
    }
    let selected = asked.select(&snapshot, most, &Calendar::current())?;
    let next = selected.next.map_or("null".to_owned(), |cursor| format!("\"{cursor}\""));
    let end = format!("],\"matched\":{},\"next\":{next}}}", selected.matched);
    let ids: Vec<ContentHash> = selected.articles.iter().map(|summary| summary.id).collect();
    let words = WordQuery::parse(&filter.q);
    let line = move |summary: &ArticleSummary, detail: &Detail| {
        let line = article_line(summary, detail, &address)?;
        if words.is_empty() { Ok(line) } else { with_snippet(line, &words, detail) }
    };
    articles_response(article_texts(console, snapshot.clone(), ids, line), end).await
}

/// The line with what the article says around the words that were asked for: `snippet`, null if they are nowhere in it as a reader
/// finds them.
fn with_snippet(line: String, words: &WordQuery, detail: &Detail) -> Result<String, Problem> {
    let article = &detail.article;
    let texts = article.body.iter().map(|block| block.text.as_str());
    let passage = words.passage(texts, PASSAGE).or_else(|| words.passage(article.title.as_deref(), PASSAGE));
    let snippet =
        serde_json::to_string(&passage.map(Snippet::from)).map_err(|error| Problem::away(&error))?;
    let keys = line.strip_suffix('}').unwrap_or(&line);
    Ok(format!("{keys},\"snippet\":{snippet}}}"))
}

/// The line of an article: that of `articles.jsonl`, with the address of its page in the console.
fn article_line(
    summary: &ArticleSummary,
    detail: &Detail,
    address: &ConsoleAddress,
) -> Result<String, Problem> {
    let line = serde_json::to_string(&detail.filed_article().line());
    Ok(address.add_to(&line.map_err(|error| Problem::away(&error))?, summary.id))
}

/// The lines of articles, read while they are sent.
pub(super) fn article_lines(
    console: Arc<Console>,
    snapshot: Arc<Snapshot>,
    ids: Vec<ContentHash>,
    address: ConsoleAddress,
) -> impl Stream<Item = Result<String, Problem>> + Send + 'static {
    let line = move |summary: &ArticleSummary, detail: &Detail| article_line(summary, detail, &address);
    article_texts(console, snapshot, ids, line)
}

/// What `write` makes of articles, each read when it is its turn. One that was replaced since the snapshot is left out.
pub(super) fn article_texts(
    console: Arc<Console>,
    snapshot: Arc<Snapshot>,
    ids: Vec<ContentHash>,
    write: impl Fn(&ArticleSummary, &Detail) -> Result<String, Problem> + Send + Sync + 'static,
) -> impl Stream<Item = Result<String, Problem>> + Send + 'static {
    let write = Arc::new(write);
    let text = move |id: ContentHash| {
        let (console, snapshot, write) = (console.clone(), snapshot.clone(), write.clone());
        async move {
            let Some(summary) = snapshot.mined.article(&id) else { return Ok(None) };
            let detail = Detail::read(&console.source.parts, &snapshot.mined, summary).await?;
            let Some(detail) = detail else { return Ok(None) };
            // Long texts take their time.
            let writing =
                move || snapshot.mined.article(&id).map(|summary| write(summary, &detail)).transpose();
            tokio::task::spawn_blocking(writing).await.map_err(|error| Problem::away(&error))?
        }
    };
    let texts = futures::stream::iter(ids).map(text).buffered(AT_ONCE);
    texts.filter_map(|text| futures::future::ready(text.transpose()))
}

/// Streams lines as the articles of an answer, so that it takes the memory of few of them. If the store fails after the first, the answer
/// breaks off, and its reader sees that it is no JSON.
async fn articles_response(
    lines: impl Stream<Item = Result<String, Problem>> + Send + 'static,
    end: String,
) -> ApiResult {
    let mut lines = Box::pin(lines);
    let first = lines.next().await.transpose()?.unwrap_or_default();
    let begin = futures::stream::once(futures::future::ready(Ok(format!("{{\"articles\":[{first}"))));
    let rest = lines.map(|line| match line {
        Ok(line) => Ok(format!(",{line}")),
        Err(problem) => Err(std::io::Error::other(problem.sentence().to_owned())),
    });
    let text = begin.chain(rest).chain(futures::stream::once(futures::future::ready(Ok(end))));
    let body = Body::from_stream(text.map_ok(Bytes::from));
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// How many articles are wanted, if `usual` and `most` are the default and the maximum.
pub(super) fn parse_limit(values: &Parameters, usual: usize, most: usize) -> Result<usize, Problem> {
    let text = values.value(LIMIT);
    if text.is_empty() {
        return Ok(usual);
    }
    let limit = text.parse().ok().filter(|limit| (1..=most).contains(limit));
    limit.ok_or_else(|| Problem::bad(format!("`{text}` is not a limit: it is a number from 1 to {most}.")))
}

/// The page that a query names.
fn parse_page_url(query: Option<&str>, known: &[&'static str]) -> Result<CanonicalUrl, Problem> {
    // Its value may be longer than those of other parameters.
    parameters(query, known)?;
    let target = query_value(query, "url");
    if target.is_empty() {
        return Err(Problem::bad("Name a page: ?url=https%3A%2F%2Fwww.example.com%2Fstory"));
    }
    target.parse().map_err(|error| Problem::bad(format!("{error}.")))
}

async fn get_article(
    State(console): State<Arc<Console>>,
    RawQuery(query): RawQuery,
    address: ConsoleAddress,
) -> ApiResult {
    let url = parse_page_url(query.as_deref(), &["url", "format"])?;
    let format = match query_value(query.as_deref(), "format").as_str() {
        "" | "json" => None,
        name => Some(Format::named(name).ok_or_else(|| {
            let known = Format::ALL.map(Format::name).join(", ");
            Problem::bad(format!("`{name}` is not a format: it is json, {known}."))
        })?),
    };
    let snapshot = console.snapshot().await?;
    let unknown = || Problem::not_found(format!("No article is known at `{url}`."));
    let summary = snapshot.mined.article(&history_key(&url)).ok_or_else(unknown)?;
    let detail = Detail::read(&console.source.parts, &snapshot.mined, summary).await?;
    let detail = detail.ok_or_else(unknown)?;
    if let Some(format) = format {
        let text = format.write(&detail.article);
        return Ok(([(header::CONTENT_TYPE, format.media_type())], text).into_response());
    }
    let line = article_line(summary, &detail, &address)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], line).into_response())
}

/// A site as `newslode status --json` has it, and what it brings.
#[derive(Serialize)]
pub(super) struct SiteAnswer<'a> {
    #[serde(flatten)]
    status: &'a SiteStatus,
    #[serde(flatten)]
    health: &'a SiteHealth,
    articles: u64,
    /// Share of the articles that its listings showed within seven days that was read, in thousandths.
    recall: Option<u64>,
    listings: u64,
}

impl<'a> SiteAnswer<'a> {
    pub(super) fn of(facts: &'a SiteFacts) -> SiteAnswer<'a> {
        let SiteFacts { status, health, articles, recall, listings } = facts;
        SiteAnswer { status, health, articles: *articles, recall: *recall, listings: *listings }
    }
}

#[derive(Serialize)]
struct SitesAnswer<'a> {
    sites: Vec<SiteAnswer<'a>>,
    /// The process that works on the run, or crawlers of the services, reach no site.
    network: Option<NoNetwork>,
}

async fn get_sites(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> ApiResult {
    parameters(query.as_deref(), &[])?;
    let snapshot = console.snapshot().await?;
    let sites: Vec<SiteAnswer<'_>> = snapshot.sites.iter().map(SiteAnswer::of).collect();
    json_response(&SitesAnswer { sites, network: snapshot.network })
}

async fn get_site(State(console): State<Arc<Console>>, Path(named): Path<String>) -> ApiResult {
    let snapshot = console.snapshot().await?;
    let site = Site::of_host(&named);
    let known = snapshot.known_site(site.as_str())?;
    let stores = &console.source.parts.stores;
    json_response(&explain::explain_site(stores, known.status.clone(), now()).await?)
}

async fn get_explanation(State(console): State<Arc<Console>>, RawQuery(query): RawQuery) -> ApiResult {
    let url = parse_page_url(query.as_deref(), &["url"])?;
    json_response(&explain::explain_page(&console.source.parts, &url, now()).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_described() {
        let described: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
        let mut described: Vec<&String> = described["paths"].as_object().unwrap().keys().collect();
        let mut routes = routes().map(|(path, _)| path);
        described.sort();
        routes.sort_unstable();
        assert_eq!(described, routes);
    }
}
