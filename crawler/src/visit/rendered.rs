//! Visits of pages that a browser loads: what is handed to it, and what follows if it fails.
//!
//! A browser that is away costs a page nothing but time: the site is not asked, and the page is due again soon. A page that does
//! not load waits as one that alone did not answer. Neither lets the site rest, and neither says that a page is gone. Start at
//! [`Visit::browser_for`] and [`Visit::render`].

use std::time::Duration;

use newslode_common::outcome::Outcome;
use newslode_common::store::{Completion, Validators};
use url::Url;

use super::state::Visit;
use crate::chain::Followed;
use crate::fetch::{Answer, FetchedBody, Reply, Wanted};
use crate::html::{is_html_type, looks_like_html};
use crate::listing::sniff;
use crate::render::{CONTENT_TYPE, PageError, RenderError};
use crate::shared::Shared;

/// Wait for a browser that is away, and for one that is busy.
const AWAY: Duration = Duration::from_secs(60);
const BUSY: Duration = Duration::from_secs(5);
/// A page during which the browser ended is tried this often in a row before it counts as one that ends it.
const MOST_LOST: u32 = 3;

impl Visit<'_> {
    /// The endpoint of the browser that is to load a page; `None`: the page is read as the server sends it.
    ///
    /// # Errors
    /// When the browser is away.
    pub(super) async fn browser_for(&self, url: &Url, wanted: Wanted) -> Result<Option<String>, RenderError> {
        match &self.shared.renderer {
            Some(renderer) if wanted != Wanted::Feed && self.shared.fetcher.renders(url) => {
                renderer.endpoint().await
            }
            _ => Ok(None),
        }
    }

    /// Replaces the bytes of a web page by the document that the browser makes of them. All other answers stay as they are.
    ///
    /// # Errors
    /// When the browser makes none.
    pub(super) async fn render(
        &self,
        browser: Option<String>,
        followed: Followed,
    ) -> Result<Followed, RenderError> {
        let (Some(renderer), Some(endpoint)) = (&self.shared.renderer, browser) else { return Ok(followed) };
        let Followed { reply: Reply { answer, retry_after }, at, is_permanent } = followed;
        let answer = match answer {
            Ok(Answer::Page { fetched, .. })
                if !fetched.is_cut
                    && self.shared.fetcher.renders(&at)
                    && is_web_page(fetched.content_type.as_deref(), &fetched.body) =>
            {
                let Shared { fetcher, robots, .. } = self.shared;
                let kind = fetched.content_type.as_deref();
                let document = renderer.load(&endpoint, &at, kind, &fetched.body, fetcher, robots).await?;
                fetcher.note_rendered(&at, &document);
                let content_type = Some(CONTENT_TYPE.into());
                let fetched = FetchedBody { content_type, body: document, rendered: true, ..*fetched };
                Ok(Answer::Page { fetched: Box::new(fetched), validators: Validators::default() })
            }
            other => other,
        };
        Ok(Followed { reply: Reply { answer, retry_after }, at, is_permanent })
    }

    /// Completes a visit for which there is no browser now.
    pub(super) fn waits_for_browser(&self, error: &RenderError) -> Completion {
        let wait = if matches!(error, RenderError::Busy) { BUSY } else { AWAY };
        tracing::warn!(url = %self.claim.url, %error, "the page waits for the browser");
        Completion::Retry { due: self.shared.clock.now().plus(wait), counts: false, rest_site_until: None }
    }

    /// Completes a visit whose page came, and was not loaded by the browser.
    ///
    /// # Errors
    /// Only errors that waiting does not solve.
    pub(super) async fn not_rendered(mut self, error: &RenderError) -> anyhow::Result<Completion> {
        self.site_answered().await?;
        match error {
            RenderError::Away(_) | RenderError::Busy => Ok(self.waits_for_browser(error)),
            RenderError::Lost { .. } if self.claim.attempts < MOST_LOST => {
                tracing::warn!(%error, "the page is tried again");
                let due = self.shared.clock.now().plus(AWAY);
                Ok(Completion::Retry { due, counts: true, rest_site_until: None })
            }
            RenderError::Page { reason: PageError::TooLarge(_), .. } => {
                tracing::debug!(url = %self.claim.url, %error, "failed");
                self.unreadable(Outcome::TooLarge).await
            }
            RenderError::Lost { .. } | RenderError::Page { .. } => {
                tracing::warn!(url = %self.claim.url, %error, "the page is tried again");
                self.now = self.shared.clock.now();
                Ok(self.fails_alone(Outcome::Timeout))
            }
        }
    }
}

/// Whether an answer is a web page, and no feed or map.
fn is_web_page(content_type: Option<&str>, body: &[u8]) -> bool {
    content_type.map_or_else(|| looks_like_html(body), is_html_type) && !sniff(content_type, body)
}
