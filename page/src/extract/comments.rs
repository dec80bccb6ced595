//! What readers wrote under an article: on request, and never part of its text.
//!
//! A comment is an element that calls itself one (microdata, or the class or id that systems give a single comment) and holds a
//! text with a name or a time. One inside another answers it. JSON-LD that lists comments counts where the page shows fewer.
//! Comments that scripts load later are not on the page.
//!
//! Invariant: linear in the page, with limits on number and bytes. Start at [`comments`].

use std::ops::Range;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dates::written_date;
use super::json_ld::{self, Objects};
use super::plain::without_markup;
use super::properties::has_property;
use super::runs::Runs;
use crate::Page;
use crate::article::Article;
use crate::reading::{NodeId, PageTree, squash};

/// Most comments of a page, most bytes of all their texts, and of one.
const MOST_COMMENTS: usize = 2_000;
const MOST_BYTES: usize = 1 << 20;
const MOST_TEXT: usize = 16 << 10;
/// Most bytes of a name.
const MOST_NAME: usize = 120;
/// Most elements that are taken for comments, before those without text are left out.
const MOST_ITEMS: usize = 20_000;
/// Most elements of a comment that are looked at for name and time.
const MOST_ELEMENTS: usize = 400;
/// Most levels of comments in JSON-LD.
const MOST_LEVELS: usize = 16;

/// Classes of a single comment, without signs and digits.
const ITEMS: [&str; 14] = [
    "comment",
    "commentitem",
    "commententry",
    "commentbox",
    "commentnode",
    "commentthread",
    "singlecomment",
    "commentslistitem",
    "commentlistitem",
    "usercomment",
    "kommentar",
    "commentaire",
    "comentario",
    "commento",
];
/// Classes of single comments that are also those of other things: they count inside an element of comments only.
const PARTS_OF_LISTS: [&str; 3] = ["commentbody", "commentwrap", "reply"];
/// What the classes of a name, of a time and of a text hold.
const NAMES: [&str; 7] = ["author", "username", "nickname", "commenter", "displayname", "autor", "auteur"];
const TIMES: [&str; 5] = ["date", "time", "datum", "fecha", "posted"];
const TEXTS: [&str; 5] = ["content", "text", "body", "message", "description"];

/// What a reader wrote.
///
/// ```
/// use newslode_page::Page;
/// use newslode_page::extract::comments;
///
/// let url = "https://news.example.org/rain".parse()?;
/// let html = "<h1>Rain</h1><p>It rained.<ol><li class=comment id=comment-1><b class=fn>Bo</b>\
///             <time datetime=2024-05-02>Thursday</time><p>At last!<ol><li class=comment><b class=fn>Ida</b><p>Indeed.</ol></ol>";
/// let found = comments(&Page::parse(&url, None, html.as_bytes()));
/// assert_eq!((found[0].author.as_deref(), found[0].date.as_deref()), (Some("Bo"), Some("2024-05-02")));
/// assert_eq!((found[1].text.as_str(), found[1].parent), ("Indeed.", Some(0)));
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The reader's name, as written.
    pub author: Option<String>,
    /// When it was written: ISO 8601 date or time.
    pub date: Option<String>,
    /// Its text, a line for each paragraph.
    pub text: String,
    /// The place in the list of the comment that it answers, from 0.
    pub parent: Option<usize>,
}

/// An article as a line of JSON, with the comments of its page if they were asked for.
#[derive(Clone, Debug, Serialize)]
pub struct CommentedArticle<'a> {
    /// The article.
    #[serde(flatten)]
    pub article: &'a Article,
    /// The comments; `None` leaves the key out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<&'a [Comment]>,
}

/// The comments of readers that a page holds, in page order; an answer comes after what it answers.
#[must_use]
pub fn comments(page: &Page) -> Vec<Comment> {
    let shown = shown_comments(page);
    let declared = declared_comments(&Objects::new(page));
    within_limits(if declared.len() > shown.len() { declared } else { shown })
}

/// Cuts the list where a limit is met. Comments answer earlier ones only, so every parent stays in the list.
fn within_limits(mut found: Vec<Comment>) -> Vec<Comment> {
    found.truncate(MOST_COMMENTS);
    let mut left = MOST_BYTES;
    let fits = found.iter().take_while(|comment| {
        let fits = comment.text.len() <= left;
        left = left.saturating_sub(comment.text.len());
        fits
    });
    let fits = fits.count();
    found.truncate(fits);
    found
}

