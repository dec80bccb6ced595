//! The text that is there: annotations, unknown elements, breaks and other people's texts.

use super::{DUTCH, FINNISH, ITALIAN, JAPANESE, POLISH, PORTUGUESE, RUSSIAN, Story, read, texts};

/// A story with other paragraphs.
fn with_first(story: &Story, first: &'static str) -> Story {
    let mut text = story.text;
    text[0] = first;
    Story { text, ..*story }
}

#[test]
fn readings_with_brackets_for_old_browsers_are_no_text() {
    let html = JAPANESE
        .paragraphs()
        .replace("駅舎", "<ruby>駅舎<rp>（</rp><rt>えきしゃ</rt><rp>）</rp></ruby>")
        .replace("線路", "<ruby><rb>線路</rb><rt>せんろ</rt></ruby>");
    JAPANESE.check(&JAPANESE.around("", &html));
}

#[test]
fn readings_of_single_letters_are_no_text() {
    let html = JAPANESE.paragraphs().replace("農家", "<ruby>農<rt>のう</rt>家<rt>か</rt></ruby>");
    let html = html.replace("野菜", "<ruby><rb>野</rb><rb>菜</rb><rtc><rt>や</rt><rt>さい</rt></rtc></ruby>");
    JAPANESE.check(&JAPANESE.around("", &html));
}

#[test]
fn a_headline_with_readings_is_read_without_them() {
    let html = JAPANESE.around("", &JAPANESE.paragraphs()).replace(
        "<h1>山あいの駅舎、",
        "<h1><ruby>山<rt>やま</rt></ruby>あいの<ruby>駅舎<rt>えきしゃ</rt></ruby>、",
    );
    JAPANESE.check(&html.replace(" | Kurant</title>", "</title>").replace("<title>山あいの", "<title>"));
}

#[test]
fn an_explained_word_stays_in_its_sentence() {
    let html = DUTCH
        .paragraphs()
        .replace("waterschap maandag", "<uitleg-woord data-id=7>waterschap</uitleg-woord> maandag")
        .replace("Terherne", "<x-plaats><a href=/plaats/terherne>Terherne</a></x-plaats>");
    DUTCH.check(&DUTCH.around("", &html));
}

#[test]
fn an_element_of_an_office_program_stays_in_its_sentence() {
    let html = PORTUGUESE
        .paragraphs()
        .replace("segunda-feira", "<st1:day w:st=on>segunda-feira</st1:day>")
        .replace("2018", "<output>2018</output>")
        .replace("</p>", "<o:p></o:p></p>");
    PORTUGUESE.check(&PORTUGUESE.around("", &html));
}

#[test]
fn words_that_a_reader_speaks_aloud_make_one_sentence() {
    let words = |text: &str| {
        text.split(' ').map(|word| format!("<read-word>{word}</read-word>")).collect::<Vec<_>>().join(" ")
    };
    let html: String = FINNISH.text.iter().map(|text| format!("<div>{}</div>", words(text))).collect();
    FINNISH.check(&FINNISH.around("", &html));
}

#[test]
fn elements_of_an_unknown_name_may_be_paragraphs() {
    let html: String = POLISH.text.iter().map(|text| format!("<k-par>{text}</k-par>")).collect();
    POLISH.check(&POLISH.around("", &format!("<k-text>{html}</k-text>")));
}

#[test]
fn buttons_between_paragraphs_are_no_text() {
    let buttons = "</p><button>Ascolta questo brano</button> <button>Copia il link del brano</button>";
    let html = ITALIAN.paragraphs().replace("</p>", buttons);
    ITALIAN.check(&ITALIAN.around("", &html));
}

#[test]
fn a_button_inside_a_sentence_is_text() {
    let html = ITALIAN.paragraphs().replace("macina è", "<button class=glossa>macina</button> è");
    ITALIAN.check(&ITALIAN.around("", &html));
}

#[test]
fn single_breaks_part_paragraphs() {
    let html = PORTUGUESE.text.join("<br>\n");
    PORTUGUESE.check(&PORTUGUESE.around("", &format!("<div class=corpo>{html}</div>")));
}

#[test]
fn an_indent_after_a_break_begins_a_paragraph() {
    let html: Vec<String> = JAPANESE.text.iter().map(|text| format!("　{text}")).collect();
    JAPANESE.check(&JAPANESE.around("", &format!("<div>{}</div>", html.join("<br />"))));
    let html: Vec<String> = DUTCH.text.iter().map(|text| format!("&nbsp;&nbsp;&nbsp;{text}")).collect();
    DUTCH.check(&DUTCH.around("", &format!("<div>{}</div>", html.join("<br>"))));
}

