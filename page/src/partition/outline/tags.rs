//! The kinds of elements by tag, looked up once for each tag instead of once for each element.

use crate::reading::PageTree;
use crate::text::INLINE;

/// The kinds of elements that the outline distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TagKind {
    /// `h1`-`h6`, with the level.
    Heading(u8),
    /// `a`.
    Link,
    /// `b`, `strong`, `legend`, `caption`, `summary`: emphasises its text.
    Strong,
    /// `dt`.
    Term,
    /// `dd`.
    Detail,
    /// `li`.
    Item,
    /// `article`.
    Article,
    /// `header`, `hgroup`.
    Header,
    /// `ul`, `ol`, `dl`, `menu`.
    List,
    /// `table`.
    Table,
    /// `tbody`, `thead`, `tfoot`.
    Rows,
    /// `tr`.
    Row,
    /// `td`.
    Cell,
    /// `th`.
    HeadCell,
    /// `time`, `small`, `cite`, `figcaption`, `address`: belongs to another text.
    Meta,
    /// `p`.
    Paragraph,
    /// `img`.
    Image,
    /// `footer`.
    Footer,
    /// `nav`.
    Nav,
    /// Any other element of running text.
    Inline,
    /// Any other.
    Block,
}

impl TagKind {
    pub(super) fn is_inline(self) -> bool {
        matches!(self, TagKind::Link | TagKind::Strong | TagKind::Image | TagKind::Inline | TagKind::Meta)
    }
}

/// The kind of each tag of the page.
pub(super) fn tag_kinds(tree: &PageTree) -> Vec<TagKind> {
    let mut kinds = vec![TagKind::Block; tree.tag_count()];
    let inline = INLINE.map(|name| (name, TagKind::Inline));
    for (name, kind) in inline.into_iter().chain(KINDS) {
        if let Some(tag) = tree.tag_named(name) {
            kinds[tag.index()] = kind;
        }
    }
    kinds
}

/// The kinds of tags that are more specific than inline or block.
const KINDS: [(&str, TagKind); 42] = [
    ("h1", TagKind::Heading(1)),
    ("h2", TagKind::Heading(2)),
    ("h3", TagKind::Heading(3)),
    ("h4", TagKind::Heading(4)),
    ("h5", TagKind::Heading(5)),
    ("h6", TagKind::Heading(6)),
    ("a", TagKind::Link),
    ("b", TagKind::Strong),
    ("strong", TagKind::Strong),
    ("dt", TagKind::Term),
    ("legend", TagKind::Strong),
    ("caption", TagKind::Strong),
    ("summary", TagKind::Strong),
    ("li", TagKind::Item),
    ("dd", TagKind::Detail),
    ("article", TagKind::Article),
    ("header", TagKind::Header),
    ("footer", TagKind::Footer),
    ("nav", TagKind::Nav),
    ("hgroup", TagKind::Header),
    ("ul", TagKind::List),
    ("ol", TagKind::List),
    ("dl", TagKind::List),
    ("menu", TagKind::List),
    ("table", TagKind::Table),
    ("tbody", TagKind::Rows),
    ("thead", TagKind::Rows),
    ("tfoot", TagKind::Rows),
    ("tr", TagKind::Row),
    ("td", TagKind::Cell),
    ("th", TagKind::HeadCell),
    ("time", TagKind::Meta),
    ("small", TagKind::Meta),
    ("cite", TagKind::Meta),
    ("figcaption", TagKind::Meta),
    ("p", TagKind::Paragraph),
    ("img", TagKind::Image),
    // These differ from other modules: the outline's votes and its learnt blocks were fitted to them.
    ("br", TagKind::Inline),
    ("button", TagKind::Inline),
    ("dfn", TagKind::Block),
    ("rt", TagKind::Inline),
    ("ruby", TagKind::Inline),
];
