//! `newslode taxonomy`: the taxonomy of a run or of the services.

use std::sync::Arc;

use newslode_common::config::Config;
use newslode_common::store::{Frontier, PageArchive, SiteState};
use newslode_miner::summary::Summaries;
use newslode_miner::taxonomy::{explain, tree_text};

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
    let Some(taxonomy) = newslode_miner::fold::read(parts.state.as_ref()).await? else {
        return Err(hinted("nothing was folded yet", "mine first, or wait for the miner's first fold"));
    };
    if let Some(concept) = &args.explain {
        let (sites, _) = Summaries::default().refresh(parts.state.as_ref()).await?;
        out::text(&explain(&taxonomy, &sites, concept))?;
        return Ok(Exit::Done);
    }
    match args.format {
        TaxonomyFormat::Tree => out::text(&tree_text(&taxonomy))?,
        TaxonomyFormat::Json => out::json(&taxonomy)?,
        TaxonomyFormat::Turtle => newslode_miner::ontology::write(&taxonomy, &[], std::io::stdout().lock())?,
    }
    Ok(Exit::Done)
}
