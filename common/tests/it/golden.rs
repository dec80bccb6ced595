//! Golden bytes of every message version: bytes written once stay readable for ever.
//!
//! When a message's bytes change, raise its version, keep the old file, and run the tests once with
//! `NEWSLODE_UPDATE_GOLDEN=1` to write the new one.

use std::fmt::Debug;
use std::path::PathBuf;

use newslode_common::message::envelope::{EnvelopeError, Message, open, seal};
use newslode_common::message::{Body, CountedPage, Ending, FetchedPage, GonePage, PartitionedPage};
use newslode_common::store::Why;
use newslode_common::version::{ContentHash, Version};
use newslode_page::analysis::PageNotes;
use newslode_page::article::{Article, Block, BlockKind, Evidence, PageKind};
use newslode_page::contribution::{
    Contribution, FiledUse, LabelUse, LinkUse, ListUse, NestedUse, PairUse, Role, TermUse,
};
use newslode_page::extract::{SlotName, SlotUse};
use newslode_page::reading::{CanonicalUrl, Listed, ListedBy, ListedEntry, Site};
use newslode_page::time::Timestamp;
use newslode_page::{Analysis, Params, analyse};

fn url() -> CanonicalUrl {
    "https://www.example.org/sport/cup?id=3".parse().unwrap()
}

fn version() -> Version {
    Version { fetch: 300, content: ContentHash(std::array::from_fn(|n| n as u8 * 16)) }
}

fn listed() -> Listed {
    let entry = ListedEntry {
        title: Some("A cup".into()),
        published: Some("2023-11-14".into()),
        authors: vec!["Ann Lee".into()],
        keywords: vec!["cup".into()],
        ..ListedEntry::new("https://www.example.org/feed".parse().unwrap(), ListedBy::Feed)
    };
    Listed { entry, html: Some("<p>It was won.".into()) }
}

fn fetched() -> FetchedPage {
    FetchedPage {
        url: url(),
        site: Site::of_host("www.example.org"),
        depth: 2,
        why: Why::Instance,
        version: version(),
        fetched_at: Timestamp(1_700_000_000_123),
        content_type: Some("text/html; charset=utf-8".into()),
        body: Body::Inline(vec![0x28, 0xb5, 0x2f, 0xfd]),
        listed: Some(listed()),
        rendered: true,
    }
}

fn contribution() -> Contribution {
    Contribution {
        language: Some("en".into()),
        labels: vec![LabelUse {
            key: "en:cup".into(),
            form: "Cup".into(),
            roles: vec![Role::Any, Role::Link],
        }],
        pairs: vec![PairUse { broader: "en:sport".into(), narrower: "en:cup".into(), level: 1 }],
        terms: vec![TermUse { term: "goal".into(), count: 70_000 }],
        links: vec![LinkUse { target: url(), label: Some("en:cup".into()), in_group: true, inside: true }],
        lists: vec![ListUse { labels: vec!["en:cup".into(), "en:tour".into()] }],
        filed: Some(FiledUse { page: "0123456789abcdef".into(), stories: vec!["fedcba9876543210".into()] }),
        nested: vec![NestedUse { broader: "en:sport".into(), narrower: "en:cup".into() }],
        directories: vec!["en:cup".into()],
    }
}

fn partitioned() -> PartitionedPage {
    let article = Article {
        url: url().to_string(),
        site: "example.org".into(),
        title: Some("A cup — at last".into()),
        authors: vec!["Ann Lee".into()],
        published: Some("2023-11-14T22:13:20Z".into()),
        modified: None,
        place: None,
        section: Some("Sport".into()),
        concepts: vec![],
        language: Some("en".into()),
        body: vec![Block::new(BlockKind::Paragraph, "It was won.")],
        image: None,
        kind: PageKind::Article,
        method: "test".into(),
        evidence: [("title".to_string(), Evidence { witness: "json-ld".into(), confidence: 0.5 })].into(),
        listed: Some(listed().entry),
        ..Article::default()
    };
    PartitionedPage {
        url: url(),
        site: Site::of_host("www.example.org"),
        depth: 2,
        why: Why::Concept,
        version: version(),
        fetched_at: Timestamp(1_700_000_000_123),
        contribution: contribution(),
        article: Some(article),
        notes: PageNotes { coarse: vec!["leaves".into()], failed: None, leaves: 412 },
        canonical: Some("https://www.example.org/sport/cup".parse().unwrap()),
        slots: slots(),
    }
}

fn slots() -> Vec<SlotUse> {
    let name =
        SlotName { name: "Sport".into(), target: Some("https://www.example.org/sport".parse().unwrap()) };
    let section = SlotName { name: "Cup, Tour".into(), target: None };
    vec![
        SlotUse { slot: "a ul>li>a".into(), names: vec![name] },
        SlotUse { slot: "meta keywords".into(), names: vec![section] },
    ]
}

fn counted() -> CountedPage {
    CountedPage { contribution: contribution(), slots: slots() }
}

fn gone() -> GonePage {
    let ending = Ending::Moved("https://www.example.org/cup-2".parse().unwrap());
    let at = Timestamp(1_700_000_000_123);
    GonePage { url: url(), site: Site::of_host("www.example.org"), fetch: 7, at, ending }
}

