//! What the fuzz targets check: for each parser of bytes that strangers write, a function that takes any bytes and panics
//! if a promise is broken.
//!
//! `fuzz/` runs these functions under libFuzzer, which needs a nightly compiler and is a workspace of its own. Tests of
//! this crate run them on stable over `fuzz/seeds/TARGET`, so that every input which once broke something is tried for
//! ever. To add a target: a function here, a line in [`TARGETS`], a file in `fuzz/fuzz_targets`, a seed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken promise is a panic here")]

use std::io::Cursor;
use std::time::Duration;

use newslode::fuzzed::{ArticleQuery, explained, explaining, seed_form};
use newslode_common::message::{FetchedPage, GonePage, PartitionedPage, envelope, seed};
use newslode_common::warc::http::Answer;
use newslode_common::warc::{Found, Limits, Reader, Record, SkippedRecord};
use newslode_crawler::listing::{self, ListingError, ListingLimits, discover};
use newslode_crawler::robots::RobotsFile;
use newslode_crawler::robots::file::MAX_FILE_BYTES;
use newslode_miner::mining::schemes::{self, Format, Scheme};
use newslode_page::hierarchy::{Hierarchy, xml};
use newslode_page::partition::{Method, PaperParams, Scope, hierarchy};
use newslode_page::{CanonicalUrl, Page, Params, Timestamp, analyse};

/// A fuzz target: its name, which is also that of its folder of seeds, and its check.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("partition", partition),
    ("analyse", analysis),
    ("listing", feed_or_sitemap),
    ("warc", web_archive),
    ("robots", robots),
    ("message", message),
    ("hierarchy_xml", hierarchy_xml),
    ("console_query", console_query),
    ("scheme", scheme),
];

/// The time of all fetches.
const NOW: Timestamp = Timestamp(1_700_000_000_000);

fn url() -> CanonicalUrl {
    "https://news.example.org/".parse().unwrap()
}

/// Every way of partitioning gives a well-formed hierarchy with each leaf in exactly one label, and its XML is read back
/// as it was written.
pub fn partition(bytes: &[u8]) {
    let page = Page::parse(&url(), None, bytes);
    let paper = Params::paper();
    let page_scope = PaperParams { scope: Scope::Page, ..paper.papers };
    let ways = [
        Params::default(),
        paper.clone(),
        Params { papers: page_scope, ..paper.clone() },
        Params { papers: PaperParams { max_dp_leaves: 7, ..page_scope }, ..paper.clone() },
        Params { method: Method::Flat, ..paper.clone() },
        paper.within(Duration::from_millis(1)),
    ];
    for params in ways {
        let made = hierarchy(&page, &params);
        assert_eq!(made.check(), Ok(()));
        let labels = made.nodes.iter().filter_map(|node| node.label.as_ref());
        let mut leaves: Vec<u32> = labels.flat_map(|label| label.leaves.iter().copied()).collect();
        leaves.sort_unstable();
        assert!(leaves.into_iter().eq(0..page.leaves.len() as u32), "each leaf is in exactly one label");
        let read = xml::read(&xml::write(&made)).expect("what is written can be read");
        assert_eq!(read, representable(&made));
    }
}

/// The hierarchy with the characters that XML 1.0 does not know replaced.
fn representable(made: &Hierarchy) -> Hierarchy {
    let replace = |text: &str| -> String {
        let is_known = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..);
        text.chars().map(|c| if is_known(c) { c } else { '\u{FFFD}' }).collect()
    };
    let mut made = made.clone();
    made.url = replace(&made.url);
    made.title = made.title.as_deref().map(replace);
    made.method = replace(&made.method);
    made.coarse.iter_mut().for_each(|limit| *limit = replace(limit));
    made.site_version = made.site_version.as_deref().map(replace);
    for label in made.nodes.iter_mut().filter_map(|node| node.label.as_mut()) {
        label.text = replace(&label.text);
        label.href = label.href.as_deref().map(replace);
    }
    made
}

