//! Works on every `*.html` of a folder and says how long each page took.
//!
//! `cargo run --release -p newslode-partitioner --example pages -- FOLDER [--params NAME]
//! [--predictions FILE.jsonl] [--outline NAME] [--without NAME,...]`
//!
//! Predictions are one JSON object a page: each label's parent by their first leaves, the first leaf of the
//! label for its other leaves, and the first leaves of the segments. `--without` switches kinds of evidence
//! of the outline method off, by the names of [`OutlineParams`]: this is how the ablation table is made.

#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use newslode_common::hierarchy::{Hierarchy, xml};
use newslode_common::message::{Body, FetchedPage};
use newslode_common::page::CanonicalUrl;
use newslode_common::store::Why;
use newslode_common::time::Timestamp;
use newslode_common::version::{ContentHash, Version};
use newslode_partitioner::{OutlineParams, Params, work};

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = args.first().context("which folder?")?;
    let option = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1).cloned()
    };
    let name = option("--params").unwrap_or_else(|| "default".into());
    let mut params = Params::named(&name).context("`--params` is `default` or `paper`")?;
    if let Some(names) = option("--without") {
        params.outline = without(params.outline, &names)?;
    }
    let mut predictions =
        option("--predictions").map(std::fs::File::create).transpose().context("predictions")?;

    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "html"));
    files.sort();
    let mut times: Vec<(Duration, String)> = Vec::new();
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).context("a name that is no text")?;
        let bytes = std::fs::read(file)?;
        let fetched = fetched(&bytes)?;
        let started = Instant::now();
        let (page, hierarchy) = work(&fetched, &bytes, &params, Duration::from_secs(5));
        times.push((started.elapsed(), name.to_owned()));
        hierarchy.check().map_err(|error| anyhow!("{name}: {error}"))?;
        println!(
            "{name:44} {:7.1} ms {:6} leaves {:4} segments {:5} labels {:5} pairs {:5} terms {:5} links {:4} lists {} {}",
            times.last().map_or(0.0, |(time, _)| time.as_secs_f64() * 1e3),
            hierarchy.leaves,
            hierarchy.boundaries.len() + 1,
            page.contribution.labels.len(),
            page.contribution.pairs.len(),
            page.contribution.terms.len(),
            page.contribution.links.len(),
            page.contribution.lists.len(),
            page.contribution.language.as_deref().unwrap_or("-"),
            page.notes.failed.unwrap_or_else(|| page.notes.coarse.join(",")),
        );
        if let Some(file) = &mut predictions {
            writeln!(file, "{}", prediction(name, &hierarchy))?;
        }
        if option("--outline").as_deref() == Some(name) {
            println!("{}", xml::write(&hierarchy));
        }
    }
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    times.sort();
    println!(
        "{} pages in {total:?}; median {:?}, slowest {:?}",
        times.len(),
        times.get(times.len() / 2),
        times.last()
    );
    Ok(())
}

fn without(params: OutlineParams, names: &str) -> anyhow::Result<OutlineParams> {
    let mut switches = serde_json::to_value(params)?;
    for name in names.split(',') {
        let switch = switches.get_mut(name).filter(|switch| switch.is_boolean());
        *switch.with_context(|| format!("`{name}` is no switch"))? = false.into();
    }
    Ok(serde_json::from_value(switches)?)
}

fn fetched(bytes: &[u8]) -> anyhow::Result<FetchedPage> {
    let url: CanonicalUrl = "https://news.example.org/".parse()?;
    let content = ContentHash::of(&url, None, bytes);
    Ok(FetchedPage {
        site: url.site(),
        url,
        depth: 0,
        why: Why::Seed,
        version: Version { fetch: 1, content },
        fetched_at: Timestamp::now(),
        content_type: None,
        body: Body::Archived,
    })
}

fn prediction(name: &str, hierarchy: &Hierarchy) -> serde_json::Value {
    let first = |node: usize| hierarchy.nodes[node].label.as_ref().map(|label| label.leaves[0]);
    let mut parents: BTreeMap<String, Option<u32>> = BTreeMap::new();
    for node in 0..hierarchy.nodes.len() {
        if let Some(leaf) = first(node) {
            parents.insert(leaf.to_string(), hierarchy.labelled_ancestor(node).and_then(first));
        }
    }
    let labels = hierarchy.nodes.iter().filter_map(|node| node.label.as_ref());
    let others =
        labels.flat_map(|label| label.leaves[1..].iter().map(|leaf| (leaf.to_string(), label.leaves[0])));
    let others: BTreeMap<String, u32> = others.collect();
    serde_json::json!({ "page": name, "parent": parents, "label": others, "boundaries": hierarchy.boundaries })
}
