//! Decoration: leaves that are not content, such as navigation, footers, pictures as bullets, notes to the reader.
//!
//! Signs, strongest first: no letter or digit; an image's description; an element for such things (`nav`,
//! `footer`, `address`); text after the last rule if it is about the page itself; rows of links between
//! separators outside all sections; and a short list of phrases by which pages refer to themselves. Only English
//! phrases were measured, so in other languages the structure alone counts.

use super::facts::LeafFacts;
use super::lines::TextLine;
use crate::Page;

/// Phrases by which a page refers to itself instead of its subject, in lower case.
const SELF_REFERENCES: [&str; 22] = [
    "last modified",
    "last updated",
    "last update",
    "last revised",
    "last changed",
    "updated on",
    "updated:",
    "created on",
    "copyright",
    "©",
    "all rights reserved",
    "webmaster",
    "maintainer",
    "back to",
    "return to",
    "go to top",
    "click here",
    "welcome",
    "under construction",
    "access to this page",
    "accesses since",
    "visits to",
];
/// Most lines of a footer, after the last rule.
const FOOTER_LINES: usize = 8;
/// Longest text in a footer, in characters.
const FOOTER_LENGTH: usize = 160;
/// Number of lines at the page's end that may give the date of its last change.
const LAST_LINES: usize = 6;
/// Longest note about the page, in characters.
const NOTE_LENGTH: usize = 200;

/// Whether each leaf is decoration, judged by its page alone.
pub(super) fn find_decoration(page: &Page, lines: &[TextLine], facts: &[LeafFacts]) -> Vec<bool> {
    // Leaves that are decoration by themselves, then those that their line makes decoration: in the footer, in a line
    // that begins with a note about the page, in a date of the last change, in a menu above the first heading.
    let mut found: Vec<bool> = facts
        .iter()
        .enumerate()
        .map(|(leaf, fact)| {
            let is_note = fact.length <= NOTE_LENGTH && speaks_of_itself(page.leaves.text(leaf));
            !fact.has_words
                || fact.is_image
                || is_note
                || (fact.is_aside && !is_contact(page.leaves.text(leaf)))
        })
        .collect();
    for line in &lines[footer_start(page, lines, facts)..] {
        line.leaves.clone().for_each(|leaf| found[leaf] |= !is_contact(page.leaves.text(leaf)));
    }
    for line in lines {
        let first = line.leaves.clone().find(|&leaf| facts[leaf].has_words);
        let length: usize = line.leaves.clone().map(|leaf| facts[leaf].length).sum();
        if length <= NOTE_LENGTH && first.is_some_and(|leaf| speaks_of_itself(page.leaves.text(leaf))) {
            line.leaves.clone().for_each(|leaf| found[leaf] = true);
        }
    }
    for line in &lines[lines.len().saturating_sub(LAST_LINES)..] {
        let is_dated =
            |leaf: usize| facts[leaf].length <= NOTE_LENGTH && says_when_changed(page.leaves.text(leaf));
        if line.leaves.clone().any(is_dated) {
            line.leaves.clone().for_each(|leaf| found[leaf] = true);
        }
    }
    for line in lines.iter().take_while(|line| super::concept::heading_level(line, facts).is_none()) {
        if is_menu(line, facts) {
            line.leaves.clone().for_each(|leaf| found[leaf] = true);
        }
    }
    found
}

fn speaks_of_itself(text: &str) -> bool {
    let text = text.to_lowercase();
    SELF_REFERENCES.iter().any(|phrase| text.contains(phrase))
}

/// Whether the text has a verb of changing and figures, as in "Updated 3/4/97".
fn says_when_changed(text: &str) -> bool {
    let text = text.to_lowercase();
    let verbs = ["updated", "modified", "revised", "changed"];
    text.chars().any(char::is_numeric) && verbs.iter().any(|verb| text.contains(verb))
}

/// The first line of the footer; the number of lines if there is none. A footer begins after the last rule, is
/// short, has no main heading, and refers to the page itself.
fn footer_start(page: &Page, lines: &[TextLine], facts: &[LeafFacts]) -> usize {
    let Some(start) = lines.iter().rposition(|line| line.is_ruled).filter(|&line| line > 0) else {
        return lines.len();
    };
    let rest = &lines[start..];
    let leaves = || rest.iter().flat_map(|line| line.leaves.clone());
    let is_short = rest.len() <= FOOTER_LINES && leaves().all(|leaf| facts[leaf].length <= FOOTER_LENGTH);
    let is_headed =
        rest.iter().any(|line| super::concept::heading_level(line, facts).is_some_and(|level| level <= 3));
    let is_meta = leaves()
        .any(|leaf| speaks_of_itself(page.leaves.text(leaf)) || facts[leaf].is_aside || is_mail(page, leaf));
    if is_short && !is_headed && is_meta { start } else { lines.len() }
}

fn is_mail(page: &Page, leaf: usize) -> bool {
    let href = page.leaves.link(leaf).and_then(|link| page.tree.attr(link, "href"));
    href.is_some_and(|href| href.trim_start().to_ascii_lowercase().starts_with("mailto:"))
}

/// Whether the line consists of links with separators between them.
fn is_menu(line: &TextLine, facts: &[LeafFacts]) -> bool {
    let links = line.leaves.clone().filter(|&leaf| facts[leaf].is_link && facts[leaf].has_words).count();
    let separators = line.leaves.clone().filter(|&leaf| !facts[leaf].has_words && !facts[leaf].is_image);
    let others = line.leaves.clone().filter(|&leaf| facts[leaf].has_words && !facts[leaf].is_link).count();
    links >= 2 && others == 0 && separators.count() + 1 >= links
}

/// Whether the text looks like a telephone number: at least seven digits, and not the date of an update.
fn is_contact(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits >= 7 && !text.contains(':') && !text.to_lowercase().contains("update")
}
