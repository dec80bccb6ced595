//! The witnesses of a page's fields: JSON-LD, OpenGraph and `article:*`, meta names, microdata, `time`.
//!
//! The order of trust was measured on articles with known fields: JSON-LD first for dates, then meta properties,
//! then microdata, then the text.

use crate::reading::NodeId;
use crate::time::Timestamp;
use serde_json::{Map, Value};

use super::about::About;
use super::authors::{Credit, SiteNames, Source as CreditSource};
use super::breadcrumbs;
use super::dates::{self, DateStyle};
use super::days::{Mention, Source};
use super::finding::Finding;
use super::form::Forms;
use super::json_ld::{self, Objects};
use super::picture::declared_picture;
use super::plain::{readable, without_entities};
use super::properties::has_property;
use super::structure::followable;
use super::threads::Threads;
use crate::Page;
use crate::article::MAX_EMBEDS;

/// The fields that the markup gives.
pub(super) struct Metadata {
    /// Whether JSON-LD calls the page an article, and whether it calls it news.
    pub(super) is_declared_article: bool,
    pub(super) is_declared_news: bool,
    /// Whether OpenGraph does.
    pub(super) is_opengraph_article: bool,
    /// What JSON-LD or OpenGraph calls it if that is no article, as a number of [`OTHER_KINDS`]; 0 if nothing is known.
    pub(super) other_kind: f32,
    pub(super) headline: Option<String>,
    /// The headline from a meta element named so.
    pub(super) meta_headline: Option<String>,
    pub(super) og_title: Option<String>,
    pub(super) site_name: Option<String>,
    pub(super) description: Option<String>,
    /// The text in JSON-LD, often cut short; may contain markup.
    pub(super) body: Option<String>,
    /// The texts by which the markup names authors.
    pub(super) credits: Vec<Credit>,
    pub(super) site: SiteNames,
    /// How the page writes dates.
    pub(super) date_style: DateStyle,
    /// All dates in the markup, whatever they are the dates of.
    pub(super) dates: Vec<Mention>,
    /// What may be the last change, the most trusted first, and the elements that show it.
    changes: Vec<(Finding<String>, Option<NodeId>)>,
    pub(super) section: Option<Finding<String>>,
    pub(super) place: Option<Finding<String>>,
    /// The article's form.
    pub(super) forms: Forms,
    pub(super) image: Option<Finding<String>>,
    /// The addresses of the videos that JSON-LD says the page has.
    pub(super) videos: Vec<String>,
    /// What it says beside the fields.
    pub(super) about: About,
}

impl Metadata {
    pub(super) fn new(page: &Page, fetched_at: Timestamp) -> Metadata {
        let markup = MarkupReader::new(page, fetched_at);
        let objects = &markup.objects;
        let first_article = |key: &str| objects.articles().find_map(|object| object.get(key));
        let named = |key: &str| first_article(key).map(|value| json_ld::names_in(value, objects));
        let headline =
            named("headline").and_then(|names| names.into_iter().next()).map(|text| clean_text(&text));
        let site_name = markup.meta(&["og:site_name", "application-name"]);
        let publishers = objects.articles().filter_map(|object| object.get("publisher"));
        let publishers = publishers.flat_map(|publisher| json_ld::names_in(publisher, objects));
        let site = SiteNames::new(site_name.clone().into_iter().chain(publishers), page.url.host());
        let og_type = markup.meta(&["og:type"]);
        Metadata {
            is_declared_article: objects.articles().next().is_some(),
            is_declared_news: objects
                .articles()
                .any(|object| json_ld::is_a(object, |kind| kind.ends_with("NewsArticle"))),
            is_opengraph_article: og_type.as_ref().is_some_and(|kind| kind.eq_ignore_ascii_case("article")),
            other_kind: other_kind(objects, og_type.as_deref()),
            headline: headline.filter(|text| !text.is_empty()),
            meta_headline: markup.meta(&["headline", "parsely-title", "sailthru.title"]),
            og_title: markup.meta(&["og:title", "twitter:title"]),
            site_name,
            description: markup.meta(&["og:description", "description", "twitter:description"]),
            body: objects.bodies().max_by_key(|body| body.len()).map(str::to_owned),
            credits: markup.credits(),
            site,
            date_style: markup.date_style,
            dates: markup.dates(),
            changes: markup.changes(),
            section: named("articleSection")
                .and_then(|names| clean_finding(names.into_iter().next()?, "json-ld", 0.9))
                .or_else(|| {
                    clean_finding(markup.meta(&["article:section", "parsely-section"])?, "opengraph", 0.9)
                })
                .or_else(|| breadcrumbs::breadcrumb_section(page, objects)),
            place: ["dateline", "contentLocation", "locationCreated"]
                .iter()
                .find_map(|key| clean_finding(named(key)?.into_iter().next()?, "json-ld", 0.8)),
            forms: Forms::new(objects, og_type.as_deref()),
            image: markup.image(),
            videos: declared_videos(page, objects),
            about: About::new(page, objects, &|name| markup.metas_named(name).collect(), &markup.elements),
        }
    }
}

