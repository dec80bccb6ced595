//! The files that a run writes at its end, and again when a site was taught something.

use std::io::{BufWriter, Write};
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
    let take = |filed_article: &FiledArticle<'_>| {
        by_concept.put(&filed_article.article, &filed_article.keys);
        json_line(&mut lines, &filed_article.line())
    };
    let (taxonomy, articles) = export_articles(parts, &mut turtle, RdfForm::Turtle, take).await?;
    for (mut out, file) in [(lines, &article_file), (turtle, &ontology_file)] {
        out.flush()?;
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
    Ok(OutputCounts { concepts: taxonomy.concepts.len(), relations: taxonomy.relations.len(), articles })
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
