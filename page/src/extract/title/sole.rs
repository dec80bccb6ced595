//! A title that only the document gives: no heading, no metadata, no text of the page says it again.
//!
//! Such a title often ends or begins with the names of the site and its section. What these are the page says: its links
//! to the front page, its menu, its metadata. A part that is no such name belongs to the headline.

use super::candidates::{Source, TitleCandidate, cut_points};
use super::measures::TitleContext;
use crate::reading::is_unspaced;
use crate::text::letters;

/// Most letters of a section's name before the site's in a script without spaces.
const SECTION_LETTERS: usize = 4;

/// The document's title without the names of site and sections, if it is the only title and the page names its site.
pub(super) fn title_without_site(
    context: &TitleContext<'_>,
    candidates: &[TitleCandidate],
) -> Option<String> {
    let TitleContext { site_names, link_names, .. } = context;
    if site_names.is_empty() {
        return None;
    }
    // The page may show the name of the site, but no other part of the title.
    let is_of_document = |source: &Source| *source == Source::Document;
    let is_sole = |candidate: &TitleCandidate| {
        candidate.sources.iter().chain(&candidate.parts_of).all(is_of_document)
            || site_names.contains(&candidate.letters)
    };
    if !candidates.iter().all(is_sole) {
        return None;
    }
    let whole = candidates.iter().find(|candidate| candidate.sources.contains(&Source::Document))?;
    let cuts = cut_points(&whole.text);
    let parts: Vec<(usize, usize)> = cuts
        .windows(2)
        .filter_map(|pair| Some((pair.first()?.1, pair.last()?.0)))
        .filter(|(from, to)| from < to)
        .collect();
    let name = |part: &(usize, usize)| letters(whole.text.get(part.0..part.1).unwrap_or_default());
    let is_site = |part: &(usize, usize)| {
        let name = name(part);
        name.is_empty() || site_names.contains(&name)
    };
    let is_section = |part: &(usize, usize)| {
        let name = name(part);
        let is_short = name.chars().all(is_unspaced) && name.chars().count() <= SECTION_LETTERS;
        is_short || link_names.contains(&name)
    };
    // Sections only stand beside the name of the site.
    let (mut first, mut last) = (0, parts.len());
    while last > first + 1 && is_site(&parts[last - 1]) {
        last -= 1;
    }
    while last < parts.len() && last > first + 1 && is_section(&parts[last - 1]) {
        last -= 1;
    }
    while first + 1 < last && is_site(&parts[first]) {
        first += 1;
    }
    let (from, to) = (parts.get(first)?.0, parts.get(last.checked_sub(1)?)?.1);
    Some(whole.text.get(from..to)?.trim().to_owned())
}
