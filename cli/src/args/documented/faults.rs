//! Whether a program understands the commands that documents show of it. The lab's tests use this file, too.

use std::path::{Path, PathBuf};

use clap::Command;
use clap::error::ErrorKind;

use super::quoted::{QuotedCommand, is_usage, quoted_commands, split_words};

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
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn documents() -> Vec<(PathBuf, String)> {
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

/// The commands of a program that the documents show, each with what is wrong with it.
pub(crate) fn judged(program: &Command) -> Vec<(String, Option<String>)> {
    let own = format!("{} ", program.get_name());
    let mut judged = Vec::new();
    for (file, text) in documents() {
        for QuotedCommand { line, .. } in quoted_commands(&text) {
            if line.starts_with(&own) && !is_usage(&line) {
                let fault =
                    fault(program, &line).map(|fault| format!("{}: `{line}`: {fault}", file.display()));
                judged.push((line, fault));
            }
        }
    }
    judged
}

/// What is wrong with a command; nothing if it is right, or only a part of one.
pub(crate) fn fault(program: &Command, command: &str) -> Option<String> {
    let words = split_words(command);
    let error = program.clone().try_get_matches_from(&words).err()?;
    // A name for any value, such as `FORMAT` or `HH:MM`.
    let stands_for_any = |word: &&String| word.chars().all(|letter| !letter.is_lowercase());
    match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => Some(error.to_string()),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let message = error.to_string();
            // An option alone is named, not used.
            let is_alone = message.contains("a value is required");
            let is_open =
                words.iter().filter(stands_for_any).any(|word| message.contains(&format!("'{word}'")));
            (!is_alone && !is_open).then_some(message)
        }
        _ => None,
    }
}
