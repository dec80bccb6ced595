//! Every form of listing, and the rules for links, dates and sites.

use newslode_page::reading::Site;

use super::*;

#[test]
fn rss_2() {
    check(
        "<?xml version='1.0' encoding='UTF-8'?>
<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/' xmlns:atom='http://www.w3.org/2005/Atom'
  xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:media='http://search.yahoo.com/mrss/'>
 <channel>
  <title>A</title><link>https://www.a.test/</link><atom:link href='https://www.a.test/dir/feed' rel='self'/>
  <image><url>https://www.a.test/i.png</url><link>https://www.a.test/i</link></image>
  <item>
   <title>Q&amp;amp;A: &lt;i&gt;Cup&lt;/i&gt;</title><link> https://www.a.test/1?utm_source=rss </link>
   <guid isPermaLink='false'>https://www.a.test/?p=1</guid><pubDate>Fri, 03 May 2024 10:30:00 +0200</pubDate>
   <atom:updated>2024-05-04T00:00:00Z</atom:updated>
   <media:title>no</media:title><media:group><link>https://www.a.test/no</link></media:group>
   <content:encoded><![CDATA[<p>Text <a href='/x'>x</a></p>]]></content:encoded>
  </item>
  <item><title><![CDATA[Tour & <b>more</b>]]></title><guid>https://www.a.test/2</guid><dc:date>2024-05-03</dc:date></item>
 </channel>
</rss>",
        "Feed
https://www.a.test/1 | Q&A: Cup | 2024-05-03T08:30:00Z | 2024-05-04T00:00:00Z
https://www.a.test/2 | Tour & more | 2024-05-03T00:00:00Z | -",
    );
}

#[test]
fn old_rss() {
    for root in ["rss version='0.91'", "rss version='0.93'", "rss", "RSS version='2.00'"] {
        let end = root.split(' ').next().unwrap();
        check(
            format!("<{root}><channel><item><title>Cup</title><link>/1</link></item></channel></{end}>"),
            "Feed\nhttps://www.a.test/1 | Cup | - | -",
        );
    }
    check(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://my.netscape.com/rdf/simple/0.9/'>
 <channel><title>A</title><link>https://www.a.test/</link></channel>
 <item><title>Cup</title><link>https://www.a.test/1</link></item></rdf:RDF>",
        "Feed\nhttps://www.a.test/1 | Cup | - | -",
    );
}

#[test]
fn rss_1() {
    check(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'
  xmlns:d='http://purl.org/dc/elements/1.1/' xmlns:dcterms='http://purl.org/dc/terms/'>
 <channel rdf:about='https://www.a.test/'><title>A</title><link>https://www.a.test/</link>
  <items><rdf:Seq><rdf:li rdf:resource='https://www.a.test/1'/></rdf:Seq></items></channel>
 <item rdf:about='https://www.a.test/one'><title>Cup</title><link>https://www.a.test/1</link>
  <d:date>2024-05-03T10:30+02:00</d:date><dcterms:modified>2024-05-04</dcterms:modified></item>
 <item rdf:about='https://www.a.test/2'><title>Tour</title></item>
</rdf:RDF>",
        "Feed
https://www.a.test/1 | Cup | 2024-05-03T08:30:00Z | 2024-05-04T00:00:00Z
https://www.a.test/2 | Tour | - | -",
    );
}

