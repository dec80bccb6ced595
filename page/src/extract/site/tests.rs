//! A made site: pages of one layout, read with corrections and siblings.

use super::*;
use crate::Page;
use crate::extract::crawled_article;
use crate::testing::page_at;
use crate::time::Timestamp;

/// 2024-06-01T00:00:00Z.
const NOW: Timestamp = Timestamp(1_717_200_000_000);
const PROMO: &str = "Our reporters are on the spot for you, in this town and in all others: read more of \
    their work in the weekend's paper, and tell us what you think.";
const STORIES: [[&str; 4]; 3] = [
    [
        "The council voted on Tuesday to keep the old bridge open for another year, after hundreds had asked for it.",
        "Engineers will look at it every month, the mayor said, and a new one is planned for the next decade.",
        "It was built in 1907, survived two floods and a war, and carries forty thousand cars on every working day.",
        "The vote was close: nine were for it and eight against it, and two stayed away from the meeting.",
    ],
    [
        "Rain is expected for most of the week, the weather office said, with some sun in the south on Friday.",
        "Rivers are high already, and people who live near them were told to bring their cars to higher ground.",
        "Schools stay open, but trains may be late on the line along the coast, where the sea broke a wall.",
        "It is the third storm of the autumn, and forecasters do not think that it will have been the last.",
    ],
    [
        "A museum of clocks will open in the old station next spring, its founders said when they showed the plans.",
        "They have collected four hundred of them, the oldest from a monastery that was given up in 1540.",
        "Visitors will be able to wind some of them up, and on Sundays a watchmaker shows how they are mended.",
        "The town gives the building for ten years and asks for nothing but that its own clock be kept going.",
    ],
];

/// A story with a promotion between its paragraphs. It stands under the name of who runs the desk, its author at the end.
fn html(story: usize, promo: &str) -> String {
    let [first, second, third, fourth] = STORIES[story];
    format!(
        "<title>Story {story} | Post</title><meta property=og:type content=article>\
         <main class=page><div class=top><h2 class=head>Latest: Story {story} of the day</h2><p class=desk>By Grace Hopper</p></div>\
         <div class='text t{story}'><p class=par>{first}</p><p class=par>{second}</p><div class=promo><p class=x>{promo}</p></div>\
         <p class=par>{third}</p><p class=par>{fourth}</p></div><div class=by><span>Ada Lovelace</span></div></main>"
    )
}

fn page(story: usize, promo: &str) -> Page {
    page_at(&format!("https://post.example/{story}"), &html(story, promo))
}

fn text(page: &Page, site: &SiteKnowledge) -> (String, Option<String>) {
    let article = site.article(page, NOW).1.unwrap();
    (article.text(), article.evidence.get("body").map(|evidence| evidence.witness.clone()))
}

fn body(story: usize) -> String {
    STORIES[story].join("\n")
}

#[test]
fn nothing_known_changes_nothing() {
    let page = page(0, PROMO);
    let alone = crawled_article(&page, NOW).1.unwrap();
    assert_eq!(SiteKnowledge::default().article(&page, NOW).1.unwrap(), alone);
    assert!(alone.text().contains(PROMO), "the page alone does not tell the promotion from the text");
}

#[test]
fn a_corrected_page_teaches_the_others() {
    let mut site = SiteKnowledge::default();
    let right = Correction { body: Some(body(0)), ..Correction::default() };
    let lesson = site.teach(&page(0, PROMO), NOW, &right).unwrap();
    assert_eq!(lesson.places["div.text.t#>div.promo>p.x ¶"].body, 0.0);
    // The promotion has other words there, so the place was learnt.
    let other = "We want to know what you think of this story: write to us, and we may print what you say.";
    assert_eq!(text(&page(1, other), &site), (body(1), Some("taught".into())));
    assert_eq!(text(&page(0, PROMO), &site).0, body(0));
}

#[test]
fn a_dropped_text_leaves_the_rest_as_it_was() {
    let mut site = SiteKnowledge::default();
    let wrong = Correction { drop: vec![PROMO.into()], ..Correction::default() };
    site.teach(&page(0, PROMO), NOW, &wrong).unwrap();
    assert_eq!(text(&page(1, PROMO), &site).0, body(1));
    assert_eq!(text(&page(2, "Another text of the paper's own, which begs for money."), &site).0, body(2));
}

#[test]
fn what_stands_on_other_pages_is_no_article() {
    let mut site = SiteKnowledge::default();
    site.see(&page(0, PROMO));
    site.see(&page(0, PROMO));
    assert_eq!(site.seen().count(), 1);
    site.see(&page(1, PROMO));
    assert_eq!(text(&page(2, PROMO), &site), (body(2), Some("siblings".into())));
}

