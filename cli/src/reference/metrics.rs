//! Every family of metrics with its kind, labels and help, from the registry; beside that who counts it, and what its help
//! does not say.

use anyhow::Context as _;
use newslode_common::telemetry::metrics::Metrics;

use super::markdown::table_cell;

const HEAD: &str = "# Metrics

Each process serves all families at `/metrics` on `telemetry.admin` and counts its own work; the other families stay zero. Every label
value exists from the start. A label is never a URL or a site. Add up counters and rates over the processes.
[Operations](../operations.md#watching) says how to read them, [the runbook](../runbook.md) what to do when an alert on them fires. `newslode mine --admin ADDRESS:PORT`
serves the same families, its queues are in memory; `newslode serve --admin ADDRESS:PORT` does so for a console, which counts what it refuses.

The `process_*` families are read from `/proc` at each scrape. Bounds of histograms stand below the table.

| family | kind | labels | meaning | counted by |
|---|---|---|---|---|
";

const ALL: &str = "all";
const CONSOLE: &str = "console";
const MINER: &str = "miner";
const CRAWLER: &str = "crawler";
const READERS: &str = "partitioner, miner";
const PARTITIONER: &str = "partitioner";
const WATCH: &str = "`newslode watch`";

/// Families, who counts them, and what their help does not say.
const NOTES: &[(&str, &str, &str)] = &[
    (
        "newslode_http_connections_dropped_total",
        ALL,
        "Idle connections that make way are included, so a few mean nothing.",
    ),
    (
        "newslode_console_refused_total",
        CONSOLE,
        "`token`: wrong ones, by bearer or sign-in. `sign_in`: through the identity provider. `request`: one client had too many under way. `busy`: no turn or memory came free. `stream`: no place for a listener.",
    ),
    ("newslode_console_brake_seconds_total", CONSOLE, "Those who hang up early count with the whole wait."),
    ("newslode_crawler_urls_total", CRAWLER, "A completion that came too late is not counted."),
    ("newslode_crawler_retries_total", CRAWLER, ""),
    (
        "newslode_crawler_delays_cut_total",
        CRAWLER,
        "That is `crawler.max_crawl_delay_ms`; the log names the site.",
    ),
    ("newslode_crawler_fetched_bytes_total", CRAWLER, "Unchanged pages are included."),
    ("newslode_crawler_fetch_seconds", CRAWLER, "Or to the failure. robots.txt is not included."),
    (
        "newslode_crawler_network_down",
        CRAWLER,
        "Sites that answered before fail one after the other, and none answers between them. No site is blamed for it.",
    ),
    ("newslode_broker_refused_total", "crawler (`pages`), partitioner (`partitions`)", "Each try counts."),
    ("newslode_broker_consumed_total", READERS, ""),
    (
        "newslode_broker_dead_lettered_total",
        READERS,
        "Those that the broker gives up for the delivery limit are not included.",
    ),
    ("newslode_broker_redelivered_total", READERS, ""),
    (
        "newslode_broker_queue_messages",
        MINER,
        "Read every 5 s; with RabbitMQ the ready ones. Every miner reports the same number: take the maximum, not the sum.",
    ),
    ("newslode_partitioner_pages_total", PARTITIONER, "A failure is a panic; the page counts nothing."),
    ("newslode_partitioner_page_seconds", PARTITIONER, "The article is included."),
    ("newslode_miner_recomputed_total", MINER, ""),
    ("newslode_miner_outdated_pages", MINER, "Zero where nothing is left, or `miner.recompute_share` is 0."),
    ("newslode_miner_pages_total", MINER, "A `conflict` is tried again."),
    ("newslode_miner_apply_seconds", MINER, ""),
    (
        "newslode_miner_articles_total",
        MINER,
        "Events of new, changed and gone ones; one that is told twice counts twice.",
    ),
    ("newslode_miner_articles_without_total", MINER, ""),
    ("newslode_miner_filed_total", MINER, "Events that are told before anything was learnt are not counted."),
    (
        "newslode_miner_article_delay_seconds",
        MINER,
        "Those that name only a day, or one more than a week ago, are left out.",
    ),
    (
        "newslode_miner_sites",
        MINER,
        "`quiet`: nothing new for longer than their rhythm explains; operations.md explains the others. The miner that leads counts all sites.",
    ),
    (
        "newslode_miner_sites_due",
        MINER,
        "Counted once a minute by the miner that leads. Others report 0: take the maximum.",
    ),
    (
        "newslode_miner_owned_buckets",
        MINER,
        "Their views, and counting their pages again. All miners together own each once.",
    ),
    ("newslode_miner_followed_total", MINER, "Only those that were new to it."),
    ("newslode_miner_fold_seconds", MINER, "Following is included."),
    ("newslode_miner_taxonomy_size", MINER, "The miner that leads folds."),
    (
        "newslode_miner_views_pages_total",
        MINER,
        "A view marks informative blocks. `missing`: no longer archived.",
    ),
    ("newslode_miner_views_seconds", MINER, ""),
    ("newslode_miner_views_articles_total", MINER, "`changed` in their text, or only in the witness."),
    (
        "newslode_miner_template_pages_total",
        MINER,
        "`waiting`: no template accepts them. `settled`: they waited, and a newly learnt template accepts them.",
    ),
    (
        "newslode_miner_instance_pages_total",
        MINER,
        "They are read again if the page, or one that it lists, changed.",
    ),
    (
        "newslode_miner_templates_total",
        MINER,
        "`crowded`: the site has too many. `cut`: pages too large to compare were left out.",
    ),
    (
        "newslode_process_reconnects_total",
        ALL,
        "`store`: restarts of the server that a miner handled. Zero in `newslode mine`.",
    ),
    (
        "newslode_store_memory_bytes",
        MINER,
        "`limit` is `maxmemory`, else the machine's. Read every 5 s. Every miner reports the same numbers: take the maximum.",
    ),
    (
        "newslode_archive_bytes",
        MINER,
        "Packed. In an archive of objects once a day, by the miner that leads, if pages are kept for a time (`miner.window_days`); in `newslode watch` after each sweep.",
    ),
    ("newslode_retention_removed_total", WATCH, "`body`: the text of an article, whose other fields stay."),
    (
        "newslode_store_file_bytes",
        WATCH,
        "What the file takes on the disk. Removed bytes leave room in it, which is used again.",
    ),
    ("newslode_disk_free_bytes", WATCH, "For users without privileges."),
    ("newslode_disk_short", CRAWLER, "0 for an archive in a bucket, which has no disk of this machine."),
    ("newslode_archive_failures_total", ALL, "An absent object is no failure."),
    ("newslode_trace_spans_total", ALL, "All zero while `telemetry.traces` is empty."),
    (
        "newslode_build_info",
        ALL,
        "`NEWSLODE_REVISION` names the revision to the build. Multiply by it to see a version beside another metric.",
    ),
    ("newslode_process_clock_seconds", ALL, "Prometheus' `timestamp()` beside it tells clocks that differ."),
];

/// A family as it is scraped.
struct Family<'a> {
    name: &'a str,
    kind: &'a str,
    help: &'a str,
    /// The lines of its series.
    series: Vec<&'a str>,
}

