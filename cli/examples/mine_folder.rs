//! Mines a folder of saved pages: prints the taxonomy of their sites, and the articles with their concepts.
//!
//!     cargo run -p newslode --example mine_folder -- FOLDER [RUN]
//!
//! FOLDER holds `*.html` files and a `manifest.jsonl`, with a line for each file:
//!
//!     {"file": "story.html", "url": "https://www.example.com/story"}
//!
//! A page counts as fetched when its file was changed last. Nothing is fetched from the network. A concept is a label that
//! several sites show, so save front pages, sections and stories of at least two sites. RUN is a folder that keeps what was
//! mined, for a second start or for `newslode serve --dir RUN`; without it nothing is kept.

#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Context as _;
use newslode::engine::Engine;
use newslode::import::{ImportCounts, import_saved_pages};
use newslode::input::{self, Input};
use newslode::queries::articles::each_article;
use newslode_common::config::Config;
use newslode_miner::mining::taxonomy::tree_text;
use newslode_page::neutral::for_terminal;
use newslode_page::{Article, Timestamp};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().context("usage: mine_folder FOLDER [RUN]")?;
    let forgotten = tempfile::tempdir()?;
    let run = arguments.next().unwrap_or_else(|| forgotten.path().to_path_buf());
    let pages = saved_pages(&folder)?;

    // An engine without a crawler: its pages come from an import.
    let config = Config::default();
    let engine = Engine::open(&run, config.clone())?.offline();
    let (parts, mut counts) = (engine.miner_parts(), ImportCounts::default());
    let import = import_saved_pages(&parts, &config, pages, &mut counts);
    engine.mine(import, &CancellationToken::new(), |_progress| {}).await?;
    println!("{}", counts.summary_line());

    let mut articles = Vec::new();
    let taxonomy = each_article(&parts, |article| {
        articles.push(line(article));
        Ok(())
    })
    .await?;
    // Pages may hold characters that steer a terminal.
    let (tree, articles) = (tree_text(&taxonomy), articles.join("\n"));
    println!("\nTAXONOMY (label, and the number of sites that show it)\n{}", for_terminal(&tree));
    println!("ARTICLES\n{}", for_terminal(&articles));
    Ok(())
}

/// The pages of a folder under the URLs of its manifest, each with the time of its file.
fn saved_pages(folder: &Path) -> anyhow::Result<Vec<(Input, Timestamp)>> {
    let (mut pages, mut times) = (Vec::new(), Vec::new());
    for file in input::page_files(folder)? {
        let changed = std::fs::metadata(&file)?.modified()?.duration_since(UNIX_EPOCH)?;
        times.push(Timestamp(u64::try_from(changed.as_millis())?));
        pages.push(input::read_file(&file, None)?);
    }
    input::apply_manifest(&mut pages, &folder.join("manifest.jsonl"))?;
    Ok(pages.into_iter().zip(times).collect())
}

fn line(article: &Article) -> String {
    let day = article.published.as_deref().unwrap_or("no date");
    let title = article.title.as_deref().unwrap_or(&article.url);
    format!("{day}  {title}  [{}]  {}", article.concepts.join(", "), article.url)
}
