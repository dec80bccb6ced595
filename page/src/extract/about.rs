//! What the markup says about an article beside its fields: summary, keywords, trail, publisher, licence, access.
//!
//! Keywords have many sources that repeat each other, and some that say the same on every page. Tags that the page shows as links
//! are the publisher's own words for this article; metadata count where it shows none, or beside them if they are as specific.

use serde_json::{Map, Value};

use rustc_hash::FxHashSet;

use super::breadcrumbs;
use super::json_ld::{self, Objects, url_in};
use super::plain::{readable, without_entities};
use super::properties::has_property;
use super::structure::followable;
use crate::Page;
use crate::article::{Access, MAX_KEYWORD, MAX_KEYWORDS, NamedLink};
use crate::reading::{NodeId, PageTree};

/// Metas of keywords; each may hold several.
const KEYWORD_METAS: [&str; 8] = [
    "news_keywords",
    "keywords",
    "article:tag",
    "og:article:tag",
    "parsely-tags",
    "sailthru.tags",
    "cxenseparse:taglist",
    "dc.subject",
];
/// Names of elements that hold an article's tags.
const TAG_HOLDERS: [&str; 14] = [
    "tags",
    "tag-list",
    "taglist",
    "tags-list",
    "post-tags",
    "post-tag",
    "entry-tags",
    "article-tags",
    "article__tags",
    "tag-links",
    "tags-links",
    "tagcloud-post",
    "story-tags",
    "keywords",
];
/// Directories that hold the pages of tags.
const TAG_FOLDERS: [&str; 14] = [
    "tag",
    "tags",
    "tagged",
    "topic",
    "topics",
    "keyword",
    "keywords",
    "schlagwort",
    "etiqueta",
    "etiquetas",
    "tema",
    "temas",
    "thema",
    "themen",
];
/// Most links into such directories that are an article's tags.
const MOST_FOLDER_TAGS: usize = 20;
/// Most bytes of a code for machines, and least entries of a list that may consist of them.
const CODE_BYTES: usize = 10;
const LEAST_CODES: usize = 4;
/// Most words of a keyword; longer ones are sentences.
const KEYWORD_WORDS: usize = 8;
/// Most links that are looked at as tags.
const MOST_LINKS: usize = 400;
/// Most persons of JSON-LD that are looked at for their pages.
const MOST_PERSONS: usize = 32;

#[derive(Default)]
pub(super) struct About {
    pub(super) keywords: Vec<String>,
    pub(super) breadcrumbs: Vec<NamedLink>,
    pub(super) publisher: Option<String>,
    pub(super) licence: Option<String>,
    pub(super) access: Option<Access>,
    /// Names of persons with the addresses of their pages.
    pub(super) persons: Vec<(String, String)>,
}

impl About {
    /// `metas`: the contents of the `meta` elements with a name.
    pub(super) fn new<'a>(
        page: &'a Page,
        objects: &Objects,
        metas: &dyn Fn(&'static str) -> Vec<&'a str>,
        elements: &[NodeId],
    ) -> About {
        About {
            keywords: keywords(page, objects, metas, elements),
            breadcrumbs: breadcrumbs::trail(page, objects),
            publisher: publisher(objects),
            licence: licence(page, objects, elements),
            access: access(objects, metas),
            persons: persons(page, objects),
        }
    }

    /// The pages of authors with these names: as JSON-LD gives them, else where a link with the name leads.
    pub(super) fn pages_of(&self, page: &Page, authors: &[String]) -> Vec<NamedLink> {
        if authors.is_empty() {
            return Vec::new();
        }
        let tree = &page.tree;
        let links: Vec<(NodeId, String)> = tree
            .node_ids()
            .filter(|&node| tree.tag(node) == Some("a"))
            .filter_map(|node| Some((node, short_text(tree, node)?)))
            .collect();
        let page_of = |name: &String| {
            let is_name = |text: &str| text.to_lowercase() == name.to_lowercase();
            let declared =
                self.persons.iter().find(|(person, _)| is_name(person)).map(|(_, address)| address.clone());
            let linked = || {
                let link = links.iter().find(|(_, text)| is_name(text)).map(|(node, _)| *node)?;
                followable(page, tree.attr(link, "href")?).filter(|address| address.starts_with("http"))
            };
            let address = linked().or(declared)?;
            Some(NamedLink { name: name.clone(), address: Some(address) })
        };
        authors.iter().filter_map(page_of).collect()
    }
}

