//! Editors correct the taxonomy: corrections outlive mining again, are exported, imported and undone, and every reader sees them.

use serde_json::Value;

use crate::lab::{Lab, digests_of, small_world};

/// Runs a command that must be refused. Returns what it says.
async fn refused(lab: &Lab, arguments: &[&str]) -> String {
    let ended = lab.run(arguments).await;
    assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
    ended.err
}

fn concept<'a>(taxonomy: &'a Value, key: &str) -> Option<&'a Value> {
    taxonomy["concepts"].as_array().unwrap().iter().find(|concept| concept["key"] == key)
}

/// The key and label of the concept that most articles are filed under, and their number.
fn most_common(articles: &str, taxonomy: &Value) -> (String, String, usize) {
    let concepts = taxonomy["concepts"].as_array().unwrap().iter().map(|concept| {
        let text = |name: &str| concept[name].as_str().unwrap().to_owned();
        (text("key"), text("label"), articles.matches(&filed_under(&text("label"))).count())
    });
    concepts.max_by_key(|(_, _, count)| *count).unwrap()
}

/// How the line of an article says that it is filed under a concept.
fn filed_under(label: &str) -> String {
    format!("\"concept\":\"{label}\"")
}

#[tokio::test(flavor = "multi_thread")]
async fn corrections_outlive_mining_again_and_are_undone() {
    let lab = Lab::of(small_world(3)).await;
    let mining = lab.mining("run", &[]);
    let digests = digests_of(&lab.json(&mining).await);
    let run = lab.path("run").display().to_string();
    let taxonomy = async || lab.json(&["taxonomy", "--format", "json", "--dir", &run]).await;
    let articles = async || lab.ok(&["export", "articles", "--quiet", "--dir", &run]).await;
    let (mined, before) = (taxonomy().await, articles().await);
    let (key, label, count) = most_common(&before, &mined);
    assert!(count > 3, "{key}: {count}");

    // A preview keeps nothing.
    let shown = lab.ok(&["correct", "hide", &key, "--preview", "--dir", &run]).await;
    assert!(shown.contains(&format!("({key}): {count} -> no concept\n")), "{shown}");
    assert!(shown.contains(" articles move\n") && shown.starts_with("correction 1: hide"), "{shown}");
    assert_eq!(taxonomy().await, mined);

    // Every reader sees the correction, at once.
    let said =
        lab.ok(&["correct", "hide", &key, "--note", "no topic", "--author", "ann", "--dir", &run]).await;
    assert!(said.starts_with(&format!("correction 1: hide `{key}`; ")), "{said}");
    let hidden = taxonomy().await;
    assert!(concept(&hidden, &key).is_none());
    assert_eq!(hidden["concepts"].as_array().unwrap().len() + 1, mined["concepts"].as_array().unwrap().len());
    let filed = articles().await;
    assert!(!filed.contains(&filed_under(&label)));
    assert_eq!(std::fs::read_to_string(lab.path("run").join("articles.jsonl")).unwrap(), filed);
    let other = hidden["concepts"][0]["key"].as_str().unwrap().to_owned();
    lab.ok(&["correct", "rename", &other, "Another name", "--dir", &run]).await;
    let tree = lab.ok(&["taxonomy", "--quiet", "--dir", &run]).await;
    assert!(
        tree.lines()
            .any(|line| line.trim().starts_with("Another name (") && line.ends_with(", set by an editor)")),
        "{tree}"
    );
    let why = lab.ok(&["taxonomy", "--quiet", "--dir", &run, "--explain", &key]).await;
    assert!(why.contains(&format!("set by an editor, correction 1: hide `{key}`, by ann, 20")), "{why}");
    lab.ok(&["verify", "--quiet", "--dir", &run]).await;

    // Mining again keeps it, and counts the same.
    assert_eq!(digests_of(&lab.json(&mining).await), digests);
    assert_eq!(concept(&taxonomy().await, &other).unwrap()["label"], "Another name");
    assert!(concept(&taxonomy().await, &key).is_none());
    let copy = lab.path("copy").display().to_string();
    lab.ok(&["backup", "--quiet", &run, &copy]).await;
    let copied = lab.json(&["correct", "list", "--json", "--dir", &copy]).await;
    assert_eq!((&copied[0]["note"], &copied[1]["unmatched"]), (&"no topic".into(), &Value::Null));

    // What is exported is imported elsewhere; what is undone is as it was mined.
    let file = lab.path("corrections.json").display().to_string();
    lab.ok(&["correct", "export", "--to", &file, "--dir", &run]).await;
    lab.ok(&["correct", "undo", "1", "2", "--dir", &run]).await;
    assert_eq!((taxonomy().await, articles().await), (mined, before));
    assert!(
        refused(&lab, &["correct", "undo", "1", "--dir", &run]).await.contains("there is no correction 1")
    );
    lab.ok(&["correct", "import", &file, "--dir", &run]).await;
    assert!(concept(&taxonomy().await, &key).is_none());
    assert_eq!(articles().await.lines().count(), filed.lines().count());
}

#[tokio::test(flavor = "multi_thread")]
async fn corrections_that_cannot_be_are_refused() {
    let lab = Lab::of(small_world(3)).await;
    lab.ok(&lab.mining("run", &[])).await;
    let run = lab.path("run").display().to_string();
    let taxonomy = lab.json(&["taxonomy", "--format", "json", "--dir", &run]).await;
    let pair = &taxonomy["relations"][0];
    let (broader, narrower) = (pair["broader"].as_str().unwrap(), pair["narrower"].as_str().unwrap());
    let said = refused(&lab, &["correct", "under", broader, narrower, "--dir", &run]).await;
    assert!(said.contains(&format!("it would close a circle: {broader} > {narrower}")), "{said}");
    assert!(said.contains("hint: forbid a pair of it first: newslode correct not-under"), "{said}");
    let said = refused(&lab, &["correct", "hide", "No such thing", "--dir", &run]).await;
    assert!(said.contains("there is no concept `No such thing`"), "{said}");
    lab.ok(&["correct", "not-under", narrower, broader, "--dir", &run]).await;
    lab.ok(&["correct", "under", broader, narrower, "--dir", &run]).await;
    let turned = lab.json(&["taxonomy", "--format", "json", "--dir", &run]).await;
    assert_eq!(concept(&turned, broader).unwrap()["parent"], narrower);
}
