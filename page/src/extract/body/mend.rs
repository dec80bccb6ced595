//! Mends the choice of runs where the page itself says more than the trees see.
//!
//! Taken out: texts of readers and of other stories, second copies, and lines about the story before it begins.
//! Put in: lines that are only a link, where a reader takes them for part of the text, and the rest of quotations and lists of
//! which most is chosen.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::Page;
use crate::article::MarkKind;
use crate::extract::foreign::foreign_runs;
use crate::extract::runs::{Run, RunMark, Runs, ends_sentence};
use crate::extract::selection::Focus;
use crate::reading::{NodeId, PageTree};
use crate::text::letters;

/// Least words of a text whose second occurrence is a copy.
const COPY_WORDS: f32 = 8.0;
/// Share of the words in copies from which the story is there twice.
const COPIED: f32 = 0.3;
/// Most words of a line about the story, also for each number in it.
const LINE_WORDS: f32 = 16.0;
const WORDS_A_NUMBER: f32 = 4.0;
/// Words in asides for each word outside, at most, to be beside the story.
const ASIDE: f32 = 1.0;
/// Most words of a label before a link, and most nodes of such a line.
const LABEL_WORDS: f32 = 4.0;
const MOST_NODES: usize = 40;
/// Least letters of a linked line that says something; fewer are a number or a mark.
const LEAST_LETTERS: usize = 4;
/// Share of a line's words in links from which it is mostly links.
const MOSTLY_LINKS: f32 = 0.4;
/// Least words of a linked line that is a sentence.
const SENTENCE_WORDS: f32 = 5.0;
/// Share of a quotation's words or a list's items that must be chosen for the rest to follow, and most elements between a run and
/// these.
const REST: f32 = 0.5;
const MOST_ABOVE: usize = 4;
/// Most words of a quotation that is chosen for its place.
const QUOTATION_WORDS: f32 = 80.0;
/// Most quotations that are looked at: each is searched for in the whole text.
const MOST_QUOTATIONS: usize = 100;
/// Parts of classes of posts of services.
const POSTS: [&str; 6] = ["twitter", "instagram", "tiktok", "embed", "fb-", "text-post-media"];
/// Least letters of a path that tells a page from others.
const LEAST_PATH: usize = 6;
/// Most characters of the mark that refers to a note.
const NOTE_MARK: u32 = 6;
/// Most marks of a run that are searched for references to notes.
const MOST_MARKS: usize = 200;
/// Ends of addresses of files that are no pages.
const FILES: [&str; 9] = [".pdf", ".doc", ".docx", ".xls", ".xlsx", ".csv", ".odt", ".zip", ".epub"];

/// Mends which runs are chosen. `headline` is the number of the headline's run.
pub(super) fn mend_choice(page: &Page, runs: &Runs, headline: usize, focus: Focus, chosen: &mut [bool]) {
    if !chosen.contains(&true) {
        return;
    }
    let mut is_out = foreign_runs(page, runs, headline);
    take_out(chosen, &is_out);
    let mut also_take_out = |chosen: &mut [bool], are_out: Vec<bool>| {
        take_out(chosen, &are_out);
        is_out.iter_mut().zip(are_out).for_each(|(is_out, also)| *is_out |= also);
    };
    also_take_out(chosen, copies(&runs.runs, chosen));
    also_take_out(chosen, dates_before_story(&runs.runs, chosen));
    also_take_out(chosen, pointers(page, &runs.runs, chosen));
    also_take_out(chosen, asides(&page.tree, &runs.runs, chosen));
    put_in_linked_lines(page, &runs.runs, chosen);
    put_in_rests(&page.tree, runs, &is_out, chosen);
    put_in_quotations(&page.tree, runs, &is_out, chosen);
    put_in_notes(&page.tree, &runs.runs, &is_out, chosen);
    if focus == Focus::Recall {
        put_in_all_linked_lines(&page.tree, &runs.runs, &is_out, chosen);
    }
}