#[test]
fn lines_of_verse_and_addresses_stay_together() {
    let verse = "Il mulino gira piano<br>e la ruota canta ancora<br>sotto l’acqua della sera.";
    let html =
        ITALIAN.paragraphs().replace("</p>\n<p>La macina", &format!("</p><p>{verse}</p>\n<p>La macina"));
    let found = read(&ITALIAN.around("", &html));
    let expected = "Il mulino gira piano e la ruota canta ancora sotto l’acqua della sera.";
    assert!(texts(&found).contains(&expected), "{:?}", texts(&found));
    assert_eq!(found.body.len(), 5);
}

#[test]
fn blank_lines_of_typed_text_part_paragraphs() {
    RUSSIAN.check(&RUSSIAN.around("", &format!("<pre>{}</pre>", RUSSIAN.text.join("\n\n"))));
    let html = format!("<div style='white-space: pre-wrap'>{}</div>", FINNISH.text.join("\r\n \r\n"));
    FINNISH.check(&FINNISH.around("", &html));
}

#[test]
fn wrapped_lines_of_typed_text_make_one_paragraph() {
    let wrapped = |text: &str| {
        let (mut wrapped, mut width) = (String::new(), 0);
        for word in text.split(' ') {
            width += word.chars().count() + 1;
            wrapped.push(if width > 60 { '\n' } else { ' ' });
            width = if width > 60 { word.chars().count() } else { width };
            wrapped.push_str(word);
        }
        wrapped.trim().to_owned()
    };
    let html: Vec<String> = POLISH.text.iter().map(|text| wrapped(text)).collect();
    POLISH.check(&POLISH.around("", &format!("<pre class=poczta>{}</pre>", html.join("\n\n"))));
}

#[test]
fn lines_of_a_style_that_keeps_them_are_paragraphs() {
    let head = "<style>.tekst{color:#111;white-space:pre-line}</style>";
    let html = format!("<div class=tekst>{}</div>", DUTCH.text.join("\n"));
    DUTCH.check(&DUTCH.around(head, &html));
}

#[test]
fn what_readers_wrote_is_never_the_text() {
    let comments: String = [
        "Dat is een schande voor een dorp dat van het water leeft, en niemand heeft ons iets gevraagd.",
        "Wieger heeft mij als kind nog leren vissen, ik gun hem zijn pensioen van harte.",
        "Wie neemt er dan de telefoon op als het stormt? In Terherne wist niemand het.",
        "Gewoon een goed salaris bieden, dan komt er heus wel iemand op die oproep af.",
    ]
    .iter()
    .map(|text| {
        format!("<li><strong>piet_{}</strong> <span>3 uur geleden</span><p>{text}</p></li>", text.len())
    })
    .collect();
    let first = DUTCH.text[0];
    let html = format!("<p>{first}</p><section id=reacties><h3>4 reacties</h3><ol>{comments}</ol></section>");
    assert_eq!(texts(&read(&DUTCH.around("", &html))), [first]);
    let classes = html.replace("id=reacties", "class=comments");
    assert_eq!(texts(&read(&DUTCH.around("", &classes))), [first]);
}

#[test]
fn a_page_of_a_film_has_no_text_but_its_readers() {
    let comments: String = [
        "Eu estive lá na segunda-feira e a carrinha é linda, parabéns a quem teve a ideia.",
        "Na minha aldeia ninguém soube de nada, deviam avisar com mais antecedência da próxima vez.",
        "A minha avó pediu logo dois romances e um livro de receitas, agora não faz outra coisa.",
    ]
    .iter()
    .map(|text| format!("<div class=comment><b>leitor{}</b><p>{text}</p></div>", text.len()))
    .collect();
    let html = format!("<video src=/v.mp4></video><div id=comments class=comments>{comments}</div>");
    assert_eq!(texts(&read(&PORTUGUESE.around("", &html))), Vec::<&str>::new());
}

#[test]
fn quotations_of_readers_in_a_story_are_its_text() {
    let html = format!(
        "{}<blockquote><p>Ik heb mijn hele leven langs dit water gewoond en mis hem nu al, schreef een lezeres.</p></blockquote>",
        DUTCH.paragraphs()
    );
    assert_eq!(read(&DUTCH.around("", &html)).body.len(), 5);
}

