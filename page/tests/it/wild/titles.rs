//! Headlines.

use super::{DUTCH, FINNISH, ITALIAN, JAPANESE, PORTUGUESE, RUSSIAN, Story};

#[test]
fn markup_inside_a_headline_parts_no_words() {
    let html = DUTCH.around("", &DUTCH.paragraphs());
    let plain = format!("<h1>{}</h1>", DUTCH.title);
    for marked in [
        "<h1><span class=letter>S</span>luiswachter van <em>Oudega</em> krijgt geen opvolger</h1>",
        "<h1>Sluis<wbr>wachter van Oudega krijgt <!-- -->geen opvol<!-- -->ger</h1>",
        "<h1><a href=/x>Sluiswachter van <b>O</b>udega</a> krijgt geen opvolger</h1>",
    ] {
        DUTCH.check(&html.replace(&plain, marked).replace(DUTCH.title, "Nieuws"));
    }
}

#[test]
fn lines_of_a_headline_are_parted() {
    let html = PORTUGUESE.around("", &PORTUGUESE.paragraphs()).replace(PORTUGUESE.title, "Notícias");
    for marked in [
        "<h1>Biblioteca itinerante<br>volta às aldeias da serra</h1>",
        "<h1><span>Biblioteca itinerante</span><span>volta às aldeias</span><span>da serra</span></h1>",
        "<h1><div>Biblioteca itinerante</div><div>volta às aldeias da serra</div></h1>",
    ] {
        PORTUGUESE.check(&html.replace("<h1>Notícias</h1>", marked));
    }
}

#[test]
fn letters_that_stand_alone_for_an_effect_make_words() {
    let letters: Vec<String> = ITALIAN
        .title
        .split(' ')
        .map(|word| word.chars().map(|letter| format!("<i>{letter}</i>")).collect())
        .collect();
    let html = ITALIAN.around("", &ITALIAN.paragraphs()).replace(ITALIAN.title, "Notizie");
    ITALIAN.check(&html.replace("<h1>Notizie</h1>", &format!("<h1>{}</h1>", letters.join(" "))));
}

#[test]
fn markup_in_the_text_of_a_title_is_no_part_of_it() {
    let title = FINNISH.title;
    let marked = title.replace("koulu", "&lt;em&gt;koulu&lt;/em&gt;");
    let head = format!("<title>{marked}</title><meta property=og:title content='{marked}'>");
    FINNISH.check(&FINNISH.page(&head, &format!("<div class=o>{title}</div>{}", FINNISH.paragraphs()), "fi"));
    FINNISH.check(&FINNISH.page(&head, &FINNISH.paragraphs(), "fi"));
}

/// Checks a page without a headline on a site of some name.
fn without_headline(story: &Story, title: &str, site: &str) {
    let head = format!("<title>{title}</title><meta property=og:type content=article>");
    story.check(&story.page(&head, &story.paragraphs(), story.language).replace("Kurant", site));
}

#[test]
fn the_site_and_its_sections_are_cut_off_titles_of_unspaced_scripts() {
    let title = JAPANESE.title;
    for tail in [
        "｜社会｜山手新聞",
        " - 山手新聞",
        "：山手新聞",
        "_社会_山手新聞",
        "--社会--山手新聞",
        "【山手新聞】",
    ] {
        without_headline(&JAPANESE, &format!("{title}{tail}"), "山手新聞");
    }
}

#[test]
fn the_site_is_cut_off_a_title_with_marks_of_its_own() {
    let story = Story { title: "Маяк – Лесной: свет вернулся", ..RUSSIAN };
    without_headline(&story, &format!("{} - Вестник Севера", story.title), "Вестник Севера");
    let story = Story { title: "Sluis Oudega (Friesland) - wat nu?", ..DUTCH };
    without_headline(&story, &format!("{} | Kurant", story.title), "Kurant");
}

#[test]
fn a_title_without_a_site_keeps_its_parts() {
    let story = Story { title: "Mulino di Roccaverde - la festa", ..ITALIAN };
    without_headline(&story, story.title, "Corriere di Valle");
}
