//! The XML form of hierarchies: reading gives back what was written, and an independent validator accepts it by
//! the checked-in schema.

use std::path::Path;
use std::process::Command;

use newslode_page::hierarchy::xml::{read, write};
use newslode_page::hierarchy::{Block, Hierarchy, Label, Node, NodeKind, Promotion, Tag};
use proptest::prelude::*;

fn label() -> impl Strategy<Value = Label> {
    let text = prop_oneof!["[\\PC\\t\\n\\r]{0,20}", "[<>&'\" a-z]{1,12}"];
    let leaves = prop::collection::btree_set(0u32..50, 1..5);
    let tags = prop::option::of(prop::collection::vec(prop::sample::select(Tag::ALL.to_vec()), 5));
    (text, leaves, prop::option::of("https://a\\.test/[a-z&?=%]{0,8}"), any::<bool>(), tags).prop_map(
        |(text, leaves, href, image, tags)| {
            let mut tags = tags.unwrap_or_default();
            tags.truncate(leaves.len());
            Label { text, leaves: leaves.into_iter().collect(), href, image, tags }
        },
    )
}

fn promotion() -> impl Strategy<Value = Option<Promotion>> {
    prop::option::of(prop::sample::select(vec![
        Promotion::Insider,
        Promotion::Outsider,
        Promotion::Preceding,
        Promotion::Evidence,
    ]))
}

fn kind() -> impl Strategy<Value = NodeKind> {
    prop::sample::select(vec![NodeKind::Segment, NodeKind::Partition, NodeKind::Group, NodeKind::Label])
}

fn block() -> impl Strategy<Value = Option<Block>> {
    prop::option::of(prop::sample::select(Block::ALL.to_vec()))
}

/// A node, and how many levels above the previous node its parent is.
fn node() -> impl Strategy<Value = (NodeKind, Label, bool, Option<Promotion>, Option<Block>, usize)> {
    (kind(), label(), any::<bool>(), promotion(), block(), 0usize..6)
}

