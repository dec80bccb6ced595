//! Characters that nobody sees.

use super::{FINNISH, ITALIAN, POLISH, Story, read, texts};

#[test]
fn marks_for_hyphens_and_breaks_are_not_in_the_article() {
    let html = FINNISH.around("<meta name=author content='Maija Leh&shy;tola'>", &FINNISH.paragraphs());
    let html = html.replace("koulu", "kou&shy;lu").replace("oppilaalle", "oppi\u{200b}laalle");
    let found = FINNISH.check(&html.replace("saarella", "saa\u{2060}rella\u{feff}"));
    assert_eq!(found.authors, ["Maija Lehtola"]);
}

#[test]
fn letters_and_their_accents_are_one_character() {
    let apart: String =
        POLISH.around("", &POLISH.paragraphs()).replace('ó', "o\u{301}").replace('ą', "a\u{328}");
    POLISH.check(&apart);
    let apart = ITALIAN.around("", &ITALIAN.paragraphs()).replace('è', "e\u{300}");
    ITALIAN.check(&apart.replace("<h1>", "<h1>\u{feff}"));
}

#[test]
fn marks_that_join_letters_of_persian_and_of_emoji_stay() {
    let story = Story {
        language: "fa",
        title: "کتاب\u{200c}خانه\u{200c}ی روستا دوباره باز شد",
        text: [
            "کتاب\u{200c}خانه\u{200c}ی روستا پس از شش سال دوباره باز شد و بیش از چهل نفر در نخستین روز به آن\u{200c}جا آمدند تا کتاب بگیرند.",
            "شهرداری می\u{200c}گوید که هزینه\u{200c}ی بازسازی ساختمان را یک آموزگار بازنشسته پرداخته است و برای سال آینده هم پول کافی وجود دارد.",
            "کودکان روستا برای کتاب\u{200c}دار نقاشی کشیدند و روی دیوار چسباندند، از جمله یک خانواده 👨\u{200d}👩\u{200d}👧 که همه با هم کتاب می\u{200c}خوانند.",
            "ساعت کار کتاب\u{200c}خانه از هشت صبح تا شش عصر است و روزهای جمعه بسته می\u{200c}ماند، مگر آن که کسی در بزند و خواهش کند.",
        ],
    };
    story.check(&story.around("", &story.paragraphs()));
}

#[test]
fn marks_of_direction_are_not_in_the_title() {
    let html = ITALIAN.around("", &ITALIAN.paragraphs());
    let found = read(&html.replace("<h1>Il mulino", "<h1>\u{200e}Il \u{202a}mulino\u{202c}"));
    assert_eq!(found.title.as_deref(), Some(ITALIAN.title));
    assert_eq!(texts(&found), ITALIAN.text);
}
