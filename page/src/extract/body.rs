//! The text of one article from its page alone, as blocks.
//!
//! Each run of text is measured and scored ([`Scorer`]). Runs are taken by falling score as long as that raises
//! the expected F1. So a page of uncertain runs gives more than its certain part, and a clear page is cut where
//! the scores drop. A template writes all paragraphs of an article alike, so runs with the signature of a large
//! part of the chosen text are body wherever they are. What is surely no part of the story is taken out, and linked
//! lines inside it are put in ([`mend`]). If a page shows little text, the longer text in its metadata, in a feed of its
//! site, for browsers without scripts, or in its scripts is used.
//!
//! Invariant: blocks are in page order; linear in the size of the page, apart from sorting its runs.

use crate::article::{Block, BlockKind, Evidence, MAX_TEXT};
use crate::reading::{Listed, NodeId, PageTree, squash};
use rustc_hash::FxHashMap;

use super::measures::{self, Claims};
use super::runs::{Run, Runs};
use super::scripts;
use super::selection::{Choice, with_best_f};
use super::site::SiteContext;
use super::state;
use super::structure::blocks_of;
use super::visible::Visible;
use crate::Page;
use crate::text::{letters, words_of_prose};

mod mend;

/// The metadata's text is used if it has this many words, and this many times the words of the shown text.
const LEAST_HIDDEN_WORDS: f32 = 80.0;
const TIMES_VISIBLE_WORDS: f32 = 2.0;
/// The same for a text that surely is the story's, or that a browser may show.
const LEAST_OWN_WORDS: f32 = 40.0;
/// The method that took the text from a feed.
pub(super) const FEED: &str = "feed";
/// A page that shows more is not searched any further.
const MOST_SHOWN_WORDS: f32 = 150.0;
/// Least words of a text for browsers without scripts that may be a story's.
const LEAST_NOSCRIPT_WORDS: f32 = 12.0;

/// Share of the chosen words that a signature must have to count as the body's.
const MAIN_SHARE: f32 = 0.2;
/// Runs are added for their signature if they have this many words, a smaller share of links, and at least this
/// score.
const SIGNATURE_LEAST_WORDS: f32 = 4.0;
const SIGNATURE_MOST_LINKS: f32 = 0.5;
const SIGNATURE_LEAST_SCORE: f32 = 0.05;

/// A data table has at least this many cells, at most this many words in each, and at most this share of links.
const LEAST_CELLS: usize = 4;
const CELL_WORDS: f32 = 25.0;
const TABLE_LINKS: f32 = 0.5;

/// The most lines above the title that are removed with it, and the most words of such a line.
const LINES_ABOVE_TITLE: usize = 3;
const ABOVE_TITLE_WORDS: f32 = 12.0;

/// The score of a run that is only a link.
const LINK_SCORE: f32 = 0.001;

pub(super) struct Body {
    pub(super) blocks: Vec<Block>,
    pub(super) method: &'static str,
    /// Evidence for the knowledge of the site that changed the choice, if any did.
    pub(super) witness: Option<Evidence>,
}

/// The text of the page, without blocks that repeat the title.
pub(super) fn read_body(
    page: &Page,
    runs: &Runs,
    claims: &Claims,
    title: Option<&str>,
    choice: Choice<'_>,
    site_context: Option<&SiteContext<'_>>,
) -> Body {
    let mut body = shown_body(page, runs, claims, title, choice, site_context);
    if let Some(hidden) = hidden_body(page, claims, title, choice, &body) {
        body = hidden;
    }
    take_out_title(title, &mut body.blocks);
    let mut left = MAX_TEXT;
    body.blocks.retain(|block| {
        let fits = block.text.len() <= left;
        left = if fits { left - block.text.len() } else { 0 };
        fits
    });
    body
}

/// Removes the title, which has a field of its own, from the body, together with the short lines above it (kickers). Prose above the
/// title stays.
fn take_out_title(title: Option<&str>, blocks: &mut Vec<Block>) {
    let Some(title) = title.map(letters).filter(|title| !title.is_empty()) else { return };
    let is_text = |block: &Block| !block.text.is_empty();
    let is_short = |block: &Block| {
        matches!(block.kind, BlockKind::Heading | BlockKind::Paragraph)
            && words_of_prose(&block.text) <= ABOVE_TITLE_WORDS
    };
    let top =
        blocks.iter().take_while(|block| !is_text(block) || is_short(block) || letters(&block.text) == title);
    let texts: Vec<usize> = top.enumerate().filter(|(_, block)| is_text(block)).map(|(at, _)| at).collect();
    let Some(end) =
        texts.iter().take(LINES_ABOVE_TITLE + 1).position(|&at| letters(&blocks[at].text) == title)
    else {
        return;
    };
    texts[..=end].iter().rev().for_each(|&at| drop(blocks.remove(at)));
}

