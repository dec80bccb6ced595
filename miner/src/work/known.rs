//! The knowledge of a site, as the store keeps it: people's corrections, pages to compare others with, the
//! templates with their use, and which pages the stream has seen.
//!
//! It is one versioned value, `templates/SITE`: a form's number, the brief forms of the observed contents,
//! then packed JSON. A writer replaces only the version that it read, so a page is observed once however many
//! miners look, and nothing that a person teaches meanwhile is lost. A person's change is marked as new; the
//! next look at the site reads all its articles again and removes the mark. Start at [`Known::read`].

use std::collections::BTreeSet;

use newslode_common::compression;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::extract::SiteKnowledge;
use newslode_page::reading::Site;
use newslode_page::template::Template;
use serde::{Deserialize, Serialize};

use crate::mining::templates::Templates;

/// Number of the stored form.
const FORM: u8 = 2;
/// The most bytes of JSON: some hundred times the size for a site with many templates.
const MOST_BYTES: u64 = 256 << 20;
/// After this many times in which other writers were first, we give up.
const ROUNDS: usize = 5;
/// A value of the store whose version grows with each change that a person makes to any site.
const CHANGES: &str = "taught";

/// The brief form of a content: if two contents share it, one page of thousands is missed.
type Brief = [u8; 4];

/// Everything known of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Corrections and pages to compare others with; its templates are those of [`Known::templates`].
    pub site: SiteKnowledge,
    /// The templates and the pages that wait for one.
    pub templates: Templates<Template, ContentHash>,
    /// Whether a person changed it and not all of the site's articles were read again since.
    pub is_new: bool,
    observed: BTreeSet<Brief>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    site: SiteKnowledge,
    templates: Templates<Template, ContentHash>,
    is_new: bool,
}

/// A value's version; `None` if the site has none yet.
pub type KnownVersion = Option<u64>;

impl Known {
    /// The knowledge of a site, with the value's version; it is empty if the site has no value.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    pub async fn read(state: &dyn SiteState, site: &Site) -> StoreResult<(Known, KnownVersion)> {
        let Some((version, bytes)) = state.value(&name(site)).await? else {
            return Ok((Known::default(), None));
        };
        // A forgotten site keeps an empty value.
        if bytes.is_empty() {
            return Ok((Known::default(), Some(version)));
        }
        let wrong = |reason: String| StoreError::Corrupt(format!("what is known about {site}: {reason}"));
        Ok((Known::unpack(&bytes).map_err(wrong)?, Some(version)))
    }

    /// Writes it if the value's version is still `held`. Returns whether it did.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn write(&self, state: &dyn SiteState, site: &Site, held: KnownVersion) -> StoreResult<bool> {
        let bytes = self.pack().map_err(StoreError::Corrupt)?;
        Ok(state.put_value(&name(site), held, bytes.into()).await?.is_some())
    }

    /// Whether nothing at all is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Known::default()
    }

    /// The knowledge that pages are read with: corrections, pages to compare, and all templates that can
    /// read.
    #[must_use]
    pub fn reader(&self) -> SiteKnowledge {
        let mut site = self.site.clone();
        let templates = self.templates.usable();
        let of = |(version, template): (u32, &Template)| Template { version, ..template.clone() };
        site.set_templates(templates.map(of).collect());
        site
    }

    /// Whether the stream has seen a page of this content.
    #[must_use]
    pub fn is_observed(&self, content: ContentHash) -> bool {
        self.observed.contains(&brief(content))
    }

    /// Records these pages as seen; pages that the site no longer has are forgotten.
    pub fn observe(&mut self, all: impl Iterator<Item = ContentHash>) {
        let all: BTreeSet<ContentHash> = all.collect();
        self.templates.retain(|content| all.contains(content));
        self.observed = all.into_iter().map(brief).collect();
    }

    fn pack(&self) -> Result<Vec<u8>, String> {
        let Known { site, templates, is_new, observed } = self.clone();
        let json = serde_json::to_vec(&Stored { site, templates, is_new }).map_err(|e| e.to_string())?;
        let count = u32::try_from(observed.len()).map_err(|e| e.to_string())?;
        let mut bytes = vec![FORM];
        bytes.extend(count.to_be_bytes());
        bytes.extend(observed.iter().flatten());
        bytes.extend(compression::compress(&json).map_err(|e| e.to_string())?);
        Ok(bytes)
    }

    fn unpack(bytes: &[u8]) -> Result<Known, String> {
        let (form, rest) = bytes.split_first().ok_or("it is empty")?;
        if *form != FORM {
            return Err(format!("it has format {form}, this version reads format {FORM}"));
        }
        let (count, rest) = rest.split_first_chunk().ok_or("it is cut short")?;
        let size = u32::from_be_bytes(*count) as usize * size_of::<Brief>();
        let (observed, packed) = rest.split_at_checked(size).ok_or("it is cut short")?;
        let json = compression::decompress(packed, MOST_BYTES).map_err(|e| e.to_string())?;
        let Stored { site, templates, is_new } = serde_json::from_slice(&json).map_err(|e| e.to_string())?;
        Ok(Known { site, templates, is_new, observed: observed.as_chunks().0.iter().copied().collect() })
    }
}