fn keywords<'a>(
    page: &'a Page,
    objects: &Objects,
    metas: &dyn Fn(&'static str) -> Vec<&'a str>,
    elements: &[NodeId],
) -> Vec<String> {
    let tree = &page.tree;
    let mut found = Keywords::default();
    // 1. Links that call themselves tags, or stand among tags.
    let is_tag = |node: NodeId| {
        let rel = tree.attr(node, "rel").unwrap_or_default();
        let says = |word: &str| rel.split_ascii_whitespace().any(|other| other.eq_ignore_ascii_case(word));
        let is_held = || {
            let mut up = std::iter::once(node).chain(tree.ancestors(node).take(4));
            up.any(|above| {
                tree.classes(above)
                    .any(|class| TAG_HOLDERS.iter().any(|name| class.eq_ignore_ascii_case(name)))
            })
        };
        !says("category") && (says("tag") || is_held())
    };
    let links = elements
        .iter()
        .copied()
        .filter(|&node| tree.tag(node) == Some("a") && tree.attr(node, "href").is_some());
    let beside = ["nav", "aside", "footer"];
    let tags = links
        .clone()
        .filter(|&node| is_tag(node))
        .take(MOST_LINKS)
        .filter(|&node| !tree.is_inside(node, &beside));
    for text in tags.filter_map(|node| short_text(tree, node)) {
        found.add(text.trim_start_matches('#'));
    }
    // What the page calls its categories is no keyword, even if its metadata repeat them.
    if !found.names.is_empty() {
        let is_category = |node: &NodeId| {
            let rel = tree.attr(*node, "rel").unwrap_or_default();
            tree.tag(*node) == Some("a")
                && rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("category"))
        };
        let categories = elements.iter().copied().filter(is_category).take(MOST_LINKS);
        found
            .seen
            .extend(categories.filter_map(|node| short_text(tree, node)).map(|name| name.to_lowercase()));
    }
    // 2. The first metadata that hold any. Others repeat them, or are for advertisers.
    let before = found.names.len();
    let values = objects.articles().filter_map(|object| object.get("keywords"));
    let of_objects = values.flat_map(|value| match value {
        Value::Array(values) => values.iter().take(MAX_KEYWORDS).collect(),
        value => vec![value],
    });
    let of_objects = of_objects.filter_map(|value| value.as_str().or_else(|| value.get("name")?.as_str()));
    found.add_lists(&of_objects.collect::<Vec<_>>());
    for name in KEYWORD_METAS {
        if found.names.len() == before {
            found.add_lists(&metas(name));
        }
    }
    if found.names.len() == before {
        let properties = elements.iter().copied().filter(|&node| has_property(tree, node, "keywords"));
        let texts = properties.take(MAX_KEYWORDS).filter_map(|node| {
            tree.attr(node, "content").map(str::to_owned).or_else(|| short_text(tree, node))
        });
        let texts: Vec<String> = texts.collect();
        found.add_lists(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    }
    // 3. Links into directories of tags, if nothing else says so: menus have such links, too.
    if found.names.is_empty() {
        let is_in_folder = |node: NodeId| {
            let target = page.target(node).filter(|target| target.site() == page.url.site());
            let mut folders: Vec<String> = target
                .iter()
                .flat_map(|target| target.as_str().split(['/', '?']).skip(3).map(str::to_owned))
                .collect();
            // The last part is the tag itself.
            folders.pop();
            folders.iter().any(|folder| TAG_FOLDERS.contains(&folder.as_str()))
        };
        let links = links.filter(|&node| !tree.is_inside(node, &beside) && is_in_folder(node));
        let texts: Vec<String> = links.filter_map(|node| short_text(tree, node)).take(MOST_LINKS).collect();
        if texts.len() <= MOST_FOLDER_TAGS {
            texts.iter().for_each(|text| found.add(text.trim_start_matches('#')));
        }
    }
    found.names
}

/// Keywords without repetitions, in the order in which they were found.
#[derive(Default)]
struct Keywords {
    names: Vec<String>,
    seen: FxHashSet<String>,
}

