//! `newslode-lab probe`: prints or checks one thing about some pages, for measuring against other programs.

mod leaves;
mod page_kinds;
mod same;

use newslode::exit::Exit;

use crate::args::{ProbeArgs, ProbeCommand};

pub(super) fn run(args: ProbeArgs) -> anyhow::Result<Exit> {
    match args.command {
        ProbeCommand::Leaves { windows_1252, pages } => leaves::print(&pages, windows_1252)?,
        ProbeCommand::PageKinds => page_kinds::print()?,
        ProbeCommand::Same { folder, most } => same::check(&folder, most)?,
    }
    Ok(Exit::Done)
}