impl Metadata {
    /// The last change of the story.
    pub(super) fn modified(&self, threads: &Threads) -> Option<Finding<String>> {
        let is_of_readers = |node: &Option<NodeId>| node.is_some_and(|node| threads.hold(node));
        self.changes.iter().find(|(_, node)| !is_of_readers(node)).map(|(change, _)| change.clone())
    }
}

/// The addresses of the files or players of the videos that JSON-LD describes, but for those of other stories.
fn declared_videos(page: &Page, objects: &Objects) -> Vec<String> {
    let videos = objects.others().filter(|object| json_ld::is_a(object, |kind| kind == "VideoObject"));
    let address = |video: &Map<String, Value>| {
        let mut addresses = ["contentUrl", "embedUrl"].iter().filter_map(|key| video.get(*key)?.as_str());
        addresses.find_map(|address| followable(page, address).filter(|_| !address.trim().is_empty()))
    };
    videos.filter_map(address).take(MAX_EMBEDS).collect()
}

/// What markup calls pages that are no articles: things that are sold, threads, lists, profiles, places and events.
const OTHER_KINDS: [&[&str]; 5] = [
    &["product", "offer", "aggregateoffer", "productgroup"],
    &["discussionforumposting", "qapage", "question"],
    &["collectionpage", "itemlist", "searchresultspage", "blog"],
    &["profilepage", "aboutpage", "contactpage", "faqpage"],
    &["localbusiness", "event", "softwareapplication", "service", "course"],
];

/// The first kind of [`OTHER_KINDS`] that an object has, counted from 1.
fn other_kind(objects: &Objects, og_type: Option<&str>) -> f32 {
    let is_called = |names: &[&str]| {
        let is_one = |kind: &str| names.iter().any(|name| kind.eq_ignore_ascii_case(name));
        og_type.is_some_and(is_one) || objects.others().any(|object| json_ld::is_a(object, is_one))
    };
    OTHER_KINDS.iter().position(|names| is_called(names)).map_or(0.0, |at| at as f32 + 1.0)
}

fn clean_finding(text: String, witness: &'static str, confidence: f32) -> Option<Finding<String>> {
    let value = clean_text(&text);
    (!value.is_empty()).then_some(Finding { value, witness, confidence })
}

/// The `meta` names of publication dates, and of dates of the last change.
const PUBLICATION_METAS: &[&str] = &[
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date.issued",
    "dc.date",
    "dcterms.created",
    "dcterms.date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publication_date",
];
const MODIFICATION_METAS: &[&str] =
    &["article:modified_time", "og:updated_time", "dcterms.modified", "lastmod", "last-modified"];
/// Most dates of a kind of markup, and most `time` elements that are read.
const MOST_DATES: usize = 12;
const MOST_TIMES: usize = 40;
/// Longest meta and hint that may be a date, in bytes.
const MOST_BYTES: usize = 48;
/// Most persons of JSON-LD.
const MOST_PERSONS: usize = 6;

struct MarkupReader<'a> {
    page: &'a Page,
    fetched_at: Timestamp,
    date_style: DateStyle,
    objects: Objects,
    /// Name or property in lower case, and content, of each `meta`.
    metas: Vec<(String, &'a str)>,
    /// HTML elements that may witness a field.
    elements: Vec<NodeId>,
}

impl<'a> MarkupReader<'a> {
    fn new(page: &'a Page, fetched_at: Timestamp) -> MarkupReader<'a> {
        let tree = &page.tree;
        let html: Vec<NodeId> = tree.node_ids().filter(|&node| tree.is_html(node)).collect();
        let meta = |&node: &NodeId| {
            tree.tag(node).filter(|tag| *tag == "meta")?;
            let name = tree.attr(node, "property").or_else(|| tree.attr(node, "name"))?;
            let content = tree.attr(node, "content").filter(|content| !content.trim().is_empty())?;
            Some((name.trim().to_ascii_lowercase(), content))
        };
        let metas = html.iter().filter_map(meta).collect();
        MarkupReader {
            page,
            fetched_at,
            date_style: DateStyle::of(page),
            objects: Objects::new(page),
            metas,
            elements: html,
        }
    }

    /// The content of the first of these metas, in the order of `names`, that the page has.
    fn meta(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.metas_named(name).next().map(clean_text))
    }

