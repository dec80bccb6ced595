//! What is known of a site, as the store keeps it: people's corrections, pages to compare others with, the templates and
//! their use, and how far its pages were viewed.
//!
//! It is one versioned value, `templates/SITE`: the number of a format, then packed JSON. A writer replaces only the version
//! that it read. So a page is observed once however many miners view the site, and a lesson that a person teaches meanwhile
//! is not lost. A lesson sets [`Knowledge::has_new_lessons`]; the next pass over the site reads all its articles again and
//! clears it. Start at [`Knowledge::read`].

use newslode_common::compression;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::extract::SiteKnowledge;
use newslode_page::reading::Site;
use newslode_page::template::Template;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::mining::templates::Templates;
use crate::work::values;

/// Number of the stored format.
const FORMAT: u8 = 3;
/// The format of version 0.1.0, which has a list of contents after its number.
const FIRST_FORMAT: u8 = 2;
/// Bytes of a content in that list.
const FIRST_CONTENT: usize = 4;
/// Maximum size of the JSON: some hundred times the size for a site with many templates.
const MAX_BYTES: u64 = 256 << 20;
/// Number of attempts to write while other writers are first.
const MAX_ATTEMPTS: usize = 5;
/// A value of the store whose version grows with each lesson that a person teaches any site.
const LESSONS: &str = "taught";

/// What is known of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// Corrections and pages to compare others with; its templates are those of [`Knowledge::templates`].
    pub site: SiteKnowledge,
    /// The templates and the pages that wait for one.
    pub templates: Templates<Template, ContentHash>,
    /// Whether a person taught something since all of the site's articles were read.
    pub has_new_lessons: bool,
    /// How far its pages were viewed.
    pub progress: ViewProgress,
}

/// How far a site's pages were viewed, and when all of them were viewed last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewProgress {
    /// Position of its bucket's log; pages that changed before it were observed.
    pub position: u64,
    /// The version of the value with which all pages were viewed; none: they never were.
    pub epoch: Option<String>,
    /// Pages at that time.
    pub pages: u64,
    /// Pages that changed since.
    pub changed: u64,
    /// That time; none in what an earlier version wrote.
    #[serde(default)]
    pub viewed_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    site: SiteKnowledge,
    templates: Templates<Template, ContentHash>,
    #[serde(rename = "is_new")]
    has_new_lessons: bool,
    #[serde(default, rename = "looked")]
    progress: ViewProgress,
}

/// A value's version; `None` if the site has none yet.
pub type ValueVersion = Option<u64>;

impl Knowledge {
    /// What is known of a site, with the value's version; nothing if the site has no value.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    pub async fn read(state: &dyn SiteState, site: &Site) -> StoreResult<(Knowledge, ValueVersion)> {
        let Some((version, bytes)) = state.value(&value_name(site)).await? else {
            return Ok((Knowledge::default(), None));
        };
        // A forgotten site keeps an empty value.
        if bytes.is_empty() {
            return Ok((Knowledge::default(), Some(version)));
        }
        let wrong =
            |reason: String| StoreError::Corrupt(format!("the value `{}`: {reason}", value_name(site)));
        Ok((Knowledge::unpack(&bytes).map_err(wrong)?, Some(version)))
    }

    /// Writes it if the value's version is still `held`. Returns whether it did.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn write(&self, state: &dyn SiteState, site: &Site, held: ValueVersion) -> StoreResult<bool> {
        let bytes = self.pack().map_err(StoreError::Corrupt)?;
        Ok(state.put_value(&value_name(site), held, bytes.into()).await?.is_some())
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Knowledge::default()
    }

    /// What pages are read with: corrections, pages to compare, and all templates that can read.
    #[must_use]
    pub fn site_knowledge(&self) -> SiteKnowledge {
        let mut site = self.site.clone();
        let templates = self.templates.usable();
        let of = |(version, template): (u32, &Template)| Template { version, ..template.clone() };
        site.set_templates(templates.map(of).collect());
        site
    }

    fn pack(&self) -> Result<Vec<u8>, String> {
        let Knowledge { site, templates, has_new_lessons, progress } = self.clone();
        let stored = Stored { site, templates, has_new_lessons, progress };
        let json = serde_json::to_vec(&stored).map_err(|e| e.to_string())?;
        let mut bytes = vec![FORMAT];
        bytes.extend(compression::compress(&json).map_err(|e| e.to_string())?);
        Ok(bytes)
    }

    fn unpack(bytes: &[u8]) -> Result<Knowledge, String> {
        let (form, rest) = bytes.split_first().ok_or("it is empty")?;
        let packed = match *form {
            FORMAT => rest,
            FIRST_FORMAT => {
                let (count, rest) = rest.split_first_chunk().ok_or("it is cut short")?;
                rest.get(u32::from_be_bytes(*count) as usize * FIRST_CONTENT..).ok_or("it is cut short")?
            }
            other => {
                return Err(format!(
                    "it has format {other}, this version reads formats {FIRST_FORMAT} and {FORMAT}"
                ));
            }
        };
        let json = compression::decompress(packed, MAX_BYTES).map_err(|e| e.to_string())?;
        let Stored { site, templates, has_new_lessons, progress } =
            serde_json::from_slice(&json).map_err(|e| e.to_string())?;
        Ok(Knowledge { site, templates, has_new_lessons, progress })
    }
}

