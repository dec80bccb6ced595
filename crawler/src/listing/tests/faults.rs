//! Listings with the faults that real ones have.

use super::*;

/// Items as `url | title | published | modified`, and the head of the listing.
#[track_caller]
fn check_map(entries: &str, expected: &str) {
    check(
        format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>"),
        expected,
    );
}

#[test]
fn what_a_program_printed_before_a_feed_is_passed_over() {
    let feed = "<?xml version='1.0' encoding='UTF-8'?><rss><channel><item><title>Für</title><link>/1</link></item></channel></rss>";
    for junk in [
        "\r\n\u{FEFF}",
        "\u{A0}\n",
        "<br />\n<b>Deprecated</b>:  Function x() is deprecated in <b>/srv/a.php</b> on line <b>3</b><br />\n",
        "PHP Notice: Undefined offset: 1 in /srv/a.php on line 3\n",
        "<!-- cached -->",
        "<script>document.cookie = '<html>';</script>",
    ] {
        check(format!("{junk}{feed}"), "Feed\nhttps://www.a.test/1 | Für | - | -");
    }
    let russian = "1 <?xml version='1.0' encoding='windows-1251'?><rss><item><title>Новости</title><link>/1</link></item></rss>";
    check(encoding_rs::WINDOWS_1251.encode(russian).0, "Feed\nhttps://www.a.test/1 | Новости | - | -");
    let json = "\u{FEFF}\n {\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"url\":\"/1\"}]}";
    check(json, "Feed\nhttps://www.a.test/1 | - | - | -");
}

#[test]
fn an_identifier_that_looks_like_a_link_is_one_if_there_is_no_other() {
    check_items(
        "<item><guid isPermaLink='false'>https://www.a.test/?p=1</guid></item>
         <item><guid isPermaLink='false'>https://www.a.test/?p=2</guid><link>/2</link></item>
         <item><guid>/3.html</guid></item><item><link></link><guid>www.a.test/4</guid></item>
         <item><guid>12345</guid></item><item><guid>https://www.a.test/ and more</guid></item>",
        "Feed no_link=2
https://www.a.test/?p=1 | - | - | -
https://www.a.test/2 | - | - | -
https://www.a.test/3.html | - | - | -
https://www.a.test/4 | - | - | -",
    );
    check(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>https://www.a.test/1</id></entry>
         <entry><id>https://www.a.test/x</id><link href='/2'/></entry>
         <entry><id>tag:a.test,2024:3</id></entry>
         <entry><id>https://www.a.test/4</id><link rel='enclosure' href='/4.mp3'/></entry></feed>",
        "Feed no_link=1
https://www.a.test/1 | - | - | -
https://www.a.test/2 | - | - | -
https://www.a.test/4 | - | - | -",
    );
}

#[test]
fn an_ampersand_may_be_escaped_too_often() {
    check_items(
        "<item><link>/1?a=1&amp;amp;b=2</link></item><item><link><![CDATA[/2?a=1&amp;b=2]]></link></item>
         <item><link href='/3?a=1&amp;amp;amp;b=2'/></item><item><link>/4?a=1&amp;#038;b=2</link></item>",
        "Feed
https://www.a.test/1?a=1&b=2 | - | - | -
https://www.a.test/2?a=1&b=2 | - | - | -
https://www.a.test/3?a=1&b=2 | - | - | -
https://www.a.test/4?a=1&b=2 | - | - | -",
    );
    check_map("<url><loc>/1?a=1&amp;amp;b=2</loc></url>", "Map\nhttps://www.a.test/1?a=1&b=2 | - | - | -");
}

