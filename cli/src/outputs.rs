//! The files that a run writes at its end, and again when a site was taught something.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write};
use std::path::Path;

use anyhow::Context;
use newslode_common::config::Config;
use newslode_common::store::Kind;
use newslode_miner::mining::ontology::RdfForm;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::views::{Pace, view_site};
use newslode_page::reading::Site;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::engine;
use crate::queries::articles::{FiledArticle, each_archived, export_articles};
use crate::report::{self, ArticlesByConcept};

/// Counts of what was written.
pub(crate) struct OutputCounts {
    pub(crate) concepts: usize,
    pub(crate) relations: usize,
    pub(crate) articles: usize,
    /// Sites that have articles.
    pub(crate) sites: BTreeSet<String>,
}

/// Writes a run's files; each is replaced as a whole or not at all.
pub(crate) async fn write_outputs(
    parts: &Parts,
    folder: &Path,
    hierarchies: bool,
) -> anyhow::Result<OutputCounts> {
    let (article_file, ontology_file) = engine::output_files(folder);
    let (mut lines, mut turtle) = (create_part_file(&article_file)?, create_part_file(&ontology_file)?);
    let mut by_concept = ArticlesByConcept::default();
    let mut sites = BTreeSet::new();
    let take = |filed_article: &FiledArticle<'_>| {
        if !sites.contains(&filed_article.article.site) {
            sites.insert(filed_article.article.site.clone());
        }
        by_concept.put(&filed_article.article, &filed_article.keys);
        json_line(&mut lines, &filed_article.line())
    };
    let (taxonomy, articles) = export_articles(parts, &mut turtle, RdfForm::Turtle, take).await?;
    for (mut out, file) in [(lines, &article_file), (turtle, &ontology_file)] {
        out.flush()?;
        out.get_ref().sync_all()?;
        rename_part_file(file)?;
    }
    if hierarchies {
        let folder = folder.join("hierarchies");
        std::fs::create_dir_all(&folder)?;
        each_archived(parts, Kind::Hierarchy, |content, xml| {
            let file = folder.join(format!("{content}.xml"));
            create_part_file(&file)?.write_all(xml)?;
            rename_part_file(&file)
        })
        .await?;
    }
    write_report(parts, &taxonomy, &by_concept, &engine::report_file(folder)).await?;
    let (concepts, relations) = (taxonomy.concepts.len(), taxonomy.relations.len());
    Ok(OutputCounts { concepts, relations, articles, sites })
}

/// A file of a run that is not what would be written now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FileDifference {
    /// Its name within the folder.
    pub(crate) file: String,
    /// What is wrong with it, in words.
    pub(crate) what: String,
}

/// Compares the articles and the ontology in a run's folder with what would be written now. Returns the number of files that
/// were compared, and those that differ. A folder without these files is that of a run that never came to an end.
pub(crate) async fn compare_outputs(
    parts: &Parts,
    folder: &Path,
) -> anyhow::Result<(usize, Vec<FileDifference>)> {
    let (article_file, ontology_file) = engine::output_files(folder);
    if !article_file.exists() && !ontology_file.exists() {
        return Ok((0, Vec::new()));
    }
    let (mut lines, mut turtle) = (Comparison::with(&article_file), Comparison::with(&ontology_file));
    let take = |filed_article: &FiledArticle<'_>| json_line(&mut lines, &filed_article.line());
    export_articles(parts, &mut turtle, RdfForm::Turtle, take).await?;
    let compared = [(lines, &article_file), (turtle, &ontology_file)];
    let difference = |(comparison, file): (Comparison, &std::path::PathBuf)| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(FileDifference { file: name, what: comparison.difference()? })
    };
    Ok((compared.len(), compared.into_iter().filter_map(difference).collect()))
}

/// Compares what is written to it with a file.
struct Comparison {
    file: std::io::Result<BufReader<std::fs::File>>,
    /// Bytes that are equal so far.
    equal: u64,
    /// The first difference.
    difference: Option<String>,
}

impl Comparison {
    fn with(file: &Path) -> Comparison {
        Comparison { file: std::fs::File::open(file).map(BufReader::new), equal: 0, difference: None }
    }

    /// How the file differs from all that was written.
    fn difference(self) -> Option<String> {
        match (self.difference, self.file) {
            (Some(what), _) => Some(what),
            (None, Err(error)) => Some(format!("cannot be read: {error}")),
            (None, Ok(mut file)) => {
                let is_at_end = file.fill_buf().is_ok_and(<[u8]>::is_empty);
                (!is_at_end).then(|| format!("has more than the {} bytes that belong in it", self.equal))
            }
        }
    }
}

impl Write for Comparison {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let (None, Ok(file)) = (&self.difference, &mut self.file) {
            let mut held = vec![0; bytes.len()];
            match file.read_exact(&mut held) {
                Ok(()) if held == bytes => self.equal += bytes.len() as u64,
                Ok(()) => {
                    let same = held.iter().zip(bytes).take_while(|(held, byte)| held == byte).count();
                    self.difference = Some(format!("differs from byte {} on", self.equal + same as u64));
                }
                Err(_) => self.difference = Some(format!("ends after byte {}, or soon after", self.equal)),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes the report of a run; the file is replaced as a whole or not at all.
pub(crate) async fn write_report(
    parts: &Parts,
    taxonomy: &Taxonomy,
    by_concept: &ArticlesByConcept,
    file: &Path,
) -> anyhow::Result<()> {
    let mut to = create_part_file(file)?;
    to.write_all(report::render(parts, taxonomy, by_concept).await?.as_bytes())?;
    to.flush()?;
    rename_part_file(file)
}

/// Has the site's articles read again with the new knowledge; returns a message about that.
pub(crate) async fn read_again(
    parts: &Parts,
    site: &Site,
    dir: Option<&Path>,
    config: &Config,
    stop: &CancellationToken,
) -> anyhow::Result<String> {
    let Some(folder) = dir else {
        let seconds = config.miner.views_s;
        return Ok(format!("running miners will read its articles again within about {seconds} s"));
    };
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let report = view_site(parts, site, Pace { at_once, share: 100 }, stop).await?;
    write_outputs(parts, folder, false).await?;
    Ok(format!("{} articles read again, {} of them changed", report.articles, report.changed))
}

/// Writes a value as one line of JSON.
pub(crate) fn json_line(to: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *to, value)?;
    Ok(to.write_all(b"\n")?)
}

/// Opens the file that becomes `file` when it is whole.
pub(crate) fn create_part_file(file: &Path) -> anyhow::Result<BufWriter<std::fs::File>> {
    let part = file.with_extension("part");
    let opened =
        std::fs::File::create(&part).with_context(|| format!("cannot write `{}`", part.display()))?;
    Ok(BufWriter::new(opened))
}

/// Puts the whole file in its place.
pub(crate) fn rename_part_file(file: &Path) -> anyhow::Result<()> {
    std::fs::rename(file.with_extension("part"), file)
        .with_context(|| format!("cannot write `{}`", file.display()))
}
