//! A single article, read from the archive when it is requested.

use std::collections::BTreeMap;

use newslode_common::rights::Rights;
use newslode_common::store::{Kind, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_miner::mining::filing::Filed;
use newslode_miner::mining::site_scheme::Place;
use newslode_miner::work::histories::history::ArticleHistory;
use newslode_miner::work::histories::{read_history, site_labels};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::schemes::{place_finder, places_of};
use newslode_page::article::Article;

use super::snapshot::{ArticleSummary, Mined};
use crate::queries::articles::FiledArticle;
use crate::queries::rights::RightsReader;

/// An article with all that is known of it.
pub(super) struct Detail {
    id: ContentHash,
    pub(super) article: Article,
    pub(super) history: Option<ArticleHistory>,
    pub(super) filed: Vec<Filed>,
    /// Its places in its site's own scheme, best first.
    pub(super) places: Vec<Place>,
    /// The codes of its concepts and places.
    codes: Vec<String>,
    labels: BTreeMap<String, String>,
    /// What may be done with it.
    rights: Rights,
}

impl Detail {
    /// Reads an article; `None` if it was replaced since the last snapshot.
    pub(super) async fn read(
        parts: &Parts,
        mined: &Mined,
        summary: &ArticleSummary,
    ) -> StoreResult<Option<Detail>> {
        let (json, history, labels) = futures::try_join!(
            parts.stores.archive.get(Kind::Article, summary.content),
            read_history(parts.stores.archive.as_ref(), &summary.url),
            site_labels(parts.stores.frontier.as_ref(), &summary.url)
        )?;
        let Some(json) = json else { return Ok(None) };
        let article: Article = serde_json::from_slice(&json)
            .map_err(|error| StoreError::Corrupt(format!("the article of `{}`: {error}", summary.url)))?;
        let finder = place_finder(parts.stores.state.as_ref(), &summary.url.site()).await?;
        let page = (&summary.url, summary.content);
        let places = places_of(&finder, parts.stores.archive.as_ref(), page, &article).await?;
        let filed = mined.filed(summary);
        let keys = filed.iter().map(|filed| filed.concept.as_str());
        let labels_of_places = places.iter().map(|place| place.label.as_str());
        let codes = mined.coder.codes(keys, labels_of_places, article.language.as_deref());
        let rights = RightsReader::new(parts.stores.archive.as_ref()).rights_of(&summary.url).await?;
        Ok(Some(Detail { id: summary.id, article, history, filed, places, codes, labels, rights }))
    }

    /// The article as readers get it.
    pub(super) fn filed_article(&self) -> FiledArticle<'_> {
        let (article, history) = (self.article.clone(), self.history.clone());
        let (places, codes) = (self.places.clone(), self.codes.clone());
        FiledArticle::new(self.id, article, &self.filed, history, &self.labels, places, codes)
            .with_rights(self.rights.clone())
    }
}
