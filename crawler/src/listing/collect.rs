//! The items of a listing while it is read.
//!
//! An item is a [`ItemDraft`] until all of it was read; then [`Collector::take`] keeps it, merges it or counts why
//! not. At most twice as many items as wanted are held: then the older half goes. So a listing of any length
//! takes bounded memory, and its newest items stay.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

use newslode_page::reading::listed::{MAX_HTML, MAX_NAMES};
use newslode_page::reading::{NodeId, PageLimits, PageTree, Site, resolve, squash};
use newslode_page::{CanonicalUrl, Timestamp};
use url::Url;

use super::dates;
use super::model::{Alternate, Item, ItemDetails, LeftOut, ListingLimits};
use super::walk::MAX_TEXT;

/// Longest title, in characters.
const MAX_TITLE: usize = 500;
/// Longest name of an author, keyword, and code of a language, in bytes.
const MAX_NAME: usize = 500;
const MAX_CODE: usize = 35;
/// A summary of so many words is a full text.
const WORDS_OF_FULL_TEXT: usize = 80;
/// Most bytes of the full texts of one listing.
const MAX_FULL_TEXTS: usize = 16 << 20;
/// Most alternates of an item, and most bytes of the addresses of all in one listing.
const MOST_ALTERNATES: usize = 64;
const MAX_ALTERNATES: usize = 16 << 20;
/// How often an address may be escaped.
const MAX_ESCAPED: usize = 8;
/// How far clocks and zones may be wrong.
const TOLERANCE: Duration = Duration::from_secs(86_400);

/// An item that is being read.
#[derive(Debug, Default)]
pub(super) struct ItemDraft {
    has_link: bool,
    /// The best link, and how good it is: smaller is better, and links to other sites are the last.
    link: Option<((bool, u8), CanonicalUrl)>,
    /// The best title and date of publication, and how good they are: smaller is better.
    title: Option<(u8, String)>,
    published: Option<(u8, Timestamp)>,
    pub(super) modified: Option<Timestamp>,
    pub(super) details: ItemDetails,
}

/// Adds a name, unless it is there already, too long, or one too many.
fn add_name(names: &mut Vec<String>, text: &str) {
    let name = squash(text);
    if !name.is_empty() && name.len() <= MAX_NAME && names.len() < MAX_NAMES && !names.contains(&name) {
        names.push(name);
    }
}

impl ItemDraft {
    /// Notes a text that names authors.
    pub(super) fn add_author(&mut self, text: &str) {
        add_name(&mut self.details.authors, text);
    }

    /// Notes the section; the first one counts.
    pub(super) fn add_section(&mut self, text: &str) {
        let section = plain_title(text, true).filter(|section| section.len() <= MAX_NAME);
        self.details.section = self.details.section.take().or(section);
    }

    /// Notes keywords, with commas between them.
    pub(super) fn add_keywords(&mut self, text: &str) {
        text.split(',').for_each(|keyword| add_name(&mut self.details.keywords, keyword));
    }

    /// Notes a summary, which is HTML. One of many words is taken for the full text if there is no other.
    pub(super) fn add_summary(&mut self, html: &str) {
        let Some(plain) = plain_text(html, true) else { return };
        let is_text = html.len() <= MAX_HTML && plain.split_whitespace().count() >= WORDS_OF_FULL_TEXT;
        if is_text {
            self.details.html.get_or_insert_with(|| html.to_owned());
        }
        self.details.summary.get_or_insert_with(|| first_characters(&plain, MAX_TITLE).to_owned());
    }

    /// Notes the full text as HTML, unless it is too long to be kept whole.
    pub(super) fn add_full_text(&mut self, html: &str) {
        if html.len() <= MAX_HTML && !html.trim().is_empty() {
            self.details.html = Some(html.to_owned());
        }
    }

    /// Notes the full text without markup, if there is none with it.
    pub(super) fn add_plain_text(&mut self, text: &str) {
        if self.details.html.is_none() {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let escaped = lines.map(|line| line.replace('&', "&amp;").replace('<', "&lt;"));
            self.add_full_text(&escaped.map(|line| format!("<p>{line}")).collect::<String>());
        }
    }