#[test]
fn pictures_of_other_stories_are_not_the_text() {
    let slides: String = [
        ("Lato w mieście", "Fontanna na rynku znów działa i przyciąga dzieci z całej okolicy, także w nocy."),
        ("Targ staroci", "Sprzedawcy rozłożyli w niedzielę ponad dwieście stoisk, najwięcej w historii targu."),
        ("Nowy tramwaj", "Skład pojechał pierwszy raz z pasażerami i zatrzymał się dopiero przed szpitalem."),
    ]
    .iter()
    .enumerate()
    .map(|(number, (title, text))| {
        format!("<div class=slide><img src=/{number}.jpg alt=''><h4><a href=/{number}>{title}</a></h4><p>{text}</p></div>")
    })
    .collect();
    let html = POLISH
        .paragraphs()
        .replace("</p>\n<p>Bilet", &format!("</p><div class=slider>{slides}</div>\n<p>Bilet"));
    POLISH.check(&POLISH.around("", &html));
}

#[test]
fn a_numbered_gallery_beside_the_story_is_not_its_text() {
    let slides: String = [
        "Il mercato di Valforte ha venduto in un’ora tutti i formaggi arrivati dalla montagna nella notte.",
        "La banda di Pietrascura prova sotto la pioggia, con gli ombrelli fissati agli strumenti.",
        "Una volpe attraversa la piazza di Colmorto mentre il vigile dirige il traffico della fiera.",
        "Il nuovo ponte di Acquafredda visto dal campanile, poche ore prima dell’inaugurazione.",
    ]
    .iter()
    .enumerate()
    .map(|(number, text)| format!("<li><img src=/g{number}.jpg><p>{} / 4 {text}</p></li>", number + 1))
    .collect();
    let gallery = format!("<aside><h3>La settimana in immagini</h3><ul>{slides}</ul></aside>");
    let html = ITALIAN.paragraphs().replace("</p>\n<p>La macina", &format!("</p>{gallery}\n<p>La macina"));
    ITALIAN.check(&ITALIAN.around("", &html));
}

#[test]
fn the_steps_of_a_guide_are_its_text() {
    let steps: String = DUTCH.text[1..]
        .iter()
        .enumerate()
        .map(|(number, text)| format!("<div class=slide><h3>{}. Stap</h3><p>{text}</p></div>", number + 1))
        .collect();
    let html = format!("<p>{}</p><div class=carousel>{steps}</div>", DUTCH.text[0]);
    let found = read(&DUTCH.around("", &html));
    assert!(DUTCH.text.iter().all(|text| texts(&found).contains(text)), "{:?}", texts(&found));
}

#[test]
fn a_paragraph_that_is_a_link_is_text() {
    let link = "<p><a href=/raport.pdf>Pełny raport z remontu kolejki można przeczytać tutaj w języku polskim.</a></p>";
    let html = POLISH.paragraphs().replace("<p>W pierwszy", &format!("{link}\n<p>W pierwszy"));
    let found = read(&POLISH.around("", &html));
    assert_eq!(found.body.len(), 5, "{:?}", texts(&found));
}

#[test]
fn a_list_of_linked_sources_is_text() {
    let list = "<h2>Lähteet</h2><ul><li><a href=https://kunta.example/1>Kunnanhallituksen pöytäkirja 12/2025</a></li>\
                <li><a href=https://kunta.example/2>Koulurakennuksen kuntoarvio</a></li>\
                <li><a href=https://kunta.example/3>Vanhempien kirje kunnalle</a></li></ul>";
    let found = read(&FINNISH.around(
        "",
        &format!(
            "{}{list}<p>Kunta julkaisi asiakirjat tiistaina, ja ne ovat kaikkien luettavissa.</p>",
            FINNISH.paragraphs()
        ),
    ));
    assert!(texts(&found).contains(&"Koulurakennuksen kuntoarvio"), "{:?}", texts(&found));
}

#[test]
fn a_link_that_is_never_closed_does_not_hide_the_text() {
    let story = with_first(&RUSSIAN, RUSSIAN.text[0]);
    let html = format!("<a href=/foto name=top>{}", story.paragraphs());
    story.check(&story.around("", &html));
}

#[test]
fn links_to_other_stories_between_paragraphs_are_not_text() {
    let link = "<p><a href=/nieuws/4712-brug-terherne-zes-uur-open>Lees ook: Brug bij Terherne stond zes uur open</a></p>";
    let html = DUTCH.paragraphs().replace("<p>Schippers", &format!("{link}\n<p>Schippers"));
    DUTCH.check(&DUTCH.around("", &html));
}