pub(super) fn page() -> anyhow::Result<String> {
    let text = Metrics::new()?.text()?;
    let families = parse_families(&text)?;
    let mut page = HEAD.to_owned();
    for family in &families {
        let note = NOTES.iter().find(|(name, ..)| *name == family.name);
        let (_, by, note) = note.copied().unwrap_or(("", ALL, ""));
        let meaning = format!("{} {note}", family.help);
        page.push_str(&format!(
            "| `{}` | {} | {} | {} | {by} |\n",
            family.name,
            family.kind,
            label_cell(family),
            table_cell(&meaning)
        ));
    }
    page.push_str("\n## Bounds of histograms\n\n");
    for family in families.iter().filter(|family| family.kind == "histogram") {
        let bounds =
            family.series.iter().filter_map(|line| label_value(line, "le")).filter(|bound| *bound != "+Inf");
        page.push_str(&format!("- `{}`: {}\n", family.name, bounds.collect::<Vec<_>>().join(", ")));
    }
    page.push_str("\nBounds are in seconds. To add a family, see \"Add a metric\" in [CONTRIBUTING.md](../../CONTRIBUTING.md).\n");
    Ok(page)
}

fn parse_families(text: &str) -> anyhow::Result<Vec<Family<'_>>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    let mut helps = "";
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            helps = help.split_once(' ').context("a family has no help")?.1;
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').context("a family has no kind")?;
            families.push(Family { name, kind, help: helps, series: Vec::new() });
        } else if let Some(family) = families.last_mut() {
            family.series.push(line);
        }
    }
    Ok(families)
}

/// The value of a label in a line of a series.
fn label_value<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    line.split_once(&format!("{label}=\""))?.1.split_once('"').map(|(value, _)| value)
}

/// The label of a family, and its values.
fn label_cell(family: &Family<'_>) -> String {
    if family.name.ends_with("_info") {
        return info_labels(family).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    }
    let name = |line: &&str| Some(line.split_once('{')?.1.split_once('=')?.0.to_owned());
    match family.series.first().and_then(name).filter(|name| name != "le") {
        None => String::new(),
        Some(label) => {
            let values = family.series.iter().filter_map(|line| label_value(line, &label));
            format!("`{label}`: {}", values.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The labels of a family whose values differ from build to build.
fn info_labels<'a>(family: &Family<'a>) -> impl Iterator<Item = &'a str> {
    let labels = family.series.first().and_then(|line| Some(line.split_once('{')?.1.split_once('}')?.0));
    labels.unwrap_or_default().split(',').filter_map(|label| Some(label.split_once('=')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_of_ours_has_a_note_and_each_note_a_family() {
        let text = Metrics::new().unwrap().text().unwrap();
        let mut family_names: Vec<_> =
            parse_families(&text).unwrap().iter().map(|family| family.name).collect();
        family_names.retain(|name| name.starts_with("newslode_"));
        let mut noted: Vec<_> = NOTES.iter().map(|(name, ..)| *name).collect();
        noted.sort_unstable();
        family_names.sort_unstable();
        assert_eq!(noted, family_names, "say who counts it in cli/src/reference/metrics.rs");
    }

    #[test]
    fn rows_tell_labels_and_bounds() {
        let page = page().unwrap();
        let row = page.lines().find(|line| line.contains("newslode_store_memory_bytes")).unwrap();
        assert!(row.contains("| gauge | `what`: `limit`, `used` |"), "{row}");
        assert!(page.contains("- `newslode_crawler_fetch_seconds`: 0.001, "), "{page}");
        assert!(page.contains("| `process_threads` | gauge |  |"), "{page}");
        let row = page.lines().find(|line| line.contains("newslode_build_info")).unwrap();
        assert!(row.contains("| gauge | `revision`, `rustc`, `version` |"), "{row}");
    }
}
