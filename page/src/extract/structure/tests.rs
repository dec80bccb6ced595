use super::*;
use crate::article::{Article, Embed, EmbedKind, Picture};
use crate::extract::whatever_kind;
use crate::testing::page;
use crate::time::Timestamp;

const SENTENCES: [&str; 3] = [
    "The council voted on Tuesday to keep the old bridge open for another year, after hundreds had asked for it.",
    "Engineers will look at it every month, the mayor said, and a new bridge is planned for the next decade.",
    "It was built in 1907, survived two floods and a war, and carries forty thousand cars on every working day.",
];

/// The article of a page with this markup between its paragraphs.
fn article(inside: &str) -> Article {
    let [first, second, third] = SENTENCES;
    let html = format!(
        "<title>Bridge stays open</title><nav><a href=/>Home</a> <a href=/sport>Sport</a></nav><article>\
         <h1>Bridge stays open</h1><p>{first}</p><p>{second}</p>{inside}<p>{third}</p></article>\
         <footer>© The Post, all rights reserved.</footer>"
    );
    whatever_kind(&page(&html), Timestamp(1_714_700_000_000), None)
}

/// The blocks between the paragraphs.
fn blocks(inside: &str) -> Vec<Block> {
    let mut body = article(inside).body;
    body.retain(|block| !SENTENCES.contains(&block.text.as_str()));
    body
}

/// The marks of the only block between the paragraphs, with the texts that they mark.
fn marked(inside: &str) -> Vec<(MarkKind, String, Option<String>)> {
    let blocks = blocks(inside);
    let [block] = blocks.as_slice() else { panic!("{blocks:?}") };
    let text = |mark: &Mark| -> String {
        block.text.chars().skip(mark.start as usize).take((mark.end - mark.start) as usize).collect()
    };
    block.marks.iter().map(|mark| (mark.kind, text(mark), mark.address.clone())).collect()
}

fn pictures(inside: &str) -> Vec<Picture> {
    blocks(inside).into_iter().filter_map(|block| block.picture).collect()
}

