//! `newslode correct`: what editors correct in the taxonomy of a run or of the services.
//!
//! Corrections are an overlay (`newslode_miner::work::corrections`), kept apart from what was mined. They apply at once. In a
//! run's folder the files are written anew, too.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use newslode_common::time::{iso, now};
use newslode_miner::mining::corrections::{Correction, Corrections, Entry};
use newslode_miner::work::corrections::{read_corrections, read_mined};
use newslode_miner::work::parts::Parts;
use newslode_page::reading::Site;

use crate::args::{ChangeArgs, CorrectArgs, CorrectCommand};
use crate::control::{self, Change};
use crate::correcting::TaxonomyChange;
use crate::exit::{Exit, hinted};
use crate::installation::{self, DirArgs, Setup, Target};
use crate::out;
use crate::queries::corrections::{Overlay, Preview, list_corrections, meant_concept, preview};

/// Largest file of corrections.
const MOST_BYTES: u64 = 64 << 20;
/// Concepts that a preview shows.
const SHOWN: usize = 40;

pub(crate) async fn run(args: CorrectArgs, setup: &Setup) -> anyhow::Result<Exit> {
    match args.command {
        CorrectCommand::Hide { concept, how } => {
            add(how, setup, |meant| Ok(Correction::Hide { concept: meant(&concept)? })).await
        }
        CorrectCommand::Rename { concept, label, how } => {
            add(how, setup, |meant| {
                Ok(Correction::Rename { concept: meant(&concept)?, label: label.clone() })
            })
            .await
        }
        CorrectCommand::Merge { concept, into, how } => {
            add(how, setup, |meant| Ok(Correction::Merge { concept: meant(&concept)?, into: meant(&into)? }))
                .await
        }
        CorrectCommand::Split { concept, forms, label, how } => {
            let make = |meant: &Meant<'_>| {
                Ok(Correction::Split {
                    concept: meant(&concept)?,
                    forms: forms.clone(),
                    label: label.clone(),
                })
            };
            add(how, setup, make).await
        }
        CorrectCommand::Under { concept, parent, how } => {
            let make = |meant: &Meant<'_>| {
                Ok(Correction::Under { concept: meant(&concept)?, parent: meant(&parent)? })
            };
            add(how, setup, make).await
        }
        CorrectCommand::NotUnder { concept, parent, how } => {
            let make = |meant: &Meant<'_>| {
                Ok(Correction::NotUnder { concept: meant(&concept)?, parent: meant(&parent)? })
            };
            add(how, setup, make).await
        }
        CorrectCommand::Map { site, place, concept, how } => {
            let site = Site::of_host(&site);
            let make = |meant: &Meant<'_>| {
                Ok(Correction::Map { site: site.clone(), place: place.clone(), concept: meant(&concept)? })
            };
            add(how, setup, make).await
        }
        CorrectCommand::Undo { numbers, preview, run } => {
            change(TaxonomyChange::Undo(numbers), preview, &run, setup).await
        }
        CorrectCommand::List { run, json } => list(&run, json, setup).await,
        CorrectCommand::Export { run, to } => export(&run, to.as_deref(), setup).await,
        CorrectCommand::Import { file, replace, preview, run } => {
            let file = read_file(&file)?;
            change(TaxonomyChange::Import { file, replace }, preview, &run, setup).await
        }
    }
}

/// Finds the key of the concept that a person names.
type Meant<'a> = dyn Fn(&str) -> anyhow::Result<String> + 'a;

