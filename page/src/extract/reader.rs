//! Reads an article: the fields from the markup and the text, the body from the runs, with what is known of the site.

use std::collections::BTreeMap;

use super::body::Body;
use super::days::ShownDates;
use super::finding::{Finding, Names};
use super::measures::Claims;
use super::metadata::Metadata;
use super::picture::{picture_key, shown_picture};
use super::plain::without_markup;
use super::runs::Runs;
use super::scorer::Scorer;
use super::selection::{Choice, Focus};
use super::site::{Peers, SIBLINGS, SiteContext, SiteKnowledge, template_witness};
use super::visible::Visible;
use super::zones::SiteZone;
use super::{authors, body, days, kind, title};
use crate::Page;
use crate::article::{Article, Block, BlockKind, Completeness, Evidence, PageKind, Picture, WrittenDate};
use crate::reading::ListedEntry;
use crate::text::words_of_prose;
use crate::time::Timestamp;

/// The confidence that a page is an article if it shows none, but a feed holds its text.
const FEED_KIND_CONFIDENCE: f32 = 0.8;
/// The confidence of a field that only a listing gives.
const LISTED_CONFIDENCE: f32 = 0.7;

/// How a page is read: the time of its fetch, after which no date counts, what is known of its site, and what counts more in its
/// text.
///
/// ```
/// use newslode_page::extract::{Focus, Reading};
/// use newslode_page::{Page, Timestamp};
///
/// let url = "https://news.example.org/".parse()?;
/// let page = Page::parse(&url, None, b"<h1>Rain ends the drought</h1><p>It rained over the valley on Thursday.");
/// let reading = Reading::new(Timestamp(1_714_700_000_000), None).with_focus(Focus::Recall);
/// assert_eq!(reading.whatever_kind(&page).text(), "It rained over the valley on Thursday.");
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    fetched_at: Timestamp,
    site: Option<&'a SiteKnowledge>,
    choice: Choice<'a>,
}

impl<'a> Reading<'a> {
    /// Reads pages as [`article`](super::article) and [`SiteKnowledge::article`] do.
    #[must_use]
    pub fn new(fetched_at: Timestamp, site: Option<&'a SiteKnowledge>) -> Reading<'a> {
        Reading { fetched_at, site, choice: Choice::default() }
    }

    /// Reads with this focus.
    #[must_use]
    pub fn with_focus(self, focus: Focus) -> Reading<'a> {
        Reading { choice: Choice { focus, ..self.choice }, ..self }
    }

    /// Reads with this scorer, which may be trained on other sites; for measuring.
    #[must_use]
    pub fn with_scorer(self, scorer: &'a Scorer) -> Reading<'a> {
        Reading { choice: Choice { scorer, ..self.choice }, ..self }
    }

    /// The kind of a page and, unless it is none, its article.
    #[must_use]
    pub fn article(self, page: &Page) -> (PageKind, Option<Article>) {
        let asked = if self.site.is_some() { kind::Asked::ForArticles } else { kind::Asked::ForOne };
        article_of(page, self, asked)
    }

    /// The fields and text of a page of any kind; its `kind` says what it is.
    #[must_use]
    pub fn whatever_kind(self, page: &Page) -> Article {
        Judged::new(page, self, kind::Asked::ForOne).read(page, self)
    }

    /// The fields and text of a page that is taken for an article without a judgement.
    #[must_use]
    pub fn as_article(self, page: &Page) -> Article {
        read_article(page, &Runs::new(page), Metadata::new(page, self.fetched_at), self)
    }
}

/// The kind of a page and, if it is an article, its fields and text.
pub(super) fn article_of(
    page: &Page,
    reading: Reading<'_>,
    asked: kind::Asked,
) -> (PageKind, Option<Article>) {
    let judged = Judged::new(page, reading, asked);
    let kind = judged.verdict.kind;
    if kind == PageKind::Article {
        return (kind, Some(judged.read(page, reading)));
    }
    // A page that shows next to nothing, perhaps because it needs scripts, is an article if a feed holds its text.
    match page.listed.as_ref().is_some_and(|listed| listed.html.is_some()) {
        true => read_of_feed(judged, page, reading),
        false => (kind, None),
    }
}

/// The article of a page that does not look like one, if its text is a feed's.
fn read_of_feed(judged: Judged, page: &Page, reading: Reading<'_>) -> (PageKind, Option<Article>) {
    let kind = judged.verdict.kind;
    let mut article = judged.read(page, reading);
    if article.method != body::FEED {
        return (kind, None);
    }
    article.kind = PageKind::Article;
    let evidence = Evidence { witness: body::FEED.to_owned(), confidence: FEED_KIND_CONFIDENCE };
    article.evidence.insert("kind".to_owned(), evidence);
    (PageKind::Article, Some(article))
}

/// The evidence that a page is an article because of a feed, if it is.
pub(super) fn kind_by_feed(page: &Page, site: Option<&SiteKnowledge>) -> Option<Evidence> {
    page.listed.as_ref()?.html.as_ref()?;
    let reading = Reading::new(Timestamp(u64::MAX), site);
    let (_, article) = read_of_feed(Judged::new(page, reading, kind::Asked::ForArticles), page, reading);
    article?.evidence.remove("kind")
}

/// A page whose kind is known, before it is read.
struct Judged {
    metadata: Metadata,
    runs: Runs,
    verdict: kind::Verdict,
}

impl Judged {
    fn new(page: &Page, reading: Reading<'_>, asked: kind::Asked) -> Judged {
        let (metadata, runs) = (Metadata::new(page, reading.fetched_at), Runs::new(page));
        let kinds = reading.site.map(SiteKnowledge::kinds);
        let verdict = kind::page_kind(page, &metadata, &runs, kinds, asked);
        Judged { metadata, runs, verdict }
    }