impl Keywords {
    /// Adds the entries of lists, unless most are codes for machines: "AMERS", "day:friday".
    fn add_lists(&mut self, lists: &[&str]) {
        let is_code = |name: &str| {
            let name = name.trim();
            let is_short = name.len() <= CODE_BYTES && name.len() > 1 && !name.contains(' ');
            name.contains(':')
                || (is_short && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()))
        };
        // An entity ends with one of the marks.
        let lists: Vec<String> =
            lists.iter().take(MAX_KEYWORDS).map(|list| without_entities(&without_entities(list))).collect();
        let entries =
            lists.iter().flat_map(|list| list.split([',', ';', '|'])).filter(|name| !name.trim().is_empty());
        let (codes, all) =
            entries.fold((0, 0), |(codes, all), name| (codes + usize::from(is_code(name)), all + 1));
        if all >= LEAST_CODES && codes * 2 > all {
            return;
        }
        lists.iter().for_each(|list| self.add_list(list));
    }

    /// Adds a list whose entries commas part, or semicolons or bars if there are no commas.
    fn add_list(&mut self, text: &str) {
        let mark =
            [',', '，', '、', ';', '|', '،'].into_iter().find(|mark| text.contains(*mark)).unwrap_or(',');
        text.split(mark).take(MAX_KEYWORDS).for_each(|name| self.add(name));
    }

    fn add(&mut self, name: &str) {
        let name = readable(&without_entities(&without_entities(name)));
        let is_keyword = !name.is_empty()
            && !name.contains(':')
            && name.len() <= MAX_KEYWORD
            && name.split(' ').count() <= KEYWORD_WORDS;
        if is_keyword && self.names.len() <= MAX_KEYWORDS && self.seen.insert(name.to_lowercase()) {
            self.names.push(name);
        }
    }
}

fn publisher(objects: &Objects) -> Option<String> {
    let publishers = objects.articles().filter_map(|object| object.get("publisher"));
    let name = publishers.flat_map(|publisher| json_ld::names_in(publisher, objects)).next()?;
    Some(readable(&without_entities(&name))).filter(|name| !name.is_empty())
}

/// The licence that a link or JSON-LD names. Scripts and pages of rules about cookies are none.
fn licence(page: &Page, objects: &Objects, elements: &[NodeId]) -> Option<String> {
    let tree = &page.tree;
    let of_link = |&node: &NodeId| {
        let rel = tree.attr(node, "rel")?;
        let is_licence =
            |word: &str| word.eq_ignore_ascii_case("license") || word.eq_ignore_ascii_case("licence");
        rel.split_ascii_whitespace().any(is_licence).then(|| web_address(page, tree.attr(node, "href")?))?
    };
    let of_object = |object: &Map<String, Value>| {
        let value = object.get("license")?;
        url_in(value, objects).and_then(|address| web_address(page, address)).or_else(|| {
            Some(readable(value.as_str().filter(|name| !name.contains(':'))?)).filter(|name| !name.is_empty())
        })
    };
    elements.iter().find_map(of_link).or_else(|| objects.articles().find_map(of_object))
}

fn web_address(page: &Page, reference: &str) -> Option<String> {
    followable(page, reference).filter(|address| address.starts_with("http"))
}

/// Who may read the article, as JSON-LD or the content tier says. The tier is more exact.
fn access<'a>(objects: &Objects, metas: &dyn Fn(&'static str) -> Vec<&'a str>) -> Option<Access> {
    let tier = ["article:content_tier", "og:article:content_tier", "content_tier"]
        .into_iter()
        .flat_map(metas)
        .find_map(|tier| match tier.trim().to_ascii_lowercase().as_str() {
            "free" => Some(Access::Free),
            "metered" => Some(Access::Metered),
            "locked" | "paid" | "premium" => Some(Access::Paid),
            _ => None,
        });
    let free = |value: &Value| match value {
        Value::Bool(is_free) => Some(*is_free),
        other => match other.as_str()?.trim().to_ascii_lowercase().as_str() {
            "true" | "http://schema.org/true" | "https://schema.org/true" => Some(true),
            "false" | "http://schema.org/false" | "https://schema.org/false" => Some(false),
            _ => None,
        },
    };
    let declared = || objects.articles().find_map(|object| free(object.get("isAccessibleForFree")?));
    tier.or_else(|| declared().map(|is_free| if is_free { Access::Free } else { Access::Paid }))
}

fn persons(page: &Page, objects: &Objects) -> Vec<(String, String)> {
    let persons = objects.all().filter(|object| json_ld::is_a(object, |kind| kind == "Person"));
    let named = persons.take(MOST_PERSONS).filter_map(|object| {
        let name = readable(&without_entities(object.get("name")?.as_str()?));
        Some((name, web_address(page, object.get("url")?.as_str()?)?))
    });
    named.collect()
}

