//! `newslode-lab reference`: writes the reference of the lab's commands, made from the definition of its command line.

use anyhow::Context as _;
use clap::CommandFactory as _;
use newslode::exit::Exit;
use newslode::reference::command_page;

use crate::args::{Cli, ReferenceArgs};

const HEAD: &str = "<!-- Made by `newslode-lab reference docs/reference/lab.md`: change the code, not this page. -->
# The lab's commands

`newslode-lab` measures how right and how fast Newslode is; it is not shipped. `cargo run --release -p newslode-lab -- eval --help` builds and
asks it. `--help` of each command prints what stands here. Data goes to standard output, everything else to standard error.
";

pub(super) fn run(args: &ReferenceArgs) -> anyhow::Result<Exit> {
    std::fs::write(&args.file, page()).with_context(|| format!("cannot write `{}`", args.file.display()))?;
    Ok(Exit::Done)
}

fn page() -> String {
    command_page(Cli::command(), HEAD)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_reference_is_that_of_the_command_line() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/lab.md");
        assert!(
            std::fs::read_to_string(file).unwrap_or_default() == page(),
            "docs/reference/lab.md is stale: run `cargo run -p newslode-lab -- reference docs/reference/lab.md`"
        );
    }

    #[test]
    fn every_measure_is_listed() {
        let page = page();
        for group in ["eval", "bench", "evidence", "probe"] {
            assert!(page.contains(&format!("\n## newslode-lab {group}\n")), "{group}");
        }
        let measures = page.lines().filter(|line| {
            line.starts_with("### newslode-lab eval ") || line.starts_with("### newslode-lab bench ")
        });
        assert_eq!(measures.count(), 27);
    }
}
