//! Lists of articles, concepts and sites.

use maud::{Markup, html};
use newslode_miner::mining::taxonomy::Concept;
use newslode_page::article::Article;
use newslode_page::reading::Site;

use super::Links;
use super::values::{EXTERNAL_REL, Number, beginning_of, page_url};

/// Length of a lead, in characters.
const LEAD: usize = 220;
/// Sites that a list shows.
const SITES: usize = 200;

/// An article as a list shows it.
pub(crate) struct ListedArticle<'a> {
    pub(crate) headline: Markup,
    /// Where the headline leads; nowhere without it.
    pub(crate) address: Option<String>,
    /// Of its text.
    pub(crate) language: Option<&'a str>,
    /// What is known of it: its site, its day and the like.
    pub(crate) meta: Markup,
    pub(crate) lead: Markup,
}

/// The beginning of an article's text: about two lines.
pub(crate) fn article_lead(article: &Article) -> String {
    let mut lead = String::new();
    for block in &article.body {
        if lead.chars().count() >= LEAD {
            break;
        }
        let gap = if lead.is_empty() { "" } else { " " };
        lead = lead + gap + &block.text;
    }
    beginning_of(&lead, LEAD)
}

/// A list of articles. A tight one has no texts.
pub(crate) fn article_list<'a>(items: impl IntoIterator<Item = ListedArticle<'a>>, is_tight: bool) -> Markup {
    html! { ol.articles.tight[is_tight] { @for item in items { (article_entry(&item, is_tight)) } } }
}

fn article_entry(item: &ListedArticle<'_>, is_tight: bool) -> Markup {
    html! {
        li {
            h3 dir="auto" lang=[item.language] {
                @if let Some(address) = &item.address {
                    a href=(address) rel=[page_url(address).map(|_| EXTERNAL_REL)] { (item.headline) }
                } @else {
                    (item.headline)
                }
            }
            p.meta { (item.meta) }
            @if !is_tight && !item.lead.0.is_empty() { p.lead dir="auto" lang=[item.language] { (item.lead) } }
        }
    }
}

/// A link to a concept.
pub(crate) fn concept_link(concept: &Concept, links: &dyn Links) -> Markup {
    html! { a href=(links.concept(concept)) dir="auto" lang=(concept.language) { (concept.label) } }
}

/// Links to sites.
pub(crate) fn site_links(sites: &[Site], links: &dyn Links) -> Markup {
    html! {
        ul.links { @for site in sites.iter().take(SITES) { li { a href=(links.site(site)) { (site) } } } }
        @if sites.len() > SITES { p.soft { "and " (Number((sites.len() - SITES) as u64)) " more" } }
    }
}
