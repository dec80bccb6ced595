//! Listings that are broken, endless, or made to harm; and any bytes.

use super::*;

fn limits(max_bytes: usize, max_items: usize) -> ListingLimits {
    ListingLimits { max_bytes, max_items, max_maps: max_items, ..ListingLimits::default() }
}

/// A sitemap of these entries: a number as path, and a day of January 2024.
fn map(entries: impl Iterator<Item = (usize, Option<u32>)>) -> String {
    let mut xml = String::from("<urlset>");
    for (path, day) in entries {
        xml += &format!("<url><loc>/{path}</loc>");
        if let Some(day) = day {
            xml += &format!("<lastmod>2024-01-{day:02}</lastmod>");
        }
        xml += "</url>";
    }
    xml + "</urlset>"
}

#[test]
fn a_broken_feed_gives_what_comes_before() {
    let feed = "<rss><channel><item><link>/1</link></item><item><link>/2</link></item></channel></rss>";
    let cut = |end: &str| shown(&read_all(&feed.as_bytes()[..feed.find(end).unwrap()]).unwrap());
    let one = "Feed cut\nhttps://www.a.test/1 | - | - | -";
    assert_eq!(cut("<item><link>/2"), one);
    assert_eq!(cut("2</link>"), one);
    assert_eq!(cut("</channel>"), format!("{one}\nhttps://www.a.test/2 | - | - | -"));
    for end in ["<channel>", "/1", "</item>"] {
        let error = read_all(&feed.as_bytes()[..feed.find(end).unwrap()]).unwrap_err();
        assert!(matches!(error, ListingError::Broken { .. }), "{error}");
    }
    let json = r#"{"version":"https://jsonfeed.org/version/1","items":[{"url":"/1"},{"url":"/2"}]}"#;
    let cut = |end: &str| read_all(&json.as_bytes()[..json.find(end).unwrap()]);
    assert_eq!(shown(&cut("\"/2").unwrap()), one);
    assert_eq!(shown(&cut(",{").unwrap()), one);
    assert!(matches!(cut("\"/1"), Err(ListingError::Broken { .. })));
    let zipped = gzip(map((0..9999).map(|path| (path * 7919 % 100_003, None))).as_bytes());
    let half = read_all(&zipped[..zipped.len() / 2]).unwrap();
    assert!(half.is_cut && half.items.len() > 100, "{}", half.items.len());
}

#[test]
fn html_inside_a_feed_does_no_harm() {
    check_items(
        "<item><link>/1</link><description>a<br>b <img src=x> AT&T &nbsp; <p>c</description></item>
         <item><title>Cup</title><link>/2?a=1&b=2</link></item>",
        "Feed\nhttps://www.a.test/1 | - | - | -\nhttps://www.a.test/2?a=1&b=2 | Cup | - | -",
    );
}

#[test]
fn entities_do_not_expand() {
    let mut laughs = String::from("<!DOCTYPE rss [<!ENTITY l0 'ha'>");
    for level in 1..10 {
        let inner = format!("&l{};", level - 1).repeat(10);
        laughs += &format!("<!ENTITY l{level} '{inner}'>");
    }
    laughs +=
        "]><rss><item><link>/1</link><title>&l9;</title></item><item><link href='/&l9;' /></item></rss>";
    check(laughs, "Feed\nhttps://www.a.test/1 | &l9; | - | -\nhttps://www.a.test/&l9; | - | - | -");
    let file = "<!DOCTYPE rss [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><rss><item><link>/1</link><title>&x;</title></item></rss>";
    check(file, "Feed\nhttps://www.a.test/1 | &x; | - | -");
}

#[test]
fn the_newest_of_very_many_are_kept() {
    // The newest stand in the middle, and one in a thousand has no date.
    let day = |path: usize| {
        (!path.is_multiple_of(1000)).then_some(if (60_000..60_100).contains(&path) { 31 } else { 1 })
    };
    let xml = map((0..100_000).map(|path| (path, day(path))));
    let limits = limits(100 << 20, 99);
    let listing = read(&own(), None, xml.as_bytes(), NOW, &limits).unwrap();
    assert!(listing.is_cut);
    assert_eq!((listing.items.len(), listing.left_out.over_limit), (99, 99_901));
    let newest: Vec<String> = (60_001..60_100).map(|path| format!("https://www.a.test/{path}")).collect();
    assert_eq!(listing.items.iter().map(|item| item.url.to_string()).collect::<Vec<_>>(), newest);
}

