//! JSON-LD, and metadata of other forms.

use super::{DUTCH, FINNISH, ITALIAN, POLISH, PORTUGUESE, RUSSIAN, Story, read, texts};
use newslode_page::article::Article;

fn ld(json: &str) -> String {
    format!("<script type=application/ld+json>{json}</script>")
}

fn with_ld(story: &Story, json: &str) -> Article {
    read(&story.around(&ld(json), &story.paragraphs()))
}

#[track_caller]
fn check_authors(story: &Story, json: &str, expected: &[&str]) {
    let found = with_ld(story, json);
    assert_eq!(found.authors, expected, "{json}");
    assert_eq!(texts(&found), story.text);
}

/// The JSON-LD of an article by one author.
fn article_of(story: &Story, author: &str) -> String {
    format!("{{\"@type\":\"NewsArticle\",\"headline\":\"{}\",\"author\":{author}}}", story.title)
}

#[test]
fn damaged_json_is_read() {
    for json in [
        "{\"@type\":\"NewsArticle\",\"author\":{\"@type\":\"Person\",\"name\":\"Sjoukje Hiemstra\",},}",
        "{\"@type\":\"NewsArticle\", // het artikel\n \"author\":{\"name\":\"Sjoukje Hiemstra\"} /* einde */ }",
        "{\"@type\":\"NewsArticle\",\"description\":\"Kosten: 3\\% en C:\\data\",\"author\":{\"name\":\"Sjoukje Hiemstra\"}}",
        "{\"@type\":\"NewsArticle\",\"description\":\"een \"open\" sluis\",\"author\":{\"name\":\"Sjoukje Hiemstra\"}}",
        "{\"@type\":\"NewsArticle\",\"description\":\"half \\ud83d teken\",\"author\":{\"name\":\"Sjoukje Hiemstra\"}}",
        "{\"@type\":\"WebSite\",\"name\":\"Kurant\"}{\"@type\":\"NewsArticle\",\"author\":{\"name\":\"Sjoukje Hiemstra\"}}",
        "/*<![CDATA[*/ {\"@type\":\"NewsArticle\",\"author\":{\"name\":\"Sjoukje Hiemstra\"}} /*]]>*/",
        "{&quot;@type&quot;:&quot;NewsArticle&quot;,&quot;author&quot;:{&quot;name&quot;:&quot;Sjoukje Hiemstra&quot;}}",
        "{'@type':'NewsArticle','author':{'name':'Sjoukje Hiemstra'}}",
        "{\"@type\":\"NewsArticle\",\"author\":{\"name\":\"Sjoukje Hiemstra\"},\"keywords\":[\"sluis\",",
        "\u{feff}var x = {\"@type\":\"NewsArticle\",\"author\":{\"name\":\"Sjoukje Hiemstra\"}};",
    ] {
        check_authors(&DUTCH, json, &["Sjoukje Hiemstra"]);
    }
}

#[test]
fn what_looks_damaged_inside_a_string_is_text() {
    let json = "{\"@type\":\"NewsArticle\",\"articleSection\":\"A, // b /* c */ [d,]\",\"author\":{\"name\":\"Sjoukje Hiemstra\"}}";
    let found = with_ld(&DUTCH, json);
    assert_eq!(found.section.as_deref(), Some("A, // b /* c */ [d,]"));
}

#[test]
fn entities_of_all_names_are_letters() {
    let json = "{\"@type\":\"NewsArticle\",\"articleSection\":\"Educa&ccedil;&atilde;o &amp; Cultura\",\"author\":{\"name\":\"Jo&atilde;o Guimar&atilde;es\"}}";
    let found = with_ld(&PORTUGUESE, json);
    assert_eq!(found.section.as_deref(), Some("Educação & Cultura"));
    assert_eq!(found.authors, ["João Guimarães"]);
    let json = json.replace("&atilde;", "&amp;atilde;").replace("&ccedil;", "&#231;");
    assert_eq!(with_ld(&PORTUGUESE, &json).authors, ["João Guimarães"]);
    let found = with_ld(&DUTCH, "{\"@type\":\"NewsArticle\",\"articleSection\":\"R&D&copy-cat&nota\"}");
    assert_eq!(found.section.as_deref(), Some("R&D&copy-cat&nota"));
}