#[test]
fn atom() {
    check(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/base/'>
 <title>A</title><link href='/'/><updated>2024-05-05T00:00:00Z</updated>
 <entry xml:base='sub/'>
  <id>tag:a.test,2024:1</id><title type='html'>Cup &amp;eacute;</title>
  <link rel='enclosure' type='audio/mpeg' href='/1.mp3'/><link rel='replies' href='/1#c'/>
  <link rel='alternate' type='application/pdf' href='/1.pdf'/><link rel='alternate' type='text/html' href='1?a=b&amp;c'/>
  <published>2024-05-03T10:30:00Z</published><updated>2024-05-04T10:30:00.5Z</updated>
  <source><title>no</title><link href='/no'/><updated>2020-01-01T00:00:00Z</updated></source>
 </entry>
 <entry><title>AT&amp;amp;T &lt;b></title><link href='2'/></entry>
 <entry><title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>To<b>ur</b></div></title><link href='/3.pdf' type='application/pdf'/></entry>
 <entry><title>no page</title><link rel='self' href='/4'/></entry>
</feed>",
        "Feed no_link=1
https://www.a.test/base/sub/1?a=b&c | Cup é | 2024-05-03T10:30:00Z | 2024-05-04T10:30:00.5Z
https://www.a.test/base/2 | AT&amp;T <b> | - | -
https://www.a.test/3.pdf | Tour | - | -",
    );
    check(
        "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><title mode='escaped'>A &amp;amp; B</title>
 <link rel='alternate' type='text/html' href='/1'/><issued>2024-05-03T10:30:00Z</issued><modified>2024-05-04</modified></entry></feed>",
        "Feed\nhttps://www.a.test/1 | A & B | 2024-05-03T10:30:00Z | 2024-05-04T00:00:00Z",
    );
}

#[test]
fn json_feed() {
    check(
        r#" {"version": "https:\/\/jsonfeed.org/version/1.1", "title": "A", "authors": [{"name": "x"}], "items": [
 {"id": 1, "url": "/1", "external_url": "https://www.a.test/x", "title": "Cup <b>", "content_html": "<p>",
  "date_published": "2024-05-03T10:30:00+02:00", "date_modified": "2024-05-04T00:00:00Z", "tags": ["a", {"b": []}]},
 {"id": "https://www.a.test/2", "title": null, "url": 7, "attachments": [{}]},
 {"id": "3", "external_url": "https://b.test/", "title": ["x", {}]}, {"id": "4"}]}"#,
        "Feed no_link=1 other_site=1
https://www.a.test/1 | Cup <b> | 2024-05-03T08:30:00Z | 2024-05-04T00:00:00Z
https://www.a.test/2 | - | - | -",
    );
}

fn hints(text: &str) -> FeedHints {
    read_all(text.as_bytes()).unwrap().hints
}

fn hubs(addresses: &[&str]) -> Vec<CanonicalUrl> {
    addresses.iter().map(|hub| hub.parse().unwrap()).collect()
}

#[test]
fn what_rss_says_of_its_own_pace() {
    let item = "<item><title>Cup</title><link>/1</link><ttl>7</ttl><hour>9</hour><atom:link rel='hub' href='/no'/></item>";
    let text = format!(
        "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom' xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>
 <channel><title>A</title><ttl> 60 </ttl><link>https://www.a.test/</link>
  <skipHours><hour>0</hour><hour>23</hour><hour>midnight</hour><hour>99</hour></skipHours>
  <skipDays><day>Sunday</day><day>?</day></skipDays>
  <atom:link rel='self' href='/feed'/><atom:link rel='hub' href='https://hub.test/'/><atom:link rel='HUB other' href='/own'/>
  <atom:link rel='hub' href='mailto:hub@a.test'/><atom:link rel='hub'/>
  <sy:updatePeriod>
	hourly	</sy:updatePeriod><sy:updateFrequency>
	2	</sy:updateFrequency>{item}</channel></rss>"
    );
    let said = hints(&text);
    assert_eq!((said.ttl_s, said.period_s), (Some(3_600), Some(1_800)));
    assert_eq!((&said.skip_hours[..], &said.skip_days[..]), (&[0, 23][..], &[7][..]));
    assert_eq!(said.hubs, hubs(&["https://hub.test/", "https://www.a.test/own"]));
    assert_eq!(
        hints(&format!("<rss><channel>{item}</channel></rss>")),
        FeedHints::default(),
        "that is the item's"
    );
}

