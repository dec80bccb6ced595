//! Each format is read back by a foreign parser: texts, levels and addresses come out as they went in.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::*;
use crate::article::{Access, BlockKind, NamedLink, TableCell};

/// What a reader of Markdown shows: each block's kind and text, and the addresses of links and pictures.
fn read_markdown(markdown: &str) -> (Vec<(String, String)>, Vec<String>) {
    let (mut blocks, mut addresses): (Vec<(String, String)>, Vec<String>) = Default::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let begin =
        |blocks: &mut Vec<(String, String)>, kind: &str| blocks.push((kind.to_owned(), String::new()));
    let mut pictures = 0;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Paragraph) => match blocks.last() {
                Some((kind, text)) if text.is_empty() && matches!(kind.as_str(), "item" | "quote") => {}
                _ => begin(&mut blocks, "paragraph"),
            },
            Event::Start(Tag::Heading { level, .. }) => begin(&mut blocks, &format!("{level}")),
            Event::Start(Tag::Item) => begin(&mut blocks, "item"),
            Event::Start(Tag::BlockQuote(_)) => begin(&mut blocks, "quote"),
            Event::Start(Tag::CodeBlock(_)) => begin(&mut blocks, "code"),
            Event::Start(Tag::TableCell) => begin(&mut blocks, "cell"),
            Event::Start(Tag::Link { dest_url, .. }) => addresses.push(dest_url.to_string()),
            Event::Start(Tag::Image { dest_url, .. }) => {
                addresses.push(dest_url.to_string());
                pictures += 1;
            }
            Event::End(TagEnd::Image) => pictures -= 1,
            Event::Text(text) if pictures == 0 => {
                if let Some((_, last)) = blocks.last_mut() {
                    last.push_str(&text);
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => panic!("{html} in {markdown}"),
            _ => {}
        }
    }
    blocks.retain(|(_, text)| !text.is_empty());
    (blocks, addresses)
}

/// The texts of the elements of a document, each with the name of its element; an error if it is not well-formed.
fn read_xml(written: &str) -> Result<Vec<(String, String)>, String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(written);
    let (mut found, mut open): (Vec<(String, String)>, Vec<usize>) = Default::default();
    let add = |found: &mut Vec<(String, String)>, open: &[usize], text: &str| {
        open.iter().for_each(|at| found[*at].1.push_str(text));
    };
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(element) => {
                for attribute in element.attributes() {
                    attribute.map_err(|error| error.to_string())?;
                }
                open.push(found.len());
                found.push((element.name().as_ref().to_owned(), String::new()));
            }
            Event::End(_) => {
                open.pop();
            }
            Event::Text(text) => add(&mut found, &open, &text),
            Event::GeneralRef(name) => {
                let text = match &*name {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    other => return Err(format!("the entity {other}")),
                };
                add(&mut found, &open, text);
            }
            Event::Eof => return if open.is_empty() { Ok(found) } else { Err("it is cut".into()) },
            _ => {}
        }
    }
}

fn link(start: u32, end: u32, address: &str) -> Mark {
    Mark { kind: MarkKind::Link, start, end, address: Some(address.into()), rel: None }
}

fn mark(kind: MarkKind, start: u32, end: u32) -> Mark {
    Mark { kind, start, end, address: None, rel: None }
}

fn cell(text: &str, is_header: bool) -> TableCell {
    TableCell { text: text.into(), is_header, columns: 1, rows: 1 }
}