/// The text that the page shows.
fn shown_body(
    page: &Page,
    runs: &Runs,
    claims: &Claims,
    title: Option<&str>,
    choice: Choice<'_>,
    site_context: Option<&SiteContext<'_>>,
) -> Body {
    let (mut chosen, witness) = choose_runs(page, runs, claims, choice, site_context);
    let headline = Visible::new(page, runs, title).headline();
    mend::mend_choice(page, runs, headline, choice.focus, &mut chosen);
    let blocks = blocks_of(page, runs, chosen, headline, claims);
    Body { blocks, method: "runs", witness }
}

/// Which runs are body, and the evidence if knowledge of the site changed the choice.
pub(super) fn choose_runs(
    page: &Page,
    runs: &Runs,
    claims: &Claims,
    choice: Choice<'_>,
    site_context: Option<&SiteContext<'_>>,
) -> (Vec<bool>, Option<Evidence>) {
    // 1. Score every run but mere links and buttons, which are many.
    let measures = measures::measure_runs(page, runs, claims, |run| !run.is_control());
    let mut measured = choice.scorer.scores(&measures.values).into_iter();
    let score = |run: &Run| if run.is_control() { None } else { measured.next() };
    let mut scores: Vec<f32> = runs.runs.iter().map(score).map(|score| score.unwrap_or(LINK_SCORE)).collect();
    average_table_scores(&page.tree, &runs.runs, &mut scores);
    // 2. Shift the scores by what the site is known to repeat, or was taught.
    let (witness, is_site_text) = match site_context {
        Some(site_context) => site_context.rescore(&mut scores),
        None => (None, vec![false; scores.len()]),
    };
    // 3. Choose, and add the runs that are marked up like the chosen ones.
    let mut chosen = with_best_f(&runs.runs, &scores, choice.focus);
    // Texts that the site repeats between an article's paragraphs share the paragraphs' signature, so they must not be
    // added back for it.
    let own_scores =
        scores.iter().zip(is_site_text).map(|(score, is_site_text)| if is_site_text { 0.0 } else { *score });
    add_runs_of_main_signatures(&runs.runs, &own_scores.collect::<Vec<f32>>(), &measures.paths, &mut chosen);
    (chosen, witness)
}

/// Gives all cells of a data table their mean score, so it is body or not as a whole. A table with longer texts
/// is a layout and left alone.
fn average_table_scores(tree: &PageTree, runs: &[Run], scores: &mut [f32]) {
    let mut tables: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
    let above = nearest_tables(tree);
    for (number, run) in runs.iter().enumerate() {
        if let Some(table) = above[run.block.index()] {
            tables.entry(table).or_default().push(number);
        }
    }
    for cells in tables.into_values() {
        let is_short = cells.iter().all(|&cell| runs[cell].words <= CELL_WORDS);
        let (words, links) = cells.iter().fold((0.0, 0.0), |(words, links), &cell| {
            (words + runs[cell].words, links + runs[cell].link_words)
        });
        if words <= 0.0 || cells.len() < LEAST_CELLS || !is_short || links > TABLE_LINKS * words {
            continue;
        }
        let sum: f32 = cells.iter().map(|&cell| runs[cell].words * scores[cell]).sum();
        cells.iter().for_each(|&cell| scores[cell] = sum / words);
    }
}

/// For each node the innermost table that it is or is in.
fn nearest_tables(tree: &PageTree) -> Vec<Option<NodeId>> {
    let mut nearest: Vec<Option<NodeId>> = Vec::with_capacity(tree.len());
    for node in tree.node_ids() {
        let above = tree.parent(node).and_then(|above| nearest[above.index()]);
        nearest.push(if tree.tag(node) == Some("table") { Some(node) } else { above });
    }
    nearest
}

/// Adds the runs that share a signature with a large part of the chosen text.
fn add_runs_of_main_signatures(runs: &[Run], scores: &[f32], paths: &[u64], chosen: &mut [bool]) {
    let mut words_by_path: FxHashMap<u64, f32> = FxHashMap::default();
    let mut total = 0.0;
    for ((run, path), _) in runs.iter().zip(paths).zip(&*chosen).filter(|(_, chosen)| **chosen) {
        *words_by_path.entry(*path).or_default() += run.words;
        total += run.words;
    }
    for (((run, path), score), chosen) in runs.iter().zip(paths).zip(scores).zip(chosen) {
        let is_main = words_by_path.get(path).is_some_and(|words| *words >= MAIN_SHARE * total);
        let is_text = run.words >= SIGNATURE_LEAST_WORDS && run.link_share() < SIGNATURE_MOST_LINKS;
        *chosen |= is_main && is_text && *score >= SIGNATURE_LEAST_SCORE;
    }
}

