//! The parts of a page that readers wrote: elements marked as comments, and what follows a heading like "3 comments".
//!
//! A reader's name and day look like a byline, and are marked up like one. So they are no candidates for the author and the day of the
//! story. A story itself may stand in an element that is called a comment, as opinions are: only what follows the story,
//! or holds comments one by one, is taken for readers'.
//!
//! Invariant: linear in the page. Start at [`Threads::new`].

use std::ops::Range;

use super::comments::comment_items;
use super::foreign::{CommentElements, comment_elements};
use super::runs::{PrefixSums, Runs};
use crate::Page;
use crate::reading::{NodeId, PageTree};
use crate::text::letters;

/// Words of prose between the headline and what readers wrote about it.
const LEAST_STORY: f32 = 10.0;
/// Most words of a heading above comments.
const HEADING_WORDS: f32 = 5.0;
/// Most elements around a heading that hold nothing else.
const MOST_AROUND: usize = 4;
/// "Comments" in the languages of the web, as the only word of a heading with or without their number. The singular is a
/// heading of opinions, so it needs the number.
const HEADINGS: [&str; 36] = [
    "comments",
    "usercomments",
    "readercomments",
    "readerscomments",
    "kommentare",
    "leserkommentare",
    "commentaires",
    "comentarios",
    "comentários",
    "commenti",
    "comentaris",
    "reacties",
    "komentarze",
    "kommentarer",
    "kommentit",
    "kommentaarid",
    "komentari",
    "komentáře",
    "komentáre",
    "komentarji",
    "komentarai",
    "komentāri",
    "hozzászólások",
    "comentarii",
    "yorumlar",
    "bìnhluận",
    "komentar",
    "комментарии",
    "комментариев",
    "коментарі",
    "коментари",
    "σχόλια",
    "コメント",
    "评论",
    "留言",
    "댓글",
];
const SINGULARS: [&str; 8] =
    ["comment", "kommentar", "commentaire", "comentario", "comentário", "commento", "reactie", "yorum"];

/// The parts of a page in which readers write.
pub(super) struct Threads {
    /// In page order; none is inside another.
    parts: Vec<Range<NodeId>>,
}

impl Threads {
    /// `headline` is the number of the headline's run.
    pub(super) fn new(page: &Page, runs: &Runs, headline: usize) -> Threads {
        let tree = &page.tree;
        let items = comment_items(tree);
        let CommentElements { named, in_rows } = comment_elements(page, runs, headline);
        let story = Story {
            tree,
            runs,
            headline,
            prose: runs.sums(|run| if run.is_prose() { run.words } else { 0.0 }),
        };
        let whole = |node: NodeId| node..tree.subtree_end(node);
        let named = named.into_iter().filter(|&node| story.is_thread(node, &items)).map(whole);
        let single = items.iter().copied().filter(|&node| story.is_comment(node)).map(whole);
        let headed = story.headed_parts();
        let mut found: Vec<Range<NodeId>> =
            named.chain(in_rows.into_iter().map(whole)).chain(single).chain(headed).collect();
        found.sort_by_key(|part| (part.start, std::cmp::Reverse(part.end)));
        let mut parts: Vec<Range<NodeId>> = Vec::new();
        for part in found {
            if parts.last().is_none_or(|last| last.end <= part.start) {
                parts.push(part);
            }
        }
        Threads { parts }
    }

    /// Whether readers wrote what a node shows.
    pub(super) fn hold(&self, node: NodeId) -> bool {
        let next = self.parts.partition_point(|part| part.start <= node);
        next.checked_sub(1).is_some_and(|last| self.parts[last].contains(&node))
    }
}

/// A page, seen as a story and what follows it.
struct Story<'a> {
    tree: &'a PageTree,
    runs: &'a Runs,
    headline: usize,
    prose: PrefixSums,
}