/// The whole path of a page: no caught panic, the same result twice, a sound hierarchy, and a result that fits a message.
pub fn analysis(bytes: &[u8]) {
    let params = Params::default();
    let analysed = analyse(&url(), None, bytes, NOW, &params);
    assert_eq!(analysed.notes.failed, None);
    assert_eq!(analysed, analyse(&url(), None, bytes, NOW, &params), "equal bytes give equal results");
    assert_eq!(analysed.hierarchy.check(), Ok(()));
    assert!(serde_json::to_vec(&analysed.contribution).unwrap().len() < 16 << 20);
    if let Some(article) = &analysed.article {
        assert!(article.body.iter().all(|block| !block.text.trim().is_empty()), "an empty block");
    }
}

/// A feed or sitemap keeps the reader's limits, gives each address once, and no date later than a day after now.
pub fn feed_or_sitemap(bytes: &[u8]) {
    let limits =
        ListingLimits { max_items: 50, max_maps: 20, max_bytes: 1 << 20, ..ListingLimits::default() };
    let is_listing = listing::sniff(None, bytes);
    let found = listing::read(&url(), None, bytes, NOW, &limits);
    match &found {
        // Where the version stands in JSON shows only when all of it is read.
        Err(ListingError::NotAListing { found, .. }) => {
            assert!(!is_listing || found == "other JSON", "`sniff` takes what `read` does not know")
        }
        _ => assert!(is_listing, "`sniff` does not know what `read` takes"),
    }
    let Ok(found) = found else { return };
    assert!(found.items.len() <= 50 && found.maps.len() <= 20);
    let mut addresses: Vec<&CanonicalUrl> = found.items.iter().map(|item| &item.url).collect();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), found.items.len(), "an address is given twice");
    let latest = NOW.plus(Duration::from_secs(86_400));
    for item in &found.items {
        assert!(item.published.is_none_or(|at| at <= latest) && item.modified.is_none_or(|at| at <= latest));
        assert!(item.url.site() == url().site(), "an item of another site");
        assert!(item.title.as_ref().is_none_or(|title| title.chars().count() <= 500));
    }
}

/// Reading a web archive ends, gives records in ascending order of their places, whatever was skipped, and decodes no body
/// beyond its limit.
pub fn web_archive(bytes: &[u8]) {
    let limits = Limits { head: 1 << 12, block: 1 << 20, beginning: 0 };
    let Ok(reader) = Reader::new(Box::new(Cursor::new(bytes.to_vec())), "fuzzed", limits) else { return };
    let mut before = 0;
    for found in reader {
        let (Ok(Found::Record(Record { offset, .. })) | Ok(Found::Skipped(SkippedRecord { offset, .. }))) =
            found
        else {
            continue;
        };
        assert!(before <= offset && offset <= bytes.len() as u64, "a record behind one that follows it");
        before = offset;
        let Ok(Found::Record(record)) = found else { continue };
        assert!(record.block.len() as u64 <= 1 << 20);
        let (_, _, _) = (record.target(), record.date(), record.is_segment());
        if let Some(answer) = Answer::parse(&record.block)
            && let Ok(body) = answer.body(&record.block, 1 << 16)
        {
            assert!(body.len() <= 1 << 16, "a body over its limit");
        }
    }
}

/// robots.txt: any bytes give rules that can be asked, one more rule that forbids opens nothing, and each sitemap that they
/// name is a web address, given once.
pub fn robots(bytes: &[u8]) {
    let rules = RobotsFile::parse(bytes, "newslode");
    let file: CanonicalUrl = "https://news.example.org/robots.txt".parse().unwrap();
    assert!(rules.allows(&file.to_url()), "robots.txt forbids itself");
    let home = "https://news.example.org/".parse().unwrap();
    let closed = [bytes, b"\nUser-agent: Newslode/1 (closed)\nDisallow: *\n"].concat();
    let is_open = RobotsFile::parse(&closed, "newslode").allows(&home);
    // Rules past the limit on a file's size do not count.
    assert!(
        !is_open || rules.allows(&home) || closed.len() > MAX_FILE_BYTES,
        "a rule that forbids opens the front page"
    );
    let maps = discover::in_robots(bytes, &file);
    for map in &maps {
        let address = map.to_url();
        assert!(matches!(address.scheme(), "http" | "https"));
        // Either answer is right; only a panic is not.
        std::hint::black_box(rules.allows(&address));
    }
    let different: std::collections::BTreeSet<&CanonicalUrl> = maps.iter().collect();
    assert_eq!(different.len(), maps.len(), "a sitemap is given twice");
}

