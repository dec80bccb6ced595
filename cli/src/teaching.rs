//! What a person teaches a site, on the command line or in the console.

use std::sync::Arc;

use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use newslode_common::time::now;
use newslode_miner::work::archive;
use newslode_miner::work::copies::why_removed;
use newslode_miner::work::knowledge::{self, Knowledge};
use newslode_miner::work::parts::Parts;
use newslode_page::Page;
use newslode_page::extract::Correction;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::{Deserialize, Serialize};

use crate::exit::hinted;
use crate::input::Input;
use crate::queries::templates::read_knowledge;

/// Something to teach a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lesson {
    pub(crate) site: Site,
    pub(crate) content: LessonContent,
}

/// What is taught.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LessonContent {
    /// A page, and what is right about it.
    Correct { page: LessonPage, correction: Correction },
    /// What this corrected page taught is forgotten.
    Forget { page: String },
    /// All corrected pages and templates are forgotten.
    ForgetAll,
}

/// The page that a lesson is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LessonPage {
    /// The archive has it.
    Archived(CanonicalUrl),
    /// It comes with the lesson.
    Sent { url: CanonicalUrl, content_type: Option<String>, base64: String },
}

impl LessonPage {
    /// A page that is sent.
    pub(crate) fn of(input: &Input) -> LessonPage {
        let base64 = BASE64_STANDARD.encode(&input.bytes);
        LessonPage::Sent { url: input.url.clone(), content_type: input.content_type.clone(), base64 }
    }

    async fn read(&self, parts: &Parts) -> anyhow::Result<Arc<Page>> {
        match self {
            LessonPage::Archived(url) => match archive::page(&parts.stores, url).await? {
                Some((_, page)) => Ok(page),
                None => {
                    let why = match archive::removed(&parts.stores, url).await? {
                        Some(at) => format!(
                            "the bytes of `{url}` were removed on {} {}",
                            crate::out::day(at),
                            why_removed(parts, url).await?
                        ),
                        None => format!("the archive no longer holds `{url}`"),
                    };
                    Err(hinted(
                        format!("{why}, so nothing can be learnt from it"),
                        "correct another page of the site",
                    ))
                }
            },
            LessonPage::Sent { url, content_type, base64 } => {
                let bytes = BASE64_STANDARD.decode(base64).context("a page that was sent is not base64")?;
                Ok(Arc::new(Page::parse(url, content_type.as_deref(), &bytes)))
            }
        }
    }
}

/// Adds the correction of a page to what is known about its site.
///
/// # Errors
/// When the page does not show what the correction says.
pub(crate) fn teach_page(
    knowledge: &mut Knowledge,
    page: &Page,
    correction: &Correction,
) -> anyhow::Result<()> {
    let taught = knowledge.site.teach(page, now(), correction);
    taught.map_err(|error| {
        hinted(error.to_string(), "correct another field, or write it as the page shows it")
    })?;
    Ok(())
}

impl Lesson {
    /// Keeps the lesson in the store. Returns the number of corrected pages of the site. The site's articles are read again
    /// by whoever views it next.
    ///
    /// # Errors
    /// When the page does not show what the correction says, nothing is known that could be forgotten, or the store fails.
    pub(crate) async fn keep(&self, parts: &Parts) -> anyhow::Result<usize> {
        let Lesson { site, content } = self;
        let state = parts.stores.state.as_ref();
        let taught = match content {
            LessonContent::Correct { page, correction } => {
                let page = page.read(parts).await?;
                knowledge::teach(state, site, |knowledge| teach_page(knowledge, &page, correction)).await?
            }
            LessonContent::Forget { page } => {
                read_knowledge(state, site).await?;
                let forget = |knowledge: &mut Knowledge| match knowledge.site.forget(Some(page)) {
                    0 => Err(hinted(
                        format!("no page `{page}` of {site} was corrected"),
                        "newslode template show lists them",
                    )),
                    _ => Ok(()),
                };
                knowledge::teach(state, site, forget).await?
            }
            LessonContent::ForgetAll => {
                read_knowledge(state, site).await?;
                let forget = |knowledge: &mut Knowledge| {
                    // The site's templates are learnt anew from the pages at hand.
                    *knowledge = Knowledge::default();
                    Ok(())
                };
                knowledge::teach(state, site, forget).await?
            }
        };
        Ok(taught.site.lessons().len())
    }
}
