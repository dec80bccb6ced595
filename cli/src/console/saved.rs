//! What the console showed last, in the run's folder, so that the next process shows it at once.
//!
//! Reading a run with many articles takes a while. The file `newslode.console` holds the last [`Mined`] without its search index;
//! a console that starts shows it until it has read the run itself. The file may be deleted at any time, and one that is
//! damaged or of another version is not used. Start at [`read`] and [`write`].
//!
//! The file has a line that names its version, then frames: a length in four bytes, and so many bytes. The first frame is the
//! head, then come articles, and an empty frame ends it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use newslode_common::message::wire;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::search::Positions;
use super::snapshot::{ArticleSummary, ConceptFacts, MOST_ARTICLES, Mined};

/// Name of the file within a run's folder.
const FILE: &str = "newslode.console";
/// The first bytes; another number for each form.
const FORMAT: &[u8] = b"newslode console 1\n";
/// Articles of a frame.
const ARTICLES: usize = 500;
/// The longest frame that is read.
const LONGEST_FRAME: usize = wire::MAX_BODY;

/// What was shown last.
pub(super) struct Saved {
    pub(super) made: Timestamp,
    pub(super) mined: Mined,
    /// Share of the articles that listings showed lately that was read, in thousandths.
    pub(super) recalls: BTreeMap<Site, u64>,
}

/// All but the articles.
#[derive(Serialize, Deserialize)]
struct Head {
    made: Timestamp,
    taxonomy: Taxonomy,
    concepts: Vec<ConceptFacts>,
    left_out: usize,
    by_site: BTreeMap<Site, u64>,
    languages: Vec<(String, u64)>,
    recalls: BTreeMap<Site, u64>,
}

fn file(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Replaces the file.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(
    folder: &Path,
    made: Timestamp,
    mined: &Mined,
    recalls: &BTreeMap<Site, u64>,
) -> anyhow::Result<()> {
    let file = file(folder);
    let part = file.with_extension("console-part");
    let mut to = BufWriter::new(File::create(&part)?);
    to.write_all(FORMAT)?;
    let head = Head {
        made,
        taxonomy: mined.taxonomy.clone(),
        concepts: mined.concepts.clone(),
        left_out: mined.left_out,
        by_site: mined.by_site.clone(),
        languages: mined.languages.clone(),
        recalls: recalls.clone(),
    };
    write_frame(&mut to, &serde_json::to_vec(&head)?)?;
    for articles in mined.articles.chunks(ARTICLES) {
        write_frame(&mut to, &wire::encode(&articles)?)?;
    }
    write_frame(&mut to, &[])?;
    to.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_data()?;
    Ok(std::fs::rename(part, file)?)
}

/// Reads the file, if there is one.
///
/// # Errors
/// When it cannot be read, or is of another form.
pub(super) fn read(folder: &Path) -> anyhow::Result<Option<Saved>> {
    let file = match File::open(file(folder)) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut from = BufReader::new(file);
    let mut format = vec![0; FORMAT.len()];
    from.read_exact(&mut format)?;
    ensure!(format == FORMAT, "it has another form");
    let head: Head = serde_json::from_slice(&read_frame(&mut from)?)?;
    ensure!(head.concepts.len() == head.taxonomy.concepts.len(), "its concepts have no facts");
    let mut articles: Vec<ArticleSummary> = Vec::new();
    loop {
        let frame = read_frame(&mut from)?;
        if frame.is_empty() {
            break;
        }
        articles.extend(wire::decode::<Vec<ArticleSummary>>(&frame)?);
        ensure!(articles.len() <= MOST_ARTICLES, "it has too many articles");
    }
    let known = head.taxonomy.concepts.len();
    let is_known =
        |article: &ArticleSummary| article.filings.iter().all(|place| (place.concept as usize) < known);
    ensure!(articles.iter().all(is_known), "an article is filed under a concept that it lacks");
    let positions = Positions::of(articles.iter().map(|article| article.id));
    let Head { made, taxonomy, concepts, left_out, by_site, languages, recalls } = head;
    let mined = Mined { taxonomy, concepts, articles, left_out, by_site, languages, search: None, positions };
    Ok(Some(Saved { made, mined, recalls }))
}

fn write_frame(to: &mut impl Write, bytes: &[u8]) -> anyhow::Result<()> {
    let length = u32::try_from(bytes.len()).context("a frame is too long")?;
    to.write_all(&length.to_le_bytes())?;
    Ok(to.write_all(bytes)?)
}

fn read_frame(from: &mut impl Read) -> anyhow::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    ensure!(length <= LONGEST_FRAME, "a frame is too long");
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    ensure!(bytes.len() == length, "it is cut short");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use newslode_common::version::ContentHash;
    use newslode_page::Page;
    use newslode_page::reading::CanonicalUrl;

    use super::*;

    fn mined(articles: usize) -> Mined {
        let summary = |n: usize| {
            let url: CanonicalUrl = format!("https://a.test/{n}").parse().unwrap();
            let html = format!(
                "<meta property=og:type content=article><h1>Story {n}</h1><p>{}",
                "It rained. ".repeat(80)
            );
            let page = Page::parse(&url, None, html.as_bytes());
            let article = newslode_page::article(&page, Timestamp(9)).1.unwrap();
            let found = Some(Timestamp(n as u64));
            ArticleSummary::of(&url, &article, ContentHash::NONE, found, Vec::new(), Timestamp(9))
        };
        let articles: Vec<ArticleSummary> = (0..articles).map(summary).collect();
        let positions = Positions::of(articles.iter().map(|article| article.id));
        Mined { articles, positions, ..Mined::default() }
    }

    #[test]
    fn what_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).unwrap().is_none());
        let (mined, recalls) = (mined(ARTICLES + 1), BTreeMap::from([(Site::of_host("a.test"), 990)]));
        write(folder.path(), Timestamp(7), &mined, &recalls).unwrap();
        let saved = read(folder.path()).unwrap().unwrap();
        assert_eq!((saved.made, &saved.recalls), (Timestamp(7), &recalls));
        assert_eq!(format!("{:?}", saved.mined.articles), format!("{:?}", mined.articles));
        let last = mined.articles.last().unwrap();
        assert_eq!(saved.mined.article(&last.id).unwrap().headline(), last.headline());
    }

    #[test]
    fn a_file_that_is_damaged_or_of_another_form_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), Timestamp(7), &mined(3), &BTreeMap::new()).unwrap();
        let whole = std::fs::read(file(folder.path())).unwrap();
        for end in 0..whole.len() {
            std::fs::write(file(folder.path()), &whole[..end]).unwrap();
            assert!(read(folder.path()).is_err(), "cut after {end} bytes");
        }
        let mut other = whole;
        other[17] = b'9';
        std::fs::write(file(folder.path()), other).unwrap();
        assert!(read(folder.path()).is_err());
    }
}
