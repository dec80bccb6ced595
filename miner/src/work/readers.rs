//! Hands what happens to articles to their readers: whoever listens to the broker's topics, by language and site.

use newslode_common::broker::PublishError;
use newslode_common::store::StoreError;
use newslode_page::reading::CanonicalUrl;
use serde::Serialize;

use crate::work::error::BatchError;
use crate::work::parts::Parts;

/// Hands an event in an article's life to its readers.
///
/// # Errors
/// When the broker does not take it.
pub(super) async fn hand_out(
    parts: &Parts,
    language: Option<&str>,
    url: &CanonicalUrl,
    event: &impl Serialize,
) -> Result<(), BatchError> {
    let json = serde_json::to_vec(event).map_err(|e| StoreError::Corrupt(e.to_string()))?;
    let topic = format!("{}.{}", language.unwrap_or("und"), url.site());
    match parts.broker.publish_article(&topic, json.into()).await {
        Ok(()) => parts.metrics.articles.inc(),
        Err(error @ PublishError::TooLarge { .. }) => {
            // The page is counted and its article archived; another try cannot make the article smaller.
            tracing::warn!(%url, %error, "the article cannot be handed out");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