/// An element that is a comment, and the number of the one around it.
struct Item {
    node: NodeId,
    around: Option<usize>,
}

/// The comments that the page shows.
fn shown_comments(page: &Page) -> Vec<Comment> {
    let tree = &page.tree;
    let items = items(tree);
    if items.is_empty() {
        return Vec::new();
    }
    let runs = Runs::new(page);
    let own_runs = own_runs(tree, &runs, &items);
    let mut found = Vec::new();
    let mut places: Vec<Option<usize>> = Vec::new();
    for (item, own) in items.iter().zip(&own_runs) {
        let above = item.around.and_then(|around| places.get(around).copied().flatten());
        let read = read_item(page, &runs, item.node, own);
        // What says nothing itself passes its place on: a wrapper around a comment and its answers.
        places.push(match read {
            Some(comment) => {
                found.push(Comment { parent: above, ..comment });
                Some(found.len() - 1)
            }
            None => above,
        });
    }
    found
}

/// The elements that call themselves comments; none is inside another.
pub(super) fn comment_items(tree: &PageTree) -> Vec<NodeId> {
    items(tree).into_iter().filter(|item| item.around.is_none()).map(|item| item.node).collect()
}

/// For each item the runs whose innermost item it is.
fn own_runs(tree: &PageTree, runs: &Runs, items: &[Item]) -> Vec<Vec<usize>> {
    let ranges: Vec<Range<usize>> = items.iter().map(|item| runs.under(tree, item.node)).collect();
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    let (mut open, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
    for at in 0..runs.runs.len() {
        while ranges.get(next).is_some_and(|range| range.start <= at) {
            open.push(next);
            next += 1;
        }
        while open.last().is_some_and(|&number| ranges[number].end <= at) {
            open.pop();
        }
        if let Some(&number) = open.last() {
            own[number].push(at);
        }
    }
    own
}

/// The elements that call themselves comments. The number of levels is bounded as the tree's is.
fn items(tree: &PageTree) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut list_end = 0;
    for node in tree.node_ids().filter(|&node| tree.is_html(node) && may_be_named(tree, node)) {
        while open.last().is_some_and(|&number| tree.subtree_end(items[number].node) <= node) {
            open.pop();
        }
        if tree.depth(node) > 2 && names(tree, node).any(|name| is_list(&name)) {
            list_end = list_end.max(tree.subtree_end(node).index());
            continue;
        }
        if tree.depth(node) <= 2 || !is_item(tree, node, node.index() < list_end) {
            continue;
        }
        // `<li class=comment><article id=comment-7>` is one comment.
        let around = open.last().copied();
        if around.is_some_and(|around| is_same(tree, items[around].node, node)) {
            continue;
        }
        open.push(items.len());
        items.push(Item { node, around });
        if items.len() >= MOST_ITEMS {
            break;
        }
    }
    items
}

/// Whether an element inside a comment is the comment itself: of the same number, or the first thing in it.
fn is_same(tree: &PageTree, outer: NodeId, inner: NodeId) -> bool {
    let number = |node| tree.attr(node, "id").and_then(number_in_id);
    match (number(outer), number(inner)) {
        (Some(outer), Some(inner)) => outer == inner,
        _ => {
            let elements = tree.descendants(outer).filter(|&node| tree.is_html(node) && node != outer);
            elements.take(1).any(|first| first == inner)
        }
    }
}

/// The number of `comment-7` or `div-comment-7`.
fn number_in_id(id: &str) -> Option<&str> {
    let (name, number) = id.rsplit_once('-').or_else(|| id.rsplit_once('_'))?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && letters_of(name).ends_with("comment")).then_some(number)
}

/// Whether an element has an attribute that may call it a comment or a list of them. Most have none.
fn may_be_named(tree: &PageTree, node: NodeId) -> bool {
    let holds = |value: &str| {
        let parts = ["omment", "omentario", "reply", "Reply", "isqus"];
        parts.iter().any(|part| value.contains(part))
    };
    tree.attrs(node).any(|(name, value)| match name {
        "class" | "id" => holds(value),
        "itemprop" | "property" => value.contains("comment"),
        "itemtype" => value.contains("Comment"),
        _ => false,
    })
}