/// Adds a correction.
async fn add(
    how: ChangeArgs,
    setup: &Setup,
    make: impl FnOnce(&Meant<'_>) -> anyhow::Result<Correction>,
) -> anyhow::Result<Exit> {
    let ChangeArgs { note, author, preview, run } = how;
    let correction = {
        let (_, Overlay { mined, corrected, .. }) = overlay(&run.target(setup), setup).await?;
        make(&|name| meant_concept(&corrected, &mined, name))?
    };
    let entry = Entry { note, author, at: Some(iso(now())), ..Entry::new(correction) };
    change(TaxonomyChange::Add(Box::new(entry)), preview, &run, setup).await
}

/// Makes a change, or shows what it would do.
async fn change(
    change: TaxonomyChange,
    is_preview: bool,
    run: &DirArgs,
    setup: &Setup,
) -> anyhow::Result<Exit> {
    let target = run.target(setup);
    if is_preview {
        return show_preview(&change, &target, setup).await;
    }
    out::line(control::apply(&target, Change::Correct(change), &setup.config).await?)?;
    Ok(Exit::Done)
}

/// The corrections of an installation, with what they are laid over.
async fn overlay(target: &Target, setup: &Setup) -> anyhow::Result<(Parts, Overlay)> {
    let parts = installation::open(target, &setup.config).await?;
    let overlay = Overlay::read(parts.stores.state.as_ref()).await?;
    let overlay = overlay.ok_or_else(|| {
        hinted("the taxonomy has not been computed yet", "mine first, or wait for the miner's first fold")
    })?;
    Ok((parts, overlay))
}

async fn show_preview(change: &TaxonomyChange, target: &Target, setup: &Setup) -> anyhow::Result<Exit> {
    let (parts, Overlay { mined, corrections, .. }) = overlay(target, setup).await?;
    let mut then = corrections.clone();
    let said = change.make(&mut then, &mined)?;
    let Preview { corrected, moves } = preview(&parts, &mined, &corrections, &then).await?;
    out::line(format!("{said} (a preview: nothing was kept)"))?;
    let articles = |count: Option<u64>| count.map_or("no concept".to_owned(), |count| count.to_string());
    for concept in moves.concepts.iter().take(SHOWN) {
        let (before, after) = (articles(concept.before), articles(concept.after));
        out::line(format!("  {} ({}): {before} -> {after}", concept.label, concept.key))?;
    }
    if moves.concepts.len() > SHOWN {
        out::line(format!("  … {} more concepts", moves.concepts.len() - SHOWN))?;
    }
    out::line(format!("{} of {} articles move", moves.moved, moves.articles))?;
    for unmatched in &corrected.unmatched {
        out::line(format!("correction {} does not apply: {}", unmatched.number, unmatched.cause))?;
    }
    Ok(Exit::Done)
}

async fn list(run: &DirArgs, json: bool, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&run.target(setup), &setup.config).await?;
    let state = parts.stores.state.as_ref();
    let mined = read_mined(state).await?.unwrap_or_default();
    let listed = list_corrections(&read_corrections(state).await?, &mined);
    if json {
        out::json(&listed)?;
        return Ok(Exit::Done);
    }
    for correction in &listed {
        out::line(format!("{}  {}", correction.entry.number, correction.entry))?;
        if let Some(cause) = &correction.unmatched {
            out::line(format!("   does not apply now: {cause}"))?;
        }
    }
    Ok(Exit::Done)
}

async fn export(run: &DirArgs, to: Option<&Path>, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&run.target(setup), &setup.config).await?;
    let corrections = read_corrections(parts.stores.state.as_ref()).await?;
    let Some(file) = to else {
        out::json(&corrections)?;
        return Ok(Exit::Done);
    };
    let mut json = corrections.to_json()?;
    json.push(b'\n');
    let write = || std::fs::File::create(file)?.write_all(&json);
    write().with_context(|| format!("cannot write `{}`", file.display()))?;
    out::notice(format!("{} corrections written to `{}`", corrections.entries().len(), file.display()));
    Ok(Exit::Done)
}

fn read_file(file: &Path) -> anyhow::Result<Corrections> {
    let cannot = || format!("cannot read `{}`", file.display());
    let size = std::fs::metadata(file).with_context(cannot)?.len();
    anyhow::ensure!(size <= MOST_BYTES, "{}: it has more than {} MB", cannot(), MOST_BYTES >> 20);
    Corrections::parse(&std::fs::read(file).with_context(cannot)?).with_context(cannot)
}
