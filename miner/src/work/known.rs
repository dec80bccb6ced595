//! The knowledge of a site, as the store keeps it: people's corrections, pages to compare others with, the
//! templates with their use, and how far its pages were looked at.
//!
//! It is one versioned value, `templates/SITE`: a form's number, then packed JSON. A writer replaces only the version that
//! it read, so a page is observed once however many miners look, and nothing that a person teaches meanwhile is
//! lost. A person's change is marked as new; the next look at the site reads all its articles again and removes the
//! mark. Start at [`Known::read`].

use newslode_common::compression;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::extract::SiteKnowledge;
use newslode_page::reading::Site;
use newslode_page::template::Template;
use serde::{Deserialize, Serialize};

use crate::mining::templates::Templates;
use crate::work::values;

/// Number of the stored form.
const FORM: u8 = 3;
/// The form of version 0.1.0, which has a list of contents after its number.
const FIRST_FORM: u8 = 2;
/// Bytes of a content in that list.
const FIRST_CONTENT: usize = 4;
/// The most bytes of JSON: some hundred times the size for a site with many templates.
const MOST_BYTES: u64 = 256 << 20;
/// After this many times in which other writers were first, we give up.
const ROUNDS: usize = 5;
/// A value of the store whose version grows with each change that a person makes to any site.
const CHANGES: &str = "taught";

/// Everything known of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Corrections and pages to compare others with; its templates are those of [`Known::templates`].
    pub site: SiteKnowledge,
    /// The templates and the pages that wait for one.
    pub templates: Templates<Template, ContentHash>,
    /// Whether a person changed it and not all of the site's articles were read again since.
    pub is_new: bool,
    /// How far its pages were looked at.
    pub looked: LookedAt,
}

/// How far a site's pages were looked at, and when all of them were viewed last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedAt {
    /// Position of its bucket's log; pages that changed before it were observed.
    pub position: u64,
    /// The version of the value with which all pages were viewed; none: they never were.
    pub epoch: Option<String>,
    /// Pages at that time.
    pub pages: u64,
    /// Pages that changed since.
    pub changed: u64,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    site: SiteKnowledge,
    templates: Templates<Template, ContentHash>,
    is_new: bool,
    #[serde(default)]
    looked: LookedAt,
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
        let wrong = |reason: String| StoreError::Corrupt(format!("the value `{}`: {reason}", name(site)));
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

    fn pack(&self) -> Result<Vec<u8>, String> {
        let Known { site, templates, is_new, looked } = self.clone();
        let stored = Stored { site, templates, is_new, looked };
        let json = serde_json::to_vec(&stored).map_err(|e| e.to_string())?;
        let mut bytes = vec![FORM];
        bytes.extend(compression::compress(&json).map_err(|e| e.to_string())?);
        Ok(bytes)
    }

    fn unpack(bytes: &[u8]) -> Result<Known, String> {
        let (form, rest) = bytes.split_first().ok_or("it is empty")?;
        let packed = match *form {
            FORM => rest,
            FIRST_FORM => {
                let (count, rest) = rest.split_first_chunk().ok_or("it is cut short")?;
                rest.get(u32::from_be_bytes(*count) as usize * FIRST_CONTENT..).ok_or("it is cut short")?
            }
            other => {
                return Err(format!(
                    "it has format {other}, this version reads formats {FIRST_FORM} and {FORM}"
                ));
            }
        };
        let json = compression::decompress(packed, MOST_BYTES).map_err(|e| e.to_string())?;
        let Stored { site, templates, is_new, looked } =
            serde_json::from_slice(&json).map_err(|e| e.to_string())?;
        Ok(Known { site, templates, is_new, looked })
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
    anyhow::bail!("cannot save what was taught about {site}: other writers keep changing it; try again")
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
    values::empty(state, &name(site)).await
}

fn name(site: &Site) -> String {
    format!("templates/{site}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_again_and_other_forms_are_refused() {
        let looked = LookedAt { position: 7, epoch: Some("v".into()), pages: 9, changed: 2 };
        let mut known = Known { is_new: true, looked, ..Known::default() };
        known.templates.observe([(ContentHash([9; 16]), None)]);
        let bytes = known.pack().unwrap();
        assert_eq!(Known::unpack(&bytes).unwrap(), known);
        let refused = |bytes: &[u8]| Known::unpack(bytes).unwrap_err();
        assert_eq!(refused(b"{\"form\":1}"), "it has format 123, this version reads formats 2 and 3");
        assert!(!refused(&bytes[..bytes.len() - 3]).is_empty());
    }

    #[test]
    fn what_0_1_0_stored_is_read_and_all_pages_are_looked_at_again() {
        let stored = br#"{"site":{"lessons":[],"seen":[]},"templates":TEMPLATES,"is_new":false}"#;
        let templates = serde_json::to_string(&Templates::<Template, ContentHash>::default()).unwrap();
        let json = String::from_utf8_lossy(stored).replace("TEMPLATES", &templates);
        let mut bytes = vec![2, 0, 0, 0, 2, 7, 7, 7, 7, 9, 9, 9, 9];
        bytes.extend(compression::compress(json.as_bytes()).unwrap());
        assert_eq!(Known::unpack(&bytes).unwrap(), Known::default());
        assert_eq!(Known::unpack(&bytes[..9]).unwrap_err(), "it is cut short");
    }
}
