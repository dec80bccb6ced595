//! Reads seeds: URLs on the command line, or one per line in a file.

use std::path::Path;

use anyhow::Context;
use newslode_common::config::MinerConfig;
use newslode_common::message::seed::{SeedMessage, VERSION, web_url};
use newslode_common::time;
use newslode_miner::work::parts::Parts;

use crate::exit::hinted;

/// A checked seed.
pub type Seed = url::Url;

/// Collects the seeds of arguments and file, in order, without duplicates.
///
/// # Errors
/// When the file cannot be read, or a seed is no web address.
pub fn collect(urls: &[String], file: Option<&Path>) -> anyhow::Result<Vec<Seed>> {
    let mut seeds: Vec<Seed> = Vec::new();
    let mut keep = |seed: Seed| {
        if !seeds.contains(&seed) {
            seeds.push(seed);
        }
    };
    for text in urls {
        keep(parse_seed(text).with_context(|| format!("`{text}` is not a seed"))?);
    }
    if let Some(path) = file {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            keep(parse_seed(line).map_err(|_| {
                hinted(
                    format!(
                        "cannot read seeds from `{}`: line {} is not a URL: `{line}`",
                        path.display(),
                        number + 1
                    ),
                    "one URL per line; lines that start with `#` are skipped",
                )
            })?);
        }
    }
    Ok(seeds)
}

/// Parses a URL or a bare host name.
fn parse_seed(text: &str) -> anyhow::Result<Seed> {
    match web_url(text) {
        Ok(url) => Ok(url),
        Err(_) if !text.contains(':') && text.contains('.') => Ok(web_url(&format!("https://{text}"))?),
        Err(error) => Err(hinted(error.to_string(), "a seed looks like https://www.example.com")),
    }
}

/// Adds seeds to a run, as the services' seed messages do.
///
/// # Errors
/// When a limit is none, or the store fails.
pub async fn add_seeds(
    parts: &Parts,
    seeds: &[Seed],
    limits: (Option<u64>, Option<u32>, Option<u64>),
    defaults: &MinerConfig,
) -> anyhow::Result<()> {
    let (max_pages, max_depth, delay_ms) = limits;
    for url in seeds {
        let url = Some(url.to_string());
        let message =
            SeedMessage { version: VERSION, url, max_pages, max_depth, delay_ms, ..Default::default() };
        let command = message.command()?;
        newslode_miner::work::seeds::apply_seed(parts, defaults, command, time::now()).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn seeds_come_from_arguments_and_file_each_once() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "# ours\nhttps://a.test/\n\n  www.b.test\n").unwrap();
        let seeds = collect(&["https://a.test".into()], Some(file.path())).unwrap();
        assert_eq!(
            seeds.iter().map(url::Url::as_str).collect::<Vec<_>>(),
            ["https://a.test/", "https://www.b.test/"]
        );
    }

    #[test]
    fn a_wrong_line_is_named() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "https://a.test/\nhtp:/example.org\n").unwrap();
        let error = collect(&[], Some(file.path())).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("htp:/example.org"), "{error}");
    }
}
