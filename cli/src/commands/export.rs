//! `newslode export`, and the files that a run ends with.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use newslode_common::article::Article;
use newslode_common::config::Config;
use newslode_common::page::CanonicalUrl;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Frontier, Kind, PageArchive, SiteState};
use newslode_common::version::ContentHash;
use newslode_miner::fold;

use super::taxonomy::Installation;
use crate::args::{ExportArgs, ExportWhat};
use crate::engine;
use crate::exit::Exit;

/// What was written.
pub(crate) struct Written {
    pub(crate) concepts: usize,
    pub(crate) relations: usize,
    pub(crate) articles: usize,
}

pub(crate) async fn run(args: ExportArgs, config: &Config) -> anyhow::Result<Exit> {
    let parts = Installation::open(args.dir.as_deref(), config).await?;
    let mut to = BufWriter::new(std::io::stdout().lock());
    let (frontier, state, archive) = (parts.frontier.as_ref(), parts.state.as_ref(), parts.archive.as_ref());
    match args.what {
        ExportWhat::Articles => {
            write_articles(frontier, state, archive, &mut to).await?;
        }
        ExportWhat::Hierarchies => {
            each(state, archive, Kind::Hierarchy, |_, _, xml| Ok(to.write_all(xml)?)).await?;
        }
        ExportWhat::Ontology => {
            let articles = articles(frontier, state, archive).await?;
            let taxonomy = fold::read(state).await?.unwrap_or_default();
            newslode_miner::ontology::write(&taxonomy, &articles, &mut to)?;
        }
    }
    to.flush()?;
    Ok(Exit::Done)
}

/// Hands what the archive keeps of every counted page to `take`, by site and URL.
async fn each(
    state: &dyn SiteState,
    archive: &dyn PageArchive,
    kind: Kind,
    mut take: impl FnMut(&CanonicalUrl, ContentHash, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for (site, _) in state.sites().await? {
        for (url, version) in state.pages(&site).await? {
            if version.content != ContentHash::NONE
                && let Some(bytes) = archive.get(kind, version.content).await?
            {
                take(&url, version.content, &bytes)?;
            }
        }
    }
    Ok(())
}

/// All articles, filed under their concepts.
async fn articles(
    frontier: &dyn Frontier,
    state: &dyn SiteState,
    archive: &dyn PageArchive,
) -> anyhow::Result<Vec<Article>> {
    let taxonomy = fold::read(state).await?.unwrap_or_default();
    let labels: BTreeMap<&str, &str> =
        taxonomy.concepts.iter().map(|concept| (concept.key.as_str(), concept.label.as_str())).collect();
    let members = newslode_miner::members::members(frontier, state, archive, &taxonomy).await?;
    let mut articles = Vec::new();
    each(state, archive, Kind::Article, |url, _, json| {
        let mut article: Article = serde_json::from_slice(json)?;
        let keys = members.get(url).into_iter().flatten();
        article.concepts = keys.filter_map(|key| labels.get(key.as_str())).map(ToString::to_string).collect();
        articles.push(article);
        Ok(())
    })
    .await?;
    Ok(articles)
}

async fn write_articles(
    frontier: &dyn Frontier,
    state: &dyn SiteState,
    archive: &dyn PageArchive,
    to: &mut impl Write,
) -> anyhow::Result<Vec<Article>> {
    let articles = articles(frontier, state, archive).await?;
    for article in &articles {
        serde_json::to_writer(&mut *to, article)?;
        to.write_all(b"\n")?;
    }
    Ok(articles)
}

/// Writes a run's files; each is whole or the one from before.
pub(crate) async fn write_outputs(store: &RedbStore, folder: &Path, hierarchies: bool) -> anyhow::Result<Written> {
    let (article_file, ontology_file) = engine::output_files(folder);
    let mut lines = Vec::new();
    let articles = write_articles(store, store, store, &mut lines).await?;
    replace(&article_file, &lines)?;
    let taxonomy = fold::read(store).await?.unwrap_or_default();
    let mut turtle = Vec::new();
    newslode_miner::ontology::write(&taxonomy, &articles, &mut turtle)?;
    replace(&ontology_file, &turtle)?;
    if hierarchies {
        let out = folder.join("hierarchies");
        std::fs::create_dir_all(&out)?;
        each(store, store, Kind::Hierarchy, |_, content, xml| replace(&out.join(format!("{content}.xml")), xml)).await?;
    }
    Ok(Written { concepts: taxonomy.concepts.len(), relations: taxonomy.relations.len(), articles: articles.len() })
}

fn replace(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let part = file.with_extension("part");
    std::fs::write(&part, bytes).with_context(|| format!("cannot write `{}`", part.display()))?;
    std::fs::rename(&part, file).with_context(|| format!("cannot write `{}`", file.display()))
}
