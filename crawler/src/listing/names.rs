//! The elements that say something, whatever their prefix.
//!
//! A name is the namespace and the local name. Many feeds use prefixes that they do not declare, and many
//! sitemaps a namespace of their own; so an undeclared prefix means what it usually means, and no prefix means
//! the language of the document.

/// What a namespace is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// The language of the document: RSS, Atom, sitemaps.
    Core,
    /// Dublin Core, also its terms.
    Dublin,
    FeedBurner,
    /// Sitemaps of news.
    News,
    Other,
}

impl Space {
    /// The space of a namespace that is bound to a prefix. As the default namespace, one that is unknown is
    /// [`Space::Core`].
    pub(super) fn of_uri(uri: &str) -> Space {
        let uri = uri.trim().trim_start_matches("https://").trim_start_matches("http://");
        let uri = uri.trim_start_matches("www.").trim_end_matches('/');
        match uri {
            "w3.org/2005/Atom" | "purl.org/atom/ns#" | "purl.org/rss/1.0" => Space::Core,
            "my.netscape.com/rdf/simple/0.9" | "channel.netscape.com/rdf/simple/0.9" => Space::Core,
            _ if uri.contains("schemas/sitemap-news/") => Space::News,
            _ if uri.contains("schemas/sitemap/") => Space::Core,
            _ if uri.starts_with("purl.org/dc/") => Space::Dublin,
            _ if uri.contains("feedburner") => Space::FeedBurner,
            _ => Space::Other,
        }
    }

    /// The space of a prefix that is not declared.
    pub(super) fn of_prefix(prefix: &str) -> Space {
        match prefix {
            "atom" | "atom10" | "rss" | "" => Space::Core,
            "dc" | "dcterms" => Space::Dublin,
            "feedburner" => Space::FeedBurner,
            "news" | "n" => Space::News,
            _ => Space::Other,
        }
    }
}

/// An element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
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
    /// What surrounds [`Name::NewsTitle`] and [`Name::NewsDate`].
    News,
    NewsTitle,
    NewsDate,
    Other,
}

impl Name {
    /// The name of an element; case does not matter.
    pub(super) fn new(space: Space, local: &str) -> Name {
        let mut letters = [0; 20];
        let Some(lower) = letters.get_mut(..local.len()) else { return Name::Other };
        lower.copy_from_slice(local.as_bytes());
        lower.make_ascii_lowercase();
        match (space, &*lower) {
            (_, b"rdf") => Name::Rdf,
            (Space::Core, b"rss") => Name::Rss,
            (Space::Core, b"feed") => Name::Feed,
            (Space::Core, b"urlset") => Name::UrlSet,
            (Space::Core, b"sitemapindex") => Name::SitemapIndex,
            (Space::Core, b"item" | b"entry") => Name::Item,
            (Space::Core, b"url") => Name::Url,
            (Space::Core, b"sitemap") => Name::Sitemap,
            (Space::Core, b"title") => Name::Title,
            (Space::Core, b"link") => Name::Link,
            (Space::Core, b"guid") => Name::Guid,
            (Space::Core, b"loc") => Name::Location,
            (Space::Core, b"pubdate" | b"published") => Name::Published,
            (Space::Core | Space::Dublin, b"date" | b"issued" | b"created") => Name::Published,
            (Space::Core, b"updated" | b"lastmod") => Name::Modified,
            (Space::Core | Space::Dublin, b"modified") => Name::Modified,
            (Space::FeedBurner, b"origlink") => Name::OrigLink,
            (Space::News, b"news") => Name::News,
            (Space::News, b"title") => Name::NewsTitle,
            (Space::News, b"publication_date") => Name::NewsDate,
            _ => Name::Other,
        }
    }

    /// Whether a listing has this root.
    pub(super) fn is_root(self) -> bool {
        matches!(self, Name::Rss | Name::Rdf | Name::Feed | Name::UrlSet | Name::SitemapIndex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_means_its_namespace() {
        assert_eq!(Space::of_uri("http://www.google.com/schemas/sitemap-news/0.9"), Space::News);
        assert_eq!(Space::of_uri("https://www.sitemaps.org/schemas/sitemap/0.9/"), Space::Core);
        assert_eq!(Space::of_uri("http://www.google.com/schemas/sitemap/0.84"), Space::Core);
        assert_eq!(Space::of_uri("http://purl.org/rss/1.0/modules/content/"), Space::Other);
        assert_eq!(Space::of_uri("http://purl.org/dc/terms/"), Space::Dublin);
        assert_eq!(Space::of_uri("http://rssnamespace.org/feedburner/ext/1.0"), Space::FeedBurner);
    }

    #[test]
    fn names_are_told_by_their_space() {
        assert_eq!(Name::new(Space::Core, "PubDate"), Name::Published);
        assert_eq!(Name::new(Space::Other, "title"), Name::Other);
        assert_eq!(Name::new(Space::News, "title"), Name::NewsTitle);
        assert_eq!(Name::new(Space::Core, &"x".repeat(50)), Name::Other);
        assert!(Name::new(Space::Other, "RDF").is_root() && !Name::new(Space::Core, "html").is_root());
    }
}