#[track_caller]
fn check<M: Message + PartialEq + Debug>(message: &M) {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "golden"].iter().collect();
    let file = file.join(format!("{}.v{}.bin", M::NAME, M::VERSION));
    if std::env::var_os("NEWSLODE_UPDATE_GOLDEN").is_some() && !file.exists() {
        std::fs::write(&file, seal(message).unwrap()).unwrap();
    }
    let kept = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_eq!(seal(message).unwrap(), kept, "the bytes of `{}` changed: raise its version", M::NAME);
    assert_eq!(&open::<M>(&kept).unwrap(), message);
}

#[test]
fn messages_keep_their_bytes() {
    check(&fetched());
    check(&counted());
    check(&partitioned());
    check(&gone());
}

#[test]
fn messages_of_older_versions_are_read() {
    let read: PartitionedPage = open(include_bytes!("../golden/partition.v2.bin")).unwrap();
    let without_slots = PartitionedPage { slots: vec![], ..partitioned() };
    let mut before = without_slots.clone();
    before.article.as_mut().unwrap().listed = None;
    assert_eq!(read, PartitionedPage { canonical: None, ..before.clone() });
    assert_eq!(open::<PartitionedPage>(include_bytes!("../golden/partition.v3.bin")).unwrap(), before);
    assert_eq!(open::<PartitionedPage>(include_bytes!("../golden/partition.v4.bin")).unwrap(), before);
    assert_eq!(open::<PartitionedPage>(include_bytes!("../golden/partition.v5.bin")).unwrap(), without_slots);
    assert_eq!(open::<PartitionedPage>(include_bytes!("../golden/partition.v6.bin")).unwrap(), partitioned());
    let read: CountedPage = open(include_bytes!("../golden/contribution.v2.bin")).unwrap();
    assert_eq!(read, CountedPage { slots: vec![], ..counted() });
    assert_eq!(open::<GonePage>(include_bytes!("../golden/gone page.v1.bin")).unwrap(), gone());
    let unrendered = FetchedPage { rendered: false, ..fetched() };
    assert_eq!(open::<FetchedPage>(include_bytes!("../golden/page.v3.bin")).unwrap(), unrendered);
    let before = FetchedPage { listed: None, ..unrendered };
    assert_eq!(open::<FetchedPage>(include_bytes!("../golden/page.v1.bin")).unwrap(), before);
    assert_eq!(open::<FetchedPage>(include_bytes!("../golden/page.v2.bin")).unwrap(), before);
}

/// A flipped bit in a count or a label decodes well, so a miner counted it.
#[test]
fn no_flipped_bit_of_a_message_gets_through() {
    fn check<M: Message + Debug>(message: &M) {
        let sealed = seal(message).unwrap();
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(open::<M>(&flipped).is_err(), "bit {bit} of a {}", M::NAME);
        }
    }
    check(&fetched());
    check(&partitioned());
    check(&gone());
}

#[test]
fn other_kinds_and_versions_are_refused_by_name() {
    let bytes = seal(&fetched()).unwrap();
    assert!(matches!(open::<PartitionedPage>(&bytes), Err(EnvelopeError::Kind { found: 1, wanted: 2 })));
    let mut newer = bytes.clone();
    newer[4] += 1;
    let error = open::<FetchedPage>(&newer).unwrap_err().to_string();
    assert!(error.contains("version 4") && error.contains("`page`"), "{error}");
    for foreign in [&b""[..], b"NL", b"<html>", b"\x00\x01\x02\x03\x04\x05"] {
        assert!(matches!(open::<FetchedPage>(foreign), Err(EnvelopeError::Foreign(_))));
    }
}

#[test]
fn a_cut_or_padded_message_is_refused_wherever_it_is_cut() {
    let bytes = seal(&partitioned()).unwrap();
    for end in 5..bytes.len() {
        assert!(open::<PartitionedPage>(&bytes[..end]).is_err(), "cut at {end}");
    }
    let mut padded = bytes;
    padded.push(0);
    assert!(open::<PartitionedPage>(&padded).is_err());
}

#[test]
fn a_forged_length_asks_for_no_memory() {
    let mut bytes = seal(&counted()).unwrap();
    bytes.truncate(5);
    // No language, then a list of 2⁶⁰ labels.
    bytes.extend([0, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0x10]);
    assert!(open::<CountedPage>(&bytes).is_err());
}

#[test]
fn what_a_listing_says_is_part_of_the_article_after_the_way() {
    let mut said = Analysis { article: partitioned().article, ..analysis() };
    said.article.as_mut().unwrap().listed = Some(listed().entry);
    let sent = PartitionedPage::new(&Params::default().generation(), &fetched(), &mut said);
    let come = open::<PartitionedPage>(&seal(&sent).unwrap()).unwrap();
    assert_eq!(come.article.unwrap().listed, Some(listed().entry));
}

fn analysis() -> Analysis {
    analyse(&url(), None, b"<p>It was won.", Timestamp(1_700_000_000_123), &Params::default())
}
