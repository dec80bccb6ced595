//! Serves recorded sites under their own host names.
//!
//! Each site is a folder with a `manifest.jsonl` of one line per page: `file` (within the folder), `url`, `kind` and,
//! if the page's own address differs, `canonical`. A request finds a page by either address; scheme, fragment, a
//! leading `www.`, `/index.html` and the final slash do not count. Pages are read when requested and sent unchanged.
//! Everything else is a 404.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use newslode_demo_world::{Content, Reply};

/// The pages of recorded sites.
#[derive(Debug)]
pub struct Replay {
    files: BTreeMap<String, PathBuf>,
    seeds: Vec<String>,
}

#[derive(Deserialize)]
struct ManifestLine {
    file: PathBuf,
    url: String,
    canonical: Option<String>,
    #[serde(default)]
    kind: String,
}

impl Replay {
    /// Reads the manifests in `dir` and in its folders.
    ///
    /// # Errors
    /// When a folder or manifest cannot be read, a line is malformed, a file lies outside its site's folder, or there
    /// is no manifest.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let mut folders = vec![dir.to_path_buf()];
        for entry in std::fs::read_dir(dir)? {
            folders.push(entry?.path());
        }
        folders.retain(|folder| folder.join("manifest.jsonl").is_file());
        folders.sort();
        if folders.is_empty() {
            let text = format!("no `manifest.jsonl` in `{}` or in its folders", dir.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let mut replay = Self { files: BTreeMap::new(), seeds: Vec::new() };
        for folder in folders {
            replay.add(&folder)?;
        }
        Ok(replay)
    }

    fn add(&mut self, folder: &Path) -> io::Result<()> {
        let manifest = folder.join("manifest.jsonl");
        let bad = |line: usize, why: &dyn std::fmt::Display| {
            let text = format!("line {line} of `{}`: {why}", manifest.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        };
        let text = std::fs::read_to_string(&manifest)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (i, line) in lines {
            let page: ManifestLine = serde_json::from_str(line).map_err(|e| bad(i + 1, &e))?;
            let within = page.file.components().all(|c| matches!(c, std::path::Component::Normal(_)));
            if !within {
                return Err(bad(i + 1, &format!("`{}` lies outside the site's folder", page.file.display())));
            }
            // The first page with an address keeps it.
            for address in std::iter::once(&page.url).chain(&page.canonical) {
                let file = folder.join(&page.file);
                self.files.entry(key(address)).or_insert(file);
            }
            if page.kind == "home" {
                let address = page.canonical.unwrap_or(page.url);
                // The server speaks plain HTTP, whatever the site spoke.
                self.seeds.push(address.replacen("https://", "http://", 1));
            }
        }
        Ok(())
    }

    /// Addresses of the recorded home pages, in the order of the folders.
    #[must_use]
    pub fn seeds(&self) -> &[String] {
        &self.seeds
    }

    /// Number of addresses that serve a page.
    #[must_use]
    pub fn addresses(&self) -> usize {
        self.files.len()
    }
}

impl Content for Replay {
    fn respond(&self, host: &str, path_and_query: &str) -> Reply {
        let found = self.files.get(&key(&format!("http://{host}{path_and_query}")));
        match found.map(std::fs::read) {
            Some(Ok(body)) => Reply::ok("text/html", body),
            Some(Err(_)) => Reply { status: 500, ..Reply::not_found() },
            None => Reply::not_found(),
        }
    }
}

/// An address without the parts that do not count.
fn key(address: &str) -> String {
    let normal = url::Url::parse(address).map_or_else(|_| address.to_owned(), String::from);
    let rest = normal.split_once("://").map_or(normal.as_str(), |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    rest.strip_suffix("/index.html").unwrap_or(rest).to_owned()
}
