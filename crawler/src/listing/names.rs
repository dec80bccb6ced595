//! The elements that say something, whatever their prefix.
//!
//! A name is the namespace and the local name. Many feeds use prefixes that they do not declare, and many
//! sitemaps a namespace of their own; so an undeclared prefix means what it usually means, and no prefix means
//! the language of the document.

/// What a namespace is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamespaceKind {
    /// The language of the document: RSS, Atom, sitemaps.
    Core,
    /// Dublin Core, also its terms.
    Dublin,
    FeedBurner,
    /// Sitemaps of news.
    News,
    Other,
}

impl NamespaceKind {
    /// The space of a namespace that is bound to a prefix. As the default namespace, one that is unknown is
    /// [`NamespaceKind::Core`].
    pub(super) fn of_uri(uri: &str) -> NamespaceKind {
        let uri = uri.trim().trim_start_matches("https://").trim_start_matches("http://");
        let uri = uri.trim_start_matches("www.").trim_end_matches('/');
        match uri {
            "w3.org/2005/Atom" | "purl.org/atom/ns#" | "purl.org/rss/1.0" => NamespaceKind::Core,
            "my.netscape.com/rdf/simple/0.9" | "channel.netscape.com/rdf/simple/0.9" => NamespaceKind::Core,
            _ if uri.contains("schemas/sitemap-news/") => NamespaceKind::News,
            _ if uri.contains("schemas/sitemap/") => NamespaceKind::Core,
            _ if uri.starts_with("purl.org/dc/") => NamespaceKind::Dublin,
            _ if uri.contains("feedburner") => NamespaceKind::FeedBurner,
            _ => NamespaceKind::Other,
        }
    }

    /// The space of a prefix that is not declared.
    pub(super) fn of_prefix(prefix: &str) -> NamespaceKind {
        match prefix {
            "atom" | "atom10" | "rss" | "" => NamespaceKind::Core,
            "dc" | "dcterms" => NamespaceKind::Dublin,
            "feedburner" => NamespaceKind::FeedBurner,
            "news" | "n" => NamespaceKind::News,
            _ => NamespaceKind::Other,
        }
    }
}

/// An element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementName {
    Rss,
    Rdf,
    /// The root of Atom.
    Feed,
    UrlSet,
    SitemapIndex,
    /// An item of RSS or entry of Atom.
    Item,
    /// A page in a sitemap.
    Url,
    /// A map in an index.
    Sitemap,
    Title,
    Link,
    Guid,
    Published,
    Modified,
    /// The link before FeedBurner replaced it.
    OrigLink,
    Location,
    /// What surrounds [`ElementName::NewsTitle`] and [`ElementName::NewsDate`].
    News,
    NewsTitle,
    NewsDate,
    Other,
}

impl ElementName {
    /// The name of an element; case does not matter.
    pub(super) fn new(space: NamespaceKind, local: &str) -> ElementName {
        let mut letters = [0; 20];
        let Some(lower) = letters.get_mut(..local.len()) else { return ElementName::Other };
        lower.copy_from_slice(local.as_bytes());
        lower.make_ascii_lowercase();
        match (space, &*lower) {
            (_, b"rdf") => ElementName::Rdf,
            (NamespaceKind::Core, b"rss") => ElementName::Rss,
            (NamespaceKind::Core, b"feed") => ElementName::Feed,
            (NamespaceKind::Core, b"urlset") => ElementName::UrlSet,
            (NamespaceKind::Core, b"sitemapindex") => ElementName::SitemapIndex,
            (NamespaceKind::Core, b"item" | b"entry") => ElementName::Item,
            (NamespaceKind::Core, b"url") => ElementName::Url,
            (NamespaceKind::Core, b"sitemap") => ElementName::Sitemap,
            (NamespaceKind::Core, b"title") => ElementName::Title,
            (NamespaceKind::Core, b"link") => ElementName::Link,
            (NamespaceKind::Core, b"guid") => ElementName::Guid,
            (NamespaceKind::Core, b"loc") => ElementName::Location,
            (NamespaceKind::Core, b"pubdate" | b"published") => ElementName::Published,
            (NamespaceKind::Core | NamespaceKind::Dublin, b"date" | b"issued" | b"created") => {
                ElementName::Published
            }
            (NamespaceKind::Core, b"updated" | b"lastmod") => ElementName::Modified,
            (NamespaceKind::Core | NamespaceKind::Dublin, b"modified") => ElementName::Modified,
            (NamespaceKind::FeedBurner, b"origlink") => ElementName::OrigLink,
            (NamespaceKind::News, b"news") => ElementName::News,
            (NamespaceKind::News, b"title") => ElementName::NewsTitle,
            (NamespaceKind::News, b"publication_date") => ElementName::NewsDate,
            _ => ElementName::Other,
        }
    }

    /// Whether a listing has this root.
    pub(super) fn is_root(self) -> bool {
        matches!(
            self,
            ElementName::Rss
                | ElementName::Rdf
                | ElementName::Feed
                | ElementName::UrlSet
                | ElementName::SitemapIndex
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_means_its_namespace() {
        assert_eq!(
            NamespaceKind::of_uri("http://www.google.com/schemas/sitemap-news/0.9"),
            NamespaceKind::News
        );
        assert_eq!(
            NamespaceKind::of_uri("https://www.sitemaps.org/schemas/sitemap/0.9/"),
            NamespaceKind::Core
        );
        assert_eq!(NamespaceKind::of_uri("http://www.google.com/schemas/sitemap/0.84"), NamespaceKind::Core);
        assert_eq!(NamespaceKind::of_uri("http://purl.org/rss/1.0/modules/content/"), NamespaceKind::Other);
        assert_eq!(NamespaceKind::of_uri("http://purl.org/dc/terms/"), NamespaceKind::Dublin);
        assert_eq!(
            NamespaceKind::of_uri("http://rssnamespace.org/feedburner/ext/1.0"),
            NamespaceKind::FeedBurner
        );
    }

    #[test]
    fn names_are_told_by_their_space() {
        assert_eq!(ElementName::new(NamespaceKind::Core, "PubDate"), ElementName::Published);
        assert_eq!(ElementName::new(NamespaceKind::Other, "title"), ElementName::Other);
        assert_eq!(ElementName::new(NamespaceKind::News, "title"), ElementName::NewsTitle);
        assert_eq!(ElementName::new(NamespaceKind::Core, &"x".repeat(50)), ElementName::Other);
        assert!(
            ElementName::new(NamespaceKind::Other, "RDF").is_root()
                && !ElementName::new(NamespaceKind::Core, "html").is_root()
        );
    }
}