#[test]
fn every_shape_of_an_author_is_read() {
    for author in [
        "{\"@type\":\"Person\",\"givenName\":\"Maija\",\"familyName\":\"Lehtola\"}",
        "{\"@type\":\"Person\",\"name\":{\"@value\":\"Maija Lehtola\",\"@language\":\"fi\"}}",
        "{\"@list\":[{\"@type\":\"Person\",\"name\":[\"Maija Lehtola\"]}]}",
        "{\"@type\":\"Role\",\"author\":{\"@type\":\"Person\",\"name\":\"Maija Lehtola\"},\"roleName\":\"toimittaja\"}",
        "\"<a href='/t/maija' rel='author'>Maija Lehtola</a>\"",
        "[[\"Maija Lehtola\"]]",
        "{\"@type\":\"Person\",\"name\":\"Maija Lehtola\",\"url\":\"https://www.kurant.example/t/maija\"}",
        "{\"@type\":[\"Person\"],\"alternateName\":\"Maija Lehtola\"}",
        "{\"0\":{\"@type\":\"Person\",\"name\":\"Maija Lehtola\"}}",
    ] {
        check_authors(&FINNISH, &article_of(&FINNISH, author), &["Maija Lehtola"]);
    }
}

#[test]
fn several_authors_of_every_shape_are_read() {
    let both = ["Wanda Krupa", "Jerzy Sowa"];
    for author in [
        "{\"@type\":\"Person\",\"name\":[\"Wanda Krupa\",\"Jerzy Sowa\"]}",
        "[{\"@type\":\"Person\",\"name\":\"Wanda Krupa\"},{\"@type\":\"Person\",\"givenName\":\"Jerzy\",\"familyName\":\"Sowa\"}]",
        "[\"Wanda Krupa\",\"Jerzy Sowa\"]",
    ] {
        check_authors(&POLISH, &article_of(&POLISH, author), &both);
    }
}

#[test]
fn persons_who_wrote_nothing_are_no_authors() {
    for more in [
        "\"comment\":[{\"@type\":\"Comment\",\"author\":{\"@type\":\"Person\",\"name\":\"Piero Gatti\"},\"text\":\"Bravi!\"}]",
        "\"publisher\":{\"@type\":\"Organization\",\"name\":\"Kurant\",\"founder\":{\"@type\":\"Person\",\"name\":\"Piero Gatti\"}}",
        "\"about\":{\"@type\":\"Person\",\"name\":\"Piero Gatti\"}",
        "\"mentions\":[{\"@type\":\"Person\",\"name\":\"Piero Gatti\"}]",
        "\"editor\":{\"@type\":\"Person\",\"name\":\"Piero Gatti\"}",
        "\"review\":{\"@type\":\"Review\",\"author\":{\"@type\":\"Person\",\"name\":\"Piero Gatti\"}}",
    ] {
        let json = format!("{{\"@type\":\"NewsArticle\",\"headline\":\"{}\",{more}}}", ITALIAN.title);
        check_authors(&ITALIAN, &json, &[]);
    }
}

