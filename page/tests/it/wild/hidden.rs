//! Text that is not shown, shown twice, or only there as data.

use super::{DUTCH, FINNISH, ITALIAN, JAPANESE, POLISH, PORTUGUESE, RUSSIAN, Story, read, texts};

#[test]
fn words_for_screen_readers_are_no_text() {
    let html = PORTUGUESE
        .paragraphs()
        .replace("recomeça", "<span class='u-flex visuallyhidden'>(abre noutra janela)</span>recomeça")
        .replace("</p>", "<span style='Display : none !important'>erro 204</span></p>");
    PORTUGUESE.check(&PORTUGUESE.around("", &html));
}

#[test]
fn a_rule_of_the_pages_own_style_hides() {
    let head = "<style>/* a */ .a, .resumo-ia > p, #x { display:none } .b{color:red}</style>";
    let extra = "<div class=resumo-ia><p>Resumo automático: uma biblioteca sobe à serra com três mil livros e regressa quinze dias depois para os recolher.</p></div>";
    PORTUGUESE.check(&PORTUGUESE.around(head, &format!("{extra}{}", PORTUGUESE.paragraphs())));
}

#[test]
fn what_only_paper_shows_is_hidden() {
    let head = "<style>@media screen and (min-width:1px) { .druk { display: none } } @media print { .inner p { display:none } }</style>";
    let extra = "<p class=druk>Wydrukowano ze strony internetowej dziennika Kurant; kopiowanie i rozpowszechnianie tego tekstu jest zabronione.</p>";
    POLISH.check(&POLISH.around(head, &format!("{}{extra}", POLISH.paragraphs())));
    let html = extra.replace("druk", "\"visible-print-block print-only\"");
    POLISH.check(&POLISH.around("", &format!("{}{html}", POLISH.paragraphs())));
}

#[test]
fn a_second_copy_for_other_screens_is_left_out() {
    let text = ITALIAN.paragraphs();
    let html = format!("<div class=solo-desktop>{text}</div><div class=solo-mobile>{text}</div>");
    ITALIAN.check(&ITALIAN.around("", &html));
    let html = format!("<div class='hidden lg:block'>{text}</div><div class='lg:hidden'>{text}</div>");
    ITALIAN.check(&ITALIAN.around("", &html));
}

#[test]
fn a_hidden_copy_before_the_story_is_left_out() {
    let text = RUSSIAN.paragraphs();
    let html =
        format!("<div aria-hidden=true style='position:absolute;left:-9999px'>{text}</div><div>{text}</div>");
    RUSSIAN.check(&RUSSIAN.around("", &html));
}

#[test]
fn a_part_that_readers_open_is_text() {
    let [first, second, third, fourth] = FINNISH.text;
    let html = format!(
        "<p>{first}</p><p>{second}</p><a href=#loput data-toggle=collapse>Lue lisää</a>\
         <div id=loput class='collapse' style='display:none'><p>{third}</p><p>{fourth}</p></div>"
    );
    FINNISH.check(&FINNISH.around("", &html));
    let html =
        format!("<p>{first}</p><div hidden=until-found><p>{second}</p><p>{third}</p></div><p>{fourth}</p>");
    FINNISH.check(&FINNISH.around("", &html));
}

#[test]
fn a_story_that_a_script_uncovers_is_text() {
    let html = format!("<div id=artikel style='visibility: hidden; opacity:0'>{}</div>", DUTCH.paragraphs());
    DUTCH.check(&DUTCH.around("<style>.inner{display:none}</style>", &html));
}

#[test]
fn names_that_only_sound_hidden_are_shown() {
    let html = POLISH
        .paragraphs()
        .replacen("<p>", "<p class='hidden-treasures overflow-hidden'>", 1)
        .replace("<p>Bilet", "<p class='no-print invisible-ink-series'>Bilet");
    POLISH.check(&POLISH.around("", &html));
}

