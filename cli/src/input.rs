//! Reads the pages that a command names: files, folders, `-`, or URLs.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use newslode_common::config::CrawlerConfig;
use newslode_common::store::Validators;
use newslode_common::time::Clock;
use newslode_crawler::fetch::{Answer, FetchedBody, Fetcher, Wanted};
use newslode_crawler::web::Internet;
use newslode_page::Page;
use newslode_page::hierarchy::xml;
use newslode_page::reading::{CanonicalUrl, canonical, resolve};
use serde::Deserialize;

use crate::args::PagesArgs;
use crate::exit::hinted;

/// A page to work on.
pub struct Input {
    /// The path or URL that the user gave; messages use it.
    pub name: String,
    /// Its address; for a file without a given URL, one made up from its name.
    pub url: CanonicalUrl,
    /// The content type that a server named.
    pub content_type: Option<String>,
    /// The body.
    pub bytes: Vec<u8>,
}

impl Input {
    /// Reads the page.
    #[must_use]
    pub fn parse(&self) -> Page {
        Page::parse(&self.url, self.content_type.as_deref(), &self.bytes)
    }

    /// The XML of a finished hierarchy, as runs keep it, if the input is one and not a page.
    pub(crate) fn finished_hierarchy(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.bytes).ok().filter(|text| text.starts_with("<?xml"))?;
        let head = String::from_utf8_lossy(self.bytes.get(..self.bytes.len().min(1000))?);
        head.contains(xml::NAMESPACE).then_some(text)
    }
}

/// Reads all given pages; the files of a folder come in name order.
pub(crate) async fn read_pages(args: &PagesArgs, crawler: &CrawlerConfig) -> anyhow::Result<Vec<Input>> {
    let mut pages = Vec::new();
    for name in &args.pages {
        if name.starts_with("http://") || name.starts_with("https://") {
            pages.push(fetch_page(name, crawler).await?);
        } else if name == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes)?;
            pages.push(Input {
                name: name.clone(),
                url: given_or_made_up_url(args.url.as_deref(), "standard-input")?,
                content_type: None,
                bytes,
            });
        } else {
            for path in page_files(Path::new(name))? {
                pages.push(read_file(&path, args.url.as_deref())?);
            }
        }
    }
    Ok(pages)
}

/// Reads a page's file.
///
/// # Errors
/// When it cannot be read, or `url` is not one.
pub fn read_file(path: &Path, url: Option<&str>) -> anyhow::Result<Input> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(Input {
        name: path.display().to_string(),
        url: given_or_made_up_url(url, &name)?,
        content_type: None,
        bytes,
    })
}

/// The pages of a folder, or the one file.
///
/// # Errors
/// When the folder cannot be read or holds no page.
pub fn page_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).with_context(|| format!("cannot read `{}`", path.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| matches!(ending.to_str(), Some("html" | "htm" | "xhtml"))) {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(hinted(
            format!("`{}` holds no page", path.display()),
            "pages end in .html, .htm or .xhtml",
        ));
    }
    found.sort();
    Ok(found)
}

/// A line of a manifest.
#[derive(Deserialize)]
struct ManifestEntry {
    file: String,
    url: String,
}

/// Gives each page the URL that the manifest has for its file: JSON Lines with `file` and `url`. Pages that it does not
/// name keep theirs.
///
/// # Errors
/// When the manifest cannot be read, or a line is wrong.
pub fn apply_manifest(pages: &mut [Input], manifest: &Path) -> anyhow::Result<()> {
    let shown = manifest.display();
    let text = std::fs::read_to_string(manifest).with_context(|| format!("cannot read `{shown}`"))?;
    let mut urls = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: ManifestEntry =
            serde_json::from_str(line).with_context(|| format!("in `{shown}`, line {}", number + 1))?;
        urls.insert(line.file, line.url);
    }
    for page in pages {
        let listed = urls.iter().find(|(file, _)| Path::new(&page.name).ends_with(file));
        if let Some((_, url)) = listed {
            page.url = parse_url(url)?;
        }
    }
    Ok(())
}

/// The given URL, or one made up from a file's name.
fn given_or_made_up_url(url: Option<&str>, name: &str) -> anyhow::Result<CanonicalUrl> {
    match url {
        Some(text) => parse_url(text),
        None => made_up(name),
    }
}

/// A URL under the reserved name `file.invalid`.
///
/// # Errors
/// When the name cannot be part of a URL.
pub fn made_up(name: &str) -> anyhow::Result<CanonicalUrl> {
    let mut url = url::Url::parse("http://file.invalid/")?;
    url.set_path(name);
    canonical(&url).with_context(|| format!("cannot make a URL from `{name}`"))
}

/// Parses a page's URL.
///
/// # Errors
/// When the text is not an http or https URL.
pub fn parse_url(text: &str) -> anyhow::Result<CanonicalUrl> {
    let url = url::Url::parse(text).with_context(|| format!("`{text}` is not a URL"))?;
    canonical(&url).with_context(|| format!("`{text}` is not an http or https URL"))
}

/// Maximum number of redirects for a page on the command line.
const MAX_REDIRECTS: u32 = 5;

async fn fetch_page(name: &str, crawler: &CrawlerConfig) -> anyhow::Result<Input> {
    let internet = Arc::new(Internet::new(crawler)?);
    let fetcher = Fetcher::new(internet, Clock::Machine, crawler);
    let mut url = parse_url(name)?;
    for _ in 0..=MAX_REDIRECTS {
        match fetcher.page(&url.to_url(), &Validators::default(), Wanted::Page).await.answer? {
            Answer::Page { fetched, .. } => {
                let FetchedBody { content_type, body, .. } = *fetched;
                return Ok(Input { name: name.into(), url, content_type, bytes: body.to_vec() });
            }
            Answer::Redirect { location, .. } => {
                let target = resolve(&url.to_url(), &location);
                url = target
                    .with_context(|| format!("`{url}` redirects to `{location}`, which is not a web page"))?;
            }
            Answer::Empty => bail!("`{url}` is empty"),
            Answer::NotHtml => bail!("`{url}` is not an HTML page"),
            Answer::Gone => bail!("`{url}` does not exist (404 or 410)"),
            Answer::Refused(status) => bail!("`{url}` was refused with status {status}"),
            Answer::NotModified { .. } => bail!("`{url}` answered 304 to an unconditional request"),
        }
    }
    bail!("`{name}` redirects more than {MAX_REDIRECTS} times")
}
