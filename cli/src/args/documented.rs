//! What the documents say is so: commands and options that they show exist, and what they link to is there.

use std::collections::BTreeSet;
use std::path::Path;

use clap::CommandFactory as _;

use super::Cli;
use crate::documented::{checked, command_lines, documents, fault, root, split_words};

#[test]
fn commands_that_documents_show_are_understood() {
    let checked = checked(&Cli::command()).unwrap();
    let faults: Vec<&str> = checked.iter().filter_map(|(_, fault)| fault.as_deref()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let shown: BTreeSet<&str> = checked.iter().map(|(line, _)| line.as_str()).collect();
    assert!(shown.len() > 50, "only {} commands are shown", shown.len());
}

#[test]
fn faults_of_commands_are_found() {
    for wrong in [
        "newslode mien x",
        "newslode mine --fast x",
        "newslode export cats",
        "newslode tables p --format CVS9x",
    ] {
        assert!(fault(&Cli::command(), wrong).is_some(), "{wrong}");
    }
    for right in [
        "newslode mine URL… --out run | tee log",
        "newslode tables PAGE --format FORMAT",
        "newslode template",
    ] {
        assert_eq!(fault(&Cli::command(), right), None, "{right}");
    }
    let text = "Say `newslode demo`.\n\n    newslode mine a \\\n      --out b   # there\n";
    let shown: Vec<_> = command_lines(text).into_iter().map(|shown| (shown.line, shown.is_block)).collect();
    assert_eq!(
        shown,
        [("newslode demo".to_owned(), false), ("newslode mine a       --out b   # there".to_owned(), true)]
    );
    assert_eq!(
        split_words("newslode mine a       --out b   # there"),
        ["newslode", "mine", "a", "--out", "b"]
    );
}

/// The name that a heading has in links, as forges make it.
fn anchor(heading: &str) -> String {
    let plain = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = plain.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// The documents of a folder and of those in it, by their paths from `docs`.
fn within(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(within(&entry));
        } else if entry.extension().is_some_and(|kind| kind == "md") {
            let path = entry.strip_prefix(root().join("docs")).unwrap();
            found.push(path.to_str().unwrap().to_owned());
        }
    }
    found
}

#[test]
fn the_book_has_each_document_once() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<&str> = links(&summary).collect();
    let mut there = within(&root().join("docs"));
    there.retain(|path| path != "SUMMARY.md");
    listed.sort_unstable();
    there.sort_unstable();
    assert_eq!(listed, there, "docs/SUMMARY.md is the book's table of contents");
}

/// What a text links to, pictures included.
fn links(text: &str) -> impl Iterator<Item = &str> {
    // Text between backticks is code, such as a regular expression, and holds no links.
    let prose = text.lines().flat_map(|line| line.split('`').step_by(2));
    // The text of a link may itself be code, so a part may begin with `](`.
    prose.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
}

#[test]
fn what_documents_link_to_is_there() {
    let mut faults = Vec::new();
    for (file, text) in documents().unwrap() {
        for link in links(&text).filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (path, name) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file.clone() } else { file.parent().unwrap().join(path) };
            let is_there = if name.is_empty() || !path.ends_with(".md") && !path.is_empty() {
                target.exists()
            } else {
                let headings = std::fs::read_to_string(&target).unwrap_or_default();
                headings.lines().any(|line| line.starts_with('#') && anchor(line) == name)
            };
            if !is_there {
                faults.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
