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
    /// Pictures and films of a feed.
    Media,
    /// Sitemaps of news.
    News,
    /// Full texts of RSS.
    Content,
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
            "purl.org/rss/1.0/modules/content" => NamespaceKind::Content,
            _ if uri.contains("search.yahoo.com/mrss") => NamespaceKind::Media,
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
            "media" => NamespaceKind::Media,
            "news" | "n" => NamespaceKind::News,
            "content" => NamespaceKind::Content,
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
    /// The root of CDF, and what is around the items of RSS.
    Channel,
    UrlSet,
    SitemapIndex,
    /// An item of RSS or entry of Atom.
    Item,
    /// A page in a sitemap.
    Url,
    /// A map in an index.
    Sitemap,
    Title,
    DublinTitle,
    MediaTitle,
    Link,
    Guid,
    /// What identifies an entry of Atom.
    Id,
    Published,
    /// A date that is that of publication if no other is.
    Dated(DateMeaning),
    Modified,
    /// The link before FeedBurner replaced it.
    OrigLink,
    Location,
    /// What surrounds [`ElementName::NewsTitle`] and [`ElementName::NewsDate`].
    News,
    NewsTitle,
    NewsDate,
    /// A person who wrote the item, as text or with a name inside.
    Author,
    /// The name of a person, inside [`ElementName::Author`].
    PersonName,
    /// The section that files the item.
    Section,
    /// A category or a list of keywords.
    Keywords,
    /// A summary, or the full text of feeds that have no other element for it.
    Summary,
    /// The full text.
    FullText,
    /// A picture, or another file.
    Picture,
    Language,
    /// For how many minutes a feed may be kept.
    Ttl,
    /// An hour, and a day of the week, in which a feed asks not to be read.
    SkippedHour,
    SkippedDay,
    /// How often a feed changes: so many times in a period.
    UpdatePeriod,
    UpdateFrequency,
    /// A link of XHTML, as sitemaps have them.
    HtmlLink,
    /// What holds no text for people.
    Script,
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
            (_, b"rss") => ElementName::Rss,
            (_, b"feed") => ElementName::Feed,
            (_, b"channel") => ElementName::Channel,
            (_, b"urlset") => ElementName::UrlSet,
            (_, b"sitemapindex") => ElementName::SitemapIndex,
            (NamespaceKind::Core, b"item" | b"entry") => ElementName::Item,
            (NamespaceKind::Core, b"url") => ElementName::Url,
            (NamespaceKind::Core, b"sitemap") => ElementName::Sitemap,
            (NamespaceKind::Core, b"title") => ElementName::Title,
            (NamespaceKind::Dublin, b"title") => ElementName::DublinTitle,
            (NamespaceKind::Media, b"title") => ElementName::MediaTitle,
            (NamespaceKind::Core, b"link") => ElementName::Link,
            (NamespaceKind::Other, b"link") => ElementName::HtmlLink,
            (NamespaceKind::Core, b"guid") => ElementName::Guid,
            (NamespaceKind::Core, b"id") => ElementName::Id,
            (NamespaceKind::Core, b"loc") => ElementName::Location,
            (NamespaceKind::Core, b"pubdate" | b"published") => ElementName::Published,
            (NamespaceKind::Core | NamespaceKind::Dublin, b"issued") => {
                ElementName::Dated(DateMeaning::Issued)
            }
            (NamespaceKind::Core | NamespaceKind::Dublin, b"date") => ElementName::Dated(DateMeaning::Any),
            (NamespaceKind::Core | NamespaceKind::Dublin, b"created") => {
                ElementName::Dated(DateMeaning::Created)
            }
            (NamespaceKind::Core, b"updated" | b"lastmod") => ElementName::Modified,
            (NamespaceKind::Core | NamespaceKind::Dublin, b"modified") => ElementName::Modified,
            (NamespaceKind::FeedBurner, b"origlink") => ElementName::OrigLink,
            (NamespaceKind::News, b"news") => ElementName::News,
            (NamespaceKind::News, b"title") => ElementName::NewsTitle,
            (NamespaceKind::Core, b"author") | (NamespaceKind::Dublin, b"creator") => ElementName::Author,
            (NamespaceKind::Core, b"name") => ElementName::PersonName,
            // Mostly PRISM's.
            (_, b"section") => ElementName::Section,
            (NamespaceKind::Core, b"category") | (NamespaceKind::Dublin, b"subject") => ElementName::Keywords,
            (NamespaceKind::Media | NamespaceKind::News, b"keywords") => ElementName::Keywords,
            (NamespaceKind::Core, b"description" | b"summary" | b"abstract") => ElementName::Summary,
            (NamespaceKind::Content, b"encoded") | (NamespaceKind::Core, b"content") => ElementName::FullText,
            (NamespaceKind::Media, b"content" | b"thumbnail") => ElementName::Picture,
            (NamespaceKind::Core, b"enclosure") => ElementName::Picture,
            (NamespaceKind::Dublin | NamespaceKind::News, b"language") => ElementName::Language,
            (NamespaceKind::News, b"publication_date") => ElementName::NewsDate,
            (NamespaceKind::Core, b"ttl") => ElementName::Ttl,
            (NamespaceKind::Core, b"hour") => ElementName::SkippedHour,
            (NamespaceKind::Core, b"day") => ElementName::SkippedDay,
            // Those of the syndication module, whatever its prefix.
            (_, b"updateperiod") => ElementName::UpdatePeriod,
            (_, b"updatefrequency") => ElementName::UpdateFrequency,
            (_, b"script" | b"style") => ElementName::Script,
            _ => ElementName::Other,
        }
    }

    /// The root of a listing that is written so, whatever its prefix.
    pub(super) fn of_root(written: &str) -> Option<ElementName> {
        let local = written.split_once(':').map_or(written, |(_, local)| local);
        let name = ElementName::new(NamespaceKind::Other, local);
        let is_root = matches!(
            name,
            ElementName::Rss
                | ElementName::Rdf
                | ElementName::Feed
                | ElementName::Channel
                | ElementName::UrlSet
                | ElementName::SitemapIndex
        );
        is_root.then_some(name)
    }

    /// Whether this is one of the entries of a listing, which hold no other entry.
    pub(super) fn is_entry(self) -> bool {
        matches!(self, ElementName::Item | ElementName::Url | ElementName::Sitemap)
    }

    /// Whether this is a field of an entry that holds a text and no other field.
    pub(super) fn is_field(self) -> bool {
        matches!(
            self,
            ElementName::Title
                | ElementName::DublinTitle
                | ElementName::MediaTitle
                | ElementName::Link
                | ElementName::Guid
                | ElementName::Id
                | ElementName::Published
                | ElementName::Dated(_)
                | ElementName::Modified
                | ElementName::OrigLink
                | ElementName::Location
        )
    }
}

/// What a date of Dublin Core or of old Atom means, the likeliest to be that of publication first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateMeaning {
    Issued,
    Any,
    Created,
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
        assert_eq!(NamespaceKind::of_uri("http://purl.org/rss/1.0/modules/content/"), NamespaceKind::Content);
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
        assert_eq!(ElementName::of_root("x:RDF"), Some(ElementName::Rdf));
        assert_eq!(ElementName::of_root("html"), None);
    }
}
