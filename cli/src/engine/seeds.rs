//! Reads seeds: URLs on the command line, or one per line in a file.

use std::collections::HashSet;
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
    for text in urls {
        seeds.push(parse_seed(text).with_context(|| format!("`{text}` is not a seed"))?);
    }
    if let Some(path) = file {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let read = SeedLines::read(&text);
        if let Some((number, line)) = read.wrong.first() {
            return Err(hinted(
                format!("cannot read seeds from `{}`: line {number} is not a URL: `{line}`", path.display()),
                "one URL per line; lines that start with `#` are skipped",
            ));
        }
        seeds.extend(read.seeds);
    }
    let mut known = HashSet::new();
    seeds.retain(|seed| known.insert(seed.clone()));
    Ok(seeds)
}

/// The lines of a file of seeds.
#[derive(Debug, Default)]
pub(crate) struct SeedLines {
    /// In the order of the lines.
    pub(crate) seeds: Vec<Seed>,
    /// Lines that are no web addresses: their numbers, from 1, and what stands there.
    pub(crate) wrong: Vec<(usize, String)>,
}

impl SeedLines {
    /// Reads one seed from each line that is neither empty nor a comment.
    pub(crate) fn read(text: &str) -> SeedLines {
        let mut read = SeedLines::default();
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match parse_seed(line) {
                Ok(seed) => read.seeds.push(seed),
                Err(_) => read.wrong.push((number, line.chars().take(200).collect())),
            }
        }
        read
    }
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