fn take_out(chosen: &mut [bool], is_out: &[bool]) {
    for (chosen, is_out) in chosen.iter_mut().zip(is_out) {
        *chosen &= !is_out;
    }
}

/// Chosen texts that were chosen before, if the story seems to be there twice. A text may repeat single lines.
fn copies(runs: &[Run], chosen: &[bool]) -> Vec<bool> {
    let (mut seen, mut copied, mut all) = (FxHashSet::default(), 0.0, 0.0);
    let mut is_copy = vec![false; runs.len()];
    for (at, run) in runs.iter().enumerate().filter(|(at, _)| chosen[*at]) {
        is_copy[at] = run.words >= COPY_WORDS && !seen.insert(run.text.as_str());
        all += run.words;
        copied += if is_copy[at] { run.words } else { 0.0 };
    }
    if copied < COPIED * all {
        is_copy.fill(false);
    }
    is_copy
}

/// Chosen lines before the first prose that tell when the story was published or changed.
fn dates_before_story(runs: &[Run], chosen: &[bool]) -> Vec<bool> {
    let is_date = |run: &Run| {
        let numbers: Vec<&str> =
            run.text.split(|c: char| !c.is_numeric()).filter(|number| !number.is_empty()).collect();
        let is_year =
            |number: &&str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
        numbers.iter().any(is_year)
            && numbers.len() > 1
            && run.words <= LINE_WORDS.min(WORDS_A_NUMBER * numbers.len() as f32)
    };
    let mut is_before = true;
    let mut is_out = vec![false; runs.len()];
    for (at, run) in runs.iter().enumerate().filter(|(at, _)| chosen[*at]) {
        is_out[at] = is_before && is_date(run);
        is_before &= is_out[at] || !run.is_prose();
    }
    is_out
}

/// Chosen texts in `aside` elements, if more of the story is outside.
fn asides(tree: &PageTree, runs: &[Run], chosen: &[bool]) -> Vec<bool> {
    let is_aside: Vec<bool> = runs
        .iter()
        .zip(chosen)
        .map(|(run, is_chosen)| *is_chosen && tree.is_inside(run.block, &["aside"]))
        .collect();
    let words = |wanted: bool| -> f32 {
        let of = runs
            .iter()
            .zip(chosen)
            .zip(&is_aside)
            .filter(|((_, is_chosen), aside)| **is_chosen && **aside == wanted);
        of.map(|((run, _), _)| run.words).sum()
    };
    if words(true) > ASIDE * words(false) { vec![false; runs.len()] } else { is_aside }
}

/// Chosen lines that are a label and a link to another page of the site: "Read also: …".
fn pointers(page: &Page, runs: &[Run], chosen: &[bool]) -> Vec<bool> {
    let leads_to_page = |run: &Run| {
        let end = page.tree.subtree_end(run.block);
        let nodes = page
            .tree
            .descendants(run.block)
            .skip_while(|node| *node < run.first)
            .take_while(|node| *node < end);
        let mut links = nodes.take(MOST_NODES).filter(|&node| page.tree.tag(node) == Some("a"));
        links.next().and_then(|link| page.target(link)).is_some_and(|target| target.site() == page.url.site())
    };
    let is_pointer = |run: &Run| {
        let label =
            run.text.split_once([':', '：']).map(|(label, _)| label.split_whitespace().count() as f32);
        run.link_words > 0.0
            && run.words <= LINE_WORDS
            && label.is_some_and(|label| label <= LABEL_WORDS && run.words - run.link_words <= label)
            && !ends_sentence(&run.text)
            && leads_to_page(run)
    };
    runs.iter().zip(chosen).map(|(run, is_chosen)| *is_chosen && is_pointer(run)).collect()
}

