//! The lead picture.

use super::{DUTCH, FINNISH, ITALIAN, POLISH, PORTUGUESE, Story, read};

#[track_caller]
fn check(story: &Story, head: &str, picture: &str, expected: Option<&str>) {
    let found = read(&story.around(head, &format!("{picture}{}", story.paragraphs())));
    assert_eq!(found.image.as_deref(), expected, "{head} {picture}");
}

#[test]
fn a_picture_of_the_site_is_not_the_storys() {
    let picture = Some("https://www.kurant.example/f/sluis.jpg");
    check(
        &DUTCH,
        "<meta property=og:image content=/img/logo.png><meta property=og:image content=/f/sluis.jpg>",
        "",
        picture,
    );
    check(
        &DUTCH,
        "<meta name=twitter:image content=/f/sluis.jpg><meta property=og:image content=/static/placeholder.png>",
        "",
        picture,
    );
}

#[test]
fn every_form_of_a_picture_in_json_ld_is_read() {
    let picture = Some("https://www.kurant.example/f/a.jpg");
    for image in [
        "\"/f/a.jpg\"",
        "[\"/f/a.jpg\",\"/f/b.jpg\"]",
        "{\"@type\":\"ImageObject\",\"url\":[\"/f/a.jpg\"]}",
        "{\"@list\":[{\"url\":\"\",\"contentUrl\":\"/f/a.jpg\"}]}",
        "{\"@id\":\"#p\"}",
        "{\"url\":{\"@id\":\"/f/a.jpg\"}}",
    ] {
        let head = format!(
            "<script type=application/ld+json>{{\"@graph\":[{{\"@type\":\"NewsArticle\",\"headline\":\"{}\",\"image\":{image}}},\
             {{\"@type\":\"ImageObject\",\"@id\":\"#p\",\"url\":\"/f/a.jpg\"}}]}}</script>",
            POLISH.title
        );
        check(&POLISH, &head, "", picture);
    }
    check(
        &POLISH,
        "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"thumbnailUrl\":\"/f/a.jpg\"}</script>",
        "",
        picture,
    );
}

#[test]
fn a_picture_that_loads_late_is_read() {
    let picture = Some("https://www.kurant.example/f/koulu.jpg");
    for lazy in [
        "<img src='data:image/gif;base64,R0lGOD' data-src=/f/koulu.jpg width=800 height=500>",
        "<img src=/spacer.gif data-srcset='/f/koulu-s.jpg 320w, /f/koulu.jpg 1280w'>",
        "<picture><source data-srcset='/f/koulu.jpg 2x'><img alt=''></picture>",
        "<img class=lazy data-original=/f/koulu.jpg><noscript><img src=/f/koulu.jpg></noscript>",
    ] {
        check(
            &FINNISH,
            "",
            &format!("<figure>{lazy}<figcaption>Koulu syyskuussa.</figcaption></figure>"),
            picture,
        );
    }
}

#[test]
fn other_marks_of_the_lead_picture_are_read() {
    let picture = Some("https://www.kurant.example/f/ponte.jpg");
    check(&ITALIAN, "<link rel=image_src href=/f/ponte.jpg>", "", picture);
    check(&ITALIAN, "<meta itemprop=image content=/f/ponte.jpg>", "", picture);
    check(&ITALIAN, "<meta name=thumbnail content=/f/ponte.jpg>", "", picture);
    check(&ITALIAN, "", "<img itemprop='image' src=/f/ponte.jpg>", picture);
}

#[test]
fn small_pictures_and_portraits_are_not_the_lead() {
    check(&PORTUGUESE, "", "<div class=autor><img src=/rosto.jpg width=64 height=64> Ana Prates</div>", None);
    check(&PORTUGUESE, "", "<img src=/pixel.gif width=1 height=1><img src=/icons/share.svg>", None);
}