#[test]
fn what_atom_json_feed_and_rss_1_say_of_their_own_pace() {
    let atom =
        "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='hub' href='https://hub.test/'/><title>A</title>
 <entry><title>Cup</title><link href='/1'/></entry></feed>";
    assert_eq!(hints(atom), FeedHints { hubs: hubs(&["https://hub.test/"]), ..FeedHints::default() });
    let rss_1 = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'
 xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'><channel><sy:updatePeriod>daily</sy:updatePeriod></channel>
 <item rdf:about='/1'><title>Cup</title></item></rdf:RDF>";
    assert_eq!(hints(rss_1).period_s, Some(86_400));
    let json = r#"{"version": "https://jsonfeed.org/version/1.1", "hubs": [{"type": "WebSub", "url": "https://hub.test/"}, 7, {"url": 1}, {}],
 "items": [{"id": "1", "url": "/1", "authors": [{"name": "A", "url": "https://no.test/"}]}]}"#;
    assert_eq!(hints(json), FeedHints { hubs: hubs(&["https://hub.test/"]), ..FeedHints::default() });
    for said in
        ["<ttl>-1</ttl>", "<ttl>1e9</ttl>", "<ttl/>", "<ttl>0</ttl>", "<ttl>99999999999999999999999</ttl>"]
    {
        let text = format!("<rss><channel>{said}<item><link>/1</link></item></channel></rss>");
        assert_eq!(hints(&text), FeedHints::default(), "{said}");
    }
}