/// Chooses lines that are only a link: sentences between chosen runs, and lists of sources.
fn put_in_linked_lines(page: &Page, runs: &[Run], chosen: &mut [bool]) {
    let Some(story) = story_range(&page.tree, runs, chosen) else { return };
    let last = chosen.iter().rposition(|is_chosen| *is_chosen).unwrap_or(0);
    let parents: FxHashSet<Option<NodeId>> = runs
        .iter()
        .zip(&*chosen)
        .filter(|(_, is_chosen)| **is_chosen)
        .map(|(run, _)| page.tree.parent(run.block))
        .collect();
    let mut lines: Vec<usize> = Vec::new();
    for at in story {
        let run = &runs[at];
        if !run.is_mere_link() || run.is_button || chosen[at] {
            // A row of links ends at anything else.
            lines.clear();
            let is_among = at < last && parents.contains(&page.tree.parent(run.block));
            chosen[at] |= is_among && !run.is_button && is_line_of_sources(page, run);
            continue;
        }
        let Some(link) = link_of(&page.tree, run) else { continue };
        let is_among = at < last && parents.contains(&page.tree.parent(run.block));
        let is_sentence = is_among
            && run.words >= SENTENCE_WORDS
            && ends_sentence(&run.text)
            && !run.text.ends_with(['!', '?', '！', '？', '…'])
            && !run.text.ends_with("...");
        let is_item = page.tree.is_inside(run.block, &["li"]);
        let leads = |end: &str| end.ends_with(':') || end.ends_with('：');
        // A list of sources has a line that says so above it.
        let above = at.checked_sub(1 + lines.len());
        let is_led = above.is_some_and(|above| {
            let is_heading = is_heading(&page.tree, &runs[above]) && (chosen[above] || at < last);
            is_heading || (chosen[above] && leads(&runs[above].text))
        });
        let is_source = (is_among || (is_item && is_led)) && leads_to_source(page, link);
        let is_listed = is_item && is_led && is_source;
        let is_address = run.text.contains("://") || (run.text.contains('/') && !run.text.contains(' '));
        // A line between paragraphs that leads to a file or another site is no teaser of the site's own.
        let is_reference = is_among && is_source && letters(&run.text).len() >= LEAST_LETTERS;
        if is_reference || (!is_address && (is_sentence || is_listed)) {
            chosen[at] = true;
        }
        if let Some(above) = above.filter(|_| is_listed) {
            chosen[above] = true;
        }
        lines.push(at);
    }
}

/// Whether a line is mostly links, several with a few words between them, and all lead to files or other sites. One link beside a few
/// words is often a credit or the source of a post.
fn is_line_of_sources(page: &Page, run: &Run) -> bool {
    let links = || run.marks.iter().filter(|mark| mark.kind == MarkKind::Link).take(MOST_MARKS);
    run.link_share() >= MOSTLY_LINKS
        && links().nth(1).is_some()
        && links().all(|mark| leads_to_source(page, mark.node))
}

/// Chooses lines that are mostly links between the story's paragraphs, wherever they lead, and such items of its lists. Most of these are
/// the site's teasers, but some are the story's own.
fn put_in_all_linked_lines(tree: &PageTree, runs: &[Run], is_out: &[bool], chosen: &mut [bool]) {
    let (Some(first), Some(last)) =
        (chosen.iter().position(|is_chosen| *is_chosen), chosen.iter().rposition(|is_chosen| *is_chosen))
    else {
        return;
    };
    let parents: FxHashSet<Option<NodeId>> =
        chosen_runs(runs, chosen).map(|run| tree.parent(run.block)).collect();
    for at in first..last {
        let run = &runs[at];
        let is_line =
            !run.is_button && run.link_share() >= MOSTLY_LINKS && letters(&run.text).len() >= LEAST_LETTERS;
        let above = tree.parent(run.block);
        let list = above.filter(|&above| matches!(tree.tag(above), Some("ul" | "ol")));
        let is_among =
            || parents.contains(&above) || list.is_some_and(|list| parents.contains(&tree.parent(list)));
        chosen[at] |= !is_out[at] && is_line && is_among();
    }
}

