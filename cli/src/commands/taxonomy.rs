//! `newslode taxonomy`: the taxonomy of a run or of the services.

use std::sync::Arc;

use newslode_common::config::Config;
use newslode_common::store::{Frontier, PageArchive, SiteState};
use newslode_miner::summary::read_all;
use newslode_miner::taxonomy::{explain, tree_text};

use super::export;
use crate::args::{TaxonomyArgs, TaxonomyFormat};
use crate::exit::{Exit, hinted};
use crate::{engine, out, served};

/// Everything that a command reads from an installation.
pub(crate) struct Installation {
    pub(crate) frontier: Arc<dyn Frontier>,
    pub(crate) state: Arc<dyn SiteState>,
    pub(crate) archive: Arc<dyn PageArchive>,
}

impl Installation {
    /// A run's folder, or the services' servers.
    pub(crate) async fn open(dir: Option<&std::path::Path>, config: &Config) -> anyhow::Result<Installation> {
        if let Some(folder) = dir {
            let store = Arc::new(engine::open_state(folder)?);
            return Ok(Installation { frontier: store.clone(), state: store.clone(), archive: store });
        }
        let store = Arc::new(served::store(config).await?);
        Ok(Installation { frontier: store.clone(), state: store, archive: Arc::new(served::archive(config)?) })
    }
}

pub(crate) async fn run(args: TaxonomyArgs, config: &Config) -> anyhow::Result<Exit> {
    let parts = Installation::open(args.dir.as_deref(), config).await?;
    let Some(taxonomy) = export::taxonomy(parts.state.as_ref()).await? else {
        return Err(hinted("nothing was folded yet", "mine first, or wait for the miner's first fold"));
    };
    if let Some(concept) = &args.explain {
        let summaries = read_all(parts.state.as_ref()).await?;
        let Some(text) = explain(&taxonomy, &summaries, concept) else {
            return Err(hinted(format!("there is no concept `{concept}`"), "see `newslode taxonomy`"));
        };
        out::text(&text)?;
        return Ok(Exit::Done);
    }
    match args.format {
        TaxonomyFormat::Tree => out::text(&tree_text(&taxonomy))?,
        TaxonomyFormat::Json => out::json(&taxonomy)?,
        TaxonomyFormat::Turtle => newslode_miner::ontology::write(&taxonomy, &[], std::io::stdout().lock())?,
    }
    Ok(Exit::Done)
}