fn is_item(tree: &PageTree, node: NodeId, is_in_list: bool) -> bool {
    if matches!(
        tree.tag(node),
        Some("a" | "button" | "input" | "textarea" | "form" | "label" | "span" | "p" | "svg")
    ) {
        return false;
    }
    has_property(tree, node, "comment")
        || tree.attr(node, "itemtype").is_some_and(|kind| {
            kind.ends_with("schema.org/Comment") || kind.ends_with("schema.org/UserComments")
        })
        || tree.attr(node, "id").and_then(number_in_id).is_some()
        || names(tree, node).any(|name| {
            ITEMS.contains(&name.as_str()) || is_in_list && PARTS_OF_LISTS.contains(&name.as_str())
        })
}

/// Whether a class or id is that of all comments.
fn is_list(name: &str) -> bool {
    name.starts_with("comment")
        && (name.contains("list") || name.contains("area") || name.contains("section"))
        && !ITEMS.contains(&name)
        || name == "comments"
        || name == "disqusthread"
}

/// The letters of the classes of an element.
fn names<'t>(tree: &'t PageTree, node: NodeId) -> impl Iterator<Item = String> + 't {
    tree.classes(node).take(32).map(letters_of)
}

fn letters_of(name: &str) -> String {
    name.chars().filter(|c| c.is_alphabetic()).take(64).collect::<String>().to_lowercase()
}

/// Reads a comment; `None` without a text, or without both name and time.
fn read_item(page: &Page, runs: &Runs, node: NodeId, own: &[usize]) -> Option<Comment> {
    let tree = &page.tree;
    let (first, last) = (own.first()?, own.last()?);
    let is_own: FxHashSet<usize> = own.iter().copied().collect();
    let holds_own = |range: &Range<usize>| range.clone().take(8).any(|at| is_own.contains(&at));
    let elements: Vec<NodeId> = tree
        .descendants(node)
        .filter(|&inner| inner != node && tree.is_html(inner) && tree.tag(inner).is_some())
        .take(MOST_ELEMENTS)
        .filter(|&inner| {
            // Of times and `meta` nothing is shown.
            let range = runs.under(tree, inner);
            range.start <= *last && range.end >= *first && (range.is_empty() || holds_own(&range))
        })
        .collect();
    let author =
        elements.iter().copied().find_map(|element| author_in(tree, element).map(|name| (element, name)));
    let date =
        elements.iter().copied().find_map(|element| date_in(tree, element).map(|date| (element, date)));
    if author.is_none() && date.is_none() {
        return None;
    }
    let parts: Vec<NodeId> = [author.as_ref().map(|(node, _)| *node), date.as_ref().map(|(node, _)| *node)]
        .into_iter()
        .flatten()
        .collect();
    let holds_part =
        |element: NodeId| parts.iter().any(|&part| part == element || tree.is_ancestor(element, part));
    let is_text = |&&element: &&NodeId| {
        !holds_part(element)
            && !parts.iter().any(|&part| tree.is_ancestor(part, element))
            && (has_property(tree, element, "text")
                || has_property(tree, element, "commentText")
                || names(tree, element).any(|name| TEXTS.iter().any(|text| name.contains(text))))
            && !runs.under(tree, element).is_empty()
    };
    let within =
        elements.iter().find(is_text).map_or(runs.under(tree, node), |&element| runs.under(tree, element));
    let is_beside = |at: usize| {
        let start = runs.runs[at].first;
        parts.iter().any(|&part| part == start || tree.is_ancestor(part, start))
    };
    let texts = own.iter().filter(|at| within.contains(at)).filter_map(|&at| {
        let run = &runs.runs[at];
        if run.is_control() {
            return None;
        }
        if !is_beside(at) {
            return Some(run.text.as_str());
        }
        // The name may begin the line of the text: "Bo: At last!"
        let name = author.as_ref().map(|(_, name)| name.as_str())?;
        let rest = run.text.strip_prefix(name)?.trim_start().strip_prefix(':')?.trim_start();
        (!rest.is_empty()).then_some(rest)
    });
    let text = joined(texts);
    let (author, date) = (author.map(|(_, name)| name), date.map(|(_, date)| date));
    (!text.is_empty()).then_some(Comment { author, date, text, parent: None })
}