/// Chooses the rest of quotations and lists of which most is chosen: who said it, and short items. A quotation or list of which
/// something was taken out stays as it is.
fn put_in_rests(tree: &PageTree, runs: &Runs, is_out: &[bool], chosen: &mut [bool]) {
    let mut holders: FxHashSet<NodeId> = FxHashSet::default();
    for (run, _) in runs.runs.iter().zip(&*chosen).filter(|(_, is_chosen)| **is_chosen) {
        let mut up = std::iter::once(run.block).chain(tree.ancestors(run.block)).take(MOST_ABOVE);
        holders.extend(up.find(|&node| matches!(tree.tag(node), Some("blockquote" | "ul" | "ol"))));
    }
    for holder in holders {
        let inside = runs.under(tree, holder);
        if is_out[inside.clone()].contains(&true) {
            continue;
        }
        let (mut of_story, mut all) = (0.0, 0.0);
        for at in inside.clone() {
            // Items count alike, quotations by their words.
            let weight = if tree.tag(holder) == Some("blockquote") { runs.runs[at].words } else { 1.0 };
            all += weight;
            of_story += if chosen[at] { weight } else { 0.0 };
        }
        if of_story >= REST * all {
            inside.filter(|&at| !runs.runs[at].is_control()).for_each(|at| chosen[at] = true);
        }
    }
}

/// Chooses short quotations that stand among the story's paragraphs, or directly behind the last one, and do not repeat its text.
/// A post in the form of a quotation is none.
fn put_in_quotations(tree: &PageTree, runs: &Runs, is_out: &[bool], chosen: &mut [bool]) {
    let (Some(first), Some(last)) =
        (chosen.iter().position(|is_chosen| *is_chosen), chosen.iter().rposition(|is_chosen| *is_chosen))
    else {
        return;
    };
    let is_candidate = |at: &usize| !chosen[*at] && !is_out[*at];
    let holder = |at: usize| {
        let block = runs.runs[at].block;
        let mut up = std::iter::once(block).chain(tree.ancestors(block)).take(MOST_ABOVE);
        up.find(|&node| tree.tag(node) == Some("blockquote"))
    };
    let mut found: Vec<NodeId> =
        (first..runs.runs.len().min(last + 2)).filter(is_candidate).filter_map(holder).collect();
    found.dedup();
    found.truncate(MOST_QUOTATIONS);
    if found.is_empty() {
        return;
    }
    let parents: FxHashSet<Option<NodeId>> =
        chosen_runs(&runs.runs, chosen).map(|run| tree.parent(run.block)).collect();
    let text: String = chosen_runs(&runs.runs, chosen).map(|run| letters(&run.text)).collect();
    for quotation in found {
        let inside = runs.under(tree, quotation);
        let words: f32 = runs.runs[inside.clone()].iter().map(|run| run.words).sum();
        let outer =
            tree.parent(quotation).filter(|&above| tree.tag(above) == Some("figure")).unwrap_or(quotation);
        let is_post = tree.classes(quotation).any(|class| POSTS.iter().any(|part| class.contains(part)));
        let is_free = inside.clone().all(|at| !chosen[at] && !is_out[at] && !runs.runs[at].is_control());
        let is_new =
            || runs.runs[inside.clone()].first().is_some_and(|run| !text.contains(&letters(&run.text)));
        if is_free
            && !is_post
            && (SENTENCE_WORDS..=QUOTATION_WORDS).contains(&words)
            && parents.contains(&tree.parent(outer))
            && is_new()
        {
            chosen[inside].fill(true);
        }
    }
}

fn chosen_runs<'r>(runs: &'r [Run], chosen: &'r [bool]) -> impl Iterator<Item = &'r Run> {
    runs.iter().zip(chosen).filter(|(_, is_chosen)| **is_chosen).map(|(run, _)| run)
}