#[test]
fn what_is_for_readers_without_scripts_is_read_when_nothing_else_is_there() {
    let html = format!("<div id=app></div><noscript><div>{}</div></noscript>", RUSSIAN.paragraphs());
    RUSSIAN.check(&RUSSIAN.around("", &html));
}

#[test]
fn a_call_to_switch_scripts_on_is_no_text() {
    let call = "<noscript><p>Attiva JavaScript nel tuo browser per vedere tutte le funzioni di questo sito, i video e i commenti dei lettori.</p></noscript>";
    ITALIAN.check(&ITALIAN.around("", &format!("{call}{}", ITALIAN.paragraphs())));
}

#[test]
fn a_shadow_tree_in_the_page_is_read() {
    let html = format!(
        "<kurant-tekst><template shadowrootmode=open><style>p{{margin:0}}</style><main>{}</main></template></kurant-tekst>",
        POLISH.paragraphs()
    );
    POLISH.check(&POLISH.around("", &html));
}

#[test]
fn a_template_for_scripts_is_no_text() {
    let html = format!("{}<template id=t>{}</template>", DUTCH.paragraphs(), PORTUGUESE.paragraphs());
    DUTCH.check(&DUTCH.around("", &html));
}

/// A page that shows only a headline and holds its story in a script.
fn with_script(story: &Story, script: &str) -> String {
    story.around("", &format!("<div id=root></div><script>{script}</script>"))
}

#[test]
fn a_state_that_a_script_would_show_is_read() {
    let blocks: Vec<String> = FINNISH
        .text
        .iter()
        .map(|text| format!("{{\"type\":\"paragraph\",\"data\":{{\"text\":{}}}}}", serde_json::json!(text)))
        .collect();
    let title = serde_json::json!(FINNISH.title);
    let script = format!(
        "window.__STATE__ = {{\"story\":{{\"headline\":{title},\"blocks\":[{}]}}}};",
        blocks.join(",")
    );
    FINNISH.check(&with_script(&FINNISH, &script));
}

#[test]
fn of_several_stories_in_a_state_the_pages_own_is_read() {
    let html = |story: &Story| {
        let text: String = story.text.iter().map(|text| format!("<p>{text}</p>")).collect();
        serde_json::json!({"title": story.title, "body": text})
    };
    let long = Story {
        text: [PORTUGUESE.text[0], PORTUGUESE.text[1], PORTUGUESE.text[2], PORTUGUESE.text[3]],
        ..PORTUGUESE
    };
    let state = serde_json::json!({"page": {"story": html(&ITALIAN)}, "more": [html(&long), html(&RUSSIAN)]});
    ITALIAN.check(&ITALIAN.around(
        "",
        &format!("<div id=__next></div><script id=__NEXT_DATA__ type=application/json>{state}</script>"),
    ));
}

#[test]
fn a_story_in_pieces_of_a_stream_is_read() {
    let text: String = PORTUGUESE.text.iter().map(|text| format!("<p>{text}</p>")).collect();
    let piece = serde_json::json!([1, format!("2b:T4a1,{text}")]);
    PORTUGUESE.check(&with_script(&PORTUGUESE, &format!("self.__next_f.push({piece})")));
}

#[test]
fn a_state_does_not_replace_a_story_that_is_shown() {
    let text: String =
        PORTUGUESE.text.iter().map(|text| format!("<p>{text}</p>")).collect::<String>().repeat(3);
    let state = serde_json::json!({"next": {"title": PORTUGUESE.title, "body": text}});
    let html = format!("{}<script type=application/json>{state}</script>", JAPANESE.paragraphs());
    JAPANESE.check(&JAPANESE.around("", &html));
    let html = format!("<p>{}</p><script type=application/json>{state}</script>", JAPANESE.text[0]);
    assert_eq!(texts(&read(&JAPANESE.around("", &html))), [JAPANESE.text[0]]);
}