#[test]
fn without_dates_the_first_are_kept() {
    let listing =
        read(&own(), None, map((0..50).map(|path| (path, None))).as_bytes(), NOW, &limits(1 << 20, 3));
    let urls: Vec<String> = listing.unwrap().items.iter().map(|item| item.url.path().to_owned()).collect();
    assert_eq!(urls, ["/0", "/1", "/2"]);
    let index: String = (0..50).map(|path| format!("<sitemap><loc>/{path}</loc></sitemap>")).collect();
    let index = format!("<sitemapindex>{index}</sitemapindex>");
    let listing = read(&own(), None, index.as_bytes(), NOW, &limits(1 << 20, 3)).unwrap();
    assert_eq!((listing.maps.len(), listing.left_out.over_limit, listing.is_cut), (3, 47, true));
    let none = read(&own(), None, index.as_bytes(), NOW, &limits(1 << 20, 0)).unwrap();
    assert_eq!((none.maps.len(), none.left_out.over_limit), (0, 50));
}

#[test]
fn a_limit_of_bytes_cuts_what_was_decompressed() {
    let xml = map((0..20_000).map(|path| (path, None)));
    for bytes in [xml.as_bytes().to_vec(), gzip(xml.as_bytes())] {
        let listing = read(&own(), None, &bytes, NOW, &limits(100_000, 50_000)).unwrap();
        assert!(listing.is_cut && (2000..4000).contains(&listing.items.len()), "{}", listing.items.len());
        let error = read(&own(), None, &bytes, NOW, &limits(20, 50_000)).unwrap_err();
        assert!(matches!(error, ListingError::TooLarge { limit: 20, .. }));
        let whole = read(&own(), None, &bytes, NOW, &limits(xml.len(), 100_000)).unwrap();
        assert!(!whole.is_cut && whole.items.len() == 20_000);
    }
}

#[test]
fn one_endless_element_is_cut() {
    let long = "x".repeat(2 << 20);
    for start in [
        "<rss><item><link>/1</link></item><item><title>",
        "<rss><item><link>/1</link></item><item><title><![CDATA[",
        "<rss><item><link>/1</link></item><!--",
        "<rss><item><link>/1</link></item><item a='",
        "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"url\":\"/1\"},{\"title\":\"",
    ] {
        let bytes = format!("{start}{long}");
        let listing = read(&own(), None, bytes.as_bytes(), NOW, &limits(1 << 20, 9)).unwrap();
        assert_eq!(shown(&listing), "Feed cut\nhttps://www.a.test/1 | - | - | -");
    }
}

