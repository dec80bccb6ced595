use super::*;

fn node(parent: Option<u32>, kind: NodeKind, text: &str, leaf: u32) -> Node {
    let label = (!text.is_empty()).then(|| Label {
        text: text.into(),
        leaves: vec![leaf],
        href: (leaf % 2 == 1).then(|| format!("https://a.test/?a={leaf}&b=2")),
        image: false,
        tags: Vec::new(),
    });
    Node { parent, kind, label, promotion: None, block: None }
}

fn hierarchy(nodes: Vec<Node>) -> Hierarchy {
    Hierarchy {
        url: "https://a.test/".into(),
        title: Some("News & more".into()),
        method: "test".into(),
        coarse: vec!["leaves".into()],
        leaves: 9,
        boundaries: vec![],
        site_version: None,
        nodes,
    }
}

fn sections(many: u32) -> Hierarchy {
    let mut nodes = vec![node(None, NodeKind::Page, "", 0)];
    for section in 0..many {
        let at = u32::try_from(nodes.len()).unwrap();
        nodes.push(node(Some(0), NodeKind::Segment, "", 0));
        nodes.push(node(Some(at), NodeKind::Group, "Section <one>", section * 8));
        for story in 0..7 {
            nodes.push(node(
                Some(at + 1),
                NodeKind::Label,
                "A story with a headline",
                section * 8 + 1 + story,
            ));
        }
    }
    hierarchy(nodes)
}

/// Whether two places overlap by more than a border.
fn overlap(a: Rect, b: Rect) -> bool {
    let apart = |a0: f64, al: f64, b0: f64, bl: f64| a0 + al <= b0 + 0.1 || b0 + bl <= a0 + 0.1;
    !apart(a.x, a.width, b.x, b.width) && !apart(a.y, a.height, b.y, b.height)
}

#[test]
fn the_picture_is_xml_with_every_label() {
    let svg = write(&sections(20));
    let mut reader = quick_xml::reader::Reader::from_str(&svg);
    let mut labels = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(start) if start.name().as_ref() == "title" => labels += 1,
            _ => {}
        }
    }
    assert_eq!(labels, 20 * 8);
    assert!(svg.contains("News &amp; more") && svg.contains("the limit of leaves was met"), "{svg}");
}

#[test]
fn siblings_do_not_overlap_and_children_are_inside() {
    let hierarchy = sections(30);
    let layout = Layout::new(&hierarchy);
    for (index, one) in hierarchy.nodes.iter().enumerate().skip(1) {
        let place = layout.place(index);
        assert!(place.x >= 0.0 && place.x + place.width <= layout.width, "{place:?}");
        assert!(place.y >= 0.0 && place.y + place.height <= layout.height, "{place:?}");
        for (other, two) in hierarchy.nodes.iter().enumerate().skip(index + 1) {
            if one.parent == two.parent {
                assert!(!overlap(place, layout.place(other)), "{index} and {other}");
            }
        }
        if let Some(parent) = one.parent.filter(|parent| *parent > 0) {
            let around = layout.place(parent as usize);
            assert!(place.y >= around.y && place.y + place.height <= around.y + around.height);
            assert!(place.x >= around.x && place.x + place.width <= around.x + around.width);
        }
    }
}

#[test]
fn many_segments_stand_in_columns_and_few_in_one() {
    assert!(Layout::new(&sections(60)).width > 2.0 * Layout::new(&sections(1)).width - 200.0);
    let (few, many) = (Layout::new(&sections(1)), Layout::new(&sections(60)));
    assert!(many.height < 60.0 * few.height / 3.0, "{} {}", many.height, few.height);
}

#[test]
fn an_empty_page_and_a_deep_one_are_drawn() {
    assert!(write(&hierarchy(vec![node(None, NodeKind::Page, "", 0)])).contains("</svg>"));
    let deep = (0..50_000_u32).map(|n| node(n.checked_sub(1), NodeKind::Partition, "", 0));
    let mut nodes: Vec<Node> = deep.collect();
    nodes[0].kind = NodeKind::Page;
    nodes.push(node(Some(49_999), NodeKind::Label, "At the bottom", 0));
    assert!(write(&hierarchy(nodes)).contains("At the bottom"));
}

#[test]
fn blocks_are_in_colour_once_the_site_said_which() {
    let mut hierarchy = sections(2);
    assert!(!write(&hierarchy).contains("table of contents"));
    hierarchy.mark("v".into(), |label| match label.leaves[0] {
        0..8 => Block::Toc,
        15 => Block::Article,
        _ => Block::Rest,
    });
    let svg = write(&hierarchy);
    let count = |fill: &str| svg.matches(&format!("fill=\"{fill}\"")).count();
    // TOC: seven chips, the bar over them and the legend. Article: one chip and the legend.
    assert_eq!((count(TOC.fill), count(ARTICLE.fill)), (9, 2), "{svg}");
}

#[test]
fn tags_are_stripes_with_a_legend() {
    let mut hierarchy = sections(1);
    assert!(!write(&hierarchy).contains("attribute"));
    hierarchy.tag(&[Tag::Attribute, Tag::Value, Tag::Concept]);
    if let Some(label) = &mut hierarchy.nodes[3].label {
        label.tags = vec![Tag::Value, Tag::Attribute];
    }
    let svg = write(&hierarchy);
    let count = |tag: Tag| svg.matches(&format!("fill=\"{}\"", stripe_colour(tag))).count();
    // One in the legend, and one for each label: the header, seven stories, of which one has two.
    assert_eq!(Tag::ALL.map(count), [2, 3, 2, 6], "{svg}");
    assert!(svg.contains("tags: attribute, value)") && svg.contains("tags: concept)"), "{svg}");
}
