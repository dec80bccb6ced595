//! Concept pages: where the labels of concepts lead.

use std::collections::BTreeMap;

use newslode_page::reading::CanonicalUrl;

use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;

/// Pages that a label of a site leads to at most; the ones most pages agree on. A concept's label leads to
/// one page, or to a few editions of it.
const MOST_TARGETS: usize = 4;

/// Ends of paths that are no pages, whatever the server says later.
const NO_PAGES: &[&str] = &[
    "7z", "apk", "avi", "bmp", "bz2", "css", "csv", "dmg", "doc", "docx", "eot", "epub", "exe", "flac",
    "gif", "gz", "ico", "ics", "iso", "jpeg", "jpg", "js", "json", "m4a", "m4v", "mobi", "mov", "mp3", "mp4",
    "mpeg", "mpg", "odt", "ogg", "ogv", "otf", "pdf", "png", "ppt", "pptx", "rar", "svg", "swf", "tar",
    "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "wmv", "woff", "woff2", "xls", "xlsx", "zip",
];

/// The pages that a site's concept labels lead to, each with the concepts' keys. The front page is none:
/// what it lists is not one concept's.
#[must_use]
pub fn concept_pages<'a>(taxonomy: &'a Taxonomy, site: &SiteSummary) -> BTreeMap<CanonicalUrl, Vec<&'a str>> {
    let mut pages: BTreeMap<CanonicalUrl, Vec<&'a str>> = BTreeMap::new();
    for concept in &taxonomy.concepts {
        let labels = concept.keys.iter().filter_map(|key| site.labels.get(key));
        let mut named: BTreeMap<&CanonicalUrl, u64> = BTreeMap::new();
        for (url, on) in labels.flat_map(|label| &label.targets) {
            if is_page(url) && !url.is_front_page() {
                *named.entry(url).or_default() += on;
            }
        }
        let mut targets: Vec<_> = named.into_iter().collect();
        targets.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        for (url, _) in targets.into_iter().take(MOST_TARGETS) {
            pages.entry(url.clone()).or_default().push(&concept.key);
        }
    }
    pages
}

/// Whether a URL may be a page, by the end of its path.
#[must_use]
pub fn is_page(url: &CanonicalUrl) -> bool {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let end = file.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    end.is_none_or(|end| NO_PAGES.binary_search(&end.as_str()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_files_are_sorted() {
        assert!(NO_PAGES.is_sorted());
    }
}
