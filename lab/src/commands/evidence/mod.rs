//! `newslode-lab evidence`: prints what is measured of pages; the scripts in `page/train` learn from it.
//!
//! Standard input says which pages. The first line printed gives the names of the measures; the others follow the
//! order of the input.

mod articles;
mod blocks;
mod concepts;
mod heads;
mod kinds;
mod tables;

use std::io::{BufWriter, Write as _};

use newslode::exit::Exit;
use newslode_page::training;

use crate::args::{EvidenceArgs, Learnt};

pub(super) fn run(args: &EvidenceArgs) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(newslode::out::writer());
    match args.of {
        Learnt::Bodies => articles::print(training::body_measures(), training::body_evidence, &mut out)?,
        Learnt::Titles => articles::print(training::title_measures(), training::title_evidence, &mut out)?,
        Learnt::Authors => articles::print(training::author_measures(), training::author_evidence, &mut out)?,
        Learnt::Days => articles::print(training::day_measures(), training::day_evidence, &mut out)?,
        Learnt::Kinds => kinds::print(&mut out)?,
        Learnt::Blocks => blocks::print(&mut out)?,
        Learnt::Heads => heads::print(&mut out)?,
        Learnt::Tables => tables::print(&mut out)?,
        Learnt::Concepts => concepts::print(&mut out)?,
    }
    out.flush()?;
    Ok(Exit::Done)
}