/// The text that the page does not show: in its metadata, in a feed, for browsers without scripts, or in its data.
fn hidden_body(
    page: &Page,
    claims: &Claims,
    title: Option<&str>,
    choice: Choice<'_>,
    shown: &Body,
) -> Option<Body> {
    let words = words_of(shown);
    let least = |least: f32| least.max(TIMES_VISIBLE_WORDS * words);
    let of_text = |text: &str, method| Body { blocks: paragraphs(text), method, witness: None };
    if let Some(text) =
        claims.body.as_deref().filter(|text| words_of_prose(text) >= least(LEAST_HIDDEN_WORDS))
    {
        return Some(of_text(text, "json-ld"));
    }
    if let Some(body) = feed_body(page, title, least(LEAST_OWN_WORDS)) {
        return Some(body);
    }
    // Looking further is for pages that show little.
    if words >= MOST_SHOWN_WORDS {
        return None;
    }
    if let Some(body) = body_without_scripts(page, claims, title, choice)
        .filter(|body| words_of(body) >= least(LEAST_OWN_WORDS))
    {
        return Some(body);
    }
    let titles: Vec<String> =
        claims.titles.iter().chain(title.map(str::to_owned).as_ref()).cloned().collect();
    if let Some(text) =
        state::story_text(page, &titles).filter(|text| words_of_prose(text) >= least(LEAST_OWN_WORDS))
    {
        return Some(of_text(&text, "script"));
    }
    scripts::longest_prose(page, words).map(|text| of_text(&text, "script"))
}

/// The text that a feed of the site holds, if it has at least this many words, without the line at its end that leads to the
/// page: "The post … appeared first on …".
fn feed_body(page: &Page, title: Option<&str>, least: f32) -> Option<Body> {
    let Listed { entry, html } = page.listed.as_ref()?;
    // With its markup it has no fewer words. Most pages show their text themselves, so this spares the parsing.
    let most = |html: &str| html.split(['<', '&']).map(words_of_prose).sum::<f32>();
    let html = html.as_ref().filter(|html| most(html) >= least)?;
    let text = Page::parse(&page.url, Some("text/html; charset=utf-8"), html.as_bytes());
    let runs = Runs::new(&text);
    let mut chosen: Vec<bool> = runs.runs.iter().map(|run| !run.is_control()).collect();
    let titles = [title, entry.title.as_deref()].into_iter().flatten().map(letters);
    let titles: Vec<String> = titles.filter(|title| !title.is_empty()).collect();
    if let Some(last) = chosen.iter().rposition(|is_chosen| *is_chosen) {
        let written = letters(&runs.runs[last].text);
        let names_story = titles.iter().any(|title| written.contains(title));
        chosen[last] = runs.runs[last].link_words == 0.0 || !names_story;
    }
    let blocks = blocks_of(&text, &runs, chosen, 0, &Claims::default());
    let body = Body { blocks, method: FEED, witness: None };
    Some(body).filter(|body| words_of(body) >= least)
}

/// The text that the page shows to browsers without scripts.
fn body_without_scripts(
    page: &Page,
    claims: &Claims,
    title: Option<&str>,
    choice: Choice<'_>,
) -> Option<Body> {
    let tree = &page.tree;
    let mut parts = tree.node_ids().filter(|&node| tree.tag(node) == Some("noscript"));
    let holds_text = |node| {
        tree.descendants(node)
            .filter_map(|node| tree.text(node))
            .any(|text| words_of_prose(text) >= LEAST_NOSCRIPT_WORDS)
    };
    parts.any(holds_text).then(|| shown_body(page, &Runs::without_scripts(page), claims, title, choice, None))
}

fn words_of(body: &Body) -> f32 {
    body.blocks.iter().map(|block| words_of_prose(&block.text)).sum()
}

