//! *An article*: its text and fields, who says so and how far to trust it, where it was found and filed, and its page's
//! hierarchy, drawn.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::IntoResponse;
use maud::{Markup, PreEscaped, html};
use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_miner::mining::site_scheme::Place;
use newslode_miner::work::histories::history::ArticleHistory;
use newslode_page::article::Article;
use newslode_page::formats::html_body;
use newslode_page::hierarchy::{svg, xml as markup};

use super::parts::{
    Found, article_path, article_summaries, article_when, concept_path, explain_path, named_external_link,
    short_external_link, site_link,
};
use super::shell::{NavigationItem, Page, page_response};
use crate::console::answer::{PageResult, Problem};
use crate::console::detail::Detail;
use crate::console::snapshot::{ArticleSummary, Snapshot};
use crate::console::state::Console;
use crate::html::values::{empty_note, external_link, fact_list, page_url, time_element};
use crate::queries::places::{evidence_text, kind_text};
use crate::queries::rights::is_copy_hidden;

/// Articles that say nearly the same and are shown.
const NEAR: usize = 8;
/// Most sections and tags that are shown.
const MOST_PLACES: usize = 16;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let mut page = article_page(&console, &snapshot, &id).await?;
    let notice = console.notices.shown(query.as_deref());
    page.main = html! { (notice) (page.main) };
    page_response(&console, &snapshot, page)
}

/// The article of this name.
pub(in crate::console) fn find_article<'a>(
    snapshot: &'a Snapshot,
    id: &str,
) -> Result<&'a ArticleSummary, Problem> {
    let id: Option<ContentHash> = id.parse().ok();
    let article = id.and_then(|id| snapshot.mined.article(&id));
    article.ok_or_else(|| {
        Problem::not_found("There is no such article. It may be gone, or known under another address.")
    })
}

async fn article_page(console: &Console, snapshot: &Snapshot, id: &str) -> Result<Page, Problem> {
    let summary = find_article(snapshot, id)?;
    let detail = Detail::read(&console.source.parts, &snapshot.mined, summary).await?;
    let Some(detail) = detail else {
        return Err(Problem::not_found(
            "The article was read anew just now. Load this page again in a moment.",
        ));
    };
    let article = &detail.article;
    let main = html! {
        div.beside.reading {
            div {
                section {
                    h2.hidden { "Text" }
                    (article_body(article))
                }
            }
            aside { (filing_section(&detail)) (places_section(&detail.article.site, &detail.places)) (about_section(&detail)) (near_section(snapshot, summary)) (history_section(&detail)) }
        }
        (field_table(article))
        (hierarchy_section(summary))
    };
    Ok(Page {
        place: NavigationItem::Articles,
        title: summary.headline().to_owned(),
        trail: html! { a href="/articles" { "Articles" } " / " (site_link(&summary.site)) },
        lead: html! {
            p.meta {
                @if !article.authors.is_empty() { span dir="auto" { (article.authors.join(", ")) } }
                span { (article_when(summary)) }
                (external_link(summary.url.as_str()))
            }
            nav.jump aria-label="On this page" {
                a href="#fields" { "Fields and witnesses" }
                a href="#hierarchy" { "The page as it was understood" }
                a href={ (article_path(summary)) "/correct" } { "Correct it" }
            }
        },
        main,
    })
}

fn article_body(article: &Article) -> Markup {
    html! {
        @if newslode_miner::mining::articles::is_text_removed(article) {
            (empty_note("The text of this article was removed to save space (retention.bodies_days)."))
        } @else if article.body.is_empty() {
            (empty_note("No text was found on the page. Its evidence below names the witnesses that were heard."))
        } @else {
            div.body dir="auto" lang=[article.language.as_deref()] { (PreEscaped(html_body(article))) }
        }
    }
}

