//! Templates that the console and a run's report share: the frame of a page, its style, and what both show.
//!
//! All text is escaped by maud. A template that leads somewhere asks [`Links`] where: the console has a page for each
//! thing, the report a place in its one file. Start at [`document`].

pub(crate) mod charts;
pub(crate) mod lists;
pub(crate) mod taxonomy;
pub(crate) mod values;

use maud::{DOCTYPE, Markup, html};
use newslode_miner::mining::taxonomy::Concept;
use newslode_page::reading::Site;

/// The style of every page: light and dark, from a phone to a wide screen.
pub(crate) const STYLE: &str = include_str!("style.css");

/// Where names lead.
pub(crate) trait Links {
    /// The address of a concept.
    fn concept(&self, concept: &Concept) -> String;
    /// The address of a site.
    fn site(&self, site: &Site) -> String;
}

/// The parts of a page around its main part.
pub(crate) struct Frame {
    pub(crate) title: String,
    /// More elements of the head: the style, above all.
    pub(crate) head: Markup,
    /// Where the product's name leads.
    pub(crate) home: &'static str,
    /// Addresses and names of the navigation; the one that is shown is marked.
    pub(crate) navigation: Vec<(&'static str, &'static str, bool)>,
    /// What follows the navigation.
    pub(crate) bar: Markup,
    pub(crate) foot: Markup,
}

/// A whole document.
pub(crate) fn document(frame: &Frame, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (frame.title) " · Newslode" }
                (frame.head)
                link rel="icon" href="data:,";
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.bar {
                    div.top {
                        a.brand href=(frame.home) { "Newslode" }
                        nav aria-label="Main" {
                            ul {
                                @for (path, name, is_here) in &frame.navigation {
                                    li { a href=(path) aria-current=[is_here.then_some("page")] { (name) } }
                                }
                            }
                        }
                        (frame.bar)
                    }
                }
                main #main tabindex="-1" { (main) }
                footer { div.bottom { (frame.foot) } }
            }
        }
    }
}