#[test]
fn authors_of_other_stories_are_not_the_storys() {
    let other = "{\"@type\":\"NewsArticle\",\"headline\":\"La banda suona sotto la pioggia\",\"url\":\"https://www.kurant.example/nieuws/banda\",\"author\":{\"@type\":\"Person\",\"name\":\"Piero Gatti\"}}";
    let own = format!("{{\"@type\":\"NewsArticle\",\"headline\":\"{}\"}}", ITALIAN.title);
    check_authors(&ITALIAN, &format!("[{other},{own}]"), &[]);
    check_authors(
        &ITALIAN,
        &format!("{{\"@type\":\"ItemList\",\"itemListElement\":[{{\"item\":{other}}}]}}"),
        &[],
    );
    let own = article_of(&ITALIAN, "{\"name\":\"Donata Ferri\"}");
    check_authors(&ITALIAN, &format!("[{other},{own}]"), &["Donata Ferri"]);
}

#[test]
fn the_text_of_another_story_never_enters() {
    let body = PORTUGUESE.text.join(" ").repeat(4);
    let other = format!(
        "{{\"@type\":\"NewsArticle\",\"headline\":\"{}\",\"articleBody\":\"{body}\"}}",
        PORTUGUESE.title
    );
    let own = format!("{{\"@type\":\"NewsArticle\",\"headline\":\"{}\"}}", RUSSIAN.title);
    let html = RUSSIAN
        .around(&ld(&format!("{{\"@graph\":[{other},{own}]}}")), &format!("<p>{}</p>", RUSSIAN.text[0]));
    assert_eq!(texts(&read(&html)), [RUSSIAN.text[0]]);
    let html = RUSSIAN.around(&ld(&other), &format!("<p>{}</p>", RUSSIAN.text[0]));
    assert_eq!(texts(&read(&html)), [RUSSIAN.text[0]]);
}

#[test]
fn the_storys_own_text_in_json_ld_replaces_a_stub() {
    let body = POLISH.text.join("\\n\\n");
    let json = format!(
        "{{\"@type\":\"ReportageNewsArticle\",\"headline\":\"{}\",\"articleBody\":\"{body}\"}}",
        POLISH.title
    );
    let html = POLISH.around(&ld(&json), "<p>Czytaj dalej w naszej aplikacji.</p>");
    POLISH.check(&html);
    let marked = POLISH.text.iter().map(|text| format!("<p>{text}</p>")).collect::<String>();
    let json = json.replace(&body, &marked.replace('/', "\\/"));
    POLISH.check(&POLISH.around(&ld(&json), "<p>Czytaj dalej w naszej aplikacji.</p>"));
}

#[test]
fn microdata_and_rdfa_name_authors() {
    let html = format!(
        "<div itemscope itemtype=https://schema.org/NewsArticle><span itemprop=author itemscope itemtype=https://schema.org/Person><span itemprop=name>Sjoukje Hiemstra</span></span>{}</div>",
        DUTCH.paragraphs()
    );
    assert_eq!(read(&DUTCH.around("", &html)).authors, ["Sjoukje Hiemstra"]);
    let html = format!(
        "<div vocab=https://schema.org/ typeof=NewsArticle><span property=author typeof=Person><span property=name>Sjoukje Hiemstra</span></span>{}</div>",
        DUTCH.paragraphs()
    );
    assert_eq!(read(&DUTCH.around("", &html)).authors, ["Sjoukje Hiemstra"]);
}

#[test]
fn rdfa_of_several_vocabularies_names_the_day() {
    for date in [
        "<span property='schema:datePublished' content='2024-05-03T08:30:00+02:00'>vrijdag 3 mei 2024</span>",
        "<span property='dc:date dc:created' content='2024-05-03T08:30:00+02:00' datatype='xsd:dateTime'>vrijdag 3 mei 2024</span>",
        "<div vocab='https://schema.org/' typeof=NewsArticle><time property=datePublished datetime='2024-05-03T08:30:00+02:00'>vrijdag 3 mei 2024</time></div>",
    ] {
        let found = read(&DUTCH.around("", &format!("{date}{}", DUTCH.paragraphs())));
        assert_eq!(found.published.as_deref(), Some("2024-05-03T08:30:00+02:00"), "{date}");
        assert_eq!(texts(&found), DUTCH.text);
    }
}