/// An article with a block of each kind.
fn whole() -> Article {
    let item = |text: &str, level, number| Block {
        level: Some(level),
        number,
        ..Block::new(BlockKind::ListItem, text)
    };
    let picture = Picture {
        address: "https://a.example/p(1).jpg?a=1&b=<2>".into(),
        alternative: Some("A \"bridge\" [old]".into()),
        caption: Some("The bridge & the river".into()),
        credit: Some("A. Lane/Agency".into()),
        width: Some(800),
        height: None,
    };
    let rows = vec![
        vec![cell("Year", true), cell("Cars | day", true)],
        vec![TableCell { rows: 2, ..cell("1907", false) }, cell("40", false)],
        vec![cell("41 <b>", false)],
    ];
    Article {
        url: "https://a.example/story".into(),
        site: "a.example".into(),
        title: Some("Bridge *stays* open <now>".into()),
        authors: vec!["Ann Lee".into(), "Bo O'Neil & sons".into()],
        published: Some("2024-05-03T10:30:00Z".into()),
        modified: Some("2024-05-04".into()),
        description: Some("It stays open ]]>".into()),
        keywords: vec!["bridges".into(), "traffic".into()],
        author_pages: vec![NamedLink {
            name: "Ann Lee".into(),
            address: Some("https://a.example/ann?x=1&y".into()),
        }],
        licence: Some("https://creativecommons.org/licenses/by/4.0/".into()),
        publisher: Some("The Post".into()),
        access: Some(Access::Metered),
        language: Some("en".into()),
        lead: Some(picture.clone()),
        body: vec![
            Block {
                marks: vec![link(4, 12, "https://a.example/x_(y)?a=1&b=2"), mark(MarkKind::Strong, 8, 12)],
                ..Block::new(BlockKind::Paragraph, "The old town council *voted* 1. for it.")
            },
            Block { level: Some(3), ..Block::new(BlockKind::Heading, "# What it costs") },
            item("First", 1, Some(3)),
            item("Second", 1, Some(4)),
            item("inside", 2, None),
            Block { continues: true, ..item("and on", 2, None) },
            item("Third", 1, Some(5)),
            Block { level: Some(1), ..Block::new(BlockKind::Quote, "> We said so.") },
            Block { level: Some(1), continues: true, ..Block::new(BlockKind::Quote, "Twice.") },
            Block::new(BlockKind::Preformatted, "if a < b {\n    ```\n}"),
            Block {
                table: Some(Table { caption: Some("Traffic".into()), rows }),
                ..Block::new(BlockKind::Table, "Year\nCars | day\n1907\n40\n41 <b>")
            },
            Block { picture: Some(picture), ..Block::new(BlockKind::Picture, "") },
            Block {
                embed: Some(Embed {
                    kind: EmbedKind::Video,
                    provider: Some("youtube".into()),
                    address: Some("https://www.youtube.com/embed/x".into()),
                }),
                ..Block::new(BlockKind::Embed, "")
            },
            Block::new(BlockKind::Paragraph, "2024. It ended & began &amp; so <script>alert(1)</script>."),
        ],
        ..Article::default()
    }
}

#[test]
fn markdown_gives_back_blocks_levels_texts_and_addresses() {
    let (blocks, addresses) = read_markdown(&markdown(&whole()));
    let wanted = [
        ("h1", "Bridge *stays* open <now>"),
        ("paragraph", "Ann Lee, Bo O'Neil & sons · 2024-05-03T10:30:00Z"),
        ("paragraph", "The old town council *voted* 1. for it."),
        ("h3", "# What it costs"),
        ("item", "First"),
        ("item", "Second"),
        ("item", "inside"),
        ("paragraph", "and on"),
        ("item", "Third"),
        ("quote", "> We said so."),
        ("paragraph", "Twice."),
        ("code", "if a < b {\n    ```\n}\n"),
        ("paragraph", "Traffic"),
        ("cell", "Year"),
        ("cell", "Cars | day"),
        ("cell", "1907"),
        ("cell", "40"),
        ("cell", "41 <b>"),
        ("paragraph", "The bridge & the river (A. Lane/Agency)"),
        ("paragraph", "video: youtube"),
        ("paragraph", "2024. It ended & began &amp; so <script>alert(1)</script>."),
    ];
    let blocks: Vec<(&str, &str)> =
        blocks.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect();
    assert_eq!(blocks, wanted, "{}", markdown(&whole()));
    let wanted = [
        "https://a.example/x_(y)?a=1&b=2",
        "https://a.example/p(1).jpg?a=1&b=%3C2%3E",
        "https://www.youtube.com/embed/x",
    ];
    assert_eq!(addresses, wanted);
}

#[test]
fn emphasis_of_a_link_that_touches_letters_is_left_out_of_markdown() {
    let block = Block {
        marks: vec![mark(MarkKind::Emphasis, 5, 11), link(5, 11, "https://a.example/people")],
        ..Block::new(BlockKind::Paragraph, "told Peoplejust how")
    };
    let article = Article { body: vec![block], ..Article::default() };
    let (blocks, addresses) = read_markdown(&markdown(&article));
    assert!(blocks.iter().any(|(_, text)| text == "told Peoplejust how"), "{blocks:?}");
    assert_eq!(addresses, ["https://a.example/people"]);
}