/// Changes the knowledge of a site as a person asks; what others wrote meanwhile is kept. The next look at
/// the site reads its articles again.
///
/// # Errors
/// When `change` refuses, or the store fails.
pub async fn teach(
    state: &dyn SiteState,
    site: &Site,
    mut change: impl FnMut(&mut Known) -> anyhow::Result<()>,
) -> anyhow::Result<Known> {
    for _ in 0..ROUNDS {
        let (mut known, held) = Known::read(state, site).await?;
        change(&mut known)?;
        known.is_new = true;
        if known.write(state, site, held).await? {
            // If another writer was first, it has announced a change, too.
            let version = changes(state).await?;
            state.put_value(CHANGES, version, Vec::new().into()).await?;
            return Ok(known);
        }
    }
    anyhow::bail!("others keep changing what is known about {site}")
}

/// The version of the people's changes; it grows with each one.
///
/// # Errors
/// When the store fails.
pub async fn changes(state: &dyn SiteState) -> StoreResult<Option<u64>> {
    Ok(state.value(CHANGES).await?.map(|(version, _)| version))
}

/// Forgets the knowledge of a removed site.
///
/// # Errors
/// When the store fails.
pub(crate) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    for _ in 0..ROUNDS {
        let Some((version, bytes)) = state.value(&name(site)).await? else { return Ok(()) };
        let is_done = bytes.is_empty();
        if is_done || state.put_value(&name(site), Some(version), Vec::new().into()).await?.is_some() {
            return Ok(());
        }
    }
    Ok(())
}

fn brief(content: ContentHash) -> Brief {
    let [a, b, c, d, ..] = content.0;
    [a, b, c, d]
}

fn name(site: &Site) -> String {
    format!("templates/{site}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_again_and_other_forms_are_refused() {
        let mut known = Known { is_new: true, ..Known::default() };
        known.observe([ContentHash([7; 16]), ContentHash([9; 16])].into_iter());
        known.templates.observe([(ContentHash([9; 16]), None)]);
        let bytes = known.pack().unwrap();
        assert_eq!(Known::unpack(&bytes).unwrap(), known);
        assert!(known.is_observed(ContentHash([7; 16])) && !known.is_observed(ContentHash([8; 16])));
        let refused = |bytes: &[u8]| Known::unpack(bytes).unwrap_err();
        assert_eq!(refused(b"{\"form\":1}"), "it has format 123, this version reads format 2");
        assert_eq!([refused(&bytes[..4]), refused(&bytes[..9])], ["it is cut short"; 2]);
        assert!(!refused(&bytes[..bytes.len() - 3]).is_empty());
    }

    #[test]
    fn pages_that_are_gone_are_forgotten() {
        let mut known = Known::default();
        known.templates.observe([1, 2].map(|n| (ContentHash([n; 16]), None)));
        known.observe([ContentHash([2; 16])].into_iter());
        assert_eq!(known.templates.waiting(), [ContentHash([2; 16])]);
        assert!(!known.is_observed(ContentHash([1; 16])));
    }
}
