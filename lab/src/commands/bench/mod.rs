//! `newslode-lab bench`: measures partitioning, extraction and mining on this machine, as ratios and growth.

mod mine;
mod pipeline;
mod progress;

use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::Context;
use newslode::demo::generate_world;
use newslode::exit::{Exit, hinted};
use newslode::{input, out};
use newslode_common::schedule::ScheduleConfig;
use newslode_common::time::Clock;
use newslode_newsworld::living::{LivingSpec, LivingWorld};
use newslode_page::training::measure::made_page;

use self::progress::progress;
use crate::args::{
    BenchArgs, BenchClaimsArgs, BenchCommand, BenchConsoleArgs, BenchEndureArgs, BenchExtractArgs,
    BenchFollowArgs, BenchHostileArgs, BenchLooksArgs, BenchPartitionArgs, BenchScaleArgs,
    BenchTemplatesArgs, BenchWorstArgs, Troubles,
};
use crate::bench::mine::Server;
use crate::bench::{
    self, ClaimReport, ClaimSpec, EndureSpec, Endured, FollowReport, Found, HostileRow, Life, Report, Sample,
    Scale, ScaleSpec, Way, WorstRow, WorstSite, WorstSpec,
};

/// Sizes of the generated pages that replace a folder.
const MADE: [usize; 5] = [200, 500, 1_000, 2_000, 5_000];

pub(crate) async fn run(args: BenchArgs, quiet: bool) -> anyhow::Result<Exit> {
    match args.command {
        BenchCommand::Partition(args) => partition(&args, quiet),
        BenchCommand::Extract(args) => extract(&args),
        BenchCommand::Hostile(args) => hostile(&args),
        BenchCommand::Worst(args) => worst(args).await,
        BenchCommand::Templates(args) => templates(&args),
        BenchCommand::Mine(args) => mine::run(&args, quiet).await,
        BenchCommand::Pipeline(args) => pipeline::run(args, quiet).await,
        BenchCommand::Looks(args) => looks(&args, quiet).await,
        BenchCommand::Console(args) => console(&args, quiet).await,
        BenchCommand::Claims(args) => claims(&args, quiet).await,
        BenchCommand::Scale(args) => scale(args, quiet).await,
        BenchCommand::Follow(args) => follow(&args, quiet),
        BenchCommand::Endure(args) => endure(&args, quiet).await,
    }
}