    /// Notes the address of a picture; the first one counts.
    pub(super) fn add_picture(&mut self, base: &Url, address: &str) {
        if self.details.image.is_none() && address.len() <= MAX_TEXT {
            self.details.image = resolve(base, &address_in(address, base));
        }
    }

    /// Notes a language; the first one counts.
    pub(super) fn add_language(&mut self, code: &str) {
        let code = code.trim();
        if (2..=MAX_CODE).contains(&code.len()) {
            self.details.language.get_or_insert_with(|| code.to_owned());
        }
    }
    pub(super) fn has_link(&self) -> bool {
        self.has_link
    }

    /// Notes a title; of several of the same rank the first counts.
    pub(super) fn add_title(&mut self, rank: u8, title: Option<String>) {
        let is_better = self.title.as_ref().is_none_or(|(known, _)| rank < *known);
        if let (true, Some(title)) = (is_better, title) {
            self.title = Some((rank, title));
        }
    }

    /// Notes a date of publication; of several of the same rank the earliest counts, as the others are of changes.
    pub(super) fn add_published(&mut self, rank: u8, date: Option<Timestamp>) {
        if let Some(date) = date {
            self.published = Some(self.published.map_or((rank, date), |known| known.min((rank, date))));
        }
    }
}

/// An item without its address.
struct CollectedItem {
    /// Its place among all items.
    place: usize,
    title: Option<String>,
    published: Option<Timestamp>,
    modified: Option<Timestamp>,
    details: Option<Box<ItemDetails>>,
}

/// Keeps the items of a listing.
pub(super) struct Collector<'a> {
    url: &'a CanonicalUrl,
    limits: &'a ListingLimits,
    /// Latest date that is believed.
    latest: Timestamp,
    /// The sites whose links are taken; all if empty.
    sites: Vec<Site>,
    /// The host of the last link, and whether its links are taken.
    host: (String, bool),
    most: usize,
    is_index: bool,
    items: HashMap<CanonicalUrl, CollectedItem>,
    seen: usize,
    /// Bytes of full texts that are still kept.
    texts_left: usize,
    /// Bytes of the addresses of alternates that are still kept.
    alternates_left: usize,
    left_out: LeftOut,
}

