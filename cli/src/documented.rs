//! The command lines that the repository's documents show, for tests: the program, the lab and the end-to-end tests check
//! that each of them is understood, or run it.
//!
//! No part of the public interface. Start at [`checked`].

use std::io;
use std::path::{Path, PathBuf};

use clap::Command;
use clap::error::ErrorKind;

/// Folders with documents.
const FOLDERS: [&str; 11] = [
    "",
    "docs",
    "docs/decisions",
    "docs/guide",
    "docs/reference",
    "deploy",
    "k8s",
    "k8s/chart",
    "page",
    "python",
    "page/train",
];

/// The programs whose command lines are taken.
const PROGRAMS: [&str; 2] = ["newslode", "newslode-lab"];

/// The repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All documents, with their paths.
///
/// # Errors
/// When one cannot be read.
pub fn documents() -> io::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for file in std::fs::read_dir(root().join(folder))? {
            let file = file?.path();
            if file.extension().is_some_and(|kind| kind == "md") {
                let text = std::fs::read_to_string(&file)?;
                found.push((file, text));
            }
        }
    }
    Ok(found)
}

/// The command lines of a program that the documents show, each with what is wrong with it.
///
/// # Errors
/// When a document cannot be read.
pub fn checked(program: &Command) -> io::Result<Vec<(String, Option<String>)>> {
    let own = format!("{} ", program.get_name());
    let mut checked = Vec::new();
    for (file, text) in documents()? {
        for CommandLine { line, .. } in command_lines(&text) {
            if line.starts_with(&own) && !is_usage(&line) {
                let fault =
                    fault(program, &line).map(|fault| format!("{}: `{line}`: {fault}", file.display()));
                checked.push((line, fault));
            }
        }
    }
    Ok(checked)
}

/// What is wrong with a command; nothing if it is right, or only a part of one.
#[must_use]
pub fn fault(program: &Command, command: &str) -> Option<String> {
    let words = split_words(command);
    let error = program.clone().try_get_matches_from(&words).err()?;
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

/// A command line in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The line, with what continues it.
    pub line: String,
    /// Whether it is in a block of code, and not within a sentence.
    pub is_block: bool,
}

/// The command lines in a document: lines of code, and spans of code within text.
#[must_use]
pub fn command_lines(text: &str) -> Vec<CommandLine> {
    let mut commands = Vec::new();
    let mut lines = text.lines();
    let mut is_fenced = false;
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        let of_code = is_fenced || line.starts_with("    ");
        let code = PROGRAMS.iter().fold(line.trim().trim_start_matches("$ ").to_owned(), |code, program| {
            code.replace(&format!("cargo run --release -p {program} -- "), &format!("{program} "))
        });
        if of_code && is_command(&code) {
            let mut command = code;
            while command.ends_with('\\') {
                command.pop();
                command.push_str(lines.next().unwrap_or_default());
            }
            commands.push(CommandLine { line: command, is_block: true });
        } else if !is_fenced {
            let spans = line.split('`').skip(1).step_by(2);
            let in_text = |span: &str| CommandLine { line: span.to_owned(), is_block: false };
            commands.extend(spans.filter(|span| is_command(span)).map(in_text));
        }
    }
    commands
}

fn is_command(line: &str) -> bool {
    PROGRAMS.iter().any(|program| line.strip_prefix(program).is_some_and(|rest| rest.starts_with(' ')))
}

/// Whether a line says how a command is used in general, as the reference does.
#[must_use]
pub fn is_usage(line: &str) -> bool {
    line.contains("[OPTIONS]")
}

/// The words of a command as a shell takes them, up to what it does with the output.
#[must_use]
pub fn split_words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in command.chars().chain([' ']) {
        match quote {
            Some(mark) if letter == mark => quote = None,
            Some(_) => word.push(letter),
            None if letter == '\'' || letter == '"' => quote = Some(letter),
            None if letter.is_whitespace() => {
                let done = std::mem::take(&mut word);
                if ["|", ">", "&&", "#", "2>"].contains(&done.as_str())
                    || done.starts_with(['#', '(', '<', '>'])
                {
                    break;
                }
                // Optional words stand in brackets, alternatives beside each other, and dots for more of the same.
                let done = done.trim_matches(['[', ']', '…', ',', ';']).split('|').next().unwrap_or_default();
                if !done.is_empty() {
                    words.push(done.to_owned());
                }
            }
            None => word.push(letter),
        }
    }
    words
}