/// The lines of a plain text as paragraphs.
pub(super) fn paragraphs(text: &str) -> Vec<Block> {
    let lines = text.lines().map(squash).filter(|line| !line.is_empty());
    lines.map(|text| Block::new(BlockKind::Paragraph, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn read(html: &str, claims: &Claims) -> (Vec<(BlockKind, String)>, &'static str) {
        let page = page(html);
        let found =
            read_body(&page, &Runs::new(&page), claims, Some("Bridge stays open"), Choice::default(), None);
        (found.blocks.into_iter().map(|block| (block.kind, block.text)).collect(), found.method)
    }

    const SENTENCES: [&str; 4] = [
        "The council voted on Tuesday to keep the old bridge open for another year, after hundreds had asked for it.",
        "Engineers will look at it every month, the mayor said, and a new bridge is planned for the next decade.",
        "It was built in 1907, survived two floods and a war, and carries forty thousand cars on every working day.",
        "The vote was close: nine were for it and eight against it, and two stayed away from the meeting.",
    ];

    #[test]
    fn the_article_is_taken_and_what_surrounds_it_is_not() {
        let text: String = SENTENCES.iter().map(|sentence| format!("<p>{sentence}</p>")).collect();
        let links: String =
            (0..8).map(|n| format!("<li><a href=/{n}>Another story number {n} of today</a>")).collect();
        let html = format!(
            "<nav><a href=/a>News</a><a href=/b>Sport</a></nav><article><h1>Bridge stays open</h1>{text}\
             <figure><img src=x><figcaption>The bridge. Photo: A. Lovelace</figcaption></figure></article>\
             <aside class=related><h3>Related</h3><ul>{links}</ul></aside><footer>© The Post, all rights reserved.</footer>"
        );
        let (blocks, method) =
            read(&html, &Claims { titles: vec!["Bridge stays open".into()], ..Claims::default() });
        let picture = (BlockKind::Picture, String::new());
        let texts = SENTENCES.map(|text| (BlockKind::Paragraph, text.to_owned()));
        assert_eq!(blocks, texts.into_iter().chain([picture]).collect::<Vec<_>>());
        assert_eq!(method, "runs");
    }

    #[test]
    fn metadata_stand_in_for_what_is_not_shown() {
        let claims = Claims { body: Some(SENTENCES.repeat(3).join("\n")), ..Claims::default() };
        let (blocks, method) = read("<h1>Bridge stays open</h1><p>Subscribe to read on.", &claims);
        assert_eq!((blocks.len(), method), (12, "json-ld"));
    }

    #[test]
    fn the_cells_of_a_table_are_taken_or_left_together() {
        let page = page("<table><tr><td>one<td>two<tr><td>three four<td>five</table><p>six");
        let runs = Runs::new(&page).runs;
        let check = |scores: [f32; 5], expected: [f32; 5]| {
            let mut even = scores;
            average_table_scores(&page.tree, &runs, &mut even);
            assert!(even.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{scores:?}: {even:?}");
        };
        check([0.1, 0.2, 0.4, 0.4, 0.9], [0.3, 0.3, 0.3, 0.3, 0.9]);
        let layout = crate::testing::page(&format!(
            "<table><tr><td>one<td>two<tr><td>{}<td>five</table>",
            SENTENCES.join(" ")
        ));
        let mut scores = [0.1, 0.2, 0.9, 0.4];
        average_table_scores(&layout.tree, &Runs::new(&layout).runs, &mut scores);
        assert_eq!(scores, [0.1, 0.2, 0.9, 0.4]);
    }

    #[test]
    fn what_is_written_like_much_of_the_text_is_text() {
        let links = "<a href=/x>all of it is one long link to elsewhere</a>";
        let page = page(&format!(
            "<p>one two three four<p>five six seven eight<p>nine<p>{links}<div>ten eleven twelve more</div>"
        ));
        let runs = Runs::new(&page).runs;
        let check = |scores: [f32; 5], expected: [bool; 5]| {
            let mut chosen: Vec<bool> = scores.iter().map(|score| *score > 0.5).collect();
            add_runs_of_main_signatures(&runs, &scores, &[1, 1, 1, 1, 2], &mut chosen);
            assert_eq!(chosen, expected, "{scores:?}");
        };
        check([0.9, 0.2, 0.2, 0.2, 0.2], [true, true, false, false, false]);
        check([0.9, 0.01, 0.2, 0.2, 0.2], [true, false, false, false, false]);
        check([0.2, 0.2, 0.2, 0.2, 0.2], [false; 5]);
    }

    #[test]
    fn the_title_and_short_lines_above_it_are_no_text() {
        let texts = |title: &str, written: &[(BlockKind, &str)]| -> Vec<String> {
            let mut blocks: Vec<Block> =
                written.iter().map(|(kind, text)| Block::new(*kind, *text)).collect();
            take_out_title(Some(title), &mut blocks);
            blocks.into_iter().map(|block| block.text).collect()
        };
        let long = "The council voted on Tuesday to keep the old bridge open for another year, after hundreds asked.";
        use BlockKind::{Heading, Paragraph, Picture};
        let title = "Bridge stays open";
        let found = texts(
            title,
            &[(Heading, "The town"), (Picture, ""), (Heading, "Bridge stays  open"), (Paragraph, long)],
        );
        assert_eq!(found, ["", long]);
        // What stands behind prose is a heading of the text, and without the title nothing is its line.
        let kept = [(Paragraph, long), (Heading, title)];
        assert_eq!(texts(title, &kept), [long, title]);
        assert_eq!(texts("Another", &[(Heading, "The town"), (Paragraph, long)]), ["The town", long]);
    }
}