impl Story<'_> {
    /// Words of prose between the headline and a run.
    fn prose_before(&self, run: usize) -> f32 {
        if run > self.headline { self.prose.over(self.headline..run) } else { 0.0 }
    }

    /// Whether a part that is named after comments holds some: it follows the story, or it holds comments one by one.
    fn is_thread(&self, node: NodeId, items: &[NodeId]) -> bool {
        let range = self.runs.under(self.tree, node);
        // Many blogs show the byline and the number of comments in one line.
        let holds_texts = range.len() > 1 || self.prose.over(range.clone()) > 0.0;
        let next = items.partition_point(|item| *item < node);
        let holds_items = || items.get(next).is_some_and(|item| *item < self.tree.subtree_end(node));
        holds_texts && (self.prose_before(range.start) >= LEAST_STORY || holds_items())
    }

    /// Whether an element that calls itself a comment follows a story that is not shorter.
    fn is_comment(&self, node: NodeId) -> bool {
        let range = self.runs.under(self.tree, node);
        let own = self.prose.over(range.clone());
        range.len() > 1
            && range.start > self.headline
            && self.prose_before(range.start) >= LEAST_STORY.max(own)
    }

    /// The parts below headings like "3 comments", each up to the next heading or footer.
    fn headed_parts(&self) -> Vec<Range<NodeId>> {
        let mut found: Vec<Range<NodeId>> = Vec::new();
        for (at, run) in self.runs.runs.iter().enumerate() {
            let is_free = found.last().is_none_or(|last| last.end <= run.first);
            if is_free
                && run.words <= HEADING_WORDS
                && rank(self.tree, run.block).is_some()
                && self.prose_before(at) >= LEAST_STORY
                && heads_comments(&run.text)
            {
                found.extend(self.behind_heading(run.block));
            }
        }
        found
    }

    fn behind_heading(&self, heading: NodeId) -> Option<Range<NodeId>> {
        let tree = self.tree;
        let up = || std::iter::once(heading).chain(tree.ancestors(heading)).take(MOST_AROUND);
        // The outermost element that holds nothing but the heading.
        let alone = up().take_while(|&node| self.runs.under(tree, node).len() == 1).last()?;
        let own = rank(tree, heading)?;
        let is_other = |node: NodeId| rank(tree, node).is_some_and(|other| other <= own);
        let holds_other = |node: NodeId| tree.descendants(node).any(is_other);
        let after = std::iter::successors(tree.next_sibling(alone), |&node| tree.next_sibling(node));
        let last = after.take_while(|&node| tree.tag(node) != Some("footer") && !holds_other(node)).last()?;
        Some(alone..tree.subtree_end(last))
    }
}

/// The rank of a heading below the headline.
fn rank(tree: &PageTree, node: NodeId) -> Option<u8> {
    match tree.tag(node)?.as_bytes() {
        [b'h', rank @ b'2'..=b'6'] => Some(rank - b'0'),
        _ => None,
    }
}

/// Whether a heading is but a word for comments, with or without their number.
fn heads_comments(text: &str) -> bool {
    let words: String = letters(text).chars().filter(|letter| !letter.is_numeric()).collect();
    let has_number = text.contains(|letter: char| letter.is_numeric());
    HEADINGS.contains(&words.as_str()) || (has_number && SINGULARS.contains(&words.as_str()))
}

#[cfg(test)]
mod tests {
    use crate::extract::{Article, article};
    use crate::testing::page_at;
    use crate::time::Timestamp;

    /// 2024-06-01T00:00:00Z.
    const NOW: Timestamp = Timestamp(1_717_200_000_000);
    const TEXT: &str = "<p>The council voted on Tuesday to keep the old bridge open for another year, after hundreds of \
        people had asked for it.</p><p>Engineers will look at it every month, the mayor said, and a new bridge is planned \
        for the end of the decade.</p><p>It was built in 1907, survived two floods and a war, and carries forty thousand \
        cars on every working day.</p>";

    fn read(html: &str) -> Article {
        let head = "<title>Bridge stays open</title><meta property=og:type content=article>";
        let html =
            format!("<html lang=en><head>{head}</head><body><div><div>{html}</div></div></body></html>");
        article(&page_at("https://news.example.org/bridge-stays-open", &html), NOW).1.unwrap()
    }

    /// Checks that a story without byline and day gets none from what follows it.
    #[track_caller]
    fn check_readers(after: &str) {
        let found = read(&format!("<h1>Bridge stays open</h1>{TEXT}{after}"));
        let none: (Vec<String>, Option<String>, Option<String>) = Default::default();
        assert_eq!((found.authors, found.published, found.modified), none, "{after}");
    }

    /// Checks that a story has its own byline and day.
    #[track_caller]
    fn check_story(html: &str) {
        let found = read(html);
        let day = found.published.as_deref().and_then(|date| date.get(..10));
        assert_eq!(
            (found.authors.as_slice(), day),
            (["Ada Lovelace".to_owned()].as_slice(), Some("2024-05-03")),
            "{html}"
        );
    }