impl<'a> Collector<'a> {
    /// For the pages of a listing.
    pub(super) fn items(url: &'a CanonicalUrl, now: Timestamp, limits: &'a ListingLimits) -> Collector<'a> {
        let site = limits.site.clone().unwrap_or_else(|| url.site());
        let sites = if limits.same_site { vec![site] } else { Vec::new() };
        let latest = now.plus(TOLERANCE);
        let most = limits.max_items;
        Collector {
            url,
            limits,
            latest,
            sites,
            host: (String::new(), false),
            most,
            is_index: false,
            items: HashMap::new(),
            seen: 0,
            texts_left: MAX_FULL_TEXTS,
            alternates_left: MAX_ALTERNATES,
            left_out: LeftOut::default(),
        }
    }

    /// For the maps of an index. They may also be on the index's own site.
    pub(super) fn maps(url: &'a CanonicalUrl, now: Timestamp, limits: &'a ListingLimits) -> Collector<'a> {
        let mut maps = Collector::items(url, now, limits);
        if limits.same_site {
            maps.sites.push(url.site());
        }
        Collector { most: limits.max_maps, is_index: true, ..maps }
    }

    /// Number of items read, also of those that were not kept.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// Adds a link to a draft. Of several links the best counts: one to this site, then one of low rank, then
    /// the first.
    pub(super) fn link(&mut self, draft: &mut ItemDraft, rank: u8, base: &Url, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        draft.has_link = true;
        if text.len() > MAX_TEXT {
            return;
        }
        let address = address_in(text, base);
        let url = resolve(base, &address).filter(|url| url.as_str().len() <= self.limits.max_url);
        let Some(url) = url else { return };
        let order = (!self.is_taken(&url), rank);
        if draft.link.as_ref().is_none_or(|(best, _)| order < *best) {
            draft.link = Some((order, url));
        }
    }

    /// Notes where the page of a draft is in another language.
    pub(super) fn add_alternate(&mut self, draft: &mut ItemDraft, language: &str, base: &Url, href: &str) {
        let known = &mut draft.details.alternates;
        if self.is_index || known.len() >= MOST_ALTERNATES || href.len() > MAX_TEXT {
            return;
        }
        let Some(found) = Alternate::new(language, base, &address_in(href, base)) else { return };
        let left = self.alternates_left.checked_sub(found.url.as_str().len());
        if let (Some(left), false) = (left, known.contains(&found)) {
            self.alternates_left = left;
            known.push(found);
        }
    }

    /// The point in time that a text names, unless it lies in the future.
    pub(super) fn date(&mut self, text: &str) -> Option<Timestamp> {
        let date = dates::parse(text)?;
        let is_future = date > self.latest;
        self.left_out.future_dates += usize::from(is_future);
        (!is_future).then_some(date)
    }

    /// Keeps an item.
    pub(super) fn take(&mut self, draft: ItemDraft) {
        self.seen += 1;
        let left_out = &mut self.left_out;
        let Some(((is_elsewhere, _), url)) = draft.link else {
            let reason = if draft.has_link { &mut left_out.bad_link } else { &mut left_out.no_link };
            *reason += 1;
            return;
        };
        if is_elsewhere {
            left_out.other_site += 1;
            return;
        }
        if self.is_index && without_scheme(&url) == without_scheme(self.url) {
            left_out.itself += 1;
            return;
        }
        let title = draft.title.map(|(_, title)| title);
        let published = draft.published.map(|(_, published)| published);
        let mut details = draft.details;
        match details
            .html
            .as_ref()
            .map_or(Some(self.texts_left), |html| self.texts_left.checked_sub(html.len()))
        {
            Some(left) => self.texts_left = left,
            None => details.html = None,
        }
        let details = (details != ItemDetails::default()).then(|| Box::new(details));
        let new = CollectedItem { place: self.seen, title, published, modified: draft.modified, details };
        match self.items.entry(url) {
            Entry::Occupied(mut known) => {
                left_out.merged += 1;
                known.get_mut().merge(new);
            }
            Entry::Vacant(vacant) => {
                vacant.insert(new);
            }
        }
        if self.items.len() > self.most.saturating_mul(2) {
            self.forget_oldest();
        }
    }

    /// The items in the order of their places, and what was not taken.
    pub(super) fn finish(mut self) -> (Vec<Item>, LeftOut) {
        self.forget_oldest();
        let mut items: Vec<(CanonicalUrl, CollectedItem)> = self.items.into_iter().collect();
        items.sort_unstable_by_key(|(_, kept)| kept.place);
        let item = |(url, kept): (CanonicalUrl, CollectedItem)| {
            let CollectedItem { title, published, modified, details, .. } = kept;
            Item { url, title, published, modified, details }
        };
        (items.into_iter().map(item).collect(), self.left_out)
    }

    /// Drops all but the newest items. Selecting the first one to drop takes linear time; sorting is not needed.
    fn forget_oldest(&mut self) {
        let Some(over) = self.items.len().checked_sub(self.most).filter(|over| *over > 0) else { return };
        let mut ages: Vec<_> = self.items.values().map(CollectedItem::age).collect();
        let (_, first_out, _) = ages.select_nth_unstable(self.most);
        let first_out = *first_out;
        self.items.retain(|_, kept| kept.age() < first_out);
        self.left_out.over_limit += over;
    }

    fn is_taken(&mut self, url: &CanonicalUrl) -> bool {
        if self.sites.is_empty() {
            return true;
        }
        // A listing mostly names one host, and looking up its site takes longer than all else.
        if self.host.0 != url.host() {
            let is_taken = self.sites.contains(&url.site());
            self.host = (url.host().to_owned(), is_taken);
        }
        self.host.1
    }
}

impl CollectedItem {
    /// Smaller is newer. No two items have the same.
    fn age(&self) -> (Reverse<Option<Timestamp>>, usize) {
        (Reverse(self.published.max(self.modified)), self.place)
    }

    fn merge(&mut self, other: CollectedItem) {
        self.title = self.title.take().or(other.title);
        self.details = self.details.take().or(other.details);
        self.published = match (self.published, other.published) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.modified = self.modified.max(other.modified);
    }
}

/// Whether a text that need not be an address is one: with a scheme or host, or a path from the root.
pub(super) fn is_like_address(text: &str) -> bool {
    let text = text.trim();
    let has_scheme = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            && text.len() > scheme.len()
    };
    let starts = ["http://", "https://", "www.", "/"].into_iter().any(has_scheme);
    starts && !text.contains(char::is_whitespace)
}