#[test]
fn what_stands_on_other_pages_is_no_article_though_it_is_written_like_one() {
    let page = |story: usize| {
        let html = html(story, PROMO)
            .replace("<div class=promo><p class=x>", "<p class=par>")
            .replace("</p></div><p", "</p><p");
        page_at(&format!("https://post.example/{story}"), &html)
    };
    let mut site = SiteKnowledge::default();
    [0, 1].iter().for_each(|story| site.see(&page(*story)));
    assert!(crawled_article(&page(2), NOW).1.unwrap().text().contains(PROMO));
    assert_eq!(text(&page(2), &site), (body(2), Some("siblings".into())));
}

#[test]
fn fields_are_learnt_where_the_page_alone_is_wrong() {
    let mut site = SiteKnowledge::default();
    let right = Correction {
        title: Some("Story 0".into()),
        authors: vec!["Ada Lovelace".into()],
        ..Correction::default()
    };
    site.teach(&page(0, PROMO), NOW, &right).unwrap();
    let article = site.article(&page(1, PROMO), NOW).1.unwrap();
    assert_eq!(
        (article.title.as_deref(), &article.authors[..]),
        (Some("Story 1"), &["Ada Lovelace".to_owned()][..])
    );
    assert_eq!(article.evidence["authors"].witness, "taught");
    // A body that was not corrected is read as before.
    assert!(article.text().contains(PROMO));
    assert!(
        site.lessons()[0].fields.title.is_empty(),
        "the page alone finds the title: {:?}",
        site.lessons()
    );
}

#[test]
fn corrections_that_the_page_does_not_show_are_refused() {
    let mut site = SiteKnowledge::default();
    let page = page(0, PROMO);
    let mut check = |correction: Correction, said: &str| {
        assert_eq!(site.teach(&page, NOW, &correction).unwrap_err().to_string(), said);
        assert!(site.lessons().is_empty());
    };
    let of = Correction::default;
    check(of(), "nothing was corrected");
    let found = "the page shows 0 % of the text, at least 50 % is needed to learn from it";
    check(Correction { body: Some(body(1)), ..of() }, found);
    check(Correction { drop: vec!["Nowhere".into()], ..of() }, "the page does not show the text `Nowhere`");
    check(
        Correction { title: Some("No title".into()), ..of() },
        "the page does not show the title `No title`",
    );
    check(
        Correction { authors: vec!["Alan Turing".into()], ..of() },
        "the page does not show the authors `Alan Turing`",
    );
    check(
        Correction { published: Some("2024-01-01".into()), ..of() },
        "the page does not show the date `2024-01-01`",
    );
}

#[test]
fn lessons_are_stored_replaced_and_forgotten() {
    let mut site = SiteKnowledge::default();
    for story in [0, 1, 0] {
        let right = Correction { body: Some(body(story)), ..Correction::default() };
        site.teach(&page(story, PROMO), NOW, &right).unwrap();
    }
    site.see(&page(2, PROMO));
    let urls: Vec<&str> = site.lessons().iter().map(|lesson| lesson.url.as_str()).collect();
    assert_eq!(urls, ["https://post.example/1", "https://post.example/0"]);
    let stored = serde_json::to_string(&site).unwrap();
    assert_eq!(serde_json::from_str::<SiteKnowledge>(&stored).unwrap(), site);
    assert_eq!(
        (site.forget(Some("https://post.example/1")), site.forget(None), site.forget(None)),
        (1, 1, 0)
    );
}

#[test]
fn what_a_person_says_is_body_is_no_repeat() {
    let with_box = |story: usize| {
        let html = html(story, "Tell us.")
            .replace("<div class=promo>", "<p class=par>In short</p><div class=promo>");
        page_at(&format!("https://post.example/{story}"), &html)
    };
    let mut site = SiteKnowledge::default();
    [0, 1].iter().for_each(|story| site.see(&with_box(*story)));
    assert!(!text(&with_box(2), &site).0.contains("In short"));
    let [first, second, third, fourth] = STORIES[0];
    let right = [first, second, "In short", third, fourth].join("\n");
    site.teach(&with_box(0), NOW, &Correction { body: Some(right), ..Correction::default() }).unwrap();
    assert!(text(&with_box(2), &site).0.contains("In short"));
}

#[test]
fn a_lesson_of_another_layout_changes_nothing() {
    let mut site = SiteKnowledge::default();
    let right = Correction { body: Some(body(0)), ..Correction::default() };
    site.teach(&page(0, PROMO), NOW, &right).unwrap();
    let [first, second, third, fourth] = STORIES[1];
    let other = page_at(
        "https://post.example/new",
        &format!(
            "<meta property=og:type content=article><article><section class=s><i>{first}</i><p class=new>{second}</p>\
            <p class=new>{third}</p><p class=new>{fourth}</p></section></article>"
        ),
    );
    let alone = crawled_article(&other, NOW).1.unwrap();
    assert_eq!(text(&other, &site).0, alone.text());
}
