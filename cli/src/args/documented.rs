//! What the documents say is so: commands and options that they show exist, and what they link to is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use self::told::{commands, words};
use super::Cli;

mod told;

/// Folders with documents.
const FOLDERS: [&str; 10] = [
    "",
    "docs",
    "docs/decisions",
    "docs/reference",
    "deploy",
    "k8s",
    "k8s/chart",
    "page",
    "python",
    "page/train",
];

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn documents() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let Ok(files) = std::fs::read_dir(root().join(folder)) else { continue };
        for file in files.map(|file| file.unwrap().path()) {
            if file.extension().is_some_and(|kind| kind == "md") {
                let text = std::fs::read_to_string(&file).unwrap();
                found.push((file, text));
            }
        }
    }
    found
}

/// What is wrong with a command; nothing if it is right, or only a part of one.
fn fault(command: &str) -> Option<String> {
    let words = words(command);
    let error = Cli::command().try_get_matches_from(&words).err()?;
    // A name for any value, such as `FORMAT` or `HH:MM`.
    let stands_for_any = |word: &&String| word.chars().all(|letter| !letter.is_lowercase());
    match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => Some(error.to_string()),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let told = error.to_string();
            // An option alone is named, not used.
            let is_alone = told.contains("a value is required");
            let is_open = words.iter().filter(stands_for_any).any(|word| told.contains(&format!("'{word}'")));
            (!is_alone && !is_open).then_some(told)
        }
        _ => None,
    }
}

#[test]
fn commands_that_documents_show_are_understood() {
    let mut told = BTreeSet::new();
    let mut faults = Vec::new();
    for (file, text) in documents() {
        for command in commands(&text).into_iter().map(|told| told.line).filter(|line| !told::is_usage(line))
        {
            faults.extend(fault(&command).map(|fault| format!("{}: `{command}`: {fault}", file.display())));
            told.insert(command);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(told.len() > 50, "only {} commands are told", told.len());
}

#[test]
fn faults_of_commands_are_found() {
    for wrong in [
        "newslode mien x",
        "newslode mine --fast x",
        "newslode export cats",
        "newslode tables p --format CVS9x",
    ] {
        assert!(fault(wrong).is_some(), "{wrong}");
    }
    for right in [
        "newslode mine URL… --out run | tee log",
        "newslode tables PAGE --format FORMAT",
        "newslode template",
    ] {
        assert_eq!(fault(right), None, "{right}");
    }
    let text = "Say `newslode demo`.\n\n    newslode mine a \\\n      --out b   # there\n";
    let told: Vec<_> = commands(text).into_iter().map(|told| (told.line, told.is_block)).collect();
    assert_eq!(
        told,
        [("newslode demo".to_owned(), false), ("newslode mine a       --out b   # there".to_owned(), true)]
    );
    assert_eq!(words("newslode mine a       --out b   # there"), ["newslode", "mine", "a", "--out", "b"]);
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
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[test]
fn what_documents_link_to_is_there() {
    let mut faults = Vec::new();
    for (file, text) in documents() {
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
