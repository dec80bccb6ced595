//! The pages that a page leads to: stories, sections, and the next page of a list.
//!
//! A link with a headline for its text leads to a story. A link with a label of a few words leads to a section,
//! or to a page about the site: what is there decides later. Only links inside the site count. Links to files,
//! to other pages of the same list, and links that ask not to be followed do not. Start at [`discover`].

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Page;
use crate::reading::{CanonicalUrl, Link, NodeId, links};
use crate::text::{HEADLINE_WORDS, whole_words_of_prose};

/// Words of an address that reads like a headline.
const NAME_WORDS: usize = 5;
/// Longest label of a section, in words.
const LABEL_WORDS: usize = 3;
/// Path endings of files that are not pages, whatever the server says later.
const NOT_PAGES: &[&str] = &[
    "7z", "apk", "avi", "bmp", "bz2", "css", "csv", "dmg", "doc", "docx", "eot", "epub", "exe", "flac",
    "gif", "gz", "ico", "ics", "iso", "jpeg", "jpg", "js", "json", "m4a", "m4v", "mobi", "mov", "mp3", "mp4",
    "mpeg", "mpg", "odt", "ogg", "ogv", "otf", "pdf", "png", "ppt", "pptx", "rar", "svg", "swf", "tar",
    "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "wmv", "woff", "woff2", "xls", "xlsx", "zip",
];

/// Endings of feeds and maps, which are found by other means.
const LISTING_ENDINGS: [&str; 2] = [".xml", ".rss"];

/// The pages that a page leads to. Each URL is listed once, in page order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Links with headlines.
    pub stories: Vec<CanonicalUrl>,
    /// Links with labels.
    pub sections: Vec<CanonicalUrl>,
    /// The page behind this one, of the same list.
    pub behind: Option<CanonicalUrl>,
}

/// Finds what a page leads to.
#[must_use]
pub fn discover(page: &Page) -> Discovery {
    let links = links(&page.tree, &page.leaves, &page.url.to_url());
    let mut target_idx: FxHashMap<&CanonicalUrl, usize> = FxHashMap::default();
    let mut targets: Vec<(&CanonicalUrl, LinkRole)> = Vec::new();
    let mut behind = None;
    for link in &links {
        let role = link_role(page, link);
        match role {
            LinkRole::Other => continue,
            LinkRole::Next => {
                behind.get_or_insert_with(|| link.target.clone());
                continue;
            }
            LinkRole::Section | LinkRole::Article => {}
        }
        let at = *target_idx.entry(&link.target).or_insert(targets.len());
        match targets.get_mut(at) {
            // A picture or a kicker may link to the same story as its headline.
            Some((_, known)) => *known = (*known).max(role),
            None => targets.push((&link.target, role)),
        }
    }
    let pick =
        |role| targets.iter().filter(|(_, known)| *known == role).map(|(url, _)| (*url).clone()).collect();
    Discovery { stories: pick(LinkRole::Article), sections: pick(LinkRole::Section), behind }
}

/// What a link may lead to, by its text and its address alone. The last one says most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkRole {
    /// Another site, this page itself, a file, or a link that says too little or asks not to be followed.
    Other,
    /// The next page of the list that this page begins.
    Next,
    /// A section, or a page about the site: its text is a label.
    Section,
    /// A story: its text reads like a headline, or its address does.
    Article,
}

impl LinkRole {
    /// Its name in outputs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LinkRole::Article => "article",
            LinkRole::Section => "section",
            LinkRole::Next => "next",
            LinkRole::Other => "other",
        }
    }
}

/// All links of a page, in page order, each as [`discover`] judges it. A link to a story that another link shows as such, as the
/// story's picture does, leads to an article, too.
#[must_use]
pub fn judged_links(page: &Page) -> Vec<(Link, LinkRole)> {
    let links = links(&page.tree, &page.leaves, &page.url.to_url());
    let judge = |link: Link| {
        let role = link_role(page, &link);
        (link, role)
    };
    let mut judged: Vec<(Link, LinkRole)> = links.into_iter().map(judge).collect();
    let stories: FxHashSet<CanonicalUrl> = judged
        .iter()
        .filter(|(_, role)| *role == LinkRole::Article)
        .map(|(link, _)| link.target.clone())
        .collect();
    for (link, role) in &mut judged {
        if *role == LinkRole::Section && stories.contains(&link.target) {
            *role = LinkRole::Article;
        }
    }
    judged
}