#[test]
fn the_title_is_the_items_own() {
    check_items(
        "<item xmlns:media='http://search.yahoo.com/mrss/' xmlns:dc='http://purl.org/dc/elements/1.1/'>
           <media:title>picture</media:title><dc:title>D</dc:title><title>One</title><link>/1</link></item>
         <item><media:title>M</media:title><dc:title>Two</dc:title><link>/2</link></item>
         <item><link>/3</link><media:title>Three</media:title></item>
         <item><title></title><media:title>Four</media:title><link>/4</link></item>",
        "Feed
https://www.a.test/1 | One | - | -
https://www.a.test/2 | Two | - | -
https://www.a.test/3 | Three | - | -
https://www.a.test/4 | Four | - | -",
    );
}

#[test]
fn titles_may_be_packed() {
    check(
        "<feed version='0.3' xmlns='http://purl.org/atom/ns#'>
         <entry><title mode='base64' type='text/html'>Q3VwICZhbXA7IDxiPlRvdXI8L2I+</title><link href='/1'/></entry>
         <entry><title mode='base64'> RsO8\n cg== </title><link href='/2'/></entry>
         <entry><title type='application/octet-stream'>Q3Vw</title><link href='/3'/></entry>
         <entry><title mode='base64'>not packed</title><link href='/4'/></entry>
         <entry><title type='application/xhtml+xml'>To<b>u<script>x()</script></b>r</title><link href='/5'/></entry></feed>",
        "Feed
https://www.a.test/1 | Cup & Tour | - | -
https://www.a.test/2 | Für | - | -
https://www.a.test/3 | Cup | - | -
https://www.a.test/4 | not packed | - | -
https://www.a.test/5 | Tour | - | -",
    );
}

#[test]
fn each_location_of_an_entry_is_a_page() {
    check_map(
        "<url><loc>/1</loc><lastmod>2024-05-03</lastmod><loc>/2</loc><lastmod>2024-05-04</lastmod><loc>/3</loc></url>
         <url><loc>/4</loc></url>",
        "Map
https://www.a.test/1 | - | - | 2024-05-03T00:00:00Z
https://www.a.test/2 | - | - | 2024-05-04T00:00:00Z
https://www.a.test/3 | - | - | -
https://www.a.test/4 | - | - | -",
    );
}

#[test]
fn an_entry_ends_where_the_next_begins() {
    check_items(
        "<item><title>One</title><link>/1</link>
         <item><title>Two</title><link>/2</link></item>
         <item><title>Three<link>/3<pubDate>2024-05-03</pubDate>
         <item><link>/4</link><title>Four
         <item><guid>https://www.a.test/5</guid></item></item>",
        "Feed
https://www.a.test/1 | One | - | -
https://www.a.test/2 | Two | - | -
https://www.a.test/3 | Three | 2024-05-03T00:00:00Z | -
https://www.a.test/4 | Four | - | -
https://www.a.test/5 | - | - | -",
    );
    check_map(
        "<url><loc>/1</loc><url><loc>/2<lastmod>2024-05-03</lastmod><url><loc>/3<url><loc>/4</loc></url>",
        "Map
https://www.a.test/1 | - | - | -
https://www.a.test/2 | - | - | 2024-05-03T00:00:00Z
https://www.a.test/3 | - | - | -
https://www.a.test/4 | - | - | -",
    );
    // Many more than may be nested.
    let many: String = (0..5000).map(|number| format!("<item><link>/{number}")).collect();
    assert_eq!(read_all(format!("<rss><channel>{many}").as_bytes()).unwrap().items.len(), 4999);
    // An entry inside the content of another one is none.
    check(
        "<feed><entry><link href='/1'/><content><div><entry><link href='/no'/></entry></div></content><title>One</title></entry></feed>",
        "Feed\nhttps://www.a.test/1 | One | - | -",
    );
}

#[test]
fn cdf() {
    check(
        "<?XML version='1.0'?><!DOCTYPE Channel SYSTEM 'x'>
<CHANNEL HREF='https://www.a.test/' BASE='https://www.a.test/news/'><TITLE>A</TITLE>
 <ITEM HREF='1.html' LASTMOD='2024-05-03T10:30+02:00'><TITLE>Cup</TITLE><ABSTRACT>x</ABSTRACT></ITEM>
 <CHANNEL HREF='/sports/'><ITEM HREF='/2'/></CHANNEL></CHANNEL>",
        "Feed
https://www.a.test/news/1.html | Cup | - | 2024-05-03T08:30:00Z
https://www.a.test/2 | - | - | -",
    );
}