#[test]
fn long_values_are_bounded() {
    let long = "x".repeat(9000);
    check_items(
        &format!(
            "<item><link>/{long}</link></item><item><link>https://www.a.test/1{}</link></item>\
             <item><link>/2</link><title>{long}</title><pubDate>{long}</pubDate></item>",
            &long[..2040]
        ),
        &format!("Feed bad_link=2\nhttps://www.a.test/2 | {} | - | -", &long[..500]),
    );
    let many = (0..200_000).map(|number| format!(" a{number}='x'")).collect::<String>();
    let listing = read_all(format!("<rss{many}><item><link>/1</link></item></rss>").as_bytes()).unwrap();
    assert_eq!(shown(&listing), "Feed\nhttps://www.a.test/1 | - | - | -");
    let deep = format!(
        "{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{{\"url\":\"/1\"}},{}",
        "[".repeat(99_999)
    );
    check(deep, "Feed cut\nhttps://www.a.test/1 | - | - | -");
}

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "<rss>", "</rss>", "<feed xmlns='http://www.w3.org/2005/Atom'>", "<urlset>", "</urlset>", "<sitemapindex>",
            "<item>", "</item>", "<entry>", "</entry>", "<url>", "</url>", "<sitemap>", "</sitemap>", "<loc>", "</loc>",
            "<link>", "</link>", "<link href='/a'/>", "<guid>", "</guid>", "<pubDate>", "2024-05-03", "https://www.a.test/b",
            "<news:title>", "</news:title>", "<![CDATA[", "]]>", "<!--", "-->", "&", "&amp;", "<br>", " xml:base='b/'",
            "<item xml:base='c/' xmlns:x='http://purl.org/dc/terms/'>", "<x:modified>", "{\"version\":\"https://jsonfeed.org/version/1\",",
            "\"items\":[", "{\"url\":\"/c\"}", ",", "]}", "<?xml version='1.0' encoding='koi8-r'?>", "<!DOCTYPE a [", "]>",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_give_a_listing_within_limits(
        start in prop::sample::select(vec!["", "<rss>", "<feed>", "<urlset>", "<sitemapindex>", "{\"version\":\"jsonfeed.org/version/1\",\"items\":["]),
        bytes in pieces(),
        is_zipped in any::<bool>(),
        max_bytes in 0_usize..600,
        max_items in 0_usize..4,
    ) {
        let bytes = [start.as_bytes(), &bytes].concat();
        let is_json = String::from_utf8_lossy(&bytes).contains('{');
        let bytes = if is_zipped { gzip(&bytes) } else { bytes };
        let limits = ListingLimits { max_url: 30, ..limits(max_bytes, max_items) };
        let is_other = matches!(read_all(&bytes), Err(ListingError::NotAListing { .. }));
        // Where the version stands in JSON shows only when all of it is read.
        prop_assert!(is_json || is_other != sniff(None, &bytes));
        let first = read(&own(), None, &bytes, NOW, &limits);
        prop_assert_eq!(&first, &read(&own(), None, &bytes, NOW, &limits));
        if let Ok(listing) = first {
            prop_assert!(listing.items.len() <= max_items && listing.maps.len() <= max_items);
            prop_assert!(listing.items.is_empty() || listing.maps.is_empty());
            prop_assert!(listing.left_out.over_limit == 0 || listing.is_cut);
            for url in listing.items.iter().map(|item| &item.url).chain(listing.maps.iter().map(|map| &map.url)) {
                prop_assert!(url.as_str().len() <= 30 && url.site() == own().site());
            }
        }
    }

    #[test]
    fn a_written_map_reads_back(
        entries in prop::collection::btree_map("[a-z0-9]{1,9}", prop::option::of(0_u64..1_400_000_000), 0..40),
        is_news in any::<bool>(),
    ) {
        let at = |seconds: u64| Timestamp((seconds % 1_000_000_000 + 700_000_000) * 1000);
        let mut xml = String::from("<urlset xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>");
        let mut items = Vec::new();
        for (path, seconds) in &entries {
            let at = seconds.map(at);
            let url: CanonicalUrl = format!("https://www.a.test/{path}").parse().unwrap();
            xml += &format!("<url><loc>{url}</loc>");
            if let (Some(_), false) = (at, is_news) {
                xml += &format!("<lastmod>{}</lastmod>", date(at));
            }
            if is_news {
                xml += &format!("<news:news><news:title>{path} &lt;&amp;&gt;</news:title>");
                if at.is_some() {
                    xml += &format!("<news:publication_date>{}</news:publication_date>", date(at));
                }
                xml += "</news:news>";
            }
            xml += "</url>";
            let title = is_news.then(|| format!("{path} <&>"));
            let (published, modified) = if is_news { (at, None) } else { (None, at) };
            items.push(Item { url, title, published, modified, details: None });
        }
        let listing = read_all((xml + "</urlset>").as_bytes()).unwrap();
        prop_assert_eq!(listing.items, items);
        prop_assert_eq!(listing.form == Form::NewsMap, is_news || entries.is_empty());
        prop_assert!(!listing.is_cut && listing.left_out == LeftOut::default());
    }
}

#[test]
fn full_texts_are_kept_within_limits() {
    let item = |number: usize, length: usize| {
        format!(
            "<item><link>/{number}</link><content:encoded>{}</content:encoded></item>",
            "x".repeat(length)
        )
    };
    let long = item(0, 200 << 10);
    let many: String = (1..=200).map(|number| item(number, 100 << 10)).collect();
    let listing = read_all(format!("<rss><channel>{long}{many}</channel></rss>").as_bytes()).unwrap();
    let length = |item: &Item| {
        item.details.as_ref().and_then(|details| details.html.as_ref()).map_or(0, |html| html.len())
    };
    assert_eq!(listing.items.len(), 201);
    assert_eq!(length(&listing.items[0]), 0, "a text is kept whole or not at all");
    let kept: usize = listing.items.iter().map(length).sum();
    assert!(kept <= 16 << 20 && kept > 15 << 20, "{kept}");
}