/// The address that the page declares as its own (`<link rel=canonical>`), if that is another one. A front page is
/// nobody's other address: on a site that declares it everywhere it is no evidence.
#[must_use]
pub fn declared_address(page: &Page) -> Option<CanonicalUrl> {
    let tree = &page.tree;
    let is_canonical = |node: &NodeId| {
        let rel = tree.attr(*node, "rel").unwrap_or_default();
        tree.tag(*node) == Some("link")
            && rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical"))
    };
    let declared = page.target(tree.node_ids().find(is_canonical)?)?;
    (declared != page.url && declared.path() != "/").then_some(declared)
}

/// What else a list shows: the days of its stories, and where it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLinks {
    /// Maps the target of a link to the date of the only `<time datetime>` element beside it.
    pub times: Vec<(CanonicalUrl, String)>,
    /// All targets inside the site, each once, in page order, but for files and for links that ask not to be followed.
    pub targets: Vec<CanonicalUrl>,
    /// What the page declares as the next one of its list (`rel=next` of an `a` or a `link`).
    pub next: Option<CanonicalUrl>,
}

/// Elements above a `<time>` in which its link may stand.
const TIME_LEVELS: usize = 8;

/// Finds what a list shows besides its stories.
#[must_use]
pub fn list_links(page: &Page) -> ListLinks {
    let (tree, site) = (&page.tree, page.url.site());
    let mut links = links(tree, &page.leaves, &page.url.to_url());
    links.retain(|link| link.target.site() == site && link.target != page.url && is_page(&link.target));
    let declared = || {
        let nodes =
            tree.node_ids().filter(|node| tree.tag(*node) == Some("link") && has_rel(page, *node, "next"));
        nodes.filter_map(|node| page.target(node)).find(|target| target.site() == site)
    };
    let next =
        links.iter().find(|link| is_next(page, link)).map(|link| link.target.clone()).or_else(declared);
    links.retain(|link| !link.rel_nofollow);
    let mut known: FxHashSet<&CanonicalUrl> = FxHashSet::default();
    let targets =
        links.iter().filter(|link| known.insert(&link.target)).map(|link| link.target.clone()).collect();
    let times = tree.node_ids().filter(|node| tree.tag(*node) == Some("time")).filter_map(|node| {
        let said = tree.attr(node, "datetime")?.trim();
        Some((story_beside(page, &links, node)?.clone(), said.to_owned()))
    });
    ListLinks { times: times.collect(), targets, next }
}

/// The target of the links around a node, if all of the nearest ones lead to the same story.
fn story_beside<'l>(page: &Page, links: &'l [Link], node: NodeId) -> Option<&'l CanonicalUrl> {
    for above in page.tree.ancestors(node).take(TIME_LEVELS) {
        let end = page.tree.subtree_end(above).index();
        let first = links.partition_point(|link| link.node.index() < above.index());
        let inside = links.get(first..)?.iter().take_while(|link| link.node.index() < end);
        let mut stories = inside.filter(|link| role_of_target(page, link) == LinkRole::Article);
        if let Some(story) = stories.next() {
            return stories.all(|link| link.target == story.target).then_some(&story.target);
        }
    }
    None
}

/// Whether a URL may be a page, judged by the end of its path.
#[must_use]
pub fn is_page(url: &CanonicalUrl) -> bool {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let end = file.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    end.is_none_or(|end| NOT_PAGES.binary_search(&end.as_str()).is_err())
}

/// What a link of the page leads to.
fn link_role(page: &Page, link: &Link) -> LinkRole {
    if link.target == page.url || link.target.site() != page.url.site() {
        LinkRole::Other
    } else if is_next(page, link) {
        LinkRole::Next
    } else {
        role_of_target(page, link)
    }
}

/// What a link leads to that leads to another page of the site, and not to the next one of a list.
fn role_of_target(page: &Page, link: &Link) -> LinkRole {
    let path = link.target.path();
    let lower = path.split('?').next().unwrap_or_default().to_ascii_lowercase();
    if link.rel_nofollow
        || !is_page(&link.target)
        || LISTING_ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || is_of_the_same_list(page, link)
    {
        return LinkRole::Other;
    }
    let words = whole_words_of_prose(&link.text);
    if words >= HEADLINE_WORDS || name_words(&lower) >= NAME_WORDS {
        LinkRole::Article
    } else if (1..=LABEL_WORDS).contains(&words) {
        LinkRole::Section
    } else {
        LinkRole::Other
    }
}

/// Words of the last name of a path.
fn name_words(path: &str) -> usize {
    let name = path.rsplit('/').find(|name| !name.is_empty()).unwrap_or_default();
    name.split(['-', '_', '.']).filter(|word| word.chars().any(char::is_alphabetic)).count()
}

fn is_next(page: &Page, link: &Link) -> bool {
    has_rel(page, link.node, "next")
}

fn has_rel(page: &Page, node: NodeId, wanted: &str) -> bool {
    let rel = page.tree.attr(node, "rel").unwrap_or_default();
    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted))
}