    fn read(self, page: &Page, reading: Reading<'_>) -> Article {
        let Judged { metadata, runs, verdict } = self;
        let mut article = read_article(page, &runs, metadata, reading);
        article.evidence.insert("kind".to_owned(), verdict.evidence);
        Article { kind: verdict.kind, ..article }
    }
}

/// The claims of a page's markup about its article, for comparison with its text.
pub(super) fn page_claims(page: &Page, metadata: &Metadata, title: Option<&str>) -> Claims {
    let title = title.map(str::to_owned);
    let titles = [&title, &metadata.headline, &metadata.og_title, &page.title];
    Claims {
        titles: titles.into_iter().flatten().cloned().collect(),
        description: metadata.description.clone(),
        body: metadata.body.as_deref().map(without_markup),
        is_declared_article: metadata.is_declared_article,
        is_declared_news: metadata.is_declared_news,
        is_opengraph_article: metadata.is_opengraph_article,
        picture: metadata.image.as_ref().map(|image| image.value.clone()),
        videos: metadata.videos.clone(),
    }
}

/// The fields and text of a page that is treated as an article, whatever its kind.
pub(super) fn read_article(page: &Page, runs: &Runs, metadata: Metadata, reading: Reading<'_>) -> Article {
    let Reading { fetched_at, site, choice } = reading;
    let site_context = site.map(|site| SiteContext::new(site, page, runs));
    let taught_fields = site_context
        .as_ref()
        .map(|site_context| site_context.taught_fields(&metadata, fetched_at))
        .unwrap_or_default();
    let peers = site_context.as_ref().and_then(SiteContext::peers);
    let peers = peers.as_ref();
    let mut evidence = FieldEvidence {
        template: site_context.as_ref().and_then(SiteContext::version),
        ..FieldEvidence::default()
    };
    // Every field: a person's lesson first, then what the site's other pages show to be wrong, then the page alone.
    // The title comes first, because the body, the byline and the dates are looked for around it.
    let titles = title::choices(page, &metadata);
    let by_peers = || peers.and_then(|peers| peers.title(&titles));
    let listed = ListedFindings(page.listed.as_ref().map(|listed| &listed.entry));
    let is_taught = taught_fields.title.is_some();
    let title = taught_fields.title.or_else(by_peers).or_else(|| title::decide(&titles));
    let title = title.or_else(|| listed.field(|entry| entry.title.clone()));
    let title = evidence.record("title", title);
    let claims = page_claims(page, &metadata, title.as_deref());
    let body = body::read_body(page, runs, &claims, title.as_deref(), choice, site_context.as_ref());
    evidence.by_field.extend(body.witness.clone().map(|witness| ("body".to_owned(), witness)));
    // What a page calls itself that shows no story is no headline.
    let headline =
        listed.field(|entry| entry.title.clone()).filter(|_| body.method == body::FEED && !is_taught);
    let title = evidence.record("title", headline).or(title);
    let words = body.blocks.iter().map(|block| words_of_prose(&block.text)).sum();
    let pictures = page.tree.node_ids().filter(|&node| page.tree.tag(node) == Some("img")).count();
    let form = evidence.record("form", metadata.forms.confirmed_by(words, pictures));
    let completeness = completeness(page, &body, form);
    let place = metadata.place.clone().or_else(|| dateline(&body.blocks));
    let visible = Visible::new(page, runs, title.as_deref());
    let authors = taught_fields.authors.or_else(|| choose_authors(page, &metadata, &visible, peers));
    let listed_authors = |entry: &ListedEntry| {
        let names = authors::listed(&entry.authors, &metadata);
        (!names.is_empty()).then_some(names)
    };
    let authors = authors.or_else(|| listed.field(listed_authors));
    let authors = evidence.record("authors", authors).unwrap_or_default();
    let zone = site_context.as_ref().map(SiteContext::zone).unwrap_or_default();
    let published = || choose_published(page, &metadata, &visible, fetched_at, &zone, peers);
    let published = taught_fields.published.or_else(published);
    let published = published.or_else(|| listed.field(|entry| entry.published.clone()));
    let shown_dates = ShownDates::new(&metadata, &visible, fetched_at);
    let modified = metadata.modified(visible.threads()).or_else(|| shown_dates.change());
    let peers_picture = peers.and_then(|peers| peers.picture(metadata.image.as_ref()));
    let picture = peers_picture.or(metadata.image).or_else(|| shown_picture(page, &visible));
    let picture = picture.or_else(|| listed.field(|entry| entry.image.clone()));
    let section = metadata.section.or_else(|| listed.field(|entry| entry.section.clone()));
    evidence.by_field.extend(language_evidence(page).map(|found| ("language".to_owned(), found)));
    let language = page.language.clone();
    let language =
        language.or_else(|| evidence.record("language", listed.field(|entry| entry.language.clone())));
    let published = evidence.record("published", published);
    let modified = evidence.record("modified", modified);
    let written = |date: &str, is_change| WrittenDate {
        written: shown_dates.as_written(date, is_change),
        ..WrittenDate::of(date)
    };
    let dates = [("published", &published, false), ("modified", &modified, true)];
    let dates = dates.into_iter().filter_map(|(field, date, is_change)| {
        Some((field.to_owned(), written(date.as_deref()?, is_change)))
    });
    let dates = dates.collect();
    let image = evidence.record("image", picture);
    let description =
        metadata.description.clone().map(|value| Finding { value, witness: "meta", confidence: 0.9 });
    let description = description.or_else(|| listed.field(|entry| entry.summary.clone()));
    let about = metadata.about;
    let keywords = (!about.keywords.is_empty()).then(|| Finding {
        value: about.keywords.clone(),
        witness: "meta",
        confidence: 0.8,
    });
    let listed_keywords = |entry: &ListedEntry| (!entry.keywords.is_empty()).then(|| entry.keywords.clone());
    let keywords = keywords.or_else(|| listed.field(listed_keywords));
    let article = Article {
        url: page.url.as_str().to_owned(),
        site: page.url.site().as_str().to_owned(),
        title,
        author_pages: about.pages_of(page, &authors),
        authors,
        published,
        modified,
        dates,
        lead: lead_picture(&body.blocks, image.as_deref()),
        description: evidence.record("description", description),
        keywords: evidence.record("keywords", keywords).unwrap_or_default(),
        breadcrumbs: about.breadcrumbs,
        publisher: about.publisher.or(metadata.site_name),
        licence: about.licence,
        access: about.access,
        completeness,
        cut: Vec::new(),
        place: evidence.record("place", place),
        section: evidence.record("section", section),
        concepts: Vec::new(),
        language,
        image,
        method: body.method.to_owned(),
        body: body.blocks,
        kind: PageKind::Article,
        evidence: evidence.by_field,
        listed: page.listed.as_ref().map(|listed| listed.entry.clone()),
    };
    article.within_limits()
}

/// The lead picture: the declared one with what the page says of it, else the first that the page shows.
fn lead_picture(blocks: &[Block], declared: Option<&str>) -> Option<Picture> {
    let shown = || blocks.iter().filter_map(|block| block.picture.as_ref());
    let Some(declared) = declared else { return shown().next().cloned() };
    let key = picture_key(declared);
    let same = shown().find(|picture| picture_key(&picture.address) == key).cloned();
    Some(same.unwrap_or_else(|| Picture { address: declared.to_owned(), ..Picture::default() }))
}

/// How much of the text was found.
fn completeness(page: &Page, body: &Body, form: Option<&str>) -> Completeness {
    let last = body.blocks.iter().rev().find(|block| !block.text.is_empty());
    let breaks_off = last.is_some_and(|block| {
        let text = block.text.trim_end_matches([']', ')', ' ']);
        text.ends_with("...") || text.ends_with('…')
    });
    match (body.method, form) {
        (body::FEED, _) => Completeness::FromFeed,
        (_, Some("stub")) => Completeness::Stub,
        _ if breaks_off || page.tree.notes().is_coarse() => Completeness::Truncated,
        _ => Completeness::Full,
    }
}

/// The evidence for the language; it names the declared one if the text is in another.
fn language_evidence(page: &Page) -> Option<Evidence> {
    let language = page.language.as_ref()?;
    let (witness, confidence) = page.language_witness;
    let other = page.declared_language.as_ref().filter(|declared| *declared != language);
    let witness = other.map_or(witness.to_owned(), |declared| format!("{witness}, declared {declared}"));
    Some(Evidence { witness, confidence })
}

/// The authors, from the page alone unless its peers know better.
fn choose_authors(
    page: &Page,
    metadata: &Metadata,
    visible: &Visible<'_>,
    peers: Option<&Peers<'_>>,
) -> Option<Names> {
    let choices = authors::choices(page, metadata, visible);
    peers.and_then(|peers| peers.authors(&choices)).or_else(|| authors::decide(&choices))
}

/// The date of publication, from the page alone unless its peers know better.
fn choose_published(
    page: &Page,
    metadata: &Metadata,
    visible: &Visible<'_>,
    fetched_at: Timestamp,
    zone: &SiteZone,
    peers: Option<&Peers<'_>>,
) -> Option<Finding<String>> {
    let (choices, _) = days::choices(page, metadata, visible, fetched_at, zone);
    peers.and_then(|peers| peers.published(&choices)).or_else(|| days::decide(&choices))
}

/// What a listing says, as findings for fields that the page itself leaves open.
struct ListedFindings<'a>(Option<&'a ListedEntry>);

