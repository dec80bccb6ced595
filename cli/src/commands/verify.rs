//! `newslode verify`: proves what follows from the archive, and checks the rest.

use newslode_common::message::FetchedPage;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::redb::check::FileCheck;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::verify::VerifyReport;
use newslode_page::contribution::SEPARATOR;
use newslode_page::{Analysis, Params};
use serde::Serialize;

use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::installation::{self, Setup, Target};
use crate::outputs::{FileDifference, compare_outputs};
use crate::progress::ProgressDisplay;
use crate::queries::articles::count_pages;
use crate::{engine, out};

/// Number of differences of a kind that are printed; the count covers all of them.
const SHOWN: usize = 20;

/// What neither follows from the archive nor can be checked.
const NOT_PROVABLE: &str = "when pages and articles were first seen, when events happened, what the schedule has learnt, \
                            what people taught";

/// All that was proved and checked.
#[derive(Serialize)]
struct Report {
    /// The sums, articles and histories.
    #[serde(flatten)]
    state: VerifyReport,
    /// The records of the run's file; none for the services.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<FileCheck>,
    /// Number of the run's files that were compared with what would be written now.
    compared: usize,
    /// Those that differ.
    files: Vec<FileDifference>,
}

impl Report {
    fn is_sound(&self) -> bool {
        self.state.is_proof() && self.files.is_empty() && self.file.as_ref().is_none_or(FileCheck::is_whole)
    }
}

pub(crate) async fn run(args: VerifyArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let target = args.run.target(setup);
    // A file whose records cannot be read proves nothing else.
    let (parts, file) = match &target {
        Target::Run(folder) => {
            let store = engine::open_states(folder, engine::ONE_STATE_FOR)?;
            let file = store.check().await?;
            (installation::parts_of_run(folder, store, &setup.config)?, Some(file))
        }
        Target::Services => (installation::open(&target, &setup.config).await?, None),
    };
    let report = match file {
        Some(file) if !file.is_whole() => {
            let state = VerifyReport::default();
            Report { state, file: Some(file), compared: 0, files: Vec::new() }
        }
        file => {
            let state = prove(&parts, setup.quiet).await?;
            let (compared, files) = match target.folder() {
                Some(folder) => compare_outputs(&parts, folder).await?,
                None => (0, Vec::new()),
            };
            Report { state, file, compared, files }
        }
    };
    if args.json {
        out::json(&report)?;
    } else {
        print(&report)?;
    }
    Ok(if report.is_sound() { Exit::Done } else { Exit::Failed })
}

/// Opens a run's state without changing it, and proves it.
pub(crate) async fn prove_run(store: &RedbStore, setup: &Setup) -> anyhow::Result<VerifyReport> {
    prove(&installation::parts_of(store.clone(), &setup.config)?, setup.quiet).await
}

/// Recomputes all sites.
async fn prove(parts: &Parts, quiet: bool) -> anyhow::Result<VerifyReport> {
    let params = parts.params.clone();
    let sites: Vec<_> = parts.stores.state.sites().await?.into_iter().map(|(site, _)| site).collect();
    let mut display = ProgressDisplay::new(quiet);
    let all = count_pages(parts).await?;
    let report = newslode_miner::work::verify::verify(
        parts.stores.state.as_ref(),
        parts.stores.archive.as_ref(),
        &sites,
        &params.generation(),
        |page| analyse_again(&page, &params).into(),
        |done| {
            let left = all.saturating_sub(done);
            display.work(done, Some(left), |pace| format!("{done} of {all} pages recomputed{pace}"));
        },
    )
    .await?;
    display.end();
    Ok(report)
}

fn analyse_again(page: &FetchedPage, params: &Params) -> Analysis {
    // A page without bytes contributes nothing; the report shows this as a changed contribution.
    let bytes = page.bytes().unwrap_or_else(|error| {
        tracing::warn!(url = %page.url, %error, "an archived page cannot be read");
        Vec::new()
    });
    page.analyse(&bytes, params)
}

fn print(report: &Report) -> anyhow::Result<()> {
    if let Some(file) = report.file.as_ref().filter(|file| !file.is_whole()) {
        for fault in file.faults.iter().take(SHOWN) {
            out::line(format!("damaged: {fault}"))?;
        }
        return out::line(format!(
            "the run's file is damaged in {} places; nothing else was checked\nnewslode repair keeps what can be read",
            file.faulty
        ));
    }
    let state = &report.state;
    for difference in state.differences.iter().take(SHOWN) {
        out::line(format!(
            "{}: {:?} `{}` is {}, its pages sum up to {}",
            difference.site,
            difference.cell.table,
            difference.cell.key.replace(SEPARATOR, " / "),
            difference.live,
            difference.recomputed
        ))?;
    }
    if state.different > SHOWN as u64 {
        out::line(format!("… {} more", state.different - SHOWN as u64))?;
    }
    list("counted by other page algorithms", &state.outdated)?;
    list("not in the archive", &state.missing)?;
    list("contribution changed", &state.changed)?;
    list("article not in the archive", &state.without_article)?;
    let histories = state.histories.iter().map(|fault| format!("{}: {}", fault.url, fault.what));
    list("history", &histories.collect::<Vec<_>>())?;
    list("identifiers", &state.registry.faults)?;
    let files = report.files.iter().map(|file| format!("{} {}", file.file, file.what));
    list("file", &files.collect::<Vec<_>>())?;
    out::line(format!(
        "proved: {} sites, {} pages, {} cells: {}",
        state.sites,
        state.pages,
        state.cells,
        if state.different == 0
            && state.missing.is_empty()
            && state.changed.is_empty()
            && state.outdated.is_empty()
        {
            "equal to the bit".to_string()
        } else {
            format!(
                "{} counters differ, {} pages are not in the archive, {} contributions changed, {} pages are counted \
                 by other page algorithms (newslode recompute)",
                state.different,
                state.missing.len(),
                state.changed.len(),
                state.outdated.len()
            )
        }
    ))?;
    if state.removed > 0 {
        out::line(format!(
            "not proved: {} pages whose bytes were removed, to save space or because they ask for no copy; their archived \
             contributions agree with the sums where the cells are equal",
            state.removed
        ))?;
    }
    if report.compared > 0 {
        let differ = match report.files.len() {
            0 => "as they would be written now".to_owned(),
            number => format!("{number} are not as they would be written now (newslode mine writes them)"),
        };
        out::line(format!("proved: {} files: {differ}", report.compared))?;
    }
    let faults = match state.histories.len() + state.without_article.len() {
        0 => "complete".to_owned(),
        number => format!("{number} are not complete (newslode repair)"),
    };
    out::line(format!("checked: histories of {} articles: {faults}", state.articles))?;
    let faults = match (state.registry.faults.len(), state.registry.is_behind) {
        (0, false) => "each concept has one".to_owned(),
        (0, true) => "the taxonomy is newer; the next fold gives its concepts theirs".to_owned(),
        (number, _) => format!("{number} faults"),
    };
    out::line(format!("checked: {} identifiers of concepts: {faults}", state.registry.identifiers))?;
    if let Some(file) = &report.file {
        out::line(format!("checked: {} records of the file can be read", file.records))?;
    }
    out::line(format!("not provable: {NOT_PROVABLE}"))
}

fn list(what: &str, all: &[impl std::fmt::Display]) -> anyhow::Result<()> {
    for one in all.iter().take(SHOWN) {
        out::line(format!("{what}: {one}"))?;
    }
    if all.len() > SHOWN {
        out::line(format!("{what}: … {} more", all.len() - SHOWN))?;
    }
    Ok(())
}
