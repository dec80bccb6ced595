//! *An article's page, as it was read*: all its text in order, with the blocks drawn over it, and what of it became the article.

use std::sync::Arc;

use axum::extract::{Path, State};
use maud::{Markup, PreEscaped, html};
use newslode_page::article::Article;
use newslode_page::hierarchy::{Block, Hierarchy, Label, NodeKind, xml};

use super::article::{find_article, stored_hierarchy};
use super::parts::{article_path, site_link};
use super::shell::{NavigationItem, Page, page_response};
use crate::console::answer::{PageResult, Problem};
use crate::console::detail::Detail;
use crate::console::snapshot::{ArticleSummary, Snapshot};
use crate::console::state::Console;
use crate::html::values::page_url;

/// The most nodes of a page that are drawn.
const MOST: usize = 5_000;
/// Bytes of an article behind its last text on the page in which the next one is searched.
const NEAR: usize = 4 << 10;
/// Bytes that are searched in all for texts that are not there: 16 MiB take a few milliseconds.
const FAR: usize = 16 << 20;
/// Deeper texts are not moved further.
const DEEPEST: usize = 6;
/// What the blocks of a page are for.
const MEANINGS: [(Block, &str); 3] = [
    (Block::Article, "article, as its site tells"),
    (Block::Toc, "links to what is new"),
    (Block::Rest, "all else"),
];

pub(in crate::console) async fn page(
    State(console): State<Arc<Console>>,
    Path(id): Path<String>,
) -> PageResult {
    let snapshot = console.snapshot().await?;
    let summary = find_article(&snapshot, &id)?;
    let path = article_path(summary);
    let cell = console.page_texts.cell((summary.content, summary.reading));
    let text = cell.get_or_try_init(|| draw(&console, &snapshot, summary)).await?;
    let page = Page {
        place: NavigationItem::Articles,
        title: "The page as it was read".into(),
        trail: html! {
            a href="/articles" { "Articles" } " / " (site_link(&summary.site)) " / "
            a href=(path) dir="auto" { (summary.headline()) }
        },
        lead: html! {
            p.lead { "All texts of the page in order, each under the header that heads it." }
            ul.legend.read {
                li { mark { "became the article" } }
                @for (block, meaning) in MEANINGS { li class=(block.name()) { (meaning) } }
            }
        },
        main: html! {
            div.read { (PreEscaped(text)) }
            p.small { a href={ (path) "/hierarchy.xml" } { "The hierarchy as XML" } }
        },
    };
    page_response(&console, &snapshot, page)
}

/// Draws a page's text. That takes a processor for a while, so few are drawn at once, and the last ones are kept.
async fn draw(console: &Console, snapshot: &Snapshot, summary: &ArticleSummary) -> Result<Arc<str>, Problem> {
    let _turn = console.page_texts.turns.acquire().await.map_err(|error| Problem::away(&error))?;
    let detail = Detail::read(&console.source.parts, &snapshot.mined, summary).await?;
    let gone = || Problem::not_found("The article was read anew just now. Load this page again in a moment.");
    let article = detail.ok_or_else(gone)?.article;
    let xml = stored_hierarchy(console, summary).await?;
    let drawn = tokio::task::spawn_blocking(move || {
        let hierarchy = xml::read(&String::from_utf8_lossy(&xml)).map_err(|error| Problem::away(&error))?;
        Ok(draw_lines(&hierarchy, &mut ArticleText::of(&article)).into_string().into())
    });
    drawn.await.map_err(|error| Problem::away(&error))?
}

/// What became the article.
struct ArticleText {
    title: Option<String>,
    body: String,
    /// Behind the last label that was found: the next one comes soon after it, because both are in the page's order.
    at: usize,
    /// Bytes that may still be searched elsewhere than near it.
    far: usize,
}

impl ArticleText {
    fn of(article: &Article) -> ArticleText {
        ArticleText { title: article.title.clone(), body: article.text(), at: 0, far: FAR }
    }

    fn has(&mut self, label: &Label) -> bool {
        let is_of_body =
            label.href.is_none() && label.text.split_whitespace().count() > 2 && self.find(&label.text);
        is_of_body || self.title.as_deref() == Some(&label.text)
    }

    /// Whether the body holds a text. Texts of the body cost their own length; others cost the budget, and once that is used up, those
    /// out of order are no longer found.
    fn find(&mut self, text: &str) -> bool {
        let mut near = self.at.saturating_add(text.len()).saturating_add(NEAR).min(self.body.len());
        while !self.body.is_char_boundary(near) {
            near -= 1;
        }
        if let Some(found) = self.body.get(self.at..near).and_then(|near| near.find(text)) {
            self.at += found + text.len();
            return true;
        }
        if self.far < self.body.len() {
            return false;
        }
        self.far -= self.body.len();
        match self.body.find(text) {
            Some(found) => {
                self.at = found + text.len();
                true
            }
            None => false,
        }
    }
}

