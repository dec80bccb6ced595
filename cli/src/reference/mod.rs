//! The reference (`docs/reference/`), made from the code that it describes.
//!
//! Commands come from the definition of the command line, keys from the configuration's schema, families from the registry of
//! metrics, messages from their types, and the schema of an article from the description of the API. What the code does not
//! say, such as who counts a metric, stands beside the generator, and a test notices what is missing there. Another one compares
//! the checked-in files with what is made today. Start at [`reference_files`].

mod article;
mod commands;
mod configuration;
mod fields;
mod markdown;
mod messages;
mod metrics;

use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

pub use self::commands::command_page;
use crate::args::{Cli, ReferenceArgs};
use crate::exit::Exit;

/// The first line of every page.
const MADE: &str = "<!-- Made by `newslode reference docs/reference`: change the code, not this page. -->\n";

/// The beginning of the page of commands.
const COMMANDS: &str = "# Commands

`--help` of each command prints the same. Data goes to standard output, everything else to standard error. Commands end with 0 when all
is done, 1 when something failed or a proof did not hold, 2 for wrong usage or configuration, 130 when they were interrupted; the state is kept.

Commands that read or change what was mined take the run's folder as `--dir DIR`, `newslode-run` if none is named. Where a file or the
environment sets `store.url` or `broker.url` ([configuration](configuration.md)), they ask the services instead; other keys do not matter.
A folder and servers together are refused. Where version 0.1.0 took the folder without `--dir`, that still works.
";

/// `newslode reference`: writes the reference to a folder.
pub(crate) fn run(args: &ReferenceArgs) -> anyhow::Result<Exit> {
    std::fs::create_dir_all(&args.folder)
        .with_context(|| format!("cannot make the folder `{}`", args.folder.display()))?;
    for (name, text) in reference_files()? {
        write_file(&args.folder.join(name), &text)?;
    }
    Ok(Exit::Done)
}

fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))
}

/// The reference: names of files and what they hold.
fn reference_files() -> anyhow::Result<[(&'static str, String); 5]> {
    let schema = serde_json::to_string_pretty(&article::schema()?)? + "\n";
    Ok([
        ("commands.md", MADE.to_owned() + &command_page(Cli::command(), COMMANDS)),
        ("configuration.md", MADE.to_owned() + &configuration::page()?),
        ("metrics.md", MADE.to_owned() + &metrics::page()?),
        ("messages.md", MADE.to_owned() + &messages::page()?),
        ("article.schema.json", schema),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_says_what_the_code_says() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference");
        for (name, text) in reference_files().unwrap() {
            let kept = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(
                kept == text,
                "docs/reference/{name} is stale: run `cargo run -p newslode -- reference docs/reference`"
            );
        }
    }

    #[test]
    fn the_command_writes_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        run(&ReferenceArgs { folder: folder.path().join("new") }).unwrap();
        for (name, text) in reference_files().unwrap() {
            assert_eq!(std::fs::read_to_string(folder.path().join("new").join(name)).unwrap(), text);
        }
    }
}
