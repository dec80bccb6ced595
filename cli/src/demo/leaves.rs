//! A page of the world with the gold of each leaf.
//!
//! In the world's marked copy of a page every text begins with its number. The copy has the same leaves as the page, so
//! each leaf's number names its text and the gold of that text.

use anyhow::{Context, ensure};
use newslode_demo_world::marks::{Mark, Role, number};
use newslode_demo_world::{MarkedPage, PageKind, World};
use newslode_page::{CanonicalUrl, Page};

use super::scores::blocks::Anchor;
use super::scores::outline;

/// A page as a crawler gets it, with the gold of its texts.
pub struct JudgedPage {
    /// The page.
    pub page: Page,
    /// What it is in the world.
    pub kind: PageKind,
    marked: MarkedPage,
    /// Leaf → number of its text.
    numbers: Vec<Option<usize>>,
}

impl JudgedPage {
    /// The page at an address; nothing if the world has no HTML page there.
    ///
    /// # Errors
    /// When the page and its marked copy do not have the same leaves.
    pub fn of(world: &World, address: &str) -> anyhow::Result<Option<JudgedPage>> {
        let Some(marked) = world.marked(address) else { return Ok(None) };
        let url: CanonicalUrl = address.parse()?;
        let (host, path) = address
            .trim_start_matches("http://")
            .split_once('/')
            .with_context(|| format!("`{address}` has no path"))?;
        let reply =
            world.page(host, &format!("/{path}")).with_context(|| format!("`{address}` has no page"))?;
        let page = Page::parse(&url, reply.header("content-type"), &reply.body);
        let copy = Page::parse(&url, Some("text/html; charset=utf-8"), marked.html.as_bytes());
        let numbers = (0..copy.leaves.len()).map(|leaf| number(copy.leaves.text(leaf)).0).collect();
        let count = copy.leaves.len();
        ensure!(page.leaves.len() == count, "the marked copy of `{address}` has {count} leaves");
        Ok(Some(JudgedPage { page, kind: marked.kind, marked, numbers }))
    }

    /// The marked copy.
    #[must_use]
    pub fn marked(&self) -> &MarkedPage {
        &self.marked
    }

    /// The number and the gold of a leaf's text.
    #[must_use]
    pub fn mark(&self, leaf: usize) -> Option<(usize, &Mark)> {
        let id = self.numbers.get(leaf).copied().flatten()?;
        Some((id, self.marked.marks.get(id)?))
    }

    fn judged_mark(&self, leaf: usize) -> Option<(usize, &Mark)> {
        self.mark(leaf).filter(|(_, mark)| !mark.is_unjudged)
    }

    /// All leaves.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        0..self.numbers.len()
    }

    /// First leaf of each text.
    fn first_leaves(&self) -> Vec<Option<u32>> {
        let mut first = vec![None; self.marked.marks.len()];
        for leaf in self.leaves() {
            if let Some((id, _)) = self.mark(leaf) {
                first[id] = first[id].or(u32::try_from(leaf).ok());
            }
        }
        first
    }

    /// What heads what, and where blocks begin.
    #[must_use]
    pub fn outline(&self) -> outline::Gold {
        let first = self.first_leaves();
        let mut gold = outline::Gold::default();
        for leaf in self.leaves() {
            let Some((id, mark)) = self.judged_mark(leaf) else { continue };
            let Some(own) = first[id] else { continue };
            gold.label.insert(leaf as u32, own);
            gold.parent.insert(own, mark.above.and_then(|above| first[above]));
        }
        let begins = |(id, mark): (usize, &Mark)| first[id].filter(|_| mark.begins);
        gold.boundaries = self.marked.marks.iter().enumerate().filter_map(begins).collect();
        gold
    }

    /// Links to stories and to lists of stories.
    #[must_use]
    pub fn anchors(&self) -> Vec<Anchor> {
        let anchor = |leaf: usize| match self.mark(leaf)?.1.role {
            Role::Story => Some(Anchor { leaf, is_news: true }),
            Role::List => Some(Anchor { leaf, is_news: false }),
            Role::Body | Role::Other => None,
        };
        self.leaves().filter_map(anchor).collect()
    }

    /// The article's text.
    #[must_use]
    pub fn body(&self) -> String {
        let bodies = self.marked.marks.iter().filter(|mark| mark.role == Role::Body);
        bodies.map(|mark| mark.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}