    fn metas_named<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'a str> + 'n {
        self.metas.iter().filter(move |(other, _)| other == name).map(|(_, content)| *content)
    }

    /// All dates in the markup.
    fn dates(&self) -> Vec<Mention> {
        let parse = |text: &str| dates::parse_stamp(text, self.fetched_at, self.date_style);
        let parse_shown = |text: &str| dates::parse(text, self.fetched_at, self.date_style);
        let (objects, tree) = (&self.objects, &self.page.tree);
        let dates_of = |object: &Map<String, Value>, keys: &[&str]| -> Vec<String> {
            keys.iter().filter_map(|key| object.get(*key)?.as_str()).filter_map(parse).collect()
        };
        let of_articles = |keys| objects.articles().flat_map(|object| dates_of(object, keys)).collect();
        let of_others = |keys| objects.others().flat_map(|object| dates_of(object, keys)).collect();
        let metas = |names: &[&str]| -> Vec<String> {
            names.iter().flat_map(|name| self.metas_named(name).filter_map(parse)).collect()
        };
        let is_listed = |name: &str| {
            [PUBLICATION_METAS, MODIFICATION_METAS, &["date"]].iter().any(|names| names.contains(&name))
        };
        let others = self.metas.iter().filter(|(name, text)| !is_listed(name) && text.len() <= MOST_BYTES);
        let mut found: Vec<Mention> = Vec::new();
        let mut add = |source, values: Vec<String>| {
            found.extend(values.into_iter().take(MOST_DATES).map(|value| Mention {
                source,
                value,
                node: None,
            }));
        };
        add(Source::Article, of_articles(&["datePublished"]));
        add(Source::Object, of_others(&["datePublished"]));
        add(Source::Meta, metas(PUBLICATION_METAS));
        add(Source::Dated, metas(&["date"]));
        add(Source::Created, of_articles(&["dateCreated", "uploadDate"]));
        add(Source::Created, of_others(&["dateCreated", "uploadDate"]));
        add(Source::OtherMeta, others.filter_map(|(_, text)| parse_shown(text)).collect());
        add(Source::Changed, of_articles(&["dateModified"]));
        add(Source::Changed, of_others(&["dateModified"]));
        add(Source::ChangedMeta, metas(MODIFICATION_METAS));
        let dated = |node: NodeId| Some((node, parse(&self.dated_text(node)?)?));
        let mut shown = |source, elements: &mut dyn Iterator<Item = NodeId>| {
            let dates = elements.filter_map(dated).take(MOST_DATES);
            found.extend(dates.map(|(node, value)| Mention { source, value, node: Some(node) }));
        };
        shown(Source::Microdata, &mut self.with_property("datePublished"));
        shown(Source::Created, &mut self.with_property("dateCreated"));
        shown(Source::Changed, &mut self.with_property("dateModified"));
        let times = || self.elements.iter().copied().filter(|&node| tree.tag(node) == Some("time"));
        shown(Source::Time, &mut times().take(MOST_TIMES));
        let hint = |node: NodeId| {
            let hint = tree.attr(node, "title").filter(|hint| hint.len() <= MOST_BYTES)?;
            Some(Mention { source: Source::Hint, value: parse_shown(hint)?, node: Some(node) })
        };
        let hints: Vec<Mention> = self.elements.iter().copied().filter_map(hint).take(MOST_DATES).collect();
        found.extend(hints);
        found
    }