#[test]
fn a_link_behind_an_exclamation_mark_is_no_picture_in_markdown() {
    let marks = vec![link(4, 8, "https://a.example/")];
    let block = Block { marks, ..Block::new(BlockKind::Paragraph, "Ha! look".to_owned()) };
    let close = Block {
        marks: vec![link(3, 7, "https://a.example/")],
        ..Block::new(BlockKind::Paragraph, "Ha!look".to_owned())
    };
    let article = Article { body: vec![block, close], ..Article::default() };
    let written = markdown(&article);
    assert!(written.contains("Ha! [look](") && written.contains("Ha\\![look]("), "{written}");
    let (blocks, addresses) = read_markdown(&written);
    assert_eq!(blocks.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["Ha! look", "Ha!look"]);
    assert_eq!(addresses.len(), 2, "{written}");
}

#[test]
fn html_holds_the_same_after_a_parser_read_it() {
    let written = html(&whole());
    let page = crate::testing::page(&written);
    let tree = &page.tree;
    let texts = |tag: &str| -> Vec<String> {
        let nodes = tree.node_ids().filter(|&node| tree.tag(node) == Some(tag));
        nodes.map(|node| tree.text_content(node)).collect()
    };
    assert_eq!(texts("h1"), ["Bridge *stays* open <now>"]);
    assert_eq!(texts("h3"), ["# What it costs"]);
    assert_eq!(texts("th"), ["Year", "Cars | day"]);
    assert_eq!(texts("td"), ["1907", "40", "41 <b>"]);
    assert_eq!(texts("blockquote").len(), 1, "{written}");
    assert_eq!(texts("figcaption"), ["The bridge & the river A. Lane/Agency"]);
    assert!(texts("script").is_empty(), "{written}");
    let attrs = |tag: &str, name: &str| -> Vec<String> {
        let nodes = tree.node_ids().filter(|&node| tree.tag(node) == Some(tag));
        nodes.filter_map(|node| tree.attr(node, name).map(str::to_owned)).collect()
    };
    assert_eq!(attrs("a", "href"), ["https://a.example/x_(y)?a=1&b=2", "https://www.youtube.com/embed/x"]);
    assert_eq!(attrs("img", "src"), ["https://a.example/p(1).jpg?a=1&b=<2>"]);
    assert_eq!(attrs("ol", "start"), ["3"]);
    // The inner list stands in an item of the outer one.
    let inner = tree.node_ids().find(|&node| tree.tag(node) == Some("ul")).unwrap();
    assert!(tree.is_inside(inner, &["ol"]) && tree.is_inside(inner, &["li"]), "{written}");
    // Where nothing is loaded from the publisher, links stand for pictures.
    let body = html_body(&whole());
    assert!(!body.contains("<img") && body.contains("p(1).jpg"), "{body}");
}

