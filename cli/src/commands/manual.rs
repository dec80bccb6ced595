//! `newslode completions` and `newslode man`: what a shell and `man` know of the command line, made from its definition.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::exit::Exit;
use crate::out;

pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "newslode", &mut script);
    out::data(&script)?;
    Ok(Exit::Done)
}

pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let mut program = Cli::command();
    program.build();
    match &args.to {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
            write_pages(&program, folder)?;
        }
        None => out::data(&render_page(&program)?)?,
    }
    Ok(Exit::Done)
}

/// Writes the page of a command and those of its subcommands: `newslode.1`, `newslode-mine.1`, ….
fn write_pages(command: &clap::Command, folder: &Path) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let file = folder.join(format!("{name}.1"));
    let written = std::fs::File::create(&file).and_then(|mut to| to.write_all(&render_page(command)?));
    written.with_context(|| format!("cannot write `{}`", file.display()))?;
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    command.get_subcommands().filter(shown).try_for_each(|command| write_pages(command, folder))
}

fn render_page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page_with_its_example() {
        let folder = tempfile::tempdir().unwrap();
        man(&ManArgs { to: Some(folder.path().into()) }).unwrap();
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let file = folder.path().join(format!("newslode-{}.1", command.get_name()));
            let page = std::fs::read_to_string(&file).unwrap();
            let example = command.get_after_help().unwrap().to_string();
            let first = example.lines().nth(1).unwrap().trim().replace('-', "\\-");
            assert!(page.contains(&first), "{first}\n{page}");
        }
        assert!(folder.path().join("newslode-template-teach.1").is_file());
    }
}
