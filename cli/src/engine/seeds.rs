//! Reads seeds: URLs on the command line, or one per line in a file.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context;
use newslode_common::config::MinerConfig;
use newslode_common::message::seed::{SeedMessage, VERSION, web_url};
use newslode_miner::work::parts::Parts;

use crate::exit::hinted;

/// The largest file of seeds: a million lines.
const MOST_BYTES: u64 = 64 << 20;
/// Wrong lines that are named, and characters of each.
const MOST_NAMED: usize = 10;
const MOST_SHOWN: usize = 200;

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
        let text = read_file(path).with_context(|| format!("cannot read `{}`", path.display()))?;
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

/// The text of a file of seeds. What is no UTF-8 is replaced, so that only its line is wrong.
///
/// # Errors
/// When the file cannot be read, or is too large.
pub(crate) fn read_file(path: &Path) -> std::io::Result<String> {
    let (file, mut bytes) = (File::open(path)?, Vec::new());
    let too_large = || std::io::Error::other(format!("it has more than {} MiB", MOST_BYTES >> 20));
    if file.metadata()?.len() > MOST_BYTES {
        return Err(too_large());
    }
    // It may grow meanwhile, or be a pipe.
    if file.take(MOST_BYTES + 1).read_to_end(&mut bytes)? as u64 > MOST_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned());
    Ok(text)
}

/// The lines of a file of seeds.
#[derive(Debug, Default)]
pub(crate) struct SeedLines {
    /// In the order of the lines.
    pub(crate) seeds: Vec<Seed>,
    /// The first lines that are no web addresses: their numbers, from 1, and the beginning of what stands there.
    pub(crate) wrong: Vec<(usize, String)>,
    /// Number of all such lines.
    pub(crate) all_wrong: usize,
}

impl SeedLines {
    /// Reads one seed from each line that is neither empty nor a comment.
    pub(crate) fn read(text: &str) -> SeedLines {
        let mut read = SeedLines::default();
        // Windows' editors mark UTF-8 at the beginning.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match parse_seed(line) {
                Ok(seed) => read.seeds.push(seed),
                Err(_) => {
                    read.all_wrong += 1;
                    if read.wrong.len() < MOST_NAMED {
                        read.wrong.push((number, line.chars().take(MOST_SHOWN).collect()));
                    }
                }
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
        newslode_miner::work::seeds::apply_seed(parts, defaults, command, parts.clock.now()).await?;
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