/// Whether the link leads to another page of the list that this page begins: its text is a number, or its
/// address is this page's with another query.
fn is_of_the_same_list(page: &Page, link: &Link) -> bool {
    let text = link.text.trim();
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let bare = |url: &CanonicalUrl| url.as_str().split('?').next().unwrap_or_default().to_owned();
    is_number || (link.target.as_str().contains("page=") && bare(&link.target) == bare(&page.url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(urls: &[CanonicalUrl]) -> Vec<&str> {
        urls.iter().map(CanonicalUrl::path).collect()
    }

    #[test]
    fn a_page_may_declare_another_address() {
        let declared = |head: &str| {
            let url = "https://a.example/amp/s/1".parse().unwrap();
            declared_address(&Page::parse(&url, None, head.as_bytes())).map(|url| url.to_string())
        };
        assert_eq!(declared("<link rel='x CANONICAL' href=/s/1>").as_deref(), Some("https://a.example/s/1"));
        for none in ["<a rel=canonical href=/s/1>", "<link rel=canonical href=/>", "<link rel=canonical>"] {
            assert_eq!(declared(none), None, "{none}");
        }
        assert_eq!(declared("<link rel=canonical href=/amp/s/1?utm_source=x>"), None, "its own");
    }

    #[test]
    fn a_list_shows_times_beside_its_stories_and_where_it_goes_on() {
        let url = "https://a.example/sport/".parse().unwrap();
        let html = "<link rel=next href=/sport/page/2><article><h3><a href=/s/1>Harbour town wins the cup at last</a></h3>\
            <p><a href=/by/ada>Ada</a> <time datetime=2024-05-17>17 May</time></article>\
            <article><div><time datetime=2024-05-16>16 May</time></div><a href=/s/2>Rain ends the long drought here</a></article>\
            <section><a href=/s/3>A long way home for the cup</a><a href=/s/4>The quay is open to all again</a>\
            <time datetime=2024-05-15>now</time></section><a href=/sport/page/2>2</a><a href=/2024/05/>May 2024</a>\
            <a href=/x.pdf>A long paper on the harbour quay</a><a href=/no rel=nofollow>no</a>";
        let found = list_links(&Page::parse(&url, None, html.as_bytes()));
        let times: Vec<_> = found.times.iter().map(|(url, time)| (url.path(), time.as_str())).collect();
        assert_eq!(times, [("/s/1", "2024-05-17"), ("/s/2", "2024-05-16")]);
        assert_eq!(found.next.unwrap().path(), "/sport/page/2");
        let targets = paths(&found.targets);
        assert!(
            targets.contains(&"/sport/page/2") && !targets.contains(&"/no") && !targets.contains(&"/x.pdf"),
            "{targets:?}"
        );
    }

    #[test]
    fn ends_of_files_are_sorted() {
        assert!(NOT_PAGES.is_sorted());
    }

    #[test]
    fn headlines_lead_to_stories_and_labels_to_sections() {
        let url = "https://a.example/sport/".parse().unwrap();
        let html = "<nav><a href=/>Home</a><a href=/economy/>Economy</a><a href=/local-news/>Local news</a></nav>\
            <a href=/s/1><img alt=x src=x.jpg></a><h3><a href=/s/1>Harbour town wins the cup at last</a></h3>\
            <a href=/2024/rain-ends-the-long-drought-in-north>Rain</a><a href=/photo.JPG>A picture of the long rain</a>\
            <a href=https://b.example/x>Another site has a story too</a><a href=/s/2 rel=nofollow>Buy our paper every day</a>\
            <a href=/sport/?page=2>2</a><a href=/sport/?page=2 rel=next>Older stories of this section</a>";
        let found = discover(&Page::parse(&url, None, html.as_bytes()));
        assert_eq!(paths(&found.stories), ["/s/1", "/2024/rain-ends-the-long-drought-in-north"]);
        assert_eq!(paths(&found.sections), ["/", "/economy/", "/local-news/"]);
        assert_eq!(
            found.behind.map(|url| url.to_string()).as_deref(),
            Some("https://a.example/sport/?page=2")
        );
        let roles: Vec<_> = judged_links(&Page::parse(&url, None, html.as_bytes()))
            .into_iter()
            .map(|(link, role)| format!("{} {}", role.name(), link.target.path()))
            .collect();
        let expected = [
            "section /",
            "section /economy/",
            "section /local-news/",
            "article /s/1",
            "article /s/1",
            "article /2024/rain-ends-the-long-drought-in-north",
            "other /photo.JPG",
            "other /x",
            "other /s/2",
            "other /sport/",
            "next /sport/",
        ];
        assert_eq!(roles, expected);
    }
}