/// A line of the drawing.
struct LabelLine<'a> {
    /// Number of headers above it.
    depth: usize,
    label: &'a Label,
    is_header: bool,
    block: Block,
    /// Whether a segment of the page begins here.
    begins: bool,
}

/// The labels in the page's order.
fn label_lines(hierarchy: &Hierarchy) -> Vec<LabelLine<'_>> {
    // By node: headers above it, and its block.
    let mut above: Vec<(usize, Block)> = Vec::new();
    let (mut lines, mut begins) = (Vec::new(), false);
    for node in hierarchy.nodes.iter().take(MOST) {
        let parent = node.parent.and_then(|parent| above.get(parent as usize)).copied();
        let (depth, block) = parent.unwrap_or((0, Block::Rest));
        let block = node.block.unwrap_or(block);
        let is_header = node.label.is_some() && node.kind != NodeKind::Label;
        above.push((depth + usize::from(is_header), block));
        begins |= node.kind == NodeKind::Segment;
        if let Some(label) = &node.label {
            lines.push(LabelLine { depth: depth.min(DEEPEST), label, is_header, block, begins });
            begins = false;
        }
    }
    lines
}

fn draw_lines(hierarchy: &Hierarchy, taken: &mut ArticleText) -> Markup {
    let left_out = hierarchy.nodes.len().saturating_sub(MOST);
    html! {
        @for line in label_lines(hierarchy) {
            p class=(line_classes(&line)) dir="auto" {
                @if taken.has(line.label) { mark { (label_text(line.label)) } } @else { (label_text(line.label)) }
            }
        }
        @if left_out > 0 { p.soft { "and " (left_out) " nodes more" } }
    }
}

fn line_classes(line: &LabelLine<'_>) -> String {
    let (header, begins) =
        (if line.is_header { " header" } else { "" }, if line.begins { " begins" } else { "" });
    format!("{} deep{}{header}{begins}", line.block.name(), line.depth)
}

fn label_text(label: &Label) -> Markup {
    match label.href.as_deref().filter(|href| page_url(href).is_some()) {
        Some(href) => html! { a href=(href) rel="noopener noreferrer nofollow" { (label.text) } },
        None => html! { (label.text) },
    }
}

#[cfg(test)]
mod tests {
    use newslode_page::{Page, Params, hierarchy};

    use super::*;

    #[test]
    fn lines_stand_below_their_headers() {
        let url = "https://a.test/".parse().unwrap();
        let html = "<h2>Sport</h2><ul><li><a href=/cup>Cup</a><li><a href=/tour>Tour</a></ul>";
        let hierarchy = hierarchy(&Page::parse(&url, None, html.as_bytes()), &Params::default());
        let lines = label_lines(&hierarchy);
        let shown: Vec<_> = lines
            .iter()
            .map(|line| (line.label.text.as_str(), line.depth, line.is_header, line.begins))
            .collect();
        assert_eq!(shown, [("Sport", 0, true, true), ("Cup", 1, false, false), ("Tour", 1, false, false)]);
        let mut taken = ArticleText { title: Some("Cup".into()), body: String::new(), at: 0, far: FAR };
        let drawn = draw_lines(&hierarchy, &mut taken).0;
        assert!(
            drawn.contains("<mark><a href=\"https://a.test/cup\"") && drawn.contains("class=\"rest deep1\""),
            "{drawn}"
        );
    }

    #[test]
    fn the_search_for_what_became_the_article_is_bounded() {
        let passages: Vec<String> =
            (0..4_000).map(|number| format!("passage number {number} of many")).collect();
        let body = passages.join("\n\n") + &" filler".repeat(1 << 18);
        let mut text = ArticleText { title: None, body, at: 0, far: FAR };
        let steps = FAR / text.body.len();
        // In order, all of them are found without the budget.
        assert!(passages.iter().all(|passage| text.find(passage)));
        assert_eq!(text.far, FAR);
        assert!(text.find(&passages[7]) && text.find(&passages[8]));
        let tried = (0..1_000).filter(|_| !text.find("is not there at all")).count();
        assert_eq!((tried, text.far / text.body.len()), (1_000, 0));
        assert!(steps > 1 && !text.find(&passages[2]), "what is far costs too much now");
        assert!(text.find(&passages[9]));
    }
}