#[test]
fn the_date_of_publication_may_come_late() {
    check_items(
        "<item><link>/1</link><dc:date>2024-05-09</dc:date><pubDate>2024-05-03</pubDate></item>
         <item><link>/2</link><dcterms:created>2024-01-01</dcterms:created><dcterms:issued>2024-05-03</dcterms:issued></item>
         <item><link>/3</link><pubDate>2024-05-09</pubDate><pubDate>2024-05-03</pubDate></item>
         <item><link>/4</link><pubDate>soon</pubDate><dc:date>2024-05-03</dc:date></item>
         <item><link>/5</link><atom:updated>2024-05-03</atom:updated><atom:updated>2024-05-09</atom:updated></item>",
        "Feed
https://www.a.test/1 | - | 2024-05-03T00:00:00Z | -
https://www.a.test/2 | - | 2024-05-03T00:00:00Z | -
https://www.a.test/3 | - | 2024-05-03T00:00:00Z | -
https://www.a.test/4 | - | 2024-05-03T00:00:00Z | -
https://www.a.test/5 | - | - | 2024-05-09T00:00:00Z",
    );
}

#[test]
fn a_text_is_a_map_with_one_address_a_line() {
    check(
        "\u{FEFF}https://www.a.test/1\r\n\r\nHTTPS://www.a.test/2?a=1&b=2 \nhttps://b.test/3",
        "Map other_site=1
https://www.a.test/1 | - | - | -
https://www.a.test/2?a=1&b=2 | - | - | -",
    );
    let long: String = (0..3000).map(|number| format!("https://www.a.test/story/{number}\n")).collect();
    let broken = format!("{long}what is this\nhttps://www.a.test/{}\n", "x".repeat(20_000));
    let listing = read_all(broken.as_bytes()).unwrap();
    assert_eq!((listing.items.len(), listing.left_out.no_link, listing.left_out.bad_link), (3000, 1, 1));
}

#[test]
fn an_index_may_forget_its_locations() {
    let maps = "https://www.a.test/1.xml | -\nhttps://www.a.test/2.xml | -";
    for entries in [
        "<sitemap>https://www.a.test/1.xml</sitemap><sitemap> https://www.a.test/2.xml <lastmod/></sitemap>",
        "<sitemap><url>https://www.a.test/1.xml</url></sitemap><sitemap><link>https://www.a.test/2.xml</link></sitemap>",
        "<loc>https://www.a.test/1.xml</loc><loc>https://www.a.test/2.xml</loc>",
        "<url><loc>https://www.a.test/1.xml</loc></url><sitemap><loc>https://www.a.test/2.xml</loc></sitemap>",
    ] {
        check(format!("<sitemapindex>{entries}</sitemapindex>"), &format!("MapIndex\n{maps}"));
    }
    check_map(
        "<url>https://www.a.test/1</url><url><image:image><image:loc>https://www.a.test/1.png</image:loc></image:image></url>
         <url>no address</url>",
        "Map no_link=2\nhttps://www.a.test/1 | - | - | -",
    );
}

#[test]
fn the_language_of_a_feed_may_have_any_prefix() {
    check(
        "<r:rss xmlns:r='http://backend.userland.com/rss2'><r:channel><r:item><r:title>Cup</r:title><r:link>/1</r:link></r:item></r:channel></r:rss>",
        "Feed\nhttps://www.a.test/1 | Cup | - | -",
    );
    check(
        "<s:urlset xmlns:s='urn:x'><s:url><s:loc>/1</s:loc></s:url></s:urlset>",
        "Map\nhttps://www.a.test/1 | - | - | -",
    );
}
