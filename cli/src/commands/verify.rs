//! `newslode verify`: fold the archived pages again and compare with the live state.

use newslode_common::config::Config;

use super::taxonomy::Installation;
use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::out;
use crate::progress::Shown;

/// Differences that are printed; the count is always whole.
const SHOWN: usize = 20;

pub(crate) async fn run(args: VerifyArgs, config: &Config, quiet: bool) -> anyhow::Result<Exit> {
    let parts = Installation::open(args.dir.as_deref(), config).await?;
    let params = super::partition::named(&config.partitioner.params)?;
    let mut shown = Shown::new(quiet);
    let report = newslode_miner::verify::verify(parts.state.as_ref(), parts.archive.as_ref(), &params, |done, all| {
        shown.say(|| format!("{done} of {all} pages recomputed"));
    })
    .await?;
    shown.end();
    let sound = report.is_sound();
    if args.json {
        out::json(&report)?;
    } else {
        for difference in report.differences.iter().take(SHOWN) {
            out::line(difference)?;
        }
        if report.differences.len() > SHOWN {
            out::line(format!("… {} more", report.differences.len() - SHOWN))?;
        }
        for url in report.missing.iter().take(SHOWN) {
            out::line(format!("not in the archive: {url}"))?;
        }
        out::line(format!(
            "{} sites, {} pages, {} cells: {}",
            report.sites,
            report.pages,
            report.cells,
            if sound { "equal to the bit".to_string() } else { format!("{} differences, {} pages missing", report.differences.len(), report.missing.len()) }
        ))?;
    }
    Ok(if sound { Exit::Done } else { Exit::Failed })
}
