//! *An article*: its text and fields, who says so and how far to trust it, where it was found and filed, and its page's
//! hierarchy, drawn.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::IntoResponse;
use maud::{Markup, html};
use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_miner::work::histories::history::ArticleHistory;
use newslode_page::article::{Article, Block, BlockKind};
use newslode_page::hierarchy::{svg, xml as markup};

use super::parts::{article_path, articles, away_shortly, concept_path, explain_path, site_link};
use super::shell::{Page, Place, answer};
use crate::console::answer::{Problem, Shown};
use crate::console::detail::Detail;
use crate::console::snapshot::{Snapshot, Summary};
use crate::console::state::Console;
use crate::html::values::{empty_note, external_link, fact_list, page_url, time_element};

/// Articles that say nearly the same and are shown.
const NEAR: usize = 8;

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Shown {
    let snapshot = console.snapshot().await?;
    let mut page = article_page(&console, &snapshot, &id).await?;
    let notice = console.notices.shown(query.as_deref());
    page.main = html! { (notice) (page.main) };
    answer(&console, &snapshot, page)
}

/// The article of this name.
pub(in crate::console) fn summary<'a>(snapshot: &'a Snapshot, id: &str) -> Result<&'a Summary, Problem> {
    let id: Option<ContentHash> = id.parse().ok();
    let article = id.and_then(|id| snapshot.mined.article(&id));
    article.ok_or_else(|| {
        Problem::not_found("There is no such article. It may be gone, or known under another address.")
    })
}

async fn article_page(console: &Console, snapshot: &Snapshot, id: &str) -> Result<Page, Problem> {
    let summary = summary(snapshot, id)?;
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
                    (body(article))
                }
            }
            aside { (filed(&detail)) (about(&detail)) (near(snapshot, summary)) (history(&detail)) }
        }
        (fields(article))
        (hierarchy(summary))
    };
    Ok(Page {
        place: Place::Articles,
        title: summary.headline().to_owned(),
        trail: html! { a href="/articles" { "Articles" } " / " (site_link(&summary.site)) },
        lead: html! {
            p.meta {
                @if !article.authors.is_empty() { span dir="auto" { (article.authors.join(", ")) } }
                (time_element(summary.at))
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

fn body(article: &Article) -> Markup {
    let block = |block: &Block| match block.kind {
        BlockKind::Paragraph => html! { p { (block.text) } },
        BlockKind::Heading => html! { h2 { (block.text) } },
        BlockKind::ListItem => html! { p.item { (block.text) } },
        BlockKind::Quote => html! { blockquote { p { (block.text) } } },
    };
    html! {
        @if article.body.is_empty() {
            (empty_note("No text was found on the page. Its evidence below names the witnesses that were heard."))
        } @else {
            div.body dir="auto" lang=[article.language.as_deref()] { @for own in &article.body { (block(own)) } }
        }
    }
}

fn filed(detail: &Detail) -> Markup {
    html! {
        section {
            h2 { "Filed under" }
            @if detail.filed.is_empty() {
                p.soft { "No concept: no list, section, address, place or words speak for one." }
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
fn about(detail: &Detail) -> Markup {
    let (article, life) = (&detail.article, detail.life.as_ref());
    let text = |value: &str| html! { span dir="auto" { (value) } };
    let mut rows: Vec<(String, Markup)> = Vec::new();
    let mut row =
        |name: &str, value: Option<Markup>| rows.extend(value.map(|value| (name.to_owned(), value)));
    row("language", article.language.as_deref().map(text));
    row("words", Some(html! { (article.text().split_whitespace().count()) }));
    row("picture", article.image.as_deref().map(away_shortly));
    row("found", life.map(|life| time_element(life.first_seen)));
    row("found on", life.and_then(|life| life.discovered_on.as_ref()).map(|on| external_link(on.as_str())));
    row("read", life.map(|life| time_element(life.fetched_at)));
    row("calls itself", life.and_then(|life| life.canonical.as_ref()).map(|url| external_link(url.as_str())));
    let many = |urls: &dyn Fn(&ArticleHistory) -> Vec<String>| {
        let urls = life.map(urls).unwrap_or_default();
        (!urls.is_empty()).then(|| html! { @for url in urls { div { (external_link(&url)) } } })
    };
    row("also at", many(&|life| life.addresses.iter().map(ToString::to_string).collect()));
    row("same text at", many(&|life| life.same_text.iter().map(ToString::to_string).collect()));
    row("body by", Some(html! { span.code { (article.method) } }));
    html! {
        section { h2 { "About it" } (fact_list(&rows)) p.small { a href=(explain_path(&article.url)) { "Its visits and the next one" } } }
    }
}

/// Others that say nearly the same, by the words of their texts.
fn near(snapshot: &Snapshot, summary: &Summary) -> Markup {
    let near = snapshot.mined.near(summary, NEAR);
    html! {
        @if !near.is_empty() {
            section { h2 { "Nearly the same" } (articles(&snapshot.mined, near, true)) }
        }
    }
}

fn history(detail: &Detail) -> Markup {
    let Some(life) = &detail.life else { return html! {} };
    html! {
        section {
            h2 { "History" }
            ol.links {
                @for past in life.history() {
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
fn fields(article: &Article) -> Markup {
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
    let count = article.body.len();
    rows.push(("body", format!("{count} block{}", if count == 1 { "" } else { "s" })));
    let others = article.evidence.keys().filter(|name| !rows.iter().any(|(known, _)| known == name));
    let others: Vec<&String> = others.collect();
    html! {
        section #fields {
            h2 { "Fields and who says so" }
            div.scroll tabindex="0" role="region" aria-label="Table of fields" {
                table {
                    thead { tr { th scope="col" { "Field" } th scope="col" { "Value" } th scope="col" { "Witness" } th.number scope="col" { "Confidence" } } }
                    tbody {
                        @for (name, value) in &rows { (field(article, name, value)) }
                        @for name in others { (field(article, name, "")) }
                    }
                }
            }
        }
    }
}

fn field(article: &Article, name: &str, value: &str) -> Markup {
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

fn hierarchy(summary: &Summary) -> Markup {
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
) -> Shown {
    let drawing = drawn(&stored(&console, &id).await?)?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], drawing).into_response())
}

/// Draws a hierarchy. The drawing may be opened alone: its links lead to pages only.
fn drawn(xml: &[u8]) -> Result<String, Problem> {
    let mut hierarchy = markup::read(&String::from_utf8_lossy(xml)).map_err(|error| Problem::away(&error))?;
    for label in hierarchy.nodes.iter_mut().filter_map(|node| node.label.as_mut()) {
        label.href = label.href.take().filter(|href| page_url(href).is_some());
    }
    Ok(svg::write(&hierarchy))
}

pub(in crate::console) async fn xml(State(console): State<Arc<Console>>, Path(id): Path<String>) -> Shown {
    let xml = stored(&console, &id).await?;
    Ok(([(header::CONTENT_TYPE, "application/xml")], xml).into_response())
}

/// The stored hierarchy of an article's page.
pub(super) async fn stored(console: &Console, id: &str) -> Result<Vec<u8>, Problem> {
    let snapshot = console.snapshot().await?;
    let content = summary(&snapshot, id)?.content;
    let xml = console.source.parts.stores.archive.get(Kind::Hierarchy, content).await?;
    xml.map(|xml| xml.to_vec())
        .ok_or_else(|| Problem::not_found("The archive has no hierarchy of this page."))
}