#[test]
fn sitemaps() {
    check(
        "<?xml version='1.0'?><?xml-stylesheet href='x.xsl'?>
<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'
  xmlns:news='http://www.google.com/schemas/sitemap-news/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>
 <url><loc>https://www.a.test/1</loc><lastmod>2024-05-03</lastmod><changefreq>daily</changefreq>
  <image:image><image:loc>https://www.a.test/i.png</image:loc><image:title>no</image:title></image:image>
  <xhtml:link rel='alternate' hreflang='de' href='https://www.a.test/de'/></url>
 <url><loc><![CDATA[https://www.a.test/2?a=1&b=2]]></loc><lastmod>2024-05</lastmod></url>
</urlset>",
        "Map
https://www.a.test/1 | - | - | 2024-05-03T00:00:00Z
https://www.a.test/2?a=1&b=2 | - | - | 2024-05-01T00:00:00Z",
    );
    check("<urlset/>", "Map");
}

#[test]
fn news_sitemaps() {
    check(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:nn='http://www.google.com/schemas/sitemap-news/0.9'>
 <url><loc>https://www.a.test/1</loc><nn:news><nn:publication><nn:name>A</nn:name></nn:publication>
  <nn:publication_date>2024-05-03T10:30:00+02:00</nn:publication_date><nn:title>Cup &amp; Tour</nn:title></nn:news>
  <lastmod>2024-05-04</lastmod></url></urlset>",
        "NewsMap\nhttps://www.a.test/1 | Cup & Tour | 2024-05-03T08:30:00Z | 2024-05-04T00:00:00Z",
    );
    check("<urlset xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'></urlset>", "NewsMap");
    check(
        "<urlset><url><loc>/1</loc><news:news><news:title>Cup</news:title></news:news></url></urlset>",
        "NewsMap\nhttps://www.a.test/1 | Cup | - | -",
    );
}

#[test]
fn an_index_leaves_itself_out() {
    let url: CanonicalUrl = "https://www.a.test/sitemap.xml".parse().unwrap();
    let index = "<sitemapindex xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'>
 <sitemap><loc>https://www.a.test/1.xml.gz</loc><lastmod>2024-05-03T10:30:00Z</lastmod></sitemap>
 <sitemap><loc>http://www.a.test/sitemap.xml</loc></sitemap><sitemap><loc>/sitemap.xml</loc></sitemap>
 <sitemap><loc>https://cdn.a.test/2.xml</loc></sitemap><sitemap><loc>https://b.test/3.xml</loc></sitemap></sitemapindex>";
    let listing = read(&url, Some("text/xml"), index.as_bytes(), NOW, &ListingLimits::default()).unwrap();
    assert_eq!(
        shown(&listing),
        "MapIndex other_site=1 itself=2
https://www.a.test/1.xml.gz | 2024-05-03T10:30:00Z
https://cdn.a.test/2.xml | -"
    );
}

#[test]
fn the_best_link_counts() {
    // FeedBurner's own address is on another site; the original one is not.
    check_items(
        "<item><link>https://feedproxy.test/1</link><feedburner:origLink xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'>https://www.a.test/1</feedburner:origLink></item>
         <item><link>https://www.a.test/x</link><feedburner:origLink>https://www.a.test/2</feedburner:origLink></item>
         <item><link>https://feedproxy.test/3</link><guid>https://www.a.test/3</guid></item>
         <item><link/><guid isPermaLink=' True '>http://www.a.test/4</guid></item>
         <item><link>mailto:x@a.test</link><guid>5</guid></item>
         <item><link>https://b.test/6</link></item>
         <item><guid isPermaLink='false'>https://www.a.test/7</guid></item>
         <item><link>  </link><guid>8</guid></item>",
        "Feed no_link=1 bad_link=1 other_site=1
https://www.a.test/1 | - | - | -
https://www.a.test/2 | - | - | -
https://www.a.test/3 | - | - | -
http://www.a.test/4 | - | - | -
https://www.a.test/7 | - | - | -",
    );
}

#[test]
fn other_sites_are_taken_on_demand() {
    let feed = "<rss><item><link>https://b.test/1</link></item><item><link>https://sub.c.test/2</link></item>\
                <item><link>/3</link></item></rss>";
    let taken = |limits: ListingLimits| {
        let listing = read(&own(), None, feed.as_bytes(), NOW, &limits).unwrap();
        let urls = listing.items.iter().map(|item| item.url.to_string()).collect::<Vec<_>>();
        (urls.join(" "), listing.left_out.other_site)
    };
    let all = ListingLimits { same_site: false, ..ListingLimits::default() };
    assert_eq!(taken(all), ("https://b.test/1 https://sub.c.test/2 https://www.a.test/3".into(), 0));
    let other = ListingLimits { site: Some(Site::of_host("www.c.test")), ..ListingLimits::default() };
    assert_eq!(taken(other), ("https://sub.c.test/2".into(), 2));
}

#[test]
fn duplicates_are_one() {
    check_items(
        "<item><link>/1#a</link><pubDate>Fri, 03 May 2024 10:30:00 GMT</pubDate><atom:updated>2024-05-03</atom:updated></item>
         <item><link>/2</link></item>
         <item><link>/1?utm_source=x</link><title>Cup</title><pubDate>Thu, 02 May 2024 10:30:00 GMT</pubDate><atom:updated>2024-05-05</atom:updated></item>
         <item><link>/1</link><title>Other</title></item>",
        "Feed merged=2
https://www.a.test/1 | Cup | 2024-05-02T10:30:00Z | 2024-05-05T00:00:00Z
https://www.a.test/2 | - | - | -",
    );
}

#[test]
fn dates_in_the_future_are_unknown() {
    check_items(
        "<item><link>/1</link><pubDate>2024-06-02T11:00:00Z</pubDate></item>
         <item><link>/2</link><pubDate>2024-06-02T13:00:00Z</pubDate><atom:updated>2030-01-01</atom:updated></item>
         <item><link>/3</link><pubDate>soon</pubDate></item>",
        "Feed future_dates=2
https://www.a.test/1 | - | 2024-06-02T11:00:00Z | -
https://www.a.test/2 | - | - | -
https://www.a.test/3 | - | - | -",
    );
}

#[test]
fn encodings_are_as_declared() {
    let feed = |encoding: &str, title: &str| {
        format!(
            "<?xml version='1.0' encoding='{encoding}'?><rss><item><link>/1</link><title>{title}</title></item></rss>"
        )
    };
    let russian = encoding_rs::WINDOWS_1251.encode(&feed("windows-1251", "Новости")).0.into_owned();
    check(russian, "Feed\nhttps://www.a.test/1 | Новости | - | -");
    let german = encoding_rs::WINDOWS_1252.encode(&feed("ISO-8859-1", "für")).0.into_owned();
    check(german, "Feed\nhttps://www.a.test/1 | für | - | -");
    let wide: Vec<u8> = feed("utf-16", "für").encode_utf16().flat_map(u16::to_le_bytes).collect();
    check([b"\xFF\xFE".to_vec(), wide].concat(), "Feed\nhttps://www.a.test/1 | für | - | -");
}

#[test]
fn pages_are_no_listings() {
    let html =
        "<!DOCTYPE html><!-- <rss> --><html><head><link rel=alternate type=application/rss+xml href=/feed>";
    for bytes in [
        html,
        "<html xmlns='http://www.w3.org/1999/xhtml'/>",
        "",
        "plain",
        "{\"items\": []}",
        "[]",
        "\u{FEFF}",
        "<opml/>",
    ] {
        for bytes in [bytes.as_bytes().to_vec(), gzip(bytes.as_bytes())] {
            assert!(matches!(read_all(&bytes), Err(ListingError::NotAListing { .. })), "{bytes:?}");
            assert!(!sniff(Some("text/html"), &bytes) && !sniff(None, &bytes));
        }
    }
    let error = read_all(html.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error,
        "`https://www.a.test/dir/feed` is neither a feed nor a sitemap: it begins with `<html>`"
    );
}

#[test]
fn the_content_type_helps_where_the_bytes_say_nothing() {
    let late = format!("<!--{}--><rss/>", "x".repeat(input::BLOCK));
    assert!(!sniff(None, late.as_bytes()));
    assert!(sniff(Some("application/RSS+xml; charset=utf-8"), late.as_bytes()));
    assert!(!sniff(Some("application/rss+xml"), b"<html>"));
    assert!(sniff(Some("application/feed+json"), b"{"));
    assert!(sniff(None, b"\xEF\xBB\xBF\n<?xml version='1.0'?>\n<!DOCTYPE rss [<!ENTITY a 'b'>]><rss>"));
}

/// What an item says besides its title and dates.
fn details(bytes: &str) -> ItemDetails {
    let listing = read_all(bytes.as_bytes()).unwrap();
    *listing.items.into_iter().next().unwrap().details.unwrap_or_default()
}

#[test]
fn sitemaps_say_where_pages_are_in_other_languages() {
    let link = |rel: &str, language: &str, href: &str| {
        format!("<xhtml:link rel='{rel}' hreflang='{language}' href='{href}'/>")
    };
    let map = |links: String| {
        let url = format!("<url><loc>/1</loc>{links}</url><url><loc>/2</loc></url>");
        format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:xhtml='http://www.w3.org/1999/xhtml'>{url}</urlset>"
        )
    };
    let said = |links: String| -> Vec<String> {
        let alternates = details(&map(links)).alternates;
        alternates.iter().map(|found| format!("{} {}", found.language, found.url)).collect()
    };
    let links = [
        link("alternate", "de", "https://de.test/1"),
        link("Alternate nofollow", "x-default", "/1?a=1&amp;amp;b=2"),
        link("alternate", "de", "https://de.test/1"),
        link("alternate", "fr", "javascript:alert(1)"),
        link("alternate", "", "https://fr.test/1"),
        link("canonical", "it", "https://it.test/1"),
        "<link rel='alternate' hreflang='pt-BR' href='https://pt.test/1'/><xhtml:link rel='alternate' hreflang='es'/>".into(),
    ];
    let wanted =
        ["de https://de.test/1", "x-default https://www.a.test/1?a=1&b=2", "pt-BR https://pt.test/1"];
    assert_eq!(said(links.concat()), wanted);
    let many = (0..200).map(|number| link("alternate", "de", &format!("/{number}")));
    assert_eq!(said(many.collect()).len(), 64);
    // Undeclared prefixes mean what they usually mean, and an entry that is never closed keeps its own links.
    let open = format!(
        "<urlset><url><loc>/1</loc>{}<url><loc>/2</loc>{}</urlset>",
        link("alternate", "de", "/de"),
        link("alternate", "fr", "/fr")
    );
    let listing = read_all(open.as_bytes()).unwrap();
    let languages = listing
        .items
        .iter()
        .map(|item| item.details.as_ref().map(|details| details.alternates[0].language.as_str()));
    assert_eq!(languages.collect::<Vec<_>>(), [Some("de"), Some("fr")]);
}

#[test]
fn items_name_authors_keywords_pictures_and_texts() {
    let said = details(
        "<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'
  xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:media='http://search.yahoo.com/mrss/'><channel><item>
   <link>/1</link><dc:creator><![CDATA[Ann Lee]]></dc:creator><author>ben@a.test (Ben Cole)</author><dc:language>en-GB</dc:language>
   <prism:section>Football &amp;amp; more</prism:section><category>Sport</category><category><![CDATA[Cup]]></category><category>Sport</category>
   <enclosure url='/sound.mp3' type='audio/mpeg'/><media:content url='/cup.jpg' medium='image'/><media:thumbnail url='/small.jpg'/>
   <description>&lt;p&gt;A cup &amp;amp; a &lt;b&gt;tour&lt;/b&gt;.</description>
   <content:encoded><![CDATA[<p>The cup <a href='/x'>came home</a>.</p><p>At last.</p>]]></content:encoded>
  </item></channel></rss>",
    );
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(said.authors, texts(&["Ann Lee", "ben@a.test (Ben Cole)"]));
    assert_eq!(said.section.as_deref(), Some("Football & more"));
    assert_eq!(said.keywords, texts(&["Sport", "Cup"]));
    assert_eq!(said.image.as_ref().map(CanonicalUrl::as_str), Some("https://www.a.test/cup.jpg"));
    assert_eq!((said.summary.as_deref(), said.language.as_deref()), (Some("A cup & a tour."), Some("en-GB")));
    let text = "<p>The cup <a href='/x'>came home</a>.</p><p>At last.</p>";
    assert_eq!(said.html.as_deref(), Some(text));

    let said = details(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/1'/><category term='Sport' label='no'/>
   <author><name>Ann Lee</name><email>ann@a.test</email></author><author><name>Ben Cole</name></author>
   <summary>A cup.</summary><content type='html'>&lt;p&gt;The cup came home.</content></entry></feed>",
    );
    assert_eq!((said.authors, said.keywords), (texts(&["Ann Lee", "Ben Cole"]), texts(&["Sport"])));
    assert_eq!(
        (said.summary.as_deref(), said.html.as_deref()),
        (Some("A cup."), Some("<p>The cup came home."))
    );

    let said = details(
        r#"{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"/1","authors":[{"name":"Ann Lee","url":"/ann"}],
        "author":{"name":"Ben Cole"},"tags":["Sport",7,"Cup"],"language":"en","image":"/cup.jpg","summary":"A cup.",
        "content_text":"The cup < came home.\n\nAt last."}]}"#,
    );
    assert_eq!((said.authors, said.keywords), (texts(&["Ann Lee", "Ben Cole"]), texts(&["Sport", "Cup"])));
    assert_eq!(said.html.as_deref(), Some("<p>The cup &lt; came home.<p>At last."));

    let said = details(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>
   <url><loc>/1</loc><news:news><news:publication><news:name>A</news:name><news:language>en</news:language></news:publication>
   <news:title>Cup</news:title><news:keywords>cup, tour</news:keywords></news:news></url></urlset>",
    );
    assert_eq!((said.language.as_deref(), said.keywords), (Some("en"), texts(&["cup", "tour"])));
}

#[test]
fn a_description_of_many_words_is_the_full_text() {
    let item = |words: usize| {
        format!(
            "<rss version='2.0'><channel><item><link>/1</link><description>&lt;p&gt;{}</description></item></channel></rss>",
            "word ".repeat(words)
        )
    };
    assert_eq!(details(&item(40)).html, None);
    assert!(details(&item(400)).html.is_some());
    let summary = details(&item(400)).summary.unwrap();
    assert!(summary.len() <= 500, "{}", summary.len());
}