#[test]
fn tei_is_well_formed_and_holds_the_texts() {
    let written = tei(&whole());
    let elements = read_xml(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    let texts = |wanted: &str| -> Vec<&str> {
        elements.iter().filter(|(name, _)| name == wanted).map(|(_, text)| text.as_str()).collect()
    };
    assert_eq!(texts("title"), ["Bridge *stays* open <now>"]);
    assert_eq!(texts("term"), ["bridges", "traffic"]);
    assert_eq!(texts("abstract")[0].trim(), "It stays open ]]>");
    assert_eq!(texts("quote"), ["> We said so.Twice."]);
    assert_eq!(texts("author"), ["Ann Lee", "Bo O'Neil & sons"]);
    assert!(written.contains("target=\"https://a.example/x_(y)?a=1&amp;b=2\""), "{written}");
}

#[test]
fn json_ld_is_one_line_of_json_with_its_context() {
    let written = json_ld(&whole());
    assert_eq!(written.trim_end().lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(value["@type"], "NewsArticle");
    assert_eq!(value["@context"]["@vocab"], "https://schema.org/");
    assert_eq!(value["datePublished"]["@type"], "xsd:dateTime");
    assert_eq!(value["dateModified"]["@type"], "xsd:date");
    assert_eq!(value["isAccessibleForFree"], false);
    // The lead picture, which the body shows, is one picture.
    assert_eq!(value["image"].as_array().unwrap().len(), 1);
}

#[test]
fn an_empty_article_has_every_format() {
    let empty = Article { url: "https://a.example/".into(), ..Article::default() };
    for format in Format::ALL {
        assert!(format.write(&empty).ends_with('\n'), "{}", format.name());
        assert_eq!(Format::named(format.name()), Some(format));
    }
    assert!(read_xml(&tei(&empty)).is_ok());
}

/// Any text with any marks on it.
fn any_block() -> impl Strategy<Value = Block> {
    let text = "[ -~\u{a0}-\u{ff}\u{300}\u{5d0}-\u{5d5}👩\u{1F600}\u{0}\u{1b}]{1,40}";
    let marks = proptest::collection::vec((0_u32..40, 1_u32..20, 0..7_usize), 0..5);
    (text, marks).prop_map(|(text, marks)| {
        let length = text.chars().count() as u32;
        let kinds = [
            MarkKind::Link,
            MarkKind::Strong,
            MarkKind::Emphasis,
            MarkKind::Code,
            MarkKind::Superscript,
            MarkKind::Subscript,
            MarkKind::Deleted,
        ];
        let mut marks: Vec<Mark> = marks
            .into_iter()
            .map(|(start, length, kind)| (start, start + length, kinds[kind]))
            .filter(|(_, end, _)| *end <= length)
            .map(|(start, end, kind)| match kind {
                MarkKind::Link => link(start, end, "https://a.example/?q=1&lt;x>"),
                kind => mark(kind, start, end),
            })
            .collect();
        marks.sort_by_key(|mark| (mark.start, std::cmp::Reverse(mark.end)));
        Block { marks, ..Block::new(BlockKind::Paragraph, text) }
    })
}

proptest! {
    #[test]
    fn any_text_with_any_marks_is_read_back_from_every_format(block in any_block()) {
        let shown: String = crate::neutral::for_terminal(&block.text).split_whitespace().collect();
        let article = Article { body: vec![block.clone()], ..Article::default() };
        let squashed = |text: &str| text.split_whitespace().collect::<String>();
        // Markdown.
        let (blocks, _) = read_markdown(&markdown(&article));
        let read: String = blocks.iter().map(|(_, text)| squashed(text)).collect();
        // Emphasis may be written as plain text, never the other way round.
        prop_assert_eq!(&read, &shown, "{}", markdown(&article));
        // HTML.
        let page = crate::testing::page(&html(&article));
        let read = squashed(&page.tree.text_content(page.tree.root()));
        prop_assert_eq!(read.replace(['\u{fffd}', '\u{1b}'], ""), squashed(&block.text).replace(['\0', '\u{1b}'], ""));
        // TEI.
        let written = tei(&article);
        let elements = read_xml(&written).map_err(TestCaseError::fail)?;
        let read = elements.iter().find(|(name, _)| name == "body").map(|(_, text)| text.as_str()).unwrap_or_default();
        prop_assert_eq!(squashed(read).replace('\u{fffd}', ""), squashed(&block.text).replace(['\0', '\u{1b}'], ""));
    }

    #[test]
    fn any_order_of_blocks_is_written_whole(order in proptest::collection::vec((0..6_usize, 0..4_u8, any::<bool>(), 0..3_i32), 0..12)) {
        let kinds = [
            BlockKind::Paragraph,
            BlockKind::Heading,
            BlockKind::ListItem,
            BlockKind::Quote,
            BlockKind::Preformatted,
            BlockKind::Picture,
        ];
        let block = |(at, (kind, level, continues, number)): (usize, &(usize, u8, bool, i32))| {
            let kind = kinds[*kind];
            let is_picture = kind == BlockKind::Picture;
            let picture = Picture { address: format!("https://a.example/{at}.jpg"), ..Picture::default() };
            Block {
                level: (*level > 0).then_some(*level),
                continues: *continues,
                number: (*number > 0).then_some(*number),
                picture: is_picture.then_some(picture),
                ..Block::new(kind, if is_picture { String::new() } else { format!("word{at}") })
            }
        };
        let article = Article { body: order.iter().enumerate().map(block).collect(), ..Article::default() };
        let words: Vec<String> = article.body.iter().map(|block| block.text.clone()).filter(|text| !text.is_empty()).collect();
        let squashed = |text: &str| text.split_whitespace().collect::<String>();
        let (blocks, _) = read_markdown(&markdown(&article));
        let read: String = blocks.iter().map(|(_, text)| squashed(text)).collect();
        prop_assert_eq!(&read, &words.concat(), "{}", markdown(&article));
        let page = crate::testing::page(&html(&article));
        prop_assert_eq!(squashed(&page.tree.text_content(page.tree.root())), words.concat(), "{}", html(&article));
        let written = tei(&article);
        let elements = read_xml(&written).map_err(|error| TestCaseError::fail(format!("{error}: {written}")))?;
        let read = elements.iter().find(|(name, _)| name == "body").map(|(_, text)| text.as_str()).unwrap_or_default();
        prop_assert_eq!(squashed(read), words.concat(), "{}", written);
    }
}