    const COMMENT: &str = "<p>I have walked over it every morning, and I will miss the old stones.</p>";

    #[test]
    fn readers_under_a_story_are_not_its_authors() {
        check_readers(&format!(
            "<section id=comments><h2>One thought</h2><ol class=commentlist><li class='comment even'><article \
             id=div-comment-7><footer><div class='comment-author vcard'><b class=fn>Jane Doe</b> says:</div><time \
             datetime=2024-03-03T10:00:00Z>3 March 2024 at 10:00</time></footer>{COMMENT}</article></li></ol></section>"
        ));
        check_readers(&format!(
            "<div id=disqus_thread><ul><li class=post><a class=author href=/u/jane>Jane Doe</a> <a title='2024-03-03 10:00'>\
             3 March 2024</a><div class=post-message>{COMMENT}</div></li></ul></div>"
        ));
        check_readers(&format!("<div class=comment><p>By Jane Doe, 3 March 2024</p>{COMMENT}</div>"));
        check_readers(&format!(
            "<div itemscope itemtype=https://schema.org/Comment><span itemprop=author>Jane Doe</span> <time \
             itemprop=dateCreated datetime=2024-03-03>3 March</time> <time itemprop=dateModified datetime=2024-03-04>4 \
             March</time><div itemprop=text>{COMMENT}</div></div>"
        ));
        check_readers(&format!("<div id=comments><p>By Jane Doe, 3 March 2024</p>{COMMENT}</div>"));
    }

    #[test]
    fn readers_in_plain_markup_stand_under_a_heading() {
        for heading in
            ["Comments (1)", "Kommentare", "Commentaires", "1 comentario", "Комментарии", "コメント"]
        {
            check_readers(&format!("<h3>{heading}</h3><div><p>By Jane Doe, 3 March 2024</p>{COMMENT}</div>"));
            check_readers(&format!(
                "<div><h3>{heading}</h3></div><div><h4>Jane Doe</h4><time>3 March 2024</time>{COMMENT}</div>"
            ));
        }
        let posts: String = ["Jane Doe", "John Roe"]
            .map(|name| format!("<div class=msg><p>By {name}</p><p>3 March 2024</p>{COMMENT}</div>"))
            .concat();
        check_readers(&format!("<h3>2 mrenja</h3>{posts}"));
    }

    #[test]
    fn comments_in_json_ld_are_not_the_story() {
        check_readers(
            "<script type=application/ld+json>[{\"@type\":\"Comment\",\"text\":\"At last!\",\"dateCreated\":\"2024-03-03\",\
             \"dateModified\":\"2024-03-04\",\"author\":{\"@type\":\"Person\",\"name\":\"Jane Doe\"}}]</script>",
        );
    }

    #[test]
    fn a_story_in_an_element_that_is_called_a_comment_keeps_its_byline() {
        let byline = "<p class=byline>By Ada Lovelace</p><p>3 May 2024</p>";
        for class in ["comment", "commentary", "post-comments-wrapper", "comments"] {
            check_story(&format!("<div class='{class}'><h1>Bridge stays open</h1>{byline}{TEXT}</div>"));
            check_story(&format!("<h1>Bridge stays open</h1><div class='{class}'>{byline}{TEXT}</div>"));
        }
        check_story(&format!("<div id=comments><h1>Bridge stays open</h1>{byline}{TEXT}</div>"));
        check_story(&format!(
            "<h1>Bridge stays open</h1><div class=comments>By Ada Lovelace | 3 May 2024 | <a href=#c>2 comments</a></div>{TEXT}"
        ));
        check_story(&format!(
            "<h1>Bridge stays open</h1>{TEXT}<div class=comments>By Ada Lovelace, 3 May 2024 | <a href=#c>No comments</a></div>"
        ));
        let thread = format!(
            "<section id=comments><h3>1 comment</h3><div class=comment><b class=author>Jane Doe</b><p>\
            <time datetime=2024-05-09>9 May</time>{COMMENT}</div></section>"
        );
        check_story(&format!("<h1>Bridge stays open</h1>{byline}{TEXT}{thread}"));
        check_story(&format!(
            "<h1>Bridge stays open</h1>{TEXT}<h3>Comments</h3><p>Be the first.</p><footer>{byline}</footer>"
        ));
    }
}