prop_compose! {
    fn hierarchies()(
        title in prop::option::of("\\PC{0,20}"),
        coarse in prop::collection::vec("[a-z]{1,8}", 0..3),
        boundaries in prop::collection::btree_set(1u32..100, 0..5),
        leaves in any::<u32>(),
        root in prop::option::of(label()),
        site_version in prop::option::of("[0-9a-f]{8}"),
        below in prop::collection::vec(node(), 0..30),
    ) -> Hierarchy {
        let mut nodes = vec![Node { parent: None, kind: NodeKind::Page, label: root, promotion: None, block: None }];
        let mut path = vec![0u32];
        for (kind, label, is_labelled, promotion, block, up) in below {
            path.truncate(path.len().saturating_sub(up).max(1));
            let label = (is_labelled || kind == NodeKind::Label).then_some(label);
            nodes.push(Node { parent: path.last().copied(), kind, label, promotion, block });
            path.push(nodes.len() as u32 - 1);
        }
        Hierarchy {
            url: "https://a.test/?a=1&b=2".into(),
            title,
            method: "paper v1 method=dp".into(),
            coarse,
            leaves,
            boundaries: boundaries.into_iter().collect(),
            site_version,
            nodes,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back_equal(hierarchy in hierarchies()) {
        prop_assert_eq!(hierarchy.check(), Ok(()));
        prop_assert_eq!(read(&write(&hierarchy)).unwrap(), hierarchy);
    }

    #[test]
    fn every_label_is_in_the_block_it_was_given_whatever_was_marked_before(
        mut hierarchy in hierarchies(),
        given in prop::collection::vec(prop::sample::select(Block::ALL.to_vec()), 50),
    ) {
        let of = |label: &Label| given[label.leaves[0] as usize];
        hierarchy.mark("v".into(), of);
        for (node, block) in hierarchy.nodes.iter().zip(hierarchy.blocks()) {
            if let Some(label) = &node.label {
                prop_assert_eq!(block, of(label));
            }
        }
        let once = hierarchy.clone();
        hierarchy.mark("v".into(), of);
        prop_assert_eq!(&once, &hierarchy);
        // The plain way marks every label that is in another block than the label above it.
        let mut above: Vec<Block> = Vec::new();
        let mut plain = 0;
        for node in &hierarchy.nodes {
            let over = node.parent.map_or(Block::Rest, |parent| above[parent as usize]);
            let own = node.label.as_ref().map_or(over, of);
            plain += usize::from(own != over);
            above.push(own);
        }
        let marks = hierarchy.nodes.iter().filter(|node| node.block.is_some()).count();
        prop_assert!(marks <= plain, "{marks} marks where {plain} would do");
    }

    #[test]
    fn no_text_ends_the_reader(text in "\\PC{0,60}|[<>/a-z =\"&;!-]{0,60}") {
        // Any result is right, a panic is not.
        let _result = read(&text).is_ok();
    }
}

fn small(text: &str) -> Hierarchy {
    let label = |text: &str, leaf| Label {
        text: text.into(),
        leaves: vec![leaf],
        href: None,
        image: false,
        tags: vec![],
    };
    let node = |parent, kind, label| Node { parent: Some(parent), kind, label, promotion: None, block: None };
    Hierarchy {
        url: "https://a.test/".into(),
        title: None,
        method: "m".into(),
        coarse: vec![],
        leaves: 2,
        boundaries: vec![],
        site_version: None,
        nodes: vec![
            Node { parent: None, kind: NodeKind::Page, label: None, promotion: None, block: None },
            node(0, NodeKind::Segment, Some(label(text, 0))),
            node(1, NodeKind::Label, Some(label("Cup", 1))),
        ],
    }
}

#[test]
fn characters_that_xml_does_not_know_are_replaced() {
    let read_back = read(&write(&small("a\u{0}b\u{1F}c\u{FFFE}d\u{1F600}\u{85}"))).unwrap();
    assert_eq!(read_back, small("a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{1F600}\u{85}"));
}

#[test]
fn the_form_is_stable() {
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <page xmlns=\"https://newslode.org/ns/hierarchy/1\" url=\"https://a.test/\" method=\"m\" leaves=\"2\">\n \
         <segment text=\"A &amp; B\" leaves=\"0\">\n  \
          <label text=\"Cup\" leaves=\"1\"/>\n \
         </segment>\n\
        </page>\n";
    assert_eq!(write(&small("A & B")), expected);
}

#[test]
fn tags_are_letters_and_an_old_form_has_none() {
    let mut tagged = small("Phone: 12");
    let old = write(&tagged);
    assert!(!read(&old).unwrap().is_tagged() && !old.contains("tags"));
    if let Some(label) = &mut tagged.nodes[1].label {
        label.leaves = vec![0, 2, 3];
    }
    tagged.tag(&[Tag::Attribute, Tag::Concept, Tag::Value, Tag::Value]);
    let new = write(&tagged);
    assert!(new.contains(r#"leaves="0 2-3" tags="AVV""#) && new.contains(r#"leaves="1" tags="C""#), "{new}");
    assert_eq!(read(&new).unwrap(), tagged);
}

#[test]
fn deep_hierarchies_are_written_and_read() {
    let mut deep = small("x");
    for parent in 2..100_000 {
        let label = deep.nodes[2].label.clone();
        deep.nodes.push(Node {
            parent: Some(parent),
            kind: NodeKind::Label,
            label,
            promotion: None,
            block: None,
        });
    }
    assert_eq!(read(&write(&deep)).unwrap(), deep);
}

/// Runs the independent validator; the error is its output if the documents do not follow the schema.
fn validate(files: &[std::path::PathBuf]) -> Result<(), String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/hierarchy.xsd");
    let run = Command::new("xmllint").args(["--noout", "--schema"]).arg(schema).args(files).output();
    let run = run.expect("xmllint is needed: install Debian's libxml2-utils");
    if run.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&run.stderr).into_owned()) }
}

#[test]
fn what_is_written_is_of_the_schema() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let folder = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::deterministic();
    let mut files = Vec::new();
    for n in 0..100 {
        let hierarchy = hierarchies().new_tree(&mut runner).unwrap().current();
        files.push(folder.path().join(format!("{n}.xml")));
        std::fs::write(&files[n], write(&hierarchy)).unwrap();
    }
    assert_eq!(validate(&files), Ok(()));

    let broken = folder.path().join("broken.xml");
    std::fs::write(&broken, write(&small("x")).replace("<label text=\"Cup\"", "<label")).unwrap();
    assert!(validate(&[broken]).unwrap_err().contains("'text' is required"));
    let untagged = folder.path().join("untagged.xml");
    std::fs::write(&untagged, write(&small("x")).replace("<label", "<label tags=\"AX\"")).unwrap();
    assert!(validate(&[untagged]).unwrap_err().contains("'AX' is not accepted by the pattern"));
}
