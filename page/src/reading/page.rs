//! A page as the algorithms take it: parsed once, with its leaves, title, language and base URL.
//!
//! Invariant: everything here is a function of the URL, the content type, the bytes, the limits and what a listing says.
//! [`Page::parse`] never fails; [`Page::coarse`] names the limits that cut something.

use crate::reading::{CanonicalUrl, Leaves, NodeId, PageLimits, PageTree, decode, document_base, resolve};
use url::Url;

use crate::reading::language::{PageLanguage, page_language};
use crate::reading::listed::Listed;

/// Longest title kept, in characters.
const MAX_TITLE: usize = 500;

/// A parsed page.
///
/// ```
/// use newslode_page::Page;
///
/// let url = "https://news.example.org/".parse()?;
/// let html = "<html lang=en><title>The Herald</title><h2>Sport</h2><a href=/cup>Cup</a>";
/// let page = Page::parse(&url, Some("text/html; charset=utf-8"), html.as_bytes());
/// assert_eq!(page.title.as_deref(), Some("The Herald"));
/// assert_eq!(page.language.as_deref(), Some("en"));
/// let texts: Vec<_> = (0..page.leaves.len()).map(|leaf| page.leaves.text(leaf)).collect();
/// assert_eq!(texts, ["Sport", "Cup"]);
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    /// The page's identity.
    pub url: CanonicalUrl,
    /// The URL against which relative links are resolved.
    pub base: Url,
    /// The page as a tree.
    pub tree: PageTree,
    /// The page's visible texts and described images.
    pub leaves: Leaves,
    /// The `title` element, white space collapsed.
    pub title: Option<String>,
    /// The language of the text: ISO 639-1 code, 639-3 where there is none.
    pub language: Option<String>,
    /// The language that the page declares for its text, as such a code.
    pub declared_language: Option<String>,
    /// Where [`Page::language`] comes from, and how far to trust it.
    pub(crate) language_witness: (&'static str, f32),
    /// Limits that cut something, sorted: `bytes`, `depth`, `leaves`, `nodes`.
    pub coarse: Vec<String>,
    /// What a listing of the site says of the page; `None` if none is known.
    pub listed: Option<Listed>,
}

impl Page {
    /// Decodes and parses a page within the [default limits](PageLimits::default).
    #[must_use]
    pub fn parse(url: &CanonicalUrl, content_type: Option<&str>, bytes: &[u8]) -> Page {
        Page::within(&PageLimits::default(), url, content_type, bytes)
    }

    /// Decodes and parses a page within the given limits.
    #[must_use]
    pub fn within(limits: &PageLimits, url: &CanonicalUrl, content_type: Option<&str>, bytes: &[u8]) -> Page {
        let bytes_kept = bytes.get(..limits.max_bytes).unwrap_or(bytes);
        let html = decode(bytes_kept, content_type).text;
        let tree = PageTree::parse(&html, limits);
        let leaves = Leaves::new(&tree);
        let base = document_base(&tree, &url.to_url());
        let title = title_text(&tree);
        let PageLanguage { language, declared, witness, confidence } = page_language(&tree, &leaves);
        let mut coarse = limits_met(&tree, &leaves);
        if bytes_kept.len() < bytes.len() && !coarse.contains(&"bytes") {
            coarse.insert(0, "bytes");
        }
        let coarse = coarse.into_iter().map(str::to_owned).collect();
        Page {
            url: url.clone(),
            base,
            tree,
            leaves,
            title,
            language,
            declared_language: declared,
            language_witness: (witness, confidence),
            coarse,
            listed: None,
        }
    }

    /// The page with what a listing of its site says of it.
    #[must_use]
    pub fn with_listed(self, listed: Option<Listed>) -> Page {
        Page { listed, ..self }
    }

    /// About how many bytes of memory the page takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let listed = self.listed.as_ref().and_then(|listed| listed.html.as_ref()).map_or(0, String::len);
        self.tree.memory() + self.leaves.memory() + listed
    }

    /// The page that a link element leads to; `None` if it is not a web page.
    #[must_use]
    pub fn target(&self, link: NodeId) -> Option<CanonicalUrl> {
        resolve(&self.base, self.tree.attr(link, "href")?)
    }
}

fn title_text(tree: &PageTree) -> Option<String> {
    let title = tree.node_ids().find(|&node| tree.is_html(node) && tree.tag(node) == Some("title"))?;
    let text: String = tree.text_content(title).chars().take(MAX_TITLE).collect();
    (!text.is_empty()).then_some(text)
}

/// The names of the limits that cut something, sorted.
fn limits_met(tree: &PageTree, leaves: &Leaves) -> Vec<&'static str> {
    let notes = tree.notes();
    let cut_bytes = notes.unread_bytes > 0 && !notes.node_limit;
    [
        ("bytes", cut_bytes || notes.cut_strings > 0),
        ("depth", notes.too_deep > 0),
        ("leaves", leaves.is_cut()),
        ("nodes", notes.node_limit),
    ]
    .into_iter()
    .filter_map(|(name, is_met)| is_met.then_some(name))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn a_page_knows_its_title_language_and_base() {
        let page = page("<html lang=de-AT><title> A \n B </title><base href=/x/><a href=y>Z</a>");
        assert_eq!((page.title.as_deref(), page.language.as_deref()), (Some("A B"), Some("de")));
        let link = page.leaves.link(0).unwrap();
        assert_eq!(page.target(link).unwrap().as_str(), "https://news.example.org/x/y");
        assert!(page.coarse.is_empty());
    }

    #[test]
    fn limits_are_named() {
        let url = "https://a.test/".parse().unwrap();
        let limits = PageLimits { max_bytes: 20, ..PageLimits::default() };
        let page = Page::within(&limits, &url, None, "<p>one two three four five six".as_bytes());
        assert_eq!(page.coarse, ["bytes"]);
    }
}