/// The text of an element, if it is as short as a name.
fn short_text(tree: &PageTree, node: NodeId) -> Option<String> {
    let mut text = String::new();
    for part in tree.descendants(node).filter_map(|inner| tree.text(inner)) {
        text.push_str(part);
        if text.len() > 2 * MAX_KEYWORD {
            return None;
        }
    }
    Some(readable(&text)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::article::{Access, Article, NamedLink};
    use crate::extract::whatever_kind;
    use crate::testing::page_at;
    use crate::time::Timestamp;

    const TEXT: &str = "<p>The council voted on Tuesday to keep the old bridge open for another year, after hundreds had asked for it.\
                        <p>Engineers will look at it every month, the mayor said, and a new bridge is planned for the next decade.";

    fn article(head: &str, inside: &str) -> Article {
        let html = format!(
            "<head><title>Bridge</title>{head}</head><article><h1>Bridge</h1>{inside}{TEXT}</article>"
        );
        whatever_kind(&page_at("https://a.example/town/bridge", &html), Timestamp(1_714_700_000_000), None)
    }

    #[track_caller]
    fn check_keywords(head: &str, inside: &str, expected: &[&str]) {
        assert_eq!(article(head, inside).keywords, expected, "{head} {inside}");
    }

    #[test]
    fn keywords_are_tags_that_readers_see_and_the_first_metadata() {
        check_keywords(
            "<meta name=keywords content='bridges, Traffic,bridges'>",
            "",
            &["bridges", "Traffic"],
        );
        let tags = "<a rel=tag href=/t/1>#Bridges</a> <a rel='category tag' href=/c/1>Town</a>";
        check_keywords("<meta name=keywords content='town, traffic'>", tags, &["Bridges", "traffic"]);
        check_keywords(
            "<meta property=article:tag content=One><meta property=article:tag content='Two'>",
            "",
            &["One", "Two"],
        );
        let json = "<script type=application/ld+json>{\"@type\": \"NewsArticle\", \"keywords\": [\"Rain &amp; wind\", \"floods\"]}</script>";
        check_keywords(&format!("{json}<meta name=keywords content=other>"), "", &["Rain & wind", "floods"]);
        // Codes for machines, sentences, and menus of topics are none.
        check_keywords("<meta name=keywords content='AMERS,POL,GB,TOPNWS,EUROP'>", "", &[]);
        check_keywords(
            "<meta name=keywords content='a whole sentence that says what the whole story is about'>",
            "",
            &[],
        );
        let menu: String =
            (0..40).map(|topic| format!("<a href=/topic/{topic}>Topic {topic}</a> ")).collect();
        check_keywords("", &menu, &[]);
        check_keywords("", "<div><a href=/tag/bridges>Bridges</a></div>", &["Bridges"]);
    }

    #[test]
    fn access_licence_and_publisher_are_as_the_page_declares() {
        let json = |fields: &str| {
            format!("<script type=application/ld+json>{{\"@type\": \"NewsArticle\", {fields}}}</script>")
        };
        let free =
            article(&json("\"isAccessibleForFree\": \"True\", \"publisher\": {\"name\": \"The Post\"}"), "");
        assert_eq!((free.access, free.publisher.as_deref()), (Some(Access::Free), Some("The Post")));
        let tier = "<meta property=article:content_tier content=metered>";
        assert_eq!(
            article(&format!("{tier}{}", json("\"isAccessibleForFree\": false")), "").access,
            Some(Access::Metered)
        );
        assert_eq!(article("", "").access, None);
        let licensed = article("<link rel=license href=https://creativecommons.org/licenses/by/4.0/>", "");
        assert_eq!(licensed.licence.as_deref(), Some("https://creativecommons.org/licenses/by/4.0/"));
        assert_eq!(article("<link rel=license href='javascript:alert(1)'>", "").licence, None);
    }

    #[test]
    fn trails_and_pages_of_authors_have_addresses() {
        let inside = "<nav class=breadcrumb><a href=/>Home</a> <a href=/town/>Town</a></nav>\
                      <p class=byline>By <a rel=author href=/people/ann>Ann Lee</a></p>";
        let found = article("<meta name=author content='Ann Lee'>", inside);
        let link = |name: &str, address: &str| NamedLink { name: name.into(), address: Some(address.into()) };
        assert_eq!(found.breadcrumbs, [link("Town", "https://a.example/town/")]);
        assert_eq!(found.author_pages, [link("Ann Lee", "https://a.example/people/ann")]);
    }
}