/// An address as it was meant: `&amp;` that was escaped once too often, white space inside, and a host without a
/// scheme.
fn address_in<'t>(text: &'t str, base: &Url) -> Cow<'t, str> {
    let mut address =
        Cow::Borrowed(text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{FEFF}'));
    for _ in 0..MAX_ESCAPED {
        let escaped =
            ["&amp;", "&#38;", "&#038;", "&#x26;"].into_iter().find(|escaped| address.contains(escaped));
        let Some(escaped) = escaped else { break };
        address = Cow::Owned(address.replace(escaped, "&"));
    }
    let has_host = |host: &str| {
        let start = address.get(..host.len());
        let rest = address.get(host.len()..).unwrap_or_default();
        start.is_some_and(|start| start.eq_ignore_ascii_case(host))
            && (rest.is_empty() || rest.starts_with('/'))
    };
    if address.starts_with("www.") || base.host_str().is_some_and(|host| host.contains('.') && has_host(host))
    {
        return Cow::Owned(format!("{}://{address}", base.scheme()));
    }
    address
}

fn without_scheme(url: &CanonicalUrl) -> &str {
    url.as_str().split_once("://").map_or(url.as_str(), |(_, rest)| rest)
}

/// A title as plain text. `is_html`: its markup is resolved once more, as in RSS.
pub(super) fn plain_title(text: &str, is_html: bool) -> Option<String> {
    plain_text(text, is_html).map(|plain| first_characters(&plain, MAX_TITLE).to_owned())
}

fn plain_text(text: &str, is_html: bool) -> Option<String> {
    let plain = if is_html && text.contains(['<', '&']) {
        let tree = PageTree::parse(text, &PageLimits::default());
        let is_shown = |node: &NodeId| {
            let parent = tree.parent(*node).and_then(|parent| tree.tag(parent));
            !matches!(parent, Some("script" | "style"))
        };
        let shown = tree.descendants(tree.root()).filter(is_shown);
        squash(&shown.filter_map(|node| tree.text(node)).collect::<String>())
    } else {
        squash(text)
    };
    (!plain.is_empty()).then_some(plain)
}

fn first_characters(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_were_meant() {
        let base = Url::parse("https://a.test/feed").unwrap();
        for (written, meant) in [
            (" https://a.test/1\n", "https://a.test/1"),
            ("/1?a=1&amp;b=2&#038;c=3", "/1?a=1&b=2&c=3"),
            ("/1?a=1&amp;amp;amp;b=2", "/1?a=1&b=2"),
            ("\u{FEFF}/1", "/1"),
            ("www.b.test/1", "https://www.b.test/1"),
            ("A.test/1", "https://A.test/1"),
            ("a.test.html", "a.test.html"),
            ("1?x=a.test/2", "1?x=a.test/2"),
        ] {
            assert_eq!(address_in(written, &base), meant);
        }
        let deep = format!("/?a&{}b", "amp;".repeat(20));
        assert_eq!(address_in(&deep, &base), format!("/?a&{}b", "amp;".repeat(20 - MAX_ESCAPED)));
    }

    #[test]
    fn what_looks_like_an_address_is_one() {
        for text in ["http://a.test/1", " HTTPS://a.test/1 ", "//a.test/1", "/news/1.html", "www.a.test/1"] {
            assert!(is_like_address(text), "{text}");
        }
        for text in [
            "",
            "/",
            "1",
            "tag:a.test,2024:1",
            "urn:uuid:1",
            "http://",
            "https://a.test/1 and more",
            "news/1",
        ] {
            assert!(!is_like_address(text), "{text}");
        }
    }

    #[test]
    fn titles_are_plain_text() {
        assert_eq!(plain_title(" A\n <b>B</b> &eacute; ", true).as_deref(), Some("A B é"));
        assert_eq!(plain_title("a <b> &amp;", false).as_deref(), Some("a <b> &amp;"));
        assert_eq!(plain_title("a <script>b()</script><style>c</style>d", true).as_deref(), Some("a d"));
        assert_eq!(plain_title("<br>", true), None);
        assert_eq!(plain_title(&"é".repeat(9999), true).map(|title| title.chars().count()), Some(MAX_TITLE));
    }
}
