use newslode_page::article::{Article, Block, BlockKind};

use super::*;

fn article(title: &str, published: Option<&str>, body: &str) -> Article {
    Article {
        title: Some(title.into()),
        published: published.map(str::to_owned),
        body: vec![Block::new(BlockKind::Paragraph, body)],
        ..crate::mining::testing::article("https://a.test/1")
    }
}

fn print(title: &str, published: Option<&str>, body: &str) -> Fingerprint {
    Fingerprint::of(&article(title, published, body))
}

/// A text of numbered words, of which some were replaced.
fn text(words: usize, replaced: &[usize]) -> String {
    let word = |at| if replaced.contains(&at) { format!("other{at}") } else { format!("word{at}") };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn case_punctuation_and_a_corrected_word_do_not_make_another_story() {
    let story = print("Rain ends the drought", Some("2024-05-02"), &text(300, &[]));
    assert_eq!((story.words, story.day), (300, Some(19_845)));
    let shouted = print("RAIN ENDS THE DROUGHT!", None, &text(300, &[]).to_uppercase().replace(' ', ",  "));
    assert_eq!(story.text, shouted.text, "neither case nor punctuation is text");
    assert!(story.is_same_story(&shouted));
    let corrected = print("Rain ends the drought", Some("2024-05-03T01:00:00Z"), &text(300, &[40]));
    assert!(story.is_same_story(&corrected), "{}", story.distance(&corrected));
    assert!(!story.is_same_story(&print("Rain", None, &text(300, &[]))), "another headline");
    let later = print("Rain ends the drought", Some("2024-05-06"), &text(300, &[]));
    assert!(!story.is_same_story(&later), "a text that comes every week");
    assert!(story.may_be_same_story(&later));
}

#[test]
fn reports_that_share_a_form_are_different_stories() {
    let quake = |place: &str, size: &str| {
        let body = format!(
            "An earthquake of magnitude {size} was measured near {place} on Thursday, the institute said. It was felt \
             in several villages. Nobody was hurt, and no damage was reported. Earthquakes of this strength are not \
             rare in the region, in which two plates meet. The institute asks all who felt it to write what they saw."
        );
        print("An earthquake was felt", Some("2024-05-02"), &body)
    };
    let (one, other) = (quake("Aber", "3.4"), quake("Dunmore", "4.1"));
    assert!(!one.is_same_story(&other), "{} bits", one.distance(&other));
    assert!(one.is_same_story(&quake("Aber", "3.4")));
}

#[test]
fn short_texts_must_be_equal() {
    let brief = |body: &str| print("In brief", None, body);
    let one = brief("The mayor opens the new bridge over the river at noon");
    assert!(one.is_same_story(&brief("The mayor opens the new bridge over the river at noon.")));
    assert!(!one.is_same_story(&brief("The mayor opens the new bridge over the river at nine")));
    assert!(!brief("").is_same_story(&brief("")), "no text is no text");
    assert!(!one.is_same_text(&brief("The mayor opens the new bridge over the river at noon")));
}

#[test]
fn the_distance_grows_with_the_share_of_different_words() {
    let of = |replaced: &[usize]| Fingerprint::of(&article("T", None, &text(400, replaced)));
    let base = of(&[]);
    let far: Vec<usize> = (0..400).step_by(4).collect();
    assert!(base.distance(&of(&[7])) <= MOST_NEAR_BITS);
    assert!(base.distance(&of(&far)) > DECLARED_BITS);
}

#[test]
fn texts_in_scripts_without_spaces_have_a_fingerprint() {
    let print = print("雨", None, "旱魃がようやく終わった。 Rain");
    assert_eq!(print.words, 12);
}

#[test]
fn texts_of_one_agency_are_of_similar_length_and_days() {
    let story = |published, words, replaced: &[usize]| print("T", published, &text(words, replaced));
    let one = story(Some("2024-05-02"), 300, &[]);
    assert!(one.is_same_text(&print("Other headline", Some("2024-05-03"), &text(300, &[]))));
    assert!(!one.is_same_text(&story(Some("2024-05-09"), 300, &[])), "another week");
    assert!(!one.is_same_text(&story(None, 400, &[])), "another hundred words");
    let other: Vec<usize> = (0..300).step_by(10).collect();
    assert!(!one.is_same_text(&story(None, 300, &other)), "{}", one.distance(&story(None, 300, &other)));
}
