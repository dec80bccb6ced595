//! What the console showed last, in the run's folder, so that the next process goes on from it.
//!
//! Reading a run with many articles takes a while. The file `newslode.console` holds the last [`Mined`] without its search
//! index, which is kept beside it ([`search`](super::search)), and by what articles were filed. A console that starts shows
//! it and reads what changed since. The file may be deleted at any time, and one that is damaged or of another version is not
//! used. Start at [`read`] and [`write`].
//!
//! The file has a line that names its version, then frames: a length in four bytes, and so many bytes. The first frame is the
//! head, then comes the filing, an empty frame, articles, and an empty frame at the end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use newslode_common::message::wire;
use newslode_miner::mining::filing::Filing;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::snapshot::{ArticleSummary, MOST_ARTICLES, Mined, OlderArticles};
use crate::zone::zone_name;

/// Name of the file within a run's folder.
const FILE: &str = "newslode.console";
/// The first bytes; another number for each form.
const FORMAT: &[u8] = b"newslode console 3\n";
/// Articles of a frame.
const ARTICLES: usize = 500;
/// Bytes of the filing in a frame.
const FILING_BYTES: usize = 1 << 20;
/// The longest filing that is read.
const LONGEST_FILING: usize = 256 << 20;
/// The longest frame that is read.
const LONGEST_FRAME: usize = wire::MAX_BODY;

/// What was shown last.
pub(super) struct Saved {
    /// It includes what was written before.
    pub(super) made: Timestamp,
    pub(super) mined: Arc<Mined>,
    /// By what articles were filed.
    pub(super) filing: Arc<Filing>,
    /// The sites and their counts at the last full pass, and how long it took.
    pub(super) counts: Vec<(Site, u64)>,
    pub(super) took: Duration,
    /// Share of the articles that listings showed lately that was read, in thousandths.
    pub(super) recalls: BTreeMap<Site, u64>,
    /// The edition of the search index that has these articles.
    pub(super) edition: String,
}

/// All but the articles and the filing.
#[derive(Serialize, Deserialize)]
struct Head {
    made: Timestamp,
    /// The reader's time zone: when an article with a date alone was published depends on it.
    zone: String,
    taxonomy: Taxonomy,
    explanations: Vec<String>,
    older: OlderArticles,
    counts: Vec<(Site, u64)>,
    took_ms: u64,
    recalls: BTreeMap<Site, u64>,
    edition: String,
}