/// Chooses the notes to which the story's references lead: lines with the identifier that a link of the story names, which begin
/// with the link back, or are a paragraph or an item of a list.
fn put_in_notes(tree: &PageTree, runs: &[Run], is_out: &[bool], chosen: &mut [bool]) {
    let first_link =
        |run: &Run| run.marks.iter().find(|mark| mark.kind == MarkKind::Link).map(|mark| mark.node);
    // A copy of a site may have changed what stands before the fragment.
    let fragment =
        |link: NodeId| Some(tree.attr(link, "href")?.split_once('#')?.1).filter(|id| !id.is_empty());
    let (Some(first), Some(last)) =
        (chosen.iter().position(|is_chosen| *is_chosen), chosen.iter().rposition(|is_chosen| *is_chosen))
    else {
        return;
    };
    // References stand in captions, too, which are not chosen.
    let marks = runs[first..=last].iter().flat_map(|run| run.marks.iter().take(MOST_MARKS));
    // The mark of a note is short; longer links lead to parts of the text, or past an advertisement.
    let is_reference = |mark: &&RunMark| mark.kind == MarkKind::Link && mark.end - mark.start <= NOTE_MARK;
    let links = marks.filter(is_reference);
    let named: FxHashSet<&str> = links.filter_map(|mark| fragment(mark.node)).collect();
    if named.is_empty() {
        return;
    }
    let is_named = |node: NodeId| {
        ["id", "name"].iter().any(|name| tree.attr(node, name).is_some_and(|id| named.contains(id)))
    };
    for (at, run) in runs.iter().enumerate() {
        // The number of a note alone says nothing.
        if chosen[at] || is_out[at] || run.is_button || letters(&run.text).len() < LEAST_LETTERS {
            continue;
        }
        let back = first_link(run).filter(|&link| fragment(link).is_some());
        let leads_back = back.is_some_and(|back| {
            let mut up = std::iter::once(back).chain(tree.ancestors(back).take(MOST_ABOVE));
            up.any(is_named)
        });
        let is_line = matches!(tree.tag(run.block), Some("li" | "p" | "dd"));
        chosen[at] = leads_back || (is_line && is_named(run.block));
    }
}

/// The runs from the first chosen one to the last, and what follows the last in its container.
fn story_range(tree: &PageTree, runs: &[Run], chosen: &[bool]) -> Option<Range<usize>> {
    let first = chosen.iter().position(|is_chosen| *is_chosen)?;
    let last = chosen.iter().rposition(|is_chosen| *is_chosen)?;
    let container = tree.parent(runs[last].block)?;
    let end = runs.iter().skip(last).position(|run| !tree.is_ancestor(container, run.first));
    Some(first..end.map_or(runs.len(), |behind| last + behind))
}

fn is_heading(tree: &PageTree, run: &Run) -> bool {
    tree.is_inside(run.block, &["h2", "h3", "h4", "h5", "h6"])
}

/// The link that a run is.
fn link_of(tree: &PageTree, run: &Run) -> Option<NodeId> {
    let mut up = tree.ancestors(run.first);
    up.find(|&node| tree.tag(node) == Some("a") && tree.attr(node, "href").is_some())
}

fn leads_to_file(page: &Page, link: NodeId) -> bool {
    let href = page.tree.attr(link, "href").unwrap_or_default();
    let path = href.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    FILES.iter().any(|end| path.ends_with(end))
}

