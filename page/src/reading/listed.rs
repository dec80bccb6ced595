//! What a listing of a site says of a page that it links to: a witness beside the page itself.
//!
//! Feeds and news sitemaps name the title, the authors and the time of publication of each article, and some feeds hold its
//! full text. The crawler notes it when it reads the listing; it travels with the page and is archived with it, so the same
//! page gives the same article later.

use serde::{Deserialize, Serialize};

use crate::bounds::{Excess, bytes, holds, most};
use crate::reading::CanonicalUrl;

/// Most bytes of the full text, as HTML.
pub const MAX_HTML: usize = 128 << 10;
/// Most bytes of the summary.
pub const MAX_SUMMARY: usize = 4 << 10;
/// Most bytes of any other text.
pub const MAX_FIELD: usize = 2 << 10;
/// Most authors, and most keywords.
pub const MAX_NAMES: usize = 32;

/// The kind of listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListedBy {
    /// A sitemap of the last days' news.
    NewsMap,
    /// RSS, Atom or JSON Feed.
    Feed,
}

impl ListedBy {
    /// The name of the witness in an article's evidence.
    #[must_use]
    pub fn witness(self) -> &'static str {
        match self {
            ListedBy::NewsMap => "news-sitemap",
            ListedBy::Feed => "feed",
        }
    }
}

/// What one listing says of a page. A field that it does not give is `None` or empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedEntry {
    /// The address of the listing. It is one of the page's own site.
    pub listing: CanonicalUrl,
    /// Its kind.
    pub by: ListedBy,
    /// The title, as plain text.
    pub title: Option<String>,
    /// When the page was published: ISO 8601, UTC; a date if the listing gives no time.
    pub published: Option<String>,
    /// Names of the authors.
    pub authors: Vec<String>,
    /// The section that files the page.
    pub section: Option<String>,
    /// The summary or teaser, as plain text.
    pub summary: Option<String>,
    /// The language: ISO 639-1 code, 639-3 where there is none.
    pub language: Option<String>,
    /// Keywords and categories.
    pub keywords: Vec<String>,
    /// URL of the picture.
    pub image: Option<String>,
}

/// The entry of a page in a listing, and the full text of the page if the listing has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// What it says.
    pub entry: ListedEntry,
    /// The full text as HTML.
    pub html: Option<String>,
}

impl ListedEntry {
    /// What a listing says of a page that it only links to.
    #[must_use]
    pub fn new(listing: CanonicalUrl, by: ListedBy) -> ListedEntry {
        ListedEntry {
            listing,
            by,
            title: None,
            published: None,
            authors: Vec::new(),
            section: None,
            summary: None,
            language: None,
            keywords: Vec::new(),
            image: None,
        }
    }

    /// Whether a listing can say this of the page at this URL.
    ///
    /// # Errors
    /// Names the field that exceeds its limit, or says that the listing is another site's.
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), Excess> {
        holds("listed", self.listing.site() == url.site(), "is of a listing of another site")?;
        for (what, field, limit) in [
            ("title", &self.title, MAX_FIELD),
            ("published", &self.published, MAX_FIELD),
            ("section", &self.section, MAX_FIELD),
            ("summary", &self.summary, MAX_SUMMARY),
            ("language", &self.language, MAX_FIELD),
            ("image", &self.image, MAX_FIELD),
        ] {
            bytes(what, field.as_deref().unwrap_or_default(), limit)?;
        }
        for (what, names) in [("authors", &self.authors), ("keywords", &self.keywords)] {
            most(what, "entries", names.len(), MAX_NAMES)?;
            names.iter().try_for_each(|name| bytes(what, name, MAX_FIELD))?;
        }
        Ok(())
    }
}

impl Listed {
    /// Whether it says nothing of the page but that it exists.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.html.is_none() && self.entry == ListedEntry::new(self.entry.listing.clone(), self.entry.by)
    }

    /// Leaves out what exceeds the limits.
    #[must_use]
    pub fn within_limits(mut self) -> Listed {
        let ListedEntry { title, published, section, summary, language, image, authors, keywords, .. } =
            &mut self.entry;
        for (field, limit) in [
            (title, MAX_FIELD),
            (published, MAX_FIELD),
            (section, MAX_FIELD),
            (summary, MAX_SUMMARY),
            (language, MAX_FIELD),
            (image, MAX_FIELD),
            (&mut self.html, MAX_HTML),
        ] {
            field.take_if(|text| text.len() > limit);
        }
        for names in [authors, keywords] {
            names.retain(|name| name.len() <= MAX_FIELD);
            names.truncate(MAX_NAMES);
        }
        self
    }

    /// As [`ListedEntry::check`], with the full text.
    ///
    /// # Errors
    /// As [`ListedEntry::check`].
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), Excess> {
        self.entry.check(url)?;
        bytes("html", self.html.as_deref().unwrap_or_default(), MAX_HTML)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed() -> Listed {
        let entry = ListedEntry::new("https://a.test/feed".parse().unwrap(), ListedBy::Feed);
        Listed { entry, html: None }
    }

    #[test]
    fn what_is_too_long_is_left_out() {
        let long = || Some("x".repeat(MAX_FIELD + 1));
        let entry = ListedEntry {
            title: long(),
            summary: long(),
            authors: vec!["Ann Lee".into(); MAX_NAMES + 1],
            keywords: long().into_iter().collect(),
            ..listed().entry
        };
        let said = Listed { entry, html: Some("x".repeat(MAX_HTML + 1)) };
        let url = "https://a.test/1".parse().unwrap();
        assert!(said.check(&url).is_err());
        let said = said.within_limits();
        assert_eq!(said.check(&url), Ok(()));
        let ListedEntry { title, summary, authors, keywords, .. } = said.entry;
        assert_eq!((title.is_none(), summary.is_some(), authors.len()), (true, true, MAX_NAMES));
        assert!(keywords.is_empty() && said.html.is_none());
    }

    #[test]
    fn a_listing_of_another_site_is_no_witness() {
        assert!(listed().check(&"https://b.test/1".parse().unwrap()).is_err());
        assert!(listed().is_empty());
    }
}