fn file(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Replaces the file, and returns how many bytes it has.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(folder: &Path, saved: &Saved) -> anyhow::Result<u64> {
    let file = file(folder);
    let part = file.with_extension("console-part");
    let mut to = BufWriter::new(File::create(&part)?);
    to.write_all(FORMAT)?;
    let mined = &saved.mined;
    let head = Head {
        made: saved.made,
        zone: zone_name(),
        taxonomy: Taxonomy::clone(&mined.taxonomy),
        explanations: mined.concepts.iter().map(|facts| facts.explanation.to_string()).collect(),
        older: mined.older.clone(),
        counts: saved.counts.clone(),
        took_ms: u64::try_from(saved.took.as_millis()).unwrap_or(u64::MAX),
        recalls: saved.recalls.clone(),
        edition: saved.edition.clone(),
    };
    write_frame(&mut to, &serde_json::to_vec(&head)?)?;
    for part in wire::encode(&*saved.filing)?.chunks(FILING_BYTES) {
        write_frame(&mut to, part)?;
    }
    write_frame(&mut to, &[])?;
    for articles in mined.articles.chunks(ARTICLES) {
        let articles: Vec<&ArticleSummary> = articles.iter().map(Arc::as_ref).collect();
        write_frame(&mut to, &wire::encode(&articles)?)?;
    }
    write_frame(&mut to, &[])?;
    let written = to.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    written.sync_data()?;
    std::fs::rename(part, file)?;
    Ok(written.metadata()?.len())
}

/// Reads the file, if there is one.
///
/// # Errors
/// When it cannot be read, or is of another form.
pub(super) fn read(folder: &Path, now: Timestamp) -> anyhow::Result<Option<Saved>> {
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
    ensure!(head.zone == zone_name(), "it is of another time zone, `{}`", head.zone);
    ensure!(head.explanations.len() == head.taxonomy.concepts.len(), "its concepts have no explanations");
    let mut filing = Vec::new();
    loop {
        let frame = read_frame(&mut from)?;
        if frame.is_empty() {
            break;
        }
        filing.extend(frame);
        ensure!(filing.len() <= LONGEST_FILING, "its filing is too long");
    }
    let filing = Arc::new(wire::decode(&filing)?);
    let mut articles: Vec<Arc<ArticleSummary>> = Vec::new();
    loop {
        let frame = read_frame(&mut from)?;
        if frame.is_empty() {
            break;
        }
        articles.extend(wire::decode::<Vec<ArticleSummary>>(&frame)?.into_iter().map(Arc::new));
        ensure!(articles.len() <= MOST_ARTICLES, "it has too many articles");
    }
    let known = head.taxonomy.concepts.len();
    let is_known =
        |article: &Arc<ArticleSummary>| article.filings.iter().all(|place| (place.concept as usize) < known);
    ensure!(articles.iter().all(is_known), "an article is filed under a concept that it lacks");
    let explanations = head.explanations.into_iter().map(Arc::from).collect();
    let mined = Mined::of((Arc::new(head.taxonomy), explanations), (articles, head.older), now);
    Ok(Some(Saved {
        made: head.made,
        mined: Arc::new(mined),
        filing,
        counts: head.counts,
        took: Duration::from_millis(head.took_ms),
        recalls: head.recalls,
        edition: head.edition,
    }))
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
    use newslode_miner::mining::filing::Lessons;
    use newslode_page::Page;
    use newslode_page::reading::CanonicalUrl;

    use super::*;

    fn saved(articles: usize) -> Saved {
        let summary = |n: usize| {
            let url: CanonicalUrl = format!("https://a.test/{n}").parse().unwrap();
            let html = format!(
                "<meta property=og:type content=article><h1>Story {n}</h1><p>{}",
                "It rained. ".repeat(80)
            );
            let page = Page::parse(&url, None, html.as_bytes());
            let article = newslode_page::article(&page, Timestamp(9)).1.unwrap();
            let found = Some(Timestamp(n as u64));
            Arc::new(ArticleSummary::of(
                &url,
                &article,
                ContentHash::NONE,
                found,
                (Vec::new(), &[]),
                Default::default(),
                Timestamp(9),
            ))
        };
        let (mut articles, mut older) = ((0..articles).map(summary).collect(), OlderArticles::default());
        older.cut(&mut articles, ARTICLES + 1);
        let taxonomy = Arc::new(Taxonomy::default());
        Saved {
            made: Timestamp(7),
            mined: Arc::new(Mined::of((taxonomy.clone(), Vec::new()), (articles, older), Timestamp(9))),
            filing: Arc::new(Lessons::new(&taxonomy).learn()),
            counts: vec![(Site::of_host("a.test"), 3)],
            took: Duration::from_millis(5),
            recalls: BTreeMap::from([(Site::of_host("a.test"), 990)]),
            edition: "one".to_owned(),
        }
    }

    #[test]
    fn what_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path(), Timestamp(9)).unwrap().is_none());
        let before = saved(ARTICLES + 3);
        assert!(write(folder.path(), &before).unwrap() > 0);
        let after = read(folder.path(), Timestamp(9)).unwrap().unwrap();
        assert_eq!(
            (after.made, &after.recalls, &after.counts, after.took, &after.edition),
            (before.made, &before.recalls, &before.counts, before.took, &before.edition)
        );
        assert_eq!(format!("{:?}", after.mined.articles), format!("{:?}", before.mined.articles));
        assert_eq!(format!("{:?}", after.mined.concepts), format!("{:?}", before.mined.concepts));
        assert_eq!((after.mined.articles.len(), after.mined.older.articles), (ARTICLES + 1, 2));
        assert_eq!(after.mined.by_site.values().sum::<u64>(), ARTICLES as u64 + 3);
    }

    #[test]
    fn a_file_that_is_damaged_or_of_another_form_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &saved(3)).unwrap();
        let whole = std::fs::read(file(folder.path())).unwrap();
        for end in 0..whole.len() {
            std::fs::write(file(folder.path()), &whole[..end]).unwrap();
            assert!(read(folder.path(), Timestamp(9)).is_err(), "cut after {end} bytes");
        }
        let mut other = whole;
        other[17] = b'9';
        std::fs::write(file(folder.path()), other).unwrap();
        assert!(read(folder.path(), Timestamp(9)).is_err());
    }
}
