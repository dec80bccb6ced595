//! What an element's tag says, looked up once for each tag instead of once for each element.

use crate::reading::PageTree;
use crate::text::INLINE;

/// The kinds of elements that the outline distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
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
    /// `time`, `small`, `cite`, `figcaption`, `address`: says something about another text.
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

impl Kind {
    pub(super) fn is_inline(self) -> bool {
        matches!(self, Kind::Link | Kind::Strong | Kind::Image | Kind::Inline | Kind::Meta)
    }
}

/// The kind of each tag of the page.
pub(super) fn kinds(tree: &PageTree) -> Vec<Kind> {
    let mut kinds = vec![Kind::Block; tree.tag_count()];
    let inline = INLINE.map(|name| (name, Kind::Inline));
    for (name, kind) in inline.into_iter().chain(KINDS) {
        if let Some(tag) = tree.tag_named(name) {
            kinds[tag.index()] = kind;
        }
    }
    kinds
}

/// The kinds of tags that are more specific than inline or block.
const KINDS: [(&str, Kind); 42] = [
    ("h1", Kind::Heading(1)),
    ("h2", Kind::Heading(2)),
    ("h3", Kind::Heading(3)),
    ("h4", Kind::Heading(4)),
    ("h5", Kind::Heading(5)),
    ("h6", Kind::Heading(6)),
    ("a", Kind::Link),
    ("b", Kind::Strong),
    ("strong", Kind::Strong),
    ("dt", Kind::Term),
    ("legend", Kind::Strong),
    ("caption", Kind::Strong),
    ("summary", Kind::Strong),
    ("li", Kind::Item),
    ("dd", Kind::Detail),
    ("article", Kind::Article),
    ("header", Kind::Header),
    ("footer", Kind::Footer),
    ("nav", Kind::Nav),
    ("hgroup", Kind::Header),
    ("ul", Kind::List),
    ("ol", Kind::List),
    ("dl", Kind::List),
    ("menu", Kind::List),
    ("table", Kind::Table),
    ("tbody", Kind::Rows),
    ("thead", Kind::Rows),
    ("tfoot", Kind::Rows),
    ("tr", Kind::Row),
    ("td", Kind::Cell),
    ("th", Kind::HeadCell),
    ("time", Kind::Meta),
    ("small", Kind::Meta),
    ("cite", Kind::Meta),
    ("figcaption", Kind::Meta),
    ("p", Kind::Paragraph),
    ("img", Kind::Image),
    // These differ from other modules: the outline's votes and its learnt blocks were fitted to them.
    ("br", Kind::Inline),
    ("button", Kind::Inline),
    ("dfn", Kind::Block),
    ("rt", Kind::Inline),
    ("ruby", Kind::Inline),
];