/// Changes what is known of a site as a person asks. What others wrote meanwhile is kept. The next pass over the site reads
/// its articles again.
///
/// # Errors
/// When `change` refuses, or the store fails.
pub async fn teach(
    state: &dyn SiteState,
    site: &Site,
    mut change: impl FnMut(&mut Knowledge) -> anyhow::Result<()>,
) -> anyhow::Result<Knowledge> {
    for _ in 0..MAX_ATTEMPTS {
        let (mut knowledge, held) = Knowledge::read(state, site).await?;
        change(&mut knowledge)?;
        knowledge.has_new_lessons = true;
        if knowledge.write(state, site, held).await? {
            // If another writer was first, the version has grown all the same.
            let version = lessons_version(state).await?;
            state.put_value(LESSONS, version, Vec::new().into()).await?;
            return Ok(knowledge);
        }
    }
    anyhow::bail!("cannot save what was taught about {site}: other writers keep changing it; try again")
}

/// A version that grows with each lesson of any site.
///
/// # Errors
/// When the store fails.
pub async fn lessons_version(state: &dyn SiteState) -> StoreResult<Option<u64>> {
    Ok(state.value(LESSONS).await?.map(|(version, _)| version))
}

/// Forgets what is known of a removed site.
///
/// # Errors
/// When the store fails.
pub(crate) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &value_name(site)).await
}

fn value_name(site: &Site) -> String {
    format!("templates/{site}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_knowledge_is_read_back_and_other_formats_are_refused() {
        let progress = ViewProgress {
            position: 7,
            epoch: Some("v".into()),
            pages: 9,
            changed: 2,
            viewed_at: Some(Timestamp(5)),
        };
        let mut known = Knowledge { has_new_lessons: true, progress, ..Knowledge::default() };
        known.templates.observe([(ContentHash([9; 16]), None)]);
        let bytes = known.pack().unwrap();
        assert_eq!(Knowledge::unpack(&bytes).unwrap(), known);
        let refused = |bytes: &[u8]| Knowledge::unpack(bytes).unwrap_err();
        assert_eq!(refused(b"{\"form\":1}"), "it has format 123, this version reads formats 2 and 3");
        assert!(!refused(&bytes[..bytes.len() - 3]).is_empty());
    }

    #[test]
    fn knowledge_of_version_0_1_0_is_read_and_all_pages_are_viewed_again() {
        let stored = br#"{"site":{"lessons":[],"seen":[]},"templates":TEMPLATES,"is_new":false}"#;
        let templates = serde_json::to_string(&Templates::<Template, ContentHash>::default()).unwrap();
        let json = String::from_utf8_lossy(stored).replace("TEMPLATES", &templates);
        let mut bytes = vec![2, 0, 0, 0, 2, 7, 7, 7, 7, 9, 9, 9, 9];
        bytes.extend(compression::compress(json.as_bytes()).unwrap());
        assert_eq!(Knowledge::unpack(&bytes).unwrap(), Knowledge::default());
        assert_eq!(Knowledge::unpack(&bytes[..9]).unwrap_err(), "it is cut short");
    }
}
