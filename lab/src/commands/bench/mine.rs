//! `newslode-lab bench mine`: what counting, records and folds cost.

use anyhow::Context as _;
use newslode::exit::Exit;
use newslode::out;

use super::progress::progress;
use crate::args::{BenchMineArgs, BenchStore};
use crate::bench::mine::{self, MineReport};

pub(super) async fn run(args: &BenchMineArgs, quiet: bool) -> anyhow::Result<Exit> {
    let wanted = mine::Wanted {
        redb: args.store != Some(BenchStore::Redis),
        redis: args.store != Some(BenchStore::Redb),
        redis_url: args.redis.clone(),
        sites: args.sites,
        soak: args.soak,
    };
    let report = mine::measure(&wanted, &mut progress(quiet)).await?;
    if let Some(file) = &args.svg {
        std::fs::write(file, mine::picture::svg(&report))
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    if args.json {
        out::json(&report)?
    } else {
        out::text(&table(&report))?
    }
    Ok(Exit::Done)
}

fn table(report: &MineReport) -> String {
    let mut rows = Vec::new();
    for store in &report.applies {
        rows.push(format!(
            "{}: {} pages of {:.0} counters\n{:>14} {:>8} {:>9} {:>7}",
            store.store, store.pages, store.counters_per_page, "pages a call", "at once", "pages/s", "times"
        ));
        rows.extend(store.rows.iter().map(|row| {
            format!("{:14} {:8} {:9.0} {:7.1}", row.batch, row.at_once, row.pages_per_second, row.times)
        }));
    }
    for store in &report.records {
        rows.push(format!(
            "{}: {:.0} bytes per known URL of {:.0} characters, {:.0} bytes per counted page besides its counters",
            store.store, store.known_url_bytes, store.url_bytes, store.counted_page_bytes
        ));
    }
    for fold in &report.folds {
        rows.push(format!(
            "{} sites of {:.0} labels: read {:.0} ms, fold {:.0} ms ({} concepts, {} relations); ten changed: \
             read {:.1} ms, fold {:.1} ms, {}",
            fold.sites,
            fold.labels_per_site,
            fold.read_ms,
            fold.fold_ms,
            fold.concepts,
            fold.relations,
            fold.again_read_ms,
            fold.again_fold_ms,
            if fold.equal { "equal to the bit" } else { "NOT EQUAL" }
        ));
    }
    for soak in &report.soaks {
        let mib = |bytes: Option<u64>| bytes.map_or("-".into(), |bytes| format!("{} MiB", bytes >> 20));
        let ends = [soak.looks.first(), soak.looks.last()];
        let [first, last] = ends.map(|look| mib(look.and_then(|look| look.resident_bytes)));
        rows.push(format!(
            "{}: {} pages of {:.0} counters, {} sites, in {:.0} s ({:.0} per second), resident {first} at the start, {last} at the \
             end, {:.0} bytes of state per page",
            soak.store, soak.pages, soak.counters_per_page, soak.sites, soak.seconds, soak.pages_per_second, soak.state_bytes_per_page
        ));
    }
    rows.join("\n") + "\n"
}