/// Joins lines, up to the limit of a comment.
fn joined<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for line in lines.filter(|line| line.chars().any(char::is_alphanumeric)) {
        if text.len() + line.len() >= MOST_TEXT {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

/// The name of the reader, if an element holds it.
fn author_in(tree: &PageTree, element: NodeId) -> Option<String> {
    let is_declared = has_property(tree, element, "author") || has_property(tree, element, "creator");
    let is_named = || {
        names(tree, element).any(|name| {
            name == "fn" || name == "user" || name == "name" || NAMES.iter().any(|known| name.contains(known))
        })
    };
    if !(is_declared || tree.tag(element) == Some("cite") || is_named()) {
        return None;
    }
    // `<div class=comment-author><b class=fn>Bo</b> says:</div>`
    let inner = tree.descendants(element).take(40).filter(|&inner| inner != element);
    let precise = inner.filter(|&inner| {
        has_property(tree, inner, "name")
            || tree.classes(inner).any(|class| class == "fn")
            || tree.tag(inner) == Some("cite")
    });
    let holder = precise.take(1).next().unwrap_or(element);
    let content = tree.attr(holder, "content").map(squash);
    let name = content.unwrap_or_else(|| short_text(tree, holder));
    let name = name.trim().trim_end_matches([':', ',', '·', '•', '|']).trim_end();
    let is_name = !name.is_empty() && name.len() <= MOST_NAME && name.chars().any(char::is_alphanumeric);
    is_name.then(|| name.to_owned())
}

/// The text of a small element.
fn short_text(tree: &PageTree, node: NodeId) -> String {
    let texts: String = tree
        .descendants(node)
        .take(60)
        .filter_map(|node| tree.text(node))
        .flat_map(|text| [text, " "])
        .collect();
    squash(&texts)
}

/// The time of a comment, if an element holds it.
fn date_in(tree: &PageTree, element: NodeId) -> Option<String> {
    let is_time = tree.tag(element) == Some("time");
    let is_declared =
        ["dateCreated", "datePublished", "commentTime"].iter().any(|name| has_property(tree, element, name));
    let is_named = || names(tree, element).any(|name| TIMES.iter().any(|known| name.contains(known)));
    if !(is_time || is_declared || is_named()) {
        return None;
    }
    let attribute = ["datetime", "content", "title"].iter().find_map(|name| tree.attr(element, name));
    let by_attribute =
        attribute.filter(|text| text.len() <= MOST_NAME).and_then(|text| written_date(text, false));
    by_attribute.or_else(|| {
        let text = short_text(tree, element);
        (text.len() <= MOST_NAME).then(|| written_date(&text, false)).flatten()
    })
}

/// The comments that JSON-LD lists.
fn declared_comments(objects: &Objects) -> Vec<Comment> {
    let mut found = Vec::new();
    // The page's other articles may have comments of their own, so only the first list counts.
    let list =
        objects.articles().find_map(|article| article.get("comment").or_else(|| article.get("comments")));
    let mut todo: Vec<(&Value, Option<usize>, usize)> =
        list.map(|list| (list, None, 0)).into_iter().collect();
    while let Some((value, parent, level)) = todo.pop() {
        match value {
            Value::Array(values) if level < MOST_LEVELS => {
                todo.extend(values.iter().take(MOST_COMMENTS).rev().map(|value| (value, parent, level + 1)));
            }
            Value::Object(object) if level < MOST_LEVELS && found.len() < MOST_COMMENTS => {
                let Some(comment) = declared_comment(object, objects) else { continue };
                found.push(Comment { parent, ..comment });
                let own = found.len() - 1;
                todo.extend(object.get("comment").map(|answers| (answers, Some(own), level + 1)));
            }
            _ => {}
        }
    }
    found
}

fn declared_comment(object: &Map<String, Value>, objects: &Objects) -> Option<Comment> {
    let text = ["text", "commentText", "description"].iter().find_map(|key| object.get(*key)?.as_str())?;
    if text.len() > 4 * MOST_TEXT {
        return None;
    }
    let text = joined(without_markup(text).lines().map(str::trim));
    let author = ["author", "creator"].iter().find_map(|key| object.get(*key));
    let author = author.and_then(|author| json_ld::names_in(author, objects).into_iter().next());
    let author = author.filter(|name| name.len() <= MOST_NAME);
    let date =
        ["dateCreated", "datePublished", "commentTime"].iter().find_map(|key| object.get(*key)?.as_str());
    let date = date.filter(|date| date.len() <= MOST_NAME).and_then(|date| written_date(date, false));
    (!text.is_empty()).then_some(Comment { author, date, text, parent: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// The comments of a page, each as `author|date|text|parent`.
    fn read(html: &str) -> Vec<String> {
        let found =
            comments(&page(&format!("<h1>Rain</h1><p>It rained over the valley on Thursday.</p>{html}")));
        let line = |comment: Comment| {
            let parent = comment.parent.map(|parent| parent.to_string()).unwrap_or_default();
            let (author, date) = (comment.author.unwrap_or_default(), comment.date.unwrap_or_default());
            format!("{author}|{date}|{}|{parent}", comment.text)
        };
        found.into_iter().map(line).collect()
    }

    #[test]
    fn a_thread_of_wordpress_is_read_with_its_answers() {
        let comment = |number: u32, name: &str, text: &str, answers: &str| {
            format!(
                "<li id=comment-{number} class='comment even depth-1'><article id=div-comment-{number} class=comment-body>\
                 <footer class=comment-meta><div class='comment-author vcard'><img src=a.png><b class=fn>{name}</b>\
                 <span class=says>says:</span></div><div class=comment-metadata><a href=#><time \
                 datetime=2024-05-0{number}T08:00:00+00:00>May {number}, 2024</time></a></div></footer>\
                 <div class=comment-content><p>{text}</p><p>Twice.</p></div><div class=reply><a href=#r>Reply</a></div></article>\
                 {answers}</li>"
            )
        };
        let answer = format!("<ol class=children>{}</ol>", comment(2, "Ida", "No.", ""));
        let list = format!(
            "<div id=comments class=comments-area><h2>3 comments</h2><ol class=comment-list>{}{}</ol>\
             <div id=respond class=comment-respond><form class=comment-form>Leave a comment</form></div></div>",
            comment(1, "Bo", "At last!", &answer),
            comment(3, "Cem", "Good.", "")
        );
        assert_eq!(
            read(&list),
            [
                "Bo|2024-05-01T08:00:00Z|At last!\nTwice.|",
                "Ida|2024-05-02T08:00:00Z|No.\nTwice.|0",
                "Cem|2024-05-03T08:00:00Z|Good.\nTwice.|"
            ]
        );
    }

    #[test]
    fn microdata_and_json_ld_say_what_comments_are() {
        let microdata = "<section><div itemprop=comment itemscope itemtype=https://schema.org/Comment>\
                         <span itemprop=author itemscope><span itemprop=name>Bo</span></span>\
                         <meta itemprop=dateCreated content=2024-05-02><div itemprop=text>At last!</div></div></section>";
        assert_eq!(read(microdata), ["Bo|2024-05-02|At last!|"]);
        let json = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"Rain\",\"comment\":[\
                    {\"@type\":\"Comment\",\"author\":{\"@type\":\"Person\",\"name\":\"Bo\"},\"text\":\"<p>At last!</p>\",\
                    \"dateCreated\":\"2024-05-02\",\"comment\":{\"text\":\"No.\",\"author\":\"Ida\"}},{\"text\":7}]}</script>";
        assert_eq!(read(json), ["Bo|2024-05-02|At last!|", "Ida||No.|0"]);
    }

    #[test]
    fn plain_lists_need_a_name_or_a_time() {
        let list = "<section><div class=comment><span class=user-name>Bo</span><div class=comment-text>At last!</div></div>\
                    <div class=comment><p>Advertisement</p></div><div class=comment><cite>Ida</cite>: Indeed.</div></section>";
        assert_eq!(read(list), ["Bo||At last!|", "Ida||Indeed.|"]);
        assert_eq!(
            read("<div class=comments>12 comments</div><p class=comment>By <b class=author>Ada</b>"),
            [""; 0]
        );
        assert_eq!(read("<section id=comments><p>Nobody wrote anything.</section>"), [""; 0]);
    }

    #[test]
    fn hostile_comments_are_cut() {
        let deep = "<div class=comment><b class=fn>Bo</b><p>Again.</p>".repeat(3_000);
        let deep = read(&deep);
        assert!(!deep.is_empty() && deep.len() <= MOST_COMMENTS, "{}", deep.len());
        let wide = "<section>".to_owned()
            + &"<div class=comment><b class=fn>Bo</b><p>Again.</p></div>".repeat(30_000);
        assert_eq!(read(&wide).len(), MOST_COMMENTS);
        let long = format!(
            "<section><div class=comment><b class=fn>Bo</b><p>{}</p><p>Short.</p></div>",
            "x ".repeat(100_000)
        );
        assert_eq!(read(&long), [""; 0]);
    }
}
