//! What a page shows, whatever its looks: the model that all templates render.
//!
//! A [`View`] is built from the site's plan and stories (`desk`); a template turns it into HTML. Its texts are written
//! with an [`Ink`](crate::marks::Ink), which records what heads what, so page and gold agree by construction. Addresses
//! are final. Templates escape texts with [`Link::a`] and [`esc`], except fields named `html`. A template may leave out
//! what its era does not show.

use crate::marks::Text;
use crate::site::SitePlan;

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// Its text.
    pub text: String,
    /// Its number among the page's texts.
    pub id: usize,
    /// Its target, as the page writes it.
    pub href: String,
}

/// A line of a menu and the lines below it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The line.
    pub link: Link,
    /// Its submenu.
    pub children: Vec<Self>,
}

/// A story in a list.
#[derive(Debug, Clone)]
pub(crate) struct Teaser {
    /// A short text above the headline.
    pub kicker: Option<Text>,
    /// Headline.
    pub link: Link,
    /// A sentence about it.
    pub text: Text,
    /// Printed date.
    pub date: Text,
    /// Who wrote it.
    pub byline: Option<Text>,
}

/// A section's box on another page.
#[derive(Debug, Clone)]
pub(crate) struct SectionBox {
    /// The section.
    pub heading: Link,
    /// Headlines.
    pub items: Vec<Link>,
    /// Link after the list.
    pub more: Link,
}

/// A list in the rail; several lists become tabs or boxes.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    /// Its title.
    pub heading: Text,
    /// Stories.
    pub items: Vec<Link>,
}

/// An article page.
#[derive(Debug, Clone)]
pub(crate) struct StoryView {
    /// Section above the title.
    pub kicker: Option<Link>,
    /// Title.
    pub title: Text,
    /// Byline, with markup where the site has microdata.
    pub byline_html: Option<String>,
    /// Date, with markup where the site has it.
    pub date_html: Option<String>,
    /// Paragraphs with their inline markup.
    pub paragraphs_html: Vec<String>,
    /// Caption of the photograph.
    pub caption: Option<Text>,
    /// Address of the photograph.
    pub image: String,
    /// Heading of related stories.
    pub related_heading: Text,
    /// Related stories.
    pub related: Vec<Link>,
    /// Heading of share links.
    pub share_heading: Text,
    /// Share links.
    pub share: Vec<Link>,
    /// Heading of readers' comments.
    pub comments_heading: Text,
    /// Readers' names and what they wrote.
    pub comments: Vec<(Text, Text)>,
    /// Attribute of a table of comments.
    pub comments_table: String,
    /// The newsletter box in the middle of the text: words and button.
    pub newsletter: Option<(Text, Text)>,
    /// Attributes of the article's element, of its title and of its body, each with a leading space.
    pub scope: [&'static str; 3],
}

/// A property of a profile and its values.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    /// Its name.
    pub label: Text,
    /// One or more values.
    pub values: Vec<Text>,
}

/// The profile of a member of the newsroom.
#[derive(Debug, Clone)]
pub(crate) struct ProfileView {
    /// The name.
    pub heading: Text,
    /// What they do.
    pub role: Text,
    /// Properties.
    pub facts: Vec<Fact>,
    /// Text about them.
    pub paragraph: Text,
    /// Former posts.
    pub career: Fact,
    /// Attribute of a table of the properties.
    pub table: String,
}

/// A data table.
#[derive(Debug, Clone)]
pub(crate) struct TableView {
    /// The caption above it.
    pub caption: Text,
    /// Rows of cells; the corner may be blank.
    pub rows: Vec<Vec<Text>>,
    /// Header rows at the top.
    pub head_rows: usize,
    /// Header columns at the left.
    pub head_columns: usize,
    /// Attribute of the element.
    pub attribute: String,
}

/// The middle of a page.
#[derive(Debug, Clone)]
pub(crate) enum Main {
    /// The home page.
    Front {
        /// Over the lead stories.
        heading: Text,
        /// Lead stories.
        lead: Vec<Teaser>,
        /// A box for each top section.
        boxes: Vec<SectionBox>,
    },
    /// A section page.
    Section {
        /// The section's label.
        heading: Text,
        /// From the home page down to the section above.
        crumbs: Vec<Link>,
        /// Its stories.
        list: Vec<Teaser>,
        /// A box for each subsection.
        boxes: Vec<SectionBox>,
        /// Other pages of the list.
        pages: Vec<Link>,
    },
    /// An article.
    Story(Box<StoryView>),
    /// A profile.
    Profile(Box<ProfileView>),
    /// Data tables.
    Figures {
        /// Title.
        heading: Text,
        /// The tables.
        tables: Vec<TableView>,
    },
    /// Anything else.
    Plain {
        /// Title.
        heading: Text,
        /// Text.
        paragraphs: Vec<Text>,
        /// A list of links.
        links: Vec<Link>,
    },
}

/// A whole page.
#[derive(Debug, Clone)]
pub(crate) struct View<'a> {
    /// The site.
    pub plan: &'a SitePlan,
    /// Content of the `title` element.
    pub title: String,
    /// Metadata elements for the head.
    pub head_html: String,
    /// The site's name, leading to the home page.
    pub logo: Link,
    /// The menu's link to the home page; not every era has it.
    pub home: Option<Link>,
    /// Menu.
    pub menu: Vec<Entry>,
    /// Heading of the utility links, where an era has one.
    pub utility_heading: Text,
    /// Weather, crossword and the like.
    pub utility: Vec<Link>,
    /// Footer links.
    pub footer: Vec<Link>,
    /// Copyright line.
    pub copyright: Text,
    /// Over the advertisements.
    pub ads_heading: Text,
    /// Advertisements.
    pub ads: Vec<Link>,
    /// Most read stories and, on some sites, the latest.
    pub panels: Vec<Panel>,
    /// Cookie banner: words and button.
    pub cookies: Option<(Text, Text)>,
    /// Target of the search form.
    pub search: String,
    /// The middle.
    pub main: Main,
}

impl Link {
    /// The `a` element; `extra` holds more attributes, with a leading space.
    #[must_use]
    pub(crate) fn a(&self, extra: &str) -> String {
        format!("<a href=\"{}\"{extra}>{}</a>", esc(&self.href), esc(&self.text))
    }
}

/// Escapes `text` for use as HTML text and in quoted attributes.
#[must_use]
pub(crate) fn esc(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The escaped text.
#[must_use]
pub(crate) fn t(text: &Text) -> String {
    esc(&text.text)
}

/// Renders the items, one per line.
pub(crate) fn lines<T>(items: impl IntoIterator<Item = T>, each: impl FnMut(T) -> String) -> String {
    items.into_iter().map(each).collect::<Vec<_>>().join("\n")
}
