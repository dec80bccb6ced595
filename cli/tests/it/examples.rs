//! The example that mines a folder does so, and says what is wrong with one.

use std::path::Path;
use std::process::{Command, Output};

use newslode_demo_world::{World, WorldSpec};

/// Runs the example, which cargo builds with the tests of the package.
fn mine_folder(arguments: &[&Path]) -> Output {
    let test = std::env::current_exe().unwrap();
    let example = test.ancestors().nth(2).unwrap().join("examples/mine_folder");
    assert!(example.is_file(), "build it first: cargo build -p newslode --examples");
    Command::new(example).args(arguments).output().unwrap()
}

/// Saves every page of a small world.
fn save(world: &World, folder: &Path) {
    let mut manifest = String::new();
    for (number, address) in world.urls().iter().enumerate() {
        let url = url::Url::parse(address).unwrap();
        let page = world.page(url.host_str().unwrap(), &url[url::Position::BeforePath..]).unwrap();
        let file = format!("{number}.html");
        std::fs::write(folder.join(&file), &page.body).unwrap();
        manifest += &format!("{}\n", serde_json::json!({ "file": file, "url": address }));
    }
    std::fs::write(folder.join("manifest.jsonl"), manifest).unwrap();
}

#[test]
fn a_folder_of_saved_pages_is_mined_and_a_second_start_counts_nothing_twice() {
    let spec = WorldSpec { seed: 5, sites: 3, articles_per_section: 1, ..WorldSpec::default() };
    let world = World::generate(&spec);
    let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    save(&world, folder.path());
    let print = |runs: &str| {
        let ended = mine_folder(&[folder.path(), run.path()]);
        assert!(ended.status.success(), "{runs}: {}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8(ended.stdout).unwrap()
    };
    let first = print("first");
    assert!(first.contains("of 3 sites"), "{first}");
    let (_, mined) = first.split_once("TAXONOMY").unwrap();
    let (taxonomy, articles) = mined.split_once("ARTICLES\n").unwrap();
    let labels = world.gold().concepts.iter().filter(|concept| taxonomy.contains(&concept.label)).count();
    assert!(labels >= 3, "only {labels} concepts in\n{taxonomy}");
    let gold = &world.gold().articles;
    let found = gold.iter().filter(|article| articles.contains(&article.url)).count();
    assert!(found * 10 > gold.len() * 9, "{found} of {} articles in\n{articles}", gold.len());
    assert!(articles.lines().any(|line| !line.contains("[]")), "no article is filed:\n{articles}");

    let second = print("second");
    assert!(second.contains("counted before"), "{second}");
    assert_eq!(second.split_once("TAXONOMY").unwrap().1, mined);
}

#[test]
fn errors_name_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let told = |arguments: &[&Path]| {
        let ended = mine_folder(arguments);
        assert_eq!(ended.status.code(), Some(1));
        String::from_utf8(ended.stderr).unwrap()
    };
    assert!(told(&[]).contains("usage: mine_folder FOLDER"));
    assert!(told(&[folder.path()]).contains("holds no page"));
    std::fs::write(folder.path().join("story.html"), "<h1>Story</h1>").unwrap();
    assert!(told(&[folder.path()]).contains("manifest.jsonl"));
}
