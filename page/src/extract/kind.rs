//! The kind of a page: home, article, section or other.
//!
//! The front page of a host is a home page. An article declares itself in its metadata and has some prose, or has much
//! prose under one element. A page of many links that read like headlines is a section. Prose is text outside
//! links that has ten words and ends a sentence, or has 25 words.
//!
//! Sites name their parts alike, so the path is better evidence than the look of a page: a path through "category" or
//! "tag" is a section; a short name with "about", "contact" or "terms" in it is neither article nor section. A
//! name of many words is a headline, whatever words it contains.

use crate::article::PageKind;
use rustc_hash::FxHashMap;

use crate::Page;
use crate::text::{HEADLINE_WORDS, whole_words_of_prose};

/// Words of prose from which a page that calls itself an article is one.
const LEAST_WORDS: usize = 40;
/// Words of prose under one element from which any page is an article.
const MANY_WORDS: usize = 150;
/// Least number of links of a section.
const MANY_LINKS: usize = 25;

/// The least number of links of a section that read like headlines.
const MANY_HEADLINES: usize = 8;
/// Names of folders whose pages list other pages.
const LISTING_FOLDERS: [&str; 22] = [
    "category",
    "categories",
    "tag",
    "tags",
    "topic",
    "topics",
    "section",
    "sections",
    "author",
    "authors",
    "kategorie",
    "kategorien",
    "thema",
    "themen",
    "rubrik",
    "ressort",
    "seccion",
    "categoria",
    "rubrique",
    "theme",
    "autor",
    "sujet",
];
/// Names of front pages that are not at the root.
const FRONT_PAGE_NAMES: [&str; 5] = ["index", "home", "homepage", "default", "startseite"];
/// Words in names of pages about the site itself.
const SITE_PAGE_WORDS: [&str; 46] = [
    "about",
    "contact",
    "contacts",
    "contactez",
    "privacy",
    "terms",
    "advertise",
    "advertising",
    "careers",
    "career",
    "jobs",
    "staff",
    "team",
    "masthead",
    "subscribe",
    "subscription",
    "newsletter",
    "newsletters",
    "membership",
    "member",
    "donate",
    "login",
    "register",
    "signin",
    "signup",
    "search",
    "faq",
    "help",
    "imprint",
    "impressum",
    "datenschutz",
    "agb",
    "kontakt",
    "legal",
    "legales",
    "cookies",
    "cookie",
    "publicite",
    "contacto",
    "privacidad",
    "republish",
    "sitemap",
    "feedback",
    "disclaimer",
    "redaktion",
    "tips",
];
/// A name of more words than this is a headline.
const NAME_WORDS: usize = 4;

/// The kind of a page. `is_declared_article`: its JSON-LD has an article; `is_opengraph_article`: OpenGraph calls it
/// an article, as some systems do for every page that is not a list.
pub(super) fn page_kind(page: &Page, is_declared_article: bool, is_opengraph_article: bool) -> PageKind {
    let prose = ProseCounts::new(page);
    if page.url.is_home() {
        return PageKind::Home;
    }
    let is_sure = |kind: &PageKind| !(is_declared_article && *kind == PageKind::Other);
    if let Some(kind) = kind_by_path(page.url.as_str()).filter(is_sure) {
        return kind;
    }
    let is_article = if is_declared_article || is_opengraph_article {
        prose.words >= LEAST_WORDS
    } else {
        prose.most_in_one_block >= MANY_WORDS && prose.most_in_one_block * 2 >= prose.words
    };
    if is_article {
        PageKind::Article
    } else if prose.links >= MANY_LINKS && prose.headlines >= MANY_HEADLINES {
        PageKind::Section
    } else {
        PageKind::Other
    }
}

/// The kind that the names in a URL's path give.
fn kind_by_path(url: &str) -> Option<PageKind> {
    let path = url.splitn(4, '/').nth(3)?.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<String> =
        path.split('/').filter(|part| !part.is_empty()).map(str::to_ascii_lowercase).collect();
    let (last, folders) = parts.split_last()?;
    let name = last.split('.').next().unwrap_or_default();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if folders.is_empty() && FRONT_PAGE_NAMES.contains(&name) {
        return Some(PageKind::Home);
    }
    if words.len() <= NAME_WORDS
        && words.iter().any(|word| SITE_PAGE_WORDS.contains(word))
        && folders.len() <= 2
    {
        return Some(PageKind::Other);
    }
    folders.iter().any(|folder| LISTING_FOLDERS.contains(&folder.as_str())).then_some(PageKind::Section)
}

struct ProseCounts {
    words: usize,
    most_in_one_block: usize,
    /// Number of leaves inside links, and of those that read like headlines.
    links: usize,
    headlines: usize,
}

impl ProseCounts {
    fn new(page: &Page) -> ProseCounts {
        let tree = &page.tree;
        let mut words_by_block = FxHashMap::default();
        let mut prose = ProseCounts { words: 0, most_in_one_block: 0, links: 0, headlines: 0 };
        for (i, leaf) in page.leaves.iter().enumerate() {
            if leaf.link.is_some() {
                prose.links += 1;
                prose.headlines += usize::from(whole_words_of_prose(page.leaves.text(i)) >= HEADLINE_WORDS);
                continue;
            }
            let text = page.leaves.text(i);
            let words = whole_words_of_prose(text);
            let is_prose =
                words >= 25 || (words >= 10 && text.ends_with(['.', '!', '?', '"', '”', '。', '…']));
            if leaf.is_image || !is_prose || tree.is_inside(leaf.parent, &["footer", "aside", "form"]) {
                continue;
            }
            prose.words += words;
            let block = std::iter::once(leaf.parent).chain(tree.ancestors(leaf.parent));
            let block = block.into_iter().find(|&node| !super::runs::is_inline(tree, node));
            // Paragraphs count for their parent, other blocks for themselves.
            let holder = block.map(|block| match tree.tag(block) {
                Some("p" | "li" | "blockquote") => tree.parent(block).unwrap_or(block),
                _ => block,
            });
            *words_by_block.entry(holder).or_insert(0) += words;
        }
        prose.most_in_one_block = words_by_block.into_values().max().unwrap_or(0);
        prose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_pages_are() {
        let check = |path: &str, expected: Option<PageKind>| {
            assert_eq!(kind_by_path(&format!("https://a.example{path}")), expected, "{path}");
        };
        check("/category/world/", Some(PageKind::Section));
        check("/tag/storm?page=2", Some(PageKind::Section));
        check("/home/", Some(PageKind::Home));
        check("/index.html", Some(PageKind::Home));
        check("/about/", Some(PageKind::Other));
        check("/en/contact-us.html", Some(PageKind::Other));
        check("/2024/05/mayor-to-staff-the-search-for-jobs-goes-on/", None);
        check("/world/index.html", None);
        check("/", None);
        check("", None);
    }
}
