//! Member of the ontology: which concepts an article is filed under.
//!
//! An article belongs to the concepts whose pages list it, and to the one its own section names. Lists that
//! stand on every page ("most read") say nothing: a link that too many of a site's concept pages show is
//! left out. Read once over the archived contributions of the concept pages, when articles are handed out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;

use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::apply::contribution;
use crate::work::follow::concept_pages;
use crate::work::service::Parts;

/// Concept pages that may always list one article: a story stands in two or three sections.
const FEW_PAGES: usize = 3;
/// Beyond these, a link on more than one in so many of the site's concept pages is furniture.
const ONE_IN: usize = 4;

/// Article → keys of the concepts whose pages list it.
///
/// # Errors
/// When a store cannot be read.
pub async fn members(
    parts: &Parts,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
) -> anyhow::Result<BTreeMap<CanonicalUrl, BTreeSet<String>>> {
    let mut members: BTreeMap<CanonicalUrl, BTreeSet<String>> = BTreeMap::new();
    for site in sites {
        let pages = concept_pages(taxonomy, site);
        let urls: Vec<CanonicalUrl> = pages.keys().cloned().collect();
        let versions = parts.state.versions(&site.site, &urls).await?;
        let counted = urls.iter().zip(versions).filter_map(|(url, version)| Some((url, version?.content)));
        let counted: Vec<_> = counted.filter(|(_, content)| *content != ContentHash::NONE).collect();
        let most = FEW_PAGES.max(counted.len() / ONE_IN);
        let mut listed: BTreeMap<CanonicalUrl, Vec<&CanonicalUrl>> = BTreeMap::new();
        for (page, content) in counted {
            let Some(contribution) = contribution(parts, content).await? else { continue };
            for link in contribution.links {
                if link.inside && link.in_group && !pages.contains_key(&link.target) {
                    listed.entry(link.target).or_default().push(page);
                }
            }
        }
        for (article, on) in listed.into_iter().filter(|(_, on)| on.len() <= most) {
            let concepts = on.into_iter().filter_map(|page| pages.get(page)).flatten();
            members.entry(article).or_default().extend(concepts.map(|key| (*key).to_owned()));
        }
    }
    Ok(members)
}

/// Files articles: by the pages that list them and by their own section.
pub struct Filing<'a> {
    members: &'a BTreeMap<CanonicalUrl, BTreeSet<String>>,
    /// (language, form in lower case) → concept key.
    sections: BTreeMap<(&'a str, String), &'a str>,
}

impl<'a> Filing<'a> {
    /// Over what [`members`] found.
    #[must_use]
    pub fn new(taxonomy: &'a Taxonomy, members: &'a BTreeMap<CanonicalUrl, BTreeSet<String>>) -> Self {
        let forms = taxonomy.concepts.iter().flat_map(|concept| {
            let language = concept.language.as_str();
            concept.forms.iter().map(move |form| ((language, form.text.to_lowercase()), concept.key.as_str()))
        });
        Filing { members, sections: forms.collect() }
    }

    /// Keys of the concepts that an article is filed under. Its section counts only in its own language.
    #[must_use]
    pub fn concepts(&self, article: &Article) -> BTreeSet<String> {
        let url = article.url.parse::<CanonicalUrl>().ok();
        let mut keys = url.and_then(|url| self.members.get(&url)).cloned().unwrap_or_default();
        if let (Some(section), Some(language)) = (&article.section, article.language.as_deref()) {
            let key = self.sections.get(&(language, section.trim().to_lowercase()));
            keys.extend(key.map(|key| (*key).to_owned()));
        }
        keys
    }
}