/// Messages: what can be opened can be sealed and opened again, and is the same then.
pub fn message(bytes: &[u8]) {
    fn again<M: envelope::Message + PartialEq + std::fmt::Debug>(bytes: &[u8]) {
        let Ok(opened) = envelope::open::<M>(bytes) else { return };
        let sealed = envelope::seal(&opened).expect("what was opened can be sealed");
        assert_eq!(envelope::open::<M>(&sealed).unwrap(), opened);
    }
    again::<FetchedPage>(bytes);
    again::<PartitionedPage>(bytes);
    again::<GonePage>(bytes);
    // Operators' JSON has no written form to compare with; any bytes are taken or refused.
    std::hint::black_box(seed::SeedMessage::parse(bytes).is_ok());
}

/// Hierarchies as XML: what can be read is written and read back as it was, but for characters that XML does not allow.
pub fn hierarchy_xml(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(read) = xml::read(&text) else { return };
    let again = xml::read(&xml::write(&read)).expect("what is written can be read");
    assert_eq!(again, representable(&read));
}

/// Requests to the console, as queries and as forms: no bytes panic, and a query that the console writes is read as it was
/// meant.
pub fn console_query(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(query) = ArticleQuery::parse(&text) {
        let again = ArticleQuery::parse(&query.to_string()).expect("what is written can be read");
        assert_eq!(again.has_words(), query.has_words());
        assert_eq!(again, query);
    }
    if let Some(url) = explained(&text) {
        assert_eq!(explained(&explaining(&url)), Some(url));
    }
    if let Some((urls, delay_ms)) = seed_form(bytes) {
        assert!(urls.iter().all(|url| !url.is_empty() && url.trim() == url), "an empty address");
        assert!(delay_ms.is_none_or(|delay_ms| delay_ms <= 86_400_000), "a delay of more than a day");
    }
}

/// A file of a scheme, whose first byte says the syntax: equal bytes give equal schemes or equal errors, broader concepts form no
/// cycle, numbers follow URIs, and each label finds its concept.
pub fn scheme(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let format = [Format::Turtle, Format::NTriples, Format::RdfXml, Format::JsonLd][usize::from(*first) % 4];
    let limits = schemes::Limits { bytes: 1 << 20, json_bytes: 1 << 20, concepts: 2_000, statements: 20_000 };
    let read = || schemes::read("fuzzed", format, rest, &limits);
    let (found, again) = match (read(), read()) {
        (Ok(found), Ok(again)) => (found, again),
        (Err(one), Err(other)) => {
            assert_eq!(one.to_string(), other.to_string());
            return;
        }
        _ => panic!("read once only"),
    };
    assert_eq!(found.notes, again.notes);
    let digests = |all: &[Scheme]| all.iter().map(|one| one.digest().to_owned()).collect::<Vec<_>>();
    assert_eq!(digests(&found.schemes), digests(&again.schemes));
    for scheme in &found.schemes {
        assert!(!scheme.is_empty(), "a scheme without concepts");
        let uris: Vec<&str> = scheme.concepts().map(schemes::Concept::uri).collect();
        assert!(uris.is_sorted_by(|one, next| one < next), "not in the order of URIs");
        for concept in scheme.concepts().take(200) {
            assert!(!scheme.ancestors(concept.number()).contains(&concept.number()), "a cycle");
        }
    }
    let all = found.schemes.into_iter().map(|scheme| (scheme.into(), schemes::Facet::Subject)).collect();
    let index = schemes::SchemeIndex::new(all);
    let Some(scheme) = index.scheme(0) else { return };
    for concept in scheme.concepts().take(50) {
        for label in concept.labels().take(5).filter(|label| label.text.chars().any(char::is_alphanumeric)) {
            let language = Some(label.language).filter(|language| !language.is_empty());
            let found = index.find(label.text, language);
            assert!(
                found.iter().any(|one| one.scheme == 0 && one.concept == concept.number()),
                "a label does not find its concept"
            );
        }
    }
}