    /// What may be the last change, the most trusted first.
    fn changes(&self) -> Vec<(Finding<String>, Option<NodeId>)> {
        let parse = |text: &str| dates::parse_stamp(text, self.fetched_at, self.date_style);
        let told = |value: Option<String>, witness, confidence| {
            value.map(|value| (Finding { value, witness, confidence }, None))
        };
        let of_object =
            |object: &Map<String, Value>| object.get("dateModified").and_then(Value::as_str).and_then(parse);
        let own = told(self.objects.articles().find_map(of_object), "json-ld", 0.98);
        let own = own.or_else(|| told(self.objects.others().find_map(of_object), "json-ld", 0.9));
        let meta = || MODIFICATION_METAS.iter().find_map(|name| self.metas_named(name).find_map(parse));
        if let Some(told) = own.or_else(|| told(meta(), "meta", 0.9)) {
            return vec![told];
        }
        let value = |node: NodeId| Some((parse(&self.dated_text(node)?)?, node));
        let is_time =
            |node: &NodeId| self.page.tree.tag(*node) == Some("time") && self.is_modification(*node);
        let times = self.elements.iter().copied().filter(is_time).take(MOST_TIMES);
        let shown =
            |witness, confidence| move |(value, node)| (Finding { value, witness, confidence }, Some(node));
        let marked = self.with_property("dateModified").filter_map(value).take(MOST_DATES);
        let marked = marked.map(shown("microdata", 0.9));
        marked.chain(times.filter_map(value).map(shown("time", 0.7))).collect()
    }

    /// Whether the attributes of an element, or the text right before it, mark its date as that of a change.
    fn is_modification(&self, node: NodeId) -> bool {
        let tree = &self.page.tree;
        let marks = [tree.attr(node, "class"), tree.attr(node, "itemprop"), tree.attr(node, "id")];
        let names_change = |text: &str| {
            let text = text.to_ascii_lowercase();
            ["updated", "modified", "dateline-update"].iter().any(|word| text.contains(word))
        };
        marks.into_iter().flatten().any(names_change)
            || tree.prev_sibling(node).and_then(|before| tree.text(before)).is_some_and(names_change)
    }

    fn dated_text(&self, node: NodeId) -> Option<String> {
        let tree = &self.page.tree;
        let value = tree.attr(node, "datetime").or_else(|| tree.attr(node, "content"));
        value.map(str::to_owned).or_else(|| self.short_text(node))
    }

    fn with_property(&self, property: &str) -> impl Iterator<Item = NodeId> {
        let tree = &self.page.tree;
        self.elements.iter().copied().filter(move |&node| has_property(tree, node, property))
    }

    /// The text of an element, unless it is too long for a name or date.
    fn short_text(&self, node: NodeId) -> Option<String> {
        let leaves = self.page.leaves.range_under(&self.page.tree, node);
        let mut text = String::new();
        for leaf in leaves {
            if text.len() > 200 {
                return None;
            }
            text.push(' ');
            text.push_str(self.page.leaves.text(leaf));
        }
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// The texts by which the markup names authors.
    fn credits(&self) -> Vec<Credit> {
        let of_objects = |property: &str| -> Vec<String> {
            let author = self.objects.articles().find_map(|object| object.get(property));
            author.map(|author| json_ld::names_in(author, &self.objects)).unwrap_or_default()
        };
        let persons = self.objects.others().filter(|object| json_ld::is_a(object, |kind| kind == "Person"));
        let persons = persons.filter_map(|object| object.get("name")?.as_str().map(str::to_owned));
        let metas = |names: &[&str]| -> Vec<String> {
            let first = names.iter().find(|name| self.metas_named(name).next().is_some());
            first.map(|name| self.metas_named(name).map(str::to_owned).collect()).unwrap_or_default()
        };
        let texts_by_source = [
            (CreditSource::Author, of_objects("author")),
            (CreditSource::Creator, of_objects("creator")),
            (CreditSource::Person, persons.take(MOST_PERSONS).collect()),
            (
                CreditSource::Meta,
                metas(&["parsely-author", "cxenseparse:author", "sailthru.author", "dc.creator", "byl"]),
            ),
            (CreditSource::WeakMeta, metas(&["author", "article:author", "twitter:creator"])),
        ];
        let credits = texts_by_source.into_iter().flat_map(|(source, texts)| {
            texts.into_iter().map(move |text| Credit { source, text: clean_text(&text), node: None })
        });
        credits.filter(|credit| !credit.text.is_empty()).collect()
    }

    fn image(&self) -> Option<Finding<String>> {
        let names = [
            "og:image",
            "og:image:url",
            "og:image:secure_url",
            "twitter:image",
            "twitter:image:src",
            "parsely-image-url",
            "sailthru.image.full",
            "thumbnail",
        ];
        let declared = names.iter().flat_map(|name| self.metas_named(name));
        declared_picture(self.page, &self.objects, declared, &self.elements)
    }
}

/// A text of the metadata as readers see it. Entities are decoded twice: scripts keep them, and many are
/// escaped twice.
fn clean_text(text: &str) -> String {
    readable(&without_entities(&without_entities(text)))
}