fn templates(args: &BenchTemplatesArgs) -> anyhow::Result<Exit> {
    let samples = args.pages.as_deref().map(folder).transpose()?.unwrap_or_default();
    let report = bench::rtdm(&samples)?;
    if let Some(file) = &args.svg {
        std::fs::write(file, bench::rtdm_svg(&report))
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    if args.json {
        out::json(&report)?;
        return Ok(Exit::Done);
    }
    out::line(format!(
        "distance of pages of {} vertices: {:.2} ms, textbook's {:.2} ms: {:.0} times",
        report.vertices, report.rtdm_ms, report.plain_ms, report.ratio
    ))?;
    for point in &report.growth {
        let plain = point.plain_microseconds;
        let plain = plain.map_or(String::new(), |plain| format!(", textbook's {plain:9.0} µs"));
        out::line(format!("{:7} vertices: {:9.1} µs{plain}", point.vertices, point.microseconds))?;
    }
    out::line(format!(
        "{} pages of a site become {} templates in {:.2} s",
        report.site_pages, report.templates, report.induce_s
    ))?;
    Ok(Exit::Done)
}

async fn looks(args: &BenchLooksArgs, quiet: bool) -> anyhow::Result<Exit> {
    let looks = bench::measure_looks(&args.sizes, &mut progress(quiet)).await?;
    if args.json {
        out::json(&looks)?;
        return Ok(Exit::Done);
    }
    for bench::Look { pages, new_page_ms, all_pages_ms } in looks {
        out::line(format!(
            "{pages:6} pages: {new_page_ms:.1} ms with one new page, {all_pages_ms:.0} ms to view all"
        ))?;
    }
    Ok(Exit::Done)
}

async fn console(args: &BenchConsoleArgs, quiet: bool) -> anyhow::Result<Exit> {
    if args.out.exists() {
        return Err(hinted(format!("`{}` exists already", args.out.display()), "name a new folder"));
    }
    let made = bench::make_run(generate_world(&args.world, None), &args.out, &mut progress(quiet)).await?;
    if args.json {
        out::json(&made)?;
        return Ok(Exit::Done);
    }
    let bench::MadeRun { sites, pages, seconds } = made;
    out::line(format!(
        "{pages} pages of {sites} sites in {seconds:.0} s: newslode serve --dir {}",
        args.out.display()
    ))?;
    Ok(Exit::Done)
}

async fn claims(args: &BenchClaimsArgs, quiet: bool) -> anyhow::Result<Exit> {
    let &BenchClaimsArgs { sites, crawlers, workers, fetch_ms, .. } = args;
    let spec = ClaimSpec { sites, crawlers, workers, fetch_ms };
    let folder = tempfile::tempdir()?;
    let server = match &args.redis {
        Some(url) => Server::at(url).await?,
        None => Server::start(folder.path()).await?,
    };
    let report = bench::measure_claims(spec, async || server.another().await, &mut progress(quiet)).await?;
    if args.json {
        out::json(&report)?;
        return Ok(Exit::Done);
    }
    let ClaimReport { cpu_us_per_claim: one, cpu_us_per_claim_of_many: many, .. } = report;
    let rows = [
        ("commands a second while nothing is due", format!("{:.1}", report.idle_commands_per_second)),
        ("server's time for a claim, one at a time", format!("{one:.0} µs")),
        ("server's time for a claim of many", format!("{many:.0} µs")),
        ("requests a second while much is due", format!("{:.0}", report.fetches_per_second)),
        ("workers busy with requests", format!("{:.1} %", report.busy_share * 100.0)),
        ("server's time for a request, all calls", format!("{:.0} µs", report.cpu_us_per_fetch)),
    ];
    rows.into_iter().try_for_each(|(name, value)| out::line(format!("{name:42} {value}")))?;
    Ok(Exit::Done)
}

async fn scale(args: BenchScaleArgs, quiet: bool) -> anyhow::Result<Exit> {
    let spec = ScaleSpec { pages: args.pages, sites: args.sites, sizes: args.sizes };
    let folder = tempfile::tempdir()?;
    let server = match &args.redis {
        Some(url) => Server::at(url).await?,
        None => Server::start(folder.path()).await?,
    };
    let rows = bench::measure_scale(&spec, &server.store, &mut progress(quiet)).await?;
    if let Some(file) = &args.svg {
        std::fs::write(file, bench::scale_svg(&rows))
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    if args.json {
        out::json(&rows)?;
        return Ok(Exit::Done);
    }
    out::line(
        "pages a site  Redis B/page  apply: server, us ms  follow: server, us ms  whole: server, us ms  keep, succeed ms a site  fold ms  kept cells  kept MB",
    )?;
    for row in &rows {
        let Scale { pages_per_site, redis_bytes_per_page: bytes, kept_cells, fold_ms, .. } = row;
        out::line(format!(
            "{pages_per_site:12}  {bytes:12.0}  {:13.3} {:6.3}  {:14.3} {:6.3}  {:13.3} {:6.3}  {:13.1} {:9.1}  {fold_ms:7.1}  {kept_cells:10.0}  {:7.2}{}",
            row.apply_server_ms,
            row.apply_client_ms,
            row.follow_server_ms,
            row.follow_client_ms,
            row.read_server_ms,
            row.read_client_ms,
            row.keep_server_ms + row.keep_client_ms,
            row.succeed_server_ms + row.succeed_client_ms,
            row.kept_bytes / 1e6,
            if row.equal { "" } else { "  NOT EQUAL" },
        ))?;
    }
    Ok(Exit::Done)
}

async fn endure(args: &BenchEndureArgs, quiet: bool) -> anyhow::Result<Exit> {
    let &BenchEndureArgs { world, sites, days, most_a_day, rest, kill_every, .. } = args;
    // Pages with noise are other ones at each visit, so that no two runs read the same.
    let world = LivingSpec { world, sites, days, most_a_day, is_steady: true, mishaps: false };
    let spec = EndureSpec { world, rest_days: rest, kill_every_h: kill_every };
    if let Some(folder) = &args.live {
        let mut say_at = args.say_at;
        let at_step = move |clock: &Clock, _: &LivingWorld| {
            if say_at.is_some_and(|at| at <= clock.now().0) {
                say_at = None;
                out::line("now").ok();
            }
        };
        bench::live(&spec, folder, Life { at_step: Box::new(at_step), network_clock: None }).await?;
        return Ok(Exit::Done);
    }
    let kept = tempfile::tempdir()?;
    let folder = match &args.out {
        Some(folder) if folder.exists() && !args.compare => {
            let hint = "name a new folder, or compare the runs in it with `--compare`";
            return Err(hinted(format!("`{}` exists already", folder.display()), hint));
        }
        Some(folder) if !folder.exists() && args.compare => {
            return Err(hinted(format!("there is no `{}`", folder.display()), "name the folder of two runs"));
        }
        Some(folder) => folder.as_path(),
        None => kept.path(),
    };
    let program = std::env::current_exe()?;
    let life = |run: &Path, say_at: Option<u64>| {
        let mut command = std::process::Command::new(&program);
        command.args(["bench", "endure", "--quiet", "--live"]).arg(run);
        for (name, value) in [
            ("--world", world.world),
            ("--sites", sites as u64),
            ("--days", days.into()),
            ("--most-a-day", most_a_day.into()),
            ("--rest", rest.into()),
        ] {
            command.args([name, &value.to_string()]);
        }
        command.args(say_at.map(|at| format!("--say-at={at}")));
        command
    };
    let mut say = progress(quiet);
    let report = match args.compare {
        true => bench::compare(&spec, folder, &mut say).await?,
        false => bench::endure(&spec, folder, life, &mut say).await?,
    };
    let exit = if report.differences.are_none() { Exit::Done } else { Exit::Failed };
    if args.json {
        out::json(&report)?;
        return Ok(exit);
    }
    let Endured { differences, .. } = &report;
    let rows = [
        ("kills", report.kills),
        ("sites", report.sites),
        ("counted pages", report.pages),
        ("articles", report.articles),
        ("events of articles", report.events),
        ("concepts", report.concepts),
        ("templates", report.templates),
    ];
    for (name, many) in rows {
        out::line(format!("{name:40} {many:>8}"))?;
    }
    let row = |what: &str, found: &Found| {
        let named = if found.count > 0 { format!("  {}", found.first.join(", ")) } else { String::new() };
        out::line(format!("  {what:38} {:>8}{named}", found.count))
    };
    out::line("must not differ")?;
    row("not proved from a run's own pages", &differences.unproved)?;
    row("texts that were shown last, not counted", &differences.lost)?;
    row("articles or edits that no event tells", &differences.untold)?;
    for (what, found) in differences.must_not_differ.named() {
        row(what, found)?;
    }
    out::line("may differ, because the sites showed the runs something else")?;
    for (what, found) in differences.may_differ.named() {
        row(what, found)?;
    }
    out::line(format!(
        "of these, {} pages were met by one run only, and {} lives differ only in how many edits were seen",
        differences.met_by_one, differences.merged_edits
    ))?;
    out::line(format!("{:.0} s for both runs", report.seconds))?;
    Ok(exit)
}

fn spec_of(world: u64, args: &BenchFollowArgs) -> LivingSpec {
    let mishaps = args.troubles == Troubles::All;
    LivingSpec { world, sites: args.sites, days: args.days, mishaps, ..LivingSpec::default() }
}

fn follow(args: &BenchFollowArgs, quiet: bool) -> anyhow::Result<Exit> {
    if let Some(worlds) = &args.worlds {
        return follow_several(worlds.clone(), args, quiet);
    }
    let spec = spec_of(args.world, args);
    let only = args.only.as_deref();
    let report = bench::follow(&spec, &ScheduleConfig::default(), args.without, only, |done| {
        progress(quiet)(&format!("{done} of {} sites", args.sites));
    })?;
    if let Some(host) = only {
        report.sites.iter().filter(|site| site.host == host).try_for_each(out::json)?;
        return Ok(Exit::Done);
    }
    if args.json {
        out::json(&report)?;
        return Ok(Exit::Done);
    }
    for site in report.sites.iter().filter(|_| args.per_site) {
        out::line(format!(
            "{:32} {:5.1} a day {:6} articles {:5} lost {:5} avoidable  {:.3} within 1 h {:7} requests  {}",
            site.host,
            site.rate,
            site.articles,
            site.lost,
            site.avoidable,
            site.within_1h,
            site.requests,
            site.troubles
        ))?;
    }
    let FollowReport { figures, .. } = &report;
    let minutes = |seconds: f64| format!("{:.1} min", seconds / 60.0);
    let rows = [
        ("articles judged", figures.articles.to_string()),
        ("in hand within an hour", format!("{:.4}", figures.within_1h)),
        ("of those whose site answered within it", format!("{:.4}", figures.within_1h_of_answered)),
        ("in hand within a day", format!("{:.4}", figures.within_24h)),
        ("in hand at the end", format!("{:.4}", figures.at_end)),
        ("avoidable losses", figures.avoidable_losses.to_string()),
        ("articles that no listing showed", figures.never_shown.to_string()),
        ("delay: median", minutes(figures.delay_median_s)),
        ("delay: nine in ten articles", minutes(figures.delay_p90_s)),
        ("delay: median of the sites' medians", minutes(figures.site_medians_median_s)),
        ("delay: nine in ten sites' medians", minutes(figures.site_medians_p90_s)),
        ("requests an article", format!("{:.2}", figures.requests_per_article)),
        ("requests for listings an article", format!("{:.2}", figures.listing_requests_per_article)),
        ("edits seen within an hour", format!("{:.3}", figures.edits_within_1h)),
        ("articles of the first day within an hour", format!("{:.3}", figures.first_day_within_1h)),
        ("deletions seen within two days", format!("{:.3}", figures.deletions_within_2d)),
        ("first article after an outage, nine in ten", minutes(figures.first_after_outage_p90_s)),
        ("blocks", figures.blocks.to_string()),
        ("false alarms of silence", report.false_alarms.to_string()),
        ("impolite sites", report.impolite_sites.to_string()),
    ];
    for (name, value) in rows {
        out::line(format!("{name:44} {value:>10}"))?;
    }
    out::line(format!("{} sites, {} days, in {:.0} s", args.sites, args.days, report.seconds))?;
    Ok(Exit::Done)
}

/// Follows several worlds: a row for each as soon as it ends, then their mean and the worst figures.
fn follow_several(worlds: RangeInclusive<u64>, args: &BenchFollowArgs, quiet: bool) -> anyhow::Result<Exit> {
    let row = |name: &str, figures: &[f64; 8]| {
        let [hour, answered, end, losses, p90, requests, impolite, alarms] = figures;
        out::line(format!(
            "{name:>6} {hour:>14.4} {answered:>9.4} {end:>10.4} {losses:>9.1} {p90:>8.1} {requests:>9.2} {impolite:>9.1} {alarms:>7.1}"
        ))
    };
    if !args.json {
        out::line(
            " world within an hour  answered at the end avoidable p90, min requests  impolite  alarms",
        )?;
    }
    let mut reports = Vec::new();
    let mut all = Vec::new();
    for world in worlds {
        let spec = spec_of(world, args);
        let report = bench::follow(&spec, &ScheduleConfig::default(), args.without, None, |done| {
            progress(quiet)(&format!("world {world}: {done} of {} sites", args.sites));
        })?;
        let figures = &report.figures;
        let own = [
            figures.within_1h,
            figures.within_1h_of_answered,
            figures.at_end,
            figures.avoidable_losses as f64,
            figures.site_medians_p90_s / 60.0,
            figures.requests_per_article,
            report.impolite_sites as f64,
            report.false_alarms as f64,
        ];
        if !args.json {
            row(&world.to_string(), &own)?;
        }
        all.push(own);
        reports.push((world, report));
    }
    if args.json {
        out::json(&reports.into_iter().collect::<std::collections::BTreeMap<_, _>>())?;
        return Ok(Exit::Done);
    }
    let column = |at: usize| all.iter().map(move |own: &[f64; 8]| own[at]);
    let mean = std::array::from_fn(|at| column(at).sum::<f64>() / all.len().max(1) as f64);
    // The first three figures are better if they are higher.
    let worst = std::array::from_fn(|at| match at {
        0..=2 => column(at).fold(1.0, f64::min),
        _ => column(at).fold(0.0, f64::max),
    });
    row("mean", &mean)?;
    row("worst", &worst)?;
    out::line(format!("{} sites, {} days each", args.sites, args.days))?;
    Ok(Exit::Done)
}

fn partition(args: &BenchPartitionArgs, quiet: bool) -> anyhow::Result<Exit> {
    if let (Some(way), Some(leaves)) = (&args.peak_of, args.leaves) {
        let way = Way::named(way).with_context(|| format!("there is no method `{way}`"))?;
        if let Some(bytes) = bench::peak(way, leaves)? {
            out::line(bytes)?;
        }
        return Ok(Exit::Done);
    }
    let samples = samples(args)?;
    let report = bench::measure(&samples, &mut progress(quiet))?;
    if let Some(file) = &args.svg {
        let drawn = bench::svg(&report.growth);
        std::fs::write(file, drawn).with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    if args.json {
        out::json(&report)?
    } else {
        out::text(&table(&report))?
    }
    Ok(Exit::Done)
}

fn samples(args: &BenchPartitionArgs) -> anyhow::Result<Vec<Sample>> {
    let Some(folder) = &args.pages else {
        let made =
            |leaves| Sample { name: format!("made, {leaves} leaves"), bytes: made_page(leaves).into() };
        return Ok(MADE.map(made).into());
    };
    self::folder(folder)
}

fn folder(folder: &Path) -> anyhow::Result<Vec<Sample>> {
    input::page_files(folder)?.iter().map(|path| sample(path)).collect()
}

fn sample(path: &Path) -> anyhow::Result<Sample> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(Sample { name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), bytes })
}

fn extract(args: &BenchExtractArgs) -> anyhow::Result<Exit> {
    if let Some(file) = &args.peak_of {
        if let Some(bytes) = bench::peak_of_page(file)? {
            out::line(bytes)?;
        }
        return Ok(Exit::Done);
    }
    let folder = args.pages.as_deref().context("`--pages DIR` says which pages to measure on")?;
    let files = input::page_files(folder)?;
    let samples: Vec<Sample> = files.iter().map(|path| sample(path)).collect::<anyhow::Result<_>>()?;
    let found = bench::extraction(&samples, &files)?;
    if args.json {
        out::json(&found)?;
        return Ok(Exit::Done);
    }
    let peak = found.peak_bytes.map_or("-".into(), |bytes| format!("{:.0}", bytes as f64 / 1048576.0));
    out::line(format!(
        "{} pages, bytes to article: median {:.2} ms, worst {:.1} ms ({}); {:.2} times the parse alone (median); \
         process with the worst page {peak} MiB",
        found.rows.len(),
        found.median_ms,
        found.worst_ms,
        found.worst_page,
        found.median_ratio
    ))?;
    Ok(Exit::Done)
}

fn hostile(args: &BenchHostileArgs) -> anyhow::Result<Exit> {
    bench::measure_hostile(|row| if args.json { out::json(&row) } else { out::text(&hostile_lines(&row)) })?;
    Ok(Exit::Done)
}

async fn worst(args: BenchWorstArgs) -> anyhow::Result<Exit> {
    let spec = WorstSpec { only: args.only.unwrap_or_default(), times: args.times, sites: args.sites };
    let show = |row: WorstRow| if args.json { out::json(&row) } else { out::text(&worst_lines(&row)) };
    bench::measure_worst(&spec, show).await?;
    Ok(Exit::Done)
}

fn worst_lines(row: &WorstRow) -> String {
    let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(", ");
    let bytes = list(&mut row.bytes.iter().map(|bytes| (bytes >> 10).to_string()));
    let steps = list(&mut row.steps.iter().map(u64::to_string));
    let mut lines = format!("{}: {bytes} KiB, {steps} steps to learn four\n", row.name);
    for stage in &row.stages {
        let ms: String = stage.ms.iter().map(|ms| format!("{ms:10.2}")).collect();
        lines += &format!("    {:14}{ms} ms, growth {:5.1}\n", stage.name, stage.growth());
    }
    if let Some(WorstSite { bytes, sizes }) = &row.site {
        for size in sizes {
            let cut = size.compared.map_or(String::new(), |compared| format!(", {compared} pages compared"));
            lines += &format!(
                "    site of {:2} pages of {} KiB: {:.1} ms a page to count, {:.1} ms to view{cut}\n",
                size.pages,
                bytes >> 10,
                size.count_ms,
                size.view_ms
            );
        }
    }
    lines
}

fn hostile_lines(row: &HostileRow) -> String {
    let HostileRow { page, bytes, leaves, parse_ms, ways } = row;
    let mut lines = format!("{page}: {bytes} bytes, {leaves} leaves, parsed in {parse_ms:.0} ms\n");
    for way in ways {
        let resident = way.resident_bytes.map_or("-".into(), |bytes| (bytes >> 20).to_string());
        lines += &format!(
            "    {:20} {:8.0} ms, {} nodes, coarse: {:?}, resident {resident} MiB\n",
            way.params, way.ms, way.nodes, way.coarse
        );
    }
    lines
}

fn table(report: &Report) -> String {
    let mut rows =
        vec![format!("{:44} {:>7} {:>9} {:>9} {:>6}", "page", "leaves", "parse ms", "whole ms", "ratio")];
    let pages = &report.pages;
    rows.extend(pages.rows.iter().map(|row| {
        format!(
            "{:44} {:7} {:9.2} {:9.2} {:6.2}",
            row.page, row.leaves, row.parse_ms, row.whole_ms, row.ratio
        )
    }));
    rows.push(format!(
        "bytes to hierarchy over parse alone: median {:.2}, worst {:.2}; slowest page {:.1} ms",
        pages.median_ratio, pages.worst_ratio, pages.slowest_ms
    ));
    let dp = &report.dp;
    rows.push(format!(
        "dynamic program, 1000 leaves: {:.1} ms, its n³/6 additions alone {:.1} ms, ratio {:.2}",
        dp.fast_1000_ms, dp.additions_1000_ms, dp.over_additions
    ));
    rows.push(format!(
        "dynamic program, 200 leaves: {:.2} ms; plain {:.0} ms, {:.0} times slower; plain with costs \
         remembered {:.1} ms, {:.0} times slower",
        dp.fast_200_ms, dp.plain_200_ms, dp.times_faster, dp.plain_known_200_ms, dp.times_faster_than_known
    ));
    rows.push(format!("tables: {:.2} bytes for each leaf squared", dp.bytes_per_leaf_squared));
    rows.push(format!(
        "{:>7} {:>9} {:>9} {:>12} {:>9} {:>12} {:>12}",
        "leaves", "parse ms", "whole ms", "paper page", "exact ms", "whole MiB", "paper MiB"
    ));
    for row in &report.growth {
        let mib =
            |bytes: Option<u64>| bytes.map_or("-".into(), |bytes| format!("{:.1}", bytes as f64 / 1048576.0));
        let mark = if row.paper_page_coarse.is_empty() { "" } else { " coarse" };
        rows.push(format!(
            "{:7} {:9.2} {:9.2} {:12.1} {:>9} {:>12} {:>12}{mark}",
            row.leaves,
            row.parse_ms,
            row.default_ms,
            row.paper_page_ms,
            row.exact_ms.map_or("-".into(), |ms| format!("{ms:.1}")),
            mib(row.default_peak_bytes),
            mib(row.paper_page_peak_bytes)
        ));
    }
    rows.join("\n") + "\n"
}