/// Whether a link leads to a file or another site, and not to a service where the page is shared.
fn leads_to_source(page: &Page, link: NodeId) -> bool {
    let shares = || {
        let href = page.tree.attr(link, "href").unwrap_or_default();
        // What is shared is the page, named by its host, or by its path alone.
        let query = href.split_once(['?', '#']).map_or("", |(_, query)| query).to_ascii_lowercase();
        let path = page.url.path().trim_matches('/').to_ascii_lowercase();
        let names_page =
            path.len() >= LEAST_PATH && (query.contains(&path) || query.contains(&path.replace('/', "%2f")));
        href.contains("share") || href.contains(page.url.host()) || href.contains("intent/") || names_page
    };
    let is_elsewhere = || page.target(link).is_some_and(|target| target.site() != page.url.site());
    leads_to_file(page, link) || (is_elsewhere() && !shares())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// Chooses the runs of a page that begin with a capital, and mends the choice.
    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        check_focus(Focus::Balanced, html, expected);
    }

    #[track_caller]
    fn check_focus(focus: Focus, html: &str, expected: &[&str]) {
        let page = page(html);
        let runs = Runs::new(&page);
        let mut chosen: Vec<bool> =
            runs.runs.iter().map(|run| run.text.starts_with(char::is_uppercase)).collect();
        mend_choice(&page, &runs, 0, focus, &mut chosen);
        let found = runs.runs.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
        assert_eq!(found.map(|(run, _)| run.text.as_str()).collect::<Vec<_>>(), expected, "{html}");
    }

    const LONG: &str = "The council voted on Tuesday to keep the old bridge open for another year.";

    #[test]
    fn second_copies_and_dates_are_taken_out() {
        check(&format!("<p>{LONG}<p>Yes.<p>{LONG}<p>Yes."), &[LONG, "Yes.", "Yes."]);
        check(
            &format!("<p>Updated 5 May 2024<p>{LONG}<p>Closed until 5 May 2024"),
            &[LONG, "Closed until 5 May 2024"],
        );
        check(&format!("<p>In 1931 it was built<p>{LONG}"), &["In 1931 it was built", LONG]);
    }

    #[test]
    fn labelled_links_to_other_pages_are_taken_out() {
        check(&format!("<p>{LONG}<p><b>Read also: <a href=/x>Mayor of the town resigns</a></b>"), &[LONG]);
        let said = "Mayor: <a href=/x>It is over</a>, she said.";
        check(&format!("<p>{LONG}<p>{said}"), &[LONG, "Mayor: It is over, she said."]);
    }

    #[test]
    fn linked_lines_of_the_text_are_put_in() {
        let link = |href: &str, text: &str| format!("<p><a href={href}>{text}</a></p>");
        let plan = "all plans can be read here.";
        check(&format!("<p>{LONG}{}<p>Yes.", link("/plans", plan)), &[LONG, plan, "Yes."]);
        check(&format!("<p>{LONG}{}<p>Yes.", link("/mayor", "mayor of the town resigns")), &[LONG, "Yes."]);
        check(&format!("<p>{LONG}{}<p>Yes.", link("/x.pdf", "the report")), &[LONG, "the report", "Yes."]);
        let list = |end: &str| {
            format!(
                "<div><p>{LONG}</p><p>Sources{end}</p><ul><li><a href=https://a.test/1>one</a><li><a href=https://a.test/2>two</a></ul></div>"
            )
        };
        check(&list(":"), &[LONG, "Sources:", "one", "two"]);
        check(&list("."), &[LONG, "Sources."]);
        let elsewhere = "https://other.test/1";
        check(&format!("<p>{LONG}{}<p>Yes.", link(elsewhere, "the plan")), &[LONG, "the plan", "Yes."]);
        check(&format!("<p>{LONG}{}<p>Yes.", link(elsewhere, "[1]")), &[LONG, "Yes."]);
        check(&format!("<p>{LONG}<p>Yes.{}", link(elsewhere, "the plan")), &[LONG, "Yes."]);
        let shared = "https://other.test/share?u=/story";
        check(&format!("<p>{LONG}{}<p>Yes.", link(shared, "send it on")), &[LONG, "Yes."]);
    }

    #[test]
    fn a_line_of_links_to_other_sites_is_put_in() {
        let line = |second: &str| {
            format!(
                "<p>{LONG}<p><a href=https://shop.test/1>white shirt</a>, wide – <a href='{second}'>black shoes</a><p>Yes."
            )
        };
        check(&line("https://shop.test/2"), &[LONG, "white shirt, wide – black shoes", "Yes."]);
        check(&line("/our-shoes"), &[LONG, "Yes."]);
        check(
            &format!("<p>{LONG}<p>photo: <a href=https://ada.test/1>ada lovelace</a><p>Yes."),
            &[LONG, "Yes."],
        );
    }

    #[test]
    fn a_focus_on_recall_keeps_linked_lines_among_the_paragraphs() {
        let html = format!(
            "<p>{LONG}<p><a href=/2>read on about floods</a><ul><li><a href=/3>a list of the bridges</a></ul><p>Yes.\
             <p><a href=/4>more about the town</a>"
        );
        check(&html, &[LONG, "Yes."]);
        let recall = [LONG, "read on about floods", "a list of the bridges", "Yes."];
        check_focus(Focus::Recall, &html, &recall);
    }

    #[test]
    fn quotations_among_the_paragraphs_are_put_in() {
        let quote = |class: &str, text: &str| {
            format!(
                "<div><p>{LONG}</p><figure><blockquote class='{class}'><p>{text}</p></blockquote></figure></div>"
            )
        };
        let said = "it is dear to all of us.";
        check(&quote("", said), &[LONG, said]);
        check(&quote("twitter-tweet", said), &[LONG]);
        check(&quote("", "keep the old bridge open for another year"), &[LONG]);
        check(&format!("<div><p>{LONG}</p></div><div><blockquote>{said}</blockquote></div>"), &[LONG]);
    }

    #[test]
    fn notes_to_which_the_story_refers_are_put_in() {
        let note = |id: &str| {
            format!(
                "<p>{LONG}<a href=#{id}>[1]</a><p><a id=note1 href=#back1>[1]</a> <a href=https://a.test/x>see the plan</a>"
            )
        };
        check(&note("note1"), &[&format!("{LONG}[1]"), "[1] see the plan"]);
        check(&note("note2"), &[&format!("{LONG}[1]")]);
        let list =
            format!("<p>{LONG}<a href=#fn1>1</a><ol><li id=fn1>the plan of the town<li id=fn2>others</ol>");
        check(&list, &[&format!("{LONG}1"), "the plan of the town"]);
    }

    #[test]
    fn a_link_that_shares_the_page_is_no_source() {
        let is_source = |address: &str| {
            let url = "https://news.example.org/story-of-the-bridge".parse().unwrap();
            let read = Page::parse(&url, None, format!("<p><a href='{address}'>send it on</a>").as_bytes());
            let link = read.tree.node_ids().find(|&node| read.tree.tag(node) == Some("a")).unwrap();
            leads_to_source(&read, link)
        };
        assert!(!is_source("https://other.test/submit?url=%2Fstory-of-the-bridge"));
        assert!(is_source("https://other.test/submit?url=%2Fanother-story"));
    }

    #[test]
    fn the_rest_of_quotations_and_lists_is_put_in() {
        let quote =
            |said: &str| format!("<p>{LONG}<blockquote><p>{said}</p><cite>the mayor</cite></blockquote>");
        check(&quote("It is over, and nobody wins."), &[LONG, "It is over, and nobody wins.", "the mayor"]);
        // Most of it is not chosen, but it stands directly behind the story.
        check(&quote("it is over, and nobody wins."), &[LONG, "it is over, and nobody wins.", "the mayor"]);
        let list = |items: &[&str]| {
            let items: String = items.iter().map(|item| format!("<li>{item}")).collect();
            format!("<p>{LONG}<ul>{items}</ul>")
        };
        check(&list(&["Flour", "Milk", "two eggs"]), &[LONG, "Flour", "Milk", "two eggs"]);
        check(&list(&["Flour", "two eggs", "salt"]), &[LONG, "Flour"]);
        // The first item repeats the paragraph and is removed, so too few of the items are chosen for the rest to follow.
        let copied = [LONG, "Flour", "Milk", "two eggs"];
        check(&list(&copied), &[LONG, "Flour", "Milk"]);
        let link = "<a href=/milk>milk</a>";
        check(&list(&["Flour", "Water", link]), &[LONG, "Flour", "Water"]);
    }
}