impl ListedFindings<'_> {
    fn field<T>(&self, value: impl FnOnce(&ListedEntry) -> Option<T>) -> Option<Finding<T>> {
        let entry = self.0?;
        let value = value(entry)?;
        Some(Finding { value, witness: entry.by.witness(), confidence: LISTED_CONFIDENCE })
    }
}

/// Evidence by field.
#[derive(Default)]
struct FieldEvidence {
    by_field: BTreeMap<String, Evidence>,
    /// The version of the template that accepts the page.
    template: Option<u32>,
}

impl FieldEvidence {
    fn record<T>(&mut self, field: &str, found: Option<Finding<T>>) -> Option<T> {
        let Finding { value, witness, confidence } = found?;
        let witness = match self.template {
            Some(version) if witness == SIBLINGS => template_witness(version),
            _ => witness.to_owned(),
        };
        self.by_field.insert(field.to_owned(), Evidence { witness, confidence });
        Some(value)
    }
}

/// The place before the dash that opens the first paragraph: "LONDON (Agency) — …", "PARIS, France – …".
fn dateline(blocks: &[Block]) -> Option<Finding<String>> {
    let first = blocks.iter().find(|block| block.kind == BlockKind::Paragraph)?;
    let head: String = first.text.chars().take(60).collect();
    let (before, _) = head.split_once(" — ").or_else(|| head.split_once(" – "))?;
    let place = before.split(" (").next().unwrap_or(before).trim();
    let opens_in_capitals = place.split([',', ' ']).next().is_some_and(|word| {
        word.chars().count() >= 3 && word.chars().all(|letter| letter.is_uppercase() || letter == '.')
    });
    opens_in_capitals.then(|| Finding { value: place.to_owned(), witness: "text", confidence: 0.6 })
}

#[cfg(test)]
mod tests {
    use crate::article::Completeness;

    use super::{Body, completeness};
    use crate::article::{Block, BlockKind};
    use crate::testing::page;

    #[test]
    fn a_text_that_breaks_off_is_truncated() {
        let page = page("<p>It rained.");
        let read = |text: &str, method, form| {
            let body = Body { blocks: vec![Block::new(BlockKind::Paragraph, text)], method, witness: None };
            completeness(&page, &body, form)
        };
        assert_eq!(read("It rained.", "runs", None), Completeness::Full);
        assert_eq!(read("It rained and […]", "runs", None), Completeness::Truncated);
        assert_eq!(read("It rained…", "runs", Some("stub")), Completeness::Stub);
        assert_eq!(read("It rained…", super::body::FEED, None), Completeness::FromFeed);
    }
}
