//! Places of a site's pages: names for the position of a run in the site's markup.
//!
//! A place is the run's block with the two elements around it, each by its tag and classes, with digits made
//! equal, so counters and dates in class names do not split a place. Three elements are enough to tell places
//! apart and few enough to recur on the next page; many whole paths would occur only once. Runs of sentences
//! are a place apart from other runs there, because bylines and links occur between a body's paragraphs. Places
//! are texts: people read them in a lesson, and they mean the same on every machine.

use crate::reading::{NodeId, PageTree};

use crate::extract::runs::Run;

/// Most characters of an element's classes that count.
const MAX_CLASSES: usize = 120;
/// Number of elements of a place.
const DEPTH: usize = 3;

/// The place of a run: `article>div.story>p.text`, followed by ` ¶` if the run consists of sentences.
pub(super) fn place_of_run(tree: &PageTree, run: &Run) -> String {
    let mut text = path_of_three(tree, run.block);
    if run.is_prose() {
        text.push_str(" ¶");
    }
    text
}

/// The place of a text or an element: the three innermost elements with their classes, inline ones too.
pub(super) fn place_of_node(tree: &PageTree, node: NodeId) -> String {
    let element = if tree.tag(node).is_some() { Some(node) } else { tree.parent(node) };
    element.map(|element| path_of_three(tree, element)).unwrap_or_default()
}

fn path_of_three(tree: &PageTree, block: NodeId) -> String {
    let mut above: Vec<NodeId> = std::iter::once(block).chain(tree.ancestors(block)).take(DEPTH).collect();
    above.reverse();
    let mut text = String::new();
    for node in above {
        // The classes of `html` and `body` name the page, not the place.
        let Some(tag) = tree.tag(node).filter(|tag| !matches!(*tag, "html" | "body")) else { continue };
        if !text.is_empty() {
            text.push('>');
        }
        text.push_str(tag);
        let mut left = MAX_CLASSES;
        for class in tree.classes(node) {
            if left == 0 {
                break;
            }
            text.push('.');
            for letter in class.chars().take(left) {
                text.push(if letter.is_ascii_digit() { '#' } else { letter });
                left -= 1;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::runs::Runs;
    use crate::testing::page;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        let page = page(html);
        let runs = Runs::new(&page);
        assert_eq!(place_of_run(&page.tree, &runs.runs[0]), expected, "{html}");
    }

    #[test]
    fn places_are_three_elements_with_their_classes() {
        check("<body class=post-17><p class='a b7'>Text", "p.a.b#");
        check("<div id=x><main><div class=s><p>Some <b>bold</b> text", "main>div.s>p");
        check("<p>The council voted on Tuesday to keep the bridge open for a year.", "p ¶");
        check(&format!("<p class={}>x", "c".repeat(500)), &format!("p.{}", "c".repeat(MAX_CLASSES)));
    }
}
