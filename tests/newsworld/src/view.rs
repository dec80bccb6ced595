//! What a page shows, apart from how: the model that all five templates draw.
//!
//! A [`View`] is built once from the site's plan and stories (`page.rs`); a template turns it into HTML and the
//! gold hierarchy is read off the same value (`outline`), so that both agree by construction. All texts are plain
//! and all addresses final; templates escape them through [`Link::a`] and [`esc`]. The exceptions say `html`.

use crate::language::{Pack, Ui};
use crate::site::SitePlan;

/// A text that leads somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// What is read.
    pub text: String,
    /// Where it leads, as it stands in the page.
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
    /// Headline.
    pub link: Link,
    /// A sentence about it.
    pub text: String,
    /// Printed date.
    pub date: String,
}

/// A section's box on another page.
#[derive(Debug, Clone)]
pub(crate) struct SectionBox {
    /// The section.
    pub heading: Link,
    /// Headlines.
    pub items: Vec<Link>,
    /// Link behind the list.
    pub more: Link,
}

/// An article page.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoryView {
    /// Section over the title.
    pub kicker: Option<Link>,
    /// Title.
    pub title: String,
    /// Byline, with markup where the site has microdata.
    pub byline_html: Option<String>,
    /// Date, with markup where the site has any.
    pub date_html: Option<String>,
    /// Paragraphs with their inline markup.
    pub paragraphs_html: Vec<String>,
    /// Caption of the photograph.
    pub caption: Option<String>,
    /// Address of the photograph.
    pub image: String,
    /// Related stories.
    pub related: Vec<Link>,
    /// Share links.
    pub share: Vec<Link>,
    /// Readers' names and what they wrote.
    pub comments: Vec<(String, String)>,
    /// Whether the newsletter box stands in the middle of the text.
    pub newsletter: bool,
    /// Attributes of the article's element, of its title and of its body, each with a space before.
    pub scope: [&'static str; 3],
}

/// The middle of a page.
#[derive(Debug, Clone)]
pub(crate) enum Main {
    /// The home page.
    Front {
        /// Lead stories.
        lead: Vec<Teaser>,
        /// A box for each top section.
        boxes: Vec<SectionBox>,
    },
    /// A section page.
    Section {
        /// The section's label.
        heading: String,
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
    /// Anything else.
    Plain {
        /// Title.
        heading: String,
        /// Text.
        paragraphs: Vec<String>,
        /// A list of links.
        links: Vec<Link>,
    },
}

/// A whole page.
#[derive(Debug, Clone)]
pub(crate) struct View<'a> {
    /// The site.
    pub plan: &'a SitePlan,
    /// Title of the window.
    pub title: String,
    /// Metadata elements for the head.
    pub head_html: String,
    /// Link to the home page.
    pub home: Link,
    /// Menu.
    pub menu: Vec<Entry>,
    /// Weather, crossword and the like.
    pub utility: Vec<Link>,
    /// Footer links.
    pub footer: Vec<Link>,
    /// Advertisements.
    pub ads: Vec<Link>,
    /// Most read stories.
    pub most_read: Vec<Link>,
    /// Where the search form leads.
    pub search: String,
    /// The middle.
    pub main: Main,
}

impl Link {
    /// The element, with more attributes if `extra` (with a space before) gives any.
    #[must_use]
    pub(crate) fn a(&self, extra: &str) -> String {
        format!("<a href=\"{}\"{extra}>{}</a>", esc(&self.href), esc(&self.text))
    }
}

impl View<'_> {
    /// The words of the site's language.
    #[must_use]
    pub(crate) const fn pack(&self) -> &'static Pack {
        self.plan.language.pack()
    }

    /// The furniture's words.
    #[must_use]
    pub(crate) const fn ui(&self) -> &'static Ui {
        &self.pack().ui
    }

    /// The copyright line.
    #[must_use]
    pub(crate) fn copyright(&self) -> String {
        esc(&self.ui().copyright.replace("{name}", &self.plan.name))
    }

    /// The page's hierarchy as a reader sees it, depth and label, in the order of the page: menu, then lists under
    /// their headings. Advertisements, footer and teasers' texts are no part of it; an article page has none.
    #[must_use]
    pub(crate) fn outline(&self) -> Vec<(usize, String)> {
        let mut out = Vec::new();
        let mut stack: Vec<(usize, &Entry)> = self.menu.iter().rev().map(|e| (0, e)).collect();
        while let Some((depth, entry)) = stack.pop() {
            out.push((depth, entry.link.text.clone()));
            stack.extend(entry.children.iter().rev().map(|e| (depth + 1, e)));
        }
        match &self.main {
            Main::Front { lead, boxes } => {
                out.push((0, self.ui().top_stories.to_owned()));
                out.extend(lead.iter().map(|t| (1, t.link.text.clone())));
                boxes.iter().for_each(|b| b.outline(0, &mut out));
            }
            Main::Section { heading, list, boxes, .. } => {
                out.push((0, heading.clone()));
                out.extend(list.iter().map(|t| (1, t.link.text.clone())));
                boxes.iter().for_each(|b| b.outline(1, &mut out));
            }
            Main::Story(_) | Main::Plain { .. } => return Vec::new(),
        }
        out.push((0, self.ui().most_read.to_owned()));
        out.extend(self.most_read.iter().map(|l| (1, l.text.clone())));
        out
    }
}

impl SectionBox {
    fn outline(&self, depth: usize, out: &mut Vec<(usize, String)>) {
        out.push((depth, self.heading.text.clone()));
        out.extend(self.items.iter().map(|l| (depth + 1, l.text.clone())));
    }
}

/// Escaped for text and for quoted attributes.
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

/// The parts, one a line.
pub(crate) fn lines<T>(items: impl IntoIterator<Item = T>, each: impl FnMut(T) -> String) -> String {
    items.into_iter().map(each).collect::<Vec<_>>().join("\n")
}
