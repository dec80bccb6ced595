//! `newslode verify`: recomputes the state from the archive and compares it with the live state.

use newslode_common::message::FetchedPage;
use newslode_page::analyse;
use newslode_page::contribution::SEPARATOR;

use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::installation::{self, Setup};
use crate::out;
use crate::progress::ProgressDisplay;
use crate::queries::articles::count_pages;

/// Number of differences that are printed; the count covers all of them.
const SHOWN: usize = 20;

pub(crate) async fn run(args: VerifyArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&args.run.target(setup)?, &setup.config).await?;
    let params = parts.params.clone();
    let recompute = |page: FetchedPage| {
        // A page without bytes contributes nothing; the report shows this as a changed contribution.
        let bytes = page.bytes().unwrap_or_else(|error| {
            tracing::warn!(url = %page.url, %error, "an archived page cannot be read");
            Vec::new()
        });
        analyse(&page.url, page.content_type.as_deref(), &bytes, page.fetched_at, &params).contribution
    };
    let sites: Vec<_> = parts.stores.state.sites().await?.into_iter().map(|(site, _)| site).collect();
    let mut display = ProgressDisplay::new(setup.quiet);
    let all = count_pages(&parts).await?;
    let (state, archive) = (parts.stores.state.as_ref(), parts.stores.archive.as_ref());
    let report = newslode_miner::work::verify::verify(
        state,
        archive,
        &sites,
        &params.generation(),
        recompute,
        |done| {
            let left = all.saturating_sub(done);
            display.work(done, Some(left), |pace| format!("{done} of {all} pages recomputed{pace}"));
        },
    )
    .await?;
    display.end();
    let sound = report.is_proof();
    if args.json {
        out::json(&report)?;
    } else {
        for difference in report.differences.iter().take(SHOWN) {
            out::line(format!(
                "{}: {:?} `{}` is {}, its pages sum up to {}",
                difference.site,
                difference.cell.table,
                difference.cell.key.replace(SEPARATOR, " / "),
                difference.live,
                difference.recomputed
            ))?;
        }
        if report.different > SHOWN as u64 {
            out::line(format!("… {} more", report.different - SHOWN as u64))?;
        }
        for url in report.outdated.iter().take(SHOWN) {
            out::line(format!("counted by other page algorithms: {url}"))?;
        }
        for url in report.missing.iter().take(SHOWN) {
            out::line(format!("not in the archive: {url}"))?;
        }
        out::line(format!(
            "{} sites, {} pages, {} cells: {}",
            report.sites,
            report.pages,
            report.cells,
            if sound {
                "equal to the bit".to_string()
            } else {
                format!(
                    "{} counters differ, {} pages are not in the archive, {} contributions changed, {} pages are counted \
                     by other page algorithms (newslode recompute)",
                    report.different,
                    report.missing.len(),
                    report.changed.len(),
                    report.outdated.len()
                )
            }
        ))?;
    }
    Ok(if sound { Exit::Done } else { Exit::Failed })
}
