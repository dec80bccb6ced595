//! What `newslode extract` takes of a page: with each focus, and with the comments of its readers.

use std::path::Path;

use serde_json::{Value, json};

use crate::lab::{Lab, small_world};

/// What is surely the story.
const STORY: [&str; 5] = [
    "The council met on Tuesday evening and decided after a long debate that the bridge across the river will be repaired \
     before winter begins.",
    "Engineers had warned since spring that two of its pillars no longer carry what they were built for, said the mayor, Ann \
     Lane.",
    "Until the work is done, buses take the road by the mill, which adds eleven minutes to the way into town.",
    "Shopkeepers on the north bank fear for their trade and ask for a ferry, as there was one in the winter of the flood.",
    "The repairs cost four million, of which the county pays half; the rest comes out of the reserve for roads.",
];
/// What may be part of it: a box between its paragraphs, which probably is, and a note below it, which probably is not.
const BOXED: &str = "Built in 1911, it is 214 metres long and carries 9,000 cars a day.";
const NOTED: &str = "Correction: an earlier version gave the wrong year of the flood.";
/// What readers wrote.
const FIRST: &str = "At last somebody looks after it!";
const ANSWER: &str = "And who pays for the buses?";

fn page() -> String {
    let mut paragraphs = STORY.map(|text| format!("<p>{text}</p>")).to_vec();
    paragraphs.insert(3, format!("<div class=infobox><h3>The bridge in numbers</h3><p>{BOXED}</p></div>"));
    format!(
        "<!doctype html><html lang=en><title>The bridge is repaired - The Herald</title>\
         <meta property=og:type content=article><nav><ul><li><a href=/>Home</a><li><a href=/sport>Sport</a></ul></nav>\
         <main><h1>The bridge is repaired</h1><p class=byline>By Ann Author, <time datetime=2026-11-03>3 November 2026</time></p>\
         <article>{}</article><p class=correction>{NOTED}</p></main>\
         <section id=comments><h2>2 comments</h2><ol class=comment-list><li class=comment id=c1><b class=fn>Bo Reyes</b>\
         <time datetime=2026-11-04T09:10:00Z>4 November</time><p>{FIRST}</p><ol class=children><li class=comment id=c2>\
         <b class=fn>Cy Moran</b><p>{ANSWER}</p></ol></ol></section><footer><p>© The Herald</p></footer>",
        paragraphs.concat()
    )
}

/// The text of an article as JSON has it.
fn text(article: &Value) -> String {
    let blocks = article["body"].as_array().unwrap().iter();
    blocks.map(|block| block["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn has_story(text: &str) -> bool {
    STORY.iter().all(|paragraph| text.contains(paragraph))
}

/// A bench with the page, and the path of it.
async fn saved() -> (Lab, String) {
    let lab = Lab::of(small_world(9)).await;
    let file = lab.path("page.html");
    std::fs::write(&file, page()).unwrap();
    let shown = Path::new(&file).display().to_string();
    (lab, shown)
}

#[tokio::test(flavor = "multi_thread")]
async fn precision_leaves_out_what_is_doubtful_and_recall_includes_it() {
    let (lab, page) = saved().await;
    let default = lab.ok(&["extract", &page]).await;
    for (focus, boxed, noted) in
        [("precision", false, false), ("balanced", true, false), ("recall", true, true)]
    {
        let printed = lab.ok(&["extract", &page, "--focus", focus]).await;
        let read = text(&serde_json::from_str(&printed).unwrap());
        assert!(has_story(&read), "{focus}: {read}");
        assert_eq!((read.contains(BOXED), read.contains(NOTED)), (boxed, noted), "{focus}: {read}");
        assert_eq!(printed == default, focus == "balanced", "{focus} against no focus");
        for format in ["text", "markdown", "html", "tei", "json-ld"] {
            let document = lab.ok(&["extract", &page, "--focus", focus, "--format", format]).await;
            let found = (document.contains(BOXED), document.contains("Correction: "));
            assert_eq!(found, (boxed, noted), "{focus} as {format}: {document}");
        }
    }
    let refused = lab.run(&["extract", &page, "--focus", "speed"]).await;
    assert!(refused.code != Some(0) && refused.err.contains("`speed` is not a focus"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_come_on_request_only_and_are_never_text() {
    let (lab, page) = saved().await;
    let mut told = lab.json(&["extract", &page, "--focus", "recall", "--comments"]).await;
    let expected = json!([
        { "author": "Bo Reyes", "date": "2026-11-04T09:10:00Z", "text": FIRST, "parent": null },
        { "author": "Cy Moran", "date": null, "text": ANSWER, "parent": 0 },
    ]);
    let comments = told.as_object_mut().unwrap().remove("comments").unwrap();
    assert_eq!(comments, expected);
    // Nothing else differs, and nothing else holds what readers wrote.
    let silent = lab.json(&["extract", &page, "--focus", "recall"]).await;
    assert_eq!(told, silent);
    for focus in ["precision", "balanced", "recall"] {
        for format in ["json", "text", "markdown", "html", "tei", "json-ld"] {
            let printed = lab.ok(&["extract", &page, "--focus", focus, "--format", format]).await;
            assert!(printed.contains(STORY[2]), "{focus} as {format}: {printed}");
            for said in [FIRST, ANSWER, "Bo Reyes", "Cy Moran"] {
                assert!(!printed.contains(said), "{focus} as {format} holds `{said}`: {printed}");
            }
        }
    }
    // A page without comments has none, which is not the same as that nobody asked.
    let lone = lab.path("lone.html");
    std::fs::write(&lone, format!("<h1>Rain</h1><article><p>{}</article>", STORY.join("<p>"))).unwrap();
    let lone = lone.display().to_string();
    assert_eq!(lab.json(&["extract", &lone, "--any-kind", "--comments"]).await["comments"], json!([]));
    assert!(lab.json(&["extract", &lone, "--any-kind"]).await.get("comments").is_none());
    // Documents have no place for them, which is said.
    let refused = lab.run(&["extract", &page, "--comments", "--format", "text"]).await;
    assert!(refused.code != Some(0) && refused.err.contains("`--comments` has no place"), "{refused:?}");
}