fn filing_section(detail: &Detail) -> Markup {
    html! {
        section {
            h2 { "Filed under" }
            @if detail.filed.is_empty() {
                p.soft { "No concept: no list, section, address, topic, place or words speak for one." }
            } @else {
                div.scroll {
                    table {
                        thead { tr { th scope="col" { "Concept" } th scope="col" { "Witness" } th.number scope="col" { "Confidence" } } }
                        tbody {
                            @for filed in &detail.filed {
                                tr {
                                    th scope="row" dir="auto" { a href=(concept_path(&filed.concept)) { (filed.label) } }
                                    td { (filed.witness.name()) }
                                    td.number { (format!("{:.2}", filed.confidence)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What is known of it beside its text.
fn about_section(detail: &Detail) -> Markup {
    let (article, history) = (&detail.article, detail.history.as_ref());
    let text = |value: &str| html! { span dir="auto" { (value) } };
    let mut rows: Vec<(String, Markup)> = Vec::new();
    let mut row =
        |name: &str, value: Option<Markup>| rows.extend(value.map(|value| (name.to_owned(), value)));
    row("language", article.language.as_deref().map(text));
    row("words", Some(html! { (article.text().split_whitespace().count()) }));
    row("picture", article.image.as_deref().map(short_external_link));
    row("found", history.map(|history| time_element(history.first_seen)));
    row(
        "found on",
        history.and_then(|history| history.discovered_on.as_ref()).map(|on| external_link(on.as_str())),
    );
    row("read", history.map(|history| time_element(history.fetched_at)));
    row(
        "calls itself",
        history.and_then(|history| history.canonical.as_ref()).map(|url| external_link(url.as_str())),
    );
    let many = |urls: &dyn Fn(&ArticleHistory) -> Vec<String>| {
        let urls = history.map(urls).unwrap_or_default();
        (!urls.is_empty()).then(|| html! { @for url in urls { div { (external_link(&url)) } } })
    };
    row("also at", many(&|history| history.addresses.iter().map(ToString::to_string).collect()));
    row("same text at", many(&|history| history.same_text.iter().map(ToString::to_string).collect()));
    row("body by", Some(html! { span.code { (article.method) } }));
    html! {
        section { h2 { "About it" } (fact_list(&rows)) p.small { a href=(explain_path(&article.url)) { "Its visits and the next one" } } }
    }
}

/// The places of an article in its site's own scheme, best first; nothing if it has none.
fn places_section(site: &str, places: &[Place]) -> Markup {
    html! {
        @if !places.is_empty() {
            section {
                h2 { "Its place in " (site) }
                div.scroll {
                    table {
                        thead { tr { th scope="col" { "Section or tag" } th scope="col" { "Kind" } th scope="col" { "Named by" } } }
                        tbody {
                            @for place in places.iter().take(MOST_PLACES) {
                                tr {
                                    th scope="row" { (named_external_link(&place.label, place.address.as_deref())) }
                                    td { (kind_text(place.kind)) }
                                    td { (evidence_text(place)) }
                                }
                            }
                        }
                    }
                }
                @if places.len() > MOST_PLACES { p.small { "and " (places.len() - MOST_PLACES) " more" } }
            }
        }
    }
}

/// Others that say nearly the same, by the words of their texts.
fn near_section(snapshot: &Snapshot, summary: &ArticleSummary) -> Markup {
    let near = snapshot.mined.near(summary, NEAR);
    html! {
        @if !near.is_empty() {
            section { h2 { "Nearly the same" } (article_summaries(&snapshot.mined, near, true, &Found::default())) }
        }
    }
}

fn history_section(detail: &Detail) -> Markup {
    let Some(history) = &detail.history else { return html! {} };
    html! {
        section {
            h2 { "History" }
            ol.links {
                @for past in history.history() {
                    li {
                        (past.event.name()) " " (time_element(past.at))
                        @if !past.changed.is_empty() {
                            ": " (past.changed.iter().map(|field| field.name()).collect::<Vec<_>>().join(", "))
                        }
                    }
                }
            }
        }
    }
}

/// The fields with their evidence.
fn field_table(article: &Article) -> Markup {
    let none = || "none".to_owned();
    let text = |value: &Option<String>| value.clone().unwrap_or_else(none);
    let authors = if article.authors.is_empty() { none() } else { article.authors.join(", ") };
    let mut rows = vec![
        ("title", text(&article.title)),
        ("authors", authors),
        ("published", text(&article.published)),
        ("modified", text(&article.modified)),
        ("place", text(&article.place)),
        ("section", text(&article.section)),
        ("image", text(&article.image)),
    ];
    rows.push(("body", crate::out::counted(article.body.len(), "block")));
    let others = article.evidence.keys().filter(|name| !rows.iter().any(|(known, _)| known == name));
    let others: Vec<&String> = others.collect();
    html! {
        section #fields {
            h2 { "Fields and who says so" }
            div.scroll tabindex="0" role="region" aria-label="Table of fields" {
                table {
                    thead { tr { th scope="col" { "Field" } th scope="col" { "Value" } th scope="col" { "Witness" } th.number scope="col" { "Confidence" } } }
                    tbody {
                        @for (name, value) in &rows { (field_row(article, name, value)) }
                        @for name in others { (field_row(article, name, "")) }
                    }
                }
            }
        }
    }
}

fn field_row(article: &Article, name: &str, value: &str) -> Markup {
    let evidence = article.evidence.get(name);
    let is_none = value == "none";
    html! {
        tr {
            th.code scope="row" { (name) }
            td.soft[is_none] dir="auto" { (value) }
            td { (evidence.map_or("", |evidence| evidence.witness.as_str())) }
            td.number { @if let Some(evidence) = evidence { (format!("{:.2}", evidence.confidence)) } }
        }
    }
}

fn hierarchy_section(summary: &ArticleSummary) -> Markup {
    let path = article_path(summary);
    html! {
        section #hierarchy {
            h2 { "The page as it was understood" }
            p.small { a href={ (path) "/page" } { "Its text with the blocks drawn over it" } ", "
                a href={ (path) "/hierarchy.svg" } { "The drawing alone, with its links" } ", "
                a href={ (path) "/hierarchy.xml" } { "the hierarchy as XML" } }
            div.drawing tabindex="0" role="region" aria-label="Drawing of the page's hierarchy" {
                img src={ (path) "/hierarchy.svg" } loading="lazy"
                    alt="The page's labels as boxes, each under the header that heads it; the XML says the same in words";
            }
        }
    }
}

pub(in crate::console) async fn drawing(
    State(console): State<Arc<Console>>,
    Path(id): Path<String>,
) -> PageResult {
    let _turn = console.page_texts.turns.acquire().await.map_err(|error| Problem::away(&error))?;
    let xml = stored_hierarchy(&console, find_article(&*console.snapshot().await?, &id)?).await?;
    let drawing = tokio::task::spawn_blocking(move || draw_hierarchy(&xml));
    let drawing = drawing.await.map_err(|error| Problem::away(&error))??;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], drawing).into_response())
}

/// Draws a hierarchy. The drawing may be opened alone: its links lead to pages only.
fn draw_hierarchy(xml: &[u8]) -> Result<String, Problem> {
    let mut hierarchy = markup::read(&String::from_utf8_lossy(xml)).map_err(|error| Problem::away(&error))?;
    for label in hierarchy.nodes.iter_mut().filter_map(|node| node.label.as_mut()) {
        label.href = label.href.take().filter(|href| page_url(href).is_some());
    }
    Ok(svg::write(&hierarchy))
}

pub(in crate::console) async fn xml(
    State(console): State<Arc<Console>>,
    Path(id): Path<String>,
) -> PageResult {
    let xml = stored_hierarchy(&console, find_article(&*console.snapshot().await?, &id)?).await?;
    Ok(([(header::CONTENT_TYPE, "application/xml")], xml).into_response())
}

/// The stored hierarchy of an article's page, unless its copy is hidden.
pub(super) async fn stored_hierarchy(
    console: &Console,
    summary: &ArticleSummary,
) -> Result<Vec<u8>, Problem> {
    let (archive, content) = (&console.source.parts.stores.archive, summary.content);
    let noarchive = console.source.config.crawler.noarchive;
    if is_copy_hidden(archive.as_ref(), noarchive, &summary.url).await? {
        return Err(Problem::not_found(
            "This page asks that no copy of it be shown (noarchive). The article stays; the setting crawler.noarchive decides.",
        ));
    }
    if let Some(xml) = archive.get(Kind::Hierarchy, content).await? {
        return Ok(xml.to_vec());
    }
    Err(match archive.removed(Kind::Hierarchy, content).await? {
        Some(at) => Problem::not_found(format!(
            "The hierarchy of this page was removed on {} to save space (retention.hierarchies_days).",
            crate::out::day(at)
        )),
        None => Problem::not_found("The archive has no hierarchy of this page."),
    })
}

#[cfg(test)]
mod tests {
    use newslode_miner::mining::site_scheme::PlaceKind;

    use super::*;

    #[test]
    fn places_link_to_pages_only_and_say_what_names_them() {
        assert!(places_section("a.test", &[]).0.is_empty());
        let place = |label: &str, address: Option<&str>, evidence: &[&str]| Place {
            label: label.into(),
            address: address.map(str::to_owned),
            kind: PlaceKind::Tag,
            evidence: evidence.iter().map(|&name| name.to_owned()).collect(),
            probability: 0.9,
        };
        let few = [
            place("<b>Cup</b>", Some("https://a.test/tag/cup/"), &["link", "meta"]),
            place("Tour", Some("javascript:alert(1)"), &["directory"]),
        ];
        let shown = places_section("a.test", &few).0;
        assert!(shown.contains(">&lt;b&gt;Cup&lt;/b&gt;</a>"), "{shown}");
        assert!(shown.contains("<td>a link and a meta element</td>"), "{shown}");
        assert!(!shown.contains(" more"), "{shown}");
        let many: Vec<Place> =
            (0..MOST_PLACES + 3).map(|number| place(&format!("Tag {number}"), None, &["meta"])).collect();
        assert!(places_section("a.test", &many).0.contains("and 3 more"));
        assert!(!shown.contains("href=\"javascript"), "{shown}");
    }
}