#[test]
fn links_and_emphasis_are_ranges_of_the_text() {
    let found = marked(
        "<p>The mayor of the <b>old 👩\u{200D}👧 town</b> told <a href=/paper rel=nofollow> <i>The Herald</i></a>, \
         a newspaper, that it\u{a0} would cost 3 m<sup>2</sup> of her <a>garden</a>.</p>",
    );
    let address = Some("https://news.example.org/paper".to_owned());
    let wanted = [
        (MarkKind::Strong, "old 👩\u{200D}👧 town".to_owned(), None),
        (MarkKind::Link, "The Herald".to_owned(), address),
        (MarkKind::Emphasis, "The Herald".to_owned(), None),
        (MarkKind::Superscript, "2".to_owned(), None),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn links_that_nobody_should_follow_are_plain_text() {
    for address in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "https://"]
    {
        let found = marked(&format!(
            "<p>She told <a href='{address}'>the paper of the town</a> on Friday that it will cost a lot of money.</p>"
        ));
        assert_eq!(found, [], "{address}");
    }
    let found = marked(
        "<p>She asked everybody to <a href=mailto:a@example.org>write to her</a> until the end of May.</p>",
    );
    assert_eq!(found[0].2.as_deref(), Some("mailto:a@example.org"));
}

#[test]
fn lists_headings_and_quotations_keep_levels_and_numbers() {
    let found = blocks(
        "<h3>What is planned for the bridge</h3><ol start=4><li>The first of the plans is to paint it anew in green.\
         <ul><li>The paint is to be made in the town itself.</ul>\
         <li><p>The second one is to build a new one beside it.</p><p>It would be wider than the old one is.</p></ol>\
         <blockquote><p>We will keep it as long as we can, said the mayor.</p><p>It is dear to us, she said on Friday.</p></blockquote>",
    );
    let shown: Vec<_> =
        found.iter().map(|block| (block.kind, block.level, block.number, block.continues)).collect();
    let wanted = [
        (BlockKind::Heading, Some(3), None, false),
        (BlockKind::ListItem, Some(1), Some(4), false),
        (BlockKind::ListItem, Some(2), None, false),
        (BlockKind::ListItem, Some(1), Some(5), false),
        (BlockKind::ListItem, Some(1), None, true),
        (BlockKind::Quote, Some(1), None, false),
        (BlockKind::Quote, Some(1), None, true),
    ];
    assert_eq!(shown, wanted, "{found:?}");
}

#[test]
fn a_data_table_is_one_block_with_its_cells() {
    let rows: String = (0..4)
        .map(|year| {
            format!("<tr><td>{}<td><a href=/{year}>{}</a><td>{}</tr>", 1907 + year, 40 + year, 7 * year)
        })
        .collect();
    let found = blocks(&format!(
        "<table><caption>Cars a day</caption><tr><th>Year<th>Cars<th>Lorries</tr>{rows}</table>"
    ));
    let [block] = found.as_slice() else { panic!("{found:?}") };
    let table = block.table.as_ref().unwrap();
    assert_eq!(
        (block.kind, table.caption.as_deref(), table.rows.len()),
        (BlockKind::Table, Some("Cars a day"), 5)
    );
    assert!(table.rows[0].iter().all(|cell| cell.is_header));
    assert_eq!(table.rows[1].iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>(), ["1907", "40", "0"]);
    assert!(block.text.contains("1907\n40\n0"), "{}", block.text);
}

#[test]
fn pictures_come_with_captions_and_credits() {
    let found = pictures(
        "<figure><picture><source srcset='/big.jpg 1600w, /mid.jpg 800w'><img src=/small.jpg alt='The bridge'></picture>\
         <figcaption>The bridge in May. <span class=credit>Photo: A. Lane/Agency</span></figcaption></figure>\
         <div class=wp-caption><img data-src=/crowd-in-the-rain.jpg src=data:image/gif;base64,x width=800 height=600>\
         <p class=wp-caption-text>A crowd waits. Foto: B. Grün</p></div>",
    );
    let told = |picture: &Picture| (picture.address.clone(), picture.caption.clone(), picture.credit.clone());
    let some = |text: &str| Some(text.to_owned());
    let at = |path: &str| format!("https://news.example.org/{path}");
    let wanted = [
        (at("big.jpg"), some("The bridge in May."), some("A. Lane/Agency")),
        (at("crowd-in-the-rain.jpg"), some("A crowd waits."), some("B. Grün")),
    ];
    assert_eq!(found.iter().map(told).collect::<Vec<_>>(), wanted);
}

#[test]
fn a_player_behind_other_texts_is_not_of_the_story() {
    let player = "<iframe src=https://www.youtube.com/embed/abc></iframe>";
    let count = |behind: &str| {
        let [first, second, third] = SENTENCES;
        let menu = "<nav><a href=/>Home</a> <a href=/sport>Sport</a></nav>";
        let html = format!(
            "<title>Bridge stays open</title>{menu}<main><h1>Bridge stays open</h1><p>{first}</p><p>{second}</p><p>{third}</p>\
             {behind}{player}</main>"
        );
        let found = whatever_kind(&page(&html), Timestamp(1_714_700_000_000), None);
        found.body.iter().filter(|block| block.embed.is_some()).count()
    };
    assert_eq!(count(""), 1);
    let links: String =
        (0..20).map(|at| format!("<li><a href=/{at}>Another story of the day</a></li>")).collect();
    assert_eq!(count(&format!("<div class=more><ul>{links}</ul></div>")), 0);
}

#[test]
fn the_text_on_a_slide_is_its_caption_without_number_and_button() {
    let slide = |number: u32| {
        format!(
            "<div class=slide><div><img src=/pictures/view-{number}-of-the-bridge.jpg width=800 height=600></div>\
             <div><span>{number} of 2<span> | </span></span> <span><p>View {number} of the old bridge (AP Photo/A. Lane)</p></span></div>\
             <button>Read more</button></div>"
        )
    };
    let found = blocks(&format!("<div>{}{}</div>", slide(1), slide(2)));
    let told: Vec<(Option<&str>, Option<&str>)> = found
        .iter()
        .filter_map(|block| block.picture.as_ref())
        .map(|picture| (picture.caption.as_deref(), picture.credit.as_deref()))
        .collect();
    let credit = Some("AP Photo/A. Lane");
    assert_eq!(
        told,
        [(Some("View 1 of the old bridge"), credit), (Some("View 2 of the old bridge"), credit)]
    );
}

#[test]
fn what_calls_itself_a_caption_is_no_text_of_the_story() {
    let found = blocks(
        "<div class=box><img src=/pictures/bridge-over-water.jpg width=800 height=600>\
         <p class=featured-caption>The bridge over the water in May, before the storm of the last week took half of it.</p></div>\
         <p>The council met on Tuesday evening and told the press of it.</p>",
    );
    let texts: Vec<&str> = found.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(texts, ["", "The council met on Tuesday evening and told the press of it."]);
    let caption = found[0].picture.as_ref().and_then(|picture| picture.caption.as_deref());
    assert_eq!(
        caption,
        Some("The bridge over the water in May, before the storm of the last week took half of it.")
    );
}

#[test]
fn data_and_forms_for_scripts_are_no_addresses_of_pictures() {
    let found = pictures(
        "<figure><img data-src='{\"default\":{\"load\":\"default\",\"src\":\"//img.example.net/bridge-over-water.img\"}}'>\
         <figcaption>The bridge</figcaption></figure>\
         <figure><img data-src='/crowd-in-the-rain.jpg?cb=7&amp;w={width}&amp;h={height}'></figure>\
         <figure><img data-src='/{width}/mayor-with-a-hat.jpg' src=/300/mayor-with-a-hat.jpg></figure>",
    );
    let addresses: Vec<&str> = found.iter().map(|picture| picture.address.as_str()).collect();
    let wanted = [
        "https://img.example.net/bridge-over-water.img",
        "https://news.example.org/crowd-in-the-rain.jpg?cb=7",
        "https://news.example.org/300/mayor-with-a-hat.jpg",
    ];
    assert_eq!(addresses, wanted);
}

#[test]
fn credits_are_told_from_captions_in_many_forms() {
    let check = |written: &str, caption: Option<&str>, credit: Option<&str>| {
        let found = pictures(&format!(
            "<figure><img src=/pictures/bridge-over-water.jpg><figcaption>{written}</figcaption></figure>"
        ));
        let found = found.first().map(|picture| (picture.caption.as_deref(), picture.credit.as_deref()));
        assert_eq!(found, Some((caption, credit)), "{written}");
    };
    check("The bridge in May", Some("The bridge in May"), None);
    check("The bridge © Ann Lane", Some("The bridge"), Some("Ann Lane"));
    check("The bridge (AP Photo/A. Lane)", Some("The bridge"), Some("AP Photo/A. Lane"));
    check("(The Town Paper)", None, Some("The Town Paper"));
    check("The bridge (left) and the town", Some("The bridge (left) and the town"), None);
    check("It is old. (Ann Lane)", Some("It is old."), Some("Ann Lane"));
    check("Die Brücke. Foto: A. Lane", Some("Die Brücke."), Some("A. Lane"));
    check("Мост. Фото: А. Лейн", Some("Мост."), Some("А. Лейн"));
    check("Getty Images", None, Some("Getty Images"));
    check("The bridge | A. Lane / Agency", Some("The bridge"), Some("A. Lane / Agency"));
    check("橋を渡る人＝ＡＰ", Some("橋を渡る人"), Some("ＡＰ"));
    check("市長＝13日、市役所で（山田太郎撮影）", Some("市長＝13日、市役所で"), Some("山田太郎"));
}

#[test]
fn the_same_picture_counts_once_and_icons_portraits_and_teasers_do_not() {
    let found = pictures(
        "<figure><img src=/pictures/bridge-over-water-300x200.jpg width=300 height=200>\
         <noscript><img src=/pictures/bridge-over-water-1024x683.jpg></noscript></figure>\
         <img src=/icons/share.png width=16 height=16><img src=https://count.example.org/p.gif width=1 height=1>\
         <div class=author-box><img src=/ann.jpg width=80 height=80> Ann Lee</div>\
         <a href=/other-story><img src=/other.jpg width=300 height=200><h4>Another story of today is told here</h4></a>",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn the_lead_picture_is_the_declared_one_with_what_the_page_says_of_it() {
    let found = article(
        "<meta property=og:image content=https://cdn.example.org/bridge-over-water-1200x630.jpg>\
         <figure><img src=/pictures/bridge-over-water-600x400.jpg alt=Bridge><figcaption>In May</figcaption></figure>",
    );
    let lead = found.lead.unwrap();
    assert_eq!((lead.caption.as_deref(), lead.alternative.as_deref()), (Some("In May"), Some("Bridge")));
    assert_eq!(found.image.as_deref(), Some("https://cdn.example.org/bridge-over-water-1200x630.jpg"));
}

#[test]
fn posts_and_players_are_embedded_and_advertisements_are_not() {
    let found: Vec<Embed> = blocks(
        "<iframe src=https://www.youtube.com/embed/abc></iframe>\
         <blockquote class=twitter-tweet><p>See <a href=https://t.co/x>this</a></p>\
         <a href=https://twitter.com/ann/status/12?ref=x>May 5</a></blockquote>\
         <iframe src=https://ad.doubleclick.net/x></iframe><iframe src=https://t.example.org/p width=1 height=1></iframe>",
    )
    .into_iter()
    .filter_map(|block| block.embed)
    .collect();
    let embed = |kind, provider: &str, address: &str| Embed {
        kind,
        provider: Some(provider.into()),
        address: Some(address.into()),
    };
    let wanted = [
        embed(EmbedKind::Video, "youtube", "https://www.youtube.com/embed/abc"),
        embed(EmbedKind::Post, "x", "https://twitter.com/ann/status/12?ref=x"),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn players_that_a_script_fills_are_known_by_what_identifies_their_item() {
    let addresses = |html: &str| -> Vec<String> {
        blocks(html).into_iter().filter_map(|block| block.embed?.address).collect()
    };
    assert_eq!(
        addresses(
            "<div class=widget__tweet data-tweet-id=2007489108059533390></div>\
             <div class=player data-provider=youtube data-video-id=hF3WWKzjPmQ></div>\
             <jw-player data-media-id=d1kDWHxy class=JWVideoPlayer></jw-player>\
             <div class=twitter-share data-id=12345></div><div class=youtube-links data-id=video-embed></div>"
        ),
        [
            "https://twitter.com/i/status/2007489108059533390",
            "https://www.youtube.com/watch?v=hF3WWKzjPmQ",
            "https://cdn.jwplayer.com/previews/d1kDWHxy"
        ]
    );
    let declared = |videos: &str| {
        addresses(&format!(
            "<div class=InlineVideo-videoEmbed data-asset-id=7000295104></div>\
             <script type=application/ld+json>[{videos}]</script>"
        ))
    };
    let video = |address: &str| format!(r#"{{"@type":"VideoObject","contentUrl":"{address}"}}"#);
    let (one, other) =
        (video("https://cdn.example.org/7000295104/a.mp4"), video("https://cdn.example.org/8/b.mp4"));
    assert_eq!(declared(&one), ["https://cdn.example.org/7000295104/a.mp4"]);
    assert_eq!(declared(&format!("{other},{one}")), ["https://cdn.example.org/7000295104/a.mp4"]);
    assert_eq!(declared(&other), ["https://cdn.example.org/8/b.mp4"], "the only one");
    assert_eq!(declared(&format!("{other},{}", video("https://cdn.example.org/9/c.mp4"))).len(), 0);
}

#[test]
fn players_say_what_they_show_in_the_data_of_their_attributes() {
    let addresses = |html: &str| -> Vec<Option<String>> {
        let found =
            blocks(&format!("{html}<p>The council met on Tuesday evening and told the press of it.</p>"));
        found.into_iter().filter_map(|block| block.embed).map(|embed| embed.address).collect()
    };
    let some = |address: &str| Some(address.to_owned());
    assert_eq!(
        addresses(
            "<x-island name=YoutubeBlock props='{\"id\":\"8d7382f7\",\"assetId\":\"hF3WWKzjPmQ\"}'></x-island>\
             <div class=widget-video data-settings='{\"url\":\"https:\\/\\/vimeo.com\\/123456789\"}'></div>\
             <div class=lazy data-src=https://www.youtube.com/embed/aaaaaaaaaa1></div>\
             <div class=follow data-href=https://www.youtube.com/channel/UC123456></div>\
             <div class=share data-settings='{\"url\":\"https://www.youtube.com/watch?v=aaaaaaaaaa2\"}'></div>"
        ),
        [
            some("https://www.youtube.com/watch?v=hF3WWKzjPmQ"),
            some("https://vimeo.com/123456789"),
            some("https://www.youtube.com/embed/aaaaaaaaaa1")
        ]
    );
    assert_eq!(
        addresses(
            "<script async data-telegram-post=durov/83 src=https://telegram.org/js/widget.js></script>"
        ),
        [some("https://t.me/durov/83")]
    );
}

#[test]
fn a_player_of_which_the_page_shows_a_poster_alone_has_no_address() {
    let found = |html: &str| {
        let found =
            blocks(&format!("{html}<p>The council met on Tuesday evening and told the press of it.</p>"));
        let pictures = found.iter().filter(|block| block.picture.is_some()).count();
        let embeds = found.into_iter().filter_map(|block| block.embed).map(|embed| embed.address);
        (pictures, embeds.collect::<Vec<_>>())
    };
    let poster = "<img src=/pictures/poster-of-a-bridge.jpg width=800 height=600>";
    assert_eq!(
        found(&format!("<div class=video-player>{poster}<span>The bridge 1:30</span></div>")),
        (0, vec![None])
    );
    let (pictures, embeds) = found(&format!(
        "<figure><div id=rmpPlayer-25365-0>{poster}</div><figcaption><a href=https://video.example.org/25365/bridge>The bridge</a></figcaption></figure>"
    ));
    assert_eq!((pictures, embeds), (0, vec![Some("https://video.example.org/25365/bridge".to_owned())]));
    // A frame inside says itself what it shows, a link leads to another page, and athletes have pictures.
    let (_, embeds) =
        found("<div class=video-player><iframe src=https://www.youtube.com/embed/abc></iframe></div>");
    assert_eq!(embeds, [Some("https://www.youtube.com/embed/abc".to_owned())]);
    assert_eq!(found("<div class=video-player><a href=/video/7>Another video</a></div>").1, []);
    assert_eq!(found(&format!("<div class=player-card>{poster}</div>")), (1, vec![]));
    assert_eq!(found("<div class=ad-slot><div class=video-player></div></div>").1, []);
}

#[test]
fn a_player_of_a_page_without_an_address_names_no_provider() {
    let [first, second, third] = SENTENCES;
    let player = format!("<div class=video-player>{}</div>", "<img src=/poster.jpg width=800 height=600>");
    let html =
        format!("<article><h1>Bridge stays open</h1><p>{first}<p>{second}</p>{player}<p>{third}</article>");
    let providers = |url: &str| -> Vec<Option<String>> {
        let read = Page::parse(&url.parse().unwrap(), None, html.as_bytes());
        let body = whatever_kind(&read, Timestamp(1_714_700_000_000), None).body;
        body.into_iter().filter_map(|block| block.embed).map(|embed| embed.provider).collect()
    };
    assert_eq!(providers("https://www.post.example/bridge"), [Some("post.example".to_owned())]);
    assert_eq!(providers("https://file.invalid/page"), [None]);
}

#[test]
fn a_box_that_asks_for_consent_stands_for_what_its_service_shows() {
    let found = |text: &str| -> Vec<Embed> {
        let html = format!(
            "<div><div>{text}</div><div><button>Show it</button> <button>Always</button></div></div>\
             <p>The council met on Tuesday evening and told the press of it.</p>"
        );
        blocks(&html).into_iter().filter_map(|block| block.embed).collect()
    };
    let chart = |kind, provider: &str| Embed { kind, provider: Some(provider.into()), address: None };
    assert_eq!(
        found("Datenschutz: Datawrapper zeigt hier eine Grafik."),
        [chart(EmbedKind::Other, "datawrapper")]
    );
    assert_eq!(found("Cookies: a video on YouTube."), [chart(EmbedKind::Video, "youtube")]);
    assert_eq!(found("Follow us on YouTube"), []);
    assert_eq!(found("Our privacy rules: YouTube, Facebook"), []);
}

#[test]
fn pictures_directly_behind_the_last_paragraph_are_of_the_story() {
    let count = |behind: &str| {
        let text: String = SENTENCES.iter().map(|text| format!("<p>{text}</p>")).collect();
        let html = format!(
            "<title>Bridge stays open</title><main><h1>Bridge stays open</h1><div>{text}{behind}</div></main>"
        );
        let found = whatever_kind(&page(&html), Timestamp(1_714_700_000_000), None);
        found.body.iter().filter(|block| block.picture.is_some()).count()
    };
    assert_eq!(
        count("<p><img src=/pictures/bridge-in-the-rain.jpg><p><img src=/pictures/bridge-in-snow.jpg>"),
        2
    );
    assert_eq!(count("<p><a href=/shop><img src=/pictures/bridge-in-the-rain.jpg></a>"), 0);
}

#[test]
fn a_program_keeps_its_lines_and_typed_prose_is_paragraphs() {
    let read = |html: &str| {
        let page = page(html);
        let runs = Runs::new(&page);
        let chosen = vec![true; runs.runs.len()];
        let blocks = blocks_of(&page, &runs, chosen, 0, &Claims::default());
        blocks.into_iter().map(|block| (block.kind, block.text)).collect::<Vec<_>>()
    };
    let found = read("<p>So it is written:<pre>\nif x:\n    y()\n\nelse:\n    z()\n</pre>");
    assert_eq!(found[1], (BlockKind::Preformatted, "if x:\n    y()\n\nelse:\n    z()".to_owned()));
    assert_eq!(found.len(), 2);
    let [first, second, _] = SENTENCES;
    let found = read(&format!("<pre>{first}\n\n{second}</pre>"));
    assert_eq!(found, [first, second].map(|text| (BlockKind::Paragraph, text.to_owned())));
}

/// Many of everything cost no more than their number, and the article keeps to its limits.
#[test]
fn hostile_markup_ends_at_the_limits() {
    let links: String = (0..30_000).map(|number| format!("word <a href=/{number}>x</a> ")).collect();
    let list: String = (1..10_000).map(|number| format!("/p{number}.jpg {number}w, ")).collect();
    let images: String = (0..3_000)
        .map(|number| format!("<figure><img src=/picture-of-a-bridge-{number:06}.jpg></figure>"))
        .collect();
    let nested = "<table><tr><td>".repeat(50);
    let frames = "<iframe src=https://www.youtube.com/embed/".to_owned();
    let frames: String = (0..1_000).map(|number| format!("{frames}{number}></iframe>")).collect();
    let inside = format!(
        "<p>{links}</p><figure><img srcset='{list}'></figure>{images}{frames}{nested}deep{}",
        "</table>".repeat(50)
    );
    let found = article(&inside);
    found
        .check(&"https://news.example.org/".parse().unwrap())
        .map_or_else(|error| assert!(error.to_string().contains("another URL"), "{error}"), |()| ());
    assert!(
        found.cut.contains(&"marks".to_owned()) && found.cut.contains(&"pictures".to_owned()),
        "{:?}",
        found.cut
    );
    let size = serde_json::to_string(&found).unwrap().len();
    assert!(size < 16 << 20, "{size}");
}
